"""Lines of titles and headings: as few as possible, similar in length, broken between phrases.

WeasyPrint fills each line in turn.  Here, the lines of a heading are chosen together, by dynamic
programming over its words, to minimize the sum of their squared lengths and of penalties for lines
that end in an article, a preposition or the like, or inside a quotation.  No line ends at a hyphen
or begins with a dash.  Chinese, Japanese and Thai have no spaces between words: the dictionary of
jieba finds the words of Chinese, BudouX the phrases of the others.

The chosen breaks become line feeds in the boxes of the text.

A heading above a block that spans all columns spans them, too, and stays on its page.  WeasyPrint
would leave it at the foot of a column, and ignores forbidden breaks between spanning blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeAlias

from ...i18n import load_table
from ...text import UNSPACED, UNSPACED_CHARACTER
from ..markup import HEADINGS
from .box_tree import Box, has_class
from .paragraphs import set_on_line

# Penalties and rewards for a break, where 1 is a whole line.
AFTER_FUNCTION_WORD = 0.15
BESIDE_AMPERSAND = 0.2
BESIDE_NUMBER = 0.08
#: After the first word that follows a dash or colon.
AFTER_FIRST_WORD = 0.06
AFTER_COMMA = -0.02
AFTER_COLON = -0.06
AFTER_CJK_PAUSE = -0.15
#: In brackets, too.
INSIDE_QUOTATION = 0.25


class HeadingBreak(NamedTuple):
    """A place where a line may end: at index ``end``; the next line begins at ``start``."""

    end: int
    start: int
    penalty: float = 0.0


#: Longer headings are left to WeasyPrint.
MAX_CHARS = 400
#: The scale of a title that has fewer faults in smaller type.
SMALLER_TITLE = 0.83
#: The attribute of a text box with its text and style before lines were chosen.
_ORIGINAL = "_webprint_original"
#: The attribute of a heading with the width for which its lines were chosen.
_CHOSEN_WIDTH = "_webprint_chosen"


def break_heading(context: Any, box: Box) -> None:
    """Break the lines of a block that holds nothing but text; leave any other block alone."""
    from weasyprint.formatting_structure import boxes

    if getattr(box, _CHOSEN_WIDTH, None) == box.width:
        return
    setattr(box, _CHOSEN_WIDTH, box.width)
    _, *inside = box.descendants()
    if not all(
        isinstance(child, boxes.LineBox | boxes.InlineBox | boxes.TextBox) for child in inside
    ):
        return
    pieces = [child for child in inside if isinstance(child, boxes.TextBox)]
    for piece in pieces:
        if original := getattr(piece, _ORIGINAL, None):
            piece.text, piece.style = original
    text = "".join(piece.text for piece in pieces)
    if not text.strip() or len(text) > MAX_CHARS or "\n" in text:
        return
    ruler = _Ruler(context, pieces)
    if ruler.measure(0, len(text)) <= box.width:
        return
    breaks = find_breaks(text, box.style["lang"] or "")
    if breaks:
        ends = [*(b.end for b in breaks), len(text)]
        starts = [0, *(b.start for b in breaks)]
        words = [ruler.measure(*pair) for pair in zip(starts, ends, strict=True)]
        spaces = [ruler.measure_space(b.end, b.start) for b in breaks]
        penalties = [b.penalty for b in breaks]
        measures = words, spaces, penalties, box.width
        chosen = choose_lines(*measures)
        if box.element_tag == "h1":
            at = text.find(": ") + 1
            chosen = _choose_title_lines(chosen, ends.index(at) if at in ends else -1, measures)
            if faults := _count_faults(chosen, words, penalties):
                smaller = choose_lines(words, spaces, penalties, box.width / SMALLER_TITLE)
                if _count_faults(smaller, words, penalties) < faults:
                    chosen = smaller
                    _scale_once([box, *inside])
        elif box.element_tag == "p" and len(chosen) > MAX_DECK_BREAKS:
            chosen = []
        _insert_breaks(pieces, [breaks[n] for n in chosen])


#: A longer text below a title is a paragraph; only the lines of a deck are made even.
MAX_DECK_BREAKS = 3
#: The arguments of :func:`choose_lines`.
_Measures: TypeAlias = tuple[list[float], list[float], list[float], float]


def _choose_title_lines(chosen: list[int], colon: int, measures: _Measures) -> list[int]:
    """Return the breaks of a title: after its colon if there are several, or more even ones.

    Evenness wins if the first line is less than half as long as the longest.  ``colon`` is the
    index of the space after the colon, -1 for none.
    """
    if len(chosen) > 1 and colon >= 0:
        return _end_line_at(colon, chosen, measures)
    words, spaces, penalties, width = measures
    costs = [cost if cost < 0 or cost >= BESIDE_AMPERSAND else 0.0 for cost in penalties]
    even = choose_lines(words, spaces, costs, width)
    is_short, stays_short = (
        2 * lengths[0] < max(lengths)
        for lengths in (_lengths(chosen, words), _lengths(even, words))
    )
    return even if is_short and not stays_short else chosen


def _lengths(chosen: list[int], words: list[float]) -> list[float]:
    """Return the lengths of lines without their spaces."""
    starts = [0, *(n + 1 for n in chosen), len(words)]
    return [sum(words[start:end]) for start, end in pairwise(starts)]


MAX_TITLE_BREAKS = 2
#: The least length of a line as a share of the longest.
MIN_LINE_SHARE = 0.62
#: The factor by which the last line counts as longer.
LAST_LINE = 1.5


def _count_faults(chosen: list[int], words: list[float], penalties: list[float]) -> float:
    """Return a title's faults: a torn quotation, many lines, a missed pause, a short line (1/2)."""
    lengths = _lengths(chosen, words)
    shortest = min(*lengths[1:-1], LAST_LINE * lengths[-1], max(lengths))
    is_uneven = shortest < MIN_LINE_SHARE * max(lengths)
    is_torn = any(penalties[n] >= INSIDE_QUOTATION for n in chosen)
    has_pause = any(penalty <= AFTER_CJK_PAUSE for penalty in penalties)
    misses_pause = has_pause and all(penalties[n] > AFTER_CJK_PAUSE for n in chosen)
    has_many_lines = len(chosen) > MAX_TITLE_BREAKS
    return sum((is_torn, has_many_lines, misses_pause)) + is_uneven / 2


