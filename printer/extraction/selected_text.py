"""The selected segments of a page, while rules correct the selection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, compress, islice

from lxml.html import HtmlElement

from ..html.index import ElementFlag, Leaf, Segment, enclosing_link, tag_and_class
from ..html.page import Page
from ..html.visibility import HEADING_TAGS
from ..text import class_pattern
from ..urls import host_of, resolve

#: The flags of elements that do not belong to running text.
OUTSIDE_TEXT = int(
    ElementFlag.NAV | ElementFlag.FOOTER | ElementFlag.FORM | ElementFlag.HIDDEN
    | ElementFlag.BUTTON | ElementFlag.LABEL | ElementFlag.CAPTION
)  # fmt: skip
#: Elements in which a short line is not a label.
TERM_TAGS = frozenset({"td", "th", "dt", "pre", "code"})


class SelectedText:
    """The selected segments of a page, with their sizes, repetitions and the site's hosts.

    ``kind`` is the kind of page, ``scores`` are the classifier's; ``before_drops`` is the selection
    at the beginning, or after all missing parts were added (:meth:`end_additions`).
    """

    def __init__(
        self,
        page: Page,
        keep: Sequence[bool],
        kind: str = "article",
        scores: Sequence[float] = (),
    ) -> None:
        self.page = page
        self.index = page.index
        self.segments = page.segments
        self.keep = list(keep)
        self.before_drops = tuple(keep)
        self.kind = kind
        self.scores = scores
        self.sizes = [len(segment.text) for segment in page.segments]
        self.counts = Counter(segment.text for segment in page.segments)
        host = host_of(page.base)
        self.hosts = frozenset({host, host_of(page.metadata.canonical) or host})
        self._on_site: dict[str, bool] = {}

    def total(self) -> int:
        """Return the number of selected characters."""
        return sum(compress(self.sizes, self.keep))

    def size(self, segments: Iterable[int]) -> int:
        """Return the number of selected characters in some segments."""
        return sum(self.sizes[i] for i in segments if self.keep[i])

    def texts(self) -> set[str]:
        """Return the texts of the selected segments."""
        return {line.text for line in self.lines()}

    def lines(self) -> list[Segment]:
        """Return the selected segments."""
        return [*compress(self.segments, self.keep)]

    def positions(self) -> list[int]:
        """Return the indexes of the selected segments."""
        return [*compress(range(len(self.keep)), self.keep)]

    def first(self) -> int:
        """Return the first selected segment, 0 for none."""
        return self.keep.index(True) if any(self.keep) else 0

    def last(self) -> int:
        """Return the last selected segment, -1 for none."""
        return max(self.positions(), default=-1)

    def add(self, segments: Iterable[int]) -> None:
        for i in tuple(segments):  # which may depend on the selection
            self.keep[i] = True

    def drop(self, segments: Iterable[int]) -> None:
        for i in segments:
            self.keep[i] = False

    def end_additions(self) -> None:
        """Remember the selection as it is before the passes that drop."""
        self.before_drops = tuple(self.keep)

    def is_on_site(self, href: str) -> bool:
        """Return whether a link's target is on the page's own site."""
        if href not in self._on_site:
            self._on_site[href] = host_of(resolve(self.page.base, href)) in self.hosts
        return self._on_site[href]

    def is_story(self, segment: Segment) -> bool:
        """Return whether a line is a link to another page of the site."""
        href = link_target(segment) if segment.is_link else ""
        return href[:1] not in ("", "#") and self.is_on_site(href)


def is_internal_link(segment: Segment) -> bool:
    """Return whether a link leads to a place in its page, or makes a script show something."""
    return link_target(segment).startswith(("#", "javascript:"))


def first_link(segment: Segment) -> HtmlElement | None:
    """Return the first link of a line, None if it has none."""
    links = (enclosing_link(leaf.element) for leaf in segment.leaves)
    return next((link for link in links if link is not None), None)


def link_target(segment: Segment) -> str:
    """Return the target of the link with which a line begins, '' for none."""
    link = enclosing_link(segment.leaves[0].element)
    return "" if link is None else link.get("href") or ""


def is_contents_entry(segment: Segment) -> bool:
    """Return whether a line may be an entry of a table of contents: a link within the page."""
    is_link = segment.is_link and segment.block.tag not in HEADING_TAGS
    return is_link and is_internal_link(segment)


_BUTTON_CLASS = class_pattern("btn|button|cta")


def is_drawn_as_button(segment: Segment) -> bool:
    """Return whether a line begins with a link that has the class of a button."""
    return is_button_text(segment.leaves[0])


def is_button_text(leaf: Leaf) -> bool:
    """Return whether a text node is in a link that has the class of a button."""
    link = enclosing_link(leaf.parent)
    names = "" if link is None else (link.get("class") or "")[:300].lower()
    return _BUTTON_CLASS.search(names) is not None


#: The bold texts of a line's element that are compared with the line.
_MAX_BOLD_TEXTS = 20


def is_bold(segment: Segment) -> bool:
    """Return whether one of the bold texts in a line's element is the line."""
    bold = islice(segment.block.iter("b", "strong"), _MAX_BOLD_TEXTS)
    return segment.text in (" ".join(part.text_content().split()) for part in bold)


def tags_and_classes(element: HtmlElement) -> tuple[str, ...]:
    """Return the tags and first classes of an element and the one around it."""
    around = (element, *islice(element.iterancestors(), 1))
    return tuple(chain.from_iterable(map(tag_and_class, around)))


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
