from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from printer.article import (
    Article,
    Block,
    Code,
    Embed,
    Figure,
    Heading,
    Item,
    List,
    Math,
    Note,
    Paragraph,
    Quote,
    Span,
    Table,
)
from printer.render.context import ArticleView
from tests.support.documents import html_page, render_html
from tests.support.sample_articles import SAMPLE_ARTICLE, cells, paragraph, pictures

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}{% for x in y %}",
    "</style></title><b>",
    "javascript:alert(1)",
    "x' onclick='y",
    "\x00\x0b\ud800",
    "]]>--><!--",
]


def hostile(text: str) -> Article:
    """Return an article with the same text in every field."""
    span = Span(text, ("code",), text, text, text, text, text, text, text, text)
    blocks: tuple[Block, ...] = (
        Paragraph((span,), text, text, text),
        Heading(2, (span,), text, text, text),
        List((Item((paragraph(text),), text),), ordered=True, style=text),
        Quote((paragraph(text),), (span,)),
        Code(text, text, text),
        Table((cells(text),), (cells(text),), (), (span,), text),
        Figure(text, (text,), (span,), text, text, id=text),
        Math(text, text),
        Embed("video", text, text, text),
        Note(text, text, (paragraph(text),)),
    )
    return Article(text, blocks, text, text, text, text, text, text)


def scripts(page: str) -> list[str]:
    """Return what could run or be fetched in a page."""
    tree = lxml_html.fromstring(page)
    found = [f"<{element.tag}>" for element in tree.iter("script", "iframe", "object", "base")]
    for element in tree.iter():
        for name, value in element.attrib.items():
            if name.startswith("on") or value.strip().lower().startswith("javascript:"):
                found.append(f"{name}={value}")
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_a_strangers_text_is_only_text(text: str) -> None:
    for page in (render_html([hostile(text)], {}).html, html_page(hostile(text))):
        assert not [s for s in scripts(page) if not s.startswith(("content=", "data-", "alt="))]
        assert "49" not in lxml_html.fromstring(page).xpath("string(//h1)")


@given(st.text(max_size=60))
def test_any_text_is_kept_as_text(text: str) -> None:
    tree = lxml_html.fromstring(html_page(Article("T", (paragraph("[", text, "]"),))))
    printed_text = "".join(tree.xpath("string(//article/p)").replace("\u200b", "").split())
    if all(c.isprintable() or c in "\n\t " for c in text):
        assert printed_text == "".join(f"[{text}]".replace("\u200b", "").split())


def test_neighbours_under_one_mark_share_an_element() -> None:
    link = "https://example.org/"
    block = paragraph(Span("a ", href=link), Span("b", ("em",), link), Span(" c", href=link), " d")
    page = html_page(Article("T", (block,)))
    assert f'<a href="{link}">a <em>b</em> c</a> d' in page


@pytest.mark.parametrize("name", [field.name for field in fields(Span)])
def test_every_field_of_a_span_is_printed(name: str) -> None:
    values = {"marks": ("em",), "href": "https://example.org/", "lang": "de", "dir": "rtl"}
    plain = Span("x", ("abbr",))
    span = replace(plain, **{name: values.get(name, "n")})
    note = Note("n", "1", (paragraph("A note."),))
    pages = [render_html([Article("T", (paragraph(s), note))], {}).html for s in (plain, span)]
    assert pages[0] != pages[1]


def test_ids_are_defined_once_and_kept_apart() -> None:
    one = replace(
        SAMPLE_ARTICLE, blocks=(paragraph(Span("x", id="same")), paragraph(Span("y", id="same")))
    )
    tree = lxml_html.fromstring(render_html([one, one], {}).html)
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert {"a1-same", "a2-same"} <= set(ids)


def test_pictures_are_named_by_their_content() -> None:
    document = render_html([SAMPLE_ARTICLE], pictures())
    names = lxml_html.fromstring(document.html).xpath("//img/@src")
    assert len(names) == 5, "two pictures, two formulas and a code"
    assert set(names) == set(document.assets.by_url)


def test_code_keeps_weight_slant_and_text() -> None:
    text = "def f(x):\n\treturn x  # why\n\n"
    page = html_page(Article("T", (Code(text, "python"), Code(text, "no such language"))))
    one, two = lxml_html.fromstring(page).xpath("//pre")
    assert one.text_content() == two.text_content() == text
    assert one.xpath(".//b/text()") == ["def", "return"]
    assert one.xpath(".//i/text()") == ["# why"]
    assert not two.xpath(".//b")


def test_dates_are_written_as_the_reader_writes_them() -> None:
    for language, date in (
        ("en", "12 March 2024"), ("en-US", "March 12, 2024"), ("de", "12. März 2024"),
        ("ja", "2024年3月12日"), ("", "12 March 2024"), ("xx", "2024-03-12"), ("x'", "12 March 2024"),
    ):  # fmt: skip
        assert date in html_page(
            Article("T", (paragraph("x"),), published="2024-03-12", language=language)
        )
    assert "not a date" in html_page(Article("T", (paragraph("x"),), published="not a date"))


@pytest.mark.parametrize(
    ("published", "created"),
    [
        ("2024-03-12", "2024-03-12"),
        ("2024-03-12T10:12", "2024-03-12"),
        ("2024-03-12T10:12:30", "2024-03-12"),
        ("2024-03-12T10:12:30+01:00", "2024-03-12T10:12:30+01:00"),
        ("2024-03-12T10:12Z", "2024-03-12T10:12Z"),
    ],
)
def test_metadata_has_no_time_without_its_zone(published: str, created: str) -> None:
    written = render_html([Article("T", (paragraph("x"),), published=published)], {}).html
    assert f'<meta name="dcterms.created" content="{created}">' in written


def test_the_day_of_fetching_may_be_given() -> None:
    document = render_html([SAMPLE_ARTICLE], {}, fetched=datetime(2024, 5, 1, tzinfo=UTC))
    assert "1 May 2024" in document.html


def test_the_plain_page_lets_nothing_run() -> None:
    tree = lxml_html.fromstring(html_page(SAMPLE_ARTICLE))
    (policy,) = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'")
    assert "script" not in policy


def test_a_broken_line_of_code_is_marked_and_the_text_is_as_it_was(printed) -> None:
    long = "x = " + " + ".join(f"term{n}" for n in range(40))
    paper = printed(Article("T", (Code(f"def f():\n\n    {long}\n\ny = 1", "python"),)))
    assert "term39" in paper.text
    assert sum(1 for image in paper.pdf.pages[0].get_images()) == 1, "the hooked arrow"
    for length in range(60, 82, 3):
        line = f"form({'x' * length} %(height)s mouth/tail {'y' * 20}"
        words = printed(Article("T", (Code(line, "python"),))).text
        assert "%(height)s" in words
        assert "mouth/tail" in words
    short = printed(Article("T", (Code("def f():\n\n    pass", "python"),)))
    assert short.text.startswith("T def f(): pass ")


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.tide.example/a", "tide.example"),
        ("http://192.0.2.7:8000/a", ""),
        ("http://[2001:db8::7]/a", ""),
        ("https://360.example/a", "360.example"),
    ],
)
def test_an_address_of_numbers_names_no_site(url: str, host: str) -> None:
    assert ArticleView.of(Article("T", (paragraph("x"),), url=url)).host == host
