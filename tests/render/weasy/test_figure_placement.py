"""Large pictures do not leave pages half empty."""

import random
from dataclasses import replace
from io import BytesIO
from itertools import chain, pairwise

import pikepdf
import pypdfium2
import pytest
import weasyprint

from printer.article import Cell, Code, Embed, Figure, Item, List, Post, Quote, Span, Table
from printer.options import PrintOptions
from printer.render.weasy import box_tree, engine, figure_placement
from printer.render.weasy.engine import asset_fetcher, lay_out_document, render_pdf
from printer.render.weasy.patches import patched
from tests.support import sample_articles as specimens
from tests.support.documents import render_html, text_of
from tests.support.sample_articles import (
    LANDSCAPE,
    SAMPLE_ARTICLE,
    cells,
    heading,
    items,
    paragraph,
)

TEXT = "The river rose in the night and by morning the lower meadow was under water. " * 5
PICTURE = Figure(LANDSCAPE, caption_spans=(Span("The valley in March."),), alt="Hills")


def article(before, *after):
    lines = tuple(paragraph(f"Paragraph {n}. {TEXT}") for n in range(before))
    return replace(SAMPLE_ARTICLE, blocks=(*lines, PICTURE, *after), url="")


def goods(count, size=(600, 500)):
    """Return things with their names, and their pictures."""
    names = [f"https://valley.example.org/{n}.jpg" for n in range(count)]
    picture = specimens.jpeg(specimens.landscape(*size))
    figures = [Figure(name, width=size[0], height=size[1]) for name in names]
    named = [block for n, one in enumerate(figures) for block in (one, heading(f"Lamp {n}.", 3))]
    return named, dict.fromkeys(names, picture)


def entries(figures):
    """Return pictures, each with its heading and text below."""
    return [
        block
        for n, figure in enumerate(figures)
        for block in (figure, heading(f"Lamp {n}"), paragraph(f"It is {n}. {TEXT * 2}"))
    ]


def boxes_of(body, pictures):
    """Return the boxes of the pages of an article."""
    document = render_html([body], pictures)
    html = weasyprint.HTML(
        string=document.html, base_url=None, url_fetcher=asset_fetcher(document.assets)
    )
    with patched():
        pages = lay_out_document(html, document).pages
    return [box for page in pages for box in page._page_box.descendants()]


def white(paper, page):
    """The part of the text block's height that is white below the last ink on a page."""
    picture = paper.picture_of(page)
    height = picture.shape[0]
    block = picture[: round(height * 0.89)]
    rows = (block < 200).any(axis=1).nonzero()[0]
    return (len(block) - int(rows[-1])) / (height * 0.79)


@pytest.fixture
def plain_print(printed, monkeypatch):
    """Print an article without the placement of figures."""

    def print_(full, pictures=None):
        with monkeypatch.context() as context:
            context.setattr(figure_placement, "enable", lambda *_, **__: None)
            return printed(full, pictures=pictures)

    return print_


@pytest.fixture
def mended(printed, plain_print):
    """Print an article; fail if no page would have a gap without the placement of figures."""

    def print_(full, pictures):
        plain = plain_print(full, pictures)
        gaps = [white(plain, number) for number in range(plain.pages - 1)]
        assert max(gaps, default=0) > figure_placement.MIN_GAP, "there is nothing to mend"
        return printed(full, pictures=pictures)

    return print_


@pytest.mark.parametrize("before", [5, 7, 10])
def test_no_page_is_left_white_and_text_is_flush_after_the_picture_alone(printed, before):
    text = [paragraph(f"Afterwards {n}. {TEXT}") for n in range(6)]
    paper = printed(article(before, *text), pictures=specimens.pictures())
    assert paper.pages > 1
    for number in range(paper.pages - 1):
        assert white(paper, number) < 0.25, f"page {number + 1} is left white"
    starts = [*(f"Paragraph {n}." for n in range(before)), *(f"Afterwards {n}." for n in range(6))]
    words = paper.text
    places = [words.index(start) for start in starts]
    assert places == sorted(places)
    assert words.count("The valley in March.") == 1
    caption = words.index("The valley in March.")
    edges = indents(paper, starts)
    previous = 0
    for start, place, edge in zip(starts, places, edges, strict=True):
        is_first = previous == 0 or previous < caption < place
        assert (edge - min(edges) > 3) != is_first, start
        previous = place


@pytest.mark.parametrize("before", [4, 6])
def test_text_fills_the_page_before_a_picture_beside_the_next(printed, before):
    texts = [paragraph(f"Afterwards {n}. {TEXT}") for n in range(8)]
    small = specimens.png(specimens.landscape(220, 330))
    lines = [paragraph(f"Paragraph {n}. {TEXT}") for n in range(before)]
    blocks = (*lines, replace(PICTURE, src="small"), *texts)
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""), pictures={"small": small})
    assert paper.pages > 1
    assert white(paper, 0) < 0.15


@pytest.mark.parametrize("lines", [20, 22])
def test_a_picture_passes_no_heading_and_is_made_smaller_instead(printed, plain_print, lines):
    blocks = (*(paragraph(f"Line {n}.") for n in range(lines)), PICTURE, heading("The next part"))
    full = replace(SAMPLE_ARTICLE, blocks=(*blocks, *(paragraph(TEXT) for _ in range(9))), url="")
    paper = printed(full, pictures=specimens.pictures())
    assert paper.text.index("The valley in March.") < paper.text.rindex("The next part")
    plain = plain_print(full, specimens.pictures())
    assert "The valley in March." not in plain.texts[0], "there was nothing to mend"
    assert "The valley in March." in paper.texts[0]
    assert white(paper, 0) < 0.25 < white(plain, 0)


@pytest.mark.parametrize("count", range(14, 22, 2))
def test_a_picture_passes_neither_headings_nor_its_announcement(mended, count):
    announcement = paragraph(TEXT + " More of them make the difference smaller, as we see below:")
    parts = (heading("Mill"), announcement, PICTURE, heading("Wheel"), paragraph(TEXT))
    lines = [paragraph(f"Line {n}.") for n in range(count)]
    blocks = (*lines, *parts, *(paragraph(TEXT) for _ in range(6)))
    paper = mended(replace(SAMPLE_ARTICLE, blocks=blocks, url=""), specimens.pictures())
    words = " ".join(paper.text.split())
    places = [words.index(text) for text in ("Mill", "below:", "The valley in March.", "Wheel")]
    assert places == sorted(places)


