"""Text-to-tag ratio (Weninger and Hsu, DEXA TIR 2008): characters of text by number of tags.

Scripts and remarks are removed; each line's ratio is its number of characters of text divided by
its number of tags, or the number of characters if it has no tag; the ratios are smoothed over
neighboring lines, and clustered into content and non-content.

Departures from the paper:

- Lines are defined by the tree, not by the line breaks of the source, as a minified page is one
  line.  A line begins before the start tag of a block and ends after the end tag of a block and
  after ``br``; a line with neither tag nor text is omitted.  So a paragraph with its inline tags is
  one line, and so is each tag of nested blocks, as in neatly indented source.
- Tags are those of the repaired tree: omitted end tags are counted, void elements count once.
  Elements whose text is never seen (head, svg, select ...) are removed with the scripts.
- Characters of every script are counted, white space folded, not only ASCII ones.
- K-means, farthest first and expectation maximization are usually initialised at random; here each
  starts from the point nearest to the origin and then the farthest ones, so that results are
  reproducible.  The cluster nearest to the origin is non-content, all others are content.
- ``prediction`` is not formalized in the paper: here the moving average of the lines before
  predicts those after, and the sequence of ratios is cut where the two differ most.
- ``two-dimensional`` is the clustering the authors announce (ratio and the slope of the smoothed
  ratio, k-means with one center held at the origin), as they later published it in 'CETR: Content
  Extraction via Tag Ratios' (Weninger, Hsu and Han, WWW 2010).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...html.index import BLOCK_TAGS, Bools, Floats, Ints, PageIndex
from ...html.page import Page

Clustering: TypeAlias = Literal[
    "threshold", "k-means", "em", "farthest-first", "prediction", "two-dimensional"
]

_BLOCK = 1
_BREAK = 2
_VOID = 4
_VOID_TAGS = frozenset({
    "area", "basefont", "br", "col", "frame", "hr", "img", "input", "param", "source", "track",
    "wbr",
})  # fmt: skip
_TAG_KINDS = {
    tag: _BLOCK * (tag in BLOCK_TAGS or tag == "hr")
    + _BREAK * (tag == "br")
    + _VOID * (tag in _VOID_TAGS)
    for tag in BLOCK_TAGS | _VOID_TAGS
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TextToTagOptions:
    """How ratios are smoothed, over ``radius`` lines on each side, and clustered.

    The ``threshold`` is in standard ``deviations``; ``two-dimensional`` computes the slope from
    ``slope_lines`` ahead.
    """

    clustering: Clustering = "threshold"
    smoothing: Literal["mean", "gaussian"] = "mean"
    radius: int = 2
    deviations: float = 1.0
    clusters: int = 3
    slope_lines: int = 3


def score(page: Page, options: TextToTagOptions = TextToTagOptions()) -> tuple[float, ...]:
    """Return the margin by which each segment's line is content, in characters per tag.

    For ``em`` it is a difference of log-likelihoods.
    """
    values, line = ratios(page.index)
    margin = _cluster(smooth(values, options), options)
    return tuple(margin[line].tolist())


def ratios(index: PageIndex) -> tuple[Floats, Ints]:
    """Return the ratio of every line (algorithm 1), and each segment's line."""
    before, after, counted = _tags(index)
    line_after = np.cumsum(before) + np.cumsum(after)
    text_line = line_after[index.segment_firsts]
    count = int(line_after[-1]) + 1
    tags = np.bincount((line_after - after)[counted], minlength=count)
    text = np.bincount(text_line, weights=index.segment_chars, minlength=count)
    filled = (tags > 0) | (text > 0)
    renumbered = np.cumsum(filled) - 1
    return (text / np.maximum(tags, 1))[filled], renumbered[text_line]


