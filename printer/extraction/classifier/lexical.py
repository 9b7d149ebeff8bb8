"""Lexical features: classes of characters, and learned odds of names and words.

Names are the parts of ``class`` and ``id`` values and roles; words are those at the beginning of
texts.  Their odds, learned from text under a name or with a word, are in the model; unknown names
and words are ignored.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, pairwise, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...html.index import PageIndex
from ...text import UNSPACED, UNSPACED_CHARACTER

Odds = Mapping[str, float]
FeatureColumn = NDArray[np.floating[Any]]
Ints = NDArray[np.intp]

# Characters

CLASSES = 12
#: Another column: words beginning with a capital.
CAPITALIZED = CLASSES
#: Another column: all words.
WORDS = CLASSES + 1
#: The classes of characters: the columns of :func:`count_characters`.
UPPER = 0
LETTER = 1
IDEOGRAPH = 2
DIGIT = 3
STOP = 4
COMMA = 5
COLON = 6
QUOTE = 7
MARK = 8
CURRENCY = 9
SPACE = 10
OTHER = 11
_PUNCTUATION = {
    STOP: frozenset(".!?。！？؟۔।॥…．｡።"),
    COMMA: frozenset(",;，、；،؛､"),
    COLON: frozenset(":："),
    # Characters that separate the parts of menus and bylines.
    MARK: frozenset("|•·»›→<>/\\*+_=~#@©®™&«‹←↑↓✓✔★☆–—-[]{}"),
}
#: Scripts written without spaces between words, by code point.
_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF),
             (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))  # fmt: skip


@lru_cache(4096)
def character_class(code: int) -> int:
    char = chr(code)
    for number, characters in _PUNCTUATION.items():
        if char in characters:
            return number
    category = unicodedata.category(char)
    if category[0] == "L" or category[0] == "M":
        if any(first <= code <= last for first, last in _UNSPACED):
            return IDEOGRAPH
        return UPPER if category in {"Lu", "Lt"} else LETTER
    if category[0] == "Z":
        return SPACE
    by_category = {"Nd": DIGIT, "Sc": CURRENCY, "Pi": QUOTE, "Pf": QUOTE}
    return QUOTE if char in "\"'" else by_category.get(category, OTHER)


#: The characters counted at a time, to stay in the processor's cache.
_BATCH_CHARS = 1 << 17


def count_characters(
    texts: Sequence[str],
) -> tuple[NDArray[np.float32], NDArray[np.uint8], NDArray[np.intp]]:
    """Count the classes of characters of each text.

    Returns:
        A row per text with a column per class, then :data:`CAPITALIZED` and :data:`WORDS`; the
        class of every character of all texts, each followed by a space; the start of each text in
        that.
    """
    sizes = np.fromiter(map(len, texts), np.intp, len(texts)) + 1
    ends = np.cumsum(sizes)
    cuts = np.flatnonzero(np.diff(ends // _BATCH_CHARS)) + 1
    batches = [slice(*bounds) for bounds in pairwise((0, *cuts.tolist(), len(texts)))]
    counted = (_count_batch(texts[batch], sizes[batch]) for batch in batches)
    tables, classes = zip(*counted, strict=True)
    return np.concatenate(tables), np.concatenate(classes), ends - sizes


_IN_WORDS = np.isin(np.arange(CLASSES), (UPPER, LETTER, IDEOGRAPH, DIGIT))


def _count_batch(
    texts: Sequence[str], sizes: NDArray[np.intp]
) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Return the counts and the classes of some texts; ``sizes`` includes the spaces."""
    joined = " ".join(texts) + " "
    codes = np.frombuffer(joined.encode("utf-32-le", "replace"), np.uint32)
    present = np.flatnonzero(np.bincount(codes)).tolist()
    class_of = np.zeros(present[-1] + 1, np.uint8)
    class_of[present] = [character_class(code) for code in present]
    classes = class_of[codes]
    owner = np.repeat(np.arange(len(texts), dtype=np.int32) * CLASSES, sizes)
    table = np.bincount(owner + classes, minlength=len(texts) * CLASSES)
    table = table.reshape(len(texts), CLASSES).astype(np.float32)
    table[:, SPACE] -= 1
    capital = np.zeros(len(codes), bool)
    capital[1:] = (classes[1:] == UPPER) & (classes[:-1] == SPACE)
    capital[0] = classes[0] == UPPER
    begins_word = _IN_WORDS[classes]
    begins_word[1:] &= ~begins_word[:-1]
    starts = np.cumsum(sizes) - sizes
    words = [np.add.reduceat(flags, starts, dtype=np.float32) for flags in (capital, begins_word)]
    return np.column_stack([table, *words]), classes


