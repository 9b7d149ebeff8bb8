from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pikepdf
import pypdfium2
import pytest

from printer.article import Article, Figure, Paragraph, Span, Table
from printer.render.weasy.engine import missing_glyphs
from tests.support import sample_articles as specimens
from tests.support.sample_articles import (
    SAMPLE_ARTICLE,
    SCRIPT_ARTICLES,
    cells,
    heading,
    items,
    paragraph,
)


def with_blocks(*blocks: Any) -> Article:
    return replace(SAMPLE_ARTICLE, blocks=blocks)


def structure(pdf: pikepdf.Pdf) -> Iterator[tuple[str, pikepdf.Object]]:
    """Yield the structure elements of a tagged PDF in reading order."""
    stack = [pdf.Root.StructTreeRoot.K]
    while stack:
        node = stack.pop()
        if isinstance(node, pikepdf.Array):
            stack.extend(reversed(list(node)))
        elif isinstance(node, pikepdf.Dictionary) and "/S" in node:
            yield str(node.S), node
            if "/K" in node:
                stack.append(node.K)


def fonts(pdf: pikepdf.Pdf) -> dict[str, bool]:
    """Return the names of the fonts used, and whether each is embedded."""
    found = {}
    for page in pdf.pages:
        for font in page.Resources.get("/Font", {}).values():
            descendant = font.DescendantFonts[0] if "/DescendantFonts" in font else font
            described = descendant.get("/FontDescriptor", {})
            embedded = any(f"/FontFile{n}" in described for n in ("", "2", "3"))
            found[str(font.BaseFont).partition("+")[2]] = embedded
    return found


@pytest.fixture(scope="module")
def pictures() -> Any:
    return specimens.pictures()


@pytest.fixture(scope="module")
def specimen(printed, pictures) -> Any:
    return printed(SAMPLE_ARTICLE, pictures=pictures)


def test_every_kind_of_block_prints(specimen) -> None:
    for words in (
        "The Bridge at Hollin Ferry", "Ada Fenwick and Thomas Oake", "12 March 2024", "What was decided",
        "We did not want a bridge.", "Minutes of the vestry, vol. iv", "By the ford, in summer", "with a beast",
        "Order the oak", "print(f\"{tide(3.1):.2f} m\")", "--post north", "What the bridge cost", "184.10",
        "Nobody would say", "Staithe", "The last crossing, filmed from the bank",
        "video.example.org/watch/hollin-ferry-last-crossing", "Picture not available", "The ferryman’s daughter",
        "The toll tower", "a word for slack water", f"page {specimen.pages} of {specimen.pages}",
    ):  # fmt: skip
        assert words in specimen.text, f"{words!r} is not on paper"


def test_the_text_is_in_order(printed) -> None:
    numbered = [paragraph(f"Sentence number {n} of this test stands here.") for n in range(120)]
    text = printed(with_blocks(*numbered)).text
    places = [text.find(f"Sentence number {n} of") for n in range(120)]
    assert -1 not in places
    assert places == sorted(places)


def test_it_is_tagged_with_title_language_and_outline(specimen) -> None:
    pdf = specimen.pdf
    assert pdf.Root.MarkInfo.Marked
    assert str(pdf.Root.Lang) == "en"
    assert pdf.Root.ViewerPreferences.DisplayDocTitle
    assert str(pdf.docinfo["/Title"]) == SAMPLE_ARTICLE.title
    assert str(pdf.docinfo["/Author"]) == SAMPLE_ARTICLE.byline
    assert str(pdf.docinfo["/Creator"]) == "webprint"
    assert str(pdf.docinfo["/Subject"]) == SAMPLE_ARTICLE.lead
    with pdf.open_metadata() as xmp:
        assert xmp["pdfuaid:part"] == "1"
        assert xmp["dc:title"] == SAMPLE_ARTICLE.title
    with pdf.open_outline() as outline:
        (top,) = outline.root
        assert str(top.title) == SAMPLE_ARTICLE.title
        assert [str(entry.title) for entry in top.children] == ["What was decided", "Accounts"]
        assert [str(entry.title) for entry in top.children[0].children] == ["Three ways over"]


