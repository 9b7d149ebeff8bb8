"""Font size and colour as tags and inline styles tell them, for want of a rendered page."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from ..html.index import PageIndex
from ..html.page import Page
from ..layout import Font
from .positions import Ints, Positions

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


class FontRuns(NamedTuple):
    """Runs of text in one font: the segment, the font as an index into ``fonts``, characters."""

    segment: Ints
    font: Ints
    chars: Ints
    fonts: list[Font]


def infer_font_runs(page: Page, tree: Positions) -> FontRuns:
    """Return the fonts of every segment's text."""
    changes, between, found = _changes(page.index, tree)
    first = np.searchsorted(changes, tree.at, side="right")
    last = np.searchsorted(changes, tree.until, side="right")
    same = np.flatnonzero(first == last)
    told = np.frombuffer(page.index.text_runs, dtype=np.int64).reshape(-1, 4)
    mixed = told[(first != last)[told[:, 0]]]
    return FontRuns(
        np.concatenate((same, mixed[:, 0])),
        between[np.concatenate((first[same], np.searchsorted(changes, mixed[:, 3], side="right")))],
        np.concatenate((tree.length[same], mixed[:, 2])),
        found,
    )


def _changes(outline: PageIndex, tree: Positions) -> tuple[Ints, Ints, list[Font]]:
    """Return the positions where the font changes, the fonts before, between and after them.

    These are indexes into the last, which has each font once.
    """
    positions: list[int] = []
    fonts = [Font()]
    numbers = {fonts[0]: 0}
    values = [0]
    around: list[tuple[int, int]] = []
    known: dict[tuple[str, str, str, str, int], int] = {}
    cued = [index for index, tag in enumerate(tree.tags) if tag in _CUED]
    chosen = np.array(sorted({*cued, *outline.styled}), dtype=np.int64)
    places = (each.tolist() for each in (chosen, tree.opens[chosen], tree.closes[chosen]))

    def leave(until: int) -> None:
        while around and around[-1][0] < until:
            closes, font = around.pop()
            positions.append(closes)
            values.append(font)

    for index, opens, closes in zip(*places, strict=True):
        element, tag = outline.elements[index], tree.tags[index]
        style = element.get("style")
        leave(opens)
        outer = values[-1]
        sized, colored = (element.get("size"), element.get("color")) if tag == "font" else ("", "")
        cue = (tag, style or "", sized or "", colored or "", outer)
        font = known.get(cue)
        if font is None:
            made = _apply(*cue[:4], fonts[outer])
            font = known[cue] = numbers.setdefault(made, len(fonts))
            if font == len(fonts):
                fonts.append(made)
        if font != outer:
            positions.append(opens)
            values.append(font)
            around.append((closes, outer))
    leave(len(tree.tags) * 2)
    return np.array(positions, dtype=np.int64), np.array(values), fonts


def _apply(tag: str, style: str, sized: str, colored: str, font: Font) -> Font:
    """Return the font inside an element that stands in text of another font.

    ``sized`` and ``colored`` are the attributes of ``<font>``.
    """
    size, color = font.size * _SCALE.get(tag, 1.0), font.color
    if tag == "font":
        size = _font_size(sized, size)
        color = colored.strip().lower() or color
    for declaration in style[:_LONGEST].lower().split(";"):
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


def _font_size(value: str, otherwise: float) -> float:
    """Return the size of ``<font size>``: 1 to 7, or that many steps from 3."""
    match = re.fullmatch(r"([+-]?)(\d{1,2})", value.strip())
    if not match:
        return otherwise
    step = int(match[2]) if not match[1] else 3 + int(match[1] + match[2])
    return _FONT_SIZES[min(max(step, 1), 7) - 1]
