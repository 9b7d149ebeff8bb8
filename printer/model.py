"""Values that pass between stages (the article itself is in :mod:`printer.article`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import IntFlag, auto
from hashlib import sha256
from itertools import islice
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from lxml.html import HtmlElement

from .article import Figure
from .errors import WebprintError
from .options import Format, PrintOptions

How = Literal["http", "file", "stdin", "browser"]


class Rect(NamedTuple):
    """A rectangle in CSS pixels, from the page's left top corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """How wide it is."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """How high it is."""
        return self.bottom - self.top


class Sight(IntFlag):
    """What keeps something from being seen where it stands, and how it is laid over the page."""

    NONE = auto()  # display: none, here or around
    INVISIBLE = auto()  # visibility: hidden or collapse
    TRANSPARENT = auto()  # opacity 0, transparent letters, letters without a size
    CLIPPED = auto()  # outside what an element around it lets be seen
    AWAY = auto()  # off the page to the left, the top or the right
    LAYER = auto()  # in a fixed or sticky layer, which need not hide it
    LIFTED = auto()  # out of the flow (absolute), which need not hide it
    FIXED = auto()  # in a layer that stays where it is in the window, over the page


_UNSEEN = Sight.NONE | Sight.INVISIBLE | Sight.CLIPPED | Sight.AWAY


def is_seen(sight: Sight) -> bool:
    """Tell whether a reader sees something.

    What is transparent but has its place in the flow of the page is taken for seen: it fades in
    when it is scrolled to, or its letters are painted by their background.
    """
    if sight & _UNSEEN:
        return False
    return not (sight & Sight.TRANSPARENT and sight & (Sight.LAYER | Sight.LIFTED))


class Font(NamedTuple):
    """A font's size in CSS pixels, its colour as CSS computes it ('' unknown) and its weight."""

    size: float = 16.0
    color: str = ""
    weight: int = 400


class Box(NamedTuple):
    """An element as it is drawn: its border box, its computed ``display``, how it is seen."""

    rect: Rect
    display: str
    sight: Sight = Sight(0)


class Text(NamedTuple):
    """A text leaf as it is drawn: the box around its lines, its font, how it is seen.

    The box of a leaf that is all its element holds is the element's.
    """

    rect: Rect
    font: Font
    sight: Sight = Sight(0)


class Graphic(NamedTuple):
    """A picture as it is drawn.

    ``src`` is the absolute address of what is shown ('' for inline drawings and long ``data:``
    addresses), ``width`` and ``height`` its own size (0: unknown); ``background`` says that it is
    the CSS background of its element.
    """

    rect: Rect
    src: str
    width: int = 0
    height: int = 0
    background: bool = False
    sight: Sight = Sight(0)


@dataclass(frozen=True, slots=True)
class Layout:
    """What a browser drew, by the numbers that elements carry in the attribute ``mark``.

    ``texts`` is keyed as the tree keeps text: (element, False) for what an element begins with,
    (element, True) for what follows it.  Elements that are neither in ``boxes`` nor inside one with
    :attr:`Sight.NONE` are laid out inline.  ``width`` and ``height`` are the page's, ``view`` the
    window's width.
    """

    mark: str
    width: float
    height: float
    view: float
    boxes: Mapping[int, Box] = field(repr=False)
    texts: Mapping[tuple[int, bool], Text] = field(repr=False)
    graphics: Mapping[int, Graphic] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Capture:
    """What a fetch brought: bytes, where they came from, how and when.

    ``body`` is decompressed and within the size limit, ``charset`` what the HTTP header declared
    ('' when it declared none), ``headers`` the response's with lower-case names.  A browser's
    capture has the page's ``layout``, and its body the marks that belong to it; ``screenshot`` is
    the page as PNG where that was asked for.  ``sha256`` is the body's where that was let go.
    """

    body: bytes = field(repr=False)
    url: str
    requested_url: str
    media_type: str = ""
    charset: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    fetched: datetime | None = None
    how: How = "http"
    from_cache: bool = False
    layout: Layout | None = field(default=None, repr=False)
    screenshot: bytes = field(default=b"", repr=False)
    sha256: str = ""

    @property
    def digest(self) -> str:
        """The SHA-256 of the body."""
        return self.sha256 or sha256(self.body).hexdigest()

    def until_set(self, page: PrintOptions) -> Capture:
        """Let go of what setting the page on paper does not need: many wait for each other."""
        light = replace(self, layout=None, screenshot=b"")
        return light if page.pdf == "a-3u" else replace(light, body=b"", sha256=self.digest)


