"""The appearance of text segments: fonts, boxes and visibility.

If a browser rendered the page, they are read from its layout.  Otherwise fonts are inferred from
tags and inline styles, and boxes are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
from lxml.html import HtmlElement

from ..capture import Font, Rect, Visibility, is_visible
from ..html.index import Bools, Ints, PageIndex, Segment
from ..html.page import Page, PageLayout


class FontRuns(NamedTuple):
    """Runs of text in one font: the segment, the font as an index into ``fonts``, characters."""

    segment: Ints
    font: Ints
    chars: Ints
    fonts: list[Font]


# Rendered pages


@dataclass(frozen=True, slots=True, eq=False)
class SegmentLayout:
    """The layout of a page's segments.

    ``font_runs`` are the fonts of the visible text.  ``block_rects`` has the box of each segment's
    line-break node (for cells, which are side by side, that of the table; for items, which are
    indented, that of the list), ``text_rects`` the box around its own text; both None if no text is
    visible.  ``visibilities`` are the flags that all of its text has in common.
    """

    font_runs: FontRuns
    block_rects: Sequence[Rect | None]
    text_rects: Sequence[Rect | None]
    visibilities: Sequence[Visibility]

    @property
    def visible(self) -> Bools:
        """Which segments have any visible text."""
        return np.array([rect is not None for rect in self.text_rects], dtype=bool)


def read_segment_layout(page: Page) -> SegmentLayout | None:
    """Return the layout of a page's segments, None if the page was not rendered."""
    layout = page.layout
    if layout is None or not layout.texts:
        return None
    fonts: dict[Font, int] = {}
    runs: list[tuple[int, int, int]] = []
    block_rects: list[Rect | None] = []
    text_rects: list[Rect | None] = []
    visibilities: list[Visibility] = []
    for segment in page.segments:
        visibility, rect = _text_rect(layout, segment)
        visibilities.append(visibility)
        text_rects.append(rect)
        block_rects.append(None if rect is None else _block_rect(layout, segment, rect))
        for leaf in segment.leaves:
            text = layout.texts.get(leaf)
            if text is not None and is_visible(text.visibility):
                font = fonts.setdefault(text.font, len(fonts))
                runs.append((segment.index, font, len(leaf.text.strip())))
    columns = np.array(runs, dtype=np.int64).reshape(-1, 3).T
    font_runs = FontRuns(columns[0], columns[1], columns[2], list(fonts))
    return SegmentLayout(font_runs, block_rects, text_rects, visibilities)


def _text_rect(layout: PageLayout, segment: Segment) -> tuple[Visibility, Rect | None]:
    """Return the visibility of a segment, and the box around its visible text."""
    common = ~Visibility(0)
    rect: Rect | None = None
    for leaf in segment.leaves:
        text = layout.texts.get(leaf)
        if text is None:
            continue
        common &= text.visibility
        if is_visible(text.visibility):
            rect = text.rect if rect is None else rect.union(text.rect)
    return common, rect


def _block_rect(layout: PageLayout, segment: Segment, text_rect: Rect) -> Rect:
    box = layout.boxes.get(segment.block)
    if box is None:
        return text_rect
    for outer in _containers(segment.block, box.display):
        box = layout.boxes.get(outer, box)
    return box.rect


def _containers(block: HtmlElement, display: str) -> Iterator[HtmlElement]:
    """Yield the table of a cell, or the lists of an item from the innermost outward."""
    if display == "table-cell":
        yield from islice(block.iterancestors("table"), 1)
    elif display == "list-item":
        for ancestor in block.iterancestors():
            if ancestor.tag in {"ul", "ol"}:
                yield ancestor
            elif ancestor.tag != "li":
                return


# Fonts inferred from tags and inline styles

#: The scale of an element's font relative to its parent's in browsers' default style sheets.
_SCALE = {
    "h1": 2.0, "h2": 1.5, "h3": 1.17, "h4": 1.0, "h5": 0.83, "h6": 0.67,
    "big": 1.2, "small": 1 / 1.2, "sub": 1 / 1.2, "sup": 1 / 1.2,
}  # fmt: skip
_FONT_TAGS = frozenset({*_SCALE, "font"})
_KEYWORDS = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0,
    "x-large": 24.0, "xx-large": 32.0, "xxx-large": 48.0,
}  # fmt: skip
_RELATIVE = {"larger": 1.2, "smaller": 1 / 1.2}
_FONT_SIZES = (10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)
_UNITS = {"px": 1.0, "pt": 4 / 3, "pc": 16.0, "rem": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78}
_LENGTH = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)(px|pt|pc|rem|em|ex|in|cm|mm|%)")
_MAX_STYLE_CHARS = 2000


