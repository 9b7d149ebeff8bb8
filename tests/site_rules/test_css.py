"""CSS and XPath selectors: what they match, and bounded time on any page."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from printer.site_rules import css, fulltextrss
from printer.site_rules.css import ElementIndex, InvalidSelector

PAGE = """<html><body id=top class="page wide"><main>
<h1 id=h>Title</h1><p id=a class="lead big">One <b id=b>two</b></p><p id=c lang=en-GB>Three</p>
<div id=d data-kind="Ad box"><p id=e></p><ul id=u><li id=i>1<li id=j>2<li id=k>3</ul></div>
<p id=f>Four</p></main></body></html>"""


def ids(selector, page=PAGE):
    tree = ElementIndex(html.document_fromstring(page))
    return [tree.elements[place].get("id") for place in css.select(tree, selector)]


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        ("p", "a c e f"), ("#a", "a"), (".lead", "a"), ("p.lead.big", "a"), (".page.narrow", ""),
        ("main p", "a c e f"), ("main > p", "a c f"), ("h1 + p", "a"), ("#a ~ p", "c f"),
        ("p ~ p", "c f"), ("div p, h1", "h e"), ("body div li", "i j k"), ("li + li", "j k"),
        ("[lang]", "c"), ("[lang|=en]", "c"), ("[data-kind*=ad]", ""), ("[data-kind*=ad i]", "d"),
        ("[data-kind~=box]", "d"), ("[data-kind^=Ad]", "d"), ("[data-kind$=box]", "d"),
        ("li:first-child", "i"), ("li:last-child", "k"), ("li:nth-child(2)", "j"),
        ("li:nth-child(odd)", "i k"), ("li:nth-last-child(-n+2)", "j k"), ("b:only-child", "b"),
        ("p:first-of-type", "a e"), ("p:nth-of-type(2)", "c"), ("p:last-of-type", "e f"),
        ("p:empty", "e"), ("p:not(.lead)", "c e f"), ("main > :not(p)", "h d"),
        (":is(h1, li)", "h i j k"), ("div:has(li)", "d"), ("main > p:has(> b)", "a"),
        ("main > p:has(b):not(.small)", "a"), ("*:root", [None]), ("body", "top"), ("aside", ""),
    ],
)  # fmt: skip
def test_selectors_match(selector, matches):
    assert ids(selector) == (matches if isinstance(matches, list) else matches.split())


@pytest.mark.parametrize(
    ("selector", "why"),
    [
        ("", "empty"), ("p::before", "no element"), ("p:hover", ":hover"),
        ("p:nth-child(x)", "nth"),
        ("p[", "attribute"), ("p > > a", "compound"), ("a" * 301, "longer"), ("p:has(a b)", ":has"),
        ("p:not(:hover)", ":hover"), ("{}", "compound"), ("p,", "compound"),
        (":not(" * 60, "compound"),
    ],
)  # fmt: skip
def test_invalid_selectors_are_refused(selector, why):
    with pytest.raises(InvalidSelector, match=why):
        css.parse(selector)


_names = st.sampled_from(["p", "div", "li", ".a", ".b", "#x", "*", "[lang]", ":first-child"])
_joins = st.sampled_from([" ", " > ", " + ", " ~ "])


def chains():
    return st.lists(st.tuples(_joins, _names), max_size=4).flatmap(
        lambda rest: _names.map(lambda first: first + "".join(j + n for j, n in rest))
    )


def trees(depth=4):
    leaf = st.tuples(
        st.sampled_from(["p", "div", "li"]),
        st.sampled_from(["", " class=a", " class='a b'", " id=x", " lang=en"]),
    )
    return st.recursive(
        leaf.map(lambda t: f"<{t[0]}{t[1]}></{t[0]}>"),
        lambda inner: st.tuples(leaf, st.lists(inner, max_size=3)).map(
            lambda t: f"<{t[0][0]}{t[0][1]}>{''.join(t[1])}</{t[0][0]}>"
        ),
        max_leaves=12,
    )


@settings(max_examples=80, deadline=None)
@given(selector=chains(), body=trees())
def test_selections_agree_with_another_engine(selector, body):
    """WeasyPrint's matching, one element at a time, is slow on some pages and right on all."""
    import cssselect2

    root = html.document_fromstring(f"<html><body>{body}</body></html>")
    matcher = cssselect2.Matcher()
    for compiled in cssselect2.compile_selector_list(selector):
        matcher.add_selector(compiled, None)
    wrapper = cssselect2.ElementWrapper.from_html_root(root)
    expected = [e.etree_element for e in wrapper.iter_subtree() if matcher.match(e)]
    tree = ElementIndex(root)
    assert [tree.elements[place] for place in css.select(tree, selector)] == expected


