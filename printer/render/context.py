"""Articles to HTML through a theme's templates: for print, and as a page of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import datetime
from functools import partial
from io import BytesIO
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup

from ..article import (
    Article,
    Block,
    Embed,
    Figure,
    Math,
    Note,
    Paragraph,
    Span,
    Spans,
    plain_text,
    walk,
)
from ..i18n.labels import DigestLabels, Labels, digest_labels, format_date, labels
from ..options import LinkStyle, PdfVariant, PrintOptions
from ..output import Edition, Picture, Story
from ..themes.assets import Assets, asset_url
from ..themes.loader import load_theme
from ..themes.options import StyledTheme, apply_options
from ..themes.page import MAX_PICTURE_HEIGHT, UNITS, PageGeometry, page_geometry
from ..themes.stylesheet import build_longer_pages, build_stylesheet
from .inline import inline
from .limits import limit_article
from .links import Anchors, LinkTargets, choose_footnotes, choose_link_style
from .markup import printable, valid_language
from .math import formula_html, typeset_formulas
from .pdf.provenance import Provenance
from .templates import fill, is_web

#: So many authors are named in the metadata.
MOST_AUTHORS = 100

#: So many films, sounds and maps have a QR code of their own.
MOST_CODES = 40


@dataclass(frozen=True, slots=True)
class Document:
    """HTML for print, the pictures that it names, and what kind of PDF is to be made of it.

    Lines that are a multiple of ``line_numbers`` are numbered in the margin (0: none), and the
    first page has the number ``first``.  Pictures that came out much smaller than they were made
    for keep ``dpi`` (0: all they have).  ``longer`` is the style sheet that runs the pages long.
    """

    html: str = field(repr=False)
    assets: Assets = field(default_factory=Assets)
    warnings: tuple[str, ...] = ()
    pdf_variant: PdfVariant = "ua-1"
    provenance: Provenance = field(default_factory=Provenance)
    line_numbers: int = 0
    dpi: int = 0
    grayscale: bool = False
    first_page: int = 1
    extended_css: str = ""


@dataclass(frozen=True, slots=True)
class ArticleView:
    """One article as a template sees it, with what it needs to be set.

    In a digest it has a ``story`` and may open a section; in the contents it has a ``page``.
    """

    article: Article
    notes: tuple[Note, ...]
    anchors: Anchors
    language: str
    direction: str
    date: str
    host: str
    link: str
    hyphenate: bool
    script: str
    labels: Labels
    fetched: str
    qr: str = ""
    codes: dict[str, str] = field(default_factory=dict)
    story: Story = field(default_factory=Story)
    opens: bool = False
    page: int = 0

    @property
    def digest_labels(self) -> DigestLabels:
        """The words of a digest, in this article's language."""
        return digest_labels(self.language)

    @property
    def endnotes(self) -> tuple[Note, ...]:
        """The notes that do not stand at the foot of a page already."""
        return tuple(note for note in self.notes if not self.anchors.is_placed(note))

    def formula(self, block: Math) -> Markup:
        """Return a displayed formula as HTML."""
        return formula_html(block.source, block.alt, self.anchors.formulas, display=True)

    @property
    def inline(self) -> Callable[[Spans], str]:
        """Turn spans of this article into inline HTML."""
        return partial(inline, anchors=self.anchors)

    @property
    def standfirst(self) -> Paragraph | None:
        """The short paragraph before the first picture."""
        return standfirst(self.article)

    @property
    def body(self) -> tuple[Block, ...]:
        """All blocks but the standfirst."""
        return self.article.blocks[1:] if self.standfirst else self.article.blocks

    @property
    def opening(self) -> int | None:
        """The place of the first paragraph, when it is long enough for a large initial."""
        for place, block in enumerate(self.body[:3]):
            if isinstance(block, Paragraph):
                long = len(plain_text(block.spans)) >= 200
                return place if long and "upright" not in self.script else None
        return None


