"""The context of templates, and the HTML documents made with it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import accumulate
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup

from ..article import (
    Article,
    Block,
    Code,
    DefinitionList,
    Embed,
    Figure,
    Heading,
    List,
    Math,
    Note,
    Paragraph,
    Post,
    Quote,
    Span,
    Spans,
    child_blocks,
    iter_text,
    plain_text,
    transform,
    walk,
)
from ..i18n import DigestLabels, Labels, digest_labels, format_date, labels
from ..options import LinkStyle, PdfVariant, PrintOptions
from ..output import Edition, Picture, Story
from ..text import count_columns
from ..themes.loader import Assets, asset_url, load_theme
from ..themes.options import StyledTheme, apply_options
from ..themes.page import (
    CHARACTER_WIDTH,
    ExtendedPageStyle,
    PageGeometry,
    build_stylesheet,
    extend_pages,
    page_geometry,
)
from ..urls import is_http
from .figures import FigurePlacer, PicturePlacement, limit_lead_heights
from .inline import inline
from .links import (
    Anchors,
    LinkTargets,
    build_codes,
    choose_footnotes,
    choose_link_style,
    highest_note_number,
)
from .markup import printable, valid_language
from .math import formula_html, typeset_formulas
from .normalize import normalize_article
from .pdf.provenance import Provenance
from .templates import common_code_sizes, fill


@dataclass(frozen=True, slots=True)
class Document:
    """HTML for print, with its assets and the settings of its PDF.

    Every ``line_numbers``-th line is numbered in the margin (0: none).  Pictures that are printed
    much smaller than prepared are scaled down to ``dpi`` (0: never).  ``extended_styles`` are
    style sheets with longer pages (none if this is not allowed).
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
    extended_styles: tuple[ExtendedPageStyle, ...] = ()


#: A longer standfirst is cut on the front page of a digest.
MAX_TEASER_CHARS = 140
# Shares of a running head's line.
_MAX_TITLE_SHARE = 0.64
_MAX_SITE_SHARE = 0.28
#: What separates several names of a site.
_NAME_SEPARATOR = re.compile(r" [-–—|·:] ")
#: The first words of a shorter first paragraph are not set differently.
MIN_OPENING_CHARS = 100


