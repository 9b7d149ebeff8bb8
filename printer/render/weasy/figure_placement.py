"""Placement of large pictures, which are moved or shrunk to avoid gaps at the foot of pages.

WeasyPrint has no floating figures: one that does not fit on a page begins the next page and leaves
a gap.  So after the layout of a page, a figure that begins the next page is shrunk or moved, in the
steps of ``_PageFiller._try_next``, and the page is laid out again.  A change that does not fill the
page better is undone.  A figure is never moved past a heading, a list or a line that introduces it.
The largest picture of a page is shrunk by up to 30 % if that saves a last page of a few lines.
Pictures of one width remain about equally wide unless a page would be left blank.

If a list, a table, a stanza, code or a box that is kept whole does not quite fit, the spaces on the
page are reduced.  It may be broken between its items, rows or lines if it would leave a large gap,
or else separated from its lead-in.  A table on a rotated page is moved after text until the page
before it is full, past headings if it has none of its own.  The result depends only on the
document.

This relies on ``remake_page`` (see :mod:`.patches`), on the tree of boxes, and on the skip stack
that says where the next page begins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple, TypeAlias

from ..markup import HEADINGS
from .box_tree import (
    MIN_LINES,
    UNBREAKABLE_TAGS,
    Box,
    Change,
    allow_breaks,
    captions_height,
    divided_paragraph,
    foot_of,
    has_class,
    has_tag,
    is_announcement,
    is_beside,
    is_embed,
    is_figure,
    is_shrunk,
    line_height,
    margins_of,
    measure_gap,
    pictures_of,
    scale_figure,
    spaces_between,
    split_paragraph,
    text_height,
)

#: Where a page begins in the tree: ``{index of child: {index of its child: None}}``.
SkipStack: TypeAlias = "dict[int, Any] | None"

MIN_SCALE = 0.7
#: The pixels added to an estimated height.
SLACK_PX = 8.0
TEXT_TAGS = ("p", "ul", "ol", "blockquote", "dl", "pre")
#: The elements that a figure may be moved before.
PROSE_TAGS = TEXT_TAGS[:-1]
#: The elements that a figure may be moved after: not lists, which belong to the text above.
PASSED_TAGS = ("p", "blockquote")
# Attributes of a document.
_RELAYOUTS = "_webprint_relayouts"
_UNBROKEN_PAGE = "_webprint_unbroken_page"
#: The attribute of a picture as wide as at least ``MIN_SERIES`` pictures of the document.
_IN_SERIES = "data-series"
MIN_SERIES = 3
#: The smallest scale of such a picture, unless there is a gap above ``LARGE_GAP``.
SERIES_SCALE = 0.75
MAX_TRIES = 10
MAX_RELAYOUTS = 400


def enable(html: Any, *, unbroken_page: int = -1) -> None:
    """Enable figure placement for a document.

    Blocks that are kept whole may be broken to fill a page, except the one at ``unbroken_page``.
    """
    setattr(html, _RELAYOUTS, 0)
    setattr(html, _UNBROKEN_PAGE, unbroken_page)
    pictures = list(html.etree_element.iter("img"))
    counts = Counter(picture.get("width") for picture in pictures)
    for picture in pictures:
        if counts[picture.get("width")] >= MIN_SERIES:
            picture.set(_IN_SERIES, "")


def place_figures_on_page(
    original: Callable[..., tuple[Box, SkipStack]], index: int, context: Any, root: Box, html: Any
) -> tuple[Box, SkipStack]:
    """Lay out a page, and again while placing the next figure differently fills it better."""
    if not hasattr(html, _RELAYOUTS):
        return original(index, context, root, html)
    # The parts of the context that are consumed by the layout of a page.
    footnotes = list(context.footnotes)
    reported_footnotes = list(context.reported_footnotes)
    broken_out_of_flow = dict(context.broken_out_of_flow)
    page, next_page = original(index, context, root, html)
    filler = _PageFiller(root, may_break=index != getattr(html, _UNBROKEN_PAGE))
    for _ in range(MAX_TRIES):
        relayouts = getattr(html, _RELAYOUTS)
        if relayouts >= MAX_RELAYOUTS or not filler.improve(page, next_page):
            break
        setattr(html, _RELAYOUTS, relayouts + 1)
        context.footnotes = list(footnotes)
        context.reported_footnotes = list(reported_footnotes)
        context.broken_out_of_flow = dict(broken_out_of_flow)
        page, next_page = original(index, context, root, html)
    return page, next_page


@dataclass(frozen=True, slots=True)
class _Place:
    """A figure or a kept block at the top of the next page, possibly after headings.

    ``start`` is the index of the first of these in ``parent``, ``index`` that of the figure, both
    before any change; ``gap`` and ``height`` are the heights of the gap before them and of the
    page; ``outside`` are the texts before the item of a list with the figure that are not
    separated from it.
    """

    figure: Box
    parent: Box
    start: int
    index: int
    gap: float
    height: float
    outside: tuple[Box, ...] = ()


#: Shares of the height of the page.
MIN_GAP = 0.1
LARGE_GAP = 0.15
#: The gap above which a table is divided although a page gets one or two of its rows.
VERY_LARGE_GAP = 0.2
#: The scale to which a picture is shrunk first of all.
SLIGHT_SCALE = 0.85
#: The smallest scale, used only to fill a gap above ``LARGE_GAP``.
LAST_SCALE = 0.45
#: The smallest scale of all pictures of a page to fill such a gap.
ALL_SCALE = 0.5
#: The smallest scale of a picture before it is parted from the heading or lead-in above it.
LED_SCALE = 0.55


class _Division(NamedTuple):
    """A paragraph moved before figures, to be divided around them, else undone if required."""

    text: Box
    figures: int
    is_required: bool


class _Step(NamedTuple):
    """A change of the tree that may fill a page; it returns whether it changed anything."""

    name: str
    change: Callable[[], bool]


_MOVE_TEXT_UP = "move text up"


class _PageFiller:
    """The changes of the tree that are tried to fill one page."""

    def __init__(self, root: Box, *, may_break: bool) -> None:
        self._root = root
        self._may_break = may_break
        self._tried: set[tuple[int, str]] = set()
        self._change = Change()
        self._before: _Place | None = None
        self._to_divide: _Division | None = None
        self._divided: set[int] = set()
        self._indivisible: set[int] = set()
        self._moves: list[tuple[_Place, Change]] = []
        self._shrank_last = False

    def improve(self, page: Box, next_page: SkipStack) -> bool:
        """Change the tree to fill the page better; return whether it was changed."""
        if self._shrank_last:
            return bool(next_page) and self._change.undo()
        place, before = _find_first_figure(page, self._root, next_page), self._before
        if before and self._to_divide:
            division, self._to_divide = self._to_divide, None
            if _move_into_text(page, before.parent, division, self._change):
                self._divided.add(id(before.figure))
                return True
            if division.is_required:
                place = before
                self._indivisible.add(id(division.text.element))
        undone = False
        if place and before and place.figure is before.figure and place.gap >= before.gap - 1:
            undone = self._change.undo()
            place = before if undone else place
            if self._moves and self._moves[-1][1] is self._change:
                self._moves.pop()
        self._before, self._change = place, Change()
        if place is None and not undone:
            self._shrank_last = _shrink_for_last_lines(page, self._root, next_page, self._change)
            return self._shrank_last
        return (place is not None and self._try_next(page, place, undone=undone)) or undone

    def _try_next(self, page: Box, place: _Place, *, undone: bool) -> bool:
        """Try the steps not yet tried for this figure; moving text may be repeated if it helped."""
        if _is_rotated(place.figure):
            return not undone and _move_rotated_table_after_text(page, place, self._change)
        if place.gap < MIN_GAP * place.height:
            return False
        if not undone:
            self._tried.discard((id(place.figure), _MOVE_TEXT_UP))
        for name, step in self._steps_for(page, place):
            key = id(place.figure), name
            if key not in self._tried:
                self._tried.add(key)
                if step():
                    if name == _MOVE_TEXT_UP:
                        self._moves.append((place, self._change))
                    return True
        return False

    def _steps_for(self, page: Box, place: _Place) -> list[_Step]:
        """Return the changes to try, in this order, each with its name."""
        figure = place.figure
        if not is_figure(figure):
            return self._steps_for_block(page, place)
        unmove = _Step("shrink instead", lambda: self._shrink_instead_of_moving_text(page, place))
        if id(figure) in self._divided:
            return [unmove]
        move_text = _Step(_MOVE_TEXT_UP, lambda: self._move_text_before_figure(page, place))
        if is_beside(figure):  # It is small, and text is to be beside it.
            return [move_text]
        if _is_labeled(figure):  # Its texts keep their place among the others.
            is_below_row = place.index and _is_labeled(place.parent.children[place.index - 1])
            return [] if is_below_row else [move_text]
        shrink = partial(_shrink, page, place, self._change)
        steps = [
            _Step("shrink slightly", lambda: shrink(SLIGHT_SCALE)),
            move_text,
            _Step("shrink", lambda: shrink(_min_scale(figure, MIN_SCALE))),
            _Step("move up", lambda: _move_before_text(page, place, self._change)),
        ]
        shrink_all = _Step("shrink all", lambda: _shrink_all(page, place, self._change))
        is_large = place.gap > LARGE_GAP * place.height
        if place.start < place.index:  # Below a heading or a lead-in.
            led = _Step("shrink led", lambda: shrink(_min_scale(figure, LED_SCALE)))
            steps = [led, *([shrink_all] if is_large else []), *steps]
        if not is_large:
            return steps
        steps += [shrink_all, _Step("shrink most", lambda: shrink(LAST_SCALE))]
        if self._may_break:
            split = partial(self._move_text_before_figure, page, place, may_break=True)
            steps.append(_Step("split text", split))
        return [
            *steps,
            unmove,
            _Step("shrink with room", lambda: shrink(LAST_SCALE, 2)),
            _Step("leave lead-in", lambda: _release_lead(page, place, self._change)),
            _Step("leave heading", lambda: _release_heading(page, place, self._change)),
        ]

    def _steps_for_block(self, page: Box, place: _Place) -> list[_Step]:
        """Return the changes to try for a list, a table, code or a box that is kept whole."""
        block, change = place.figure, self._change
        tighten = _Step("tighten", lambda: _tighten(page, place, change))
        if not self._may_break or place.gap <= LARGE_GAP * place.height:
            return [tighten]
        break_block = partial(allow_breaks, block, change)
        release_lead = _Step("lead-in", lambda: _release_lead(page, place, change))
        breaks = [
            _Step("break", break_block),
            _Step(
                "tighten and break",
                lambda: _tighten(page, place, change, to_fit=False) and break_block(),
            ),
        ]
        if place.gap > VERY_LARGE_GAP * place.height:
            breaks.append(_Step("break rows", lambda: break_block(few_rows=True)))
        if _avoids_breaks(block, ("ul", "ol")):  # It is better parted from its lead-in.
            return [tighten, release_lead, *breaks]
        return [tighten, *breaks, release_lead]

    def _move_text_before_figure(
        self, page: Box, place: _Place, *, may_break: bool = False
    ) -> bool:
        """Move the text after a figure before it; return whether there is any.

        A figure must not end the article or, without a caption, come right before another block.
        Text that is kept whole must fit on the page, or be broken if it may.
        """
        parent, start = place.parent, _end_of_figures(place.parent, place.index)
        end = start
        while _are_entries(parent, end):
            end += 1
        is_text = has_tag(parent, end, PASSED_TAGS) and not _keeps_next(parent, end)
        if not is_text or parent.element_tag == "li" or _is_announced(parent, place.index):
            return False
        if place.start < place.index and _is_shorter(page, parent, end, MIN_LINES):
            end += has_tag(parent, end + 1, PASSED_TAGS)  # not alone below the heading
        text = parent.children[end]
        avoids_breaks = _avoids_breaks(text)
        if avoids_breaks and not may_break:
            above = parent.children[place.start : place.index]
            if _height_of(page, place, [*above, *parent.children[start : end + 1]]) > place.gap:
                return False
        is_bound = not _is_named(place.figure) and _is_figure_at(parent, end + 1)
        must_divide = not _is_passable(parent, end) or _keeps_next(parent, end + 1)
        must_divide |= is_bound and place.gap <= LARGE_GAP * place.height
        if is_bound or must_divide:
            is_divisible = id(text.element) not in self._indivisible
            if is_divisible and text.element_tag == "p" and parent.style["column_count"] == "auto":
                self._to_divide = _Division(text, start - place.index, must_divide)
            elif must_divide:
                return False
        if may_break and avoids_breaks:
            allow_breaks(text, self._change)
        return self._change.move(parent, start, place.index, end + 1 - start)

    def _shrink_instead_of_moving_text(self, page: Box, place: _Place) -> bool:
        """Shrink a figure where it was before text was moved, if that leaves a large gap."""
        figure = place.figure
        moves = [(origin, change) for origin, change in self._moves if origin.figure is figure]
        if not moves or place.gap <= LARGE_GAP * place.height:
            return False
        origin = moves[0][0]
        at_origin = replace(place, gap=origin.gap)
        is_led = origin.start < origin.index
        min_scale = LAST_SCALE if place.gap > VERY_LARGE_GAP * place.height else LED_SCALE
        if is_led or not _shrink(page, at_origin, self._change, min_scale):
            return False
        for _, change in reversed(moves):
            change.undo()
        self._moves.clear()
        self._divided.discard(id(figure))
        self._tried.discard((id(figure), _MOVE_TEXT_UP))
        self._before = origin
        return True


def _height_of(page: Box, place: _Place, blocks: list[Box]) -> float:
    """Return roughly the height of lists, tables and short texts at the foot of a page."""
    width, height = _fragments(page, place.parent)[-1].width, 0.0
    for block in blocks:
        parts = (box for box in block.descendants() if box.element_tag in ("li", "tr"))
        items = {box.element: box for box in parts}  # A line and a marker are boxes of their item.
        height += sum(text_height(box, width) for box in items.values())
        if not items:
            lines = text_height(block, width) - margins_of(block, "top", "bottom")
            least = MIN_LINES * line_height(block)
            is_last = block is blocks[-1] and block.element_tag == "p" and lines > 2 * least
            height += least if is_last and not _avoids_breaks(block) else lines
    return height + sum(spaces_between([*place.parent.children[: place.start][-1:], *blocks]))


#: The largest share that is taken from the spaces between the blocks of a page.
MAX_TIGHTENING = 1 / 3


def _tighten(page: Box, place: _Place, change: Change, *, to_fit: bool = True) -> bool:
    """Reduce the spaces on a page so that the next block fits, or as far as is allowed."""
    parent, (*_, fragment) = place.parent, _fragments(page, place.parent)
    elements = {box.element for box in fragment.children}
    above = [box for box in parent.children[: place.start] if box.element in elements]
    next_blocks = parent.children[place.start : place.index + 1]
    blocks = [*above, *next_blocks]
    missing = _height_of(page, place, next_blocks) - place.gap
    share = (
        (missing + SLACK_PX) / max(1.0, sum(spaces_between(blocks))) if to_fit else MAX_TIGHTENING
    )
    if (to_fit and missing <= 0) or share > MAX_TIGHTENING:
        return False
    for box in blocks:
        for side in ("margin_top", "margin_bottom"):
            margin, is_last = box.style[side], box is place.figure and side == "margin_bottom"
            if getattr(margin, "unit", "") == "px":
                scale = 0 if to_fit and is_last else 1 - share  # nothing follows on the page
                change.set_style(box, **{side: margin._replace(value=margin.value * scale)})
    return change.has_changed


def _are_entries(parent: Box, index: int) -> bool:
    """Return whether a child and the next are lines of a run, such as labels and their values."""
    pair = parent.children[index : index + 2]
    return len(pair) > 1 and all(box.element_tag == "p" and has_class(box, "entry") for box in pair)


def _is_named(figure: Box) -> bool:
    """Return whether captions, or the label of an embed, identify a figure wherever it is."""
    return is_embed(figure) or any(True for _ in figure.element.iter("figcaption"))


def _is_announced(parent: Box, index: int) -> bool:
    """Return whether a figure, or the first of a run of figures, follows its announcement."""
    while _is_figure_at(parent, index - 1):
        index -= 1
    return index > 0 and is_announcement(parent.children[index - 1])


def _is_figure_at(parent: Box, index: int) -> bool:
    return 0 <= index < len(parent.children) and is_figure(parent.children[index])


def _move_into_text(page: Box, parent: Box, division: _Division, change: Change) -> bool:
    """Move figures after a paragraph up to the end of its last line on a page, if possible."""
    count = division.figures
    # If it is the rest of a divided paragraph, it may have been joined to the beginning again.
    is_in_tree = division.text in parent.children
    text: Any = division.text if is_in_tree else divided_paragraph(division.text)
    fragments = [box for box in _fragments(page, parent)[0].children if box.element is text.element]
    # The first part of a paragraph that is divided already may be on the same page.
    halves = split_paragraph(text, fragments[-1]) if fragments else None
    if halves is None:
        return False
    before, figure = parent.children.index(text), parent.children.index(text) + 1
    figures, after = parent.children[figure:][:count], parent.children[figure + count :]
    children = (*parent.children[:before], halves[0], *figures, halves[1], *after)
    change.set(parent, "children", type(parent.children)(children))
    return True


def _find_first_figure(page: Box, root: Box, next_page: SkipStack) -> _Place | None:
    """Return the figure or kept block that begins the next page, also below a heading or lead."""
    box = root
    while next_page:
        if len(next_page) > 1:
            return None  # cells of a row, all continued
        ((start, next_page),) = next_page.items()
        if start >= len(getattr(box, "children", ())):
            return None  # within a text
        parent, box = box, box.children[start]
        if next_page is None and box.element_tag == "li":
            return _find_figure_in_items(page, parent, start, ())
        is_torn = box.element_tag == "p" and _keeps_next(parent, start)
        if next_page is None or is_torn:
            while _is_container(parent, start):
                parent, start = parent.children[start], 0
            index = _end_of_headings(parent, start)
            if _is_container(parent, index):  # below a heading
                parent, start = parent.children[index], 0
                index = _end_of_headings(parent, start)
            if has_tag(parent, index, ("ul", "ol")):
                above = tuple(parent.children[start:index])
                in_items = _find_figure_in_items(page, parent.children[index], 0, above)
                if in_items:
                    return in_items
            is_led = start < index and (has_tag(parent, index, ("p",)) or _is_led(parent, index))
            if not (is_led or _is_movable(parent, index) or _is_unbreakable(parent, index)):
                return None
            figure = parent.children[index]
            return _Place(figure, parent, start, index, *_gap_and_height(page, parent))
    return None


#: The first items of a list, one of which may have the figure that does not fit.
FIRST_ITEMS = 2


def _find_figure_in_items(
    page: Box, items: Box, start: int, above: tuple[Box, ...]
) -> _Place | None:
    """Return the figure in the first items of a list from one on, below their texts."""
    for item in items.children[start : start + FIRST_ITEMS]:
        for index, box in enumerate(item.children):
            if is_figure(box):
                return _Place(box, item, 0, index, *_gap_and_height(page, item), above)
        above = (*above, item)
    return None


def _is_container(parent: Box, index: int) -> bool:
    """Return whether a child is a box of blocks that are not moved together."""
    is_box = has_tag(parent, index, ("article", "div", "blockquote"))
    return is_box and bool(parent.children[index].children) and not _is_movable(parent, index)


def _is_movable(parent: Box, index: int) -> bool:
    """Return whether a child is a figure, or a table on a rotated page."""
    if index >= len(parent.children):
        return False
    box = parent.children[index]
    return (is_figure(box) and box.style["column_span"] != "all") or _is_rotated(box)


def _figure_with_embeds(place: _Place) -> list[Box]:
    """Return a figure and the embeds after it that stay on its page."""
    after = place.parent.children[place.index + 1 :]
    return [
        place.figure,
        *takewhile(lambda box: is_embed(box) and box.style["break_before"] == "avoid", after),
    ]


def _is_rotated(box: Box) -> bool:
    return bool(box.element_tag == "div" and box.style["page"] == "rotated")


def _is_unbreakable(parent: Box, index: int) -> bool:
    """Return whether a child may be kept on one page: a list, a table, a stanza, code or a box."""
    if has_tag(parent, index, ("p",)):
        return bool(parent.children[index].style["break_inside"] == "avoid")
    return has_tag(parent, index, UNBREAKABLE_TAGS)


def _avoids_breaks(box: Box, tags: tuple[str, ...] = TEXT_TAGS) -> bool:
    """Return whether a text is kept on one page."""
    return box.element_tag in tags and bool(box.style["break_inside"] == "avoid")


def _keeps_next(parent: Box, index: int) -> bool:
    """Return whether a child is a heading or a label, which is not separated from what follows."""
    if index >= len(parent.children) or _is_movable(parent, index):
        return False
    return bool(parent.children[index].style["break_after"] == "avoid")


def _gap_and_height(page: Box, parent: Box) -> tuple[float, float]:
    """Return the heights of the gap at the foot of a page or its last column, and of the page."""
    has_columns = parent.style["column_count"] != "auto"
    root = _fragments(page, parent)[-1] if has_columns else page.children[0]
    return measure_gap(page, root), foot_of(page) - float(root.position_y)


def _fragments(page: Box, parent: Box) -> list[Box]:
    """Return the boxes on a page that are laid out from a box: its columns, or itself."""
    root = page.children[0]
    boxes = [box for box in root.descendants() if box.element is parent.element]
    fragment = next((box for box in boxes if box.element_tag == parent.element_tag), root)
    has_columns = parent.style["column_count"] != "auto" and fragment.children
    return list(fragment.children) if has_columns else [fragment]


#: The fewest lines of a lead-in that is left below its heading, parted from its list.
MIN_LEAD_LINES = 3


def _is_shorter(page: Box, parent: Box, index: int, lines: int) -> bool:
    """Return whether a child is text of fewer lines, as estimated."""
    text, width = parent.children[index], _fragments(page, parent)[-1].width
    height = text_height(text, width) - margins_of(text, "top", "bottom")
    return height < lines * line_height(text)


def _is_led(parent: Box, index: int) -> bool:
    """Return whether a child is text that the one before, not a heading, introduces."""
    lead = parent.children[index - 1]
    is_led = has_tag(parent, index, (*TEXT_TAGS, "figure"))
    return is_led and (lead.element_tag == "blockquote" or has_class(lead, "leads"))


def _release_lead(page: Box, place: _Place, change: Change) -> bool:
    """Allow a break between a block and its lead-in; return whether there is one.

    A short text below a heading stays with the block.
    """
    parent, index = place.parent, place.index
    if place.start == index or not _is_led(parent, index):
        return False
    is_below_heading = has_tag(parent, index - 2, HEADINGS)
    if place.start < index - 1 and is_below_heading:
        lines = MIN_LEAD_LINES if has_tag(parent, index, ("ul", "ol")) else MIN_LINES
        if _is_shorter(page, parent, index - 1, lines):
            return False
    change.set_style(parent.children[index - 1], break_after="auto")
    return True


def _release_heading(page: Box, place: _Place, change: Change) -> bool:
    """Allow a break between a captioned figure, shrunk to fit, and a heading that it belongs to."""
    figure = place.figure
    is_bound = place.start == place.index and figure.style["break_after"] == "avoid"
    if not is_bound or not _is_named(figure):
        return False
    change.set_style(figure, break_after="auto")
    _shrink(page, place, change, LAST_SCALE)
    return True


MAX_GAP_BEFORE_ROTATED = 0.06


def _move_rotated_table_after_text(page: Box, place: _Place, change: Change) -> bool:
    """Move a rotated table and its headings after text; return whether they were moved.

    Paragraphs that are sure to fit on the page are passed at once.  With its own heading, a table
    stays in its section.
    """
    parent, start, end = place.parent, place.start, place.index + 1
    if place.gap <= MAX_GAP_BEFORE_ROTATED * place.height:
        return False
    if has_tag(parent, start, HEADINGS) and has_tag(parent, end, HEADINGS):
        return False
    while has_tag(parent, end, HEADINGS):
        end += 1
    if end >= len(parent.children) or _is_rotated(parent.children[end]):
        return False
    width, room = _fragments(page, parent)[-1].width, place.gap
    while has_tag(parent, end, ("p",)) and has_tag(parent, end + 1, ("p",)):
        room -= text_height(parent.children[end], width) + line_height(parent.children[end])
        if room < 0:
            break
        end += 1
    return change.move(parent, start, end + 1, place.index + 1 - start)


#: The fewest lines on the last page of an article.
MIN_LAST_LINES = 5


def _shrink_for_last_lines(page: Box, root: Box, next_page: SkipStack, change: Change) -> bool:
    """Shrink the largest picture of a page if the few lines after it then need no last page."""
    body = root
    while next_page and not has_class(body, "body"):
        ((start, next_page),) = list(next_page.items())[:1]
        if start >= len(getattr(body, "children", ())):
            return False  # within a text before the body, such as a title longer than a page
        body = body.children[start]
    if not next_page or body.style["column_count"] != "auto":
        return False
    rest = body.children[min(next_page) :]
    (fragment,) = _fragments(page, body)
    height = sum(text_height(box, fragment.width) for box in rest)
    lines = [box for box in rest if not has_class(box, "colophon")]
    height_of_lines = sum(text_height(box, fragment.width) for box in lines)
    are_few = height_of_lines < MIN_LAST_LINES * line_height(body)
    if not are_few or any(box.element_tag != "p" for box in lines):
        return False
    figures = (box for box in _figures_of(fragment, body) if not is_shrunk(box))
    figure = max(figures, key=_picture_height, default=None)
    picture = _picture_height(figure) if figure else 0
    if not picture:
        return False
    scale = 1 - (height + line_height(body) - measure_gap(page)) / picture
    if not _min_scale(figure, MIN_SCALE) <= scale < 1:
        return False
    scale_figure(figure, change, scale)
    return True


def _figures_of(fragment: Box, parent: Box) -> list[Box]:
    """Return the figures among the children of a box that are on a page."""
    elements = {box.element for box in fragment.children}
    return [box for box in parent.children if box.element in elements and is_figure(box)]


def _end_of_figures(parent: Box, index: int) -> int:
    """Return the index of the first child from this one on that is not a figure."""
    while _is_figure_at(parent, index):
        index += 1
    return index


def _is_passable(parent: Box, index: int) -> bool:
    """Return whether a child is text that a figure may follow: not with the article's end mark."""
    if not has_tag(parent, index, TEXT_TAGS):
        return False
    parts = parent.children[index].element.iter()
    return not any("closing" in (part.get("class") or "").split() for part in parts)