@pytest.mark.parametrize("count", [18, 22, 25])
def test_a_picture_stays_between_its_heading_and_the_next(mended, monkeypatch, count):
    parts = (heading("The mill"), PICTURE, heading("The wheel", 3), paragraph(TEXT))
    lines = [paragraph(f"Line {n}.") for n in range(count)]
    blocks = (*lines, *parts, *(paragraph(TEXT) for _ in range(6)))
    full = replace(SAMPLE_ARTICLE, blocks=blocks, url="")
    for is_shrunk in (True, False):
        if not is_shrunk:
            monkeypatch.setattr(figure_placement, "_shrink", lambda *_: False)
        words = mended(full, specimens.pictures()).text
        places = [words.index(text) for text in ("The mill", "The valley in", "The wheel")]
        assert places == sorted(places)


@pytest.mark.parametrize("count", range(18, 26, 3))
def test_a_picture_passes_no_list_with_the_text_that_introduces_it(mended, monkeypatch, count):
    monkeypatch.setattr(figure_placement, "_shrink", lambda *_: False)
    lines = [paragraph(f"Line {n}.") for n in range(count)]
    boats = items(*(f"Boat {n}: {TEXT[:150]}" for n in range(5)))
    blocks = (*lines, PICTURE, paragraph("The ferries are:"), boats, paragraph(TEXT * 4))
    full = replace(SAMPLE_ARTICLE, blocks=blocks, url="")
    words = mended(full, specimens.pictures()).text
    assert words.index("The valley in") < words.index("The ferries are")


@pytest.mark.parametrize("count", range(18, 28, 2))
@pytest.mark.parametrize("end", [f"{TEXT} So it ended.", f"{TEXT[:150]} So it ended."])
def test_a_picture_moved_behind_text_does_not_end_its_section(mended, monkeypatch, count, end):
    monkeypatch.setattr(figure_placement, "_shrink", lambda *_: False)
    monkeypatch.setattr(figure_placement, "_move_before_text", lambda *_: False)
    lines = [paragraph(f"Line {n}.") for n in range(count)]
    parts = (PICTURE, paragraph(TEXT), paragraph(end), heading("The wheel"))
    blocks = (*lines, *parts, *(paragraph(TEXT) for _ in range(6)))
    full = replace(SAMPLE_ARTICLE, blocks=blocks, url="")
    words = mended(full, specimens.pictures()).text
    assert words.index("The valley in") < words.index("So it ended") < words.index("The wheel")


@pytest.mark.parametrize("count", [14, 16])
def test_a_picture_in_a_step_is_shrunk_rather_than_leave_a_page_blank(printed, monkeypatch, count):
    lines = [paragraph(f"Line {n}.") for n in range(count)]
    steps = items("Cast off.", (paragraph("Cross the river."), PICTURE), "Moor.", ordered=True)
    blocks = (*lines, heading("The crossing"), steps, paragraph(TEXT * 3))
    full = replace(SAMPLE_ARTICLE, blocks=blocks, url="")
    paper = printed(full, pictures=specimens.pictures())
    monkeypatch.setattr(figure_placement, "_shrink", lambda *_: False)
    plain = printed(full, pictures=specimens.pictures())
    assert white(paper, 0) < 0.15 < white(plain, 0)
    places = [paper.text.index(text) for text in ("Cross the", "The valley in", "Moor.")]
    assert places == sorted(places)


def test_the_pictures_of_a_row_are_shrunk_alike_to_fill_a_page():
    lines = [paragraph(f"Line {n}.") for n in range(23)]
    names = [f"https://valley.example.org/{n}.jpg" for n in range(4)]
    pictures = dict.fromkeys(names, specimens.jpeg(specimens.landscape(900, 900)))
    blocks = (*lines, *map(Figure, names), *(paragraph(TEXT) for _ in range(6)))
    boxes = boxes_of(replace(SAMPLE_ARTICLE, blocks=blocks, url=""), pictures)
    widths = [round(box.width) for box in boxes if box.element_tag == "img"]
    assert len(widths) == 4
    assert widths[0] == widths[1] < widths[2] == widths[3]


@pytest.mark.parametrize("lines", range(1, 6))
def test_pictures_are_shrunk_with_room_for_the_lines_of_a_narrower_caption(mended, lines):
    names = ["https://valley.example.org/1.jpg", "https://valley.example.org/2.jpg"]
    caption = Span("The ferry and the mill have stood side by side since the spring flood")
    lead, second = Figure(names[0]), Figure(names[1], caption_spans=(caption,))
    above = [paragraph("The river rose in the night.") for _ in range(lines)]
    below = [heading("The mill"), *[paragraph(TEXT)] * 3]
    picture = specimens.jpeg(specimens.landscape(1004, 752))
    body = replace(SAMPLE_ARTICLE, blocks=(lead, *above, second, *below), url="")
    paper = mended(body, dict.fromkeys(names, picture))
    assert white(paper, 0) < figure_placement.LARGE_GAP


@pytest.mark.parametrize("count", [18, 22])
def test_a_stanza_behind_a_picture_is_broken_to_fill_a_large_gap(printed, monkeypatch, count):
    lines = [paragraph(f"Line {n}.") for n in range(count)]
    stanza = paragraph("\n".join(f"Verse {n} of it" for n in range(18)))
    blocks = (*lines, PICTURE, stanza, *(paragraph(TEXT) for _ in range(6)))
    for step in ("_shrink", "_move_before_text"):
        monkeypatch.setattr(figure_placement, step, lambda *_: False)
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""), pictures=specimens.pictures())
    assert white(paper, 0) < 0.15
    assert "Verse 0" in paper.texts[0]
    assert "Verse 17" in paper.texts[1]


@pytest.mark.parametrize("lines", [2, 14])
def test_pictures_above_the_headings_of_entries_leave_no_page_white(printed, lines):
    blocks = [paragraph(f"Line {n}.") for n in range(lines)]
    blocks += entries(replace(PICTURE, caption_spans=(Span(f"Photo {n}."),)) for n in range(5))
    full = replace(SAMPLE_ARTICLE, blocks=(*blocks, heading("The end"), paragraph(TEXT)), url="")
    paper = printed(full, pictures=specimens.pictures())
    for number in range(paper.pages - 1):
        assert white(paper, number) < 0.2, f"page {number + 1} is left white"
    words = paper.text
    places = [words.index(f"{text} {n}.") for n in range(5) for text in ("Photo", "It is")]
    assert places == sorted(places)


@pytest.mark.parametrize("lines", [18, 22])
def test_a_picture_is_parted_from_the_heading_below_rather_than_leave_pages_blank(printed, lines):
    picture = specimens.jpeg(specimens.landscape(280, 182))
    names = [f"https://valley.example.org/{n}.jpg" for n in range(4)]
    blocks = [paragraph(f"Line {n}.") for n in range(lines)]
    evening = "The lamp in the evening. " * 3
    blocks += entries(
        Figure(name, width=280, height=182, caption_spans=(Span(f"Photo {n}. {evening}"),))
        for n, name in enumerate(names)
    )
    full = replace(SAMPLE_ARTICLE, blocks=tuple(blocks), url="")
    paper = printed(full, pictures=dict.fromkeys(names, picture))
    assert max(white(paper, number) for number in range(paper.pages - 1)) < 0.15
    places = [paper.text.index(f"{text} {n}.") for n in range(4) for text in ("Photo", "It is")]
    assert places == sorted(places)


