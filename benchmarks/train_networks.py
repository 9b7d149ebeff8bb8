"""Train the networks of the classifier with Adam, in numpy and deterministically."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from printer.extraction.classifier.network import (
    NetworkEnsemble,
    SegmentGraph,
    log_compress,
    standardize,
)

Floats = np.ndarray[Any, np.dtype[np.floating[Any]]]
Ints = np.ndarray[Any, np.dtype[np.intp]]

HIDDEN = 48
EPOCHS = 8
#: The most segments in a batch of several pages.
_BATCH = 4096
_RATE = 0.003
#: The dropout rate of features and messages.
_DROPPED = 0.25
_DECAY = 1e-5
#: The weight of the page's F1 in the loss; the rest is that of the segments' cross entropy.
_PAGE = 0.5
_WARM = 50


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """The plausible segments of a page: their features and the answer.

    ``likely`` are their first scores, and ``keys`` the groups of each.  ``lost`` is the number of
    the article's words in the other segments, or NaN for pages without a complete answer.
    """

    rows: Floats
    sizes: Floats
    likely: Floats
    keys: tuple[Ints, ...]
    answers: Floats
    weights: Floats
    lost: float


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    rows: Floats
    sizes: Floats
    answers: Floats
    weights: Floats
    pages: Ints
    lost: Floats
    around: SegmentGraph


def train(cases: Sequence[Case], seeds: int = 1) -> NetworkEnsemble:
    """Train networks on the cases, one for each seed."""
    rows = np.concatenate([log_compress(case.rows) for case in cases])
    mean, scale = rows.mean(0), rows.std(0) + np.float32(1e-3)
    del rows
    networks = [_learn(cases, mean, scale, seed) for seed in range(1, seeds + 1)]
    return NetworkEnsemble(mean, scale, *map(np.stack, zip(*networks, strict=True)))


def _learn(cases: Sequence[Case], mean: Floats, scale: Floats, seed: int) -> list[Floats]:
    random = np.random.default_rng(seed)
    width, message_width = cases[0].rows.shape[1], len(cases[0].keys) + 5
    learned = [
        _random(random, width, HIDDEN), np.zeros(HIDDEN, np.float32),
        _random(random, HIDDEN * message_width, HIDDEN), np.zeros(HIDDEN, np.float32),
        np.append(_random(random, 2 * HIDDEN, 1)[:, 0] / 10, np.float32(0)),
    ]  # fmt: skip
    first_moments = [np.zeros_like(weights) for weights in learned]
    second_moments = [np.zeros_like(weights) for weights in learned]
    step = 0
    for epoch in range(EPOCHS):
        rate = _RATE * (0.5 + 0.5 * math.cos(math.pi * epoch / EPOCHS))
        for page_cases in _batches(cases, random):
            step += 1
            batch = _batch(page_cases, mean, scale)
            step_size = rate * min(1, step / _WARM) / (1 - 0.9**step)
            gradients = _gradients(learned, batch, random)
            for value, gradient, momentum, variance in zip(
                learned, gradients, first_moments, second_moments, strict=True
            ):
                momentum += 0.1 * (gradient - momentum)
                variance += 0.01 * (gradient**2 - variance)
                value -= step_size * momentum / (np.sqrt(variance / (1 - 0.99**step)) + 1e-7)
    return learned


def _random(random: np.random.Generator, inputs: int, outputs: int) -> Floats:
    return (random.standard_normal((inputs, outputs)) / np.sqrt(inputs)).astype(np.float32)


def _batches(cases: Sequence[Case], random: np.random.Generator) -> Iterator[list[Case]]:
    page_cases: list[Case] = []
    size = 0
    for number in random.permutation(len(cases)).tolist():
        case = cases[number]
        if page_cases and size + len(case.answers) > _BATCH:
            yield page_cases
            page_cases, size = [], 0
        page_cases.append(case)
        size += len(case.answers)
    yield page_cases


def _batch(cases: Sequence[Case], mean: Floats, scale: Floats) -> _Batch:
    def joined(values: list[Floats]) -> Floats:
        return np.concatenate(values)

    pages = np.repeat(np.arange(len(cases)), [len(case.answers) for case in cases])
    # Keep the groups of different pages apart.
    keys = [
        joined([case.keys[level] for case in cases]).astype(np.int64) + (pages << 32)
        for level in range(len(cases[0].keys))
    ]
    sizes = joined([case.sizes for case in cases]).astype(np.float32)
    answers = joined([case.answers for case in cases])
    weights = joined([case.weights for case in cases])
    return _Batch(
        standardize(joined([case.rows for case in cases]), mean, scale),
        sizes,
        np.nan_to_num(answers),
        weights / max(1e-6, float(weights.sum())),
        pages,
        np.array([case.lost for case in cases]),
        SegmentGraph.build(keys, sizes, joined([case.likely for case in cases]), pages),
    )


def _gradients(learned: list[Floats], batch: _Batch, random: np.random.Generator) -> list[Floats]:
    """Return the gradient of the loss with respect to the learned values."""
    inner, inner_bias, outer, outer_bias, output_weights = learned
    rows = batch.rows * _mask(batch.rows, random)
    text_layer = np.maximum(rows @ inner + inner_bias, 0)
    messages = gather_messages(batch.around, text_layer)
    mask = _mask(messages, random)
    messages *= mask
    context_layer = np.maximum(messages @ outer + outer_bias, 0)
    layers = np.column_stack([text_layer, context_layer, np.ones(len(rows), np.float32)])
    chance = 1 / (1 + np.exp(-(layers @ output_weights)))
    loss_gradient = _slope(chance, batch).astype(np.float32)[:, None]
    context_gradient = loss_gradient * output_weights[HIDDEN : 2 * HIDDEN] * (context_layer > 0)
    message_gradient = _scatter(batch.around, context_gradient @ outer.T * mask)
    text_gradient = (loss_gradient * output_weights[:HIDDEN] + message_gradient) * (text_layer > 0)
    decay = np.float32(2 * _DECAY)
    return [
        rows.T @ text_gradient + decay * inner,
        text_gradient.sum(0),
        messages.T @ context_gradient + decay * outer,
        context_gradient.sum(0),
        layers.T @ loss_gradient[:, 0],
    ]


def _mask(values: Floats, random: np.random.Generator) -> Floats:
    """Return a random dropout mask, scaled to keep the mean."""
    keep = 1 - _DROPPED
    return (random.integers(0, 256, values.shape, np.uint8) < round(256 * keep)) / np.float32(keep)


def _slope(chance: Floats, batch: _Batch) -> Floats:
    """Return the derivative of the loss with respect to the segments' log-odds.

    The loss is the mean of the cross entropy and one minus the page's expected F1 over words.
    """
    entropy_slope = batch.weights * (chance - batch.answers)
    count = len(batch.lost)
    correct = np.bincount(batch.pages, batch.sizes * chance * batch.answers, count)
    total = 1 + np.bincount(batch.pages, batch.sizes * (chance + batch.answers), count)
    total += batch.lost
    has_text = ~np.isnan(batch.lost)
    scale = np.where(has_text, 2 / np.where(has_text, total, 1), 0) / max(1, int(has_text.sum()))
    half = np.where(has_text, correct / np.where(has_text, total, 1), 0)
    f1_slope = -scale[batch.pages] * batch.sizes * (batch.answers - half[batch.pages])
    return (1 - _PAGE) * entropy_slope + _PAGE * f1_slope * chance * (1 - chance)


def gather_messages(graph: SegmentGraph, values: Floats) -> Floats:
    """Return all messages to each segment side by side."""
    rows = [part if owner is None else part[owner] for part, owner in graph.messages(values)]
    return np.concatenate(rows, 1)


def _scatter(around: SegmentGraph, gradient: Floats) -> Floats:
    """Return the gradient of :func:`gather_messages` for its input."""
    parts = np.split(gradient, len(around.groups) + 3, 1)
    total = parts[0].copy()
    for groups, part in zip(around.groups, parts[1:-2], strict=True):
        summed = np.add.reduceat(part[groups.order], groups.starts)
        total += summed[groups.owner] * groups.weights
    has_next = around.has_next[:, None]
    total[:-1] += parts[-2][1:] * has_next
    total[1:] += parts[-1][:-1] * has_next
    return total
