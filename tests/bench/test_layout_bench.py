"""Labelled pages as the browser draws them, and the quality held on them (benchmarks/layout.py)."""

from __future__ import annotations

import pytest

from benchmarks.layout import Sample, chosen, measure, samples

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def captured() -> list[Sample]:
    return list(samples())


def test_all_that_is_to_be_printed_is_captured_segment_by_segment(captured: list[Sample]) -> None:
    assert len(captured) >= 30
    assert {sample.name: sample.missing for sample in captured if sample.missing} == {}


def test_the_quality_reached_is_held(captured: list[Sample]) -> None:
    """Floors: what Luo et al. report for their method, and what is asked of the default."""
    found = measure(captured)
    alone, default = found["max-subsequence"], found["default"]
    assert alone.precision >= 0.916
    assert alone.recall >= 0.991
    assert default.precision >= 0.97
    assert default.recall >= 0.99


def test_no_page_is_lost_by_its_layout(captured: list[Sample]) -> None:
    for sample in captured:
        keep = chosen(sample.page, "default")
        wanted = [flag for flag, label in zip(keep, sample.labels, strict=True) if label == "keep"]
        assert sum(wanted) >= 0.9 * len(wanted), sample.name