def _end_of_headings(parent: Box, index: int) -> int:
    """Return the index of the first child from this one on that is not kept with the next."""
    while _keeps_next(parent, index):
        index += 1
    return index


def _move_before_text(page: Box, place: _Place, change: Change) -> bool:
    """Move a figure before the text above it, so that both fit; return whether it was moved."""
    is_in_item = place.parent.element_tag == "li"  # whose mark would be next to the picture
    belongs_below = place.figure.style["break_after"] == "avoid"
    has_columns = place.parent.style["column_count"] != "auto"
    is_announced = _is_announced(place.parent, place.index)
    if place.start < place.index or is_in_item or belongs_below or has_columns or is_announced:
        return False
    (body,) = _fragments(page, place.parent)
    # The first text on the page may have begun on the one before.
    tops = {id(box.element): box.position_y for box in body.children[1:]}
    needed, foot, index = _estimate_height(page, place), foot_of(page), place.index
    height = 0.0 if is_shrunk(place.figure) else _picture_height(place.figure)
    while has_tag(place.parent, index - 1, PROSE_TAGS) and not _keeps_next(place.parent, index - 1):
        index -= 1
        top = tops.get(id(place.parent.children[index].element))
        if top is None or _keeps_next(place.parent, index - 1):
            return False
        scale = _scale_to_fit(needed - (foot - top), height, page, place)
        if scale >= _min_scale(place.figure, MIN_SCALE) and not _are_entries(
            place.parent, index - 1
        ):
            above = place.parent.children[index - 1]
            if is_figure(above) and (is_beside(above) or not _is_named(place.figure)):
                return False
            if scale < 1:
                scale_figure(place.figure, change, scale)
            return change.move(place.parent, place.index, index, len(_figure_with_embeds(place)))
    return False


