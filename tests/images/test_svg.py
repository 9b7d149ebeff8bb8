from __future__ import annotations

import base64
import time
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from PIL import Image

from printer.article import Figure
from printer.capture import Capture, PageSource
from printer.images.prepare import PreparedPictures, prepare_pictures

NS = 'xmlns="http://www.w3.org/2000/svg"'


def prepared(body: str, *, inline: bool = False) -> PreparedPictures:
    def get(url: str, referer: str) -> Capture:
        return Capture(body.encode(), PageSource(url, url))

    figure = Figure("", svg=body, alt="Plan") if inline else Figure("https://example.org/plan.svg")
    return prepare_pictures([(figure, "")], get)


def drawing(body: str, *, inline: bool = False) -> str:
    result = prepared(body, inline=inline)
    assert not result.warnings
    (picture,) = result.pictures.values()
    assert picture.media_type == "image/svg+xml"
    etree.fromstring(picture.data)
    return picture.data.decode()


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert('EVIL')</script>",
        "<rect onclick='EVIL()' width='2' height='2'/>",
        "<a href='javascript:EVIL()'><text>x</text></a>",
        "<foreignObject><body xmlns='http://www.w3.org/1999/xhtml'>EVIL</body></foreignObject>",
        "<image href='http://EVIL.test/x.png' width='2' height='2'/>",
        "<image href='file:///EVIL' width='2' height='2'/>",
        "<image href='data:image/svg+xml;base64,EVIL' width='2' height='2'/>",
        "<image href='data:image/png;base64,EVIL' width='2' height='2'/>",
        "<use href='http://EVIL.test/x.svg#a'/>",
        "<rect fill='url(http://EVIL.test/)' width='2' height='2'/>",
        "<rect style='fill:url(&quot;file:///EVIL&quot;)' width='2' height='2'/>",
        "<rect style='fill:\\75rl(EVIL)' width='2' height='2'/>",
        "<style>@import 'http://EVIL.test/';</style>",
        "<style>@font-face { src: url(http://EVIL.test/) }</style>",
        "<style>rect { fill: url(http://EVIL.test/) }</style>",
        "<animate attributeName='href' to='EVIL'/>",
        "<set attributeName='onload' to='EVIL'/>",
        "<handler type='EVIL'/>",
        "<?xml-stylesheet href='http://EVIL.test/'?>",
        "<!-- EVIL -->",
        "<rect xml:base='http://EVIL.test/' width='2' height='2'/>",
        "<filter id='f'><feImage href='http://EVIL.test/'/></filter>",
    ],
)
@pytest.mark.parametrize("inline", [False, True])
def test_only_shapes_text_and_colours_are_left(inside: str, inline: bool) -> None:
    prepared = drawing(f"<svg {NS} viewBox='0 0 9 9'><circle r='3'/>{inside}</svg>", inline=inline)
    assert "EVIL" not in prepared
    assert "<circle" in prepared


def test_safe_content_is_kept() -> None:
    prepared = drawing(
        f"<svg {NS} viewBox='0 0 40 20'><style>.a {{ fill: red }}</style><defs><linearGradient id='g'>"
        "<stop offset='1' stop-color='blue'/></linearGradient><path id='p' d='M0 0L9 9'/></defs>"
        "<rect class='a' width='9' height='9' fill='url(#g)'/><use href='#p'/><text x='1'>Words</text></svg>"
    )
    for words in (".a { fill: red }", "url(#g)", "#p", "Words", "stop-color"):
        assert words in prepared


def test_values_of_any_property_are_removed() -> None:
    prepared = drawing(
        f"<svg {NS} viewBox='0 0 9 9' style='font-size: initial; fill: red'><text>x</text></svg>"
    )
    assert "initial" not in prepared
    assert "fill: red" in prepared


