"""WeasyPrint reaches the prepared pictures and nothing else."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
import weasyprint

from printer.output import Picture
from printer.render.context import Document
from printer.render.weasy import engine
from printer.render.weasy.engine import asset_fetcher, lay_out_document, render_pdf
from printer.themes.loader import Assets, asset_url
from tests.support import sample_articles as specimens


@pytest.mark.parametrize(
    "markup",
    [
        '<img src="{url}">',
        '<link rel="stylesheet" href="{url}">',
        '<link rel="attachment" href="{url}">',
        '<style>@import "{url}";</style>',
        "<style>body {{ background: url({url}) }}</style>",
        '<style>@font-face {{ font-family: x; src: url("{url}") }} body {{ font-family: x }}</style>',
        '<object data="{url}"></object>',
        '<embed src="{url}">',
        '<svg width="9" height="9"><image href="{url}" width="9" height="9"/></svg>',
        '<svg width="9" height="9"><use href="{url}#a"/></svg>',
        '<p style="content: url({url})">x',
        '<a rel="attachment" href="{url}">x</a>',
    ],
)
def test_nothing_else_is_opened(markup: str, tmp_path: Path, web) -> None:
    secret = tmp_path / "secret.svg"
    secret.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>SECRET</text></svg>'
    )
    for url in (secret.as_uri(), web.url + "/x.svg", "ftp://127.0.0.1/x", str(secret)):
        html = f"<html lang=en><title>t</title><body><p>Text.</p>{markup.format(url=url)}"
        pdf = render_pdf(Document(html)).pdf
        assert b"SECRET" not in pdf
        assert b"/EmbeddedFile" not in pdf
    assert not web.hits(), f"WeasyPrint asked for {web.hits()}"


def test_the_fetcher_serves_assets_and_refuses_the_rest() -> None:
    picture = specimens.jpeg(specimens.landscape(60, 40))
    fetch = asset_fetcher(Assets.of([picture]))
    assert fetch(asset_url(picture)).read() == picture.data
    for url in ("asset:other", "file:///etc/passwd", "http://127.0.0.1/", "data:text/css,a", ""):
        with pytest.raises(ValueError, match="not a part"):
            fetch(url)
        with pytest.raises(ValueError, match="not a part"):
            fetch.open(url)


def test_equal_bytes_have_one_address() -> None:
    one, two = Picture(b"x", "image/png", 1, 1), Picture(b"x", "image/png", 1, 1)
    assert asset_url(one) == asset_url(two)
    assert asset_url(one) != asset_url(Picture(b"y", "image/png", 1, 1))


def test_a_picture_that_cannot_be_drawn_is_a_warning() -> None:
    broken = Picture(b"not a picture", "image/png", 10, 10)
    html = f'<html lang=en><title>t</title><body><img src="{asset_url(broken)}" alt="x"><p>Text.'
    printed = render_pdf(Document(html, Assets.of([broken])))
    assert printed.pages == 1
    assert any("image" in warning.lower() for warning in printed.warnings)


def test_a_drawing_with_a_fault_is_a_warning_without_its_internal_address() -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9" opacity="x"/></svg>'
    drawing = Picture(svg, "image/svg+xml", 10, 10)
    html = f'<html lang=en><title>t</title><body><img src="{asset_url(drawing)}" alt="x">'
    printed = render_pdf(Document(html, Assets.of([drawing])))
    assert printed.warnings == ("an SVG drawing is invalid and may be incomplete",)


@pytest.mark.parametrize(
    ("number", "warnings"),
    [
        (0, ()),
        (1, ("1 footnote not on the page of the reference mark",)),
        (2, ("2 footnotes not on the page of the reference mark",)),
    ],
)
def test_footnotes_on_other_pages_are_counted(number: int, warnings: tuple[str, ...]) -> None:
    with patch.object(engine, "count_misplaced", return_value=number):
        assert render_pdf(Document("<html lang=en><title>t</title><p>Text.")).warnings == warnings


@pytest.mark.parametrize(("pages", "layouts"), [(8, 2), (70, 1)])
def test_a_long_document_is_laid_out_once_whatever_its_last_page(pages: int, layouts: int) -> None:
    """A second layout for looks alone would make it exceed the time limit."""
    document = Document("<p style='break-before: page'>A single line.</p>" * pages)
    html = weasyprint.HTML(string=document.html)
    with patch.object(html, "render", wraps=html.render) as render:
        lay_out_document(html, document)
    assert render.call_count == layouts
