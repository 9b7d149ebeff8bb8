"""Article subtree (Joshi and Liu, DocEng 2009, section 4.2): the parent of enough paragraphs.

Paragraphs are written in three ways: ``<div>text``, ``<p>text``, and text broken by ``<br>``.  The
parent of paragraphs of one level is an article subtree.  Those whose paragraphs together contain
500 characters or more are candidates, and the first in document order is the article.  Blocks
inside it that are lists of links are removed.

Departures from the paper:

- Its block tags are div, p, br, li, ul, ol, td, tr, table, h1 to h6 and hr, all others style tags.
  Other elements that browsers display as blocks (article, section, blockquote ...) count as div,
  the parts of a table as td.
- It does not define when a block with both text and blocks is a paragraph: its own text counts.
- Two runs of text in one element separated only by ``br`` are of the third form, and the element is
  then the subtree itself; a ``p`` is also a paragraph of its parent.
- It does not define a list of links: here it is a block of the subtree with two or more segments
  and more than half of its characters in links.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np

from ...html.index import Bools, PageIndex, covered_by_ranges, prefix_sums
from ...html.page import Page

#: The paper's block tags whose text is not a paragraph, and the parts of a table.
NO_PARAGRAPH = frozenset({
    "li", "ul", "ol", "td", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "br",
    "th", "thead", "tbody", "tfoot", "caption",
})  # fmt: skip

#: Blocks inside the article that may be lists of links.
LISTS = frozenset({"div", "ul", "ol", "table", "dl", "nav", "aside", "section", "menu"})
#: The paper's threshold.
MIN_CHARS = 500
#: The largest share of link text (ours).
MAX_LINKS = 0.5


def score(page: Page) -> tuple[float, ...]:
    """Return 1 for segments of the article subtree, else 0 or less.

    0 means a list of links inside the subtree, -1 another subtree over the threshold, -2 anything
    else.
    """
    index = page.index
    count = len(page.segments)
    sizes = paragraph_parents(index)
    large = sorted(element for element, size in sizes.items() if size >= MIN_CHARS)
    scores = np.full(count, -2.0)
    if large:
        scores[covered_by_ranges(*index.segment_ranges(large), count)] = -1.0
        (first,), (end,) = index.segment_ranges(large[:1])
        scores[first:end] = 1.0
        scores[find_link_lists(index, large[0])] = 0.0
    return tuple(scores.tolist())


def paragraph_parents(index: PageIndex) -> dict[int, int]:
    """Return the number of characters in the paragraphs directly below each paragraph parent."""
    blocks = index.segment_blocks
    broken = {one for one, other in pairwise(blocks) if one == other}
    sizes: dict[int, int] = defaultdict(int)
    for element, chars in zip(blocks, index.segment_chars.tolist(), strict=True):
        if element in broken:
            sizes[element] += chars
        tag, parent = index.tags[element], index.parents[element]
        if (tag == "p" or not (tag in NO_PARAGRAPH or element in broken)) and parent >= 0:
            sizes[parent] += chars
    return sizes


def find_link_lists(index: PageIndex, root: int) -> Bools:
    """Return which segments are in a list of links below ``root``."""
    descendants = range(root + 1, index.subtree_ends[root])
    firsts, ends = index.segment_ranges([i for i in descendants if index.tags[i] in LISTS])
    links, chars = prefix_sums(index.segment_link_chars), prefix_sums(index.segment_chars)
    linked = (links[ends] - links[firsts]) > MAX_LINKS * (chars[ends] - chars[firsts])
    several = linked & (ends - firsts > 1)
    return covered_by_ranges(firsts[several], ends[several], len(index.segments))
