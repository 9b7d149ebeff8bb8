"""Each place gets an edition once, whoever is killed on the way and whatever refuses."""

from contextlib import suppress
from datetime import timedelta

import pytest

from printer.digest.delivery import deliver
from printer.digest.history import LEASE_SECONDS, MAX_ATTEMPTS
from printer.digest.smtp import DeliveryUncertain
from printer.errors import OutputError
from tests.support.feeds import moment, page, rss

SLOT = moment(1, 6)
LATER = timedelta(seconds=LEASE_SECONDS + 1)


class Killed(BaseException):
    """Ends a run as kill -9 does: nothing is written any more."""


class Places:
    """Takes what is delivered; ``faults`` are raised at a place before or after it has it."""

    def __init__(self):
        self.got, self.before, self.after = [], {}, {}

    def __call__(self, delivery, to, settings):
        name = to.folder or to.mail
        if fault := self.before.get(name):
            raise fault
        if to.folder:
            deliver(delivery, to, settings)
        self.got.append((name, delivery.data, delivery.report["articles"]))
        if fault := self.after.get(name):
            raise fault
        return name

    def names(self):
        return [name for name, *_ in self.got]


@pytest.fixture
def places(web, desk, tmp_path, monkeypatch):
    """Three places, and a digest of one story that goes to them."""
    made = Places()
    monkeypatch.setattr(desk, "deliver", made)
    web.add("/a", page("A"))
    url = web.add("/f", rss("News", [("A", "/a", moment(1, 1))]))
    made.folder = str(tmp_path / "out")
    made.digest = desk.digest(
        f'[[digest.source]]\nfeed = "{url}"\n[[digest.deliver]]\nmail = "one@a.test"\n'
        f'[[digest.deliver]]\nfolder = "{made.folder}"\n[[digest.deliver]]\nmail = "two@a.test"\n'
    )
    made.serve = lambda now: desk.run(made.digest, now, SLOT.timestamp())
    return made


def killed(places, now=SLOT):
    with pytest.raises(Killed):
        places.serve(now)


def test_killed_between_two_places_the_rest_get_the_same_edition(web, places):
    places.before[places.folder] = Killed()
    killed(places)
    assert places.serve(SLOT + LATER / 2) is None, "it may still be at work"
    places.before.clear()
    # What is in the feed by now is for the next edition.
    web.add("/b", page("B"))
    web.add("/f", rss("News", [("B", "/b", moment(1, 7)), ("A", "/a", moment(1, 1))]))
    run = places.serve(SLOT + LATER)
    assert places.names() == ["one@a.test", places.folder, "two@a.test"]
    assert len({data for _, data, _ in places.got}) == 1
    assert (run.delivered, run.failed) == ((places.folder, "two@a.test"), ())
    assert places.serve(SLOT + 9 * LATER) is None, "it is served"


def test_a_mail_on_its_way_is_not_sent_again_and_that_is_told(places):
    places.after["one@a.test"] = Killed()
    killed(places)
    run = places.serve(SLOT + LATER)
    assert places.names() == ["one@a.test", places.folder, "two@a.test"]
    (doubt,) = run.failed
    assert isinstance(doubt, DeliveryUncertain)
    assert "one@a.test" in str(doubt)
    assert places.serve(SLOT + 9 * LATER) is None


def test_a_file_on_its_way_is_looked_for(places, tmp_path):
    places.after[places.folder] = Killed()
    killed(places)
    places.after.clear()
    assert places.serve(SLOT + LATER).failed == ()
    assert places.names() == ["one@a.test", places.folder, "two@a.test"]
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_a_place_that_refuses_is_tried_again_and_no_other(places):
    places.before["two@a.test"] = OutputError("no")
    for now in (SLOT, SLOT + LATER):
        assert [str(error) for error in places.serve(now).failed] == ["no"]
    places.before.clear()
    assert places.serve(SLOT + 2 * LATER).delivered == ("two@a.test",)
    assert places.names() == ["one@a.test", places.folder, "two@a.test"]


def test_what_may_have_arrived_is_not_tried_again(places):
    places.after["two@a.test"] = DeliveryUncertain("no answer")
    assert len(places.serve(SLOT).failed) == 1
    assert places.serve(SLOT + 9 * LATER) is None
    assert places.names().count("two@a.test") == 1


def test_what_came_nowhere_is_in_the_next_edition(desk, places):
    for name in ("one@a.test", "two@a.test", places.folder):
        places.before[name] = OutputError("no")
    for tries in range(MAX_ATTEMPTS):
        assert len(places.serve(SLOT + tries * LATER).failed) == 3
    assert places.serve(SLOT + 99 * LATER) is None
    places.before.clear()
    following = moment(3, 6)
    assert len(desk.run(places.digest, following, following.timestamp()).delivered) == 3


def test_one_that_slept_while_another_took_its_slot_sends_nothing_more(places, monkeypatch):
    whole = Places.__call__

    def sleeps(self, delivery, to, settings):
        """While the first mail is being sent, another takes the slot over, and is killed."""
        monkeypatch.setattr(Places, "__call__", whole)
        self.before["two@a.test"] = Killed()
        with suppress(Killed):
            self.serve(SLOT + LATER)
        self.before.clear()
        return whole(self, delivery, to, settings)

    monkeypatch.setattr(Places, "__call__", sleeps)
    places.serve(SLOT)
    assert places.names() == [places.folder, "one@a.test"]
    run = places.serve(SLOT + 3 * LATER)
    assert "two@a.test" in str(run.failed[0]), "it was being sent when its process was killed"
    assert places.names() == [places.folder, "one@a.test"]
