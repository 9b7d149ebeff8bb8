"""Sanitizing of SVG drawings: only shapes, text and colors are kept.

``svg.json`` lists the allowed elements and attributes.  A URL may only refer to a part of the same
drawing, or contain a raster picture, which is decoded and encoded again like any other.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import tinycss2
from lxml import etree
from tinycss2 import color4

from ..files import load_json
from ..html.parse import xml_parser
from ..output import Picture
from .raster import UnusablePicture

SVG = "http://www.w3.org/2000/svg"
#: The longest value of an attribute or property that is not a list of numbers or a style:
#: WeasyPrint's time to read a transformation grows with the square of its length.
MAX_VALUE_CHARS = 1_000
#: Prepares a raster picture inside a drawing.
PrepareRaster = Callable[[bytes], Picture]


def looks_like_svg(data: bytes) -> bool:
    start = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    return start.startswith(b"<") and b"<svg" in start.lower() and b"<html" not in start.lower()


#: The most elements drawn, counting each use of a part; ten letters count as one.
MAX_DRAWN = 30_000
#: The most steps in which the elements are compared with the selectors, about 5 seconds' worth.
MAX_MATCHING_STEPS = 50_000_000


def prepare_svg(source: bytes | str, raster: PrepareRaster, *, grayscale: bool = False) -> Picture:
    """Return a sanitized drawing, sized in CSS pixels by its own size or its view box.

    ``source`` is a file or the markup of an inline SVG; ``raster`` prepares the raster pictures
    inside.  Raise :class:`UnusablePicture`.
    """
    root = _parse(source)
    _sanitize(root, raster)
    if grayscale:
        _remove_colors(root)
    if _count_drawn(root) > MAX_DRAWN:
        raise UnusablePicture("draws too many shapes")
    if _count_matching_steps(root) > MAX_MATCHING_STEPS:
        raise UnusablePicture("has too many style rules")
    width, height = _size(root)
    root.set("width", f"{width:g}")
    root.set("height", f"{height:g}")
    if len(root) == 0:
        raise UnusablePicture("is an empty drawing")
    data = etree.tostring(root, encoding="utf-8")
    return Picture(data, "image/svg+xml", max(1, round(width)), max(1, round(height)))


def svg_size(source: bytes) -> tuple[float, float]:
    """Return a drawing's size in CSS pixels; raise :class:`UnusablePicture` if it has none."""
    return _size(_parse(source))


XLINK = "{http://www.w3.org/1999/xlink}href"
MAX_BYTES = 3_000_000


def _parse(source: bytes | str) -> Any:
    data = source.encode("utf-8", "replace") if isinstance(source, str) else source
    if len(data) > MAX_BYTES:
        raise UnusablePicture(f"is a drawing of more than {MAX_BYTES // 1_000_000} MB")
    start = data.find(b"<svg")
    head = data[start : data.find(b">", start) + 1]
    if start >= 0 and b"xmlns=" not in head and isinstance(source, str):
        # In HTML the namespace is implied.
        data = b'<svg xmlns="%s"' % SVG.encode() + data[start + 4 :]
    if start >= 0 and b"xlink:" in data and b"xmlns:xlink" not in data:
        data = data.replace(b"<svg", b'<svg xmlns:xlink="%s"' % XLINK[1:-5].encode(), 1)
    parser = xml_parser(remove_comments=True, remove_pis=True, recover=isinstance(source, str))
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnusablePicture(f"is not well-formed XML: {str(error)[:80]}") from error
    if root is None or root.tag != f"{{{SVG}}}svg":
        raise UnusablePicture("is not an SVG drawing")
    root.tail = None
    return root


MAX_RASTERS = 20
_ALLOWED = load_json(__file__, "svg.json")
ELEMENTS = frozenset(_ALLOWED["elements"])
#: Attributes that contain neither a URL nor a script; none begins with ``on``.
ATTRIBUTES = frozenset(_ALLOWED["attributes"])
#: Declarations whose values the engine does not support and treats as 0.
_CSS_WIDE = re.compile(r"[a-z-]{1,40}\s*:\s*(?:initial|inherit|revert|unset)\s*(?:;|$)")
_RASTER = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif|bmp);base64,", re.IGNORECASE)


def _sanitize(root: Any, raster: PrepareRaster) -> None:
    """Remove every element and attribute that is not allowed."""
    removed: list[Any] = []
    rasters = 0
    for element in root.iter():
        name = _local_name(element)
        if name not in ELEMENTS:
            removed.append(element)
        elif name == "style":
            element.text = _sanitize_css(element.text or "")
            element.attrib.clear()  # also removes onload and the like
        else:
            href = (element.get("href") or element.get(XLINK) or "").strip()
            for key, value in element.attrib.items():
                if key not in ATTRIBUTES or not _is_safe(value) or _is_too_long(key, value):
                    del element.attrib[key]
                elif key == "style":
                    element.set(key, _CSS_WIDE.sub("", value))
            if name == "image":
                rasters += 1
                href = _sanitize_raster(href, raster) if rasters <= MAX_RASTERS else ""
                if not href:
                    removed.append(element)
            if href and name != "a" and (name == "image" or href.startswith("#")):
                element.set(XLINK, href)
    for element in removed:
        _remove(element)


