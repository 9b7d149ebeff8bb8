"""Invisible text is not part of the page; collapsed text is."""

from __future__ import annotations

import time

import pytest
from lxml.html import document_fromstring

from printer.html.index import ElementFlag, build_index
from printer.html.page import read_page
from printer.html.parse import element_line, parse
from printer.html.visibility import has_unseen_class, hide_by_style, read_controls

TEXT = "The ferry leaves the harbour at dawn, and nobody on the quay is ever late for it, they say."


def texts(body: str) -> list[str]:
    root = document_fromstring(f"<html><body>{body}</body></html>")
    return [segment.text for segment in build_index(root).segments]


@pytest.mark.parametrize(
    "attributes",
    [
        "class=sr-only",
        'class="link__hint u-visually-hidden"',
        "class=styles_srOnly__x3",
        'class="screen-reader-text"',
        "class=hiddenVisually",
        "class=a11y-text",
        "class=clipped",
        "class=rich-snippet-hidden",
        "class=cite-accessibility-label",
        'style="position:absolute;width:1px;height:1px;overflow:hidden"',
        "class=noprint",
        'class="hint d-print-none"',
        'class="print:hidden"',
        "class=boring",
        "class=material-icons",
        'class="icon material-symbols-rounded"',
        "role=tooltip",
        'class="tooltip__content"',
        'style="position:absolute;clip:rect(0,0,0,0)"',
        'style="position: absolute; left: -9999px"',
        'style="display:none"',
        'style="visibility: hidden"',
        "hidden",
    ],
)
def test_unseen_text_within_a_line_is_left_out(attributes: str) -> None:
    body = (
        f"<p>The <a href=#>report<span {attributes}>, öffnet im neuen Fenster</span></a> says.</p>"
    )
    assert texts(body) == ["The report says."]


@pytest.mark.parametrize("last", ["mobile", "phone", "wide"])
def test_a_box_that_classes_hide_on_all_screens_is_not_part_of_the_page(last: str) -> None:
    classes = f"part-hidden-desktop part-hidden-tablet part-hidden-{last}"
    page = read_page(f"<main><p>{TEXT}</p><div class='{classes}'><p>Draft.</p></div> End.</main>")
    drafts = [] if last != "wide" else ["Draft."]
    assert [segment.text for segment in page.segments] == [TEXT, *drafts, "End."]


def test_a_box_that_a_site_builder_shows_on_a_condition_is_not_part_of_the_page() -> None:
    twin = f"<p class='summary w-condition-invisible'>{TEXT}</p>"
    page = read_page(f"<main><p class=summary>{TEXT}</p>{twin}</main>")
    assert [segment.text for segment in page.segments] == [TEXT]
    hidden = "<button>Open</button><button>Close</button>"
    page = read_page(f"<main><p>{TEXT}</p><h2 class=w-condition-invisible>{hidden}</h2></main>")
    assert [segment.text for segment in page.segments] == [TEXT]


def test_a_box_that_its_page_does_not_print_is_left_out() -> None:
    links = "".join(
        f"<li>{' ' * 200}<img src=/{name}.png> <a href=/{name}>{name}</a></li>"
        for name in ("Films", "Boats")
    )
    box = f'<ul class="noprint box">{links}</ul>'
    assert texts(f"<p>The report says.</p>{box}") == ["The report says."]
    assert len(texts(f"<p>The report says.</p>{box.replace('noprint', '')}")) == 3


@pytest.mark.parametrize(
    "names", ["focus:not-sr-only", "md:sr-only", "overflow-hidden", "tooltip", "screenshot", "only"]
)
def test_other_classes_hide_nothing(names: str) -> None:
    assert not has_unseen_class(names)
    assert texts(f'<p>The <b class="{names}">ferry</b> sails.</p>') == ["The ferry sails."]


@pytest.mark.parametrize(
    "hidden",
    [
        '<span id="more" style="display:none"> and all that follows.</span>',
        '<span class="footnote-text" hidden>All that follows.</span>',
        '<span class="caption no-print">and all that follows.</span>',
        '<span class="no-print"><b class="media-credit">and all that follows.</b></span>',
        f"<span hidden>{'All that follows is long. ' * 5}</span>",
    ],
)
def test_collapsed_text_is_kept(hidden: str) -> None:
    assert "that follows" in texts(f"<p>The beginning{hidden}</p>")[0]


