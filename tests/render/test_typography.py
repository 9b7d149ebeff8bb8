"""Fine typography: lone words, short last pages, lines that are headings, stanzas, signs."""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO
from itertools import pairwise

import lxml.html
import pikepdf
import pypdfium2
import pytest
import weasyprint
from PIL import Image

from printer.article import (
    ZERO_WIDTH_SPACE,
    Article,
    Cell,
    Code,
    Definition,
    DefinitionList,
    Embed,
    Figure,
    Heading,
    Item,
    List,
    Note,
    Paragraph,
    Post,
    Quote,
    Rule,
    Span,
    Table,
)
from printer.options import PrintOptions
from printer.render.context import ArticleView
from printer.render.inline import WORD_JOINER, breakable, highlight, mark_symbols, split_by_style
from printer.render.templates import is_without_content, list_class, table_class
from printer.render.weasy import engine, figure_placement
from printer.render.weasy.engine import render_pdf
from printer.render.weasy.patches import patched
from tests.support.documents import render_html
from tests.support.pdf_glyphs import open_pdf
from tests.support.sample_articles import (
    LANDSCAPE,
    SAMPLE_ARTICLE,
    cells,
    heading,
    items,
    paragraph,
    pictures,
    png,
    spans,
)

WORDS = "The river rises under the ridge and comes down slowly through the meadows to the mill. "


def article(*blocks, **changes):
    return replace(SAMPLE_ARTICLE, blocks=blocks or (paragraph(WORDS),), **changes)


def lines_of(data: bytes, text: str) -> list[tuple[float, float]]:
    """Return the left and right edge of each line that a text on the first page takes."""
    document = pypdfium2.PdfDocument(data)
    try:
        page = document[0].get_textpage()
        place = page.search(text).get_next()
        assert place, f"{text!r} is not on the page"
        rects = [page.get_rect(n) for n in range(page.count_rects(*place))]
    finally:
        document.close()
    rows: dict[int, list[tuple[float, float]]] = {}
    for left, bottom, right, _ in rects:
        rows.setdefault(round(bottom / 8), []).append((left, right))
    return [(min(a for a, _ in row), max(b for _, b in row)) for row in rows.values()]


@pytest.mark.parametrize("theme", ["article", "newspaper"])
def test_a_title_of_two_lines_has_no_lone_word_in_the_second(theme):
    title = "The long and patient mending of the weir at Lower Marl, hour by hour, night by night"
    printed = render_pdf(render_html([article(title=title)], {}, PrintOptions(theme=theme)))
    widths = [right - left for left, right in lines_of(printed.pdf, title)]
    assert 2 <= len(widths) <= 3
    assert min(widths) > 0.6 * max(widths)


def test_a_title_from_right_to_left_begins_at_the_margin():
    words = "השעון שלא מיהר ולא איחר ועמד מול המאפייה בקצה הרחוב כל הימים"
    text = article(paragraph("השעון עומד."), title=words, language="he", direction="rtl")
    printed = render_pdf(render_html([text], {}))
    document = pypdfium2.PdfDocument(printed.pdf)
    try:
        page = document[0]
        width = page.get_width()
        count = page.get_textpage().count_chars()
        right = max(page.get_textpage().get_charbox(n)[2] for n in range(count))
    finally:
        document.close()
    assert right > 0.75 * width


def paragraphs(count: int) -> tuple[Paragraph, ...]:
    return tuple(paragraph(f"Line {n}.") for n in range(count))


def test_a_last_page_of_two_lines_is_spared():
    """Somewhere between one page and two a few lines more are taken in by the first."""
    pages = {}
    for count in (28, 31, 34, 43):
        document = render_html([article(*paragraphs(count))], {})
        assert document.extended_styles
        pages[count] = (
            render_pdf(replace(document, extended_styles=())).pages,
            render_pdf(document).pages,
        )
    assert (2, 1) in pages.values()
    assert (1, 2) not in pages.values()
    assert pages[28] == (1, 1)
    assert pages[43] == (2, 2)


@pytest.mark.parametrize(("count", "pages", "layouts"), [(38, 2, 1), (120, 3, 2), (517, 13, 2)])
def test_a_last_page_is_spared_if_those_before_have_room_for_it(
    monkeypatch: pytest.MonkeyPatch, count: int, pages: int, layouts: int
) -> None:
    """Three pages take in some eight lines that one page cannot, for which nothing is tried."""
    tried = []
    enable = figure_placement.enable
    monkeypatch.setattr(
        figure_placement, "enable", lambda html, **options: tried.append(enable(html, **options))
    )
    document = render_html([article(*paragraphs(count))], {})
    assert (
        render_pdf(replace(document, extended_styles=())).pages == {38: 2, 120: 4, 517: 14}[count]
    )
    tried.clear()
    assert render_pdf(document).pages == pages
    assert len(tried) == layouts


def test_type_gets_smaller_only_if_longer_pages_are_not_enough():
    counts = []
    for count in range(30, 40):
        document = render_html([article(*paragraphs(count))], {})
        longer, smaller, _ = document.extended_styles
        counts.append(
            tuple(
                render_pdf(replace(document, extended_styles=sheets)).pages
                for sheets in ((), (longer,), (longer, smaller))
            )
        )
    assert (2, 1, 1) in counts
    assert (2, 2, 1) in counts


@pytest.mark.parametrize(
    "options",
    [{"margin": "20mm"}, {"fit": 2}, {"theme_options": ("leading=1.5",)}, {"theme": "manuscript"}],
)
def test_pages_are_not_extended_against_the_options(options):
    assert render_html([SAMPLE_ARTICLE], {}, PrintOptions(**options)).extended_styles == ()


