"""What an EPUB says of itself: its package document, by EPUB 3.3 and EPUB Accessibility 1.1."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from lxml import etree

from ..article import Article
from ..render.inline import clean
from .places import address

#: What a file of unknown date is dated: the first day that a ZIP file knows.
EARLIEST = datetime(1980, 1, 1, tzinfo=UTC)

_OPF = "http://www.idpf.org/2007/opf"
_DC = "http://purl.org/dc/elements/1.1/"
_CONTAINER = "urn:oasis:names:tc:opendocument:xmlns:container"
_XML = "http://www.w3.org/XML/1998/namespace"

#: Tags that are whole by BCP 47: language, script, region, variants; others are cut to the first.
_TAG = re.compile(r"([A-Za-z]{2,3})(-[A-Za-z]{4})?(-(?:[A-Za-z]{2}|\d{3}))?")


@dataclass(frozen=True, slots=True)
class Item:
    """A file of a book; ``properties`` are those of the manifest."""

    name: str
    media_type: str
    data: bytes = field(repr=False)
    properties: str = ""


@dataclass(frozen=True, slots=True)
class About:
    """What is said of a book; ``described`` tells that all its pictures have words."""

    title: str
    articles: Sequence[Article]
    modified: datetime
    spine: tuple[str, ...]
    described: bool


def _names(default: str, **more: str) -> Any:
    """Return namespaces with a default one, which the stubs of lxml do not know."""
    return {None: default, **more}


def container() -> bytes:
    """Return the file that says where the package document is."""
    top = etree.Element(f"{{{_CONTAINER}}}container", nsmap=_names(_CONTAINER), version="1.0")
    files = etree.SubElement(top, f"{{{_CONTAINER}}}rootfiles")
    etree.SubElement(
        files, f"{{{_CONTAINER}}}rootfile",
        {"full-path": "book/package.opf", "media-type": "application/oebps-package+xml"},
    )  # fmt: skip
    return etree.tostring(top, encoding="utf-8", xml_declaration=True)


def opf(about: About, items: Sequence[Item]) -> bytes:
    """Return the package document."""
    first = about.articles[0]
    tag = _tag(first.language)
    top = etree.Element(
        f"{{{_OPF}}}package", {"version": "3.0", "unique-identifier": "id"}, nsmap=_names(_OPF)
    )
    top.set(f"{{{_XML}}}lang", tag)
    top.append(_metadata(about, tag, items))
    manifest = etree.SubElement(top, f"{{{_OPF}}}manifest")
    ids = {item.name: f"f{number}" for number, item in enumerate(items, 1)}
    for item in items:
        values = {"id": ids[item.name], "href": item.name, "media-type": item.media_type}
        if item.properties:
            values["properties"] = item.properties
        etree.SubElement(manifest, f"{{{_OPF}}}item", values)
    direction = "rtl" if first.direction == "rtl" else "ltr"
    spine = etree.SubElement(top, f"{{{_OPF}}}spine", {"page-progression-direction": direction})
    for name in about.spine:
        etree.SubElement(spine, f"{{{_OPF}}}itemref", {"idref": ids[name]})
    return etree.tostring(top, encoding="utf-8", xml_declaration=True, pretty_print=True)


def _metadata(about: About, tag: str, items: Sequence[Item]) -> etree._Element:
    top = etree.Element(f"{{{_OPF}}}metadata", nsmap=_names(_OPF, dc=_DC))

    def say(name: str, text: str, **more: str) -> None:
        text = " ".join(clean(text).split())
        if text:
            etree.SubElement(top, f"{{{_DC}}}{name}", more).text = text

    def meta(name: str, text: str) -> None:
        etree.SubElement(top, f"{{{_OPF}}}meta", {"property": name}).text = text

    articles = about.articles
    say("identifier", _identifier(about), id="id")
    say("title", about.title)
    for language in dict.fromkeys([tag, *(_tag(each.language) for each in articles)]):
        say("language", language)
    for author in dict.fromkeys(each.byline for each in articles):
        say("creator", author[:500])
    for site in dict.fromkeys(each.site for each in articles):
        say("publisher", site[:300])
    say("date", _day(max((_day(each.published) for each in articles), default="")))
    if len(articles) == 1:
        say("description", articles[0].lead[:1000])
    for url in dict.fromkeys(address(each.url) for each in articles):
        say("source", url)
    meta("dcterms:modified", about.modified.strftime("%Y-%m-%dT%H:%M:%SZ"))
    for name, value in _accessibility(about, items):
        meta(f"schema:{name}", value)
    return top


def _accessibility(about: About, items: Sequence[Item]) -> list[tuple[str, str]]:
    """Say how the book can be read, and only what holds for every page of the web."""
    pictures = any(item.media_type.startswith("image/") for item in items)
    said = [("accessMode", "textual")]
    if pictures:
        said.append(("accessMode", "visual"))
    if about.described or not pictures:
        said.append(("accessModeSufficient", "textual"))
    if pictures:
        said.append(("accessModeSufficient", "textual,visual"))
    features = [
        "structuralNavigation",
        "tableOfContents",
        "readingOrder",
        "displayTransformability",
    ]
    if pictures and about.described:
        features.append("alternativeText")
    if any("mathml" in item.properties for item in items):
        features.append("MathML")
    said += [("accessibilityFeature", feature) for feature in features]
    hazards = ("noFlashingHazard", "noMotionSimulationHazard", "noSoundHazard")
    said += [("accessibilityHazard", hazard) for hazard in hazards]
    told = (
        "Made from web pages. Headings, lists, tables and notes are marked up as such; pictures "
        "carry the descriptions that their pages gave them."
    )
    said.append(("accessibilitySummary", told))
    return said


def _identifier(about: About) -> str:
    """Return an identifier that the same pages always have."""
    named = "\n".join([about.title, *(each.url or each.title for each in about.articles)])
    return f"urn:uuid:{uuid5(NAMESPACE_URL, named.encode('utf-8', 'replace').decode())}"


def _tag(language: str) -> str:
    match = _TAG.match(language)
    if match is None:
        return "und"
    whole = len(match[0]) == len(language) or language[len(match[0])] == "-"
    return match[0] if whole else "und"


def _day(when: str) -> str:
    """Return the day of an ISO 8601 date, '' for what is none."""
    try:
        return date.fromisoformat(when[:10]).isoformat()
    except ValueError:
        return ""
