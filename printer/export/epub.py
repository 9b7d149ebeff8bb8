"""Articles as an EPUB 3 book: one chapter each, with cover, contents, pictures and metadata.

Equal articles and pictures give equal bytes, as nothing here reads the clock.  The package document
follows EPUB 3.3 and EPUB Accessibility 1.1.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from lxml import etree
from markupsafe import Markup

from ..article import Article, Figure
from ..html.parse import local_name
from ..i18n import Labels, format_date, labels
from ..output import Picture
from ..render.figures import PicturePlacement
from ..render.markup import HEADINGS, printable, valid_language
from ..render.math import typeset_formulas
from ..render.normalize import normalize_article
from .html import ScreenArticle, fit_picture, parse, render, safe_link, stylesheet

_XML: Any = {"encoding": "utf-8", "xml_declaration": True}


@dataclass(frozen=True, slots=True)
class _Item:
    """A file of the book; ``properties`` are for the manifest."""

    name: str
    media_type: str
    data: bytes = field(repr=False)
    properties: str = ""


@dataclass(slots=True)
class _TocEntry:
    """A heading in the table of contents, with its subheadings."""

    level: int
    id: str
    text: str
    children: list[_TocEntry] = field(default_factory=list)


_EXTENSIONS = {"image/jpeg": "jpg", "image/png": "png", "image/svg+xml": "svg", "image/gif": "gif"}


@dataclass(slots=True)
class _Book:
    """The files of a book by name."""

    items: dict[str, _Item] = field(default_factory=dict)

    def put(self, name: str, media_type: str, data: bytes, properties: str = "") -> None:
        self.items[name] = _Item(name, media_type, data, properties)

    def picture(self, picture: Picture) -> str:
        """Add a picture, once, and return its URL."""
        digest = sha256(picture.data).hexdigest()[:20]
        name = f"pictures/{digest}.{_EXTENSIONS[picture.media_type]}"
        if name not in self.items:
            self.put(name, picture.media_type, picture.data)
        return name

    def put_page(self, name: str, html: etree._Element, properties: str = "") -> None:
        if any(local_name(element) == "math" for element in html.iter(etree.Element)):
            properties = "mathml"
        etree.cleanup_namespaces(html, keep_ns_prefixes=["epub"])
        data = etree.tostring(html, **_XML, doctype="<!DOCTYPE html>")
        self.put(name, "application/xhtml+xml", data, properties)


def _page(title: str, body: Markup, article: Article) -> etree._Element:
    language = valid_language(article.language)
    return parse(render("page", "style.css", body, language, article.direction, title, epub=True))


#: The earliest date that ZIP can store, for files of unknown date.
_EARLIEST = datetime(1980, 1, 1, tzinfo=UTC)


def to_epub(
    articles: Sequence[Article],
    pictures: Mapping[str, Picture],
    *,
    title: str = "",
    fetched: datetime | None = None,
) -> bytes:
    """Return articles as an EPUB; ``fetched`` is the modification date of the book."""
    normalized = [normalize_article(article)[0] for article in articles]
    first = normalized[0]
    name = printable(title if len(normalized) > 1 and title else first.title) or "·"
    book = _Book()
    book.put("style.css", "text/css", stylesheet("common", "book").encode())
    words = labels(valid_language(first.language))
    lead = _lead_picture(normalized, pictures)
    cover = _cover(book, normalized, name, words, lead)
    book.put_page("cover.xhtml", _page(name, cover, first))
    chapters = _add_chapters(book, normalized, pictures, fetched)
    contents = render("contents", chapters, name, words, epub=True)
    book.put_page("nav.xhtml", _page(words.contents, contents, first), "nav")
    if lead is not None:
        path = book.picture(lead)
        book.put(path, lead.media_type, lead.data, "cover-image")
    modified = fetched.astimezone(UTC) if fetched else _EARLIEST
    spine = ("cover.xhtml", "nav.xhtml", *(file for file, _, _ in chapters))
    package = _package(name, normalized, modified, spine, list(book.items.values()))
    return _pack(book, package, modified)


def _cover(
    book: _Book, articles: Sequence[Article], title: str, words: Labels, lead: Picture | None
) -> Markup:
    """Return the first page: title, lead picture, author, date and sites."""
    first = articles[0]
    if len(articles) == 1:
        byline = first.byline
        attribution = (format_date(first.published, valid_language(first.language)), first.source)
    else:
        byline = ""
        attribution = ("", " · ".join(dict.fromkeys(a.site for a in articles if a.site))[:400])
    picture = book.picture(lead) if lead is not None else ""
    origin = " · ".join(filter(None, attribution))
    return render("cover", title, picture, words.picture, byline, origin, epub=True)


_MIN_COVER_SIDE_PX = 300
_COMPRESSED = ("image/jpeg", "image/png")


def _lead_picture(articles: Sequence[Article], pictures: Mapping[str, Picture]) -> Picture | None:
    for figure in (figure for article in articles for figure in article.figures):
        picture = pictures.get(figure.svg or figure.src)
        if (
            picture is not None
            and picture.media_type in _COMPRESSED
            and min(picture.width, picture.height) >= _MIN_COVER_SIDE_PX
        ):
            return picture
    return None


def _add_chapters(
    book: _Book,
    articles: Sequence[Article],
    pictures: Mapping[str, Picture],
    fetched: datetime | None,
) -> list[tuple[str, ScreenArticle, list[_TocEntry]]]:
    """Add a chapter for each article; return the file, the article and the headings of each."""
    formulas = typeset_formulas(articles)

    def picture(figure: Figure) -> PicturePlacement | None:
        prepared = pictures.get(figure.svg or figure.src)
        if prepared is None or prepared.media_type not in _EXTENSIONS:
            return None
        return fit_picture(figure, prepared, book.picture)

    chapters = []
    for number, article in enumerate(articles, 1):
        file = f"chapter-{number}.xhtml"
        view = ScreenArticle(article, True, "p-", picture, book.picture, formulas, fetched)
        html = _page(article.title, render("chapter", view, epub=True), article)
        headings = _headings(html[-1][0], view)
        book.put_page(file, html)
        chapters.append((file, view, headings))
    return chapters


def _headings(top: etree._Element, view: ScreenArticle) -> list[_TocEntry]:
    """Return a chapter's headings, nested by level; each is given an id."""
    root = _TocEntry(1, "", "")
    path = [root]
    for element in top.iterchildren(etree.Element):
        name = local_name(element)
        text = " ".join("".join(map(str, element.itertext())).split())
        if name not in HEADINGS or not text:
            continue
        element.set("id", element.get("id") or view.ids.fresh("heading"))
        heading = _TocEntry(int(name[1]), element.get("id") or "", text)
        while path[-1].level >= heading.level:
            path.pop()
        path[-1].children.append(heading)
        path.append(heading)
    return root.children


