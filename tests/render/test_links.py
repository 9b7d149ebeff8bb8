"""Links and notes on paper: numbers, addresses, pages, the foot of the page."""

from __future__ import annotations

import time
from dataclasses import replace

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from weasyprint.layout import block

from printer.article import (
    Article,
    Definition,
    DefinitionList,
    Embed,
    Figure,
    Note,
    Quote,
    Span,
    Table,
)
from printer.options import PrintOptions
from printer.render.links import (
    MAX_PRINTED_URL_CHARS,
    MAX_QR_BYTES,
    MAX_QR_CODES,
    display_url,
    is_visible_url,
    qr_code,
)
from printer.render.weasy import footnotes
from printer.render.weasy.engine import render_pdf
from tests.support.documents import render_html
from tests.support.sample_articles import SAMPLE_ARTICLE, cells, heading, items, paragraph, spans

SITE = "https://example.org/"
WORDS = (
    "The river rises under the ridge and comes down through the meadows very slowly indeed. " * 3
)


def article(*blocks: object) -> Article:
    return replace(SAMPLE_ARTICLE, blocks=blocks)  # type: ignore[arg-type]


def link(text: str, path: str) -> Span:
    return Span(text, href=path if ":" in path or path.startswith("#") else SITE + path)


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("https://example.org/", "example.org"),
        ("http://example.org/", "http://example.org"),
        ("https://example.org/a?utm_source=x&id=7&fbclid=abc&gclid=1", "example.org/a?id=7"),
        ("https://example.org/a?utm_source=x#part", "example.org/a#part"),
        ("https://example.org/a?utmost=1&referer=2", "example.org/a?utmost=1&referer=2"),
        ("https://example.org:8080/%C3%BCber", "example.org:8080/über"),
        ("https://example.org/a%20b%2Fc", "example.org/a%20b%2Fc"),
        ("https://example.org/%E2%80%AEgpj.exe", "example.org/%E2%80%AEgpj.exe"),
        ("https://user:secret@example.org/a", "example.org/a"),
        ("mailto:ada@example.org?subject=x", "ada@example.org"),
    ],
)
def test_an_address_is_printed_without_technical_parts(url: str, written: str) -> None:
    assert display_url(url) == written


@given(st.text(max_size=60))
def test_any_text_is_written_within_bounds(text: str) -> None:
    written = display_url("https://example.org/" + text)
    assert len(written) <= MAX_PRINTED_URL_CHARS
    is_visible_url(text, written)


def test_a_link_that_says_its_address_needs_no_number() -> None:
    assert is_visible_url("www.example.org/a", "https://example.org/a?utm_source=x")
    assert is_visible_url("https://example.org/a/", "https://example.org/a")
    assert not is_visible_url("the story", "https://example.org/a")


def test_links_have_no_notes_by_default(printed) -> None:
    paper = printed(article(paragraph(WORDS, link("a story", "story"))))
    assert "example.org/story" not in paper.text
    assert "story1" not in paper.text


def test_each_target_has_one_number_and_is_named_once_at_the_foot(printed) -> None:
    text = article(
        paragraph(WORDS, link("one", "1?utm_source=mail")),
        paragraph(WORDS, link("two", "2"), " and ", link("one again", "1?utm_source=mail")),
    )
    paper = printed(text, links="footnote")
    assert "two2 and one again1" in paper.text
    assert "one1" in paper.text
    assert paper.text.count("1 example.org/1") == 1
    assert paper.text.count("2 example.org/2") == 1
    assert "[" not in paper.text
    assert "utm_source" not in paper.text
    where = {
        str(a.A.URI)
        for page in paper.pdf.pages
        for a in page.get("/Annots", [])
        if "/A" in a and "/URI" in a.A
    }
    assert SITE + "1?utm_source=mail" in where, "the link itself is changed"


