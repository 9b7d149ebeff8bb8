"""The networks: messages between segments, storage and training."""

from __future__ import annotations

import numpy as np

from benchmarks import train_networks as training
from benchmarks.model_file import network_arrays
from printer.extraction.classifier.network import NetworkEnsemble, SegmentGraph

PAGES = np.array([0, 0, 0, 1, 1])
KEYS = np.array([7, 9, 7, 7, 8])
SIZES = np.array([1.0, 4.0, 9.0, 1.0, 1.0])


LIKELY = np.array([0.5, 1.0, 0.5, 0.2, 0.8])


def test_groups_exchange_means_weighed_by_the_root_of_their_words() -> None:
    values = np.array([[4.0], [1.0], [8.0], [0.0], [2.0]])
    keys = KEYS + 100 * PAGES
    around = SegmentGraph.build([keys], SIZES, LIKELY, PAGES)
    same, kin, page, article, before, after = training.gather_messages(around, values).T
    assert same.tolist() == [4, 1, 8, 0, 2]
    assert kin.tolist() == [7, 1, 7, 0, 2]  # (1 * 4 + 3 * 8) / 4
    assert np.allclose(page, [5, 5, 5, 1, 1])  # (1 * 4 + 2 * 1 + 3 * 8) / 6
    assert np.allclose(article, [4, 4, 4, 1.6, 1.6])  # (0.5 * 4 + 2 * 1 + 1.5 * 8) / 4
    assert before.tolist() == [0, 4, 1, 0, 0]
    assert after.tolist() == [1, 8, 0, 2, 0]


def cases(count: int = 12) -> list[training.Case]:
    """Return pages whose segments belong to the article if their first feature is set."""
    draw = np.random.default_rng(5)
    networks = []
    for _ in range(count):
        size = int(draw.integers(3, 9))
        rows = draw.normal(size=(size, 6)).astype(np.float32)
        answers = (rows[:, 0] + rows[:, 0].mean() > 0).astype(np.float32)
        sizes = draw.integers(1, 40, size).astype(np.float32)
        likely = draw.random(size).astype(np.float32)
        keys = (np.arange(size) // 2,)
        networks.append(training.Case(rows, sizes, likely, keys, answers, sizes, 0.0))
    return networks


def loss(learned: list[np.ndarray], batch: training._Batch) -> float:
    inner, inner_bias, outer, outer_bias, last = learned
    near = np.maximum(batch.rows @ inner + inner_bias, 0)
    far = np.maximum(training.gather_messages(batch.around, near) @ outer + outer_bias, 0)
    odds = np.column_stack([near, far, np.ones(len(near))]) @ last
    cross = float((batch.weights * (np.logaddexp(0, odds) - batch.answers * odds)).sum())
    chance = 1 / (1 + np.exp(-odds))
    worth = []
    for page, lost in enumerate(batch.lost):
        here = batch.pages == page
        size, answer = batch.sizes[here], batch.answers[here]
        both = (size * (chance[here] + answer)).sum() + 1 + lost
        worth.append(1 - 2 * (size * chance[here] * answer).sum() / both)
    return (1 - training._PAGE) * cross + training._PAGE * float(np.mean(worth))


def test_gradients_are_those_of_the_loss(monkeypatch) -> None:
    monkeypatch.setattr(training, "_DROPPED", 0.0)
    monkeypatch.setattr(training, "_DECAY", 0.0)
    some = cases(3)
    batch = training._batch(some, np.zeros(6), np.ones(6))
    draw = np.random.default_rng(1)
    units = training.HIDDEN
    parts = training.gather_messages(batch.around, np.zeros((len(batch.rows), 1))).shape[1]
    shapes = [(6, units), (units,), (units * parts, units), (units,), (2 * units + 1,)]
    learned = [draw.normal(size=shape) / 8 for shape in shapes]
    found = training._gradients(learned, batch, draw)
    for value, gradient in zip(learned, found, strict=True):
        at = np.unravel_index(int(np.argmax(np.abs(gradient))), gradient.shape)
        step = 1e-6
        value[at] += step
        high = loss(learned, batch)
        value[at] -= 2 * step
        low = loss(learned, batch)
        value[at] += step
        assert np.isclose((high - low) / (2 * step), gradient[at], rtol=1e-3)


def test_networks_learn_and_come_back_from_their_file(monkeypatch) -> None:
    monkeypatch.setattr(training, "EPOCHS", 120)
    monkeypatch.setattr(training, "_BATCH", 30)
    taught = cases(40)
    learned = training.train(taught, 2)
    again = NetworkEnsemble.load(network_arrays("networks", learned), "networks")
    right = []
    for case in taught:
        pages = np.zeros(len(case.sizes), np.intp)
        around = SegmentGraph.build(case.keys, case.sizes, case.likely, pages)
        for original, loaded in zip(
            learned.predict(case.rows, around), again.predict(case.rows, around), strict=True
        ):
            assert np.allclose(original, loaded, atol=0.02)
            right += ((original > 0.5) == (case.answers > 0.5)).tolist()
    assert np.mean(right) > 0.9


def test_the_same_cases_give_the_same_networks(monkeypatch) -> None:
    monkeypatch.setattr(training, "EPOCHS", 2)
    one, other = (network_arrays("n", training.train(cases(4))) for _ in range(2))
    assert all(np.array_equal(one[name], other[name]) for name in one)
