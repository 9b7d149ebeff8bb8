"""The default extractor on pages of several kinds and scripts, and on hostile ones."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest

from printer.errors import UsageError
from printer.extraction import EXTRACTORS, select_segments
from printer.extraction.classifier.features import extract_features
from printer.extraction.classifier.model import (
    PAGE_KINDS,
    find_likely_runs,
    is_one_article,
    select,
)
from printer.html.page import Page, read_page
from printer.options import ExtractOptions
from printer.selection import Verdict

NEWS = [
    "The ferry that joins the two halves of Ostermouth will stop running in March, the harbour "
    "board said on Tuesday, after its engine failed an inspection for the third time.",
    "Some four hundred people cross on it every working day, most of them to the cannery on the "
    "north bank. The nearest bridge is eleven kilometres upstream.",
    "“We have known for years that this day would come,” said the board's chair. “What we did not "
    "know is that there would be no money for another boat.”",
    "A committee is to look into the price of a chain ferry, which needs no engine of its own and "
    "was good enough for the town until 1954. Its report is due in the autumn.",
    "Until then a bus will go round by the bridge every half hour. It takes fifty minutes; the "
    "ferry takes six.",
]
GREEK = [
    "Το φεριμπότ που ενώνει τις δύο όχθες της πόλης θα σταματήσει τον Μάρτιο, ανακοίνωσε την Τρίτη "
    "το λιμενικό συμβούλιο, επειδή η μηχανή του δεν πέρασε τον έλεγχο για τρίτη φορά.",
    "Περίπου τετρακόσιοι άνθρωποι περνούν κάθε μέρα απέναντι, οι περισσότεροι για τη δουλειά τους "
    "στο εργοστάσιο. Η πιο κοντινή γέφυρα είναι έντεκα χιλιόμετρα μακριά.",
    "Μια επιτροπή θα εξετάσει πόσο κοστίζει ένα πλοίο με αλυσίδα, που δεν χρειάζεται δική του "
    "μηχανή. Η έκθεσή της θα είναι έτοιμη το φθινόπωρο, είπε ο πρόεδρος.",
]
JAPANESE = [
    "町の南北を結ぶ渡し船が三月で運航を終えることになった。港湾委員会が火曜日に発表した。機関の検査に三度続けて通らなかったためだという。",
    "平日には一日およそ四百人がこの船で川を渡る。その多くは北岸の缶詰工場へ通う人たちである。もっとも近い橋までは十一キロも離れている。",
    "委員会は、自前の機関がいらない鎖船の費用を調べる。一九五四年までこの町で使われていた方式で、報告は秋にまとまる見通しだ。",
]
AROUND = [
    "Home", "Politics", "Sport", "Weather", "Share", "Sign up for our newsletter", "Most read",
    "All rights reserved.",
]  # fmt: skip


def news(paragraphs: list[str], title: str = "Ferry to stop in March") -> str:
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    return f"""<html><head><title>{title} - The Ostermouth Bell</title></head><body>
    <header class="site-header"><a href="/">The Ostermouth Bell</a>
    <nav><ul><li><a href="/">Home</a></li><li><a href="/p">Politics</a></li>
    <li><a href="/s">Sport</a></li><li><a href="/w">Weather</a></li></ul></nav></header>
    <main><article><h1>{title}</h1>
    <div class="social-share"><a href="#">Share</a> <a href="#">Post</a></div>
    <div class="article-body">{body}</div></article>
    <aside class="sidebar"><h3>Most read</h3><ul>
    <li><a href="/1">Cannery opens a third line</a></li>
    <li><a href="/2">Storm takes the roof off the old school</a></li></ul></aside></main>
    <div class="newsletter"><h4>Sign up for our newsletter</h4><form><input name=mail>
    <button>Subscribe</button></form></div>
    <footer><p>All rights reserved.</p><a href="/privacy">Privacy</a></footer></body></html>"""


def selected_texts(page: Page, verdict: Verdict) -> list[str]:
    return [s.text for s, keep in zip(page.segments, verdict.keep, strict=True) if keep]


@pytest.mark.parametrize(
    "paragraphs", [NEWS, GREEK, JAPANESE], ids=["english", "greek", "japanese"]
)
def test_a_story_is_selected_completely_without_its_surroundings(paragraphs: list[str]) -> None:
    page = read_page(news(paragraphs), "https://bell.example.org/ferry")
    verdict = select_segments(page, ExtractOptions())
    texts = selected_texts(page, verdict)
    assert [text for text in texts if text in paragraphs] == paragraphs
    assert not set(texts) & set(AROUND)
    assert 0.5 < verdict.confidence <= 1


def test_a_news_story_is_classified_as_an_article() -> None:
    assert select_segments(read_page(news(NEWS)), ExtractOptions()).kind == "article"


def test_a_verdict_carries_every_score() -> None:
    page = read_page(news(NEWS))
    verdict = select_segments(page, ExtractOptions())
    assert set(verdict.scores) == set(EXTRACTORS)
    for name, scores in verdict.scores.items():
        assert len(scores) == len(page.segments), name
    assert all(0 <= score <= 1 for score in verdict.scores["default"])
    assert verdict.kind in PAGE_KINDS


@pytest.mark.parametrize("name", [name for name in EXTRACTORS if name != "default"])
def test_a_papers_method_runs_alone(name: str) -> None:
    page = read_page(news(NEWS))
    verdict = select_segments(page, ExtractOptions(extractor=name))
    assert set(verdict.scores) == {name}
    assert verdict.keep == tuple(score > 0 for score in verdict.scores[name])
    assert NEWS[1] in selected_texts(page, verdict)


def test_an_unknown_extractor_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="max-subsequence"):
        select_segments(read_page(news(NEWS)), ExtractOptions(extractor="max-subsequences"))


@pytest.mark.parametrize("html", ["", "<html></html>", "<p></p>", "\x00", "<script>x</script>"])
def test_a_page_without_text_has_an_empty_verdict(html: str) -> None:
    verdict = select_segments(read_page(html), ExtractOptions())
    assert not any(verdict.keep)
    assert verdict.confidence == 0


def test_a_page_of_links_is_not_taken_for_an_article_with_confidence() -> None:
    links = "".join(f"<li><a href='/{n}'>Entry number {n} of the list</a></li>" for n in range(60))
    story = select_segments(read_page(news(NEWS)), ExtractOptions())
    listing = select_segments(
        read_page(f"<html><body><ul>{links}</ul></body></html>"), ExtractOptions()
    )
    assert listing.confidence < story.confidence


def test_the_same_page_gives_the_same_verdict() -> None:
    one, other = (select_segments(read_page(news(NEWS)), ExtractOptions()) for _ in range(2))
    assert one == other


def timed(html: str, runs: int = 3) -> float:
    """Return the least processor time of several runs that select a page's segments."""
    times = []
    for _ in range(runs):
        started = time.process_time()
        select_segments(read_page(html), ExtractOptions())
        times.append(time.process_time() - started)
    return min(times)


