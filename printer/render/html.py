"""Articles to HTML through a theme's templates: for print, and as a page of its own."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache, partial
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from urllib.parse import urlsplit

from jinja2 import TemplateError, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from ..article import (
    Article,
    Block,
    Embed,
    Math,
    Note,
    Paragraph,
    Spans,
    plain,
)
from ..errors import UsageError
from ..model import Edition, Picture, Story
from ..options import LinkStyle, PdfVariant, PrintOptions
from .archive import Origin
from .assets import Assets, address
from .blocks import bounded, walk
from .digest_words import digest_words
from .formulas import drawn, typeset_all
from .highlight import highlight
from .inline import Anchors, bare_sign, breakable, breakable_address, clean, inline, language
from .judged import introduces, is_loose, is_number_of, is_short, table_class
from .linked import Targets, fitting, written_address
from .paper import lay_out
from .qr import qr_picture
from .sheet import style_sheet
from .shown import picture_first, prepared, standfirst
from .styled import styled
from .theme import Theme, environment
from .words import Words, words, written

#: So many films, sounds and maps have a QR code of their own.
MOST_CODES = 40


@dataclass(frozen=True, slots=True)
class Document:
    """HTML for print, the pictures that it names, and what kind of PDF is to be made of it.

    Lines that are a multiple of ``line_numbers`` are numbered in the margin (0: none).  Pictures
    that came out much smaller than they were made for keep ``dpi`` (0: all they have).
    """

    html: str = field(repr=False)
    assets: Assets = field(default_factory=Assets)
    warnings: tuple[str, ...] = ()
    variant: PdfVariant = "ua-1"
    origin: Origin = field(default_factory=Origin)
    line_numbers: int = 0
    dpi: int = 0
    grey: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One article as a template sees it, with what it needs to be set."""

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
    words: Words
    fetched: str
    qr: str = ""
    codes: dict[str, str] = field(default_factory=dict)
    story: Story = field(default_factory=Story)

    @property
    def endnotes(self) -> tuple[Note, ...]:
        """The notes that do not stand at the foot of a page already."""
        return tuple(note for note in self.notes if not self.anchors.is_at_foot(note))

    def formula(self, block: Math) -> Markup:
        """Return a displayed formula as HTML."""
        return drawn(block.source, block.alt, self.anchors.formulas, display=True)

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
                long = len(plain(block.spans)) >= 200
                return place if long and "upright" not in self.script else None
        return None


def render_html(
    articles: Sequence[Article],
    pictures: Mapping[str, Picture],
    options: PrintOptions | None = None,
    fetched: datetime | None = None,
    edition: Edition | None = None,
) -> Document:
    """Set articles in a theme; several begin a page each after a list of contents.

    With an ``edition`` they are a digest, be it of one article.

    ``pictures`` are found by ``Figure.src`` (or, for an inline drawing, its ``svg``).  Raises
    :class:`UsageError` for an unknown theme or options that cannot be read.
    """
    chosen = options or PrintOptions()
    styling, paper = styled(chosen), lay_out(chosen)
    sound, warnings = _bounded(articles)
    several = len(sound) > 1 or edition is not None
    targets = Targets(_link_style(chosen, sound))
    leads = frozenset(id(block) for each in sound for block in each.blocks[:2])
    shown = partial(prepared, pictures, paper, leads)
    sound = [picture_first(each, shown) for each in sound]
    codes = _codes(sound, sources=chosen.qr)
    formulas = typeset_all(sound)
    parts = [
        replace(
            _part(each, f"a{n}-" if several else "", fetched, targets, foot=paper.columns == 1),
            qr=address(codes[each.url]) if chosen.qr and each.url in codes else "",
        )
        for n, each in enumerate(sound, 1)
    ]
    if edition:
        told = zip(parts, edition.stories, strict=True)
        parts = [replace(part, story=story) for part, story in told]
    for part in parts:
        part.anchors.formulas = formulas
        part.codes.update((url, address(code)) for url, code in codes.items())
    first = parts[0]
    html = _filled(
        styling.theme,
        "digest" if edition else "article",
        edition=edition,
        said=digest_words(first.language),
        when=clean(written(edition.when, first.language)) if edition and edition.when else "",
        parts=parts,
        title=chosen.title if several and chosen.title else first.article.title,
        several=several,
        cover=clean(chosen.title[:200]) if several else "",
        css=style_sheet(styling, paper, chosen),
        values=dict(styling.values),
        paper=paper,
        words=first.words,
        targets=targets,
        picture=shown,
    )
    drawings = (formula.picture for formula in formulas.values())
    assets = Assets.of((*pictures.values(), *codes.values(), *drawings))
    return Document(
        html,
        assets,
        warnings,
        chosen.pdf,
        line_numbers=styling.theme.page.line_numbers,
        grey=chosen.grayscale,
    )


