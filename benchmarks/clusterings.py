"""Clusterings of text-to-tag ratios (Weninger and Hsu, 2008); webprint uses the threshold.

Each returns a margin per line, above 0 for content.  Departures from the paper:

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

from collections.abc import Callable, Mapping

import numpy as np

from printer.extraction.papers.text_to_tag import RADIUS, above_threshold, ratios, smooth
from printer.html.index import Bools, Floats
from printer.html.page import Page

CLUSTERS = 3
#: The lines ahead from which a slope is computed.
SLOPE_LINES = 3


def slopes(values: Floats, lines: int) -> Floats:
    """Return the absolute difference of each ratio and the mean of the next ``lines``."""
    if not len(values):
        return values
    padded = np.concatenate((values, np.zeros(lines)))
    sums = np.concatenate(([0.0], np.cumsum(padded)))
    count = len(values)
    following = (sums[1 + lines : 1 + lines + count] - sums[1 : 1 + count]) / lines
    return np.abs(following - values)


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


def cluster_by_prediction(values: Floats, radius: int) -> Floats:
    """Cut the sequence of ratios where its moving average jumps, and keep the high stretches.

    The average of ``radius`` lines predicts that of the next ``radius``; where the two differ by
    more than the standard deviation of the ratios, a stretch ends at the largest difference nearby.
    Each line gets the mean of its stretch minus the mean of all lines.
    """
    count = len(values)
    if not count:
        return values
    sums = np.concatenate(([0.0], np.cumsum(values)))
    lines = np.arange(count)
    behind, ahead = np.maximum(lines - radius, 0), np.minimum(lines + radius, count)
    predicted = (sums[lines] - sums[behind]) / np.maximum(lines - behind, 1)
    jumps = np.abs((sums[ahead] - sums[lines]) / (ahead - lines) - predicted)
    cuts = np.flatnonzero(_peaks(jumps) & (jumps > values.std()) & (lines > 0))
    bounds = np.concatenate(([0], cuts, [count]))
    means = np.diff(sums[bounds]) / np.diff(bounds)
    return np.repeat(means, np.diff(bounds)) - float(values.mean())


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


def cluster_in_two_dimensions(values: Floats) -> Floats:
    """Cluster by the ratios and their smoothed slopes."""
    points = np.stack((values, smooth(slopes(values, SLOPE_LINES))), axis=1)
    return cluster_by_k_means(points, CLUSTERS, fixed_origin=True)


CLUSTERINGS: Mapping[str, Callable[[Floats], Floats]] = {
    "threshold": above_threshold,
    "k-means": lambda values: cluster_by_k_means(values[:, None], CLUSTERS),
    "em": lambda values: cluster_by_em(values[:, None], CLUSTERS),
    "farthest-first": lambda values: cluster_by_farthest_first(values[:, None], CLUSTERS),
    "prediction": lambda values: cluster_by_prediction(values, RADIUS),
    "two-dimensional": cluster_in_two_dimensions,
}


def score(page: Page, clustering: str) -> list[float]:
    """Return the margin by which each segment's line is content, in a unit of the clustering."""
    values, line = ratios(page.index)
    scores: list[float] = CLUSTERINGS[clustering](smooth(values))[line].tolist()
    return scores
