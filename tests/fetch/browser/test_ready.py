"""Preparing a page before it is read: locks removed, collapsed text opened, media refused."""

import pytest

from printer.capture import Visibility, is_visible
from printer.fetch.browser.browser import Browser
from printer.html.page import Page, read_page
from tests.support.web_server import WebServer

pytestmark = pytest.mark.browser

WORDS = "The tide came in over the flats and the boats rose on their ropes one after another. "


def draw(drawn: tuple[Browser, WebServer], html: str) -> Page:
    browser, web = drawn
    capture = browser.capture(web.add("/page", f"<!DOCTYPE html><title>T</title>{html}"))
    return read_page(capture.body, capture.url, capture.source.charset, capture.layout)


def visible_texts(page: Page) -> list[str]:
    assert page.layout is not None
    texts = page.layout.texts
    return [
        segment.text
        for segment in page.segments
        if any(leaf in texts and is_visible(texts[leaf].visibility) for leaf in segment.leaves)
    ]


def test_collapsed_text_is_opened(drawn: tuple[Browser, WebServer]) -> None:
    html = f"""<article><p>{WORDS}</p><details><summary>More</summary><p>In details</p></details>
        <p>{WORDS}</p><button aria-expanded=false aria-controls=rest onclick="
        document.getElementById('rest').hidden = false">Read on</button>
        <div id=rest hidden><p>In the rest. {WORDS}</p></div>
        <div style="max-height:60px;overflow:hidden"><p>{WORDS * 9}</p><p>Cut off</p></div>
        </article>"""
    texts = visible_texts(draw(drawn, html))
    assert {"In details", "Cut off"} <= set(texts)
    assert any(text.startswith("In the rest.") for text in texts)


def test_text_that_is_loaded_on_demand_is_loaded(drawn: tuple[Browser, WebServer]) -> None:
    _, web = drawn
    web.add("/rest", f"<p>Fetched. {WORDS}</p>", headers={"Cache-Control": "no-store"})
    html = f"""<main><p>{WORDS}</p><p>{WORDS}</p><div id=rest></div>
        <button id=b aria-expanded=false aria-controls=rest>Continue</button></main><script>
        document.getElementById("b").onclick = () => fetch("/rest").then((r) => r.text())
            .then((t) => {{ document.getElementById("rest").innerHTML = t; }});</script>"""
    assert any(text.startswith("Fetched.") for text in visible_texts(draw(drawn, html)))


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
    assert page.layout is not None
    assert "came when seen" in visible_texts(page)
    sights = {s.text: page.layout.texts[s.leaves[0]].visibility for s in page.segments}
    assert sights["We value your privacy"] & Visibility.LAYER
    assert not sights["came when seen"] & Visibility.LAYER


def test_pictures_that_wait_to_be_seen_are_woken(drawn: tuple[Browser, WebServer]) -> None:
    _, web = drawn
    svg = "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='200'/>"
    web.add("/lazy.svg", svg, media_type="image/svg+xml")
    html = '<p>Words</p><div style="height:20000px"></div><img loading=lazy src="/lazy.svg">'
    page = draw(drawn, html)
    assert page.layout is not None
    (graphic,) = page.layout.graphics.values()
    assert (graphic.width, graphic.height) == (300, 200)


def test_films_and_sounds_are_not_fetched(drawn: tuple[Browser, WebServer]) -> None:
    _, web = drawn
    for name in ("film.mp4", "sound.mp3", "ad.webm"):
        web.add(f"/{name}", bytes(100_000), media_type="video/mp4")
    html = """<p>Words</p><video src="/film.mp4" autoplay muted></video>
        <audio src="/sound.mp3" preload=auto></audio>
        <video autoplay muted loop><source src="/ad.webm"></video>"""
    assert "Words" in visible_texts(draw(drawn, html))
    assert not [hit for hit in web.hits() if hit.path.endswith((".mp4", ".mp3", ".webm"))]


