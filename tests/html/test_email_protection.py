"""Mail addresses that pages encode against harvesters."""

from __future__ import annotations

import pytest

from printer.html.page import read_page


def hidden(address: str, key: int = 0x5A) -> str:
    return bytes([key, *(sign ^ key for sign in address.encode())]).hex()


@pytest.mark.parametrize("tag", ["a", "span"])
def test_an_address_reads_as_it_is(tag: str) -> None:
    encoded = hidden("anna@marl.example")
    page = read_page(
        f"<p>Write to <{tag} href='/x#1' data-cfemail='{encoded}'>[email&#160;protected]</{tag}>."
    )
    assert [segment.text for segment in page.segments] == ["Write to anna@marl.example."]
    assert page.tree.xpath("//a/@href") == ["mailto:anna@marl.example"] * (tag == "a")


def test_a_link_around_an_address_leads_to_it() -> None:
    span = f"<span data-cfemail='{hidden('anna@marl.example')}'>[hidden]</span>"
    page = read_page(
        f"<p>See <a href='/cdn-cgi/l/email-protection#1'>{span}</a>, <a href=/b>{span}"
    )
    assert page.tree.xpath("//a/@href") == ["mailto:anna@marl.example", "/b"]


@pytest.mark.parametrize(
    "encoded",
    ["", "zz", "5a5", hidden("no address"), hidden("a@b\n.example"), hidden("<b>@x.example")],
)
def test_text_that_is_no_address_is_unchanged(encoded: str) -> None:
    page = read_page(f"<p>Write to <a data-cfemail='{encoded}'>[hidden]</a> today.")
    assert page.segments[0].text == "Write to [hidden] today."
