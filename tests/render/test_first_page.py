"""The first page: section, title, standfirst, source, contents, initial and end mark."""

from dataclasses import replace

import pytest
from lxml import html as lxml_html

from printer.article import (
    Article,
    Block,
    Code,
    Definition,
    DefinitionList,
    Figure,
    Heading,
    Item,
    List,
    Note,
    Paragraph,
    Post,
    Quote,
    Span,
)
from printer.options import PrintOptions
from printer.output import Edition, Story
from printer.render.context import RenderContext, build_document
from printer.render.links import LinkTargets
from tests.support.documents import render_html
from tests.support.sample_articles import LANDSCAPE, heading, items, paragraph, pictures, spans

TEXT = "The ferry crosses at six in the morning and again when the light goes. "


def page_of(article: Article, theme: str = "article") -> lxml_html.HtmlElement:
    document = render_html([article], pictures(), PrintOptions(theme=theme))
    return lxml_html.fromstring(document.html)


def texts(page: lxml_html.HtmlElement, path: str) -> list[str]:
    return [" ".join(found.text_content().split()) for found in page.xpath(path)]


def article(*blocks: Paragraph | Figure, **values: str) -> Article:
    stated = {"url": "https://news.example/ferry", "site": "News", "section": "Harbour"} | values
    return Article("The ferry", blocks or (paragraph(TEXT * 5),), **stated)


def test_the_section_stands_over_the_title_unless_the_title_names_it():
    assert texts(page_of(article()), "//header/*[1][@class='kicker']") == ["Harbour"]
    named = replace(article(), title="Harbour news: the ferry")
    assert not texts(page_of(named), "//*[@class='kicker']")
    assert not texts(page_of(article(section="")), "//*[@class='kicker']")


def test_emoji_are_not_set_in_small_capitals(printed, capfd):
    printed(article(section="🧪 ☀️ Harbour", byline="Anna Berg 🤷🏽‍♂️", published="2024-03-01"))
    assert "Pango" not in capfd.readouterr().err
    page = page_of(article(section="🧪 Harbour & port"))
    assert texts(page, "//p[@class='kicker']/span[@class='emoji']") == ["🧪"]
    assert texts(page, "//p[@class='kicker']") == ["🧪 Harbour & port"]


def test_the_source_is_named_once():
    origin = "//*[@class='origin']/*"
    assert texts(page_of(article(published="2024-03-01")), origin) == ["1 March 2024", "News"]
    assert texts(page_of(article(site="")), origin) == ["news.example"]


def test_the_standfirst_precedes_the_byline():
    blocks = paragraph("A short summary."), Figure(LANDSCAPE), paragraph(TEXT * 5)
    page = page_of(article(*blocks, byline="Anna Berg"))
    assert texts(page, "//header/p[@class='standfirst balanced']/following-sibling::p[1]") == [
        "Anna Berg"
    ]
    assert texts(page, "//p[contains(., 'A short summary')]") == ["A short summary."]


def openings(text: str, theme: str = "article") -> list[str]:
    page = page_of(article(paragraph(text), paragraph(TEXT)), theme)
    return texts(page, "//span[@class='opening' or @class='initial']")


def test_an_article_opens_with_words_in_small_capitals_or_an_initial():
    assert openings(TEXT * 5) == ["The ferry crosses at six"]
    assert openings("Late, the ferry " + TEXT * 5) == []
    assert openings("In Lenne, the ferry " + TEXT * 5) == ["In Lenne"]
    assert openings("“Late” " + TEXT * 5) == []
    assert openings("Short.") == []
    assert openings("Élan vital, " + TEXT * 5) == ["Élan vital"]
    assert openings("Паром Kester идёт в шесть. " + TEXT * 5) == []
    assert openings(TEXT * 5, "newspaper") == ["T"]
    assert openings(TEXT * 2, "newspaper") == ["The ferry crosses at six"]


def test_small_capitals_do_not_cut_an_entity():
    assert openings("Berg & Sons of Lenne " + TEXT * 5) == []
    assert openings("The firm Berg & Sons of Lenne " + TEXT * 5) == ["The firm Berg"]


