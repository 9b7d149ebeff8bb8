"""Extraction: a score per text segment from each algorithm, and the choice among them."""

from __future__ import annotations

from ..dom.page import Page
from ..dom.segments import Within
from ..model import Verdict
from ..options import ExtractOptions

__all__ = ["decide"]

_OUTSIDE = int(
    Within.NAV | Within.ASIDE | Within.FOOTER | Within.FORM | Within.CAPTION | Within.BUTTON
)


def decide(page: Page, options: ExtractOptions) -> Verdict:
    """Decide which text segments are the article's."""
    del options
    states, blocks = page.outline.states, page.outline.blocks
    values = [
        -max(10, len(s.text)) if states[b] & _OUTSIDE or s.link_chars > len(s.text) / 2
        else len(s.text) - 25
        for s, b in zip(page.segments, blocks, strict=True)
    ]  # fmt: skip
    best = total = 0
    start = first = last = 0
    for index, value in enumerate(values):
        if total <= 0:
            total, start = 0, index
        total += value
        if total > best:
            best, first, last = total, start, index + 1
    keep = tuple(
        first <= i < last and not states[b] & _OUTSIDE and s.link_chars <= len(s.text) / 2
        for i, (s, b) in enumerate(zip(page.segments, blocks, strict=True))
    )
    return Verdict(keep)
