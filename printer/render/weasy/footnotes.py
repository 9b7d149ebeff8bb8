"""Placement of footnotes, each on the page of its call.

WeasyPrint lays out notes line by line while it fills a page, and moves those that no longer fit to
the next page.  It also forgets some in tables and columns.  So after the layout of a page, the
notes that it calls are compared with those at its foot.  If they differ, the page is laid out again
with the notes set first and the text in the room that is left: with the fewest notes such that the
page calls no others.  With fewer notes, there is more room for text and thus for calls.

WeasyPrint lays out all notes of a page again for each one; here, each is laid out once, because
notes are set below each other without margins.

This relies on the notes that ``make_page`` sets before its text, as they were reported by the page
before it (see :mod:`.patches`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any

from .box_tree import Box

_ALL_NOTES = "_webprint_notes"
_PLACED_NOTES = "_webprint_placed_notes"
#: The attribute of a layout context with the heights of notes, by note and width of the page.
_HEIGHTS = "_webprint_note_heights"


def place_footnotes_on_page(
    original: Callable[..., tuple[Box, Any]], index: int, context: Any, root: Box, html: Any
) -> tuple[Box, Any]:
    """Lay out a page with exactly the notes that it calls."""
    if not hasattr(context, _ALL_NOTES):
        setattr(context, _ALL_NOTES, list(context.footnotes))
        setattr(context, _PLACED_NOTES, {})
        setattr(context, _HEIGHTS, {})
    if not getattr(context, _ALL_NOTES):
        return original(index, context, root, html)
    return _NotesOfPage(original, index, context, root, html).lay_out()


MAX_TRIES = 8
_RESERVED_NOTES = "_webprint_reserved_notes"


class _NotesOfPage:
    """The layouts of one page with different notes."""

    def __init__(
        self, original: Callable[..., tuple[Box, Any]], index: int, context: Any, *arguments: Any
    ) -> None:
        self.original = original
        self.index = index
        self.context = context
        self.arguments = arguments
        self.broken_out_of_flow = dict(context.broken_out_of_flow)
        placed = getattr(context, _PLACED_NOTES)
        self.placed = {id(note) for page in range(index) for note in placed.get(page, ())}
        self.pending = [
            note for note in getattr(context, _ALL_NOTES) if id(note) not in self.placed
        ]

    def lay_out(self) -> tuple[Box, Any]:
        """Return the page and where the next one begins."""
        page, next_page = self._lay_out(self.pending, ())  # as WeasyPrint places the notes
        called = self._find_called_notes(page)
        if sorted(map(id, called)) == sorted(map(id, self.context.current_page_footnotes)):
            notes = called
        else:
            page, next_page, notes = self._lay_out_notes_first()
        getattr(self.context, _PLACED_NOTES)[self.index] = notes
        self.context.footnotes, self.context.reported_footnotes = [], []
        return page, next_page

    def _lay_out_reserving(self, notes: Sequence[Box]) -> tuple[Box, Any, list[Box]]:
        """Lay out the page with these notes set first; return the notes that it calls, too."""
        page, next_page = self._lay_out([], notes)
        return page, next_page, self._find_called_notes(page)

    def _lay_out(self, free: Sequence[Box], reserved: Sequence[Box]) -> tuple[Box, Any]:
        context = self.context
        context.broken_out_of_flow = dict(self.broken_out_of_flow)
        context.footnotes, context.reported_footnotes = list(free), []
        setattr(context, _RESERVED_NOTES, reserved)
        lay_out_note, last = context.layout_footnote, reserved[-1] if reserved else None

        def lay_out_footnote(note: Box) -> bool:
            lay_out_note(note)
            if note is last:
                # The notes stay in the area, and are out of reach of lines that do not fit.
                context.current_page_footnotes = []
            # Whether the area overflows: it has no limit, but lengths are rounded.
            return False

        update_area = context._update_footnote_area
        context._update_footnote_area = lambda: _update_area(context, update_area)
        context.layout_footnote = lay_out_footnote
        if not free:
            # Lines that are taken back would take their notes with them.
            context.unlayout_footnote = lambda _: None
        try:
            return self.original(self.index, context, *self.arguments)
        finally:
            vars(context).pop("unlayout_footnote", None)
            del context.layout_footnote, context._update_footnote_area
            setattr(context, _RESERVED_NOTES, ())

    def _find_called_notes(self, page: Box) -> list[Box]:
        """Return the notes called on a page, in document order, each number once."""
        called = {id(box.footnote) for box in page.children[0].descendants() if box.footnote}
        notes: dict[Any, Box] = {}
        for note in self.pending:
            if id(note) in called:
                notes.setdefault(_note_key(note.element), note)
        return list(notes.values())

    def _lay_out_notes_first(self) -> tuple[Box, Any, list[Box]]:
        """Lay out the page with the fewest notes such that it calls no others."""
        candidates = self._lay_out_reserving(())[2]
        best = self._lay_out_reserving(candidates)
        next_page = self._next_page()
        max_count, failed_count = len(candidates), -1
        for _ in range(MAX_TRIES):
            # The page with the most notes has room for these; with fewer, it may call more.
            count = max(len(best[2]), failed_count + 1)
            if count >= max_count:
                break
            layout = self._lay_out_reserving(candidates[:count])
            if all(note in candidates[:count] for note in layout[2]):
                best, next_page, max_count = layout, self._next_page(), count
            else:
                failed_count = count
        self.context.page_maker[self.index + 1] = next_page
        page, _, called = best
        _remove_notes(page, [note for note in candidates if note not in called])
        return best

    def _next_page(self) -> Any:
        """Return the beginning of the next page according to the last layout."""
        return self.context.page_maker[self.index + 1]


def _update_area(context: Any, original: Callable[[], bool]) -> bool:
    """Set the height of a page's footnotes and the end of its text; return if they overflow."""
    area, notes = context.current_footnote_area, context.current_page_footnotes
    sides = ("margin_top", "margin_bottom")
    has_limit = area.style["height"] != "auto" or area.style["max_height"].value != inf
    if has_limit or any(note.style[side].value for note in notes for side in sides):
        return original()
    height = sum(_measure(context, area, note) for note in notes)
    if area.height != "auto" and not context.in_column:
        context.page_bottom += area.margin_height()
    area.children, area.height = notes, height
    if not context.in_column:
        context.page_bottom -= area.margin_height()
    return False


