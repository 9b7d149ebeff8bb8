"""What is done to a page before it is read: locks undone, folded text laid open, media refused."""

from collections.abc import Iterator

import pytest
from webserver import WebServer

from printer.dom.page import Page, read_page
from printer.fetch.browser import Browser
from printer.fetch.guard import Guard
from printer.model import Sight, is_seen
from printer.options import FetchOptions

pytestmark = pytest.mark.browser

WORDS = "The tide came in over the flats and the boats rose on their ropes one after another. "


@pytest.fixture(scope="module")
def drawn() -> Iterator[tuple[Browser, WebServer]]:
    with WebServer() as web, Browser(FetchOptions(timeout=20), Guard([web.url])) as browser:
        yield browser, web


def draw(drawn: tuple[Browser, WebServer], html: str) -> Page:
    browser, web = drawn
    capture = browser.capture(web.add("/page", f"<!DOCTYPE html><title>T</title>{html}"))
    return read_page(capture.body, capture.url, capture.charset, capture.layout)


def seen(page: Page) -> list[str]:
    assert page.drawn is not None
    texts = page.drawn.texts
    return [
        segment.text
        for segment in page.segments
        if any(leaf in texts and is_seen(texts[leaf].sight) for leaf in segment.leaves)
    ]


def test_text_folded_away_is_laid_open(drawn: tuple[Browser, WebServer]) -> None:
    html = f"""<article><p>{WORDS}</p><details><summary>More</summary><p>In details</p></details>
        <p>{WORDS}</p><button aria-expanded=false aria-controls=rest onclick="
        document.getElementById('rest').hidden = false">Read on</button>
        <div id=rest hidden><p>In the rest. {WORDS}</p></div>
        <div style="max-height:60px;overflow:hidden"><p>{WORDS * 9}</p><p>Cut off</p></div>
        </article>"""
    texts = seen(draw(drawn, html))
    assert {"In details", "Cut off"} <= set(texts)
    assert any(text.startswith("In the rest.") for text in texts)


def test_text_that_comes_when_asked_for_comes(drawn: tuple[Browser, WebServer]) -> None:
    _, web = drawn
    web.add("/rest", f"<p>Fetched. {WORDS}</p>", headers={"Cache-Control": "no-store"})
    html = f"""<main><p>{WORDS}</p><p>{WORDS}</p><div id=rest></div>
        <button id=b aria-expanded=false aria-controls=rest>Continue</button></main><script>
        document.getElementById("b").onclick = () => fetch("/rest").then((r) => r.text())
            .then((t) => {{ document.getElementById("rest").innerHTML = t; }});</script>"""
    assert any(text.startswith("Fetched.") for text in seen(draw(drawn, html)))


def test_menus_forms_and_links_are_left_alone(drawn: tuple[Browser, WebServer]) -> None:
    _, web = drawn
    web.add("/away", "<p>Away</p>")
    html = f"""<nav><button aria-expanded=false onclick="location='/away'">Menu</button></nav>
        <article><p>{WORDS}</p><a href="/away" aria-expanded=false>More</a><p>{WORDS}</p>
        <form action="/away"><button aria-expanded=false>Send</button></form>
        <button aria-expanded=false aria-haspopup=menu onclick="location='/away'">Share</button>
        </article>"""
    page = draw(drawn, html)
    assert page.url.endswith("/page")
    assert not web.hits("/away")


def test_layers_are_known_and_locks_on_scrolling_undone(drawn: tuple[Browser, WebServer]) -> None:
    html = f"""<style>html, body {{ overflow: hidden; height: 100% }}
        #wall {{ position: fixed; inset: 0; background: #fff; z-index: 9 }}</style>
        <div id=wall><p>We value your privacy</p><button>Accept</button></div>
        <article><p>{WORDS}</p><div style="height:3000px"></div><p id=end>…</p></article><script>
        new IntersectionObserver((all) => {{ if (all.some((one) => one.isIntersecting))
            document.getElementById("end").textContent = "came when seen"; }})
            .observe(document.getElementById("end"));</script>"""
    page = draw(drawn, html)
    assert page.drawn is not None
    assert "came when seen" in seen(page)
    sights = {s.text: page.drawn.texts[s.leaves[0]].sight for s in page.segments}
    assert sights["We value your privacy"] & Sight.LAYER
    assert not sights["came when seen"] & Sight.LAYER


def test_pictures_that_wait_to_be_seen_are_woken(drawn: tuple[Browser, WebServer]) -> None:
    _, web = drawn
    svg = "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='200'/>"
    web.add("/lazy.svg", svg, media_type="image/svg+xml")
    html = '<p>Words</p><div style="height:20000px"></div><img loading=lazy src="/lazy.svg">'
    page = draw(drawn, html)
    assert page.drawn is not None
    (graphic,) = page.drawn.graphics.values()
    assert (graphic.width, graphic.height) == (300, 200)


def test_films_and_sounds_are_not_fetched(drawn: tuple[Browser, WebServer]) -> None:
    _, web = drawn
    for name in ("film.mp4", "sound.mp3", "ad.webm"):
        web.add(f"/{name}", bytes(100_000), media_type="video/mp4")
    html = """<p>Words</p><video src="/film.mp4" autoplay muted></video>
        <audio src="/sound.mp3" preload=auto></audio>
        <video autoplay muted loop><source src="/ad.webm"></video>"""
    assert "Words" in seen(draw(drawn, html))
    assert not [hit for hit in web.hits() if hit.path.endswith((".mp4", ".mp3", ".webm"))]