# Names


@dataclass(frozen=True, slots=True)
class NameTable:
    """The distinct sets of names on a page (the first is empty), and each element's row."""

    names: list[tuple[str, ...]]
    rows: Ints


#: Longer attribute values are cut; some pages put whole style sheets of class names there.
_MAX_CLASS_CHARS = 300


def split_names(value: str, tag: str) -> tuple[str, ...]:
    """Return the names in an element's attributes, whole and in parts."""
    names = map(_name_parts, value[:_MAX_CLASS_CHARS].split())
    return tuple(dict.fromkeys(chain((f"<{tag}>",), *names)))


#: The length from which a name is taken for a generated one, not found on other sites.
_GENERATED_NAME = 32
_NAME_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_a-zA-Z]+")


@lru_cache(8192)
def _name_parts(name: str) -> list[str]:
    parts = [part.lower() for part in _NAME_PARTS.findall(name) if len(part) > 1]
    return [f".{name.lower()}", *parts] if len(name) < _GENERATED_NAME else parts


#: Attributes that name an element, besides its class and its id.
_NAME_ATTRIBUTES = ("role", "itemprop", "data-testid")
#: Elements that are numerous and seldom contain segments.
_INLINE = frozenset({
    "a", "abbr", "b", "bdi", "br", "cite", "code", "em", "font", "i", "img", "kbd", "q", "s",
    "small", "span", "strong", "sub", "sup", "u", "var", "wbr",
})  # fmt: skip


def read_names(index: PageIndex) -> NameTable:
    """Read the names of every element that holds text, except inline ones."""
    row_numbers: dict[tuple[str, str | None, str | None], int] = {}
    names: list[tuple[str, ...]] = [()]
    rows = [0] * len(index.tags)
    elements = zip(index.tags, index.segment_begins, index.segment_ends, strict=True)
    for i, (tag, begin, end) in enumerate(elements):
        if begin == end or tag in _INLINE:
            continue
        key = tag, index.classes[i], index.ids[i]
        row = row_numbers.get(key)
        if row is None:
            row = row_numbers[key] = len(names)
            values = (*key[1:], *map(index.elements[i].get, _NAME_ATTRIBUTES))
            names.append(split_names(" ".join(filter(None, values)), tag))
        rows[i] = row
    return NameTable(names, np.array(rows, np.intp))


def name_odds(table: NameTable, odds: Odds) -> FeatureColumn:
    """Return the lowest, highest and mean odds of each element's known names, one row each."""
    tokens = _TokenOdds.look_up(table.names, odds, np.nan)
    has_odds = ~np.isnan(tokens.odds)
    tokens = tokens._replace(odds=np.where(has_odds, tokens.odds, np.float32(0)))
    count = np.add.reduceat(has_odds, tokens.starts, dtype=np.float32)
    columns = tokens.extremes(np.maximum(count, 1))
    np.minimum(columns[:, 0], 0, out=columns[:, 0])
    np.maximum(columns[:, 1], 0, out=columns[:, 1])
    return columns[table.rows]


# Words


_MAX_WORDS = 14
_MAX_TEXT_CHARS = 120
_MARKS = ".,:;!?()[]{}<>|/\\\"'“”„«»‘’…·•–—-"


def leading_words(texts: Sequence[str]) -> list[list[str]]:
    """Return the first words of texts, lowercased; pairs of characters in unspaced scripts."""
    joined = "\n".join([text[:_MAX_TEXT_CHARS] for text in texts]).lower()
    spaced = joined.isascii() or not UNSPACED_CHARACTER.search(joined)
    return [
        [word.strip(_MARKS) for word in line.split(None, _MAX_WORDS)[:_MAX_WORDS]]
        if spaced or not UNSPACED_CHARACTER.search(line)
        else [word.strip(_MARKS) for word in islice(_words_and_pairs(line), _MAX_WORDS)]
        for line in joined.split("\n")
    ]


