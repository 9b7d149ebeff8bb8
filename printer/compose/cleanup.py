"""Corrections that need the whole article, and merging of articles split over several pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from itertools import groupby, pairwise, takewhile, zip_longest
from typing import TypeGuard

from ..article import (
    Article,
    Block,
    Code,
    Embed,
    Figure,
    Heading,
    Item,
    List,
    Math,
    Note,
    Paragraph,
    Quote,
    Rule,
    Span,
    Spans,
    has_mark_throughout,
    is_eyebrow,
    iter_spans,
    iter_text,
    plain_text,
    prefix_ids,
    renumber_headings,
    transform,
    walk,
)
from ..i18n import fold_words, page_labels
from ..text import (
    BULLETS,
    DATELINE,
    LABEL_LINE,
    MIN_LIVE_ENTRIES,
    QUESTION_MARKS,
    SCENE_BREAK,
    SENTENCE_ENDS,
    comparison_key,
    continues_drop_cap,
    count_words,
    ends_sentence,
    is_entry_time,
)
from .block_builders import LABEL_LEVEL, is_bold_line
from .collection import has_pictured_entries, split_collection
from .inline import (
    join_lines,
    split_labels,
    split_lines,
    strip_end,
    with_mark,
    without_mark,
)

_MAX_SHORT_LINE_CHARS = 60


def clean_up(
    blocks: tuple[Block, ...],
    title: str,
    aliases: dict[str, str],
    *,
    linked: bool,
    kind: str = "article",
) -> tuple[Block, ...]:
    """Return the corrected blocks of an article.

    ``aliases`` maps link targets to the ids of the blocks that replace them; ``linked`` is whether
    the article may have internal links, and ``kind`` the kind of its page.
    """
    clean_blocks = [block for block in map(_clean_paragraph, _unwrap_cards(blocks)) if block]
    clean_blocks = _join_fragments(_drop_title(clean_blocks, title), title)
    parts = [part for block in clean_blocks for part in _split_paragraph(block)]
    parts = _drop_repeated_pull_quotes(_drop_repeated_captions(parts))
    parts = _drop_note_headings(parts)
    parts = _drop_redundant_blocks(_drop_leading_players(parts))
    parts = _join_numbered_lists(_drop_leftovers(parts, kind))
    parts = _list_typed_items(_list_bare_headings(_correct_headings(parts)))
    parts = _set_times_below_headings(parts)
    if kind not in {"documentation", "forum"}:
        parts = _make_headings_of_bold_lines(parts)
    result: tuple[Block, ...] = renumber_headings(tuple(parts))
    return _fix_links(result, aliases) if linked else result


#: A heading that is a price or a share: '$20', '€9.50/month', '45%', '115 (77.7%)'.
_AMOUNT = re.compile(
    r"(?=.{0,16}[$€£¥₹%])[$€£¥₹\s]{0,2}[0-9][0-9.,+%$€£¥₹()\s]{0,16}(?:/\s?\w{1,8})?"
)


def _correct_headings(blocks: list[Block]) -> list[Block]:
    """Make headings of the names above prices, and bold lines of amounts and highlighted lines."""
    corrected: list[Block] = []
    pairs = [*pairwise([*blocks, Rule()])]
    names = [b.spans for b, below in pairs if isinstance(b, Paragraph) and _is_amount(below)]
    are_names = len(names) > 1 and len({*map(plain_text, names)}) == len(names)
    for block, below in pairs:
        if isinstance(block, Paragraph) and are_names and _is_amount(below):
            text = plain_text(block.spans)
            if len(text) <= _MAX_SHORT_LINE_CHARS and text[-1:].isalnum():
                block = Heading(below.level, block.spans, block.id, block.lang, block.dir)
        elif isinstance(block, Heading | Paragraph):
            block = _without_highlight(block)
        corrected.append(block)
    return corrected


def _without_highlight(block: Heading | Paragraph) -> Block:
    is_marked = has_mark_throughout(block.spans, "mark")
    spans = tuple(without_mark(span, "mark") if is_marked else span for span in block.spans)
    if not (_is_amount(block) or (is_marked and isinstance(block, Paragraph))):
        return replace(block, spans=spans) if is_marked else block
    bold = tuple(replace(span, marks=with_mark(span.marks, "strong")) for span in spans)
    return Paragraph(bold, block.id, block.lang, block.dir)


def _is_amount(block: Block) -> TypeGuard[Heading]:
    return isinstance(block, Heading) and _AMOUNT.fullmatch(plain_text(block.spans)) is not None


#: So many headings in a row, with nothing below the last, are items of a list.
_MIN_BARE_HEADINGS = 3


def _list_bare_headings(blocks: list[Block]) -> list[Block]:
    """Make lists of headings of one level in a row with nothing below the last of them."""
    listed: list[Block] = []
    groups = groupby(blocks, lambda block: block.level if isinstance(block, Heading) else 0)
    for (level, run), (level_below, _) in pairwise([*((n, [*run]) for n, run in groups), (1, [])]):
        if len(run) >= _MIN_BARE_HEADINGS and 0 < level_below < level:
            lines = (Paragraph(b.spans, b.id) for b in run if isinstance(b, Heading))
            run = [List(tuple(Item((line,)) for line in lines))]
        listed += run
    return listed


def _set_times_below_headings(blocks: list[Block]) -> list[Block]:
    """Move the times of a live report's entries below the headings that follow them."""
    times = [
        (i, Paragraph((Span(text, ("em",)),)))
        for i, (block, below) in enumerate(pairwise(blocks))
        if isinstance(block, Paragraph)
        and isinstance(below, Heading)
        and is_entry_time(text := plain_text(block.spans))
    ]
    for i, time in times if len(times) >= MIN_LIVE_ENTRIES else ():
        blocks[i : i + 2] = [blocks[i + 1], time]
    return blocks


