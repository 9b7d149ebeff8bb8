import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.errors import BadURL
from printer.urls import (
    add_scheme,
    ascii_host,
    encode_url,
    host_of,
    normalize_url,
    origin_of,
    origins_of,
    resolve,
    strip_userinfo,
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("example.org", "https://example.org/"),
        ("example.org/x?y=1#z", "https://example.org/x?y=1#z"),
        ("//example.org/x", "https://example.org/x"),
        ("  https://Example.ORG/A b ", "https://example.org/A%20b"),
        ("HTTP://example.org:80/", "http://example.org/"),
        ("https://example.org:8443/", "https://example.org:8443/"),
        ("localhost:8000/x", "http://localhost:8000/x"),
        ("http://bücher.test/ä?ö=ü", "http://xn--bcher-kva.test/%C3%A4?%C3%B6=%C3%BC"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("https://example.org/a%20b%2F", "https://example.org/a%20b%2F"),
        ("https://example.org/\n\tlong", "https://example.org/long"),
        ("http://2130706433/", "http://2130706433/"),
        ("http:\\\\example.org\\a?b\\c", "http://example.org/a?b%5Cc"),
    ],
)
def test_an_address_is_made_whole(written: str, meant: str) -> None:
    assert normalize_url(written) == meant


@pytest.mark.parametrize(
    "nonsense",
    [
        "",
        "   ",
        "htp:/x",
        "http:/x",
        "http:///x",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://example.org/x",
        "mailto:a@example.org",
        "page",
        "http://exa mple.org/",
        "http://[::1/",
        "http://example.org:99999/",
        "http://example.org:x/",
        "http://a\x00b/",
        "http://%31%32/",
        "https://example.org/" + "x" * 20_000,
    ],
)
def test_nonsense_is_refused_in_one_line(nonsense: str) -> None:
    with pytest.raises(BadURL) as caught:
        normalize_url(nonsense)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("link", "meant"),
    [
        ("\\\\other.test\\a.png", "http://other.test/a.png"),
        ("http:\\\\other.test\\a.png#b\\c", "http://other.test/a.png#b\\c"),
        ("..\\a.png", "http://example.org/a.png"),
        ("/\\other.test/a.png", "http://other.test/a.png"),
        ("\\/\t\\other.test\\a.png", "http://other.test/a.png"),
        ("\x01///other.test/a.png?\\", "http://other.test/a.png?\\"),
        ("https:\\\\\\other.test", "https://other.test"),
        ("https:/\\good.test\\@other.test/", "https://good.test/@other.test/"),
        ("data:,a\\b", "data:,a\\b"),
    ],
)
def test_backslashes_of_a_link_are_slashes_as_in_browsers(link: str, meant: str) -> None:
    schemes = frozenset({"http", "https", "data"})
    assert resolve("http://example.org/x/y", link, schemes) == meant
    assert host_of("http://example.org\\@other.test/") == "example.org"


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(BadURL) as caught:
        normalize_url("https://ann:hunter2@example.org/x")
    assert "hunter2" not in str(caught.value)
    assert "--user" in str(caught.value)


def test_a_page_s_link_loses_its_password() -> None:
    assert encode_url("https://ann:hunter2@example.org/x") == "https://example.org/x"


def test_origins_compare_with_their_port() -> None:
    assert origin_of("http://Example.org/x") == origin_of("http://example.org:80/y")
    assert origin_of("http://example.org/") != origin_of("https://example.org/")
    assert str(origin_of("http://[::1]:81/x")) == "http://[::1]:81"


def test_who_names_http_names_https_as_well() -> None:
    named = origins_of(
        ["http://example.org/x", "page.html", "page.test", "http://example.net:8000/"]
    )
    assert {str(where) for where in named} == {
        "http://example.org",
        "https://example.org",
        "http://example.net:8000",
        "https://page.test",
    }


@given(st.text(max_size=80))
def test_any_text_is_an_ascii_address_or_refused(text: str) -> None:
    try:
        url = normalize_url(text)
    except BadURL:
        return
    assert url.isascii()
    assert url.startswith(("http://", "https://"))
    assert " " not in url
    assert normalize_url(url) == url


@pytest.mark.parametrize(
    ("host", "ascii_name"),
    [("straße.de", "xn--strae-oqa.de"), ("BÜCHER.example", "xn--bcher-kva.example")],
)
def test_hosts_are_converted_by_idna_2008(host: str, ascii_name: str) -> None:
    assert ascii_host(host) == ascii_name
    assert host_of(f"https://{host}/a") == ascii_name
    assert origin_of(f"https://{host}/a").host == ascii_name


def test_a_host_that_is_not_valid_is_none() -> None:
    assert host_of("https://a b/") == host_of("mailto:a@b") == host_of("https://[x/") == ""
    with pytest.raises(ValueError, match="host name"):
        ascii_host("a b")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("example.org/story", "https://example.org/story"),
        ("example.org:8443/story", "https://example.org:8443/story"),
        ("example.org:443", "https://example.org:443"),
        ("example.org:8000?a", "http://example.org:8000?a"),
        ("localhost", "http://localhost"),
        ("localhost.example.org", "https://localhost.example.org"),
        ("127.0.0.1:8791/page.html", "http://127.0.0.1:8791/page.html"),
        ("10.0.0.1.example.org", "https://10.0.0.1.example.org"),
        ("[::1]:8000/x", "http://[::1]:8000/x"),
        ("jo:pass@192.168.1.9/x", "http://jo:pass@192.168.1.9/x"),
    ],
)
def test_an_address_without_scheme_gets_the_likely_one(text, url):
    assert add_scheme(text) == url


@pytest.mark.parametrize(
    "url", ["https://ann:s3cret@example.org/a@b", "https://ann:s3@cret@example.org/a@b"]
)
def test_a_message_has_no_part_of_a_password(url: str) -> None:
    assert strip_userinfo(url) == "https://example.org/a@b"
