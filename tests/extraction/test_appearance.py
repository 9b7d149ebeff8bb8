"""Headings and lines that look like selected ones."""

from __future__ import annotations

import pytest

from printer.extraction.appearance import add_lines_between, add_similar
from printer.html.page import read_page
from tests.support.selections import run_pass

TEXT = "The ferry leaves the harbour at dawn, and nobody on the quay is ever late for it, they say."


def added(html: str, dropped: str, *, score: float = 0.3, title: str = "") -> list[str]:
    """Return the text that is added to a selection of all text but that with a word."""
    page = read_page(f"<html><head><title>{title}</title></head><body>{html}</body></html>")
    keep = tuple(dropped not in segment.text for segment in page.segments)
    flags = run_pass(add_similar, page, keep, [score] * len(keep))
    chosen = zip(page.segments, keep, flags, strict=True)
    return [segment.text for segment, before, after in chosen if after and not before]


def test_a_section_among_others_with_headings_has_its_heading() -> None:
    names = ["Ropes", "Nets", "Tides"]
    sections = "".join(f"<h2 class=name>{name}</h2><p>{TEXT} {name[0]}.</p>" for name in names)
    assert added(sections, "Ropes") == ["Ropes"]
    assert added(sections, "Ropes", score=0.1) == []
    assert added(sections.replace("<h2 class=name>Ropes", "<h2>Ropes"), "Ropes") == []
    assert added(f"<h2 class=name>Ropes</h2>{sections}", "Ropes") == ["Ropes"]
    assert added(sections.replace("Ropes", "<a href=/r>Ropes</a>"), "Ropes") == []


@pytest.mark.parametrize(
    ("line", "label", "found"),
    [
        ("Or build a boat of your own with", "Oarkit", True),
        ("Or build a boat of your own", "Oarkit", False),
        ("Or build a boat of your own with", "Learn more", False),
    ],
)
def test_the_link_below_a_sentence_without_an_end_completes_it(
    line: str, label: str, found: bool
) -> None:
    html = f"<p>{TEXT}</p><div><p>{line}</p></div><a href=/kit>{label}</a>"
    assert added(html, label) == [label] * found


@pytest.mark.parametrize(
    ("heading", "title", "found"),
    [
        ("How sailors mend nets", "Harbour skills", True),
        ("How sai\u00adlors mend nets", "How sailors mend nets", False),
    ],
)
def test_the_main_heading_stands_above_the_text_beside_another_title(
    heading: str, title: str, found: bool
) -> None:
    html = f"<p>{title}</p><h1>{heading}</h1><p>{TEXT}</p>"
    page = read_page(f"<html><head><title>{title}</title></head><body>{html}</body></html>")
    assert page.metadata.title == title
    keep = tuple(segment.text == TEXT for segment in page.segments)
    flags = run_pass(add_similar, page, keep, [0.4] * len(keep))
    assert (True in flags[:2]) is found


def test_a_label_above_a_paragraph_stays() -> None:
    assert added(f"<div><p>IN SHORT:</p><p>{TEXT}</p></div>", "SHORT", score=0.5) == ["IN SHORT:"]
    assert added(f"<div><p>IN SHORT</p><p>{TEXT}</p></div>", "SHORT", score=0.5) == []
    assert (
        added(f"<h2>{TEXT}</h2><p>IN SHORT:</p><div><p>{TEXT}</p></div>", "SHORT", score=0.5) == []
    )


def test_the_name_of_a_field_stays_with_its_value() -> None:
    field = "<div><div><p>Delivery:</p></div><div><p>Free</p></div></div>"
    assert added(f"<p>{TEXT}</p>{field}", "Delivery") == ["Delivery:"]
    assert added(f"<p>{TEXT}</p>{field}", "Delivery", score=0.2) == []


def test_the_figure_above_the_text_of_a_card_stays() -> None:
    card = f"<div><div class=figure>{{}}</div><p>{TEXT}</p></div>"
    for figure in ("8%", "$50", "1,200+"):
        assert added(card.format(figure), figure) == [figure]
    assert added(card.format("0+"), "0+") == []