def _link_style(options: PrintOptions, articles: Sequence[Article]) -> LinkStyle:
    """Return how links are printed: the same way in all articles, as their numbers are one row."""
    styles = {fitting(options.links, article) for article in articles}
    return styles.pop() if len(styles) == 1 else "endnote"


def _codes(articles: Sequence[Article], *, sources: bool) -> dict[str, Picture]:
    """Return the QR codes of what is only on the web: films, sounds, maps, and the ``sources``."""
    urls = [each.url for each in articles if sources]
    embeds = (block for each in articles for block in walk(each.blocks) if isinstance(block, Embed))
    urls += [block.url for block in islice(embeds, MOST_CODES) if block.kind != "post"]
    webs = dict.fromkeys(url for url in urls if url.lower().startswith(("http://", "https://")))
    return {url: code for url in webs if (code := qr_picture(url))}


def _bounded(articles: Sequence[Article]) -> tuple[list[Article], tuple[str, ...]]:
    pairs = [bounded(article) for article in articles]
    return [article for article, _ in pairs], tuple(w for _, warnings in pairs for w in warnings)


@lru_cache(maxsize=16)
def _environment(folders: tuple[Path, ...]) -> ImmutableSandboxedEnvironment:
    env = environment(folders)
    env.filters.update(
        kind=lambda block: type(block).__name__,
        plain=plain,
        clean=clean,
        breakable=breakable,
        written=written_address,
        address=lambda url: breakable_address(written_address(url)),
        lang=language,
        code=highlight,
        sign=bare_sign,
        initial=_initial,
        groupby_run=_runs,
        is_web=_is_web,
        page_number=_page_number,
        page_reference=_page_reference,
        table_class=table_class,
    )
    env.tests.update(
        loose=is_loose,
        short=is_short,
        introducing=introduces,
        numbering=is_number_of,
    )
    return env


def _filled(theme: Theme, name: str, **values: object) -> str:
    """Return what a theme's template makes of these values."""
    try:
        template = _environment(theme.folders).get_template(f"{name}.html.j2")
        return template.render(values)
    except TemplateError as error:
        place = f"{error.filename}:{error.lineno}" if isinstance(error, TemplateSyntaxError) else ""
        message = f"a template of the theme {theme.name} is faulty: {error}"
        raise UsageError(message, hint=f"See {place}" if place else "") from error


def _runs(parts: Sequence[Part], name: str) -> list[tuple[object, list[Part]]]:
    """Return successive parts of which the named value is the same together."""
    return [(value, list(run)) for value, run in groupby(parts, key=attrgetter(name))]


def _is_web(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


def _initial(html: Markup) -> Markup:
    """Return a paragraph's HTML with its first letter apart; one that begins otherwise stays."""
    if html[:1].isalpha() and not unicodedata.combining(html[1:2] or "x"):
        # The letter is no markup, and what follows it was escaped before.
        return Markup(f'<span class="initial">{html[0]}</span>{html[1:]}')  # noqa: S704
    return html


def _page_number(words: str) -> Markup:
    """Return the CSS content of 'page {page} of {pages}'."""
    before, _, rest = words.partition("{page}")
    between, _, after = rest.partition("{pages}")
    counters = f'"{before}" counter(page) "{between}" counter(pages) "{after}"'
    return Markup(counters)  # noqa: S704 - the words are ours


def _page_reference(words: str) -> Markup:
    """Return the CSS content of 'p. {page}', the page that a link leads to."""
    before, _, after = words.partition("{page}")
    counter = f'"{before}" target-counter(attr(href url), page) "{after}"'
    return Markup(counter)  # noqa: S704 - the words are ours


def _part(
    article: Article,
    prefix: str,
    fetched: datetime | None = None,
    targets: Targets | None = None,
    *,
    foot: bool = False,
) -> Part:
    tag = language(article.language)
    link = article.url if _is_web(article.url) else ""
    return Part(
        article=article,
        notes=tuple(block for block in walk(article.blocks) if isinstance(block, Note)),
        anchors=Anchors.of(article, prefix, targets, foot=foot),
        language=tag,
        direction="rtl" if article.direction == "rtl" else "ltr",
        date=clean(written(article.published, tag)),
        host=_host(link),
        link=link,
        hyphenate=_has_dictionary(tag),
        script=_script(tag),
        words=words(tag),
        fetched=written(fetched, tag) if fetched else "",
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
    return clean(host.removeprefix("www."))[:80]


def _has_dictionary(tag: str) -> bool:
    from pyphen import language_fallback

    return bool(tag and language_fallback(tag.replace("-", "_")))
