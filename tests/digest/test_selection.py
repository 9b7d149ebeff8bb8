from datetime import timedelta
from html import escape

import pytest

from printer.digest import builder, selection
from printer.digest.builder import (
    MAX_CONNECTIONS,
    MAX_CONNECTIONS_PER_HOST,
    MAX_TIMEOUTS,
    Collector,
)
from printer.digest.selection import StoryCandidate
from printer.errors import FetchTimeout, HTTPStatusError
from tests.support.feeds import atom, body, moment, page, rss

NOW = moment(3, 6)


def titles(listed):
    """The titles of what was chosen, in order."""
    issue = getattr(listed, "issue", listed)
    return [story.article.title for story in issue.stories]


def feed(web, path, *entries, name="News", extra=""):
    return f'[[digest.source]]\nfeed = "{web.add(path, rss(name, entries))}"\n{extra}\n'


def entry(web, title, day=3, seed="", **more):
    path = "/" + title.lower().replace(" ", "-")
    web.add(path, page(title, seed, **more))
    return (title, path, moment(day, 1))


def reasons(issue):
    return {rejected.candidate.title: rejected.reason for rejected in issue.rejected}


def test_filters_age_and_language_say_why(web, desk):
    german = "Die Fähre legt am Morgen ab, und niemand am Kai kommt je zu spät zu ihr. "
    article = f"<article><h1>Die Fähre</h1>{f'<p>{german * 4}</p>' * 3}</article>"
    web.add("/german", f"<html lang=de><title>Die Fähre</title>{article}")
    entries = [
        entry(web, "Ferry late"),
        entry(web, "Sponsored ferry"),
        entry(web, "Old ferry", day=0),
        ("Die Fähre", "/german", moment(3, 2)),
        entry(web, "Trams"),
    ]
    more = 'age = "2d"\nexclude = "sponsored"\ninclude = ["ferry", "/fähre$/"]\nlanguage = "en"\n'
    issue = desk.issue(desk.digest(more + feed(web, "/f", *entries)), NOW)
    assert titles(issue) == ["Ferry late"]
    reasons_by_title = reasons(issue)
    assert reasons_by_title["Sponsored ferry"] == "contains sponsored"
    assert reasons_by_title["Old ferry"] == "is older than 2 days"
    assert "another language (de)" in reasons_by_title["Die Fähre"]
    assert reasons_by_title["Trams"].startswith("contains none of ferry")


def test_a_query_chooses_and_orders(web, desk):
    def about(title, words, day):
        web.add(f"/{title}", page(title, extra=f"<p>{words} and some more to read here.</p>"))
        return (title, f"/{title}", moment(day, 1))

    entries = [
        about("first", "A lighthouse stood here", 3),
        about("second", "Nothing of it", 3),
        about("third", "Lighthouses, the lighthouse keeper, and his lighthouse", 1),
    ]
    digest = desk.digest('query = "lighthouse keepers"\n' + feed(web, "/f", *entries))
    issue = desk.issue(digest, NOW)
    assert titles(issue) == ["third", "first"]
    assert "does not match the query" in reasons(issue)["second"]


def test_the_text_of_the_feed_stands_in_for_a_page_that_gives_less(web, desk):
    def item(path, text):
        full = f"<c:encoded><![CDATA[{text}]]></c:encoded>"
        return f"<item><title>{path}</title><link>/{path}</link>{full}</item>"

    web.add("/short", "<title>short</title><article><p>Subscribe to read the rest.</p></article>")
    web.add("/full", page("full"))
    items = "".join(item(path, body(path)) for path in ("short", "full", "gone"))
    head = "<rss version='2.0' xmlns:c='http://purl.org/rss/1.0/modules/content/'><channel>"
    url = web.add("/f", f"{head}<title>N</title>{items}</channel></rss>")
    issue = desk.issue(desk.digest(f'[[digest.source]]\nfeed = "{url}"'), NOW)
    assert titles(issue) == ["short", "full", "gone"]
    assert all(len(story.article.text) > 500 for story in issue.stories)
    assert not issue.problems


def test_with_body_feed_no_page_is_fetched(web, desk):
    content = f"<content type='html'>{escape(body('A'))}</content>"
    entry = f"<entry><title>A</title><link href='/a'/>{content}</entry>"
    url = web.add("/f", f"<feed xmlns='http://www.w3.org/2005/Atom'>{entry}</feed>")
    issue = desk.issue(desk.digest(f'body = "feed"\n[[digest.source]]\nfeed = "{url}"'), NOW)
    assert titles(issue) == ["A"]
    assert not web.hits("/a")


