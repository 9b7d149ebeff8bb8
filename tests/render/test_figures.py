"""The width of figures, and which are placed side by side or beside text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import weasyprint
from hypothesis import given
from hypothesis import strategies as st

from printer.article import (
    Article,
    Block,
    Cell,
    Embed,
    Figure,
    Heading,
    Item,
    List,
    Paragraph,
    Span,
    Table,
)
from printer.options import PrintOptions
from printer.output import Picture
from printer.render.figures import (
    FigurePlacer,
    FigureRow,
    PicturePlacement,
    arrange,
    limit_lead_heights,
)
from printer.render.weasy.engine import render_pdf
from printer.themes.page import UNITS, page_geometry
from tests.support import sample_articles as specimens
from tests.support.documents import render_html
from tests.support.pdf_glyphs import open_pdf

GEOMETRY = page_geometry(PrintOptions())
MEASURE = GEOMETRY.text_width / UNITS["px"]
LONG = Paragraph((Span("The ferry crosses the river at low tide. " * 40),))


def placer(*sizes: tuple[int, int], media_type: str = "image/jpeg") -> FigurePlacer:
    pictures = {f"p{n}": Picture(b"x", media_type, *size) for n, size in enumerate(sizes)}
    return FigurePlacer(pictures, GEOMETRY)


def placed(size: tuple[int, int], stated: int = 0, after: Sequence[Block] = ()) -> PicturePlacement:
    place = placer(size)
    figure = Figure("p0", width=stated)
    arrange(place, (figure, *after))
    placement = place(figure)
    assert placement is not None
    return placement


@pytest.mark.parametrize(
    ("size", "stated", "share", "position"),
    [
        ((1000, 600), 0, 1, "full"),
        ((1000, 600), 700, 1, "full"),
        ((1000, 600), 380, 1, "full"),  # enlarged: sharp enough
        ((400, 260), 0, 2 / 3, "narrow"),  # 88 % of the measure
        ((round(0.98 * MEASURE), 300), 0, 1, "full"),
        ((800, 1100), 0, 2 / 3, "narrow"),  # as high as the page allows it would be 80 %
        ((60, 60), 0, 60 / MEASURE, "narrow"),
    ],
)
def test_a_figure_is_full_or_two_thirds_wide_or_keeps_its_size(
    size: tuple[int, int], stated: int, share: float, position: str
) -> None:
    placement = placed(size, stated)
    assert placement.position == position
    assert placement.width / MEASURE == pytest.approx(share, abs=0.02)
    assert placement.height / placement.width == pytest.approx(size[1] / size[0], rel=0.02)


def test_a_caption_is_not_as_narrow_as_an_icon() -> None:
    place = placer((60, 60))
    captioned = place(Figure("p0", caption_spans=(Span("Weights and mobility"),)))
    assert captioned is not None
    assert (captioned.position, captioned.width) == ("full", 60)


@given(st.integers(8, 3000), st.integers(8, 3000), st.integers(0, 2000))
def test_no_figure_leaves_a_sliver_of_white(width: int, height: int, stated: int) -> None:
    placement = placed((width, height), stated)
    assert placement.position == "narrow" or placement.width >= round(MEASURE)
    assert not 0.75 < placement.width / MEASURE < 0.97
    assert placement.width <= round(MEASURE)


def test_a_small_figure_stands_beside_text_if_there_is_enough() -> None:
    assert placed((200, 150), after=(LONG,)).position == "beside"
    assert placed((200, 150), after=(LONG,)).width <= MEASURE / 3 + 1
    assert placed((200, 150), after=(Paragraph((Span("Short."),)),)).position == "narrow"
    assert placed((200, 150), after=(Heading(2, (Span("Next"),)), LONG)).position == "narrow"


@pytest.mark.parametrize("size", [(720, 1280), (1280, 720)])
def test_two_videos_with_their_pictures_fit_on_a_page(size: tuple[int, int]) -> None:
    place = placer(size)
    poster = Figure("p0")
    arrange(place, (Embed("video", "https://valley.example.org/ferry.mp4", blocks=(poster,)),))
    placement = place(poster)

    assert placement is not None
    assert placement.height * UNITS["px"] < 0.4 * GEOMETRY.text_height


def rows(*blocks: Block, place: FigurePlacer) -> list[int]:
    """Return the number of figures in each row, 0 for another block."""
    arranged = arrange(place, blocks)
    return [len(block.cells) if isinstance(block, FigureRow) else 0 for block in arranged]


def figures(count: int) -> tuple[Figure, ...]:
    return tuple(Figure(f"p{n}") for n in range(count))


def test_two_portraits_stand_side_by_side_and_two_landscapes_do_not() -> None:
    assert rows(*figures(2), place=placer(*[(600, 900)] * 2)) == [2]
    assert rows(*figures(2), place=placer(*[(900, 600)] * 2)) == [0, 0]
    assert rows(*figures(2), place=placer((900, 600), (600, 900))) == [0, 0]


@pytest.mark.parametrize(
    ("size", "count", "expected"),
    [
        ((900, 600), 3, [0, 2]),
        ((900, 600), 6, [2, 2, 2]),
        ((600, 900), 3, [3]),
        ((600, 900), 4, [2, 2]),
        ((600, 900), 7, [3, 2, 2]),
        ((150, 150), 8, [3, 3, 2]),
    ],
)
def test_a_gallery_stands_in_rows(size: tuple[int, int], count: int, expected: list[int]) -> None:
    assert rows(*figures(count), place=placer(*[size] * count)) == expected


def test_a_collection_stands_in_rows_with_its_headings_and_labels() -> None:
    place = placer(*[(400, 400)] * 6)
    parts = [
        block
        for n in range(6)
        for block in (Heading(2, (Span("Radios"),)), Figure(f"p{n}"), Paragraph((Span("12 €"),)))
    ]
    assert rows(LONG, *parts, LONG, place=place) == [0, 3, 3, 0]
    row = arrange(place, parts)[0]
    assert isinstance(row, FigureRow)
    assert len({cell.width for cell in row.cells}) == 1
    assert [type(block) for block in row.cells[0].blocks] == [Heading, Figure, Paragraph]
    # Text between the figures makes it an article.
    story = [block for n in range(6) for block in (Figure(f"p{n}"), LONG)]
    assert rows(*story, place=place) == [0] * 12


def test_entries_of_a_collection_have_their_pictures_on_top_and_may_have_none() -> None:
    name = Heading(3, (Span("Radios"),))
    items = (Item((name, Figure("p0"))), Item((Figure("p1"), name)), Item((name,)))
    place = placer((400, 300), (300, 900))
    above, row = arrange(place, (List((items[2], *items[:2]), style="none"),))
    assert isinstance(row, FigureRow)
    assert [list(map(type, cell.blocks)) for cell in row.cells] == [[Figure, Heading]] * 2
    # No name is beside a picture, above a hole.
    assert isinstance(above, FigureRow)
    assert [list(map(type, cell.blocks)) for cell in above.cells] == [[Heading]]
    assert above.cells[0].width == row.cells[0].width
    placements = [
        place(block)
        for block in (row.cells[0].blocks[0], row.cells[1].blocks[0])
        if isinstance(block, Figure)
    ]
    assert all(placement and placement.height <= MEASURE / 3 for placement in placements)


@pytest.mark.parametrize(
    ("pictured", "expected"),
    [
        ("oo---oo-", ["oo", "---", "oo-"]),
        ("oooo-----", ["ooo", "o--", "---"]),
        ("oo-ooo", ["oo-", "ooo"]),
        ("--ooooo", ["--", "ooo", "oo"]),
        ("-----", ["---", "--"]),
    ],
)
def test_entries_with_and_without_pictures_keep_their_order(
    pictured: str, expected: list[str]
) -> None:
    place = placer(*[(400, 300)] * len(pictured))
    entries = [
        Item((*([Figure(f"p{n}")] if sign == "o" else []), Heading(3, (Span(f"Oar {n}"),))))
        for n, sign in enumerate(pictured)
    ]
    arranged = [
        row
        for row in arrange(place, (List(tuple(entries), style="none"),))
        if type(row) is FigureRow
    ]
    cells = [cell.blocks for row in arranged for cell in row.cells]
    assert cells == [entry.blocks for entry in entries]
    signs = [
        "".join("o" if isinstance(cell.blocks[0], Figure) else "-" for cell in row.cells)
        for row in arranged
    ]
    assert signs == expected


@given(st.lists(st.tuples(st.integers(50, 2000), st.integers(50, 2000)), min_size=1, max_size=9))
def test_nothing_is_lost_in_rows_and_no_row_is_too_wide(sizes: list[tuple[int, int]]) -> None:
    place = placer(*sizes)
    blocks = figures(len(sizes))
    arranged = arrange(place, blocks)
    flat: list[Block] = []
    for block in arranged:
        if isinstance(block, FigureRow):
            assert sum(cell.width + cell.space for cell in block.cells) <= 100
            for cell in block.cells:
                flat += cell.blocks
                (figure,) = cell.blocks
                assert isinstance(figure, Figure)
                placement = place(figure)
                assert placement is not None
                assert placement.width <= round(cell.width * MEASURE / 100) + 1
        else:
            flat.append(block)
    assert flat == list(blocks)


def test_a_band_is_not_set_beside_a_picture() -> None:
    shapes = [(900, 600)] * 4 + [(900, 60)]
    assert rows(*figures(5), place=placer(*shapes)) == [2, 2, 0]
    assert rows(*figures(4), place=placer(*shapes[:3], shapes[-1])) == [0, 2, 0]


@pytest.mark.parametrize(("count", "share"), [(4, 0.6), (5, 0.34)])
def test_many_pictures_of_one_size_are_no_higher_than_a_third_of_the_page(
    count: int, share: float
) -> None:
    place = placer(*[(1200, 1200)] * count)
    blocks = [block for figure in figures(count) for block in (figure, LONG)]
    arrange(place, blocks)
    placements = [place(block) for block in blocks if isinstance(block, Figure)]
    highest = share * GEOMETRY.text_height / UNITS["px"]
    assert all(placement and placement.height <= highest + 1 for placement in placements)
    assert placements[0] is not None
    assert placements[0].height > 0.9 * min(highest, MEASURE * 2 / 3)


def test_a_missing_picture_ends_a_gallery() -> None:
    blocks = (*figures(2), Figure("missing"), Figure("p2"))
    assert rows(*blocks, place=placer(*[(900, 600)] * 3)) == [0, 0, 0, 0]


def test_themes_with_columns_have_no_rows() -> None:
    geometry = page_geometry(PrintOptions(theme="newspaper"))
    place = FigurePlacer(placer(*[(900, 600)] * 4).pictures, geometry)
    assert rows(*figures(4), place=place) == [0] * 4


def test_pictures_in_a_table_share_the_measure() -> None:
    place = placer((900, 600), (900, 600), (900, 600), (20, 20))
    figures = [Figure(f"p{n}") for n in range(4)]
    gallery, icon = Cell(tuple(figures[:3])), Cell((figures[3], LONG))
    table = Table(head=(), body=((Cell((LONG,)), gallery, icon), (Cell((LONG,)), icon, icon)))
    arrange(place, (table,))
    for cell in (gallery, icon):
        assert arrange(place, cell.blocks) == cell.blocks
    widths = [placement.width for figure in figures if (placement := place(figure))]
    assert max(widths) < MEASURE / 3
    assert widths == [widths[0]] * 3 + [20]


def test_rows_in_a_list_are_no_wider_than_the_list() -> None:
    article = Article("Ferries", (List((Item(figures(4)),)), LONG))
    html = render_html([article], placer(*[(900, 600)] * 4).pictures).html
    page: Any = weasyprint.HTML(string=html).render().pages[0]._page_box
    cells = [
        box
        for box in page.descendants()
        if box.element is not None and box.element.get("class") == "cell"
    ]
    right = page.content_box_x() + page.width
    assert len(cells) == 4
    assert all(cell.content_box_x() + cell.width <= right + 0.1 for cell in cells)


def test_rows_are_in_the_document() -> None:
    article = Article("Ferries", (*figures(4), LONG))
    html = render_html([article], placer(*[(900, 600)] * 4).pictures).html
    assert html.count('class="figures"') == 2
    assert html.count("<figure") == 4


def test_a_row_that_ends_in_headings_need_not_stand_on_the_page_of_what_follows() -> None:
    pictures = {"wide": specimens.jpeg(specimens.landscape(960, 540)),
                "tall": specimens.jpeg(specimens.landscape(700, 1050))}  # fmt: skip
    entries = [
        Item((Figure("wide"), Heading(2, (Span(f"Headline {number}"),)))) for number in range(6)
    ]
    after = (Heading(2, (Span("Tides"),)), Figure("tall"), List((Item((LONG,)),)))
    article = Article("Ferries", (LONG, List(tuple(entries), style="none"), *after))
    with open_pdf(render_pdf(render_html([article], pictures)).pdf) as document:
        first = document[0].get_textpage().get_text_range()
    assert "Headline 2" in first
    assert "Tides" not in first


@pytest.mark.parametrize("is_above", [True, False])
def test_a_picture_above_its_heading_is_kept_with_it(is_above: bool) -> None:
    place = placer((900, 600))
    run: list[Block] = []
    for number in range(4):
        entry = [Figure("p0"), Heading(2, (Span(f"Lamp {number}"),))]
        run += [*(entry if is_above else reversed(entry)), LONG]
    arrange(place, run)
    placements = [place(block) for block in run if isinstance(block, Figure)]

    assert [placement.belongs_to_next_heading for placement in placements if placement] == [
        is_above
    ] * 4


def test_a_picture_that_ends_an_entry_is_not_kept_with_the_next_heading() -> None:
    place = placer((900, 600))
    run: list[Block] = []
    for number in range(4):
        run += [Heading(2, (Span(f"Lamp {number}"),)), LONG, Figure("p0")]
    arrange(place, run)
    placements = [place(block) for block in run if isinstance(block, Figure)]

    assert [placement.belongs_to_next_heading for placement in placements if placement] == [
        False
    ] * 4


def test_the_lead_pictures_of_stories_that_run_on_are_small() -> None:
    place = placer((1200, 800), (1200, 800))
    lead, other = Figure("p0"), Figure("p0")
    limit_lead_heights(place, [Article("Oars", (lead, LONG, LONG, other), url="")])
    lead_placement, other_placement = place(lead), place(other)

    assert lead_placement is not None
    assert other_placement is not None
    assert lead_placement.height * UNITS["px"] <= 0.28 * GEOMETRY.text_height
    assert other_placement.width == round(MEASURE)


def test_pictures_above_the_headings_of_short_entries_are_small() -> None:
    place = placer((900, 600))
    short = Paragraph((Span("It burns for nine hours with one filling of oil. " * 3),))
    run = [
        block
        for number in range(4)
        for block in (Figure("p0"), Heading(2, (Span(f"Lamp {number}"),)), short)
    ]
    arrange(place, run)
    placement = place(run[3]) if isinstance(run[3], Figure) else None

    assert placement is not None
    assert placement.height * UNITS["px"] < 0.2 * GEOMETRY.text_height


SHORT = Paragraph((Span("It burns for nine hours with one filling of oil. " * 4),))


def entry_blocks(*texts: Block) -> list[list[type]]:
    """Return the kinds of blocks in the cells of the first row with these entries."""
    place = placer((900, 600))
    run: list[Block] = []
    for number, text in enumerate(texts):
        run += [Figure("p0"), Heading(2, (Span(f"Lamp {number}"),)), text]
    row = next((block for block in arrange(place, run) if isinstance(block, FigureRow)), None)
    return [list(map(type, cell.blocks)) for cell in row.cells] if row else []


def test_the_pictures_of_short_entries_stand_beside_their_texts() -> None:
    assert entry_blocks(*[SHORT] * 4) == [[Figure], [Heading, Paragraph]]
    assert entry_blocks(LONG, *[SHORT] * 4) == [[Figure], [Heading, Paragraph]]
    assert entry_blocks(*[LONG] * 4) == []


def test_pictures_among_the_texts_do_not_make_a_list_of_entries() -> None:
    place = placer((900, 600))
    run: list[Block] = []
    for number in range(4):
        heading = Heading(2, (Span(f"Lamp {number}"),))
        run += [Figure("p0"), heading, SHORT, Figure("p0"), SHORT]
    assert arrange(place, run) == tuple(run)


def test_entries_of_a_collection_with_several_lines_have_their_pictures_beside_them() -> None:
    place = placer((400, 300), (300, 400))
    heading = Heading(3, (Span("Lamps for the harbour wall"),))
    items = (Item((heading, Figure("p0"), SHORT)), Item((Figure("p1"), heading, SHORT)),
             Item((heading, SHORT)))  # fmt: skip
    beside, other, bare = arrange(place, (List(items, style="none"),))
    assert isinstance(beside, FigureRow)
    assert isinstance(other, FigureRow)
    assert isinstance(bare, FigureRow)
    for row in (beside, other):
        assert [list(map(type, cell.blocks)) for cell in row.cells] == [
            [Figure], [Heading, Paragraph]
        ]  # fmt: skip
        assert sum(cell.width + cell.space for cell in row.cells) <= 100
    # A text without a picture is in line with the others.
    assert bare.cells[0].space == pytest.approx(beside.cells[0].width + beside.cells[1].space)
    assert bare.cells[0].width == beside.cells[1].width


def test_paragraphs_of_running_text_between_pictures_are_no_labels() -> None:
    lines = ["早上從臺北出門之際還是小雨不斷來到此地雨已停", "午後山嵐興起雲氣遊蕩盤旋在對岸山頭"]
    blocks: list[Block] = []
    for number in range(4):
        blocks += [Figure(f"p{number}"), *(Paragraph((Span(line),)) for line in lines * 2)]
    assert arrange(placer(*[(900, 600)] * 4), blocks) == tuple(blocks)


def test_a_captioned_picture_above_a_heading_is_wide_enough_for_its_caption() -> None:
    place = placer(*[(600, 900)] * 4)
    blocks: list[Block] = []
    for number in range(4):
        picture = Figure(f"p{number}", caption_spans=(Span("The mill in March, by A. Painter"),))
        blocks += [picture, Heading(2, (Span(f"Month {number}"),)), Paragraph((Span("Sow."),))]
    arrange(place, blocks)
    (width,) = {placement.width for block in blocks if isinstance(block, Figure)
                and (placement := place(block))}  # fmt: skip
    assert width >= 0.32 * GEOMETRY.column_width / UNITS["px"]