@pytest.mark.parametrize(
    ("last", "marked"),
    [
        (paragraph("The end."), "The end."),
        (paragraph("The end. ❖"), None),
        (items("One.", "The end."), "The end."),
        (Quote((paragraph("One."), paragraph("The end."))), "The end."),
        (Quote((paragraph("One."),), cite=spans("The end")), "The end"),
        (DefinitionList((Definition((spans("Lenne"),), ((paragraph("The end."),),)),)), "The end."),
        (Post("Ada", "today", (paragraph("One."), paragraph("The end."))), "The end."),
        (Figure(LANDSCAPE), None),
        (Code("The end"), None),
    ],
)
def test_a_text_that_ends_the_article_has_an_end_mark(last: Block, marked: str | None):
    note = Note("n1", "1", (paragraph("A note."),))
    page = page_of(article(paragraph(TEXT * 5), items("Early."), last, note))
    assert texts(page, "//*[contains(@class, 'closing')]") == ([marked] if marked else [])
    assert not page.xpath("//*[contains(@class, 'closing')]//following::figure")


def test_the_end_mark_is_in_the_first_paragraph_if_there_is_no_other():
    assert texts(page_of(article(paragraph(TEXT * 5))), "//p[@class='closing']")


def test_the_beginning_of_a_paid_article_has_no_end_mark_but_says_that_it_breaks_off():
    blocks = paragraph(TEXT * 5), paragraph("And then")
    page = page_of(article(*blocks, obstacle="paywall", language="de"))
    assert texts(page, "//*[contains(@class, 'closing')]") == []
    assert texts(page, "//p[@class='cut']") == ["Die Seite zeigt nur den Anfang dieses Artikels."]
    assert texts(page_of(article(*blocks)), "//p[@class='cut']") == []


@pytest.mark.parametrize("before", range(14, 28, 4))
def test_nothing_follows_the_end_mark(printed, before: int):
    """A figure that does not fit is not moved behind the last paragraph."""
    paper = printed(article(*[paragraph("Line.")] * before, Figure(LANDSCAPE), paragraph("End.")))
    *_, last = paper.texts
    assert "End." in last
    assert "\u25a0" in last


def long_article(sections: int, paragraphs: int) -> Article:
    blocks = [
        block
        for number in range(sections)
        for block in (heading(f"Part {number}"), *(paragraph(TEXT * 9) for _ in range(paragraphs)))
    ]
    return replace(article(), blocks=tuple(blocks))


def outline_of(article: Article, edition: Edition | None = None) -> list[str]:
    context = RenderContext.of([article], PrintOptions(), edition=edition)
    targets = LinkTargets()
    document = build_document(context, (0,), {}, targets, targets)
    return texts(lxml_html.fromstring(document.html), "//nav[@class='outline']//a")


def test_a_long_article_has_contents(printed):
    paper = printed(long_article(4, 20))
    assert paper.pages > 12
    first = paper.texts[0].split("Part 0")[1]
    page = next(n for n, text in enumerate(paper.texts[1:], 2) if "Part 3" in text)
    assert f"Part 3 {'. ' * 3}" in " ".join(first.split())
    assert f". {page}" in first.split("Part 3")[1].splitlines()[0]
    assert sum("Part 3" in text for text in paper.texts[1:]) >= 1


def test_an_article_that_is_short_or_whole_has_no_contents():
    assert outline_of(long_article(4, 20)) == [f"Part {number}" for number in range(4)]
    assert outline_of(long_article(4, 2)) == []
    assert outline_of(long_article(2, 40)) == []
    assert outline_of(long_article(4, 20), Edition((Story(),))) == []
    full = long_article(4, 20)
    listed = items("Part 0", "Part 1", "Part 2", "Part 3")
    assert outline_of(replace(full, blocks=(paragraph(TEXT), listed, *full.blocks))) == []
    text = replace(long_article(4, 20), blocks=(Paragraph((Span(TEXT * 900),)),))
    entry = Heading(3, (Span("Boat"),))
    assert outline_of(replace(full, blocks=(*full.blocks, *[entry] * 30))) == []
    assert len(outline_of(replace(full, blocks=(*full.blocks, *[entry] * 9)))) == 4
    shop = List(tuple(Item((Figure(f"{n}.jpg"), entry)) for n in range(24)), style="none")
    assert outline_of(replace(long_article(4, 6), blocks=(*long_article(4, 6).blocks, shop))) == []
    assert outline_of(text) == []


def test_a_short_list_is_kept_together():
    def breaks_inside(*texts_: str) -> list[str]:
        page = page_of(article(paragraph(TEXT), items(*texts_)))
        return [found.get("class") for found in page.xpath("//ul")]

    assert breaks_inside("Oak", "Iron", "Rope") == ["short terse"]
    assert breaks_inside(*"abcdef") == ["short terse"]
    assert breaks_inside(*"abcdefgh") == ["short terse"]
    assert breaks_inside(*"abcdefghi") == ["terse"]
    assert breaks_inside(TEXT * 8, TEXT * 8) == [None]
