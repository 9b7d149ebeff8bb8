"""Articles as markup for screens: a self-contained page of HTML, or chapters of EPUB.

Both are written by the macros of ``screen.xml.j2`` and contain no scripts.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from jinja2.environment import TemplateModule
from lxml import etree
from markupsafe import Markup

from ..article import ZERO_WIDTH_SPACE, Article, Figure, Note, Span, Spans, walk
from ..files import load_json
from ..html.parse import local_name, xml_parser
from ..i18n import Labels, format_date, labels
from ..output import Picture
from ..render.figures import PicturePlacement
from ..render.inline import split_by_style
from ..render.links import display_url
from ..render.markup import (
    Element,
    Ids,
    attributes,
    escape_text,
    nest,
    printable,
    span_elements,
    strip_brackets,
    valid_direction,
    valid_language,
)
from ..render.math import Formula, formula_text, typeset_formulas
from ..render.normalize import normalize_article
from ..urls import link_url

#: The elements and attributes of MathML that are kept.
_TABLES: dict[str, Any] = load_json(__file__, "mathml.json")


def fit_picture(
    figure: Figure, picture: Picture, url: Callable[[Picture], str]
) -> PicturePlacement:
    """Return a figure's picture, no wider than on the page."""
    width = min(figure.width, picture.width) if figure.width > 0 else picture.width
    height = max(1, round(width * picture.height / picture.width))
    return PicturePlacement(url(picture), width, height)


def safe_link(url: str) -> str:
    """Return a URL that is safe in a link, '' if it is not allowed."""
    return link_url(printable(url))


_MATHML = "http://www.w3.org/1998/Math/MathML"


@dataclass(slots=True)
class ScreenArticle:
    """An article, within the limits of :mod:`..render.normalize`, as the template sees it.

    ``epub`` says whether it is a chapter of EPUB rather than part of a page of HTML; ``prefix``
    begins its ids.  ``picture`` returns the picture of a figure, None if it is missing; ``file``
    returns the URL of a drawing, and ``formulas`` are drawings.
    """

    article: Article
    epub: bool
    prefix: str
    picture: Callable[[Figure], PicturePlacement | None]
    file: Callable[[Picture], str]
    formulas: Mapping[tuple[str, bool], Formula]
    fetch_time: datetime | None
    ids: Ids = field(init=False)
    start: str = field(init=False)

    def __post_init__(self) -> None:
        self.ids = Ids(self.prefix, safe_link)
        self.ids.collect(self.article)
        self.start = self.ids.fresh("start")

    @property
    def language(self) -> str:
        """The article's language, '' if unknown."""
        return valid_language(self.article.language)

    @property
    def labels(self) -> Labels:
        return labels(self.language)

    @property
    def fetched(self) -> str:
        return format_date(self.fetch_time, self.language) if self.fetch_time else ""

    @property
    def origin(self) -> str:
        """The line with the date and the site."""
        parts = (format_date(self.article.published, self.language), self.article.source)
        return " · ".join(filter(None, parts))

    @property
    def link(self) -> str:
        """The URL of the article, or '' if it must not be linked."""
        return safe_link(self.article.url)

    @property
    def notes(self) -> list[Note]:
        return [block for block in walk(self.article.blocks) if isinstance(block, Note)]

    def formula(self, source: str, text: str, *, display: bool = False) -> Markup:
        """Return a formula as the page's own MathML if valid, or else as a drawing or text."""
        read = formula_text(source, text)
        if (math := valid_mathml(source)) is not None:
            math.set("alttext", " ".join(read.split()))
            if display:
                math.set("display", "block")
            xml = etree.tostring(math, encoding="unicode")
            return Markup(xml.replace("<math", f'<math xmlns="{_MATHML}"', 1) if self.epub else xml)  # noqa: S704 - rebuilt
        drawing = self.formulas.get((source, display))
        if drawing is None:
            return Markup('<span class="math">{}</span>').format(escape_text(read))
        style = (
            f"width: {drawing.width:.3f}em; height: {drawing.height:.3f}em; "
            f"vertical-align: {-drawing.depth:.3f}em"
        )
        url = self.file(drawing.picture)
        return Markup("<img{}/>").format(attributes(src=url, alt=read, class_="math", style=style))

    def inline(self, spans: Spans) -> Markup:
        return nest(spans, self._elements, self._content)

    def _elements(self, span: Span) -> Iterator[Element]:
        link = attributes(href=not span.note and self.ids.target(span.href))
        return span_elements(span, link, epub=self.epub)

    def _content(self, span: Span) -> Markup:
        name = self.ids.define(span.id)
        if span.note:
            html = self._call(span)
        elif span.math:
            html = self.formula(span.math, span.text)
        elif span.ruby:
            ruby = escape_text(span.ruby[:200])
            html = Markup("<ruby>{}<rt>{}</rt></ruby>").format(escape_text(span.text), ruby)
        else:
            text = span.text.replace(ZERO_WIDTH_SPACE, "") if "code" in span.marks else span.text
            html = Markup("<br/>").join(map(escape_text, text.split("\n")))
        return Markup('<span id="{}">{}</span>').format(name, html) if name else html

    def _call(self, span: Span) -> Markup:
        """Return the reference mark of a note."""
        label = escape_text(strip_brackets(span.text) or "*")
        if span.note not in self.ids.notes:
            return label
        link = attributes(
            self.epub, href=self.ids.target(f"#{span.note}"), id=self.ids.call(span.note),
            epub_type="noteref", role="doc-noteref",
        )  # fmt: skip
        return Markup("<a{}>{}</a>").format(link, label)


