"""Large pictures do not leave pages half empty."""

from dataclasses import replace

import pypdfium2
import pytest
import specimens
import weasyprint
from specimens import LANDSCAPE, SPECIMEN, cells, head, para

from printer.article import Figure, Span, Table
from printer.options import PrintOptions
from printer.render import gaps
from printer.render.html import render_html
from printer.render.pdf import to_pdf

TEXT = "The river rose in the night and by morning the lower meadow was under water. " * 5
PICTURE = Figure(LANDSCAPE, caption_spans=(Span("The valley in March."),), alt="Hills")


def article(before, *after):
    lines = tuple(para(f"Paragraph {n}. {TEXT}") for n in range(before))
    return replace(SPECIMEN, blocks=(*lines, PICTURE, *after), url="")


def white(paper, page):
    """The part of the text block's height that is white below the last ink on a page."""
    picture = paper.picture_of(page)
    height = picture.shape[0]
    block = picture[: round(height * 0.89)]
    rows = (block < 200).any(axis=1).nonzero()[0]
    return (len(block) - int(rows[-1])) / (height * 0.79)


@pytest.mark.parametrize("before", range(4, 12))
def test_no_page_but_the_last_is_left_white(printed, before):
    text = [para(f"Afterwards {n}. {TEXT}") for n in range(6)]
    paper = printed(article(before, *text), pictures=specimens.pictures())
    assert paper.pages > 1
    for number in range(paper.pages - 1):
        assert white(paper, number) < 0.25, f"page {number + 1} is left white"
    words = paper.text
    places = [words.index(f"Afterwards {n}.") for n in range(6)]
    assert places == sorted(places)
    assert words.count("The valley in March.") == 1


@pytest.mark.parametrize("lines", [20, 22])
def test_a_picture_passes_no_heading_and_is_made_smaller_instead(printed, monkeypatch, lines):
    blocks = (*(para(f"Line {n}.") for n in range(lines)), PICTURE, head("The next part"))
    full = replace(SPECIMEN, blocks=(*blocks, *(para(TEXT) for _ in range(9))), url="")
    paper = printed(full, pictures=specimens.pictures())
    assert paper.text.index("The valley in March.") < paper.text.rindex("The next part")
    monkeypatch.setattr(gaps, "SMALLEST", 2.0)
    plain = printed(full, pictures=specimens.pictures())
    assert "The valley in March." not in plain.texts[0], "there was nothing to mend"
    assert "The valley in March." in paper.texts[0]
    assert white(paper, 0) < 0.25 < white(plain, 0)


def test_notes_stay_on_the_page_that_calls_them(printed):
    calls = replace(SPECIMEN, blocks=(*(para(f"{n} {TEXT}") for n in range(6)), *SPECIMEN.blocks))
    paper = printed(calls, pictures=specimens.pictures())
    for text in paper.texts:
        assert ("a single family" in text and "The name is older" in text) == (
            "The name is older" in text
        )
    assert paper.text.count("The name is older") == 1


def test_the_same_document_is_filled_the_same_way():
    document = render_html(
        [article(7, *(para(TEXT) for _ in range(4)))], specimens.pictures(), PrintOptions()
    )
    assert to_pdf(document).pdf == to_pdf(document).pdf


def test_other_documents_are_not_touched(monkeypatch):
    to_pdf(render_html([article(1)], specimens.pictures(), PrintOptions()))
    monkeypatch.setattr(gaps, "_filled", lambda *_: pytest.fail("it was touched"))
    html = "<p>x</p>" * 200 + "<figure style='height: 20cm'></figure><p>y"
    assert pypdfium2.PdfDocument(weasyprint.HTML(string=html).write_pdf())


def test_text_fills_the_page_before_a_turned_table(printed):
    wide = Table(
        (cells(*(f"Head {n}" for n in range(15)), header=True),),
        tuple(cells(*(f"{n * m}" for n in range(15))) for m in range(8)),
    )
    blocks = (para(TEXT), wide, *(para(f"Afterwards {n}. {TEXT}") for n in range(12)))
    paper = printed(replace(SPECIMEN, blocks=blocks, url=""))
    turned = [page.mediabox[2] > page.mediabox[3] for page in paper.pdf.pages]
    assert turned.count(True) == 1
    assert white(paper, 0) < 0.25
    assert "Head 14" in paper.texts[turned.index(True)]
