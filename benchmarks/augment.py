"""Harder copies of pages, to train on: less markup to go by, and other stories beside the article.

A page that was published with care says what it is: its classes have telling names, its elements
are semantic, its metadata are complete.  Many are not so, and most of the corpus is.  The copies
lose some of this at random, and gain lists of other pages' stories.  Labels come from the answer's
text, so they stay right.
"""

from __future__ import annotations

import random
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring, tostring

from printer.html.decode import decode

from .corpus import Sample

_NAMES = ("class", "id", "itemprop", "itemtype", "role", "data-testid", "data-component")
_SEMANTIC = frozenset(
    {"article", "aside", "figcaption", "figure", "footer", "header", "main", "nav", "section"}
)
#: The probability of each kind of damage: names, semantic elements, metadata, paragraphs, layout.
_DAMAGE = {"names": 0.5, "semantics": 0.6, "metadata": 0.6, "breaks": 0.3, "tables": 0.3}
#: The probability that other stories are added, at each place.
_BEFORE, _AFTER, _SECOND = 0.35, 0.45, 0.15
#: The fewest characters of a paragraph.
_PARAGRAPH = 60


@dataclass(frozen=True, slots=True)
class Story:
    """The beginning of a page's article: its title and paragraphs."""

    title: str
    paragraphs: tuple[str, ...]


def stories(samples: Iterable[Sample]) -> Mapping[str, Sequence[Story]]:
    """Return the stories of some pages by language, '' for those that declare none."""
    by_language: dict[str, list[Story]] = defaultdict(list)
    for sample in samples:
        paragraphs = [line.strip() for line in (sample.text or "").splitlines()]
        paragraphs = [line for line in paragraphs if len(line) >= _PARAGRAPH]
        if sample.title and len(paragraphs) >= 2 and sample.kind == "article":
            by_language[_language(sample)].append(Story(sample.title, tuple(paragraphs[:8])))
    return by_language


def harder_copies(
    samples: Iterable[Sample], donors: Mapping[str, Sequence[Story]]
) -> Iterator[Sample]:
    """Yield a harder copy of each page that has a whole answer and is read for its text."""
    for sample in samples:
        if sample.text and sample.kind in {"article", "documentation", "forum"}:
            others = donors.get(_language(sample)) or () if sample.kind == "article" else ()
            html = harder(decode(sample.html), sample.text, others, sample.key)
            yield replace(sample, html=html, copy=True)


def harder(html: str, answer: str, others: Sequence[Story], seed: str) -> bytes:
    """Return a harder copy of a page.

    Args:
        html: The page.
        answer: The article's text.
        others: Other pages' stories, to be listed beside the article.
        seed: What decides every random choice.
    """
    draw = random.Random(zlib.crc32(seed.encode()))
    tree = document_fromstring(html.encode(), parser=HTMLParser(encoding="utf-8", huge_tree=True))
    damage = {name for name, chance in _DAMAGE.items() if draw.random() < chance} or {"names"}
    if len(others) >= 4:
        _add_stories(tree, answer, others, draw)
    _strip(tree, damage)
    if "breaks" in damage:
        _break_paragraphs(tree)
    if "tables" in damage:
        _lay_out_in_tables(tree, draw)
    data: bytes = tostring(tree, encoding="utf-8", doctype="<!DOCTYPE html>")
    return b'<meta charset="utf-8">' + data


def _language(sample: Sample) -> str:
    found = re.search(rb"<html[^>]*\blang\s*=\s*[\"']?([a-zA-Z]{2})", sample.html[:5000])
    return found[1].decode().lower() if found else ""


def _strip(tree: HtmlElement, damage: set[str]) -> None:
    for element in list(tree.iter(etree.Element)):
        if "metadata" in damage and element.getparent() is not None and _is_metadata(element):
            element.drop_tree()
            continue
        for name in _NAMES if "names" in damage else ():
            element.attrib.pop(name, None)
        if "semantics" in damage and element.tag in _SEMANTIC:
            element.tag = "div"
            for name in ("itemprop", "itemtype", "role"):
                element.attrib.pop(name, None)


def _is_metadata(element: HtmlElement) -> bool:
    if element.tag == "meta":
        return not element.get("charset")
    return bool(element.tag == "script" and "json" in (element.get("type") or ""))


