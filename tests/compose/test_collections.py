"""Collections: the pictures of a shop or a list with the names and prices that belong to them."""

from __future__ import annotations

import pytest

from printer.article import Block, Figure, Heading, List, Paragraph, Table, iter_text
from printer.compose import compose
from printer.html.page import read_page
from printer.selection import PlacedFigure, Verdict
from tests.support.compose_html import URL, compose_article


def compose_with_pictures(html: str) -> tuple[Block, ...]:
    """Return the blocks of a page with all its text and pictures."""
    page = read_page(f"<!doctype html><html lang=en><title></title><body>{html}", URL)
    placed = tuple(
        PlacedFigure(Figure(image.get("src") or ""), image, frozenset())
        for image in page.tree.iter("img")
    )
    verdict = Verdict((True,) * len(page.segments), kind="collection")
    return compose(page, verdict, placed).blocks


def entries(html: str) -> list[list[str]]:
    """Return the texts and addresses of each entry of the one collection of a page."""
    (collection,) = [block for block in compose_with_pictures(html) if isinstance(block, List)]
    assert collection.style == "none"
    return [
        [block.src if isinstance(block, Figure) else " ".join(iter_text(block)) for block in blocks]
        for blocks in (item.blocks for item in collection.items)
    ]


def tile(name: str, picture: bool = True) -> str:
    image = f"<div class=media><a><img src=/{name}.jpg></a></div>" if picture else ""
    return f"<div class=tile>{image}<h3>{name}</h3><p>12 €</p></div>"


def test_a_picture_is_kept_with_the_name_and_the_price_that_the_page_puts_beside_it() -> None:
    shop = "".join(map(tile, ("Oar", "Sail", "Net"))) + tile("Rope", picture=False)
    assert entries(f"<p>Sort by price</p><div>{shop}</div><p>All prices include tax.</p>") == [
        *(([f"/{name}.jpg", name, "12 €"]) for name in ("Oar", "Sail", "Net")),
        ["Rope", "12 €"],
    ]


def test_a_picture_without_a_name_stands_in_its_place_among_the_others() -> None:
    shop = tile("Oar") + tile("Sail").replace("<h3>Sail</h3><p>12 €</p>", "") + tile("Net")
    assert entries(f"<p>Boats</p>{shop}{tile('Rope')}")[1] == ["/Sail.jpg"]
    pictures = "".join(f"<li><img src=/{n}></li>" for n in "ABCD")
    assert all(isinstance(b, Figure) for b in compose_with_pictures(f"<ul>{pictures}</ul>"))


def test_a_name_above_its_picture_belongs_to_it() -> None:
    html = "".join(
        f"<div class=c><b>{name}</b><div><img src=/{name}></div></div>" for name in "ABC"
    )
    assert entries(f"<h2>Boats</h2>{html}<h2>More</h2><p>Text.</p>") == [
        [name, f"/{name}"] for name in "ABC"
    ]


def test_rows_of_a_collection_are_one() -> None:
    rows = (f"<div class=row>{tile(one)}{tile(other)}</div>" for one, other in ("AB", "CD"))
    assert len(entries("".join(rows))) == 4


def test_an_entry_that_an_item_of_the_list_around_it_ends_is_read() -> None:
    tiles = tile("Rope") + tile("Oar")
    last = f"<div class=tile><div><li>{tile('Sail')}"
    blocks = compose_with_pictures(f"<ul>{tiles}{last}</ul>")
    assert " ".join(iter_text(*blocks)) == "Rope 12 € Oar 12 € Sail 12 €"


def test_an_entry_that_a_list_of_its_own_items_takes_in_is_read() -> None:
    first = "<div class=boats-li><img src=/a><div>A</div></div>"
    last = "<div class=boats-li><img src=/c>C</div>"
    html = f"<div>{first}<div class=boats-li><li><img src=/b>B</div><li>D</div>{last}"
    assert " ".join(iter_text(*compose_with_pictures(html))) == "A B D C"


