"""Properties of every method: any page gives one finite, reproducible number per segment."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.errors import UsageError
from printer.extraction import select_segments
from printer.extraction.extract import PAPER_METHODS, score_segments
from printer.html.page import read_page
from printer.options import ExtractOptions

TAGS = (
    "p", "div", "span", "a href=1", "br", "hr", "td", "table", "tr", "ul", "li", "h1", "b", "svg",
    "script", "select", "option", "noscript", "font size=7", "small", "article", "pre", "img",
    "p style='font-size:3em;color:red'", "div style='display:none'", "template", "textarea", "form",
    "body", "html",
)  # fmt: skip
HTML = st.lists(
    st.one_of(
        st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag.split()[0]}>" for tag in TAGS]),
        st.sampled_from(["One, two. ", "。", "word " * 60, "&nbsp;", "<title>One</title>"]
        ),
        st.text(max_size=8),
    ),
    max_size=40,
).map("".join)  # fmt: skip


@given(HTML)
def test_any_page_gives_one_finite_number_per_segment(html: str) -> None:
    page = read_page(html)
    scores = score_segments(page)
    assert set(scores) == set(PAPER_METHODS)
    for name, values in scores.items():
        assert len(values) == len(page.segments), name
        assert all(type(value) is float and math.isfinite(value) for value in values), name
    assert score_segments(read_page(html)) == scores


@pytest.mark.parametrize(
    ("name", "hint"),
    [("max-sequence", "Did you mean max-subsequence?"), ("x", "There are default, article-")],
)
def test_an_unknown_name_is_refused_with_a_known_one(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match=f"'{name}'") as caught:
        select_segments(read_page("<p>x"), ExtractOptions(extractor=name))
    assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize(
    "html",
    [
        "<div>a, b.<p>" * 20_000,
        "<p>Some words, and <a href=1>a link</a>.</p>" * 20_000,
        "<ul><li><a href=1>x</a>" * 5_000 + f"<p>{'word ' * 300}</p>",
        "<svg></svg>text, <br>" * 20_000,
        "<font size=+1><p>x" * 5_000,
    ],
    ids=["nested", "long", "nested lists", "elements left out", "nested fonts"],
)
def test_hostile_pages_take_a_moment(html: str) -> None:
    page = read_page(html)
    before = time.process_time()
    scores = score_segments(page)
    # Some hundredths of a second in truth; a method with quadratic cost would take minutes.
    assert time.process_time() - before < 3
    assert {len(values) for values in scores.values()} == {len(page.segments)}
