"""What goes into a rendered document besides its articles, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from .article import Article
from .capture import PageSource
from .errors import WebprintError
from .options import Format
from .selection import PictureDecision

if TYPE_CHECKING:
    from .editing.blocks import EditableBlock


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
class PreparedPictures:
    """Pictures by ``Figure.src`` (``Figure.svg`` for inline drawings), and what went wrong.

    ``missing`` counts the pictures that could not be had.
    """

    pictures: Mapping[str, Picture] = field(default_factory=lambda: MappingProxyType({}))
    missing: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContentCounts:
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
class CompletenessReport:
    """What was chosen of the pages and how much of it is on paper; ``missing`` names lost pieces.

    ``article`` counts what the articles hold, and what of the pages' choice did not come into them.
    """

    article: ContentCounts = field(default_factory=ContentCounts)
    printed: ContentCounts = field(default_factory=ContentCounts)
    missing: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether all of it is on paper."""
        return self.article == self.printed

    def including(self, lost: Iterable[CompletenessReport]) -> CompletenessReport:
        """Return the report with what was lost before, on the way from the page to the article."""
        earlier = list(lost)
        sums = {f.name: sum(getattr(each.article, f.name) for each in (self, *earlier))
                for f in fields(ContentCounts)}  # fmt: skip
        names = (" ".join(piece.split())[:60] for each in earlier for piece in each.missing)
        missing = (*islice(names, 5), *self.missing)
        return CompletenessReport(ContentCounts(**sums), self.printed, missing)

    def shortfall(self) -> dict[str, tuple[int, int]]:
        """Return what is not all there, by name: how much is printed, and of how much."""
        pairs = ((f.name, getattr(self.printed, f.name), getattr(self.article, f.name))
                 for f in fields(ContentCounts))  # fmt: skip
        return {name: (printed, held) for name, printed, held in pairs if printed != held}


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """A page's article, ready to be rendered, and what is known of the page.

    ``html`` is the page as it was received, kept only where it is attached to the PDF or the print
    can be edited.  ``pictures`` are the decisions about all its pictures, ``kind`` is the kind of
    page, ``losses`` what of the selected text did not get into the article.  ``blocks`` can be left
    out or restored, where that was requested.
    """

    article: Article
    source: PageSource
    html: bytes = field(default=b"", repr=False)
    pictures: tuple[PictureDecision, ...] = ()
    kind: str = "article"
    canonical: str = ""
    losses: tuple[CompletenessReport, ...] = ()
    blocks: tuple[EditableBlock, ...] = field(default=(), repr=False)


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
    picture_decisions: tuple[PictureDecision, ...] = field(default=(), repr=False)
    warnings: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    report: CompletenessReport = field(default_factory=CompletenessReport)

    @property
    def pdf(self) -> bytes:
        """The PDF; empty when another format was asked for."""
        return self.data if self.format == "pdf" else b""