def test_long_text_is_hidden_but_read() -> None:
    text = "The island lies off the coast. " * 20
    root = document_fromstring(f'<div class="sr-only">{text}</div><div hidden>{text}</div>')
    index = build_index(root)
    assert [segment.text for segment in index.segments] == [text.strip()] * 2
    assert index.flags[index.segment_blocks[1]] & ElementFlag.HIDDEN


def test_text_to_be_found_by_searching_is_not_hidden() -> None:
    root = document_fromstring("<div hidden=until-found><p>Folded.</p></div><p>Open.</p>")
    assert build_index(root).visible_segments() == {0, 1}


def test_hidden_code_in_a_manual_is_left_out() -> None:
    example = "<pre class='js hidden'>let a;</pre><pre class='js'>ring();</pre>"
    assert texts(example) == ["ring();"]


def test_code_with_hidden_lines_is_not_hidden() -> None:
    code = "<code class=hide-boring><span class=boring>fn main() {\n</span>ring();</code>"
    assert texts(f"<pre>{code}</pre>") == ["ring();"]


def test_the_number_of_comments_on_a_paragraph_is_left_out() -> None:
    count = '<a class="comments_count opener">{}</a>'
    assert texts(f"<p>{count.format('<i>12</i>')}The weir.</p>") == ["The weir."]
    assert texts(f"<p>{count.format('Two')}</p>") == ["Two"]
    assert texts("<p class=comments-link>12</p>") == ["12"]


def test_the_text_of_an_icon_in_a_table_stays() -> None:
    body = (
        "<table><tr><th>Phone <span class=sr-only>Talk to us</span></th>"
        "<td><i aria-hidden=true></i> <span class=sr-only>Yes</span></td></tr></table>"
    )
    assert texts(body) == ["Phone", "Yes"]


def test_a_heading_for_screen_readers_stays() -> None:
    assert texts("<h5 class=sr-only>You said:</h5><p>Hello</p>") == ["You said:", "Hello"]


@pytest.mark.parametrize(
    ("css", "attributes", "hidden"),
    [
        (".promo {display: none}", "class='box promo'", True),
        ("p.promo, .x {color: red; display:none !important}", "class=promo", True),
        ("#promo {display: none}", "id=promo", True),
        ("<![CDATA[.promo {display: none} ]]>", "class=promo", True),
        ("/* } */ @media print {.x {color: red}} .promo {display: none}", "class=promo", True),
        ("div.promo {display: none}", "class=promo", False),
        ("@media (max-width: 9em) {.promo {display: none}}", "class=promo", False),
        (".promo {display: none} .open .promo {display: block}", "class=promo", False),
        (".promo {display: none}", "class='promo md:block'", False),
        (".promo {display: none}", "class=promo style='display: block'", False),
        (".tab-panel {display: none}", "class=tab-panel", False),
        (".promo {visibility: hidden}", "class=promo", False),
        (".menu .promo {display: none}", "class=promo", False),
    ],
)
def test_plain_rules_of_the_page_s_style_sheets_hide(css, attributes, hidden):
    line = f"<p {attributes}>This text was stolen.</p>"
    tree = parse(f"<style>{css}</style><p>{TEXT}</p>{line}<p>{TEXT}</p>")
    hide_by_style(tree, list(tree.iter()))
    assert (tree.findall(".//p")[1].get("hidden") is not None) is hidden


def test_a_large_part_of_the_page_is_not_hidden_by_style():
    tree = parse(f"<style>.all {{display: none}}</style><div class=all>{TEXT}</div>")
    hide_by_style(tree, list(tree.iter()))
    assert tree.find(".//div").get("hidden") is None


def test_hostile_style_sheets_are_read_in_linear_time():
    for css in ("@x{a{" * 80_000, "/*" * 200_000, "{display:none" * 40_000, ".a," * 150_000):
        tree = parse(f"<style>{css} .a{{display:none}}</style><p class=a>{TEXT}</p>")
        started = time.process_time()
        hide_by_style(tree, list(tree.iter()))
        assert time.process_time() - started < 2


def test_a_link_to_nowhere_controls_nothing():
    root = document_fromstring("<body><a href='#'>Up</a><a href='#more'>More</a></body>")
    assert read_controls(root.iter("*")) == {"more"}


def test_a_hidden_part_of_a_heading_is_no_part_of_it() -> None:
    hint = "<x-actions hidden><span>Keep what you like.</span> <span>" + "Save it. " * 9
    html = f"<h1>Oars <div>of ash</div> in {hint}</span></x-actions></h1>"
    assert texts(html) == ["Oars", "of ash", "in"]
    assert element_line(document_fromstring(html).find(".//h1")) == "Oars of ash in"