def _sanitize_raster(href: str, raster: PrepareRaster) -> str:
    """Return a raster picture encoded again as a data: URL, '' if it cannot be used."""
    match = _RASTER.match(href)
    if match is None:
        return ""
    try:
        picture = raster(base64.b64decode(href[match.end() :]))
    except (binascii.Error, ValueError, UnusablePicture):
        return ""
    return f"data:{picture.media_type};base64,{base64.b64encode(picture.data).decode('ascii')}"


def _remove(element: Any) -> None:
    """Remove an element and its content, but keep the text after it."""
    parent = element.getparent()
    if parent is None:
        raise UnusablePicture("is not an SVG drawing")
    if element.tail:
        previous = element.getprevious()
        if previous is not None:
            previous.tail = (previous.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)


_URL = re.compile(r"url\(\s*['\"]?([^'\")]*)", re.IGNORECASE)


def _is_safe(value: str) -> bool:
    """Return whether a value refers to nothing outside the drawing."""
    if "\\" in value or "/*" in value or "@" in value:
        return False  # escapes and comments can hide a URL
    return all(target.strip().startswith("#") for target in _URL.findall(value))


#: Attributes whose values may be long.
_LONG = frozenset({"d", "points", "x", "y", "dx", "dy", "rotate", "class"})
_LONG_PROPERTY = re.compile(f"[^;{{}}]{{{MAX_VALUE_CHARS + 1}}}")


def _is_too_long(name: str, value: str) -> bool:
    if name == "style":
        return _LONG_PROPERTY.search(value) is not None
    return len(value) > MAX_VALUE_CHARS and name not in _LONG


#: An at-rule with its block, such as the colors on a dark screen.
_AT_RULE = re.compile(r"@[^@{};]*+(?:;|\{(?:[^{}]*+\{[^{}]*+\})*+[^{}]*+(?:[{}]|\Z)|\Z)")