@dataclass(frozen=True, slots=True)
class RenderContext:
    """What the documents have in common that one print is made of.

    ``articles`` are all of them, bounded, ``lead`` is the first as a template sees it.
    """

    articles: tuple[Article, ...]
    options: PrintOptions
    styling: StyledTheme
    paper: PageGeometry
    links: LinkStyle
    lead: ArticleView
    fetched: datetime | None = None
    dpi: int = 0
    edition: Edition | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        articles: Sequence[Article],
        options: PrintOptions,
        fetched: datetime | None = None,
        edition: Edition | None = None,
        dpi: int = 0,
    ) -> RenderContext:
        """Read the options; raises :class:`UsageError` for those that cannot be read."""
        styling, paper = apply_options(options), page_geometry(options)
        sound, warnings = _bounded(articles)
        lead, links = _part(sound[0], "", fetched), _link_style(options, sound)
        warnings = (*warnings, *_put_at_end(options, paper, links, sound))
        return cls(
            tuple(sound), options, styling, paper, links, lead, fetched, dpi, edition, warnings
        )

    @property
    def several(self) -> bool:
        """Whether it has contents, which a digest has even of one article."""
        return len(self.articles) > 1 or self.edition is not None

    def part(self, place: int, article: Article, targets: LinkTargets | None = None) -> ArticleView:
        """Return the article at a place as a template sees it."""
        prefix = f"a{place + 1}-" if self.several else ""
        foot = self.paper.columns == 1
        part = _part(article, prefix, self.fetched, targets, foot=foot)
        if self.edition is None:
            return part
        return replace(part, story=self.edition.stories[place], opens=self.opens(place))

    def opens(self, place: int) -> bool:
        """Tell whether the article at a place is the first of a section."""
        if self.edition is None:
            return False
        stories = self.edition.stories
        before = stories[place - 1].section if place else ""
        return stories[place].section not in ("", before)

    def document(self, **values: object) -> Document:
        """Return the document that the theme's template makes of these values and the rest."""
        options, edition, lead = self.options, self.edition, self.lead
        title = options.title if self.several else ""
        bylines = (article.byline for article in self.articles)
        html = fill(
            self.styling.theme,
            "digest" if edition else "article",
            **{
                "parts": (),
                "entries": (),
                "sheets": (),
                "pages": 0,
                "cover": "",
                "last": False,
                **values,
            },
            lead=lead,
            labels=lead.labels,
            title=title or lead.article.title,
            authors=list(dict.fromkeys(filter(None, bylines)))[:MOST_AUTHORS],
            several=self.several,
            edition=edition,
            digest_labels=digest_labels(lead.language),
            when=printable(format_date(edition.when, lead.language))
            if edition and edition.when
            else "",
            css=build_stylesheet(self.styling, self.paper, options),
            values=dict(self.styling.values),
            paper=self.paper,
        )
        files = Assets.of(self.styling.theme.files.values())
        return Document(
            html, files, pdf_variant=options.pdf, dpi=self.dpi, grayscale=options.grayscale
        )


def render_html(
    articles: Sequence[Article],
    pictures: Mapping[str, Picture],
    options: PrintOptions | None = None,
    fetched: datetime | None = None,
) -> Document:
    """Set articles in a theme, one after the other.

    ``pictures`` are found by ``Figure.src`` (or, for an inline drawing, its ``svg``).  Raises
    :class:`UsageError` for an unknown theme or options that cannot be read.
    """
    whole = RenderContext.of(articles, options or PrintOptions(), fetched)
    targets = LinkTargets(whole.links)
    document = build_document(whole, range(len(articles)), pictures, targets, targets)
    return replace(document, warnings=whole.warnings)


def build_document(
    whole: RenderContext,
    places: Sequence[int],
    pictures: Mapping[str, Picture],
    targets: LinkTargets,
    listed: LinkTargets,
) -> Document:
    """Set the articles at these places, their links numbered as ``targets``.

    After the last of all articles the ``listed`` targets are named.
    """
    found = [whole.articles[place] for place in places]
    leads = frozenset(id(block) for each in found for block in each.blocks[:2])
    shown = partial(prepared, pictures, whole.paper, leads)
    articles = [picture_first(each, shown) for each in found]
    codes = _codes(articles, sources=whole.options.qr)
    formulas = typeset_formulas(articles)
    parts = []
    for place, article in zip(places, articles, strict=True):
        part = whole.part(place, article, targets)
        part.anchors.formulas = formulas
        part.codes.update((url, asset_url(code)) for url, code in codes.items())
        has_code = whole.options.qr and article.url in codes
        parts.append(replace(part, qr=asset_url(codes[article.url]) if has_code else ""))
    last = places[-1] == len(whole.articles) - 1
    document = whole.document(parts=parts, targets=listed, last=last, picture=shown)
    drawings = (formula.picture for formula in formulas.values())
    named = (figure.svg or figure.src for article in articles for figure in article.figures)
    used = (pictures[name] for name in named if name in pictures)
    theme = whole.styling.theme
    return replace(
        document,
        assets=Assets.of((*used, *codes.values(), *drawings, *theme.files.values())),
        line_numbers=theme.page.line_numbers,
        extended_css=""
        if whole.several
        else build_longer_pages(whole.styling, whole.paper, whole.options),
    )


