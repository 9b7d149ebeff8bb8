"""What a page states of itself that tells what kind of page it is and what its text says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from lxml.html import HtmlElement
from numpy.typing import NDArray

from ..html.page import Page
from .classifier.tokens import leading_words

Column = NDArray[np.float32]

_TYPE = re.compile(r'"@type"\s{0,9}:\s{0,9}\[?\s{0,9}"([A-Za-z]{1,40})"')
_BODY = re.compile(r'"(?:articleBody|text)"\s{0,9}:\s{0,9}"((?:[^"\\]++|\\.)*+)"')
#: Schema types, by what they say of a page.
_TYPES = {
    "article": "Article NewsArticle BlogPosting Report ReportageNewsArticle OpinionNewsArticle "
    "ScholarlyArticle LiveBlogPosting AnalysisNewsArticle",
    "reference": "TechArticle APIReference HowTo SoftwareSourceCode",
    "discussion": "DiscussionForumPosting QAPage Question Answer Comment",
    "product": "Product Offer AggregateOffer ProductGroup",
    "list": "CollectionPage ItemList SearchResultsPage Blog",
    "service": "Service LocalBusiness ProfessionalService Organization AboutPage ContactPage "
    "FAQPage",
    "recipe": "Recipe",
    "video": "VideoObject",
}
_STATED = ("website", "article", "product")
_MOST_WORK = 200_000_000
#: Of a stated body so much is read.
_LONGEST_BODY = 1_000_000


@dataclass(frozen=True, slots=True)
class PageStatements:
    """The kinds a page claims to be (counts by name), and the words of its summary and title."""

    kinds: Mapping[str, float]
    titles: tuple[frozenset[str], ...]
    body: str

    def agreement(self, texts: Sequence[str], words: Sequence[Sequence[str]]) -> Column:
        """Return per text how much of it is in the title and the summary, and whether in the body.

        ``words`` are the first of each text.  The columns: overlap with each title, then 1 or 0
        for the stated body (-1: none stated).
        """
        rows = np.zeros((len(texts), 4), np.float32)
        every = frozenset().union(*self.titles)
        # Looking every text up costs their number times the body's length.
        stated = self.body if len(texts) * len(self.body) < _MOST_WORK else ""
        rows[:, 3] = [text[:60] in stated for text in texts] if stated else -1
        for number, first in enumerate(words):
            if not every.isdisjoint(first):
                said = set(first)
                rows[number, :3] = [len(said & each) / len(said | each) for each in self.titles]
        return rows


def read_statements(page: Page) -> PageStatements:
    """Read a page's statements."""
    data = " ".join(_linked_data(page.tree))
    types = _TYPE.findall(data)
    kinds = dict.fromkeys(_TYPES, 0.0)
    for name, listed in _TYPES.items():
        known = listed.split()
        kinds[name] = float(sum(found in known for found in types))
    stated = next((m.get("content") or "" for m in page.tree.iter("meta")
                   if m.get("property") == "og:type"), "")  # fmt: skip
    for name in _STATED:
        kinds[f"og {name}"] = float(stated.lower().startswith(name))
    meta = page.metadata
    heading = next((" ".join("".join(h.itertext()).split()) for h in page.tree.iter("h1")), "")
    titles = tuple(map(frozenset, leading_words((meta.title, meta.lead, heading))))
    bodies = [_unescape(body[:_LONGEST_BODY]) for body in _BODY.findall(data) if len(body) > 200]
    return PageStatements(kinds, titles, " ".join(" ".join(bodies)[:_LONGEST_BODY].split()))


def _linked_data(tree: HtmlElement) -> list[str]:
    return [s.text or "" for s in tree.iter("script") if s.get("type") == "application/ld+json"]


def _unescape(text: str) -> str:
    import html
    import json

    try:
        plain = json.loads(f'"{text}"', strict=False)
    except ValueError:
        plain = text
    return html.unescape(plain)
