"""The requirements of PDF/UA-1, clause by clause, as far as a program can check them.

No validator is at hand here, so the tests read the files themselves.  What they check is listed in
docs/formats.md; whether an alternative text says what its picture shows, no program can tell.
"""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from itertools import pairwise

import pikepdf
import pytest

from printer.article import Article, Item, List, Note, Span
from printer.options import PrintOptions
from printer.output import PreparedPictures
from printer.render.book import render_articles
from printer.render.context import RenderContext
from tests.support import sample_articles as specimens
from tests.support.sample_articles import SAMPLE_ARTICLE, heading, paragraph

# WeasyPrint leaves the colour profile's file for Python to close.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*sRGB2014:pytest.PytestUnraisableExceptionWarning", "ignore:.*sRGB2014:ResourceWarning"
)

STANDARD = frozenset({
    "Document", "Part", "Art", "Sect", "Div", "BlockQuote", "Caption", "TOC", "TOCI", "NonStruct",
    "P", "H1", "H2", "H3", "H4", "H5", "H6", "L", "LI", "Lbl", "LBody", "Table", "TR", "TH", "TD",
    "THead", "TBody", "TFoot", "Span", "Quote", "Note", "Reference", "Code", "Link", "Ruby", "RB",
    "RT", "Figure", "Formula",
})  # fmt: skip


@pytest.fixture(
    scope="module",
    params=[{}, {"links": "footnote"}, {"theme": "newspaper", "pdf": "a-3u"}, "several"],
    ids=str,
)
def pdf(request):
    several = request.param == "several"
    options = {} if several else request.param
    more = (
        paragraph("See ", Span("the ferry", href="https://example.org/ferry"), " and ",
             Span("below", href="#below"), "."),
        heading("Below", name="below"), paragraph("A last word."),
    )  # fmt: skip
    article = replace(SAMPLE_ARTICLE, blocks=(*SAMPLE_ARTICLE.blocks, *more))
    articles = [article, replace(article, title="Another")] if several else [article]
    prepared = PreparedPictures(specimens.pictures())
    result = render_articles(
        RenderContext.of(articles, PrintOptions(**options)), lambda _: prepared
    )
    with pikepdf.open(BytesIO(result.pdf)) as opened:
        yield opened


def elements(pdf):
    """Yield the structure elements from the root on, in reading order, with those above."""
    waiting = [(pdf.Root.StructTreeRoot.K[0], ())]
    while waiting:
        element, above = waiting.pop()
        yield element, above
        kids = element.get("/K", [])
        inside = [kid for kid in kids if isinstance(kid, pikepdf.Dictionary) and "/S" in kid]
        waiting.extend((kid, (*above, str(element.S))) for kid in reversed(inside))


def test_the_catalog_says_what_the_file_is(pdf) -> None:
    """Clauses 5, 7.1 and 7.2: the identifier, marked, a title that is shown, a language."""
    assert bool(pdf.Root.MarkInfo.Marked)
    assert "/Suspects" not in pdf.Root.MarkInfo
    assert bool(pdf.Root.ViewerPreferences.DisplayDocTitle)
    assert str(pdf.Root.Lang) == "en"
    with pdf.open_metadata() as metadata:
        assert metadata["dc:title"]
        if "pdfaid:part" in metadata:
            assert (metadata["pdfaid:part"], metadata["pdfaid:conformance"]) == ("3", "U")
        else:
            assert metadata["pdfuaid:part"] == "1"


def test_all_structure_is_of_standard_kinds(pdf) -> None:
    """Clause 7.1: no kind of element without a mapping to a standard one."""
    mapped = {str(name)[1:] for name in pdf.Root.StructTreeRoot.get("/RoleMap", {})}
    assert {str(element.S)[1:] for element, _ in elements(pdf)} <= STANDARD | mapped