def _measure(context: Any, area: Box, note: Box) -> float:
    """Return the height of a note, which is laid out on first use."""
    from weasyprint.formatting_structure import build
    from weasyprint.layout.block import block_level_layout

    heights: dict[tuple[int, float], float] = getattr(context, _HEIGHTS)
    key = id(note), area.page.width
    if key not in heights:
        alone = area.deepcopy()
        alone.children = [note.deepcopy()]
        area_box = block_level_layout(
            context, build.create_anonymous_boxes(alone), -inf, None, area.page
        )[0]
        heights[key] = area_box.height
    return heights[key]


def reserve_notes(original: Callable[..., Any], context: Any, *args: Any) -> Any:
    """Make a page with reserved notes, as if the previous page had reported them."""
    if reserved := getattr(context, _RESERVED_NOTES, ()):
        context.reported_footnotes = list(reserved)
    return original(context, *args)


def report_notes(original: Callable[..., None], context: Any, height: float) -> None:
    """Report the notes of columns that fit above a height, not one more than there are."""
    count = len(context.current_page_footnotes)
    try:
        original(context, height)
    except IndexError:
        # They have been reported from the last one on.
        context.reported_footnotes[-count:] = context.reported_footnotes[-count:][::-1]


def _note_key(element: Any) -> Any:
    """Return what identifies a note: the number of its link, or itself."""
    return element.get("data-number") or id(element)


def _remove_notes(page: Box, notes: Iterable[Box]) -> None:
    """Remove notes from the foot of a page, and lower the rest."""
    area = page.children[1]
    removed = {id(note.element) for note in notes}
    remaining = [child for child in area.children if id(child.element) not in removed]
    y = area.content_box_y()
    for child in remaining:
        child.translate(dy=y - child.position_y)
        y += child.margin_height()
    lost = area.content_box_y() + area.height - y
    area.children, area.height = remaining, area.height - lost
    area.translate(dy=lost)


def count_misplaced(pages: Iterable[Any]) -> int:
    """Count the notes that are not on the page of their first call."""
    earlier: set[Any] = set()
    misplaced = 0
    for page in pages:
        root, *areas = page._page_box.children
        elements = (box.element for area in areas for box in area.descendants())
        printed = {_note_key(element) for element in elements if element is not None}
        called = {box.footnote.element for box in root.descendants() if box.footnote} - earlier
        misplaced += len({_note_key(element) for element in called} - printed)
        earlier |= called
    return misplaced