def test_one_story_of_several_feeds_is_printed_once_in_its_best_version(web, other_web, desk):
    short = entry(web, "Storm", seed="storm")
    other_web.add("/storm", page("The storm", "storm", "<p>What the harbour master says.</p>"))
    long = other_web.add("/g", rss("Coast", [("The storm", "/storm", moment(3, 1))]))
    same = rss("Again", [("Storm", f"{web.url}/storm?utm_medium=x", moment(3, 1))])
    text = feed(web, "/f", short) + f'[[digest.source]]\nfeed = "{long}"\n'
    text += f'[[digest.source]]\nfeed = "{web.add("/h", same)}"\n'
    issue = desk.issue(desk.digest(text), NOW)
    assert titles(issue) == ["The storm"]
    assert sorted(other.source_name for other in issue.stories[0].duplicates) == ["Again", "News"]
    assert len(web.hits("/storm")) == 1


def test_a_reading_list_page_is_not_reported_at_its_own_address(web, desk, tmp_path):
    text = feed(web, "/f", entry(web, "Storm", seed="storm"))
    text += '[[digest.source]]\nreading-list = "default"\n'
    (tmp_path / "later.txt").write_text(f"{web.url}/storm\n")
    issue = desk.issue(desk.digest(text), NOW)
    assert [other.url for other in issue.stories[0].duplicates] == [f"{web.url}/storm"]
    assert issue.edition.stories[0].also == ()


def test_an_article_that_cannot_be_set_is_named_and_may_come_again(web, desk):
    digest = desk.digest(feed(web, "/f", entry(web, "Ferry"), entry(web, "Bridge")))
    desk.too_hard = "Bridge</h1>"
    run = desk.run(digest, NOW)
    assert titles(run) == ["Ferry"]
    assert run.issue.problems == (("Bridge", "it is too hard"),)
    assert "it is too hard" in "".join(desk.documents)
    desk.too_hard = ""
    assert titles(desk.run(digest, NOW)) == ["Bridge"]


def test_sources_fail_alone_and_all_together_are_an_error(web, desk):
    good = feed(web, "/f", entry(web, "Ferry"))
    missing = f'[[digest.source]]\nfeed = "{web.url}/gone"\nname = "Gone"\n'
    run = desk.run(desk.digest(good + missing), NOW)
    assert titles(run) == ["Ferry"]
    assert [name for name, _ in run.issue.problems] == ["Gone"]
    assert "Gone" in "".join(desk.documents)
    assert "404" in "".join(desk.documents)
    with pytest.raises(HTTPStatusError):
        desk.run(desk.digest(missing), NOW)


def test_a_page_without_an_article_is_reported_and_tried_again(web, desk):
    web.add("/empty", "<title>Empty</title><body></body>")
    digest = desk.digest(feed(web, "/f", ("Empty", "/empty", moment(3, 1))))
    assert desk.run(digest, NOW).issue.problems == (("Empty", "the page has no article"),)
    web.add("/empty", page("Empty"))
    assert titles(desk.run(digest, NOW)) == ["Empty"]


def test_a_sign_in_page_is_not_printed_as_an_article(web, desk):
    form = "<h1>Log in</h1><p>Welcome to the Tide.</p><form><input type=password></form>"
    web.add("/closed", f"<title>Log in</title><body>{form}</body>")
    digest = desk.digest(feed(web, "/f", ("Closed", "/closed", moment(3, 1)), entry(web, "Ferry")))
    run = desk.run(digest, NOW)
    assert titles(run) == ["Ferry"]
    assert run.issue.problems == (("Closed", "this looks like a sign-in page"),)


def test_limits_leave_the_rest_for_the_next_time(web, desk):
    entries = [entry(web, f"Story {n}", day=n) for n in (1, 2, 3)]
    digest = desk.digest("limit = 2\n" + feed(web, "/f", *entries))
    assert titles(desk.run(digest, NOW)) == ["Story 3", "Story 2"]
    assert titles(desk.run(digest, NOW)) == ["Story 1"]


def test_a_digest_fits_its_pages_and_remembers_cut_stories(web, desk):
    entries = [entry(web, f"Story {n}", day=n) for n in (1, 2, 3)]
    digest = desk.digest("fit = 3\n" + feed(web, "/f", *entries))
    run = desk.run(digest, NOW)  # A page each and one more: two of them fit.
    assert titles(run) == ["Story 3", "Story 2"]
    assert "does not fit" in run.issue.problems[0][1]
    assert titles(desk.run(digest, NOW + timedelta(days=1))) == ["Story 1"]