@pytest.mark.parametrize("lines", [16, 20])
def test_high_pictures_are_shrunk_where_moved_text_would_leave_pages_blank(printed, lines):
    picture = specimens.jpeg(specimens.landscape(500, 750))
    names = [f"https://valley.example.org/{n}.jpg" for n in range(4)]
    blocks = [paragraph(f"Line {n}.") for n in range(lines)]
    for n, name in enumerate(names):
        blocks += [Figure(name, width=500, height=750), paragraph(f"Step {n}. {TEXT[:-80]}")]
    full = replace(SAMPLE_ARTICLE, blocks=(*blocks, paragraph(TEXT)), url="")
    paper = printed(full, pictures=dict.fromkeys(names, picture))
    assert max(white(paper, number) for number in range(paper.pages - 1)) < 0.15
    places = [paper.text.index(f"Step {n}.") for n in range(4)]
    assert places == sorted(places)


def order_of(body, pictures):
    """Return the numbers of the pictures and the words 'Part n' in the order of the pages."""
    order = []
    for box in boxes_of(body, pictures):
        if box.element_tag == "img" and type(box).__name__ != "InlineBlockBox":
            order.append(("picture", box.element.get("alt")))
        elif (text := getattr(box, "text", None)) and "rose in the night" in text:
            order.append(("text", ""))
        elif text:
            order += [("part", word) for word in text.split() if word.startswith("Part")]
    return order


@pytest.mark.parametrize("lines", [6, 18])
def test_pictures_without_captions_stand_above_or_in_their_own_paragraphs(printed, lines):
    blocks = [paragraph(f"Line {n}.") for n in range(lines)]
    for n in range(6):
        blocks += [Figure(LANDSCAPE, alt=f"picture{n}"), paragraph(f"Part{n} begins. {TEXT * 2}")]
    full = replace(SAMPLE_ARTICLE, blocks=tuple(blocks), url="")
    paper = printed(full, pictures=specimens.pictures())
    for number in range(paper.pages - 1):
        assert white(paper, number) < 0.25, f"page {number + 1} is left white"
    kinds = [kind for kind, _ in order_of(full, specimens.pictures())]
    for first, second in pairwise(i for i, kind in enumerate(kinds) if kind == "picture"):
        assert "text" in kinds[first:second], "two pictures stand together"
    assert paper.text.count("under water") == 2 * 5 * 6


@pytest.mark.parametrize("seed", [8, 72])
def test_a_paragraph_that_a_picture_has_left_is_whole_again(seed):
    # Pages are laid out again for their number, when pictures have already been placed.
    choose, pictures, blocks = random.Random(seed), {}, []
    for n in range(choose.randint(10, 24)):
        if choose.random() < 0.55:
            blocks.append(paragraph(f"P{n} {TEXT * choose.randint(1, 2)}"))
            continue
        name, height = f"https://valley.example.org/{n}.jpg", choose.choice([200, 300, 400, 500])
        blocks.append(Figure(name, width=600, height=height))
        pictures[name] = specimens.jpeg(specimens.landscape(600, height))
    boxes = boxes_of(replace(SAMPLE_ARTICLE, blocks=tuple(blocks), url=""), pictures)
    neighbors = (pair for box in boxes for pair in pairwise(getattr(box, "children", ())))
    assert not any(
        type(box).__name__ == "BlockBox"
        and box.element is not None
        and box.element is follower.element
        for box, follower in neighbors
    )


def test_the_last_line_before_a_picture_inside_a_paragraph_is_full():
    blocks = [paragraph(f"Line {n}.") for n in range(22)]
    blocks += [Figure(LANDSCAPE), paragraph(TEXT * 3)]
    boxes = boxes_of(replace(SAMPLE_ARTICLE, blocks=tuple(blocks), url=""), specimens.pictures())
    texts = [box for box in boxes if type(box).__name__ == "LineBox" and "river" in text_of(box)]
    lines = [box for box in texts if box.width > 0]
    picture = next(i for i, box in enumerate(boxes) if box.element_tag == "img")
    before = [box for box in boxes[:picture] if box in lines]
    assert before
    assert len(before) < len(lines)
    right = max(box.position_x + box.width for box in lines)
    assert before[-1].position_x + before[-1].width == pytest.approx(right, abs=3)
    assert boxes.index(before[-1]) < picture


@pytest.mark.parametrize("lines", range(8, 24, 4))
def test_a_picture_stays_below_the_line_that_announces_it(lines):
    blocks = [paragraph(f"Line {n}.") for n in range(lines)]
    blocks += [paragraph(TEXT + "This is what they saw:"), PICTURE, *(paragraph(TEXT),) * 4]
    boxes = boxes_of(replace(SAMPLE_ARTICLE, blocks=tuple(blocks), url=""), specimens.pictures())
    texts = [getattr(box, "text", "") if box.element_tag != "img" else "IMG" for box in boxes]
    words = " ".join(filter(None, texts))
    assert "they saw:" in words.partition("IMG")[0][-120:]


@pytest.mark.parametrize("before", [14, 16])
def test_the_mark_of_an_item_does_not_stand_beside_its_picture(mended, monkeypatch, before):
    lines = (paragraph(f"Line {n}.") for n in range(before))
    texts = (paragraph(f"Step {n}. {TEXT}") for n in (1, 2, 3))
    steps = items((next(texts), PICTURE), (next(texts),), (next(texts),))
    full = replace(SAMPLE_ARTICLE, blocks=(*lines, steps, paragraph(TEXT)), url="")
    monkeypatch.setattr(figure_placement, "_shrink", lambda *_: False)
    words = mended(full, specimens.pictures()).text
    assert words.index("Step 1.") < words.index("The valley in March.")


@pytest.mark.parametrize("lines", range(24, 32))
def test_a_quotation_in_a_post_is_not_parted_from_the_reply_to_it(printed, lines):
    first = Post("Ada", "today", tuple(paragraph(f"Line {n}.") for n in range(lines)))
    quote = Quote((paragraph("Was the meadow under water?"),))
    reply = Post("Ida", "today", (quote, paragraph(f"It was. {TEXT}")))
    paper = printed(replace(SAMPLE_ARTICLE, blocks=(first, reply), url=""))
    (page,) = [text for text in paper.texts if "Was the meadow" in text]
    assert "It was." in page


