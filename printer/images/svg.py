"""SVG drawings made safe: only shapes, text and colours are left.

Elements and attributes are kept by an allow list.  Addresses may only name a part of the same
drawing, or be a raster picture inside it, which is decoded and encoded again like any other.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree
from tinycss2 import color4

from ..output import Picture
from .raster import UnusablePicture

SVG = "http://www.w3.org/2000/svg"
XLINK = "{http://www.w3.org/1999/xlink}href"

MAX_BYTES = 3_000_000
#: Elements that are drawn, counting each use of a part again.
MAX_DRAWN = 30_000
MAX_RASTERS = 20

ELEMENTS = frozenset(
    "svg g defs symbol use path rect circle ellipse line polyline polygon text tspan "  # noqa: SIM905
    "textPath "
    "title desc linearGradient radialGradient stop clipPath mask pattern marker image style "
    "switch a".split()
)

#: Attributes that hold no address and no script; what begins with ``on`` is not among them.
ATTRIBUTES = frozenset(
    "id class style transform viewBox width height x y x1 y1 x2 y2 cx cy r rx ry fx fy "  # noqa: SIM905
    "d points "
    "dx dy rotate textLength lengthAdjust startOffset preserveAspectRatio gradientUnits "
    "gradientTransform spreadMethod offset patternUnits patternContentUnits patternTransform "
    "clipPathUnits maskUnits maskContentUnits markerUnits markerWidth markerHeight refX refY "
    "orient pathLength fill fill-opacity fill-rule stroke stroke-width stroke-opacity "
    "stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset opacity "
    "color display visibility overflow clip-path clip-rule mask marker marker-start marker-mid "
    "marker-end font-family font-size font-style font-weight font-variant font-stretch "
    "text-anchor text-decoration letter-spacing word-spacing dominant-baseline "
    "alignment-baseline baseline-shift stop-color stop-opacity vector-effect paint-order "
    "shape-rendering text-rendering image-rendering direction unicode-bidi "
    "writing-mode".split()
)

_URL = re.compile(r"url\(\s*['\"]?([^'\")]*)", re.IGNORECASE)
_REFERENCE = re.compile(r"#([\w.:-]{1,200})")
_NUMBER = re.compile(r"\s*([+]?(?:[0-9]{1,7}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}))\s*([a-z%]{0,4})\s*")
_AT_RULE = re.compile(
    r"@(?:import|charset|namespace)[^;{}]*;|@font-face\s*\{[^{}]*\}", re.IGNORECASE
)
_RASTER = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif|bmp);base64,", re.IGNORECASE)
_UNITS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}

#: Prepares a raster picture that stands inside a drawing.
Rasterise = Callable[[bytes], Picture]


def looks_like_svg(data: bytes) -> bool:
    """Say whether bytes are an SVG file, whatever they were called."""
    start = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    return start.startswith(b"<") and b"<svg" in start.lower() and b"<html" not in start.lower()


def prepare_svg(source: bytes | str, rasterise: Rasterise, *, grey: bool = False) -> Picture:
    """Return a drawing made safe, in grey on request; raises :class:`Unusable`.

    Its width and height are CSS pixels, from its own size or else its view box.
    """
    root = _parse(source)
    _clean(root, _Rasters(rasterise))
    if grey:
        grey_drawing(root)
    if _drawn(root) > MAX_DRAWN:
        raise UnusablePicture("draws too many shapes")
    width, height = _size(root)
    root.set("width", f"{width:g}")
    root.set("height", f"{height:g}")
    if not any(True for _ in root.iter(f"{{{SVG}}}*")) or len(root) == 0:
        raise UnusablePicture("is an empty drawing")
    data = etree.tostring(root, encoding="utf-8")
    return Picture(data, "image/svg+xml", max(1, round(width)), max(1, round(height)))


def svg_size(source: bytes) -> tuple[float, float]:
    """Return a drawing's width and height in CSS pixels; raises :class:`Unusable`."""
    return _size(_parse(source))


def _parse(source: bytes | str) -> Any:
    data = source.encode("utf-8", "replace") if isinstance(source, str) else source
    if len(data) > MAX_BYTES:
        raise UnusablePicture(f"is a drawing of more than {MAX_BYTES // 1_000_000} MB")
    start = data.find(b"<svg")
    head = data[start : data.find(b">", start) + 1]
    if start >= 0 and b"xmlns=" not in head and isinstance(source, str):
        # A drawing cut from HTML, where the namespace goes without saying.
        data = b'<svg xmlns="%s"' % SVG.encode() + data[start + 4 :]
    if start >= 0 and b"xlink:" in data and b"xmlns:xlink" not in data:
        data = data.replace(b"<svg", b'<svg xmlns:xlink="%s"' % XLINK[1:-5].encode(), 1)
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        recover=isinstance(source, str),
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnusablePicture(f"is not sound XML: {str(error)[:80]}") from error
    if root is None or root.tag != f"{{{SVG}}}svg":
        raise UnusablePicture("is not an SVG drawing")
    root.tail = None
    return root