def test_repeated_lines_of_an_entry_are_read_once() -> None:
    tiles = "".join(f"<li><img src=/{n}><h3>Oar {n}</h3><h3>Oar {n}</h3></li>" for n in "123")
    assert entries(f"<ul>{tiles}</ul>") == [[f"/{n}", f"Oar {n}"] for n in "123"]


def test_a_price_that_an_entry_repeats_is_read_once() -> None:
    prices = "<p>$9</p><p>$9 <s>$9</s></p>", "<p>$9</p><p>$9 <s>$12</s></p>", "<p>$9 <s>$9</s></p>"
    tiles = "".join(f"<li><img src=/{n}><h3>Oar</h3>{text}</li>" for n, text in enumerate(prices))
    stated = [entry[2:] for entry in entries(f"<ul>{tiles}</ul>")]
    assert stated == [["$9"], ["$9 $12"], ["$9"]]


def test_a_label_stands_on_the_line_of_its_value() -> None:
    rows = "<p>Length:</p><p>5 m</p><p>Sails:</p><p>Colours:</p>"
    tiles = "".join(f"<li><img src=/{n}><h3>Boat {n}</h3>{rows}</li>" for n in "123")
    stated = [entry[2:] for entry in entries(f"<ul>{tiles}</ul>")]
    assert stated == [["Length: 5 m", "Sails:", "Colours:"]] * 3
    long = "<p>What the boat builder wrote to us about it:</p><p>Oak</p>"
    tiles = "".join(f"<li><img src=/{n}><h3>Boat {n}</h3>{long}</li>" for n in "123")
    assert len(entries(f"<ul>{tiles}</ul>")[0]) == 4


@pytest.mark.parametrize(("count", "is_grid"), [(1, True), (4, False)])
@pytest.mark.parametrize("tag", ["li", "div class=card"])
def test_entries_with_more_text_stand_among_the_others_unless_they_are_many(
    count: int, is_grid: bool, tag: str
) -> None:
    text = "The ferry crosses the river at low tide. "
    lengths = [8 if 0 < n <= count else 2 for n in range(7)]
    cards = (
        f"<{tag}><img src=/{n}><h3>Boat {n}</h3><p>{text * length}</p></{tag.split()[0]}>"
        for n, length in enumerate(lengths)
    )
    blocks = compose_with_pictures(f"<p>Boats</p><ul>{''.join(cards)}</ul><p>All of them.</p>")
    kinds = [type(block) for block in blocks]
    assert kinds == [
        Paragraph,
        *([List] if is_grid else [Figure, Heading, Paragraph] * 7),
        Paragraph,
    ]


def test_the_name_of_a_thing_is_a_heading_if_it_is_one_anywhere() -> None:
    items = "".join(f"<li><p>Oar {n}</p><img src=/{n}><h3>Oar {n}</h3></li>" for n in "123")
    (block,) = compose_with_pictures(f"<ul>{items}</ul>")
    assert isinstance(block, List)
    assert [list(map(type, item.blocks)) for item in block.items] == [[Heading, Figure]] * 3


def test_an_advertisement_among_the_things_of_a_shop_parts_its_rows() -> None:
    items = [f"<li><img src=/{n}><h3>Oar {n}</h3><p>{n} €</p></li>" for n in "123456"]
    items[3:3] = ["<li><p>" + "All oars are made of ash that we fell ourselves. " * 8 + "</p></li>"]
    kinds = [type(block) for block in compose_with_pictures(f"<ul>{''.join(items)}</ul>")]
    assert kinds == [List, Paragraph, List]


def test_a_list_of_one_list_has_no_marks_beside_pictures() -> None:
    inner = "<ul><li><img src=/a><p>Winner</p><h4>The upper house</h4></li></ul>"
    found = compose_with_pictures(
        f"<ul><li>{inner}{inner.replace('/a', '/b')}</li></ul><p>End.</p>"
    )
    kinds = [type(block) for block in found]
    assert kinds == [Figure, Paragraph, Heading, Figure, Paragraph, Heading, Paragraph]


