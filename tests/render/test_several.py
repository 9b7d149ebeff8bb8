"""Several articles in one: a cover, contents, chapters; and lines that are numbered."""

from dataclasses import replace

import pytest

from tests.support import sample_articles as specimens
from tests.support.sample_articles import SAMPLE_ARTICLE, SCRIPT_ARTICLES, paragraph

OTHER = replace(SCRIPT_ARTICLES["de"], title="Zweiter Aufsatz")


def test_a_title_makes_a_cover_without_page_number_or_running_head(printed):
    paper = printed(SAMPLE_ARTICLE, OTHER, pictures=specimens.pictures(), title="Week 12 <b>")
    cover, contents = paper.texts[0], paper.texts[1]
    assert cover.split("\r\n")[0] == "Week 12 <b>"
    assert "page" not in cover
    assert contents.startswith("Contents")
    assert str(paper.pdf.docinfo["/Title"]) == "Week 12 <b>"
    alone = printed(SAMPLE_ARTICLE, pictures=specimens.pictures(), title="Week 12")
    assert "Week 12" not in alone.text, "one article needs no cover"


def test_chapters_begin_on_right_pages_when_asked(printed):
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


def test_contents_tell_the_right_pages(printed):
    articles = [replace(SAMPLE_ARTICLE, title=f"Chapter {n}") for n in range(3)]
    paper = printed(*articles, pictures=specimens.pictures(), title="All")
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