def test_such_a_line_never_stands_at_the_foot_of_a_page():
    label = paragraph(Span("What was found below", ("strong",)))
    for count in range(28, 40, 2):
        printed = render_pdf(
            render_html([article(*paragraphs(count), label, paragraph(WORDS * 6))], {})
        )
        document = pypdfium2.PdfDocument(printed.pdf)
        try:
            for page in document:
                text = page.get_textpage().get_text_range()
                assert ("What was found" in text) <= ("river rises" in text)
        finally:
            document.close()


@pytest.mark.parametrize(
    "blocks",
    [
        (heading("The lamp"), paragraph("By A. Writer\nMarch 25"), paragraph(WORDS)),
        (List((Item((paragraph("The lamp"), paragraph("The river rises."))),)),),
        (paragraph(f"{WORDS * 4}The lamp:"), paragraph("– The river"), paragraph("– The mill")),
        (paragraph("The lamp"), items("The river", "The mill")),
    ],
)
def test_a_short_line_that_introduces_is_not_parted_from_the_text(blocks):
    following = [paragraph(WORDS * 4)] * 4
    for count in range(28, 36):
        text = article(*paragraphs(count), *blocks, *following)
        pages = texts_of(render_pdf(render_html([text], {})).pdf)
        (page,) = (page for page in pages if "The lamp" in page)
        assert "The river" in page


def test_a_list_of_short_items_is_not_justified():
    short, long = (
        "A wheel and a stone that turn all day and grind the grain of the valley",
        WORDS * 3,
    )
    html = render_html([article(items(short, "An axle"), items(long, "An axle"))], {}).html
    assert re.findall(r'<ul( class="[a-z ]+")?>', html) == [
        ' class="short terse"',
        ' class="short"',
    ]


@pytest.mark.parametrize(("count", "is_loose"), [(1, False), (3, True)])
def test_a_list_is_loose_if_most_items_have_several_paragraphs(count, is_loose):
    long_items = [Item((paragraph(WORDS), paragraph("It is dry.")))] * count
    listed = List((*long_items, *[Item((paragraph(WORDS),))] * 2))
    assert ("loose" in list_class(listed)) is is_loose
    with_code = List(
        (*[Item((paragraph(WORDS), Code("row()")))] * count, Item((paragraph(WORDS),)))
    )
    assert ("loose" in list_class(with_code)) is (count > 1)
    nested = List((*[Item((paragraph(WORDS), items("An oar")))] * count,))
    assert "loose" not in list_class(nested)


def test_an_item_of_several_paragraphs_is_closer_together_than_to_the_next_item():
    parts = [("Oar one.", "Oar two."), ("Sail.",), ("Net.",), ("Rope.",)]
    listed = List(tuple(Item(tuple(map(paragraph, lines))) for lines in parts))
    document = pypdfium2.PdfDocument(render_pdf(render_html([article(listed)], {})).pdf)
    try:
        page = document[0].get_textpage()
        text = page.get_text_range()
        names = ("Oar one", "Oar two", "Sail", "Net")
        places = [page.get_charbox(text.index(name))[1] for name in names]
    finally:
        document.close()
    inside, below, between = (above - line for above, line in pairwise(places))
    assert below > inside + 1 > between + 1


def test_an_item_that_is_a_list_has_no_mark_of_its_own():
    inner = items("A stone", "A wheel")
    nested = article(List((Item((paragraph("The mill"), inner)), Item((items("A brook"),)))))
    (text,) = texts_of(render_pdf(render_html([nested], {})).pdf)
    assert [line[0] for line in text.splitlines() if line[:1] in "•–"] == ["•", "–", "–", "–"]


def test_headings_with_nothing_under_them_do_not_hold_each_other():
    names = [Heading(2, (Span(f"Part number {n}"),)) for n in range(60)]
    printed = render_pdf(render_html([article(paragraph(WORDS), *names, paragraph(WORDS))], {}))
    with open_pdf(printed.pdf) as document:
        first = document[0].get_textpage().get_text_range()
    assert "Part number 9" in first


@pytest.mark.parametrize("count", [78, 84, 90])
def test_a_heading_above_a_higher_one_is_on_its_page(count):
    opening = (Heading(2, spans("The mill")), Heading(3, spans("The wheel")))
    wheels = paragraph("The mill has a wheel. " * count)
    pair = (Heading(3, spans("To begin")), Heading(2, spans("The brook")), paragraph(WORDS))
    printed = render_pdf(render_html([article(*opening, wheels, *pair, *opening, wheels)], {}))
    assert any("To begin" in text and "The brook" in text for text in texts_of(printed.pdf))


@pytest.mark.parametrize(
    ("levels", "is_one"),
    [((3, 2), True), ((3, 3, 3), True), ((3, 3, 2), True), ((3, 3), False), ((3, 4, 4), False)],
)
def test_a_heading_without_content_is_found(levels, is_one):
    first, *following = (Heading(level, spans("A")) for level in levels)
    assert is_without_content(first, [*following, paragraph(WORDS)]) is is_one


def test_a_heading_of_a_new_part_has_space_above():
    def above(*levels):
        """Return the white above the last heading."""
        headings = [Heading(level, spans(f"Part {level}")) for level in levels]
        html = render_html([article(paragraph(WORDS), *headings, paragraph(WORDS))], {})
        document = pypdfium2.PdfDocument(render_pdf(html).pdf)
        try:
            page = document[0].get_textpage()
            text = page.get_text_range()
            places = [index for index in range(len(text)) if text.startswith("Part", index)]
            boxes = [page.get_charbox(index) for index in places]
            return boxes[-2][1] - boxes[-1][3]
        finally:
            document.close()

    assert above(2, 3, 2) > above(2, 3) + 10


