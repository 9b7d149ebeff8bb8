"""Imposition of pages on sheets: their order, places and maximum number."""

from dataclasses import replace
from io import BytesIO

import pikepdf
import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from printer.article import Figure
from printer.errors import UsageError
from printer.options import PrintOptions
from printer.render.book import FIT_STEPS, fit_to_pages, tighten
from printer.render.pdf.impose import booklet_sides, impose, nup_sides
from printer.render.weasy.engine import render_pdf
from printer.themes.page import page_geometry
from tests.support import sample_articles as specimens
from tests.support.documents import render_html
from tests.support.sample_articles import SAMPLE_ARTICLE, paragraph, png


def words(pdf):
    document = pypdfium2.PdfDocument(pdf)
    texts = [page.get_textpage().get_text_range() for page in document]
    document.close()
    return texts


def where(pdf, side, word):
    """The place of a word's left edge on a side, as a fraction of its width and height."""
    document = pypdfium2.PdfDocument(pdf)
    page = document[side]
    text = page.get_textpage()
    left, bottom, _, _ = text.get_charbox(text.get_text_range().index(word))
    place = left / page.get_width(), bottom / page.get_height()
    document.close()
    return place


@pytest.fixture(scope="module")
def numbered():
    """Six pages that say 'leaf 1' to 'leaf 6'."""
    article = replace(
        SAMPLE_ARTICLE, blocks=tuple(paragraph(f"leaf {n}") for n in range(1, 7)), url=""
    )
    css = ".body > p { break-after: page } .body > p:last-child { break-after: auto }"
    options = PrintOptions(css=css)
    printed = render_pdf(render_html([article], {}, options))
    assert printed.pages == 6
    return printed.pdf


def test_a_booklet_of_eight_is_in_the_order_a_binder_knows():
    assert booklet_sides(8) == [(7, 0), (1, 6), (5, 2), (3, 4)]
    assert booklet_sides(5) == [(None, 0), (1, None), (None, 2), (3, 4)]
    assert booklet_sides(1) == [(None, 0), (None, None)]


@given(st.integers(1, 300))
def test_a_folded_booklet_reads_in_order(pages):
    sides = booklet_sides(pages)
    assert len(sides) % 2 == 0
    fronts, backs = sides[::2], sides[1::2]
    # Folded, one reads the right halves of fronts and the left of backs inwards, then out again.
    inwards = [
        page for front, back in zip(fronts, backs, strict=True) for page in (front[1], back[0])
    ]
    outwards = [
        page for front, back in zip(fronts, backs, strict=True) for page in (front[0], back[1])
    ]
    read = inwards + outwards[::-1]
    assert [page for page in read if page is not None] == list(range(pages))
    assert None not in read[:pages], "a blank stands before the end"


@given(st.integers(1, 100), st.sampled_from([2, 4]))
def test_pages_on_a_side_keep_their_order(pages, count):
    sides = nup_sides(pages, count)
    assert all(len(side) == count for side in sides)
    assert [page for side in sides for page in side if page is not None] == list(range(pages))


def test_two_pages_stand_beside_each_other_on_a_turned_sheet(numbered):
    imposed = impose(numbered, 6, PrintOptions(nup=2))
    assert imposed.sheets == 3
    with pikepdf.open(BytesIO(imposed.pdf)) as pdf:
        assert [round(float(v)) for v in pdf.pages[0].mediabox] == [0, 0, 842, 595]
        assert str(pdf.docinfo["/Title"]) == SAMPLE_ARTICLE.title
    assert "leaf 1" in words(imposed.pdf)[0]
    assert where(imposed.pdf, 0, "leaf 1")[0] < 0.5 < where(imposed.pdf, 0, "leaf 2")[0]


def test_four_pages_on_a_side_on_both_sides_of_the_sheet(numbered):
    imposed = impose(numbered, 6, PrintOptions(nup=4, duplex=True))
    assert imposed.sheets == 1
    places = {n: where(imposed.pdf, 0, f"leaf {n}") for n in range(1, 5)}
    assert places[1][0] < 0.5 < places[2][0]
    assert places[3][1] < 0.5 < places[1][1]
    assert "leaf 5" in words(imposed.pdf)[1]


def test_a_page_bound_on_the_right_has_its_first_page_there(numbered):
    imposed = impose(numbered, 6, PrintOptions(nup=2), rtl=True)
    assert where(imposed.pdf, 0, "leaf 2")[0] < 0.5 < where(imposed.pdf, 0, "leaf 1")[0]


