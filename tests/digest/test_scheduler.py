from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from printer.digest import scheduler
from printer.digest.scheduler import Scheduler
from printer.digest.selection import StoryRecord
from printer.jobs.queue import JobQueue
from printer.settings import LoadedSettings, Settings
from tests.support.jobs import closing_queue

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
def test_due_slots(desk, now, served, slot):
    digest = desk.digest(DAILY)
    last_run = utc(served).timestamp() if served else None
    due = digest.due_slot(utc(now), last_run, utc(now))
    assert due == (utc(slot) if slot else None)


def test_a_day_with_an_hour_less_or_more_has_one_slot(desk):
    digest = desk.digest(DAILY)
    for day in ("2026-03-28T12:00:00", "2026-10-24T12:00:00"):
        first = digest.next_slot(utc(day))
        second = digest.next_slot(first.astimezone(UTC))
        assert second.date() - first.date() == timedelta(days=1)
        assert first.astimezone(PARIS).hour in (2, 3)


def test_old_slots_are_not_caught_up(desk):
    digest = desk.digest('catch-up = "2h"\n' + DAILY)
    served = utc("2026-01-04T01:30:00").timestamp()
    started = utc("2026-01-01T00:00:00")
    assert digest.due_slot(utc("2026-01-05T09:00:00"), served, started) is None


def test_records_of_old_prints_expire(memory):
    memory.remember("week", [StoryRecord(("https://example.org/a",), "A", ("1",))], now=0)
    assert memory.find_by_url("week", ["https://EXAMPLE.org:443/a#x"]).title == "A"
    memory.remember("week", [StoryRecord(("https://example.org/b",), "B", ("1",))], now=500 * 86400)
    assert memory.find_by_url("week", ["https://example.org/a"]) is None


@pytest.fixture
def queue(tmp_path):
    with closing_queue(JobQueue(str(tmp_path / "jobs.sqlite"))) as queue:
        yield queue


def test_schedulers_queue_each_slot_once_and_the_latest_after_a_sleep(desk, queue):
    now, settings = [utc("2026-01-05T00:00:00")], LoadedSettings(Settings(), {})
    two = [
        Scheduler([desk.digest(DAILY)], settings, log=len, clock=lambda: now[0]) for _ in range(2)
    ]
    for minutes in (0, 60, 90, 91, 600, 4 * 1440, 4 * 1440 + 100):
        now[0] = utc("2026-01-05T00:00:00") + timedelta(minutes=minutes)
        for one in two:
            one.tick(queue)
    served = sorted(datetime.fromtimestamp(slot, UTC) for slot in queue.slots("week"))
    assert [f"{slot:%m-%d %H:%M}" for slot in served] == [
        "01-05 01:30",
        "01-08 01:30",
        "01-09 01:30",
    ]
    assert queue.slots("other") == {}
    (newest, *_) = queue.list_recent(kinds=["digest"])
    assert (newest.url, newest.state) == ("digest week", "queued")
    assert queue.list_recent() == [], "they are not prints"
    assert not queue.retry(newest.id)
    assert queue.cancel(newest.id)


def test_records_of_old_slots_are_deleted(desk, queue, monkeypatch):
    monkeypatch.setattr(scheduler, "_MAX_SLOTS", 2)
    now = [utc("2026-01-05T00:00:00")]
    running_scheduler = Scheduler(
        [desk.digest(DAILY)], LoadedSettings(Settings(), {}), log=len, clock=lambda: now[0]
    )
    for days in range(6):
        now[0] = utc("2026-01-05T00:00:00") + timedelta(days=days)
        running_scheduler.tick(queue)
    assert len(queue.slots("week")) == 3