def test_a_high_picture_that_ends_a_post_is_shrunk_by_half_rather_than_leave_a_page_blank(
    printed, monkeypatch
):
    picture = specimens.png(specimens.landscape(500, 800))
    post = Post("Ada", "today", (paragraph(TEXT * 2), Figure("high")))
    answer = Post("Ida", "today", (paragraph(TEXT),))
    lines = [paragraph(f"Line {n}.") for n in range(4)]
    full = replace(SAMPLE_ARTICLE, blocks=(*lines, post, answer), url="")
    assert white(printed(full, pictures={"high": picture}), 0) < 0.15
    monkeypatch.setattr(figure_placement, "LAST_SCALE", 2.0)
    assert white(printed(full, pictures={"high": picture}), 0) > figure_placement.LARGE_GAP


def test_the_line_that_announces_a_high_picture_stays_rather_than_leave_a_page_blank(printed):
    picture = specimens.png(specimens.landscape(600, 500))
    lines = [paragraph(f"Line {n}.") for n in range(23)]
    post = Post("Ada", "today", (paragraph("This is what they saw:"), Figure("high")))
    full = replace(
        SAMPLE_ARTICLE, blocks=(*lines, post, Post("Ida", "", (paragraph(TEXT),))), url=""
    )
    paper = printed(full, pictures={"high": picture})
    assert "they saw:" in paper.texts[0]
    assert white(paper, 0) < 0.2


FILM = Embed("video", "https://valley.example.org/film", "The meadow from above")


@pytest.mark.parametrize("lines", [27, 28])
def test_text_fills_the_page_before_a_film(printed, lines):
    before = [paragraph(f"Line {n}.") for n in range(lines)]
    blocks = (*before, heading("The film"), FILM, *(paragraph(TEXT),) * 3)
    assert white(printed(replace(SAMPLE_ARTICLE, blocks=blocks, url="")), 0) < 0.12


def test_a_picture_is_not_parted_from_the_film_below_it(printed):
    before = [paragraph(f"Line {n}.") for n in range(20)]
    blocks = (*before, PICTURE, FILM, heading("The next part"), *(paragraph(TEXT),) * 9)
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""), pictures=specimens.pictures())
    (page,) = [text for text in paper.texts if "The valley in March." in text]
    assert "The meadow from above" in page


def test_the_spaces_on_a_page_are_reduced_for_a_heading_with_its_first_lines(printed):
    parts = ((heading(f"Part {n}"), *(paragraph("It rose."),) * 5) for n in range(3))
    name = heading("The gate that two men lift when the water has to be let in again")
    lines = (*chain.from_iterable(parts), *(paragraph("It rose."),) * 4)
    blocks = (*lines, name, *(paragraph(TEXT[:200]),) * 9)
    assert white(printed(replace(SAMPLE_ARTICLE, blocks=blocks, url="")), 0) < 0.12


@pytest.mark.parametrize("lines", [16, 20])
def test_a_wide_table_below_a_heading_is_broken_before_it_leaves_a_large_gap(printed, lines):
    row = cells(*["The water is let in by a gate that two men lift, and which is shut again"] * 7)
    table = Table((cells(*"ABCDEFG", header=True),), (row,) * 6)
    before = [paragraph(f"Line {n}.") for n in range(lines)]
    blocks = (*before, heading("The gates"), table, paragraph(TEXT))
    assert white(printed(replace(SAMPLE_ARTICLE, blocks=blocks, url="")), 0) < 0.2


@pytest.mark.parametrize("lines", range(26, 31))
def test_bold_lines_in_a_row_are_not_all_kept_together(printed, lines):
    before = (paragraph(f"Line {n}.") for n in range(lines))
    bold = [paragraph(Span(f"Gate number {n}", ("strong",))) for n in range(12)]
    blocks = (*before, heading("The gates"), *bold, *(paragraph(TEXT),) * 3)
    assert white(printed(replace(SAMPLE_ARTICLE, blocks=blocks, url="")), 0) < 0.15


def test_many_short_lines_fill_the_page_before_a_turned_table(printed):
    lines = (paragraph(f"Line {n}.") for n in range(60))
    blocks = (paragraph(TEXT), wide_table(), *lines)
    assert white(printed(replace(SAMPLE_ARTICLE, blocks=blocks, url="")), 0) < 0.15


@pytest.mark.parametrize("lines", range(22, 26))
def test_the_lines_of_a_short_item_stay_on_one_page(printed, lines):
    before = (paragraph(f"Line {n}.") for n in range(lines))
    names = items(*((paragraph(f"Boat {n}"), paragraph(f"since {n}")) for n in range(9)))
    pages = printed(replace(SAMPLE_ARTICLE, blocks=(*before, names), url="")).texts
    assert all(text.count("Boat ") == text.count("since ") for text in pages)


@pytest.mark.parametrize("lines", range(24, 31, 2))
def test_an_item_of_several_lines_may_stand_alone_on_a_page(printed, lines):
    before = (paragraph(f"Line {n}.") for n in range(lines))
    blocks = (*before, heading("It"), items(*[TEXT[:230]] * 6), paragraph(TEXT))
    assert white(printed(replace(SAMPLE_ARTICLE, blocks=blocks, url="")), 0) < 0.15


UNBROKEN_BLOCKS = {
    "list in a list": items(*((paragraph(name), items("One", "Two", "Three")) for name in "AB")),
    "table": Table((cells("Name", "Of it", header=True),), (cells("Row", TEXT),) * 3),
    "stanza": paragraph("\n".join(f"Line {n} of it" for n in range(11))),
    "quoted stanza": Quote((paragraph("\n".join(f"Line {n} of it" for n in range(11))),)),
    "short table": Table((cells("Name", header=True),), tuple(cells(f"Row {n}") for n in range(8))),
}


@pytest.mark.parametrize("kind", UNBROKEN_BLOCKS)
def test_a_kept_block_is_broken_before_it_leaves_a_large_gap(printed, plain_print, kind):
    block, after = UNBROKEN_BLOCKS[kind], paragraph(TEXT * 3)

    def max_white(print_):
        """Return the largest gap on a first page, for blocks that begin at different heights."""
        lines = [paragraph(f"Line {n}.") for n in range(24)]
        articles = (
            replace(
                SAMPLE_ARTICLE,
                blocks=(*lines[:count], heading("The next part"), block, after),
                url="",
            )
            for count in (14, 24)
        )
        return max(white(print_(full), 0) for full in articles)

    assert max_white(printed) < max_white(plain_print) - 0.03


@pytest.mark.parametrize(
    "code", ["ls\n" * 5 + "ls", "for x in y:\n    ls\n\n" + "ls\n" * 12 + "ls"]
)
def test_code_leaves_no_large_gap_before_its_introduction(printed, code):
    lead = paragraph("The water is let in by a gate that two men lift, and which is shut again:")
    for lines in (25, 29):
        before = (paragraph(f"Line {n}.") for n in range(lines))
        blocks = (*before, heading("The gate"), lead, Code(code), paragraph(TEXT))
        assert white(printed(replace(SAMPLE_ARTICLE, blocks=blocks, url="")), 0) < 0.15


