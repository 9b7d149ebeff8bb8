"""Faults of the environment: full disks, locks, clock jumps, servers that fail or refuse."""

from __future__ import annotations

import os
import random
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

from printer.errors import JobsError, WebprintError
from printer.files import parse_toml
from printer.jobs.queue import JobQueue
from tests.support.job_workers import WorkerProcess
from tests.support.jobs import closing_queue, count_completions, job_request, wait_until
from tests.support.print_server import PrintServer
from tests.support.story_page import story_page
from tests.support.warm_programs import WarmPrograms
from tests.support.web_server import WebServer, drip

from .fault_kills import START, newspaper
from .fault_tools import (
    MOST_JOBS,
    FaultOutcome,
    Refusing,
    count_leftovers,
    forked,
    postgres_server,
    seconds_since,
)  # fmt: skip

PATIENCE = 900


def full_disks(kills: int, dice: random.Random, folder: Path) -> FaultOutcome:
    """Overwrite a file, a result and a job table on a disk with limited space."""
    from printer.cli.output import write
    from printer.jobs.storage import Storage

    start, half, lost = time.monotonic(), 0, 0
    old, new = b"%PDF old" * 500, b"%PDF new" * 50_000
    for number in range(kills):
        target = folder / f"{number}.pdf"
        target.write_bytes(old)
        room = dice.choice([0, 1, 4096, dice.randrange(len(new)), 10 * len(new)])

        def act(target: Path = target, room: int = room, number: int = number) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            refused = 0
            for write_file in (
                lambda: write(target, new),
                lambda: Storage(str(folder / "store")).put(f"{number:032x}/1/a.pdf", new),
            ):
                try:
                    write_file()
                except WebprintError:
                    refused += 1
            os._exit(refused)

        _, status = os.waitpid(forked(act), 0)
        refused = os.waitstatus_to_exitcode(status)
        half += target.read_bytes() not in (old, new)
        half += sum(
            p.read_bytes() != new for p in (folder / "store").rglob(f"{number:032x}/1/a.pdf")
        )
        lost += refused not in ((0,) if room > len(new) else (2,))
    accepted, missing = _full_table(folder)
    return FaultOutcome(
        "disks that are full", kills, 2 * kills + accepted, lost + missing, 0, half + count_leftovers(folder),
        seconds_since(start), f"each was told; {accepted} prints accepted before a table was full are in it",
    )  # fmt: skip


def _full_table(folder: Path) -> tuple[int, int]:
    """Submit prints until the job table's disk is full; count the accepted and the lost."""
    database, log = str(folder / "jobs.sqlite"), folder / "accepted"
    JobQueue(database).disconnect()

    def order() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        table = JobQueue(database)
        with log.open("a") as accepted:
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
            with suppress(JobsError):
                for number in range(100_000):
                    job, _ = table.submit(job_request(f"nap/{number}" + "x" * 3000))
                    accepted.write(job.id + "\n")
                    accepted.flush()

    os.waitpid(forked(order), 0)
    table = JobQueue(database)
    ids = log.read_text().split()
    jobs = table.list_recent(MOST_JOBS)
    table.disconnect()
    return len(ids), len({*ids} - {job.id for job in jobs})


def read_only(kills: int, unused: random.Random, folder: Path) -> FaultOutcome:
    """Print to read-only folders."""
    del unused
    from printer.cli.output import write
    from printer.errors import OutputError

    start, damaged, refused = time.monotonic(), 0, 0
    folder.chmod(0o755)
    target = folder / "locked" / "a.pdf"
    target.parent.mkdir()
    target.write_bytes(b"%PDF old")
    target.parent.chmod(0o555)
    for _ in range(kills):

        def act() -> None:
            if os.getuid() == 0:
                os.setuid(65534)  # Root may write anywhere.
            try:
                write(target, b"%PDF new")
            except OutputError:
                os._exit(7)

        _, status = os.waitpid(forked(act), 0)
        refused += os.waitstatus_to_exitcode(status) == 7
        damaged += [*target.parent.iterdir()] != [target] or target.read_bytes() != b"%PDF old"
    target.parent.chmod(0o755)
    return FaultOutcome("folders that are read-only", kills, kills, kills - refused, 0, damaged, seconds_since(start), "each was told")  # fmt: skip