#: The attribute of a title that was scaled.
_SCALED = "_webprint_scaled"


def _scale_once(parts: list[Box]) -> None:
    """Make the type of a title smaller, unless an earlier layout already did."""
    if not getattr(parts[0], _SCALED, False):
        setattr(parts[0], _SCALED, True)
        for part in parts:
            part.style = part.style.copy()
            part.style["font_size"] *= SMALLER_TITLE


class _Ruler:
    """Measures parts of the text of successive boxes, each in its own style."""

    def __init__(self, context: Any, pieces: list[Box]) -> None:
        self._context = context
        self._pieces = pieces
        self._widths: dict[tuple[int, str], float] = {}

    def measure(self, start: int, end: int) -> float:
        """Return the width of the text from one index to another."""
        width, offset = 0.0, 0
        for piece in self._pieces:
            part = piece.text[max(0, start - offset) : max(0, end - offset)]
            offset += len(piece.text)
            if part:
                width += self._width(part, piece)
        return width

    def measure_space(self, start: int, end: int) -> float:
        """Return the width of a space between two words, whose fonts it depends on; 0 for none."""
        if start == end:
            return 0.0
        around = (start - 1, end + 1), (start - 1, start), (end, end + 1)
        total, before, after = (self.measure(*span) for span in around)
        return total - before - after

    def _width(self, text: str, piece: Box) -> float:
        key = id(piece.style), text
        if key not in self._widths:
            _, self._widths[key] = set_on_line(text, piece.style, self._context)
        return self._widths[key]