def test_all_content_is_tagged_or_an_artifact(pdf) -> None:
    """Clause 7.1: drawn content is in the structure once, or is marked as an artifact."""
    for page in pdf.pages:
        row = parents(pdf)[int(page.StructParents)]
        depth = 0
        for operands, operator in pikepdf.parse_content_stream(page):
            name = str(operator)
            if name in ("BMC", "BDC"):
                depth += 1
                if name == "BDC" and "/MCID" in operands[1]:
                    assert row[int(operands[1].MCID)] is not None
            elif name == "EMC":
                depth -= 1
            elif name in ("Tj", "TJ", "Do", "sh"):
                assert depth > 0, f"{name} outside of any tag"
        assert depth == 0


def parents(pdf):
    return dict(pikepdf.NumberTree(pdf.Root.StructTreeRoot.ParentTree))


def test_headings_begin_at_the_first_level_and_skip_none(pdf) -> None:
    """Clause 7.4.2."""
    levels = [
        int(str(element.S)[2:])
        for element, _ in elements(pdf)
        if str(element.S) in ("/H1", "/H2", "/H3", "/H4", "/H5", "/H6")
    ]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_pictures_and_formulas_have_words(pdf) -> None:
    """Clauses 7.3 and 7.7."""
    drawn = [element for element, _ in elements(pdf) if str(element.S) in ("/Figure", "/Formula")]
    assert len(drawn) > 3
    assert all(str(element.get("/Alt", "")).strip() for element in drawn)


def test_heads_of_tables_have_a_scope(pdf) -> None:
    """Clause 7.5, and that rows and cells are in tables."""
    heads = [element for element, _ in elements(pdf) if str(element.S) == "/TH"]
    assert heads
    for head in heads:
        stated = head.A if isinstance(head.A, pikepdf.Array) else [head.A]
        assert any(str(a.get("/Scope", "")) in ("/Column", "/Row") for a in stated)
    for element, above in elements(pdf):
        if str(element.S) in ("/TH", "/TD"):
            assert above[-1] == "/TR"
        if str(element.S) == "/LI":
            assert above[-1] == "/L"


def _structure(element, pdf) -> list:
    """Return the kids of an element: the kinds of elements with theirs, and 'text' for content."""
    kids = element.get("/K", [])
    return [
        "link" if isinstance(kid, pikepdf.Dictionary) and kid.get("/Type") == "/OBJR"
        else (str(kid.S), _structure(kid, pdf)) if isinstance(kid, pikepdf.Dictionary) and "/S" in kid
        else "text"
        for kid in kids
    ]  # fmt: skip


@pytest.mark.parametrize("theme", ["article", "newspaper"])
def test_a_text_is_one_element_over_lines_columns_and_pages(theme) -> None:
    """Clause 7.1: content is tagged by what it means, whatever breaks divide it."""
    words = "The ferry leaves at nine and comes back when the tide allows it, which is not often. "
    link = Span(words.strip(), href="https://example.org/ferry")
    items = tuple(Item((paragraph(words * 4),)) for _ in range(9))
    blocks = (paragraph(words * 90), paragraph("See: ", link), paragraph(words * 90), List(items))
    context = RenderContext.of([Article("T", blocks, language="en")], PrintOptions(theme=theme))
    result = render_articles(context, lambda _: PreparedPictures({}))
    with pikepdf.open(BytesIO(result.pdf)) as pdf:
        kinds = [str(element.S) for element, _ in elements(pdf)]
        assert len(pdf.pages) > 1
        assert [kinds.count(kind) for kind in ("/Art", "/L", "/LI", "/LBody")] == [1, 1, 9, 9]
        body = [
            element for element, _ in elements(pdf)
            if element.S == "/P" and len(_structure(element, pdf)) > 80
        ]  # fmt: skip
        assert len(body) == 2, "one element for each of the long paragraphs"
        (link_element,) = (
            element for element, _ in elements(pdf)
            if element.S == "/Link" and len(element.K) > 2
        )  # fmt: skip
        assert _structure(link_element, pdf).count("link") >= 2, "a link on several lines"
        rows = parents(pdf)
        pages = {page.objgen: rows[int(page.StructParents)] for page in pdf.pages}
        for element, _ in elements(pdf):
            for kid in element.K:
                if isinstance(kid, pikepdf.Dictionary) and kid.get("/Type") == "/MCR":
                    assert pages[kid.Pg.objgen][int(kid.MCID)].objgen == element.objgen
                elif isinstance(kid, int):
                    assert pages[element.Pg.objgen][kid].objgen == element.objgen


