"""The theme for large print."""

import pypdfium2.raw as pdfium
import pytest

from printer.article import Article, Code, Figure, Span
from printer.options import PrintOptions
from printer.render.weasy.engine import render_pdf
from tests.support.documents import render_html
from tests.support.pdf_glyphs import open_pdf
from tests.support.sample_articles import SAMPLE_ARTICLE, SCRIPT_ARTICLES, paragraph

SMALL_PRINT = Article(
    "Small print",
    (
        paragraph("See ", Span("the place", href="https://example.org/place"), Span("2", ("sup",))),
        paragraph(Span("漢", ruby="kan"), " and more"),
        Code("x = 1\n", "python"),
        Figure("", caption_spans=(Span("A caption with "), Span("code", ("code",)))),
    ),
    byline="Ada Byron",
    language="en",
)


def letter_sizes(pdf: bytes) -> dict[str, float]:
    """Return the smallest size in points of each letter and digit."""
    sizes: dict[str, float] = {}
    with open_pdf(pdf) as document:
        for page in document:
            text = page.get_textpage()
            for place in range(text.count_chars()):
                character, matrix = text.get_text_range(place, 1), pdfium.FS_MATRIX()
                pdfium.FPDFText_GetMatrix(text.raw, place, matrix)
                size = pdfium.FPDFText_GetFontSize(text.raw, place) * abs(matrix.d or matrix.b)
                if character.isalnum():
                    sizes[character] = min(size, sizes.get(character, size))
    return sizes


@pytest.mark.parametrize(
    "article",
    [SMALL_PRINT, SAMPLE_ARTICLE, SCRIPT_ARTICLES["de"], SCRIPT_ARTICLES["ja"]],
    ids=lambda article: article.title,
)
def test_no_letter_is_below_14_points(article) -> None:
    options = PrintOptions(theme="large-print", links="footnote")
    sizes = letter_sizes(render_pdf(render_html([article], {}, options)).pdf)
    small = {letter: round(size, 1) for letter, size in sizes.items() if size < 13.95}
    assert len(sizes) > 10
    assert not small
