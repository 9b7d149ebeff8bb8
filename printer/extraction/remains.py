"""Drop what is left of parts of a page that were left out, and copies for other screens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from lxml.html import HtmlElement

from ..html.index import Segment
from ..html.metadata.bylines import BYLINE
from ..html.page import Page
from ..i18n import fold_words, page_labels
from ..text import SCENE_BREAK

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
#: The longest byline, in characters.
_BYLINE_CHARS = 100
#: The fewest lines of a table's copy, and the longest one, in characters.
_COPIED_LINES, _COPIED_CHARS = 6, 150
#: The largest share of the text after the last break that may be selected to be dropped, and of
#: the selected text that may be so.
_LEFT_OVER, _TAIL = 0.6, 0.3
#: The most characters of a heading of filters, and of an option.
_OPTION_CHARS = 40


def drop_remains(page: Page, keep: list[bool], kind: str) -> None:
    """Remove from a selection what is left of parts that were left out.

    Args:
        page: The page.
        keep: The selected segments.
        kind: The kind of the page.
    """
    segments = page.segments
    found = [*_partial_bylines(segments, keep), *_table_copies(page, keep)]
    found += _after_last_break(segments, keep) if kind == "article" else _filters(segments, keep)
    for segment in found:
        keep[segment.index] = False


def _partial_bylines(segments: Sequence[Segment], keep: Sequence[bool]) -> Iterable[Segment]:
    """Return the bylines of cards or reviews of which most were left out."""
    alike: dict[tuple[str, str], list[Segment]] = {}
    for segment in segments:
        if len(segment.text) <= _BYLINE_CHARS and BYLINE.match(segment.text):
            shape = str(segment.block.tag), segment.block.get("class") or ""
            alike.setdefault(shape, []).append(segment)
    for bylines in alike.values():
        chosen = [segment for segment in bylines if keep[segment.index]]
        if 2 * len(chosen) < len(bylines):
            yield from chosen


def _table_copies(page: Page, keep: Sequence[bool]) -> Iterable[Segment]:
    """Yield the lines beside a table that only repeat its cells, as for small screens."""
    index, segments = page.index, page.segments
    gone: set[int] = set()
    for at, tag in enumerate(index.tags):
        begin, end = index.segment_begins[at], index.segment_ends[at]
        if tag != "table" or end - begin < _COPIED_LINES or not all(keep[begin:end]):
            continue
        if begin in gone:
            continue
        cells = Counter(segment.text for segment in segments[begin:end])
        words = frozenset(word for text in cells for word in text.split())
        for side in (segments[end:], segments[:begin][::-1]):
            copied: list[Segment] = []
            for segment in side:
                is_copy = len(segment.text) <= _COPIED_CHARS and words.issuperset(
                    segment.text.split()
                )
                if not is_copy:
                    break
                copied.append(segment)
            repeated = sum(segment.text in cells for segment in copied)
            if len(copied) >= _COPIED_LINES and repeated and 2 * len(copied) >= len(cells):
                gone.update(segment.index for segment in copied)
                yield from copied


def _after_last_break(segments: Sequence[Segment], keep: Sequence[bool]) -> Sequence[Segment]:
    """Return what is selected of the text after the last row of signs, if most of that is not."""
    breaks = (s.index for s in reversed(segments) if SCENE_BREAK.fullmatch(s.text))
    at = next(breaks, len(segments))
    if not 0 < at < len(segments):
        return ()
    parent = segments[at].block.getparent()
    after = [segment for segment in segments[at + 1 :] if segment.block.getparent() is parent]
    rest = [segment for segment in segments[at + 1 :] if keep[segment.index]]
    size, total = (sum(len(s.text) for s in part) for part in (rest, after))
    text = sum(len(segment.text) for segment in segments if keep[segment.index])
    return rest if 0 < size <= _LEFT_OVER * total and size <= _TAIL * text else ()


def _filters(segments: Sequence[Segment], keep: Sequence[bool]) -> Iterable[Segment]:
    """Yield the headings of a shop's filters, whose options were left out."""
    labels = page_labels("filters")
    for at, segment in enumerate(segments):
        if not (keep[at] and len(segment.text) <= _OPTION_CHARS):
            continue
        if segment.block.tag not in _HEADINGS or fold_words(segment.text) not in labels:
            continue
        yield segment
        first: HtmlElement | None = None
        for below in range(at + 1, len(segments) - 1):
            option = segments[below]
            if len(option.text) > _OPTION_CHARS:
                break
            if keep[below]:
                first = option.block if first is None else first
                if keep[below + 1] or not _are_alike(first, option.block):
                    break
                yield option


def _are_alike(first: HtmlElement, other: HtmlElement) -> bool:
    """Return whether two elements are headings of the same tag and class."""
    is_heading = first.tag == other.tag and first.tag in _HEADINGS
    return is_heading and first.get("class") == other.get("class")
