"""Captions: the text that belongs to each picture, and the credit in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import chain, dropwhile, islice, takewhile
from typing import NamedTuple

from lxml.html import HtmlElement

from ..article import MARKS, Span, Spans, plain_text
from ..files import load_json
from ..html.index import BLOCK_TAGS, ElementFlag, Segment
from ..html.metadata.bylines import find_signature, is_label_alone
from ..html.metadata.dates import LONG_WORD, MONTHS, find_date
from ..html.page import Page
from ..html.parse import element_line
from ..i18n import has_phrase
from ..text import CAMEL_CASE, COLONS, INVISIBLE, SENTENCE_ENDS, class_pattern, comparison_key
from ..urls import resolve
from .candidates import Candidate, is_centered, is_floated


@dataclass(frozen=True, slots=True)
class Caption:
    """A caption, its credit if markup sets it apart, and the segments of both."""

    spans: Spans = ()
    credit: str = ""
    segments: frozenset[int] = frozenset()

    @property
    def text(self) -> str:
        """The caption's text without the credit."""
        return plain_text(self.spans)


_CAPTION_NAME = re.compile(
    r"caption|(?<![a-z])(?:cap|legend[ae]?|bild-?unter(?:schrift|titel)|bild-?text|didascalia|dida|pie-?de-?foto|"
    r"credits?|copyright|attribution|photo[-_]{0,2}(?:text|title|desc\w{0,8})|media-?subtitle\w{0,4}|"
    r"(?:info|slide|overlay)[-_]{0,2}desc\w{0,8}|image[-_]{0,2}(?:desc\w{0,8}|text|title|meta)|"
    r"(?:img|picture)[-_]{0,2}(?:desc\w{0,8}|text)|subtitle-?img|fig-?text|byline-?img|"
    r"(?:image|img|photo|picture|foto|bild|media)[-_]{0,2}"
    r"(?:credits?|source|author|licen[cs]e|rights|rechte|quelle|nachweis|urheber))"
    r"(?![a-z])",
    re.IGNORECASE,
)
_NOT_CAPTION_NAME = re.compile(
    r"recaptcha|drop-?cap|no[-_]credit|credit-?card|closed-?caption|captions?-?(?:toggle|button|track)"
    r"|(?<![\w-])caption-(?:xs|s|sm|m|md|l|lg|xl)(?![\w-])",  # sizes of text
    re.IGNORECASE,
)


@lru_cache(4096)
def is_caption_name(name: str) -> bool:
    name = CAMEL_CASE.sub("-", name)  # imgCopyright
    return bool(_CAPTION_NAME.search(name)) and not _NOT_CAPTION_NAME.search(name)


#: The number of levels above a picture that are searched for its caption.
_MAX_LEVELS = 7
_CODE = int(ElementFlag.CODE)
_HEADING = int(ElementFlag.HEADING)
_QUOTE = int(ElementFlag.QUOTE)
_TABLE = load_json(__file__, "captions.json")
#: The beginning of a credit after a caption, perhaps directly after its last letter, and what
#: separates it from the caption.
CREDIT_AFTER = re.compile(
    "(?:"
    + "|".join(sorted(map(re.escape, _TABLE["credit_words"]), key=len, reverse=True))
    + r")(?: (?i:by|credit|courtesy|via))?\s?[:：=©]|©|\([Cc]\) |（[CcＣ]）|(?:\bF|(?<=[(])f)ot\. "
    r"|(?<=[.!?] )(?:Photo|Image|Picture|Graphic|Illustration) (?:via|by|courtesy of) "
)
_MAX_CHARS = 1200
#: The words for a kind of medium.
_MEDIA = frozenset(_TABLE["media"])
#: A count or a rating.
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)?")
#: A counter such as "2/5" or a playing time.
_COUNTER = re.compile(
    r"[\[(]?\d{1,3}\s?(?:/|of|von|sur|de|di|av)\s?\d{1,3}[\])]?(?:\s(?:photos?|fotos?|bilder|images?))?"
    r"|\d{1,2}:\d\d|\d{1,3}\s?min\.?"
)
#: What a gallery announces to screen readers ends with its place: 'Boat, picture 2 of 5'.
_ANNOUNCEMENT = re.compile(r".{0,100}(?<!\d)\d{1,3}\s?[^\s\d.,]{1,5}\s?\d{1,3}\W{0,3}", re.DOTALL)


