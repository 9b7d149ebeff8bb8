"""The options of each stage, as small frozen values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, get_args

from .errors import UsageError
from .text import did_you_mean

T = TypeVar("T")

RenderMode = Literal["auto", "never", "always"]
PdfVariant = Literal["ua-1", "a-3u"]
Format = Literal["pdf", "epub", "markdown", "html", "json"]
LinkStyle = Literal["none", "footnote", "endnote", "inline"]
KeyStyle = Literal["only", "box"]
#: All pictures in and around the article, those that belong to it, its lead picture, or none.
PictureScope = Literal["all", "article", "lead", "none"]

#: The extractors, the trained classifier and the papers' methods, and the methods of selecting
#: pictures: their names, known before they are loaded.
ExtractorName = Literal[
    "default", "article-subtree", "summary-node", "text-to-tag", "max-subsequence", "useful-text",
]  # fmt: skip
ImageMethod = Literal["default", "cuter", "joshi-liu"]
EXTRACTORS: tuple[str, ...] = get_args(ExtractorName)
IMAGE_METHODS: tuple[str, ...] = get_args(ImageMethod)

#: The extensions of file names by format, the usual one first.
EXTENSIONS: dict[Format, tuple[str, ...]] = {
    "pdf": (".pdf",), "epub": (".epub",), "markdown": (".md", ".markdown"),
    "html": (".html", ".htm"), "json": (".json",),
}  # fmt: skip
MEDIA_TYPES: dict[Format, str] = {
    "pdf": "application/pdf", "epub": "application/epub+zip",
    "markdown": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8",
    "json": "application/json",
}  # fmt: skip
#: The formats that contain their pictures; the others link to them.
FORMATS_WITH_PICTURES: frozenset[Format] = frozenset({"pdf", "epub", "html"})


def check_known(kind: str, name: str, names: Collection[str]) -> None:
    """Raise :class:`UsageError` unless a name is among the known ones of its kind."""
    if name not in names:
        hint = did_you_mean(name, names) or f"There are {', '.join(names)}"
        raise UsageError(f"there is no {kind} {name[:60]!r}", hint=hint)


def option(default: T, text: str, **notes: object) -> T:
    """Return a dataclass field that a command offers as an option with a help text.

    ``notes`` are ``flag``, if the option's name differs from the field's, ``metavar``, and ``min``
    and ``max`` of a number (see :func:`printer.cli.options.with_settings`).
    """
    option_field: T = field(default=default, metadata={"help": text, **notes})
    return option_field


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchOptions:
    """How pages and pictures are fetched.

    ``timeout`` is the total seconds for one page; ``max_bytes`` limits one response, before and
    after decompression; ``allow_private`` lets pages load from private addresses; ``cache`` stores
    responses on disk (RFC 9111); ``follow`` fetches the further pages of a split article.  ``user``
    is NAME:PASSWORD for basic authentication, ``storage_state`` a file with a browser's state.
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
    """A user's rule for the pages of one site.

    It applies to ``host`` and, with ``subdomains``, to the hosts below it.  ``drop`` selects
    elements to omit, ``keep`` elements to include even if extraction would not, ``body`` the
    article itself; for ``title``, ``author``, ``date`` and ``next_page`` the first match counts.
    Selectors are CSS, or XPath with ``xpath``.  ``name`` is the rule's file, ``faults`` lists what
    is invalid in it.
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

    ``extractor`` names the extraction method, ``image_method`` the picture selection method,
    ``ner`` the named-entity recognizer for methods that compare names: 'rules' or 'spacy:MODEL'.
    ``comments`` includes the readers' comments.  ``rules`` are site rules; those for other hosts
    are ignored.  ``key_paragraphs`` is the number of key paragraphs to print, alone or in a box;
    with a ``key_query``, those that fit it best.
    """

    extractor: str = "default"
    images: PictureScope = "article"
    image_method: str = "default"
    ner: str = "rules"
    comments: bool = False
    key_paragraphs: int = 0
    key_paragraphs_as: KeyStyle = "only"
    key_query: str = ""
    rules: tuple[SiteRule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageOptions:
    """How pictures are downloaded and prepared for print.

    ``dpi`` is their resolution at the printed width; ``max_bytes`` limits one picture's file,
    ``total_bytes`` and ``timeout`` (seconds) all pictures of an article, or of a run of short ones
    in a book, so that none uses up what others need; ``max_pixels`` limits the pixels of a picture
    to decode; ``workers`` is the number of simultaneous downloads.
    """

    dpi: int = 200
    max_bytes: int = 20_000_000
    total_bytes: int = 200_000_000
    timeout: float = 60.0
    max_pixels: int = 50_000_000
    workers: int = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintOptions:
    """How the article is laid out, or written in another ``format``.

    ``paper`` is a name (A4, Letter, A5, Legal, or one of the theme's) or WIDTHxHEIGHT with units,
    ``margin`` and ``font_size`` are CSS lengths; '' means the theme's.  ``theme`` is a name or, if
    it contains a slash, a folder's path: never accept one from an untrusted user.
    ``theme_options`` are ``name=value``, ``css`` is added to the theme's style sheet.  ``links`` is
    how link targets are printed, ``qr`` prints a code with the page's URL.  ``pdf`` is the standard
    to conform to; ``deterministic`` omits the time.

    ``landscape`` turns the paper on its side; ``booklet`` makes pages of half the paper, imposed
    for folding; ``nup`` (1, 2 or 4) is the number of pages on a side; ``duplex`` mirrors the
    margins of a sheet's two sides; ``ink_save`` prints lighter pictures and no backgrounds,
    ``grayscale`` no colors; ``fit`` is the maximum number of pages (0: any); ``title`` gives
    several articles a cover.
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
    landscape: bool = False
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


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """How a list is printed to a folder.

    ``delay`` is the number of seconds between two pages of a host.  A page that fails temporarily
    is tried ``max_tries`` times, with a delay of ``retry_delay`` seconds that doubles.  With
    ``no_retry``, failures of an earlier run are not retried.  ``chosen`` are settings to send to
    remote workers.
    """

    delay: float = option(1.0, "Seconds between two pages of one host.", min=0.0)
    max_tries: int = option(3, "How often to try a page that fails temporarily.", min=1)
    retry_delay: float = option(10.0, "Seconds before the first retry, then doubled.", min=0.0)
    no_retry: bool = option(False, "Do not retry what failed in an earlier run.", flag="--no-retry")
    chosen: Mapping[str, Any] = field(default_factory=dict)