def test_a_link_on_another_page_has_its_note_there(printed) -> None:
    text = article(
        paragraph(WORDS, link("one", "1")),
        *[paragraph(WORDS * 6)] * 6,
        paragraph(WORDS, link("two", "2"), " and ", link("one again", "1")),
    )
    paper = printed(text, links="footnote")
    first, *_, last = (" ".join(t.split()) for t in paper.texts if "example.org/1" in t)
    assert "1 example.org/1 2" not in first
    assert "2 example.org/2 1 example.org/1" in last


def all_places() -> tuple[object, ...]:
    """Links in headings, table cells, terms and captions, and in so many lines that a page ends
    among them."""
    caption = (Span("A picture by "), link("somebody", "person"))
    cell = replace(cells("y")[0], blocks=(paragraph(link("cell", "cell")),))
    table = Table((), ((*cells("x"), cell),), caption_spans=(link("caption", "caption"),))
    lines = [paragraph(f"Line {n} ", link("by one", f"line-{n}")) for n in range(30)]
    return (
        paragraph(WORDS * 3, link("one", "1")),
        replace(heading("A"), spans=(link("Heading", "heading"),)),
        table,
        DefinitionList((Definition((spans("term"),), ((paragraph(link("x", "detail")),),)),)),
        Figure("https://example.org/no.jpg", caption_spans=caption, alt="x"),
        *[paragraph(WORDS * 6)] * 5,
        *lines,
        paragraph(WORDS),
    )


@pytest.mark.parametrize(
    ("theme", "spare"),
    [("article", 0), ("article", 1), ("article", 2), ("newspaper", 0), ("compact", 1)],
)
def test_every_note_stands_on_the_page_of_its_call(printed, theme: str, spare: int) -> None:
    filling = (paragraph(WORDS),) * spare
    paper = printed(article(*filling, *all_places()), links="footnote", theme=theme)
    assert "Links" not in paper.text
    for page in paper.pdf.pages:
        targets = [
            str(link.A.URI).removeprefix(SITE)
            for link in page.get("/Annots", [])
            if "/A" in link and "/URI" in link.A
        ]
        # Each link is present once as a link and once as a note.
        counts = {t: targets.count(t) for t in targets if "/" not in t}
        assert set(counts.values()) <= {2}, counts


def test_the_lines_of_calls_are_no_wider_apart(printed) -> None:
    plain, called = (
        printed(article(*[paragraph(WORDS, span)] * 8), links="footnote").pages
        for span in (Span("x"), link("x", "story"))
    )
    assert plain == called == 1


def test_neighbouring_signs_are_parted_and_tied_to_their_word(printed) -> None:
    calls = [Span("[1]", note="1"), Span(" "), Span("[2]", note="2"), Span("[3]", note="3")]
    paper = printed(article(paragraph(WORDS, "he said (no) ", *calls, " so."), *map(note, "123")))
    assert "he said (no)1,2,3 so." in paper.text.replace("\u2060", ""), paper.text[-200:]
    html = render_html([article(paragraph("said ", *calls), *map(note, "123"))], {}).html
    assert 'said<sup class="call">' in html
    assert html.count("\u2060") == 3


def test_numbers_of_links_follow_those_of_notes(printed) -> None:
    text = article(paragraph(WORDS, Span("7", note="7"), " and ", link("x", "x")), note("7"))
    assert "8 example.org/x" in printed(text, links="footnote").text


def test_links_are_underlined_only_where_their_address_is_printed(printed) -> None:
    code = Span("code", href=SITE + "code", marks=("code",))
    text = article(
        replace(heading("A"), spans=(link("Heading", "h"),)), paragraph(WORDS, code),
        paragraph(WORDS, "x ", link("words", "words")),
    )  # fmt: skip
    for style, underlined in (("none", 0), ("footnote", 1)):
        paper = printed(text, links=style)
        content = pikepdf.parse_content_stream(pikepdf.Page(paper.pdf.pages[0]))
        # Underlines are the only lines in this grey.
        greys = [str(i.operands) for i in content if str(i.operator) in ("RG", "SC", "SCN", "G")]
        assert sum("0.69" in grey for grey in greys) == underlined, greys


