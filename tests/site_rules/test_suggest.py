"""Selectors suggested for elements that a user points at."""

import pytest
from lxml import html

from printer.site_rules.css import ElementIndex, Suggester, is_steady, select


@pytest.mark.parametrize(
    "name", ["newsletter", "related-posts", "c-promo__box", "AdBox", "h2o", "article_body"]
)
def test_names_that_people_write(name):
    assert is_steady(name)


@pytest.mark.parametrize(
    "name",
    ["css-1x2y3z", "sc-bdVaJa1", "post-48213", "ad_2024_05", "a b", "", "x" * 50, "1st", "is:on",
     "active", "lazyloaded", "aXbYcZdWeQ", "ctl00_main"],
)  # fmt: skip
def test_names_that_machines_write(name):
    assert not is_steady(name)


PAGE = """<html><body><article><p>One</p><p>Two</p>
<div class="css-9a8b7c promo" id="box-12345"><h2>Buy</h2><p>It</p></div>
<div class="css-9a8b7c"><section role=note><b>Note</b></section></div>
<ul class=tags><li>a<li>b</ul><p class="x'y">Odd</p></article></body></html>"""


def suggested(path):
    tree = ElementIndex(html.document_fromstring(PAGE))
    places = {
        f"b{n}": place for n, place in enumerate(
            place for place, element in enumerate(tree.elements)
            if element.tag in ("p", "h2", "b", "li")
        )
    }  # fmt: skip
    (target,) = select(tree, path)
    name = next(name for name, place in places.items() if place == target)
    suggestions = Suggester(tree, places).suggest(name)
    for suggestion in suggestions:
        assert name in suggestion.covers
        assert suggestion.count == len(select(tree, suggestion.selector))
    return [suggestion.selector for suggestion in suggestions]


def test_the_steadiest_comes_first():
    assert suggested(".promo > p")[:2] == [".promo > p", "div.promo > p"]
    assert ".promo" in suggested(".promo > p")
    assert suggested("section b")[0] == 'section[role="note"] > b'
    assert suggested("li:first-child")[0] == ".tags > li"


def test_a_picture_is_named_with_all_its_versions():
    page = "<div class=lead><picture><source srcset=/a.webp><source srcset=/a.png><img src=/a.png>" \
        "</picture></div>"  # fmt: skip
    tree = ElementIndex(html.document_fromstring(page))
    places = {"b1": next(n for n, element in enumerate(tree.elements) if element.tag == "img")}
    assert Suggester(tree, places).suggest("b1")[0].selector == ".lead > picture"


def test_where_nothing_is_steady_there_is_no_selector():
    assert suggested("article > p:first-child") == []
    assert suggested("article > p:last-child") == []
