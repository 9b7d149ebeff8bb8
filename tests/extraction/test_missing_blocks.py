"""Blocks that belong to the text around them, though the classifier left them out."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest

from printer.extraction.entries import add_announced_lists
from printer.extraction.missing_blocks import (
    add_fact_boxes,
    add_item_labels,
    add_long_stretches,
    add_missing_blocks,
    add_missing_end,
    add_question_lists,
    add_section_headings,
    add_short_sections,
    add_subheadings,
)
from printer.extraction.selected_text import SelectedText
from printer.html.page import read_page
from tests.support.selections import run_pass

TEXT = "The ferry leaves the harbour at dawn, and nobody on the quay is ever late for it, they say."

LAST = "The draw for the last race of the year will be held in the harbour on Monday at noon."


def added(
    html: str,
    score: float = 0.3,
    add: Callable[[SelectedText], None] = add_missing_blocks,
    kind: str = "article",
) -> str:
    """Return the text that is added to two paragraphs; their words are all that is selected."""
    page = read_page(f"<html><body>{html}</body></html>")
    keep = tuple(TEXT in segment.text for segment in page.segments)
    flags = run_pass(add, page, keep, [score] * len(keep), kind)
    assert all(after >= before for before, after in zip(keep, flags, strict=True))
    chosen = zip(page.segments, keep, flags, strict=True)
    return " ".join(segment.text for segment, before, after in chosen if after and not before)


@pytest.mark.parametrize(
    "block",
    [
        "<pre>ring()</pre>",
        "<div class='highlight'><pre>ring()</pre></div>",
        "<ul><li>ring()</li></ul>",
        "<table><tr><th>ring()</th></tr></table>",
        "<dl><dt>ring()</dt></dl>",
        "<blockquote><p>ring()</p></blockquote>",
        "<aside class='note'><p>ring()</p></aside>",
        "<div class='admonition tip'><p>ring()</p></div>",
        "<details><summary>ring()</summary></details>",
    ],
)
def test_a_block_after_the_last_paragraph_or_between_two_is_added(block: str) -> None:
    assert added(f"<div><p>{TEXT}</p><p>{TEXT} Yes.</p>{block}</div>") == "ring()"
    assert added(f"<div><p>{TEXT}</p>{block}<p>{TEXT} Yes.</p></div>") == "ring()"
    assert added(f"<div><p>{TEXT}</p><p>{TEXT} Yes.</p><h2>Code</h2>{block}</div>") == "Code ring()"


@pytest.mark.parametrize(
    ("note", "score", "is_found"),
    [
        (f"<div class=note>{LAST}</div>", 0.61, True),
        (f"<div class=note>{LAST}</div>", 0.55, False),
        (f"<form>{LAST}</form>", 0.61, False),
        (f"<div class=promo><p>{LAST}</p></div>", 0.61, False),
        ("<p>By Ann Other</p>", 0.61, False),
    ],
)
def test_a_likely_note_that_begins_the_element_of_the_text_is_added(
    note: str, score: float, is_found: bool
) -> None:
    text = f"<p>{TEXT}</p><p>{TEXT} Two.</p><p>{TEXT} Three.</p>"
    assert bool(added(f"<h1>The harbour</h1><div>{note}{text}</div>", score)) is is_found
    assert not added(f"<h1>The harbour</h1>{note}<div>{text}</div>", score)


@pytest.mark.parametrize("html", ["", TEXT, f"{TEXT}<br>{TEXT} Two.<br>{TEXT} Three."])
def test_a_page_without_elements_has_no_note_above_the_text(html: str) -> None:
    assert not added(html)


@pytest.mark.parametrize("between", ["<p>Two.</p>", f"</div><p>{TEXT} Two.</p>"])
def test_a_note_is_added_only_above_three_selected_lines(between: str) -> None:
    text = f"<p>{TEXT}</p>{between}<p>{TEXT} Three.</p>"
    assert LAST not in added(f"<h1>Ferries</h1><div><div>{LAST}</div>{text}</div>", 0.61)


def test_a_quotation_alone_in_a_box_is_added() -> None:
    post = "<div class=item><div><blockquote><p>ring()</p></blockquote></div></div>"
    assert added(f"<div><p>{TEXT}</p>{post}<p>{TEXT} Yes.</p></div>") == "ring()"
    table = "<div class=item><table><tr><td>ring()</td></tr></table></div>"
    assert added(f"<div><p>{TEXT}</p>{table}<p>{TEXT} Yes.</p></div>") == ""


def test_a_paragraph_that_is_a_link_to_a_note_is_added() -> None:
    line = "<p>\"<a href='javascript:void(0)' onclick='show(1)'>With kings</a>,\" I said.</p>"
    assert added(f"<div><p>{TEXT}</p>{line}<p>{TEXT} Yes.</p></div>", 0.4).startswith('"With')
    other = line.replace("javascript:void(0)", "/kings")
    assert added(f"<div><p>{TEXT}</p>{other}<p>{TEXT} Yes.</p></div>", 0.4) == ""


@pytest.mark.parametrize(
    ("last", "found"),
    [
        ("<p>Photos: Ann Reed</p>", "Photos: Ann Reed"),
        ("<p>Photos: Ann Reed</p><p>Told to Bo Lee.</p>", "Photos: Ann Reed Told to Bo Lee."),
        ("<p><a href=/x>Another story</a></p>", ""),
        ("<p class=more>Photos: Ann Reed</p>", ""),
        ("<p>Photos: Ann Reed</p><div>Share</div>", ""),
        ("<p>* 10 *</p>", ""),
        ("<p>Photos: Ann Reed</p>" * 4, ""),
        ("<p>Also seen: <a href=/g>Gulls</a></p>", ""),
    ],
)
def test_the_last_paragraphs_of_the_element_with_the_text_are_added(last: str, found: str) -> None:
    text = "".join(f"<p>{TEXT} {day}</p>" for day in range(5))
    assert added(f"<div>{text}{last}</div><div>More</div>", 0.35, add_missing_end) == found


def test_the_rules_for_comments_are_not_the_end_of_a_text() -> None:
    rule = "Please keep to the harbour and its boats when you write about this story here."
    rules = f"<div class='{{}}'><p>{TEXT} Sixth.</p><p>{rule}</p></div>"
    text = "".join(f"<p>{TEXT} {day}</p>" for day in range(5))
    for name, found in (("guidelines", ""), ("story", rule)):
        assert added(f"<div>{text}{rules.format(name)}</div>", 0.31, add_missing_end) == found


def test_a_likely_last_paragraph_may_have_many_links_and_be_below_a_list() -> None:
    text = "".join(f"<p>{TEXT} {day}</p>" for day in range(5))
    items = f"<ul><li>{TEXT} On foot</li></ul>"
    last = "<p>Also seen: <a href=/g>Gulls</a>, <a href=/t>Terns</a></p>"
    for body in (text, text + items):
        page = f"<div>{body}{last}</div><div>More</div>"
        assert added(page, 0.58, add_missing_end) == "Also seen: Gulls, Terns"
    not_added = (
        "<a href=/g>Also seen: gulls</a>",
        "Next: <a href=/g>Seeking gulls</a>",
        "Want more? <a href=/g>Join our community</a> today!",
    )
    for line in not_added:
        page = f"<div>{text}<p>{line}</p></div><div>More</div>"
        assert added(page, 0.58, add_missing_end) == ""


@pytest.mark.parametrize(
    "block",
    [
        "<ul><li><a href=/x>Another story</a></li></ul>",
        "<ul class='post-meta'><li>3 May 2024</li></ul>",
        "<div><p>Subscribe</p></div>",
        "<aside><p>Another story</p></aside>",
        "<nav><ul><li>Home</li></ul></nav>",
        "<form><ul><li>Name</li></ul></form>",
        "<ul hidden><li>Name</li></ul>",
        "<h2>More stories</h2>",
        "<p>Subscribe to our newsletter</p><pre>ring()</pre>",
    ],
)
def test_other_boxes_after_the_text_are_not(block: str) -> None:
    assert added(f"<div><p>{TEXT}</p><p>{TEXT} Yes.</p>{block}</div>") == ""


def test_a_block_in_a_form_around_the_whole_page_is_added() -> None:
    block = "<ul><li>ring()</li></ul>"
    assert added(f"<form><div><p>{TEXT}</p>{block}<p>{TEXT} Yes.</p></div></form>") == "ring()"


def test_a_block_before_the_text_or_beside_it_is_not_added() -> None:
    assert added(f"<div><ul><li>ring()</li></ul><p>{TEXT}</p><p>{TEXT} Yes.</p></div>") == ""
    assert added(f"<div><p>{TEXT}</p><p>{TEXT} Yes.</p></div><pre>ring()</pre>") == ""
    assert added(f"<div><p>{TEXT}</p><ul><li>ring()</li></ul></div>") == ""


def test_a_likely_line_between_paragraphs_is_added() -> None:
    html = f"<div><p>{TEXT}</p><h3>Bells</h3><p>{TEXT} Yes.</p><p>Ring.</p><p>{TEXT} No.</p></div>"
    assert added(html, 0.4) == "Bells Ring."
    assert added(html, 0.1) == ""
    assert added(f"<div><p>{TEXT}</p><p>{TEXT} Yes.</p><p>Ring.</p></div>", 0.4) == ""


def test_an_unlikely_block_is_not_added() -> None:
    html = f"<div><p>{TEXT}</p><p>{TEXT} Yes.</p><blockquote><p>Read us!</p></blockquote></div>"
    assert added(html, 0.1) == ""
    assert added(html, 0.3) == "Read us!"


def test_a_likely_list_of_questions_and_answers_is_added() -> None:
    faq = "".join(
        f"<div class=q><h3>Does boat {n} run?</h3></div><div class=a><p>It does in May.</p></div>"
        for n in range(4)
    )
    html = f"<main><p>{TEXT}</p><p>{TEXT} Yes.</p></main><section>{faq}</section><p>Contact</p>"
    assert added(html, 0.5, add_question_lists).count("It does in May.") == 4
    assert "Contact" not in added(html, 0.5, add_question_lists)
    assert added(html, 0.2, add_question_lists) == ""
    assert added(html.replace("run?", "runs"), 0.5, add_question_lists) == ""
    opened = re.sub(r"<h3>(.*?)</h3>", r"<a href='#'>\1</a>", html.replace("in May", "from May on"))
    opened = opened.replace("May on.", "May on, on every day but Sunday, and twice on Saturdays.")
    assert added(opened, 0.5, add_question_lists).count("run?") == 4
    assert added(opened.replace("'#'", "'/boats'"), 0.5, add_question_lists) == ""
    page = read_page(f"<main><h2>Boats</h2>{faq}</main><section>{faq}</section>")
    keep = [segment.index < len(page.segments) // 2 + 1 for segment in page.segments]
    assert run_pass(add_question_lists, page, keep, [0.5] * len(keep)) == tuple(keep)


@pytest.mark.parametrize(
    ("names", "count"), [("accordion__title", 4), ("faq-question", 4), ("title", 0)]
)
def test_questions_that_are_paragraphs_and_buttons_are_added(names: str, count: int) -> None:
    row = f"<div role=button><p class='{names}'>Does boat {{}} run?</p></div><div><p>In May.</p></div>"
    faq = "".join(map(row.format, range(4)))
    html = f"<main><p>{TEXT}</p><p>{TEXT} Yes.</p></main><section><h2>Boats</h2>{faq}</section>"
    assert added(html, 0.5, add_question_lists).count("run?") == count


def test_a_list_in_an_answer_is_added_with_it() -> None:
    row = "<h3>Does boat {1} run?</h3><div class=a><p>It runs so:</p><ul>{0}</ul></div>"
    items = "<li><p>in May</p></li><li><p>in June</p></li>"
    faq = "".join(row.format(text, n) for n, text in enumerate(("", "", items, "", items)))
    html = f"<p>{TEXT}</p><p>{TEXT} Yes.</p><section>{faq}</section><ul><li>Boats</li></ul>"
    found = added(html, 0.5, add_question_lists)
    assert found.count("in June") == 2
    assert "Boats" not in found


CHAPTER = "".join(
    f"<p>They sailed for {day} days, saw no land, and were glad of the gulls.</p>"
    for day in range(12)
)


def chapters(missing: str) -> str:
    """Return a page of which a chapter is selected, and another text follows."""
    selected = "".join(f"<p>{TEXT} {day}</p>" for day in range(12))
    return f"<div class=book><div class=text>{selected}</div>{missing}</div>"


def test_a_long_stretch_of_paragraphs_like_the_selected_ones_is_added() -> None:
    text = added(chapters(f"<div class=text><h2>Two</h2>{CHAPTER}</div>"), add=add_long_stretches)
    assert text.startswith("Two They sailed for 0 days")
    assert text.endswith("They sailed for 11 days, saw no land, and were glad of the gulls.")
    chart = CHAPTER.replace("<p>They sailed for 5", "<div>Few</div><p>They sailed for 5")
    assert "Few" not in added(chapters(f"<div class=text>{chart}</div>"), add=add_long_stretches)


@pytest.mark.parametrize(
    "other",
    [
        f"<div class=comments>{CHAPTER}</div>",
        f"<div class=text>{CHAPTER[: len(CHAPTER) // 2]}</div>",
        f"<div class=text>{CHAPTER}</div><div class=text>{CHAPTER}</div>",
        "<div class=text>" + "".join(f"<p>Home {n}</p>" for n in range(12)) + "</div>",
        f"<div class=text>{CHAPTER.replace('<p>', '<p><a href=/x>').replace('</p>', '</a></p>')}</div>",
    ],
    ids=["elsewhere", "few", "repeated", "short", "links"],
)
def test_other_paragraphs_are_not(other: str) -> None:
    assert added(chapters(other), add=add_long_stretches) == ""


def test_an_unlikely_stretch_is_not_added() -> None:
    assert added(chapters(f"<div class=text>{CHAPTER}</div>"), 0.05, add_long_stretches) == ""


def test_a_short_stretch_is_added_if_it_is_likely() -> None:
    few = CHAPTER.split("<p>They sailed for 4")[0]
    page = chapters("").replace("</div>", f"<aside>Read on</aside>{few}</div>", 1)
    assert added(page, 0.7, add_long_stretches).count("gulls") == 4
    assert added(page, 0.5, add_long_stretches) == ""


def test_paragraphs_of_the_box_around_the_selected_boxes_are_added() -> None:
    boxes = "".join(f"<section><p>{TEXT} {n}</p></section>" for n in range(10))
    table = "<table>" + "<tr><td>9<td>8</tr>" * 40 + "</table>"
    text = added(f"<div class=text>{boxes}{table}{CHAPTER}</div>", add=add_long_stretches)
    assert text.startswith("They sailed for 0 days")
    assert text.endswith("were glad of the gulls.")


def test_a_stretch_can_begin_the_page() -> None:
    selected = "".join(f"<p>{TEXT} {day}</p>" for day in range(12))
    page = f"<div class=text>{CHAPTER}{selected}<h2>Notes</h2></div>"
    assert added(page, add=add_long_stretches).startswith("They sailed for 0 days")


@pytest.mark.parametrize(
    ("line", "items", "found"),
    [
        (f"{TEXT} It carries:", "<li>Sheep</li><li>Machines</li>", "Sheep Machines"),
        (f"{TEXT} It carries.", "<li>Sheep</li><li>Machines</li>", ""),
        (f"{TEXT} It carries:", '<li><a href="/s">Sheep</a></li>' * 2, ""),
        (
            f"{TEXT} It carries:",
            '<li><p><a href="/s">Sheep</a></p></li><li>Pigs</li>',
            "Sheep Pigs",
        ),
        (f"{TEXT} It carries:", '<li><a href="//b.org">Sheep</a></li><li>Pigs</li>', "Sheep Pigs"),
        (f"{TEXT} It carries:", "<li>Sheep</li>" * 155, ""),
        (
            f"{TEXT} It carries:",
            "<li><a href=//b.org>Sheep</a><li><a href=//c.org>Pigs</a></ul><h3>Sheep",
            "Sheep Pigs",
        ),
        (
            f"{TEXT} It carries:",
            "<li><ul><li><a href=//b.org>Sheep</a></li></ul></li></ul>"
            "<ul><li><ul><li><a href=//c.org>Pigs</a></li></ul></li>",
            "Sheep Pigs",
        ),
        (
            f"{TEXT} It carries:",
            "".join(f"<li><a href={url}>Sheep</a></li>" for url in ("//b.org", "//c.org", "/s")),
            "Sheep Sheep Sheep",
        ),
    ],
    ids=[
        *("announced", "no colon", "links", "some links", "links elsewhere", "many", "headings"),
        *("nested", "most links elsewhere"),
    ],
)
def test_a_list_that_a_line_announces_is_selected(line: str, items: str, found: str) -> None:
    html = f"<p>{line}</p><ul>{items}</ul><p>{TEXT}</p>"
    page = read_page(f"<html><body>{html}</body></html>", "https://example.org/")
    keep = tuple(TEXT in segment.text for segment in page.segments)
    flags = run_pass(add_announced_lists, page, keep, [0.2] * len(keep))
    chosen = zip(page.segments, keep, flags, strict=True)
    assert " ".join(s.text for s, before, after in chosen if after and not before) == found


@pytest.mark.parametrize(("host", "count"), [("b.org", 1), ("example.org", 0)])
def test_a_list_below_a_heading_within_the_text_is_selected(host: str, count: int) -> None:
    html = f"<h2>Tools</h2><ul><li><a href='//{host}/'>Quill</a></ul><h2>Paper</h2><p>{TEXT}</p>"
    page = read_page(f"<body><p>{TEXT}</p>{html}</body>", "https://example.org/")
    keep = tuple(segment.text != "Quill" for segment in page.segments)
    assert sum(run_pass(add_announced_lists, page, keep, [0.2] * len(keep))) == sum(keep) + count


@pytest.mark.parametrize(
    ("label", "item", "score", "count"),
    [
        ("Shops:", "<a href=//b.org/{0}>Oars of {0}</a>", 0.4, 3),
        ("Shops:", "<a href=//b.org/{0}>Oars of {0}</a>", 0.2, 0),
        ("Two months before the trip", "<a href=/{0}>Mend the sail {0}</a>", 0.4, 3),
        ("Two months before the trip", "<a href=/{0}>Mend the sail {0}</a>", 0.2, 0),
        (
            "Two months before",
            "<a href=/{0}>How a sailor of {0} mended all of his sails</a>",
            0.4,
            0,
        ),
        ("On this page", "<a href=#{0}>The boat of {0}</a>", 0.4, 0),
    ],
)
def test_a_list_of_likely_names_in_the_text_is_selected(
    label: str, item: str, score: float, count: int
) -> None:
    items = "".join(f"<li>{item.format(name)}</li>" for name in ("Ada", "Bo", "Cy"))
    html = f"<body><p>{TEXT}</p><p>{label}</p><ul>{items}</ul><p>{TEXT} Yes.</p></body>"
    page = read_page(html, "https://example.org/")
    keep = [segment.block.tag == "p" for segment in page.segments]
    assert sum(run_pass(add_announced_lists, page, keep, [score] * len(keep))) == sum(keep) + count


def test_a_long_list_that_a_line_announces_is_selected() -> None:
    items = "".join(f"<li><a href=/{n}>Boat {n}</a></li>" for n in range(120))
    for line, count in (("These are worth a look:", 120), ("These are worth a look.", 0)):
        html = f"<body><p>{TEXT}</p><p>{line}</p><ul>{items}</ul><h2>Quays</h2><p>{TEXT} Yes.</p>"
        page = read_page(html, "https://example.org/")
        keep = [not segment.is_link for segment in page.segments]
        assert (
            sum(run_pass(add_announced_lists, page, keep, [0.4] * len(keep))) == sum(keep) + count
        )


@pytest.mark.parametrize(("rating", "found"), [(": 4.5 stars", True), ("", False)])
def test_a_list_of_places_in_the_page_is_a_block_if_it_says_more(rating: str, found: bool) -> None:
    items = "".join(f"<li><a href=#b{n}>The boat {n}</a>{rating}</li>" for n in range(3))
    html = f"<p>{TEXT}</p><ul>{items}</ul><p>{TEXT}</p>"
    assert bool(added(html)) is found


@pytest.mark.parametrize(("text", "count"), [(TEXT, 4), ("A line", 0)])
def test_long_paragraphs_above_the_rights_end_the_text(text: str, count: int) -> None:
    start = "".join(f"<p>{TEXT} {day}</p>" for day in range(5))
    rest = "".join(f"<p>{text.lower()} {name}.</p>" for name in ("Ada", "Bo", "Cy", "Di"))
    page = read_page(f"<body><div>{start}{rest}<div>Rights</div></div></body>")
    keep = [TEXT in segment.text for segment in page.segments]
    scores = [0.9 if flag else 0.35 for flag in keep[:-1]]
    assert sum(run_pass(add_missing_end, page, keep, [*scores, 0.01])) == sum(keep) + count


def test_a_list_below_a_short_label_is_not_selected() -> None:
    items = "<li>Another story</li><li>And a third one</li>"
    page = read_page(f"<body><p>Read on:</p><ul>{items}</ul><p>{TEXT}</p></body>")
    keep = (True, False, False, True)
    assert run_pass(add_announced_lists, page, keep, [0.2] * len(keep)) == keep


@pytest.mark.parametrize(
    ("end", "score", "found"),
    [
        ("<p>The last ferry of the day leaves at nine, or earlier if there is fog.</p>", 0.7, True),
        (
            "<p>The last ferry of the day leaves at nine, or earlier if there is fog.</p>",
            0.4,
            False,
        ),
        (
            "<aside>The last ferry leaves at nine, or at eight, so the harbour says.</aside>",
            0.7,
            False,
        ),
        (
            "<p><a href=/x>The last ferry leaves at nine, or at eight, says the harbour.</a></p>",
            0.7,
            False,
        ),
        ("<p>Not so soon.</p>", 0.7, False),
    ],
    ids=["likely", "unlikely", "other element", "link", "short"],
)
def test_a_likely_end_in_elements_like_those_of_the_text_is_added(
    end: str, score: float, found: bool
) -> None:
    page = read_page(
        f"<body><div>{f'<p>{TEXT}</p>' * 6}</div><div><h3>Times</h3>{end}</div></body>"
    )
    keep = tuple(TEXT in segment.text for segment in page.segments)
    flags = run_pass(add_missing_end, page, keep, [1.0] * 6 + [0.7, score])
    assert flags == (*keep[:6], found, found)


def test_the_likely_lines_of_a_box_with_a_heading_are_added() -> None:
    steps = "".join(f"<li>Step {number} of the soup.</li>" for number in range(5))
    box = f"<div><p>Print</p><h2>Soup</h2><p>4 bowls</p><ol>{steps}</ol><p>Rate it</p></div>"
    page = read_page(f"<body><p>{TEXT}</p><p>{TEXT} Yes.</p>{box}</body>")
    keep = tuple(TEXT in segment.text or segment.text == "Soup" for segment in page.segments)
    scores = [1.0, 1.0, 0.1, 0.8, 0.3, *[0.8] * 5, 0.1]
    flags = run_pass(add_missing_blocks, page, keep, scores)
    assert flags == (True, True, False, True, False, *[True] * 5, False)
    assert run_pass(add_missing_blocks, page, keep, [min(score, 0.5) for score in scores]) == keep


def test_the_name_of_a_product_below_a_heading_is_added() -> None:
    section = f"<h2>Best of all</h2><h3>The Kettle</h3><p>{TEXT} Yes.</p>"
    page = read_page(f"<body>{section}<p>{TEXT}</p>{section}<h2>More</h2><h3>Offers</h3></body>")
    keep = tuple(segment.text not in {"The Kettle", "Offers"} for segment in page.segments)
    flags = run_pass(add_subheadings, page, keep, [0.4] * len(keep), "article")
    names = [
        s.text
        for s, before, after in zip(page.segments, keep, flags, strict=True)
        if before < after
    ]
    assert names == ["The Kettle"]
    assert not flags[1]
    assert run_pass(add_subheadings, page, keep, [0.1] * len(keep), "article") == keep


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("<p>FAQ</p>", "FAQ"),
        ("<div>Häufig gestellte Fragen:</div>", "Häufig gestellte Fragen:"),
        ("<p>Boats</p>", ""),
        ("<ul><li>FAQ</li></ul>", ""),
    ],
)
def test_the_label_above_questions_is_added(label: str, found: str) -> None:
    html = f"<p>{TEXT}</p>{label}<h3>{TEXT} Is it?</h3><p>{TEXT} Yes.</p>"
    assert added(html, 0.1, add_subheadings) == found
    assert added(html.replace("?", "!"), 0.1, add_subheadings) == ""


def test_headings_above_the_text_of_a_manual_are_added() -> None:
    html = f"<h2>Site</h2><p>{TEXT}</p><h2>Options</h2><dl><dt>depth<dd>{TEXT}</dl><h2>Links</h2>"
    page = read_page(f"<body>{html}<ul><li>Home</ul></body>")
    keep = tuple(TEXT in segment.text or segment.text == "depth" for segment in page.segments)
    flags = run_pass(add_subheadings, page, keep, [0.3] * len(keep), "documentation")
    added = [s.text for s in page.segments if flags[s.index] and not keep[s.index]]
    assert added == ["Options"]
    assert run_pass(add_subheadings, page, keep, [0.2] * len(keep), "documentation") == keep


def test_the_labels_above_descriptions_are_selected_if_some_are() -> None:
    names = "The lamp", "The bell", "The chart", "The rope"
    items = [f"<ul><li><a href=/{n}>{n}</a></li></ul><p>{TEXT} {n}.</p>" for n in names]
    page = read_page(f"<body><div>{''.join(items)}</div></body>")
    texts = [segment.text for segment in page.segments]
    scores = [0.2 if text == names[3] else 0.6 for text in texts]
    keep = [text in names[:2] or len(text) > len(TEXT) for text in texts]
    flags = run_pass(add_item_labels, page, keep, scores)
    added = [text for text, flag, old in zip(texts, flags, keep, strict=True) if flag > old]
    assert added == [names[2]]
    keep[0] = False
    assert run_pass(add_item_labels, page, keep, scores) == tuple(keep)


def test_linked_headings_are_selected_if_most_of_the_same_list_are() -> None:
    names = "The lamp", "The bell", "The chart"
    items = [
        f"<div class='item item-{i}'><h2><a href=/{i}>{name}</a></h2>"
        f"<div>By the harbour</div><p>{TEXT} {name}.</p></div>"
        for i, name in enumerate(names)
    ]
    page = read_page(f"<body><div>{''.join(items)}</div></body>")
    texts = [segment.text for segment in page.segments]
    keep = [text in names[:2] or len(text) > len(TEXT) for text in texts]
    flags = run_pass(add_item_labels, page, keep, [0.3] * len(texts))
    assert flags[texts.index(names[2])]
    keep[texts.index(names[1])] = False
    assert run_pass(add_item_labels, page, keep, [0.3] * len(texts)) == tuple(keep)


def test_the_heading_of_a_list_is_selected_if_most_of_the_same_sections_are() -> None:
    names = "The lamp", "The bell", "See also"
    below = f"<p>{TEXT} One.</p>", f"<p>{TEXT} Two.</p>", "<ul><li><a href=/o>Ring twice</a></ul>"
    sections = [
        f"<section><h2><a href=#{i}>{name}</a></h2>{content}</section>"
        for i, (name, content) in enumerate(zip(names, below, strict=True))
    ]
    page = read_page(f"<body><div>{''.join(sections)}</div></body>")
    texts = [segment.text for segment in page.segments]
    keep = tuple(text != "See also" for text in texts)
    for kind in ("article", "documentation"):
        assert all(run_pass(add_item_labels, page, keep, [0.3] * len(texts), kind))
    nothing_below = tuple(text not in {"See also", "Ring twice"} for text in texts)
    assert run_pass(add_item_labels, page, nothing_below, [0.3] * len(texts)) == nothing_below


def test_labels_of_long_lists_are_examined_in_linear_time() -> None:
    page = read_page(f"<ul>{'<li>A tide table</li>' * 40_000}</ul>")
    keep = (False,) * len(page.segments)
    started = time.process_time()
    assert run_pass(add_item_labels, page, keep, [0.3] * len(keep)) == keep
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(("described", "count"), [(3, 3), (2, 0)])
def test_unselected_names_above_half_of_the_descriptions_are_selected(
    described: int, count: int
) -> None:
    names = ("Ada", "Bo", "Cy", "Di")
    parts = "".join(
        f"<h3><a href=/{name}>{name}</a></h3><p>Rating 5</p>"
        + f"<p>{TEXT} {TEXT}</p>" * (n < described)
        for n, name in enumerate(names)
    )
    page = read_page(f"<body>{parts}</body>")
    keep = [TEXT in segment.text for segment in page.segments]
    flags = run_pass(add_section_headings, page, keep, [0.4] * len(keep))
    assert sum(flags) - sum(keep) == count


def test_in_documentation_only_headings_are_labels() -> None:
    items = "".join(f"<div><div>Since 1.{i}</div><p>{TEXT} {i}.</p></div>" for i in range(4))
    page = read_page(f"<body>{items}</body>")
    keep = tuple(segment.text != "Since 1.3" for segment in page.segments)
    assert run_pass(add_item_labels, page, keep, [0.6] * len(keep), "documentation") == keep


def test_the_lines_of_a_paragraph_below_a_heading_are_a_list() -> None:
    for lines, found in (("Oar<br>Rope<br>Sail", "Oar Rope Sail"), ("Oar<br>Rope", "")):
        html = f"<p>{TEXT}</p><h2>They sell at the pier:</h2><p>{lines}</p><p>{TEXT}</p>"
        page = read_page(f"<html><body>{html}</body></html>", "https://example.org/")
        keep = tuple("They" in s.text or TEXT in s.text for s in page.segments)
        flags = run_pass(add_announced_lists, page, keep, [0.2] * len(keep))
        chosen = zip(page.segments, keep, flags, strict=True)
        assert " ".join(s.text for s, before, after in chosen if after and not before) == found


def test_an_embedded_post_between_paragraphs_is_added_if_it_has_words() -> None:
    post = "<div><blockquote class=twitter-tweet><p>{}</p>— Ann <a href=/9>May 1</a></blockquote></div>"
    page = f"<p>{TEXT}</p><div class=code>{post}</div><p>{TEXT} Yes.</p>"
    assert added(page.format("The ferry is late."), 0.0) == "The ferry is late. — Ann May 1"
    assert added(page.format("<a href=/9>See this post on their site</a>"), 0.0) == ""
    assert added(page.replace("twitter-tweet", "pull").format("The ferry is late."), 0.0) == ""
    assert added(f"<p>{TEXT}</p><p>Others</p><p>Here</p>{post.format('The ferry')}", 0.0) == ""


def questions(*texts: str) -> str:
    return "".join(
        f"<details><summary>{text}</summary><p>An answer to that.</p></details>" for text in texts
    )


def test_a_partly_selected_list_of_questions_is_completed_with_its_heading() -> None:
    html = f"<section><h2>FAQ</h2>{questions(TEXT + '?', 'Who rings?', 'Where is it?')}</section>"
    page = read_page(f"<html><body><p>{TEXT}</p>{html}<p>Subscribe</p></body></html>")
    keep = tuple(TEXT in segment.text for segment in page.segments)
    flags = run_pass(add_question_lists, page, keep, [0.1, 0.1, 0.9, 0.9, 0.6, 0.6, 0.2, 0.3, 0.0])
    assert [s.text for s, flag in zip(page.segments, flags, strict=True) if not flag] == [
        "Subscribe"
    ]


def test_the_last_of_a_series_of_sections_has_its_paragraphs_too() -> None:
    section = f"<div><h3>A part</h3><div><p>{TEXT}</p></div></div>"
    last = "<div><h3>{}</h3><div><p>No one waits.</p></div></div><p>Share this.</p>"

    def end(heading: str, count: int) -> str:
        html = section * count + last.format(heading)
        page = read_page(f"<html><body>{html}</body></html>")
        keep = [s.text in (TEXT, "A part", heading) for s in page.segments]
        flags = run_pass(add_missing_end, page, keep, [0.05] * len(keep))
        chosen = zip(page.segments, keep, flags, strict=True)
        return " ".join(s.text for s, before, after in chosen if after and not before)

    assert end("The end", 3) == "No one waits."
    assert end("The end", 2) == ""


def test_the_last_of_a_series_of_sections_is_added_if_it_is_likely() -> None:
    section = "<div class='pane pane{}b2{}'><h3>{}</h3><p>{}</p></div>"  # names unique to each
    html = "".join(section.format(n, "xyz"[n], "A part", TEXT) for n in range(3))
    html += section.format(9, "w", "The end", "No.")
    page = read_page(f"<html><body>{html}<p>Share this.</p></body></html>")
    keep = [s.text in (TEXT, "A part") for s in page.segments]
    all_but_last = (*[True] * (len(keep) - 1), False)
    assert run_pass(add_missing_end, page, keep, [0.3] * len(keep)) == all_but_last
    assert run_pass(add_missing_end, page, keep, [0.2] * len(keep)) == tuple(keep)


def test_the_headings_of_a_series_are_added_if_one_is_selected() -> None:
    box = "<div class=box><h2>{}</h2></div><p>$ 9</p><p>" + TEXT + " " + TEXT + "</p>"
    html = "".join(box.format(name) for name in (f"Best, {TEXT}", "Fastest", "Lightest"))
    assert added(html, add=add_section_headings) == "Fastest Lightest"
    assert added(html, 0.2, add_section_headings) == ""
    assert added(html + "<div class=box><h2>Other</h2></div>", add=add_section_headings) == ""


def test_headings_above_the_text_of_an_article_are_added_unless_they_are_links() -> None:
    heading = "<h3>Ropes</h3>"
    html = f"<p>{TEXT}</p>{heading}<ul><li>{TEXT} One.</ul>"
    assert added(html, add=add_subheadings) == "Ropes"
    assert added(html.replace("Ropes", "<a href=/r>Ropes</a>"), add=add_subheadings) == ""
    assert added(html.replace("Ropes", "<a href=#ropes>Ropes</a>"), add=add_subheadings) == ""
    assert added(html.replace("Ropes", "<a id=r href=#r>Ropes</a>"), add=add_subheadings) == "Ropes"


@pytest.mark.parametrize(
    ("last", "found"),
    [
        (f"<p>{LAST}</p>", f"The draw {LAST}"),
        ("<p>On Monday.</p>", ""),
        (f"<p>{LAST} <a href=/draw>More</a></p>", ""),
        (f"<div>{LAST}</div>", ""),
    ],
)
def test_a_last_section_like_the_one_before_it_is_added(last: str, found: str) -> None:
    section = "<div class=head><h2>{}</h2></div><div class=text>{}</div>"
    text = "".join(f"<p>{TEXT} {day}</p>" for day in range(5))
    first = section.format(f"{TEXT}", text)
    button = "<div><a class='c-button' href=/all>All the boats</a></div>"
    html = f"<main>{first}{button}{section.format('The draw', last)}</main>"
    page = read_page(f"<html><body>{html}</body></html>")
    keep = tuple(TEXT in segment.text for segment in page.segments)
    for score, lines in ((0.45, found), (0.3, "")):
        scores = [0.97 if flag else score for flag in keep]
        chosen = zip(
            page.segments, keep, run_pass(add_missing_end, page, keep, scores), strict=True
        )
        assert " ".join(s.text for s, before, after in chosen if after > before) == lines


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ("<li>Sheep</li><li>Machines</li>", "Sheep Machines"),
        ("<li><a href=/s>Sheep</a></li><li><a href=/m>Machines</a></li>", ""),
        (
            "<li><a href=/34>No. 34 of 8 November 2021</a></li>"
            "<li><p><a href=/32>No. 32 of 5 November 2021</a></p></li>",
            "No. 34 of 8 November 2021 No. 32 of 5 November 2021",
        ),
    ],
)
def test_an_announced_list_may_end_the_text(items: str, found: str) -> None:
    html = f"<main><p>{TEXT}</p><p>{TEXT} The papers say:</p><ul>{items}</ul></main><p>Menu</p>"
    page = read_page(f"<html lang=en><body>{html}</body></html>", "https://example.org/")
    keep = tuple(TEXT in segment.text for segment in page.segments)
    chosen = zip(
        page.segments,
        keep,
        run_pass(add_announced_lists, page, keep, [0.2] * len(keep)),
        strict=True,
    )
    assert " ".join(s.text for s, before, after in chosen if after and not before) == found


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<div><h5>Pros</h5><ul><li>{text}</li></ul></div><div><h5>Cons</h5><p>{text}</p></div>",
         "Pros Cons"),
        ("Share<h5>Pros</h5><ul><li>{text}</li></ul><div>Share</div><h5>Cons</h5><p>{text}</p>", ""),
        ("<div><h2>Boats</h2><p>{text}</p></div><p>{text} Yes.</p>", ""),
        ("<p>{text}</p><div>Share <h2>Boats</h2><p>{text} Yes.</p></div>", ""),
    ],
)  # fmt: skip
def test_the_heading_with_which_a_box_of_text_begins_is_added(html: str, found: str) -> None:
    assert added(html.format(text=TEXT), 0.25, add_subheadings, "product") == found
    assert added(html.format(text=TEXT), 0.15, add_subheadings, "product") == ""


BOX = "<div class=box><h3>Join</h3><p>All boats</p><p>All oars</p><a href=/join>Now</a></div>"


@pytest.mark.parametrize(
    ("box", "score", "is_found"),
    [("{box}<p>{last}</p>", 0.7, True), ("{box}<p>{last}</p>", 0.4, False),
     ("</section>{box}<section><p>{last}</p>", 0.7, False)],
)  # fmt: skip
def test_text_below_a_box_in_its_section_is_added(box: str, score: float, is_found: bool) -> None:
    text = "".join(f"<p>{TEXT} {n}.</p>" for n in range(6))
    html = f"<section>{text}{box.format(box=BOX, last=LAST)}</section>"
    page = read_page(f"<body>{html}<p>Menu</p></body>")
    keep = [TEXT in segment.text for segment in page.segments]
    likely = [flag or s.text == LAST for flag, s in zip(keep, page.segments, strict=True)]
    flags = run_pass(add_missing_end, page, keep, [score if flag else 0.2 for flag in likely])
    assert flags[[s.text for s in page.segments].index(LAST)] is is_found


ADDRESS = "<p>Harbour Office</p><p>1 Quay Street</p><p>Wick</p>"


@pytest.mark.parametrize(
    ("html", "score", "found"),
    [
        ("<p>{text}</p><h2>{text} Head</h2>{address}<h2>{text} Next</h2><p>{text}</p>", 0.4,
         "Harbour Office 1 Quay Street Wick"),
        ("<p>{text}</p><h2>{text} Head</h2>{address}<h2>{text} Next</h2><p>{text}</p>", 0.3, ""),
        ("<p>{text}</p><h2>{text} Head</h2>{address}<p>{text} Next</p>", 0.4, ""),
        ("<p>{text}</p><h2>{text} Head</h2><p>Photo: Ann</p><h2>{text} Next</h2>", 0.4, ""),
        ("<h1>Notice</h1><p>US</p><p>{text}</p><p>{text} Two</p>", 0.7, "US"),
        ("<h1>Notice</h1><p>US</p><p>{text}</p><p>{text} Two</p>", 0.4, ""),
        ("<h1>Other</h1><p>US</p><p>{text}</p><p>{text} Two</p>", 0.7, ""),
    ],
)  # fmt: skip
def test_short_lines_between_headings_are_added(html: str, score: float, found: str) -> None:
    body = html.format(text=TEXT, address=ADDRESS)
    page = read_page(f"<html><head><title>Notice</title></head><body>{body}</body></html>")
    keep = tuple(TEXT in segment.text for segment in page.segments)
    flags = run_pass(add_short_sections, page, keep, [score] * len(keep))
    chosen = zip(page.segments, keep, flags, strict=True)
    assert " ".join(s.text for s, before, after in chosen if after and not before) == found


def test_questions_of_a_partly_selected_list_are_added_with_their_answers() -> None:
    more = "<p>And at dusk.</p><p class=more>All of the log</p><p><a href=#top>To the top</a></p>"
    row = f"<div><h3>When do {{}} sail?</h3><div><p>They sail {{}} at dawn.</p>{more}</div></div>"
    rows = [row.format(f"{TEXT} {n}", f"{TEXT} {n}") for n in range(3)]
    rows += [row.format(name, name) for name in ("rafts", "rowing boats")]
    found = added(f"<p>{TEXT}</p><section>{''.join(rows)}</section>", 0.5, add_question_lists)
    assert "rafts" in found
    assert "They sail rowing boats" in found
    assert found.count("And at dusk.") == 5
    assert "All of the log" not in found
    assert "To the top" not in found


FACTS = "<h3>Kestermouth in brief</h3><ul><li>Two ferries</li><li>One quay</li></ul>"


@pytest.mark.parametrize(
    "box", ["<div class=tide-factbox>{}</div>", "<tide-faktaboks>{}</tide-faktaboks>"]
)
def test_a_box_of_facts_between_or_below_paragraphs_is_added(box: str) -> None:
    facts, text = "Kestermouth in brief Two ferries One quay", f"<p>{TEXT}</p>"
    facts_box = box.format(FACTS)
    assert added(f"<div>{text}{facts_box}{text}</div>", 0.02, add_fact_boxes) == facts
    assert added(f"<div>{text}{text}{facts_box}</div>", 0.02, add_fact_boxes) == facts
    assert added(f"<div>{facts_box}{text}{text}</div>", 0.02, add_fact_boxes) == ""
    other = f"<div>{text}{text}<p>More of the Tide</p>{facts_box}</div>"
    assert added(other, 0.02, add_fact_boxes) == ""
    speech = box.format(f"<p>{LAST}</p>" * 3)
    assert added(f"<div>{text}{speech}{text}</div>", 0.02, add_fact_boxes) == ""
    links = box.format("<ul><li><a href=/a>The boat that never came</a></li></ul>")
    assert added(f"<div>{text}{links}{text}</div>", 0.02, add_fact_boxes) == ""


def test_an_aside_like_a_selected_one_is_added() -> None:
    asides = f"<aside class=k1><p>{TEXT}</p></aside><p>{TEXT}</p><aside class={{}}>{FACTS}</aside>"
    html = f"<div><p>{TEXT}</p>{asides}<p>{TEXT}</p></div>"
    facts = "Kestermouth in brief Two ferries One quay"
    assert added(html.format("k1"), 0.02, add_fact_boxes) == facts
    assert added(html.format("k2"), 0.02, add_fact_boxes) == ""
