"""Line numbers in the margin, which CSS does not have, drawn over the pages.

They are artifacts: screen readers skip them, and the text is unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any, TypeAlias

#: A box of WeasyPrint's tree.
Box: TypeAlias = Any

#: Elements whose lines are not numbered.
UNNUMBERED = ("figure", "table", "pre", "aside", "header", "nav")

#: Pixels between a number and the text.
DISTANCE = 16

_CSS = """
@page {{ size: {width}px {height}px; margin: 0 }}
body {{ margin: 0 }}
div {{ position: relative; height: {height}px; break-after: page }}
div:last-child {{ break-after: auto }}
span {{ position: absolute; left: 0; text-align: right; color: #595959;
  font: 8pt "Linux Libertine O", "Noto Serif", serif; font-variant-numeric: lining-nums }}
"""


def number_lines(pdf: bytes, pages: list[Any], interval: int) -> bytes:
    """Return a PDF with every ``interval``-th line numbered."""
    import pikepdf
    import weasyprint

    boxes = [page._page_box for page in pages]
    css = _CSS.format(width=boxes[0].margin_width(), height=boxes[0].margin_height())
    divs = "".join(f"<div>{''.join(spans)}</div>" for spans in _number_spans(boxes, interval))
    overlay_pdf = weasyprint.HTML(string=f"<style>{css}</style>{divs}").write_pdf()
    with pikepdf.open(BytesIO(pdf)) as document, pikepdf.open(BytesIO(overlay_pdf)) as overlays:
        pairs = zip(document.pages, overlays.pages, strict=True)
        for index, (page, overlay) in enumerate(pairs):
            if page.mediabox[3] != overlay.mediabox[3]:
                continue  # A rotated page has a table.
            if "/XObject" not in page.Resources:
                page.Resources.XObject = pikepdf.Dictionary()
            # Pages may share their resources, so each overlay needs its own name.
            name = f"/LineNumbers{index}"
            page.Resources.XObject[name] = document.copy_foreign(overlay.as_form_xobject())
            page.contents_add(b"q", prepend=True)
            page.contents_add(f"Q /Artifact BMC q {name} Do Q EMC".encode())
        target = BytesIO()
        document.save(target, deterministic_id=True)
        return target.getvalue()


def _number_spans(pages: list[Box], interval: int) -> Iterator[list[str]]:
    """Yield the numbers of each page as HTML."""
    count = 0
    for page in pages:
        spans = []
        # Adjacent cells, or a list marker and its text, are one line.
        tops: set[int] = set()
        for line in _iter_lines(page.children[0]):
            top = round(line.position_y)
            if top in tops or not line.width:
                continue
            tops.add(top)
            count += 1
            if count % interval == 0:
                width = page.content_box_x() - DISTANCE
                style = f"top: {line.position_y:.2f}px; width: {width:.2f}px"
                style += f"; line-height: {line.height:.2f}px"
                spans.append(f'<span style="{style}">{count}</span>')
        yield spans


def _iter_lines(box: Box) -> Iterator[Box]:
    """Yield the lines of running text from top to bottom."""
    from weasyprint.formatting_structure.boxes import LineBox

    for child in box.children:
        child = getattr(child, "_box", child)
        if isinstance(child, LineBox):
            yield child
        elif child.element_tag not in UNNUMBERED and getattr(child, "children", None):
            yield from _iter_lines(child)
