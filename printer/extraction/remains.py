"""Drop what is left of parts of a page that were left out, and copies for other screens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from operator import attrgetter

from lxml.html import HtmlElement

from ..html.index import Segment
from ..html.metadata.bylines import BYLINE
from ..html.page import Page
from ..i18n import fold_words, load_table, page_labels
from ..text import SCENE_BREAK

_HEADING_TAGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
#: The longest byline, in characters.
_BYLINE_CHARS = 100
#: The fewest lines of a table's copy, and the longest one, in characters.
_COPIED_LINES, _COPIED_CHARS = 6, 150
#: The largest share of the text after the last break that may be selected to be dropped, and of
#: the selected text that may be so.
_MAX_SELECTED_SHARE, _MAX_TAIL_SHARE = 0.6, 0.3
#: The most characters of a label above code.
_CODE_LABEL_CHARS = 30
#: Elements that are pictures, or are printed as such.
_PICTURE_TAGS = frozenset({"img", "picture", "video", "iframe", "object"})
#: The most characters of a short heading, and of an option of a filter.
_OPTION_CHARS = 40


def drop_remains(page: Page, keep: list[bool], kind: str) -> None:
    """Remove from a selection what is left of parts that were left out.

    Args:
        page: The page.
        keep: The selected segments.
        kind: The kind of the page.
    """
    segments = page.segments
    dropped = [
        *_partial_bylines(segments, keep),
        *_table_copies(page, keep),
        *_code_labels(segments),
    ]
    if kind == "article":
        dropped += _after_last_break(segments, keep)
    else:
        dropped += _filter_headings(segments, keep)
    if kind == "product":
        dropped += _empty_sections(page, keep)
    for segment in dropped:
        keep[segment.index] = False


def _partial_bylines(segments: Sequence[Segment], keep: Sequence[bool]) -> Iterable[Segment]:
    """Return the bylines of cards or reviews of which most were left out."""
    by_shape: dict[tuple[str, str], list[Segment]] = {}
    for segment in segments:
        if len(segment.text) <= _BYLINE_CHARS and BYLINE.match(segment.text):
            shape = str(segment.block.tag), segment.block.get("class") or ""
            by_shape.setdefault(shape, []).append(segment)
    for bylines in by_shape.values():
        selected = [segment for segment in bylines if keep[segment.index]]
        if 2 * len(selected) < len(bylines):
            yield from selected


def _table_copies(page: Page, keep: Sequence[bool]) -> Iterable[Segment]:
    """Yield the lines beside a table that repeat its cells in their order, as for small screens."""
    index, segments = page.index, page.segments
    dropped: set[int] = set()
    for table, tag in enumerate(index.tags):
        start, end = index.segment_begins[table], index.segment_ends[table]
        if tag != "table" or end - start < _COPIED_LINES or not all(keep[start:end]):
            continue
        rows = [i for i in range(table, index.subtree_ends[table]) if index.tags[i] == "tr"]
        if start in dropped or len(rows) < 2:
            continue
        words = frozenset(_words(segments[start:end]))
        body = _words(segments[index.segment_begins[rows[1]] : end])
        for direction in (range(end, len(segments)), range(start - 1, -1, -1)):
            copied: list[Segment] = []
            for segment in map(segments.__getitem__, direction):
                is_copy = len(segment.text) <= _COPIED_CHARS and words.issuperset(
                    segment.text.split()
                )
                if not is_copy:
                    break
                copied.append(segment)
            copied.sort(key=attrgetter("index"))
            copied_words = iter(_words(copied))
            if len(copied) >= _COPIED_LINES and all(word in copied_words for word in body):
                dropped.update(segment.index for segment in copied)
                yield from copied


def _words(segments: Iterable[Segment]) -> list[str]:
    return [word for segment in segments for word in segment.text.split()]


def _after_last_break(segments: Sequence[Segment], keep: Sequence[bool]) -> Sequence[Segment]:
    """Return what is selected of the text after the last row of signs, if most of that is not."""
    breaks = (s.index for s in reversed(segments) if SCENE_BREAK.fullmatch(s.text))
    last_break = next(breaks, len(segments))
    if not 0 < last_break < len(segments):
        return ()
    parent = segments[last_break].block.getparent()
    siblings = [
        segment for segment in segments[last_break + 1 :] if segment.block.getparent() is parent
    ]
    selected = [segment for segment in segments[last_break + 1 :] if keep[segment.index]]
    size, total = (sum(len(s.text) for s in part) for part in (selected, siblings))
    text = sum(len(segment.text) for segment in segments if keep[segment.index])
    return (
        selected
        if 0 < size <= _MAX_SELECTED_SHARE * total and size <= _MAX_TAIL_SHARE * text
        else ()
    )


def _filter_headings(segments: Sequence[Segment], keep: Sequence[bool]) -> Iterable[Segment]:
    """Yield the headings of a shop's filters, whose options were left out."""
    labels = page_labels("filters")
    for i, segment in enumerate(segments):
        if not (keep[i] and len(segment.text) <= _OPTION_CHARS):
            continue
        if segment.block.tag not in _HEADING_TAGS or fold_words(segment.text) not in labels:
            continue
        yield segment
        first: HtmlElement | None = None
        for j in range(i + 1, len(segments) - 1):
            option = segments[j]
            if len(option.text) > _OPTION_CHARS:
                break
            if keep[j]:
                first = option.block if first is None else first
                if keep[j + 1] or not _are_similar_headings(first, option.block):
                    break
                yield option


