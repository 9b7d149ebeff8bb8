"""Font size and colour as tags and inline styles tell them, for want of a rendered page."""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

import numpy as np
from lxml.etree import XPath
from lxml.html import HtmlElement

from ..dom.page import Page
from .positions import Ints, Positions


class Font(NamedTuple):
    """A font's size in CSS pixels, and its colour ('' where nothing sets one)."""

    size: float = 16.0
    color: str = ""


#: How much larger than around it a browser's own style sheet sets an element's text.
_SCALE = {
    "h1": 2.0, "h2": 1.5, "h3": 1.17, "h4": 1.0, "h5": 0.83, "h6": 0.67,
    "big": 1.2, "small": 1 / 1.2, "sub": 1 / 1.2, "sup": 1 / 1.2,
}  # fmt: skip
_CUED = frozenset({*_SCALE, "font"})

_KEYWORDS = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0,
    "x-large": 24.0, "xx-large": 32.0, "xxx-large": 48.0,
}  # fmt: skip
_RELATIVE = {"larger": 1.2, "smaller": 1 / 1.2}
_FONT_SIZES = (10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)
_UNITS = {"px": 1.0, "pt": 4 / 3, "pc": 16.0, "rem": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78}
_LENGTH = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)(px|pt|pc|rem|em|ex|in|cm|mm|%)")
_LONGEST = 2000
_styled = XPath("descendant-or-self::*[@style]")

Runs: TypeAlias = list[list[tuple[Font, int]]]


def fonts(page: Page, tree: Positions) -> Runs:
    """Return for each segment the fonts of its text and the characters in each."""
    changes, values = _changes(page, tree)
    first = np.searchsorted(changes, tree.at, side="right").tolist()
    last = np.searchsorted(changes, tree.until, side="right").tolist()
    runs: Runs = []
    for segment, one, other, length in zip(
        page.segments, first, last, tree.length.tolist(), strict=True
    ):
        if one == other:
            runs.append([(values[one], length)])
            continue
        texts = [(leaf, len(leaf.text.strip())) for leaf in segment.leaves]
        places = np.searchsorted(changes, [tree.place(leaf) for leaf, _ in texts], side="right")
        runs.append([
            (values[place], chars)
            for place, (_, chars) in zip(places.tolist(), texts, strict=True)
            if chars
        ])  # fmt: skip
    return runs


def _changes(page: Page, tree: Positions) -> tuple[Ints, list[Font]]:
    """Return the positions where the font changes, and the fonts before, between and after."""
    cued = {index for index, tag in enumerate(tree.tags) if tag in _CUED}
    cued.update(index for index, each in enumerate(tree.elements) if "style" in each.attrib)
    positions: list[int] = []
    values = [Font()]
    around: list[tuple[int, Font]] = []

    def leave(until: int) -> None:
        while around and around[-1][0] < until:
            closes, font = around.pop()
            positions.append(closes)
            values.append(font)

    for index in sorted(cued):
        opens, closes = int(tree.opens[index]), int(tree.closes[index])
        leave(opens)
        outer = values[-1]
        font = _apply(tree.elements[index], tree.tags[index], outer)
        if font != outer:
            positions.append(opens)
            values.append(font)
            around.append((closes, outer))
    leave(len(tree.tags) * 2)
    return np.array(positions, dtype=np.int64), values


def _apply(element: HtmlElement, tag: str, font: Font) -> Font:
    """Return the font inside an element that stands in text of another font."""
    size, color = font.size * _SCALE.get(tag, 1.0), font.color
    if tag == "font":
        size = _font_size(element.get("size"), size)
        color = (element.get("color") or color).strip().lower()
    for declaration in (element.get("style") or "")[:_LONGEST].lower().split(";"):
        name, _, value = declaration.partition(":")
        name, value = name.strip(), value.replace("!important", "").strip()
        if name == "color" and value not in {"", "inherit", "unset", "currentcolor"}:
            color = value.replace(" ", "")
        elif name in {"font-size", "font"}:
            size = _size(value, font.size, size)
    return Font(round(min(size, 1000.0), 1), color)


def _size(value: str, around: float, otherwise: float) -> float:
    """Return the size that a value of ``font-size`` or ``font`` sets."""
    match = _LENGTH.search(value)
    if match:
        number, unit = float(match[1]), match[2]
        share = {"em": 1.0, "ex": 0.5, "%": 0.01}.get(unit)
        return number * (around * share if share else _UNITS[unit])
    for word in value.split():
        if word in _KEYWORDS:
            return _KEYWORDS[word]
        if word in _RELATIVE:
            return around * _RELATIVE[word]
    return otherwise


def _font_size(value: str | None, otherwise: float) -> float:
    """Return the size of ``<font size>``: 1 to 7, or that many steps from 3."""
    match = re.fullmatch(r"([+-]?)(\d{1,2})", (value or "").strip())
    if not match:
        return otherwise
    step = int(match[2]) if not match[1] else 3 + int(match[1] + match[2])
    return _FONT_SIZES[min(max(step, 1), 7) - 1]
