"""Editing an article: omitting and restoring blocks, and the result."""

import io
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from printer import editing
from printer.article import Article, from_data
from printer.capture import Capture, PageSource
from printer.editing import Edit, Snapshot
from printer.errors import JobsError, UsageError
from printer.extract_stage import extract_article
from printer.html.page import read_page
from printer.options import ExtractOptions
from printer.output import Picture
from tests.support.story_page import SENTENCE, story_page

URL = "https://example.org/story"
LETTER = "A letter from the harbour comes each morning."
PAGE = story_page(
    extra="<figure class=quay><img src=/quay.png width=640 height=420 alt='The quay'></figure>"
    f"<section class=entry><h2>The letter</h2><p>{LETTER} {SENTENCE}</p></section>"
    f"<p id=coda>{SENTENCE}</p>"
).replace(
    "</body>",
    f"<aside class=more><p>What follows: {SENTENCE}</p>"
    "<img src=/map.png width=500 height=400 alt='A map'></aside>"
    "<p style='display:none'>Nobody sees this line.</p></body>",
)


def built(page=PAGE, **options):
    read = read_page(page, URL)
    result = extract_article(read, ExtractOptions(**options), editable=True)
    capture = Capture(page.encode(), PageSource(URL, URL, fetched=None))
    return Snapshot(replace(result.article, blocks=()), result.blocks, capture), result.article


def named(base, text):
    (piece,) = [candidate for candidate in base.blocks if text in str(candidate.block)]
    return piece


PAGES = sorted(Path(__file__).parent.glob("pages/*/source.html"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.parent.name)
def test_the_kept_pieces_are_the_article(path):
    base, article = built(path.read_text("windows-1252" if "old" in path.parent.name else "utf-8"))
    assert base.apply(Edit()) == article
    assert len({piece.id for piece in base.blocks}) == len(base.blocks)
    names = {piece.id for piece in base.blocks}
    for piece in base.blocks:
        for rule in piece.rules:
            assert piece.id in rule.covers
            assert set(rule.covers) <= names


def test_omitted_blocks_are_at_their_places():
    base, _ = built()
    texts = [str(piece.block) for piece in base.blocks]
    at = {text: next(n for n, t in enumerate(texts) if text in t) for text in
          ("News", "It was day 0", "The quay", LETTER, "What follows", "A map")}  # fmt: skip
    assert list(at.values()) == sorted(at.values())
    assert not named(base, "What follows").selected
    assert not named(base, "A map").selected
    assert not any("Nobody sees" in text for text in texts)


def test_pieces_are_left_out_and_brought_back():
    base, article = built()
    letter, more, picture = (named(base, text).id for text in (LETTER, "What follows", "quay.png"))
    edit = base.update_edit(Edit(), title=" New  title ", include={letter: False, more: True})
    edit = base.update_edit(edit, include={picture: False})
    now = base.apply(edit)
    assert now.title == "New title"
    assert LETTER not in now.text
    assert "What follows" in now.text
    assert now.figures == ()
    assert len(now.blocks) == len(article.blocks) - 1
    back = base.update_edit(edit, title="", include={letter: True, more: False, picture: True})
    assert base.apply(back) == article
    assert back == Edit()
    assert Edit.load(edit.dump()) == edit
    assert Edit.load(None) == Edit()


def test_changes_that_cannot_be():
    base, _ = built()
    with pytest.raises(UsageError, match="no block"):
        base.update_edit(Edit(), include={"b999": False})
    with pytest.raises(UsageError, match="nothing is left"):
        base.update_edit(Edit(), include={piece.id: False for piece in base.blocks})


def test_a_stored_snapshot_is_read_back_unchanged():
    base, article = built()
    pictures = {
        "https://example.org/quay.png": Picture(b"\x89PNG", "image/png", 640, 420),
        "https://example.org/other.png": Picture(b"x", "image/png", 1, 1),
    }
    with_pictures = base.with_pictures(pictures)
    again = Snapshot.load(with_pictures.dump())
    assert again.blocks == base.blocks
    assert again.article == base.article
    assert again.capture == base.capture
    assert list(again.pictures) == ["https://example.org/quay.png"]
    assert again.pictures["https://example.org/quay.png"].data == b"\x89PNG"
    assert again.apply(Edit()) == article


@pytest.mark.parametrize("data", [b"", b"PK", b"{}", None])
def test_foreign_files_are_not_read(data):
    base, _ = built()
    data = base.dump().replace(b"base.json", b"bose.json") if data is None else data
    with pytest.raises(JobsError):
        Snapshot.load(data)


def test_damaged_files_are_not_read():
    data = bytearray(
        Snapshot(Article("T", ()), (), Capture(b"<p>Ferry", PageSource(URL, URL))).dump()
    )
    for place in range(len(data)):
        damaged = data.copy()
        damaged[place] ^= 0xFF
        for broken in (damaged, data[:place]):
            with suppress(JobsError):  # Some bytes, as those of a date, are not looked at.
                Snapshot.load(bytes(broken))
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        start = file.getinfo("base.json").header_offset + 30 + len("base.json")
    data[start : start + 20] = b"\xff" * 20
    with pytest.raises(JobsError, match="cannot be read"):
        Snapshot.load(bytes(data))


def test_a_file_that_would_fill_the_memory_is_not_read(monkeypatch):
    monkeypatch.setattr(editing, "_MAX_SNAPSHOT", 1_000)
    page = Capture(bytes(2_000), PageSource(URL, URL))
    with pytest.raises(JobsError, match="too large"):
        Snapshot.load(Snapshot(Article("T", ()), (), page).dump())


@pytest.mark.parametrize(
    "data",
    [
        {"type": "article"}, {"type": "paragraph"}, {}, [{"x": 1}], "text", None,
        {"type": "paragraph", "spans": 5}, {"type": "heading", "level": True, "spans": []},
        {"type": "list", "items": [{"type": "span", "text": "x"}]},
        {"type": "embed", "kind": "card", "url": "https://example.org/"},
    ],
)  # fmt: skip
def test_data_that_is_no_block_is_not_read(data):
    with pytest.raises(ValueError, match=r"\w"):
        from_data(data)


def test_a_rule_matches_only_the_omitted_blocks():
    base, _ = built()
    heading, letter = named(base, "The letter").id, named(base, LETTER).id
    both = base.suggest_rules(base.update_edit(Edit(), include={heading: False, letter: False}))
    assert {removal.selector for removal in both.values()} == {".entry"}
    one = base.suggest_rules(base.update_edit(Edit(), include={letter: False}))
    assert one[letter].selector == ".entry > p"
    assert (
        base.suggest_rules(
            base.update_edit(Edit(), include={named(base, "It was day 2").id: False})
        )
        == {}
    )
    more = named(base, "What follows").id
    assert (
        base.suggest_rules(base.update_edit(Edit(), include={more: True}))[more].selector
        == ".more > p"
    )
    last = [p for p in base.blocks if any(r.selector == "#coda" for r in p.rules)]
    assert len(last) == 1


def test_a_large_page_is_parted_in_bounded_time():
    rows = "".join(f"<div class='c{n} row'><p>{SENTENCE}{n}</p></div>" for n in range(3_000))
    base, article = built(
        story_page(extra=f"<section>{rows}</section>{'<div>' * 400}<p>{SENTENCE}")
    )
    assert base.apply(Edit()) == article