def _are_similar_headings(one: HtmlElement, other: HtmlElement) -> bool:
    """Return whether two elements are headings of the same tag and class."""
    is_heading = one.tag == other.tag and one.tag in _HEADING_TAGS
    return is_heading and one.get("class") == other.get("class")


def _empty_sections(page: Page, keep: Sequence[bool]) -> Iterable[Segment]:
    """Yield the headings whose sections were left out, if most alike have text below them.

    If most have none, they are the entries of a list.  A picture may be all of a section.
    """
    segments, blocks = page.segments, page.index.segment_blocks
    by_shape: dict[tuple[str, str], list[tuple[Segment, bool]]] = {}
    headings = [s.index for s in segments if keep[s.index] and s.block.tag in _HEADING_TAGS]
    for position, following in pairwise([*headings, len(segments)]):
        block = segments[position].block
        ends_section = following == len(segments) or segments[following].block.tag <= block.tag
        is_empty = (
            ends_section
            and following > position + 1
            and len(segments[position].text) <= _OPTION_CHARS
        )
        is_empty = is_empty and not any(keep[position + 1 : following])
        if is_empty:
            subtree_end = blocks[following] if following < len(segments) else len(page.index.tags)
            is_empty = _PICTURE_TAGS.isdisjoint(page.index.tags[blocks[position] : subtree_end])
        shape = str(block.tag), block.get("class") or ""
        by_shape.setdefault(shape, []).append((segments[position], is_empty))
    for headings_alike in by_shape.values():
        empty = [heading for heading, is_empty in headings_alike if is_empty]
        if 2 * len(empty) < len(headings_alike):
            yield from empty


def _code_labels(segments: Sequence[Segment]) -> Iterable[Segment]:
    """Yield the lines above code that only name its language or a button to copy it."""
    actions = load_table("page_furniture")["action_words"]
    language = None  # the names on the code below, None if something else is below
    for segment in reversed(segments):
        if segment.block.tag == "pre":
            parts = segment.block.iter("pre", "code")
            names = " ".join(part.get("class") or "" for part in islice(parts, 2))
            language = set(fold_words(names).split())
            continue
        # A heading is none: 'Synopsis' above code of a class of that name.
        is_short = len(segment.text) <= _CODE_LABEL_CHARS
        if language is None or not is_short or segment.block.tag in _HEADING_TAGS:
            language = None
            continue
        words = fold_words(segment.text).split()
        if words and all(word in language or word in actions for word in words):
            yield segment
        else:
            language = None
