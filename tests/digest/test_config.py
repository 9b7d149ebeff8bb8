import tomllib
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.digest.config import (
    add_sources,
    exclusion_reason,
    line_of,
    load_digests,
    parse_digests,
    parse_pattern,
)
from printer.digest.feeds import Subscription
from printer.errors import UsageError

GOOD = """paper = "A5"

[[digest]]
name = "morning"
title = "The Morning Paper"
schedule = "0 6 * * mon-fri"
timezone = "Europe/Paris"
age = "2d"
exclude = ["sponsored", "/^live:/"]

[[digest.source]]
feed = "https://example.org/feed.xml"
section = "News"
limit = 3

[[digest.source]]
page = "https://example.org/weather"

[[digest.deliver]]
folder = "~/Papers"

[[digest]]
name = "weekend"
source = [
    { feed = "https://example.org/long" },
    { reading-list = "later.txt", age = "1w" },
]
"""


def read(text):
    return parse_digests(text, tomllib.loads(text), "webprint.toml")


def test_a_description_is_read():
    morning, weekend = read(GOOD)
    assert (morning.heading, weekend.heading) == ("The Morning Paper", "Weekend")
    assert [source.kind for source in morning.source] == ["feed", "page"]
    assert morning.age == timedelta(days=2)
    assert weekend.source[1].age == timedelta(weeks=1)
    assert morning.deliver[0].kind == "folder"


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('age = "2d"', 'age = "soon"', 8, "duration"),
        ("limit = 3", "limit = -3", 14, "digest.source.limit"),
        ("limit = 3", "limt = 3", 14, "Did you mean limit"),
        ('"0 6 * * mon-fri"', '"at six"', 6, "cron"),
        ('"Europe/Paris"', '"Europe/Nowhere"', 7, "time zone"),
        ('"/^live:/"', '"/(/"', 9, "RE2"),
        ('page = "https', 'page = "file', 17, "address"),
        ('page = "https://example.org/weather"', "", 16, "one of feed, page"),
        ('name = "weekend"', 'name = "morning"', 23, "second digest"),
        ('name = "weekend"', 'title = "x"', 22, "name: is missing"),
        ('age = "1w"', "age = 7", 26, "duration"),
        ('folder = "~/Papers"', 'mail = "nobody"', 20, "e-mail"),
        ('folder = "~/Papers"', 'mail = "a@b.test\\nBcc: c@d.test"', 20, "e-mail"),
        ('title = "The Morning Paper"', 'title = "The\\nPaper"', 5, "one line"),
        ('folder = "~/Papers"', 'folder = "a\\u0000"', 20, "one line"),
        ('reading-list = "later.txt"', 'mail = "a\\u0000"', 26, "one line"),
        ('reading-list = "later.txt"', 'reading-list = "a\\u0000"', 26, "one line"),
    ],
)
def test_errors_name_their_line(old, new, line, message):
    assert old in GOOD
    with pytest.raises(UsageError, match=rf"webprint.toml, line {line}: .*{message}"):
        read(GOOD.replace(old, new))


def test_lines_are_found_behind_strings_and_arrays_of_several_lines():
    strings = 'a = """\n[x]\nb = 1\n"""\nc = [ # ]\n  "]", \'[\',\n]\n'
    text = strings + '[[t.u]]\n[[t.u]]\n"k e".v = { w = 1 }\n'
    tomllib.loads(text)
    assert line_of(text, ("c",)) == 5
    assert line_of(text, ("t", "u", 0)) == 8
    assert line_of(text, ("t", "u", 1, "k e", "v", "w")) == 10


@given(st.text(st.sampled_from("ab=[]{}\"'#\n\\., "), max_size=60), st.text(max_size=3))
def test_a_line_is_always_found(text, key):
    assert 1 <= line_of(text, (key, 0)) <= text.count("\n") + 1


def test_digests_do_not_disturb_the_settings(tmp_path, monkeypatch):
    from printer.settings import load_settings

    (tmp_path / "webprint.toml").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    assert load_settings({}).settings.paper == "A5"
    assert [digest.name for digest in load_digests()] == ["morning", "weekend"]


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("ferry", "The FERRY, late", True),
        ("ferry", "ferryman", False),
        ("night ferry", "the night\n ferry", True),
        ("café", "le Café.", True),
        ("C++", "in C++ again", True),
        ("港口", "新港口开放", True),
        ("ភ្នំពេញ", "ទីក្រុងភ្នំពេញថ្មី", True),
        ("/^live:/", "Live: it rains", True),
        ("/^live:/", "Not live: it rains", False),
    ],
)
def test_words_and_expressions(pattern, text, matches):
    assert parse_pattern(pattern).matches(text) is matches
    assert bool(exclusion_reason(text, (), [parse_pattern(pattern)])) is matches
    assert bool(exclusion_reason(text, [parse_pattern(pattern)], ())) is not matches


def test_an_expression_that_is_a_trap_elsewhere_costs_nothing():
    assert not parse_pattern("/(a|a)*(a*)*b/").matches("a" * 20_000)


@pytest.mark.parametrize("name", ["morning", "weekend", "new"])
def test_feeds_are_added_and_the_rest_of_the_file_stays(tmp_path, monkeypatch, name):
    path = tmp_path / "webprint.toml"
    path.write_text(f"# Mine\n{GOOD}")
    monkeypatch.chdir(tmp_path)
    before = {digest.name: len(digest.source) for digest in load_digests()}
    feeds = [Subscription("https://example.org/a", "A"), Subscription("https://example.org/b")]
    assert add_sources(feeds, name)[1] == 2
    assert add_sources(feeds, name)[1] == 0
    after = {digest.name: digest.source for digest in load_digests()}
    assert [source.feed for source in after[name][-2:]] == [feed.feed for feed in feeds]
    assert {n: len(sources) for n, sources in after.items()} == before | {
        name: before.get(name, 0) + 2
    }
    lines = path.read_text().splitlines()
    assert [line for line in lines if line in GOOD.splitlines() and line][:8] == [
        line for line in GOOD.splitlines() if line
    ][:8]
    assert lines[0] == "# Mine"