def test_colors_of_a_dark_screen_are_removed() -> None:
    dark = "@media (prefers-color-scheme: dark) { rect { fill: white } .a { stroke: white } }"
    style = f"rect {{ fill: none }} {dark} path {{ stroke: red }}"
    prepared = drawing(f"<svg {NS} viewBox='0 0 9 9'><style>{style}</style><text>x</text></svg>")
    assert "rect { fill: none }  path { stroke: red }" in prepared


def test_entities_are_neither_read_nor_expanded() -> None:
    head = "<!DOCTYPE svg [<!ENTITY file SYSTEM 'file:///etc/passwd'><!ENTITY a 'ha'>"
    drawn = f"<svg {NS} viewBox='0 0 9 9'><rect/><text>&file;&a;</text></svg>"
    assert "root:" not in drawing(f"{head}]>{drawn}")
    bomb = "".join(f"<!ENTITY b{n} '{f'&b{n - 1};' * 10 if n else 'ha' * 10}'>" for n in range(12))
    result = prepared(f"{head}{bomb}]>" + drawn.replace("&a;", "&b11;"))
    assert not result.pictures
    assert "not well-formed" in result.warnings[0]


def test_letters_are_counted() -> None:
    text = f"<text>{'long ' * 100_000}</text>"
    assert "too many shapes" in prepared(f"<svg {NS} viewBox='0 0 9 9'>{text}</svg>").warnings[0]


def test_uses_of_uses_are_counted_and_circles_refused() -> None:
    layers = "<g id='a0'><path d='M0 0'/></g>" + "".join(
        f"<g id='a{n}'>" + f"<use href='#a{n - 1}'/>" * 10 + "</g>" for n in range(1, 12)
    )
    start = time.process_time()
    assert "too many shapes" in prepared(f"<svg {NS} viewBox='0 0 9 9'>{layers}</svg>").warnings[0]
    circle = "<g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g>"
    assert "contains itself" in prepared(f"<svg {NS} viewBox='0 0 9 9'>{circle}</svg>").warnings[0]
    assert time.process_time() - start < 2


@pytest.mark.parametrize("part", ["mask", "clipPath", "pattern", "marker"])
@pytest.mark.parametrize("selector", [".c%d", "path.c%d", "svg .c%d", "#x, .c%d"])
def test_parts_that_a_style_sheet_refers_to_are_counted(part: str, selector: str) -> None:
    name = {"clipPath": "clip-path", "pattern": "fill"}.get(part, part)
    parts = "".join(
        f"<{part} id='p{n}'>" + f"<path class='c{n + 1}' d='M0 0L9 9'/>" * 10 + f"</{part}>"
        for n in range(9)
    )
    rules = "".join(f"{selector % n}{{{name}:url(#p{n})}}" for n in range(9))
    drawn = f"<style>{rules}</style>{parts}<path class='c0' d='M0 0L9 9'/>"
    (warning,) = prepared(f"<svg {NS} viewBox='0 0 9 9'>{drawn}</svg>").warnings
    assert "too many shapes" in warning or "contains itself" in warning


@pytest.mark.parametrize(
    ("selector", "rules"),
    [("rect rect rect rect ~ rect:not(g)", 200), ("rect:nth-child(2n)", 5_000), ("rect", 20_000)],
)
def test_a_style_sheet_does_not_take_forever(selector, rules):
    css = f"{selector}{{fill:red}}" * rules
    shapes = "<rect width='1' height='1'/>" * 2_000
    body = f"<svg {NS} viewBox='0 0 9 9'><style>{css[:190_000]}</style><g>{shapes}</g></svg>"
    start = time.process_time()
    assert "too many style rules" in prepared(body).warnings[0]
    assert time.process_time() - start < 5


def test_the_style_sheet_of_a_diagram_is_kept():
    css = "#mermaid-1 .node rect, #mermaid-1 .edge>path{stroke:#333}.a{fill:red}" * 80
    shapes = "<g class='node'><g><rect width='9' height='9'/></g></g>" * 200
    body = f"<svg {NS} id='mermaid-1' viewBox='0 0 9 9'><style>{css}</style><g>{shapes}</g></svg>"
    assert "stroke:#333" in drawing(body)


