"""Extraction: a score per text segment from each algorithm, and the choice among them."""

from __future__ import annotations

from ..dom.page import Page
from ..model import Verdict
from ..options import ExtractOptions

__all__ = ["decide"]


def decide(page: Page, options: ExtractOptions) -> Verdict:
    """Decide which text segments are the article's."""
    del options
    keep = tuple(
        len(segment.text) > 80 and segment.link_chars < 0.5 * len(segment.text)
        for segment in page.segments
    )
    return Verdict(keep)
