"""What names and words tell: learned odds that text under a name, or with a word, is the article's.

Names are the parts of ``class`` and ``id`` values and roles; words those of short texts.  The odds
come with the model; a name or word it does not know says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...html.index import PageIndex

#: Longer attribute values are cut: some pages put whole style sheets of class names there.
_MOST_CHARS = 300
#: A name of this many characters is not one that another site has.
_LONG = 32
_MOST_WORDS = 14
_FIRST = 120
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_a-zA-Z]+")
_MARKS = ".,:;!?()[]{}<>|/\\\"'“”„«»‘’…·•–—-"

#: Elements that seldom hold segments, and many on a page.
_INLINE = frozenset({
    "a", "abbr", "b", "bdi", "br", "cite", "code", "em", "font", "i", "img", "kbd", "q", "s",
    "small", "span", "strong", "sub", "sup", "u", "var", "wbr",
})  # fmt: skip

#: Attributes that name an element, beside its class and its id.
_SAYING = ("role", "itemprop", "data-testid")

Odds = Mapping[str, float]
Column = NDArray[np.floating[Any]]
Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class NameTable:
    """The names on a page: each distinct set of them once, and which element has which.

    ``own`` maps each element to a row of ``names``; row 0 is the empty set.
    """

    names: list[tuple[str, ...]]
    rows: Ints


def split_names(value: str, tag: str) -> tuple[str, ...]:
    """Return the names in the attributes of an element, whole and in parts."""
    named = map(_parts, value[:_MOST_CHARS].split())
    return tuple(dict.fromkeys(chain((f"<{tag}>",), *named)))


@lru_cache(8192)
def _parts(name: str) -> list[str]:
    parts = [part.lower() for part in _PARTS.findall(name) if len(part) > 1]
    return [f".{name.lower()}", *parts] if len(name) < _LONG else parts


def read_names(outline: PageIndex) -> NameTable:
    """Read the names of every element that holds text, inline ones left out."""
    rows: dict[tuple[str, str | None, str | None], int] = {}
    names: list[tuple[str, ...]] = [()]
    own = [0] * len(outline.tags)
    elements = outline.elements
    places = zip(
        outline.tags,
        outline.segment_begins,
        outline.segment_ends,
        outline.has_attributes,
        strict=True,
    )
    for index, (tag, begin, end, marked) in enumerate(places):
        if begin == end or tag in _INLINE:
            continue
        get = elements[index].get
        key = (tag, get("class"), get("id")) if marked else (tag, None, None)
        row = rows.get(key)
        if row is None:
            row = rows[key] = len(names)
            said = (key[1], key[2], *map(get, _SAYING))
            names.append(split_names(" ".join(filter(None, said)), tag))
        own[index] = row
    return NameTable(names, np.array(own, np.intp))


def name_odds(named: NameTable, odds: Odds) -> Column:
    """Return the lowest, highest and mean odds of each element's names (rows: elements).

    Names that are not known do not count.
    """
    found = _looked_up(named.names, odds, np.nan)
    known = ~np.isnan(found.odds)
    found = found._replace(odds=np.where(known, found.odds, np.float32(0)))
    count = np.add.reduceat(known, found.starts, dtype=np.float32)
    table = found.extremes(np.maximum(count, 1))
    np.minimum(table[:, 0], 0, out=table[:, 0])
    np.maximum(table[:, 1], 0, out=table[:, 1])
    return table[named.rows]


def leading_words(texts: Sequence[str]) -> list[list[str]]:
    """Return the first words of each line in lower case, without the marks around them."""
    bare = _Bare()
    begun = "\n".join([text[:_FIRST] for text in texts]).lower().split("\n")
    return [
        list(map(bare.__getitem__, text.split(None, _MOST_WORDS)[:_MOST_WORDS])) for text in begun
    ]


class _Bare(dict[str, str]):
    """Words without the marks around them, each worked out once."""

    def __missing__(self, word: str) -> str:
        bare = self[word] = word.strip(_MARKS)
        return bare


def word_odds(texts: Sequence[Sequence[str]], odds: Odds) -> Column:
    """Return the lowest, highest and mean odds of each text's words."""
    found = _looked_up(texts, odds, 0.0)
    return found.extremes(found.sizes.astype(np.float32))


class _Found(NamedTuple):
    """The odds of words, row after row: where each row begins, and how many words it has."""

    odds: NDArray[np.float32]
    starts: Ints
    sizes: Ints

    def extremes(self, counts: NDArray[np.float32]) -> Column:
        """Return the least, the greatest, and the sum by ``counts`` of each row."""
        reduced = [each.reduceat(self.odds, self.starts) for each in (np.minimum, np.maximum)]
        return np.column_stack([*reduced, np.add.reduceat(self.odds, self.starts) / counts])


def _looked_up(rows: Sequence[Sequence[str]], odds: Odds, unknown: float) -> _Found:
    """Look up the words of each row; a row without any has one that is not known."""
    rows = [row or ("",) for row in rows]
    sizes = np.fromiter(map(len, rows), np.intp, len(rows))
    flat = map(odds.get, chain.from_iterable(rows), repeat(unknown))
    return _Found(np.fromiter(flat, np.float32, int(sizes.sum())), np.cumsum(sizes) - sizes, sizes)


@dataclass(frozen=True, slots=True)
class TokenPriors:
    """Learned odds: of names on all pages and on articles alone, and of words."""

    names: Odds
    articles: Odds
    words: Odds


def prior_columns(
    named: NameTable,
    words: list[list[str]],
    parents: Ints,
    levels: list[Ints],
    headings: Ints,
    known: TokenPriors,
) -> Column:
    """Return a row per segment: the odds of its words, of its block's names and those around it.

    ``levels`` are the elements around each segment, from its block outward, ``headings`` the last
    heading at or before each segment (-1: none).  Columns: lowest, highest, mean for the words and
    those of the heading; the same for names of the block, its parent and the two next wider
    containers; lowest, highest and sum of means over all elements around the segment; the same
    four ways for what is known of articles alone.
    """
    spoken = word_odds(words, known.words)
    under = np.where(headings[:, None] >= 0, spoken[headings], 0)
    block, *wider = levels
    columns = [spoken, under]
    depths = _depths(parents)
    for odds in (known.names, known.articles):
        table = name_odds(named, odds)
        lowest, highest, summed = _inherited(table, parents, depths)
        around = [table[block], table[np.maximum(0, parents[block])]]
        if odds is known.names:
            around += [table[level] for level in wider[:2]]
        columns += [*around, np.column_stack([lowest[block], highest[block], summed[block]])]
    return np.column_stack(columns)


def _inherited(table: Column, parents: Ints, depths: list[Ints]) -> tuple[Column, Column, Column]:
    """Return per element the lowest, highest and summed odds of itself and all around it."""
    lowest, highest, summed = (column.copy() for column in table.T)
    for level in depths:
        above = parents[level]
        lowest[level] = np.minimum(lowest[level], lowest[above])
        highest[level] = np.maximum(highest[level], highest[above])
        summed[level] += summed[above]
    return lowest, highest, summed


def _depths(parents: Ints) -> list[Ints]:
    """Return the elements level by level from the root's children down."""
    depths = [0] * len(parents)
    for index, parent in enumerate(parents.tolist()):
        if parent >= 0:
            depths[index] = depths[parent] + 1
    order = np.argsort(depths, kind="stable")
    sizes = np.bincount(depths)
    return np.split(order, np.cumsum(sizes)[:-1])[1:]