@pytest.mark.parametrize("lines", range(26, 36, 2))
@pytest.mark.parametrize("count", [5, 7])
def test_no_few_lines_of_code_are_alone_on_a_page(printed, lines, count):
    code = "\n".join(f"cast({n})" for n in range(count))
    before = (paragraph(f"Line {n}.") for n in range(lines))
    blocks = (*before, paragraph("They cast it:"), Code(code), paragraph(TEXT * 9))
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""))
    counts = {text.count("cast(") for text in paper.texts} - {0}
    assert min(counts) >= min(3, count)
    assert count > 5 or counts == {count}


@pytest.mark.parametrize("lines", range(20, 27, 2))
def test_a_page_may_end_between_a_paragraph_and_a_list(printed, lines):
    before = (paragraph(f"Line {n}.") for n in range(lines))
    blocks = (*before, heading("It"), paragraph(TEXT), items(*[TEXT[:150]] * 6), paragraph(TEXT))
    assert white(printed(replace(SAMPLE_ARTICLE, blocks=blocks, url="")), 0) < 0.15


@pytest.mark.parametrize("lines", range(26, 34))
def test_a_short_list_is_parted_from_a_long_lead_in_rather_than_torn(printed, lines):
    names = [f"Mill {n}" for n in range(5)]
    before = (paragraph(f"Line {n}.") for n in range(lines))
    blocks = (*before, paragraph(f"{TEXT[:210]}:"), items(*names), paragraph(TEXT * 9))
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""))
    assert any(all(name in text for name in names) for text in paper.texts)
    assert white(paper, 0) < 0.15


@pytest.mark.parametrize("lines", range(1, 14))
def test_the_spaces_on_a_page_are_reduced_rather_than_tear_a_short_list(printed, lines):
    groups = [(heading(f"Part {n}"), items("Oak", "Ash")) for n in range(4)]
    names = [f"Mill {n}" for n in range(6)]
    before = (*(paragraph(f"Line {n}.") for n in range(lines)), *chain(*groups))
    blocks = (*before, heading("The mills"), items(*names), paragraph(TEXT * 9))
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""))
    assert any(all(name in text for name in names) for text in paper.texts)


def test_a_page_may_end_between_figures_whose_pictures_are_missing(printed):
    caption = (Span("The valley in March, when the river rose over the lower meadow. " * 3),)
    figures = [
        Figure(f"https://valley.example.org/{n}.jpg", caption_spans=caption) for n in range(16)
    ]
    paper = printed(replace(SAMPLE_ARTICLE, blocks=(*figures, paragraph(TEXT)), url=""))
    assert paper.pages == 2
    assert white(paper, 0) < figure_placement.LARGE_GAP


def test_a_list_of_headings_is_divided(printed):
    entries = [Item((heading(f"Lamp {n}.", 3),)) for n in range(12)]
    body = replace(
        SAMPLE_ARTICLE, blocks=(*[paragraph(TEXT)] * 3, List(tuple(entries), ordered=True)), url=""
    )
    paper = printed(body)
    assert paper.pages == 2
    assert white(paper, 0) < figure_placement.LARGE_GAP


@pytest.mark.parametrize("lines", range(28, 34))
def test_no_item_of_two_lines_is_alone_on_a_page(printed, lines):
    before = (paragraph(f"Line {n}.") for n in range(lines))
    names = [f"Item {n}: {TEXT[:90]}" for n in range(8)]
    blocks = (*before, items(*names), paragraph(TEXT * 3))
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""))
    assert 1 not in [text.count("Item") for text in paper.texts]


@pytest.mark.parametrize("lines", range(9, 18))
def test_no_short_row_is_alone_on_a_page_below_the_head_of_its_table(printed, lines):
    table = Table((cells("Name", header=True),), tuple(cells(f"Row {n}") for n in range(5)))
    blocks = (*(paragraph(f"Line {n}.") for n in range(lines)), heading("It"), table)
    full = replace(SAMPLE_ARTICLE, blocks=(*blocks, paragraph(TEXT * 3)), url="")
    paper = printed(full, theme="manuscript")
    rows = [[f"Row {n}" in text for n in range(5)].count(True) for text in paper.texts]
    assert 1 not in rows


@pytest.mark.parametrize(
    ("lines", "count"), [(27, 5), (28, 5), *((lines, 8) for lines in range(23, 29))]
)
def test_a_divided_table_has_three_rows_on_each_page(printed, lines, count):
    rows = tuple(cells(f"Row{n}", TEXT[:120]) for n in range(count))
    blocks = (*(paragraph(f"Line {n}.") for n in range(lines)), Table((), rows))
    paper = printed(replace(SAMPLE_ARTICLE, blocks=(*blocks, paragraph(TEXT * 3)), url=""))
    counts = [text.count("Row") for text in paper.texts]
    assert sum(counts) == count
    assert {1, 2}.isdisjoint(counts)


@pytest.mark.parametrize("lines", range(1, 5))
def test_tall_rows_may_stand_alone_on_a_page(printed, lines):
    values = Cell((items(*(f"Value {n} of this setting." for n in range(6))),))
    table = Table((), tuple((*cells(f"Row{n}"), values) for n in range(6)))
    above = tuple(paragraph(f"Line {n}.") for n in range(lines))
    paper = printed(replace(SAMPLE_ARTICLE, blocks=(*above, table), url=""))
    for number in range(paper.pages - 1):
        assert white(paper, number) < 0.17, f"page {number + 1} is left white"


def tall_cell(lines):
    return Cell((items(*(f"Value {n}." for n in range(lines))),))


def test_the_row_beside_a_tall_row_may_end_or_begin_a_page(printed):
    rows = [(*cells(f"Row{n}"), *cells("Value.")) for n in range(6)]
    for tall, lines in ((0, 6), (2, 34)):
        rows[tall] = (*cells(f"Row{tall}"), tall_cell(lines))
    for order, last in ((rows, "Row1"), (rows[::-1], "Row2")):
        body = replace(SAMPLE_ARTICLE, blocks=(Table((), tuple(order)),), url="")
        first, second = printed(body).texts
        labels = [row[0].blocks[0].spans[0].text for row in order]
        end = labels.index(last) + 1
        assert all(label in first for label in labels[:end])
        assert all(label in second for label in labels[end:])


def test_a_row_that_begins_a_group_does_not_stand_alone():
    for rowspan in (1, 2):
        (label,) = cells("Row0")
        rows = ((replace(label, rowspan=rowspan), tall_cell(6)), cells("Row1", "Value."))
        body = replace(SAMPLE_ARTICLE, blocks=(Table((), rows),), url="")
        assert ('<tr class="lone">' in render_html([body], {}).html) == (rowspan == 1)


