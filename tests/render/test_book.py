"""Several articles rendered separately and merged: one complete PDF, even if a part fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import BytesIO

import pikepdf
import pypdfium2
import pytest

from printer.article import Article, Span
from printer.errors import RenderError
from printer.options import PrintOptions
from printer.output import Edition, Picture, PreparedPictures, Story
from printer.render import book
from printer.render.book import RenderedBook, render_articles, split_into_runs
from printer.render.context import Document, RenderContext
from printer.render.weasy.engine import RenderedPdf
from printer.render.worker_pool import RenderPool
from tests.support import sample_articles as specimens
from tests.support.sample_articles import SAMPLE_ARTICLE, heading, paragraph

LINE = "The river rose in the night, and by morning the lower meadow was under water. "


def article(number: int, *more: object) -> Article:
    blocks = (
        heading(f"Part of {number}"),
        *(paragraph(LINE * 6) for _ in range(5)),
        paragraph("See ", Span("the end", href="#end")),
        *(paragraph(LINE * 6) for _ in range(8)),
        paragraph(Span(f"The end of {number}.", id="end")),
        *more,
    )
    return replace(SAMPLE_ARTICLE, title=f"Chapter {number}", blocks=blocks)  # type: ignore[arg-type]


@pytest.fixture
def one_article_per_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Render every article as a separate run, and page numbers a few at a time."""
    monkeypatch.setattr(book, "RUN_CHARS", 1)
    monkeypatch.setattr(book, "NUMBERED_PAGES", 2)


def bound(
    press: RenderPool, articles: list[Article], edition: Edition | None = None, **options: object
) -> RenderedBook:
    prepared = PreparedPictures(specimens.pictures())
    context = RenderContext.of(articles, PrintOptions(**options), edition=edition)  # type: ignore[arg-type]
    return render_articles(context, lambda _: prepared, press)


