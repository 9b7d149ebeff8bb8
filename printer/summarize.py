"""Key paragraphs and keywords of an article (Khade, Rao and Potey, section III D).

The paper's four steps: find the worth terms of every paragraph; count each term's frequency in the
document and record the locations (here: paragraphs) it appears in; drop the terms rarer than a
criterion; sum the terms of each location, S_j, and call the locations over a criterion key
paragraphs, their terms keywords.

Departures from the paper:

- The paper leaves the criterion on S_j open.  Here it is the mean of all S_j.
- It says that the criterion on frequency may be changed if more keywords are needed.  Here it is
  lowered, down to 1, until a term meets it, since short texts repeat few terms.
- It mentions the client's query but not its use.  Here the query's terms are worth terms however
  rare they are, and count double.

The relevance of texts to a query is BM25 (Robertson and Zaragoza, 2009) over worth terms.

Worth terms are words without stop words, stemmed.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from .article import Article, Block, Note, Paragraph, Quote, Span, child_blocks, plain_text, walk
from .i18n import load_table
from .options import ExtractOptions
from .text import UNSPACED, UNSPACED_CHARACTER, count_words

_WORD = re.compile(f"[{UNSPACED}]+|[^\\W\\d_{UNSPACED}][^\\W_{UNSPACED}]*(?:['’][^\\W_]+)?")
#: An apostrophe ends a term: a possessive or a clitic after it is not part of the term.
_APOSTROPHE = re.compile("['’]")
#: The longest term in characters, because a stemmer's time grows with a word's length.
_MAX_TERM_CHARS = 60


class Tokenizer:
    """Turns texts of one language (BCP 47) into terms, by its stemmer and stop list if it has them.

    Scripts without spaces yield pairs of adjacent characters.
    """

    def __init__(self, language: str = "") -> None:
        code = language.split("-")[0].lower()
        name = load_table("stemmers").get(code)
        self._stemmer = None
        if name:
            import snowballstemmer  # slow to import, seldom needed

            self._stemmer = snowballstemmer.stemmer(name)
        self._stop_words = _stop_words(code)

    def terms(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield each term of a text with its spelling there, in order."""
        for word in self._words(text):
            folded = word.casefold()
            yield str(self._stemmer.stemWord(folded)) if self._stemmer else folded, word

    def _words(self, text: str) -> Iterator[str]:
        for match in _WORD.finditer(text):
            run = match[0]
            if UNSPACED_CHARACTER.match(run):
                words = [run[i : i + 2] for i in range(len(run) - 1)]
            elif run.casefold() in self._stop_words:
                continue
            else:
                words = [_APOSTROPHE.split(run, maxsplit=1)[0]]
            for word in words:
                if 1 < len(word) <= _MAX_TERM_CHARS and word.casefold() not in self._stop_words:
                    yield word


@lru_cache(maxsize=64)
def _stop_words(code: str) -> frozenset[str]:
    from stop_words import LANGUAGE_MAPPING, get_stop_words

    if code not in LANGUAGE_MAPPING:
        return frozenset()
    return frozenset(word.casefold() for word in get_stop_words(code))


#: The additional weight of the first paragraph, which declines with position.
_EARLY = 8
#: A paragraph with fewer terms does not count as denser.
_MIN_TERMS = 6


@dataclass(frozen=True, slots=True)
class DocumentProfile:
    """The key paragraphs of a document.

    ``sums`` has S_j, ``lengths`` the number of terms of any kind by paragraph; ``keywords`` are the
    worth terms in the key paragraphs, as written, most frequent first.
    """

    sums: tuple[int, ...]
    keywords: tuple[str, ...]
    lengths: tuple[int, ...]

    def best(self, count: int) -> tuple[int, ...]:
        """Return the ``count`` most informative paragraphs for their length, in reading order.

        S_j grows with a paragraph's length, so that the highest sums are those of the longest
        paragraphs.  Here paragraphs are ranked by the density of terms instead, and earlier ones
        count more, since articles state their subject early; `benchmarks.key_paragraphs` compares
        the two.
        """
        worth = {
            index: total / max(length, _MIN_TERMS) * (1 + _EARLY / (1 + index))
            for index, (total, length) in enumerate(zip(self.sums, self.lengths, strict=True))
            if total
        }
        return tuple(sorted(sorted(worth, key=lambda index: -worth[index])[:count]))


#: How often a term must appear to be a worth term, as in the paper's example.
_MIN_FREQUENCY = 3


