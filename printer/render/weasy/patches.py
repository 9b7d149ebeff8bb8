"""Titles in lines of like length, so that no last word stands alone in a line of its own.

WeasyPrint has no ``text-wrap: balance``.  So, before it lays out what has the class ``balanced``,
the box is made as narrow as it can be without another line, if it takes two lines to four.
Of WeasyPrint's inside this module knows ``block_container_layout``, which lays out a block whose
width is known, and ``split_first_line``, which cuts a line off a text.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from ..between import come_between

#: A box of WeasyPrint's tree.
Box: TypeAlias = Any

#: What takes more lines is left as it is.
MOST_LINES = 4

#: The width is found to this part of it.
CLOSE = 0.01


def install() -> None:
    """Come between WeasyPrint and its blocks, once; what is not marked is not touched."""
    from weasyprint.layout import block

    def make(original: Any) -> Any:
        def layout(context: Any, box: Box, *rest: Any, **more: Any) -> Any:
            if box.element is not None and "balanced" in (box.element.get("class") or "").split():
                _narrow(context, box)
            return original(context, box, *rest, **more)

        return layout

    come_between(block, "block_container_layout", make)


def _narrow(context: Any, box: Box) -> None:
    """Make a box as narrow as its text allows in as many lines, at its own side of the page."""
    text = " ".join("".join(box.element.itertext()).split())
    wide = box.width
    lines = _lines(text, box, context, wide)
    if not 1 < lines <= MOST_LINES:
        return
    low, high = wide / lines, wide
    while high - low > CLOSE * wide:
        middle = (low + high) / 2
        if _lines(text, box, context, middle) <= lines:
            high = middle
        else:
            low = middle
    box.width = min(wide, high + 1)  # what it is set in may be a hair wider than what was measured
    spared = wide - box.width
    if box.style["text_align_all"] == "center":
        box.position_x += spared / 2
    elif box.style["direction"] == "rtl":
        box.position_x += spared


def _lines(text: str, box: Box, context: Any, width: float) -> int:
    """Count the lines that a text takes in a width, or stop at one too many."""
    from weasyprint.text.line_break import split_first_line

    rest = text.encode()
    for count in range(1, MOST_LINES + 2):
        _, _, resume, wide, _, _ = split_first_line(rest.decode(), box.style, context, width, 0)
        if wide > width + 1:
            return MOST_LINES + 1  # a word that does not fit
        if resume is None:
            return count
        rest = rest[resume:].lstrip()
    return MOST_LINES + 1
