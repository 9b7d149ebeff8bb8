"""Large pictures moved on rather than leaving half a page white.

WeasyPrint has no figures that float.  A figure that does not fit at the foot of a page begins the
next one, and what it leaves is white.  So, after a page was laid out, the figure that begins the
next page is put behind the text that follows it, a paragraph at a time, and only this page is laid
out anew; where no text follows before the next heading, the picture is made smaller within limits.
What was decided is a function of the document alone, and bounded: at most ``MOST_TRIES`` layouts a
page.

The order of the pages is WeasyPrint's own; of its inside this module knows ``remake_page`` (which
makes one page), the tree of boxes and the place where the next page begins.
"""

from __future__ import annotations

import threading
from typing import Any, TypeAlias

#: A box of WeasyPrint's tree, and the place in it where a page begins: ``{child: {child: None}}``.
Box: TypeAlias = Any
Place: TypeAlias = "dict[int, Any] | None"

#: What is white at the foot of a page, as a part of its height, before something is done about it.
WHITE = 0.2

#: A picture is made no smaller than this part of its size to fit where it stands.
SMALLEST = 0.62

MOST_TRIES = 6

#: What a figure may be put behind.
TEXT = ("p", "ul", "ol", "blockquote", "dl", "pre")

_MARK = "_webprint_fills_pages"
_lock = threading.Lock()


def fill_pages(html: Any) -> None:
    """Have the pages of this document filled when it is laid out."""
    setattr(html, _MARK, True)
    with _lock:
        _install()


def _install() -> None:
    """Come between WeasyPrint and its pages, once; other documents are not touched."""
    from weasyprint.layout import page as pages

    if getattr(pages.remake_page, _MARK, False):
        return
    original = pages.remake_page

    def remake_page(index: int, context: Any, root: Box, html: Any) -> tuple[Box, Place]:
        if not hasattr(html, _MARK):
            made: tuple[Box, Place] = original(index, context, root, html)
            return made
        before = _State(context)
        made = original(index, context, root, html)
        for _ in range(MOST_TRIES):
            page, begins = made
            if not _filled(page, root, begins):
                break
            before.restore(context)
            made = original(index, context, root, html)
        return made

    setattr(remake_page, _MARK, True)
    pages.remake_page = remake_page


class _State:
    """What laying out a page uses up, to be given back when it is laid out again."""

    def __init__(self, context: Any) -> None:
        self.footnotes = list(context.footnotes)
        self.reported = list(context.reported_footnotes)
        self.broken = dict(context.broken_out_of_flow)

    def restore(self, context: Any) -> None:
        context.footnotes = list(self.footnotes)
        context.reported_footnotes = list(self.reported)
        context.broken_out_of_flow = dict(self.broken)


def _filled(page: Box, root: Box, begins: Place) -> bool:
    """Change the tree so that the page gets fuller; say whether it was changed."""
    found = _figure_at(root, begins)
    if found is None:
        return False
    parent, index = found
    white = _white(page)
    if white < WHITE * page.height:
        return False
    return _moved(parent, index) or _shrunk(parent.children[index], white)


def _figure_at(root: Box, begins: Place) -> tuple[Box, int] | None:
    """Return the parent and index of the figure that begins the next page; None for other text."""
    box = root
    while begins:
        if len(begins) > 1:
            return None  # cells of a row, which go on side by side
        ((index, begins),) = begins.items()
        columns = box.style["column_count"] != "auto" or box.style["column_width"] != "auto"
        if columns or index >= len(getattr(box, "children", ())):
            return None  # a column, or the middle of a text
        parent, box = box, box.children[index]
        if begins is None:
            # A table on a page of its own, which is turned, leaves white as a figure does.
            turned = box.element_tag == "div" and box.element.get("class") == "widest"
            return (parent, index) if box.element_tag == "figure" or turned else None
    return None


def _white(page: Box) -> float:
    """Return how much of a page is white at its foot, in CSS pixels."""
    root, notes, *_ = page.children
    foot = page.content_box_y() + page.height
    if notes.children:
        foot -= notes.margin_height()
    ends = (
        box.position_y + box.height
        for box in root.descendants()
        if not getattr(box, "children", ()) and isinstance(box.height, int | float)
    )
    return float(foot - max(ends, default=foot))


def _moved(parent: Box, index: int) -> bool:
    """Put a figure behind the text after it; say whether there is such text."""
    children = list(parent.children)
    if index + 1 >= len(children) or children[index + 1].element_tag not in TEXT:
        return False
    children[index], children[index + 1] = children[index + 1], children[index]
    parent.children = type(parent.children)(children)
    return True


def _shrunk(figure: Box, white: float) -> bool:
    """Make a figure's picture small enough for the white; say whether it is not too small then."""
    picture = next((box for box in figure.descendants() if box.element_tag == "img"), None)
    if picture is None or getattr(figure, _MARK, False):
        return False
    width, size = picture.style["width"], picture.element.attrib
    if getattr(width, "unit", "") != "px" or not size.get("height", "").isdecimal():
        return False
    captioned = any(box.element_tag == "figcaption" for box in figure.children)
    others = float(figure.style["font_size"]) * (4.5 if captioned else 2.5)
    scale = (white - others) / (int(size["height"]) or 1)
    if not SMALLEST <= scale < 1:
        return False
    setattr(figure, _MARK, True)
    style = picture.style.copy()
    style["width"] = width._replace(value=width.value * scale)
    picture.style = style
    return True
