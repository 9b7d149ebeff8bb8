"""Further pictures of a thing that a shop lists with its price: of its back, or in other colors."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from unicodedata import category

from lxml.html import HtmlElement

from ..html.index import BLOCK_TAGS
from ..html.page import Page
from .selection import PictureSelection, RejectedPicture, SelectedPicture

#: The fewest things that a shop lists, the most levels from a picture up to its entry, and the most
#: characters of an entry with its buttons.
_MIN_ENTRIES, _MAX_LEVELS, _MAX_CHARS = 3, 10, 400


def drop_further_views(page: Page, selection: PictureSelection) -> PictureSelection:
    """Return a selection with only the first picture of each thing of a list with prices."""
    around = {p: _find_entry(page, p.candidate.element) for p in selection.selected}
    found = {entry for entry in around.values() if entry is not None}
    kinds = Counter(map(_kind, found))
    entries = {entry for entry in found if kinds[_kind(entry)] >= _MIN_ENTRIES}
    printed_entries: set[HtmlElement] = set()
    further: set[SelectedPicture] = set()
    for picture, entry in around.items():
        if entry is not None and entry in entries:
            # A price beside a choice of colors is inside the entry with the name.
            entry = next((e for e in reversed(list(entry.iterancestors())) if e in entries), entry)
            if entry in printed_entries:
                further.add(picture)
            printed_entries.add(entry)
    if not further:
        return selection
    rejected = (
        RejectedPicture(picture.candidate, "another picture of the same thing")
        for picture in selection.selected
        if picture in further
    )
    return replace(
        selection,
        selected=tuple(picture for picture in selection.selected if picture not in further),
        rejected=(*selection.rejected, *rejected),
    )


def _find_entry(page: Page, element: HtmlElement) -> HtmlElement | None:
    """Return the closest element around a picture that names a price, if it has few words."""
    index = page.index
    for ancestor in islice(element.iterancestors(*BLOCK_TAGS), _MAX_LEVELS):
        position = index.indexes.get(ancestor)
        if position is None:
            return None
        segments = page.segments[index.segment_begins[position] : index.segment_ends[position]]
        if sum(len(segment.text) for segment in segments) > _MAX_CHARS:
            return None
        if any(category(sign) == "Sc" for segment in segments for sign in segment.text):
            return ancestor
    return None


def _kind(element: HtmlElement) -> tuple[str, str]:
    """Return the tag and the first class, which the entries of a list share."""
    return str(element.tag), (element.get("class") or "")[:200].partition(" ")[0]