def test_selectors_of_a_style_sheet_are_counted() -> None:
    rule = f"{','.join(['.a'] * 300)}{{fill:url(#g)}}" * 100
    paths = "<path class='a' d='M0 0'/>" * 2_000
    start = time.process_time()
    drawn = f"<style>{rule}</style><linearGradient id='g'/>{paths}"
    assert "styles" in prepared(f"<svg {NS} viewBox='0 0 9 9'>{drawn}</svg>").warnings[0]
    assert time.process_time() - start < 5


def test_gradients_of_a_style_sheet_are_kept() -> None:
    style = "<style>.a{fill:url(#g)} g > path{stroke:url(#g)} .b{clip-path:url(#c)}</style>"
    parts = "<linearGradient id='g'/><clipPath id='c'><path d='M0 0'/></clipPath>"
    prepared_drawing = drawing(
        f"<svg {NS}>{style}{parts}<g><path class='a b' d='M0 0L9 9'/></g></svg>"
    )
    assert "url(#c)" in prepared_drawing


def test_markers_are_counted_at_every_vertex() -> None:
    marker = "<marker id='m'>" + "<path d='M0 0'/>" * 100 + "</marker>"
    path = f"<path d='M0 0{'L1 1' * 1_000}'/>"
    for marked in (
        path.replace("<path", "<path marker-mid='url(#m)'"),
        f"<g style='marker:url(#m)'>{path}</g>",
        f"<style>path {{marker-mid: url(#m)}}</style>{path}",
        f"<defs><g id='p'>{path}</g></defs><use href='#p' marker-mid='url(#m)'/>",
    ):
        assert prepared(f"<svg {NS} viewBox='0 0 9 9'>{marker}{marked}</svg>").warnings
    once = "<path marker-end='url(#m)' d='M0 0L9 9'/>"
    assert not prepared(f"<svg {NS} viewBox='0 0 9 9'>{marker}{path}{once}</svg>").warnings


@pytest.mark.parametrize("value", ["rotate(1 " * 10_000, "a" * 10**5, "url(#a" * 10_000])
def test_values_that_are_slow_to_read_are_removed(value: str) -> None:
    for attack in (
        f"<path transform='{value}' fill='{value}' d='M0 0'/>",
        f"<path style='transform:{value}' d='M0 0'/>",
        f"<style>path{{transform:{value}}}</style><path d='M0 0'/>",
    ):
        assert value[:20] not in drawing(f"<svg {NS} viewBox='0 0 9 9'>{attack}</svg>")


@pytest.mark.parametrize(
    ("attributes", "size"),
    [
        ("width='200' height='100'", (200, 100)),
        ("width='1in' height='48pt'", (96, 64)),
        ("viewBox='0 0 30 60'", (30, 60)),
        ("width='100%' viewBox='0 0 30 60'", (30, 60)),
        ("width='90' viewBox='0 0 30 60'", (90, 180)),
        ("", (300, 150)),
        ("viewBox='0 0 nan inf'", (300, 150)),
        ("width='1e9' height='-4'", (300, 150)),
    ],
)
def test_its_size(attributes: str, size: tuple[int, int]) -> None:
    (picture,) = prepared(
        f"<svg {NS} {attributes}><rect width='9' height='9'/></svg>"
    ).pictures.values()
    assert (picture.width, picture.height) == size


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (f"<svg {NS}></svg>", "empty drawing"),
        (f"<svg {NS}><rect></svg>", "not well-formed XML"),
        (f"<svg {NS} width='999999' height='9'><rect/></svg>", "pixels"),
        (f"<svg {NS}>{'<g>' * 5000}<rect/>{'</g>' * 5000}</svg>", "XML"),
        (f"<svg {NS}><desc>{'x' * 3_000_000}</desc></svg>", "more than 3 MB"),
    ],
)
def test_unsafe_drawings_are_refused(body: str, words: str) -> None:
    result = prepared(body)
    assert not result.pictures
    assert words in result.warnings[0]