def _join_numbered_lists(blocks: list[Block]) -> list[Block]:
    """Join numbered lists that continue each other after lists inside their last items."""
    joined: list[Block] = []
    rest = [*blocks[::-1]]
    while rest:
        block = rest.pop()
        if isinstance(block, List) and block.ordered:
            items = [*block.items]
            while rest and isinstance(inner := rest[-1], List) and not inner.ordered:
                following = rest[-2] if len(rest) > 1 else None
                next_items: tuple[Item, ...] = ()
                if isinstance(following, List) and following.ordered:
                    is_next = following.start == block.start + len(items)
                    next_items = following.items if is_next else ()
                if not next_items and len(items) == len(block.items):
                    break
                items[-1] = replace(items[-1], blocks=(*items[-1].blocks, inner))
                items += next_items
                del rest[-2 if next_items else -1 :]
            block = replace(block, items=tuple(items))
        joined.append(block)
    return joined


#: The share of an article's bold lines above some text from which they are its headings.
_MIN_SHARE_ABOVE_TEXT = 0.75
#: The fewest words of a paragraph that has a heading.
_MIN_HEADED_WORDS = 10


def _make_headings_of_bold_lines(blocks: list[Block]) -> list[Block]:
    """Make headings of short bold lines above text; most headings of interviews are questions."""
    lines = {i: plain_text(block.spans) for i, block in enumerate(blocks) if is_bold_line(block)}
    lines |= _numbered_sentences(blocks)
    above_text = {i for i in lines if i + 1 < len(blocks) and _is_headed(blocks[i + 1])}
    if len(lines) == 1:  # between two paragraphs, and no call such as 'Order now!'
        around = {i: blocks[i - 1 : i + 2 : 2] for i in above_text if lines[i][-1] not in "!！"}
        above_text = {i for i, pair in around.items() if [*map(type, pair)] == [Paragraph] * 2}
    questions = sum(map(_is_bold_question, blocks))
    if (
        len(above_text) < max(1, _MIN_SHARE_ABOVE_TEXT * len(lines))
        or 2 * questions > len(lines) + sum(isinstance(block, Heading) for block in blocks)
        or sum(map(is_entry_time, lines.values())) > 1
    ):
        return blocks
    return [
        Heading(LABEL_LEVEL, block.spans, block.id, block.lang, block.dir)
        if i in above_text and isinstance(block, Paragraph)
        else block
        for i, block in enumerate(blocks)
    ]


