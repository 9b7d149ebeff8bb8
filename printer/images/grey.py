"""The colours in a drawing's source made grey."""

from __future__ import annotations

import re
from typing import Any

from tinycss2 import color4

#: Attributes of SVG that hold a colour, and so do CSS properties of the same names.
_COLOURED = ("fill", "stroke", "stop-color", "color")

_DECLARED = re.compile(
    r"((?:^|[;{\s])(?:fill|stroke|stop-color|color)\s{0,9}:\s{0,9})([^;}!]{1,100})", re.IGNORECASE
)


def grey_drawing(root: Any) -> None:
    """Take the colours out of a drawing's attributes, styles and style sheets."""
    for element in root.iter():
        for name in _COLOURED:
            value = element.get(name)
            if value:
                element.set(name, _grey(value))
        style = element.get("style")
        if style:
            element.set("style", _in_css(style))
        if isinstance(element.tag, str) and element.tag.endswith("}style") and element.text:
            element.text = _in_css(element.text)


def _in_css(css: str) -> str:
    return _DECLARED.sub(lambda match: match[1] + _grey(match[2]), css)


def _grey(value: str) -> str:
    """Return a colour's grey of the same lightness; what names no colour stays."""
    text = value.strip()[:100]
    reference, bracket, fallback = (
        text.rpartition(")") if text.startswith("url(") else ("", "", text)
    )
    try:
        color = color4.parse_color(fallback.strip())
        red, green, blue = color.to("srgb").coordinates
    except (AttributeError, NotImplementedError, ValueError):
        return value  # no colour, one that is set elsewhere, or in a space that is not drawn either
    level = round(255 * (0.299 * red + 0.587 * green + 0.114 * blue))
    grey = f"rgba({level},{level},{level},{color.alpha:g})"
    return f"{reference}{bracket} {grey}" if bracket else grey
