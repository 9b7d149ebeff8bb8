"""The history of digests, in each kind of database."""

from contextlib import closing

from printer.crawl.near_duplicates import sketch
from printer.digest.selection import StoryHistory, StoryRecord

TEXT = "The ferry leaves the harbour at dawn, and nobody on the quay is ever late for it. " * 9


def test_stories_are_known_by_address_and_likeness(database):
    urls = ("https://example.org/a?utm_source=x", "https://example.org/canonical", "mid:1@a.test")
    with closing(StoryHistory(database)) as memory:
        memory.remember("week", [StoryRecord(urls, "Ferry", ("s1", "s2"), sketch(TEXT))], now=5.0)
        memory.remember(
            "week", [StoryRecord(urls[:1], "Ferry again", ("s3",), sketch(TEXT))], now=6.0
        )
        assert memory.find_by_url("week", ["https://EXAMPLE.org/a"]).title == "Ferry again"
        assert memory.find_by_url("week", ["mid:1@a.test"]).fingerprints == ("s1", "s2")
        assert memory.find_by_url("other", urls) is None
        assert memory.find_similar("week", sketch(TEXT + "One more word.")).title.startswith(
            "Ferry"
        )
        assert (
            memory.find_similar("week", sketch("Something else altogether, of bread and oven."))
            is None
        )
        assert memory.find_similar("other", sketch(TEXT)) is None


def test_an_update_that_is_forgotten_leaves_what_was_printed_before(database):
    urls = ("https://example.org/a", "https://example.org/canonical")
    with closing(StoryHistory(database)) as memory:
        memory.remember("week", [StoryRecord(urls, "Ferry", ("s1",), sketch(TEXT))], now=5.0)
        memory.remember("week", [StoryRecord(urls, "Ferry, updated", ("s2",))], now=6.0)
        memory.note_unchanged("week", urls[0], "s3")
        assert memory.find_by_url("week", urls).fingerprints == ("s2", "s3")
        memory.forget("week", 6.0)
        for url in urls:
            assert memory.find_by_url("week", [url]).title == "Ferry"
