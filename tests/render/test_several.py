"""Several articles in one PDF: a cover, contents, chapters; and numbered lines."""

from dataclasses import replace
from datetime import datetime

import pypdfium2
import pytest

from printer.options import PrintOptions
from printer.output import Edition, PreparedPictures, Story
from printer.render.book import render_articles
from printer.render.context import RenderContext
from tests.support import sample_articles as specimens
from tests.support.sample_articles import SAMPLE_ARTICLE, SCRIPT_ARTICLES, paragraph

OTHER = replace(SCRIPT_ARTICLES["de"], title="Zweiter Aufsatz")
#: Two pages of text.
SHORT = replace(SAMPLE_ARTICLE, blocks=(paragraph("The river rises in the night. " * 20),) * 8)


def test_a_title_makes_a_cover_without_page_number_or_running_head(printed):
    paper = printed(SHORT, OTHER, title="Week 12 <b>")
    cover, contents = paper.texts[0], paper.texts[1]
    assert cover.split("\r\n")[0] == "Week 12 <b>"
    assert "page" not in cover
    assert contents.startswith("Contents")
    assert str(paper.pdf.docinfo["/Title"]) == "Week 12 <b>"
    alone = printed(SHORT, title="Week 12")
    assert "Week 12" not in alone.text, "one article needs no cover"


def test_chapters_begin_on_right_pages_with_the_option(printed):
    articles = [
        replace(SAMPLE_ARTICLE, title=f"Chapter {n}", blocks=(paragraph("Text."),))
        for n in range(4)
    ]
    paper = printed(*articles, theme_options=("chapters=right",))
    starts = [
        number
        for number, text in enumerate(paper.texts, 1)
        if text.startswith("Chapter") and "Ada Fenwick" in text
    ]
    assert len(starts) == 4
    assert all(number % 2 for number in starts)
    blank = paper.texts[starts[1] - 2]
    assert blank.strip() == "", "a blank page has a head or a number"
    anywhere = printed(*articles)
    assert anywhere.pages == 5


def test_contents_have_the_right_page_numbers(printed):
    articles = [replace(SHORT, title=f"Chapter {n}") for n in range(3)]
    paper = printed(*articles, title="All")
    listed = paper.texts[1]
    for n in range(3):
        start = next(
            number
            for number, text in enumerate(paper.texts, 1)
            if number > 2 and text.startswith(f"Chapter {n}\r\nAda")
        )
        line = next(line for line in listed.splitlines() if line.startswith(f"Chapter {n}"))
        assert line.split()[-1] == str(start)


def test_every_fifth_line_of_a_manuscript_is_numbered(printed):
    paper = printed(SAMPLE_ARTICLE, pictures=specimens.pictures(), theme="manuscript")
    lines = paper.texts[0].splitlines()
    numbers = [int(line) for text in paper.texts for line in text.splitlines() if line.isdecimal()]
    assert numbers[:4] == [5, 10, 15, 20], lines
    assert all(number % 5 == 0 for number in numbers)
    for page in paper.pdf.pages:
        content = page.Contents[-1].read_bytes()
        assert content.startswith(b"Q /Artifact BMC"), "the numbers are not apart from the text"


@pytest.mark.parametrize("theme", ["article", "manuscript"])
def test_lines_are_numbered_when_set(printed, theme):
    paper = printed(
        SAMPLE_ARTICLE,
        pictures=specimens.pictures(),
        theme=theme,
        theme_options=("line-numbers=1",),
    )
    assert {"1", "2", "3"} <= set(paper.texts[0].split())


def print_digest(press, articles, **options):
    stories = [Story("Lenne", "The Paper", 500, 3) for _ in articles]
    edition = Edition(tuple(stories), datetime(2024, 3, 1))
    context = RenderContext.of(articles, PrintOptions(**options), edition=edition)
    prepared = PreparedPictures(specimens.pictures())
    pdf = render_articles(context, lambda _: prepared, press).pdf
    document = pypdfium2.PdfDocument(pdf)
    try:
        return [page.get_textpage().get_text_range() for page in document]
    finally:
        document.close()


@pytest.mark.parametrize("theme", ["article", "newspaper"])
def test_the_articles_of_a_digest_run_on(press, theme):
    text = "The river rose in the night and the meadow was under water. " * 6
    blocks = tuple(paragraph(text) for _ in range(3))
    articles = [
        replace(SAMPLE_ARTICLE, title=f"Story {n}", blocks=blocks, byline="") for n in range(4)
    ]
    pages = print_digest(press, articles, theme=theme)
    assert len(pages) <= 4
    assert any("Story 0" in page and "Story 1" in page for page in pages[1:])
    line = next(line for line in pages[1].splitlines() if "3 min" in line)
    assert "500 words" in line


def test_a_digest_has_a_front_page_with_headlines_and_its_size(press):
    summary = "What the river did in the night."
    articles = [
        replace(SAMPLE_ARTICLE, title=f"Story {n}", lead=summary, blocks=(paragraph("Text."),))
        for n in range(3)
    ]
    pages = print_digest(press, articles, title="The Morning")
    front = " ".join(pages[0].split())
    assert front.startswith(f"The Morning 1 March 2024 · 3 articles · {len(pages)} pages")
    assert front.count(summary) == 3
    assert "Story 2" in front
    assert "Contents" in pages[1]