#: Gets a resource that a page names: ``get(url, referer)``; raises ``FetchError``.
Get: TypeAlias = Callable[[str, str], Capture]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What extraction decided about a page's text segments.

    ``keep`` holds a flag per segment, ``scores`` a number per segment from each algorithm that
    was asked (its meaning is the algorithm's own), ``kind`` the kind of page it was taken for,
    ``confidence`` from 0 to 1.
    """

    keep: tuple[bool, ...]
    scores: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    kind: str = "article"
    confidence: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A picture of the article and where it stands.

    ``element`` is the picture's node in the page, ``captions`` the indexes of the segments whose
    text is its caption or credit and so is not the article's running text.
    """

    figure: Figure
    element: HtmlElement
    captions: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Judged:
    """A text segment and what was thought of it: ``scores`` by extractor, above 0 is kept.

    ``place`` names its block and that block's ancestors, innermost last, ``rule`` the rule for its
    site that decided whatever the scores are.
    """

    text: str
    place: str
    keep: bool
    scores: Mapping[str, float]
    rule: str = ""


@dataclass(frozen=True, slots=True)
class JudgedPicture:
    """A picture of a page and what was decided about it.

    ``url`` is the address it is printed from ('' for an inline drawing), ``kind`` what it is on
    the page (an image, drawing, poster, background, or the lead that only the metadata name),
    ``width`` and ``height`` what the page declares (0: nothing), ``reason`` why it was dropped
    ('' when it was kept).
    """

    url: str
    kind: str
    alt: str = ""
    caption: str = ""
    credit: str = ""
    width: int = 0
    height: int = 0
    reason: str = ""

    @property
    def kept(self) -> bool:
        """Whether it is the article's."""
        return not self.reason


class Marked(NamedTuple):
    """A place on a page as it is drawn, and what was made of it."""

    rect: Rect
    what: Literal["kept", "dropped", "caption", "picture"]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a page's article is what it is: every segment, with every extractor's score.

    ``pictures`` are all of the page, kept and dropped.  Of a page that a browser drew, ``marks``
    are the places of its segments and the pictures kept, ``screenshot`` the page as PNG where that
    was asked for.  ``rules`` say what the rules for its site met on it.
    """

    url: str
    title: str
    kind: str
    confidence: float
    segments: tuple[Judged, ...]
    pictures: tuple[JudgedPicture, ...] = ()
    marks: tuple[Marked, ...] = field(default=(), repr=False)
    screenshot: bytes = field(default=b"", repr=False)
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture made ready for print: ``data`` is embedded as it stands.

    ``width`` and ``height`` are in pixels of ``data`` (CSS pixels for SVG).
    """

    data: bytes = field(repr=False)
    media_type: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """Pictures by ``Figure.src`` (``Figure.svg`` for inline drawings), and what went wrong.

    ``missing`` counts the pictures that could not be had.
    """

    pictures: Mapping[str, Picture] = field(default_factory=lambda: MappingProxyType({}))
    missing: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """How much of what; ``links`` counts each target once."""

    words: int = 0
    headings: int = 0
    pictures: int = 0
    tables: int = 0
    code: int = 0
    formulas: int = 0
    notes: int = 0
    links: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """What was chosen of the pages and how much of it is on paper; ``missing`` names lost pieces.

    ``article`` counts what the articles hold, and what of the pages' choice did not come into them.
    """

    article: Tally = field(default_factory=Tally)
    printed: Tally = field(default_factory=Tally)
    missing: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether all of it is on paper."""
        return self.article == self.printed

    def after(self, lost: Iterable[Report]) -> Report:
        """Return the report with what was lost before, on the way from the page to the article."""
        earlier = list(lost)
        sums = {f.name: sum(getattr(each.article, f.name) for each in (self, *earlier))
                for f in fields(Tally)}  # fmt: skip
        names = (" ".join(piece.split())[:60] for each in earlier for piece in each.missing)
        missing = (*islice(names, 5), *self.missing)
        return Report(Tally(**sums), self.printed, missing)

    def lost(self) -> dict[str, tuple[int, int]]:
        """Return what is not all there, by name: how much is printed, and of how much."""
        pairs = ((f.name, getattr(self.printed, f.name), getattr(self.article, f.name))
                 for f in fields(Tally))  # fmt: skip
        return {name: (printed, held) for name, printed, held in pairs if printed != held}


@dataclass(frozen=True, slots=True)
class Story:
    """What a digest says of an article besides the article itself.

    ``minutes`` is how long it takes to read, ``keywords`` what it is about, ``also`` the names and
    addresses of others with the same story; ``updated`` says that it was printed before and has
    changed much since.
    """

    section: str = ""
    source: str = ""
    words: int = 0
    minutes: int = 0
    keywords: tuple[str, ...] = ()
    also: tuple[tuple[str, str], ...] = ()
    updated: bool = False


@dataclass(frozen=True, slots=True)
class Edition:
    """What makes several articles a digest: a story each, in their order, and what went wrong.

    ``remarks`` are the names of what could not be printed, each with the reason.
    """

    stories: tuple[Story, ...]
    when: datetime | None = None
    remarks: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A page of several that could not be printed, and why."""

    source: str
    error: WebprintError


@dataclass(frozen=True, slots=True)
class Result:
    """A printed document: the file, and what a person should know about it.

    ``data`` is the file in the ``format`` that was asked for, ``pdf`` the same when that is PDF.
    ``pages`` are the article's (0: it has none), ``sheets`` what goes through a printer (0: not
    counted); ``pictures`` counts the pictures printed, ``missing`` those that could not be had and
    left a frame with their words; ``judged`` are all pictures of the pages, those kept and, with
    the reason, those dropped.  ``report`` says how much of the articles is on paper.
    """

    data: bytes = field(repr=False)
    pages: int
    title: str
    format: Format = "pdf"
    sheets: int = 0
    pictures: int = 0
    missing: int = 0
    judged: tuple[JudgedPicture, ...] = field(default=(), repr=False)
    warnings: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    report: Report = field(default_factory=Report)

    @property
    def pdf(self) -> bytes:
        """The PDF; empty when another format was asked for."""
        return self.data if self.format == "pdf" else b""