def _tags(index: PageIndex) -> tuple[NDArray[np.int8], NDArray[np.int8], Bools]:
    """Return, for every tag, whether a line begins before it, ends after it, and it counts."""
    kinds = np.array([_TAG_KINDS.get(tag, 0) for tag in index.tags], dtype=np.int8)
    # A segment's block breaks lines even if only its style makes it a block.
    kinds[index.segment_blocks] |= _BLOCK
    before, after = np.zeros((2, 2 * len(kinds)), dtype=np.int8)
    counted = np.ones(2 * len(kinds), dtype=bool)
    before[index.opens] = kinds & _BLOCK
    after[index.closes] = (kinds & (_BLOCK | _BREAK)) > 0
    counted[index.closes] = (kinds & _VOID) == 0
    return before, after, counted


def smooth(values: Floats, options: TextToTagOptions) -> Floats:
    """Smooth the ratios over ``radius`` lines on each side; beyond the ends they are 0."""
    radius = options.radius
    if not radius or not len(values):
        return values
    offsets = np.arange(-radius, radius + 1)
    kernel = (
        np.ones(2 * radius + 1)
        if options.smoothing == "mean"
        else np.exp(-np.square(offsets) / (2.0 * radius * radius))
    )
    blurred: Floats = np.convolve(values, kernel / kernel.sum(), "full")[radius:-radius]
    return blurred


def slopes(values: Floats, lines: int) -> Floats:
    """Return the absolute difference of each ratio and the mean of the next ``lines``."""
    if not len(values):
        return values
    padded = np.concatenate((values, np.zeros(lines)))
    sums = np.concatenate(([0.0], np.cumsum(padded)))
    count = len(values)
    following = (sums[1 + lines : 1 + lines + count] - sums[1 : 1 + count]) / lines
    return np.abs(following - values)


# Clusterings: each returns a margin per point, above 0 for content


def _cluster(values: Floats, options: TextToTagOptions) -> Floats:
    match options.clustering:
        case "threshold":
            return cluster_by_threshold(values, options.deviations)
        case "k-means":
            return cluster_by_k_means(values[:, None], options.clusters)
        case "em":
            return cluster_by_em(values[:, None], options.clusters)
        case "farthest-first":
            return cluster_by_farthest_first(values[:, None], options.clusters)
        case "prediction":
            return cluster_by_prediction(values, options.radius)
        case "two-dimensional":
            slope = smooth(slopes(values, options.slope_lines), options)
            points = np.stack((values, slope), axis=1)
            return cluster_by_k_means(points, options.clusters, fixed_origin=True)


def cluster_by_threshold(ratios: Floats, deviations: float = 1.0) -> Floats:
    """Return how far each ratio is above ``deviations`` standard deviations of all ratios."""
    return ratios - deviations * float(ratios.std()) if len(ratios) else ratios


def cluster_by_farthest_first(points: Floats, count: int) -> Floats:
    """Cluster by the nearest of the farthest-first centers."""
    return _margin(points, farthest_first_centers(points, count))


def cluster_by_k_means(
    points: Floats, count: int, *, fixed_origin: bool = False, rounds: int = 50
) -> Floats:
    """Cluster by k-means; with ``fixed_origin`` one center stays at the origin."""
    if not len(points):
        return np.zeros(0)
    centers = farthest_first_centers(points, count)
    if fixed_origin:
        centers[0] = 0.0
    nearest = _distances(points, centers).argmin(axis=1)
    for _ in range(rounds):
        for number in range(int(fixed_origin), len(centers)):
            members = points[nearest == number]
            if len(members):
                centers[number] = members.mean(axis=0)
        updated = _distances(points, centers).argmin(axis=1)
        if np.array_equal(updated, nearest):
            break
        nearest = updated
    return _margin(points, centers)


