"""Notes that the selected text refers to, and its sources."""

from __future__ import annotations

import pytest

from printer.extraction.extract import ADDING_PASSES, run_passes
from printer.extraction.references import add_linked_notes, add_sources
from printer.extraction.selected_text import SelectedText
from printer.html.page import read_page
from tests.support.selections import run_pass

TEXT = "The harbour of Nantmoor was dredged last spring, and nobody had expected to find anything."


def chosen(body: str, *dropped: str, kind: str = "product") -> list[str]:
    page = read_page(f"<html><body>{body}</body></html>")
    keep = [not any(word in segment.text for word in dropped) for segment in page.segments]
    flags = zip(page.segments, run_pass(add_linked_notes, page, keep, kind=kind), strict=True)
    return [segment.text for segment, selected in flags if selected]


def story(label: str, note: str) -> str:
    return f"<p>{TEXT}<sup><a href='#n'>{label}</a></sup></p><p id=n>{note}</p>"


def test_a_note_that_is_referred_to_is_kept() -> None:
    for label in ("1", "[1]", "*", "<b>†</b>", "<i>[</i>1<i>]</i>"):
        assert "A boot." in chosen(story(label, "A boot."), "boot")


def test_a_link_in_words_does_not_make_a_note() -> None:
    assert "A boot." not in chosen(story("see below", "A boot."), "boot")


def test_the_notes_of_text_that_is_not_chosen_are_not_kept() -> None:
    assert chosen(f"<p>{TEXT}</p>" + story("1", "A boot."), "boot", "anything.1") == [TEXT]


def test_longer_than_the_text_they_are_no_notes() -> None:
    assert not any("boot" in text for text in chosen(story("1", "A boot. " * 90), "boot"))


def test_the_bibliography_of_an_article_may_be_as_long_as_its_text() -> None:
    note = f"{TEXT[:59]} boot."
    assert note in chosen(story("1", note), "boot", kind="article")
    assert note not in chosen(story("1", note), "boot")


def test_a_figure_that_is_referred_to_is_no_note() -> None:
    figure = "<figure id=n><h3>A boot.</h3><a href='/b'>Open</a></figure>"
    html = f"<p>{TEXT} (Figure <a href='#n'>1</a>)</p>{figure}<p>{TEXT * 3}</p>"
    assert "Open" not in chosen(html, "boot", "Open")


def test_text_above_the_reference_is_not_a_note() -> None:
    above = f"<p id=n>A boot.</p><p>{TEXT}<a href='#n'>1</a></p>"
    assert "A boot." not in chosen(above, "boot")


def test_notes_below_the_text_are_kept_if_it_cites_each() -> None:
    notes = "<h2>Sources</h2><p>[1] A boot.</p><p>[2] Another boot.</p><p>Home boot</p>"
    text = f"<p>{TEXT}<sup>[1]</sup> {TEXT}{{}}</p>{notes}"
    cited = chosen(text.format("<sup>[2]</sup>"), "boot", "Sources")
    assert cited[1:] == ["Sources", "[1] A boot.", "[2] Another boot."]
    assert len(chosen(text.format(""), "boot", "Sources")) == 1


def test_notes_may_be_numbered_without_brackets_or_by_their_list() -> None:
    cited = f"<p>{TEXT}<sup>1,2</sup> {TEXT}<sup>4</sup> {TEXT} [5-6].</p>"
    lines = "".join(f"<p>{n} A boot of the year {n}.</p>" for n in range(1, 7))
    assert len(chosen(f"{cited}<div>Begin to boot</div>{lines}", "boot", kind="article")) == 7
    items = "".join(f"<li>A boot of the year {n}.</li>" for n in range(1, 7))
    assert (
        len(chosen(f"{cited}<h4>Boots, by boot</h4><ol>{items}</ol>", "boot", kind="article")) == 8
    )
    assert len(chosen(f"{cited}<ul>{items}</ul>", "boot", kind="article")) == 1
    assert len(chosen(f"<p>{TEXT}<sup>1</sup></p>{lines}", "boot", kind="article")) == 1


def added_sources(html: str, score: float, kind: str = "article") -> str:
    page = read_page(f"<html><body>{html}</body></html>", "https://www.ferry.example/1")
    keep = [TEXT in segment.text for segment in page.segments]
    flags = run_pass(add_sources, page, keep, [score] * len(keep), kind)
    chosen = zip(page.segments, keep, flags, strict=True)
    return " ".join(segment.text for segment, before, after in chosen if after and not before)


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ("<p>Quelle: Hafenblatt, abc/def</p>", True),
        ("<footer><p>This article was amended on 8 May: the ferry is blue.</p></footer>", True),
        ("<p>Print</p><p>Republished from the Harbour Post of 17 May.</p>", True),
        ("<h4>More</h4><p>Source: Harbour Post</p>", False),
        ("<p>Reporting by Tam Reed in Kester; Editing by Orla Fennimoor</p>", True),
        ("<p>Tam Reed and Ann Orley contributed to this article.</p>", True),
        ("<p>Additional contributions by Tam Reed, Ann Orley, and Ivo Halloran.</p>", True),
        ("<p>Nobody knows what she contributed to this story.</p>", False),
        ("<p>Our readers contributed to this guide</p>", False),
        (
            f"<p>Ann Orley said: {'The tide, the wind, the rain. ' * 3} All of it contributed to this story.</p>",
            False,
        ),
        ("<p>Edited by Tam Reed</p>", True),
        ("<p>Edited by friends of the sea, our magazine is yours for 5 crowns.</p>", False),
        ("<p>Subscribe to get news edited by</p>", False),
        ("<p>Length: 7 m</p>", False),
        ("<p>Source: ferry.example</p>", False),
        ("<p>Source: ferry.example, abc</p>", True),
        ("<figure><img src=a.png><figcaption>Source: Harbour Post</figcaption></figure>", False),
        ("<p>Print</p><h3>Sources</h3><ol><li>Reed, A.: Oars.</li><li>Sails.</li></ol>", True),
        ("<p>Print</p><h3>Useful resources</h3><ol><li>Oars<li>Sails</ol>", True),
        ("<p>Print</p><h3>Boats</h3><ol><li>Reed, A.: Oars.</li><li>Sails.</li></ol>", False),
    ],
)
def test_the_source_below_the_text_is_added(line: str, is_found: bool) -> None:
    found = added_sources(f"<div>{f'<p>{TEXT}</p>' * 6}</div><div>{line}</div>", 0.05)
    assert bool(found) == is_found
    assert "Print" not in found