MAX_QUOTATION_CHARS = 48
_SPACE = re.compile("[ \u3000]+|(?<=\\w—)(?=\\w)")
#: Punctuation between spaces that belongs to the word before it.
_CLOSING = ("- ", "– ", "— ", "―", "· ", "| ", "/ ", ":", ";", "!", "?", "»", "”", ")")
_QUOTATION = re.compile(
    r"«[^«»]*»|»[^«»]*«|„[^„“”]*[“”]|“[^“”]*”|\"[^\"]*\"|\([^()]*\)|\[[^\[\]]*\]"
    r"|「[^「」]*」|『[^『』]*』|《[^《》]*》|（[^（）]*）|(?<!\w)['‘][^'‘’]*['’](?!\w)"
)
#: Characters that no line of Chinese or Japanese begins with.
_NOT_FIRST = (
    "、。，．・：；？！）」』】〕》〉ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々%,.)!?:;\u201d\u2019"
)
#: Characters that no line of Chinese or Japanese ends with.
_NOT_LAST = "（「『【〔《〈([\u201c\u2018"
#: A space in Chinese or Japanese, which marks a pause.
_SPACE_IN_UNSPACED = re.compile(f"[{UNSPACED}] +(?=\\w)|\\w +(?=[{UNSPACED}])")


def find_breaks(text: str, language: str) -> list[HeadingBreak]:
    """Return the places where a heading may be broken; none if its words cannot be recognized."""
    places = {match.end(): match.start() for match in _SPACE.finditer(text)}
    if UNSPACED_CHARACTER.search(text):
        phrases = _split_phrases(text, language)
        if phrases is None:
            return []
        end = 0
        for phrase, following in pairwise(phrases):
            end += len(phrase)
            is_allowed = following[0] not in _NOT_FIRST and phrase[-1] not in _NOT_LAST
            if is_allowed and not phrase[-1].isspace() and not following[0].isspace():
                places[end] = end
    function_words = _function_words(language.partition("-")[0].lower())
    ordered = sorted(
        (end, start)
        for start, end in places.items()
        if end > 0 and start < len(text) and not text.startswith(_CLOSING, start)
    )
    starts = [0, *(start for _, start in ordered)]
    quotations = [
        match.span() for match in _QUOTATION.finditer(text) if len(match[0]) <= MAX_QUOTATION_CHARS
    ]
    return [
        HeadingBreak(
            end,
            start,
            _penalize(text[before:end], text[start : start + 40], function_words)
            + AFTER_FIRST_WORD * text.endswith(("– ", "— ", "- ", ": ", "| "), 0, before)
            + INSIDE_QUOTATION * any(first < end and start < last for first, last in quotations)
            + AFTER_CJK_PAUSE * bool(_SPACE_IN_UNSPACED.match(text, end - 1)),
        )
        for before, (end, start) in zip(starts, ordered, strict=False)
    ]


#: A line should not end in one of a language's commonest words of at most this many letters.
MAX_FUNCTION_WORD_CHARS = 5
#: It should not end in any word this short, either.
MAX_SHORT_WORD_CHARS = 2
_NUMBER = re.compile(r"[\d.,]+")
_QUOTES = "\"'«»‹›„“”‚‘’()[]¿¡"
_PAUSES = tuple("、。，：；？！」』】）》")


def _penalize(word: str, following: str, function_words: frozenset[str]) -> float:
    """Return the penalty for a break between a word and the text after it."""
    next_word = following.split(maxsplit=1)[0]
    if _NUMBER.fullmatch(word) or _NUMBER.fullmatch(next_word):
        return BESIDE_NUMBER
    if "&" in (word, next_word):
        return BESIDE_AMPERSAND
    if word.endswith(_PAUSES):
        return AFTER_CJK_PAUSE
    if word.endswith((":", ";", ".", "!", "?", "—", "–", "|")):
        return AFTER_COLON
    if word.endswith(","):
        return AFTER_COMMA
    bare = word.strip(_QUOTES).casefold()
    is_spaced = bare.isalpha() and not UNSPACED_CHARACTER.search(bare)
    is_short = is_spaced and len(bare) <= MAX_SHORT_WORD_CHARS
    if is_short or (len(bare) <= MAX_FUNCTION_WORD_CHARS and bare in function_words):
        return AFTER_FUNCTION_WORD
    return 0.0


