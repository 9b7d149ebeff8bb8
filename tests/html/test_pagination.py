import pytest

from printer.html.page import next_page_url, read_page, split_page_number


def page(url, *links):
    head = "".join(link for link in links if link.startswith("<link"))
    body = "".join(link for link in links if link.startswith("<a"))
    return read_page(f"<html><head>{head}</head><body><p>Text</p>{body}</body></html>", url)


@pytest.mark.parametrize(
    ("url", "stem", "number"),
    [
        ("https://example.org/story", "https://example.org/story", 1),
        ("https://example.org/story/2", "https://example.org/story", 2),
        ("https://example.org/story/page/3/", "https://example.org/story", 3),
        ("https://example.org/story/seite-2", "https://example.org/story", 2),
        ("https://example.org/story-2.html", "https://example.org/story", 2),
        ("https://example.org/story.html", "https://example.org/story", 1),
        ("https://example.org/story?page=4&x=1", "https://example.org/story?x=1", 4),
        ("https://example.org/2024/05/story", "https://example.org/2024/05/story", 1),
    ],
)
def test_an_address_is_parted_from_its_page_number(url, stem, number):
    assert split_page_number(url) == (stem, number)


@pytest.mark.parametrize(
    ("url", "link", "follows"),
    [
        ("https://example.org/story", '<link rel="next" href="/story?page=2">', "/story?page=2"),
        ("https://example.org/story/2", '<a rel="next" href="3">', "/story/3"),
        ("https://example.org/story.html", '<a href="story-2.html#top">2</a>', "/story-2.html"),
        ("https://example.org/story?id=9", '<a href="?id=9&page=2">2</a>', "/story?id=9&page=2"),
    ],
)
def test_the_next_page_is_found(url, link, follows):
    assert next_page_url(page(url, link)) == f"https://example.org{follows}"


@pytest.mark.parametrize(
    "link",
    [
        '<link rel="next" href="/another-story">',
        '<a rel="next" href="https://elsewhere.test/story/2">Next</a>',
        '<a href="/story/7">7</a>',
        '<a href="/other/2">2</a>',
        '<a rel="next" href="javascript:next()">Next</a>',
        '<a rel="next" href="http://[broken/2">Next</a>',
    ],
)
def test_another_article_is_not_taken_for_the_next_page(link):
    assert next_page_url(page("https://example.org/story", link)) == ""


def test_a_local_file_has_no_next_page():
    assert next_page_url(page("", '<a rel="next" href="2">2</a>')) == ""
