"""Make harder copies of pages to train on: less markup, and other stories beside the article.

A carefully published page has classes with descriptive names, semantic elements and complete
metadata.  Most pages of the corpus are such pages, but many others are not.  The copies lose some
of this at random, and gain other pages' stories and boxes.  Labels come from the answer's text, so
they remain correct.
"""

from __future__ import annotations

import random
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lxml import etree
from lxml.html import (
    HtmlElement,
    HTMLParser,
    document_fromstring,
    fragment_fromstring,
    tostring,
)

from printer.html.parse import decode

from .corpus import Sample

_NAMES = ("class", "id", "itemprop", "itemtype", "role", "data-testid", "data-component")
_SEMANTIC = frozenset(
    {"article", "aside", "figcaption", "figure", "footer", "header", "main", "nav", "section"}
)
#: The probability of each kind of damage: names, semantic elements, metadata, paragraphs, layout.
_DAMAGE = {"names": 0.5, "semantics": 0.6, "metadata": 0.6, "breaks": 0.3, "tables": 0.3}
#: The probability of lists of stories before and after the article, and of a second article.
_BEFORE, _AFTER, _SECOND = 0.4, 0.5, 0.2
#: The fewest stories, or boxes, of a language to choose from.
_FEW = 4
#: The characters of a box, and the most boxes taken from a page.
_BOX, _BOXES = (80, 3000), 3
#: The copies of each page, by set; 1 of the others.
_COPIES = {"fundus": 3}
#: The fewest characters of a paragraph.
_PARAGRAPH = 60


@dataclass(frozen=True, slots=True)
class Story:
    """The beginning of a page's article: its title and paragraphs."""

    title: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Donors:
    """What is added to pages of a language: stories, and markup beside other pages' articles."""

    stories: list[Story] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)


def collect(samples: Iterable[Sample]) -> Mapping[str, Donors]:
    """Return the donors that pages make, by language; "" for pages that declare none."""
    donors: dict[str, Donors] = defaultdict(Donors)
    for sample in samples:
        if not sample.text or sample.kind != "article":
            continue
        language_donors = donors[_language(sample)]
        paragraphs = [line.strip() for line in sample.text.splitlines()]
        paragraphs = [line for line in paragraphs if len(line) >= _PARAGRAPH]
        if sample.title and len(paragraphs) >= 2:
            language_donors.stories.append(Story(sample.title, tuple(paragraphs[:8])))
        language_donors.boxes.extend(_boxes(sample))
    return donors


def _boxes(sample: Sample) -> list[str]:
    """Return the markup of some elements of a page that have no text of its article."""
    answer = " ".join((sample.text or "").split())
    boxes: list[HtmlElement] = []
    for element in _parse(decode(sample.html)).iter("div", "section", "aside", "ul", "table"):
        text = " ".join(element.text_content().split())
        if not _BOX[0] <= len(text) <= _BOX[1] or text[:_PARAGRAPH] in answer:
            continue
        leaves = (" ".join(leaf.itertext()).strip() for leaf in element.iter("p", "li", "div"))
        if not any(len(leaf) > _PARAGRAPH and leaf[:_PARAGRAPH] in answer for leaf in leaves):
            boxes.append(element)
    draw = random.Random(zlib.crc32(sample.key.encode()))
    chosen = draw.sample(boxes, min(len(boxes), _BOXES))
    return [tostring(box, encoding="unicode", with_tail=False) for box in chosen]


def harder_copies(samples: Iterable[Sample], donors: Mapping[str, Donors]) -> Iterator[Sample]:
    """Yield harder copies of each page that has a complete answer and is read for its text."""
    all_donors = Donors([], [box for donor in donors.values() for box in donor.boxes])
    for sample in samples:
        if not sample.text or sample.kind not in {"article", "documentation", "forum"}:
            continue
        language_donors = (
            donors.get(_language(sample), all_donors) if sample.kind == "article" else Donors()
        )
        if sample.kind == "article" and len(language_donors.boxes) < _FEW:
            language_donors = Donors(language_donors.stories, all_donors.boxes)
        for number in range(_COPIES.get(sample.set, 1)):
            html = harder(
                decode(sample.html), sample.text, language_donors, f"{sample.key} {number}"
            )
            yield replace(sample, html=html, copy=True)


def harder(html: str, answer: str, donors: Donors, seed: str) -> bytes:
    """Return a harder copy of a page.

    Args:
        html: The page.
        answer: The article's text.
        donors: What may be added beside the article.
        seed: What decides every random choice.
    """
    draw = random.Random(zlib.crc32(seed.encode()))
    tree = _parse(html)
    damage = {name for name, chance in _DAMAGE.items() if draw.random() < chance} or {"names"}
    _add_other_stories(tree, answer, donors, draw)
    _strip(tree, damage)
    if "breaks" in damage:
        _break_paragraphs(tree)
    if "tables" in damage:
        _lay_out_in_tables(tree, draw)
    data: bytes = tostring(tree, encoding="utf-8", doctype="<!DOCTYPE html>")
    return b'<meta charset="utf-8">' + data


def _parse(html: str) -> HtmlElement:
    return document_fromstring(html.encode(), parser=HTMLParser(encoding="utf-8", huge_tree=True))


def _language(sample: Sample) -> str:
    match = re.search(rb"<html[^>]*\blang\s*=\s*[\"']?([a-zA-Z]{2})", sample.html[:5000])
    return match[1].decode().lower() if match else ""


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


def _add_other_stories(tree: HtmlElement, answer: str, donors: Donors, draw: random.Random) -> None:
    """Add lists of stories, second articles and boxes before and after the article."""
    first, last = _ends_of_article(tree, answer)
    if first is None or last is None:
        return
    stories = donors.stories if len(donors.stories) >= _FEW else []
    if stories and draw.random() < _BEFORE:
        _outward(first, draw).addprevious(_list(stories, draw))
    if stories and draw.random() < _AFTER:
        _insert_after(_outward(last, draw), _list(stories, draw))
    if stories and draw.random() < _SECOND:
        _insert_after(_outward(last, draw), _second_article(draw.choice(stories), draw))
    for _ in range(draw.randrange(4) if donors.boxes else 0):
        box = fragment_fromstring(draw.choice(donors.boxes), create_parent=False)
        if draw.random() < 0.5:
            _outward(first, draw).addprevious(box)
        else:
            _insert_after(_outward(last, draw), box)


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


def _list(stories: Sequence[Story], draw: random.Random) -> HtmlElement:
    """Return a list of stories, all set in one of several ways."""
    style = draw.randrange(5)
    box = etree.Element(
        draw.choice(("div", "div", "section", "aside", "ul" if style == 0 else "div"))
    )
    if draw.random() < 0.4:
        etree.SubElement(box, draw.choice(("h2", "h3", "h4", "div"))).text = draw.choice(
            stories
        ).title.split()[0]
    for story in draw.sample(list(stories), min(len(stories), draw.randrange(3, 13))):
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
