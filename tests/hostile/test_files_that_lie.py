"""Files from strangers: settings, rules, cookies, themes, lists of feeds, mails, feeds.

They try to crash, to hang and to fill the memory of whoever reads them, and to have files read.
A file that cannot be used ends with an error of one line that names it.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from printer.crawl.robots import parse_sitemap
from printer.digest import config as digest_config
from printer.digest import feeds, mail
from printer.errors import NoArticle, UsageError, WebprintError
from printer.fetch.credentials import read_cookies, read_storage_state
from printer.settings import LoadedSettings, Settings, load_settings
from printer.site_rules import fulltextrss
from printer.site_rules import store as rules
from printer.themes import loader
from tests.support.hostile_pages import check_pdf, hostile_page, print_page, result_or_error

DEEP = 100_000

#: TOML that no parser should be asked twice.
TOML: dict[str, Callable[[], str]] = {
    "arrays nested deep": lambda: "theme = " + "[" * DEEP,
    "arrays nested deep and closed": lambda: "drop = " + "[" * DEEP + "]" * DEEP,
    "tables nested deep": lambda: "theme = " + "{a=" * DEEP,
    "a key of 100,000 parts": lambda: "a." * DEEP + "a = 1",
    "a number of 100,000 digits": lambda: "dpi = " + "9" * DEEP,
    "a day that is none": lambda: "theme = 2024-99-99T99:99:99",
    "a sign that is none": lambda: 'theme = "\\ud800 \\U99999999"',
    "100,000 keys": lambda: "\n".join(f"k{n} = 1" for n in range(DEEP)),
    "a string of 10 MB": lambda: f'theme = "{"x" * 10**7}"',
    "NUL": lambda: 'theme = "a\0b"',
    "infinity": lambda: "timeout = inf\ndpi = nan",
    "another kind of everything": lambda: "\n".join(f"{n} = [{{}}]" for n in Settings.model_fields),
}  # fmt: skip


@pytest.mark.parametrize("attack", TOML)
def test_settings(attack: str, tmp_path: Path) -> None:
    os.chdir(tmp_path)
    Path("webprint.toml").write_text(TOML[attack](), "utf-8")
    for read in (lambda: load_settings({}), digest_config.load_digests):
        outcome = result_or_error(read)
        assert isinstance(outcome, UsageError | tuple | LoadedSettings)
    assert isinstance(result_or_error(lambda: load_settings({})), UsageError)


@pytest.mark.parametrize("attack", TOML)
def test_rules_for_a_site(attack: str, tmp_path: Path) -> None:
    (tmp_path / "site.test.toml").write_text(TOML[attack](), "utf-8")
    read = rules.RuleStore((tmp_path,))("https://site.test/x")
    assert all(rule.faults and len(rule.faults[0]) < 2000 for rule in read)
    assert read


@pytest.mark.parametrize("attack", TOML)
def test_a_theme(attack: str, tmp_path: Path) -> None:
    (tmp_path / "theme.toml").write_text(TOML[attack](), "utf-8")
    assert isinstance(result_or_error(lambda: loader.load_theme(f"{tmp_path}/")), UsageError)


SELECTORS: dict[str, Callable[[], str]] = {
    "not in not": lambda: ":not(" * 20_000 + "p" + ")" * 20_000,
    "is in is": lambda: ":is(p," * 20_000,
    "has of has": lambda: ":has(" * 50 + "p" + ")" * 50,
    "a chain without end": lambda: "div " * 30_000 + "p",
    "choices without end": lambda: "p," * 50_000 + "p",
    "the nth of a huge number": lambda: f"p:nth-child({'9' * 50_000}n+{'9' * 50_000})",
    "an attribute without end": lambda: "[a=" + "'" * 10_000,
    "escapes": lambda: "\\" * 50_000 + "\\110000 \\0 \\d800 ",
}


@pytest.mark.parametrize("attack", SELECTORS)
def test_a_selector(attack: str, tmp_path: Path) -> None:
    rule = rules.parse_rule(f"drop = [{json.dumps(SELECTORS[attack]())}]", "site.test", "rule")
    from printer import ExtractOptions

    html = hostile_page("<div>" * 300 + "<p>x</p>" * 300)
    result = print_page(html, extract=ExtractOptions(rules=(rule,)), format="json")
    assert b"herons" in result.data


PATHS: dict[str, Callable[[], str]] = {
    "brackets": lambda: "//" + "(" * 20_000 + "p" + ")" * 20_000,
    "conditions": lambda: "//p" + "[1]" * 20_000,
    "conditions in conditions": lambda: "//p[" * 20_000 + "1" + "]" * 20_000,
    "everything of everything": lambda: "//*//*//*//*//*//*[count(//*) > 1]",
    "above and below": lambda: "/ancestor::*/descendant::*" * 40,
    "a file": lambda: "document('file:///etc/passwd')",
    "a function of another language": lambda: "re:test(., '(a+)+$')",
    "words of words": lambda: "//p[contains(" + "concat(" * 5_000 + "., .))]",
}


@pytest.mark.parametrize("attack", PATHS)
def test_a_site_file(attack: str) -> None:
    lines = f"body: {PATHS[attack]()}\nstrip: {PATHS[attack]()}\n"
    rule = fulltextrss.parse_file(lines, "reader.test", "file", subdomains=False)
    from printer import ExtractOptions

    html = hostile_page("<div>" * 200 + "<p>x</p>" * 300)
    options = ExtractOptions(rules=(rule,))
    result = print_page(html, extract=options, format="json")
    assert b"herons" in result.data
    assert b"root:" not in result.data


COOKIES: dict[str, Callable[[], bytes]] = {
    "a line without end": lambda: b"# Netscape HTTP Cookie File\n" + b"a" * 10**7,
    "tabs": lambda: b"# Netscape HTTP Cookie File\n" + b"\t" * 10**6,
    "a header in a value": lambda: (
        b"# Netscape HTTP Cookie File\nsite.test\tFALSE\t/\tFALSE\t0\tname\tvalue\rX-Forged: yes\n"
    ),
    "a time of a million digits": lambda: (
        b"# Netscape HTTP Cookie File\n"
        b"site.test\tFALSE\t/\tFALSE\t" + b"9" * 10**6 + b"\tname\tvalue\n"
    ),
    "100,000 cookies": lambda: (
        b"# Netscape HTTP Cookie File\n" + b"site.test\tFALSE\t/\tFALSE\t0\tname\tvalue\n" * DEEP
    ),
    "a picture": lambda: b"\x89PNG\r\n\x1a\n" + bytes(1000),
}
HARMLESS_COOKIES = {"tabs": 0, "100,000 cookies": 1}


@pytest.mark.parametrize("attack", COOKIES)
def test_cookies(attack: str, tmp_path: Path) -> None:
    file = tmp_path / "cookies.txt"
    file.write_bytes(COOKIES[attack]())
    outcome = result_or_error(lambda: read_cookies(str(file)))
    if attack in HARMLESS_COOKIES:
        assert len(outcome) == HARMLESS_COOKIES[attack]
    else:
        assert isinstance(outcome, UsageError)


def test_cookies_that_never_end() -> None:
    assert isinstance(result_or_error(lambda: read_cookies("/dev/zero")), UsageError)


def test_a_style_sheet_that_never_ends() -> None:
    assert isinstance(result_or_error(Settings(css="/dev/zero").print_options), UsageError)


STATES: dict[str, Callable[[], str]] = {
    "nested deep": lambda: '{"cookies":' * DEEP,
    "nested deep and closed": lambda: "[" * DEEP + "]" * DEEP,
    "another kind": lambda: "[1, 2]",
    "a header in a cookie": lambda: json.dumps(
        {"cookies": [{"name": "a\r\nX: y", "value": "b\nc", "domain": "site.test"}]}
    ),
    "a time that is none": lambda: (
        '{"cookies": [{"name": "a", "value": "b", "domain": "site.test", "expires": 1e999}]}'
    ),
    "a number of a million digits": lambda: '{"cookies": ' + "9" * 10**6 + "}",
    "an origin that is a file": lambda: '{"origins": [{"origin": "file:///etc/passwd"}]}',
}


@pytest.mark.parametrize("attack", STATES)
def test_the_state_of_a_browser(attack: str, tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    file.write_text(STATES[attack]())
    assert isinstance(result_or_error(lambda: read_storage_state(str(file))), UsageError)


# ---- what digests read ----

LISTS: dict[str, Callable[[], bytes]] = {
    "outlines nested deep": lambda: b"<opml><body>" + b"<outline text='a'>" * DEEP,
    "a million attributes": lambda: b"<opml><body><outline "
    + b" ".join(b"a%d='x'" % n for n in range(10**5)) + b"/>",
    "entities of entities": lambda: b"<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>"
    + b"".join(b"<!ENTITY a%d '%s'>" % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 20))
    + b"]><opml><body><outline text='&a19;' xmlUrl='http://&a19;'/></body></opml>",
    "a file": lambda: b"<!DOCTYPE x [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>"
    b"<opml><body><outline text='&f;' xmlUrl='http://x.test/&f;'/></body></opml>",
    "100,000 feeds": lambda: b"<opml><body>"
    + b"".join(b"<outline xmlUrl='http://f%d.test/'/>" % n for n in range(50_000)),
    "schemes": lambda: b"<opml><body><outline xmlUrl='file:///etc/passwd'/>"
    b"<outline xmlUrl='jar:http://x/!/'/><outline xmlUrl='javascript:1'/></body></opml>",
    "zeros": lambda: bytes(10**6),
}  # fmt: skip


@pytest.mark.parametrize("attack", LISTS)
def test_a_list_of_feeds(attack: str) -> None:
    outcome = result_or_error(lambda: feeds.parse_opml(LISTS[attack]()))
    assert isinstance(outcome, WebprintError) == (attack == "zeros")
    if attack != "zeros":
        assert len(outcome) <= 2_000
        assert all(entry.feed.startswith(("http://", "https://")) for entry in outcome)
        assert not any("root:" in repr(entry)[:5000] for entry in outcome)


_HTML = b"Content-Type: text/html; charset=utf-8\r\n\r\n<p>Words</p>"

MAILS: dict[str, Callable[[], bytes]] = {
    "parts in parts": lambda: b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n)
        for n in range(5_000)
    ) + _HTML,
    "lines in parts in parts": lambda: b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(200)
    ) + _HTML + b"x\n" * 10**6,
    "mails in mails": lambda: b"Content-Type: message/rfc822\r\n\r\n" * 5_000 + _HTML,
    "brackets in a header": lambda: b"Subject: " + b"(" * DEEP + b"\r\nFrom: " + b"(" * DEEP
    + b"\r\nMessage-ID: " + b"<" * DEEP + b"\r\nDate: " + b"(" * DEEP + b"\r\n" + _HTML,
    "addresses without end": lambda: b"From: " + b"a <a@b.test>, " * 20_000 + b"\r\n" + _HTML,
    "a type of brackets": lambda: b"Content-Type: " + b"(" * DEEP + b"text/html\r\n\r\nwords",
    "parameters without end": lambda: b"Content-Type: text/html"
    + b"".join(b"; charset*%d*=utf-8''x" % n for n in range(20_000)) + b"\r\n\r\nwords",
    "words in other charsets": lambda: b"Subject: " + b"=?utf-7?q?+ADw-script+AD4-?= " * 5_000
    + b"\r\n" + _HTML,
    "a charset that is slow": lambda: b"Content-Type: text/html; charset=punycode\r\n\r\n"
    + b"a-" * 10**6 + b"z" * 10**6,
    "a charset that is another": lambda: b"Content-Type: text/plain; charset=idna\r\n\r\n"
    + b"xn--a." * 10**6,
    "a header of 10 MB": lambda: b"Subject: " + b"x" * 10**7 + b"\r\n" + _HTML,
    "a million headers": lambda: b"X: y\r\n" * 10**6 + _HTML,
    "100,000 folded lines": lambda: b"Subject: x" + b"\r\n x" * DEEP + b"\r\n" + _HTML,
    "pictures that are one": lambda: b"Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\n"
    b"Content-Type: text/html\r\n\r\n" + b"<img src='cid:a'>" * DEEP
    + b"\r\n--b\r\nContent-Type: image/png\r\nContent-ID: <a>\r\n"
    b"Content-Transfer-Encoding: base64\r\n\r\n" + b"A" * 10**6 + b"\r\n--b--",
    "a picture type that breaks out": lambda: b"Content-Type: multipart/related; boundary=b\r\n\r\n"
    b"--b\r\nContent-Type: text/html\r\n\r\n<p>Words</p><img src='cid:a'>\r\n--b\r\n"
    b"Content-Type: image/png'onerror='alert(1)\r\nContent-ID: <a>\r\n\r\nx\r\n--b--",
    "a date that is none": lambda: b"Date: Mon, 99 Foo 99999999999 99:99:99 +999999999\r\n" + _HTML,
    "uuencoded": lambda: b"Content-Transfer-Encoding: x-uuencode\r\n\r\nbegin 666 /etc/passwd\r\n"
    + b"#" * 10**6,
    "zeros": lambda: bytes(10**6),
}  # fmt: skip
MAILS_WITHOUT_TEXT = {"parts in parts", "lines in parts in parts", "mails in mails"}


@pytest.mark.parametrize("attack", MAILS)
def test_a_mail(attack: str) -> None:
    message = mail.parse_mail(MAILS[attack]())
    assert message.url.startswith("mid:")
    assert len(message.title) <= 300
    assert "\n" not in message.title + message.author + message.url
    if len(message.capture.body) < 10**5:
        outcome = result_or_error(lambda: print_page(message.capture))
        if attack in MAILS_WITHOUT_TEXT:
            assert isinstance(outcome, NoArticle)
        else:
            check_pdf(outcome)


def test_mails_that_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(b"Subject: A letter\r\n" + _HTML)
    (tmp_path / "gone.eml").symlink_to("nowhere")
    (tmp_path / "itself.eml").symlink_to("itself.eml")
    (tmp_path / "endless.eml").symlink_to("/dev/zero")
    (tmp_path / "folder.eml").mkdir()
    os.mkfifo(tmp_path / "pipe.eml")
    assert [found.title for found in mail.read_mail_folder(tmp_path)] == ["A letter"]


_FEED = b"<rss version='2.0'><channel><title>F</title>%b</channel></rss>"

FEEDS: dict[str, Callable[[], bytes]] = {
    "dates that are slow": lambda: _FEED
    % (b"<item><link>http://x.test/</link><pubDate>%b</pubDate></item>" % (b"1" * 10**6)),
    "items in items": lambda: _FEED % (b"<item>" * DEEP),
    "a million attributes": lambda: _FEED
    % (b"<item %b/>" % b" ".join(b"a%d='x'" % n for n in range(DEEP))),
    "many categories": lambda: _FEED
    % (b"<item>%b</item>" % b"".join(b"<Category>%d</Category>" % n for n in range(40_000))),
    "many keywords": lambda: _FEED
    % (b"<keywords>%b</keywords>" % b",".join(b"%d" % n for n in range(40_000))),
    "an author without end": lambda: _FEED
    % (b"<item><author>%b</author></item>" % (b"1-" * DEEP)),
    "two million elements": lambda: _FEED % (b"<item/>" + b"<a/>" * 1_900_000),
    "many texts of one item": lambda: _FEED
    % (b"<item>" + b"<content:encoded>x</content:encoded>" * 200_000),
    "ampersands": lambda: _FEED % (b"<item><title>" + b"&" * 10**6 + b"</title></item>"),
    "CDATA in CDATA": lambda: _FEED % (b"<![CDATA[" * DEEP),
    "namespaces": lambda: b"<rss %b>" % b" ".join(b"xmlns:n%d='u%d'" % (n, n) for n in range(DEEP)),
    "JSON nested deep": lambda: b'{"version":"https://jsonfeed.org/version/1","items":' + b"[" * DEEP,
    "a JSON number": lambda: b'{"version":"https://jsonfeed.org/version/1","items":[{"url":'
    + b"9" * 10**6 + b"}]}",
    "JSON of other kinds": lambda: b'{"version":"https://jsonfeed.org/version/1","title":[],'
    b'"items":[1,null,{"url":{}},{"url":"http://x.test/","authors":{"a":1},"title":[[]]}]}',
    "a script for a link": lambda: _FEED
    % b"<item><link>javascript:alert(1)</link><title>a</title></item>"
    b"<item><link>file:///etc/passwd</link></item><item><link>jar:http://x!/</link></item>",
    "schemes in Atom": lambda: b"<feed xmlns='http://www.w3.org/2005/Atom' xml:base='file:///'>"
    b"<entry><link href='etc/passwd'/></entry><entry><link href='data:text/html,x'/></entry></feed>",
    "a charset that is slow": lambda: b"<?xml version='1.0' encoding='punycode'?>" + b"a-" * 10**6,
}  # fmt: skip
NO_FEEDS = {"JSON nested deep", "a JSON number", "a charset that is slow"}


@pytest.mark.parametrize("attack", FEEDS)
def test_a_feed(attack: str) -> None:
    charset = "punycode" if "charset" in attack else ""
    outcome = result_or_error(
        lambda: feeds.parse_feed(FEEDS[attack](), "https://site.test/feed", charset)
    )
    assert isinstance(outcome, WebprintError) == (attack in NO_FEEDS)
    if attack not in NO_FEEDS:
        assert all(entry.url.startswith(("http://", "https://")) for entry in outcome.entries)


SITEMAPS: dict[str, Callable[[], bytes]] = {
    "many addresses of one page": lambda: (
        b"<urlset><url>" + b"<loc>https://site.test/</loc>" * DEEP
    ),
    "pages in pages": lambda: b"<urlset>" + b"<url><loc>https://site.test/</loc>" * DEEP,
    "12 million elements": lambda: gzip.compress(
        b"<urlset><url><loc>https://site.test/</loc></url>" + b"<a/>" * 12_000_000, 1
    ),
    "7 million pages": lambda: gzip.compress(
        b"<urlset><url><loc>https://site.test/</loc></url>" + b"<url/>" * 7_000_000, 1
    ),
}


@pytest.mark.parametrize("attack", SITEMAPS)
def test_a_sitemap(attack: str) -> None:
    assert parse_sitemap(SITEMAPS[attack]()).pages == ("https://site.test/",)
