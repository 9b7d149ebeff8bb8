"""Values that pass between stages (the article itself is in :mod:`printer.article`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Literal, TypeAlias

from lxml.html import HtmlElement

from .article import Figure
from .errors import WebprintError

How = Literal["http", "file", "stdin", "browser"]


@dataclass(frozen=True, slots=True)
class Capture:
    """What a fetch brought: bytes, where they came from, how and when.

    ``body`` is decompressed and within the size limit, ``charset`` what the HTTP header declared
    ('' when it declared none), ``headers`` the response's with lower-case names.
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

    ``place`` names its block and that block's ancestors, innermost last.
    """

    text: str
    place: str
    keep: bool
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a page's article is what it is: every segment, with every extractor's score."""

    url: str
    title: str
    kind: str
    confidence: float
    segments: tuple[Judged, ...]


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
    """Pictures by ``Figure.src`` (``Figure.svg`` for inline drawings), and what went wrong."""

    pictures: Mapping[str, Picture] = field(default_factory=lambda: MappingProxyType({}))
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A page of several that could not be printed, and why."""

    source: str
    error: WebprintError


@dataclass(frozen=True, slots=True)
class Result:
    """A printed document: the PDF, and what a person should know about it."""

    pdf: bytes = field(repr=False)
    pages: int
    title: str
    pictures: int = 0
    warnings: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