def test_emphasis_of_a_whole_heading_or_caption_is_removed():
    parts = (
        Heading(2, (Span("All of it", ("strong",)), Span(" "), Span("so", ("strong", "em")))),
        Heading(2, (Span("Part", ("strong",)), Span(" of it"))),
        Heading(2, (Span("A "), Span("large share of it", ("strong",)))),
        Figure("https://example.org/a.png", caption_spans=(Span("A caption", ("strong",)),)),
        paragraph(WORDS),
    )
    html = render_html([article(*parts)], {}).html
    assert ">All of it <em>so</em></h2>" in html
    assert "<strong>Part</strong> of it</h2>" in html
    assert "A large share of it</h2>" in html
    assert "A caption" in html
    assert "<strong>A caption" not in html


def test_a_credit_alone_is_printed_as_credits_are():
    figure = Figure(LANDSCAPE, caption_spans=(Span("A. Name", ("em",)),))
    html = render_html([article(figure, paragraph(WORDS))], pictures()).html
    assert '<span class="credit">A. Name</span>' in html


@pytest.mark.parametrize("marks", [[(), ("strong",)], [("em",), ("strong", "em")]])
def test_a_standfirst_has_the_style_of_the_theme(marks):
    spans = tuple(map(Span, ("Kester", ": the boat sank."), marks))
    html = render_html([article(Paragraph(spans, standfirst=True), paragraph(WORDS))], {}).html
    assert ">Kester: the boat sank.</p>" in html


def test_code_is_not_broken_before_its_first_line():
    code = Code("\n".join(f"line {n} of the code" for n in range(14)))
    for count in range(30, 44, 2):
        printed = render_pdf(
            render_html([article(*paragraphs(count), paragraph("It is:"), code)], {})
        )
        document = pypdfium2.PdfDocument(printed.pdf)
        try:
            pages = [page.get_textpage().get_text_range() for page in document]
        finally:
            document.close()
        for text in pages:
            assert ("It is:" in text) <= ("line 3 of the code" in text), f"{count} lines above"


def test_a_running_head_is_cut_only_when_too_long():
    view = ArticleView.of(article(paragraph(WORDS), title="A title", site="The School of Words"))
    assert view.running_head(30) == ("A title", "The School of Words")
    assert view.running_head(28) == ("A title", "The School of…")
    page = article(
        paragraph(WORDS), title="香港天文台" * 9, site="日刊ゲンダイDIGITAL", language="ja"
    )
    assert ArticleView.of(page).running_head(72)[1] == "日刊ゲンダイDIGITAL"


def test_stanzas_are_spaced():
    stanza = paragraph(
        "It came down out of the hills\nwith dust on its sleeves,\nand asked its way."
    )
    html = render_html([article(stanza, stanza)], {}).html
    assert html.count('<p class="verse') == 2


@pytest.mark.parametrize("language", ["en", "ar", "zh"])
def test_short_lines_of_a_paragraph_begin_at_one_edge(language):
    blocks = paragraph(WORDS), paragraph("Best wishes,\nAnna"), paragraph(f"{WORDS}\nEnd.")
    rendered = render_html([article(*blocks, language=language)], {})
    assert rendered.html.count('<p class="entry">') == 1
    data = render_pdf(rendered).pdf
    (first, _), (second, _) = lines_of(data, "Best wishes,")[0], lines_of(data, "Anna")[0]
    assert first == pytest.approx(second, abs=1)


def test_signs_that_the_book_face_leaves_blank_are_drawn():
    """Check the signs of shekel and won, for which the first listed face has blank glyphs."""
    for sign in "₪₩℗":
        text = article(paragraph(f"A {sign} B"), title=f"Price {sign}")
        printed = render_pdf(render_html([text], {}))
        document = pypdfium2.PdfDocument(printed.pdf)
        try:
            page = document[0].get_textpage()
            found = page.search(sign)
            places = [found.get_next(), found.get_next()]
            assert all(places), f"{sign} is not in the text twice"
            for index, _ in places:
                left, bottom, right, top = (round(4 * edge) for edge in page.get_charbox(index))
                bitmap = document[0].render(scale=4, grayscale=True)
                pixels = bitmap.to_numpy()
                height = pixels.shape[0]
                assert pixels[height - top : height - bottom, left:right].min() < 128
        finally:
            document.close()


def test_text_of_joined_scripts_is_spelled_out():
    text = article(paragraph("वर्षा का वर्णन विद्यालय में"), language="hi")
    printed = render_pdf(render_html([text], {}))
    with pikepdf.open(BytesIO(printed.pdf)) as pdf:
        spelled = [
            str(operands[1].ActualText)
            for page in pdf.pages
            for operands, operator in pikepdf.parse_content_stream(page)
            if str(operator) == "BDC" and "/ActualText" in operands[1]
        ]
    assert "वर्षा का वर्णन विद्यालय में" in " ".join(spelled)


def test_small_capitals_are_read_as_written():
    printed = render_pdf(render_html([article(paragraph(WORDS), section="Experts in Essen")], {}))
    assert texts_of(printed.pdf)[0].splitlines()[0] == "Experts in Essen"


def test_a_table_of_many_words_is_not_kept_on_one_page():
    def kind(words: int) -> str:
        cell = Cell((paragraph("word " * words),))
        return table_class({}, Table((), ((cell, cell),) * 4))

    assert (kind(5), kind(40)) == ("short", "table")
    rows = ((Cell((paragraph("A wheel"),)),) * 2,)
    assert [table_class({}, Table((), rows * count)) for count in (12, 13)] == ["short", "table"]


