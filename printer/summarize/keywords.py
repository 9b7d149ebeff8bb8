"""Key paragraphs and keywords of an article (Khade, Rao & Potey, section III D).

The paper's four steps: find the worth terms of every paragraph; count each term's frequency in the
whole and mark the locations (here: paragraphs) it appears in; drop the terms rarer than a
criterion; sum the terms of each location, S_j, and call the locations over a criterion key
paragraphs, their terms keywords.

Where this departs from the paper, and why:

- The paper leaves the criterion on S_j open.  Here it is the mean of all S_j.
- It says that the criterion on frequency may be changed when more keywords are needed.  Here it
  falls, down to 1, until a term reaches it: a short text says nothing three times.
- It names the client's query but not what is done with it.  Here the query's terms are worth terms
  however rare they are, and count double.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .tokenizer import Tokenizer

#: How much earlier paragraphs count, and the number of terms below which none counts as denser.
_EARLY, _SHORTEST = 8, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordOptions:
    """The paper's criteria.

    ``frequency`` is how often a term appears at least (the paper's example drops those that appear
    less than three times), ``threshold`` what S_j must exceed, None for the mean of all S_j.
    """

    frequency: int = 3
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """A worth term: as it is written most often, how often it appears, and in which paragraphs."""

    word: str
    frequency: int
    locations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DocumentProfile:
    """What a document is about.

    ``terms`` are its worth terms, the most frequent first, ``sums`` is S_j by paragraph, ``keys``
    the indexes of the key paragraphs, ``keywords`` the worth terms that they hold, as written,
    ``lengths`` the number of terms of any kind by paragraph.
    """

    terms: tuple[Term, ...]
    sums: tuple[int, ...]
    keys: tuple[int, ...]
    keywords: tuple[str, ...]
    lengths: tuple[int, ...]

    def best(self, count: int) -> tuple[int, ...]:
        """Return the ``count`` paragraphs that say most for their length, in reading order.

        S_j grows with a paragraph's length, so that of the highest sums is a choice of the longest
        paragraphs.  This is the density of terms instead, and earlier paragraphs count more, since
        authors say early what an article is about; `benchmarks.key_paragraphs` compares the two.
        """
        scored = enumerate(zip(self.sums, self.lengths, strict=True))
        worth = {
            place: total / max(length, _SHORTEST) * (1 + _EARLY / (1 + place))
            for place, (total, length) in scored
            if total
        }
        return tuple(sorted(sorted(worth, key=lambda place: -worth[place])[:count]))


def build_profile(
    paragraphs: Sequence[str],
    vocabulary: Tokenizer,
    query: str = "",
    options: KeywordOptions | None = None,
) -> DocumentProfile:
    """Return the profile of a document given by its paragraphs."""
    options = options or KeywordOptions()
    frequency: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    locations: dict[str, list[int]] = {}
    lengths = [0] * len(paragraphs)
    for place, text in enumerate(paragraphs):
        for term, word in vocabulary.terms(text):
            lengths[place] += 1
            frequency[term] += 1
            written.setdefault(term, Counter())[word] += 1
            where = locations.setdefault(term, [])
            if not where or where[-1] != place:
                where.append(place)
    asked = {term for term, _ in vocabulary.terms(query)}
    criterion = min(options.frequency, max(frequency.values(), default=1))
    worth = [t for t, count in frequency.most_common() if count >= criterion or t in asked]
    sums = [0] * len(paragraphs)
    for term in worth:
        for place in locations[term]:
            sums[place] += 2 if term in asked else 1
    threshold = options.threshold
    if threshold is None:
        threshold = sum(sums) / max(1, len(sums))
    keys = tuple(place for place, total in enumerate(sums) if total > threshold)
    within = set(keys)
    words = {term: written[term].most_common(1)[0][0] for term in worth}
    return DocumentProfile(
        tuple(Term(words[t], frequency[t], tuple(locations[t])) for t in worth),
        tuple(sums),
        keys,
        tuple(words[term] for term in worth if not within.isdisjoint(locations[term])),
        tuple(lengths),
    )
