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