#: The scripts of languages whose short common words precede the words they belong to.
_SCRIPTS_WITH_PREPOSITIONS = ("latin", "cyrillic", "arabic", "hebrew")


@cache
def _function_words(language: str) -> frozenset[str]:
    table = load_table("function_words")
    scripts = (table[script] for script in _SCRIPTS_WITH_PREPOSITIONS)
    return frozenset(word for script in scripts for word in script.get(language, "").split())


_KANA = re.compile("[\u3040-\u30ff]")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_THAI = re.compile("[\u0e00-\u0e7f]")


def _split_phrases(text: str, language: str) -> list[str] | None:
    """Return the phrases of text without spaces; None if they cannot be recognized."""
    if _THAI.search(text):
        return list(_budoux_parser("thai").parse(text))
    if _KANA.search(text) or (language.lower().startswith("ja") and _HAN.search(text)):
        return list(_budoux_parser("japanese").parse(text))
    return _split_chinese(text) if _HAN.search(text) else None


#: Chinese words of one character that belong to the word before them.
_ENCLITICS = frozenset(
    "的地得了着著過过們们嗎吗呢吧啊之者等里裡上中下內内後后前時时級级性化員员案年月日号號"
)
#: Chinese words of one character that belong to the word after them.
_PROCLITICS = frozenset(
    "不没沒無无第和与與及或是在把被將将對对從从向為为以由于於各每该該這这那就也都還还再又更最"
    "未已可能要会會小大新老副超"
)


def _split_chinese(text: str) -> list[str]:
    """Return the words of Chinese, with the particles and numbers that belong to them.

    The dictionary lacks most traditional characters; there, BudouX must confirm a boundary.
    """
    import rjieba

    boundaries = None
    if _is_traditional(text):
        phrases = _budoux_parser("traditional_chinese").parse(text)
        boundaries = set(accumulate(map(len, phrases)))
    words: list[str] = []
    length, is_open = 0, True
    for word in rjieba.cut(text):
        is_bound = word in _ENCLITICS or (boundaries is not None and length not in boundaries)
        if words and (is_open or is_bound) and not (words[-1] + word).isspace():
            words[-1] += word
        else:
            words.append(word)
        length += len(word)
        is_open = word in _PROCLITICS or (word[-1].isascii() and word[-1].isalnum())
    return words


def _is_traditional(text: str) -> bool:
    """Return whether a text has characters that are missing in GB 2312, for simplified Chinese."""
    han = "".join(_HAN.findall(text))
    return han.encode("gb2312", "ignore").decode("gb2312") != han


@cache
def _budoux_parser(name: str) -> Any:
    import budoux

    return getattr(budoux, f"load_default_{name}_parser")()


MAX_LINES = 8
#: The share of the width that lines fill at most, as measured; inside a line, letters may be kerned
#: across spaces.
FILL = 0.995


def choose_lines(
    words: list[float], spaces: list[float], penalties: list[float], width: float
) -> list[int]:
    """Return the indexes of the spaces at which to break words into lines, as few as possible.

    ``words`` and ``spaces`` are widths; ``penalties`` are the costs of breaks at the spaces, where
    the square of a full line costs 1.  A word wider than the line is alone on it.
    """
    room = FILL * width
    # The cost of the best lines of the first words, and where the last of them begins; fewer lines
    # are always better.
    best: list[tuple[int, float, int]] = [(0, 0.0, 0)]
    for end in range(1, len(words) + 1):
        candidates = []
        length = 0.0
        for start in range(end - 1, -1, -1):
            length += words[start] + (spaces[start] if start < end - 1 else 0)
            if length > room and start < end - 1:
                break
            count, cost, _ = best[start]
            cost += min(1.0, length / width) ** 2 + (penalties[start - 1] if start else 0)
            candidates.append((count + 1, cost, start))
        best.append(min(candidates))
    breaks = []
    start = best[-1][2]
    while start:
        breaks.append(start - 1)
        start = best[start][2]
    return breaks[::-1] if len(breaks) < MAX_LINES else []


