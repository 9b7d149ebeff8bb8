"""Elements for HTML and for EPUB's XHTML: made as a tree, so that no text can become markup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from lxml import etree

from ..render.inline import printable

XHTML = "http://www.w3.org/1999/xhtml"
MATHML = "http://www.w3.org/1998/Math/MathML"
OPS = "http://www.idpf.org/2007/ops"
_XML = "http://www.w3.org/XML/1998/namespace"

# The stubs know no default namespace.
_NAMES: Any = {None: XHTML, "epub": OPS}
_MATH: Any = {None: MATHML}

#: What stands in an element: text, or another element.
Content: TypeAlias = "str | etree._Element | None"


@dataclass(frozen=True, slots=True)
class Make:
    """Makes elements; for EPUB they stand in XML's namespaces and carry ``epub:type``."""

    epub: bool = False

    def __call__(self, tag: str, *content: Content, **attributes: str | int) -> etree._Element:
        """Make an element with its content; an empty attribute is left out, ``class_`` is class."""
        name = f"{{{XHTML}}}{tag}" if self.epub else tag
        element = etree.Element(name, nsmap=_NAMES if self.epub else None)
        for key, value in attributes.items():
            self.set(element, key.rstrip("_").replace("_", "-"), value)
        add(element, *content)
        return element

    def set(self, element: etree._Element, name: str, value: str | int) -> None:
        """Set an attribute; the language also as XML has it, EPUB's own type where it is EPUB."""
        text = printable(str(value))
        if not text:
            return
        if name == "epub-type":
            if self.epub:
                element.set(f"{{{OPS}}}type", text)
            return
        element.set(name, text)
        if name == "lang" and self.epub:
            element.set(f"{{{_XML}}}lang", text)

    def math(self, tag: str) -> etree._Element:
        """Make an element of MathML."""
        if not self.epub:
            return etree.Element(tag)
        return etree.Element(f"{{{MATHML}}}{tag}", nsmap=_MATH)


def add(element: etree._Element, *content: Content) -> None:
    """Put text and elements at the end of an element."""
    for each in content:
        if isinstance(each, str):
            text = printable(each)
            if len(element):
                element[-1].tail = (element[-1].tail or "") + text
            else:
                element.text = (element.text or "") + text
        elif each is not None:
            element.append(each)


def local(element: etree._Element) -> str:
    """Return an element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]
