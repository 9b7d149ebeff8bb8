"""Article subtree (Joshi and Liu, DocEng 2009, section 4.2): the parent of enough paragraphs.

Paragraphs are written in three ways: ``<div>text``, ``<p>text``, and text broken by ``<br>``.  The
parent of paragraphs of one level is an article subtree.  Those whose paragraphs hold 500
characters or more together are candidates, and the first in document order is the article.
Blocks inside it that are lists of links are taken out.

What differs from the paper, and why:

- Its block tags are div, p, br, li, ul, ol, td, tr, table, h1 to h6 and hr, all others style tags.
  Elements beside these that browsers display as blocks (article, section, blockquote ...) count
  as div, the parts of a table as td.
- It does not say when a block that holds text and blocks is a paragraph: its own text counts.
- Two runs of text of one element with nothing but a ``br`` between them are of the third form,
  and the element is then the subtree itself; a ``p`` is a paragraph of its parent as well.
- It does not say what a list of links is: here a block of the subtree with two segments or more
  of whose characters more than half are links.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...html.page import Page
from ..positions import Bools, Positions, covered_by_ranges, positions, prefix_sums

#: The paper's block tags that do not make a paragraph of their text, and the parts of a table.
NO_PARAGRAPH = frozenset({
    "li", "ul", "ol", "td", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "br",
    "th", "thead", "tbody", "tfoot", "caption",
})  # fmt: skip

#: Blocks inside the article that may turn out to be a list of links.
LISTS = frozenset({"div", "ul", "ol", "table", "dl", "nav", "aside", "section", "menu"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleSubtreeOptions:
    """``min_chars`` is the paper's threshold, ``max_links`` the share of link text (ours)."""

    min_chars: int = 500
    max_links: float = 0.5


def score(
    page: Page,
    options: ArticleSubtreeOptions = ArticleSubtreeOptions(),
    tree: Positions | None = None,
) -> tuple[float, ...]:
    """Return 1 for segments of the article subtree, else 0 or less.

    0 is a list of links inside the subtree, -1 a segment of another subtree over the threshold,
    -2 anything else.
    """
    tree = tree or positions(page)
    count = len(page.segments)
    sizes = paragraph_parents(tree)
    large = sorted(element for element, size in sizes.items() if size >= options.min_chars)
    scores = np.full(count, -2.0)
    if large:
        scores[covered_by_ranges(*tree.ranges(large), count)] = -1.0
        low, high = tree.inside(large[0])
        scores[low:high] = 1.0
        scores[find_link_lists(tree, large[0], options)] = 0.0
    return tuple(scores.tolist())


def paragraph_parents(tree: Positions) -> dict[int, int]:
    """Return the characters of the paragraphs directly below each paragraph parent."""
    block = tree.block
    broken = {one for one, other in pairwise(block) if one == other}
    sizes: dict[int, int] = defaultdict(int)
    for element, length in zip(block, tree.length.tolist(), strict=True):
        if element in broken:
            sizes[element] += length
        tag, parent = tree.tags[element], tree.parent[element]
        if (tag == "p" or not (tag in NO_PARAGRAPH or element in broken)) and parent >= 0:
            sizes[parent] += length
    return sizes


def find_link_lists(tree: Positions, root: int, options: ArticleSubtreeOptions) -> Bools:
    """Return which segments stand in a list of links below ``root``."""
    tags = tree.tags
    blocks = [each for each in range(root + 1, tree.after(root)) if tags[each] in LISTS]
    lows, highs = tree.ranges(blocks)
    links, length = prefix_sums(tree.links), prefix_sums(tree.length)
    share = (links[highs] - links[lows]) > options.max_links * (length[highs] - length[lows])
    several = share & (highs - lows > 1)
    return covered_by_ranges(lows[several], highs[several], len(tree.at))
