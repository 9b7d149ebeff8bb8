"""What is fuzzed: functions of bytes that may raise the documented errors and nothing else.

Each target checks what must hold of what it made; an ``AssertionError`` is a find like any other.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lxml import etree

from printer import files
from printer.digest import config as digest_config
from printer.digest import feeds, mail
from printer.errors import WebprintError
from printer.export.markdown import to_markdown
from printer.extract_stage import extract, extract_article
from printer.fetch.credentials import read_cookies
from printer.html.page import read_page
from printer.html.parse import decode, parse
from printer.images.raster import UnusablePicture
from printer.images.svg import prepare_svg
from printer.options import ExtractOptions
from printer.settings import check_layer
from printer.site_rules import fulltextrss, store

URL = "https://fuzz.test/story"
_STORY = "<p>The walk led along the river, past the mill and the old bridge, until dark.</p>" * 4
_PAGE = f"<title>A walk</title><article><h1>A walk</h1>{_STORY}%s{_STORY}</article>"


def fuzz_parse(data: bytes) -> None:
    """Bytes to a tree of bounded depth."""
    tree = parse(decode(data))
    assert tree.tag == "html"
    for element in tree.iter():
        assert isinstance(element.tag, str), element.tag
    assert sum(1 for _ in tree.iter()) <= 2 * len(data) + 10


def fuzz_segments(data: bytes) -> None:
    """A page's segments: numbered in order, each leaf in one of them, none of them empty."""
    page = read_page(data, URL)
    visited = set()
    for segment in page.segments:
        assert segment.text.strip()
        for leaf in segment.leaves:
            assert leaf not in visited
            visited.add(leaf)


def fuzz_extract(data: bytes) -> None:
    """A page's article, and that article as data and as Markdown."""
    with suppress(WebprintError):
        article = extract(data, URL)
        json.dumps(article.to_dict())
        to_markdown(article).encode()


def fuzz_captions(data: bytes) -> None:
    """Pictures and captions of a page that has an article."""
    page = read_page(_PAGE.encode() % data, URL)
    with suppress(WebprintError):
        result = extract_article(page, ExtractOptions(images="all"), editable=True)
        for figure in result.article.figures:
            assert not figure.src.startswith(("file:", "javascript:"))


def fuzz_feeds(data: bytes) -> None:
    """A feed's entries, all of which are on the web."""
    with suppress(WebprintError):
        for entry in feeds.parse_feed(data, URL).entries:
            assert entry.url.startswith(("http://", "https://"))
    with suppress(WebprintError):
        feeds.parse_opml(data)


def fuzz_mail(data: bytes) -> None:
    """A mail as a page."""
    message = mail.parse_mail(data)
    assert "\n" not in message.title + message.author


def fuzz_rules(data: bytes) -> None:
    """Rules of both kinds, and what they select."""
    text = data.decode("utf-8", "replace")
    rules = (
        store.parse_rule(text, "fuzz.test", "rule"),
        store.parse_rule(f"drop = [{json.dumps(text)}]", "fuzz.test", "rule"),
        fulltextrss.parse_file(f"body: {text}\n{text}", "fuzz.test", "file", subdomains=True),
    )
    page = _PAGE % "<ul class=a><li id=b><a href=/c>x</a></ul>"
    for rule in rules:
        with suppress(WebprintError):
            extract(page, URL, rules=(rule,))


def fuzz_config(data: bytes) -> None:
    """Settings, digests and a theme's tables."""
    text = data.decode("utf-8", "replace")
    try:
        tables = files.parse_toml(text)
    except files.TomlError:
        return
    with suppress(WebprintError):
        digest_config.parse_digests(text, tables, "webprint.toml")
    with suppress(WebprintError):
        values = {key.replace("-", "_"): value for key, value in tables.items() if key != "digest"}
        check_layer("webprint.toml", values)
    from printer.themes.loader import parse_theme

    with suppress(WebprintError):
        parse_theme(tables, Path("theme.toml"))


def fuzz_cookies(data: bytes) -> None:
    """A file of cookies."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        with suppress(WebprintError):
            read_cookies(file.name)


def fuzz_drawing(data: bytes) -> None:
    """An SVG drawing made safe."""

    def refuse(source: bytes, width: float) -> bytes:
        raise UnusablePicture("no pictures here")

    with suppress(UnusablePicture):
        prepared = prepare_svg(data, refuse)  # type: ignore[arg-type]
        for element in etree.fromstring(prepared.data).iter():
            assert "script" not in str(element.tag).lower()
            for name, value in element.attrib.items():
                assert not name.startswith("on")
                inside = value.startswith(("#", "data:image/"))
                assert inside or not name.endswith(("href", "src")), value
                assert re.search(r"url\((?![\"']?#)", value) is None, value


TARGETS: dict[str, Callable[[bytes], None]] = {
    name.removeprefix("fuzz_"): target
    for name, target in list(globals().items())
    if name.startswith("fuzz_")
}
