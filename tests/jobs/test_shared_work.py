"""A list printed by remote workers, one of which is killed at work."""

import json
import os
import signal
import threading
import time
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import psycopg
import pytest

from printer.jobs.queue import JobQueue
from printer.processes import process_tree
from tests.support.feeds import page
from tests.support.web_server import Reply

PATIENCE = 200.0


def until(is_so, complaint):
    """Wait for something."""
    end = time.monotonic() + PATIENCE
    while not (value := is_so()):
        assert time.monotonic() < end, complaint
        time.sleep(0.05)
    return value


class Office:
    """Workers that share a database, and what is printed by them."""

    def __init__(self, stack, folder, database, warm):
        self.folder, self.database, self._stack, self._warm = folder, database, stack, warm
        folder.mkdir()
        JobQueue(database).disconnect()
        settings = {
            "DATABASE": database, "STORAGE": str(folder / "prints"),
            "ALLOW_PRIVATE": "true", "RENDER": "never", "CACHE": "false",
        }  # fmt: skip
        home = {"XDG_DATA_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
        named = {f"WEBPRINT_{name}": value for name, value in settings.items() if value}
        self.environment = {**os.environ, **home, **named}
        self.workers = [self.start("worker", "--workers", "1") for _ in range(2)]

    def start(self, *words):
        log = self._stack.enter_context((self.folder / f"{words[0]}.log").open("ab"))
        start = partial(self._warm.start, "printer.cli:main", stdout=log, stderr=log)
        process = start(*words, cwd=self.folder, env=self.environment)
        self._stack.callback(kill, process)
        return process

    def kill_busy_worker(self, site):
        """Kill -9 the worker that has a slow page in its hands, and all below it."""
        until(lambda: site.request_counts()[2], f"nobody asks for it: {self.logs()}")

        def pid():
            with psycopg.connect(self.database) as connection:
                query = (
                    "SELECT executor_id FROM dbos.workflow_status"
                    " WHERE attributes->>'url' = %s AND status = 'PENDING'"
                )
                row = connection.execute(query, [site.urls[2]]).fetchone()
            return int(row[0].split(":")[1]) if row else 0

        printing = until(pid, f"nobody prints it: {self.logs()}")
        (worker,) = (worker for worker in self.workers if printing in process_tree(worker.pid))
        kill(worker)
        site.killed.set()

    def logs(self):
        return "\n".join(path.read_text()[-2000:] for path in self.folder.glob("*.log"))


def kill(process):
    """Kill a command with all below it."""
    if process.poll() is not None:
        return
    for pid in process_tree(process.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


class Site:
    """Pages of a site; the slow one blocks its first client until that is killed."""

    def __init__(self, web, name):
        self.web, self.name = web, name
        self.killed = threading.Event()
        self.titles = [f"{name} {n}" for n in range(5)]
        self.urls = [web.add(f"/{name}/{n}", page(t)) for n, t in enumerate(self.titles)]
        web.add(f"/{name}/2", self.slow)

    def slow(self, _hit):
        if len(self.web.hits(f"/{self.name}/2")) == 1:
            self.killed.wait(PATIENCE)
            return Reply("", 503)
        return Reply(page(self.titles[2]))

    def request_counts(self):
        return [len(self.web.hits(f"/{self.name}/{n}")) for n in range(5)]


def start_list(office, site):
    (office.folder / "urls.txt").write_text("\n".join(site.urls))
    return office.start("batch", "urls.txt", "out", "--delay", "0.05", "--retry-delay", "0.1")


def check_list(office, site, process):
    assert process.wait(PATIENCE) == 0, office.logs()
    report = json.loads((office.folder / "out/report.json").read_text())
    assert (report["counts"]["printed"], report["counts"]["failed"]) == (5, 0)
    assert sorted(path.stem for path in (office.folder / "out").glob("*.pdf")) == site.titles
    assert site.request_counts() == [1, 1, 2, 1, 1], "only what was in the hands of the dead"


@pytest.mark.slow
def test_the_task_of_a_killed_worker_is_done_by_another(tmp_path: Path, web, fresh_postgres, warm):
    with ExitStack() as stack:
        office = Office(stack, tmp_path / "office", fresh_postgres, warm)
        site = Site(web, "listed")
        stack.callback(site.killed.set)
        process = start_list(office, site)
        office.kill_busy_worker(site)
        check_list(office, site, process)
