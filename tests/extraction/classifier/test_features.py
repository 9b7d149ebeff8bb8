"""The parts of the default extractor: characters, cues, forests, the choice."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from benchmarks.model_file import dump_model
from printer.extraction.classifier import lexical as ch
from printer.extraction.classifier.features import (
    FeatureContext,
    enclosing_elements,
    extract_features,
)
from printer.extraction.classifier.lexical import (
    NameTable,
    TokenPriors,
    name_odds,
    read_names,
    split_names,
    word_odds,
)
from printer.extraction.classifier.model import (
    BoostedTrees,
    ClassifierModel,
    combine_scores,
    maximize_expected_f1,
    segment_features,
    suppress_duplicates,
)
from printer.extraction.classifier.network import NetworkEnsemble
from printer.extraction.extract import score_segments
from printer.html.page import read_page


def reading(body: str) -> FeatureContext:
    page = read_page(f"<html><body>{body}</body></html>")
    return extract_features(page, score_segments(page))


def column(page: FeatureContext, name: str) -> list[float]:
    return page.columns.values[page.columns.names.index(name)].tolist()


def test_characters_of_any_script_have_their_kinds() -> None:
    kinds = [ch.character_class(ord(char)) for char in "Aaж東9.。,،:'$ |"]
    assert kinds == [
        ch.UPPER, ch.LETTER, ch.LETTER, ch.IDEOGRAPH, ch.DIGIT, ch.STOP, ch.STOP, ch.COMMA,
        ch.COMMA, ch.COLON, ch.QUOTE, ch.CURRENCY, ch.SPACE, ch.MARK,
    ]  # fmt: skip


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=6))
def test_counts_add_up_to_the_characters(texts: list[str]) -> None:
    table, kinds, starts = ch.count_characters(texts)
    assert table[:, : ch.CLASSES].sum(1).tolist() == [len(text) for text in texts]
    for row, text, start in zip(table, texts, starts, strict=True):
        alone = kinds[start : start + len(text)].tolist()
        assert alone == [ch.character_class(ord(char)) for char in text]
        assert row[ch.WORDS] <= len(text)
        assert row[ch.CAPITALIZED] <= row[ch.UPPER]


def test_words_and_capitals_are_counted_in_each_text_alone() -> None:
    table, _, _ = ch.count_characters(["Two Words", "and then 3 more", "東京"])
    assert table[:, ch.WORDS].tolist() == [2, 4, 1]
    assert table[:, ch.CAPITALIZED].tolist() == [2, 0, 0]


def test_names_are_read_whole_and_in_parts() -> None:
    parts = split_names("entry-content sideBarLeft", "div")
    assert set(parts) >= {"<div>", ".entry-content", ".sidebarleft", "entry", "content", "side"}
    assert max(map(len, split_names("x" * 5_000, "div"))) <= 300


def test_unknown_names_and_words_say_nothing() -> None:
    named = NameTable([(), ("<p>", ".lead"), ("<p>", ".zzz")], [0, 1, 2])
    assert name_odds(named, {".lead": 2.0, "<p>": 1.0}).tolist() == [
        [0, 0, 0],
        [0, 2, 1.5],
        [0, 1, 1],
    ]
    assert word_odds([["share", "this"], [], ["ziz"]], {"share": -3.0}).tolist() == [
        [-3, 0, -1.5],
        [0, 0, 0],
        [0, 0, 0],
    ]


def test_names_of_inline_elements_and_empty_ones_are_left_out() -> None:
    page = read_page("<div class=a><b class=b>x</b></div><div class=c></div>")
    all_names = {name for names in read_names(page.index).names for name in names}
    assert {".a"} <= all_names
    assert not all_names & {".b", ".c"}


def test_containers_widen_outward_only_where_they_hold_more() -> None:
    page = reading("<main><div><div><p>one</p></div></div><p>two</p></main><p>three</p>")
    block, wider, widest = enclosing_elements(page, 3)
    sizes = [(page.ends[level] - page.begins[level]).tolist() for level in (block, wider, widest)]
    assert sizes == [[1, 1, 1], [2, 2, 3], [3, 3, 3]]


def test_features_see_links_copies_headings_and_similar_elements() -> None:
    page = reading(
        "<h1>Head</h1><p class=x>word <a href=/>link</a></p><p class=x>again</p><p>again</p>"
    )
    assert column(page, "link share") == pytest.approx([0, 4 / 9, 0, 0])
    assert column(page, "copies") == [1, 1, 2, 2]
    assert column(page, "copy") == [0, 0, 0, 1]
    assert column(page, "since heading") == [0, 1, 2, 3]
    assert column(page, "similar size") == [1, 2, 2, 1]


def test_features_are_finite_on_odd_pages() -> None:
    for body in (
        "x",
        "<p>—</p>",
        "<p>\u200b</p><p>。</p>",
        "<a href=#>a</a>" * 9,
        "<td>" * 50 + "z",
    ):
        page = reading(body)
        assert np.isfinite(segment_features(page, TokenPriors({}, {}, {}))).all()


def test_the_networks_count_beside_the_forest_where_they_saw() -> None:
    forest = np.array([0.01, 0.2, 0.9], np.float32)
    plausible = forest > 0.1
    same = combine_scores(forest, plausible, [forest[plausible]] * 2)
    assert same == pytest.approx(forest)
    more = combine_scores(forest, plausible, [np.array([0.9, 0.9]), np.array([1.0, 1.0])])
    assert more[0] == forest[0]
    assert (more[1:] > forest[1:]).all()
    assert (more <= 1).all()
    assert combine_scores(forest, forest > 1, []) == pytest.approx(forest)


@given(
    hnp.arrays(np.float32, (7, 4), elements=st.floats(-3, 3, width=32)),
    hnp.arrays(np.int32, (3, 7), elements=st.integers(0, 3)),
    hnp.arrays(np.float32, (3, 7), elements=st.floats(-3, 3, width=32)),
    hnp.arrays(np.float32, (3, 8), elements=st.floats(-3, 3, width=32)),
)
def test_forests_agree_with_walking_each_tree(
    rows: np.ndarray, feature: np.ndarray, threshold: np.ndarray, leaf: np.ndarray
) -> None:
    def walk(row: np.ndarray) -> float:
        total = 0.0
        for tree in range(len(feature)):
            node = 0
            while node < feature.shape[1]:
                node = 2 * node + 1 + int(row[feature[tree, node]] > threshold[tree, node])
            total += float(leaf[tree, node - feature.shape[1]])
        return 1 / (1 + np.exp(-total))

    forest = BoostedTrees(feature, threshold, leaf)
    assert forest.predict(rows) == pytest.approx([walk(row) for row in rows], abs=1e-5)


def test_long_pages_are_predicted_in_parts_alike() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(2500, 5)).astype(np.float32)
    forest = BoostedTrees(
        rng.integers(0, 5, (4, 7)).astype(np.int32),
        rng.normal(size=(4, 7)).astype(np.float32),
        rng.normal(size=(4, 8)).astype(np.float32),
    )
    in_parts = np.concatenate([forest.predict(rows[i : i + 100]) for i in range(0, 2500, 100)])
    assert forest.predict(rows) == pytest.approx(in_parts)


def test_the_choice_maximises_expected_f1() -> None:
    sizes = np.array([50.0, 40, 30, 5])
    keep = maximize_expected_f1(np.array([0.95, 0.9, 0.1, 0.9]), sizes, 1.0)
    assert keep.tolist() == [True, True, False, True]
    # A doubtful half of the page is worth keeping, unless one is to be cautious.
    doubtful = np.array([0.95, 0.48, 0.02, 0.9])
    assert maximize_expected_f1(doubtful, sizes, 1.0)[1]
    assert not maximize_expected_f1(doubtful, sizes, 1.7)[1]


def test_of_copies_in_different_places_the_likeliest_is_kept() -> None:
    same = "<p>the very same words once more</p>"
    page = reading(f"<div>{same}{same}</div><section>{same}</section>")
    likely = np.array([0.4, 0.4, 0.9])
    suppress_duplicates(page, likely)
    assert likely.tolist() == [0, 0, 0.9]
    together = np.array([0.9, 0.8, 0.1])
    suppress_duplicates(page, together)
    assert together.tolist() == [0.9, 0.8, 0]


def test_of_two_copies_the_visible_one_stays() -> None:
    code = "ring the bell at the pier"
    page = reading(f"<div><pre>{code}</pre></div><p style='display:none'>{code}</p>")
    for hidden, expected in ((0.75, [0.7, 0]), (0.95, [0, 0.95])):
        likely = np.array([0.7, hidden])
        suppress_duplicates(page, likely, 1)
        assert likely.tolist() == expected


def test_a_refrain_in_another_stanza_is_read_again() -> None:
    stanza = "<div><p>{} and a second line of this stanza alone</p><p>la la la la la, la</p></div>"
    page = reading("".join(map(stanza.format, ("The first line", "Another line", "A last one"))))
    likely = np.array([0.9, 0.9, 0.9, 0.85, 0.3, 0.85])
    suppress_duplicates(page, likely)
    assert likely.tolist() == [0.9, 0.9, 0.9, 0.85, 0.3, 0]


def test_a_command_or_list_that_another_section_repeats_is_read_again() -> None:
    section = (
        "<section><p>{} words that only this section has</p><div><pre>{}</pre></div></section>"
    )
    same = "clone the public repository into review"
    page = reading("".join(section.format(name, same) for name in ("First", "Second")))
    likely = np.full(4, 0.9)
    suppress_duplicates(page, likely)
    assert likely.tolist() == [0.9] * 4


def test_a_second_copy_of_a_whole_box_is_dropped() -> None:
    box = "<div><p>a first line of five words</p><p>and a second line of words</p></div>"
    likely = np.full(4, 0.9)
    suppress_duplicates(reading(box + box), likely)
    assert sorted(likely.tolist()) == [0, 0, 0.9, 0.9]


def test_a_model_survives_its_file() -> None:
    forest = BoostedTrees(
        np.array([[1, 0, 3]], np.int32),
        np.array([[0.1, np.inf, -2]], np.float32),
        np.array([[1, 2, 3, 4]], np.float32),
    )
    known = TokenPriors({".ähre": 1.5}, {".x": 3.0}, {"and": -0.25})
    nets = NetworkEnsemble(*(np.ones((2, 3), np.float32) for _ in fields(NetworkEnsemble)))
    model = ClassifierModel(known, forest, nets, forest, forest)
    read_back = ClassifierModel.load(dump_model(model))
    assert read_back.priors == known
    forests = (model.segments, read_back.segments), (model.confidence, read_back.confidence)
    for one, other in forests:
        assert (one.feature == other.feature).all()
        assert (one.threshold == other.threshold).all()
        assert (one.leaf == other.leaf).all()
    assert (model.networks.outer == read_back.networks.outer).all()
    assert dump_model(model) == dump_model(read_back)


def test_the_words_of_scripts_without_spaces_are_pairs_of_letters():
    assert ch.leading_words(["関連記事 Read", "写", "«The» ferry:"]) == [
        ["関連", "連記", "記事", "read"],
        ["写"],
        ["the", "ferry"],
    ]
    assert len(ch.leading_words(["船" * 100])[0]) == 14
