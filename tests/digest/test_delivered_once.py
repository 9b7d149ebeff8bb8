"""Each destination gets an edition once, despite kills and refusals."""

import pytest

from printer.digest import scheduler
from printer.digest.delivery import DeliveryUncertain, deliver
from printer.digest.scheduler import MAX_ATTEMPTS
from printer.errors import OutputError
from printer.jobs.queue import JobFailed
from tests.support.feeds import moment, page, rss

SLOT = moment(1, 6)


class Killed(BaseException):
    """Ends a run as kill -9 does: nothing is written any more."""


class Places:
    """Takes what is delivered; ``faults`` are raised at a place before or after it has it."""

    def __init__(self):
        self.got, self.before, self.after = [], {}, {}

    def __call__(self, delivery, to, settings):
        name = to.folder or to.mail
        if faults := self.before.get(name):
            raise faults.pop(0)
        if to.folder:
            deliver(delivery, to, settings)
        self.got.append((name, delivery.data, delivery.report["articles"]))
        if faults := self.after.get(name):
            raise faults.pop(0)
        return name

    def names(self):
        return [name for name, *_ in self.got]


@pytest.fixture
def places(web, desk, tmp_path, monkeypatch):
    """Three places, and a digest of one story that goes to them."""
    places = Places()
    monkeypatch.setattr(desk, "deliver", places)
    web.add("/a", page("A"))
    url = web.add("/f", rss("News", [("A", "/a", moment(1, 1))]))
    places.folder = str(tmp_path / "out")
    places.digest = desk.digest(
        f'[[digest.source]]\nfeed = "{url}"\n[[digest.deliver]]\nmail = "one@a.test"\n'
        f'[[digest.deliver]]\nfolder = "{places.folder}"\n[[digest.deliver]]\nmail = "two@a.test"\n'
    )
    places.serve = lambda: desk.serve(places.digest, SLOT, SLOT.timestamp())
    return places


def killed(places):
    with pytest.raises(Killed):
        places.serve()


def test_a_kill_before_delivery_leaves_the_outcome_open(web, places):
    places.before["two@a.test"] = [Killed()]
    killed(places)
    # What is in the feed by now is for the next edition.
    web.add("/b", page("B"))
    web.add("/f", rss("News", [("B", "/b", moment(1, 7)), ("A", "/a", moment(1, 1))]))
    outcome = places.serve()
    assert places.names() == ["one@a.test", places.folder]
    assert len({data for _, data, _ in places.got}) == 1
    assert "two@a.test" in outcome["warnings"][0]
    assert len(outcome["delivered"]) == 2
    assert places.serve() == outcome, "it is served"
    assert places.names() == ["one@a.test", places.folder]


def test_killed_between_two_places_the_rest_get_the_same_edition(desk, places, monkeypatch):
    remember = desk.memory.remember

    def end(*about):
        remember(*about)
        raise Killed

    monkeypatch.setattr(desk.memory, "remember", end)
    killed(places)
    assert places.names() == []
    monkeypatch.undo()
    monkeypatch.setattr(desk, "deliver", places)
    assert len(places.serve()["delivered"]) == 3
    assert places.names() == ["one@a.test", places.folder, "two@a.test"]


def test_a_mail_in_doubt_is_not_sent_again_but_reported(places):
    places.after["one@a.test"] = [Killed()]
    killed(places)
    outcome = places.serve()
    assert places.names() == ["one@a.test", places.folder, "two@a.test"]
    (doubt,) = outcome["warnings"]
    assert "one@a.test" in doubt


def test_a_file_on_its_way_is_looked_for(places, tmp_path):
    places.after[places.folder] = [Killed()]
    killed(places)
    outcome = places.serve()
    assert (len(outcome["delivered"]), outcome["warnings"]) == (3, [])
    assert places.names() == ["one@a.test", places.folder, "two@a.test"]
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_a_file_that_cannot_be_looked_for_is_in_doubt(places, monkeypatch):
    def fail(*_):
        raise OutputError("the server with the folder is down")

    places.after[places.folder] = [Killed()]
    killed(places)
    monkeypatch.setattr(scheduler, "has_arrived", fail)
    outcome = places.serve()
    assert places.folder in outcome["warnings"][0]
    assert places.names().count(places.folder) == 1


def test_a_place_that_refuses_is_tried_again_and_no_other(places):
    places.before["two@a.test"] = [OutputError("no"), OutputError("no")]
    assert len(places.serve()["delivered"]) == 3
    assert places.names() == ["one@a.test", places.folder, "two@a.test"]


def test_killed_between_two_attempts_the_next_is_still_made(desk, places, monkeypatch):
    from tests.digest import conftest

    def end(*_):
        raise Killed

    places.before["two@a.test"] = [OutputError("no")]
    monkeypatch.setattr(conftest.Recorded, "sleep", end)
    killed(places)
    monkeypatch.undo()
    monkeypatch.setattr(desk, "deliver", places)
    assert len(places.serve()["delivered"]) == 3


def test_deliveries_in_doubt_are_not_repeated(places):
    places.after["two@a.test"] = [DeliveryUncertain("no answer")]
    assert places.serve()["warnings"] == ["no answer"]
    assert places.names().count("two@a.test") == 1


def test_undelivered_stories_are_in_the_next_edition(desk, places):
    for name in ("one@a.test", "two@a.test", places.folder):
        places.before[name] = [OutputError("no") for _ in range(MAX_ATTEMPTS)]
    with pytest.raises(JobFailed, match="no"):
        places.serve()
    following = moment(3, 6)
    assert len(desk.serve(places.digest, following, following.timestamp())["delivered"]) == 3


def test_a_digest_whose_sources_all_fail_is_built_again(web, desk):
    digest = desk.digest(
        f'[[digest.source]]\nfeed = "{web.url}/gone"\n[[digest.deliver]]\nmail = "a@b.test"\n'
    )
    with pytest.raises(JobFailed, match="404"):
        desk.serve(digest, SLOT, 1.0)
    assert [name for name, _ in desk.steps[1.0]] == ["build"] * MAX_ATTEMPTS


def test_a_destination_that_was_removed_meanwhile_is_left_out(desk, places):
    places.before["one@a.test"] = [Killed()]
    killed(places)
    places.digest = places.digest.model_copy(update={"deliver": places.digest.deliver[1:]})
    assert len(places.serve()["delivered"]) == 2
    assert places.names() == [places.folder, "two@a.test"]
