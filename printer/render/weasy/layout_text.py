"""The text and the items of a document, read from its laid-out pages.

Only what is actually drawn is included: text dropped by the layout is missing.  Running heads,
contents, page numbers and generated content are not part of the article and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...output import PrintedContent

#: Classes of a line of code.
_CODE_LINES = frozenset({"line", "line head"})


def read_layout_text(pages: list[Any]) -> PrintedContent:
    """Read the pages of a document laid out by WeasyPrint."""
    texts: dict[int, list[str]] = {}
    elements: dict[str, set[int]] = {}
    targets: set[str] = set()
    for box, block in _iter_boxes(pages):
        element = box.element
        if "::" in (box.element_tag or ""):
            continue
        if hasattr(box, "text"):
            # Numbers and URLs of link targets are not part of the article.
            if element is None or element.get("class") not in ("link", "target"):
                texts.setdefault(block, []).append(box.text)
        elif element is not None:
            if kind := _element_kind(element):
                elements.setdefault(kind, set()).add(id(element))
            if box.element_tag == "a" and (href := element.get("href")):
                targets.add(href)
    page_types = [page._page_box.page_type for page in pages]
    return PrintedContent(
        "\n".join("".join(pieces) for pieces in texts.values()),
        {kind: len(ids) for kind, ids in elements.items()},
        frozenset(targets),
        # An element continued on other pages counts for its first page.
        {name: index for index, page in reversed(list(enumerate(pages))) for name in page.anchors},
        tuple(None if page_type.blank else str(page_type.name or "") for page_type in page_types),
    )


def _iter_boxes(pages: list[Any]) -> Iterator[tuple[Any, int]]:
    """Yield the boxes of pages, except in margins, with the ``id()`` of their block's element."""
    from weasyprint.formatting_structure import boxes

    block_types = boxes.BlockLevelBox | boxes.TableCellBox | boxes.InlineBlockBox
    for page in pages:
        stack: list[tuple[Any, int]] = [(page._page_box, 0)]
        while stack:
            box, block = stack.pop()
            box = getattr(box, "_box", box)  # Absolutely positioned boxes are in a placeholder.
            if isinstance(box, boxes.MarginBox) or box.element_tag == "nav":
                continue
            # All lines of code are one block.
            is_line = box.element is not None and box.element.get("class") in _CODE_LINES
            if isinstance(box, block_types) and box.element is not None and not is_line:
                block = id(box.element)
            yield box, block
            stack.extend((child, block) for child in reversed(getattr(box, "children", ())))


#: Classes of elements added by themes: QR codes, headings of notes.
_ADDED = frozenset({"qr", "section"})


def _element_kind(element: Any) -> str:
    """Return the kind of an element in the counts, '' for none."""
    classes = set((element.get("class") or "").split())
    if classes & _ADDED:
        return ""
    is_math = "math" in classes
    match element.tag:
        case tag if tag in {"h2", "h3", "h4", "h5", "h6"}:
            return "headings"
        case "img":
            return "formulas" if is_math else "pictures"
        case "pre":
            return "code"
        case "table":
            return "tables"
        case "span" if is_math:
            return "formulas"
        case tag:
            is_footnote = "footnote" in classes and element.get("role")
            is_endnote = tag == "div" and "note" in classes and element.get("data-note") is None
            return "notes" if is_footnote or is_endnote else ""