def build_front_matter(whole: RenderContext, entries: Sequence[ArticleView]) -> Document:
    """Set what stands before several articles: a cover if the whole has a title, and contents."""
    return whole.document(entries=entries, cover=printable(whole.options.title[:200]))


def build_page_numbers(whole: RenderContext, sheets: Sequence[str], pages: int) -> Document:
    """Set the numbers of pages that have these names, of so many in all, and nothing else."""
    return whole.document(sheets=sheets, pages=pages)


def _link_style(options: PrintOptions, articles: Sequence[Article]) -> LinkStyle:
    """Return how links are printed: the same way in all articles, as their numbers are one row."""
    styles = {choose_link_style(options.links, article) for article in articles}
    return styles.pop() if len(styles) == 1 else "endnote"


def _put_at_end(
    options: PrintOptions, paper: PageGeometry, links: LinkStyle, articles: Sequence[Article]
) -> Iterator[str]:
    """Say what stands at the end though it would be looked for at the foot of its page."""
    if options.links != links:
        yield "where links lead is listed at the end: the foot of the pages cannot take it"
    if paper.columns == 1:  # under columns no theme sets notes
        noted = (a for a in articles if any(isinstance(each, Note) for each in walk(a.blocks)))
        ends = [article.title for article in noted if not choose_footnotes(article)]
        of = f" of {ends[0]}" if len(ends) == 1 < len(articles) else ""
        if ends:
            yield f"the notes{of} stand at the end: the foot of the pages cannot take them"


def _codes(articles: Sequence[Article], *, sources: bool) -> dict[str, Picture]:
    """Return the QR codes of what is only on the web: films, sounds, maps, and the ``sources``."""
    urls = [each.url for each in articles if sources]
    embeds = (block for each in articles for block in walk(each.blocks) if isinstance(block, Embed))
    urls += [block.url for block in islice(embeds, MOST_CODES) if block.kind != "post"]
    webs = dict.fromkeys(url for url in urls if url.lower().startswith(("http://", "https://")))
    return {url: code for url in webs if (code := qr_picture(url))}


def _bounded(articles: Sequence[Article]) -> tuple[list[Article], tuple[str, ...]]:
    pairs = [limit_article(article) for article in articles]
    return [article for article, _ in pairs], tuple(w for _, warnings in pairs for w in warnings)


def _part(
    article: Article,
    prefix: str,
    fetched: datetime | None = None,
    targets: LinkTargets | None = None,
    *,
    foot: bool = False,
) -> ArticleView:
    tag = valid_language(article.language)
    link = article.url if is_web(article.url) else ""
    return ArticleView(
        article=article,
        notes=tuple(block for block in walk(article.blocks) if isinstance(block, Note)),
        anchors=Anchors.of(article, prefix, targets, footnotes=foot),
        language=tag,
        direction="rtl" if article.direction == "rtl" else "ltr",
        date=printable(format_date(article.published, tag)),
        host=_host(link),
        link=link,
        hyphenate=_has_dictionary(tag),
        script=_script(tag),
        labels=labels(tag),
        fetched=format_date(fetched, tag) if fetched else "",
    )


def _script(tag: str) -> str:
    """Return the classes that say how a language's script is set.

    ``upright`` has no italics, ``tall`` needs more room between lines, ``cjk`` fills a grid.
    """
    primary = tag.partition("-")[0].lower()
    if primary in ("ja", "zh", "ko"):
        return "upright tall cjk"
    if primary in ("ar", "fa", "ur", "ps", "ckb", "ug", "hi", "mr", "ne", "sa", "th"):
        return "upright tall"
    return "upright" if primary in ("he", "yi") else ""


def _host(url: str) -> str:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return printable(host.removeprefix("www."))[:80]


def _has_dictionary(tag: str) -> bool:
    from pyphen import language_fallback

    return bool(tag and language_fallback(tag.replace("-", "_")))


#: A picture goes across all columns when it takes at least this part of their width.
WIDE = 0.8

#: A paragraph before the first picture that is no longer, in characters, is its standfirst.
SHORT_LEAD = 260


