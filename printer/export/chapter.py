"""An article that is being written as elements, and what writing it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..article import Article, Figure, Note, walk
from ..i18n.labels import Labels, labels
from ..output import Picture
from ..render.inline import valid_language
from ..render.math import Formula
from .make import Make
from .places import Places


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture as it is shown: its address, and its size in CSS pixels (0: unknown)."""

    url: str
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class Chapter:
    """An article that is being written, and what it needs.

    ``picture`` finds how a figure is shown, ``file`` the address of a drawing of ours.
    """

    article: Article
    make: Make
    places: Places
    picture: Callable[[Figure], Shown | None]
    file: Callable[[Picture], str]
    formulas: Mapping[tuple[str, bool], Formula] = field(default_factory=dict)
    fetched: str = ""

    @property
    def language(self) -> str:
        """The article's language, '' when it is not known."""
        return valid_language(self.article.language)

    @property
    def labels(self) -> Labels:
        """The few words that are not the article's."""
        return labels(self.language)

    def notes(self) -> list[Note]:
        """Return the article's notes in their order."""
        return [block for block in walk(self.article.blocks) if isinstance(block, Note)]
