"""Pages whose article is only in data for scripts, end to end, whatever its form."""

from __future__ import annotations

import html
import json
import time
from typing import Any

import pytest

from printer import Article, extract
from printer.article import Heading, List, Paragraph, Quote
from printer.errors import NoArticle

LINES = [
    f"The {ordinal} line of the story tells what happened at the weir, at length, so that nobody "
    "takes it for a label. It has a second sentence too."
    for ordinal in ("first", "second", "third", "fourth")
]
NETS = ("One net of hemp, mended twice.", "Two oars.")
QUOTED = "Nobody ever came back for it, not in all the years."
HTML = (
    f"<p>{LINES[0]}</p><p>{LINES[1]}</p><h2>At the weir</h2><p>{LINES[2]}</p><p>{LINES[3]}</p>"
    f"<ul><li>{NETS[0]}</li><li>{NETS[1]}</li></ul><blockquote><p>{QUOTED}</p></blockquote>"
)


def written(data: Any) -> str:
    return json.dumps(data).replace("</", "<\\/")


def page(scripts: str) -> str:
    return (
        "<!doctype html><html lang=en><head><title>The weir | Example</title>"
        "<meta property='og:title' content='The weir'></head><body><div id=root></div>"
        "<noscript>You need to enable JavaScript to run this app.</noscript>"
        f"{scripts}</body></html>"
    )


def data(value: Any) -> str:
    return page(f"<script type='application/json'>{written(value)}</script>")


def read(source: str) -> Article:
    return extract(source, "https://example.org/weir")


STATE = {"menu": [{"text": "Home", "to": "/"}], "post": {"id": 7, "title": "The weir"}}


def with_body(body: Any) -> dict[str, Any]:
    return {**STATE, "post": {**STATE["post"], "body": body}}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "source",
    [
        data(with_body(HTML)),
        data(with_body(html.escape(HTML))),
        data([{"post": 1}, {"title": 2, "body": 3}, "The weir", HTML]),
        page(f"<script>window.__STATE__ = {written(with_body(HTML))};</script>"),
        page(f"<script>window.S=(function(a){{return {{body:{written(HTML)}}}}}(1))</script>"),
    ],
    ids=["html", "escaped twice", "flat", "assigned", "called"],
)  # fmt: skip
def test_the_story_is_read_from_data_of_any_shape(source: str) -> None:
    article = read(source)
    assert article.title == "The weir"
    *lines, quote = article.blocks
    kinds = [type(block) for block in lines]
    assert kinds == [Paragraph, Paragraph, Heading, Paragraph, Paragraph, List]
    assert isinstance(quote, Quote)
    separate = [*LINES[:2], "At the weir", *LINES[2:], "\n".join(NETS), QUOTED]
    assert article.text == "\n\n".join(separate)


@pytest.mark.parametrize(
    "source",
    [
        "<script type='application/json'>" + "[" * 100_000 + written(HTML) + "]" * 100_000,
        "<script type='application/json'>" + '{"a":' * 100_000 + written(HTML) + "}" * 100_000,
        f"<script type='application/json'>{written({'m': ['x' * 50] * 190_000, 'p': HTML})}",
        f"<script>window.s={written(with_body(HTML))[:-1]}, b: [</script>",
    ],
    ids=["deep lists", "deep objects", "ten megabytes", "broken"],
)
def test_data_however_large_or_deep_costs_bounded_time(source: str) -> None:
    started = time.process_time()
    assert LINES[3] in read(page(source + "</script>")).text
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "source",
    [
        "<script>x={</script>" * 20_000,
        "<script>window.s = " + '{"a":' * 200_000 + "</script>",
        "<script>s.push(" + '"' * 500_000 + "</script>",
        "<script>s.push('1:Tffffffff,abc')</script>" * 2_000,
        "<script>" + "a" * 1_000_000 + "=[</script>",
        "<script>throw new Error(" + json.dumps(" ".join(LINES)) + ")</script>",
        "<script type='application/json'>{}</script>",
    ],
)
def test_scripts_without_a_story_give_none(source: str) -> None:
    started = time.process_time()
    with pytest.raises(NoArticle):
        read(page(source))
    assert time.process_time() - started < 3