def test_time_grows_no_faster_than_the_page() -> None:
    once = timed(news(NEWS * 200))
    eightfold = timed(news(NEWS * 1600))
    assert eightfold < 20 * once + 0.1


@pytest.mark.parametrize(
    "html",
    [
        "<div>x" * 5_000,
        "<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">text",
        "<p class='" + "a-b_c " * 200_000 + "'>text",
        "<a href=#>" * 3_000 + "text",
        "x" * 2_000_000,
        "<p>.</p>" * 30_000,
    ],
    ids=["deep", "attributes", "classes", "links", "word", "dots"],
)
def test_hostile_pages_come_through_in_time(html: str) -> None:
    assert timed(html, runs=1) < 6


def test_extraction_imports_no_heavy_library() -> None:
    code = (
        "import sys; from printer import extract;"
        "print([m for m in ('lightgbm', 'weasyprint', 'playwright', 'PIL') if m in sys.modules])"
    )
    completed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert completed.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("other_score", "selected"),
    [(0.5, False), (0.9, True)],
    ids=["a list of other stories", "a part of the article"],
)
def test_runs_apart_from_the_article_are_kept_only_if_as_likely(
    other_score: float, selected: bool
) -> None:
    scores = np.array([0.95] * 6 + [0.1] * 20 + [other_score] * 3)
    runs = find_likely_runs(scores > 0.3, scores, np.full(len(scores), 30.0))
    assert [run.tolist() for run in runs] == [[*range(6)], [26, 27, 28]][: 1 + selected]


@pytest.mark.parametrize(
    ("title", "stories", "expected"),
    [("Ferry to stop in March", 0, True), ("Another title", 0, False), ("Ferry to stop in March", 20, False)],
    ids=["an article", "text without the title", "a list of stories"],
)  # fmt: skip
def test_one_run_of_prose_below_the_title_is_an_article(
    title: str, stories: int, expected: bool
) -> None:
    teasers = "".join(f"<div><h3>Story {at}</h3><p>{NEWS[0]}</p></div>" for at in range(stories))
    body = "".join(f"<p>{text}</p>" for text in NEWS[:3])
    page = read_page(f"<h1>Ferry to stop in March</h1>{body}{teasers}")
    context = extract_features(page, {})
    scores = np.full(len(context.texts), 0.95, np.float32)
    assert is_one_article(context, scores, scores > 0.5, title, 1) is expected


def test_long_comments_below_an_article_are_not_its_main_run() -> None:
    scores = np.array([0.98] * 5 + [0.1] * 7 + [0.6] * 60)
    runs = find_likely_runs(scores > 0.3, scores, np.full(len(scores), 30.0))
    assert [run.tolist() for run in runs] == [[*range(5)]]


def test_text_close_to_the_article_is_of_its_run() -> None:
    scores = np.array([0.95] * 6 + [0.1] * 3 + [0.5] + [0.95] * 3)
    runs = find_likely_runs(scores > 0.3, scores, np.full(len(scores), 30.0))
    assert [run.tolist() for run in runs] == [[*range(6), *range(9, 13)]]


def test_doubtful_text_is_selected_within_the_article_only() -> None:
    heading = "<h1>The ferry</h1>" + "".join(f"<p>{text}</p>" for text in NEWS)
    context = extract_features(read_page(heading + "<p>Last words.</p>"), {})
    scores = np.array([0.9, 0.95, 0.45, 0.95, 0.95, 0.95, 0.45], np.float32)
    kinds = np.array([name == "article" for name in PAGE_KINDS], float)
    assert select(context, scores, kinds).tolist() == [True] * 6 + [False]


def test_a_line_of_links_among_such_lines_is_one_of_them() -> None:
    lines = "".join(f"<p>{place}: <a href=/{place}>{place} harbour</a></p>" for place in "ABCD")
    context = extract_features(read_page("".join(f"<p>{t}</p>" for t in NEWS[:3]) + lines), {})
    scores = np.array([0.95] * 3 + [0.9, 0.55, 0.9, 0.55], np.float32)
    kinds = np.array([name == "article" for name in PAGE_KINDS], float)
    assert select(context, scores, kinds).tolist() == [True] * 6 + [False]