def test_endnotes_are_one_list_over_several_articles(printed) -> None:
    one = article(paragraph(WORDS, link("a", "a"), link("b", "b")))
    two = replace(article(paragraph(WORDS, link("b too", "b"), link("c", "c"))), title="Another")
    paper = printed(one, two, links="endnote")
    assert paper.text.count("Links") == 1
    assert "1 example.org/a 2 example.org/b 3 example.org/c" in paper.text


def test_an_address_behind_its_link(printed) -> None:
    address_as_text = link("example.org/\u200blong", "long")  # which may be broken at its slash
    paper = printed(
        article(
            paragraph(
                WORDS, link("a story", "story"), " ", link("example.org", ""), " ", address_as_text
            )
        ),
        links="inline",
    )
    assert "a story (example.org/story) example.org example.org/long " in paper.text + " "


def test_a_link_within_the_article_gives_its_page(printed) -> None:
    text = article(
        paragraph("See ", link("the end", "#end"), "."),
        *[paragraph(WORDS * 4)] * 12,
        heading("End", 2, "end"),
        paragraph("x"),
    )
    paper = printed(text, links="endnote")
    page = next(n for n, t in enumerate(paper.texts, 1) if "End" in t and n > 1)
    assert f"See the end (p. {page})." in paper.text
    assert "p. " not in printed(text).text


def test_a_page_of_nothing_but_links_lists_them_at_the_end(printed) -> None:
    text = article(
        *(paragraph("See ", link(f"story {n}", f"a-rather-long-address-{n}")) for n in range(60))
    )
    paper = printed(text, links="footnote", expect=("link targets are listed at the end",))
    assert "Links 1" in paper.text


def test_unsafe_links_are_neither_linked_nor_named() -> None:
    for href in ("javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x"):
        for style in ("footnote", "endnote", "inline"):
            html = render_html(
                [article(paragraph(WORDS, Span("x", href=href)))], {}, PrintOptions(links=style)
            ).html
            assert href not in html


def test_thousands_of_links_are_printed_in_bounded_time(printed) -> None:
    many = [
        paragraph(*(piece for n in range(40) for piece in ("word ", link("x", f"{block}-{n}"))))
        for block in range(20)
    ]
    began = time.process_time()
    paper = printed(article(*many), links="footnote", expect=("listed at the end",))
    assert paper.text.count("example.org/19-39") == 1
    assert time.process_time() - began < 25


# Notes


def note(name: str, *blocks: object) -> Note:
    return Note(name, name, blocks or (paragraph(f"The note {name}."),))  # type: ignore[arg-type]


def test_a_note_stands_on_the_page_of_its_sign(printed) -> None:
    blocks = [paragraph(WORDS * 3, Span(str(n), note=str(n)), f" after {n}.") for n in range(20)]
    paper = printed(article(*blocks, *(note(str(n)) for n in range(20))))
    assert paper.pages > 2
    for text in paper.texts:
        for n in range(20):
            assert (f"after {n}." in " ".join(text.split())) == (f"The note {n}." in text)
    assert "Notes" not in paper.text


def test_a_note_called_twice_is_printed_once(printed) -> None:
    paper = printed(
        article(
            paragraph(WORDS, Span("1", note="1")), paragraph(WORDS, Span("1", note="1")), note("1")
        )
    )
    assert paper.text.count("The note 1.") == 1


@pytest.mark.parametrize(
    "blocks",
    [
        (paragraph(WORDS, Span("1", note="1")), note("1", paragraph(WORDS * 40))),
        (paragraph(WORDS, Span("1", note="1")), note("1", paragraph("a"), items("b", "c"))),
        (paragraph("x ", *(Span(str(n), note=str(n)) for n in range(60))), *(note(str(n), paragraph(WORDS)) for n in range(60))),
        (paragraph(WORDS), note("1")),
    ],
    ids=["long", "with a list", "too many", "never called"],
)  # fmt: skip
def test_notes_that_do_not_fit_are_at_the_end(printed, blocks) -> None:
    paper = printed(article(*blocks), expect=("the notes are at the end",))
    for content in blocks:
        if isinstance(content, Note):
            first = "".join(s.text for s in content.blocks[0].spans).split()[:12]
            assert " ".join(first) in paper.text
    assert "Notes" in paper.text


