"""Extraction: a score per text segment from each algorithm, and the choice among them."""

from __future__ import annotations

from dataclasses import replace

from ..errors import UsageError
from ..html.page import Page
from ..options import ExtractOptions
from ..selection import Verdict
from .classifier.model import judge, shipped
from .extract import METHODS, score_all
from .layout_filter import reconsider
from .postprocess import whole
from .references import with_notes

__all__ = ["EXTRACTORS", "decide", "settled"]

#: The names of the extractors: the learned one, then each paper's method.
EXTRACTORS = ("default", *METHODS)

#: A paper's method does not say how sure it is.
_UNTOLD = 0.5


def settled(page: Page, verdict: Verdict) -> Verdict:
    """Return the learned verdict with what belongs together made whole, and leftovers dropped."""
    keep = with_notes(page, whole(page, verdict.keep, verdict.kind))
    return replace(verdict, keep=reconsider(page, keep, verdict.scores["default"], verdict.kind))


def decide(page: Page, options: ExtractOptions) -> Verdict:
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
        verdict = judge(page, score_all(page), shipped())
        return settled(page, verdict) if verdict.keep else verdict
    scores = score_all(page, (name,))
    keep = tuple(score > 0 for score in scores[name])
    return Verdict(keep, scores, confidence=_UNTOLD if any(keep) else 0.0)