class CaptionFinder:
    """Finds the captions of a page's pictures by markup, names and position."""

    def __init__(self, page: Page, candidates: Sequence[Candidate]) -> None:
        self.page, self.index, self.candidates = page, page.index, candidates

    @cached_property
    def picture_counts(self) -> Counter[int]:
        """The number of pictures in each element, counted a few levels up from each picture."""
        counts: Counter[int] = Counter()
        for candidate in self.candidates:
            counts.update(islice(_ancestors(self, candidate), _MAX_LEVELS + 2))
        return counts

    @cached_property
    def places(self) -> frozenset[int]:
        """The segments that pictures are in or before."""
        return frozenset(candidate.segment for candidate in self.candidates)

    def find(self, candidate: Candidate) -> Caption:
        """Return a picture's caption, empty if it has none, as a sign inside code has."""
        if self.index.flags[candidate.index] & _CODE:
            return Caption()
        segments = (
            _in_figcaption(self, candidate)
            or _of_no_other_figure(candidate, _named_caption(self, candidate))
            or _of_no_other_figure(candidate, _text_below(self, candidate))
        )
        if not self.index.flags[candidate.index] & _QUOTE:
            # The line below a quotation names its speaker, also beside a portrait.
            blocks = self.index.segment_blocks
            segments = [s for s in segments if not self.index.flags[blocks[s.index]] & _QUOTE]
        above, credit_above = _line_above(self, candidate, segments), None
        if above and CREDIT_AFTER.match(segments[0].text):
            segments = [above, *segments]
        elif above and above.block is segments[0].block.getparent():
            credit_above = above  # It may be a name in the box around the caption.
        segments = _with_line_below(self, candidate, segments)
        is_linked_heading = partial(_is_linked_heading, self)
        if any(map(is_linked_heading, segments)):
            # The heading above a player leads to its page; the caption is below the picture.
            segments = [s for s in _named_caption(self, candidate) if s.index >= candidate.segment]
        if not segments:
            return _caption_in_noscript(candidate)
        if sum(len(segment.text) for segment in segments) > _MAX_CHARS:
            return Caption()
        if any(map(is_linked_heading, segments)) or all(map(partial(_is_heading, self), segments)):
            return Caption()  # the text of a card, or the heading of the next section
        distinct = {segment.text: segment for segment in segments}
        spans, credit = read_caption(distinct.values(), self.page.base, candidate.alt)
        if credit_above and not credit and _NAME_RIGHT_AFTER.fullmatch(credit_above.text):
            credit, segments = _strip_brackets(credit_above.text), [credit_above, *segments]
        indexes = frozenset(segment.index for segment in segments)
        text = plain_text(spans).strip().lower()
        is_number = _NUMBER.fullmatch(text) or _COUNTER.fullmatch(text)
        is_live = all(s.block.get("aria-live", "off") != "off" for s in segments)
        is_place = is_number or (is_live and _ANNOUNCEMENT.fullmatch(text))
        is_label = text in _MEDIA or is_place or _is_date(self.page, text)
        title = self.page.metadata.title if segments[0].block.tag != "h1" else ""
        is_title = comparison_key(text) == comparison_key(title)
        return Caption(() if is_label or is_title else spans, credit, indexes)


_MAX_FIGURE_ELEMENTS = 100


def _of_no_other_figure(candidate: Candidate, segments: Sequence[Segment]) -> Sequence[Segment]:
    """Return the texts without those of another figure whose picture a script loads."""
    around = set(candidate.element.iterancestors("figure"))
    figures = [next(segment.block.iterancestors("figure"), None) for segment in segments]
    unloaded = {f for f in figures if f is not None and f not in around and _is_not_loaded(f)}
    return [s for s, figure in zip(segments, figures, strict=True) if figure not in unloaded]


def _is_not_loaded(figure: HtmlElement) -> bool:
    """Return whether a figure has pictures and none names a file before a script runs."""
    pictures = (e for e in islice(figure.iter(), _MAX_FIGURE_ELEMENTS) if e.tag == "img")
    sources = [(picture.get("src") or "").strip() for picture in pictures]
    return bool(sources) and all(not src or src.startswith("data:") for src in sources)


def _is_date(page: Page, text: str) -> bool:
    """Return whether a text is the date of the article and nothing else but the reading time."""
    published = page.metadata.published[:10]
    is_date = bool(published) and find_date(text, page.metadata.language)[:10] == published
    is_alone = MONTHS.keys() >= set(LONG_WORD.findall(text))
    return is_date and (is_alone or has_phrase(text, "reading_times"))


def _caption_in_noscript(candidate: Candidate) -> Caption:
    """Return the named caption after a picture in ``noscript``, whose text is no segment."""
    outer = next(candidate.element.iterancestors("noscript"), None)
    inner = () if outer is None else islice(outer.iterdescendants(), _MAX_NOSCRIPT_ELEMENTS)
    following = dropwhile(lambda element: element is not candidate.element, inner)
    named = (e for e in following if is_caption_name(f"{_element_name(e)} {e.get('id') or ''}"))
    text = next(filter(None, (element_line(element, limit=_MAX_CHARS) for element in named)), "")
    return Caption((Span(text),) if text else ())


_MAX_NOSCRIPT_ELEMENTS = 100
#: Elements with versions of a picture: a parser that does not know ``source`` nests them.
_PICTURE_TAGS = "picture", "source"


