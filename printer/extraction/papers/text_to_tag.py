"""Text-to-tag ratio (Weninger and Hsu, DEXA TIR 2008): characters of text by number of tags.

Scripts and remarks are taken out; each line's ratio is its characters of text by its tags, or the
characters themselves where it has no tag; the ratios are smoothed over the lines around, and
clustered into content and none.

What differs from the paper, and why:

- Lines are defined by the tree, not by how the source happens to be broken, as a minified page is
  one line.  A line begins before the start tag of a block and ends after the end tag of a block
  and after ``br``; a line with neither tag nor text is left out.  So a paragraph with its inline
  tags is one line, and so is each tag of nested blocks, as in source that is set out one by one.
- Tags are those of the repaired tree: end tags the author left out are counted, void elements
  count once.  Elements whose text is never seen (head, svg, select ...) are left out with the
  scripts.
- Characters of every script are counted, white space folded, not only ASCII ones.
- ``two-dimensional`` is the clustering the authors announce (ratio and the slope of the smoothed
  ratio, k-means with one centre held at the origin), as they later published it in 'CETR: Content
  Extraction via Tag Ratios' (Weninger, Hsu and Han, WWW 2010).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...html.index import BLOCK_TAGS
from ...html.page import Page
from ..clusters import (
    cluster_by_em,
    cluster_by_farthest_first,
    cluster_by_k_means,
    cluster_by_prediction,
    cluster_by_threshold,
)
from ..positions import Bools, Floats, Ints, Positions, positions

Clustering: TypeAlias = Literal[
    "threshold", "k-means", "em", "farthest-first", "prediction", "two-dimensional"
]

_BLOCK, _BREAK, _VOID = 1, 2, 4
_VOIDS = frozenset({
    "area", "basefont", "br", "col", "frame", "hr", "img", "input", "param", "source", "track",
    "wbr",
})  # fmt: skip
_KINDS = {
    tag: _BLOCK * (tag in BLOCK_TAGS or tag == "hr")
    + _BREAK * (tag == "br")
    + _VOID * (tag in _VOIDS)
    for tag in BLOCK_TAGS | _VOIDS
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TextToTagOptions:
    """How ratios are smoothed and clustered.

    ``radius`` is in lines each way, ``smoothing`` an even mean or a Gaussian one; ``deviations``
    is for ``threshold``, ``clusters`` the number for the clusterings that take one, ``ahead`` how
    many lines the slope looks at.
    """

    clustering: Clustering = "threshold"
    smoothing: Literal["mean", "gaussian"] = "mean"
    radius: int = 2
    deviations: float = 1.0
    clusters: int = 3
    slope_lines: int = 3


def score(
    page: Page, options: TextToTagOptions = TextToTagOptions(), tree: Positions | None = None
) -> tuple[float, ...]:
    """Return how far each segment's line is on the side of content, in characters by tag.

    For ``em`` it is a difference of log-likelihoods.
    """
    tree = tree or positions(page)
    array, line = ratios(tree)
    margin = _cluster(smooth(array, options), options)
    return tuple(margin[line].tolist())


def ratios(tree: Positions) -> tuple[Floats, Ints]:
    """Return the ratio of every line (algorithm 1), and each segment's line."""
    before, behind, counted = _tags(tree)
    starts = np.cumsum(before)
    line_after = starts + np.cumsum(behind)
    line_of = line_after - behind
    text_line = line_after[tree.at]
    count = int(line_after[-1]) + 1
    tags = np.bincount(line_of[counted], minlength=count)
    text = np.bincount(text_line, weights=tree.length, minlength=count)
    full = (tags > 0) | (text > 0)
    renumbered = np.cumsum(full) - 1
    return (text / np.maximum(tags, 1))[full], renumbered[text_line]


def _tags(tree: Positions) -> tuple[NDArray[np.int8], NDArray[np.int8], Bools]:
    """Return for every tag whether a line begins before it, ends behind it, and it counts."""
    kinds = np.array([_KINDS.get(tag, 0) for tag in tree.tags], dtype=np.int8)
    # A segment's block breaks lines also where only its style makes it one.
    kinds[tree.block] |= _BLOCK
    before, behind = np.zeros((2, 2 * len(kinds)), dtype=np.int8)
    counted = np.ones(2 * len(kinds), dtype=bool)
    before[tree.opens] = kinds & _BLOCK
    behind[tree.closes] = (kinds & (_BLOCK | _BREAK)) > 0
    counted[tree.closes] = (kinds & _VOID) == 0
    return before, behind, counted


def smooth(array: Floats, options: TextToTagOptions) -> Floats:
    """Blur the ratios over ``radius`` lines each way; beyond the ends they are 0."""
    radius = options.radius
    if not radius or not len(array):
        return array
    offsets = np.arange(-radius, radius + 1)
    kernel = (
        np.ones(2 * radius + 1)
        if options.smoothing == "mean"
        else np.exp(-np.square(offsets) / (2.0 * radius * radius))
    )
    blurred: Floats = np.convolve(array, kernel / kernel.sum(), "full")[radius:-radius]
    return blurred


def _cluster(array: Floats, options: TextToTagOptions) -> Floats:
    match options.clustering:
        case "threshold":
            return cluster_by_threshold(array, options.deviations)
        case "k-means":
            return cluster_by_k_means(array[:, None], options.clusters)
        case "em":
            return cluster_by_em(array[:, None], options.clusters)
        case "farthest-first":
            return cluster_by_farthest_first(array[:, None], options.clusters)
        case "prediction":
            return cluster_by_prediction(array, options.radius)
        case "two-dimensional":
            slope = smooth(slopes(array, options.slope_lines), options)
            points = np.stack((array, slope), axis=1)
            return cluster_by_k_means(points, options.clusters, origin=True)


def slopes(array: Floats, ahead: int) -> Floats:
    """Return the mean of the next ratios less each ratio, without its sign."""
    if not len(array):
        return array
    padded = np.concatenate((array, np.zeros(ahead)))
    sums = np.concatenate(([0.0], np.cumsum(padded)))
    count = len(array)
    following = (sums[1 + ahead : 1 + ahead + count] - sums[1 : 1 + count]) / ahead
    return np.abs(following - array)
