"""Harder copies of pages: they keep the article's text, and gain text from other pages."""

from __future__ import annotations

from benchmarks.augment import Donors, Story, collect, harder, harder_copies
from benchmarks.corpus import Sample
from printer.html.page import read_page

PARAGRAPHS = [
    "The lamp room was cleaned every morning before the keeper had his first cup of tea.",
    "At noon the glass was turned, and the brass was polished until the harbour could be seen.",
    "No ship was lost on the reef in all the years in which the light was tended by hand.",
]
OTHER_STORIES = [
    Story(
        f"Story {number} of the coast", (f"Other text {number} about nets and the price of cod.",)
    )
    for number in range(8)
]
PAGE = (
    '<html lang="en"><head><meta name="author" content="A. Keeper"></head><body>'
    '<nav class="menu"><a href="/">Home</a></nav><main><article class="story"><h1>The lamp room</h1>'
    + "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
    + '</article></main><aside class="rules"><p>Comments that insult other readers of this page are '
    "removed, and their authors are banned for a week.</p></aside></body></html>"
)


def _texts(html: bytes | str) -> list[str]:
    return [segment.text for segment in read_page(html).segments]


def _sample(name: str) -> Sample:
    text = "\n".join(PARAGRAPHS)
    return Sample("wcxb", name, f"https://{name}.example/", "article", PAGE.encode(), text,
                  title="The lamp room")  # fmt: skip


def test_every_copy_has_all_of_the_text() -> None:
    for seed in map(str, range(40)):
        text = " ".join(_texts(harder(PAGE, "\n".join(PARAGRAPHS), Donors(OTHER_STORIES), seed)))
        assert all(paragraph in text for paragraph in PARAGRAPHS), seed


def test_copies_lose_markup_and_gain_other_stories() -> None:
    copies = [
        harder(PAGE, "\n".join(PARAGRAPHS), Donors(OTHER_STORIES), str(seed)) for seed in range(40)
    ]
    assert any(b"class=" not in copy for copy in copies)
    assert any(b"<article" not in copy for copy in copies)
    assert any(b"A. Keeper" not in copy for copy in copies)
    assert any(b"<table" in copy for copy in copies)
    assert any(b"Other text" in copy for copy in copies)


def test_a_copy_is_the_same_every_time() -> None:
    donors = Donors(OTHER_STORIES, ["<div>a box</div>"])
    assert harder(PAGE, PARAGRAPHS[0], donors, "seed") == harder(
        PAGE, PARAGRAPHS[0], donors, "seed"
    )


def test_donors_have_boxes_without_text_of_their_article() -> None:
    (donors,) = collect([_sample("one")]).values()
    assert donors.stories == [Story("The lamp room", tuple(PARAGRAPHS))]
    assert ["insult" in box for box in donors.boxes] == [True]
    assert not any(paragraph in box for box in donors.boxes for paragraph in PARAGRAPHS)


def test_only_pages_with_an_answer_are_copied() -> None:
    pages = [_sample("one"), Sample("traf", "two", "", "article", PAGE.encode())]
    copies = list(harder_copies(pages, collect(pages)))
    assert [(copy.id, copy.copy) for copy in copies] == [("one", True)]