@pytest.mark.parametrize(
    ("line", "score", "kind", "is_found"),
    [
        ("<i>Faktencheck: Ann Orley, Ivo Halloran</i>", 0.4, "article", True),
        ("Faktencheck: Ann Orley", 0.3, "article", False),
        ("Editing: Harbour Studio", 0.4, "product", False),
        ("Faktencheck: Kein Beleg für Wale im Hafen", 0.4, "article", False),
        ("Editor: Sign Up", 0.4, "article", False),
        ("Redaktion: hafen@ferry.example", 0.4, "article", False),
    ],
)
def test_a_role_and_names_below_an_article_are_added_if_they_are_likely(
    line: str, score: float, kind: str, is_found: bool
) -> None:
    found = added_sources(f"<div>{f'<p>{TEXT}</p>' * 6}</div><p>{line}</p>", score, kind)
    assert bool(found) is is_found


def test_a_source_between_sections_is_added_if_it_is_likely() -> None:
    text = f"<p>{TEXT}</p>" * 6
    html = f"{text}<p>Source: <a href=/post>Harbour Post</a></p><p>{TEXT} Yes.</p>"
    assert added_sources(html, 0.4) == "Source: Harbour Post"
    assert added_sources(html, 0.1) == ""


@pytest.mark.parametrize(("kind", "is_found"), [("service", True), ("forum", False)])
def test_the_source_of_the_figures_of_an_offer_is_added(kind: str, is_found: bool) -> None:
    line = "<div><span>Source: Harbour Post</span></div>"
    page = read_page(f"<body><p>{TEXT}</p><p>{TEXT} Two.</p>{line}<p>{TEXT} Three.</p></body>")
    keep = [TEXT in segment.text for segment in page.segments]
    selected = SelectedText(page, keep, kind, [0.4] * len(keep))
    run_passes([step for step in ADDING_PASSES if step.name == "source"], selected)
    assert all(selected.keep) is is_found


@pytest.mark.parametrize(
    ("line", "score", "found"),
    [
        ("<p>Links: <a href=//a.example>www.a.example</a></p>", 0.4, "Links: www.a.example"),
        ("<p>Read on at:</p><p>www.a.example</p>", 0.4, "Read on at: www.a.example"),
        ("<p>Links: <a href=//a.example>www.a.example</a></p>", 0.1, ""),
        ("<p>Links: <a href=//a.example>The Harbour Post</a></p>", 0.4, ""),
    ],
)
def test_an_address_below_the_text_is_added_with_its_label(
    line: str, score: float, found: str
) -> None:
    assert added_sources(f"<p>{TEXT}</p>" * 6 + line, score) == found


@pytest.mark.parametrize("label", ["References &amp; Sources", "Quellen und Literatur", "Boats"])
def test_links_below_a_heading_that_names_sources_are_added(label: str) -> None:
    links = "".join(f"<li><a href=//{n}.example>The log of boat {n}</a></li>" for n in range(3))
    found = added_sources(f"<p>{TEXT}</p>" * 6 + f"<h2>{label}</h2><ul>{links}</ul>", 0.3)
    assert ("The log of boat 2" in found) is (label != "Boats")


def test_a_note_below_the_text_that_a_star_refers_to_is_kept() -> None:
    note = "*Disclosure: the boots are lent by the harbour and are not for sale."
    text = f"<p>An account* of it. {TEXT}</p>"

    def below(html: str) -> list[str]:
        return chosen(html, "boots", "Contact", kind="article")[1:]

    assert below(f"{text}<div>Contact</div><div>{note}</div>") == [note]
    assert below(f"<p>{TEXT}</p><div>{note}</div>") == []
    assert below(f"{text}<form><p>{note}</p><input name=name></form>") == []


def test_the_list_below_a_selected_label_of_sources_is_added() -> None:
    items = "<li><a href=//a.example>The log of the boat</a></li><li>Harbour papers, 1912</li>"
    page = read_page(f"<body>{f'<p>{TEXT}</p>' * 6}<p>Sources:</p><ol>{items}</ol></body>")
    keep = [segment.block.tag == "p" for segment in page.segments]
    assert all(run_pass(add_sources, page, keep, [0.3] * len(keep)))
