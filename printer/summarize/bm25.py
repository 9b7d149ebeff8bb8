"""How much texts say of a query: BM25 (Robertson & Zaragoza, 2009) over worth terms."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .tokenizer import Tokenizer

#: The usual constants: how soon more of a term says no more, and how much length is held against.
_SATURATION, _LENGTH = 1.2, 0.75

#: A term of the title counts as so many of the text.
_TITLE = 4

#: So many words of a text are read.
_MOST = 200_000


@dataclass(frozen=True, slots=True)
class BM25Document:
    """A text to be weighed."""

    title: str
    text: str
    language: str = ""


def bm25_scores(candidates: Sequence[BM25Document], query: str) -> list[float]:
    """Return how much each text says of a query; 0 for one that has none of its terms.

    A term is the rarer among the candidates the more it tells.
    """
    vocabularies = {each.language: Tokenizer(each.language) for each in candidates}
    counts = []
    for each in candidates:
        vocabulary = vocabularies[each.language]
        count = Counter(term for term, _ in vocabulary.terms(each.text[:_MOST]))
        for term, _ in vocabulary.terms(each.title):
            count[term] += _TITLE
        counts.append(count)
    lengths = [count.total() for count in counts]
    average = sum(lengths) / max(1, len(lengths)) or 1.0
    scores = []
    for each, count, length in zip(candidates, counts, lengths, strict=True):
        asked = {term for term, _ in vocabularies[each.language].terms(query)}
        score = 0.0
        for term in asked & count.keys():
            having = sum(term in other for other in counts)
            rarity = math.log(1 + (len(counts) - having + 0.5) / (having + 0.5))
            often = count[term]
            damp = _SATURATION * (1 - _LENGTH + _LENGTH * length / average)
            score += rarity * often * (_SATURATION + 1) / (often + damp)
        scores.append(score)
    return scores
