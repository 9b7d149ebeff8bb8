"""Canonical addresses: one for each page."""

from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from printer.errors import BadURL
from printer.urls import canonical_url, url_key

SAME = [
    ("HTTP://Example.ORG/a", "http://example.org/a"),
    ("http://example.org:80/a", "http://example.org/a"),
    ("https://example.org:443", "https://example.org/"),
    ("https://example.org:8443/a", "https://example.org:8443/a"),
    ("https://example.org/a/./b/../c", "https://example.org/a/c"),
    ("https://example.org/../../a/..", "https://example.org/"),
    ("https://example.org/a/%2e%2E/b", "https://example.org/b"),
    ("https://example.org/%7eann/%e4%f6", "https://example.org/~ann/%E4%F6"),
    ("https://example.org/a b", "https://example.org/a%20b"),
    ("https://example.org/100%", "https://example.org/100%25"),
    ("https://example.org/a%2Fb", "https://example.org/a%2Fb"),
    ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
    ("https://ann:secret@example.org/a", "https://example.org/a"),
    ("https://example.org/a#part", "https://example.org/a"),
    ("https://example.org/a?", "https://example.org/a"),
    ("https://example.org/a?b=2&a=1&b=1", "https://example.org/a?a=1&b=2&b=1"),
    ("https://example.org/a?utm_source=x&id=7&fbclid=9", "https://example.org/a?id=7"),
    ("https://example.org/a?PHPSESSID=0123456789abcdef", "https://example.org/a"),
    ("https://example.org/a?sid=d41d8cd98f00b204e9800998ecf8427e", "https://example.org/a"),
    ("https://example.org/a?sid=12", "https://example.org/a?sid=12"),
    ("https://example.org/a;jsessionid=1A2B?x=1", "https://example.org/a?x=1"),
    ("https://example.org/(S(lit3py55t21z5v55vlm25s55))/a.aspx", "https://example.org/a.aspx"),
    ("https://example.org/news/index.html", "https://example.org/news/"),
    ("https://example.org/index.php?id=3", "https://example.org/index.php?id=3"),
    ("https://example.org/index.php?utm_medium=x", "https://example.org/"),
    ("https://example.org/a//b", "https://example.org/a//b"),
]


@pytest.mark.parametrize(("written", "normal"), SAME, ids=[written for written, _ in SAME])
def test_an_address_is_made_normal(written, normal):
    assert canonical_url(written) == normal
    assert url_key(written) == url_key(normal)


@pytest.mark.parametrize("url", ["ftp://example.org/", "https://", "mailto:a@b", "nothing", ""])
def test_other_schemes_are_refused(url):
    with pytest.raises(BadURL):
        canonical_url(url)


piece = st.text(st.sampled_from("aB9-._~%/;=&?:@!$'()*+, éß語#"), max_size=12)
names = st.sampled_from(
    ["a", "b", "utm_x", "sid", "PHPSESSID", "s", "index.html", "..", ".", "%2e"]
)
paths = st.lists(st.one_of(piece, names), max_size=5).map("/".join)
queries = st.lists(st.tuples(names, piece).map("=".join), max_size=4).map("&".join)
hosts = st.sampled_from(["example.org", "EXAMPLE.org", "bücher.example", "127.0.0.1", "[::1]"])


@settings(deadline=None)
@given(
    st.sampled_from(["http", "HTTPS"]), hosts, st.sampled_from(["", ":80", ":443", ":8080"]),
    paths, queries,
)  # fmt: skip
def test_normal_is_normal_again_and_the_host_stays(scheme, host, port, path, query):
    url = f"{scheme}://{host}{port}/{path}?{query}"
    once = canonical_url(url)
    assert canonical_url(once) == once
    assert once.isascii()
    before, after = urlsplit(url), urlsplit(once)
    expected = before.hostname.encode("idna").decode() if not host.startswith("[") else "::1"
    assert after.hostname == expected
    default_port = {"http": 80, "https": 443}[after.scheme]
    assert (after.port or default_port) == (before.port or default_port)
    assert after.fragment == ""
    assert not {".", ".."} & set(after.path.split("/"))


values = st.text(st.sampled_from("aB9.-_~:@,"), max_size=5)
pairs_of = st.lists(st.tuples(st.sampled_from(["a", "b", "c", "page"]), values), max_size=5)


@settings(deadline=None)
@given(pairs_of, st.permutations(["a", "b", "c", "page"]))
def test_the_order_of_parameters_matters_only_for_equal_names(pairs, order):
    def url(parameters):
        return "https://example.org/a?" + "&".join("=".join(pair) for pair in parameters)

    turned = sorted(pairs, key=lambda pair: order.index(pair[0]))
    assert canonical_url(url(turned)) == canonical_url(url(pairs))
    values_of_a = [value for name, value in pairs if name == "a"]
    remaining = canonical_url(url(pairs)).partition("?")[2].split("&")
    assert [pair[2:] for pair in remaining if pair.startswith("a=")] == values_of_a
