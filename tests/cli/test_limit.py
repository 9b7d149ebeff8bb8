"""A print from Python ends in bounded time, and leaves no process behind."""

import os
from pathlib import Path

import pytest

from printer import print_pages
from printer.errors import RenderError

PAGE = f"<title>A day</title><h1>A day</h1>{'<p>The tide comes in and goes out again. ' * 40}"


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    return str(path)


def children():
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def test_a_print_that_takes_too_long_is_ended(page):
    before = children()
    with pytest.raises(RenderError, match="longer than 0 s"):
        print_pages(page, limit=0.0)
    assert children() == before


@pytest.mark.parametrize("limit", [None, 300.0])
def test_a_print_in_time_is_made(page, limit):
    before = children()
    result = print_pages(page, limit=limit)
    assert result.pages == 1
    assert result.report.printed.words == result.report.article.words
    assert children() == before