@pytest.mark.parametrize("lines", [10, 22])
def test_tables_of_two_rows_are_not_kept_with_each_other(printed, lines):
    numbers = ["x"] * 6
    table = Table((), (cells("Row", TEXT * 2, *numbers), cells("Row", TEXT, *numbers)))
    before = (paragraph(f"Line {n}.") for n in range(lines))
    blocks = (*before, paragraph("Heights of the river"), table, table, paragraph(TEXT * 3))
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""))
    assert white(paper, 0) < 0.15


@pytest.mark.parametrize("lines", [27, 30, 32])
@pytest.mark.parametrize("kind", ["table", "short table"])
def test_a_label_stands_on_the_page_of_the_first_rows_of_its_table(printed, kind, lines):
    label = paragraph("Table 2: Heights of the river in each of the hours before noon.")
    before = (paragraph(f"Line {n}.") for n in range(lines))
    blocks = (*before, label, UNBROKEN_BLOCKS[kind], paragraph(TEXT * 3))
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""))
    (page,) = (text for text in paper.texts if "Table 2" in text)
    assert page.count("Row") >= 2


def test_notes_stay_on_the_page_that_calls_them(printed):
    calls = replace(
        SAMPLE_ARTICLE,
        blocks=(*(paragraph(f"{n} {TEXT}") for n in range(6)), *SAMPLE_ARTICLE.blocks),
    )
    paper = printed(calls, pictures=specimens.pictures())
    for text in paper.texts:
        assert ("a single family" in text and "The name is older" in text) == (
            "The name is older" in text
        )
    assert paper.text.count("The name is older") == 1


def test_the_same_document_is_filled_the_same_way():
    document = render_html(
        [article(7, *(paragraph(TEXT) for _ in range(4)))], specimens.pictures(), PrintOptions()
    )
    assert render_pdf(document).pdf == render_pdf(document).pdf


def test_other_documents_are_not_touched(monkeypatch):
    render_pdf(render_html([article(1)], specimens.pictures(), PrintOptions()))
    monkeypatch.setattr(
        figure_placement._PageFiller, "improve", lambda *_: pytest.fail("it was touched")
    )
    html = "<p>x</p>" * 200 + "<figure style='height: 20cm'></figure><p>y"
    assert pypdfium2.PdfDocument(weasyprint.HTML(string=html).write_pdf())


def test_text_fills_the_page_before_a_turned_table(printed):
    blocks = (
        paragraph(TEXT),
        wide_table(),
        *(paragraph(f"Afterwards {n}. {TEXT}") for n in range(12)),
    )
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""))
    turned = [page.mediabox[2] > page.mediabox[3] for page in paper.pdf.pages]
    assert turned.count(True) == 1
    assert white(paper, 0) < 0.25
    assert "Head 14" in paper.texts[turned.index(True)]


def wide_table():
    return Table(
        (cells(*(f"Head {n}" for n in range(15)), header=True),),
        tuple(cells(*(f"{n * m}" for n in range(15))) for m in range(8)),
    )


PARTS = [
    block
    for n in range(12)
    for block in (
        heading(f"Part {n}"),
        paragraph(f"Begin {n}. {TEXT}"),
        paragraph(f"End {n}. {TEXT}"),
    )
]


def test_a_turned_table_goes_past_headings(printed):
    blocks = (paragraph(TEXT), wide_table(), *PARTS)
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""))
    turned = [page.mediabox[2] > page.mediabox[3] for page in paper.pdf.pages]
    at = turned.index(True)
    assert at > 0
    for number in range(at):
        assert white(paper, number) < 0.25, f"page {number + 1} is left white"
    last_line = paper.texts[at - 1].replace("\r", "").split("page ")[0].strip().splitlines()[-1]
    assert not last_line.startswith("Part")
    words = paper.text
    places = [words.index(f"End {n}.") for n in range(12)]
    assert places == sorted(places)


def test_a_turned_table_with_its_own_heading_stays_in_its_section(printed):
    blocks = (paragraph(TEXT), heading("Counts"), wide_table(), *PARTS)
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""))
    words = paper.text
    assert words.index("Counts") < words.index("Head 14") < words.index("Part 0")


def test_a_heading_over_a_picture_keeps_text_and_gives_the_picture_on(printed):
    blocks = (*(paragraph(f"{n}. {TEXT}") for n in range(7)), heading("The ferry"), PICTURE)
    after = tuple(paragraph(f"Afterwards {n}. {TEXT}") for n in range(4))
    paper = printed(
        replace(SAMPLE_ARTICLE, blocks=(*blocks, *after), url=""), pictures=specimens.pictures()
    )
    assert white(paper, 0) < 0.25
    assert paper.text.index("The ferry") < paper.text.index("Afterwards 0")


def test_a_column_is_not_left_white_before_a_picture(printed):
    lines = tuple(paragraph(f"{n}. {TEXT}") for n in range(16))
    after = tuple(paragraph(f"Afterwards {n}. {TEXT}") for n in range(14))
    article_ = replace(SAMPLE_ARTICLE, blocks=(*lines, PICTURE, *after), url="")
    for count in (12, 14, 16):
        blocks = (*lines[:count], PICTURE, *after)
        paper = printed(
            replace(article_, blocks=blocks), pictures=specimens.pictures(), theme="newspaper"
        )
        picture = paper.picture_of(0)
        column = picture[: round(picture.shape[0] * 0.9), round(picture.shape[1] * 0.66) :]
        rows = (column < 200).any(axis=1).nonzero()[0]
        assert int(rows[-1]) > 0.7 * picture.shape[0], f"with {count} paragraphs"


def test_a_document_is_laid_out_a_limited_number_of_times(printed, monkeypatch):
    monkeypatch.setattr(figure_placement, "MAX_RELAYOUTS", 0)
    paper = printed(article(7, *(paragraph(TEXT) for _ in range(4))), pictures=specimens.pictures())
    assert paper.text.count("The valley in March.") == 1


def test_a_picture_that_was_scaled_down_has_no_needless_pixels():
    pictures = specimens.pictures()
    columns = PrintOptions(theme="newspaper")
    sizes = []
    for dpi in (0, 100):
        document = replace(render_html([article(3, paragraph(TEXT))], pictures, columns), dpi=dpi)
        with pikepdf.open(BytesIO(render_pdf(document).pdf)) as pdf:
            sizes += [int(o.Width) for o in pdf.objects if _is_photo(o)]
    full, scaled = sizes
    assert scaled < full
    assert scaled <= 1.15 * 100 * 62 / 25.4  # a column of 62 mm at the most


def _is_photo(pdf_object):
    return isinstance(pdf_object, pikepdf.Stream) and pdf_object.get("/Filter") == "/DCTDecode"


def test_a_picture_that_ends_an_article_goes_before_the_text_above_it(printed):
    lines = tuple(paragraph(f"{n}. {TEXT}") for n in range(9))
    for count in (4, 6):
        blocks = (*lines[:count], PICTURE)
        paper = printed(
            replace(SAMPLE_ARTICLE, blocks=blocks, url=""), pictures=specimens.pictures()
        )
        for number in range(paper.pages - 1):
            assert white(paper, number) < 0.2, f"page {number + 1} of {count} paragraphs"
        places = [paper.text.index(f"{n}. The river") for n in range(count)]
        assert places == sorted(places)


