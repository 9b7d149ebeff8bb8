"""Formulas for formats other than PDF: validation of MathML and its conversion to TeX."""

from __future__ import annotations

from typing import Any

from lxml import etree

from ..compose.tex import local_name, mathml_to_tex
from ..files import load_json
from ..html.parse import xml_parser
from ..render.markup import printable

_MAX_SOURCE, _MAX_DEPTH = 20_000, 40

#: The elements and attributes of MathML that are kept: elements with text, without content and with
#: any number of children; the number of children of others; attributes by element; and the values
#: of those that are not boolean.
_MATHML: dict[str, Any] = load_json(__file__, "mathml.json")
_CHILDREN, _TOKENS, _EMPTY = _MATHML["children"], _MATHML["tokens"], _MATHML["empty"]
_TABLE_CHILDREN, _ATTRIBUTES = _MATHML["table_children"], _MATHML["attributes"]
_ELEMENTS = frozenset((*_TOKENS, *_EMPTY, *_MATHML["rows"], *_TABLE_CHILDREN, *_CHILDREN))


def valid_mathml(source: str) -> etree._Element | None:
    """Return MathML rebuilt from known elements and attributes, None if impossible.

    EPUB readers reject a book because of one faulty formula, so each element must have the number
    of children that MathML requires.
    """
    root = _parse(source)
    return _rebuild(root, 0) if root is not None else None


def _parse(source: str) -> etree._Element | None:
    if not source.startswith("<math") or len(source) > _MAX_SOURCE:
        return None
    try:
        return etree.fromstring(source, xml_parser())
    except etree.XMLSyntaxError:
        return None


def _rebuild(node: etree._Element, depth: int) -> etree._Element | None:
    tag = local_name(node)
    if tag == "semantics" and len(node):
        return _rebuild(node[0], depth + 1)
    if tag not in _ELEMENTS or depth > _MAX_DEPTH:
        return None
    if len(node) != _CHILDREN.get(tag, len(node)) or (tag == "math") != (depth == 0):
        return None
    copy = etree.Element(tag)
    for name in _ATTRIBUTES.get(tag, ()):
        value = node.get(name)
        if value is not None and value in _MATHML["values"].get(name, ("true", "false")):
            copy.set(name, value)
    if tag in _TOKENS:
        copy.text = " ".join("".join(map(str, node.itertext())).split())
        return copy
    child_tag = _TABLE_CHILDREN.get(tag)
    for child in () if tag in _EMPTY else node:
        part = _rebuild(child, depth + 1)
        if part is None or (child_tag is not None and part.tag != child_tag):
            return None
        if child_tag is None and part.tag in {"mtr", "mtd", "mprescripts", "none"}:
            return None
        copy.append(part)
    return copy


def to_tex(source: str) -> str:
    """Return a formula as TeX on one line, '' for invalid MathML."""
    if not source.startswith("<math"):
        return " ".join(printable(source).split())
    root = _parse(source)
    return mathml_to_tex(root) if root is not None else ""
