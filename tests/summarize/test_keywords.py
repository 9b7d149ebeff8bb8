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


def by_paper(paragraphs, query="", **options):
    return build_profile(paragraphs, Tokenizer("en"), query, **options)


def test_a_table_worked_by_hand():
    found = by_paper(BRIDGE)
    table = {term.word: (term.frequency, term.locations) for term in found.terms}
    # 'boats' and 'carries' appear twice only: below the paper's criterion of three.
    assert table == {
        "river": (4, (0, 3, 4)),
        "town": (3, (0, 3, 4)),
        "bridge": (3, (0, 1, 3)),
    }
    # S_j counts each worth term once in a paragraph, however often it occurs.
    assert found.sums == (3, 1, 0, 3, 2)
    assert found.keys == (0, 3, 4)  # the mean is 1.8
    assert found.keywords == ("river", "town", "bridge")


def test_the_criterion_on_sums_can_be_given():
    assert by_paper(BRIDGE, threshold=2).keys == (0, 3)


def test_the_criterion_on_frequency_falls_until_a_term_reaches_it():
    found = by_paper(["One lonely lighthouse.", "Nothing else."])
    assert [term.word for term in found.terms][:2] == ["lonely", "lighthouse"]
    assert found.keys == (0,)


def test_terms_of_the_query_are_worth_and_count_double():
    found = by_paper(BRIDGE, query="What of the ferries?")
    assert "ferry" in found.keywords
    assert found.sums == (3, 1, 0, 3, 4)


def test_a_long_paragraph_is_not_best_for_its_length_alone():
    rambling = " ".join(f"word{n}" for n in range(200)) + " bridge river town"
    chosen = by_paper([*BRIDGE, rambling]).best(2)
    assert 5 not in chosen


def test_paragraphs_without_worth_terms_are_never_chosen():
    assert by_paper(BRIDGE).best(5) == (0, 1, 3, 4)


def test_nothing_gives_an_empty_profile():
    found = by_paper([])
    assert (found.terms, found.sums, found.keys, found.keywords, found.best(3)) == ((),) * 5


@given(st.lists(st.text(alphabet="abcdefgh .", max_size=60), max_size=12), st.integers(0, 5))
def test_sums_count_the_terms_of_each_paragraph(paragraphs, count):
    found = build_profile(paragraphs, Tokenizer(), min_frequency=2)
    for place, total in enumerate(found.sums):
        assert total == sum(place in term.locations for term in found.terms)
    assert len(found.best(count)) <= count
    assert set(found.best(count)) <= set(range(len(paragraphs)))
