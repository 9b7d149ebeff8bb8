"""Parse HTML text into a tree of bounded depth and width, in linear time."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from ..text import clean_line
from ..urls import resolve

#: Elements deeper than this become siblings; browsers stop at 512 as well.
MAX_DEPTH = 512
#: Attributes of one element beyond this many are dropped.
MAX_ATTRIBUTES = 1000

# The parser's time is quadratic in the attributes of one element; a page of up to this size takes a
# second at most.
_SMALL_PAGE = 150_000
_ATTRIBUTES = (
    rb"""[^\s/>]*+(?:[\s/]*+[^\s/>][^\s/>=]*+"""
    rb"""(?:="[^"]*+"|\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+){0,%d}+[\s/]*+"""
) % MAX_ATTRIBUTES


def _raw(tag: bytes, end: bytes) -> bytes:
    """Return the pattern of an element whose content is text up to its end tag."""
    return rb"|(?:%b|%b)(?=[\s/>])%b>(?:[^<]++|<(?!/%b))*+" % (tag, tag.upper(), _ATTRIBUTES, end)


#: The part of a page before the first tag with too many attributes, in a single match, which is
#: faster than one per tag.  Most tags have no attributes, and do not begin like those whose content
#: is text.
_ORDINARY = re.compile(
    rb"(?:[^<]++|<(?:/[a-zA-Z0-9]++>|(?:[a-ru-zA-RU-Z]|s[pu]|t[dhr])[a-zA-Z0-9]*+>|!--(?!-?>)(?:[^-]++|-(?!-!?>))*+"
    + _raw(b"script", b"[sS][cC][rR]")
    + _raw(b"style", b"[sS][tT][yY]")
    + _raw(b"title", b"[tT][iI][tT]")
    + _raw(b"textarea", b"[tT][eE][xX]")
    + rb"|/?[a-zA-Z]%b(?:>|\Z)|(?:[!?]|/(?![a-zA-Z]))[^>]*+|(?![a-zA-Z!?/])))*+" % _ATTRIBUTES
)
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\f\r"))
_FEEDS = bytes.maketrans(b"\f", b" ")
#: References to characters not allowed in a tree: controls, surrogates, noncharacters.
_NO_SIGN = re.compile(
    rb"&#(?:0*+(?:[0-8]|1[1-24-9]|2[0-9]|3[01]|127|5529[6-9]|55[3-9][0-9]{2}|56[0-9]{3}"
    rb"|57[0-2][0-9]{2}|573[0-3][0-9]|5734[0-3]|6553[45])(?![0-9])"
    rb"|[xX]0*+(?:[0-8bBcCeEfF]|1[0-9a-fA-F]|7[fF]|[dD][89a-fA-F][0-9a-fA-F]{2}|[fF]{3}[eEfF])"
    rb"(?![0-9a-fA-F]));?"
)
_LOOKUP = etree.ElementDefaultClassLookup(element=HtmlElement)


def parse(text: str) -> HtmlElement:
    """Return the tree of a page; never raises.  An empty page has an empty body."""
    source = text.encode("utf-8", "replace").translate(_FEEDS, _CONTROLS)
    source = strip_invalid_references(source) or b"<html/>"
    if len(source) > _SMALL_PAGE and _has_wide_tag(source):
        return _parse_flat(source)
    parser = _parser()
    tree = etree.fromstring(source, parser)
    if tree is None:
        return etree.fromstring(b"<html><body/></html>", _parser())
    if _cut_short(parser):
        return _parse_flat(source)
    _gather(tree)
    _close_head(tree)
    _open_shadows(tree)
    return tree


def strip_invalid_references(source: bytes) -> bytes:
    """Return markup without references to characters not allowed in a tree."""
    return _NO_SIGN.sub(b"", source)


def _parser(target: Any = None) -> etree.HTMLParser:
    parser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, target=target
    )
    parser.set_element_class_lookup(_LOOKUP)
    return parser


def _has_wide_tag(source: bytes) -> bool:
    """Return whether a tag has more attributes than an element may."""
    ordinary = _ORDINARY.match(source)
    return ordinary is None or ordinary.end() < len(source)


def _cut_short(parser: etree.HTMLParser) -> bool:
    """Return whether the parser gave up before the end of the page, at its depth of 2048."""
    last = parser.error_log.last_error
    return last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT


def _gather(tree: HtmlElement) -> None:
    """Move content after ``</html>`` into the body, as browsers do.

    The parser opens a second root for it, which is unreachable from the first one.
    """
    body = tree.find("body")
    home = tree if body is None else body
    after = tree.getnext()
    while after is not None:
        following = after.getnext()
        for part in [after] if after.tag != "html" else list(after):
            home.extend(list(part) if part.tag == "body" else [part])
        after = following


def _close_head(tree: HtmlElement) -> None:
    """Move elements not allowed in a head, and those after them, to the beginning of the body.

    ``<body>`` is optional.  The parser knows only the elements of HTML 4 and leaves newer ones in
    the head.
    """
    head = tree.find("head")
    if head is None:
        return
    misplaced = (at for at, part in enumerate(head) if part.tag not in _HEAD)
    first = next(misplaced, None)
    if first is None:
        return
    body = tree.find("body")
    if body is None:
        body = etree.SubElement(tree, "body")
    moved = list(head)[first:]
    body[:0] = moved
    if body.text:
        moved[-1].tail = (moved[-1].tail or "") + body.text
        body.text = None