def test_a_footnote_is_read_after_the_paragraph_that_calls_it() -> None:
    note = Note("n", "1", (paragraph("It was in 1911."),))
    blocks = (
        paragraph("He left it", Span("1", note="n"), " to her." * 9), paragraph("She sold. " * 9),
        List((Item((paragraph("One", Span("2", note="m")),)),)),
        note, Note("m", "2", (paragraph("Or two."),)),
    )  # fmt: skip
    context = RenderContext.of([Article("T", blocks, language="en")], PrintOptions())
    result = render_articles(context, lambda _: PreparedPictures({}))
    with pikepdf.open(BytesIO(result.pdf)) as pdf:
        kinds = ("/P", "/L", "/LBody", "/Note")
        order = [
            (str(element.S), above[-1]) for element, above in elements(pdf)
            if str(element.S) in kinds and "/Note" not in above
        ]  # fmt: skip
        first = next(n for n, (kind, _) in enumerate(order) if kind == "/Note")
        assert [kind for kind, _ in order[first - 1 : first + 4]] == [
            "/P", "/Note", "/P", "/L", "/LBody",
        ]  # fmt: skip
        assert ("/Note", "/LBody") in order
        names = [str(element.ID) for element, _ in elements(pdf) if element.S == "/Note"]
        assert len(set(names)) == 2


def test_notes_have_names_of_their_own(pdf) -> None:
    """Clause 7.9."""
    names = [str(element.ID) for element, _ in elements(pdf) if str(element.S) == "/Note"]
    assert len(names) == len(set(names))


def test_every_link_is_tagged_and_described(pdf) -> None:
    """Clauses 7.18.1, 7.18.3 and 7.18.5: in a Link with an object reference, with Contents."""
    rows = parents(pdf)
    links = 0
    for page in pdf.pages:
        annotations = list(page.get("/Annots", []))
        assert not annotations or str(page.Tabs) == "/S"
        for annotation in annotations:
            links += 1
            assert str(annotation.Subtype) == "/Link"
            element = rows[int(annotation.StructParent)]
            assert str(element.S) == "/Link"
            assert any(
                isinstance(kid, pikepdf.Dictionary)
                and str(kid.get("/Type", "")) == "/OBJR"
                and kid.Obj.objgen == annotation.objgen
                for kid in element.K
            ), "the tag does not refer to the link"
            assert str(annotation.Contents).strip()
            assert not str(annotation.Contents).startswith(("#", "call-", "a1-", "a2-"))
    assert links > 5


def test_links_are_described_by_their_text_and_signs_by_their_note(pdf) -> None:
    contents = {str(a.Contents) for page in pdf.pages for a in page.get("/Annots", [])}
    assert "the ferry" in contents
    assert "below" in contents
    assert any(len(text) > 20 and text[:1].isdigit() for text in contents), (
        "a sign without its note"
    )


def test_all_fonts_are_embedded_and_can_be_read_back(pdf) -> None:
    """Clauses 7.21.4 and 7.21.7; PDF/A-3u requires the same (6.2.11)."""
    fonts = [
        pdf_object for pdf_object in pdf.objects
        if isinstance(pdf_object, pikepdf.Dictionary) and pdf_object.get("/Type") == "/Font"
    ]  # fmt: skip
    assert fonts
    for font in fonts:
        descriptor = font.get("/FontDescriptor")
        if str(font.Subtype) == "/Type0":
            assert "/ToUnicode" in font
        elif str(font.Subtype) != "/Type3":
            assert {"/FontFile", "/FontFile2", "/FontFile3"} & set(descriptor.keys())
