"""Clusterings of tag ratios, each giving a margin per point: above 0 is content.

K-means, farthest first and expectation maximisation are usually begun at random; here each begins
with the point nearest to the origin and then the farthest ones, so that a page always gives the
same answer.  The cluster nearest to the origin is the one without content, all others hold some.
"""

from __future__ import annotations

import numpy as np

from .positions import Bools, Floats


def cluster_by_threshold(ratios: Floats, deviations: float = 1.0) -> Floats:
    """Return how far each ratio is over some standard deviations of all."""
    return ratios - deviations * float(ratios.std()) if len(ratios) else ratios


def cluster_by_farthest_first(points: Floats, count: int) -> Floats:
    """Cluster by the nearest of centres each of which was farthest from those before."""
    return _margin(points, farthest_first_centres(points, count))


def cluster_by_k_means(
    points: Floats, count: int, *, origin: bool = False, rounds: int = 50
) -> Floats:
    """Cluster by k-means; with ``origin`` one centre stays there."""
    if not len(points):
        return np.zeros(0)
    centres = farthest_first_centres(points, count)
    if origin:
        centres[0] = 0.0
    nearest = _distances(points, centres).argmin(axis=1)
    for _ in range(rounds):
        for each in range(int(origin), len(centres)):
            members = points[nearest == each]
            if len(members):
                centres[each] = members.mean(axis=0)
        moved = _distances(points, centres).argmin(axis=1)
        if np.array_equal(moved, nearest):
            break
        nearest = moved
    return _margin(points, centres)


def cluster_by_em(points: Floats, count: int, rounds: int = 50) -> Floats:
    """Cluster by expectation maximisation over Gaussians, begun from farthest-first centres.

    The margin is the difference of log-likelihoods: content against none.
    """
    if not len(points):
        return np.zeros(0)
    means = farthest_first_centres(points, count)
    floor = max(float(points.var()) * 1e-4, 1e-9)
    belongs = np.eye(len(means))[_distances(points, means).argmin(axis=1)]
    logs = np.zeros((len(points), len(means)))
    before = -np.inf
    for _ in range(rounds):
        weight = belongs.sum(axis=0) + 1e-9
        means = (belongs.T @ points) / weight[:, None]
        spread = np.square(points[:, None, :] - means[None, :, :])
        variance = np.einsum("nk,nkd->kd", belongs, spread) / weight[:, None] + floor
        logs = np.log(weight / weight.sum()) - 0.5 * (
            np.log(2 * np.pi * variance).sum(axis=1) + (spread / variance).sum(axis=2)
        )
        top = logs.max(axis=1, keepdims=True)
        likely = np.exp(logs - top)
        total = likely.sum(axis=1, keepdims=True)
        belongs = likely / total
        now = float((top + np.log(total)).mean())
        if now - before < 1e-4:
            break
        before = now
    none = int(np.square(means).sum(axis=1).argmin())
    others = np.delete(logs, none, axis=1)
    return others.max(axis=1) - logs[:, none] if others.shape[1] else -np.ones(len(points))


def cluster_by_prediction(ratios: Floats, radius: int) -> Floats:
    """Cut the line of ratios where its moving average jumps, and keep the high stretches.

    The paper leaves this unformalised.  Here the average of the ``radius`` lines up to one predicts
    the next ``radius``; where the two differ by more than the standard deviation of the ratios, at
    the largest difference nearby, a stretch ends.  Each line gets the mean of its stretch less the
    mean of all.
    """
    count = len(ratios)
    if not count:
        return ratios
    sums = np.concatenate(([0.0], np.cumsum(ratios)))
    each = np.arange(count)
    behind, ahead = np.maximum(each - radius, 0), np.minimum(each + radius, count)
    predicted = (sums[each] - sums[behind]) / np.maximum(each - behind, 1)
    jumps = np.abs((sums[ahead] - sums[each]) / (ahead - each) - predicted)
    cuts = np.flatnonzero(_peaks(jumps) & (jumps > ratios.std()) & (each > 0))
    bounds = np.concatenate(([0], cuts, [count]))
    means = np.diff(sums[bounds]) / np.diff(bounds)
    return np.repeat(means, np.diff(bounds)) - float(ratios.mean())


def farthest_first_centres(points: Floats, count: int) -> Floats:
    """Return centres: the point nearest to the origin, then ever the one farthest from all."""
    if not len(points):
        return points[:0]
    chosen = [int(np.square(points).sum(axis=1).argmin())]
    distance = np.square(points - points[chosen[0]]).sum(axis=1)
    while len(chosen) < count and float(distance.max()) > 0:
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, np.square(points - points[chosen[-1]]).sum(axis=1))
    return points[chosen].copy()


def _peaks(values: Floats) -> Bools:
    left = np.concatenate(([-np.inf], values[:-1]))
    right = np.concatenate((values[1:], [-np.inf]))
    peaks: Bools = (values > left) & (values >= right)
    return peaks


def _distances(points: Floats, centres: Floats) -> Floats:
    distances: Floats = np.sqrt(np.square(points[:, None, :] - centres[None, :, :]).sum(axis=2))
    return distances


def _margin(points: Floats, centres: Floats) -> Floats:
    """Return how much nearer each point is to a centre of content than to the one of none."""
    if len(centres) < 2:
        return -np.ones(len(points))
    distances = _distances(points, centres)
    none = int(np.square(centres).sum(axis=1).argmin())
    margin: Floats = distances[:, none] - np.delete(distances, none, axis=1).min(axis=1)
    return margin
