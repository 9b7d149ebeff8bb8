import time
from dataclasses import asdict

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from printer.html.metadata.bylines import join_names
from printer.html.metadata.dates import parse_date
from printer.html.metadata.jsonld import parse_json, read_json_ld, read_linked_data, read_schema
from printer.html.metadata.language import language_tag
from printer.html.metadata.metadata import Metadata, read_metadata
from printer.html.metadata.titles import SiteNames, TitleHeading, choose_title
from printer.html.parse import parse

ANY = st.text(max_size=200)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY,
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from([
            "@type", "@id", "@graph", "headline", "name", "author", "publisher", "datePublished",
            "image", "url", "inLanguage", "mainEntity", "description", "@value", "creator",
        ]) | ANY,
        inner, max_size=6,
    ),
    max_leaves=30,
)  # fmt: skip
TAGS = st.sampled_from([
    "<html lang=", "<h1>", "</h1>", "<title>", "</title>", "<meta property=og:title content='",
    "'>", "<meta itemprop=datePublished content=", "<time datetime='", "<p class=byline>By ",
    "<script type='application/ld+json'>", "</script>", "<link rel=canonical href=", "{", "[", "]",
    '"@type": "Article"', '"headline":', ",", "}", "<p>", "<a rel=author>", "<base href=", ">",
    "<body dir=", "<svg>", "|", " - ", "&amp;amp;", "&#0;", "\u202e", "By ", "2024-10-17", "/*",
])  # fmt: skip


def texts_of(found: Metadata) -> dict[str, str]:
    return {name: value for name, value in asdict(found).items() if isinstance(value, str)}


def bounded(found: Metadata) -> bool:
    limits = {"lead": 1_000, "canonical": 4_000, "image": 4_000, "byline": 1_300}
    return all(len(text) <= limits.get(name, 500) for name, text in texts_of(found).items())


@given(st.lists(TAGS | ANY, max_size=40).map("".join), ANY)
@example('<a rel=author>"@type": "Article" .', "")
def test_no_page_raises(source, url):
    found = read_metadata(parse(source), url, url)
    assert bounded(found)
    for value in texts_of(found).values():
        assert value == " ".join(value.split())
        assert not any(ord(sign) < 32 or "\u202a" <= sign <= "\u202e" for sign in value)
        value.encode()
    assert found.direction in {"ltr", "rtl"}


@given(JSON)
def test_no_json_ld_raises(value):
    import json

    script = f'<script type="application/ld+json">{json.dumps(value)}</script>'
    assert bounded(read_metadata(parse(script), "https://example.org/a", "https://example.org/a"))


@given(ANY)
def test_no_text_raises(text):
    parse_json(text)
    join_names([text], "es", text)
    parse_date(text)
    language_tag(text)
    choose_title(
        text, [TitleHeading(text)], [text], SiteNames([text], text), article=False, lines=()
    )


@given(st.dates(), st.times(), st.integers(-14 * 60, 14 * 60))
def test_every_iso_date_is_read_as_it_stands(date, time_of_day, offset):
    from datetime import datetime, timedelta, timezone

    zone = timezone(timedelta(minutes=offset))
    stated = datetime.combine(date, time_of_day.replace(microsecond=0), zone)
    found = parse_date(stated.isoformat())
    if 1901 <= date.year <= 2100 and (date.month, date.day) != (1, 1):
        assert datetime.fromisoformat(found) == stated
    assert not found or datetime.fromisoformat(found) == stated


HEAD = '<script type="application/ld+json">%s</script>'
BIG = 300_000


@pytest.mark.parametrize(
    "source",
    [
        HEAD % ('{"a":' + "[" * BIG),
        HEAD % ("/*" * BIG),
        HEAD % ('"\\' * BIG),
        HEAD % ("," * BIG),
        HEAD % (", " * BIG + "x"),
        HEAD % (";" * BIG),
        HEAD % ("{}" * BIG),
        HEAD % ("&quot;" * (BIG // 4)),
        HEAD % ('{"@id":"a","@type":"Article","author":[' + '{"@id":"a"},' * (BIG // 12) + "{}]}"),
        HEAD % ('[{"@type":"Article","headline":"x"}' * (BIG // 30)),
        (HEAD % '{"@type": "Article"}') * (BIG // 60),
        "<title>" + " | " * BIG + "</title>",
        "<title>" + "a - " * BIG + "</title>",
        "<h1>" * (BIG // 4),
        "<h1><h1> " * (BIG // 8) + "x" * BIG,
        "<h1>x</h1>" + "<p class='author byline'>" * (BIG // 25),
        "<h1>x</h1>" + "<time>" * (BIG // 8) + "2" * BIG,
        "<p>" * (BIG // 4) + "x" * BIG,
        "<p> " * (BIG // 4),
        "<div> \n" * (BIG // 4),
        '<meta name="author" content="x">' * (BIG // 30),
        '<meta name="author" content="' + "a, " * BIG + '">',
        '<meta name="author" content="' + "By " * BIG + '">',
        '<meta name="' + "a " * BIG + '" content="x">',
        '<meta property="og:title" content="' + "&amp;" * BIG + '">',
        '<meta property="og:image" content="' + "http://[" * BIG + '">',
        "<html lang='" + "a-" * BIG + "'>",
        "<p>" + "й" * BIG,
        "<p>" + "a’" * BIG,
    ],
)
def test_no_page_takes_long(source):
    tree = parse(source)
    start = time.process_time()
    found = read_metadata(tree, "https://example.org/a", "https://example.org/a")
    assert time.process_time() - start < 1
    assert bounded(found)


def test_things_that_refer_to_each_other_end():
    text = (
        '<script type="application/ld+json">[{"@type": "Article", "@id": "a", "author": '
        '{"@id": "a"}, "publisher": {"@id": "b"}}, {"@id": "b", "publisher": {"@id": "a"}}]'
        "</script>"
    )
    items = read_json_ld(read_linked_data(parse(text).iter("script")))
    assert read_schema(items, ["https://example.org/a"]).authors == ()
