"""The layout of a page as a browser rendered it, in CSS pixels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntFlag, auto
from typing import NamedTuple


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


class Visibility(IntFlag):
    """What keeps something from being seen where it stands, and how it is laid over the page."""

    NOT_DISPLAYED = auto()  # display: none, here or around
    HIDDEN = auto()  # visibility: hidden or collapse
    TRANSPARENT = auto()  # opacity 0, transparent letters, letters without a size
    CLIPPED = auto()  # outside what an element around it lets be seen
    OFF_PAGE = auto()  # off the page to the left, the top or the right
    LAYER = auto()  # in a fixed or sticky layer, which need not hide it
    OUT_OF_FLOW = auto()  # out of the flow (absolute), which need not hide it
    FIXED = auto()  # in a layer that stays where it is in the window, over the page


_INVISIBLE = Visibility.NOT_DISPLAYED | Visibility.HIDDEN | Visibility.CLIPPED | Visibility.OFF_PAGE


def is_visible(sight: Visibility) -> bool:
    """Tell whether a reader sees something.

    What is transparent but has its place in the flow of the page is taken for seen: it fades in
    when it is scrolled to, or its letters are painted by their background.
    """
    if sight & _INVISIBLE:
        return False
    return not (
        sight & Visibility.TRANSPARENT and sight & (Visibility.LAYER | Visibility.OUT_OF_FLOW)
    )


class Font(NamedTuple):
    """A font's size in CSS pixels, its colour as CSS computes it ('' unknown) and its weight."""

    size: float = 16.0
    color: str = ""
    weight: int = 400


class ElementBox(NamedTuple):
    """An element as it is drawn: its border box, its computed ``display``, how it is seen."""

    rect: Rect
    display: str
    visibility: Visibility = Visibility(0)


class TextBox(NamedTuple):
    """A text leaf as it is drawn: the box around its lines, its font, how it is seen.

    The box of a leaf that is all its element holds is the element's.
    """

    rect: Rect
    font: Font
    visibility: Visibility = Visibility(0)


class PictureBox(NamedTuple):
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
    visibility: Visibility = Visibility(0)


@dataclass(frozen=True, slots=True)
class Layout:
    """What a browser rendered, by the numbers in the attribute ``id_attribute`` of its elements.

    ``texts`` is keyed like lxml's text: (element, False) for ``element.text``, (element, True) for
    ``element.tail``.  Elements neither in ``boxes`` nor inside one with
    :attr:`Visibility.NOT_DISPLAYED` are laid out inline.  ``width`` and ``height`` are the page's.
    """

    id_attribute: str
    width: float
    height: float
    viewport_width: float
    boxes: Mapping[int, ElementBox] = field(repr=False)
    texts: Mapping[tuple[int, bool], TextBox] = field(repr=False)
    pictures: Mapping[int, PictureBox] = field(repr=False)