def _ancestors(finder: CaptionFinder, candidate: Candidate) -> Iterator[int]:
    """Yield the picture's index and its ancestors', except those around its versions."""
    index = candidate.index
    while index >= 0:
        if finder.index.elements[index].tag not in _PICTURE_TAGS:
            yield index
        index = finder.index.parents[index]


_CAPTION_CLASS = re.compile(r"caption|description|legend|bildunter", re.IGNORECASE)


def _is_heading(finder: CaptionFinder, segment: Segment) -> bool:
    """Return whether a text is a heading that no markup names a caption."""
    name = f"{_element_name(segment.block)} {(segment.block.get('id') or '')[:100]}"
    boxes = ((e.tag, *_element_name(e).split()) for e in islice(segment.block.iterancestors(), 3))
    is_in_caption = any(not {"figcaption", "caption"}.isdisjoint(names) for names in boxes)
    is_named = is_in_caption or _CAPTION_CLASS.search(name)
    return _is_in_heading(finder, segment) and not is_named


def _is_in_heading(finder: CaptionFinder, segment: Segment) -> bool:
    return bool(finder.index.flags[finder.index.segment_blocks[segment.index]] & _HEADING)


def _is_linked_heading(finder: CaptionFinder, segment: Segment) -> bool:
    return _is_in_heading(finder, segment) and 2 * segment.link_chars > len(segment.text)


def _segment_bounds(finder: CaptionFinder, index: int) -> tuple[int, int]:
    return finder.index.segment_begins[index], finder.index.segment_ends[index]


_MAX_SEGMENTS = 8


def _in_figcaption(finder: CaptionFinder, candidate: Candidate) -> Sequence[Segment]:
    """Return the ``figcaption`` of the nearest figure that has one, and its heading above."""
    elements = finder.index.elements
    for index in islice(_ancestors(finder, candidate), 2 * _MAX_LEVELS + 1):
        if elements[index].tag != "figure":
            continue
        for inner in range(index + 1, min(index + 300, finder.index.subtree_ends[index])):
            begin, end = _segment_bounds(finder, inner)
            if elements[inner].tag == "figcaption":
                above = finder.page.segments[finder.index.segment_begins[index] : begin]
                return [  # not the article's title
                    *(s for s in above if s.block.tag != "h1" and _is_heading(finder, s)),
                    *finder.page.segments[begin:end],
                    *(s for s in above if s.text[0] == "©" and len(s.text) <= _MAX_CREDIT_CHARS),
                ]
    return ()


#: The lines below a picture that are searched for its named caption in a box of several pictures.
_MAX_LINES_BELOW = 3


def _named_caption(finder: CaptionFinder, candidate: Candidate) -> Sequence[Segment]:
    """Return the text of nearby elements whose class or id suggests a caption."""
    for level, index in enumerate(_ancestors(finder, candidate)):
        begin, end = _segment_bounds(finder, index)
        has_more = bool(level) and finder.picture_counts[index] > 1 and end - begin > 2
        if level > _MAX_LEVELS:
            break
        first, last = max(begin, candidate.segment - 1), min(end, candidate.segment + 4)
        if has_more:
            first, last = candidate.segment, min(end, candidate.segment + _MAX_LINES_BELOW)
        nearby = finder.page.segments[first:last]
        captions = [
            segment
            for segment in nearby
            if _is_named_caption(finder, segment, index, may_have_picture=not has_more)
            and not (segment.index < candidate.segment and _is_byline(finder, segment))
        ]
        if captions:
            # Before the next picture, if any is.
            places = finder.places.intersection(range(candidate.segment + 1, last))
            end = min(places, default=end)
            before = [segment for segment in captions if segment.index < end]
            return before or ([] if has_more else captions)
        if has_more or end - begin > 4 * _MAX_SEGMENTS:
            break
    return ()


def _is_byline(finder: CaptionFinder, segment: Segment) -> bool:
    """Return whether a line begins with the author, whose markup may be called a credit."""
    author = finder.page.metadata.byline.partition(",")[0]
    return bool(author) and segment.text.startswith(author)


def _is_named_caption(
    finder: CaptionFinder, segment: Segment, top: int, *, may_have_picture: bool = True
) -> bool:
    """Return whether an element around a text, or inline ones around all of it, are so named."""
    parents = (leaf.parent for leaf in segment.leaves if not leaf.text.isspace())
    if all(_has_caption_around(parent, segment) for parent in parents):
        return True
    index = finder.index.segment_blocks[segment.index]
    while index > top:
        if is_caption_name(_element_name(finder.index.elements[index])):
            return may_have_picture or not finder.picture_counts[index]
        index = finder.index.parents[index]
    return False


#: Fewer levels are searched for a caption without markup, except below a gallery.
_MAX_UNMARKED_LEVELS = 5
_MAX_BARE_CHARS = 200
#: The length of a film, which ends its description: '3:18 min'.
_PLAY_TIME = re.compile(r"[^0-9:][0-9]{1,3}:[0-5][0-9](?: ?(?:[Mm]in|h|Std)\.?)?$")