def test_no_picture_goes_behind_the_end_of_the_article(printed, monkeypatch):
    monkeypatch.setattr(figure_placement, "MIN_SCALE", 2.0)
    monkeypatch.setattr(figure_placement, "_move_before_text", lambda *_: False)
    lines = tuple(paragraph(f"Line {n}.") for n in range(22))
    blocks = (*lines, PICTURE, heading("At the end"), paragraph("Nothing follows this."))
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""), pictures=specimens.pictures())
    assert paper.text.index("The valley in March.") < paper.text.index("Nothing follows this.")


def indents(paper, texts):
    """The left edges of the first words of paragraphs, in points."""
    document = pypdfium2.PdfDocument(paper.data)
    found = {}
    for page in document:
        words = page.get_textpage()
        text = words.get_text_range()
        for start in texts:
            if start in text:
                found[start] = round(words.get_charbox(text.index(start))[0], 1)
    document.close()
    return [found[start] for start in texts]


def test_a_picture_as_wide_as_the_text_is_made_clearly_narrower_and_centred():
    widths = set()
    for before in (18, 21, 24):
        lines = (paragraph(f"Line {n}.") for n in range(before))
        body = replace(SAMPLE_ARTICLE, blocks=(*lines, PICTURE, paragraph(TEXT)), url="")
        boxes = boxes_of(body, specimens.pictures())
        figure = next(box for box in boxes if box.element_tag == "figure")
        (measure, *_) = {box.width for box in boxes if box.element_tag == "article"}
        widths.add(round(figure.width / measure, 2))
        assert figure.width == measure or figure.width <= 0.8 * measure + 1
        assert abs(figure.margin_left - figure.margin_right) < 1
    assert len(widths) > 1


@pytest.mark.parametrize("lines", range(16, 30, 2))
def test_pictures_of_one_width_remain_about_equally_wide(lines):
    figure = Figure(LANDSCAPE, alt="Hills")
    text = [block for n in range(4) for block in (heading(f"Quay {n}"), figure, paragraph(TEXT))]
    blocks = (*(paragraph(f"Line {n}.") for n in range(lines)), *text)
    body = replace(SAMPLE_ARTICLE, blocks=blocks, url="")
    boxes = boxes_of(body, specimens.pictures())
    widths = [box.width for box in boxes if box.element_tag == "img"]
    assert min(widths) >= 0.7 * max(widths)


@pytest.mark.parametrize("lines", range(24, 32))
def test_a_quotation_is_not_parted_from_its_last_line(printed, lines):
    quote = Quote((paragraph(TEXT), paragraph("Letter of a ferryman, May 1911")))
    blocks = (*(paragraph(f"Line {n}.") for n in range(lines)), quote, paragraph(TEXT))
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""))
    (page,) = (words for words in paper.texts if "Letter of a ferryman" in words)
    assert "meadow was under water" in page.partition("Letter of")[0][-200:].replace("\n", " ")


def test_a_picture_that_is_shrunk_twice_stays_in_the_middle():
    body = replace(SAMPLE_ARTICLE, blocks=(PICTURE, paragraph(TEXT)), url="")
    boxes = boxes_of(body, specimens.pictures())
    figure = next(box for box in boxes if box.element_tag == "figure")
    for scale in (0.8, 0.9):
        box_tree.scale_figure(figure, box_tree.Change(), scale)
    sides = (figure.style[name].value for name in ("margin_left", "width", "margin_right"))
    left, width, right = sides
    assert left == right
    assert left + width + right == pytest.approx(figure.width, abs=1)
    assert width == pytest.approx(0.72 * figure.width, abs=1)


@pytest.mark.parametrize("lines", [12, 18])
def test_a_row_of_pictures_that_is_moved_stays_apart_from_the_text_above_it(lines):
    entries, pictures = goods(6)
    gallery = [block for block in entries if isinstance(block, Figure)]
    before = [paragraph(f"Line {n}.") for n in range(lines)]
    after = [paragraph(f"Answer {n}. {TEXT}") for n in range(6)]
    full = replace(SAMPLE_ARTICLE, blocks=(*before, *gallery, *after))
    gaps = []
    for body in boxes_of(full, pictures):
        children = getattr(body, "children", ())
        for above, row in pairwise(children):
            if above.element_tag == "p" and "figures" in (row.element.get("class") or ""):
                gaps.append(row.content_box_y() - above.position_y - above.margin_height())
    assert gaps
    assert all(gap > 10 for gap in gaps)


@pytest.mark.parametrize("lines", [0, 6])
def test_no_text_stands_between_the_rows_of_a_collection(printed, lines):
    entries, pictures = goods(24)
    before = [paragraph(f"Line {n}.") for n in range(lines)]
    after = [heading("Questions", 2), *(paragraph(f"Answer {n}. {TEXT}") for n in range(4))]
    full = replace(SAMPLE_ARTICLE, blocks=(*before, *entries, *after))
    text = printed(full, pictures=pictures).text
    assert text.index("Lamp 23.") < text.index("Questions") < text.index("Answer 0.")


@pytest.mark.parametrize("lines", [0, 2])
def test_on_a_small_screen_an_entry_is_not_torn(printed, lines):
    entries, pictures = goods(8)
    figures, names = entries[::2], entries[1::2]
    lamps = [
        (name, figure, paragraph(f"Price {n}."))
        for n, (name, figure) in enumerate(zip(names, figures, strict=True))
    ]
    shop = List(tuple(map(Item, lamps)), style="none")
    before = (paragraph(f"Line {n}.") for n in range(lines))
    paper = printed(
        replace(SAMPLE_ARTICLE, blocks=(*before, shop)),
        pictures=pictures,
        theme="ereader",
    )
    for text in paper.texts:
        assert text.count("Lamp") == text.count("Price")


def test_a_picture_is_shrunk_to_spare_a_last_page_of_a_few_lines(printed, monkeypatch):
    def paper(lines):
        body = article(lines, *(PICTURE,) * 2, paragraph("That was the flood."))
        return printed(body, pictures=specimens.pictures())

    shrunk_pages = [paper(lines).pages for lines in (2, 4, 7)]
    assert shrunk_pages[0] == 1
    monkeypatch.setattr(figure_placement, "MIN_LAST_LINES", 0)
    before = [paper(lines).pages for lines in (2, 4, 7)]
    assert before[0] == 2
    assert all(now <= plain for now, plain in zip(shrunk_pages, before, strict=True))


