"""Drop what remains of parts of a page that were left out: bylines, headings, labels of code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, pairwise

from ..html.index import Segment
from ..html.metadata.bylines import BYLINE
from ..html.page import Page
from ..html.visibility import HEADING_TAGS
from ..i18n import fold_words, load_table

_BYLINE_CHARS = 100
_CODE_LABEL_CHARS = 30
#: Elements that are pictures, or are printed as such.
_PICTURE_TAGS = frozenset({"img", "picture", "video", "iframe", "object"})
#: The most characters of a heading that may have been left without its section.
_HEADING_CHARS = 40


def drop_remains(page: Page, keep: list[bool], kind: str) -> None:
    """Remove the remains of parts that were left out from a selection.

    Args:
        page: The page.
        keep: The selected segments.
        kind: The kind of the page.
    """
    segments = page.segments
    dropped = [*_partial_bylines(segments, keep), *_code_labels(segments)]
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


def _empty_sections(page: Page, keep: Sequence[bool]) -> Iterable[Segment]:
    """Yield the headings whose sections were left out, if most alike have text below them.

    If most have none, they are the entries of a list.  A picture may be all of a section.
    """
    segments, blocks = page.segments, page.index.segment_blocks
    by_shape: dict[tuple[str, str], list[tuple[Segment, bool]]] = {}
    headings = [s.index for s in segments if keep[s.index] and s.block.tag in HEADING_TAGS]
    for position, following in pairwise([*headings, len(segments)]):
        block = segments[position].block
        ends_section = following == len(segments) or segments[following].block.tag <= block.tag
        is_short = len(segments[position].text) <= _HEADING_CHARS
        is_empty = ends_section and following > position + 1 and is_short
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
        # A heading is not a label: 'Synopsis' above code with a class of that name.
        is_short = len(segment.text) <= _CODE_LABEL_CHARS
        if language is None or not is_short or segment.block.tag in HEADING_TAGS:
            language = None
            continue
        words = fold_words(segment.text).split()
        if words and all(word in language or word in actions for word in words):
            yield segment
        else:
            language = None
