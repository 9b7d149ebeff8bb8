"""Articles as an EPUB 3: a chapter each, with cover, contents, pictures and what it is about.

The same articles and pictures give the same bytes: nothing here looks at a clock.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any, TypeAlias
from uuid import NAMESPACE_URL, uuid5

from lxml import etree

from ..article import Article, Figure
from ..i18n.labels import Labels, format_date, labels
from ..output import Picture
from ..render.inline import printable, valid_language
from ..render.limits import limit_article
from ..render.math import typeset_formulas
from .blocks import without_dead_links, write_article
from .chapter import Chapter, Shown
from .make import MATHML, Make, add
from .places import Places, address
from .style import BOOK, COMMON

#: What a file of unknown date is dated: the first day that a ZIP file knows.
EARLIEST = datetime(1980, 1, 1, tzinfo=UTC)

_OPF = "http://www.idpf.org/2007/opf"
_DC = "http://purl.org/dc/elements/1.1/"
_CONTAINER = "urn:oasis:names:tc:opendocument:xmlns:container"
_XML = "http://www.w3.org/XML/1998/namespace"

#: Tags that are whole by BCP 47: language, script, region, variants; others are cut to the first.
_TAG = re.compile(r"([A-Za-z]{2,3})(-[A-Za-z]{4})?(-(?:[A-Za-z]{2}|\d{3}))?")


@dataclass(frozen=True, slots=True)
class ManifestItem:
    """A file of a book; ``properties`` are those of the manifest."""

    name: str
    media_type: str
    data: bytes = field(repr=False)
    properties: str = ""


@dataclass(frozen=True, slots=True)
class BookMetadata:
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


def opf(about: BookMetadata, items: Sequence[ManifestItem]) -> bytes:
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


def _metadata(about: BookMetadata, tag: str, items: Sequence[ManifestItem]) -> etree._Element:
    top = etree.Element(f"{{{_OPF}}}metadata", nsmap=_names(_OPF, dc=_DC))

    def say(name: str, text: str, **more: str) -> None:
        text = " ".join(printable(text).split())
        if text:
            etree.SubElement(top, f"{{{_DC}}}{name}", more).text = text

    def meta(name: str, text: str) -> None:
        etree.SubElement(top, f"{{{_OPF}}}meta", {"property": name}).text = text

    articles = about.articles
    say("identifier", _identifier(about), id="id")
    say("title", about.title)
    for code in dict.fromkeys([tag, *(_tag(each.language) for each in articles)]):
        say("language", code)
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


def _accessibility(about: BookMetadata, items: Sequence[ManifestItem]) -> list[tuple[str, str]]:
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


def _identifier(about: BookMetadata) -> str:
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


_SMALLEST_COVER = 300
_ENDINGS = {"image/jpeg": "jpg", "image/png": "png", "image/svg+xml": "svg", "image/gif": "gif"}

#: A chapter's file, its article, and its headings: level, id and text.
_Outline: TypeAlias = tuple[str, Article, list[tuple[int, str, str]]]


@dataclass(slots=True)
class _Book:
    """A book that is being made: its files by name, and what each is."""

    make: Make = field(default_factory=lambda: Make(epub=True))
    items: dict[str, ManifestItem] = field(default_factory=dict)

    def put(self, name: str, media_type: str, data: bytes, properties: str = "") -> None:
        self.items[name] = ManifestItem(name, media_type, data, properties)

    def picture(self, picture: Picture) -> str:
        """Put a picture into the book, once, and return its address from a chapter."""
        kind = _ENDINGS[picture.media_type]
        name = f"pictures/{sha256(picture.data).hexdigest()[:20]}.{kind}"
        if name not in self.items:
            self.put(name, picture.media_type, picture.data)
        return name

    def page(self, name: str, title: str, body: etree._Element, tag: str, direction: str) -> None:
        """Put a page of XHTML into the book."""
        make = self.make
        head = make("head", make("title", title or "·"))
        add(head, make("link", rel="stylesheet", type="text/css", href="style.css"))
        html = make("html", head, body, lang=tag or "und", dir=direction)
        without_dead_links(html)
        properties = "mathml" if next(html.iter(f"{{{MATHML}}}math"), None) is not None else ""
        etree.cleanup_namespaces(html, keep_ns_prefixes=["epub"])
        data = etree.tostring(
            html, encoding="utf-8", xml_declaration=True, doctype="<!DOCTYPE html>"
        )
        self.put(name, "application/xhtml+xml", data, properties)


def to_epub(
    articles: Sequence[Article],
    pictures: Mapping[str, Picture],
    *,
    title: str = "",
    fetched: datetime | None = None,
) -> bytes:
    """Return articles as an EPUB; ``fetched`` is when it is said to have been changed."""
    sound = [limit_article(article)[0] for article in articles]
    first = sound[0]
    name = printable(title if len(sound) > 1 and title else first.title) or "·"
    book = _Book()
    book.put("style.css", "text/css", (COMMON + BOOK).encode())
    own = labels(valid_language(first.language))
    lead = _lead(sound, pictures)
    _cover(book, sound, name, own, lead)
    outlines = _chapters(book, sound, pictures, fetched)
    _contents(book, first, own, name, outlines)
    if lead is not None:
        path = book.picture(lead)
        book.items[path] = ManifestItem(path, lead.media_type, lead.data, "cover-image")
    about = BookMetadata(
        title=name,
        articles=sound,
        modified=fetched.astimezone(UTC) if fetched else EARLIEST,
        spine=("cover.xhtml", "nav.xhtml", *(page for page, _, _ in outlines)),
        described=not any(f.alt == "" and not f.caption for a in sound for f in a.figures),
    )
    return _packed(book, about)


def _chapters(
    book: _Book,
    articles: Sequence[Article],
    pictures: Mapping[str, Picture],
    fetched: datetime | None,
) -> list[_Outline]:
    """Write a chapter an article; return each one's file, article and headings."""
    formulas = typeset_formulas(articles)

    def picture(figure: Figure) -> Shown | None:
        found = pictures.get(figure.svg or figure.src)
        if found is None or found.media_type not in _ENDINGS:
            return None
        width = min(figure.width, found.width) if figure.width > 0 else found.width
        height = max(1, round(width * found.height / found.width))
        return Shown(book.picture(found), max(1, width), height)

    outlines: list[_Outline] = []
    for number, article in enumerate(articles, 1):
        page = f"chapter-{number}.xhtml"
        tag = valid_language(article.language)
        day = format_date(fetched, tag) if fetched else ""
        places = Places.of(article, "p-")
        chapter = Chapter(article, book.make, places, picture, book.picture, formulas, day)
        top = write_article(chapter)
        headings = _headings(top, places)
        body = book.make("body", top, epub_type="bodymatter")
        book.page(page, article.title, body, tag, article.direction)
        outlines.append((page, article, headings))
    return outlines


