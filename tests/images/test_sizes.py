"""Which sizes a picture may have: CUTER's, and those of icons and banners."""

from __future__ import annotations

import pytest

from printer.images.selection import CUTER_LIMITS, ICON_LIMITS


@pytest.mark.parametrize(
    ("width", "height", "accepted"),
    [
        (300, 270, True), (150, 150, True), (149, 300, False), (300, 149, False),
        (728, 90, False), (600, 160, False), (525, 150, True), (526, 150, False),
    ],
)  # fmt: skip
def test_the_papers_limits(width: int, height: int, accepted: bool) -> None:
    assert (not CUTER_LIMITS.reject_reason(width, height)) is accepted
    assert (not CUTER_LIMITS.reject_reason(height, width)) is accepted
    assert (not CUTER_LIMITS.reject_reason(width, height, 2048)) is accepted
    assert "2047 bytes" in CUTER_LIMITS.reject_reason(300, 270, 2047)


@pytest.mark.parametrize(
    ("width", "height", "size", "why"),
    [
        (1, 1, 43, "too small (1 x 1 pixels)"),
        (99, 99, 9000, "too small (99 x 99 pixels)"),
        (900, 2, 500, "too small (900 x 2 pixels)"),
        (728, 90, 40_000, "shaped like a banner (728 x 90 pixels)"),
        (160, 600, 40_000, "shaped like a banner (160 x 600 pixels)"),
        (1000, 110, 40_000, "shaped like a banner (1000 x 110 pixels)"),
        (100, 100, 900, "too small a file (900 bytes)"),
        (120, 90, 4000, ""),
        (800, 400, 900, ""),
        (300, 250, 20_000, ""),
        (400, 60, 3000, ""),
    ],
    ids=["pixel", "icon", "rule", "leaderboard", "skyscraper", "long strip", "flat icon",
         "thumbnail", "diagram", "small photograph", "formula"],
)  # fmt: skip
def test_files_over_the_icon_limits_have_a_reason(
    width: int, height: int, size: int, why: str
) -> None:
    assert ICON_LIMITS.reject_reason(width, height, size) == why