@dataclass(frozen=True, slots=True)
class ArticleView:
    """An article as seen by templates.

    ``script`` has the CSS classes of the writing system.  In a digest, the article has a ``story``
    and may open a section; in the contents, it has a ``page``.  ``end`` is the block whose last
    line ends the article.  ``outline`` has the headings to list before a long article.
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
    end: Paragraph | Quote | None = None
    qr: str = ""
    codes: dict[str, str] = field(default_factory=dict)
    story: Story = field(default_factory=Story)
    opens: bool = False
    page: int = 0
    outline: tuple[Heading, ...] = ()

    @classmethod
    def of(
        cls,
        article: Article,
        prefix: str = "",
        fetched: datetime | None = None,
        targets: LinkTargets | None = None,
        *,
        footnotes: bool = False,
    ) -> ArticleView:
        """Prepare an article for templates; its ids begin with ``prefix``."""
        language = valid_language(article.language)
        link = article.url if is_http(article.url) else ""
        return cls(
            article=article,
            notes=tuple(block for block in walk(article.blocks) if isinstance(block, Note)),
            anchors=Anchors.of(article, prefix, targets, footnotes=footnotes),
            language=language,
            direction="rtl" if article.direction == "rtl" else "ltr",
            date=printable(format_date(article.published, language)),
            host=_display_host(link),
            link=link,
            hyphenate=_can_hyphenate(language),
            script=_script_classes(language),
            labels=labels(language),
            fetched=format_date(fetched, language) if fetched else "",
            end=None if article.obstacle else _last_text(article),
        )

    @property
    def digest_labels(self) -> DigestLabels:
        """The labels of a digest in the language of this article."""
        return digest_labels(self.language)

    @property
    def endnotes(self) -> tuple[Note, ...]:
        """The notes that are not footnotes."""
        return tuple(note for note in self.notes if not self.anchors.is_placed(note))

    def formula(self, block: Math) -> Markup:
        """Return a displayed formula as HTML."""
        return formula_html(block.source, block.alt, self.anchors.formulas, display=True)

    @property
    def inline(self) -> Callable[[Spans], str]:
        """The function that returns spans of this article as HTML."""
        return partial(inline, anchors=self.anchors)

    @property
    def kicker(self) -> str:
        """The name of the article's section, unless the title begins with it."""
        section = printable(self.article.section)
        return "" if self.article.title.lower().startswith(section.lower()) else section

    @property
    def standfirst(self) -> tuple[Paragraph, ...]:
        """The paragraphs of the standfirst, or a short paragraph before the first picture."""
        blocks = self.article.blocks
        stated: list[Paragraph] = []
        for block in blocks:
            if not isinstance(block, Paragraph) or not block.standfirst:
                break
            stated.append(block)
        if stated:
            return tuple(stated)
        match blocks[:2]:
            case (Paragraph(spans=spans) as first, Figure()) if _is_short(spans):
                return (first,)
        return ()

    @property
    def teaser(self) -> str:
        """The standfirst or the page's own summary, shortened for a front page."""
        standfirst = " ".join(plain_text(paragraph.spans) for paragraph in self.standfirst)
        return textwrap.shorten(standfirst or self.article.lead, MAX_TEASER_CHARS, placeholder="…")

    @property
    def body(self) -> tuple[Block, ...]:
        """All blocks except the standfirst."""
        return self.article.blocks[len(self.standfirst) :]

    def running_head(self, room: int) -> tuple[str, str]:
        """Return the title and the site's name, cut to fit a line of ``room`` Latin characters."""
        title, site = printable(self.article.title), printable(self.article.site or self.host)
        site = _NAME_SEPARATOR.split(site)[0]
        if count_columns(title) + count_columns(site) + 3 <= room:
            return title, site
        site = _shorten(site, max(int(_MAX_SITE_SHARE * room), room - count_columns(title) - 3))
        title_room = min(int(_MAX_TITLE_SHARE * room), room - count_columns(site) - 3)
        return _shorten(title, title_room), site

    @property
    def opening(self) -> int | None:
        """The index of the first paragraph in ``body`` if it is not just a line or two."""
        for index, block in enumerate(self.body[:3]):
            if isinstance(block, Paragraph):
                is_long = len(plain_text(block.spans)) >= MIN_OPENING_CHARS
                return index if is_long and "upright" not in self.script else None
        return None


#: End marks that an article has already.
_END_MARKS = tuple("■□▪◼◾∎◆◇♦❖●✦❦☙")


def _last_text(article: Article) -> Paragraph | Quote | None:
    """Return the block whose last line ends an article, None if it is not text."""
    blocks: tuple[Block, ...] = tuple(b for b in article.blocks if not isinstance(b, Note))
    while blocks:
        match blocks[-1]:
            case Paragraph() as block:
                has_mark = plain_text(block.spans).rstrip().endswith(_END_MARKS)
                return None if block.standfirst or has_mark else block
            case Quote(cite=cite, introduced=False) as quote if cite:
                return quote
            case List() | DefinitionList() | Quote() | Post() as block:
                blocks = next(reversed(list(child_blocks(block))), ())
            case _:
                return None
    return None


MAX_AUTHORS = 100


