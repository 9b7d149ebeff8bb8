"""What names and words tell: learned odds that text under a name, or with a word, is the article's.

Names are the parts of ``class`` and ``id`` values and roles; words those of short texts.  The odds
come with the model; a name or word it does not know says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from lxml.html import HtmlElement
from numpy.typing import NDArray

from ..dom.segments import Outline

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

Odds = Mapping[str, float]
Column = NDArray[np.floating[Any]]
Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Named:
    """The names on a page: each distinct set of them once, and which element has which.

    ``own`` maps each element to a row of ``names``; row 0 is the empty set.
    """

    names: list[tuple[str, ...]]
    own: list[int]


def name_parts(value: str, tag: str) -> tuple[str, ...]:
    """Return the names in the attributes of an element, whole and in parts."""
    named = map(_parts, value[:_MOST_CHARS].split())
    return tuple(dict.fromkeys([f"<{tag}>", *chain.from_iterable(named)]))


@lru_cache(8192)
def _parts(name: str) -> list[str]:
    parts = [part.lower() for part in _PARTS.findall(name) if len(part) > 1]
    return [f".{name.lower()}", *parts] if len(name) < _LONG else parts


def read_names(outline: Outline) -> Named:
    """Read the names of every element that holds text, inline ones left out."""
    rows: dict[tuple[str, str | None, str | None], int] = {}
    names: list[tuple[str, ...]] = [()]
    own: list[int] = []
    for element, begin, end in zip(outline.elements, outline.begins, outline.ends, strict=True):
        tag = element.tag
        if begin >= end or tag in _INLINE:
            own.append(0)
            continue
        key = (tag, element.get("class"), element.get("id"))
        row = rows.get(key)
        if row is None:
            row = rows[key] = len(names)
            said = " ".join(filter(None, (key[1], key[2], _said(element))))
            names.append(name_parts(said, key[0]))
        own.append(row)
    return Named(names, own)


def _said(element: HtmlElement) -> str:
    said = (element.get("role"), element.get("itemprop"), element.get("data-testid"))
    return " ".join(filter(None, said))


def name_odds(named: Named, odds: Odds) -> Column:
    """Return the lowest, highest and mean odds of each element's names (rows: elements).

    Names that are not known do not count.
    """
    known = [[odds[name] for name in names if name in odds] or [0.0] for names in named.names]
    table = _extremes(known)
    return np.column_stack([np.minimum(table[:, 0], 0), np.maximum(table[:, 1], 0), table[:, 2]])[
        named.own
    ]


def first_words(text: str) -> list[str]:
    """Return the first words of a text in lower case, without the marks around them."""
    return [word.strip(_MARKS) for word in text[:_FIRST].lower().split()[:_MOST_WORDS]]


def word_odds(texts: Iterable[list[str]], odds: Odds) -> Column:
    """Return the lowest, highest and mean odds of each text's words."""
    get = odds.get
    return _extremes([[get(word, 0.0) for word in words] or [0.0] for words in texts])


def _extremes(rows: list[list[float]]) -> Column:
    """Return the least, the greatest and the mean of each row; none is empty."""
    sizes = np.fromiter(map(len, rows), np.intp, len(rows))
    starts = np.cumsum(sizes) - sizes
    flat = np.fromiter(chain.from_iterable(rows), np.float32, int(sizes.sum()))
    return np.column_stack(
        [
            np.minimum.reduceat(flat, starts),
            np.maximum.reduceat(flat, starts),
            np.add.reduceat(flat, starts) / sizes.astype(np.float32),
        ]
    )


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Learned odds: of names on all pages and on articles alone, and of words."""

    names: Odds
    articles: Odds
    words: Odds


def cue_columns(
    named: Named,
    words: list[list[str]],
    parents: Ints,
    levels: list[Ints],
    headings: Ints,
    known: Knowledge,
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
        depths[index] = depths[parent] + 1 if parent >= 0 else 0
    order = np.argsort(depths, kind="stable")
    sizes = np.bincount(depths)
    return np.split(order, np.cumsum(sizes)[:-1])[1:]