def _shrink(page: Box, place: _Place, change: Change, min_scale: float, lines: int = 0) -> bool:
    """Shrink the picture of a figure to fit a gap, with room for some lines more, if possible."""
    height = _picture_height(place.figure)
    if not height or is_shrunk(place.figure):
        return False
    missing = _estimate_height(page, place) + lines * line_height(place.figure) - place.gap
    scale = _scale_to_fit(missing, height, page, place)
    if not min_scale <= scale < 1:
        return False
    scale_figure(place.figure, change, scale)
    return True


def _scale_to_fit(missing: float, height: float, page: Box, place: _Place) -> float:
    """Return the scale at which pictures of this height lose what is missing; 0 for none."""
    if missing <= 0:
        return 1.0
    scale = 1 - missing / height if height else 0.0
    if scale > 0:  # A caption has more lines below a narrower picture.
        more = _estimate_height(page, place, scale) - _estimate_height(page, place)
        scale -= max(0.0, more) / height
    return max(0.0, scale)


def _shrink_all(page: Box, place: _Place, change: Change) -> bool:
    """Shrink the pictures on a page and the next to one scale, so that it fits, if possible."""
    above = [
        box
        for box in _figures_of(_fragments(page, place.parent)[-1], place.parent)
        if not is_shrunk(box)
    ]
    figures = [box for box in (*above, place.figure) if _picture_height(box)]
    missing = _estimate_height(page, place) - place.gap
    if len(figures) < 2 or figures[-1] is not place.figure or is_shrunk(place.figure):
        return False
    scale = _scale_to_fit(missing, sum(map(_picture_height, figures)), page, place)
    if not ALL_SCALE <= scale < 1:
        return False
    for figure in figures:
        scale_figure(figure, change, scale)
    return True


