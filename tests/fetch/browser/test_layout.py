"""The layout reported by the browser, and its mapping to elements."""

import pytest

from printer.capture import Visibility, is_visible
from printer.fetch.browser.browser import Browser
from printer.html.page import Page, read_page
from tests.support.web_server import WebServer

pytestmark = pytest.mark.browser


def draw(drawn: tuple[Browser, WebServer], html: str, style: str = "") -> Page:
    browser, web = drawn
    source = f"<!DOCTYPE html><style>body {{ margin: 0 }} {style}</style>{html}"
    capture = browser.capture(web.add("/page", source))
    assert capture.layout is not None
    assert capture.layout.id_attribute not in source
    page = read_page(capture.body, capture.url, capture.source.charset, capture.layout)
    assert capture.layout.id_attribute not in page.source
    assert not [
        element for element in page.tree.iter() if capture.layout.id_attribute in element.attrib
    ]
    return page


def lines(page: Page) -> list[str]:
    return [segment.text for segment in page.segments]


def sights(page: Page) -> dict[str, Visibility]:
    """How the first leaf of each segment is seen; what is not measured is NONE."""
    assert page.layout is not None
    return {
        segment.text: page.layout.texts[segment.leaves[0]].visibility
        if segment.leaves[0] in page.layout.texts
        else Visibility.NOT_DISPLAYED
        for segment in page.segments
    }


def test_lines_break_where_css_says(drawn: tuple[Browser, WebServer]) -> None:
    style = """.p { display: block } div.i { display: inline } .row { display: flex }
        .cap { float: left } .tip { position: absolute; left: -9999px }"""
    body = """<span class=p>One.</span><span class=p>Two, <div class=i>the same line</div>.</span>
        <div class=row><span>Three.</span><span>Four.</span></div>
        <p><span class=cap>F</span>ive <a href=x>goes<span class=tip> unseen</span></a> on.</p>"""
    assert lines(draw(drawn, body, style)) == [
        "One.", "Two, the same line.", "Three.", "Four.", "Five goes unseen on.",
    ]  # fmt: skip


def test_fonts_and_boxes_are_the_computed_ones(drawn: tuple[Browser, WebServer]) -> None:
    style = """main { width: 500px; margin-left: 100px; font: bold 20px sans-serif; color: #123456 }
        small { font-size: 50%; color: red; font-weight: 300 }"""
    page = draw(drawn, "<main><p>Large <small>small</small> tail</p></main>", style)
    assert page.layout is not None
    (segment,) = page.segments
    fonts = [page.layout.texts[leaf].font for leaf in segment.leaves if leaf.text.strip()]
    large = (20.0, "rgb(18, 52, 86)", 700)
    assert fonts == [large, (10.0, "rgb(255, 0, 0)", 300), large]
    box = page.layout.boxes[segment.block]
    assert (box.rect.left, box.rect.width, box.display) == (100, 500, "block")


def test_invisible_elements_have_a_reason(drawn: tuple[Browser, WebServer]) -> None:
    body = """<p>plain</p><div style="display:none">gone <p>inside</p></div>
        <p style="visibility:hidden">invisible <b style="visibility:visible">save</b></p>
        <div style="opacity:0"><p>faint</p></div><p style="color:transparent">glass</p>
        <p style="font-size:0">nothing</p><div style="position:absolute;left:-500px">left</div>
        <div style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)">
        spoken</div><div style="max-height:30px;overflow:hidden"><p style="margin:0">first</p>
        <p style="margin:50px">second</p></div><div style="height:20px;overflow:auto">scrolled
        <p style="margin:90px 0">below</p></div><div style="position:fixed;top:0">banner</div>
        <div style="height:9px;overflow:hidden"><i style="position:absolute">lifted</i></div>"""
    visible = sights(draw(drawn, body))
    assert visible["plain"] == visible["first"] == visible["below"] == 0
    assert visible["gone"] & visible["inside"] & Visibility.NOT_DISPLAYED
    assert visible["invisible save"] & Visibility.HIDDEN
    assert visible["faint"] & visible["glass"] & Visibility.TRANSPARENT
    assert not is_visible(visible["nothing"])
    assert visible["left"] & Visibility.OFF_PAGE
    assert visible["second"] & Visibility.CLIPPED
    assert "spoken" not in visible  # as text for screen readers
    assert visible["banner"] == Visibility.LAYER
    assert visible["lifted"] == Visibility.OUT_OF_FLOW


def test_pictures_have_their_rendered_source_and_size(drawn: tuple[Browser, WebServer]) -> None:
    _, web = drawn
    svg = "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='200'/>"
    for name in ("small", "large", "back"):
        web.add(f"/{name}.svg", svg, media_type="image/svg+xml")
    body = """<img src=small.svg srcset="large.svg 2000w" sizes=100vw style="width:150px">
        <div id=b></div><i style="background:url(back.svg);width:9px;height:9px"></i>"""
    style = "#b { background: #eee url(back.svg) no-repeat; width: 400px; height: 90px }"
    page = draw(drawn, body, style)
    assert page.layout is not None
    image, back = page.layout.graphics.values()
    assert image.src.endswith("/large.svg")
    assert (image.rect.width, image.rect.height, image.background) == (150, 100, False)
    assert (image.width, image.height) != (0, 0)
    assert back.src.endswith("/back.svg")
    assert back.background
    assert (back.rect.width, back.rect.height) == (400, 90)


def test_pieces_of_a_text_with_a_comment_between_are_one(drawn: tuple[Browser, WebServer]) -> None:
    page = draw(drawn, "<p>One <!-- --> two <b>three</b> four<!-- --> five</p>")
    assert page.layout is not None
    (segment,) = page.segments
    assert segment.text == "One two three four five"
    assert all(page.layout.texts[leaf].visibility == 0 for leaf in segment.leaves)


def test_forged_marks_and_giant_numbers_do_no_harm(drawn: tuple[Browser, WebServer]) -> None:
    forged = "".join(f'<p data-{n:012x}="1">forged</p>' for n in range(50))
    body = f"""{forged}<p id=big style="position:absolute;left:1e38px;top:-1e38px">far</p>
        <p>plain</p><script>
        Element.prototype.getBoundingClientRect = () => ({{left: NaN, right: "x"}});
        window.getComputedStyle = () => {{ throw 1 }}; Range.prototype.getBoundingClientRect = null;
        Element.prototype.setAttribute = () => {{}}; Map.prototype.get = () => 7;
        document.createRange = null;</script>"""
    page = draw(drawn, body)
    assert page.layout is not None
    visible = sights(page)
    assert visible["far"] & Visibility.OFF_PAGE
    assert visible["plain"] == 0
    assert all(abs(n) <= 1e6 for box in page.layout.boxes.values() for n in box.rect)


def test_a_page_with_too_many_elements_is_read_without_layout(
    drawn: tuple[Browser, WebServer],
) -> None:
    browser, web = drawn
    capture = browser.capture(web.add("/many", "<p>x" * 40_000))
    assert capture.layout is None
    assert capture.body.count(b"<p>") + capture.body.count(b"<p data-") == 40_000
