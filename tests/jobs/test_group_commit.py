"""Orders that come at the same moment are written in one transaction."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event

from printer.errors import JobsError
from printer.jobs.queue import MAX_BATCH, GroupCommit, KeyReused
from tests.support.jobs import job_request


def test_what_gathers_meanwhile_is_written_at_once():
    begun, go_on, written = threading.Event(), threading.Event(), []

    def write(wishes):
        written.append([wish.request for wish in wishes])
        for wish in wishes:
            wish.result = wish.request * 2
        begun.set()
        assert go_on.wait(20)

    together = GroupCommit(write)
    with ThreadPoolExecutor(70) as pool:
        first = pool.submit(together.submit, 0)
        assert begun.wait(20)
        others = [pool.submit(together.submit, n) for n in range(1, 70)]
        while len(together._waiting) < 69:
            assert not first.done()
        go_on.set()
        assert [each.result(20) for each in (first, *others)] == [n * 2 for n in range(70)]
    assert [len(each) for each in written] == [1, MAX_BATCH, 69 - MAX_BATCH]
    assert sorted(n for each in written for n in each) == list(range(70)), "each once"


def test_one_that_is_refused_costs_itself_alone_and_a_fault_all():
    def write(wishes):
        for wish in wishes:
            if wish.request == "all":
                raise OSError("full")
            if wish.request == "one":
                wish.error = ValueError("no")
            wish.result = wish.request

    together = GroupCommit(write)
    assert together.submit("well") == "well"
    with pytest.raises(ValueError, match="no"):
        together.submit("one")
    with pytest.raises(OSError, match="full"):
        together.submit("all")
    assert together.submit("well") == "well", "it goes on"


def test_a_key_that_is_reused_does_no_harm_to_those_beside_it(table):
    table.submit(job_request("first"), "key")

    def submit(n):
        try:
            return table.submit(job_request(f"story/{n}"), "key" if n % 10 == 3 else "")[0].id
        except KeyReused:
            return None

    with ThreadPoolExecutor(30) as pool:
        ids = list(pool.map(submit, range(60)))
    assert [n for n in range(60) if ids[n] is None] == [3, 13, 23, 33, 43, 53]
    assert {table.get(each).url for each in ids if each} == {
        job_request(f"story/{n}").url for n in range(60) if n % 10 != 3
    }
    assert table.count_by_state()["queued"] == 55


def test_a_commit_that_fails_accepts_none(table):
    def full(connection):
        raise OSError("no space left on device")

    event.listen(table._engine, "commit", full)
    try:
        with pytest.raises((JobsError, OSError)):
            table.submit(job_request("story"))
    finally:
        event.remove(table._engine, "commit", full)
    assert table.count_by_state()["queued"] == 0
    assert table.submit(job_request("story"))[1]