_RUN_OR_WORD = re.compile(f"[{UNSPACED}]+|[^\\s{UNSPACED}]+")


def _words_and_pairs(line: str) -> Iterator[str]:
    for part in _RUN_OR_WORD.findall(line):
        if len(part) > 1 and UNSPACED_CHARACTER.match(part):
            yield from map("".join, pairwise(part))
        else:
            yield part


def word_odds(texts: Sequence[Sequence[str]], odds: Odds) -> FeatureColumn:
    """Return the lowest, highest and mean odds of each text's words."""
    tokens = _TokenOdds.look_up(texts, odds, 0.0)
    return tokens.extremes(tokens.sizes.astype(np.float32))


class _TokenOdds(NamedTuple):
    """The odds of tokens, row after row; the start of each row, and its number of tokens."""

    odds: NDArray[np.float32]
    starts: Ints
    sizes: Ints

    @classmethod
    def look_up(cls, rows: Sequence[Sequence[str]], odds: Odds, default: float) -> _TokenOdds:
        """Look up the tokens of each row; an empty row gets one unknown token."""
        rows = [row or ("",) for row in rows]
        sizes = np.fromiter(map(len, rows), np.intp, len(rows))
        values = map(odds.get, chain.from_iterable(rows), repeat(default))
        starts = np.cumsum(sizes) - sizes
        return cls(np.fromiter(values, np.float32, int(sizes.sum())), starts, sizes)

    def extremes(self, counts: NDArray[np.float32]) -> FeatureColumn:
        """Return each row's minimum, maximum, and sum divided by ``counts``."""
        low, high, total = (
            function.reduceat(self.odds, self.starts)
            for function in (np.minimum, np.maximum, np.add)
        )
        return np.column_stack([low, high, total / counts])


@dataclass(frozen=True, slots=True)
class TokenPriors:
    """Learned odds: of names on all pages and on articles alone, and of words."""

    names: Odds
    articles: Odds
    words: Odds


def prior_columns(
    names: NameTable,
    words: list[list[str]],
    parents: Ints,
    levels: list[Ints],
    headings: Ints,
    priors: TokenPriors,
) -> FeatureColumn:
    """Return the features of tokens, a row per segment.

    They are the lowest, highest and mean odds of its first words, and of those of the last heading
    (-1: none); the same of the names of the block, its parent and the next two wider of the
    elements around it (``levels``); the lowest, the highest and the sum of means over all of these;
    the same four by the odds on articles.
    """
    spoken = word_odds(words, priors.words)
    heading_odds = np.where(headings[:, None] >= 0, spoken[headings], 0)
    block, *wider = levels
    columns = [spoken, heading_odds]
    tables = [name_odds(names, odds) for odds in (priors.names, priors.articles)]
    inherited = [column[block] for column in _inherited(tables, parents)]
    for number, table in enumerate(tables):
        columns += [table[block], table[np.maximum(0, parents[block])]]
        columns += [table[level] for level in wider[:2]] if number == 0 else []
        columns += [column[:, number] for column in inherited]
    return np.column_stack(columns)


def _inherited(
    tables: list[FeatureColumn], parents: Ints
) -> tuple[FeatureColumn, FeatureColumn, FeatureColumn]:
    """Return, per element, the lowest, highest and summed odds of itself and its ancestors.

    Each result has a column per table.
    """
    lowest, highest, total = np.stack(tables, 1).transpose(2, 0, 1).copy()
    for elements in _elements_by_depth(parents):
        parent_indexes = parents[elements]
        lowest[elements] = np.minimum(lowest[elements], lowest[parent_indexes])
        highest[elements] = np.maximum(highest[elements], highest[parent_indexes])
        total[elements] += total[parent_indexes]
    return lowest, highest, total


def _elements_by_depth(parents: Ints) -> list[Ints]:
    """Return the elements of each depth, from the root's children down."""
    depths = [0] * len(parents)
    for index, parent in enumerate(parents.tolist()):
        if parent >= 0:
            depths[index] = depths[parent] + 1
    order = np.argsort(depths, kind="stable")
    sizes = np.bincount(depths)
    return np.split(order, np.cumsum(sizes)[:-1])[1:]
