"""How promising an address is, and how much an article is about what is looked for.

The agent of Khade et al. (section III D) compares terms, stemmed and without stop words, with
those of a query.  Here the same terms order the frontier before a page is fetched: by the words of
a link and of its address, and by what the page that links to it is about, since pages link to
their like.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from ..summarize import Tokenizer

#: How fast a term's frequency says less, and the length of a text in which it counts plainly.
_SATURATION, _TYPICAL_LENGTH = 1.5, 400.0
#: The share of the title in an article's relevance.
_TITLE_WEIGHT = 0.3

#: What a link's words, the page it is on, and the look of the address count in best-first order.
_TEXT_WEIGHT, _PAGE_WEIGHT, _LOOK_WEIGHT, _DEPTH_PENALTY = 0.6, 0.3, 0.1, 0.02

_SPLIT = re.compile(r"[^\w]+|_+|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_DATE = re.compile(r"/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])(?:[/-]|$)")
_EXTENSION = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$", re.IGNORECASE)
_MAX_TEXT = 200_000

#: First parts of addresses that lead to forms and lists of names everywhere on the web.
_SERVICE_SECTIONS = frozenset({
    "login", "signin", "signup", "register", "account", "cart", "checkout", "search", "privacy",
    "terms", "contact", "about", "impressum", "share", "print", "user", "users", "profile", "tag",
    "tags", "wp-admin", "wp-login.php", "cgi-bin", "calendar", "feed",
})  # fmt: skip


@lru_cache(maxsize=64)
def _vocabulary(language: str) -> Tokenizer:
    return Tokenizer(language)


def _terms(text: str, language: str) -> list[str]:
    return [term for term, _ in _vocabulary(language).terms(text)]


def url_words(url: str) -> str:
    """Return the words of an address, apart by blanks."""
    parts = urlsplit(url)
    return " ".join(filter(None, _SPLIT.split(unquote(f"{parts.path} {parts.query}"))))


class Query:
    """What is looked for: words, in the language of whatever they are compared with."""

    def __init__(self, words: str) -> None:
        self.words = words
        self._by_language: dict[str, frozenset[str]] = {}

    def __bool__(self) -> bool:
        return bool(self.words.strip())

    def terms(self, language: str) -> frozenset[str]:
        """Return the query's terms as a text of a language would have them."""
        language = language.split("-")[0].lower()
        if language not in self._by_language:
            # Of a query of stop words alone its words are what is looked for.
            known = _terms(self.words, language) or _terms(self.words, "")
            self._by_language[language] = frozenset(known)
        return self._by_language[language]

    def text_relevance(self, title: str, text: str, language: str) -> float:
        """Return how much a text is about it, from 0 to 1.

        Each of the query's terms counts the more the more often it is there, ever less, in
        proportion to the text's length (as BM25 has it); the title counts for a part by itself.
        """
        language = language.split("-")[0].lower()
        wanted = self.terms(language)
        if not wanted:
            return 0.0
        counted = Counter(_terms(text[:_MAX_TEXT], language))
        slow = _SATURATION * (0.25 + 0.75 * counted.total() / _TYPICAL_LENGTH)
        said = sum(counted[term] / (counted[term] + slow) for term in wanted) / len(wanted)
        named = len(wanted.intersection(_terms(title[:500], language))) / len(wanted)
        return (1 - _TITLE_WEIGHT) * said + _TITLE_WEIGHT * named

    def word_share(self, words: str, language: str) -> float:
        """Return the share of its terms that a few words hold."""
        language = language.split("-")[0].lower()
        wanted = self.terms(language)
        found = wanted.intersection(_terms(words[:500], language))
        return len(found) / len(wanted) if wanted else 0.0


def article_likeness(url: str, link_text: str) -> float:
    """Return how much a link looks like one to an article, from 0 to 1, in any language."""
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
    """Return the score of a link for the frontier, the most promising highest.

    With a query that is best-first, ``page`` being the relevance of the page that links; without
    one, breadth-first, what looks like an article first.
    """
    look = article_likeness(url, link_text)
    if not query:
        return look - depth
    words = query.word_share(f"{link_text[:300]} {url_words(url)}", language)
    return (
        _TEXT_WEIGHT * words
        + _PAGE_WEIGHT * page_relevance
        + _LOOK_WEIGHT * look
        - _DEPTH_PENALTY * depth
    )