def test_a_last_page_is_not_spent_on_a_picture_alone(printed, monkeypatch):
    texts = [paragraph(f"P {n}. {TEXT}") for n in range(11)]
    full = replace(SAMPLE_ARTICLE, blocks=(*texts, PICTURE), url="")
    for step in ("_shrink", "_move_before_text"):
        monkeypatch.setattr(figure_placement, step, lambda *_: False)
    count = printed(full, pictures=specimens.pictures()).pages
    monkeypatch.setattr(engine, "_is_picture_alone", lambda _: False)
    assert count < printed(full, pictures=specimens.pictures()).pages


@pytest.mark.parametrize("stated", ["1.5", "150%", "15px", "1.5em"])
def test_line_height_is_known_however_it_is_stated(stated: str) -> None:
    html = f"<p style='font: 10px serif; line-height: {stated}'><i>Inherited.</i>"
    page = weasyprint.HTML(string=html).render().pages[0]
    boxes = [box for box in page._page_box.descendants() if box.element_tag in ("p", "i")]
    assert {figure_placement.line_height(box) for box in boxes} == {15}


def test_line_height_that_is_not_stated_is_estimated() -> None:
    page = weasyprint.HTML(string="<p style='font: 10px serif'>Text.").render().pages[0]
    boxes = [box for box in page._page_box.descendants() if box.element_tag == "p"]
    assert {figure_placement.line_height(box) for box in boxes} == {12}


def test_the_heading_of_a_tile_is_not_torn_whatever_its_level(printed):
    entries = [(PICTURE, heading(f"Infrastructures {n}", 1)) for n in range(3)]
    blocks = (paragraph(TEXT), items(*entries, style="none"), paragraph(TEXT))
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""), pictures=specimens.pictures())
    for number in range(3):
        assert f"Infrastructures {number}" in paper.text


@pytest.mark.parametrize("lines", range(18, 30, 4))
def test_a_picture_does_not_part_the_lines_of_a_run(lines):
    blocks = [paragraph(f"Line {n}.") for n in range(lines)]
    blocks += [PICTURE, paragraph("Interval: yearly"), paragraph("Price: 40 crowns")]
    boxes = boxes_of(
        replace(SAMPLE_ARTICLE, blocks=(*blocks, *(paragraph(TEXT),) * 6), url=""),
        specimens.pictures(),
    )
    texts = [getattr(box, "text", "") if box.element_tag != "img" else "IMG" for box in boxes]
    words = " ".join(filter(None, texts))
    assert "IMG" in words
    assert "IMG" not in words.partition("Interval:")[2].partition("40 crowns")[0]


@pytest.mark.parametrize("size", [(600, 760), (600, 900)])
def test_a_high_picture_below_the_contents_leaves_no_page_white(printed, size):
    name = "https://valley.example.org/high.jpg"
    picture = {name: specimens.jpeg(specimens.landscape(*size))}
    parts = [b for n in range(14) for b in (heading(f"Part {n}"), paragraph(TEXT * 5))]
    figure = Figure(name, width=size[0], height=size[1])
    blocks = (figure, paragraph(TEXT[:300]), PICTURE, *parts)
    paper = printed(
        replace(SAMPLE_ARTICLE, blocks=blocks, url=""), pictures=specimens.pictures() | picture
    )
    assert "Contents" in paper.texts[0]
    assert white(paper, 0) < 0.15


def test_text_is_indented_after_text_even_if_none_was_before_figures_moved(printed):
    """Every paragraph of the page follows a heading or the picture."""
    moved = []
    for before in (5, 7):
        parts = [b for n in range(before) for b in (heading(f"Part {n}"), paragraph(TEXT))]
        blocks = (
            *parts,
            PICTURE,
            paragraph(f"Afterwards. {TEXT * 2}"),
            heading("End"),
            paragraph(TEXT),
        )
        body = replace(SAMPLE_ARTICLE, blocks=blocks, url="")
        paper = printed(body, pictures=specimens.pictures())
        edge, flush = indents(paper, ["Afterwards.", "End"])
        moved.append(paper.text.index("Afterwards.") < paper.text.index("The valley in March."))
        assert (edge - flush > 3) == moved[-1]
    assert True in moved


@pytest.mark.parametrize("lines", range(24, 34, 3))
def test_a_short_post_is_not_torn(printed, lines):
    posts = [Post("Ada", "", (paragraph(f"Line {n}."),)) for n in range(lines // 2)]
    last = Post("Ida", "", tuple(paragraph(f"Ferry {n} is late.") for n in range(4)))
    long = Post("Ada", "", (paragraph(f"It begins. {TEXT * 9} It ends."),))
    blocks = (*posts, *[last] * 6, long)
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""))
    assert all(text.count("Ferry 0") == text.count("Ferry 3") for text in paper.texts)
    assert paper.pages > 1


@pytest.mark.parametrize("lines", range(22, 34, 2))
@pytest.mark.parametrize("is_bold", [True, False])
def test_the_text_that_introduces_a_short_list_stays_with_it(printed, lines, is_bold):
    text = "Timetables for the ferries help the people of the valley to cross the river in time."
    lead = paragraph(Span(text, ("strong",) if is_bold else ()))
    above = paragraph(TEXT) if is_bold else heading("The ferries")
    before = (paragraph(f"Line {n}.") for n in range(lines))
    blocks = (*before, above, lead, items(*(f"Boat {n}" for n in range(4))), paragraph(TEXT * 9))
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""))
    (page,) = (text for text in paper.texts if "Timetables" in text)
    assert "Boat 1" in page


@pytest.mark.parametrize("lines", range(25, 33))
def test_facts_below_a_heading_are_on_the_page_of_its_text(printed, lines):
    facts = (paragraph("Built: in Wick"), paragraph("Length: short"))
    section = (heading("The ferry"), *facts, paragraph(TEXT * 3))
    blocks = (*(paragraph(f"Line {n}.") for n in range(lines)), *section)
    paper = printed(replace(SAMPLE_ARTICLE, blocks=blocks, url=""))
    (page,) = [text for text in paper.texts if "Length: short" in text]
    assert TEXT[:20] in page.partition("Length: short")[2].replace("\n", " ")


@pytest.mark.parametrize("height", [1200, 1280, 1360])
def test_an_upright_picture_with_a_chinese_caption_stays_below_the_title(printed, height):
    caption = (Span("河流在夜里上涨,到早晨时下面的草地已经被水淹没,村里的人们站在桥上。"),)
    figure = Figure("upright", caption_spans=caption, width=600, height=height)
    text = paragraph("河流在夜里上涨,到早晨时下面的草地已经被水淹没。" * 5)
    blocks = (figure, text, heading("下一个部分"), *[text] * 5)
    full = replace(SAMPLE_ARTICLE, title="草地上的水" * 13, language="zh", blocks=blocks, url="")
    picture = specimens.jpeg(specimens.landscape(600, height))
    paper = printed(full, pictures={"upright": picture})
    assert white(paper, 0) < 0.25
