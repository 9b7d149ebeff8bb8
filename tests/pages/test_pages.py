"""Golden pages: what each gives is what was read and accepted once (see tests/make_page.py)."""

from __future__ import annotations

import pytest

from tests.support.golden_pages import difference, expected, made, slugs


@pytest.mark.parametrize("slug", slugs())
def test_page(slug: str) -> None:
    change = difference(slug, made(slug, expected(slug)["url"]))
    assert not change, f"\n{change}\n\nRight? python tests/make_page.py --refresh {slug}"


def test_there_are_pages() -> None:
    assert len(slugs()) >= 8