def test_a_booklet_is_set_on_half_the_paper_and_fills_whole_sheets():
    options = PrintOptions(booklet=True)
    assert (page_geometry(options).width, page_geometry(options).height) == (148.5, 210)
    printed = render_pdf(render_html([SAMPLE_ARTICLE], specimens.pictures(), options))
    imposed = impose(printed.pdf, printed.pages, options)
    with pikepdf.open(BytesIO(imposed.pdf)) as pdf:
        assert len(pdf.pages) == 2 * imposed.sheets == 2 * -(-printed.pages // 4)
        assert [round(float(v)) for v in pdf.pages[0].mediabox] == [0, 0, 842, 595]
        assert pdf.Root.ViewerPreferences.Duplex == "/DuplexFlipShortEdge"
    assert where(imposed.pdf, 0, "The river")[0] > 0.5, "the first page is not on the right"


def test_the_same_sheets_are_the_same_bytes(numbered):
    assert impose(numbered, 6, PrintOptions(nup=2)) == impose(numbered, 6, PrintOptions(nup=2))


def test_both_sides_have_mirrored_margins(printed):
    long = replace(
        SAMPLE_ARTICLE, blocks=tuple(paragraph("a line of words that is " * 30) for _ in range(12))
    )
    paper = printed(long, duplex=True)
    lefts = []
    for number in range(3):
        ink = (paper.picture_of(number)[120:700] < 128).any(axis=0).nonzero()[0]
        lefts.append(int(ink[0]))
    assert abs(lefts[0] - lefts[2]) <= 2  # The letters there differ.
    assert lefts[0] > lefts[1] + 20
    plain = printed(long)
    assert plain.pages == paper.pages


def test_ink_is_saved(printed):
    pictures = specimens.pictures()
    full, saved = (
        printed(SAMPLE_ARTICLE, pictures=pictures),
        printed(SAMPLE_ARTICLE, pictures=pictures, ink_save=True),
    )
    used = [
        sum((255 - paper.picture_of(n)).sum() for n in range(paper.pages))
        for paper in (full, saved)
    ]
    assert used[1] < 0.75 * used[0]
    assert saved.text == full.text


def fit(repetitions, most):
    """Fit an article to pages; return the result and the options that were tried."""
    article = replace(SAMPLE_ARTICLE, blocks=SAMPLE_ARTICLE.blocks[:4] * repetitions)
    tried = []

    def print_(options):
        tried.append(options)
        return render_pdf(render_html([article], specimens.pictures(), options))

    result = fit_to_pages(PrintOptions(fit=most), print_)
    assert len(tried) <= 5
    assert all(page_geometry(options).font_size >= 8.5 for options in tried)
    return result, tried


@pytest.mark.parametrize("most", [1, 2, 3])
def test_an_article_is_made_to_fit(most):
    result, _ = fit(4, most)
    assert result.pages <= most
    assert not result.warnings


def test_an_article_that_does_not_fit_is_as_small_as_is_legible():
    result, tried = fit(20, 1)
    assert result.pages > 1
    assert f"takes {result.pages} pages instead of 1" in result.warnings[-1]
    assert tried[-1] == tighten(PrintOptions(fit=1), FIT_STEPS)


def test_a_fitting_print_and_set_options_stay_unchanged():
    article = replace(SAMPLE_ARTICLE, blocks=SAMPLE_ARTICLE.blocks[:2])
    tried = []

    def print_(options):
        tried.append(options)
        return render_pdf(render_html([article], {}, options))

    fit_to_pages(PrintOptions(fit=3), print_)
    assert tried == [PrintOptions(fit=3)]
    chosen = tighten(
        PrintOptions(fit=1, font_size="11pt", theme_options=("leading=1.5",)), FIT_STEPS
    )
    assert page_geometry(chosen).font_size == 11
    assert [value for value in chosen.theme_options if value.startswith("leading")] == [
        "leading=1.5"
    ]
    large = tighten(PrintOptions(fit=1, theme="large-print"), FIT_STEPS)
    assert page_geometry(large).font_size == 14


def test_the_tightest_print_uses_the_width_of_the_paper():
    tightest = page_geometry(tighten(PrintOptions(fit=2), FIT_STEPS))
    assert tightest.columns == 2
    assert tightest.text_width > 0.88 * tightest.width


def test_pictures_shrink_once_more_before_the_pages_are_too_many():
    figures = tuple(Figure(f"p{n}") for n in range(12))
    pictures = {figure.src: png(Image.new("L", (600, 1500), 90)) for figure in figures}
    article = replace(SAMPLE_ARTICLE, blocks=tuple(
        block for figure in figures for block in (figure, paragraph("The mill. " * 40))
    ))  # fmt: skip

    def pages(step):
        options = tighten(PrintOptions(), step)
        return render_pdf(render_html([article], pictures, options)).pages

    smaller, smallest = (page_geometry(tighten(PrintOptions(), FIT_STEPS - n)) for n in (1, 0))
    assert smallest.font_size == smaller.font_size
    assert pages(FIT_STEPS) < pages(FIT_STEPS - 1)


@pytest.mark.parametrize(
    "options", [{"nup": 3}, {"nup": 0}, {"booklet": True, "nup": 2}, {"fit": -1}]
)
def test_sheets_that_cannot_be_are_refused(options):
    with pytest.raises(UsageError):
        page_geometry(PrintOptions(**options))