def _headings(top: etree._Element, places: Places) -> list[tuple[int, str, str]]:
    """Return a chapter's headings: level, id and text; each gets an id of its own."""
    found: list[tuple[int, str, str]] = []
    for element in top.iterchildren():
        name = etree.QName(element).localname
        if name not in ("h2", "h3", "h4", "h5", "h6"):
            continue
        text = " ".join("".join(map(str, element.itertext())).split())
        if text:
            element.set("id", element.get("id") or places.fresh("heading"))
            found.append((int(name[1]), element.get("id") or "", text))
    return found


def _cover(
    book: _Book, articles: Sequence[Article], title: str, own: Labels, lead: Picture | None
) -> None:
    """Write the first page: title, lead picture, who wrote it, where and when."""
    make, first = book.make, articles[0]
    cover = make("section", make("h1", title), class_="cover", epub_type="titlepage")
    if lead is not None:
        add(cover, make("p", make("img", src=book.picture(lead), alt=own.picture)))
    if len(articles) == 1:
        if first.byline:
            add(cover, make("p", first.byline, class_="byline"))
        about = (format_date(first.published, valid_language(first.language)), first.site)
    else:
        about = ("", " · ".join(dict.fromkeys(a.site for a in articles if a.site))[:400])
    if any(about):
        add(cover, make("p", " · ".join(filter(None, about)), class_="origin"))
    body = make("body", cover, epub_type="frontmatter")
    book.page("cover.xhtml", title, body, valid_language(first.language), first.direction)


def _contents(
    book: _Book, first: Article, own: Labels, title: str, outlines: Sequence[_Outline]
) -> None:
    """Write the contents: the articles, and below each its headings as they nest."""
    make = book.make
    top = make("ol")
    for page, article, headings in outlines:
        entry = make("li", make("a", article.title or title, href=page), lang=article.language)
        top.append(entry)
        path: list[tuple[int, etree._Element]] = [(1, entry)]
        for level, name, text in headings:
            while path[-1][0] >= level:
                path.pop()
            above = path[-1][1]
            if etree.QName(above[-1]).localname != "ol":
                add(above, make("ol"))
            item = make("li", make("a", text, href=f"{page}#{name}"))
            above[-1].append(item)
            path.append((level, item))
    toc = make("nav", make("h1", own.contents), top, id="toc", epub_type="toc", role="doc-toc")
    landmarks = make(
        "nav",
        make("h2", title),
        make(
            "ol",
            make("li", make("a", title, href="cover.xhtml", epub_type="titlepage")),
            make("li", make("a", own.contents, href="nav.xhtml", epub_type="toc")),
            make(
                "li",
                make("a", first.title or title, href=outlines[0][0], epub_type="bodymatter"),
            ),
        ),
        epub_type="landmarks",
        hidden="hidden",
    )
    body = make("body", toc, landmarks)
    book.page("nav.xhtml", own.contents, body, valid_language(first.language), first.direction)
    nav = book.items["nav.xhtml"]
    book.items["nav.xhtml"] = ManifestItem(nav.name, nav.media_type, nav.data, "nav")


def _lead(articles: Sequence[Article], pictures: Mapping[str, Picture]) -> Picture | None:
    """Return the first photograph that is large enough to stand on the cover."""
    for figure in (figure for article in articles for figure in article.figures):
        found = pictures.get(figure.svg or figure.src)
        if found is None or found.media_type not in ("image/jpeg", "image/png"):
            continue
        if min(found.width, found.height) >= _SMALLEST_COVER:
            return found
    return None


def _packed(book: _Book, about: BookMetadata) -> bytes:
    """Return the book as a file: the media type first and bare, all else compressed."""
    when = max(about.modified, EARLIEST).timetuple()[:6]
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as file:

        def put(name: str, data: bytes, how: int = zipfile.ZIP_DEFLATED) -> None:
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type, entry.create_system = how, 3
            entry.external_attr = 0o644 << 16
            file.writestr(entry, data)

        put("mimetype", b"application/epub+zip", zipfile.ZIP_STORED)
        put("META-INF/container.xml", container())
        put("book/package.opf", opf(about, list(book.items.values())))
        for item in book.items.values():
            raw = item.media_type in ("image/jpeg", "image/png")
            how = zipfile.ZIP_STORED if raw else zipfile.ZIP_DEFLATED
            put(f"book/{item.name}", item.data, how)
    return kept.getvalue()
