"""An article in pieces: what can be left out or brought back, and what is made of that."""

from dataclasses import replace
from pathlib import Path

import pytest
from stories import SENTENCE, story

from printer.capture import Capture
from printer.editing.codec import block_of
from printer.editing.snapshot import Base, Edit
from printer.errors import JobsError, UsageError
from printer.extract_stage import find
from printer.html.page import read_page
from printer.options import ExtractOptions
from printer.output import Picture

URL = "https://example.org/story"
LETTER = "A letter from the harbour comes each morning."
PAGE = story(
    extra="<figure class=quay><img src=/quay.png width=640 height=420 alt='The quay'></figure>"
    f"<div class=inlay><h2>The letter</h2><p>{LETTER} {SENTENCE}</p></div>"
    f"<p id=coda>{SENTENCE}</p>"
).replace(
    "</body>",
    f"<aside class=more><p>What follows: {SENTENCE}</p>"
    "<img src=/map.png width=500 height=400 alt='A map'></aside>"
    "<p style='display:none'>Nobody sees this line.</p></body>",
)


def made(page=PAGE, **options):
    read = read_page(page, URL)
    found = find(read, ExtractOptions(**options), editable=True)
    capture = Capture(page.encode(), URL, URL, fetched=None)
    return Base(replace(found.article, blocks=()), found.pieces, capture), found.article


def named(base, text):
    (piece,) = [each for each in base.pieces if text in str(each.block)]
    return piece


PAGES = sorted(Path(__file__).parent.parent.glob("pages/*/source.html"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.parent.name)
def test_the_kept_pieces_are_the_article(path):
    base, article = made(path.read_text("windows-1252" if "old" in path.parent.name else "utf-8"))
    assert base.revised(Edit()) == article
    assert len({piece.id for piece in base.pieces}) == len(base.pieces)
    names = {piece.id for piece in base.pieces}
    for piece in base.pieces:
        for rule in piece.rules:
            assert piece.id in rule.covers
            assert set(rule.covers) <= names


def test_what_was_left_out_stands_at_its_place():
    base, _ = made()
    texts = [str(piece.block) for piece in base.pieces]
    at = {text: next(n for n, t in enumerate(texts) if text in t) for text in
          ("News", "It was day 0", "The quay", LETTER, "What follows", "A map")}  # fmt: skip
    assert list(at.values()) == sorted(at.values())
    assert not named(base, "What follows").kept
    assert not named(base, "A map").kept
    assert not any("Nobody sees" in text for text in texts)


def test_pieces_are_left_out_and_brought_back():
    base, article = made()
    letter, more, picture = (named(base, text).id for text in (LETTER, "What follows", "quay.png"))
    edit = base.changed(Edit(), title=" New  title ", keep={letter: False, more: True})
    edit = base.changed(edit, keep={picture: False})
    now = base.revised(edit)
    assert now.title == "New title"
    assert LETTER not in now.text
    assert "What follows" in now.text
    assert now.figures == ()
    assert len(now.blocks) == len(article.blocks) - 1
    back = base.changed(edit, title="", keep={letter: True, more: False, picture: True})
    assert base.revised(back) == article
    assert back == Edit()
    assert Edit.load(edit.dump()) == edit
    assert Edit.load(None) == Edit()


def test_changes_that_cannot_be():
    base, _ = made()
    with pytest.raises(UsageError, match="no piece"):
        base.changed(Edit(), keep={"b999": False})
    with pytest.raises(UsageError, match="nothing is left"):
        base.changed(Edit(), keep={piece.id: False for piece in base.pieces})


def test_what_is_kept_is_read_again_as_it_was():
    base, article = made()
    pictures = {
        "https://example.org/quay.png": Picture(b"\x89PNG", "image/png", 640, 420),
        "https://example.org/other.png": Picture(b"x", "image/png", 1, 1),
    }
    kept = base.with_pictures(pictures)
    again = Base.load(kept.dump())
    assert again.pieces == base.pieces
    assert again.article == base.article
    assert again.capture == base.capture
    assert list(again.pictures) == ["https://example.org/quay.png"]
    assert again.pictures["https://example.org/quay.png"].data == b"\x89PNG"
    assert again.revised(Edit()) == article


@pytest.mark.parametrize("data", [b"", b"PK", b"{}", None])
def test_what_is_not_ours_is_not_read(data):
    base, _ = made()
    data = base.dump().replace(b"base.json", b"bose.json") if data is None else data
    with pytest.raises(JobsError):
        Base.load(data)


@pytest.mark.parametrize("data", [{"type": "article"}, {"type": "paragraph"}, {}, [{"x": 1}]])
def test_data_that_is_no_block_is_not_read(data):
    with pytest.raises(ValueError, match=r"\w"):
        block_of(data)


def test_a_rule_names_what_was_left_out_and_nothing_else():
    base, _ = made()
    heading, letter = named(base, "The letter").id, named(base, LETTER).id
    both = base.suggested(base.changed(Edit(), keep={heading: False, letter: False}))
    assert {each.selector for each in both.values()} == {".inlay"}
    one = base.suggested(base.changed(Edit(), keep={letter: False}))
    assert one[letter].selector == ".inlay > p"
    assert base.suggested(base.changed(Edit(), keep={named(base, "It was day 2").id: False})) == {}
    more = named(base, "What follows").id
    assert base.suggested(base.changed(Edit(), keep={more: True}))[more].selector == ".more > p"
    last = [p for p in base.pieces if any(r.selector == "#coda" for r in p.rules)]
    assert len(last) == 1


def test_a_large_page_is_parted_in_bounded_time():
    rows = "".join(f"<div class='c{n} row'><p>{SENTENCE}{n}</p></div>" for n in range(3_000))
    base, article = made(story(extra=f"<section>{rows}</section>{'<div>' * 400}<p>{SENTENCE}"))
    assert base.revised(Edit()) == article
