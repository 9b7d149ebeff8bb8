"""Useful text nodes (CUTER, Adam, Bouras and Poulopoulos): the borders of the article.

The first stage of CUTER as far as its paper on images describes it (sections III and IV): text
nodes are characterized, neighboring useful ones are joined into sets that determine the article,
and its borders are the first and the last useful node in depth-first order.  As the title is often
apart from the text, the first node is the last one before the starting paragraph that contains the
title.

Departures from the paper:

- The nodes are text segments: a paragraph with inline tags is one node.
- How nodes are characterized and what a neighborhood is are defined in another paper; here a node
  is useful if it has enough text outside links and not too much inside, useful nodes at most
  ``REACH`` nodes apart are neighbors, and the neighborhood with the most text is the article,
  including the short nodes between its useful ones.
- A node also contains the title if the page's title continues after it (with the site's name).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...html.index import Bools, Floats, PageIndex, prefix_sums
from ...html.metadata.titles import find_title_node
from ...html.page import Page

# The paper gives no figures.
MIN_CHARS = 40
MAX_LINKS = 0.5
REACH = 16


@dataclass(frozen=True, slots=True)
class Borders:
    """The article's first and last node, and its starting paragraph, as indexes of segments."""

    first: int
    start: int
    last: int


def score(page: Page) -> tuple[float, ...]:
    """Return each node's usefulness (above 0, up to 1) inside the borders, minus that outside.

    Between the borders, nodes that are mostly links get 0.
    """
    index = page.index
    useful = usefulness(index)
    borders = find_borders(page)
    scores = -1.0 + useful / 2
    if borders:
        within = slice(borders.start, borders.last + 1)
        linked = index.segment_link_chars > MAX_LINKS * index.segment_chars
        scores[within] = np.where(linked[within], 0.0, 0.5 + useful[within] / 2)
        scores[borders.first] = 1.0
    return tuple(scores.tolist())


def usefulness(index: PageIndex) -> Floats:
    """Return the amount of unlinked text of each node, from 0 to 1; ``MIN_CHARS`` gives 0.5."""
    unlinked = (index.segment_chars - index.segment_link_chars).astype(np.float64)
    useful: Floats = unlinked / (unlinked + MIN_CHARS)
    return useful


def find_borders(page: Page) -> Borders | None:
    """Return the borders of the article, None when no node is useful."""
    index = page.index
    unlinked = prefix_sums(index.segment_chars - index.segment_link_chars)
    nodes = neighborhoods(useful_nodes(index), REACH)
    sizes = [int(unlinked[last + 1] - unlinked[first]) for first, last in nodes]
    if not any(sizes):
        return None
    start, last = nodes[sizes.index(max(sizes))]
    texts = [segment.text for segment in page.segments[:start]]
    title = find_title_node(texts, page.metadata.title)
    return Borders(start if title is None else title, start, last)


def useful_nodes(index: PageIndex) -> Bools:
    chars, links = index.segment_chars, index.segment_link_chars
    useful: Bools = (chars - links >= MIN_CHARS) & (links <= MAX_LINKS * chars)
    return useful


def neighborhoods(useful: Bools, reach: int) -> list[tuple[int, int]]:
    """Return the first and last node of each set of useful nodes at most ``reach`` apart."""
    nodes = np.flatnonzero(useful)
    if not len(nodes):
        return []
    cuts = np.flatnonzero(np.diff(nodes) > reach)
    firsts, lasts = nodes[np.concatenate(([0], cuts + 1))], nodes[np.append(cuts, len(nodes) - 1)]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))