def more(control: str, hidden: str, script: str = "") -> str:
    """An article of two paragraphs, a control, and what it hides."""
    return f"""<style>.x {{ display: none }} .cut {{ max-height: 90px; overflow: hidden }}</style>
        <article><h1>Tides</h1><p>{WORDS * 2}</p><p>{WORDS}</p>{control}{hidden}</article>
        <script>{script}</script>"""


@pytest.mark.parametrize(
    ("control", "hidden"),
    [
        ("<button>Read more</button>", f"<div hidden><p>The rest. {WORDS}</p></div>"),
        ("<button>Show full article</button>", f"<p class=x>The rest. {WORDS}</p>"),
        ("<a href='#'>Weiterlesen …</a>", f"<div class=x>The rest. {WORDS}</div>"),
        ("<span class=read-more>Lire la suite</span>", f"<div class=x>The rest. {WORDS}</div>"),
        ("<div><a href='javascript:void(0)'>続きを読む</a></div>",
         f"<section style='display:none'><p>The rest. {WORDS}</p></section>"),
        ("", f"<p>{WORDS}<span>…</span><span class=x>The rest. {WORDS}</span>"
         " <button>Leer más</button></p>"),
        ("", f"<div class=cut><p>{WORDS * 3}</p><p>The rest.</p></div><button>Read more</button>"),
        ("", f"<div style='display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;"
         f"overflow:hidden;width:300px'>{WORDS * 4} <b>The rest.</b></div><button>More</button>"),
    ],
)  # fmt: skip
def test_text_behind_a_more_button_is_opened(
    drawn: tuple[Browser, WebServer], control: str, hidden: str
) -> None:
    assert any("The rest." in text for text in visible_texts(draw(drawn, more(control, hidden))))


def test_a_click_loads_missing_text_and_does_not_leave_the_page(
    drawn: tuple[Browser, WebServer],
) -> None:
    _, web = drawn
    web.add("/more", f"<p>Came. {WORDS}</p>", headers={"Cache-Control": "no-store"})
    script = f"""document.getElementById("b").onclick = () => {{
        fetch("/more").then((r) => r.text()).then((t) => {{
            document.getElementById("rest").innerHTML = t; location = "{web.url}/away"; }});
        location.assign("{web.url}/away"); }};"""
    page = draw(
        drawn, more("<button id=b>Continue reading</button>", "<div id=rest></div>", script)
    )
    assert page.url.endswith("/page")
    assert any(text.startswith("Came.") for text in visible_texts(page))


def test_the_beginning_that_stood_in_for_the_whole_is_not_there_twice(
    drawn: tuple[Browser, WebServer],
) -> None:
    hidden = f"<div>{WORDS}…</div><div class=x>{WORDS} And to the end.</div>"
    texts = visible_texts(draw(drawn, more("", hidden + "<button>Read more</button>")))
    assert sum("And to the end." in text for text in texts) == 1
    assert not any(text.endswith("…") for text in texts)


@pytest.mark.parametrize(
    "control",
    [
        "<a href='/away'>Read more</a>",
        "<a href='#login'>Read more</a>",
        "<div>Subscribe to go on. <button onclick='touched()'>Continue reading</button></div>",
        "<form action='/away'><button>Read more</button></form>",
        "<aside><button onclick='touched()'>Show more</button></aside>",
        "<button onclick='touched()'>Read more stories of this summer from all our towns</button>",
        "<button onclick='touched()' style='display:none'>Read more</button>",
    ],
)
def test_other_controls_with_such_words_are_left_alone(
    drawn: tuple[Browser, WebServer], control: str
) -> None:
    _, web = drawn
    web.add("/away", "<p>Away</p>")
    before = len(web.hits("/away"))
    related = (
        "<ul class=x><li><a href='/a'>One story</a></li><li><a href='/b'>Another</a></li></ul>"
    )
    script = "function touched() { document.querySelector('h1').textContent = 'Touched'; }"
    page = draw(drawn, more(control, related, script))
    assert "Tides" in visible_texts(page)
    assert "One story" not in visible_texts(page)
    assert page.url.endswith("/page")
    assert len(web.hits("/away")) == before
