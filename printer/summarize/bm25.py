"""The relevance of texts to a query: BM25 (Robertson and Zaragoza, 2009) over worth terms."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .tokenizer import Tokenizer

#: The usual constants k1 and b: saturation of term frequency, normalization by length.
_K1, _B = 1.2, 0.75
#: The weight of a term in the title relative to one in the text.
_TITLE_WEIGHT = 4
#: The most characters of a text to read.
_MAX_CHARS = 200_000


@dataclass(frozen=True, slots=True)
class BM25Document:
    """A text to be scored."""

    title: str
    text: str
    language: str = ""


def bm25_scores(documents: Sequence[BM25Document], query: str) -> list[float]:
    """Return the relevance of each text to a query; 0 for a text with none of its terms.

    The rarer a term is among the documents, the more it counts.
    """
    tokenizers = {document.language: Tokenizer(document.language) for document in documents}
    counts = []
    for document in documents:
        tokenizer = tokenizers[document.language]
        count = Counter(term for term, _ in tokenizer.terms(document.text[:_MAX_CHARS]))
        for term, _ in tokenizer.terms(document.title):
            count[term] += _TITLE_WEIGHT
        counts.append(count)
    lengths = [count.total() for count in counts]
    average = sum(lengths) / max(1, len(lengths)) or 1.0
    scores = []
    for document, count, length in zip(documents, counts, lengths, strict=True):
        queried = {term for term, _ in tokenizers[document.language].terms(query)}
        score = 0.0
        for term in queried & count.keys():
            containing = sum(term in other for other in counts)
            rarity = math.log(1 + (len(counts) - containing + 0.5) / (containing + 0.5))
            damping = _K1 * (1 - _B + _B * length / average)
            score += rarity * count[term] * (_K1 + 1) / (count[term] + damping)
        scores.append(score)
    return scores
