"""Scores of links: relevance to a query, and likeness to an article."""

from hypothesis import given, settings
from hypothesis import strategies as st

from printer.crawl.crawler import Query, article_likeness, score_link, url_words
from printer.crawl.frontier import is_trap, url_pattern
from tests.support.crawl_sites import TOPICS, article_text, title_of


def of(query, number, topic):
    text = "\n".join(article_text(number, topic))
    return query.text_relevance(title_of(number, topic), text, "en")


def test_articles_about_it_score_above_all_others():
    query = Query("railway stations and platforms")
    about = [of(query, n, "railway") for n in range(20)]
    other_topics = [
        of(query, n, topic) for n in range(20) for topic in TOPICS if topic != "railway"
    ]
    assert min(about) > max(other_topics)
    assert max(other_topics) < 0.1


def test_words_are_compared_by_their_stems_in_the_page_s_language():
    assert Query("printing").word_share("How pages are printed", "en") == 1
    assert Query("Fähre").word_share("zwei Fähren", "de-AT") == 1
    assert Query("灯台").word_share("灯台の光", "ja") > 0


def test_a_query_of_stop_words_alone_still_asks_for_something():
    assert Query("to be or not to be").terms("en")


@settings(deadline=None)
@given(st.text(max_size=300), st.text(max_size=60), st.sampled_from(["en", "de", "ja", "", "xx"]))
def test_relevance_is_from_0_to_1(text, words, language):
    query = Query(words)
    assert 0 <= query.text_relevance(text[:50], text, language) <= 1
    assert 0 <= query.word_share(text, language) <= 1


def test_addresses_that_look_like_articles():
    story = article_likeness(
        "https://a.test/2026/05/the-late-ferry-is-early", "The late ferry is early"
    )
    assert story > 0.7
    for url, words in [
        ("https://a.test/login", "Sign in"), ("https://a.test/tag/ferry", "ferry"),
        ("https://a.test/", "Home"), ("https://a.test/?sort=1&page=2&view=3", "3"),
    ]:  # fmt: skip
        assert article_likeness(url, words) < 0.3 < story, url


def test_best_first_goes_by_words_and_by_the_page_that_links():
    query = Query("railway station")
    by_words = score_link(query, "https://a.test/1", "The railway station", "en", 0.0, 3)
    by_page = score_link(query, "https://a.test/2", "More", "en", 0.9, 3)
    neither = score_link(query, "https://a.test/3", "Cakes for all of us today", "en", 0.0, 1)
    assert by_words > by_page > neither


def test_without_a_query_near_links_come_first():
    near = score_link(Query(""), "https://a.test/x", "", "", 0.0, 1)
    far = score_link(
        Query(""), "https://a.test/2026/01/a-long-name-of-a-story", "A long name", "", 0, 2
    )
    assert near > far


def test_the_words_of_an_address():
    assert url_words("https://a.test/News_of/the-late%20ferry2026.html?q=tide") == (
        "News of the late ferry 2026 html q tide"
    )


def test_addresses_of_one_pattern_have_one_shape():
    same = [
        ("https://a.test/calendar/2026/11/", "https://a.test/calendar/1999/2/"),
        ("https://a.test/list?page=2", "https://a.test/list?page=917"),
        (
            "https://a.test/2026/05/the-late-ferry",
            "https://a.test/2025/12/a-very-long-name-of-a-story",
        ),
        ("https://a.test/item-12-blue.html", "https://a.test/item-9-red.html"),
    ]
    for one, other in same:
        assert url_pattern(one) == url_pattern(other), one
    other = [
        ("https://a.test/garden/1", "https://a.test/harbour/1"),
        ("https://a.test/list?page=2", "https://a.test/list?sort=2"),
        ("https://a.test/1", "https://b.test/1"),
    ]
    for one, another in other:
        assert url_pattern(one) != url_pattern(another), one


def test_traps_are_seen_by_their_address():
    assert is_trap("https://a.test/" + "a" * 1000)
    assert is_trap("https://a.test/" + "a/b/" * 8)
    assert is_trap("https://a.test/x/y/x/z/x/")
    assert is_trap("https://a.test/?" + "&".join(f"p{n}=1" for n in range(9)))
    assert not is_trap("https://a.test/2026/05/05/the-late-ferry?page=2")


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_path_has_a_shape(path):
    assert len(url_pattern(f"https://a.test/{path}".replace("[", "").replace("]", ""))) == 32
