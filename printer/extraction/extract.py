"""The papers' methods by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypeAlias

from ..html.page import Page
from .papers import article_subtree, max_subsequence, summary_node, text_to_tag, useful_text
from .positions import Positions, positions

Scores: TypeAlias = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Method:
    """A method and its options; called, it gives a number per segment, kept where above 0."""

    score: Callable[[Page, Any, Positions | None], Scores]
    options: Any

    def __call__(self, page: Page, tree: Positions | None = None) -> Scores:
        """Score a page's segments."""
        return self.score(page, self.options, tree)

    def with_options(self, **options: object) -> Method:
        """Return the method with some of its options changed."""
        return replace(self, options=replace(self.options, **options))


#: Every method, with its paper's constants.
PAPER_METHODS: Mapping[str, Method] = MappingProxyType({
    "article-subtree": Method(article_subtree.score, article_subtree.ArticleSubtreeOptions()),
    "summary-node": Method(summary_node.score, summary_node.SummaryNodeOptions()),
    "text-to-tag": Method(text_to_tag.score, text_to_tag.TextToTagOptions()),
    "max-subsequence": Method(max_subsequence.score, max_subsequence.MaxSubsequenceOptions()),
    "useful-text": Method(useful_text.score, useful_text.UsefulTextOptions()),
})  # fmt: skip


def score_segments(page: Page, names: Iterable[str] = PAPER_METHODS) -> dict[str, Scores]:
    """Score a page's segments by the methods named, giving its tree positions once."""
    tree = positions(page)
    return {name: PAPER_METHODS[name](page, tree) for name in names}
