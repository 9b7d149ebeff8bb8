"""Options as values, one small frozen class per stage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeVar

T = TypeVar("T")

RenderMode = Literal["auto", "never", "always"]
PdfVariant = Literal["ua-1", "a-3u"]
Format = Literal["pdf", "epub", "markdown", "html", "json"]

#: The endings of files by format, the usual one first, and what a web server calls them.
ENDINGS: dict[Format, tuple[str, ...]] = {
    "pdf": (".pdf",), "epub": (".epub",), "markdown": (".md", ".markdown"),
    "html": (".html", ".htm"), "json": (".json",),
}  # fmt: skip
MEDIA_TYPES: dict[Format, str] = {
    "pdf": "application/pdf", "epub": "application/epub+zip",
    "markdown": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8",
    "json": "application/json",
}  # fmt: skip

#: The formats that hold their pictures; in the others these stay on the web.
FORMATS_WITH_PICTURES: frozenset[Format] = frozenset({"pdf", "epub", "html"})

LinkStyle = Literal["none", "footnote", "endnote", "inline"]

#: How key paragraphs are printed.
KeyStyle = Literal["only", "box"]

#: Which pictures are wanted.
PictureScope = Literal["all", "article", "lead", "none"]


def option(default: T, text: str, **more: object) -> T:
    """Return a field of an options value that a command offers, with what its help says of it.

    ``more`` is ``flag`` where the option has another name than the field, ``metavar``, and ``min``
    and ``max`` of a number (see :func:`printer.cli.options.with_settings`).
    """
    made: T = field(default=default, metadata={"help": text, **more})
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchOptions:
    """How pages and pictures are got.

    ``timeout`` is the total time for one page in seconds, ``max_bytes`` the size limit of one
    answer (after decompression as well), ``allow_private`` lets everything, also what a page
    names, reach private addresses, ``cache`` keeps answers on disk by RFC 9111, ``follow`` gets the
    other pages of an article that is split over several.  ``user`` is a NAME:PASSWORD for basic
    authentication, ``storage_state`` a file of a browser's state.
    """

    timeout: float = 30.0
    connect_timeout: float = 10.0
    max_bytes: int = 20_000_000
    max_redirects: int = 10
    retries: int = 2
    user_agent: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    cookies: str = ""
    storage_state: str = ""
    user: str = field(default="", repr=False)
    allow_private: bool = False
    cache: bool = True
    render: RenderMode = "auto"
    follow: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRule:
    """What a person knows of the pages of one site.

    It holds for ``host`` and, with ``subdomains``, what is below it.  ``drop`` selects what is
    left out, ``keep`` what is taken though extraction would not, ``body`` the article itself where
    that is known; ``title``, ``author``, ``date`` and ``next_page`` select one thing each, the
    first that is there.  Selectors are CSS, or XPath with ``xpath``.  ``name`` says where it
    stands, ``faults`` what of it cannot be used.
    """

    host: str
    name: str = ""
    subdomains: bool = True
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    author: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    next_page: tuple[str, ...] = ()
    xpath: bool = False
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractOptions:
    """How the article and its pictures are found.

    ``extractor`` is the extractor's name, ``images`` which pictures are wanted (every one in the
    article's place, the article's, its lead picture alone, none), ``image_method`` the method that
    selects them, ``ner`` what recognises names in that way which compares them:
    our 'rules', or 'spacy:MODEL'; ``comments`` says whether the readers' are wanted.  ``rules`` are
    for single sites; of those for other hosts nothing is taken.

    With ``key_paragraphs`` only so many are kept, or set off before the text in a box; with a
    ``query`` those that say most of it.
    """

    extractor: str = "default"
    images: PictureScope = "article"
    image_method: str = "default"
    ner: str = "rules"
    comments: bool = False
    key_paragraphs: int = 0
    key_paragraphs_as: KeyStyle = "only"
    query: str = ""
    rules: tuple[SiteRule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageOptions:
    """How pictures are got and made ready for print.

    ``dpi`` is the resolution they are scaled to at the width they are printed, ``grayscale`` takes
    their colours away (a page that is printed grey has them grey without it), ``max_bytes`` is the
    size limit of one picture's file, ``total_bytes`` and ``timeout`` (seconds) of all of a print,
    ``max_pixels`` what is decoded at most, ``workers`` how many are fetched at once.
    """

    dpi: int = 200
    grayscale: bool = False
    max_bytes: int = 20_000_000
    total_bytes: int = 200_000_000
    timeout: float = 60.0
    max_pixels: int = 50_000_000
    workers: int = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintOptions:
    """How the article is set on paper, or in which other ``format`` it is written.

    ``paper`` is a name (A4, Letter, A5, Legal, or one of the theme's) or WIDTHxHEIGHT with units,
    ``margin`` and ``font_size`` are CSS lengths; '' is the theme's own.  ``theme`` is a name or,
    with a slash, the path of a folder: not for strangers to choose.  ``set`` holds values of the
    theme as ``name=value``, ``css`` a style sheet that comes after the theme's. ``links`` is how
    the targets of links are named on paper, ``qr`` prints a code with the page's address.
    ``pdf`` is the standard that is kept, ``deterministic`` leaves out when it was made.

    ``booklet`` sets pages of half the paper, imposed for folding; ``nup`` (1, 2 or 4) puts so many
    pages on a side; ``duplex`` gives both sides of a sheet mirrored margins; ``ink_save`` prints no
    backgrounds and light pictures, ``grayscale`` no colour at all; ``fit`` is the most pages there
    may be (0: as many as it takes).
    ``title`` gives several articles a cover.
    """

    format: Format = "pdf"
    paper: str = ""
    margin: str = ""
    theme: str = "article"
    font_size: str = ""
    theme_options: tuple[str, ...] = ()
    css: str = field(default="", repr=False)
    links: LinkStyle = "none"
    qr: bool = False
    booklet: bool = False
    nup: int = 1
    duplex: bool = False
    ink_save: bool = False
    grayscale: bool = False
    fit: int = 0
    pdf: PdfVariant = "ua-1"
    title: str = ""
    deterministic: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of all stages of a print."""

    fetch: FetchOptions = field(default_factory=FetchOptions)
    extract: ExtractOptions = field(default_factory=ExtractOptions)
    images: ImageOptions = field(default_factory=ImageOptions)
    page: PrintOptions = field(default_factory=PrintOptions)