def test_code_of_some_lines_is_kept_on_one_page():
    def is_short(count: int) -> bool:
        code = Code("\n".join(["turn(wheel)"] * count))
        return '<pre class="short' in render_html([article(paragraph(WORDS), code)], {}).html

    assert (is_short(11), is_short(14)) == (True, False)


def test_a_plain_line_that_is_a_heading_is_italic():
    def fonts(line: str) -> set[str]:
        blocks = paragraph(WORDS * 2), paragraph(line), paragraph(WORDS * 2)
        with pikepdf.open(BytesIO(render_pdf(render_html([article(*blocks)], {})).pdf)) as pdf:
            return {str(font.BaseFont) for font in pdf.pages[0].Resources.Font.values()}

    assert fonts("Notes of the keeper") - fonts("Notes of the keeper.")


@pytest.mark.parametrize(
    ("run", "first"),
    [
        ("make_unique<Desk::Loading::BinaryAssetLoader>(x)", "make_unique<Desk::Loading::"),
        ("w" * 60, "w" * 40),
        ("w" * 40, "w" * 40),
    ],
)
def test_long_runs_are_broken_after_punctuation(run, first):
    assert breakable(run).partition(ZERO_WIDTH_SPACE)[0] == first
    assert breakable(run).replace(ZERO_WIDTH_SPACE, "") == run


def test_a_bracketed_sign_is_not_parted_from_its_word():
    noted = article(paragraph(WORDS, Span("[9]", ("sup",)), Span("[10]", ("sup",))))
    html = render_html([noted], {}).html
    assert "\u2060[9]" not in html
    assert f"{WORD_JOINER}[10]" in html
    assert (
        '<span class="no-break">T-shirt</span>'
        in render_html([article(paragraph("A T-shirt here"))], {}).html
    )


@pytest.mark.parametrize(
    ("text", "unbroken"),
    [
        ("Give --all-files here", "--all"),
        ("Give -z here", "-z"),
        ("in (-u)", "-u"),
        ("in /etc/local/bin", "/etc"),
        ("see (/usr/bin) here", "/usr"),
        ("in C++ and C", "C++"),
    ],
)
def test_options_and_paths_are_not_parted_from_their_first_sign(text, unbroken):
    html = render_html([article(paragraph(Span(text, ("code",))), paragraph(text))], {}).html
    assert html.count(f'<span class="no-break">{unbroken}</span>') == 2
    for plain in ("pre-war --- x", "and/or 3 / 4", "ftp://a/b", "1/2 + 3"):
        assert mark_symbols(plain) == plain


def test_a_hyphen_or_slash_after_an_element_joins_it_to_the_next_word():
    link = Span("Radon", href="https://example.org/")
    for text in ("-Situation here", "/Helium here"):
        html = render_html([article(paragraph("On ", link, text))], {}).html
        assert 'class="no-break"' not in html
    for text in ("(", " "):
        html = render_html([article(paragraph(Span(text), Span("-v", ("code",))))], {}).html
        assert '<span class="no-break">-v</span>' in html


def test_a_dash_is_not_parted_from_a_word_in_another_element():
    linked = Span("the ferry", href="https://example.org/")
    for dash in "–—-":
        page = article(
            paragraph(WORDS), paragraph("On ", linked, f" {dash} which sank {dash} he came")
        )
        html = render_html([page], {}).html
        assert f"</a>\u00a0{dash} which sank\u00a0{dash} " in html
    html = render_html(
        [article(paragraph(WORDS), paragraph("Le ", linked, " – ici"), language="fr")], {}
    ).html
    assert "</a> – ici" in html


def test_a_comment_on_the_last_line_of_code_is_highlighted():
    assert split_by_style("ls  # all of it", "bash")[-1] == ("# all of it", "i", "")
    assert split_by_style("ls\n", "bash") == [("ls\n", "", "")]


def test_a_comment_in_code_stays_with_the_line_below_it():
    html = str(highlight("# One.\n# Two.\nls  # three\n\n# Four.\n\nls", "bash"))
    assert re.findall(r'"line( head)?"><?i?>?(..)', html) == [
        ("", "# "), (" head", "# "), ("", "ls"), ("", "# "), ("", "ls")
    ]  # fmt: skip
    steps = Code("\n".join(f"# Step {n}.\nls {n}" for n in range(80)), "bash")
    for count in range(2):
        printed = render_pdf(render_html([article(*paragraphs(count), steps)], {}))
        document = pypdfium2.PdfDocument(printed.pdf)
        try:
            pages = [page.get_textpage().get_text_range() for page in document]
        finally:
            document.close()
        assert len(pages) > 2
        assert not any(re.search(r"# Step \d+\.\s+page", text) for text in pages)


def test_a_long_comment_is_not_parted_from_its_indentation():
    lines = ["def count(things):", f"    # one{' two' * 30}", "    return len(things)"]
    (text,) = texts_of(render_pdf(render_html([article(Code("\n".join(lines), "python"))], {})).pdf)
    assert re.search(r"things\):\s*\n +# one two", text)


def test_code_in_a_list_is_as_wide_as_other_code():
    lines = "\n".join(f"{n:02d}{'x' * 77}|" for n in range(6))
    item = Item((paragraph("So:"), Code(lines)))
    inner = Item((paragraph("Or:"), List((item, item))))
    printed = render_pdf(render_html([article(List((item, inner)))], {}))
    assert "".join(texts_of(printed.pdf)).count(lines[:80]) == 3


