"""The roles of paragraphs: a heading that is not marked up as one, a line of a list, verse, ...

Pages write all of these as plain paragraphs.  What a paragraph is follows from its text, its marks
and the blocks beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from itertools import groupby
from typing import TypeAlias

from ..article import (
    Block,
    Code,
    Figure,
    Heading,
    List,
    Math,
    Paragraph,
    Rule,
    Span,
    Spans,
    Table,
    has_mark_throughout,
    is_eyebrow,
    plain_text,
)  # fmt: skip
from ..i18n import fold_words, is_source_line, page_labels
from ..text import (
    COLONS,
    QUESTION_MARKS,
    SENTENCE_ENDS,
    count_columns,
    ends_sentence,
    has_currency_sign,
    split_label,
)
from .figures import FigureRow

#: What an article's blocks are once its pictures are placed.
_Placed: TypeAlias = Block | FigureRow


def find_roles(blocks: Sequence[_Placed], before: Paragraph | None = None) -> tuple[str, ...]:
    """Return the role of each block: '' for running text and for what is not a paragraph.

    The others are "formula-number", "table-note" (below a table), "eyebrow" (a line above a
    heading), "code-title", "verse", "label-line" (a heading not marked up as one), "entry" (a line
    of a list), "entry name" (the name of the entry that the lines below describe) and "leads" (it
    introduces the next block).  ``before`` is the paragraph above the blocks, if they are the rest
    of an article.
    """
    above = (before,) if before else ()
    blocks = (*above, *blocks)
    entries = find_entries(blocks)
    labels = find_labels(blocks, entries)
    return tuple(_find_role(blocks, i, entries, labels) for i in range(len(above), len(blocks)))


def _find_role(
    blocks: Sequence[_Placed], i: int, entries: frozenset[int], labels: frozenset[int]
) -> str:
    block, after = blocks[i], blocks[i + 1] if i + 1 < len(blocks) else None
    before = blocks[i - 1] if i else None
    if not isinstance(block, Paragraph):
        return ""
    if is_formula_number(block, before):
        return "formula-number"
    if is_table_note(blocks, i):
        return "table-note"
    is_faq = fold_words(plain_text(block.spans)) in page_labels("question_labels")
    if isinstance(after, Heading) and (is_faq or is_eyebrow(block)):
        return "eyebrow"
    if is_code_title(block, after):
        return "code-title"
    if is_verse(block):
        return "verse"
    if i in labels:
        return "label-line"
    if i in entries:
        is_name = heads_entries(block, after) and i - 1 not in entries
        return "entry name" if is_name else "entry"
    return "leads" if introduces(block, after, before) else ""


#: Signs that refer to a cell of a table.
_NOTE_SIGNS = tuple("*†‡※＊¹²³")
MAX_TABLE_NOTE_CHARS = 300
MAX_TABLE_NOTES = 6


def is_table_note(blocks: Sequence[_Placed], i: int) -> bool:
    """Return whether a paragraph below a table, or below another note, is a note or a source."""
    above = blocks[max(0, i - MAX_TABLE_NOTES) : i]
    first_above = next((block for block in reversed(above) if not _reads_as_note(block)), None)
    return isinstance(first_above, Table) and _reads_as_note(blocks[i])


def _reads_as_note(block: _Placed) -> bool:
    text = plain_text(block.spans).strip() if isinstance(block, Paragraph) else ""
    if not isinstance(block, Paragraph) or len(text) > MAX_TABLE_NOTE_CHARS:
        return False
    label, colon, _ = split_label(text)
    is_named = bool(colon) and fold_words(label) in page_labels("note_labels")
    is_marked = "sup" in block.spans[0].marks or text.startswith(_NOTE_SIGNS)
    return is_marked or is_named or is_source_line(text)


#: The name of a file, perhaps after the word, or of a language above code.
MAX_CODE_LABEL_CHARS = 40
MAX_CODE_TITLE_CHARS = 90
_FILE_NAME = re.compile(
    r"(?:(?:file ?(?:name)?|datei(?:name)?|fichier|archivo|файл|文件名?|ファイル名?) ?[:：] ?)?"
    r"[\w.~@/\\-]*\.[A-Za-z]\w{0,9}",
    re.IGNORECASE,
)


def is_code_title(block: Paragraph, following: _Placed | None) -> bool:
    """Return whether a paragraph is the title of code: its language, its file, or code itself."""
    text = plain_text(block.spans).strip()
    if not isinstance(following, Code):
        return False
    if has_mark_throughout(block.spans, "code"):
        return len(text) <= MAX_CODE_TITLE_CHARS
    if not 0 < len(text) <= MAX_CODE_LABEL_CHARS:
        return False
    is_language = following.language and text.casefold() == following.language.casefold()
    return bool(is_language or _FILE_NAME.fullmatch(text))


#: A line of a list without a label, or one that introduces the next block.
MAX_BARE_LINE_CHARS = 48
MAX_TABLE_LABEL_CHARS = 120
#: A bold text of this length before a list, or one below a heading, introduces the list.
MAX_LIST_LEAD_CHARS = 144


def introduces(block: Paragraph, following: _Placed | None, before: _Placed | None) -> bool:
    """Return whether a paragraph introduces the next block and is kept with it.

    It ends in a colon, or is a short line before code, below a heading, at the beginning of an
    item, or above a table, or before a list one without final punctuation, a bold one or the only
    text below a heading.
    """
    text = plain_text(block.spans).rstrip()
    is_short = len(text) <= MAX_BARE_LINE_CHARS
    is_line = is_short or (len(text) <= MAX_LINE_CHARS and isinstance(before, Heading))
    is_lead = len(text) <= MAX_LIST_LEAD_CHARS and (
        isinstance(before, Heading) or has_mark_throughout(block.spans, "strong")
    )
    if isinstance(following, Paragraph | Figure) and is_line and isinstance(before, Heading | None):
        return True
    if isinstance(following, Table) and len(text) <= MAX_TABLE_LABEL_CHARS:
        return True
    if isinstance(following, Heading | Rule | None):
        return False
    is_name = is_short and text[-1:].isalnum()
    return (
        text.endswith(COLONS)
        or (is_short and isinstance(following, Code))
        or ((is_name or is_lead) and isinstance(following, List))
    )


def find_labels(blocks: Sequence[_Placed], entries: frozenset[int]) -> frozenset[int]:
    """Return the indices of headings not marked up as such.

    Of the bold lines, and of the lines above running text, all are headings or none is.
    """
    paragraphs = {i: block for i, block in enumerate(blocks) if isinstance(block, Paragraph)}
    labels = {i for i, b in paragraphs.items() if is_label(b, (*blocks[i + 1 : i + 2], None)[0])}
    bold = {i for i in labels if "strong" in paragraphs[i].spans[0].marks}
    sentences = {i for i in bold if _SENTENCE.fullmatch(plain_text(paragraphs[i].spans))}
    if len(bold) == 1 or sentences != bold:  # The author stressed them.
        labels -= sentences
    questions = {i for i in labels - bold if _is_question(paragraphs[i], blocks[i + 1])}
    if len(questions) < MIN_QUESTIONS:
        labels -= questions
    lines = _lines_above_text(paragraphs, entries, bold)
    headed = labels & lines
    labels |= _recurring_lines_with_colon(paragraphs) - entries
    if 2 * len(headed) < len(lines) or 3 * len(headed - entries) < len(headed):
        return frozenset(labels - entries - lines)
    # The first of two lines above a text is no entry of a list, either.
    above = {i - 1 for i in lines if i - 1 in entries and i - 2 not in entries}
    above = {i for i in above if not (has_separate_lines(blocks[i]) or is_labeled_line(blocks[i]))}
    return frozenset((labels - entries) | lines | above)


def _lines_above_text(
    paragraphs: Mapping[int, Paragraph], entries: frozenset[int], bold: Set[int]
) -> set[int]:
    """Return the lines that would be headings of the longer paragraphs below, were they longer."""
    texts = {i for i, b in paragraphs.items() if i not in entries | bold and not _is_entry(b)}
    lines = paragraphs.keys() & {i - 1 for i in texts} - bold
    lengths = {i: len(plain_text(block.spans)) for i, block in paragraphs.items()}
    return {i for i in lines if is_label(paragraphs[i], _LONG_TEXT) and lengths[i] < lengths[i + 1]}


#: The fewest lines ending in a colon that are headings, and the most paragraphs for each.
MIN_LINES_WITH_COLON = 4
MAX_PARAGRAPHS_PER_LINE = 10


def _recurring_lines_with_colon(paragraphs: Mapping[int, Paragraph]) -> set[int]:
    """Return the lines ending in a colon if they head all of the text, each a longer paragraph.

    Readers find a section by its heading.  A few such lines only introduce what follows.
    """
    lines = {i for i, block in paragraphs.items() if _is_line_with_colon(block)}
    is_many = len(lines) >= MIN_LINES_WITH_COLON
    is_recurring = is_many and MAX_PARAGRAPHS_PER_LINE * len(lines) >= len(paragraphs)
    are_heads = is_recurring and all(
        _is_long_text(paragraphs[i], paragraphs.get(i + 1)) for i in lines
    )
    return lines if are_heads else set()


def _is_line_with_colon(block: Paragraph) -> bool:
    text = plain_text(block.spans).strip()
    is_line = text.endswith(COLONS) and "\n" not in text and "strong" not in block.spans[0].marks
    return is_line and count_columns(text[: MAX_PLAIN_LABEL_CHARS + 1]) <= MAX_PLAIN_LABEL_CHARS


def _is_long_text(line: Paragraph, following: Paragraph | None) -> bool:
    """Return whether a line is followed by a longer text that is no speech."""
    text, below = (plain_text(part.spans).strip() if part else "" for part in (line, following))
    is_long = count_columns(below) >= max(2 * count_columns(text), MIN_LABELED_CHARS)
    return is_long and below[0].isalnum()


#: An address, or the names of Chinese reporters, which head nothing.
_HEADS_NOTHING = re.compile(
    r"(?:https?://|www\.)\S+"
    r"|(?:\w{2,4}(?:记者|記者|通讯员)|(?:记者|記者)\s\w{2,4})(?:\s\w{2,4}){1,4}"
)
#: Amounts of money, as '$39.99 USD', perhaps for a unit.
_PRICE = re.compile(
    r"(?:[^\w\s]\s?[0-9][0-9.,]*(?:\s?[A-Z]{3})?[\s–-]*)+"
    r"(?:(?:/|p[eoa]r|pro|je)\s?[^\W\d]+)?"
)
#: A sentence of five words or more, and no title with a subtitle.
_SENTENCE = re.compile(r"(?:[^\s:：–—]+\s){4,}[^\s:：–—]+\.|[^:：—]{12,}。")
MAX_BOLD_LABEL_CHARS = 90
#: A line in brackets, as Japanese headings are.
_BRACKETED = re.compile(r"[＜〈《【].{1,30}[＞〉》】]")
MAX_PLAIN_LABEL_CHARS = 64
MIN_LABELED_CHARS = 80
MAX_QUESTION_CHARS = 360
#: The fewest questions in italics that are an interviewer's, not a thought.
MIN_QUESTIONS = 2


def is_label(block: Paragraph, following: _Placed | None) -> bool:
    """Return whether a paragraph is a heading, though not marked up as one.

    It is a short bold line, perhaps with small print, a question before its answer, or a short line
    without final punctuation before code, a list or a paragraph.
    """
    text = plain_text(block.spans).strip()
    if isinstance(following, Heading | Rule | None) or "\n" in text:
        return False
    if not text or _HEADS_NOTHING.fullmatch(text):
        return False
    if len(text) > MAX_BOLD_LABEL_CHARS:
        return _is_question(block, following)
    marks = [span.marks for span in block.spans if any(map(str.isalnum, span.text))]
    if marks and "strong" in marks[0]:
        return all({"strong", "small"} & {*part} for part in marks)
    if _is_question(block, following):
        return True
    if any(span.href or span.note or span.math for span in block.spans):
        return False
    if _BRACKETED.fullmatch(text):
        return isinstance(following, Paragraph)
    return _is_plain_label(text, following)


def _is_price(text: str) -> bool:
    return has_currency_sign(text[0]) and _PRICE.fullmatch(text) is not None


def _is_plain_label(text: str, following: _Placed) -> bool:
    """Return whether a line without marks is a heading: by its length and end, or its capitals."""
    is_capitals = " " in text and all(char.isupper() for char in text if char.isalpha())
    last = text.rstrip("’”»'\"")[-1:] if is_capitals else text[-1]
    width = count_columns(text)
    is_line = last.isalnum() and width <= MAX_PLAIN_LABEL_CHARS
    if not is_line or not any(map(str.isalpha, text)) or _is_price(text):
        return False
    if isinstance(following, Code | List):
        return not text[0].islower() and len(text) <= MAX_CODE_LABEL_CHARS
    if not isinstance(following, Paragraph):
        return False
    min_width = 2 * width if is_capitals else max(2 * width, MIN_LABELED_CHARS)
    return count_columns(plain_text(following.spans)) >= min_width


#: In place of a text that is long enough for any label.
_LONG_TEXT = Paragraph((Span(MIN_LABELED_CHARS * "Text "),))


def _is_question(block: Paragraph, following: _Placed) -> bool:
    """Return whether a paragraph is an interviewer's question, set apart from the answer."""
    text = plain_text(block.spans).strip()
    if len(text) > MAX_QUESTION_CHARS or not text.endswith((*QUESTION_MARKS, ";")):
        return False
    return isinstance(following, Paragraph) and any(
        has_mark_throughout(block.spans, mark) and not has_mark_throughout(following.spans, mark)
        for mark in ("strong", "em")
    )