def deep(levels, wide):
    return html.document_fromstring(
        "<html><body>" + "<div class=a>" * levels + "<p>x</p>" * wide + "</div>" * levels
    )


@pytest.mark.parametrize(
    "selector",
    ["div div div div div p", ".a .a > .a ~ .a", "p ~ p ~ p ~ p", "p + p + p", "div:has(p) p",
     "div:not(div div) *", "p:nth-last-child(2n+1)", ":is(div p, p ~ p)"],
)  # fmt: skip
def test_the_time_grows_with_the_page_and_no_faster(selector):
    def seconds(root):
        tree = ElementIndex(root)
        begin = time.process_time()
        css.select(tree, selector)
        return time.process_time() - begin

    small, large = deep(100, 2_000), deep(100, 20_000)
    seconds(small)
    assert seconds(large) < 50 * seconds(small) + 1.0, "it takes the square of the page"


XPATHS = [
    ("//p[@class='lead big']", "a"), ("//p[contains(@class, 'lead')]", "a"), ("//main/p[1]", "a"),
    ("//*[contains(concat(' ', normalize-space(@class), ' '), ' big ')]", "a"),
    ("//div//li[position() > 1]", "j k"), ("//p[.//b]", "a"), ("//h1/following-sibling::p[1]", "a"),
    ("//li[last()] | //h1", "h k"), ("//p[not(@id='a')]", "c e f"),
    ("//p[starts-with(., 'F')]", "f"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "matches"), XPATHS)
def test_xpath_selectors_match(path, matches):
    tree = ElementIndex(html.document_fromstring(PAGE))
    places, texts = fulltextrss.select_xpath(tree, path)
    assert [tree.elements[place].get("id") for place in places] == matches.split()
    assert texts == []


def test_xpath_that_selects_words():
    tree = ElementIndex(html.document_fromstring(PAGE))
    assert fulltextrss.select_xpath(tree, "//p/@class") == ([], ["lead big"])
    assert fulltextrss.select_xpath(tree, "substring-after(//h1, 'Ti')") == ([], ["tle"])
    assert fulltextrss.select_xpath(tree, "count(//p)") == ([], [])


@pytest.mark.parametrize(
    "path",
    ["//p[", "document('x')", "//p[id('a')]", "$x", "php:function('x')", "//p[following::b]",
     "//p[//b]", "//p[. = //h1]", "//p[count(/html//p) > 2]", "//p[..//b]", "//p[b or //b]",
     "//p[ancestor::main[.//b]//c]", "//a[.//b[.//c]]", "//p[descendant::b]", "x" * 501,
     "//p[unparsed-entity-uri('x')]", "//preceding::p", "//namespace::*"],
)  # fmt: skip
def test_xpath_that_reaches_too_far(path):
    with pytest.raises(InvalidSelector):
        fulltextrss.parse_xpath(path)


def test_large_and_wide_pages_are_too_much_for_xpath():
    tree = ElementIndex(deep(100, 3_000))
    assert len(fulltextrss.select_xpath(tree, "//div//div//p")[0]) == 3_000
    with pytest.raises(InvalidSelector, match="too many children"):
        fulltextrss.select_xpath(tree, "//p[preceding-sibling::p]")
    with pytest.raises(InvalidSelector, match="large"):
        fulltextrss.select_xpath(ElementIndex(deep(2, 31_000)), "//p")
