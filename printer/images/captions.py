"""Captions: which text of the page is a picture's, and the credit in it.

Three ways of finding it: by markup and by where the text stands (:class:`Captions`), CUTER's
climb from the picture (:func:`climbed_caption`), and the text of the first block around the picture
(:func:`block_caption`, Joshi and Liu).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

from lxml.html import HtmlElement

from ..article import MARKS, Span, Spans, plain_text
from ..html.index import ElementFlag, Segment
from ..html.page import Page
from ..selection import Verdict
from ..urls import resolve
from .candidates import Candidate

_MARKS = {mark: mark for mark in MARKS} | {"b": "strong", "i": "em"}
#: What a whole caption is set in says nothing.
_PLAIN = frozenset({"small", "em", "cite"})
_CAPTION_NAME = re.compile(r"caption|description|legend", re.IGNORECASE)
_CREDIT = re.compile(
    r"(?<![a-z])(?:credits?|copy-?right(?:s|holder)?|copy|photo(?:grapher|by|credit)|source|attribution|"
    r"author|owner|quelle|urheber|fotograf|agency|courtesy|rights)(?![a-z]{3})",
    re.IGNORECASE,
)
_UNREAD = re.compile(
    r"toggle|visually-?hidden|sr-only|screen-?reader|(?:^|[\s_-])(?:btn|button|icon|zoom|expand|enlarge)(?:$|[\s_-])",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff\ufff9-\ufffc\ue000-\uf8ff\ud800-\udfff]"
)
_MAX_STYLE_LEVELS = 12
_INLINE = frozenset({"i", "em", "span", "cite", "b", "strong", "font", "div", "p"})
_PICTURE = r"photo(?:graph)?s?|pictures?|images?|fotos?|bild(?:er)?|graphics?|illustrations?|grafik"
_BEGINS = re.compile(
    rf"\W{{0,3}}(?:(?:{_PICTURE}|sources?|quellen?|fonte|fuente|credits?|crédits?|copyright|courtesy)"
    r"(?:\s(?:credits?|by|courtesy|of|source|via)){0,2}\s?[:：]|©|\(c\)\s|"
    rf"(?:{_PICTURE}) (?:by|courtesy|via) |写真|撮影|图片来源|图源|出典|来源|تصوير|фото[: ]|צילום)",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    rf"(?:[|(\[]|[–—-] |\. ) ?(?:{_PICTURE})(?: (?:credit|by|courtesy|via)| ?:)", re.IGNORECASE
)


class _Piece(NamedTuple):
    text: str
    marks: tuple[str, ...]
    href: str
    credit: bool


def is_credit_line(text: str) -> bool:
    """Tell whether a line says whose picture it is, and so that it is about a picture."""
    return bool(_BEGINS.match(text) or _INSIDE.search(text))


def read_caption(segments: Iterable[Segment], base: str) -> tuple[Spans, str]:
    """Return the spans of a caption, and its credit where markup sets that apart.

    A credit that stands alone is the caption.
    """
    pieces = list(_pieces(segments, base))
    words = [piece for piece in pieces if not piece.credit]
    credit = _fold("".join(piece.text for piece in pieces if piece.credit))
    if not any(re.search(r"\w", piece.text) for piece in words):
        words, credit = pieces, ""
    return _spans(words), credit.strip("|·•-–— ")


def _pieces(segments: Iterable[Segment], base: str) -> Iterator[_Piece]:
    for segment in segments:
        yield _Piece(" ", (), "", False)
        for element, tail in segment.leaves:
            text = (element.tail if tail else element.text) or ""
            node = element.getparent() if tail else element
            read = _styled(node, base)
            if read is not None and text:
                yield read._replace(text=_UNSEEN.sub("", text))


def _styled(node: HtmlElement | None, base: str) -> _Piece | None:
    """Return what the elements around a text say of it; None when it is not for reading."""
    marks: set[str] = set()
    href = ""
    credit: bool | None = None
    for _ in range(_MAX_STYLE_LEVELS):
        if node is None or node.tag in ("figure", "body"):
            break
        named = f"{node.get('class') or ''} {node.get('itemprop') or ''}"[:300]
        if node.tag == "button" or _UNREAD.search(named):
            return None
        if node.tag in _MARKS:
            marks.add(_MARKS[node.tag])
        if node.tag == "a" and not href:
            href = resolve(base, node.get("href") or "")
        if credit is None:
            credit = _says_credit(node, named)
        if node.tag == "figcaption":
            break
        node = node.getparent()
    ordered = tuple(mark for mark in MARKS if mark in marks)
    return _Piece("", ordered, href, bool(credit))


def _says_credit(node: HtmlElement, named: str) -> bool | None:
    """Tell whether an element holds a credit (True) or a caption (False); None: it does not say."""
    if _CAPTION_NAME.search(named) or node.tag == "figcaption":
        return False
    if _CREDIT.search(named) or node.tag == "small":
        return True
    if node.tag in _INLINE and _BEGINS.match((node.text or "").lstrip()[:80]):
        return True
    return None


def _spans(pieces: list[_Piece]) -> Spans:
    """Fold white space over all pieces and join those of one style."""
    shared = frozenset.intersection(
        *(frozenset(piece.marks) for piece in pieces if piece.text.strip())
    ) & _PLAIN if any(piece.text.strip() for piece in pieces) else frozenset()  # fmt: skip
    spans: list[Span] = []
    space = False
    for piece in pieces:
        text = _fold(piece.text)
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


def _fold(text: str) -> str:
    return " ".join(text.split())


#: CUTER: a caption has more characters than the first and at most the second.
CLIMB_CHARS = (30, 200)
#: CUTER climbs to 'a close ancestor'; the paper does not say how close.
CLIMB_LEVELS = 6

#: Joshi and Liu's block elements (section 4.2), and those that came into HTML since.
BLOCKS = frozenset(
    "div p br li ul ol td tr table h1 h2 h3 h4 h5 h6 hr "  # noqa: SIM905
    "body article section main aside header footer nav figure center dl dd blockquote".split()
)

_LEVELS = 7
_MOST_CHARS = 1200
_MOST_BARE = 200
_MOST_SEGMENTS = 8
_MOST_CLIMBED = 200

_CAPTION = re.compile(
    r"caption|(?<![a-z])(?:cap|legend[ae]?|bildunterschrift|bild-?text|didascalia|dida|pie-?de-?foto|"
    r"credits?|copyright|attribution|photo-?(?:text|desc\w{0,8})|image-?(?:desc\w{0,8}|text|title|meta)|"
    r"img-?(?:desc\w{0,8}|text)|subtitle-?img|fig-?text|byline-?img)(?![a-z])",
    re.IGNORECASE,
)
_NO_CAPTION = re.compile(
    r"recaptcha|closed-?caption|captions?-?(?:toggle|button|track)", re.IGNORECASE
)
_HEADING = int(ElementFlag.HEADING)


@dataclass(frozen=True, slots=True)
class Caption:
    """A caption, its credit where that stands apart, and the segments that they are."""

    spans: Spans = ()
    credit: str = ""
    segments: frozenset[int] = frozenset()

    @property
    def text(self) -> str:
        """The caption's text without the credit."""
        return plain_text(self.spans)