#: The class of a box for a picture and the text beside it.
_TEXT_BOX = class_pattern(
    r"(?:image|media|photo|picture|video)-(?:and|text|with)|text-(?:and|with)-(?:image|picture)"
)
_MAX_TEXT_BOX_LEVELS = 3


def _text_below(finder: CaptionFinder, candidate: Candidate) -> Sequence[Segment]:
    """Return the text right after the picture if it is short or in italics, as captions are."""
    position = candidate.segment
    if position >= len(finder.page.segments):
        return ()
    if repeating := _lines_of_alt(finder, candidate):
        return repeating
    segment = finder.page.segments[position]
    block = finder.index.segment_blocks[position]
    is_styled = len(segment.text) <= 2 * _MAX_BARE_CHARS and _is_emphasized(segment)
    max_chars = _MAX_BARE_CHARS * (1 + (is_styled and segment.block.find("img") is not None))
    is_long = len(segment.text) > max_chars and not _PLAY_TIME.search(segment.text[-20:])
    # One with a date is beside a portrait.
    is_signature = find_signature([segment.text]) and not find_date(segment.text)
    is_signature = is_signature and not segment.text.startswith("By")
    section = finder.page.metadata.section
    if is_long or is_signature or segment.text.endswith(COLONS) or _is_other_text(segment, section):
        return ()
    # Text that begins before the picture continues after it.
    begins_before = finder.index.segment_spans[position][0] < finder.index.opens[candidate.index]
    if begins_before or _is_in_heading(finder, segment):
        return ()
    in_gallery = False
    for level, index in enumerate(islice(_ancestors(finder, candidate), _MAX_LEVELS + 2)):
        begin, end = _segment_bounds(finder, index)
        if end <= position:
            in_gallery = finder.picture_counts[index] > 1
            continue
        if level >= _MAX_UNMARKED_LEVELS and not in_gallery:
            break
        if finder.picture_counts[index] == 1 and (begin, end) == (position, position + 1):
            is_text = segment.link_chars == len(segment.text) or _runs_on_beside(candidate, segment)
            return () if is_text else [segment]
        if finder.picture_counts[index] == 1 and (begin, end) == (position, position + 2):
            caption, credit = finder.page.segments[begin:end]
            if CREDIT_AFTER.match(credit.text):
                return [caption, credit]
        between = range(candidate.index + 1, min(block, candidate.index + 40))
        follows = not any(finder.picture_counts[other] for other in between)
        counter = _COUNTER.match(segment.text)
        text = segment.text[counter.end() if counter else 0 :]
        # Beside a floated picture, its text is the article's.
        frames = (finder.index.elements[i] for i in islice(_ancestors(finder, candidate), level))
        is_marked = is_credit_line(text) or (is_styled and not any(map(is_floated, frames)))
        if follows and (is_marked or _is_centered_alone(finder, candidate, position)):
            return [segment]
        break
    return ()


_MAX_ALT_LINES = 3


def _lines_of_alt(finder: CaptionFinder, candidate: Candidate) -> Sequence[Segment]:
    """Return the lines below a picture that its alternative text consists of, as with a credit."""
    position = candidate.segment
    lines = finder.page.segments[position : position + _MAX_ALT_LINES + 1]
    first, *following = (lines[1:] if _COUNTER.fullmatch(lines[0].text) else lines) or lines
    if repeats_alt(first.text, candidate.alt):
        return [first, *(line for line in following if repeats_alt(line.text, candidate.alt))]
    if len(first.text) < _MIN_ALT_CHARS or not candidate.alt.startswith(first.text):
        return ()
    return [first, *takewhile(lambda line: line.text in candidate.alt, following)]


#: The class of a label laid over a picture, which names the section.
_LABEL_NAME = class_pattern(
    "badge|cat(?:egory)?|kicker|label|rubri[ck]|section|tag|topic", re.IGNORECASE
)
_MAX_LABEL_WORDS = 3
_MIN_MENU_LINKS = 3


def _is_other_text(segment: Segment, section: str) -> bool:
    """Return whether a line names a section, links to several pages, or is in a box for text."""
    is_short = len(segment.text.split()) <= _MAX_LABEL_WORDS
    links = {leaf.element for leaf in segment.leaves if leaf.element.tag == "a" and not leaf.tail}
    is_menu = len(links) >= _MIN_MENU_LINKS and 2 * segment.link_chars > len(segment.text)
    around = segment.block, segment.leaves[0].parent
    names = map(_element_name, around)
    boxes = map(_element_name, islice(segment.block.iterancestors(), _MAX_TEXT_BOX_LEVELS))
    is_text = segment.text.endswith(".") and any(map(_TEXT_BOX.search, boxes))
    is_label = segment.text == section or (is_short and any(map(_LABEL_NAME.search, names)))
    return is_menu or is_text or is_label