def test_an_issue_that_never_fits_has_its_printed_stories(web, desk, monkeypatch):
    monkeypatch.setattr(builder, "_MAX_CUTS", 1)
    entries = [entry(web, f"Story {n}", day=n) for n in (1, 2, 3)]
    run = desk.run(desk.digest("fit = 1\n" + feed(web, "/f", *entries)), NOW)
    assert titles(run) == ["Story 3", "Story 2", "Story 1"]
    assert not run.issue.problems


def test_a_canonical_address_of_the_same_story_is_known(web, desk):
    canonical = f"<link rel=canonical href={web.url}/story>"
    web.add("/mobile", page("Story", head=canonical))
    first = desk.digest(feed(web, "/f", ("Story", "/mobile", moment(3, 1))))
    assert titles(desk.run(first, NOW)) == ["Story"]
    web.add("/story", page("Story", "story", head=canonical))
    again = desk.digest(feed(web, "/f", ("Story", "/story", moment(3, 1))))
    run = desk.run(again, NOW)
    assert not run.issue.stories


def test_a_feed_may_not_name_private_addresses_of_others(web, other_web, desk):
    secret = other_web.add("/secret", page("Secret"))
    digest = desk.digest(feed(web, "/f", ("Secret", secret, moment(3, 1)), entry(web, "Ferry")))
    run = desk.run(digest, NOW)
    assert titles(run) == ["Ferry"]
    assert "private" in run.issue.problems[0][1] or "local" in run.issue.problems[0][1]
    assert not other_web.hits()


def test_a_crawl_is_a_source(web, desk):
    links = "".join(f"<li><a href=/{n}>Story number {n} of the harbour</a>" for n in (1, 2, 3))
    start = web.add("/", f"<title>All</title><ul>{links}</ul>")
    for n in (1, 2, 3):
        web.add(f"/{n}", page(f"Story {n}"))
    text = f'[[digest.source]]\ncrawl = "{start}"\ndelay = 0\nlimit = 2\n'
    digest = desk.digest(text)
    first = titles(desk.run(digest, NOW))
    second = titles(desk.run(digest, NOW))
    assert (len(first), len(second)) == (2, 1)
    assert sorted(first + second) == ["Story 1", "Story 2", "Story 3"]
    assert desk.run(digest, NOW).result is None


def test_the_urls_of_a_story_are_compared_without_reading_all_others_again(web, desk, monkeypatch):
    calls = []
    known = selection.story_key
    monkeypatch.setattr(selection, "story_key", lambda url: calls.append(url) or known(url))
    entries = [entry(web, f"Story {n}", seed=f"s{n}") for n in range(30)]
    digest = desk.digest("limit = 30\n" + feed(web, "/f", *entries))
    issue = desk.issue(digest, NOW)
    assert len(issue.stories) == 30
    assert len(calls) < 10 * 30, f"{len(calls)} keys were made for 30 stories"


def test_a_host_that_never_answers_is_given_up(desk):
    class Silent:
        requests = 0

        def get_page(self, url):
            self.requests += 1
            if "slow" in url:
                raise FetchTimeout("no complete response", url=url)
            return url

    (source,) = desk.digest('[[digest.source]]\npage = "https://example.org/"').source
    slow = [
        StoryCandidate(f"https://slow.test/{n}", source=source, source_index=0) for n in range(50)
    ]
    web = Silent()
    got = list(
        Collector(web, desk.settings).fetch_pages(
            [*slow, StoryCandidate("https://a.test/", source=source, source_index=0)]
        )
    )
    assert all(isinstance(error, FetchTimeout) for error in got[:50])
    assert got[50] == "https://a.test/"
    assert web.requests <= 1 + MAX_TIMEOUTS + MAX_CONNECTIONS_PER_HOST


def test_an_unchanged_story_with_a_new_date_is_fetched_once(web, desk):
    web.add("/a", page("A"))
    for day, hits in ((1, 1), (2, 2), (2, 2), (3, 3)):
        changed = {"A": moment(day, 5)}
        url = web.add("/f", atom("News", [("A", "/a", moment(1, 1))], changed))
        desk.run(desk.digest(f'[[digest.source]]\nfeed = "{url}"'), moment(day, 6))
        assert len(web.hits("/a")) == hits


def test_few_pages_are_fetched_before_they_are_read(desk):
    fetched = []

    class Web:
        def get_page(self, url):
            fetched.append(url)
            return url

    (source,) = desk.digest('[[digest.source]]\npage = "https://example.org/"').source
    candidates = [
        StoryCandidate(f"https://{n}.test/", source=source, source_index=0) for n in range(60)
    ]
    for number, url in enumerate(Collector(Web(), desk.settings).fetch_pages(candidates)):
        assert url == candidates[number].url
        assert len(fetched) <= number + 1 + MAX_CONNECTIONS