@lru_cache(4096)
def _names_caption(named: str) -> bool:
    return bool(_CAPTION.search(named)) and not _NO_CAPTION.search(named)


class CaptionFinder:
    """Finds the captions of a page's pictures."""

    def __init__(self, page: Page, verdict: Verdict, candidates: Sequence[Candidate]) -> None:
        self.page = page
        self.keep = verdict.keep
        outline = page.index
        self.elements, self.parents, self.states = outline.elements, outline.parents, outline.flags
        self.begins, self.ends, self.blocks = (
            outline.segment_begins,
            outline.segment_ends,
            outline.segment_blocks,
        )
        self.candidates = candidates

    @cached_property
    def pictures(self) -> Counter[int]:
        """How many pictures stand in each element, a few levels up from each."""
        found: Counter[int] = Counter()
        for candidate in self.candidates:
            found.update(islice(self._chain(candidate.index), _LEVELS + 2))
        return found

    def _chain(self, at: int) -> Iterator[int]:
        while at >= 0:
            yield at
            at = self.parents[at]

    def find(self, candidate: Candidate) -> Caption:
        """Return the caption that markup, names or the place of a text say is the picture's."""
        found = (
            self._figcaption(candidate)
            or self._described(candidate)
            or self._named(candidate)
            or self._bare(candidate)
        )
        if not found or sum(len(each.text) for each in found) > _MOST_CHARS:
            return Caption()
        spans, credit = read_caption(found, self.page.base)
        return Caption(spans, credit, frozenset(each.index for each in found))

    def _within(self, index: int) -> Sequence[Segment]:
        return self.page.segments[self.begins[index] : self.ends[index]]

    def _figcaption(self, candidate: Candidate) -> Sequence[Segment]:
        """Return the text of the ``figcaption`` of the nearest figure that has one."""
        for level, index in enumerate(self._chain(candidate.index)):
            if level > 2 * _LEVELS:
                break
            if self.elements[index].tag != "figure":
                continue
            for inner in self._below(index):
                if self.elements[inner].tag == "figcaption" and self._within(inner):
                    return self._within(inner)
            if self.ends[index] - self.begins[index] > _MOST_SEGMENTS:
                break
        return ()

    def _below(self, index: int) -> Iterator[int]:
        """Yield the elements inside one, in document order, a bounded number of them."""
        for inner in range(index + 1, min(index + 300, len(self.elements))):
            if self.parents[inner] < index:
                return
            yield inner

    def _described(self, candidate: Candidate) -> Sequence[Segment]:
        """Return the text that ``aria-describedby`` points to, of the picture or its figure."""
        for index in list(self._chain(candidate.index))[:3]:
            name = self.elements[index].get("aria-describedby")
            if not name or self.pictures[index] > 1:
                continue
            low = max(0, candidate.segment - _MOST_SEGMENTS)
            near = self.page.segments[low : candidate.segment + _MOST_SEGMENTS]
            found = [each for each in near if name in (each.block.get("id"), _above_id(each.block))]
            if found:
                return found
        return ()

    def _named(self, candidate: Candidate) -> Sequence[Segment]:
        """Return the text near the picture that stands in elements named as a caption."""
        before = candidate.segment
        for level, index in enumerate(self._chain(candidate.index)):
            if level > _LEVELS or (self.pictures[index] > 1 and level and self._reaches(index)):
                break
            low, high = max(self.begins[index], before - 1), min(self.ends[index], before + 4)
            found = [each for each in self.page.segments[low:high] if self._is_named(each, index)]
            if found:
                return found
            if self.ends[index] - self.begins[index] > 4 * _MOST_SEGMENTS:
                break
        return ()

    def _reaches(self, index: int) -> bool:
        """Tell whether an element reaches over the running text."""
        return self.ends[index] - self.begins[index] > 2

    def _is_named(self, segment: Segment, top: int) -> bool:
        index = self.blocks[segment.index]
        while index > top:
            element = self.elements[index]
            named = f"{element.get('class') or ''} {element.get('itemprop') or ''}"[:300]
            if _names_caption(named):
                return True
            index = self.parents[index]
        return False

    def _bare(self, candidate: Candidate) -> Sequence[Segment]:
        """Return a short text right after the picture that looks like a caption or stands alone."""
        place = candidate.segment
        if place >= len(self.page.segments):
            return ()
        segment = self.page.segments[place]
        if len(segment.text) > _MOST_BARE or self.states[self.blocks[place]] & _HEADING:
            return ()
        for level, index in enumerate(self._chain(candidate.index)):
            low, high = self.begins[index], self.ends[index]
            if level > 4:
                break
            if high <= place:
                continue
            if self.pictures[index] == 1 and low == place and high == place + 1:
                return [segment] if segment.link_chars < len(segment.text) else ()
            if self._follows(candidate, place) and (
                is_credit_line(segment.text) or self._is_styled(segment)
            ):
                return [segment]
            break
        return ()

    def _follows(self, candidate: Candidate, place: int) -> bool:
        """Tell whether a segment is the very next thing after a picture, with no other between."""
        end = min(self.blocks[place], candidate.index + 40)
        return not any(self.pictures[other] for other in range(candidate.index + 1, end))

    def _is_styled(self, segment: Segment) -> bool:
        """Tell whether all of a text is emphasised or small."""
        for element, tail in segment.leaves:
            text = element.tail if tail else element.text
            if not text or text.isspace():
                continue
            node: HtmlElement | None = element.getparent() if tail else element
            for _ in range(4):
                if node is None or node.tag in _SMALL_TAGS:
                    break
                node = node.getparent() if node is not segment.block else None
            if node is None or node.tag not in _SMALL_TAGS:
                return False
        return True