def slow_peers(kills: int, unused: random.Random, folder: Path) -> FaultOutcome:
    """Occupy a server's connections with requests that never end, and print meanwhile."""
    del unused
    start, printed = time.monotonic(), 0
    server = PrintServer(folder, "--port", "0", "--workers", "1", "--render", "never")
    peers: list[socket.socket] = []
    try:
        for _ in range(2 * kills):
            peer = socket.create_connection(("127.0.0.1", server.port), 10)
            peer.sendall(b"POST /api/prints HTTP/1.1\r\nHost: 127.0.0.1\r\nX-" + b"a" * 9)
            peers.append(peer)
        for number in range(3):
            answer = server.submit(url=f"https://example.org/{number}", html=story_page())
            for peer in peers:
                with suppress(OSError):
                    peer.sendall(b"b")
            printed += server.wait_finished(answer.json()["id"], 300)["state"] == "done"
    finally:
        for peer in peers:
            peer.close()
        server.close()
    return FaultOutcome("peers that never end a request", len(peers), 3, 3 - printed, 0, 0, seconds_since(start), "held open while it printed")  # fmt: skip


def slow_sites(kills: int, unused: random.Random, folder: Path) -> FaultOutcome:
    """Fetch pages that arrive in endless drips, and one that does not."""
    del unused, folder
    from printer.errors import FetchTimeout
    from printer.fetch.client import HttpClient
    from printer.options import FetchOptions

    start = time.monotonic()
    with WebServer() as web:
        fine = web.add("/fine", story_page())
        slow = [web.add(f"/{n}", drip(b"<p>x</p>" * 999, 0.5)) for n in range(kills)]
        options = FetchOptions(retries=0, timeout=3, allow_private=True)
        with HttpClient(options, user_urls=[web.url]) as fetcher, ThreadPoolExecutor(16) as pool:

            def ended(url: str) -> bool:
                try:
                    fetcher.get_resource(url)
                except FetchTimeout:
                    return True
                return False

            ended_in_time = sum(pool.map(ended, slow))
            fetcher.get_resource(fine)
    return FaultOutcome("sites that never end an answer", kills, kills, kills - ended_in_time, 0, 0, seconds_since(start), "each was told in time")  # fmt: skip


def _jobs(table: JobQueue, count: int) -> list[str]:
    """Submit prints, each until it is accepted; return their ids."""
    ids = []
    for _ in range(count):
        with suppress(JobsError):
            ids.append(table.submit(job_request("nap/0.05"))[0].id)
    return ids


def _started_jobs(table: JobQueue) -> list[str]:
    """Submit a print and wait for it, so that the workers are running."""
    ids = _jobs(table, 1)
    wait_until(lambda: table.count_by_state()["done"], PATIENCE)
    return ids


def _done(fault: str, times: int, table: JobQueue, ids: list[str], completions: Callable[[], list[str]],
          prints: Path, began: float, remark: str = "") -> FaultOutcome:  # fmt: skip
    """Wait until all accepted prints are finished, and count the results."""

    def is_over() -> bool:
        with suppress(JobsError):
            return all(job.state in ("done", "failed") for job in table.list_recent(MOST_JOBS))
        return False

    wait_until(is_over, PATIENCE)
    delivered = Counter(completions())
    finished = [
        job for job in table.list_recent(MOST_JOBS) if job.id in ids and job.state == "done"
    ]
    wrong = 0
    for job in finished:
        path = prints / job.result_folder / "article.pdf"
        wrong += not path.exists() or path.read_bytes() != b"http://labour.test/nap/0.05" * 100
    return FaultOutcome(
        fault, times, len(ids), len(ids) - len(finished), sum(n > 1 for n in delivered.values()),
        wrong, seconds_since(began), remark,
    )  # fmt: skip


