"""The links of a page, with their words, and what it says of following them."""

from __future__ import annotations

from dataclasses import dataclass

from lxml.html import HtmlElement

from ..capture import Capture
from ..errors import BadURL
from ..html.links import resolve
from ..html.metadata.head import read_head
from ..html.parse import base_url, decode, parse
from .urls import normal_url

#: Links of one page that are looked at, and characters of the words of one.
MOST_LINKS, _MOST_WORDS = 3_000, 300


@dataclass(frozen=True, slots=True)
class Link:
    """A link: where it leads, in normal form, as it is written, and its words."""

    url: str
    written: str
    words: str


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a page, each address once, and its canonical address ('' for its own)."""

    links: tuple[Link, ...] = ()
    canonical: str = ""


def read_links(capture: Capture) -> Links:
    """Read the links of a page; one that asks not to be followed has none."""
    tree = parse(decode(capture.body, capture.charset))
    base = base_url(tree, capture.url)
    head = read_head(tree)
    canonical = _normal(resolve(base, head.canonical)) if head.canonical else ""
    if canonical == _normal(capture.url):
        canonical = ""
    if _closed(tree):
        return Links((), canonical)
    found: dict[str, Link] = {}
    for count, element in enumerate(tree.iter("a", "area")):
        if count >= MOST_LINKS:
            break
        href = element.get("href")
        if not href or href.startswith("#") or "nofollow" in _words(element.get("rel")):
            continue
        written = resolve(base, href[:4_000])
        url = _normal(written) if written else ""
        if url and url != capture.url:
            words = _text(element)
            if url not in found or len(words) > len(found[url].words):
                found[url] = Link(url, written, words)
    return Links(tuple(found.values()), canonical)


def _normal(url: str) -> str:
    try:
        return normal_url(url) if url else ""
    except BadURL:
        return ""


def _text(element: HtmlElement) -> str:
    """Return the words of a link: its own, or those of its picture."""
    pieces: list[str] = []
    length = 0
    for text in element.itertext():
        pieces.append(text[:_MOST_WORDS])
        length += len(text)
        if length > _MOST_WORDS:
            break
    words = " ".join(" ".join(pieces).split())
    if not words:
        picture = element.find(".//img")
        words = (picture.get("alt") or "") if picture is not None else element.get("title") or ""
    return words[:_MOST_WORDS]


def _closed(tree: HtmlElement) -> bool:
    """Tell whether the page asks robots not to follow its links."""
    for element in tree.iter("meta"):
        if (element.get("name") or "").strip().lower() == "robots":
            said = _words(element.get("content"))
            if "nofollow" in said or "none" in said:
                return True
    return False


def _words(value: str | None) -> list[str]:
    return (value or "")[:500].lower().replace(",", " ").split()
