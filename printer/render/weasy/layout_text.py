"""What the layout holds: its text in reading order and its things, read off the laid-out pages.

This is what is drawn, not what was meant to be: a piece of text that the layout dropped is not
here.  Running heads, page numbers and what style sheets generate are not the article's and are
left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
#: Classes of what a theme adds: the QR code, headings above notes, rows that mean no more.
_OURS = frozenset({"qr", "section"})


@dataclass(frozen=True, slots=True)
class LayoutText:
    """The text on the pages, blocks apart by a line break, and how many things there are.

    ``things`` counts by kind (headings, pictures, tables, code, formulas, notes), ``targets`` are
    the addresses that links lead to.  ``places`` says on which page, from 0, a name stands,
    ``sheets`` what each page is called in the style sheet, None for one left blank.
    """

    text: str = field(default="", repr=False)
    counts: dict[str, int] = field(default_factory=dict)
    targets: frozenset[str] = frozenset()
    page_by_anchor: dict[str, int] = field(default_factory=dict, repr=False)
    page_names: tuple[str | None, ...] = ()


def read_layout_text(pages: list[Any]) -> LayoutText:
    """Read WeasyPrint's pages."""
    texts: dict[int, list[str]] = {}
    things: dict[str, set[int]] = {}
    targets: set[str] = set()
    for box, block in _boxes(pages):
        if hasattr(box, "text"):
            if "::" not in (box.element_tag or "") and not _is_reference(box.element):
                texts.setdefault(block, []).append(box.text)
            continue
        if box.element is None or "::" in (box.element_tag or ""):
            continue
        if kind := _kind(box.element):
            things.setdefault(kind, set()).add(id(box.element))
        if box.element_tag == "a" and (href := box.element.get("href")):
            targets.add(href)
    text = "\n".join("".join(pieces) for pieces in texts.values())
    return LayoutText(
        text,
        {kind: len(ids) for kind, ids in things.items()},
        frozenset(targets),
        # What goes on over pages is where it begins.
        {name: n for n, page in reversed(list(enumerate(pages))) for name in page.anchors},
        tuple(_called(page._page_box.page_type) for page in pages),
    )


def _called(kind: Any) -> str | None:
    return None if kind.blank else str(kind.name or "")


def _boxes(pages: list[Any]) -> Iterator[tuple[Any, int]]:
    """Yield every box of the pages but their margins', with the block of text it stands in.

    A block goes on over pages and columns: what tells it is its element.
    """
    from weasyprint.formatting_structure import boxes

    for page in pages:
        stack: list[tuple[Any, int]] = [(page._page_box, 0)]
        while stack:
            box, block = stack.pop()
            box = getattr(box, "_box", box)  # a placeholder of what is positioned
            if isinstance(box, boxes.MarginBox):
                continue
            own = isinstance(box, boxes.BlockLevelBox | boxes.TableCellBox | boxes.InlineBlockBox)
            # Code is one block, whatever its lines are.
            if own and box.element is not None and box.element.get("class") != "line":
                block = id(box.element)
            yield box, block
            children = getattr(box, "children", ())
            stack.extend((child, block) for child in reversed(children))


def _is_reference(element: Any) -> bool:
    """Tell whether an element names where a link leads: its number or its address."""
    return element is not None and element.get("class") in ("link", "target")


def _kind(element: Any) -> str:
    """Return which kind of thing an element is, '' for none that is counted."""
    tag = element.tag
    classes = set((element.get("class") or "").split())
    if classes & _OURS:
        return ""
    if tag in _HEADINGS:
        return "headings"
    if tag == "img":
        return "formulas" if "math" in classes else "pictures"
    if tag == "pre":
        return "code"
    if tag == "table":
        return "tables"
    if tag == "span" and "math" in classes:
        return "formulas"
    if ("footnote" in classes and element.get("role")) or (tag == "div" and "note" in classes):
        return "notes" if element.get("data-note") is None else ""
    return ""
