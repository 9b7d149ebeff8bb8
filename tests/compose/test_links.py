"""Targets of links: the fast way of joining addresses agrees with the standard library."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer import extract
from printer.compose.footnotes import InternalTargets, LinkResolver
from printer.html.page import read_page
from tests.support.story_page import SENTENCE, story_page

_PIECES = st.sampled_from(["/", "//", "a", "b.c", ".", "..", "?", "&d", "=", "%20", ";", ":", "é"])


@given(st.lists(_PIECES, max_size=9).map("".join))
@pytest.mark.parametrize("base", ["https://example.org/x/y?z", "http://example.org:81/"])
def test_a_link_is_joined_to_the_address_of_the_page(base: str, href: str) -> None:
    page = read_page("<p>text", base)
    found = LinkResolver(page, InternalTargets()).resolve("/a" + href)
    assert found == urlsplit(urljoin(base, "/a" + href)).geturl()


@pytest.mark.parametrize("url", [None, ""])
def test_a_page_without_an_address_keeps_the_absolute_links(url: str | None) -> None:
    links = '<p>See <a href="/nets">our nets</a> and <a href="https://b.test/x">theirs</a>.</p>'
    article = extract(story_page(extra=links + "<p>" + SENTENCE), url)
    spans = [span for block in article.blocks for span in getattr(block, "spans", ())]
    assert {span.href for span in spans if span.href} == {"https://b.test/x"}


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("http://bücher.test:81/ä#ö", {"http://xn--bcher-kva.test:81/ä#ö"}),
        ("//name@straße.test/", {"https://name@xn--strae-oqa.test/"}),
        ("https://b.test/ä", {"https://b.test/ä"}),
        ("https://ü..test/", set()),
        ("mailto:name@bücher.test", {"mailto:name@bücher.test"}),
        ("/\\b.test\\x", {"https://b.test/x"}),
        ("\\\\b.test/x?\\", {"https://b.test/x?\\"}),
        ("https://b.test\\@other.test/", {"https://b.test/@other.test/"}),
    ],
)
def test_the_host_of_a_link_is_that_of_browsers(href: str, expected: set[str]) -> None:
    link = f'<p>See <a href="{href}">them</a>.</p><p>{SENTENCE}'
    article = extract(story_page(extra=link), "https://example.org/")
    spans = [span for block in article.blocks for span in getattr(block, "spans", ())]
    assert {span.href for span in spans if span.href} == expected


@pytest.mark.parametrize(
    ("text", "href", "expected"),
    [
        ("https://b.test/nets/20 ... _dry.html", "https://b.test/nets/2024/how_to_dry.html", ""),
        (
            "b.test/nets/20…dry.html",
            "https://b.test/nets/2024/dry.html",
            "b.test/nets/2024/dry.html",
        ),
        ("https://b.test/nets/...", "https://b.test/nets/" + "x" * 300, "https://b.test/nets/..."),
        ("https://b.test/nets…", "https://short.test/1", "https://b.test/nets…"),
        ("and so on ...", "https://b.test/and", "and so on ..."),
    ],
)
def test_a_shortened_address_is_printed_whole(text: str, href: str, expected: str) -> None:
    article = extract(story_page(extra=f"<p>See <a href='{href}'>{text}</a>.</p><p>{SENTENCE}"), "")
    links = [s for block in article.blocks for s in getattr(block, "spans", ()) if s.href]
    assert [link.text for link in links] == [expected or href]