@pytest.mark.parametrize(
    ("heading", "found"),
    [
        ("<h2>Mending a net</h2>", ["Mending a net"]),
        ("<div><h3>Mending a net</h3></div>", ["Mending a net"]),
        ("<header><h2>Mending a net</h2></header>", []),
        ("<div class=caption><h2>Mending a net</h2></div>", []),
        ("<h2><a href=/nets>Mending a net</a></h2>", []),
        ("<h5>Mending a net</h5>", []),
    ],
)
def test_the_heading_above_all_of_the_text_stays(heading: str, found: list[str]) -> None:
    page = f"<h1>The harbour</h1>{heading}<p>{TEXT}</p>"
    assert added(page, "Mending", score=0.45, title="The harbour") == []
    text = f"<div>The harbour</div>{heading}<p>{TEXT}</p>"
    page_without = read_page(f"<title>The harbour</title>{text}")
    keep = tuple(segment.text == TEXT for segment in page_without.segments)
    flags = run_pass(add_similar, page_without, keep, [0.45] * len(keep))
    segments = zip(page_without.segments, keep, flags, strict=True)
    assert [s.text for s, before, after in segments if after and not before] == found


def test_headings_are_alike_by_their_first_class() -> None:
    parts = f"<h2 class='title part'>Ropes</h2><p>{TEXT}</p><h2 class='title end'>Nets</h2>{TEXT}"
    assert added(parts, "Ropes") == ["Ropes"]


@pytest.mark.parametrize("label", ["<h3>Tides</h3>", "<div class=label>Tides</div>"])
def test_the_same_label_stays_above_each_of_several_texts(label: str) -> None:
    html = f"{label}<ul><li>High</li></ul>{label}<ul><li>Low</li></ul>{label}<ul><li>Low</li></ul>"
    page = read_page(f"<html><body>{html}</body></html>")
    keep = [i != 2 and i != 4 for i in range(6)]
    flags = run_pass(add_similar, page, keep, [0.6] * 6)
    assert flags == (True, True, True, True, False, True)  # the last two are one for narrow screens
    assert run_pass(add_similar, page, keep, [0.2] * 6) == tuple(keep)


def test_a_bold_line_above_a_table_stays() -> None:
    label = "<div><strong>Dimensions</strong></div>"
    table = "<table><tr><td>Mole 300 m</td></tr></table>"
    assert added(f"<p>{TEXT}</p>{label}{table}", "Dimensions") == ["Dimensions"]
    assert added(f"<p>{TEXT}</p>{label}<p>{TEXT}</p>", "Dimensions") == []
    assert added(f"<p>{TEXT}</p>{label}{table}", "Dimensions", score=0.1) == []


@pytest.mark.parametrize(
    ("pair", "dropped", "found"),
    [
        ("<p class=n>97%</p><p>Boats afloat</p>", "97%", ["97%"]),
        ("<p class=n>To the degree</p><p>Depth of the water</p>", "degree", ["To the degree"]),
        ("<p>Compare</p><p>Boats afloat</p>", "Compare", []),
        ("<p><a href=/h>97 harbours</a></p><p>Boats afloat</p>", "97", []),
        (f"<p class=n>Every day</p><p>{TEXT}</p>", "Every", []),
    ],
)
def test_the_other_half_of_a_pair_is_selected(pair: str, dropped: str, found: list[str]) -> None:
    boxes = f"<div class=fact>{pair}</div>" * 3
    assert added(f"<p>{TEXT}</p>{boxes}", dropped, score=0.25) == found * 3
    assert added(f"<p>{TEXT}</p>{boxes}", dropped, score=0.1) == []


def test_the_value_beside_a_label_is_selected() -> None:
    price = "<div><p>Starting at{}</p><p>$49 a month</p></div>"
    assert added(price.format(":"), "$49") == ["$49 a month"]
    assert added(price.format(" noon"), "$49") == []


@pytest.mark.parametrize(
    ("line", "score", "found"),
    [
        ("<a href=/w>Best for wind</a>: Puffin", 0.55, True),
        ("<a href=/w>Best for wind</a>: Puffin", 0.4, False),
        ("Best for rain: Tern", 0.55, False),
    ],
)
def test_a_line_between_two_that_look_like_it_is_selected(
    line: str, score: float, found: bool
) -> None:
    lines = ("Best for rain: Tern", line, "Best for fog: Gull", "Best for wind: Puffin and Tern")
    items = "".join(f"<p class=pick>{text}</p><p>Read on</p>" for text in lines[:3])
    page = read_page(f"<body>{items}<p>{lines[3]}</p></body>", "https://harbour.test/")
    keep = [i in (0, 4) for i in range(len(page.segments))]
    flags = run_pass(add_lines_between, page, keep, [0.7 if flag else score for flag in keep])
    assert [i for i, flag in enumerate(flags) if flag and not keep[i]] == [2] * found


