"""What is read from a page once, for all features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..html.index import ElementFlag, PageIndex
from ..html.page import Page
from . import characters as ch
from .classifier.tokens import NameTable, leading_words, read_names

Column = NDArray[np.floating[Any]]
Ints = NDArray[np.intp]

#: A segment is a paragraph when it has this many characters and few of them in links.
_PARAGRAPH = 80


def stack_columns(parts: Sequence[Column]) -> Column:
    """Return columns, and matrices of the same rows, side by side as one matrix of floats.

    Each column is in one piece: so the forests read them, and so they are quickly put together.
    """
    rows = len(parts[0])
    flat = np.concatenate([part.T.ravel() for part in parts], dtype=np.float32, casting="same_kind")
    return flat.reshape(-1, rows).T


@dataclass(slots=True)
class Columns:
    """Features under their names, in the order they were added."""

    names: list[str] = field(default_factory=list)
    values: list[Column] = field(default_factory=list)

    def add(self, name: str, values: NDArray[np.generic]) -> None:
        """Add a column, or several under numbered names."""
        numbers = values.astype(np.float32)
        if numbers.ndim == 1:
            self.names.append(name)
            self.values.append(numbers)
            return
        for number, column in enumerate(numbers.T):
            self.names.append(f"{name}.{number}")
            self.values.append(column)

    def matrix(self) -> Column:
        """Return the columns side by side, row after row."""
        return np.ascontiguousarray(stack_columns(self.values))


@dataclass(frozen=True, slots=True, eq=False)
class FeatureContext:
    """Everything read from a page that features are made of.

    The arrays have a place per segment, but ``begins``, ``ends`` and ``climb`` (the nearest element
    around it that holds more segments than it does) per element.  ``sizes`` counts words, two
    signs of a script that parts no words being one, ``headings`` has the last heading at or before
    each segment (-1: none).  ``kin`` numbers the groups of segments that look alike: the same names
    on the block and one, or two, elements around it.
    """

    texts: list[str]
    parents: Ints
    flags: Ints
    tags: list[str]
    article_starts: Ints
    last_headings: Ints
    names: NameTable
    words: list[list[str]]
    blocks: Ints
    begins: Ints
    ends: Ints
    wider: Ints
    word_counts: Column
    chars: Column
    link_chars: Column
    paragraph_chars: Column
    similar: tuple[Ints, Ints]
    columns: Columns


def build_context(page: Page, table: Column) -> FeatureContext:
    """Read a page; ``table`` counts its segments' characters (:func:`.characters.counts`)."""
    outline = page.index
    blocks = np.array(outline.segment_blocks, np.intp)
    begins, ends = (
        np.array(outline.segment_begins, np.intp),
        np.array(outline.segment_ends, np.intp),
    )
    texts = [segment.text for segment in page.segments]
    chars = table[:, : ch.KINDS].sum(1)
    links = np.array([segment.link_chars for segment in page.segments], np.float32)
    paragraph = chars * ((chars >= _PARAGRAPH) & (links < 0.35 * chars))
    named = read_names(outline)
    states = np.array(outline.flags, np.int64)[blocks]
    heading = (states & int(ElementFlag.HEADING)) != 0
    return FeatureContext(
        texts=texts,
        parents=np.array(outline.parents, np.intp),
        flags=states,
        last_headings=np.maximum.accumulate(np.where(heading, np.arange(len(blocks)), -1)),
        tags=[outline.tags[block] for block in outline.segment_blocks],
        article_starts=begins[[at for at, tag in enumerate(outline.tags) if tag == "article"]],
        names=named,
        words=leading_words(texts),
        blocks=blocks,
        begins=begins,
        ends=ends,
        wider=_climb(outline),
        word_counts=np.maximum(0.5, table[:, ch.WORDS] + table[:, ch.IDEOGRAPH] / 2),
        chars=chars,
        link_chars=links,
        paragraph_chars=paragraph,
        similar=_kin(outline, named, blocks),
        columns=Columns(),
    )


def enclosing_elements(reading: FeatureContext, count: int) -> list[Ints]:
    """Return the elements around each segment: its block, then ever wider ones."""
    found = [reading.blocks]
    while len(found) < count:
        found.append(reading.wider[found[-1]])
    return found


def _climb(outline: PageIndex) -> Ints:
    climb = [0] * len(outline.parents)
    begins, ends = outline.segment_begins, outline.segment_ends
    places = enumerate(zip(outline.parents, begins, ends, strict=True))
    next(places)  # the root is in nothing
    for index, (parent, begin, end) in places:
        wider = begins[parent] < begin or ends[parent] > end
        climb[index] = parent if wider else climb[parent]
    return np.array(climb, np.intp)


def _kin(outline: PageIndex, named: NameTable, blocks: Ints) -> tuple[Ints, Ints]:
    own = named.rows
    parents = np.maximum(0, np.array(outline.parents, np.intp))
    up, over = parents[blocks], parents[parents[blocks]]
    path = own[blocks] * 1_000_003 + own[up]
    groups = np.unique(path, return_inverse=True)[1]
    close = np.unique(path * 1_000_003 + own[over], return_inverse=True)[1]
    return groups.astype(np.intp), close.astype(np.intp)
