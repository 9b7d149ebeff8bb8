"""CUTER: Adam, Bouras and Poulopoulos, "Image extraction from online text streams".

Section IV selects the pictures that are large enough and lie between the bounds of the article: its
first and last useful text nodes.  The first is the last node with the title before the starting
paragraph.  Here, nodes are text segments, and useful ones are those kept by extraction.  If no
attribute states a size, the size comes from the file (:mod:`printer.images.size_probe`).

The paper does not say how close the "close ancestor" searched for a caption is
(:data:`MAX_LEVELS`), nor which of ``title`` and ``alt`` comes first: the longer one is used.
"""

from __future__ import annotations

from typing import NamedTuple

from ...article import Span
from ...html.metadata.titles import find_title_node
from ...html.page import Page
from ...selection import Verdict
from ..candidates import Candidate, find_candidates
from ..captions import Caption, is_credit_line
from ..selection import CUTER_LIMITS, PictureSelection, RejectedPicture, SelectedPicture


class ArticleBounds(NamedTuple):
    """The first and last segment of the article, and its starting paragraph."""

    first: int
    start: int
    last: int

    def contains(self, segment: int) -> bool:
        """Return whether a picture in or before a segment is inside the bounds."""
        return self.first <= segment <= self.last + 1


def select_pictures(page: Page, verdict: Verdict) -> PictureSelection:
    """Select the pictures inside the bounds that are not declared too small."""
    bounds = article_bounds(page, verdict)
    selected: list[SelectedPicture] = []
    rejected: list[RejectedPicture] = []
    for candidate in find_candidates(page):
        reason = ""
        if bounds is None or not bounds.contains(candidate.segment):
            reason = "outside the borders of the article"
        elif candidate.width and candidate.height:
            reason = CUTER_LIMITS.reject_reason(candidate.width, candidate.height)
        if reason:
            rejected.append(RejectedPicture(candidate, reason))
        else:
            selected.append(SelectedPicture(candidate, find_caption(page, verdict, candidate)))
    return PictureSelection(tuple(selected), tuple(rejected))


def article_bounds(page: Page, verdict: Verdict) -> ArticleBounds | None:
    """Return the bounds of the article, None if no text was kept."""
    indexes = [index for index, keep in enumerate(verdict.keep) if keep]
    if not indexes:
        return None
    start, last = indexes[0], indexes[-1]
    texts = [segment.text for segment in page.segments[: start + 1]]
    title = find_title_node(texts, page.metadata.title)
    return ArticleBounds(start if title is None else title, start, last)


# Pictures farther outside the bounds are not considered.
_MAX_CHARS_BEFORE = 400
_MAX_CHARS_AFTER = 1200


#: A shorter line with a credit may be another story's.
_MIN_CAPTION_CHARS = 80


def _is_caption(text: str) -> bool:
    """Return whether a text is a caption with a credit."""
    return _MIN_CAPTION_CHARS < len(text) <= _MAX_CHARS_AFTER and is_credit_line(text)


def nearby_segments(page: Page, bounds: ArticleBounds | None) -> range:
    """Return the segments of pictures; unlike in the paper, also just above and after the text.

    Captions of other pictures, as in a gallery, do not count as distance.
    """
    if bounds is None:
        return range(0)
    sizes = [0 if _is_caption(segment.text) else len(segment.text) for segment in page.segments]
    first, remaining_chars = bounds.first, _MAX_CHARS_BEFORE
    while first > 0 and remaining_chars >= sizes[first - 1]:
        first -= 1
        remaining_chars -= sizes[first]
    last, remaining_chars = bounds.last + 1, _MAX_CHARS_AFTER
    while last < len(sizes) and remaining_chars >= sizes[last]:
        remaining_chars -= sizes[last]
        last += 1
    return range(first, last + 1)


#: A caption has more characters than the first number and at most the second.
CAPTION_CHARS = (30, 200)
MAX_LEVELS = 6
_MAX_SEGMENTS = 200


def find_caption(page: Page, verdict: Verdict, candidate: Candidate) -> Caption:
    """Return the caption found by the paper's rule.

    Climb from the picture to the ancestor that contains, after the picture, one text of more than
    30 characters, none of more than 200, and no other useful text.
    """
    tree = page.index
    shortest, longest = CAPTION_CHARS
    index, level = candidate.index, 0
    while index >= 0 and level < MAX_LEVELS:
        segment_range = tree.segment_range(index)
        if len(segment_range) > _MAX_SEGMENTS:
            break
        texts = {i: page.segments[i].text for i in segment_range if i >= candidate.segment}
        long_texts = [i for i, text in texts.items() if len(text) > shortest]
        other_texts = [i for i in segment_range if verdict.keep[i] and i not in long_texts[:1]]
        if len(long_texts) > 1 or other_texts or any(len(texts[i]) > longest for i in long_texts):
            break
        if long_texts:
            return Caption((Span(texts[long_texts[0]]),), "", frozenset(long_texts))
        index, level = tree.parents[index], level + 1
    text = max(candidate.title, candidate.alt, key=len)
    return Caption((Span(text),) if text else ())
