"""Score text segments by each algorithm, and select those of the article."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypeAlias

from ..errors import UsageError
from ..html.page import Page
from ..options import ExtractOptions
from ..selection import Verdict
from .classifier.model import classify, load_default_model
from .layout_filter import filter_by_layout
from .missing_blocks import add_linked_notes, add_long_stretches, add_missing_blocks
from .papers import article_subtree, max_subsequence, summary_node, text_to_tag, useful_text
from .postprocess import complete_elements
from .standfirst import find_standfirst

Scores: TypeAlias = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Method:
    """A paper's method with its options: a number per segment, selected above 0."""

    score: Callable[[Page, Any], Scores]
    options: Any

    def __call__(self, page: Page) -> Scores:
        """Score a page's segments."""
        return self.score(page, self.options)


#: Every method, with its paper's constants.
PAPER_METHODS: Mapping[str, Method] = MappingProxyType({
    "article-subtree": Method(article_subtree.score, article_subtree.ArticleSubtreeOptions()),
    "summary-node": Method(summary_node.score, summary_node.SummaryNodeOptions()),
    "text-to-tag": Method(text_to_tag.score, text_to_tag.TextToTagOptions()),
    "max-subsequence": Method(max_subsequence.score, max_subsequence.MaxSubsequenceOptions()),
    "useful-text": Method(useful_text.score, useful_text.UsefulTextOptions()),
})  # fmt: skip

#: The names of the extractors: the trained classifier, then the papers' methods.
EXTRACTORS = ("default", *PAPER_METHODS)

#: The confidence of the papers' methods, which do not compute one.
_UNKNOWN_CONFIDENCE = 0.5


def score_segments(page: Page, names: Iterable[str] = PAPER_METHODS) -> dict[str, Scores]:
    """Score a page's segments by some of the papers' methods."""
    return {name: PAPER_METHODS[name](page) for name in names}


def postprocess(page: Page, verdict: Verdict) -> Verdict:
    """Return the verdict with partial elements completed, leftovers and hidden text dropped."""
    keep = add_missing_blocks(page, verdict.keep, verdict.scores["default"])
    if verdict.kind in ("article", "documentation"):
        keep = add_long_stretches(page, keep, verdict.scores["default"])
    keep = add_linked_notes(page, complete_elements(page, keep, verdict.kind))
    keep = filter_by_layout(page, keep, verdict.scores["default"], verdict.kind)
    standfirst = frozenset[int]()
    if verdict.kind == "article":
        standfirst = find_standfirst(page, keep, verdict.scores["default"])
    keep = tuple(flag or at in standfirst for at, flag in enumerate(keep))
    return replace(verdict, keep=keep, standfirst=standfirst)


def check_extractor(name: str) -> None:
    """Raise :class:`UsageError` if no extractor has this name."""
    if name not in EXTRACTORS:
        from difflib import get_close_matches

        near = get_close_matches(name, EXTRACTORS, 1, 0.0)[0]
        known = ", ".join(EXTRACTORS)
        raise UsageError(
            f"no extractor is called {name!r}", hint=f"Did you mean {near!r}? There are {known}"
        )


def select_segments(page: Page, options: ExtractOptions) -> Verdict:
    """Select the text segments of a page's article.

    Args:
        page: The parsed page.
        options: ``extractor`` names the algorithm, one of :data:`EXTRACTORS`.

    Returns:
        A flag per segment, and the scores of each algorithm that ran.

    Raises:
        UsageError: No extractor has that name.
    """
    name = options.extractor
    check_extractor(name)
    if name == "default":
        verdict = classify(page, score_segments(page), load_default_model())
        return postprocess(page, verdict) if verdict.keep else verdict
    scores = score_segments(page, (name,))
    keep = tuple(score > 0 for score in scores[name])
    return Verdict(keep, scores, confidence=_UNKNOWN_CONFIDENCE if any(keep) else 0.0)
