"""Huge pages are extracted in time and memory proportional to their size."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

import printer
from printer.html import index
from printer.html.page import read_page

WORDS = "A line of a few words, no more"


def seconds(html: str) -> float:
    started = time.process_time()
    printer.extract(html)
    return time.process_time() - started


def test_a_page_nested_deep_is_read_to_its_depth() -> None:
    assert seconds(f"<div>{WORDS}. " * 5_000) < 10


def test_twice_the_page_takes_about_twice_the_time() -> None:
    paragraph = f"<p>{WORDS}, and then <a href='/a'>some</a> that are <b>marked</b>.</p>"
    seconds(paragraph * 100)
    once, twice = (min(seconds(paragraph * count) for _ in range(3)) for count in (2_000, 4_000))
    assert twice < 4 * once


def test_short_links_into_a_long_page_are_not_each_compared_with_all_of_it() -> None:
    lines = "".join(f"<p id=i{i % 7}><a href=#i{i % 7}>t{i}</a></p>" for i in range(4_000))
    assert seconds(f"<article>{lines}<p>{WORDS}.</p></article>") < 6


def test_of_a_page_with_too_many_segments_the_beginning_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(index, "MAX_SEGMENTS", 20)
    page = read_page("".join(f"<p>{WORDS} {i}, it says.</p>" for i in range(50)))
    assert page.index.truncated
    assert [segment.text for segment in page.segments] == [
        f"{WORDS} {i}, it says." for i in range(20)
    ]
    assert max(page.index.text_runs[::4]) == 19
    article = printer.extract("".join(f"<p>{WORDS} {i}, it says.</p>" for i in range(50)))
    assert article.warnings == (
        "the page is too long to be read in full; the article ends where reading stopped",
    )


def test_of_a_page_with_too_many_elements_the_beginning_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(index, "MAX_ELEMENTS", 40)
    html = "<div>" + "".join(f"<p>{WORDS} {i}, it says.</p>" for i in range(100))
    page = read_page(html)
    outline = page.index
    assert outline.truncated
    assert 30 < len(outline.elements) < 45
    # The elements around what was cut hold all of it.
    assert outline.segment_ends[:3] == [len(page.segments)] * 3
    assert outline.subtree_ends[:3] == [len(outline.elements)] * 3
    assert printer.extract(html).warnings


def test_no_element_counts_a_segment_that_was_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "MAX_SEGMENTS", 20)
    html = "<ul>" + "".join(f"<li><a href='/{i}'>{WORDS} {i}</a></li>" for i in range(50))
    page = read_page(html)
    assert max(page.index.segment_ends) == len(page.segments)


def test_elements_after_a_cut_are_removed_from_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "MAX_ELEMENTS", 40)
    html = "<div>" + "".join(f"<p>{WORDS} {i}, it says.</p>" for i in range(100)) + "</div><ol>"
    page = read_page(f"<title>A title</title>{html}<meta name=author content='Ann Example'>")
    assert [element.tag for element in page.tree.iter("p", "ol")] == page.index.tags.count("p") * [
        "p"
    ]
    # The complete page names its author.
    assert page.metadata.byline == "Ann Example"


def test_a_page_that_is_read_whole_is_not_cut() -> None:
    page = read_page(f"<p>{WORDS}</p>tail")
    assert not page.index.truncated
    assert page.index.subtree_ends[0] == len(page.index.elements)


def test_extraction_alone_loads_nothing_that_prints_fetches_or_serves() -> None:
    heavy = ("weasyprint", "playwright", "httpx2", "jinja2", "typer", "pydantic", "PIL")
    script = (
        "import sys, printer\n"
        f"printer.extract('<p>{WORDS}. ' * 20)\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