@dataclass(frozen=True, slots=True)
class PicturePlacement:
    """A picture as a template sees it; ``width`` and ``height`` are CSS pixels, 0 for unknown.

    One that goes ``across`` spans all columns.
    """

    url: str
    width: int = 0
    height: int = 0
    across: bool = False


def standfirst(article: Article) -> Paragraph | None:
    """Return the short paragraph before the first picture, which says what is to come."""
    match article.blocks[:2]:
        case (Paragraph(spans=spans) as first, Figure()) if len(plain_text(spans)) <= SHORT_LEAD:
            return first
    return None


def prepared(
    pictures: Mapping[str, Picture], paper: PageGeometry, leads: frozenset[int], figure: Figure
) -> PicturePlacement | None:
    """Return the prepared picture of a figure at the size it is printed, None when it is missing.

    A picture keeps the size it has on screen (96 pixels to the inch) unless the page is smaller.
    Where there are columns, one of ``leads`` may go across them.
    """
    picture = pictures.get(figure.svg or figure.src)
    if picture is None:
        return None
    width = min(figure.width, picture.width) if figure.width > 0 else picture.width
    tallest = paper.text_height * MAX_PICTURE_HEIGHT * picture.width / picture.height
    # One that would not fill the width leaves white beside it, and stays in its column.
    fills = min(tallest, width * UNITS["px"]) > max(
        1.3 * paper.column_width, WIDE * paper.text_width
    )
    across = paper.columns > 1 and id(figure) in leads and fills
    widest = min(paper.text_width if across else paper.column_width, tallest) * paper.pictures
    width = max(1, min(width, round(widest / UNITS["px"])))
    height = max(1, round(width * picture.height / picture.width))
    return PicturePlacement(asset_url(picture), width, height, across)


def picture_first(article: Article, shown: Callable[[Figure], PicturePlacement | None]) -> Article:
    """Put a picture that goes across the columns before a long first paragraph, not into it."""
    match article.blocks[:2]:
        case (Paragraph(spans=spans) as first, Figure() as second) if (
            len(plain_text(spans)) > SHORT_LEAD
        ):
            picture = shown(second)
            if picture is not None and picture.across:
                return replace(article, blocks=(second, first, *article.blocks[2:]))
    return article


#: A longer address makes a code too fine to print small and be read.
LONGEST = 600

#: White modules that a reader needs around the code.
QUIET = 2


def qr_picture(url: str) -> Picture | None:
    """Return the QR code of an address as a drawing; None for one that is too long for it."""
    import segno

    if not url or len(url.encode()) > LONGEST:
        return None
    code = segno.make(url, error="m" if len(url) <= 150 else "l", micro=False)
    svg = BytesIO()
    code.save(svg, kind="svg", border=QUIET, omitsize=True, xmldecl=False)
    side = int(code.symbol_size(border=QUIET)[0])
    return Picture(svg.getvalue(), "image/svg+xml", side, side)


@dataclass(frozen=True, slots=True)
class PreviewBlock:
    """A block in the editor's preview; ``suggested`` is one that extraction had left out."""

    id: str
    block: Block
    label: str
    included: bool = True
    suggested: bool = False
    blocks: tuple[Block, ...] = ()


def render_preview(
    article: Article,
    preview_blocks: Sequence[PreviewBlock],
    picture: Callable[[Figure], PicturePlacement | None],
) -> str:
    """Render an article as a page of editable blocks, without scripts, forms and addresses.

    ``picture`` gives the address of a figure's picture, which is the only one on the page.
    """
    limited = []
    for editable in preview_blocks:
        safe, _ = limit_article(replace(article, blocks=(_unlinked(editable.block),)))
        limited.append(replace(editable, blocks=safe.blocks))
    blocks = tuple(block for editable in limited for block in editable.blocks)
    part = _part(replace(article, blocks=blocks), "")
    return fill(
        load_theme("article"), "preview", part=part, preview_blocks=limited, picture=picture
    )  # fmt: skip


def _unlinked(value: Any) -> Any:
    """Return a block without its links."""
    if isinstance(value, tuple):
        return tuple(map(_unlinked, value))
    if isinstance(value, Span):
        return replace(value, href="", note="")
    if isinstance(value, Embed):
        value = replace(value, title=value.title or value.url, url="")
    if is_dataclass(value) and not isinstance(value, type):
        inner = {each.name: getattr(value, each.name) for each in fields(value)}
        changed = {name: _unlinked(v) for name, v in inner.items() if isinstance(v, tuple)}
        return replace(value, **changed) if changed else value
    return value