def test_sections_with_a_picture_and_text_are_no_collection() -> None:
    text = "<p>" + "The ferry crosses the river at low tide. " * 8 + "</p>"
    sections = "".join(f"<section><h2>{n}</h2><img src=/{n}>{text}</section>" for n in "ABC")
    kinds = [type(block) for block in compose_with_pictures(sections)]
    assert kinds.count(Heading) == kinds.count(Figure) == 3
    assert List not in kinds


def test_a_former_price_is_struck_through() -> None:
    price = (
        '<p><span class="price__now">$24</span><span class="price__original">$35</span>'
        '<span class="price__promo">Limited time!</span></p>'
    )
    tiles = "".join(f"<li><img src=/{n}><h3>Oar <mark>({n})</mark></h3>{price}</li>" for n in "123")
    (block,) = compose_with_pictures(f"<ul>{tiles}</ul>")
    assert isinstance(block, List)
    _, name, prices = block.items[0].blocks
    assert isinstance(name, Heading)
    assert isinstance(prices, Paragraph)
    assert [span.text.strip() for span in prices.spans if "del" in span.marks] == ["$35"]
    assert not any(span.marks for span in name.spans), "a count is no highlighting"
    for text, count in (("$35", 1), ("Oars", 0)):
        article = compose_article(f"<p><b>$24</b> <span class=strikethrough>{text}</span>")
        assert sum("del" in span.marks for span in article.blocks[0].spans) == count


def test_entries_deep_in_the_items_of_a_list_are_one_collection() -> None:
    around = "<div>" * 10
    ranked = "".join(
        f"<li>{around}<b>#{rank}</b><div>{tile(name)}</div>{around.replace('<', '</')}</li>"
        for rank, name in enumerate(("Oar", "Sail", "Net"), 1)
    )
    assert entries(f"<p>Most sold</p><ol>{ranked}</ol>") == [
        [f"#{rank}", f"/{name}.jpg", name, "12 €"]
        for rank, name in enumerate(("Oar", "Sail", "Net"), 1)
    ]


def test_entries_in_the_items_of_a_list_beside_another_list_stay_apart_from_it() -> None:
    around = "<div>" * 10
    deep = "".join(
        f"<li>{around}{tile(name)}{around.replace('<', '</')}</li>"
        for name in ("Oar", "Sail", "Net")
    )
    blocks = compose_with_pictures(f"<ol>{deep}<li><ul><li>Rope</li><li>Wax</li></ul></li></ol>")
    names = [" ".join(iter_text(block)) for block in blocks if isinstance(block, List)]
    assert names[-1] == "Rope Wax"


def linked_entry(name: str, about: str) -> str:
    return f"<a href=/{name}><div>{name}</div><p>{about} {name}.</p><p><i>Also in May.</i></p></a>"


def test_a_link_around_an_entry_is_no_part_of_its_kind() -> None:
    links = "".join(f"<a href=/{name}>{tile(name)}</a>" for name in ("Oar", "Sail", "Net"))
    assert [entry[0] for entry in entries(f"<p>Sort by price</p><div>{links}</div>")] == [
        "/Oar.jpg", "/Sail.jpg", "/Net.jpg",
    ]  # fmt: skip


def test_a_table_of_nothing_but_pictures_is_a_row_of_pictures() -> None:
    row = "<table class=data><caption>Boats</caption><tr><td><img src=/A><td><img src=/B>"
    blocks = compose_with_pictures(f"<p>Boats</p>{row}")
    assert [type(block) for block in blocks if not isinstance(block, Paragraph)] == [Figure, Figure]
    mixed = compose_with_pictures(f"<p>Boats</p>{row}<tr><td>Oar<td>Sail")
    assert [type(block) for block in mixed if not isinstance(block, Paragraph)] == [Table]
