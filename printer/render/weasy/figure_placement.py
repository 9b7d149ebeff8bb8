"""Large pictures moved on rather than leaving half a page white.

WeasyPrint has no figures that float.  A figure that does not fit at the foot of a page begins the
next one, and what it leaves is white.  So, after a page was laid out, the figure that begins the
next page is put behind the text that follows it, a paragraph at a time, and only this page is laid
out anew; where no text follows before the next heading, the picture is made smaller within limits,
and where that does not do either and much is white, it goes past the heading.  A table on a page
of its own, which is turned, goes past all of its article's text until a page is full.  What was
decided is a function of the document alone, and bounded: at most ``MOST_TRIES`` layouts a page.

The order of the pages is WeasyPrint's own; of its inside this module knows ``remake_page`` (which
makes one page), the tree of boxes and the place where the next page begins.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from ..between import come_between

#: A box of WeasyPrint's tree, and the place in it where a page begins: ``{child: {child: None}}``.
Box: TypeAlias = Any
Place: TypeAlias = "dict[int, Any] | None"

#: What is white at the foot of a page, as a part of its height, before something is done about it.
WHITE = 0.2

#: With more than this part of a page white, a picture goes past a heading too.
MUCH = 0.35

#: With less than this part of a page white, it is full before a table on a page of its own.
NEARLY = 0.06

#: A picture is made no smaller than this part of its size to fit where it stands.
SMALLEST = 0.62

MOST_TRIES = 10

#: So many pages of a document are laid out again at most, all in all.
MOST_IN_DOCUMENT = 400

#: What a figure may be put behind.
TEXT = ("p", "ul", "ol", "blockquote", "dl", "pre")
HEADINGS = ("h2", "h3", "h4", "h5", "h6")

#: On a document: so many pages were laid out again.  On a figure: it was made smaller.
_MARK = "_webprint_fills_pages"


def place_figures(html: Any) -> None:
    """Have the pages of this document filled when it is laid out; others are not touched."""
    from weasyprint.layout import page as pages

    setattr(html, _MARK, 0)
    come_between(pages, "remake_page", _filling)


def _filling(original: Any) -> Any:
    def remake_page(index: int, context: Any, root: Box, html: Any) -> tuple[Box, Place]:
        if not hasattr(html, _MARK):
            made: tuple[Box, Place] = original(index, context, root, html)
            return made
        before = _State(context)
        made = original(index, context, root, html)
        for _ in range(MOST_TRIES):
            page, begins = made
            tried = getattr(html, _MARK)
            if tried >= MOST_IN_DOCUMENT or not _filled(page, root, begins):
                break
            setattr(html, _MARK, tried + 1)
            before.restore(context)
            made = original(index, context, root, html)
        return made

    return remake_page


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
    white, height = _white(page, parent)
    if _is_turned(parent.children[index]):
        # A heading is not left alone at the foot of the page before.
        alone = index > 0 and _is_heading(parent, index - 1)
        return (alone or white > NEARLY * height) and _moved(parent, index, _behind(parent, index))
    if white < WHITE * height:
        return False
    if _is_text(parent, index + 1):
        return _moved(parent, index, 1)
    if _shrunk(parent.children[index], white):
        return True
    follows = _is_heading(parent, index + 1) and _is_text(parent, index + 2)
    return follows and white > MUCH * height and _moved(parent, index, 2)


def _figure_at(root: Box, begins: Place) -> tuple[Box, int] | None:
    """Return the parent and index of the figure that begins the next page; None for other text.

    A heading goes with what it stands over: below one, the figure after it is meant.
    """
    box = root
    while begins:
        if len(begins) > 1:
            return None  # cells of a row, which go on side by side
        ((index, begins),) = begins.items()
        if index >= len(getattr(box, "children", ())):
            return None  # the middle of a text
        parent, box = box, box.children[index]
        if begins is None:
            while _is_heading(parent, index):
                index += 1
            return (parent, index) if _moves(parent, index) else None
    return None


def _moves(parent: Box, index: int) -> bool:
    """Tell whether a child is a figure or, on a page of its own, a table that is turned."""
    if index >= len(parent.children):
        return False
    box = parent.children[index]
    spans = box.style["column_span"] == "all"
    return (box.element_tag == "figure" and not spans) or _is_turned(box)


def _is_turned(box: Box) -> bool:
    return bool(box.element_tag == "div" and box.style["page"] == "turned")


def _is_text(parent: Box, index: int) -> bool:
    return index < len(parent.children) and parent.children[index].element_tag in TEXT


def _is_heading(parent: Box, index: int) -> bool:
    return index < len(parent.children) and parent.children[index].element_tag in HEADINGS


def _behind(parent: Box, index: int) -> int:
    """Return behind how many of what follows a turned table goes: a text with its headings."""
    steps = 1
    while _is_heading(parent, index + steps):
        steps += 1
    after = index + steps
    return steps if after < len(parent.children) and not _is_turned(parent.children[after]) else 0


def _white(page: Box, parent: Box) -> tuple[float, float]:
    """Return how much is white at a page's foot, or its last column's, of how much: CSS pixels."""
    root, notes, *_ = page.children
    top, foot = page.content_box_y(), page.content_box_y() + page.height
    if notes.children:
        foot -= notes.margin_height()
    if parent.style["column_count"] != "auto":
        columns = (box for box in root.descendants() if box.element is parent.element)
        root = next((box.children[-1] for box in columns if box.children), root)
        top = root.position_y
    ends = (
        box.position_y + box.height
        for box in root.descendants()
        if not getattr(box, "children", ()) and isinstance(box.height, int | float)
    )
    return float(foot - max(ends, default=foot)), float(foot - top)


def _moved(parent: Box, index: int, steps: int) -> bool:
    """Put a figure behind so many of what follows; say whether that changed anything."""
    if steps:
        children = list(parent.children)
        children.insert(index + steps, children.pop(index))
        parent.children = type(parent.children)(children)
    return steps > 0


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
