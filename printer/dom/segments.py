"""Text segments (Luo et al., section 3): the elements that every algorithm scores.

Successive text leaves under one nearest line-break node, with no line break between them, are one
segment.  A line-break node is an element displayed as a block, or ``br`` or ``hr``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from lxml.html import HtmlElement

#: Elements whose text is never seen.
UNSEEN = frozenset({
    "script", "style", "template", "noscript", "head", "title", "meta", "link", "svg", "math",
    "iframe", "object", "embed", "audio", "video", "canvas", "select", "datalist", "textarea",
})  # fmt: skip

#: Elements a browser displays as blocks (its own style sheet), table cells among them.
BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "button", "center", "caption", "dd",
    "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer",
    "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "html", "legend",
    "li", "listing", "main", "menu", "nav", "ol", "optgroup", "option", "p", "plaintext", "pre",
    "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    "xmp",
})  # fmt: skip


class Leaf(NamedTuple):
    """A text leaf: the ``text`` of an element, or its ``tail`` when ``tail`` is set."""

    element: HtmlElement
    tail: bool

    @property
    def text(self) -> str:
        """The leaf's text as it stands in the source."""
        return (self.element.tail if self.tail else self.element.text) or ""


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """A run of text between two line breaks.

    ``block`` is the nearest line-break node that the leaves share, ``text`` their text with white
    space folded, ``link_chars`` how many characters of it stand in links.
    """

    index: int
    block: HtmlElement
    leaves: tuple[Leaf, ...]
    text: str
    link_chars: int = field(default=0)


def segments(root: HtmlElement) -> tuple[Segment, ...]:
    """Return the text segments below ``root``, in document order."""
    found: list[Segment] = []
    leaves: list[Leaf] = []
    links = 0
    block = root

    def flush() -> None:
        nonlocal links
        if leaves:
            text = " ".join("".join(leaf.text for leaf in leaves).split())
            if text:
                found.append(Segment(len(found), block, tuple(leaves), text, min(links, len(text))))
            leaves.clear()
        links = 0

    # An explicit stack: pages may nest deeper than Python recurses.
    stack: list[tuple[HtmlElement, HtmlElement, bool, bool]] = [(root, root, False, False)]
    while stack:
        element, around, linked, closing = stack.pop()
        tag = element.tag
        if closing:
            if tag in BLOCKS or tag in {"br", "hr"}:
                flush()
            tail = element.tail
            if tail:
                block = around
                leaves.append(Leaf(element, tail=True))
                links += len(tail.strip()) if linked else 0
            continue
        if element is not root:
            stack.append((element, around, linked, True))
        if not isinstance(tag, str) or tag in UNSEEN:
            continue
        if tag in BLOCKS or tag in {"br", "hr"}:
            flush()
            around = element
        linked = linked or tag == "a"
        if element.text:
            block = around
            leaves.append(Leaf(element, tail=False))
            links += len(element.text.strip()) if linked else 0
        stack.extend((child, around, linked, False) for child in reversed(element))
    flush()
    return tuple(found)