def test_the_address_of_a_post_stays_with_its_author():
    post = Embed(
        "post", "https://chat.example.org/status/1", author="Zeno", blocks=(paragraph(WORDS),)
    )
    for count in range(26, 40, 2):
        for text in texts_of(render_pdf(render_html([article(*paragraphs(count), post)], {})).pdf):
            assert ("Zeno" in text) == ("chat.example.org" in text)


def test_headings_alone_are_balanced():
    html = render_html([article(Heading(2, spans("A")), paragraph("b"))], {}).html
    assert html.count("balanced") == 2


def test_a_short_last_word_is_not_left_alone_and_nothing_else_changes():
    text = article(paragraph(WORDS.strip() + " So it is"), paragraph("Short, so it is"))
    longer = article(paragraph("The owners said that it was already being painted."))
    assert 'being <span class="no-break">painted.</span>' in render_html([longer], {}).html
    html = render_html([text], {}).html
    assert 'So <span class="no-break">it is</span></p>' in html
    assert "Short, so it is</p>" in html
    noted = article(paragraph(WORDS, "as told in it", Span("1", note="n1")))
    assert 'told <span class="no-break">in it</span>' in render_html([noted], {}).html


@pytest.mark.parametrize(
    "ending",
    [
        (Span("and ends in "), Span("responsi", ("strong",)), Span("bilities.")),
        (Span("and ends in "), Span("agreement", ("em",)), Span(".")),
        (Span("and ends in agreement."), Span("1", note="n1")),
        (Span("and ends in responsi"), Span("bilities", href="https://example.org/"), Span(".")),
    ],
)
def test_a_last_word_in_several_elements_is_not_hyphenated(ending):
    for count in range(0, 12, 3):
        words = Paragraph((Span("so " * count + WORDS), *ending))
        (text,) = texts_of(render_pdf(render_html([article(words)], {})).pdf)
        assert "responsibilities" in text or "agreement" in text


def texts_of(data: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(data)
    try:
        return [page.get_textpage().get_text_range().replace("\r\n", "\n") for page in document]
    finally:
        document.close()


@pytest.mark.parametrize(
    ("theme", "parts"), [("article", 1), ("newspaper", 1), ("large-print", 2), ("ereader", 2)]
)
def test_a_table_is_parted_before_its_figures_are_broken(theme: str, parts: int) -> None:
    years = [str(1890 + 10 * n) for n in range(14)]
    counts = [f"{n},{500 + n}" for n in range(1, 15)]
    table = Table(
        (cells("Parish", *years, header=True),),
        (cells("Ashby", *counts), cells("Keld", *counts)),
        caption_spans=(Span("Souls"),),
    )
    options = PrintOptions(theme=theme)
    html = render_html([Article("Parishes", (table, paragraph("After it.")))], {}, options).html
    tree = lxml.html.fromstring(html)
    heads = [[cell.text_content().strip() for cell in row] for row in tree.xpath("//thead/tr")]
    assert len(heads) == parts
    assert all(head[0] == "Parish" for head in heads)
    assert [year for head in heads for year in head[1:]] == years
    assert len(tree.xpath("//caption")) == 1
    pdf = render_pdf(render_html([Article("Parishes", (table,))], {}, options)).pdf
    document = pypdfium2.PdfDocument(pdf)
    words = " ".join(page.get_textpage().get_text_range() for page in document).split()
    document.close()
    assert {*years, *counts} <= set(words)


@pytest.mark.parametrize("theme", ["article", "newspaper", "compact"])
def test_eighty_columns_of_code_fit_in_a_line(theme):
    lines = [f"{n:02d}{'x' * 77}|" for n in range(12)]
    text = article(paragraph(WORDS), Code("\n".join(lines)), paragraph(WORDS * 20))
    printed = render_pdf(render_html([text], {}, PrintOptions(theme=theme)))
    assert len(lines_of(printed.pdf, lines[5])) == 1
    (left, right), *_ = lines_of(printed.pdf, lines[5])
    assert left > 0
    assert right < 570, "it is over the edge of the paper"


@pytest.mark.parametrize("before", range(24, 34, 2))
def test_code_leaves_no_stump_on_a_page(before):
    code = "\n".join(f"code {n}" for n in range(14))
    text = article(*[paragraph(WORDS)] * before, Code(code), paragraph(WORDS))
    for page in texts_of(render_pdf(render_html([text], {})).pdf):
        assert page.count("code ") == 0 or page.count("code ") >= 4


def test_a_mark_of_its_own_does_not_begin_a_line():
    for count in range(6, 45, 3):
        places = (Span("延岡市"), Span("*"), Span("、西都市、木城町")) * 6
        listed = article(Paragraph((Span("日" * count), *places)), language="ja")
        (text,) = texts_of(render_pdf(render_html([listed], {})).pdf)
        assert "\n*" not in text


def test_the_last_word_of_a_paragraph_is_not_hyphenated_unless_it_is_long():
    ends = set()
    for count in range(0, 20, 3):
        for word in ("business.", "accessibility.", "responsibilities."):
            words = "so " * count + WORDS + f"and ends in {word}"
            (text,) = texts_of(render_pdf(render_html([article(paragraph(words))], {})).pdf)
            ends |= set(re.findall(rf"(\S*{word[-5:-1]})\.", text))
    assert {"business", "accessibility", "responsibilities"} < ends
    assert all(len(end) >= 8 for end in ends)


def test_a_long_last_word_is_never_broken_without_a_hyphen():
    for count in range(0, 20, 3):
        words = Span("i" * count + f" {WORDS[:40]} im Mai – die Titelstory.", ("strong",))
        text = article(Paragraph((words,)), paragraph(WORDS * 2), language="de")
        (printed,) = texts_of(render_pdf(render_html([text], {})).pdf)
        assert re.search(r"Titel(‐\n)?story\.", printed), printed


def test_norwegian_is_hyphenated_by_its_general_tag():
    words = "Kommunestyrerepresentantene behandlet samarbeidsavtalen med fylkeskommunene. " * 8
    (text,) = texts_of(render_pdf(render_html([article(paragraph(words), language="no")], {})).pdf)
    assert "\u2010\n" in text


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("write to desk.news@harbour-lights.co.uk.", "desk.news@harbour-lights.co.uk"),
        ("see www.harbourlights.example/tides, below", "www.harbourlights.example/tides"),
        ("at harbourlights.org.", "harbourlights.org"),
        *[
            (breakable(f"at {url}"), url)
            for url in ["https://tides.example/@keeper/harbour-pilots-example"]
        ],
        (
            "x https://tides.example/at?low=1&high=2, and",
            "https://tides.example/at?low=1&amp;high=2",
        ),
        ("+of+tides&prefix=harbour+pilot in", "+of+tides&amp;prefix=harbour+pilot"),
        ("R&D costs A&B", ""),
        ("a full stop.Without space", ""),
        ("Node.js and 3.5 metres, e.g. there", ""),
    ],
)
def test_addresses_are_not_hyphenated(text, address):
    html = mark_symbols(text).replace(ZERO_WIDTH_SPACE, "")
    marked = html.partition('<span class="address">')[2].partition("</span>")[0]
    assert marked == address


