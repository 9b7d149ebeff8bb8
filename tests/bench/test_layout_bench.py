"""Labeled pages as a browser draws them, and floors for their extraction (benchmarks/layout.py)."""

from __future__ import annotations

import pytest

from benchmarks.layout import Sample, measure, samples, select_texts

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def captured() -> list[Sample]:
    return list(samples())


def test_every_labelled_segment_is_captured(captured: list[Sample]) -> None:
    assert len(captured) >= 30
    assert {sample.name: sample.missing for sample in captured if sample.missing} == {}


def test_extraction_stays_above_its_floors(captured: list[Sample]) -> None:
    """Use the figures of Luo et al. for their method, and our goals for the default."""
    metrics = measure(captured)
    alone, default = metrics["max-subsequence"], metrics["default"]
    assert alone.precision >= 0.916
    assert alone.recall >= 0.991
    assert default.precision >= 0.97
    assert default.recall >= 0.99


def test_no_page_is_lost_by_its_layout(captured: list[Sample]) -> None:
    for sample in captured:
        keep = select_texts(sample.page, "default")
        selected = [
            flag for flag, label in zip(keep, sample.labels, strict=True) if label == "keep"
        ]
        assert sum(selected) >= 0.9 * len(selected), sample.name