@dataclass(slots=True)
class _Rasters:
    """Turns pictures inside a drawing into prepared ones, a bounded number of them."""

    rasterise: Rasterise
    seen: int = 0

    def address(self, href: str) -> str:
        match = _RASTER.match(href)
        self.seen += 1
        if match is None or self.seen > MAX_RASTERS:
            return ""
        try:
            picture = self.rasterise(base64.b64decode(href[match.end() :]))
        except (binascii.Error, ValueError, UnusablePicture):
            return ""
        text = base64.b64encode(picture.data).decode("ascii")
        return f"data:{picture.media_type};base64,{text}"


def _clean(root: Any, rasters: _Rasters) -> None:
    """Drop every element and attribute that is not on the lists."""
    dropped: list[Any] = []
    for element in root.iter():
        name = _local(element)
        if name not in ELEMENTS:
            dropped.append(element)
        elif name == "style":
            element.text = _style(element.text or "")
            element.attrib.clear()  # it has an onload, as a script has
        else:
            _clean_attributes(element, name, rasters)
            if name == "image" and not element.get(XLINK):
                dropped.append(element)
    for element in dropped:
        _drop(element)


def _drop(element: Any) -> None:
    """Remove an element with all it holds; the text after it stays."""
    parent = element.getparent()
    if parent is None:
        raise UnusablePicture("is not an SVG drawing")
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _clean_attributes(element: Any, name: str, rasters: _Rasters) -> None:
    href = (element.get("href") or element.get(XLINK) or "").strip()
    for key in list(element.attrib):
        if key not in ATTRIBUTES or not _is_safe(element.attrib[key]):
            del element.attrib[key]
    if name == "image":
        href = rasters.address(href)
    elif not href.startswith("#") or name == "a":
        href = ""
    if href:
        element.set(XLINK, href)


def _is_safe(value: str) -> bool:
    """Say whether an attribute's value names nothing outside the drawing."""
    if "\\" in value or "/*" in value or "@" in value:
        return False  # an escape or a comment can hide an address
    return all(target.strip().startswith("#") for target in _URL.findall(value))


def _style(css: str) -> str:
    """Return a style sheet without rules that load anything; '' when that cannot be told."""
    css = _AT_RULE.sub("", re.sub(r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/", "", css))
    return css if _is_safe(css) and len(css) <= 200_000 else ""


def _local(element: Any) -> str:
    """Return an SVG element's name, '' for anything else."""
    tag = element.tag
    prefix = f"{{{SVG}}}"
    return tag.removeprefix(prefix) if isinstance(tag, str) and tag.startswith(prefix) else ""


def _drawn(root: Any) -> int:
    """Count what is drawn when every reference is followed; raises for one that holds itself."""
    named = {element.get("id"): element for element in root.iter() if element.get("id")}
    uses = defaultdict(list)
    order = list(root.iter())
    for element in order:
        for target in _targets(element):
            if target in named:
                uses[element].append(named[target])
    # Children come after their parents in document order but references may point anywhere, so
    # the sum is taken depth first, with an explicit stack: drawings may be nested deeply.
    counts: dict[Any, int] = {}
    entered: set[Any] = set()
    stack = [root]
    while stack:
        element = stack[-1]
        parts = [*element, *uses[element]]
        waiting = [part for part in parts if part not in counts]
        if waiting and element not in entered:
            entered.add(element)
            if any(part in entered for part in waiting):
                raise UnusablePicture("is a drawing that holds itself")
            stack.extend(waiting)
            continue
        stack.pop()
        entered.discard(element)
        weight = 1 + len(element.get("d", "")) // 2000
        counts[element] = min(weight + sum(counts.get(part, 0) for part in parts), 10**9)
    return counts[root]


def _targets(element: Any) -> Iterator[str]:
    """Yield the ids of the parts that an element draws."""
    for value in element.attrib.values():
        if "#" in value and not value.startswith("data:"):
            yield from _REFERENCE.findall(value[:1000])


def _size(root: Any) -> tuple[float, float]:
    """Return the drawing's size in CSS pixels."""
    box = _view_box(root)
    width, height = _length(root.get("width")), _length(root.get("height"))
    if box and width and not height:
        height = width * box[1] / box[0]
    elif box and height and not width:
        width = height * box[0] / box[1]
    elif box and not width:
        width, height = box
    width, height = width or 300.0, height or 150.0
    if not box:
        root.set("viewBox", f"0 0 {width:g} {height:g}")
    if min(width, height) < 1 or max(width, height) > 100_000:
        raise UnusablePicture(f"is a drawing of {width:g} × {height:g} pixels")
    return width, height


def _view_box(root: Any) -> tuple[float, float] | None:
    try:
        numbers = [float(n) for n in re.split(r"[\s,]+", root.get("viewBox", "").strip()[:200])]
    except ValueError:
        numbers = []
    if len(numbers) == 4 and all(map(math.isfinite, numbers)) and min(numbers[2:]) > 0:
        return numbers[2], numbers[3]
    root.attrib.pop("viewBox", None)
    return None


def _length(text: str | None) -> float:
    match = _NUMBER.fullmatch(text or "")
    return float(match[1]) * _UNITS.get(match[2], 0.0) if match else 0.0


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
