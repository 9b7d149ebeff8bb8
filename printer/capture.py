"""A fetched page or file: its bytes, its source, and its layout in a browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import IntFlag, auto
from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias


class Rect(NamedTuple):
    """A rectangle in CSS pixels, relative to the page's top left corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    def union(self, other: Rect) -> Rect:
        """Return the smallest rectangle around both."""
        return Rect(*map(min, self[:2], other[:2]), *map(max, self[2:], other[2:]))


class Visibility(IntFlag):
    """Flags for what hides an element, and how it is positioned over the page."""

    NOT_DISPLAYED = auto()  # display: none, on it or an ancestor
    HIDDEN = auto()  # visibility: hidden or collapse
    TRANSPARENT = auto()  # opacity 0, transparent color, font size 0
    CLIPPED = auto()  # outside an ancestor that clips it
    OFF_PAGE = auto()  # off the page to the left, the top or the right
    LAYER = auto()  # in a fixed or sticky layer, which may be visible
    OUT_OF_FLOW = auto()  # positioned absolutely, which may be visible


_INVISIBLE = Visibility.NOT_DISPLAYED | Visibility.HIDDEN | Visibility.CLIPPED | Visibility.OFF_PAGE


def is_visible(flags: Visibility) -> bool:
    """Return whether a reader sees an element with these flags.

    Transparent content in the flow of the page counts as visible: it fades in when it is scrolled
    to, or its letters are painted by their background.
    """
    if flags & _INVISIBLE:
        return False
    over_page = flags & (Visibility.LAYER | Visibility.OUT_OF_FLOW)
    return not (flags & Visibility.TRANSPARENT and over_page)


class Font(NamedTuple):
    """A font's size in CSS pixels, its computed CSS color ('' if unknown) and its weight."""

    size: float = 16.0
    color: str = ""
    weight: int = 400


class ElementBox(NamedTuple):
    """An element: its border box, its computed ``display``, its visibility."""

    rect: Rect
    display: str
    visibility: Visibility = Visibility(0)


class TextBox(NamedTuple):
    """A text leaf: the box around its lines, its font, its visibility.

    A leaf that is alone in its element has the element's box.
    """

    rect: Rect
    font: Font
    visibility: Visibility = Visibility(0)


class PictureBox(NamedTuple):
    """A rendered picture.

    ``src`` is the absolute URL displayed ('' for inline drawings and long ``data:`` URLs),
    ``width`` and ``height`` are its intrinsic size (0: unknown); ``background`` means that it is
    the CSS background of its element.
    """

    rect: Rect
    src: str
    width: int = 0
    height: int = 0
    background: bool = False
    visibility: Visibility = Visibility(0)


@dataclass(frozen=True, slots=True)
class Layout:
    """A page as rendered, keyed by the numbers in the elements' attribute ``id_attribute``.

    ``texts`` is keyed like lxml's text: (element, False) for ``element.text``, (element, True) for
    ``element.tail``.  Elements neither in ``boxes`` nor inside one with
    :attr:`Visibility.NOT_DISPLAYED` are laid out inline.
    """

    id_attribute: str
    boxes: Mapping[int, ElementBox] = field(repr=False)
    texts: Mapping[tuple[int, bool], TextBox] = field(repr=False)
    pictures: Mapping[int, PictureBox] = field(repr=False)


FetchMethod = Literal["http", "file", "stdin", "browser"]


@dataclass(frozen=True, slots=True)
class PageSource:
    """Where a page came from, when and how.

    ``url`` is the address after redirects, ``charset`` the one that the HTTP header declared (''
    for none), ``headers`` the response headers with lower-case names.  ``sha256`` is the hash of
    the page's bytes, '' until :meth:`Capture.describe` computes it.
    """

    url: str
    requested_url: str
    media_type: str = ""
    charset: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    fetched: datetime | None = None
    method: FetchMethod = "http"
    from_cache: bool = False
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Capture:
    """What a fetch returned: the decompressed bytes, within the size limit, and their source.

    A capture by a browser has the page's ``layout``, and its body has the attribute that ``layout``
    refers to.
    """

    body: bytes = field(repr=False)
    source: PageSource
    layout: Layout | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """The address after redirects."""
        return self.source.url

    def describe(self) -> PageSource:
        """Return the source with the hash of the body."""
        return replace(self.source, sha256=sha256(self.body).hexdigest())


#: Fetches a resource that a page refers to: ``get(url, referer)``; raise ``FetchError``.
GetResource: TypeAlias = Callable[[str, str], Capture]
