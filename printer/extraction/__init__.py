"""Extraction: a score per text segment from each algorithm, and the choice among them."""

from __future__ import annotations

from dataclasses import replace

from ..errors import UsageError
from ..html.page import Page
from ..options import ExtractOptions
from ..selection import Verdict
from .classifier.model import classify, load_default_model
from .extract import PAPER_METHODS, score_segments
from .layout_filter import filter_by_layout
from .postprocess import complete_elements
from .references import add_linked_notes

__all__ = ["EXTRACTORS", "postprocess", "select_segments"]

#: The names of the extractors: the learned one, then each paper's method.
EXTRACTORS = ("default", *PAPER_METHODS)

#: A paper's method does not say how sure it is.
_UNKNOWN_CONFIDENCE = 0.5


def postprocess(page: Page, verdict: Verdict) -> Verdict:
    """Return the learned verdict with what belongs together made whole, and leftovers dropped."""
    keep = add_linked_notes(page, complete_elements(page, verdict.keep, verdict.kind))
    return replace(
        verdict, keep=filter_by_layout(page, keep, verdict.scores["default"], verdict.kind)
    )


def select_segments(page: Page, options: ExtractOptions) -> Verdict:
    """Decide which text segments are the article's.

    Raises :class:`UsageError` when no extractor has the name that ``options`` give.
    """
    name = options.extractor
    if name not in EXTRACTORS:
        from difflib import get_close_matches

        near = get_close_matches(name, EXTRACTORS, 1, 0.0)[0]
        known = ", ".join(EXTRACTORS)
        raise UsageError(
            f"no extractor is called {name!r}", hint=f"Did you mean {near!r}? There are {known}"
        )
    if name == "default":
        verdict = classify(page, score_segments(page), load_default_model())
        return postprocess(page, verdict) if verdict.keep else verdict
    scores = score_segments(page, (name,))
    keep = tuple(score > 0 for score in scores[name])
    return Verdict(keep, scores, confidence=_UNKNOWN_CONFIDENCE if any(keep) else 0.0)
