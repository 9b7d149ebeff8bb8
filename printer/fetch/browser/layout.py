"""Parse the layout that the page's script reports (see serialize.js)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from ...layout import ElementBox, Font, Layout, PictureBox, Rect, TextBox, Visibility

#: The maximum number of elements, text leaves and pictures; larger pages are read without a layout.
MAX_BOXES = 60_000

_visibility = cache(Visibility)


def parse_layout(data: Any, id_attribute: str) -> Layout | None:
    """Return the layout in the script's report, None if it has none."""
    if not isinstance(data, dict):
        return None
    fonts = list(map(_parse_font, data["fonts"]))
    displays: list[str] = data["displays"]
    boxes = {
        number: ElementBox(Rect(*rect), displays[display], _visibility(visibility))
        for number, display, *rect, visibility in _rows(data["boxes"], 7)
    }
    texts: dict[tuple[int, bool], TextBox] = {}
    for number, tail, font, *rect, visibility in _rows(data["texts"], 8):
        text = TextBox(Rect(*rect), fonts[font], _visibility(visibility))
        earlier = texts.get((number, bool(tail)))
        texts[number, bool(tail)] = text if earlier is None else _join(earlier, text)
    rows = zip(_rows(data["graphics"], 9), data["sources"], strict=True)
    pictures = {
        number: PictureBox(
            Rect(*rect), source, width, height, bool(background), _visibility(visibility)
        )
        for (number, background, width, height, *rect, visibility), source in rows
    }
    return Layout(
        id_attribute, data["width"], data["height"], data["view"],
        boxes=boxes, texts=texts, pictures=pictures,
    )  # fmt: skip


def _rows(numbers: list[int], width: int) -> Iterable[tuple[int, ...]]:
    """Split a flat list into rows."""
    iterator = iter(numbers)
    return zip(*[iterator] * width, strict=True)


def _parse_font(text: str) -> Font:
    size, color, weight = text.split("|")
    return Font(float(size), color, int(float(weight)))


def _join(one: TextBox, other: TextBox) -> TextBox:
    """Join two parts of a text leaf that were separated by omitted content."""
    if other.visibility & ~one.visibility:  # The visible part counts.
        return one
    if one.visibility & ~other.visibility:
        return other
    a, b = one.rect, other.rect
    rect = Rect(min(a.left, b.left), min(a.top, b.top),
                max(a.right, b.right), max(a.bottom, b.bottom))  # fmt: skip
    return one._replace(rect=rect)