def test_the_structure_tree_has_the_roles_of_the_blocks(specimen) -> None:
    found = list(structure(specimen.pdf))
    kinds = [kind for kind, _ in found]
    for kind in (
        "/H1",
        "/H2",
        "/P",
        "/L",
        "/LI",
        "/BlockQuote",
        "/Table",
        "/TH",
        "/TD",
        "/Figure",
        "/Caption",
        "/Link",
    ):
        assert kind in kinds, f"nothing is tagged {kind}"
    alternatives = [str(node.Alt) for kind, node in found if kind == "/Figure"]
    assert alternatives == [
        "Hills under an evening sky",
        "QR code: video.example.org/watch/hollin-ferry-last-crossing",
        "A tall tower",
    ]
    headings = [int(kind[2:]) for kind in kinds if len(kind) == 3 and kind[1] == "H"]
    assert headings[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(headings))


def test_heading_levels_do_not_skip(printed) -> None:
    paper = printed(
        with_blocks(
            paragraph("x"),
            heading("Deep", 5),
            paragraph("y"),
            heading("Deeper", 6),
            paragraph("z"),
            heading("Top", 2),
        )
    )
    kinds = [
        kind
        for kind, _ in structure(paper.pdf)
        if kind in ("/H1", "/H2", "/H3", "/H4", "/H5", "/H6")
    ]
    assert kinds == ["/H1", "/H2", "/H3", "/H2"]


def test_fonts_are_embedded_and_are_the_book_face(specimen) -> None:
    used = fonts(specimen.pdf)
    assert all(used.values()), f"not embedded: {used}"
    assert any("Libertine" in name or "Garamond" in name for name in used)
    assert not any("Emoji" in name for name in used), "an emoji font draws the digits"


@pytest.mark.parametrize(
    ("script", "family"),
    [("ar", "Naskh"), ("he", "Hebrew"), ("hi", "Devanagari"), ("ja", "CJK-JP"), ("zh", "CJK-SC"),
     ("zh-Hant", "CJK-TC"), ("ko", "CJK-KR"), ("th", "Thai")],
)  # fmt: skip
def test_scripts_have_their_faces(printed, pictures, script: str, family: str) -> None:
    paper = printed(SCRIPT_ARTICLES[script], pictures=pictures)
    assert any(family in name for name in fonts(paper.pdf)), fonts(paper.pdf)
    assert str(paper.pdf.Root.Lang) == SCRIPT_ARTICLES[script].language


@pytest.mark.parametrize("script", ["el", "ru", "de"])
def test_european_scripts_use_the_book_face_alone(printed, pictures, script: str) -> None:
    used = fonts(printed(SCRIPT_ARTICLES[script], pictures=pictures).pdf)
    assert all("Libertine" in name for name in used), used


def test_japanese_lines_do_not_begin_with_a_stop(printed) -> None:
    text = SCRIPT_ARTICLES["ja"].blocks[0]
    assert isinstance(text, Paragraph)
    for size in ("9pt", "10pt", "11pt", "12pt", "13pt"):
        paper = printed(replace(SCRIPT_ARTICLES["ja"], blocks=(text,) * 4), font_size=size)
        lines = [line for page in paper.texts for line in page.splitlines() if line.strip()]
        assert len(lines) > 10
        assert not [line for line in lines if line.strip()[0] in "、。」，．"]


def test_lines_are_broken_between_words_where_a_script_has_no_spaces(printed) -> None:
    words = ("ខ្ញុំ", "ចូលចិត្ត", "ញ៉ាំ", "បាយ", "នៅ", "ផ្ទះ", "របស់", "ជីដូន") * 12
    paper = printed(Article("ជីដូន", (paragraph("\u200b".join(words)),), language="km"))
    lines = [line for line in paper.texts[0].splitlines() if "ចូលចិត្ត" in line]
    text = " ".join(lines).replace("\xa0■", "")  # without the mark at the article's end
    parts = [part for part in text.replace("\u200b", " ").split() if part]
    assert len(lines) > 3
    assert [part for part in parts if part not in words] == []


def test_right_to_left_pages_are_mirrored(printed) -> None:
    paper = printed(
        replace(SCRIPT_ARTICLES["ar"], blocks=(paragraph("قصير"), items("على الأقدام")))
    )
    ink = paper.picture_of(0, 0.5) < 128
    columns = ink.any(axis=0).nonzero()[0]
    assert columns.mean() > ink.shape[1] * 0.55, "the text does not stand on the right"


