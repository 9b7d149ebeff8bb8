"""The completeness report names everything that is lost, and only that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from printer.article import Article, Code, Figure, Math, Note, Span, Table
from printer.options import PrintOptions
from printer.output import ContentCounts, PrintedContent
from printer.render.completeness import check_completeness
from printer.render.weasy.engine import render_pdf
from printer.text import count_words
from tests.support import sample_articles as specimens
from tests.support.documents import render_html
from tests.support.effort import THOROUGH
from tests.support.sample_articles import (
    SAMPLE_ARTICLE,
    SCRIPT_ARTICLES,
    cells,
    heading,
    items,
    paragraph,
)


def report(article, pictures=None, printed_article=None, **options):
    """Print one article, and compare the paper with another."""
    document = render_html([printed_article or article], pictures or {}, PrintOptions(**options))
    return check_completeness([article], render_pdf(document).layout)


@pytest.fixture(scope="module")
def pictures():
    return {**specimens.pictures(), specimens.MISSING: specimens.jpeg(specimens.landscape(90, 60))}


@pytest.fixture(scope="module")
def layout(pictures):
    """The paper of the specimen, to compare with other articles."""
    return render_pdf(render_html([SAMPLE_ARTICLE], pictures, PrintOptions())).layout


@pytest.mark.parametrize(
    "options", [{}, {"links": "footnote"}, {"links": "inline", "paper": "A6"}, {"links": "endnote", "qr": True}],
    ids=str,
)  # fmt: skip
def test_all_of_the_specimen_is_on_paper(pictures, options) -> None:
    found = report(SAMPLE_ARTICLE, pictures, **options)
    assert found.complete, (found.shortfall(), found.missing_text)
    assert found.article == ContentCounts(
        words=found.article.words,
        headings=4,
        pictures=3,
        tables=1,
        code=2,
        formulas=2,
        notes=2,
        links=2,
    )
    assert found.article.words > 500


@pytest.mark.parametrize("script", SCRIPT_ARTICLES if THOROUGH else ("ar", "hi", "ja"))
def test_all_scripts_are_on_paper(pictures, script) -> None:
    found = report(SCRIPT_ARTICLES[script], pictures)
    assert found.complete, (found.shortfall(), found.missing_text)
    assert found.article.words > 50


def test_several_articles_are_counted_together(pictures) -> None:
    document = render_html([SAMPLE_ARTICLE, SCRIPT_ARTICLES["de"]], pictures)
    found = check_completeness([SAMPLE_ARTICLE, SCRIPT_ARTICLES["de"]], render_pdf(document).layout)
    assert found.complete, (found.shortfall(), found.missing_text)
    assert found.article.headings == 5


def test_a_cell_that_goes_on_over_pages_is_whole() -> None:
    long = " ".join(f"word{n}" for n in range(900))
    table = Table((cells("a", "b", header=True),), (cells(long, long.upper()),))
    assert report(replace(SAMPLE_ARTICLE, blocks=(table,))).complete


LOST = {
    "words": paragraph("These words are not there."),
    "headings": heading("Gone"),
    "pictures": Figure(specimens.LANDSCAPE, alt="x"),
    "tables": Table((), (cells("a", "b"), cells("c", "d"))),
    "code": Code("x = 1"),
    "formulas": Math("x^2", "x^2"),
    "notes": Note("n", "9", (paragraph("A note that is lost."),)),
    "links": paragraph(Span("x", href="https://example.org/lost")),
}


@pytest.mark.parametrize("kind", LOST)
def test_lost_content_is_reported(kind, layout) -> None:
    complete = replace(SAMPLE_ARTICLE, blocks=(*SAMPLE_ARTICLE.blocks, LOST[kind]))
    found = check_completeness([complete], layout)
    assert kind in found.shortfall(), found
    assert not found.complete


def test_lost_words_are_named_and_bounded() -> None:
    complete = replace(
        SAMPLE_ARTICLE,
        blocks=(paragraph("A"), *(paragraph(f"Lost piece {n} " * 20) for n in range(50))),
    )
    found = report(complete, printed_article=replace(SAMPLE_ARTICLE, blocks=(paragraph("A"),)))
    assert len(found.missing_text) == 6
    assert found.missing_text[0].startswith("Lost piece 0")
    assert found.missing_text[-1] == "and 45 more"


def test_a_missing_picture_is_a_loss() -> None:
    assert report(SAMPLE_ARTICLE).shortfall() == {"pictures": (0, 3)}


def test_style_sheets_that_hide_are_seen() -> None:
    article = replace(
        SAMPLE_ARTICLE, blocks=(paragraph("Shown."), items("Hidden one.", "Hidden two."))
    )
    found = report(article, css="ul { display: none }")
    assert found.shortfall() == {"words": (found.article.words - 4, found.article.words)}
    assert found.missing_text == ("Hidden one.", "Hidden two.")


REFRAIN = "And the river went on rising, as it had always done."


@pytest.mark.parametrize("printed", [1, 2])
def test_a_repeated_line_is_missed_if_it_is_printed_less_often(printed: int) -> None:
    def article(refrains: int):
        blocks = [paragraph("One verse."), paragraph(REFRAIN), paragraph("Another verse.")]
        return replace(SAMPLE_ARTICLE, blocks=(*blocks, paragraph(REFRAIN))[: 2 + refrains])

    found = report(article(2), printed_article=article(printed))
    assert found.missing_text == (() if printed == 2 else (REFRAIN,))
    assert found.complete == (printed == 2)


def test_only_the_article_with_the_loss_is_incomplete(layout) -> None:
    short = replace(SAMPLE_ARTICLE, blocks=(paragraph("These words are not there."),))
    lost_code = replace(SAMPLE_ARTICLE, blocks=(Code("x = 1"),))
    plain = replace(SAMPLE_ARTICLE, blocks=())
    assert check_completeness([plain, short], layout).incomplete == {1}
    # Which of two articles lost its code is not known.
    assert check_completeness([plain, SAMPLE_ARTICLE, lost_code], layout).incomplete == {1, 2}


def test_a_note_that_occurs_twice_is_printed_once() -> None:
    note = Note("n", "1", (paragraph("The only copy of this note."),))
    call = paragraph("A line with a call.", Span("1", note="n"))
    article = replace(SAMPLE_ARTICLE, blocks=(call, note))
    assert report(
        replace(article, blocks=(*article.blocks, note)), printed_article=article
    ).complete


def test_words_are_counted_as_everywhere_else() -> None:
    text = "It’s John’s well-known ten-year e-mail — of 2026."
    report = check_completeness([Article("", (paragraph(text),))], PrintedContent(text))
    assert report.article.words == report.printed.words == count_words(text)