def build_profile(
    paragraphs: Sequence[str], tokenizer: Tokenizer, query: str = ""
) -> DocumentProfile:
    frequency: Counter[str] = Counter()
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    locations: dict[str, set[int]] = defaultdict(set)
    lengths = [0] * len(paragraphs)
    for index, text in enumerate(paragraphs):
        for term, word in tokenizer.terms(text):
            lengths[index] += 1
            frequency[term] += 1
            spellings[term][word] += 1
            locations[term].add(index)
    queried = {term for term, _ in tokenizer.terms(query)}
    criterion = min(_MIN_FREQUENCY, max(frequency.values(), default=1))
    worth = [t for t, count in frequency.most_common() if count >= criterion or t in queried]
    sums = [0] * len(paragraphs)
    for term in worth:
        for index in locations[term]:
            sums[index] += 2 if term in queried else 1
    mean = sum(sums) / max(1, len(sums))
    keys = {index for index, total in enumerate(sums) if total > mean}
    keywords = (
        spellings[term].most_common(1)[0][0]
        for term in worth
        if not keys.isdisjoint(locations[term])
    )
    return DocumentProfile(tuple(sums), tuple(keywords), tuple(lengths))


MAX_KEYWORDS = 8
_MIN_PARAGRAPH_WORDS = 5


def summarize(article: Article, options: ExtractOptions) -> Article:
    """Return an article with as many key paragraphs as the options request.

    Key paragraphs are taken from the running text, not from lists, tables and notes.  An article
    with no more paragraphs than requested is returned unchanged.
    """
    count = options.key_paragraphs
    if count <= 0:
        return article
    paragraphs = _running_text(article.blocks)
    if len(paragraphs) <= count:
        return article
    texts = [plain_text(paragraph.spans) for paragraph in paragraphs]
    profile = build_profile(texts, Tokenizer(article.language), options.key_query or article.title)
    chosen = [paragraphs[index] for index in profile.best(count)] or paragraphs[:count]
    article = replace(article, keywords=profile.keywords[:MAX_KEYWORDS])
    if options.key_paragraphs_as == "box":
        return replace(article, key=tuple(map(_without_references, chosen)))
    called = {span.note for paragraph in chosen for span in paragraph.spans if span.note}
    notes = [b for b in walk(article.blocks) if isinstance(b, Note) and b.id in called]
    return replace(article, blocks=(*chosen, *notes))


def _running_text(blocks: tuple[Block, ...]) -> list[Paragraph]:
    """Return the paragraphs of the running text, including those of quotations."""
    paragraphs: list[Paragraph] = []
    for block in blocks:
        if (
            isinstance(block, Paragraph)
            and count_words(plain_text(block.spans)) >= _MIN_PARAGRAPH_WORDS
        ):
            paragraphs.append(block)
        elif isinstance(block, Quote):
            for within in child_blocks(block):
                paragraphs += _running_text(within)
    return paragraphs


def _without_references(paragraph: Paragraph) -> Paragraph:
    """Return a paragraph without notes, links and link targets, to be printed a second time."""
    spans: tuple[Span, ...] = tuple(
        replace(span, href="", id="", title="") for span in paragraph.spans if not span.note
    )
    return replace(paragraph, spans=spans, id="")


_K1 = 1.2
_B = 0.75
_TITLE_WEIGHT = 4
#: The rest of a text is not read.
_MAX_CHARS = 200_000


def bm25_scores(articles: Sequence[Article], query: str) -> list[float]:
    """Return the relevance of each article to a query; 0 for one with none of its terms.

    The rarer a term is among the articles, the more it counts.
    """
    tokenizers = {article.language: Tokenizer(article.language) for article in articles}
    counts = []
    for article in articles:
        tokenizer = tokenizers[article.language]
        count = Counter(term for term, _ in tokenizer.terms(article.text[:_MAX_CHARS]))
        for term, _ in tokenizer.terms(article.title):
            count[term] += _TITLE_WEIGHT
        counts.append(count)
    lengths = [count.total() for count in counts]
    average = sum(lengths) / max(1, len(lengths)) or 1.0
    scores = []
    for article, count, length in zip(articles, counts, lengths, strict=True):
        queried = {term for term, _ in tokenizers[article.language].terms(query)}
        score = 0.0
        for term in queried & count.keys():
            containing = sum(term in other for other in counts)
            rarity = math.log(1 + (len(counts) - containing + 0.5) / (containing + 0.5))
            damping = _K1 * (1 - _B + _B * length / average)
            score += rarity * count[term] * (_K1 + 1) / (count[term] + damping)
        scores.append(score)
    return scores