def _open_shadows(tree: HtmlElement) -> None:
    """Turn declarative shadow roots into plain elements, as their content is displayed."""
    for template in tree.iter("template"):
        if template.get("shadowrootmode"):
            template.tag = "div"


#: The elements allowed in a head.
_HEAD = frozenset({"title", "meta", "link", "script", "style", "base", "noscript", "template"})

_INVALID_NAME = re.compile(r"""[\s&<>/"'{}]|^$""")


class _FlatBuilder:
    """Builds a tree of bounded depth and width from the parser's events."""

    def __init__(self) -> None:
        self.builder = etree.TreeBuilder(parser=_parser())
        self.depth = 0  # of the page
        self.open: list[str] = []  # in the tree

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open an element; at the maximum depth, as a sibling of the one before it."""
        self.depth += 1
        if self.depth == 1 and self.open and tag == "html":
            return  # A second root, for content after the end of the first, which stays open.
        if not tag.isalnum() and _INVALID_NAME.search(tag):
            tag = "span"  # A piece of a broken tag, which the parser accepts but a tree does not.
        if not self.open and tag != "html":
            self.open.append("html")
            self.builder.start("html", {})
        if len(self.open) >= MAX_DEPTH:
            self.builder.end(self.open.pop())
        valid: dict[str | bytes, str | bytes] = {}
        if attributes:  # Most have none.
            first = islice(attributes.items(), MAX_ATTRIBUTES)
            valid = {k: v for k, v in first if not _INVALID_NAME.search(k)}
        self.builder.start(tag, valid)
        self.open.append(tag)

    def end(self, tag: str) -> None:  # noqa: ARG002 (the parser's events come in pairs)
        """Close an element, unless it was closed to limit the depth."""
        if self.depth <= len(self.open) and len(self.open) > 1:
            self.builder.end(self.open.pop())
        self.depth -= 1

    def data(self, text: str) -> None:
        """Add text."""
        if self.open:
            self.builder.data(text)

    def close(self) -> HtmlElement:
        """Close all open elements and return the tree."""
        while self.open:
            self.builder.end(self.open.pop())
        return self.builder.close()


def _parse_flat(source: bytes) -> HtmlElement:
    """Parse a page that is too deep or wide for the parser's own tree; slower, still linear."""
    return etree.fromstring(source, _parser(_FlatBuilder()))


def base_url(tree: HtmlElement, url: str) -> str:
    """Return the base URL of the page's relative links."""
    hrefs = ((base.get("href") or "").strip() for base in tree.iter("base"))
    href = next(filter(None, hrefs), "")
    return (resolve(url, href) if href else "") or url


#: Cloudflare replaces an address by "[email protected]" and puts it in this attribute, in
#: hexadecimal: the first byte is the key with which the others are combined (exclusive or).
EMAIL_ATTRIBUTE = "data-cfemail"
_PROTECTED = "/cdn-cgi/l/email-protection"
#: An address in hexadecimal, after its key; none is longer than 254 characters.
_HEX = re.compile(r"(?:[0-9a-f]{2}){4,255}", re.IGNORECASE | re.ASCII)
_ADDRESS = re.compile(r"[^\s<>@\"]{1,64}@[^\s<>@\"]{1,253}")


def decode_emails(tree: HtmlElement) -> None:
    """Restore the e-mail addresses that the page's script would decode."""
    for element in tree.iter():
        address = _address(element.get(EMAIL_ATTRIBUTE) or "")
        if not address or len(element):
            continue
        element.text = address
        above = element.getparent()
        link = element if element.tag == "a" or above is None else above
        if link.tag == "a" and (link is element or _PROTECTED in (link.get("href") or "")):
            link.set("href", f"mailto:{address}")


def _address(encoded: str) -> str:
    if not _HEX.fullmatch(encoded):
        return ""
    key, *data = bytes.fromhex(encoded)
    address = bytes(byte ^ key for byte in data).decode("utf-8", "replace")
    return address if _ADDRESS.fullmatch(address) and address.isprintable() else ""


#: Elements that start a new line, also inside a heading.
_LINES = frozenset({"br", "div", "p", "li", "small", "h2", "h3"})
#: Elements whose text is not content.
_SKIPPED = frozenset({"button", "noscript", "script", "select", "style", "svg", "template"})
#: The most start and end tags to examine for an element's text.
_MAX_EVENTS = 400


def element_line(element: HtmlElement, between: str = "", limit: int = 500) -> str:
    """Return an element's text as a clean line; only the beginning of a very large one."""
    parts = []
    walk = etree.iterwalk(element, ("start", "end"))
    for event, inner in islice(walk, _MAX_EVENTS):
        if inner.tag in _LINES:
            parts.append(" ")
        elif inner.tag in _SKIPPED and event == "start" and inner is not element:
            walk.skip_subtree()
            continue
        part = inner.text if event == "start" else inner.tail if inner is not element else None
        if part:
            parts.append(part)
    return clean_line(between.join(parts), limit)
