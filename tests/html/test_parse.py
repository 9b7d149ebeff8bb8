"""Parsing: complete for every page, bounded for hostile ones."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import HtmlElement

from printer.html.parse import MAX_ATTRIBUTES, MAX_DEPTH, base_url, parse


def words(tree: HtmlElement) -> list[str]:
    return " ".join(tree.itertext()).split()


def depth(tree: HtmlElement) -> int:
    deepest, stack = 0, [(tree, 1)]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        stack.extend((child, level + 1) for child in node)
    return deepest


def test_text_after_the_end_of_the_document_is_kept() -> None:
    tree = parse(
        "<html lang=en><body><header>one</header></body></html>\n<div>two<p>three</div> four"
        "</body></html><html><body class=again><p>five</p></body></html><p>six</html>seven<i>eight"
    )
    assert " ".join(words(tree)) == "one two three four five six seven eight"
    body = tree.find("body")
    assert body is not None
    assert words(body) == words(tree)
    assert [child.tag for child in tree] == ["body"]


def test_reads_shadow_roots_as_content_and_templates_as_none() -> None:
    tree = parse(
        "<x-card><template shadowrootmode=open><p>shown</template></x-card><template>not</template>"
    )
    assert [t.text for t in tree.iter("template")] == ["not"]
    assert tree.findtext(".//x-card/div/p") == "shown"


def test_moves_streamed_content_to_its_places() -> None:
    tree = parse(
        "<p>a</p><template id=B:0></template><p>d<ul><li>e<template id=P:2></template>g</ul>"
        "<div hidden id=S:2><b>f</b></div>"
        "<div hidden id=S:0>b<template id=P:1></template></div><div hidden id=S:1><p>c</div>"
        "<div hidden id=S:4><template id=B:4></template>not</div><template id=B:5></template>"
    )
    assert "".join(tree.xpath("//text()[not(ancestor::div)]")) == "abcdefg"
    assert tree.xpath("string(//div[@id='S:4'])") == "not"
    assert len(parse("<div id=S:0><template id=B:0></template></div>").xpath("//template")) == 1


def test_streamed_content_elsewhere_stays() -> None:
    tree = parse("<div><template id=B:0></template></div><div hidden id=S:0>Offers</div>")
    assert tree.xpath("string(//div[@id='S:0'])") == "Offers"


def test_many_places_within_each_other_cost_little() -> None:
    part = "<div hidden id=S:{}><ul><template id=P:{}></template></ul></div>".format
    parts = "".join(part(n, n + 1) for n in range(5000))
    tree = parse(f"<p>a</p><template id=B:0></template>{parts}")
    deepest = max(sum(1 for _ in place.iterancestors()) for place in tree.iter("template"))
    assert MAX_DEPTH - 2 <= deepest <= MAX_DEPTH


def test_reads_nul_bytes_and_controls_as_nothing() -> None:
    tree = parse("<p>a\0b<p cla\0ss='q\x01'>c\x08</body>\uffffd")
    assert words(tree) == ["ab", "c", "d"]
    assert tree.find(".//p[@class='q']") is not None


def test_the_main_content_is_outside_an_unclosed_navigation() -> None:
    tree = parse(
        "<body><header><nav><ul><li><a>Menu</a><div><ul><li>More</ul></nav></header>"
        "<main><p>Text</main><footer>Imprint</footer></body>"
    )
    assert [element.tag for element in tree.find("body")] == ["header", "main", "footer"]
    assert words(tree) == ["Menu", "More", "Text", "Imprint"]


@pytest.mark.parametrize("source", ["", " ", "\0", "<", "<!--", "<!doctype html>", "<frameset>"])
def test_gives_a_tree_for_pages_with_nothing_in_them(source: str) -> None:
    assert parse(source).tag == "html"


@pytest.mark.parametrize(
    "unit", ["<div>", "<span>", "<p><font><b>x ", "<table><tr><td>", "<ul><li>", "<b><p>"]
)
def test_bounds_depth_without_losing_text(unit: str) -> None:
    tree = parse(unit * 20_000 + "inside" + "</div>" * 10 + "<p>end")
    assert depth(tree) <= 2048
    assert words(tree)[-2:] == ["inside", "end"] or words(tree)[-1] == "insideend"


def test_text_of_a_page_nested_100_000_deep_comes_through() -> None:
    started = time.process_time()
    source = "".join(f"<div>w{i} " for i in range(100_000)) + "</div>" * 100_000 + "<p>end</p>"
    tree = parse(source)
    assert words(tree) == [f"w{i}" for i in range(100_000)] + ["end"]
    assert depth(tree) <= MAX_DEPTH
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "before",
    [
        "",
        '<!-- <a b=" -->',
        '<p ">',
        "<titles>",
        '<script>if (a<b="x)</script>',
        '<title><a b="</title>',
    ],
)
@pytest.mark.parametrize("value", ["", '=">"', "='</div>'"])
def test_an_element_with_very_many_attributes_takes_linear_time(before: str, value: str) -> None:
    # The parser's own tree would take about half a minute.
    many = " ".join(f"a{i}{value}" for i in range(150_000))
    started = time.process_time()
    tree = parse(f'{before}<div {many}>inside</div>" end')
    assert time.process_time() - started < 8
    assert words(tree)[-1] == "end"
    assert max(len(element.attrib) for element in tree.iter()) <= MAX_ATTRIBUTES


@pytest.mark.parametrize("many", [10, 12_000])
def test_text_after_the_end_of_wide_documents_is_kept(many: int) -> None:
    wide = " ".join(f"a{i}" for i in range(many))
    before = "first " * 40_000
    page = f"<html><body><p>{before}<p {wide}>wide</p></body></html><html><body><p>after"
    tree = parse(page)
    assert words(tree)[-2:] == ["wide", "after"]
    assert len(words(tree)) == 40_002


@given(st.lists(st.sampled_from(["<p>", "</p>", "<b>", "</body>", "<body>", "<head>", "</div>", "<div>", "<td>", "x ", "<!--",
    "-->", "<a href='", "'>", "<script>", "</script>", "&amp", "\0", "</html>", "<svg>", "\ud800",
    "\uffff", "<html>", "&#x", "&#xFFFE;", "FFFE;",
]), max_size=40).map("".join))  # fmt: skip
def test_any_markup_gives_a_tree_with_all_text_in_its_head_or_body(source: str) -> None:
    tree = parse(source)
    assert tree.tag == "html"
    assert [part.tag for part in tree if isinstance(part.tag, str)] in (["body"], ["head", "body"])
    assert not any((text or "").strip() for text in (tree.text, *(part.tail for part in tree)))


@pytest.mark.parametrize(
    "part", ["<b>y</b></html>", "y</html><html>", "<p>y</p></body></html><html><body>"]
)
def test_many_ends_of_a_page_take_linear_time(part: str) -> None:
    before = time.process_time()
    tree = parse("<html><body>x</body></html>" + part * 50_000)
    assert time.process_time() - before < 3
    assert len("".join(tree.find("body").itertext())) == 50_001


def test_a_reference_that_the_removal_of_another_completes_is_no_character() -> None:
    assert words(parse("a</body>&#x&#xFFFE;FFFE;b")) == ["a\ufffdb"]


@pytest.mark.parametrize(
    ("base", "url", "expected"),
    [
        ("", "https://example.org/a/b", "https://example.org/a/b"),
        ("/c/", "https://example.org/a/b", "https://example.org/c/"),
        ("https://other.test/", "https://example.org/", "https://other.test/"),
        ("javascript:alert(1)", "https://example.org/a", "https://example.org/a"),
        ("http://[bad", "https://example.org/a", "https://example.org/a"),
        ("file:///etc/", "https://example.org/a", "https://example.org/a"),
    ],
)
def test_base(base: str, url: str, expected: str) -> None:
    assert base_url(parse(f"<base href='{base}'><p>x" if base else "<p>x"), url) == expected


def test_names_no_element_can_have_do_not_stop_a_page_cut_to_depth() -> None:
    tree = parse(f"<p ='x' {{y='z' id=p>one<x\"y'z>two</x\"y'z>{'<div>' * 3000}three")
    assert words(tree) == ["one", "two", "three"]
    assert tree.find(".//p").get("id") == "p"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<title>A</title><article><p>x</p></article>", "x"),
        ("<html><head><title>A</title></head><main><p>x</p></main>y<p>z</p></html>", "xyz"),
        ("<title>A</title><meta name=a><section>x</section>y<p>z</p>", "xyz"),
        ("<section>x</section>y<body>z</body>", "xyz"),
        ("<head><title>A</title></head><body>v</body> w<p>x</p>y<body><b>z</b></body>", "vwxyz"),
        ("<body>v</div></body> w<p>x</p>y</body></html><b>z</b>", "vwxyz"),
        ("<p>v</body>w<li>x</li></body>y</html><head></head><body>z</html>", "vwxyz"),
    ],
)
def test_all_text_but_the_title_is_in_the_body_in_order(source: str, text: str) -> None:
    tree = parse(source)
    head, body = tree.find("head"), tree.find("body")
    assert "".join(words(body)) == text
    assert head is None or "".join(head.itertext()) in {"", "A"}


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("<h2><p class=a>One <b>two</b></p></h2><p>three", ["One two"]),
        ("<H2 id=b>\n<P>One</P>\n<P>two</P></H2><p>three", ["One", "two"]),
        ("<h2>One<p>two</h2><p>three", ["Onetwo"]),
    ],
)
def test_a_heading_contains_its_paragraphs(source: str, lines: list[str]) -> None:
    tree = parse(source)
    [heading] = tree.iter("h2")
    for line_break in heading.iter("br"):
        line_break.text = "|"
    assert "".join("".join(heading.itertext()).split("\n")).split("|") == lines
    assert [paragraph.text for paragraph in tree.iter("p")] == ["three"]


def test_a_script_that_looks_like_an_empty_element_contains_its_code() -> None:
    tree = parse("<p>one</p><script type='text/javascript'/>two('<b>')</script><p>three</p>")
    assert [script.text for script in tree.iter("script")] == ["two('<b>')"]
    tree = parse("<script src='a.js' /><p>one</p><script>two</script><p>three</p>")
    assert [paragraph.text for paragraph in tree.iter("p")] == ["one", "three"]


@pytest.mark.parametrize("unit", ["<h1>", "<h1", "<h1><p>", "<script/>", "<script ", "</p >"])
def test_repeated_headings_and_scripts_take_linear_time(unit: str) -> None:
    started = time.process_time()
    parse(unit * (300_000 // len(unit)))
    assert time.process_time() - started < 1.5
