"""Bylines and dates that belong to the page, not to one entry of a list."""

from __future__ import annotations

import pytest

from printer.compose import article_metadata
from printer.html.page import read_page
from printer.selection import Verdict

HEAD = "<title>Harbour tales</title><meta name=author content='Anna Reed'>"
DATED = "<h1>Harbour tales</h1><p>3 May 2024</p><p>The boats came home before the storm.</p>"
ENTRIES = "".join(
    f"<h2>Tale {day}</h2><p>{day} May 2024</p><p>The boats went out and came home again.</p>"
    for day in range(3, 8)
)


def byline_and_date(head: str, body: str, kind: str) -> tuple[str, str]:
    page = read_page(f"<html><head>{head}</head><body>{body}</body></html>".encode())
    metadata = article_metadata(page, Verdict((True,) * len(page.segments), kind=kind))
    return metadata.byline, metadata.published


@pytest.mark.parametrize("kind", ["article", "documentation", "forum"])
def test_a_page_with_one_date_has_a_byline(kind):
    assert byline_and_date(HEAD, DATED, kind) == ("Anna Reed", "2024-05-03")


@pytest.mark.parametrize("kind", ["product", "collection"])
def test_products_have_none(kind):
    assert byline_and_date(HEAD, DATED, kind) == ("", "")


@pytest.mark.parametrize("kind", ["listing", "service"])
def test_that_of_an_entry_is_not_the_page_s(kind):
    assert byline_and_date(HEAD, ENTRIES, kind) == ("", "")


@pytest.mark.parametrize(("type_", "byline"), [("article", "Anna Reed"), ("website", "")])
def test_a_page_of_entries_must_say_that_it_is_an_article(type_, byline):
    head = f"{HEAD}<meta property=og:type content={type_}>"
    body = "<h1>Harbour tales</h1><p>The boats came home before the storm.</p>"
    assert byline_and_date(head, body, "service") == (byline, "")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("<p>3.5.2024 - The boats came home before the storm.</p>", "2024-05-03"),
        ("<p>KESTER, 3 May 2024 (Agency) The boats came home.</p>", "2024-05-03"),
        ("<p>KESTER (3 May 2024). The boats came home.</p>", "2024-05-03"),
        ("<p>Kester, den 3. Mai 2024</p>", "2024-05-03"),
        ("<p>On May 3, 2024 - a calm day - the boats came home.</p>", ""),
        ("<p>3 May 1924: the boats come home before the storm.</p>", ""),
    ],
)
def test_the_date_with_which_the_text_begins_is_the_page_s(lines, expected):
    text = f"{lines}<p>The pilot had seen the clouds at noon, and nobody had believed him.</p>" * 2
    assert byline_and_date("", f"<div>{text}</div>", "article")[1] == expected
    assert byline_and_date("", f"<div>{text}</div>", "product")[1] == ""
