"""The values that enter the render stage, the result it returns, and the steps of a print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from .article import Article
from .capture import PageSource
from .errors import WebprintError
from .options import Format
from .selection import PictureDecision

if TYPE_CHECKING:
    from .editing import EditableBlock

Step = Literal["fetch", "browse", "enough", "unsure", "empty", "extract", "pictures", "print"]

#: The steps of a print, in words.
STEPS: Mapping[Step, str] = {
    "fetch": "fetching the page",
    "browse": "loading the page in a browser",
    "enough": "the article was found without a browser",
    "unsure": "loading the page in a browser, as the article is not clear without one",
    "empty": "loading the page in a browser, as there is no article without one",
    "extract": "finding the article",
    "pictures": "preparing the pictures",
    "print": "laying out the pages",
}


#: Pixels per inch of a picture printed at its size on screen.
SCREEN_DPI = 96


@dataclass(frozen=True, slots=True)
class Asset:
    """A font or picture: ``data`` is embedded unchanged."""

    data: bytes = field(repr=False)
    media_type: str


@dataclass(frozen=True, slots=True)
class Picture(Asset):
    """A picture prepared for print; its size is in pixels of ``data`` (CSS pixels for SVG)."""

    width: int
    height: int


@dataclass(frozen=True, slots=True)
class PreparedPictures:
    """Pictures by ``Figure.src`` (``Figure.svg`` for inline drawings).

    ``missing`` counts the pictures that could not be fetched or decoded.
    """

    pictures: Mapping[str, Picture] = field(default_factory=lambda: MappingProxyType({}))
    missing: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContentCounts:
    """The amount of each kind of content.

    ``links`` counts distinct targets, ``parts`` the web pages of an article of several pages.
    """

    words: int = 0
    headings: int = 0
    pictures: int = 0
    tables: int = 0
    code: int = 0
    formulas: int = 0
    notes: int = 0
    links: int = 0
    parts: int = 0

    @classmethod
    def sum_of(cls, counts: Sequence[ContentCounts]) -> ContentCounts:
        return cls(*(sum(getattr(count, f.name) for count in counts) for f in fields(cls)))


@dataclass(frozen=True, slots=True)
class PrintedContent:
    """What a file contains: its text, one line per block, and its other content.

    ``counts`` is by kind (headings, pictures, tables, code, formulas, notes); ``targets`` has the
    URLs of links.  In a PDF, ``page_by_anchor`` has the indexes of pages, ``page_names`` the name
    of each page in the style sheet, None for a blank page.
    """

    text: str = field(default="", repr=False)
    counts: dict[str, int] = field(default_factory=dict)
    targets: frozenset[str] = frozenset()
    page_by_anchor: dict[str, int] = field(default_factory=dict, repr=False)
    page_names: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Loss:
    """Selected content of a page that is missing from its article, with the missing texts."""

    counts: ContentCounts
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CompletenessReport:
    """How much of the selected content was printed; ``missing_text`` quotes the rest.

    ``article`` counts the content of the articles and any selected content missing from them;
    ``incomplete`` has the indexes of the articles from which something may be missing.
    """

    article: ContentCounts = field(default_factory=ContentCounts)
    printed: ContentCounts = field(default_factory=ContentCounts)
    missing_text: tuple[str, ...] = ()
    incomplete: frozenset[int] = frozenset()

    @property
    def complete(self) -> bool:
        """Whether everything was printed."""
        return self.article == self.printed

    def including(self, losses: Sequence[Loss], parts: int = 0) -> CompletenessReport:
        """Return the report with the losses before the render stage and the web pages added."""
        read = ContentCounts(parts=parts)
        article = ContentCounts.sum_of([self.article, read, *(loss.counts for loss in losses)])
        printed = ContentCounts.sum_of([self.printed, read])
        quotes = (" ".join(text.split())[:60] for loss in losses for text in loss.texts)
        missing_text = (*islice(quotes, 5), *self.missing_text)
        return replace(self, article=article, printed=printed, missing_text=missing_text)

    def shortfall(self) -> dict[str, tuple[int, int]]:
        """Return the incomplete kinds of content by name: the amount printed and the total."""
        pairs = {f.name: (getattr(self.printed, f.name), getattr(self.article, f.name))
                 for f in fields(ContentCounts)}  # fmt: skip
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """A page's article, ready to be rendered, with data about the page.

    ``html`` is the page as received, kept only to be attached to the PDF or for an edit.
    ``pictures`` are the decisions about all its pictures, ``losses`` is the selected content
    missing from the article, ``parts`` counts the web pages of an article of several (0: it has
    one); ``blocks`` can be removed or restored by an edit.
    """

    article: Article
    source: PageSource
    html: bytes = field(default=b"", repr=False)
    pictures: tuple[PictureDecision, ...] = ()
    kind: str = "article"
    canonical: str = ""
    losses: tuple[Loss, ...] = ()
    parts: int = 0
    blocks: tuple[EditableBlock, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Story:
    """What a digest prints about an article.

    ``minutes`` is the reading time, ``also`` the names and URLs of other articles on the same
    story; ``updated`` means that it was printed before and has changed much.
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
    """What a digest adds to its articles: a story for each, in their order.

    ``problems`` name what could not be printed, each with the reason.
    """

    stories: tuple[Story, ...]
    date: datetime | None = None
    problems: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PageResult:
    """The outcome of one page: its ``error``, or whether all of its article is in the file.

    Warnings about the whole file are those of the first page.
    """

    url: str
    title: str = ""
    error: WebprintError | None = None
    warnings: tuple[str, ...] = ()
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """A rendered file and the facts to report about it.

    ``pages`` counts the PDF's pages (0 in other formats), ``sheets`` the sheets of paper (0: not
    counted), ``pictures`` the pictures printed, ``missing_pictures`` those replaced by a frame with
    their text; ``picture_decisions`` cover all pictures of the pages, ``obstacles`` what pages seem
    to show instead of an article (``Article.obstacle``), ``outcomes`` each page, in their order,
    with its error if it failed.
    """

    data: bytes = field(repr=False)
    pages: int
    title: str
    format: Format = "pdf"
    sheets: int = 0
    pictures: int = 0
    missing_pictures: int = 0
    picture_decisions: tuple[PictureDecision, ...] = field(default=(), repr=False)
    warnings: tuple[str, ...] = ()
    report: CompletenessReport = field(default_factory=CompletenessReport)
    obstacles: tuple[str, ...] = ()
    outcomes: tuple[PageResult, ...] = ()

    @property
    def errors(self) -> tuple[WebprintError, ...]:
        """The errors of the pages that failed."""
        return tuple(page.error for page in self.outcomes if page.error)

    @property
    def complete(self) -> bool:
        """Whether all pages were printed, with everything that belongs to their articles."""
        return bool(self.outcomes) and all(page.complete for page in self.outcomes)

    @property
    def pdf(self) -> bytes:
        """The file, if it is a PDF; raise ValueError for any other (see ``data``)."""
        if self.format != "pdf":
            raise ValueError(f"the file is {self.format}, not pdf")
        return self.data