def test_a_note_called_in_a_heading(printed) -> None:
    title = replace(heading("H"), spans=(Span("H"), Span("1", note="1")))
    paper = printed(article(paragraph("x"), title, paragraph(WORDS), note("1")))
    assert "1 The note 1." in paper.text
    assert "Notes" not in paper.text


def test_notes_under_lists_and_quotations(printed) -> None:
    paper = printed(article(
        items((paragraph("Item ", Span("1", note="1")),), "Other " + WORDS),
        Quote((paragraph(WORDS, Span("2", note="2")),), cite=spans("Somebody")),
        note("1"), note("2"),
    ))  # fmt: skip
    assert "Notes" not in paper.text
    assert "1 The note 1. 2 The note 2." in paper.text


def test_a_note_on_paper_names_its_links_in_itself(printed) -> None:
    paper = printed(
        article(
            paragraph(WORDS * 2, Span("1", note="1")),
            note("1", paragraph("See ", link("there", "there"))),
        ),
        links="footnote",
    )
    assert "1 See there (example.org/there)" in paper.text


def test_a_note_holds_text_and_no_markup_of_the_page(printed) -> None:
    paper = printed(
        article(
            paragraph(WORDS, Span("1", note="1")),
            Note("1", "<b>", (paragraph("a </span><h1>b</h1>"),)),
        )
    )
    assert "a </span><h1>b</h1>" in paper.text


# QR


def test_the_code_is_that_of_the_address(printed) -> None:
    paper = printed(SAMPLE_ARTICLE, qr=True, expect=())
    assert paper.pages
    import segno

    picture = qr_code(SAMPLE_ARTICLE.url)
    assert picture is not None
    assert (
        picture.width
        == segno.make(SAMPLE_ARTICLE.url, error="m", micro=False).symbol_size(border=2)[0]
    )
    assert qr_code(SITE + "a" * MAX_QR_BYTES) is None


def test_a_code_only_for_addresses_of_the_web() -> None:
    web = article(paragraph(WORDS))
    local = replace(web, url="file:///home/me/page.html")
    assert 'class="qr"' not in render_html([local], {}, PrintOptions(qr=True)).html
    assert 'class="qr"' not in render_html([web], {}).html
    assert 'class="qr"' in render_html([web], {}, PrintOptions(qr=True)).html


def test_films_and_sounds_have_a_qr_code(printed) -> None:
    film = Embed("video", "https://video.example.org/watch/1", title="The crossing")
    text = article(paragraph(WORDS), film, Embed("audio", "javascript:alert(1)", title="Bad"))
    html = render_html([text], {}).html
    assert html.count('class="qr"') == 1
    assert "javascript:" not in html
    paper = printed(text)
    assert "The crossing video.example.org/watch/1" in paper.text
    alts = [str(o.Alt) for o in paper.pdf.objects if hasattr(o, "keys") and "/Alt" in o]
    assert alts == ["QR code: video.example.org/watch/1"]


def test_a_page_of_very_many_films_has_few_codes() -> None:
    films = [Embed("video", f"https://video.example.org/{n}") for n in range(300)]
    assert render_html([article(*films)], {}).html.count('class="qr"') == MAX_QR_CODES


def test_each_note_is_laid_out_once_and_the_pages_are_the_same(monkeypatch) -> None:
    linked = article(*(paragraph(link(f"word {n} ", str(n)), Span(WORDS)) for n in range(6)))
    document = render_html([linked], {}, PrintOptions(theme="newspaper", links="footnote"))
    areas: list[object] = []
    lay_out = block.block_level_layout

    def count(context, box, *rest, **options):
        areas.extend([box] if type(box).__name__ == "FootnoteAreaBox" else [])
        return lay_out(context, box, *rest, **options)

    monkeypatch.setattr(block, "block_level_layout", count)
    pages = render_pdf(document).layout
    assert len(areas) == 6
    monkeypatch.setattr(footnotes, "_update_area", lambda _context, original: original())
    assert render_pdf(document).layout == pages