#: The share of a line that the words before a title's colon fill if a line ends there.
MIN_HEAD_SHARE = 1 / 3


def _end_line_at(at: int, chosen: list[int], measures: _Measures) -> list[int]:
    """Return a title's breaks with one after its colon, if the first line is long enough."""
    words, spaces, penalties, width = measures
    head = choose_lines(words[: at + 1], spaces[:at], penalties[:at], width)
    tail = choose_lines(words[at + 1 :], spaces[at + 1 :], penalties[at + 1 :], width)
    breaks = [*head, at, *(at + 1 + n for n in tail)]
    is_short = sum(words[: at + 1]) < MIN_HEAD_SHARE * width
    return chosen if is_short or len(breaks) > len(chosen) + 1 else breaks


def _insert_breaks(pieces: list[Box], breaks: list[HeadingBreak]) -> None:
    """Put line feeds into text boxes, in place of spaces."""
    offset = 0
    pending = list(breaks)
    for piece in pieces:
        original = piece.text
        end = offset + len(original)
        text, position = "", 0
        while pending and pending[0].end <= end:
            end_at, start_at, _ = pending[0]
            index = end_at - offset
            if index == len(original) and start_at > end_at:
                break  # The space is in the next box.
            pending.pop(0)
            text += original[position:index] + "\n"
            position = min(start_at - offset, len(original))
        if text:
            setattr(piece, _ORIGINAL, (original, piece.style))
            piece.style = piece.style.copy()
            piece.style["white_space"] = "pre-line"
            piece.text = text + original[position:]
        offset = end


def keep_headings_above_spanning(
    original: Callable[..., Any], context: Any, box: Box, *args: Any
) -> Any:
    """Lay out columns with the headings of blocks that span them as wide, and on their page."""
    _span_headings(box)
    columns, resume_at, *details = original(context, box, *args)
    if columns is not None and resume_at and list(resume_at.values()) == [None]:
        resume_at = _break_before_headings(box, columns, *resume_at)
    return columns, resume_at, *details


#: The attribute of a heading that spans columns with its style in a column.
_COLUMN_STYLE = "_webprint_style_in_column"


def _span_headings(box: Box) -> None:
    """Make a heading span all columns if, and only if, the block below it does."""
    is_above_spanning = False
    for child in reversed(box.children):
        if _is_above_block(child):
            in_column = getattr(child, _COLUMN_STYLE, child.style)
            child.style = in_column
            if is_above_spanning and in_column["column_span"] != "all":
                setattr(child, _COLUMN_STYLE, in_column)
                child.style = in_column.copy()
                child.style["column_span"] = "all"
        else:
            is_above_spanning = child.style["column_span"] == "all"


#: The classes of lines that are headings without the element of one.
_LABEL_CLASSES = ("code-title", "label-line")


def _is_above_block(box: Box) -> bool:
    is_titled = box.element_tag in HEADINGS or any(has_class(box, name) for name in _LABEL_CLASSES)
    return is_titled and bool(box.style["break_after"] == "avoid")


def _break_before_headings(box: Box, columns: Box, index: int) -> dict[int, None]:
    """Move headings at the foot of a page to the next; return where the next page begins."""
    count = 0
    while count < index and _is_above_block(box.children[index - count - 1]):
        count += 1
    remaining, last_boxes = columns.children[:-count], columns.children[-count:]
    headings = [heading.element for heading in box.children[index - count : index]]
    if not (count and remaining) or [last.element for last in last_boxes] != headings:
        return {index: None}
    columns.children = remaining
    last_box = remaining[-1]
    columns.height = last_box.border_box_y() + last_box.border_height() - columns.content_box_y()
    return {index - count: None}
