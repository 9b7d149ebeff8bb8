"""Which text segments and pictures of a page belong to its article, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml.html import HtmlElement

from .article import Figure

#: The kinds of pages that consist of entries, and those whose links are offers or entries.
LIST_KINDS = frozenset({"collection", "listing", "service"})
OFFER_KINDS = LIST_KINDS | {"product"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The extractor's decision about a page's text segments.

    ``keep`` has a flag per segment, ``scores`` a number per segment from each method that ran (on
    the method's own scale); ``kind`` is the kind of page, ``confidence`` is from 0 to 1.
    ``standfirst`` are the indexes of the segments between the title and the text that introduce it,
    ``notices`` those of dropped segments that sites add to articles, such as requests to subscribe.
    """

    keep: tuple[bool, ...]
    scores: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    kind: str = "article"
    confidence: float = 0.0
    standfirst: frozenset[int] = frozenset()
    notices: frozenset[int] = frozenset()

    @property
    def has_entries(self) -> bool:
        """Whether the page consists of entries, so that its lists are content."""
        return self.kind in LIST_KINDS


@dataclass(frozen=True, slots=True, eq=False)
class PlacedFigure:
    """A picture of the article and its place in the page.

    ``captions`` are the indexes of the segments that are its caption or credit, not running text.
    """

    figure: Figure
    element: HtmlElement
    captions: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class SegmentDecision:
    """The decision about a text segment.

    ``scores`` has the score of each extractor: a paper's method keeps those above 0, the default's
    are the probabilities that the text belongs to the article, before its corrections.
    ``place`` names its block and the block's ancestors, innermost last, ``rule`` the site rule that
    overrode the scores, ``corrections`` what added or dropped it after the classifier, in order.
    """

    text: str
    place: str
    keep: bool
    scores: Mapping[str, float]
    rule: str = ""
    corrections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PictureDecision:
    """The decision about a picture of a page.

    ``url`` is where it is printed from ('' for an inline drawing), ``kind`` what it is on the page
    (an image, drawing, poster, background, or a lead picture named only in the metadata), ``width``
    and ``height`` its declared size (0: none), ``reason`` why it was dropped ('' if it was not).
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
        """Whether it belongs to the article."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a page's article is what it is: each segment with the score of each extractor.

    ``pictures`` are all those of the page; ``rules`` describe what the site rules matched.
    """

    url: str
    title: str
    kind: str
    confidence: float
    segments: tuple[SegmentDecision, ...]
    pictures: tuple[PictureDecision, ...] = ()
    rules: tuple[str, ...] = ()
