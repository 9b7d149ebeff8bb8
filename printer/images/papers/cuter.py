"""Where the article's pictures stand (CUTER, Adam et al., section IV).

The borders of the article are its first and its last useful text node, the first being the latest
node before the starting paragraph that holds the title.  Pictures between them may be the
article's.  Nodes are text segments here,
useful ones those that extraction kept.
"""

from __future__ import annotations

from typing import NamedTuple

from ...html.metadata.titles import find_title_node
from ...html.page import Page
from ...selection import Verdict

#: How many characters before the borders, and after them, pictures of the article still stand.
_BEFORE, _AFTER = 400, 1200


class ArticleBounds(NamedTuple):
    """The first and last segment of the article, and its starting paragraph."""

    first: int
    start: int
    last: int

    def contains(self, before: int) -> bool:
        """Tell whether a picture before (or in) the segment ``before`` is inside the borders."""
        return self.first <= before <= self.last + 1


def article_bounds(page: Page, verdict: Verdict) -> ArticleBounds | None:
    """Return the borders of the article; nothing when no text was kept."""
    kept = [index for index, keep in enumerate(verdict.keep) if keep]
    if not kept:
        return None
    start, last = kept[0], kept[-1]
    title = find_title_node([each.text for each in page.segments[: start + 1]], page.metadata.title)
    return ArticleBounds(start if title is None else title, start, last)


def nearby_segments(page: Page, borders: ArticleBounds | None) -> range:
    """Return the places, as ``before`` of a candidate, where an article's picture may stand.

    A lead picture may stand shortly before the title, a last one shortly after the text.
    """
    if borders is None:
        return range(0)
    sizes = [len(each.text) for each in page.segments]
    low, room = borders.first, _BEFORE
    while low > 0 and room >= sizes[low - 1]:
        low -= 1
        room -= sizes[low]
    high, room = borders.last + 1, _AFTER
    while high < len(sizes) and room >= sizes[high]:
        room -= sizes[high]
        high += 1
    return range(low, high + 1)
