"""Articles as markup for screens, the same for a page of HTML and a chapter of EPUB."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache, partial
from itertools import takewhile
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from jinja2.environment import TemplateModule
from lxml import etree
from markupsafe import Markup, escape

from ..article import (
    MARKS,
    ZERO_WIDTH_SPACE,
    Article,
    Figure,
    List,
    Note,
    Span,
    Spans,
    block_spans,
    walk,
)
from ..i18n.labels import Labels, format_date, labels
from ..output import Picture
from ..render.inline import printable, split_by_style, strip_brackets, valid_language
from ..render.links import display_url
from ..render.math import Formula, formula_text
from ..urls import link_url
from .math import local_name, valid_mathml

_MATHML = "http://www.w3.org/1998/Math/MathML"
TEMPLATES = Path(__file__).with_name("templates")
_VOID = frozenset({"br", "hr", "img", "item", "itemref", "link", "meta", "mspace", "rootfile"})
_UNSAFE_IN_IDS = re.compile(r"[^A-Za-z0-9_.-]+")
#: Characters that an XML parser would normalize.
_LINE_ENDS = {ord("\r"): "&#13;"}
_SPACES = {ord("\r"): "&#13;", ord("\n"): "&#10;", ord("\t"): "&#9;"}


@dataclass(frozen=True, slots=True)
class ScreenPicture:
    """A picture's URL, and its size in CSS pixels (0: unknown)."""

    url: str
    width: int = 0
    height: int = 0


def fit_picture(figure: Figure, picture: Picture, url: Callable[[Picture], str]) -> ScreenPicture:
    """Return a figure's picture, no wider than the page states."""
    width = min(figure.width, picture.width) if figure.width > 0 else picture.width
    height = max(1, round(width * picture.height / picture.width))
    return ScreenPicture(url(picture), width, height)


@dataclass(slots=True)
class Ids:
    """The ids of an article: unique, ASCII, each set once, with a letter first.

    XML allows fewer characters in ids than HTML.
    """

    prefix: str
    ids: dict[str, str] = field(default_factory=dict)
    notes: dict[str, Note] = field(default_factory=dict)
    _defined: set[str] = field(default_factory=set)
    _used: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, article: Article, prefix: str) -> Ids:
        """Assign an id to every name in an article."""
        ids = cls(prefix)
        for block in walk(article.blocks):
            names = [getattr(block, "id", "")]
            names += [span.id for spans in block_spans(block) for span in spans]
            if isinstance(block, List):
                names += [item.id for item in block.items]
            for name in filter(None, names):
                ids.ids.setdefault(name, ids.fresh(name))
            if isinstance(block, Note):
                ids.notes.setdefault(block.id, block)
        return ids

    def fresh(self, name: str) -> str:
        """Return an unused id made from a name."""
        base = self.prefix + (_UNSAFE_IN_IDS.sub("-", name[:60]).strip("-") or "place")
        id_, number = base, 2
        while id_ in self._used:
            id_, number = f"{base}-{number}", number + 1
        self._used.add(id_)
        return id_

    def define(self, name: str) -> str:
        """Return the id to set for a name, '' if it has none or was defined before."""
        if not name or name in self._defined or name not in self.ids:
            return ""
        self._defined.add(name)
        return self.ids[name]

    def target(self, href: str) -> str:
        """Return where a link leads: a safe URL, a place in the article, or ''."""
        if href.startswith("#"):
            known = self.ids.get(href[1:])
            return f"#{known}" if known else ""
        return safe_link(href)

    def call(self, note: str) -> str:
        """Return the id of a note's first reference mark, '' for the others."""
        name = f"call {note}"
        self.ids.setdefault(name, self.fresh(f"call-{note}"))
        return self.define(name)

    def called(self, note: str) -> str:
        """Return the link to a note's first reference mark, '' if there is none."""
        name = f"call {note}"
        return f"#{self.ids[name]}" if name in self._defined else ""


def safe_link(url: str) -> str:
    """Return a URL as it may stand in a link, '' for one that may not."""
    return link_url(printable(url))