@pytest.mark.parametrize(
    ("names", "line", "found"),
    [
        (("Oars", "Nets", "Ropes", "Sails"), "Plan to spend: $10", True),
        (("Oars", "Oars", "Oars", "Sails"), "Plan to spend: $10", False),
        (("Oars", "Nets", "Ropes", "Sails"), "<a href=/s>Plan to spend: $10</a>", False),
    ],
)
def test_a_copy_in_a_section_of_its_own_is_selected(
    names: tuple[str, ...], line: str, found: bool
) -> None:
    parts = "".join(f"<h3>{name}</h3><p>{line}</p><div>Of {name}</div>" for name in names)
    page = read_page(f"<body>{parts}</body>", "https://harbour.test/")
    lines = [segment.index for segment in page.segments if segment.block.tag == "p"]
    keep = [segment.index not in lines[1:3] for segment in page.segments]
    assert run_pass(add_lines_between, page, keep, [0.7] * len(keep))[lines[1]] == found


def test_a_figure_that_a_few_boxes_share_stays_in_each() -> None:
    figures = ("85%", "60%", "85%", "40%", "30%")
    boxes = "".join(
        f"<div class=crew><p class=up>{figure} said yes</p><p class=down>Of crew {n}</p></div>"
        for n, figure in enumerate(figures)
    )
    page = read_page(f"<html><body>{boxes}</body></html>")
    keep = [i != 4 for i in range(10)]
    assert run_pass(add_similar, page, keep, [0.4] * 10)[4]
    alike = read_page(f"<body>{boxes.replace('60%', '85%').replace('40%', '85%')}</body>")
    assert not run_pass(add_similar, alike, keep, [0.4] * 10)[4]


def test_a_value_below_a_label_stays_however_often_it_recurs() -> None:
    box = "<div class=boat><b>Boat {}</b><div><div>Of:<p>Red oak</p></div></div></div>"
    page = read_page(f"<body>{''.join(map(box.format, range(4)))}</body>")
    keep = [segment.text != "Red oak" or segment.index < 3 for segment in page.segments]
    assert all(run_pass(add_similar, page, keep, [0.4] * len(keep)))


@pytest.mark.parametrize(("label", "count"), [("Best {}:", 4), ("Best {}", 0)])
def test_the_names_that_labels_announce_stay(label: str, count: int) -> None:
    uses = ("of all", "in fog", "at anchor", "for three")
    boxes = "".join(
        f"<div class=pick><p>{label.format(use)}</p><a class=buy href=//b.org/{n}>Boat {n}</a></div>"
        for n, use in enumerate(uses)
    )
    page = read_page(f"<body><p>{TEXT}</p>{boxes}</body>")
    keep = [not segment.is_link for segment in page.segments]
    assert sum(run_pass(add_similar, page, keep, [0.3] * len(keep))) == sum(keep) + count


def test_a_button_between_similar_lines_is_not_added() -> None:
    line = "<div class=pick>Boat {0}</div><div class=pick><a href=#{0}>{1}</a></div>"
    for label, count in (("Jump to it", 0), ("The {0} boat", 3)):
        html = "".join(line.format(n, label.format(n)) for n in "1234")
        page = read_page(f"<body>{html}</body>")
        keep = [not segment.is_link for segment in page.segments]
        assert sum(run_pass(add_lines_between, page, keep, [0.4] * 8)) == sum(keep) + count


@pytest.mark.parametrize(("label", "found"), [("map", True), ("In Wick", False)])
def test_a_label_beside_lines_that_recur_does_not_make_them_copies(label: str, found: bool) -> None:
    places = ["In Wick"] * 4 + ["In Thurso", "In Kester"] * 7
    entries = "".join(f"<h3>Inn {n}</h3><i>{label}</i><p>{at}</p>" for n, at in enumerate(places))
    page = read_page(f"<body>{entries.replace('i>', 'div>')}</body>")
    places_at = [segment.index for segment in page.segments if segment.block.tag == "p"]
    keep = [segment.index != places_at[1] for segment in page.segments]
    assert run_pass(add_lines_between, page, keep, [0.7] * len(keep))[places_at[1]] == found
