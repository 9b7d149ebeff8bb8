"""Segmentation: Luo et al.'s example, visibility, depth, and the lists of the outline."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st
from lxml.html import document_fromstring

from printer.html.index import ElementFlag, ElementsByTag, Segment, build_index
from printer.html.page import read_page
from printer.html.parse import parse


def read(body: str) -> tuple[Segment, ...]:
    return build_index(document_fromstring(f"<html><body>{body}</body></html>")).segments


def texts(body: str) -> list[str]:
    return [segment.text for segment in read(body)]


def test_the_example_of_the_paper_gives_five_segments() -> None:
    # Figure 2: text before and after a br, a block amid inline text, text after the block.
    body = (
        "<div>n12 <b>n13</b><br>n7<div>n19</div>n20 <i>n16</i></div><p>n17 <a href='#'>n18</a></p>"
    )
    assert texts(body) == ["n12 n13", "n7", "n19", "n20 n16", "n17 n18"]


def test_the_nearest_line_break_node_is_the_block() -> None:
    found = read("<div>one<p>two</p>three <b>four</b></div>")
    assert [segment.block.tag for segment in found] == ["div", "p", "div"]
    assert [segment.index for segment in found] == [0, 1, 2]


def test_leaves_give_the_text_with_the_space_between_inline_elements() -> None:
    (segment,) = read("<p>\n a <b>b</b> <i>c</i>\n</p>")
    assert segment.text == "a b c"
    assert " ".join("".join(leaf.text for leaf in segment.leaves).split()) == "a b c"
    # The blank between the two elements belongs to the segment.
    assert any(leaf.text == " " for leaf in segment.leaves)


def test_characters_in_links_are_counted() -> None:
    (segment,) = read("<p>see <a href='#'>this <b>page</b></a> now</p>")
    assert segment.link_chars == len("this") + len("page")


def test_invisible_text_is_left_out_and_breaks_no_line() -> None:
    body = "<p>one <script>var x</script><select><option>no</select><svg><text>no</svg>two</p>"
    assert texts(body) == ["one two"]


def test_noscript_is_read_only_where_it_is_the_page() -> None:
    plain = "This is the whole of what the page says to those without scripts. " * 10
    assert texts(f"<p>Loading</p><noscript><p>{plain}</p></noscript>") == [
        "Loading",
        plain.strip(),
    ]
    visible = "What the page shows is longer than what it hides. " * 30
    assert texts(f"<p>{visible}</p><noscript><p>{plain}</p></noscript>") == [visible.strip()]


def test_states_name_the_elements_around_a_segment() -> None:
    body = (
        "<nav><ul><li>a</li></ul></nav><div role=complementary>b</div>"
        "<div style='display : none'>c</div><div hidden>d</div><blockquote><p>e</p></blockquote>"
    )
    found = build_index(document_fromstring(f"<html><body>{body}</body></html>"))
    states = [ElementFlag(found.flags[block]) for block in found.segment_blocks]
    for state, expected in zip(
        states,
        (
            ElementFlag.NAV | ElementFlag.ITEM | ElementFlag.LIST,
            ElementFlag.ASIDE,
            ElementFlag.HIDDEN,
            ElementFlag.HIDDEN,
            ElementFlag.QUOTE | ElementFlag.PARAGRAPH,
        ),
        strict=True,
    ):
        assert state & expected == expected
    assert not states[4] & (ElementFlag.NAV | ElementFlag.HIDDEN | ElementFlag.ASIDE)


def test_elements_know_the_range_of_their_segments() -> None:
    found = build_index(
        document_fromstring("<html><body>a<div>b<p>c</p>d</div><i>e</i></body></html>")
    )
    descriptions = {
        element.tag: [segment.text for segment in found.segments[begin:end]]
        for element, begin, end in zip(
            found.elements, found.segment_begins, found.segment_ends, strict=True
        )
    }
    assert descriptions["body"] == ["a", "b", "c", "d", "e"]
    assert descriptions["div"] == ["b", "c", "d"]
    assert descriptions["p"] == ["c"]
    assert descriptions["i"] == ["e"]


def test_a_page_nested_five_thousand_deep_is_read_in_time() -> None:
    started = time.process_time()
    page = read_page("<div>x" * 5_000)
    assert len(page.segments) == 5_000
    assert time.process_time() - started < 2


_TAGS = st.sampled_from(["div", "p", "b", "a", "span", "li", "br", "script", "td", "section"])
_NODES = st.recursive(
    st.text("ab \n", max_size=6),
    lambda inner: st.builds(
        lambda tag, children: f"<{tag}>{''.join(children)}</{tag}>",
        _TAGS,
        st.lists(inner, max_size=4),
    ),
    max_leaves=25,
)


@given(_NODES)
def test_every_seen_character_is_in_one_segment_in_order(body: str) -> None:
    tree = document_fromstring(f"<html><body><div>{body}</div></body></html>")
    found = build_index(tree)
    text = "".join(segment.text for segment in found.segments).replace(" ", "")
    for script in list(tree.iter("script")):
        script.text = None
        for child in list(script):
            script.remove(child)
    assert text == "".join("".join(tree.itertext()).split())
    leaves = [leaf for segment in found.segments for leaf in segment.leaves]
    assert len(leaves) == len(set(leaves))
    assert all(0 <= parent < n for n, parent in enumerate(found.parents) if n)
    assert all(
        0 <= begin <= end <= len(found.segments)
        for begin, end in zip(found.segment_begins, found.segment_ends, strict=True)
    )


def test_elements_are_found_by_name_in_document_order():
    tree = parse("<h2>Tides</h2><p>High <b>water</b> is at <i>six</i>, <b>low</b> at noon.</p>")
    elements = ElementsByTag(tree)
    assert [element.text for element in elements.find("i", "b")] == ["water", "six", "low"]
    assert elements.find("b") == list(tree.iter("b"))
    assert elements.find("table", "h3") == []
