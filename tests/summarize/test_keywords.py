"""Khade et al., section III D: worth terms, the term and location table, S_j, key paragraphs."""

from hypothesis import given
from hypothesis import strategies as st

from printer.summarize import Tokenizer, build_profile

BRIDGE = [
    "The town opened its new bridge over the river on Monday.",  # town bridge river (monday)
    "Builders joined the bridge in two years.",  # bridge
    "Rain fell all through the ceremony.",  # -
    "The river had cut the town in half; the bridge carries cars, the river carries boats.",
    "A ferry will cross the river until the town sells its boats.",
]


def by_paper(paragraphs, query=""):
    return build_profile(paragraphs, Tokenizer("en"), query)


def test_a_table_worked_by_hand():
    profile = by_paper(BRIDGE)
    # 'boats' and 'carries' appear twice only: below the paper's criterion of three.  S_j counts
    # each worth term once in a paragraph, however often it occurs.
    assert profile.sums == (3, 1, 0, 3, 2)
    # The key paragraphs are those over the mean of 1.8, the most frequent term comes first.
    assert profile.keywords == ("river", "town", "bridge")


def test_the_criterion_on_frequency_falls_until_a_term_reaches_it():
    profile = by_paper(["One lonely lighthouse.", "Nothing else."])
    assert profile.sums == (2, 0)
    assert profile.keywords == ("lonely", "lighthouse")


def test_terms_of_the_query_are_worth_and_count_double():
    profile = by_paper(BRIDGE, query="What of the ferries?")
    assert "ferry" in profile.keywords
    assert profile.sums == (3, 1, 0, 3, 4)


def test_a_long_paragraph_is_not_best_for_its_length_alone():
    rambling = " ".join(f"word{n}" for n in range(200)) + " bridge river town"
    chosen = by_paper([*BRIDGE, rambling]).best(2)
    assert 5 not in chosen


def test_paragraphs_without_worth_terms_are_never_chosen():
    assert by_paper(BRIDGE).best(5) == (0, 1, 3, 4)


def test_nothing_gives_an_empty_profile():
    profile = by_paper([])
    assert (profile.sums, profile.keywords, profile.best(3)) == ((), (), ())


@given(st.lists(st.text(alphabet="abcdefgh .", max_size=60), max_size=12), st.integers(0, 5))
def test_no_more_paragraphs_are_chosen_than_the_limit(paragraphs, count):
    profile = build_profile(paragraphs, Tokenizer())
    assert len(profile.sums) == len(profile.lengths) == len(paragraphs)
    assert len(profile.best(count)) <= count
    assert set(profile.best(count)) <= set(range(len(paragraphs)))