def test_figures_beside_capitals_are_lining():
    html = render_html(
        [article(paragraph("COP30, S3, H100 and 3D in 2024, B & C; it's 5"))], {}
    ).html
    assert [piece.partition("<")[0] for piece in html.split('"lining">')[1:]] == [
        "COP30", "S3", "H100", "3D",
    ]  # fmt: skip


def test_a_long_word_of_a_title_is_cut_at_a_hyphen_only():
    title = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz"
    text = article(paragraph(WORDS), title=title, language="de")
    (page,) = texts_of(render_pdf(render_html([text], {}, PrintOptions(paper="A6"))).pdf)[:1]
    first, *rest = page.partition("gesetz")[0].split("\n")
    assert rest
    assert first.endswith("\u2010")


def test_the_end_mark_is_never_alone_on_a_line():
    for width in range(150, 200, 2):
        narrow = f"<style>article {{ width: {width}px }}</style></head>"
        words = article(paragraph(WORDS * 2 + "and no results have been made public."))
        document = render_html([words], {})
        document = replace(document, html=document.html.replace("</head>", narrow, 1))
        (text,) = texts_of(render_pdf(document).pdf)
        marked = next(line for line in text.split("\n") if "\u25a0" in line)
        assert marked.strip("\u25a0 \u00a0"), f"in a width of {width} pixels"


def test_the_first_lines_of_a_post_begin_at_the_edge():
    texts = "Odo Marsh", "Get it from the keeper of the dam.", "It is larger than the one before."
    post = Post(texts[0], "3 May", (paragraph("\n".join(texts[1:])), paragraph("So it is.")))
    rendered = render_html([article(paragraph(WORDS), post)], {})
    assert rendered.html.count('<p class="entry">') == 1
    data = render_pdf(rendered).pdf
    assert len({round(lines_of(data, text)[0][0]) for text in texts}) == 1


def test_lines_with_labels_are_a_block():
    lines = paragraph("Type: String"), paragraph("Required: No"), paragraph(WORDS)
    html = render_html([article(paragraph(WORDS), *lines)], {}).html
    assert html.count('class="entry"') == 2
    short = [paragraph(text) for text in ("4.1", "Today's best price", "$17", "Free domain")]
    assert render_html([article(paragraph(WORDS), *short)], {}).html.count('class="entry') == 4
    longer = "A crate, for which we recommend one with room for a treat", "Leash", "Toys"
    supplies = paragraph("You need:"), *map(paragraph, longer)
    assert render_html([article(*supplies)], {}).html.count('class="entry') == 3
    spoken = [paragraph(text) for text in ("“Yes.”", "“No?”", "“Well …”")]
    assert 'class="entry"' not in render_html([article(*spoken)], {}).html
    for text in ("Note: one line alone", "At https://example.org/ and"):
        html = render_html([article(paragraph(text), paragraph(WORDS))], {}).html
        assert 'class="entry"' not in html, text


def test_a_sentence_among_lines_of_an_address_is_set_as_they_are():
    house = f"Quay 3\nHollin\n{WORDS[:90]}"
    lines = "Open daily", "Please ask the keeper of the weir.", house, "215 794 311"
    spoken = "“Where is the ferry”", "“Over there.”", "“And where is the keeper?”"
    set_text = [paragraph(text) for text in (WORDS, *lines, WORDS, *spoken, WORDS)]
    html = render_html([article(*set_text)], {}).html
    assert html.count('class="entry"') == len(lines)


def test_numbered_lines_in_a_row_are_set_alike():
    lines = "1. Boats for the keeper of the weir.", f"2. Oars{' and so on' * 8}", "3. Sails"
    html = render_html([article(*map(paragraph, (WORDS, *lines, WORDS)))], {}).html
    assert html.count('class="entry"') == len(lines)