def _break_paragraphs(tree: HtmlElement) -> None:
    """Part paragraphs by two line breaks instead of elements."""
    for paragraph in list(tree.iter("p")):
        if paragraph.getparent() is not None and len(paragraph.text_content()) >= _PARAGRAPH:
            tail, paragraph.tail = paragraph.tail, None
            for _ in range(2):
                etree.SubElement(paragraph, "br")
            paragraph.tail = tail
            paragraph.drop_tag()


def _lay_out_in_tables(tree: HtmlElement, draw: random.Random) -> None:
    for box in list(tree.iter("div")):
        parent = box.getparent()
        if parent is None or parent.tag not in {"body", "div", "td"} or len(box) < 2:
            continue
        if draw.random() < 0.3:
            table = etree.Element("table")
            table.tail, box.tail = box.tail, None
            parent.replace(box, table)
            etree.SubElement(table, "tr").append(box)
            box.tag = "td"


# Other stories


def _add_stories(
    tree: HtmlElement, answer: str, others: Sequence[Story], draw: random.Random
) -> None:
    first, last = _ends_of_article(tree, answer)
    if first is None or last is None:
        return
    if draw.random() < _BEFORE:
        _outward(first, draw).addprevious(_list(others, draw))
    if draw.random() < _AFTER:
        _insert_after(_outward(last, draw), _list(others, draw))
    if draw.random() < _SECOND:
        _insert_after(_outward(last, draw), _second_article(draw.choice(others), draw))


def _ends_of_article(
    tree: HtmlElement, answer: str
) -> tuple[HtmlElement | None, HtmlElement | None]:
    """Return the first and the last paragraph of the article."""
    text = " ".join(answer.split())
    inside = [
        element
        for element in tree.iter("p", "div", "td", "li")
        if element.tag == "p" or not len(element)
        if len(words := " ".join(element.text_content().split())) >= _PARAGRAPH
        and words[:_PARAGRAPH] in text
    ]
    return (inside[0], inside[-1]) if inside else (None, None)


def _outward(element: HtmlElement, draw: random.Random) -> HtmlElement:
    """Return the element or one around it, at most three levels out and below the body."""
    for _ in range(draw.randrange(4)):
        parent = element.getparent()
        if parent is None or parent.tag in {"body", "html"} or parent.getparent() is None:
            break
        element = parent
    return element


def _insert_after(element: HtmlElement, other: HtmlElement) -> None:
    other.tail, element.tail = element.tail, None
    element.addnext(other)


def _list(others: Sequence[Story], draw: random.Random) -> HtmlElement:
    """Return a list of stories, all set in one of several ways."""
    style = draw.randrange(5)
    box = etree.Element(
        draw.choice(("div", "div", "section", "aside", "ul" if style == 0 else "div"))
    )
    if draw.random() < 0.4:
        etree.SubElement(box, draw.choice(("h2", "h3", "h4", "div"))).text = draw.choice(
            others
        ).title.split()[0]
    for story in draw.sample(list(others), min(len(others), draw.randrange(3, 13))):
        _item(box, story, style, draw)
    return box


def _item(box: HtmlElement, story: Story, style: int, draw: random.Random) -> None:
    teaser = story.paragraphs[0][: draw.choice((90, 160, 300, 1000))]
    date = f"{draw.randrange(1, 29):02}.{draw.randrange(1, 13):02}.20{draw.randrange(10, 26)}"
    item = etree.SubElement(box, "li" if box.tag == "ul" else "div")
    if draw.random() < 0.4:
        etree.SubElement(item, draw.choice(("span", "p", "div"))).text = date
    heading = etree.SubElement(item, ("p", "h3", "h4", "div", "h2")[style])
    if draw.random() < 0.8:
        heading = etree.SubElement(heading, "a", href=f"/{draw.randrange(10**6)}.html")
    heading.text = story.title
    if style != 0:
        text = etree.SubElement(item, draw.choice(("p", "div")))
        text.text = teaser
        if draw.random() < 0.3:
            etree.SubElement(text, "a", href="/more").text = " …"


def _second_article(story: Story, draw: random.Random) -> HtmlElement:
    box = etree.Element(draw.choice(("div", "article", "section")))
    etree.SubElement(box, draw.choice(("h1", "h2"))).text = story.title
    for paragraph in story.paragraphs[: draw.randrange(3, 9)]:
        etree.SubElement(box, "p").text = paragraph
    return box
