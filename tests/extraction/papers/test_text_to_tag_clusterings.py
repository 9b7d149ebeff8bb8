"""The clusterings of tag ratios: small cases computed by hand, and deterministic results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.extraction.papers.text_to_tag import (
    cluster_by_em,
    cluster_by_farthest_first,
    cluster_by_k_means,
    cluster_by_prediction,
    cluster_by_threshold,
    farthest_first_centers,
)

VALUES = st.lists(st.floats(0, 1e4), max_size=30)


def column(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)[:, None]


def test_the_threshold_is_one_standard_deviation() -> None:
    values = np.array([0.0, 0, 0, 8])
    assert cluster_by_threshold(values) == pytest.approx(values - np.sqrt(12))


def test_farthest_first_starts_at_the_origin_and_goes_where_no_centre_is() -> None:
    assert farthest_first_centers(column(9, 1, 5, 2), 3).ravel().tolist() == [1, 9, 5]
    margin = cluster_by_farthest_first(column(9, 1, 5, 2), 3)
    assert margin.tolist() == [8, -4, 4, -2]


def test_k_means_moves_centres_to_the_means() -> None:
    # From 0 and 10: {0, 1, 2} around 1, {8, 10} around 9.
    margin = cluster_by_k_means(column(0, 1, 2, 8, 10), 2)
    assert margin.tolist() == [-8, -8, -6, 6, 8]


def test_k_means_can_hold_a_centre_at_the_origin() -> None:
    margin = cluster_by_k_means(column(1, 2, 8, 10), 2, fixed_origin=True)
    assert margin.tolist() == [-7, -5, 7, 9]


def test_expectation_maximisation_separates_two_clusters() -> None:
    low, high = [0.0, 0.5, 1.0, 0.2, 0.7], [20.0, 22.0, 21.0]
    margin = cluster_by_em(column(*low, *high), 2)
    assert (margin > 0).tolist() == [False] * 5 + [True] * 3


def test_prediction_cuts_at_jumps_and_keeps_the_high_stretch() -> None:
    ratios = np.array([0.0] * 8 + [50.0] * 8 + [0.0] * 8)
    margin = cluster_by_prediction(ratios, 2)
    assert margin == pytest.approx(ratios - ratios.mean())


def test_a_page_of_equal_lines_has_no_cluster_of_content() -> None:
    same = column(3, 3, 3)
    for margin in (
        cluster_by_k_means(same, 3),
        cluster_by_farthest_first(same, 3),
        cluster_by_em(same, 3),
    ):
        assert (margin <= 0).all()


@given(VALUES)
def test_every_point_gets_one_finite_margin_and_the_same_again(values: list[float]) -> None:
    points, array = column(*values), np.array(values)
    for cluster in (cluster_by_farthest_first, cluster_by_k_means, cluster_by_em):
        margin = cluster(points, 3)
        assert margin.shape == (len(values),)
        assert np.isfinite(margin).all()
        assert (margin == cluster(points, 3)).all()
    assert np.isfinite(cluster_by_prediction(array, 2)).all()


@given(VALUES)
def test_a_larger_ratio_never_makes_content_less_likely_for_centres(values: list[float]) -> None:
    points = column(*sorted(values))
    for margin in (cluster_by_farthest_first(points, 3), cluster_by_k_means(points, 3)):
        selected = margin > 0
        assert (np.diff(selected.astype(int)) >= 0).all()
