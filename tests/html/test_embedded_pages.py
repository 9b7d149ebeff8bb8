"""Pages whose article is only in data for scripts, end to end, in every known format."""

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
MARKDOWN = "\n\n".join(
    [*LINES[:2], "## At the weir", *LINES[2:], f"* {NETS[0]}\n* {NETS[1]}", f"> {QUOTED}"]
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


def pushed(row: str) -> str:
    return f"<script>(self.f=self.f||[]).push([1,{written(row)}])</script>"


def read(source: str) -> Article:
    return extract(source, "https://example.org/weir")


def nodes(kind: str, inner: str, text: Any) -> list[dict[str, Any]]:
    """Return rich text as editors save it: one key has the type of a node, another its content."""

    def node(name: str, content: Any, **more: Any) -> dict[str, Any]:
        return {kind: name, inner: content, **more}

    return [
        *(node("paragraph", text(line)) for line in LINES[:2]),
        node("heading", text("At the weir"), level=2),
        *(node("paragraph", text(line)) for line in LINES[2:]),
        node("bulleted-list", [node("list-item", text(line)) for line in NETS]),
        node("quote", text(QUOTED)),
    ]


BLOCKS = nodes("type", "text", str)
SPANS = nodes("_type", "children", lambda line: [{"_type": "span", "text": line}])
LEAVES = nodes("nodeType", "content", lambda line: [{"nodeType": "text", "value": line}])
EDITOR = [
    *({"type": "paragraph", "data": {"text": line}} for line in LINES[:2]),
    {"type": "header", "data": {"text": "At the weir", "level": 2}},
    *({"type": "paragraph", "data": {"text": line}} for line in LINES[2:]),
    {"type": "list", "data": {"style": "unordered", "items": list(NETS)}},
    {"type": "quote", "data": {"text": QUOTED}},
]
ROWS = [
    *(["$", "p", None, {"children": line}] for line in LINES[:2]),
    ["$", "h2", None, {"children": "At the weir"}],
    *(["$", "p", None, {"children": line}] for line in LINES[2:]),
    ["$", "ul", None, {"children": [["$", "li", n, {"children": n}] for n in NETS]}],
    ["$", "blockquote", None, {"children": QUOTED}],
]
STATE = {"menu": [{"text": "Home", "to": "/"}], "post": {"id": 7, "title": "The weir"}}


def with_body(body: Any) -> dict[str, Any]:
    return {**STATE, "post": {**STATE["post"], "body": body}}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "source",
    [
        data(with_body(HTML)),
        data(with_body(html.escape(HTML))),
        data(with_body(MARKDOWN)),
        data(with_body(BLOCKS)),
        data(with_body({"root": {"children": SPANS}})),
        data(with_body({"nodeType": "document", "content": LEAVES})),
        data(with_body({"blocks": EDITOR})),
        data({"state": json.dumps(with_body(HTML))}),
        data([{"post": 1}, {"title": 2, "body": 3}, "The weir", HTML]),
        page(f"<script>window.__STATE__ = {written(with_body(HTML))};</script>"),
        page(f"<script>window['s']=JSON.parse({written(json.dumps(with_body(HTML)))})</script>"),
        page(f"<script>window.S=(function(a){{return {{body:{written(HTML)}}}}}(1))</script>"),
        page("".join(pushed(f"{n}:{json.dumps(row)}\n") for n, row in enumerate(ROWS))),
        page(pushed(f"1:T{len(HTML):x},{HTML}")),
    ],
    ids=["html", "escaped twice", "markdown", "blocks", "spans", "leaves", "editor", "packed",
         "flat", "assigned", "parsed", "called", "rows", "text row"],
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


@pytest.mark.parametrize("sign", ["![", "[", "[a](b", "*a ", "> ", "`", "<a "])
def test_markdown_that_is_hard_to_read_is_read_in_bounded_time(sign: str) -> None:
    started = time.process_time()
    read(data({"body": f"{MARKDOWN}\n\n{sign * 55_000}"[:59_000]}))
    assert time.process_time() - started < 5


def test_rich_text_keeps_its_marks_and_escapes_plain_text() -> None:
    spans = [
        {"type": "text", "text": "If a < b & b < c, then "},
        {"type": "text", "text": "surely", "marks": [{"type": "bold"}]},
        {"type": "text", "text": " a < c.", "italic": True},
    ]
    body = [{"type": "paragraph", "content": [{"type": "text", "text": line}]} for line in LINES]
    found = read(data({"doc": [*body, {"type": "paragraph", "content": spans}]}))
    last = found.blocks[-1]
    assert isinstance(last, Paragraph)
    assert [(span.text, span.marks) for span in last.spans] == [
        ("If a < b & b < c, then ", ()),
        ("surely", ("strong",)),
        (" ", ()),
        ("a < c.", ("em",)),
    ]
