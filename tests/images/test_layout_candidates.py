"""Pictures as a browser draws them: sizes, current addresses, CSS backgrounds, columns."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

import pytest
from PIL import Image

from printer.capture import PictureBox, Rect
from printer.fetch.browser.browser import Browser
from printer.fetch.ssrf import Guard
from printer.html.page import Page, read_page
from printer.images import select_by_method
from printer.images.candidates import ArticleColumn, article_column, find_candidates
from printer.images.selection import PictureSelection
from printer.options import FetchOptions
from printer.selection import Verdict
from tests.support.web_server import WebServer

pytestmark = pytest.mark.browser

TEXT = (
    "Ada Fenwick, the mayor of Kestermouth, said on the quay that the ferry would be sold. The "
    "boat had crossed the river for forty years, and nobody in Kestermouth thought it would end. "
)
STYLE = """body { margin: 0; width: 1000px } main { float: left; width: 600px }
    aside { float: right; width: 300px } .wide { width: 600px }
    .hero { height: 300px; background: url(/hero.png) } .dot { width: 20px; height: 20px }"""


@pytest.fixture(scope="module")
def drawn() -> Iterator[tuple[Browser, WebServer]]:
    with WebServer() as web, Browser(FetchOptions(timeout=20), Guard([web.url])) as browser:
        for name, size in (("hero", (1200, 600)), ("photo", (900, 600)), ("late", (800, 500))):
            file = BytesIO()
            Image.new("RGB", size, "teal").save(file, "PNG")
            web.add(f"/{name}.png", file.getvalue(), media_type="image/png")
        yield browser, web


def draw(drawn: tuple[Browser, WebServer], body: str) -> tuple[Page, Verdict]:
    browser, web = drawn
    source = f"<!DOCTYPE html><html lang=en><style>{STYLE}</style><body>{body}"
    capture = browser.capture(web.add("/page", source))
    assert capture.layout is not None
    page = read_page(capture.body, capture.url, capture.source.charset, capture.layout)
    return page, Verdict(tuple("mayor of Kestermouth" in segment.text for segment in page.segments))


def selected_files(choice: PictureSelection) -> list[str]:
    return [picture.candidate.best.url.rpartition("/")[2] for picture in choice.selected]  # type: ignore[union-attr]


def test_the_drawn_size_counts_and_not_the_attributes(drawn: tuple[Browser, WebServer]) -> None:
    page, _ = draw(
        drawn,
        "<main><img class=wide src=/photo.png width=10 height=10><img class=dot src=/late.png>"
        "<img src=/lost.png width=400 height=300></main>",
    )
    sizes = [
        (candidate.width, candidate.height, candidate.natural_width)
        for candidate in find_candidates(page)
    ]
    assert sizes[0] == (600, 10, 900)
    assert sizes[1] == (20, 20, 800)
    assert sizes[2][:2] == (400, 300)


def test_a_style_sheets_background_is_a_picture(drawn: tuple[Browser, WebServer]) -> None:
    page, verdict = draw(
        drawn,
        f"<main><article><h1>The ferry</h1><figure class=wide><div class=hero></div><figcaption>"
        f"The ferry at dawn.</figcaption></figure><p>{TEXT}</p><p>{TEXT}</p>"
        f'<p class="hero">{TEXT}</p></article></main>',
    )
    backgrounds = [
        candidate for candidate in find_candidates(page) if candidate.kind == "background"
    ]
    assert [(background.width, background.height) for background in backgrounds] == [(600, 300)], (
        "not under text"
    )
    choice = select_by_method(page, verdict)
    assert "hero.png" in selected_files(choice)
    assert choice.selected[0].caption.text == "The ferry at dawn."


def test_an_address_set_by_a_script_is_used(drawn: tuple[Browser, WebServer]) -> None:
    page, verdict = draw(
        drawn,
        f"<main><article><h1>The ferry</h1><p>{TEXT}</p><figure><img id=i alt='The ferry'>"
        f"<figcaption>The ferry at noon.</figcaption></figure><p>{TEXT}</p></article></main>"
        "<script>document.getElementById('i').src = '/late.png'</script>",
    )
    assert selected_files(select_by_method(page, verdict)) == ["late.png"]


def test_a_picture_in_another_column_is_not_the_articles(
    drawn: tuple[Browser, WebServer],
) -> None:
    inside = "<figure><img src=/photo.png class=wide><figcaption>The ferry.</figcaption></figure>"
    page, verdict = draw(
        drawn,
        f"<main><article><h1>The ferry</h1><p>{TEXT}</p>{inside}<p>{TEXT}</p></article></main>"
        "<aside><figure><img src=/late.png style='width:300px'><figcaption>Our new boat."
        "</figcaption></figure></aside>",
    )
    lines = article_column(page, verdict)
    assert lines is not None
    assert 0 <= lines.left < 5
    assert 550 < lines.right <= 600
    choice = select_by_method(page, verdict)
    assert selected_files(choice) == ["photo.png"]
    reasons = [picture.reason for picture in choice.rejected]
    assert reasons == ["beside the column of the article"]


def test_a_column_contains_pictures_that_reach_into_it() -> None:
    lines = ArticleColumn(100, 700)
    assert lines.overlaps(Rect(0, 0, 1000, 10))
    assert lines.overlaps(Rect(650, 0, 900, 10))
    assert not lines.overlaps(Rect(700, 0, 900, 10))
    assert not lines.overlaps(Rect(0, 0, 100, 10))


def test_without_a_layout_nothing_changes() -> None:
    page = read_page(f"<main><p>{TEXT}</p><img src=a.jpg width=9 height=8></main>")
    (only,) = find_candidates(page)
    assert (only.width, only.height) == (9, 8)
    assert article_column(page, Verdict((True,))) is None
    assert PictureBox(Rect(0, 0, 0, 0), "").src == ""