@pytest.mark.parametrize(("language", "word"), [("ar", "قصير"), ("en", "short")])
def test_rules_stand_between_columns_in_both_directions(printed, language: str, word: str) -> None:
    direction = "rtl" if language == "ar" else "ltr"
    text = Article(word, (paragraph(f"{word} " * 600),), language=language, direction=direction)
    picture = printed(text, theme="newspaper").picture_of(0, 2)
    height, width = picture.shape
    rules = (picture[round(0.25 * height) : round(0.35 * height)] < 250).all(axis=0)
    thirds = [rules[: width // 4], rules[width // 4 : width // 2], rules[width // 2 : -width // 4]]
    assert [part.any() for part in (*thirds, rules[-width // 4 :])] == [False, True, True, False]


def test_no_ink_outside_the_text_block(printed, pictures) -> None:
    wide = Table(
        (cells(*(f"Heading {n}" for n in range(14)), header=True),),
        (cells(*["considerable"] * 14),) * 3,
    )
    word = paragraph("https://example.org/" + "abcdefghij" * 60)
    paper = printed(
        replace(SAMPLE_ARTICLE, blocks=(*SAMPLE_ARTICLE.blocks, wide, word)),
        pictures=pictures,
        margin="25mm",
    )
    for number in range(paper.pages):
        page = paper.picture_of(number)
        margin = round(23 / 25.4 * 72)
        assert (page[:, :margin] > 250).all(), f"ink in the left margin of page {number + 1}"
        assert (page[:, -margin:] > 250).all(), f"ink in the right margin of page {number + 1}"


def test_a_heading_is_never_last_on_its_page(printed) -> None:
    for filler in range(32, 40, 2):
        blocks = [paragraph(f"Line {n}.") for n in range(filler)]
        paper = printed(
            with_blocks(
                *blocks, heading("A heading to keep"), paragraph("Its text follows it here.")
            )
        )
        for text in paper.texts:
            assert ("A heading to keep" in text) == ("Its text follows" in text)


def test_a_caption_stays_with_its_picture(printed, pictures) -> None:
    figure = Figure(specimens.LANDSCAPE, caption_spans=(Span("The caption of it."),), alt="Hills")
    for filler in (14, 18, 22, 30):
        paper = printed(
            with_blocks(*(paragraph(f"Line {n}.") for n in range(filler)), figure),
            pictures=pictures,
        )
        page = next(n for n, text in enumerate(paper.texts) if "The caption of it." in text)
        assert list(paper.pdf.pages[page].get_images()), "the picture is on another page"


def test_a_table_repeats_its_head(printed) -> None:
    table = Table(
        (cells("Name", "Count", header=True),), tuple(cells(f"row {n}", str(n)) for n in range(120))
    )
    paper = printed(with_blocks(table))
    assert paper.pages > 2
    assert all("Name" in text and "Count" in text for text in paper.texts)
    assert all(f"row {n} {n} " in paper.text + " " for n in range(120))


def test_links_can_be_followed_and_only_safe_ones(printed) -> None:
    paper = printed(with_blocks(
        paragraph(Span("out", href="https://example.org/a?b=c#d")),
        paragraph(Span("script", href="javascript:alert(1)"), Span("file", href="file:///etc/passwd")),
        paragraph(Span("lost", href="#nowhere"), Span("here", href="#place")),
        heading("A place", 2, "place"),
    ))  # fmt: skip
    addresses = {
        str(a.A.URI)
        for page in paper.pdf.pages
        for a in page.get("/Annots", [])
        if "/A" in a and "/URI" in a.A
    }
    assert addresses == {"https://example.org/a?b=c#d", SAMPLE_ARTICLE.url}
    for words in ("script", "file", "lost"):
        assert words in paper.text


def test_notes_and_their_signs_lead_to_each_other(printed) -> None:
    paper = printed(SAMPLE_ARTICLE)
    internal = [
        a
        for page in paper.pdf.pages
        for a in page.get("/Annots", [])
        if "/Dest" in a or ("/A" in a and "/D" in a.A)
    ]
    names = {str(a.get("/Dest", a.get("/A", {}).get("/D"))) for a in internal}
    assert {"call-n1", "n1", "call-n2", "n2"} <= names


def test_a_missing_picture_leaves_its_caption_and_no_box(printed) -> None:
    captioned = Figure("https://example.org/x.jpg", caption_spans=(Span("What it showed."),))
    bare = Figure("https://example.org/y.jpg", alt="A dog on a wall", credit="© Reed", id="dog")
    link = Paragraph((Span("See the dog.", href="#dog"),))
    paper = printed(with_blocks(link, captioned, bare))
    text = paper.text
    assert "Picture not available. What it showed." in " ".join(text.split())
    assert text.count("not available") == 1
    assert "A dog on a wall" not in text
    assert "Reed" not in text
    assert not list(paper.pdf.pages[0].get_images())


def test_identical_pictures_are_embedded_once(printed) -> None:
    picture = specimens.jpeg(specimens.landscape(300, 200))
    figures = tuple(Figure(f"https://example.org/{n}.jpg", alt="Hills") for n in range(5))
    paper = printed(with_blocks(*figures), pictures={figure.src: picture for figure in figures})
    images = {
        o.objgen
        for o in paper.pdf.objects
        if isinstance(o, pikepdf.Stream) and o.get("/Subtype") == "/Image"
    }
    assert len(images) == 1


def test_a_picture_keeps_its_size_on_screen(printed) -> None:
    picture = specimens.jpeg(specimens.landscape(800, 400))
    figure = Figure("https://example.org/a.jpg", alt="Hills", width=192)
    paper = printed(with_blocks(figure), pictures={figure.src: picture})
    page = paper.picture_of(0, 1.0)
    dark = page < 235
    rows = dark[200:].sum(axis=1)
    wide = sorted(rows[rows > 100])
    assert abs(int(wide[len(wide) // 2]) - 144) <= 3, "192 CSS pixels are 144 points"


def test_several_articles_have_contents_and_begin_pages(printed) -> None:
    other = replace(SCRIPT_ARTICLES["de"], title="Zweiter Aufsatz")
    paper = printed(SAMPLE_ARTICLE, other)
    first = " ".join(paper.texts[0].split())
    assert first.startswith("Contents The Bridge at Hollin Ferry")
    start = next(
        n for n, text in enumerate(paper.texts) if n and text.lstrip().startswith("Zweiter Aufsatz")
    )
    assert f"{start + 1}" in first.partition("Zweiter Aufsatz")[2]
    with paper.pdf.open_outline() as outline:
        assert [str(entry.title) for entry in outline.root] == [
            SAMPLE_ARTICLE.title,
            "Zweiter Aufsatz",
        ]


def test_each_article_has_its_own_words_and_no_running_head_where_it_begins(printed) -> None:
    paper = printed(SCRIPT_ARTICLES["de"], SCRIPT_ARTICLES["ru"])
    assert "Bild nicht verfügbar" in paper.text
    assert "Изображение недоступно" in paper.text
    texts = [text.replace("\xa0", " ") for text in paper.texts]
    start = next(text for text in texts[1:] if text.startswith(SCRIPT_ARTICLES["ru"].title))
    assert start.count(SCRIPT_ARTICLES["ru"].title) == 1, (
        "the running head repeats the title above it"
    )


def test_the_running_head_is_on_every_page_but_the_first(printed) -> None:
    paper = printed(with_blocks(*(paragraph(f"Line {n}.") for n in range(120))))
    assert "The Valley Record" not in paper.texts[0].partition("Line 0")[2]
    assert all(SAMPLE_ARTICLE.title in text for text in paper.texts)
    assert all("The Valley Record" in text for text in paper.texts[1:])
    assert paper.texts[0].count(SAMPLE_ARTICLE.title) == 1


def test_readings_stand_over_their_words(printed) -> None:
    paper = printed(specimens.JAPANESE_RUBY)
    document = pypdfium2.PdfDocument(paper.data)
    page = document[0].get_textpage()
    text = page.get_text_range()
    tops = {word: page.get_charbox(text.index(word))[1] for word in ("わた", "ここは")}
    document.close()
    assert tops["わた"] > tops["ここは"] + 5


def test_a_missing_glyph_is_reported_by_name_once(printed) -> None:
    text = "Linear A: \U00010600 \U00010601 \U00010600; unassigned: \U000e5000"
    paper = printed(with_blocks(paragraph(text), paragraph(text)), expect=("no installed font",))
    warnings = " ".join(paper.warnings)
    if "U+10600" in warnings:  # a system may have a font of it
        assert warnings.count("LINEAR A SIGN AB001 (U+10600)") == 1
    assert warnings.count("U+E5000") == 1


def test_many_missing_glyphs_take_one_line() -> None:
    (line,) = missing_glyphs(chr(0x915 + n) for n in range(12))
    assert line.endswith(" and 4 more")
    assert line.count("U+09") == 8