_TYPED_NUMBER = re.compile(r"(\d{1,3})[.)]\s+(?=\S)")


def _numbered_sentences(blocks: list[Block]) -> dict[int, str]:
    """Return the bold lines that end in a full stop among those numbered in a row, most without.

    There are none if a number is missing or one has a comma: then they may be sentences.
    """
    lines: dict[int, str] = {}
    stopped: dict[int, str] = {}
    numbers: list[int] = []
    for i, block in enumerate(blocks):
        if not isinstance(block, Paragraph):
            continue
        match = _TYPED_NUMBER.match(text := plain_text(block.spans))
        if match and is_bold_line(replace(block, spans=strip_end(block.spans, "."))):
            numbers.append(int(match[1]))
            (lines if is_bold_line(block) else stopped)[i] = text
    is_row = all(number + 1 == following for number, following in pairwise(numbers))
    is_heading = is_row and len(stopped) < len(lines) and "," not in "".join(stopped.values())
    return stopped if is_heading else {}


def _is_bold_question(block: Block) -> bool:
    if not isinstance(block, Paragraph) or not has_mark_throughout(block.spans, "strong"):
        return False
    return plain_text(block.spans).endswith(QUESTION_MARKS)


def _is_headed(block: Block) -> bool:
    """Return whether a block may have a heading: none that is one, nor a short or bold line."""
    if not isinstance(block, Paragraph):
        return not isinstance(block, Heading | Rule)
    return count_words(plain_text(block.spans)) >= _MIN_HEADED_WORDS and not is_bold_line(block)


