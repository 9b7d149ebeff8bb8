"""Measures of laid-out boxes, in pixels, and changes of their tree that can be undone.

Paragraphs are indented after text and flush after a figure, wherever the figure is in the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import ceil
from typing import Any, TypeAlias

from ...text import COLONS, count_columns
from ...themes.page import CHARACTER_WIDTH
from ..markup import HEADINGS

#: A box of WeasyPrint's tree.
Box: TypeAlias = Any

#: The classes of paragraphs that are indented after each other.
INDENTED = frozenset({"", "leads", "closing"})
#: The attribute of a body with the styles of its first paragraph after another and not after one.
_INDENTS = "_webprint_indents"


class Change:
    """A change of the tree that can be undone."""

    def __init__(self) -> None:
        self._before: list[tuple[Box, str, Any]] = []

    def set(self, box: Box, name: str, value: Any) -> None:
        self._before.append((box, name, getattr(box, name, None)))
        setattr(box, name, value)

    def set_style(self, box: Box, **values: Any) -> None:
        style = box.style.copy()
        style.update(values)
        self.set(box, "style", style)

    @property
    def has_changed(self) -> bool:
        """Whether anything was changed and not undone."""
        return bool(self._before)

    def undo(self) -> bool:
        """Restore what was changed; return whether anything was."""
        was_changed = self.has_changed
        for box, name, value in reversed(self._before):
            setattr(box, name, value)
        self._before.clear()
        return was_changed

    def move(self, parent: Box, index: int, target: int, count: int = 1) -> bool:
        """Move children of a box before another child; return True."""
        _read_indents(parent)
        children = list(parent.children)
        moved = children[index : index + count]
        del children[index : index + count]
        at = target if target <= index else target - count
        children[at:at] = moved
        self.set(parent, "children", type(parent.children)(_rejoin(children)))
        self._apply_indents(parent, min(index, target), max(index + count, target) + 1)
        return True

    def _apply_indents(self, parent: Box, start: int, end: int) -> None:
        """Indent exactly the paragraphs that follow another paragraph."""
        indented, flush = getattr(parent, _INDENTS)
        for index in range(max(1, start), min(end, len(parent.children))):
            box, previous = parent.children[index], parent.children[index - 1]
            if is_beside(previous) and index > 1:
                previous = parent.children[index - 2]
            style = indented if _is_indented(previous) else flush
            if not _is_indented(box) or style is None or previous.element_tag in HEADINGS:
                continue
            self.set_style(box, margin_top=style["margin_top"])
            for line in box.children:
                self.set_style(line, text_indent=style["text_indent"])


def _is_indented(box: Box) -> bool:
    return bool(box.element_tag == "p" and (box.element.get("class") or "") in INDENTED)


def is_beside(box: Box) -> bool:
    """Return whether a box is a figure with text beside it, which does not interrupt the text."""
    return bool(box.element_tag == "figure" and has_class(box, "beside"))


def _read_indents(parent: Box) -> None:
    """Record the indents of the paragraphs of a body that follow a paragraph, and of the others."""
    if hasattr(parent, _INDENTS):
        return
    indented = flush = None
    for previous, box in zip((None, *parent.children), parent.children, strict=False):
        if _is_indented(box):
            if previous is None or not (previous.element_tag == "p" or is_beside(previous)):
                flush = flush or box.style
            elif _is_indented(previous):
                indented = indented or box.style
    if indented is None and flush is not None and (indent := _stated_indent(flush)):
        indented = flush.copy()
        indented["text_indent"] = flush["text_indent"]._replace(value=indent, unit="px")
    setattr(parent, _INDENTS, (indented, flush))


def _stated_indent(style: Any) -> float:
    """Return the indent that the theme states for paragraphs after others, in pixels."""
    for token in style["__indent"]:
        if token.type == "dimension" and token.lower_unit == "em":
            return float(token.value * style["font_size"])
    return 0.0


#: The fewest lines of a paragraph before a figure inside it, and after it.
MIN_LINES = 2
_TEXT_BOXES = frozenset({"LineBox", "InlineBox", "TextBox"})
#: The attribute of each part of a divided paragraph that holds the whole paragraph.
_DIVIDED = "_webprint_whole"
#: The characters after which a line may end without a hyphen.
_LINE_ENDS = (" ", "\n", "-", "\u2010", "\u2013", "\u2014")


def split_paragraph(paragraph: Box, fragment: Box) -> tuple[Box, Box] | None:
    """Return a paragraph up to the end of a line on a page, and the rest, as two paragraphs.

    Return None if it is not all text, or has too few lines.  ``fragment`` is its box on the page.
    """
    lines = list(fragment.children)
    is_text = len(paragraph.children) == 1 and all(
        type(box).__name__ in _TEXT_BOXES and box.is_in_normal_flow()
        for box in paragraph.children[0].descendants()
    )
    if not is_text or not lines or any(type(line).__name__ != "LineBox" for line in lines):
        return None
    end = len(lines) - (MIN_LINES if lines[-1].resume_at is None else 0)
    for line in reversed(lines[MIN_LINES - 1 : end]):
        if halves := _divide_inline(paragraph.children[0], line.resume_at):
            head, tail = halves
            head.style, tail.style = head.style.copy(), tail.style.copy()
            head.style["text_align_last"] = head.style["text_align_all"]
            tail.style["text_indent"] = tail.style["text_indent"]._replace(value=0)
            parts = paragraph.copy_with_children([head]), paragraph.copy_with_children([tail])
            for part in parts:
                setattr(part, _DIVIDED, paragraph)
            return parts
    return None


def divided_paragraph(part: Box) -> Box | None:
    """Return the divided paragraph that a box is part of, None if there is none."""
    return getattr(part, _DIVIDED, None)


def _rejoin(children: list[Box]) -> list[Box]:
    """Return boxes with adjacent parts of a divided paragraph joined again."""
    joined: list[Box] = []
    for box in children:
        while (
            joined
            and (paragraph := divided_paragraph(box))
            and divided_paragraph(joined[-1]) is paragraph
        ):
            joined.pop()
            box = paragraph
        joined.append(box)
    return joined


def _divide_inline(box: Box, position: dict[int, Any]) -> tuple[Box, Box] | None:
    """Return two boxes with the text before and after a position, None if it is in a word."""
    ((index, inner),) = position.items()
    if hasattr(box, "text"):
        data = box.text.encode()
        head, tail = data[:index].decode(), data[index:].decode()
        is_end = head.endswith(_LINE_ENDS) and tail
        return (box.copy_with_text(head), box.copy_with_text(tail)) if is_end else None
    before, after = list(box.children[:index]), list(box.children[index:])
    if inner is not None:
        halves = _divide_inline(after[0], inner) if after else None
        if halves is None:
            return None
        before, after = [*before, halves[0]], [halves[1], *after[1:]]
    return box.copy_with_children(before), box.copy_with_children(after)


def measure_gap(page: Box, root: Box | None = None) -> float:
    """Return the height of the gap at the foot of a page, or of a part of it.

    The space below the header of an article or its contents is not part of the gap.
    """
    foot, root = foot_of(page), root or page.children[0]
    headers = (box for box in root.descendants() if box.element_tag in ("header", "nav"))
    edges = (float(box.position_y + box.margin_height()) for box in headers)
    return foot - max(lowest_edge(root, foot), *edges, 0.0)


def foot_of(page: Box) -> float:
    """Return the lower edge of the text on a page."""
    # Once all pages are laid out, boxes in the margins replace areas without notes.
    areas = [box for box in page.children if type(box).__name__ == "FootnoteAreaBox"]
    notes = sum(area.margin_height() for area in areas if area.children)
    return float(page.content_box_y() + page.height - notes)


def lowest_edge(root: Box, default: float = 0) -> float:
    """Return the lowest edge of the leaf boxes inside a box."""
    edges = (
        box.position_y + box.height
        for box in root.descendants()
        if not getattr(box, "children", ()) and isinstance(box.height, int | float)
    )
    return float(max(edges, default=default))


#: The factor by which the estimated length of a caption exceeds the average.
CAPTION_MARGIN = 1.1


def text_height(box: Box, width: float) -> float:
    """Return roughly the height of a short text with its margins."""
    text = " ".join("".join(box.element.itertext()).split())
    size = box.style["font_size"]
    lines = ceil(count_columns(text) * CHARACTER_WIDTH * size * CAPTION_MARGIN / width)
    return float(lines * line_height(box)) + margins_of(box, "top", "bottom")


def line_height(box: Box) -> float:
    """Return the height of a line of a box, about 1.2 times the size of the font if not stated."""
    line, size = box.style["line_height"], box.style["font_size"]
    if line == "normal":
        return float(1.2 * size)
    if isinstance(line, int | float):  # WeasyPrint computes a factor to a number.
        return float(line * size)
    return float(line.value if line.unit else line.value * size)


def margins_of(box: Box, *sides: str) -> float:
    values = (box.style[f"margin_{side}"] for side in sides)
    return float(sum(value.value for value in values if getattr(value, "unit", "") == "px"))


def has_class(box: Box, name: str) -> bool:
    return box.element is not None and name in (box.element.get("class") or "").split()


def is_figure(box: Box) -> bool:
    """Return whether a box is a figure, a row of figures, or an embed."""
    return box.element_tag == "figure" or has_class(box, "figures") or is_embed(box)


def is_embed(box: Box) -> bool:
    return has_class(box, "embed")


def pictures_of(figure: Box) -> list[Box]:
    return [box for box in figure.descendants() if box.element_tag == "img"]


def captions_height(figure: Box, width: float, scale: float) -> float:
    """Return roughly the height of the captions of a figure, or of the longest in a row."""
    if has_class(figure, "figures"):
        cells = figure.children[0].children
        return max(
            (captions_height(box, width * cell.style["width"].value / 100, scale)
             for cell in cells for box in cell.children if is_figure(box)),
            default=0.0,
        )  # fmt: skip
    stated = figure.style["width"]
    if getattr(stated, "unit", "") == "px":
        width = min(width, stated.value)
    captions = (box for box in figure.children if box.element_tag == "figcaption")
    return sum(text_height(box, width * scale) for box in captions)


def spaces_between(blocks: list[Box]) -> Iterator[float]:
    for above, below in pairwise(blocks):
        yield max(margins_of(above, "bottom"), margins_of(below, "top"))


def has_tag(parent: Box, index: int, tags: tuple[str, ...]) -> bool:
    return index < len(parent.children) and parent.children[index].element_tag in tags


def is_announcement(box: Box) -> bool:
    """Return whether a box is a line that announces what follows, such as 'This is the result:'."""
    return box.element_tag == "p" and "".join(box.element.itertext()).rstrip().endswith(COLONS)


#: The attribute of a figure whose picture has been shrunk.
_SHRUNK = "_webprint_shrunk"


def is_shrunk(figure: Box) -> bool:
    return getattr(figure, _SHRUNK, False) is True


#: The largest scale of a picture as wide as the text, which must become clearly narrower.
MAX_INSET_SCALE = 0.8


def scale_figure(figure: Box, change: Change, scale: float) -> None:
    """Scale the picture of a figure, or those of a row, in the middle of the measure."""
    if has_class(figure, "figures"):
        _scale_row(figure, change, min(scale, MAX_INSET_SCALE))
        return
    (picture,) = pictures_of(figure)
    width, left = picture.style["width"], figure.style["margin_left"]
    inset = getattr(left, "value", 0) if left == figure.style["margin_right"] else 0
    is_narrow = getattr(figure.style["width"], "unit", "") == "px"
    scale = scale if is_narrow else min(scale, MAX_INSET_SCALE)
    scaled = width._replace(value=width.value * scale)
    change.set(figure, _SHRUNK, True)
    change.set_style(figure, width=scaled)
    change.set_style(picture, width=scaled)
    if inset or not is_narrow:
        margin = width._replace(value=inset + (width.value - scaled.value) / 2)
        change.set_style(figure, margin_left=margin, margin_right=margin)


def _scale_row(row: Box, change: Change, scale: float) -> None:
    change.set(row, _SHRUNK, True)
    for picture in pictures_of(row):
        width = picture.style["width"]
        change.set_style(picture, width=width._replace(value=width.value * scale))
    side = "margin_right" if row.style["direction"] == "rtl" else "margin_left"
    inset = 50 * (1 - scale)
    for cell in row.children[0].children:
        width, space = cell.style["width"], cell.style[side]
        widths = {"width": width._replace(value=width.value * scale)}
        widths[side] = width._replace(value=space.value * scale + inset)
        change.set_style(cell, **widths)
        inset = 0


UNBREAKABLE_TAGS = ("ul", "ol", "table", "aside", "pre")
#: An item or row of fewer characters is not left alone on a page.
MIN_LONE_CHARS = {"li": 144, "tr": 80}


def allow_breaks(block: Box, change: Change, *, few_rows: bool = False) -> bool:
    """Allow breaks in a block that was kept whole; return whether any was forbidden before.

    A short item or row still stays with its neighbor, as does the first row; an item with a list
    within it is not short.  ``few_rows`` allows parts of a table with fewer than three rows.
    """
    first_rows: set[int] = set()
    for box in (block, *block.descendants()):
        tag, length = box.element_tag, len("".join(box.element.itertext()))
        if tag == "tbody":
            first_rows.update(map(id, box.children[:1]))
        if tag == "pre":
            _allow_breaks_in_code(box, change)
        elif tag in (*UNBREAKABLE_TAGS, "p") and box.style["break_inside"] == "avoid":
            change.set_style(box, break_inside="auto")
        is_row = few_rows and tag == "tr" and id(box) not in first_rows
        if is_row and box.style["break_after"] == "avoid":
            change.set_style(box, break_after="auto")
        has_list = tag == "li" and any(child.element_tag in ("ol", "ul") for child in box.children)
        is_long = length > MIN_LONE_CHARS.get(tag, length) and (few_rows or tag != "tr")
        if has_list or is_long:
            change.set_style(box, break_before="auto", break_after="auto")
    return change.has_changed


_MIN_CODE_LINES = 3


def _allow_breaks_in_code(code: Box, change: Change) -> None:
    """Allow breaks in code that leave enough lines on either side."""
    lines = code.children[0].children
    if len(lines) >= 2 * _MIN_CODE_LINES:
        change.set_style(code, break_inside="auto")
    for above, (line, below) in enumerate(pairwise(lines), 1):
        rule = "auto" if _MIN_CODE_LINES <= above <= len(lines) - _MIN_CODE_LINES else "avoid"
        change.set_style(line, break_after=rule)
        change.set_style(below, break_before=rule)