def texts(pdf: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return [page.get_textpage().get_text_range() for page in document]
    finally:
        document.close()


def start_of(pages: list[str], title: str) -> int:
    """The number of the page that an article begins on, by what is printed there."""
    return next(n for n, text in enumerate(pages, 1) if text.startswith(f"{title}\r\n"))


def test_runs_are_of_about_ten_pages_and_in_order() -> None:
    long = replace(SAMPLE_ARTICLE, blocks=tuple(paragraph(LINE * 100) for _ in range(5)))
    found = list(split_into_runs([SAMPLE_ARTICLE] * 30 + [long] * 2))
    assert [place for run in found for place in run] == list(range(32))
    assert found[-1] == (31,)
    assert 2 <= len(found[0]) < 30


def test_links_between_parts_reach_their_targets(
    press: RenderPool, one_article_per_run: None
) -> None:
    del one_article_per_run
    book = bound(press, [article(n) for n in range(3)], title="All", links="endnote")
    pages = texts(book.pdf)
    assert book.pages == len(pages)
    assert all(f"page {n} of {len(pages)}" in text for n, text in enumerate(pages, 1) if n > 1)
    with pikepdf.open(BytesIO(book.pdf)) as pdf:
        assert not pdf.check_pdf_syntax()
        leaves = list(pdf.Root.Names.Dests.Kids)
        names = [bytes(name) for leaf in leaves for name in list(leaf.Names)[::2]]
        assert names == sorted(names)
        assert len(names) == len(set(names))
        assert [leaf.Limits[0] for leaf in leaves] == [leaf.Names[0] for leaf in leaves]
        number = {page.objgen: n for n, page in enumerate(pdf.pages, 1)}
        named = pikepdf.NameTree(pdf.Root.Names.Dests).items()
        places = {name: number[place[0].objgen] for name, place in named}
        links = [
            str(annotation.Dest)
            for annotation in pdf.pages[1].Annots
            if annotation.Subtype == "/Link" and "/Dest" in annotation
        ]
    for n in range(3):
        start = start_of(pages, f"Chapter {n}")
        assert places[f"a{n + 1}-start"] == start
        assert f"a{n + 1}-start" in links
        (listed,) = (line for line in pages[1].splitlines() if line.startswith(f"Chapter {n}"))
        assert listed.split()[-1] == str(start)
        end = next(i for i, text in enumerate(pages, 1) if f"The end of {n}." in text)
        text = " ".join(" ".join(pages[start - 1 : end]).split())
        assert f"See the end (p. {end})" in text, text[text.index("See the") :][:40]


def walk(element: object, pages: set[tuple[int, int]]) -> Iterator[pikepdf.Dictionary]:
    """Yield a structure tree in its order; check that parents and pages are those of the whole."""
    stack = [element]
    while stack:
        one = stack.pop()
        if not isinstance(one, pikepdf.Dictionary) or "/S" not in one:
            continue
        yield one
        if "/Pg" in one:
            assert one.Pg.objgen in pages
        kids = list(one.K) if isinstance(one.K, pikepdf.Array) else [one.K]
        for kid in kids:
            if isinstance(kid, pikepdf.Dictionary) and "/S" in kid:
                assert kid.P.objgen == one.objgen
        stack.extend(reversed(kids))


def test_the_structure_tree_is_one(press: RenderPool, one_article_per_run: None) -> None:
    del one_article_per_run
    note = specimens.SAMPLE_ARTICLE.blocks
    book = bound(
        press, [replace(SAMPLE_ARTICLE, title=f"Chapter {n}", blocks=note) for n in range(3)]
    )
    with pikepdf.open(BytesIO(book.pdf)) as pdf:
        root = pdf.Root.StructTreeRoot
        assert len(root.K) == 1
        elements = list(walk(root.K[0], {page.objgen for page in pdf.pages}))
        kinds = [str(element.S) for element in elements]
        assert kinds.count("/Document") == 1
        assert kinds.count("/H1") == 4, "contents and three articles"
        notes = [str(element.ID) for element in elements if element.S == "/Note"]
        assert len(notes) >= 3
        assert len(notes) == len(set(notes))
        leaves = list(root.ParentTree.Kids)
        keys = [int(key) for leaf in leaves for key in list(leaf.Nums)[::2]]
        assert keys == sorted(set(keys))
        assert [leaf.Limits[1] for leaf in leaves] == [leaf.Nums[-2] for leaf in leaves]
        parents = pikepdf.NumberTree(root.ParentTree)
        for page in pdf.pages:
            assert isinstance(parents[int(page.obj.StructParents)], pikepdf.Array)
            for annotation in page.obj.get("/Annots", ()):
                holder = parents[int(annotation.StructParent)]
                assert any(
                    kid.get("/Obj") is not None and kid.Obj.objgen == annotation.objgen
                    for kid in holder.K
                    if isinstance(kid, pikepdf.Dictionary)
                )


def test_sections_of_a_digest_hold_their_articles_over_all_parts(
    press: RenderPool, one_article_per_run: None
) -> None:
    del one_article_per_run
    sections = ["News", "News", "News", "Science", "Science"]
    edition = Edition(tuple(Story(section=section, words=100, minutes=1) for section in sections))
    book = bound(press, [article(n) for n in range(5)], edition, title="Week")
    with pikepdf.open(BytesIO(book.pdf)) as pdf, pdf.open_outline() as outline:
        sections_in_outline = {
            str(one.title): [str(chapter.title) for chapter in one.children] for one in outline.root
        }
        assert sections_in_outline["News"] == ["Chapter 0", "Chapter 1", "Chapter 2"]
        assert sections_in_outline["Science"] == ["Chapter 3", "Chapter 4"]
        first = outline.root[0].children[0]
        assert [str(entry.title) for entry in first.children] == ["Part of 0"]


def test_the_right_hand_margin_is_on_the_right_pages(
    press: RenderPool, one_article_per_run: None
) -> None:
    del one_article_per_run
    book = bound(press, [article(n) for n in range(3)], duplex=True)
    document = pypdfium2.PdfDocument(book.pdf)
    edges = {0: set(), 1: set()}  # type: dict[int, set[int]]
    for number, page in enumerate(document, 1):
        text = page.get_textpage()
        boxes = [text.get_charbox(n) for n in range(min(200, text.count_chars()))]
        edges[number % 2].add(round(min(left for left, *_ in boxes)))
    document.close()
    assert edges[1], "there are no right pages"
    assert edges[0], "there are no left pages"
    assert min(edges[1]) > max(edges[0]), "the inner margin is not always on the inner side"


class Failing:
    """A pool in which documents with a certain word fail."""

    def __init__(self, press: RenderPool, word: str) -> None:
        self._press, self._word = press, word

    def render_all(self, documents: Iterable[Document]) -> Iterator[RenderedPdf | RenderError]:
        for document in documents:
            if self._word in document.html:
                yield RenderError("too hard")
            else:
                yield from self._press.render_all([document])


def test_an_article_that_cannot_be_laid_out_does_not_stop_the_others(press: RenderPool) -> None:
    articles = [article(n) for n in range(3)]
    articles[1] = article(1, paragraph("A hard word."))
    context = RenderContext.of(articles, PrintOptions(title="All"))
    assert len(list(split_into_runs(context.articles))) == 1, (
        "they are not one run, which fails as a whole"
    )
    failing = Failing(press, "hard word")
    picture = {"a.png": Picture(b"", "image/png", 1, 1)}
    prepared = PreparedPictures(picture, missing=1, warnings=("a picture is missing",))
    book = render_articles(context, lambda _: prepared, failing)  # type: ignore[arg-type]
    assert [place for place, _ in book.failed] == [1]
    # Of the two articles that are printed; the run that failed as a whole does not count.
    assert (book.pictures, book.missing_pictures) == (2, 2)
    pages = texts(book.pdf)
    listed = pages[1]
    assert "Chapter 0" in listed
    assert "Chapter 1" not in listed
    assert f" {start_of(pages, 'Chapter 2')}\r\n" in listed


def test_when_all_fail_the_first_failure_is_raised(press: RenderPool) -> None:
    context = RenderContext.of([article(0), article(1)], PrintOptions())
    with pytest.raises(RenderError, match="too hard"):
        render_articles(context, lambda _: PreparedPictures(), Failing(press, "Chapter"))  # type: ignore[arg-type]


def test_presses_give_documents_back_in_order_and_end(press: RenderPool) -> None:
    documents = (
        Document(f"<html lang=en><title>t</title><p>{n}" + "<p>x" * 90 * n) for n in range(6)
    )
    rendered = list(press.render_all(documents))
    beginnings = [texts(pdf.pdf)[0][:1] for pdf in rendered if isinstance(pdf, RenderedPdf)]
    assert beginnings == ["0", "1", "2", "3", "4", "5"]
