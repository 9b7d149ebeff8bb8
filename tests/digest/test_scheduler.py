import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from printer.digest.history import LEASE_SECONDS, MAX_ATTEMPTS, History, StoryRecord
from printer.digest.scheduler import Scheduler, due_slot, next_slot
from printer.errors import HTTPStatusError, OutputError
from tests.support.feeds import moment, page, rss

DAILY = 'schedule = "30 2 * * *"\ntimezone = "Europe/Paris"\n[[digest.source]]\npage = "https://example.org/"'
PARIS = ZoneInfo("Europe/Paris")


def utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "served", "slot"),
    [
        ("2026-01-05T01:29:59", "2026-01-04T01:30:00", None),
        ("2026-01-05T01:30:00", "2026-01-04T01:30:00", "2026-01-05T01:30:00"),
        ("2026-01-05T09:00:00", "2026-01-05T01:30:00", None),
        # Asleep for three days: once, for the latest.
        ("2026-01-08T12:00:00", "2026-01-05T01:30:00", "2026-01-08T01:30:00"),
        # Never ran: nothing is due of before it began.
        ("2026-01-05T09:00:00", None, None),
    ],
)
def test_what_is_due(desk, now, served, slot):
    digest = desk.digest(DAILY)
    taken = utc(served).timestamp() if served else None
    found = due_slot(digest, utc(now), taken, utc(now))
    assert found == (utc(slot) if slot else None)


def test_a_day_with_an_hour_less_or_more_has_one_slot(desk):
    digest = desk.digest(DAILY)
    for day in ("2026-03-28T12:00:00", "2026-10-24T12:00:00"):
        first = next_slot(digest, utc(day))
        second = next_slot(digest, first.astimezone(UTC))
        assert second.date() - first.date() == timedelta(days=1)
        assert first.astimezone(PARIS).hour in (2, 3)


def test_what_is_too_old_is_not_caught_up(desk):
    digest = desk.digest('catch-up = "2h"\n' + DAILY)
    served = utc("2026-01-04T01:30:00").timestamp()
    assert due_slot(digest, utc("2026-01-05T09:00:00"), served, utc("2026-01-01T00:00:00")) is None


def test_of_many_schedulers_one_serves_a_slot(tmp_path):
    place = str(tmp_path / "digests.sqlite")
    taken = []

    def scheduler():
        with closing(History(place)) as memory:
            ready.wait()
            if memory.claim_slot("week", 100.0, 100.0):
                taken.append(threading.get_ident())

    ready = threading.Barrier(8)
    threads = [threading.Thread(target=scheduler) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 1


def test_a_slot_whose_maker_died_is_taken_over(memory):
    assert memory.claim_slot("week", 1.0, now=0) == 1
    assert not memory.claim_slot("week", 1.0, now=LEASE_SECONDS - 1)
    assert memory.claim_slot("week", 1.0, now=LEASE_SECONDS + 1) == 2
    memory.finish_slot("week", 1.0)
    assert not memory.claim_slot("week", 1.0, now=LEASE_SECONDS * 9)


def test_a_slot_that_fails_is_tried_so_many_times(memory):
    now, tries = 0.0, 0
    while memory.claim_slot("week", 1.0, now):
        tries += 1
        memory.fail_slot("week", 1.0, now)
        assert not memory.claim_slot("week", 1.0, now + 1)
        now += 10 * LEASE_SECONDS
    assert tries == MAX_ATTEMPTS


def test_what_was_printed_long_ago_is_forgotten(memory):
    memory.remember("week", [StoryRecord(("https://example.org/a",), "A", ("1",))], now=0)
    assert memory.find_by_url("week", ["https://EXAMPLE.org:443/a#x"]).title == "A"
    memory.remember("week", [StoryRecord(("https://example.org/b",), "B", ("1",))], now=500 * 86400)
    assert memory.find_by_url("week", ["https://example.org/a"]) is None


def described(web):
    web.add("/a", page("A"))
    url = web.add("/f", rss("News", [("A", "/a", moment(1, 1))]))
    return f'[[digest.source]]\nfeed = "{url}"\n[[digest.deliver]]\nfolder = "x"\n'


def test_a_slot_is_delivered_once(web, desk):
    digest = desk.digest(described(web))
    slot = moment(1, 6).timestamp()
    assert desk.run(digest, moment(1, 6), slot).delivered == ("x",)
    assert desk.run(digest, moment(1, 7), slot) is None
    assert [delivery.stem for delivery in desk.sent] == ["week-2026-01-11"]


def test_what_could_not_be_delivered_is_not_taken_for_printed(web, desk):
    digest = desk.digest(described(web))
    desk.refuse = (OutputError("the disk is full"),)
    slot = moment(1, 6).timestamp()
    run = desk.run(digest, moment(1, 6), slot)
    assert [str(error) for error in run.failed] == ["the disk is full"]
    assert desk.memory.slot_state("week", slot) == "failed"
    desk.refuse = ()
    assert desk.run(digest, moment(1, 7), slot).delivered == ("x",)


def test_a_slot_whose_sources_all_fail_is_tried_again(web, desk):
    digest = desk.digest(
        f'[[digest.source]]\nfeed = "{web.url}/f"\n[[digest.deliver]]\nfolder = "x"'
    )
    slot = moment(1, 6).timestamp()
    with pytest.raises(HTTPStatusError):
        desk.run(digest, moment(1, 6), slot)
    described(web)
    assert desk.run(digest, moment(1, 7), slot).delivered == ("x",)


def test_the_scheduler_serves_each_slot_once_and_the_latest_after_a_sleep(desk, memory):
    digest = desk.digest(DAILY)
    now = [utc("2026-01-05T00:00:00")]
    made = []

    def child(digest, slot):
        if memory.claim_slot(digest.name, slot.timestamp(), now[0].timestamp()):
            memory.finish_slot(digest.name, slot.timestamp())
            made.append(slot.astimezone(UTC).isoformat()[:16])
        return 0

    two = [
        Scheduler([digest], memory, log=lambda line: None, clock=lambda: now[0], run_digest=child)
        for _ in range(2)
    ]
    for minutes in (0, 60, 90, 91, 600, 4 * 1440, 4 * 1440 + 100):
        now[0] = utc("2026-01-05T00:00:00") + timedelta(minutes=minutes)
        for scheduler in two:
            scheduler.tick()
    assert made == ["2026-01-05T01:30", "2026-01-08T01:30", "2026-01-09T01:30"]


def test_the_scheduler_tries_a_failed_slot_again(desk, memory):
    digest = desk.digest(DAILY)
    now = [utc("2026-01-05T00:00:00")]
    tried = []

    def child(digest, slot):
        assert memory.claim_slot(digest.name, slot.timestamp(), now[0].timestamp())
        memory.fail_slot(digest.name, slot.timestamp(), now[0].timestamp())
        tried.append(slot)
        return 4

    scheduler = Scheduler(
        [digest], memory, log=lambda line: None, clock=lambda: now[0], run_digest=child
    )
    for minutes in (0, 90, 91, 100, 101):
        now[0] = utc("2026-01-05T00:00:00") + timedelta(minutes=minutes)
        scheduler.tick()
    assert len(tried) == 2
    assert len(set(tried)) == 1