_SMALL_TAGS = frozenset({"em", "i", "small", "figcaption", "cite", "sub", "font"})


def _above_id(element: HtmlElement) -> str | None:
    above = element.getparent()
    return above.get("id") if above is not None else None


def climbed_caption(
    page: Page, verdict: Verdict, candidate: Candidate
) -> tuple[str, frozenset[int]]:
    """Return CUTER's caption and its segment (Adam et al., section IV).

    Climb from the picture to the ancestor that holds, after the picture, one text of more than 30
    characters and none of more than 200, and shares no other useful text.  Else the ``title`` or
    the ``alt`` attribute, whichever is longer, as the paper gives them no order.
    """
    outline = page.index
    least, most = CLIMB_CHARS
    index, level = candidate.index, 0
    while index >= 0 and level < CLIMB_LEVELS:
        inside = range(outline.segment_begins[index], outline.segment_ends[index])
        if len(inside) > _MOST_CLIMBED:
            break
        after = [i for i in inside if i >= candidate.segment]
        long = [i for i in after if len(page.segments[i].text) > least]
        others = [i for i in inside if verdict.keep[i] and i not in long[:1]]
        if len(long) > 1 or others or any(len(page.segments[i].text) > most for i in long):
            break
        if long:
            return page.segments[long[0]].text, frozenset(long)
        index, level = outline.parents[index], level + 1
    return max(candidate.title, candidate.alt, key=len), frozenset()


def block_caption(page: Page, candidate: Candidate) -> range:
    """Return the segments of the picture's first block ancestor (Joshi and Liu).

    Blocks that hold no text, as pages now wrap their pictures in, are passed over.
    """
    outline = page.index
    index = candidate.index
    while index > 0 and (
        outline.elements[index].tag not in BLOCKS
        or outline.segment_begins[index] == outline.segment_ends[index]
    ):
        index = outline.parents[index]
    return range(outline.segment_begins[index], outline.segment_ends[index])