def _is_labeled(box: Box) -> bool:
    """Return whether a box is a row of figures with text besides captions."""
    parts = box.descendants() if has_class(box, "figures") else ()
    cells = (part for part in parts if has_class(part, "cell"))
    return any(not is_figure(child) for cell in cells for child in cell.children)


def _min_scale(figure: Box, usual: float) -> float:
    """Return the smallest scale of a figure; pictures of a series remain about equally wide."""
    in_series = any(_IN_SERIES in picture.element.attrib for picture in pictures_of(figure))
    return SERIES_SCALE if in_series else usual


def _picture_height(figure: Box) -> float:
    """Return the height of a figure's only picture or of a row of pictures, 0 if not in pixels."""
    pictures = pictures_of(figure)
    is_row = has_class(figure, "figures") and not _is_labeled(figure)
    if not pictures or (len(pictures) > 1 and not is_row):
        return 0
    heights = []
    for picture in pictures:
        width, attributes = picture.style["width"], picture.element.attrib
        sizes = attributes.get("width", ""), attributes.get("height", "")
        if getattr(width, "unit", "") != "px" or not all(map(str.isdecimal, sizes)):
            return 0
        heights.append(float(width.value * int(sizes[1]) / (int(sizes[0]) or 1)))
    return max(heights)


def _estimate_height(page: Box, place: _Place, scale: float = 1.0) -> float:
    """Return roughly the height of a figure with its caption and the headings before it.

    ``scale`` narrows the caption with the picture; the picture's height is that before scaling.
    """
    width = _fragments(page, place.parent)[-1].width
    above = [*place.outside, *place.parent.children[place.start : place.index]]
    announcements = [box for box in above if is_announcement(box)]
    boxes = [box for box in above if box not in announcements]
    texts = sum(MIN_LINES * line_height(box) for box in announcements)
    if place.figure.style["break_after"] == "avoid":
        end = _end_of_headings(place.parent, place.index + 1)
        boxes += place.parent.children[place.index + 1 : end]
        texts += MIN_LINES * line_height(place.figure)
    figure = place.figure
    embeds = [box for box in _figure_with_embeds(place) if is_embed(box)]
    texts += sum(text_height(box, width) + MIN_LINES * line_height(box) for box in embeds)
    texts += sum(text_height(box, width) for box in boxes)
    texts += captions_height(figure, width, scale)
    return SLACK_PX + texts + margins_of(figure, "top") + _picture_height(figure)