@pytest.mark.parametrize(("kind", "is_indented"), [("article", True), ("product", False)])
def test_only_paragraphs_of_articles_are_indented(kind, is_indented):
    texts = "A pier is narrow.", "A mole is wide.", "A weir is low."
    blocks = [paragraph(f"{text} {WORDS * 2}") for text in texts]
    data = render_pdf(render_html([replace(article(*blocks), kind=kind)], {})).pdf
    (_, first), (second, third) = (
        (lines_of(data, text)[0] for text in pair) for pair in (texts[:2], texts[1:])
    )
    assert (first[0] > lines_of(data, texts[0])[0][0] + 5) is is_indented
    assert second[0] == pytest.approx(third[0], abs=1)


def test_paragraphs_of_posts_are_not_indented():
    post = Post("Odo Marsh", "3 May", (paragraph("It holds well."), paragraph("It is dry.")))
    data = render_pdf(render_html([article(paragraph(WORDS), post)], {})).pdf
    texts = "It holds well.", "It is dry."
    assert len({round(lines_of(data, text)[0][0]) for text in texts}) == 1


def test_a_longer_line_with_a_label_is_set_as_those_beside_it_below_their_name():
    texts = "Brake pads", f"Interval: typically {'and so on ' * 6}(at best)", "Price: $25-$30"
    entries = [paragraph(text) for text in texts]
    html = render_html([article(paragraph(WORDS), *entries, paragraph(WORDS))], {}).html
    assert html.count('class="entry"') == 2
    assert html.count('class="entry name"') == 1
    mixed = paragraph("Time: a week"), paragraph(f"🧰 {WORDS}"), paragraph(WORDS)
    assert 'class="entry' not in render_html([article(paragraph(WORDS), *mixed)], {}).html


def test_a_line_below_a_heading_is_kept_with_the_picture_after_it():
    line = paragraph("Two parts of the village had to be left in the night.")
    figure = Figure(LANDSCAPE, caption_spans=spans("The dam"), alt="A dam")
    html = render_html([article(heading("It"), line, figure, paragraph(WORDS))], {}).html
    assert '<p class="leads">Two parts' in html


def test_a_term_alone_is_bold():
    term = DefinitionList((Definition((spans("class Oar"),), ()),))
    html = render_html([article(term, paragraph(WORDS))], {}).html
    assert "<dl>" in html


def test_code_is_of_one_size_but_for_very_long_lines():
    def sizes(*lengths, paper="A4"):
        blocks = [Code("x" * length) for length in lengths]
        html = render_html([article(*blocks)], {}, PrintOptions(paper=paper)).html
        return [float(size) for size in re.findall(r"<pre[^>]*font-size: ([.0-9]+)rem", html)]

    assert len(set(sizes(20, 66, 40, 80))) == 1
    assert not sizes(20, 30)
    first, second, last = sizes(62, 20, 80, paper="A5")
    assert first == second > last


@pytest.mark.parametrize("before", range(18, 34, 4))
def test_no_row_is_torn_and_no_two_rows_begin_a_page(before):
    def row(number):
        words = (f"Row {number}", WORDS)
        return tuple(Cell((paragraph(text),)) for text in words)

    table = Table((), tuple(map(row, range(12))))
    text = article(*[paragraph("Line.")] * before, table)
    pages = texts_of(render_pdf(render_html([text], {})).pdf)
    counts = [page.count("Row") for page in pages]
    assert sum(counts) == 12
    assert 1 not in counts
    assert counts[-1] > 2
    assert all(page.count("Row") == page.count("mill.") for page in pages)


@pytest.mark.parametrize("before", range(26, 36, 2))
def test_no_item_of_a_list_and_no_ornament_is_alone(before):
    names = [f"Item {number} " + WORDS for number in range(3)]
    blocks = items(*names), paragraph(WORDS), Rule(), paragraph(WORDS * 3)
    text = article(*[paragraph("Line.")] * before, *blocks)
    pages = texts_of(render_pdf(render_html([text], {})).pdf)
    assert {page.count("Item") for page in pages} <= {0, 3}
    *_, last = pages[0].rstrip().rpartition("page 1")[0].rstrip()
    assert last != "*"


def test_no_page_ends_between_two_labels_of_a_list():
    labels = [paragraph(Span(name, ("strong",))) for name in ("Tickets", "On board")]
    below = items("Adults", "Children", "Dogs"), paragraph(WORDS)
    first_pages = set()
    for before in range(27, 34):
        text = article(*[paragraph("Line.")] * before, *labels, *below)
        pages = texts_of(render_pdf(render_html([text], {})).pdf)
        assert all(page.count("Tickets") == page.count("On board") for page in pages)
        first_pages.add(["Tickets" in page for page in pages].index(True))
    assert first_pages == {0, 1}


def test_a_note_of_documentation_is_a_box_with_its_label():
    box = Quote((paragraph(WORDS),), (Span("Note"),), box=True)
    printed = render_pdf(render_html([article(paragraph(WORDS), box, paragraph(WORDS))], {}))
    (text,) = texts_of(printed.pdf)
    assert text.count("Note\nThe river rises") == 1
    html = render_html([article(box)], {}).html
    assert 'class="box short"' in html
    assert "<blockquote" not in html


def test_code_of_72_columns_fits_in_the_column_by_smaller_type() -> None:
    html = render_html([article(Code("x" * 72))], {}).html
    (style,) = re.findall(r'<pre[^>]* style="([^"]*)"', html)
    assert "font-size" in style
    assert "margin-right" not in style


