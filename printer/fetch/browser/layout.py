"""What the browser tells of the layout, as the value that other stages read (see serialise.js)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from ...layout import ElementBox, Font, Layout, PictureBox, Rect, TextBox, Visibility

#: Elements, text leaves and pictures told about at most; a page of more is read without a layout.
MOST = 60_000

_sight = cache(Visibility)


def read_layout(told: Any, mark: str) -> Layout | None:
    """Return the layout that the page's script told, None when it told none."""
    if not isinstance(told, dict):
        return None
    fonts = [_font(each) for each in told["fonts"]]
    displays: list[str] = told["displays"]
    boxes = {
        number: ElementBox(Rect(*rect), displays[display], _sight(sight))
        for number, display, *rect, sight in _rows(told["boxes"], 7)
    }
    texts: dict[tuple[int, bool], TextBox] = {}
    for number, tail, font, *rect, sight in _rows(told["texts"], 8):
        text = TextBox(Rect(*rect), fonts[font], _sight(sight))
        before = texts.get((number, bool(tail)))
        texts[number, bool(tail)] = text if before is None else _both(before, text)
    rows = zip(_rows(told["graphics"], 9), told["sources"], strict=True)
    graphics = {
        number: PictureBox(Rect(*rect), source, width, height, bool(background), _sight(sight))
        for (number, background, width, height, *rect, sight), source in rows
    }
    return Layout(
        mark, told["width"], told["height"], told["view"],
        boxes=boxes, texts=texts, pictures=graphics,
    )  # fmt: skip


def _rows(numbers: list[int], width: int) -> Iterable[tuple[int, ...]]:
    """Part a flat list into rows."""
    each = iter(numbers)
    return zip(*[each] * width, strict=True)


def _font(told: str) -> Font:
    size, color, weight = told.split("|")
    return Font(float(size), color, int(float(weight)))


def _both(one: TextBox, other: TextBox) -> TextBox:
    """Join two pieces of one leaf: the page had something between them that was left out."""
    if other.visibility & ~one.visibility:  # What is seen counts.
        return one
    if one.visibility & ~other.visibility:
        return other
    a, b = one.rect, other.rect
    rect = Rect(min(a.left, b.left), min(a.top, b.top),
                max(a.right, b.right), max(a.bottom, b.bottom))  # fmt: skip
    return one._replace(rect=rect)