def find_entries(blocks: Sequence[_Placed]) -> frozenset[int]:
    """Return the indices of the paragraphs that are lines of a list, an address or a greeting.

    They are short lines in a row, most of which have a label or do not end like a sentence.
    """
    found: set[int] = set()
    for is_line, group in groupby(range(len(blocks)), lambda i: _is_line(blocks[i])):
        entries = [i for i in group if is_line and _is_entry(blocks[i])]
        run = range(entries[0], entries[-1] + 1) if entries else range(0)
        # Text in which longer paragraphs begin with such a label as well is no list.
        texts = sum(map(_is_labeled_text, blocks[max(0, run.start - 1) : run.stop + 1]))
        is_run = len(run) > 1 or any(has_separate_lines(blocks[i]) for i in run)
        if is_run and 2 * len(entries) > len(run) >= texts:
            found.update(run)
    return frozenset(found)


def _is_labeled_text(block: _Placed) -> bool:
    """Return whether a paragraph longer than a line begins with a bold label."""
    if not isinstance(block, Paragraph) or "strong" not in block.spans[0].marks:
        return False
    text = plain_text(block.spans).strip()
    return len(text) > MAX_LINE_CHARS and _ENTRY.fullmatch(text) is not None


def _is_line(block: _Placed) -> bool:
    """Return whether a paragraph may be a line of a list; one with a label may be longer."""
    if not isinstance(block, Paragraph) or block.standfirst:
        return False
    is_short = count_columns(plain_text(block.spans)[: MAX_LINE_CHARS + 1]) <= MAX_LINE_CHARS
    is_line = is_short and not has_mark_throughout(block.spans, "strong")
    return is_line or has_separate_lines(block) or is_labeled_line(block, MAX_LONG_ENTRY_CHARS)


