"""Joshi and Liu's article subtree: three ways of writing paragraphs, and the additional rules."""

from __future__ import annotations

import pytest

from printer.extraction.papers.article_subtree import paragraph_parents, score
from printer.html.page import Page, read_page


def text(chars: int) -> str:
    return ("lorem ipsum " * chars)[: chars - 1] + "."


def selected_texts(page: Page) -> list[str]:
    scores = score(page)
    return [segment.text for segment, value in zip(page.segments, scores, strict=True) if value > 0]


FORMS = {
    "div": "<div id=a><div>{0}</div><div>{1}</div></div>",
    "p": "<div id=a><p>{0}</p><p>{1}</p></div>",
    "br": "<div id=a>{0}<br>{1}</div>",
    "br twice": "<div id=a>{0}<br><br>{1}<br></div>",
    "br in a cell": "<table><tr><td id=a>{0}<br>{1}</td></tr></table>",
    "style elements are looked through": "<div id=a><p><b>{0}</b></p><p><i>{1}</i></p></div>",
    "an article of its own element": "<article id=a><p>{0}</p><p>{1}</p></article>",
}


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_the_parent_of_paragraphs_is_the_subtree(form: str) -> None:
    one, other = text(300), text(250)
    page = read_page(f"<body><div>menu</div>{FORMS[form].format(one, other)}<div>foot</div></body>")
    tree = page.index
    sizes = {
        page.index.elements[element].get("id"): size
        for element, size in paragraph_parents(tree).items()
    }
    assert sizes["a"] == 550
    assert selected_texts(page) == [one, other]


@pytest.mark.parametrize(("chars", "found"), [(499, False), (500, True)])
def test_the_threshold_is_500_characters(chars: int, found: bool) -> None:
    page = read_page(f"<div><p>{text(200)}</p><p>{text(chars - 200)}</p></div>")
    assert bool(selected_texts(page)) == found


def test_paragraphs_of_another_level_do_not_count() -> None:
    page = read_page(f"<div><p>{text(300)}</p><div><p>{text(300)}</p></div></div>")
    assert selected_texts(page) == []


def test_list_items_cells_and_headings_are_no_paragraphs() -> None:
    many = "".join(f"<li>{text(300)}</li><td>{text(300)}</td><h2>{text(300)}</h2>" for _ in "ab")
    assert selected_texts(read_page(f"<body><div>{many}</div></body>")) == []


def test_the_first_large_subtree_is_the_article_even_if_a_later_one_is_larger() -> None:
    first, second = [text(260), text(261)], [text(900), text(901)]
    runs = ("".join(f"<p>{text}</p>" for text in run) for run in (first, second))
    page = read_page(f"<body><div><p>short</p></div><div>{'</div><div>'.join(runs)}</div></body>")
    assert selected_texts(page) == first
    assert score(page) == (-2, 1, 1, -1, -1)


def test_lists_of_links_inside_are_taken_out_and_other_lists_stay() -> None:
    links = "<ul><li><a href=1>related one</a></li><li><a href=2>related two</a></li></ul>"
    points = "<ul><li>a point with <a href=3>a link</a></li><li>another point</li></ul>"
    page = read_page(f"<div><p>{text(400)}</p>{links}{points}<p>{text(300)}</p></div>")
    assert score(page) == (1, 0, 0, 1, 1, 1)


def test_a_paragraph_with_a_linked_name_is_not_a_list_of_links() -> None:
    page = read_page(f"<div><div><a href=1>{text(90)}</a></div><p>{text(600)}</p></div>")
    assert score(page) == (1, 1)


def test_without_a_large_subtree_nothing_is_kept() -> None:
    assert score(read_page("<p>Too little.</p>")) == (-2,)