@dataclass(slots=True)
class ScreenArticle:
    """An article as the template sees it.

    Attributes:
        article: The article, within limits.
        epub: Whether it is a chapter of EPUB rather than part of a page of HTML.
        prefix: The beginning of its ids.
        picture: Returns the picture of a figure, None if it is missing.
        file: Returns the URL of a drawing.
        formulas: The drawings of its formulas.
        fetch_time: When it was fetched.
    """

    article: Article
    epub: bool
    prefix: str
    picture: Callable[[Figure], ScreenPicture | None]
    file: Callable[[Picture], str]
    formulas: Mapping[tuple[str, bool], Formula]
    fetch_time: datetime | None
    ids: Ids = field(init=False)
    start: str = field(init=False)

    def __post_init__(self) -> None:
        self.ids = Ids.of(self.article, self.prefix)
        self.start = self.ids.fresh("start")

    @property
    def language(self) -> str:
        """The article's language, '' if unknown."""
        return valid_language(self.article.language)

    @property
    def labels(self) -> Labels:
        """The labels in the article's language."""
        return labels(self.language)

    @property
    def fetched(self) -> str:
        """The date of fetching in the article's language."""
        return format_date(self.fetch_time, self.language) if self.fetch_time else ""

    @property
    def origin(self) -> str:
        """The line with date and site."""
        parts = (format_date(self.article.published, self.language), self.article.site)
        return " · ".join(filter(None, parts))

    @property
    def link(self) -> str:
        """The URL of the article, '' if it may not be linked."""
        return safe_link(self.article.url)

    @property
    def notes(self) -> list[Note]:
        """The article's notes in order."""
        return [block for block in walk(self.article.blocks) if isinstance(block, Note)]

    def formula(self, source: str, text: str, *, display: bool = False) -> Markup:
        """Return a formula as the page's own MathML if valid, else as its drawing or as text."""
        read = formula_text(source, text)
        if (math := valid_mathml(source)) is not None:
            math.set("alttext", " ".join(read.split()))
            if display:
                math.set("display", "block")
            xml = etree.tostring(math, encoding="unicode")
            return Markup(xml.replace("<math", f'<math xmlns="{_MATHML}"', 1) if self.epub else xml)  # noqa: S704 - rebuilt
        drawing = self.formulas.get((source, display))
        if drawing is None:
            return Markup('<span class="math">{}</span>').format(_escape(read))
        style = (
            f"width: {drawing.width:.3f}em; height: {drawing.height:.3f}em; "
            f"vertical-align: {-drawing.depth:.3f}em"
        )
        url = self.file(drawing.picture)
        return Markup("<img{}/>").format(
            attributes(src=url, alt=read, **{"class": "math"}, style=style)
        )

    def inline(self, spans: Spans) -> Markup:
        """Return spans as inline markup."""
        return nest(spans, self._elements, self._content)

    def _elements(self, span: Span) -> Iterator[tuple[str, Markup]]:
        if not span.note and (href := self.ids.target(span.href)):
            yield "a", attributes(href=href)
        own = attributes(self.epub, lang=valid_language(span.lang), dir=_direction(span.dir))
        if own:
            yield "span", own
        if span.note:
            yield "sup", Markup()
            return
        for mark in MARKS:
            if mark in span.marks:
                yield mark, attributes(title=mark == "abbr" and span.title[:300])

    def _content(self, span: Span) -> Markup:
        name = self.ids.define(span.id)
        if span.note:
            content = self._call(span)
        elif span.math:
            content = self.formula(span.math, span.text)
        elif span.ruby:
            ruby = Markup("<ruby>{}<rt>{}</rt></ruby>")
            content = ruby.format(_escape(span.text), _escape(span.ruby[:200]))
        else:
            text = span.text.replace(ZERO_WIDTH_SPACE, "") if "code" in span.marks else span.text
            content = Markup("<br/>").join(map(_escape, text.split("\n")))
        return Markup('<span id="{}">{}</span>').format(name, content) if name else content

    def _call(self, span: Span) -> Markup:
        """Return the reference mark of a note."""
        mark = _escape(strip_brackets(span.text) or "*")
        if span.note not in self.ids.notes:
            return mark
        own = attributes(
            self.epub, href=self.ids.target(f"#{span.note}"), id=self.ids.call(span.note),
            epub_type="noteref", role="doc-noteref",
        )  # fmt: skip
        return Markup("<a{}>{}</a>").format(own, mark)