def _is_entry(block: _Placed) -> bool:
    """Return whether a line has a label, or several parts, or does not end like a sentence."""
    if not isinstance(block, Paragraph):
        return False
    is_open = not _is_finished(block.spans)
    return is_open or has_separate_lines(block) or is_labeled_line(block, MAX_LONG_ENTRY_CHARS)


def _is_finished(spans: Spans) -> bool:
    """Return whether text ends in a sentence, whatever note marks follow.

    The sentence may be in brackets with all of the text, not with its end: '12 Mar (Fri.)'.
    """
    text = plain_text(tuple(span for span in spans if not span.note and "sup" not in span.marks))
    is_in_brackets = text.startswith(("(", "[", "（"))
    return ends_sentence(text) and (is_in_brackets or not text.rstrip().endswith((")", "]", "）")))


#: A line that fits in the width of the usual page.
MAX_LINE_CHARS = 72
#: A line with a label next to other such lines.
MAX_LONG_ENTRY_CHARS = 180
#: A label with what it labels, as in "Type: text", or a numbered line; no Chinese dateline.
_ENTRY = re.compile(
    r"(?:([0-9]{1,3}[.)] )"
    r"|(?!\w{2,30}\d日[电電讯訊])[^\W\d_][^:：.!?。\n]{0,30}(?:[:：](?!//) ?| → ))\S[^\n]*"
)


