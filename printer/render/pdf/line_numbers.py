"""Line numbers in the margin, which CSS has not: drawn over the pages from where the lines came.

They are artefacts of the page: a screen reader passes them by, and the text stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any, TypeAlias

#: A page or a part of one, as WeasyPrint laid it out.
Box: TypeAlias = Any

#: What is not running text has no numbered lines.
APART = ("figure", "table", "pre", "aside", "header", "nav")

_STYLE = """
@page {{ size: {width}px {height}px; margin: 0 }}
body {{ margin: 0 }}
div {{ position: relative; height: {height}px; break-after: page }}
div:last-child {{ break-after: auto }}
span {{ position: absolute; left: 0; text-align: right; color: #595959;
  font: 8pt "Linux Libertine O", "Noto Serif", serif; font-variant-numeric: lining-nums }}
"""


def number_lines(pdf: bytes, pages: list[Any], every: int) -> bytes:
    """Return the PDF with every line of a multiple of ``every`` numbered, counted to its end."""
    import pikepdf
    import weasyprint

    boxes = [page._page_box for page in pages]
    first = boxes[0]
    height = first.margin_height()
    style = _STYLE.format(width=first.margin_width(), height=height)
    divs = "".join(f"<div>{''.join(spans)}</div>" for spans in _numbers(boxes, every))
    drawn = weasyprint.HTML(string=f"<style>{style}</style>{divs}").write_pdf()
    with pikepdf.open(BytesIO(pdf)) as document, pikepdf.open(BytesIO(drawn)) as numbers:
        for index, (page, over) in enumerate(zip(document.pages, numbers.pages, strict=True)):
            if page.mediabox[3] != over.mediabox[3]:
                continue  # a page on its side holds a table
            if "/XObject" not in page.Resources:
                page.Resources.XObject = pikepdf.Dictionary()
            form = document.copy_foreign(over.as_form_xobject())
            # All pages may have their resources in common, so each has a name of its own in them.
            name = f"/LineNumbers{index}"
            page.Resources.XObject[name] = form
            page.contents_add(b"q", prepend=True)
            page.contents_add(f"Q /Artifact BMC q {name} Do Q EMC".encode())
        target = BytesIO()
        document.save(target, deterministic_id=True)
        return target.getvalue()


def _numbers(boxes: list[Box], every: int) -> Iterator[list[str]]:
    """Yield, page by page, the numbers to draw as HTML."""
    count = 0
    for box in boxes:
        spans = []
        seen: set[int] = set()
        for line in _lines(box.children[0]):
            # Two cells side by side, or a list's sign and its text, are one line.
            if round(line.position_y) in seen or not line.width:
                continue
            seen.add(round(line.position_y))
            count += 1
            if count % every == 0:
                width = box.content_box_x() - 16
                place = f"top: {line.position_y:.2f}px; width: {width:.2f}px"
                spans.append(
                    f'<span style="{place}; line-height: {line.height:.2f}px">{count}</span>'
                )
        yield spans


def _lines(box: Box) -> Iterator[Box]:
    """Yield the lines of running text, down the page."""
    from weasyprint.formatting_structure.boxes import LineBox

    for child in box.children:
        child = getattr(child, "_box", child)
        if isinstance(child, LineBox):
            yield child
        elif child.element_tag not in APART and getattr(child, "children", None):
            yield from _lines(child)
