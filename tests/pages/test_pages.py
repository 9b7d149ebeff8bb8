"""Golden pages: each gives the article that was reviewed and accepted (tests/support/golden_pages.py)."""

from __future__ import annotations

import pytest

from tests.support.golden_pages import actual, difference, expected, slugs


@pytest.mark.parametrize("slug", slugs())
def test_page(slug: str) -> None:
    change = difference(slug, actual(slug, expected(slug)["url"]))
    assert not change, (
        f"\n{change}\n\nIf this is right: python -m tests.support.golden_pages --refresh {slug}"
    )


def test_there_are_golden_pages() -> None:
    assert len(slugs()) >= 8
