"""Relevance of texts to the query, and the priority of links.

The agent of Khade et al. (section III D) compares the stemmed terms of a page with those of a
query.  Here the same terms also order the frontier before a page is fetched: by the text of a link
and of its URL, and by the relevance of the page that has the link, as pages link to similar ones.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from ..summarize import Tokenizer

#: The saturation of term frequency, and the text length without normalization (as in BM25).
_SATURATION, _TYPICAL_LENGTH = 1.5, 400.0
#: The weight of the title in the relevance of an article.
_TITLE_WEIGHT = 0.3
#: The weights of the link's text, the page's relevance and the look of the URL in best-first order.
_TEXT_WEIGHT, _PAGE_WEIGHT, _LOOK_WEIGHT, _DEPTH_PENALTY = 0.6, 0.3, 0.1, 0.02

_MAX_TEXT = 200_000

_SPLIT = re.compile(r"[^\w]+|_+|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_DATE = re.compile(r"/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])(?:[/-]|$)")
_EXTENSION = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$", re.IGNORECASE)

#: First path segments that lead to forms and indexes.
_SERVICE_SECTIONS = frozenset({
    "login", "signin", "signup", "register", "account", "cart", "checkout", "search", "privacy",
    "terms", "contact", "about", "impressum", "share", "print", "user", "users", "profile", "tag",
    "tags", "wp-admin", "wp-login.php", "cgi-bin", "calendar", "feed",
})  # fmt: skip

_tokenizer = lru_cache(maxsize=64)(Tokenizer)


def _terms(text: str, language: str) -> list[str]:
    return [term for term, _ in _tokenizer(language.split("-")[0].lower()).terms(text)]


def url_words(url: str) -> str:
    """Return the words of a URL's path and query, separated by spaces."""
    parts = urlsplit(url)
    return " ".join(filter(None, _SPLIT.split(unquote(f"{parts.path} {parts.query}"))))


class Query:
    """The words to look for, in the language of the text that they are compared with."""

    def __init__(self, words: str) -> None:
        self.words = words
        self._terms: dict[str, frozenset[str]] = {}

    def __bool__(self) -> bool:
        return bool(self.words.strip())

    def terms(self, language: str) -> frozenset[str]:
        """Return the query's terms, stemmed for a language (a BCP 47 tag)."""
        if language not in self._terms:
            # A query that has only stop words looks for them.
            terms = _terms(self.words, language) or _terms(self.words, "")
            self._terms[language] = frozenset(terms)
        return self._terms[language]

    def text_relevance(self, title: str, text: str, language: str) -> float:
        """Return the relevance of a text, from 0 to 1.

        Each term of the query counts by its frequency, with saturation and length normalization as
        in BM25; terms in the title are weighted separately.
        """
        terms = self.terms(language)
        if not terms:
            return 0.0
        counts = Counter(_terms(text[:_MAX_TEXT], language))
        damping = _SATURATION * (0.25 + 0.75 * counts.total() / _TYPICAL_LENGTH)
        in_text = sum(counts[term] / (counts[term] + damping) for term in terms) / len(terms)
        in_title = self.word_share(title, language)
        return (1 - _TITLE_WEIGHT) * in_text + _TITLE_WEIGHT * in_title

    def word_share(self, words: str, language: str) -> float:
        """Return the share of the query's terms that occur in ``words``."""
        terms = self.terms(language)
        return len(terms.intersection(_terms(words[:500], language))) / len(terms) if terms else 0.0


def article_likeness(url: str, link_text: str) -> float:
    """Return how likely a link leads to an article, from 0 to 1, in any language."""
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    last = _EXTENSION.sub("", segments[-1]) if segments else ""
    words = [word for word in re.split(r"[-_+]|%20", last) if word]
    score = 0.3 if len(words) >= 4 else 0.15 if len(words) >= 2 else 0.0
    score += 0.2 if _DATE.search(parts.path) else 0.0
    score += 0.1 if re.search(r"\d{4,}", last) else 0.0
    score += min(0.4, 0.06 * len(link_text[:300].split())) if not link_text[:20].isspace() else 0.0
    if segments and segments[0].lower() in _SERVICE_SECTIONS:
        score -= 0.4
    if len(parts.query.split("&")) > 1:
        score -= 0.2
    return max(0.0, min(1.0, score))


def score_link(
    query: Query, url: str, link_text: str, language: str, page_relevance: float, depth: int
) -> float:  # fmt: skip
    """Return the priority of a link in the frontier.

    With a query the order is best first; without one it is breadth first, with likely articles
    first at each depth.
    """
    look = article_likeness(url, link_text)
    if not query:
        return look - depth
    share = query.word_share(f"{link_text[:300]} {url_words(url)}", language)
    relevance = _TEXT_WEIGHT * share + _PAGE_WEIGHT * page_relevance
    return relevance + _LOOK_WEIGHT * look - _DEPTH_PENALTY * depth