#: BCP 47 tags with language, script and region; other subtags are dropped.
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(-[A-Za-z]{4})?(-(?:[A-Za-z]{2}|\d{3}))?")


def _package(
    title: str,
    articles: Sequence[Article],
    modified: datetime,
    spine: Sequence[str],
    items: Sequence[_Item],
) -> bytes:
    names = "\n".join([title, *(article.url or article.title for article in articles)])
    ids = {item.name: f"f{number}" for number, item in enumerate(items, 1)}
    package = render(
        "package",
        identifier=uuid5(NAMESPACE_URL, names.encode("utf-8", "replace").decode()),
        title=" ".join(title.split()),
        languages=_unique(_language_tag(article.language) for article in articles),
        creators=_unique(article.byline[:500] for article in articles),
        publishers=_unique(article.site[:300] for article in articles),
        date=max(_day(article.published) for article in articles),
        description=" ".join(_unique([articles[0].lead[:1000]] if len(articles) == 1 else [])),
        sources=_unique(safe_link(article.url) for article in articles),
        modified=modified.strftime("%Y-%m-%dT%H:%M:%SZ"),
        has_pictures=any(item.media_type.startswith("image/") for item in items),
        is_described=not any(f.alt == "" and not f.caption for a in articles for f in a.figures),
        has_mathml=any(item.properties == "mathml" for item in items),
        items=[(ids[item.name], item) for item in items],
        spine=[ids[name] for name in spine],
        direction="rtl" if articles[0].direction == "rtl" else "ltr",
    )
    data: bytes = etree.tostring(parse(package), **_XML, pretty_print=True)
    return data


def _unique(texts: Iterable[str]) -> list[str]:
    lines = (" ".join(printable(text).split()) for text in texts)
    return list(filter(None, dict.fromkeys(lines)))


def _language_tag(language: str) -> str:
    match = _LANGUAGE.match(language)
    if match is None or language[match.end() :][:1] not in ("", "-"):
        return "und"
    return match[0]


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text[:10]).isoformat()
    except ValueError:
        return ""


def _pack(book: _Book, package: bytes, modified: datetime) -> bytes:
    """Return the book as a ZIP file, with the media type first and uncompressed."""
    timestamp = max(modified, _EARLIEST).timetuple()[:6]
    output = io.BytesIO()
    container = parse(render("container"))
    with zipfile.ZipFile(output, "w") as file:

        def put(name: str, data: bytes, method: int = zipfile.ZIP_DEFLATED) -> None:
            entry = zipfile.ZipInfo(name, timestamp)
            entry.compress_type, entry.create_system = method, 3
            entry.external_attr = 0o644 << 16
            file.writestr(entry, data)

        put("mimetype", b"application/epub+zip", zipfile.ZIP_STORED)
        put("META-INF/container.xml", etree.tostring(container, **_XML))
        put("book/package.opf", package)
        for item in book.items.values():
            is_compressed = item.media_type in _COMPRESSED
            method = zipfile.ZIP_STORED if is_compressed else zipfile.ZIP_DEFLATED
            put(f"book/{item.name}", item.data, method)
    return output.getvalue()