def clean_up_part(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Return the corrected blocks of a post: those corrections that need no whole article."""
    clean_blocks = [block for block in map(_clean_paragraph, blocks) if block is not None]
    parts = [part for block in clean_blocks for part in _split_paragraph(block)]
    parts = _list_typed_items(_drop_redundant_blocks(parts))
    while parts and isinstance(parts[-1], Rule):
        parts.pop()
    return tuple(
        # The title of a linked page.
        Paragraph(block.spans, block.id, block.lang, block.dir)
        if isinstance(block, Heading)
        and (block is parts[-1] or all(span.href for span in block.spans if span.text.strip()))
        else block
        for block in parts
    )


_SYMBOLS = re.compile(rf"[\s|{BULLETS}○□▸»«›‹„“”‟❝❞\"'>/\\,.;:…_=~*+–—-]{{1,5}}")


def _clean_paragraph(block: Block) -> Block | None:
    """Drop symbols without text and empty items; make a row of symbols a thematic break."""
    if isinstance(block, Quote):
        blocks = tuple(inner for inner in map(_clean_paragraph, block.blocks) if inner is not None)
        if len(blocks) == 1 and isinstance(heading := blocks[0], Heading) and not block.cite:
            if not plain_text(heading.spans).startswith(("“", "„", "«", "‹", '"')):
                return heading  # indented only
            blocks = (Paragraph(heading.spans, heading.id, heading.lang, heading.dir),)
        return replace(block, blocks=blocks) if blocks else None
    if isinstance(block, List):
        if block.items and all(map(_is_note, block.items)):
            return replace(block, items=tuple(map(_without_backlinks, block.items)))
        if block.is_collection:
            items = [
                replace(item, blocks=tuple(filter(None, map(_clean_paragraph, item.blocks))))
                for item in block.items
            ]
            return replace(block, items=tuple(items))
        return block
    if not isinstance(block, Paragraph | Heading):
        return block
    if not any(span.math for span in block.spans):
        text = plain_text(block.spans)
        if SCENE_BREAK.fullmatch(text):
            return Rule()
        if not text or (isinstance(block, Paragraph) and _SYMBOLS.fullmatch(text)):
            return None
    return block


#: The arrows of links from a wiki's notes back to their references.
_UP_ARROWS = ("^", "↑")


def _is_note(item: Item) -> bool:
    """Return whether an item begins with a wiki's link back to its reference."""
    first = item.blocks[0] if item.blocks else None
    return isinstance(first, Paragraph) and plain_text(first.spans).startswith(_UP_ARROWS)


_BACK_LETTERS = re.compile(r"\A(?:[a-z]\s){1,12}(?![a-z])")


def _without_backlinks(item: Item) -> Item:
    """Return a wiki's note without the links back to its references: '^ a b Reed, Tides'."""
    first, *rest = item.blocks
    if not isinstance(first, Paragraph):
        return item
    spans = list(first.spans)
    while spans:
        text = spans[0].text.strip()
        is_mark = len(text) <= 2 and text.isalpha() and text.islower()
        if text.strip("".join(_UP_ARROWS)) and not is_mark:
            break
        spans.pop(0)
    if not spans:
        return item
    text = spans[0].text.lstrip(" " + "".join(_UP_ARROWS))
    spans[0] = replace(spans[0], text=_BACK_LETTERS.sub("", text))
    return replace(item, blocks=(replace(first, spans=tuple(spans)), *rest))


#: The number of a heading on its own.
_HEADING_NUMBER = re.compile(r"[0-9]{1,2}|[0-9]{1,3}[.)]")
#: A place before the first paragraph: 'Chemnitz.', 'Oslo –'.
_PLACE_NAME = re.compile(r"[^\W\d_a-z][^\W\d_]+(?:[ /-][^\W\d_a-z][^\W\d_]+){0,2}[.:]")
_BLOCKS_NEAR_PLACE = 6
#: A line that does not end like a sentence.
_VALUE = re.compile(r"[^\n]{1,80}(?<![.!?…。！？:：])")


def _join_fragments(blocks: Sequence[Block], title: str) -> list[Block]:
    """Join a heading's number, a label, a dateline or a drop cap to what is below it."""
    joined: list[Block] = []
    has_text = False
    text_near_beginning = title
    for block, following in zip_longest(blocks, blocks[1:]):
        previous = joined[-1] if joined else None
        if isinstance(previous, Paragraph) and not previous.standfirst and not previous.id:
            fragment = plain_text(previous.spans)
            is_number = isinstance(block, Heading) and _HEADING_NUMBER.fullmatch(fragment)
            begins_text = not has_text and isinstance(block, Paragraph)
            is_place = begins_text and DATELINE.fullmatch(fragment) is not None
            if begins_text and _PLACE_NAME.fullmatch(fragment):
                # Any other word with a full stop is a sentence.
                nearby = blocks[: len(joined) + _BLOCKS_NEAR_PLACE]
                text_near_beginning += "".join(iter_text(*nearby))
                is_place = text_near_beginning.count(fragment.rstrip(".: ")) > 1
            text = plain_text(block.spans) if isinstance(block, Paragraph) else ""
            is_initial = continues_drop_cap(fragment, text)
            below = plain_text(following.spans) if isinstance(following, Paragraph) else ""
            is_value = _VALUE.fullmatch(text) and not _VALUE.fullmatch(below)
            is_label = is_value and LABEL_LINE.fullmatch(fragment)
            is_joined = is_number or is_place or is_initial or is_label
            if isinstance(block, Heading | Paragraph) and is_joined:
                glue = () if is_initial else (Span(" "),)
                joined[-1] = replace(block, spans=(*previous.spans, *glue, *block.spans))
                has_text = True
                continue
            has_text = has_text or len(fragment) > _MAX_SHORT_LINE_CHARS
        joined.append(block)
    return joined


def _split_paragraph(block: Block) -> Iterable[Block]:
    """Split off labels and scene breaks; make lone formulas and lines of code blocks."""
    if not isinstance(block, Paragraph):
        return [block]
    spans = [span for span in block.spans if span.text.strip()]
    if has_mark_throughout(block.spans, "code") and "\n" in (text := plain_text(block.spans)):
        return [Code(text, id=block.id)]
    if len(spans) == 1 and spans[0].math and not block.id:
        return [Math(spans[0].math, spans[0].text)]
    parts = split_labels(block.spans)
    if len(parts) == 1 and parts[0] == block.spans:
        return [block]
    return [
        Rule()
        if len(parts) > 1 and SCENE_BREAK.fullmatch(plain_text(spans))
        else replace(block, spans=spans, id="" if index else block.id)
        for index, spans in enumerate(parts)
    ]


#: Types of blocks with which cards begin, unlike list items.
_CARD_BLOCK_TYPES = (Heading, Figure, Rule, Embed)
#: So many paragraphs and headings in the only item of a list are text.
_MIN_UNWRAPPED = 4


def _unwrap_cards(blocks: Iterable[Block]) -> Iterable[Block]:
    """Replace lists of cards, and lists around a list, by their content; keep collections."""
    for block in blocks:
        if not isinstance(block, List):
            yield block
            continue
        if has_pictured_entries(block):
            yield from split_collection(block)
            continue
        firsts = (item.blocks[0] for item in block.items if item.blocks)
        cards = sum(isinstance(first, _CARD_BLOCK_TYPES) for first in firsts)
        inside = [inner for item in block.items for inner in item.blocks]
        are_cards = cards * 2 > len(block.items) and not block.ordered
        lines = sum(isinstance(inner, Paragraph | Heading) for inner in inside)
        is_text = lines >= _MIN_UNWRAPPED and not block.ordered
        is_lists = all(isinstance(inner, List) for inner in inside)
        is_around = len(block.items) == 1 and (is_lists or is_text)
        if block.is_collection or are_cards or is_around:
            yield from _unwrap_cards(inside)
        else:
            yield block


#: In an article with fewer paragraphs, the recording is the content.
_MIN_READ_PARAGRAPHS = 4


def _drop_leading_players(blocks: list[Block]) -> list[Block]:
    """Drop recordings before an article's text; a few paragraphs only describe a recording."""
    paragraphs = [index for index, block in enumerate(blocks) if isinstance(block, Paragraph)]
    if len(paragraphs) < _MIN_READ_PARAGRAPHS:
        return blocks
    return [
        block
        for index, block in enumerate(blocks)
        if not (isinstance(block, Embed) and block.kind == "audio" and index < paragraphs[0])
    ]


_MAX_BLOCKS_TO_CAPTION = 3
#: Shorter text may be repeated on several pages on purpose.
_MIN_UNIQUE_CHARS = 40


def _drop_repeated_captions(blocks: list[Block]) -> list[Block]:
    """Drop repeated figures, and text near a figure that repeats its caption."""
    figures: dict[int, set[str]] = {}  # the texts of the caption by position
    printed_figures: set[tuple[str, str]] = set()
    distinct: list[Block] = []
    for block in blocks:
        if isinstance(block, Figure):
            identity = block.svg or block.src, block.caption
            if identity in printed_figures:
                continue
            printed_figures.add(identity)
            caption_texts = (block.caption, f"{block.caption} {block.credit}")
            figures[len(distinct)] = {
                comparison_key(text) for text in caption_texts if len(text) > _MIN_UNIQUE_CHARS
            }
        distinct.append(block)
    captions_nearby: dict[int, set[str]] = {}  # those nearby, by position
    for position, texts in figures.items():
        first, last = position - _MAX_BLOCKS_TO_CAPTION, position + _MAX_BLOCKS_TO_CAPTION
        for nearby in range(first, last + 1):
            captions_nearby.setdefault(nearby, set()).update(texts)
    return [
        block
        for position, block in enumerate(distinct)
        if not isinstance(block, Paragraph | Heading)
        or position not in captions_nearby
        or comparison_key(plain_text(block.spans)) not in captions_nearby[position]
    ]


_MAX_TITLE_POSITION = 6
_MIN_SIMILAR_TITLE_CHARS = 12


def _drop_title(blocks: list[Block], title: str) -> list[Block]:
    key = comparison_key(title)
    if not key or len(blocks) == 1:
        return blocks
    has_text = False
    # The pictures of a product are above its name.
    pictures = sum(1 for _ in takewhile(lambda block: isinstance(block, Figure | Rule), blocks))
    for position, block in enumerate(blocks[: pictures + _MAX_TITLE_POSITION]):
        if not isinstance(block, Heading | Paragraph):
            continue
        text = plain_text(block.spans)
        text_key = comparison_key(text)
        if text_key == key or (
            isinstance(block, Heading) and not has_text and _has_title(text_key, key, block.level)
        ):
            return blocks[:position] + blocks[position + 1 :]
        is_text = isinstance(block, Paragraph) and not block.standfirst
        has_text = has_text or (is_text and len(text) > _MAX_SHORT_LINE_CHARS)
    return blocks


def _has_title(text: str, title: str, level: int) -> bool:
    """Return whether a heading is the title after a kicker; an ``h1`` may be a part of it, too."""
    if min(len(text), len(title)) < _MIN_SIMILAR_TITLE_CHARS:
        return False
    return text.endswith(title) or (level == 1 and (text in title or text.startswith(title)))


_MIN_REPEATED_QUOTE_CHARS = 25
_MAX_REPEATED_QUOTE_CHARS = 320
#: The share of a pull quote's n-grams that the text has, as editors shorten quotes.
_MIN_REPEATED_NGRAMS = 0.65
_NGRAM_CHARS = 12


def _ngrams(key: str) -> set[str]:
    return {key[i : i + _NGRAM_CHARS] for i in range(len(key) - _NGRAM_CHARS + 1)}


def _drop_repeated_pull_quotes(blocks: list[Block]) -> list[Block]:
    """Drop quotations of a few lines that repeat the text around them, as pull quotes do."""
    quotes = [block for block in blocks if _may_repeat(block)]
    if not quotes:
        return blocks
    other_blocks = (block for block in blocks if not _may_repeat(block))
    text = comparison_key(" ".join(iter_text(*other_blocks)))
    keys = (comparison_key(" ".join(iter_text(*quote.blocks))) for quote in quotes)
    ngrams = _ngrams(text) if any(quote.pull for quote in quotes) else set()
    repeated = {
        id(quote)
        for quote, key in zip(quotes, keys, strict=True)
        if (key in text and len(key) >= (1 if quote.pull else _MIN_REPEATED_QUOTE_CHARS))
        or (
            quote.pull and len((parts := _ngrams(key)) & ngrams) > _MIN_REPEATED_NGRAMS * len(parts)
        )
    }
    return [block for block in blocks if id(block) not in repeated]


def _may_repeat(block: Block) -> TypeGuard[Quote]:
    """Return whether a block is a pull quote, or a quotation as short as one."""
    if not isinstance(block, Quote) or block.box:
        return False
    is_text = all(isinstance(child, Paragraph) for child in block.blocks)
    return block.pull or (is_text and sum(map(len, iter_text(block))) <= _MAX_REPEATED_QUOTE_CHARS)


def _ends_in_frame(blocks: list[Block]) -> bool:
    """Return whether blocks end in a paragraph between two rules that is none of a series."""
    kinds = [*map(type, blocks[-5:])]
    return kinds[-3:] == [Rule, Paragraph, Rule] and kinds[:2] != [Rule, Paragraph]


#: The blocks that are set apart from the text without a rule.
_SEPARATE = (Heading, Figure, Embed)


def _drop_redundant_blocks(blocks: list[Block]) -> list[Block]:
    """Drop repeated headings, and rules next to rules, headings, figures or embeds.

    The rule above a heading is kept if it and another one set a paragraph apart.
    A heading above an embed is the title of this if a rule is below.
    """
    remaining: list[Block] = []
    for previous, block, following in zip(
        [None, *blocks], blocks, [*blocks[1:], None], strict=False
    ):
        if isinstance(block, Rule) and (isinstance(previous, Rule) or isinstance(following, Rule)):
            continue
        last = remaining[-1] if remaining else None
        if isinstance(block, Rule) and (last is None or isinstance(last, (Rule, *_SEPARATE))):
            before = remaining[-2] if len(remaining) > 1 else None
            if isinstance(before, Heading) and isinstance(last, Embed) and not last.title:
                remaining[-2:] = [replace(last, title=plain_text(before.spans))]
            continue
        is_frame = isinstance(block, Heading) and _ends_in_frame(remaining)
        if isinstance(block, _SEPARATE) and isinstance(last, Rule) and not is_frame:
            remaining.pop()
            last = remaining[-1] if remaining else None
        if isinstance(block, Heading):
            _move_eyebrow_to_end(remaining)
        if (
            isinstance(block, Heading)
            and isinstance(last, Heading | Paragraph)
            and comparison_key(plain_text(block.spans)) == comparison_key(plain_text(last.spans))
        ):
            remaining[-1] = last if isinstance(last, Heading) else block
        else:
            remaining.append(block)
    return remaining


def _move_eyebrow_to_end(blocks: list[Block]) -> None:
    """Move the small line above a heading past the figures between them."""
    at = len(blocks) - 1
    while at > 0 and isinstance(blocks[at], Figure):
        at -= 1
    if at >= 0 and is_eyebrow(blocks[at]):
        blocks.append(blocks.pop(at))


#: A heading at the end is kept if the article has fewer blocks, items of lists counted singly.
_MIN_PARTS = 3


def _drop_leftovers(blocks: list[Block], kind: str) -> list[Block]:
    """Drop rules and headings at the end; a sentence there closes all pages but a product's."""
    end = len(blocks)
    while end and (isinstance(blocks[end - 1], Rule) or _is_left_over(blocks[:end], kind)):
        end -= 1
    last = blocks[end] if end < len(blocks) else None
    if kind != "product" and isinstance(last, Heading) and _is_sentence(plain_text(last.spans)):
        return [*blocks[:end], Paragraph(last.spans, last.id, last.lang, last.dir)]
    return blocks[:end]


_MIN_SENTENCE_WORDS = 5


def _is_sentence(text: str) -> bool:
    return text.endswith(SENTENCE_ENDS) and count_words(text) >= _MIN_SENTENCE_WORDS


def _is_left_over(blocks: list[Block], kind: str) -> bool:
    """Return whether the last block is a heading with nothing below it.

    Headings of one level form a list, except on product pages, where they name other products.
    """
    last = blocks[-1]
    parts = (len(b.items) if isinstance(b, List) else 1 for b in blocks[:_MIN_PARTS])
    if not isinstance(last, Heading) or sum(parts) < _MIN_PARTS:
        return False
    if kind == "product":
        return True
    run = takewhile(lambda block: isinstance(block, Heading | Figure), blocks[-2::-1])
    return not any(isinstance(block, Heading) and block.level == last.level for block in run)


def _list_typed_items(blocks: list[Block]) -> list[Block]:
    """Make lists of lines with a typed bullet, two in a row the same, but no dash of a dialogue."""
    bullets: set[str] = set()
    counts, sentences = Counter[str](), Counter[str]()
    last = ""
    for block in blocks:
        lines = split_lines(block.spans) if isinstance(block, Paragraph) else []
        found = [bullet for line in lines if (bullet := _typed_bullet(line))]
        bullets.update(first for first, second in pairwise([last, *found]) if first == second)
        last = found[-1] if found else ""
        counts.update(found)
        sentences.update(_typed_bullet(line) for line in lines if ends_sentence(plain_text(line)))
    bullets -= {"", *(dash for dash in _DASHES if 2 * sentences[dash] > counts[dash])}
    if not bullets:
        return blocks
    listed: list[Block] = []
    is_open = False  # whether the last block is a list made here
    for block in blocks:
        parts = _split_items(block, bullets) if isinstance(block, Paragraph) else [block]
        for part in parts:
            last_block = listed[-1] if is_open else None
            is_open = isinstance(part, List) and part is not block
            if is_open and isinstance(part, List) and isinstance(last_block, List):
                listed[-1] = replace(last_block, items=last_block.items + part.items)
            else:
                listed.append(part)
    return listed


_DASHES = "*–—-"
_TYPED_BULLET = re.compile(rf"\s*([{BULLETS}]|[{_DASHES}](?=\s\w))\s*")


def _typed_bullet(line: Spans) -> str:
    bullet = _TYPED_BULLET.match(line[0].text)
    has_text = bullet is not None and (bullet.end() < len(line[0].text) or len(line) > 1)
    return bullet[1] if bullet is not None and has_text else ""


def _split_items(block: Paragraph, bullets: Set[str]) -> list[Block]:
    """Return a paragraph as a list of its bulleted lines, and the lines around them."""
    lines = split_lines(block.spans)
    begins = [i for i, line in enumerate(lines) if _typed_bullet(line) in bullets]
    if not begins:
        return [block]
    first, end = begins[0], begins[-1] + 1
    if end < len(lines) and plain_text(lines[end])[:1].islower():
        end = len(lines)
    items = tuple(
        Item(
            (replace(block, spans=_without_bullet(join_lines(lines[begin:stop], "\n")), id=""),),
            id=block.id if begin == 0 else "",
        )
        for begin, stop in pairwise([*begins, end])
    )
    parts: list[Block] = [List(items)]
    if first:
        parts.insert(0, replace(block, spans=join_lines(lines[:first], "\n")))
    if end < len(lines):
        parts.append(replace(block, spans=join_lines(lines[end:], "\n"), id=""))
    return parts


def _without_bullet(spans: Spans) -> Spans:
    """Return text without the bullet that it begins with."""
    text = _TYPED_BULLET.sub("", spans[0].text, count=1)
    return (replace(spans[0], text=text), *spans[1:]) if text else spans[1:]


def _drop_note_headings(blocks: list[Block]) -> list[Block]:
    """Drop a heading, label or rule above nothing but notes; the theme prints the heading."""
    remaining: list[Block] = []
    content_below = ""  # down to the next heading: '', 'notes' or 'text'
    labels = page_labels("note_headings")
    for block in reversed(blocks):
        text = plain_text(block.spans) if isinstance(block, Paragraph) else ""
        if isinstance(block, Note):
            content_below = content_below or "notes"
        elif isinstance(block, Heading | Rule) or fold_words(text[:100]) in labels:
            if content_below == "notes":
                heading = plain_text(block.spans) if isinstance(block, Heading) else ""
                if isinstance(first := remaining[-1], Note) and any(map(str.isalpha, heading)):
                    remaining[-1] = replace(first, heading=heading)
                continue
            content_below = "" if isinstance(block, Heading) else content_below
        else:
            content_below = "text"
        remaining.append(block)
    return remaining[::-1]


def _fix_links(blocks: tuple[Block, ...], aliases: dict[str, str]) -> tuple[Block, ...]:
    """Point internal links to existing blocks and remove links without a target."""
    targets = {span.href[1:] for span in iter_spans(blocks) if span.href.startswith("#")}
    note_references = {span.note for span in iter_spans(blocks) if span.note}
    ids = {name for block in walk(blocks) if (name := getattr(block, "id", ""))}
    notes = {block.id for block in walk(blocks) if isinstance(block, Note)}
    if targets <= ids and note_references <= notes:
        return blocks

    def replacement(part: object) -> list[Span] | None:
        if not isinstance(part, Span):
            return None
        if part.href.startswith("#") and (name := part.href[1:]) not in ids:
            name = aliases.get(name, "")
            part = replace(part, href=f"#{name}" if name in ids else "")
        return [replace(part, note="") if part.note not in notes else part]

    fixed: tuple[Block, ...] = transform(blocks, replacement)
    return fixed


def merge_pages(articles: Sequence[Article]) -> Article:
    """Return the first article with the blocks of the others appended.

    Repeated blocks (the lead picture, a summary) are dropped.  Ids on later pages get a prefix.
    """
    first = articles[0]
    blocks = list(first.blocks)
    keys = {key for block in blocks if (key := _repetition_key(block))}
    for number, article in enumerate(articles[1:], start=2):
        for block in article.blocks:
            if isinstance(block, Paragraph) and block.standfirst:
                if block in blocks:
                    continue
                block = replace(block, standfirst=False)
            key = _repetition_key(block)
            if not key or key not in keys:
                keys.add(key)
                blocks += prefix_ids((block,), f"p{number}-")
    return replace(
        first,
        blocks=tuple(blocks),
        confidence=min(article.confidence for article in articles),
        warnings=tuple(dict.fromkeys(w for article in articles for w in article.warnings)),
    )


def _repetition_key(block: Block) -> str:
    """Return a key that identifies a block, '' for a block that may be repeated."""
    if isinstance(block, Figure):
        return f"figure {block.src}" if block.src else ""
    text = " ".join(iter_text(block))
    return text if len(text) >= _MIN_UNIQUE_CHARS else ""