def locked(kills: int, dice: random.Random, folder: Path) -> FaultOutcome:
    """Lock the job database for longer than clients wait, while prints are requested."""
    start, times, refused = time.monotonic(), max(1, kills // 10), 0
    database, prints = str(folder / "jobs.sqlite"), folder / "prints"
    with closing_queue(JobQueue(database)) as table, _workers(database, folder):
        completions = count_completions(table)
        ids = _started_jobs(table)
        for _ in range(times):
            ids += _jobs(table, 5)
            time.sleep(dice.random() / 2)
            with closing(sqlite3.connect(database, isolation_level=None, timeout=60)) as other:
                other.execute("BEGIN EXCLUSIVE")
                deadline = time.monotonic() + dice.uniform(0.2, 8)
                if dice.random() < 0.3:
                    accepted = _jobs(table, 1)
                    ids += accepted
                    refused += not accepted
                time.sleep(max(0.0, deadline - time.monotonic()))
                other.execute("ROLLBACK")
        return _done("a database that is locked", times, table, ids, completions, prints, start,
                     f"{refused} orders refused meanwhile, and told")  # fmt: skip


@contextmanager
def _workers(database: str, folder: Path) -> Iterator[None]:
    """Run workers that sleep and store a result."""
    with WarmPrograms() as warm:
        engine = WorkerProcess(
            warm, database, str(folder / "prints"), folder / "log", workers=2, peer_timeout=2.0
        )
        try:
            yield
        finally:
            engine.kill()


JUMPING = """
import random, sys, time
real, dice = time.time, random.Random(int(sys.argv.pop(1)))
time.time = lambda: real() + dice.choice([0, 3600, -3600, 86400 * 400, -86400 * 400])
from tests.support.job_worker_process import main
main()
"""


def clocks(kills: int, dice: random.Random, folder: Path) -> FaultOutcome:
    """Print and schedule digests while the clock jumps by years at each reading."""
    start, database, prints = time.monotonic(), str(folder / "jobs.sqlite"), folder / "prints"
    table = JobQueue(database)
    completions, ids = count_completions(table), []
    code = [sys.executable, "-c", JUMPING, str(dice.randrange(10**6))]
    limits = '{"workers": 2, "peer_timeout": 2.0}'
    command = [*code, database, str(prints), limits]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as keeper:
        try:
            ids = _jobs(table, kills)
            outcome = _done("clocks that jump", kills, table, ids, completions, prints, start)
        finally:
            keeper.kill()
            table.disconnect()
    days, missed, twice = _scheduled(max(10, kills // 5), dice, folder)
    return FaultOutcome(
        outcome.fault, kills + days, len(ids) + days, outcome.lost + missed, outcome.twice + twice,
        outcome.half, seconds_since(start), f"prints, and {days} days of two schedulers",
    )  # fmt: skip


def _scheduled(days: int, dice: random.Random, folder: Path) -> tuple[int, int, int]:
    """Run two schedulers with jumping clocks; return the days, those missed and those repeated."""
    from printer.digest.config import parse_digests
    from printer.digest.scheduler import Scheduler
    from printer.settings import LoadedSettings, Settings

    text = '[[digest]]\nname = "week"\nschedule = "30 2 * * *"\n[[digest.source]]\npage = "https://example.org/"\n'
    (digest,) = parse_digests(text, parse_toml(text), "webprint.toml")
    now, issues = [START], Counter[float]()
    with closing_queue(JobQueue(str(folder / "digests.sqlite"))) as queue:
        quiet = lambda _: None  # noqa: E731
        schedulers = [
            Scheduler([digest], LoadedSettings(Settings(), {}), log=quiet, clock=lambda: now[0])
            for _ in range(2)
        ]
        for hour in range(24 * days):
            true_time = START + timedelta(hours=hour)
            for scheduler in schedulers:
                now[0] = true_time + timedelta(hours=dice.choice([0] * 8 + [-30, -5, 5, 20]))
                scheduler.tick(queue)
            now[0] = true_time
            schedulers[0].tick(queue)
        issues.update(queue.slots("week").keys())
    # A digest made early counts for its day; a day without any is missed.
    served = {int((slot - START.timestamp()) // 86400) for slot in issues}
    return days, len(set(range(1, days)) - served), sum(n > 1 for n in issues.values())


def refusing(kills: int, dice: random.Random, folder: Path) -> FaultOutcome:
    """Mail digests by a failing server; the other destinations must get each once."""
    from printer.backoff import Backoff
    from printer.digest import delivery
    from printer.digest.scheduler import MAX_ATTEMPTS

    delivery._BACKOFF = Backoff(0.01)
    start, faults = time.monotonic(), Refusing(dice)
    with newspaper(folder, faults) as paper:
        for number in range(kills):
            paper.publish(number)
            faults.begin(most=MAX_ATTEMPTS - 1)
            paper.submit(number)
            os.waitpid(forked(partial(paper.serve, number)), 0)
        return paper.outcome("mail servers that refuse", faults.done, kills, start)


def postgresql(kills: int, dice: random.Random, folder: Path) -> FaultOutcome:
    """Kill a PostgreSQL server repeatedly while it holds the jobs of prints being made."""
    start, times, prints = time.monotonic(), max(1, kills // 10), folder / "prints"
    with postgres_server() as server:
        database = f"{server.url}/postgres"
        with closing_queue(JobQueue(database)) as table, _workers(database, folder):
            completions = count_completions(table)
            ids = _started_jobs(table)
            for _ in range(times):
                ids += _jobs(table, 6)
                time.sleep(dice.random())
                server.kill()
                ids += _jobs(table, 1)
                time.sleep(dice.random() * 2)
                server.start()
            return _done(
                "PostgreSQL killed and back", times, table, ids, completions, prints, start
            )