def is_labeled_line(block: _Placed | None, max_chars: int = MAX_LINE_CHARS) -> bool:
    """Return whether a paragraph is numbered or 'Label: value' rather than a sentence."""
    text = plain_text(block.spans).strip() if isinstance(block, Paragraph) else ""
    entry = _ENTRY.fullmatch(text) if len(text) <= max_chars else None
    is_bold = isinstance(block, Paragraph) and "strong" in block.spans[0].marks
    is_sentence = text.endswith(SENTENCE_ENDS) and not (is_bold or " → " in text)
    return entry is not None and (bool(entry[1]) or not is_sentence)


def heads_entries(block: Paragraph, following: _Placed | None) -> bool:
    """Return whether a line names the entry that the 'Label: value' lines below describe."""
    return not is_labeled_line(block) and is_labeled_line(following, MAX_LONG_ENTRY_CHARS)


MAX_VERSE_LINE_CHARS = 64


def is_verse(block: Paragraph) -> bool:
    """Return whether a paragraph is verse: over two lines, three in four short, none very long."""
    lengths = [len(line) for line in plain_text(block.spans).strip().split("\n")]
    long_lines = sum(length > MAX_VERSE_LINE_CHARS for length in lengths)
    return (
        len(lengths) > 2
        and 4 * long_lines <= len(lengths)
        and max(lengths) <= 4 * MAX_VERSE_LINE_CHARS
    )


