"""CUTER's bounds of the article, and its captions."""

from __future__ import annotations

import pytest

from printer.html.page import read_page
from printer.images.candidates import find_candidates
from printer.images.papers.cuter import (
    ArticleBounds,
    article_bounds,
    find_caption,
    nearby_segments,
)
from printer.selection import Verdict

LONG = "A sentence of the article that is long enough to be told from a menu. "
HTML = f"""<title>Rain in the valley</title><body><p>Rain in the valley</p><p>Menu</p>
<h1>Rain in the valley</h1><p>By A. Writer</p><p>{LONG}</p><p>Aside</p><p>{LONG}</p><p>More</p>"""


def borders(html: str = HTML) -> ArticleBounds | None:
    page = read_page(html)
    return article_bounds(
        page, Verdict(tuple(segment.text == LONG.strip() for segment in page.segments))
    )


def test_the_borders_are_the_latest_title_before_the_text_and_the_last_text() -> None:
    assert borders() == ArticleBounds(first=2, start=4, last=6)


@pytest.mark.parametrize(
    ("before", "inside"), [(0, False), (1, False), (2, True), (4, True), (7, True), (8, False)]
)
def test_borders_contain_the_article(before: int, inside: bool) -> None:
    found = borders()
    assert found is not None
    assert found.contains(before) is inside


def test_without_text_there_are_no_borders() -> None:
    assert borders("<p>Menu</p>") is None
    assert nearby_segments(read_page("<p>Menu</p>"), None) == range(0)


def test_pictures_may_stand_a_little_outside() -> None:
    far = f"<p>{LONG * 8}</p>"
    page = read_page(
        f"<body>{far}<p>Near</p><h1>Title</h1><p>{LONG}</p><p>Near</p>{far * 3}</body>"
    )
    keep = tuple(segment.text == LONG.strip() for segment in page.segments)
    found = article_bounds(page, Verdict(keep))
    assert found == ArticleBounds(2, 3, 3)
    assert nearby_segments(page, found) == range(1, 8)


def test_the_captions_of_a_gallery_above_the_title_are_no_distance() -> None:
    slide = f"<p>{LONG * 3} Photo: Orla Fennimoor</p>"
    html = f"<body><p>{LONG * 8}</p>{slide * 2}<h1>Title</h1><p>{LONG}</p></body>"
    page = read_page(html)
    keep = tuple(segment.text == LONG.strip() for segment in page.segments)
    assert nearby_segments(page, article_bounds(page, Verdict(keep))).start == 1


IMG = '<img src="/p.jpg" alt="Not the caption">'
CLIMBED = "A caption of more than thirty characters."


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"<div><div>{IMG}</div><div>{CLIMBED}</div></div>", CLIMBED),
        (f"<div>{CLIMBED}<br>{IMG}</div>", "Not the caption"),
        (f"<div>{IMG}<p>{CLIMBED}</p><p>{CLIMBED}</p></div>", "Not the caption"),
        (f"<div>{IMG}<p>{CLIMBED}</p><p>Short.</p></div>", CLIMBED),
        (f"<div>{IMG}<p>{CLIMBED * 5}</p></div>", "Not the caption"),
        (f"<div>{IMG}<p>Short.</p></div>", "Not the caption"),
        ('<img src="/p.jpg" alt="One" title="The longer one">', "The longer one"),
    ],
    ids=["after", "before", "two", "with a short one", "too long", "too short", "title"],
)
def test_cuter_climbs_to_one_text_after_the_picture(html: str, text: str) -> None:
    page = read_page(f"<body><p>{LONG}</p>{html}<p>{LONG}</p></body>")
    verdict = Verdict(tuple(segment.text == LONG.strip() for segment in page.segments))
    found = find_caption(page, verdict, find_candidates(page)[0])
    assert found.text == text
    assert [page.segments[i].text for i in found.segments] == ([text] if text == CLIMBED else [])
