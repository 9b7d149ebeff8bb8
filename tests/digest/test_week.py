"""A week of simulated days over a small web: the right articles, in order, and none twice."""

from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

import pytest

from printer.digest.reading_list import add_url
from tests.support.feeds import atom, body, json_feed, moment, page, rdf, rss
from tests.support.web_server import Reply

DAYS = range(1, 8)


class Town:
    """The sites of an invented town, as they are on a day."""

    def __init__(self, web, other_web, folder: Path):
        self.web, self.other, self.folder = web, other_web, folder
        self.day = 0
        self.requests = {}

    def publish(self, day):
        self.day = day
        every = range(1, day + 1)
        alpha = [(f"Alpha {d}", f"/alpha/{d}?utm_source=feed", moment(d, 5)) for d in every]
        alpha += [(f"Alpha second {d}", f"/alpha/second-{d}", moment(d, 4)) for d in every]
        old = ("Alpha old", "/alpha/old", moment(-5, 1))
        self.web.add("/alpha.xml", rss("Alpha", [*alpha, old]))
        beta = [(f"Beta {d}", f"/beta/{d}", moment(d, 3)) for d in every]
        beta += [
            (f"Beta copy {d}", f"/beta/copy-{d}", moment(d, 5, 30)) for d in every if d % 2 == 0
        ]
        self.web.add("/beta.xml", atom("Beta", beta))
        gamma = [(f"Gamma {d}", f"/gamma/{d}", moment(d, 2)) for d in every]
        self.web.add("/gamma.json", "{broken" if day == 3 else json_feed("Gamma", gamma))
        delta = [(f"Delta {d}", f"/delta/{d}", moment(d, 1)) for d in every if d % 2]
        self.web.add("/delta.rdf", rdf("Delta", delta))
        changed = {"Epsilon": moment(3, 1)} if day in (3, 4) else {"Epsilon": moment(5, 1)}
        eps = [("Epsilon", "/epsilon/1", moment(1, 0, 30))]
        self.web.add("/epsilon.xml", atom("Epsilon", eps, changed if day > 2 else None))
        flaky = [(f"Flaky {d}", f"/flaky/{d}", moment(d, 5)) for d in every]
        self.other.add("/flaky.xml", rss("Flaky", flaky))
        self._pages(day)
        self._letters(day)

    def _pages(self, day):
        for site in ("alpha/", "alpha/second-", "beta/", "gamma/"):
            title = site.replace("/second-", " second ").replace("/", " ").capitalize() + str(day)
            self.web.add(f"/{site}{day}", page(" ".join(title.split())))
        self.web.add("/alpha/old", page("Alpha old"))
        copy = page(f"Beta copy {day}", f"Alpha {day}", "<p>Our own people were there as well.</p>")
        self.web.add(f"/beta/copy-{day}", copy)
        self.web.add(f"/delta/{day}", page(f"Delta {day}"))
        extra = "<p>A word more.</p>" if day >= 3 else ""
        self.web.add("/epsilon/1", page("Epsilon", "Anew" if day >= 5 else "Epsilon", extra))
        self.web.add("/weather", page("Weather", f"Weather {1 if day < 3 else day}"))
        self.web.add("/kept", page("Kept for later"))
        self.other.add(f"/flaky/{day}", lambda hit, day=day: self._half(hit, day))

    def _half(self, hit, day):
        """Fail every other time."""
        count = self.requests[hit.path] = self.requests.get(hit.path, 0) + 1
        return Reply("", 503) if count % 2 else Reply(page(f"Flaky {day}"))

    def _letters(self, day):
        if day in (1, 6):
            letter = EmailMessage()
            letter["Subject"], letter["From"] = f"Letter {day}", "Ann Example <ann@example.org>"
            letter["Date"], letter["Message-ID"] = (
                format_datetime(moment(day, 2)),
                f"<{day}@a.test>",
            )
            letter.set_content("As text")
            letter.add_alternative(f"<h1>Hello</h1>{body(f'Letter {day}')}", subtype="html")
            (self.folder / f"{day}.eml").write_bytes(letter.as_bytes())


@pytest.fixture
def town(web, other_web, tmp_path):
    folder = tmp_path / "mail"
    folder.mkdir()
    return Town(web, other_web, folder)


def described(town):
    web = town.web.url
    sources = [
        ("feed", f"{web}/alpha.xml", "News", "limit = 2"),
        ("feed", f"{web}/beta.xml", "News", ""),
        ("feed", f"{web}/gamma.json", "Culture", ""),
        ("feed", f"{web}/delta.rdf", "Culture", ""),
        ("feed", f"{web}/epsilon.xml", "Culture", ""),
        ("feed", f"{town.other.url}/flaky.xml", "Town", ""),
        ("page", f"{web}/weather", "Town", ""),
        ("mail", str(town.folder), "Letters", ""),
        ("reading-list", "default", "Later", ""),
    ]
    return 'age = "3d"\n' + "".join(
        f'[[digest.source]]\n{kind} = "{where}"\nsection = "{section}"\n{more}\n'
        for kind, where, section, more in sources
    )


NEWS = {d: [f"Alpha {d}" if d % 2 else f"Beta copy {d}", f"Alpha second {d}", f"Beta {d}"]
        for d in DAYS}  # fmt: skip
CULTURE = {
    1: ["Gamma 1", "Delta 1", "Epsilon"],
    2: ["Gamma 2"],
    3: ["Delta 3"],  # Gamma's feed is broken, ...
    4: ["Gamma 4", "Gamma 3"],  # ... and what it held is not lost.
    5: ["Gamma 5", "Delta 5", "Epsilon"],  # Epsilon was written anew.
    6: ["Gamma 6"],
    7: ["Gamma 7", "Delta 7"],
}
TOWN = {d: [f"Flaky {d}"] + ["Weather"] * (d != 2) for d in DAYS}
LETTERS = {1: ["Letter 1"], 6: ["Letter 6"]}
LATER = {2: ["Kept for later"]}


@pytest.mark.slow
def test_a_week_of_digests(town, desk):
    digest = desk.digest(described(town))
    for day in DAYS:
        town.publish(day)
        if day == 2:
            add_url(Path(desk.settings.reading_list), f"{town.web.url}/kept")
            add_url(Path(desk.settings.reading_list), f"{town.web.url}/alpha/1#top")
        run = desk.run(digest, moment(day, 6))
        problems = [
            (story.candidate.source.section, story.article.title) for story in run.issue.stories
        ]
        expected = [
            (section, title)
            for section, days in (
                ("News", NEWS), ("Culture", CULTURE), ("Town", TOWN), ("Letters", LETTERS),
                ("Later", LATER),
            )
            for title in days.get(day, [])
        ]  # fmt: skip
        assert problems == expected, f"day {day}"
        again = desk.run(digest, moment(day, 6, 30))
        assert again.result is None, f"day {day} printed something twice"
        updated = [story.article.title for story in run.issue.stories if story.updated]
        assert updated == {1: [], 2: []}.get(day, ["Epsilon"] * (day == 5) + ["Weather"])
        problems = [name for name, _ in run.issue.problems]
        assert problems == ([f"{town.web.url}/gamma.json"] if day == 3 else [])
        if day % 2 == 0:
            best = run.issue.stories[0]
            assert [(other.source_name, other.title) for other in best.duplicates] == [
                ("Alpha", f"Alpha {day}")
            ]
    assert len(town.web.hits("/alpha/1")) == 1  # Printed stories were not even requested again.