def _line_above(
    finder: CaptionFinder, candidate: Candidate, segments: Sequence[Segment]
) -> Segment | None:
    """Return the line between a picture and its only line, in the same element; None for none."""
    position = segments[0].index - 1 if len(segments) == 1 else -1
    if position < candidate.segment:
        return None
    line, block = finder.page.segments[position], segments[0].block
    is_beside = line.block in (block.getprevious(), block.getparent())
    return line if is_beside and not line.link_chars else None


def _with_line_below(
    finder: CaptionFinder, candidate: Candidate, segments: Sequence[Segment]
) -> Sequence[Segment]:
    """Return a caption with the credit below it or its copy, or a credit with its caption below."""
    if not segments:
        return segments
    last = segments[-1]
    following = finder.page.segments[last.index + 1 : last.index + 3]
    is_copy = bool(following) and following[0].text == last.text
    line = next(iter(following[is_copy:]), last)
    around = islice(_ancestors(finder, candidate), _MAX_LEVELS + 2)
    boxes = (i for i in around if finder.picture_counts[i] == 1)
    box = next((i for i in boxes if finder.index.segment_ends[i] > line.index), -1)
    if box < 0 or line is last or len(line.text) > _MAX_BARE_CHARS:
        return segments
    if any(is_credit_line(segment.text) for segment in segments):
        is_caption = all(map(_is_credit_segment, segments)) and not _is_heading(finder, line)
        is_part = is_caption and _is_named_caption(finder, line, box)
    else:
        is_credit = _is_credit_segment(line) or _is_small(line)
        is_part = len(line.text) <= _MAX_LONE_CREDIT_CHARS and is_credit
    return [*segments, line] if is_part else segments


def _is_small(segment: Segment) -> bool:
    return all(leaf.parent.tag == "small" for leaf in segment.leaves)


def _is_credit_segment(segment: Segment) -> bool:
    if is_credit_line(segment.text):
        return True
    nodes = (segment.block, segment.block.getparent(), segment.leaves[0].parent)
    return any(_CREDIT_NAME.search(_element_name(node)) for node in nodes if node is not None)


def _is_centered_alone(finder: CaptionFinder, candidate: Candidate, position: int) -> bool:
    """Return whether a line and the picture above it are centered, and the text below is not."""
    elements, blocks = finder.index.elements, finder.index.segment_blocks
    centered = [elements[blocks[position]], elements[finder.index.parents[candidate.index]]]
    if not all(map(is_centered, centered)):
        return False
    next_block = blocks[position + 1] if position + 1 < len(blocks) else blocks[position]
    between = range(blocks[position] + 1, min(next_block + 1, blocks[position] + 40))
    has_picture = any(finder.picture_counts[other] for other in between)
    return has_picture or not (next_block > blocks[position] and is_centered(elements[next_block]))


_MAX_ITEMS = 20


def _runs_on_beside(candidate: Candidate, segment: Segment) -> bool:
    """Return whether text continues on the line of a picture, or is an item of a text list."""
    ancestors = list(islice(candidate.element.iterancestors(), _MAX_UNMARKED_LEVELS))
    if segment.block not in ancestors:
        return False
    if segment.block.tag == "li":
        siblings = segment.block.itersiblings("li", preceding=True)
        items = islice(chain(siblings, segment.block.itersiblings("li")), _MAX_ITEMS)
        return any(item.find(".//img") is None for item in items)
    if segment.block.tag != "p":
        return False
    path = (candidate.element, *ancestors[: ancestors.index(segment.block)])
    is_sentence = segment.text.endswith(SENTENCE_ENDS) and not _is_emphasized(segment)
    return any(map(is_floated, path)) or (is_sentence and segment.block.find(".//br") is None)


def _has_caption_around(node: HtmlElement | None, segment: Segment) -> bool:
    while node is not None and node is not segment.block:
        if is_caption_name(_element_name(node)):
            return True
        node = node.getparent()
    return False


#: An alternative text of fewer characters does not identify a caption.
_MIN_ALT_CHARS = 25
_MAX_CREDIT_AFTER_ALT_CHARS = 80


def repeats_alt(text: str, alt: str) -> bool:
    """Return whether a text is a picture's alternative text, perhaps with a credit after it."""
    alt = alt.rstrip(" .…")
    return (
        len(alt) >= _MIN_ALT_CHARS
        and text.startswith(alt)
        and len(text) <= len(alt) + _MAX_CREDIT_AFTER_ALT_CHARS
    )


def _element_name(element: HtmlElement) -> str:
    return f"{element.get('class') or ''} {element.get('itemprop') or ''}"[:300]


_SMALL_TAGS = frozenset({"em", "i", "small", "figcaption", "cite", "sub", "font"})


