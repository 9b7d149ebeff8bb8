import time
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.digest.feeds import MAX_ENTRIES, parse_feed
from printer.errors import FetchError

URL = "https://example.org/news/feed"

RSS = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>Harbour News</title><link>https://example.org/</link>
<item><title>Lights &amp;amp; ferries</title><link>/lights</link>
<pubDate>Mon, 05 Jan 2026 07:30:00 +0100</pubDate><description>Short.</description>
<content:encoded><![CDATA[<p>The whole text.</p>]]></content:encoded></item></channel></rss>"""

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">Harbour &lt;b&gt;News&lt;/b&gt;</title>
<link href="https://example.org/"/><link rel="self" href="/news/feed"/>
<entry><title>Lights &amp; ferries</title><link rel="alternate" href="/lights"/>
<published>2026-01-05T06:30:00Z</published><updated>2026-01-06T06:30:00Z</updated>
<author><name>Ann Example</name></author>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>The whole text.</p></div></content>
</entry></feed>"""

RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://example.org/">
<title>Harbour News</title><link>https://example.org/</link></channel>
<item rdf:about="https://example.org/lights"><title>Lights &amp; ferries</title>
<link>https://example.org/lights</link><dc:date>2026-01-05T07:30:00+01:00</dc:date>
<description>The whole text.</description></item></rdf:RDF>"""

JSON = """{"version": "https://jsonfeed.org/version/1.1", "title": "Harbour News",
"home_page_url": "https://example.org/", "items": [{"id": "1", "url": "/lights",
"title": "Lights &amp; ferries", "date_published": "2026-01-05T07:30:00+01:00",
"content_html": "<p>The whole text.</p>", "authors": [{"name": "Ann Example"}]}]}"""


@pytest.mark.parametrize("text", [RSS, ATOM, RDF, JSON], ids=["rss", "atom", "rdf", "json"])
def test_every_kind_gives_the_same(text):
    feed = parse_feed(text.encode(), URL)
    assert feed.title == "Harbour News"
    (entry,) = feed.entries
    assert (entry.url, entry.title) == ("https://example.org/lights", "Lights & ferries")
    assert entry.date == datetime(2026, 1, 5, 6, 30, tzinfo=UTC)
    assert "The whole text." in entry.html


def broken(text):
    return f'<rss version="2.0"><channel><title>News</title>{text}'.encode()


@pytest.mark.parametrize(
    ("data", "titles"),
    [
        (broken("<item><title>A & B</title><link>/a?x=1&y=2</link></item>"), ["A & B"]),
        (broken("<item><title>A&nbsp;caf&eacute;</title><link>/a</link></item>"), ["A café"]),
        (broken("<item><title>A</title><link>/a</link></item><item><title>Cut o"), ["A"]),
        (b"\n\n" + RSS.encode(), ["Lights & ferries"]),
        (RSS.replace("Lights", "Caf\xe9s").encode("latin-1"), ["Cafés & ferries"]),
        (RSS.encode("utf-16"), ["Lights & ferries"]),
        (broken("<item><title>\x0bA\x00</title><link>/a</link></item>"), ["A"]),
        (broken("<item><title>No link</title></item>"), []),
        (broken("<item><title>A</title><link>javascript:alert(1)</link></item>"), []),
    ],
    ids=["ampersand", "names", "cut off", "blank lines", "charset", "utf-16", "control", "no link",
         "script"],
)  # fmt: skip
def test_broken_feeds_are_read(data, titles):
    assert [entry.title for entry in parse_feed(data, URL).entries] == titles


@pytest.mark.parametrize("data", [b"", b"<html><p>A page</p></html>", b"{}", b"[1]", b"\x89PNG"])
def test_other_documents_are_refused(data):
    with pytest.raises(FetchError):
        parse_feed(data, URL)


def test_entities_are_not_expanded_and_files_not_read(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    bomb = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(12))
    head = f'<!DOCTYPE r [<!ENTITY e0 "ha"><!ENTITY f SYSTEM "{secret.as_uri()}">{bomb}]>'
    rss = head + RSS.split("?>")[1].replace("Short.", "&f;&e12;")
    entry = parse_feed(rss.encode(), URL).entries[0]
    assert "hunter2" not in repr(entry)
    assert len(entry.html) < 10_000


@pytest.mark.parametrize(
    "data",
    [
        broken("<a>" * 1_000_000),
        broken("& " + "<div>" * 1_000_000),
        broken("<item><link>/a</link><description><![CDATA[" + "<p>" * 1_000_000),
        broken("<item><link>/a</link><description><![CDATA[" + "<a href='x' " * 300_000),
        broken("&" * 2_000_000),
        broken("<item><title>" + "<" * 1_000_000),
        broken("<item><title>x</title><link>/a</link></item>" * 100_000),
    ],
    ids=["deep", "deep and broken", "open paragraphs", "open links", "ampersands", "angles",
         "entries"],
)  # fmt: skip
def test_feeds_that_are_traps_cost_little(data):
    began = time.process_time()
    assert len(parse_feed(data, URL).entries) <= MAX_ENTRIES
    assert time.process_time() - began < 20  # Their full price was minutes.


@given(st.binary(max_size=300), st.sampled_from([RSS, ATOM, RDF, JSON]), st.integers(0, 800))
def test_any_input_gives_entries_or_a_fetch_error(noise, text, at):
    data = text.encode()
    with suppress(FetchError):
        parse_feed(data[:at] + noise + data[at:], URL)