def cluster_by_em(points: Floats, count: int, rounds: int = 50) -> Floats:
    """Cluster by expectation maximization over Gaussians, from farthest-first centers.

    The margin is the log-likelihood of content minus that of non-content.
    """
    if not len(points):
        return np.zeros(0)
    means = farthest_first_centers(points, count)
    floor = max(float(points.var()) * 1e-4, 1e-9)
    membership = np.eye(len(means))[_distances(points, means).argmin(axis=1)]
    logs = np.zeros((len(points), len(means)))
    previous_likelihood = -np.inf
    for _ in range(rounds):
        weight = membership.sum(axis=0) + 1e-9
        means = (membership.T @ points) / weight[:, None]
        spread = np.square(points[:, None, :] - means[None, :, :])
        variance = np.einsum("nk,nkd->kd", membership, spread) / weight[:, None] + floor
        logs = np.log(weight / weight.sum()) - 0.5 * (
            np.log(2 * np.pi * variance).sum(axis=1) + (spread / variance).sum(axis=2)
        )
        top = logs.max(axis=1, keepdims=True)
        likelihood = np.exp(logs - top)
        total = likelihood.sum(axis=1, keepdims=True)
        membership = likelihood / total
        mean_likelihood = float((top + np.log(total)).mean())
        if mean_likelihood - previous_likelihood < 1e-4:
            break
        previous_likelihood = mean_likelihood
    background = int(np.square(means).sum(axis=1).argmin())
    content = np.delete(logs, background, axis=1)
    return content.max(axis=1) - logs[:, background] if content.shape[1] else -np.ones(len(points))


def cluster_by_prediction(ratios: Floats, radius: int) -> Floats:
    """Cut the sequence of ratios where its moving average jumps, and keep the high stretches.

    The average of ``radius`` lines predicts that of the next ``radius``; where the two differ by
    more than the standard deviation of the ratios, a stretch ends at the largest difference nearby.
    Each line gets the mean of its stretch minus the mean of all lines.
    """
    count = len(ratios)
    if not count:
        return ratios
    sums = np.concatenate(([0.0], np.cumsum(ratios)))
    lines = np.arange(count)
    behind, ahead = np.maximum(lines - radius, 0), np.minimum(lines + radius, count)
    predicted = (sums[lines] - sums[behind]) / np.maximum(lines - behind, 1)
    jumps = np.abs((sums[ahead] - sums[lines]) / (ahead - lines) - predicted)
    cuts = np.flatnonzero(_peaks(jumps) & (jumps > ratios.std()) & (lines > 0))
    bounds = np.concatenate(([0], cuts, [count]))
    means = np.diff(sums[bounds]) / np.diff(bounds)
    return np.repeat(means, np.diff(bounds)) - float(ratios.mean())


def farthest_first_centers(points: Floats, count: int) -> Floats:
    """Return centers: the point nearest to the origin, then each time the farthest from all."""
    if not len(points):
        return points[:0]
    indexes = [int(np.square(points).sum(axis=1).argmin())]
    distance = np.square(points - points[indexes[0]]).sum(axis=1)
    while len(indexes) < count and float(distance.max()) > 0:
        indexes.append(int(distance.argmax()))
        distance = np.minimum(distance, np.square(points - points[indexes[-1]]).sum(axis=1))
    return points[indexes].copy()


def _peaks(values: Floats) -> Bools:
    left = np.concatenate(([-np.inf], values[:-1]))
    right = np.concatenate((values[1:], [-np.inf]))
    peaks: Bools = (values > left) & (values >= right)
    return peaks


def _distances(points: Floats, centers: Floats) -> Floats:
    distances: Floats = np.sqrt(np.square(points[:, None, :] - centers[None, :, :]).sum(axis=2))
    return distances


def _margin(points: Floats, centers: Floats) -> Floats:
    """Return how much nearer each point is to a center of content than of non-content."""
    if len(centers) < 2:
        return -np.ones(len(points))
    distances = _distances(points, centers)
    background = int(np.square(centers).sum(axis=1).argmin())
    margin: Floats = distances[:, background] - np.delete(distances, background, axis=1).min(axis=1)
    return margin
