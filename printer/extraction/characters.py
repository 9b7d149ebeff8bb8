"""Count kinds of characters in many texts at once, in any script."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

#: The kinds of characters that are told apart.
UPPER, LETTER, IDEOGRAPH, DIGIT, STOP, COMMA, COLON, QUOTE, MARK, CURRENCY, SPACE, OTHER = range(12)
KINDS = 12
CAPITALS, WORDS = KINDS, KINDS + 1
_WORDED = np.isin(np.arange(KINDS), (UPPER, LETTER, IDEOGRAPH, DIGIT))

_STOPS = frozenset(".!?。！？؟۔।॥…．｡።")
_COMMAS = frozenset(",;，、；،؛､")
_COLONS = frozenset(":：")
#: Signs that part the pieces of menus and bylines.
_MARKS = frozenset("|•·»›→<>/\\*+_=~#@©®™&«‹←↑↓✓✔★☆–—-[]{}")
#: Scripts written without spaces between words, by code point.
_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF),
             (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))  # fmt: skip
#: Characters looked at together: what they need stays in the processor's cache.
_AT_ONCE = 1 << 17


@lru_cache(4096)
def character_class(code: int) -> int:
    """Return the kind of a code point."""
    char = chr(code)
    for group, found in ((_STOPS, STOP), (_COMMAS, COMMA), (_COLONS, COLON), (_MARKS, MARK)):
        if char in group:
            return found
    category = unicodedata.category(char)
    if category[0] == "L" or category[0] == "M":
        if any(low <= code <= high for low, high in _UNSPACED):
            return IDEOGRAPH
        return UPPER if category in {"Lu", "Lt"} else LETTER
    if category[0] == "Z":
        return SPACE
    named = {"Nd": DIGIT, "Sc": CURRENCY, "Pi": QUOTE, "Pf": QUOTE}
    return QUOTE if char in "\"'" else named.get(category, OTHER)


def count_characters(
    texts: Sequence[str],
) -> tuple[NDArray[np.float32], NDArray[np.uint8], NDArray[np.intp]]:
    """Count the kinds of characters of each text.

    Returns a row per text and a column per kind, then two more that count the words begun by a
    capital and all words; the kind of every character of all texts, each followed by a space; and
    where each text begins in that.
    """
    sizes = np.fromiter(map(len, texts), np.intp, len(texts)) + 1
    ends = np.cumsum(sizes)
    cuts = np.flatnonzero(np.diff(ends // _AT_ONCE)) + 1
    some = [slice(*bounds) for bounds in pairwise((0, *cuts.tolist(), len(texts)))]
    tables, kinds = zip(*(_counted(texts[each], sizes[each]) for each in some), strict=True)
    return np.concatenate(tables), np.concatenate(kinds), ends - sizes


def _counted(
    texts: Sequence[str], sizes: NDArray[np.intp]
) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Return the table and the kinds of some texts; ``sizes`` are theirs with the spaces."""
    whole = " ".join(texts) + " "
    codes = np.frombuffer(whole.encode("utf-32-le", "replace"), np.uint32)
    present = np.flatnonzero(np.bincount(codes)).tolist()
    known = np.zeros(present[-1] + 1, np.uint8)
    known[present] = [character_class(code) for code in present]
    kinds = known[codes]
    owner = np.repeat(np.arange(len(texts), dtype=np.int32) * KINDS, sizes)
    table = np.bincount(owner + kinds, minlength=len(texts) * KINDS)
    table = table.reshape(len(texts), KINDS).astype(np.float32)
    table[:, SPACE] -= 1
    capital = np.zeros(len(codes), bool)
    capital[1:] = (kinds[1:] == UPPER) & (kinds[:-1] == SPACE)
    capital[0] = kinds[0] == UPPER
    worded = _WORDED[kinds]
    worded[1:] &= ~worded[:-1]
    starts = np.cumsum(sizes) - sizes
    begun = [np.add.reduceat(each, starts, dtype=np.float32) for each in (capital, worded)]
    return np.column_stack([table, *begun]), kinds