@dataclass(frozen=True, slots=True)
class RenderContext:
    """The values common to all documents of a print; ``lead`` is the first article's view."""

    articles: tuple[Article, ...]
    options: PrintOptions
    styling: StyledTheme
    geometry: PageGeometry
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
        """Prepare articles; raise UsageError for invalid options."""
        styling, geometry = apply_options(options), page_geometry(options)
        normalized = [normalize_article(article) for article in articles]
        articles = tuple(article for article, _ in normalized)
        # All articles share the numbering of links, and therefore the style.
        styles = {choose_link_style(options.links, article) for article in articles}
        links = styles.pop() if len(styles) == 1 else "endnote"
        warnings = [warning for _, warnings in normalized for warning in warnings]
        warnings.extend(_warn_of_endnotes(options, links, articles))
        lead = ArticleView.of(articles[0], "", fetched)
        return cls(
            articles,
            options,
            styling,
            geometry,
            links,
            lead,
            fetched,
            dpi,
            edition,
            tuple(warnings),
        )

    @property
    def has_contents(self) -> bool:
        """Whether the print has a table of contents; a digest always has one."""
        return len(self.articles) > 1 or self.edition is not None

    def view(self, index: int, article: Article, targets: LinkTargets | None = None) -> ArticleView:
        prefix = f"a{index + 1}-" if self.has_contents else ""
        view = ArticleView.of(article, prefix, self.fetched, targets, footnotes=True)
        if self.edition is None:
            return view
        return replace(view, story=self.edition.stories[index], opens=self.opens_section(index))

    def new_targets(self) -> LinkTargets:
        """Return the targets of the print's links, without any."""
        is_numbered = self.links in ("footnote", "endnote")
        return LinkTargets(self.links, highest_note_number(self.articles) if is_numbered else 0)

    def opens_section(self, index: int) -> bool:
        """Return whether the article at an index is the first of a section."""
        if self.edition is None:
            return False
        stories = self.edition.stories
        previous = stories[index - 1].section if index else ""
        return stories[index].section not in ("", previous)

    def fill(self, **values: object) -> Document:
        """Fill the theme's template with these values."""
        options, edition, lead = self.options, self.edition, self.lead
        title = options.title if self.has_contents else ""
        bylines = (article.byline for article in self.articles)
        issued = format_date(edition.date, lead.language) if edition and edition.date else ""
        defaults = {
            "parts": (), "entries": (), "sheets": (), "pages": 0, "cover": "", "lead_picture": "",
            "last": False, "several": self.has_contents, "edition": edition,
            "lead": lead, "labels": lead.labels, "digest_labels": lead.digest_labels,
            "title": title or lead.article.title, "when": printable(issued),
            "authors": list(dict.fromkeys(filter(None, bylines)))[:MAX_AUTHORS],
            "css": build_stylesheet(self.styling, self.geometry, options),
            "values": dict(self.styling.values), "paper": self.geometry,
        }  # fmt: skip
        theme = self.styling.theme
        html = fill(theme, "digest" if edition else "article", **{**defaults, **values})
        return Document(
            html,
            Assets.of(theme.files.values()),
            pdf_variant=options.pdf,
            dpi=self.dpi,
            grayscale=options.grayscale,
        )


def build_document(
    context: RenderContext,
    indexes: Sequence[int],
    pictures: Mapping[str, Picture],
    targets: LinkTargets,
    listed: LinkTargets,
) -> Document:
    """Return the articles at these indexes as a document.

    ``pictures`` is keyed by ``Figure.src`` or ``Figure.svg``, ``targets`` numbers the links,
    ``listed`` has the targets to list after the last of all articles.
    """
    articles = [context.articles[index] for index in indexes]
    lead_figures = frozenset(id(block) for article in articles for block in article.blocks[:2])
    placer = FigurePlacer(pictures, context.geometry, lead_figures)
    if context.edition:
        limit_lead_heights(placer, [a for i, a in zip(indexes, articles, strict=True) if i])
    articles = [_move_spanning_picture(article, placer) for article in articles]
    options, theme = context.options, context.styling.theme
    outline: tuple[Heading, ...] = ()
    if not (context.has_contents or options.fit):
        articles[0], outline = _outline_long_article(articles[0], context)
    codes = build_codes(articles, sources=options.qr)
    code_urls = {url: asset_url(code) for url, code in codes.items()}
    formulas = typeset_formulas(articles)
    views = []
    for index, article in zip(indexes, articles, strict=True):
        view = context.view(index, article, targets)
        view.anchors.formulas = formulas
        qr = code_urls.get(article.url, "") if options.qr else ""
        views.append(replace(view, qr=qr, codes=code_urls, outline=outline))
    is_last = indexes[-1] == len(context.articles) - 1
    blocks = (block for article in articles for block in walk(article.blocks))
    code = (block for block in blocks if isinstance(block, Code))
    code_sizes = common_code_sizes(code, context.geometry)
    document = context.fill(
        parts=views, targets=listed, last=is_last, picture=placer, code_sizes=code_sizes
    )
    names = (figure.svg or figure.src for article in articles for figure in article.figures)
    used = (pictures[name] for name in names if name in pictures)
    drawings = (formula.picture for formula in formulas.values())
    extended_styles: tuple[ExtendedPageStyle, ...] = ()
    if not context.has_contents:
        extended_styles = extend_pages(context.styling, context.geometry, options)
    return replace(
        document,
        assets=Assets.of((*used, *codes.values(), *drawings, *theme.files.values())),
        line_numbers=theme.page.line_numbers,
        extended_styles=extended_styles,
    )