def nest(
    spans: Spans,
    elements: Callable[[Span], Iterable[tuple[str, Markup]]],
    content: Callable[[Span], Markup],
) -> Markup:
    """Return spans as markup in which neighbours share the elements that are the same.

    Args:
        spans: The spans.
        elements: Returns the elements around a span, outermost first: name and attributes.
        content: Returns the markup of a span inside its elements.
    """
    parts: list[str] = []
    still_open: list[tuple[str, Markup]] = []
    for span in spans:
        wanted = list(elements(span))
        pairs = zip(still_open, wanted, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        parts += [f"</{name}>" for name, _ in reversed(still_open[shared:])]
        parts += [f"<{name}{own}>" for name, own in wanted[shared:]]
        parts.append(content(span))
        still_open = wanted
    parts += [f"</{name}>" for name, _ in reversed(still_open)]
    return Markup("".join(parts))  # noqa: S704 - all parts are markup


def _direction(value: str) -> str:
    return value if value in ("ltr", "rtl") else ""


def _escape(text: str) -> Markup:
    html = str(escape(printable(text)))
    return Markup(html.translate(_LINE_ENDS))  # noqa: S704 - escaped


def attributes(epub: bool = False, /, **values: object) -> Markup:
    """Return attributes as markup, without empty ones; ``epub_type`` is only for EPUB."""
    parts: list[str] = []
    for name, value in values.items():
        text = "" if value is None or value is False else printable(str(value))
        if not text or (name == "epub_type" and not epub):
            continue
        text = str(escape(text)).translate(_SPACES)
        parts.append(f' {"epub:type" if name == "epub_type" else name}="{text}"')
        if name == "lang" and epub:
            parts.append(f' xml:lang="{text}"')
    return Markup("".join(parts))  # noqa: S704 - escaped


def _code(text: str, language: str) -> Markup:
    """Return code as markup, with its syntax highlighted."""
    parts = []
    for part, tag, kind in split_by_style(printable(text), language):
        html = _escape(part)
        parts.append(
            Markup("<{}{}>{}</{}>").format(tag, attributes(**{"class": kind}), html, tag)
            if tag
            else html
        )
    return Markup("").join(parts)


def render(macro: str, *values: object, epub: bool = False, **named: object) -> Markup:
    """Return the markup of a macro of the template."""
    result: Markup = getattr(_macros(epub), macro)(*values, **named)
    return result


@lru_cache(2)
def _macros(epub: bool) -> TemplateModule:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: _escape(value) if type(value) is str else value,
    )
    environment.filters.update(
        kind=lambda block: type(block).__name__,
        lang=valid_language,
        direction=_direction,
        display_url=display_url,
        link=safe_link,
        mark=strip_brackets,
        code=_code,
    )
    source = (TEMPLATES / "screen.xml.j2").read_text("utf-8")
    template = environment.from_string("".join(map(str.strip, source.splitlines())))
    return template.make_module({"epub": epub, "attributes": partial(attributes, epub)})


def parse(text: Markup) -> etree._Element:
    """Return markup as a tree, without links to ids that do not exist."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    ids = {f"#{element.get('id')}" for element in root.iter(etree.Element)}
    for element in root.iter(etree.Element):
        if not (len(element) or element.text or local_name(element) in _VOID):
            element.text = ""  # <td></td> rather than <td/>, which HTML parsers misread
        href = element.get("href") or ""
        if href.startswith("#") and href not in ids:
            del element.attrib["href"]
    return root


def stylesheet(*names: str) -> str:
    """Return style sheets joined."""
    return "".join((TEMPLATES / f"{name}.css").read_text("utf-8") for name in names)