def infer_font_runs(page: Page) -> FontRuns:
    """Return the fonts of every segment's text, by tags and inline styles."""
    index = page.index
    changes, fonts_between, fonts = _font_changes(index)
    first = np.searchsorted(changes, index.segment_firsts, side="right")
    last = np.searchsorted(changes, index.segment_lasts, side="right")
    uniform = np.flatnonzero(first == last)
    leaves = np.frombuffer(index.text_runs, dtype=np.int64).reshape(-1, 4)
    mixed = leaves[(first != last)[leaves[:, 0]]]
    positions = np.concatenate(
        (first[uniform], np.searchsorted(changes, mixed[:, 3], side="right"))
    )
    return FontRuns(
        np.concatenate((uniform, mixed[:, 0])),
        fonts_between[positions],
        np.concatenate((index.segment_chars[uniform], mixed[:, 2])),
        fonts,
    )


def _font_changes(index: PageIndex) -> tuple[Ints, Ints, list[Font]]:
    """Return the positions of font changes; the fonts before, between and after them; all fonts.

    The second array holds indexes into the third value, which has each font once.
    """
    positions: list[int] = []
    fonts = [Font()]
    numbers = {fonts[0]: 0}
    values = [0]
    enclosing: list[tuple[int, int]] = []
    cache: dict[tuple[str, str, str, str, int], int] = {}
    tagged = [number for number, tag in enumerate(index.tags) if tag in _FONT_TAGS]
    styled_elements = np.array(sorted({*tagged, *index.styled}), dtype=np.int64)
    columns = (
        column.tolist()
        for column in (styled_elements, index.opens[styled_elements], index.closes[styled_elements])
    )

    def leave(position: int) -> None:
        while enclosing and enclosing[-1][0] < position:
            closes, font = enclosing.pop()
            positions.append(closes)
            values.append(font)

    for number, opens, closes in zip(*columns, strict=True):
        element, tag = index.elements[number], index.tags[number]
        style = element.get("style")
        leave(opens)
        outer = values[-1]
        size, color = (element.get("size"), element.get("color")) if tag == "font" else ("", "")
        key = (tag, style or "", size or "", color or "", outer)
        font = cache.get(key)
        if font is None:
            styled = _styled_font(*key[:4], fonts[outer])
            font = cache[key] = numbers.setdefault(styled, len(fonts))
            if font == len(fonts):
                fonts.append(styled)
        if font != outer:
            positions.append(opens)
            values.append(font)
            enclosing.append((closes, outer))
    leave(len(index.tags) * 2)
    return np.array(positions, dtype=np.int64), np.array(values), fonts


def _styled_font(tag: str, style: str, size_attr: str, color_attr: str, outer: Font) -> Font:
    """Return the font inside an element; ``size_attr`` and ``color_attr`` are those of <font>."""
    size, color = outer.size * _SCALE.get(tag, 1.0), outer.color
    if tag == "font":
        size = _font_tag_size(size_attr, size)
        color = color_attr.strip().lower() or color
    for declaration in style[:_MAX_STYLE_CHARS].lower().split(";"):
        name, _, value = declaration.partition(":")
        name, value = name.strip(), value.replace("!important", "").strip()
        if name == "color" and value not in {"", "inherit", "unset", "currentcolor"}:
            color = value.replace(" ", "")
        elif name in {"font-size", "font"}:
            size = _css_size(value, outer.size, size)
    return Font(round(min(size, 1000.0), 1), color)


def _css_size(value: str, outer: float, default: float) -> float:
    """Return the size in a value of ``font-size`` or ``font``, in CSS pixels."""
    match = _LENGTH.search(value)
    if match:
        number, unit = float(match[1]), match[2]
        share = {"em": 1.0, "ex": 0.5, "%": 0.01}.get(unit)
        return number * (outer * share if share else _UNITS[unit])
    for word in value.split():
        if word in _KEYWORDS:
            return _KEYWORDS[word]
        if word in _RELATIVE:
            return outer * _RELATIVE[word]
    return default


def _font_tag_size(value: str, default: float) -> float:
    """Return the size of ``<font size>``: 1 to 7, or that many steps from 3."""
    match = re.fullmatch(r"([+-]?)(\d{1,2})", value.strip())
    if not match:
        return default
    step = int(match[2]) if not match[1] else 3 + int(match[1] + match[2])
    return _FONT_SIZES[min(max(step, 1), 7) - 1]