def _is_emphasized(segment: Segment) -> bool:
    """Return whether all of a text is emphasised or small."""
    for leaf in segment.leaves:
        if leaf.text.isspace():
            continue
        node = leaf.parent
        for _ in range(4):
            if node is None or node.tag in _SMALL_TAGS:
                break
            node = node.getparent() if node is not segment.block else None
        if node is None or node.tag not in _SMALL_TAGS:
            return False
    return True


_PICTURE = (
    r"photo(?:graph(?:er|y)?)?s?|pictures?|images?|fotos?|bild(?:er)?"
    r"|graphics?|illustrations?|grafik"
)
_CREDIT_START = re.compile(
    rf"\W{{0,3}}(?:(?:{_PICTURE}|sources?|(?:bild)?quellen?|bild(?:nachweise?|rechte)|fonte|fuente"
    r"|credits?|crédits?|copyright|courtesy)"
    r"(?:\s(?:credits?|by|courtesy|of|source|via)){0,2}\s?[:：]|©|\(c\)\s|"
    rf"(?:{_PICTURE}) (?:by|courtesy|via) |写真|撮影|图片来源|图源|出典|来源|تصوير|фото[: ]|צילום)",
    re.IGNORECASE,
)


class _Piece(NamedTuple):
    text: str
    marks: tuple[str, ...]
    href: str
    credit: bool


_CREDIT_INSIDE = re.compile(
    rf"(?:[|(\[]|[–—-] |\. ) ?(?:{_PICTURE})(?: (?:credit|by|courtesy|via)| ?:)", re.IGNORECASE
)


def is_credit_line(text: str) -> bool:
    return bool(_CREDIT_START.match(text) or _CREDIT_INSIDE.search(text))


_REPEATED_CREDIT = re.compile(r"^(.{4,200}?) ?\1$")
_BEFORE_CAPTION = " \n\t|:：•"
_BEFORE_CREDIT = " \n\t|·•/-–—"
_MAX_LONE_CREDIT_CHARS = 80


def read_caption(segments: Iterable[Segment], base: str, alt: str = "") -> tuple[Spans, str]:
    """Return a caption's spans, and a credit set apart by markup; a lone credit is the caption."""
    read = _read_pieces(segments, base, alt)
    pieces = [*dropwhile(lambda piece: not piece.text.strip(_BEFORE_CAPTION), read)]
    while pieces and not pieces[-1].text.strip(_BEFORE_CREDIT):
        pieces.pop()
    pieces[:1] = [piece._replace(text=piece.text.lstrip(_BEFORE_CAPTION)) for piece in pieces[:1]]
    pieces[-1:] = [piece._replace(text=piece.text.rstrip(" \n\t|")) for piece in pieces[-1:]]
    if is_label_alone("".join(piece.text for piece in pieces).strip()):
        return (), ""
    pieces = _split_credit(pieces)
    if all(piece.credit or not piece.text.strip() for piece in pieces):
        # What is around both a caption and its credit may be named a credit.
        parts = _split_credit([piece._replace(credit=False) for piece in pieces])
        words = " ".join(part.text for part in parts if not part.credit).split()
        pieces = parts if len(words) > 2 and any(part.credit for part in parts) else pieces
    text = [piece for piece in pieces if not piece.credit]
    credit = _join_credit([piece.text for piece in pieces if piece.credit])
    if credit:
        ends = (i for i, piece in enumerate(text) if re.search(r"[\w)\]]", piece.text))
        text = text[: max(ends, default=-1) + 1]
        text[-1:] = [piece._replace(text=piece.text.rstrip(_BEFORE_CREDIT)) for piece in text[-1:]]
        credit = _REPEATED_CREDIT.sub(r"\1", credit)
    if not any(re.search(r"\w", piece.text) for piece in text):
        return _italic_credit(_join_pieces(pieces if re.search(r"\w", credit) else [])), ""
    spans = _join_pieces(text)
    if not credit and len(line := plain_text(spans)) <= _MAX_LONE_CREDIT_CHARS:
        return (_italic_credit(spans) if _CREDIT_START.match(line) else spans), ""
    return spans, _strip_brackets(credit.lstrip(":：.,").strip("|·•/-–— "))


def _italic_credit(spans: Spans) -> Spans:
    """Return a credit in italics, without brackets around all of it."""
    if len(spans) == 1:
        spans = (replace(spans[0], text=_strip_brackets(plain_text(spans))),)
    marks = [{*span.marks, "em"} for span in spans]
    return tuple(
        replace(span, marks=tuple(mark for mark in MARKS if mark in marks_of_span))
        for span, marks_of_span in zip(spans, marks, strict=True)
    )


#: A label in an element of its own.
_CREDIT_LABEL = re.compile(r"\s*(?:credits?|crédits?)?\s*", re.IGNORECASE)
#: The end of an element before a name.
_NAMES_WITHOUT_SPACE = re.compile(r"(?<=[^\W\d_])\0(?=[^\W\d_a-z])")