def _sanitize_css(css: str) -> str:
    """Return a style sheet without rules that load files, '' if it may still load some."""
    css = _AT_RULE.sub("", re.sub(r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/", "", css))
    is_short = len(css) <= 200_000 and not _LONG_PROPERTY.search(css)
    return css if _is_safe(css) and is_short else ""


_ARGUMENTS = re.compile(r"\([^()]*\)")
#: A combinator, or a pseudo-class that counts siblings.
_RELATION = re.compile(r"\s*[>~+(]\s*|\s+")
#: The steps for a selector without relations.
_STEPS = 10


def _count_matching_steps(root: Any) -> int:
    """Return the most steps that comparing every element with every selector takes."""
    depths: dict[Any, int] = {}
    for element in root.iter():
        depths[element] = depths.get(element.getparent(), 0) + 1
    count, depth, steps = len(depths), max(depths.values()), 0
    for style in root.iter(f"{{{SVG}}}style"):
        rules = (style.text or "").split("{")[:-1]
        for selector in ",".join(rule.rpartition("}")[2] for rule in rules).split(","):
            paths = 1
            for relation in _RELATION.findall(_ARGUMENTS.sub("(", selector.strip())):
                paths = min(
                    paths * (count if relation.strip() in ("~", "+", "(") else depth), 10**12
                )
            steps += count * (_STEPS + paths)
    return steps


def _local_name(element: Any) -> str:
    """Return an SVG element's name without the namespace, '' for other nodes."""
    tag = element.tag
    prefix = f"{{{SVG}}}"
    return tag.removeprefix(prefix) if isinstance(tag, str) and tag.startswith(prefix) else ""


_VERTEX = re.compile(r"[0-9]*\.?[0-9]+")
#: What draws nothing by itself, however often it is referred to.
_GRADIENTS = frozenset({"linearGradient", "radialGradient"})
_REFERENCE = re.compile(r"#([\w.:-]{1,200})")


def _count_drawn(root: Any) -> int:
    """Return the number of elements drawn, following references; raise if these are circular.

    A marker may be drawn at every vertex of the element that refers to it.
    """
    uses = _find_references(root)
    # Depth first, since references may point anywhere; with a stack, since nesting may be deep.
    counts: dict[Any, int] = {}
    vertices: dict[Any, int] = {}
    entered: set[Any] = set()
    stack = [root]
    while stack:
        element = stack[-1]
        parts = [*element, *uses[element]]
        pending = [part for part in parts if part not in counts]
        if pending and element not in entered:
            entered.add(element)
            if any(part in entered for part in pending):
                raise UnusablePicture("is a drawing that contains itself")
            stack.extend(pending)
            continue
        stack.pop()
        entered.discard(element)
        path = element.get("d", "")
        letters = len(element.text or "") + len(element.tail or "")
        weight = 1 + len(path) // 2000 + letters // 10
        markers = {part for part in uses[element] if _local_name(part) == "marker"}
        path_vertices = len(_VERTEX.findall(path + element.get("points", ""))) // 2
        part_vertices = sum(vertices.get(part, 0) for part in parts if part not in markers)
        vertices[element] = min(path_vertices + part_vertices, 10**9)
        drawn = sum(counts.get(part, 0) for part in parts)
        drawn += sum(counts.get(marker, 0) for marker in markers) * vertices[element]
        counts[element] = min(weight + drawn, 10**9)
    return counts[root]


#: The most uses of a rule that refers to parts of the drawing.
MAX_STYLES = 100_000
#: A selector of one name: of an element, a class or an id.  Of p.a, only the class is looked at.
_SIMPLE_SELECTOR = re.compile(r"\s*(?:[a-zA-Z]*([.#][\w-]+)|([a-zA-Z]+))\s*")


def _find_references(root: Any) -> defaultdict[Any, list[Any]]:
    """Return the parts of the drawing that its elements refer to, in attributes and styles."""
    elements_by_id = {element.get("id"): element for element in root.iter() if element.get("id")}
    uses: defaultdict[Any, list[Any]] = defaultdict(list)

    def refer(element: Any, text: str) -> None:
        targets = (elements_by_id.get(target) for target in _REFERENCE.findall(text))
        uses[element] += [target for target in targets if target is not None]

    for element in root.iter():
        for name, value in element.attrib.items():
            if "#" in value and not value.startswith("data:"):
                refer(element, value if name == "style" else value[:MAX_VALUE_CHARS])
    for element, declarations in _apply_rules(root):
        refer(element, declarations)
    for element, parts in uses.items():
        uses[element] = [part for part in parts if _local_name(part) not in _GRADIENTS]
    return uses


def _apply_rules(root: Any) -> Iterator[tuple[Any, str]]:
    """Yield elements with the declarations that refer to parts of the drawing for them."""
    elements: defaultdict[str, list[Any]] = defaultdict(list)
    for element in root.iter():
        names = [f".{name}" for name in element.get("class", "").split()]
        for name in (_local_name(element), f"#{element.get('id')}", *names):
            elements[name].append(element)
    applied = 0
    for style in root.iter(f"{{{SVG}}}style"):
        for selectors, declarations in _parse_rules(style.text or ""):
            for selector in selectors.split(","):
                match = _SIMPLE_SELECTOR.fullmatch(selector)
                # A selector that is not simple may be about any element.
                for element in elements[match[1] or match[2]] if match else root.iter():
                    if (applied := applied + 1) > MAX_STYLES:
                        raise UnusablePicture("has too many styles")
                    yield element, declarations


def _parse_rules(css: str) -> Iterator[tuple[str, str]]:
    """Yield the selectors and declarations of rules that refer to parts of the drawing."""
    if "url(" not in css.lower():
        return
    try:
        for rule in tinycss2.parse_stylesheet(css, skip_whitespace=True):
            if rule.type == "qualified-rule":
                declarations = tinycss2.serialize(rule.content)
                if "#" in declarations:
                    yield tinycss2.serialize(rule.prelude), declarations
    except RecursionError:
        raise UnusablePicture("has a style sheet that is nested too deeply") from None


_NUMBER = re.compile(r"\s*([+]?(?:[0-9]{1,7}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}))\s*([a-z%]{0,4})\s*")
_UNITS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}


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


#: Attributes (and CSS properties) whose value is a color.
_COLOR_ATTRIBUTES = ("fill", "stroke", "stop-color", "color")
_COLOR_PROPERTY = re.compile(
    r"((?:^|[;{\s])(?:fill|stroke|stop-color|color)\s{0,9}:\s{0,9})([^;}!]{1,100})", re.IGNORECASE
)


def _remove_colors(root: Any) -> None:
    """Replace the colors in a drawing's attributes, styles and style sheets with grays."""
    for element in root.iter():
        for name in _COLOR_ATTRIBUTES:
            value = element.get(name)
            if value:
                element.set(name, _gray(value))
        style = element.get("style")
        if style:
            element.set("style", _gray_css(style))
        if _local_name(element) == "style" and element.text:
            element.text = _gray_css(element.text)


def _gray_css(css: str) -> str:
    return _COLOR_PROPERTY.sub(lambda match: match[1] + _gray(match[2]), css)


def _gray(value: str) -> str:
    """Return a gray as light as the color, or the value itself if it is not a color."""
    text = value.strip()[:100]
    reference, bracket, fallback = "", "", text
    if text.startswith("url("):
        reference, bracket, fallback = text.rpartition(")")
    try:
        color = color4.parse_color(fallback.strip())
    except ValueError:  # tinycss2 unpacks the empty arguments of "color()"
        return value
    if not isinstance(color, color4.Color):
        return value  # a keyword
    try:
        red, green, blue = color.to("srgb").coordinates
    except NotImplementedError:  # a space that tinycss2 does not convert, such as oklab
        return value
    light = 0.299 * red + 0.587 * green + 0.114 * blue
    if not math.isfinite(light):  # of "rgb(1e999 0 0)"
        return value
    level = round(255 * light)
    gray = f"rgba({level},{level},{level},{color.alpha:g})"
    return f"{reference}{bracket} {gray}" if bracket else gray
