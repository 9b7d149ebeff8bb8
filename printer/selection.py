"""Which text segments and pictures of a page belong to its article, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from lxml.html import HtmlElement

from .article import Figure
from .layout import Rect


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
class PlacedFigure:
    """A picture of the article and where it stands.

    ``element`` is the picture's node in the page, ``captions`` the indexes of the segments whose
    text is its caption or credit and so is not the article's running text.
    """

    figure: Figure
    element: HtmlElement
    captions: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class SegmentDecision:
    """A text segment and what was thought of it: ``scores`` by extractor, above 0 is kept.

    ``place`` names its block and that block's ancestors, innermost last, ``rule`` the rule for its
    site that decided whatever the scores are.
    """

    text: str
    path: str
    keep: bool
    scores: Mapping[str, float]
    rule: str = ""


@dataclass(frozen=True, slots=True)
class PictureDecision:
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
    def selected(self) -> bool:
        """Whether it is the article's."""
        return not self.reason


class MarkedArea(NamedTuple):
    """A place on a page as it is drawn, and what was made of it."""

    rect: Rect
    label: Literal["kept", "dropped", "caption", "picture"]


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
    segments: tuple[SegmentDecision, ...]
    pictures: tuple[PictureDecision, ...] = ()
    areas: tuple[MarkedArea, ...] = field(default=(), repr=False)
    screenshot: bytes = field(default=b"", repr=False)
    rules: tuple[str, ...] = ()