def _join_credit(texts: list[str]) -> str:
    """Return a credit without a bare label before the name, and with spaces between elements."""
    first = next((n for n, text in enumerate(texts) if not _CREDIT_LABEL.fullmatch(text)), 0)
    return " ".join(
        _NAMES_WITHOUT_SPACE.sub(" ", "\0".join(texts[first:])).replace("\0", "").split()
    )


def _strip_brackets(credit: str) -> str:
    """Return a credit without brackets around all of it."""
    if credit[:1] + credit[-1:] in ("()", "[]") and not set(credit[1:-1]) & set("()[]"):
        return credit[1:-1].strip()
    return credit


#: The alternatives of a pattern, the longest first.
AGENCY_PATTERN = "|".join(sorted(map(re.escape, _TABLE["agencies"]), key=len, reverse=True))
#: Names after the end of a sentence: in brackets, after a bar, or the last of them an agency's.
_NAMES_AFTER = re.compile(
    r"(?<=[.!?…。»”\"])(?: ?(?:\((?=\w)[^()0-9\n]{2,80}\)|\| ?(?=\w)[^|0-9\n]{2,60})"
    rf"| (?=\w)[^.!?…:;\n]{{0,60}}(?<!\w)(?:{AGENCY_PATTERN}))\s*$"
)
_CAPTION_ENDS = (*SENTENCE_ENDS, "»", "”", '"')
#: A name in an element of its own, right after the end of a sentence.
_NAME_RIGHT_AFTER = re.compile(r"(?=[^\W\d_])(?:[^\sa-z]\. ?){0,3}[^\sa-z][^.!?…\n]{1,60}")
_SEPARATORS = "(", "[", "|", "/", "–", "—", "-", ","
_MAX_CREDIT_CHARS = 200


def _split_credit(pieces: list[_Piece]) -> list[_Piece]:
    """Return the pieces of a caption with its end as a credit, if it reads like one."""
    if not pieces or any(piece.credit for piece in pieces):
        return _complete_credit(pieces)
    for i, piece in enumerate(pieces):
        match = CREDIT_AFTER.search(piece.text)
        if match is None:
            continue
        caption = piece.text[: match.start()].rstrip()
        caption = (caption[:-1] if caption.endswith(_SEPARATORS) else caption).rstrip()
        before = [*pieces[:i], piece._replace(text=caption)]
        after = [piece._replace(text=piece.text[len(caption) :]), *pieces[i + 1 :]]
        has_text = any(re.search(r"\w", part.text) for part in before)
        if has_text and sum(len(part.text) for part in after) <= _MAX_CREDIT_CHARS:
            return [*before, *(part._replace(credit=True) for part in after)]
        break
    else:
        *before, last = pieces
        if match := _NAMES_AFTER.search(last.text):
            caption, credit = last.text[: match.start()], last.text[match.start() :]
            return [*before, last._replace(text=caption), last._replace(text=credit, credit=True)]
        caption = before[-1].text if before else ""
        if caption.rstrip(_BEFORE_CAPTION).endswith(_CAPTION_ENDS) and _NAME_RIGHT_AFTER.fullmatch(
            last.text
        ):
            return [*before, last._replace(credit=True)]
    return pieces


def _complete_credit(pieces: list[_Piece]) -> list[_Piece]:
    """Return the pieces of a caption with the name after a label such as "Photograph by:"."""
    label_positions = [i for i, piece in enumerate(pieces) if piece.credit and piece.text.strip()]
    if not label_positions or not pieces[label_positions[-1]].text.rstrip().endswith(COLONS):
        return pieces
    credit_start = label_positions[-1] + 1
    if sum(len(piece.text) for piece in pieces[credit_start:]) > _MAX_CREDIT_CHARS:
        return pieces
    return [
        *pieces[:credit_start],
        *(piece._replace(credit=True) for piece in pieces[credit_start:]),
    ]


#: The words of a page's interface.
_INTERFACE = frozenset(_TABLE["interface"])
_COUNTER_BESIDE = re.compile(
    r"^\s*(?:\[\d{1,3}\s?/\s?\d{1,3}\]\s*|\d{1,2}/\d{1,2}\s+(?=[^\W\d_a-z]))"
    r"|\s\[\d{1,3}\s?/\s?\d{1,3}\]\s*$"
)
_MARKS = {mark: mark for mark in MARKS} | {"b": "strong", "i": "em"}
_INTERFACE_CLASS = re.compile(
    r"toggle|paginat|visually-?hidden|sr-only|screen-?reader|(?:^|[\s_-])(?:btn|button|buy|icon|zoom|expand|enlarge)(?:$|[\s_-])",
    re.IGNORECASE,
)
_NO_NAME = re.compile(r"[.:!?…]|.{41}")  # a sentence, a label, or more than a name
_MAX_STYLE_LEVELS = 12
#: The most levels from a text to a part of the interface; wider boxes have such names, too.
_MAX_INTERFACE_LEVELS = 4