def _code(text: str, language: str) -> Markup:
    parts = []
    for part, tag, kind in split_by_style(printable(text), language):
        html = escape_text(part)
        parts.append(
            Markup("<{0}{1}>{2}</{0}>").format(tag, attributes(class_=kind), html) if tag else html
        )
    return Markup("").join(parts)


def render(macro: str, *values: object, epub: bool = False, **named: object) -> Markup:
    """Return the markup of a macro of the template."""
    result: Markup = getattr(_macros(epub), macro)(*values, **named)
    return result


TEMPLATES = Path(__file__).with_name("templates")


@lru_cache(2)
def _macros(epub: bool) -> TemplateModule:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: escape_text(value) if type(value) is str else value,
    )
    environment.filters.update(
        kind=lambda block: type(block).__name__,
        lang=valid_language,
        direction=valid_direction,
        display_url=display_url,
        link=safe_link,
        mark=strip_brackets,
        code=_code,
    )
    source = (TEMPLATES / "screen.xml.j2").read_text("utf-8")
    template = environment.from_string("".join(map(str.strip, source.splitlines())))
    return template.make_module({"epub": epub, "attributes": partial(attributes, epub)})


_VOID = frozenset({"br", "hr", "img", "item", "itemref", "link", "meta", "mspace", "rootfile"})


def parse(text: Markup) -> etree._Element:
    """Parse markup, removing links to ids that do not exist."""
    root = etree.fromstring(text.encode("utf-8", "replace"), xml_parser(huge_tree=True))
    ids = {f"#{element.get('id')}" for element in root.iter(etree.Element)}
    for element in root.iter(etree.Element):
        if not (len(element) or element.text or local_name(element) in _VOID):
            element.text = ""  # writes <td></td>, as HTML parsers misread <td/>
        href = element.get("href") or ""
        if href.startswith("#") and href not in ids:
            del element.attrib["href"]
    return root


def stylesheet(*names: str) -> str:
    return "".join((TEMPLATES / f"{name}.css").read_text("utf-8") for name in names)


#: The content policy of a page of HTML: only its own style sheet and pictures are loaded.
_CONTENT_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def to_html(
    articles: Sequence[Article],
    pictures: Mapping[str, Picture],
    *,
    title: str = "",
    fetched: datetime | None = None,
) -> str:
    """Return articles as one page with embedded pictures."""

    def picture(figure: Figure) -> PicturePlacement | None:
        prepared = pictures.get(figure.svg or figure.src)
        return fit_picture(figure, prepared, _data_url) if prepared else None

    normalized = [normalize_article(article)[0] for article in articles]
    formulas = typeset_formulas(normalized)
    views = [
        ScreenArticle(article, False, f"a{number}-", picture, _data_url, formulas, fetched)
        for number, article in enumerate(normalized, 1)
    ]
    name = printable(title if len(normalized) > 1 and title else normalized[0].title)
    css = stylesheet("common", "page")
    root = parse(render("html_page", views, name, title, _CONTENT_POLICY, css))
    text: str = etree.tostring(root, method="html", encoding="unicode", doctype="<!DOCTYPE html>")
    return text + "\n"


def _data_url(picture: Picture) -> str:
    text = base64.b64encode(picture.data).decode("ascii")
    return f"data:{picture.media_type};base64,{text}"


def valid_mathml(source: str) -> etree._Element | None:
    """Return MathML rebuilt from known elements with the required children, or None."""
    root = parse_mathml(source)
    return _rebuild(root, 0) if root is not None else None


_MAX_MATHML_CHARS = 20_000


def parse_mathml(source: str) -> etree._Element | None:
    """Return the tree of MathML, None if it is not well-formed or too long."""
    if not source.startswith("<math") or len(source) > _MAX_MATHML_CHARS:
        return None
    try:
        return etree.fromstring(source, xml_parser())
    except etree.XMLSyntaxError:
        return None


_MAX_MATHML_DEPTH = 40
#: The attributes that are kept, by element.
_ATTRIBUTES = _TABLES["attributes"]
#: The number of children, by element.
_CHILDREN = _TABLES["children"]
#: Elements without content.
_EMPTY = _TABLES["empty"]
_TABLE_CHILDREN = _TABLES["table_children"]
#: Elements with text.
_TOKENS = _TABLES["tokens"]
_ELEMENTS = frozenset((*_TOKENS, *_EMPTY, *_TABLES["rows"], *_TABLE_CHILDREN, *_CHILDREN))


def _rebuild(node: etree._Element, depth: int) -> etree._Element | None:
    tag = local_name(node)
    if tag == "semantics" and len(node):
        return _rebuild(node[0], depth + 1)
    if tag not in _ELEMENTS or depth > _MAX_MATHML_DEPTH:
        return None
    if len(node) != _CHILDREN.get(tag, len(node)) or (tag == "math") != (depth == 0):
        return None
    copy = etree.Element(tag)
    for name in _ATTRIBUTES.get(tag, ()):
        value = node.get(name)
        if value is not None and value in _TABLES["values"].get(name, ("true", "false")):
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