@pytest.mark.parametrize(
    ("title", "site"),
    [
        ("Широкая юбка Жанны и дождливый июнь в Мышкине", "Дым Журнала"),
        ("Ρόμπες και παπούτσια: η μεγάλη αγορά μας", "Ημερήσια Γνώμη"),
        ("HOW WOMEN MADE MUSHROOM MOMENTS MAGNIFICENT", "WWW MAGAZINE"),
        ("香港天文台今日發出雷暴警告市民請留意天氣變化和最新消息", "每日新聞報"),
    ],
)
def test_a_running_head_does_not_reach_the_name_of_the_site(title, site):
    page = article(*[paragraph(WORDS * 12)] * 3, title=title, site=site, language="ru")
    html = render_html([page], {}, PrintOptions(paper="A5", font_size="14pt"))
    document = pypdfium2.PdfDocument(render_pdf(html).pdf)
    try:
        text = document[1].get_textpage()
        signs = text.get_text_range()
        start, place = signs.index(title[:6]), signs.index(site.split()[0])
        title_end = max(text.get_charbox(n)[2] for n in range(start, place - 1))
        assert title_end + 5 < text.get_charbox(place)[0]
    finally:
        document.close()


def test_the_text_of_notes_begins_at_one_place():
    texts = [
        "Xabaro writes of it at some length, and of much besides",
        "Xu of the Mishmorolands says",
    ]
    notes = tuple(
        Note(f"n{number}", str(number), (paragraph(f"{text}. " + WORDS * 8),))
        for number, text in enumerate(texts * 2, 1)
    )
    calls = [paragraph(Span("It rises there."), Span(n.label, note=n.id)) for n in notes]
    html = render_html([article(*calls, *notes)], {})
    document = pypdfium2.PdfDocument(render_pdf(html).pdf)
    try:
        text = document[0].get_textpage()
        signs = text.get_text_range()
        starts = {
            round(text.get_charbox(m.start())[0]) for m in re.finditer("X(?=abaro|u of)", signs)
        }
    finally:
        document.close()
    assert len(starts) == 1


def test_a_paragraph_beside_a_picture_is_indented_after_another():
    texts = [f"{first} of the river. " + WORDS * 8 for first in ("Xanthos", "Xavier", "Xystus")]
    first, *rest = map(paragraph, texts)
    picture = png(Image.new("RGB", (200, 150)))
    html = render_html([article(first, Figure("p"), *rest)], {"p": picture})
    assert 'class="beside' in html.html
    document = pypdfium2.PdfDocument(render_pdf(html).pdf)
    try:
        text = document[0].get_textpage()
        signs = text.get_text_range()
        lefts = [text.get_charbox(signs.index(name))[0] for name in ("Xavier", "Xystus")]
    finally:
        document.close()
    assert lefts[0] == pytest.approx(lefts[1], abs=0.5)


@pytest.mark.parametrize("theme", ["article", "ereader"])
def test_a_last_page_that_is_needed_has_five_lines(theme, monkeypatch):
    options = PrintOptions(theme=theme)
    lengths = []
    for count in range(32, 60, 2):
        document = replace(
            render_html([article(*paragraphs(count))], {}, options), extended_styles=()
        )
        found = []
        for least in (0, engine.MIN_LAST_LINES):
            monkeypatch.setattr(engine, "MIN_LAST_LINES", least)
            printed = render_pdf(document)
            with open_pdf(printed.pdf) as pdf:
                texts = [page.get_textpage().get_text_range() for page in pdf]
            found.append((len(texts), len(re.findall(r"Line \d+\.", texts[-1]))))
            monkeypatch.undo()
        (pages, plain), (same, filled) = found
        assert pages == same
        # Four more lines than a single one may be too large a hole on the page before.
        assert filled == max(plain, 5) or filled == plain == 1
        lengths.append(plain)
    assert any(1 < length < 5 for length in lengths)
    assert max(lengths) > 5


def test_lines_moved_to_a_last_page_leave_no_hole(monkeypatch):
    """A list that is kept whole would follow the lines that are missing."""
    options = PrintOptions(theme="ereader")
    steps = items(*(f"Step {n}." for n in range(9)))
    moved = []
    for count in range(9, 20, 2):
        blocks = (*paragraphs(count), steps, paragraph("Line of the end."))
        document = replace(render_html([article(*blocks)], {}, options), extended_styles=())
        holes = []
        for least in (0, engine.MIN_LAST_LINES):
            monkeypatch.setattr(engine, "MIN_LAST_LINES", least)
            html = weasyprint.HTML(string=document.html)
            with patched():
                pages = engine.lay_out_document(html, document).pages
            page = pages[-2]._page_box
            hole = figure_placement.measure_gap(page) + page.padding_bottom
            holes.append(hole / (page.height + page.padding_bottom))
            monkeypatch.undo()
        plain, now = holes
        assert now <= max(plain, 0.15) + 0.001, count
        moved.append(now != plain)
    assert any(moved)


def test_spaces_between_all_ideographs_are_not_printed() -> None:
    spaced = paragraph("衞 生 署 呼 籲 停 服 一 種 藥 。")
    html = render_html([article(spaced, paragraph("雨 水 2012 年"))], {}).html
    assert "衞生署呼籲停服一種藥。" in re.sub("<[^>]+>", "", html)
    assert "雨 水 2012 年" in re.sub("<[^>]+>", "", html)


def test_a_line_above_a_heading_stands_on_its_page():
    line = Paragraph((Span("Boats", ("small",)),))
    for count in range(14, 22):
        lines = paragraphs(count)
        page = article(*lines, line, Heading(2, (Span("How to cross"),)), *lines[:6])
        document = pypdfium2.PdfDocument(render_pdf(render_html([page], {})).pdf)
        try:
            pages = [part.get_textpage().get_text_range() for part in document]
        finally:
            document.close()
        assert any("Boats\r\nHow to cross" in text for text in pages), pages