def build_front_matter(
    context: RenderContext,
    entries: Sequence[ArticleView],
    pages: int = 0,
    lead_picture: Picture | None = None,
) -> Document:
    """Return the contents and, if the print has a title, a cover with a digest's first picture."""
    picture = lead_picture if context.edition else None
    document = context.fill(
        entries=entries,
        cover=printable(context.options.title[:200]),
        pages=pages,
        lead_picture=asset_url(picture) if picture else "",
    )
    if picture is None:
        return document
    files = context.styling.theme.files.values()
    return replace(document, assets=Assets.of((picture, *files)))


def _warn_of_endnotes(
    options: PrintOptions, links: LinkStyle, articles: Sequence[Article]
) -> Iterator[str]:
    """Warn about links and notes printed at the end rather than at the foot of their pages."""
    if options.links != links:
        yield "link targets are listed at the end: they do not fit at the foot of the pages"
    annotated = (a for a in articles if any(isinstance(block, Note) for block in walk(a.blocks)))
    titles = [article.title for article in annotated if not choose_footnotes(article)]
    of = f" of {titles[0]}" if len(titles) == 1 < len(articles) else ""
    if titles:
        yield f"the notes{of} are at the end: they do not fit at the foot of the pages"


#: A standfirst is a short paragraph before the first picture.
MAX_STANDFIRST_CHARS = 260


def _is_short(spans: Spans) -> bool:
    return len(plain_text(spans)) <= MAX_STANDFIRST_CHARS


def _move_spanning_picture(
    article: Article, placer: Callable[[Figure], PicturePlacement | None]
) -> Article:
    """Move a picture that spans the columns from after a long first paragraph to before it."""
    match article.blocks[:2]:
        case (Paragraph(spans=spans) as first, Figure() as second) if not _is_short(spans):
            placement = placer(second)
            if placement is not None and placement.spans_columns:
                return replace(article, blocks=(second, first, *article.blocks[2:]))
    return article


#: A single article of more pages, by estimate, has contents.
MAX_PAGES_WITHOUT_CONTENTS = 12
MIN_CONTENTS_HEADINGS = 3
#: The share of a list's items that are main headings from which it is the page's own contents.
MIN_SHARE_LISTED = 0.5
#: The share of all headings that are listed from which contents show what an article is about.
MIN_SHARE_MAIN = 0.15
FILLED_SHARE = 0.85
FIGURE_HEIGHT_SHARE = 0.4
ENTRIES_PER_PAGE = 7


def _outline_long_article(
    article: Article, context: RenderContext
) -> tuple[Article, tuple[Heading, ...]]:
    """Return an article whose main headings have ids, and these headings if it is long."""
    headings = [block for block in article.blocks if isinstance(block, Heading)]
    top_level = min((heading.level for heading in headings), default=0)
    main_ids = {id(heading) for heading in headings if heading.level == top_level}
    pages = _estimate_pages(article, context)
    all_headings = sum(isinstance(block, Heading) for block in walk(article.blocks))
    min_count = max(MIN_CONTENTS_HEADINGS, MIN_SHARE_MAIN * all_headings)
    if len(main_ids) < min_count or pages <= MAX_PAGES_WITHOUT_CONTENTS:
        return article, ()
    main_titles = {_folded_text(block) for block in headings if id(block) in main_ids}
    if any(_lists_headings(block, main_titles) for block in article.blocks):
        return article, ()
    blocks = tuple(
        replace(block, id=block.id or f"section-{index}")
        if isinstance(block, Heading) and id(block) in main_ids
        else block
        for index, block in enumerate(article.blocks)
    )
    outline = (block for block in blocks if isinstance(block, Heading) and block.level == top_level)
    return replace(article, blocks=blocks), tuple(outline)


