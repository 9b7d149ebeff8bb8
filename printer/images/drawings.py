"""Inline SVG: the source of a drawing that stands in the page itself."""

from __future__ import annotations

import copy

from lxml import etree
from lxml.html import HtmlElement

_MOST_CHARS = 1_000_000
_MOST_ELEMENTS = 20_000

#: HTML parsers write all names small, while SVG tells them apart.
_ELEMENTS = {name.lower(): name for name in (
    "linearGradient", "radialGradient", "clipPath", "textPath", "foreignObject",
)}  # fmt: skip
_ATTRIBUTES = {name.lower(): name for name in (
    "viewBox", "preserveAspectRatio", "gradientUnits", "gradientTransform", "spreadMethod",
    "patternUnits", "patternContentUnits", "patternTransform", "clipPathUnits", "maskUnits",
    "maskContentUnits", "markerUnits", "markerWidth", "markerHeight", "refX", "refY", "pathLength",
    "textLength", "lengthAdjust", "startOffset",
)}  # fmt: skip


def drawing_source(element: HtmlElement) -> str:
    """Return the source of an inline drawing as SVG; '' for an empty or an enormous one."""
    for count, inner in enumerate(element.iter()):
        if count > _MOST_ELEMENTS:
            return ""
        if inner is not element and inner.tag not in ("title", "desc", "defs", "g", "use"):
            break
    else:
        return ""
    root = copy.deepcopy(element)
    root.tail = None
    for inner in root.iter():
        if isinstance(inner.tag, str):
            inner.tag = _ELEMENTS.get(inner.tag, inner.tag)
            for name, value in list(inner.attrib.items()):
                right = _ATTRIBUTES.get(name)
                if right and right != name:
                    del inner.attrib[name]
                    inner.set(right, value)
    source: str = etree.tostring(root, encoding="unicode", with_tail=False)
    return source if len(source) <= _MOST_CHARS else ""


def drawing_title(element: HtmlElement) -> str:
    """Return what a drawing says it shows."""
    title = element.find("title")
    said = element.get("aria-label") or ("".join(title.itertext()) if title is not None else "")
    return " ".join(said.split())[:2000]
