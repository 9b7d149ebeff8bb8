"""Useful text nodes (CUTER, Adam, Bouras and Poulopoulos): the borders of the article.

The first stage of CUTER as far as its paper on images tells of it (sections III and IV): nodes of
text are characterised, neighbouring useful ones are joined into sets that settle what is the
article, and its borders are the first and the last useful node in depth-first order.  As the title
often stands apart, the last node before the starting paragraph that contains the title is taken for
the first node.

What differs from the paper, and why:

- The nodes are text segments: a paragraph with inline tags is one node.
- How nodes are characterised and what a neighbourhood is stand in another paper; here a node is
  useful when it has enough text outside links and not too much inside, useful nodes at most
  ``reach`` nodes apart are neighbours, and the neighbourhood with the most text is the article,
  the short nodes between its own taken along.
- A node contains the title also when the page's title goes on after it (with the site's name).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...html.metadata.titles import find_title_node
from ...html.page import Page
from ..positions import Bools, Floats, Positions, positions, prefix_sums


@dataclass(frozen=True, slots=True, kw_only=True)
class UsefulTextOptions:
    """``min_chars`` and ``max_links`` characterise a node, ``reach`` its neighbourhood (ours)."""

    min_chars: int = 40
    max_links: float = 0.5
    reach: int = 16


@dataclass(frozen=True, slots=True)
class Borders:
    """The article's first and last node, and its starting paragraph, as indexes of segments."""

    first: int
    start: int
    last: int


def score(
    page: Page, options: UsefulTextOptions = UsefulTextOptions(), tree: Positions | None = None
) -> tuple[float, ...]:
    """Return how useful a node is inside the borders (above 0 to 1), or minus that outside.

    Between the borders nodes mostly of links are 0.
    """
    tree = tree or positions(page)
    useful = usefulness(tree, options)
    found = find_borders(page, options, tree)
    scores = -1.0 + useful / 2
    if found:
        within = slice(found.start, found.last + 1)
        linked = (tree.links > options.max_links * tree.length)[within]
        scores[within] = np.where(linked, 0.0, 0.5 + useful[within] / 2)
        scores[found.first] = 1.0
    return tuple(scores.tolist())


def usefulness(tree: Positions, options: UsefulTextOptions) -> Floats:
    """Return from 0 to 1 how much unlinked text each node has; ``min_chars`` of it is a half."""
    plain = (tree.length - tree.links).astype(np.float64)
    useful: Floats = plain / (plain + options.min_chars)
    return useful


def find_borders(
    page: Page, options: UsefulTextOptions = UsefulTextOptions(), tree: Positions | None = None
) -> Borders | None:
    """Return the borders of the article, or nothing when no node is useful."""
    tree = tree or positions(page)
    useful = useful_nodes(tree, options)
    plain = prefix_sums(tree.length - tree.links)
    best: tuple[int, int] | None = None
    most = 0
    for low, high in neighbourhoods(useful, options.reach):
        text = int(plain[high + 1] - plain[low])
        if text > most:
            best, most = (low, high), text
    if best is None:
        return None
    start, last = best
    title = find_title_node([each.text for each in page.segments[:start]], page.metadata.title)
    return Borders(start if title is None else title, start, last)


def useful_nodes(tree: Positions, options: UsefulTextOptions) -> Bools:
    """Return which nodes are useful text."""
    enough = tree.length - tree.links >= options.min_chars
    useful: Bools = enough & (tree.links <= options.max_links * tree.length)
    return useful


def neighbourhoods(useful: Bools, reach: int) -> list[tuple[int, int]]:
    """Return the first and last node of each set of useful nodes at most ``reach`` apart."""
    nodes = np.flatnonzero(useful)
    if not len(nodes):
        return []
    cuts = np.flatnonzero(np.diff(nodes) > reach)
    firsts, lasts = nodes[np.concatenate(([0], cuts + 1))], nodes[np.append(cuts, len(nodes) - 1)]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))