def _read_pieces(segments: Iterable[Segment], base: str, alt: str) -> Iterator[_Piece]:
    above = ""
    for segment in segments:
        yield _Piece(" ", (), "", False)
        is_name = segment.text[0].isupper() and not _NO_NAME.search(segment.text)
        is_below_alt = len(alt) >= _MIN_ALT_CHARS and above == alt
        is_credit = bool(above) and (_is_small(segment) or (is_below_alt and is_name))
        above = f"{above} {segment.text}".strip()
        for leaf in segment.leaves:
            piece = _read_style(leaf.parent, base)
            if piece is not None:
                text = _COUNTER_BESIDE.sub("", INVISIBLE.sub("", leaf.text))
                text = f" {text}" if leaf.tail and leaf.element.tag in BLOCK_TAGS else text
                word = " ".join(text.split()).lower()
                if word not in _INTERFACE and not _COUNTER.fullmatch(word):
                    yield piece._replace(text=text, credit=piece.credit or is_credit)


#: The part of a caption that its name says is a credit, or its label: 'caption_author-label'.
_CAPTION_CREDIT = re.compile(
    r"(?:caption|legend)[-_]{0,2}(?:image[-_])?"
    r"(?:credits?|authors?|copyright|owner|photographer|agency|source)"
    r"(?:[-_]{1,2}(?:desc(?:ription)?|label|prefix|text|title))?(?![\w-])",
    re.IGNORECASE,
)
_CREDIT_CLASS = re.compile(
    r"(?<![a-z])(?:credits?|copy-?right(?:s|holder)?|copy|photo(?:grapher|by|credit)|source|attribution|"
    r"author|owner|quelle|urheber|fotograf|agency|courtesy|rights)(?![a-z]{3})",
    re.IGNORECASE,
)


def _read_style(node: HtmlElement | None, base: str) -> _Piece | None:
    """Return the style of a text as a piece without text, None for text to be skipped."""
    marks: set[str] = set()
    href = ""
    is_credit: bool | None = None
    for level in range(_MAX_STYLE_LEVELS):
        if node is None or node.tag in ("figure", "body"):
            break
        name = _element_name(node)
        is_near = level < _MAX_INTERFACE_LEVELS
        if node.tag == "button" or (is_near and _INTERFACE_CLASS.search(name)):
            return None
        if node.tag in _MARKS:
            marks.add(_MARKS[node.tag])
        if node.tag == "a":
            href = resolve(base, node.get("href") or "")
        if is_credit is None:
            is_credit = _is_credit(node, name)
        if node.tag == "figcaption":
            break
        node = node.getparent()
    return _Piece("", tuple(mark for mark in MARKS if mark in marks), href, bool(is_credit))


#: The name of a credit below a caption; authors have such names elsewhere.
_CREDIT_NAME = re.compile(
    r"(?:image|img|photo|foto|picture|media|byline)[-_]{0,2}"
    r"(?:copyright|credits?|image|source|author)",
    re.IGNORECASE,
)
_CREDIT_TAGS = frozenset({"i", "em", "span", "cite", "b", "strong", "font", "div", "p"})


def _is_credit(node: HtmlElement, name: str) -> bool | None:
    """Return True for an element marked up as a credit, False for a caption, None for neither."""
    name = CAMEL_CASE.sub("-", name)  # captionCredit
    if _CAPTION_CREDIT.search(name):
        return True
    if _CAPTION_CLASS.search(name) or node.tag == "figcaption":
        return False
    if _CREDIT_CLASS.search(name) or node.tag == "small":
        return True
    is_line = node.tag in _CREDIT_TAGS
    return True if is_line and _CREDIT_START.match((node.text or "").lstrip()[:80]) else None


#: Marks that are ignored if they cover the whole caption.
_IGNORED_MARKS = frozenset({"small", "em", "cite"})


def _join_pieces(pieces: list[_Piece]) -> Spans:
    """Collapse white space across all pieces and join pieces of the same style."""
    marks_of_pieces = [frozenset(piece.marks) for piece in pieces if piece.text.strip()]
    shared = frozenset.intersection(_IGNORED_MARKS, *marks_of_pieces)
    spans: list[Span] = []
    space = False
    for piece in pieces:
        text = " ".join(piece.text.split())
        if not text:
            space = space or bool(piece.text)
            continue
        if spans and (space or piece.text[0].isspace()):
            text = " " + text
        space = piece.text[-1].isspace()
        marks = tuple(mark for mark in piece.marks if mark not in shared)
        if spans and (spans[-1].marks, spans[-1].href) == (marks, piece.href):
            spans[-1] = Span(spans[-1].text + text, marks, piece.href)
        else:
            spans.append(Span(text, marks, piece.href))
    return tuple(spans)