#: The number or letter that begins a line: "2.", "b)" or "(c)".
_NUMBER = re.compile(r"(?:[0-9]{1,3}[.)]|\(?(?:[0-9]{1,3}|[A-Za-z])\)) ")
#: Longer text is not kept on one page, as entries are.
MAX_NUMBERED_CHARS = 1200


def has_separate_lines(block: _Placed) -> bool:
    """Return whether a paragraph has several lines that are no running text.

    Most are short enough for a line of the page, or all are numbered.
    """
    text = plain_text(block.spans).strip() if isinstance(block, Paragraph) else ""
    lines = text.split("\n")
    long_lines = sum(len(line) > MAX_VERSE_LINE_CHARS for line in lines)
    is_numbered = len(text) <= MAX_NUMBERED_CHARS and all(map(_NUMBER.match, lines))
    return len(lines) > 1 and (2 * long_lines < len(lines) or is_numbered)


_FORMULA_NUMBER = re.compile(r"\(\s?\d{1,3}(?:\.\d{1,3})?[a-z]?\s?\)")


def is_formula_number(block: Paragraph, before: _Placed | None) -> bool:
    """Return whether a paragraph is the number of the formula before it, such as (3)."""
    return isinstance(before, Math) and bool(
        _FORMULA_NUMBER.fullmatch(plain_text(block.spans[:3])[:20].strip())
    )