def test_a_drawing_cut_from_html_needs_no_namespace() -> None:
    assert "<path" in drawing('<svg viewBox="0 0 9 9"><path d="M0 0L9 9"/></svg>', inline=True)
    prepared = drawing(
        '<svg viewBox="0 0 9 9"><use xlink:href="#a"/><path id="a" d="M0 0"/></svg>', inline=True
    )
    assert "#a" in prepared


def test_a_picture_inside_a_drawing_is_made_anew() -> None:
    file = BytesIO()
    Image.new("RGB", (40, 30), "red").save(file, "PNG")
    source = base64.b64encode(file.getvalue() + b"TRAILER").decode()
    prepared = drawing(
        f"<svg {NS} viewBox='0 0 9 9'><image href='data:image/png;base64,{source}' width='9' height='9'/></svg>"
    )
    inside = base64.b64decode(prepared.partition("base64,")[2].partition('"')[0])
    assert Image.open(BytesIO(inside)).size == (40, 30)
    assert b"TRAILER" not in inside


@given(st.text(max_size=200))
def test_any_text_gives_a_drawing_or_a_line(text: str) -> None:
    for inline in (True, False):
        result = prepared(f"<svg {NS} viewBox='0 0 9 9'><rect/>{text}</svg>", inline=inline)
        assert len(result.pictures) + len(result.warnings) == 1


@pytest.mark.parametrize(
    ("coloured", "grey"),
    [
        ("<rect fill='red'/>", 'fill="rgba(76,76,76,1)"'),
        ("<rect stroke='#00f8'/>", 'stroke="rgba(29,29,29,0.533333)"'),
        ("<rect style='stroke-width:2;fill: rgb(0 255 0)'/>", "stroke-width:2;fill: rgba(150,150,150,1)"),
        ("<style>.red{fill:red;stroke:blue}</style>", ".red{fill:rgba(76,76,76,1);stroke:rgba(29,29,29,1)}"),
        ("<rect fill='url(#p) red'/>", 'fill="url(#p) rgba(76,76,76,1)"'),
        ("<stop stop-color='hsl(0,100%,50%)'/>", 'stop-color="rgba(76,76,76,1)"'),
        ("<rect fill='none'/>", 'fill="none"'),
        ("<rect fill='currentColor'/>", 'fill="currentColor"'),
        ("<rect fill='url(#p)'/>", 'fill="url(#p)"'),
        ("<rect fill='color()'/>", 'fill="color()"'),
        ("<rect fill='oklab(.5 .1 .1)'/>", 'fill="oklab(.5 .1 .1)"'),
        ("<rect fill='rgb(1e999 0 0)'/>", 'fill="rgb(1e999 0 0)"'),
        ("<rect fill='hsl(0 1e999 0)'/>", 'fill="hsl(0 1e999 0)"'),
    ],
)  # fmt: skip
def test_without_colour_on_request(coloured: str, grey: str) -> None:
    figure = Figure("", svg=f"<svg {NS} width='9' height='9'><g/>{coloured}</svg>")
    result = prepare_pictures(
        [(figure, "")],
        lambda url, referer: Capture(b"", PageSource(url, url)),
        grayscale=True,
    )
    (picture,) = result.pictures.values()
    assert grey in picture.data.decode()


def test_long_styles_are_read_in_no_time() -> None:
    start = time.process_time()
    for style in ("fill:" * 40_000, "fill: " + "a" * 150_000, " " * 150_000, ";" * 150_000):
        body = f"<svg {NS} width='9' height='9'><style>{style}</style><rect width='9' height='9'/></svg>"
        prepare_pictures(
            [(Figure("", svg=body), "")],
            lambda url, referer: Capture(b"", PageSource(url, url)),
            grayscale=True,
        )
    assert time.process_time() - start < 3