def _lists_headings(block: Block, titles: set[str]) -> bool:
    """Return whether a block is the page's own list of contents."""
    if not isinstance(block, List) or len(block.items) < MIN_CONTENTS_HEADINGS:
        return False
    items = [_folded_text(*item.blocks) for item in block.items]
    return sum(item in titles for item in items) >= MIN_SHARE_LISTED * len(items)


def _folded_text(*blocks: Block) -> str:
    """Return the text of blocks, case-folded, with white space collapsed, for comparison."""
    return " ".join("".join(iter_text(*blocks)).casefold().split())


def _estimate_pages(article: Article, context: RenderContext) -> float:
    """Return roughly the number of pages of an article, without laying it out."""
    geometry, leading = context.geometry, context.styling.theme.page.leading
    character = geometry.em * (1 if "cjk" in _script_classes(article.language) else CHARACTER_WIDTH)
    line_length = geometry.column_width / character
    page_lines = geometry.columns * geometry.text_height / (leading * geometry.em)
    text_lines = sum(len(text) // line_length + 1 for text in iter_text(*article.blocks))
    rows = [block for block in article.blocks if isinstance(block, List) and block.is_collection]
    entries = sum(len(block.items) for block in rows)
    figures = len(article.figures) - sum(isinstance(block, Figure) for block in walk(tuple(rows)))
    pictures = figures * FIGURE_HEIGHT_SHARE / geometry.columns + entries / ENTRIES_PER_PAGE
    return text_lines / page_lines / FILLED_SHARE + pictures


def _script_classes(language: str) -> str:
    """Return CSS classes of a script: ``upright`` (no italics), ``tall`` (lines), ``cjk``."""
    primary = language.partition("-")[0].lower()
    if primary in ("ja", "zh", "ko"):
        return "upright tall cjk"
    if primary in ("ar", "fa", "ur", "ps", "ckb", "ug", "hi", "mr", "ne", "sa", "th"):
        return "upright tall"
    return "upright" if primary in ("he", "yi") else ""


def _shorten(text: str, columns: int) -> str:
    """Return a line of text, cut after a word if it is wider than so many Latin characters."""
    text = " ".join(text.split())
    length = sum(end <= columns for end in accumulate(map(count_columns, text)))
    if len(text) == length:
        return text
    start = text[: length - 1]
    if text[length - 1] != " ":
        start = start.rpartition(" ")[0] or start
    return start.rstrip(" ,;:.|/·–—-‐‑«„“(") + "…"


def _display_host(url: str) -> str:
    """Return the name of a URL's host, '' for an IP address."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    is_number = ":" in host or host.replace(".", "").isdecimal()
    return "" if is_number else printable(host.removeprefix("www."))[:80]


def _can_hyphenate(language: str) -> bool:
    from pyphen import language_fallback

    return bool(language and language_fallback(language.replace("-", "_")))


@dataclass(frozen=True, slots=True)
class PreviewBlock:
    """A block in the editor; ``suggested`` if extraction omitted it."""

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
    """Return blocks as a page whose only URLs are those of the pictures that it is given."""
    normalized_blocks = []
    for preview in preview_blocks:
        normalized, _ = normalize_article(replace(article, blocks=(_remove_links(preview.block),)))
        normalized_blocks.append(replace(preview, blocks=normalized.blocks))
    article = replace(
        article, blocks=tuple(b for preview in normalized_blocks for b in preview.blocks)
    )
    view = ArticleView.of(article)
    return fill(
        load_theme("article"),
        "preview",
        part=view,
        preview_blocks=normalized_blocks,
        picture=picture,
    )


def _remove_links(block: Block) -> Block:
    """Return a block without its links; an embed without a title is named by its URL."""

    def replacement(part: Any) -> tuple[Any] | None:
        if isinstance(part, Span):
            return (replace(part, href="", note=""),)
        if isinstance(part, Embed):
            blocks = transform(part.blocks, replacement)
            return (replace(part, title=part.title or part.url, url="", blocks=blocks),)
        return None

    unlinked: tuple[Block, ...] = transform((block,), replacement)
    return unlinked[0]
