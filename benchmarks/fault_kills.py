"""Kill (-9) processes of a print server, a batch, a crawl and a digest at random moments."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx2

from printer.backoff import Backoff
from printer.fetch.browser.process import find_chromium
from printer.files import parse_toml
from printer.jobs import FINISHED
from printer.jobs.queue import JobQueue, job_id_for_key
from printer.processes import process_tree
from tests.support.jobs import closing_queue, wait_until
from tests.support.print_server import PrintServer
from tests.support.processes import kill
from tests.support.story_page import story_page
from tests.support.web_server import WebServer

from . import crawl
from .fault_tools import (
    WEBPRINT,
    FaultOutcome,
    count_leftovers,
    environment,
    error,
    feed,
    forked,
    is_pdf,
    mailbox,
    over,
    postgres_server,
    result,
    seconds_since,
    webhook,
)  # fmt: skip

#: One print in this many is rendered by a browser, if one is installed.
BROWSED = 4
#: The seconds that all prints may take to finish.
PATIENCE = 1800


@dataclass
class _Orders:
    """Requests prints from a server, and records those it accepted."""

    web: WebServer
    browser: bool
    accepted: list[str] = field(default_factory=list)
    sent: int = 0

    def ask(self, server: PrintServer) -> None:
        """Send the next request, once."""
        number, self.sent = self.sent, self.sent + 1
        text = story_page(f"Story {number}")
        order: dict[str, Any] = {"url": f"https://example.org/{number}", "html": text}
        if self.browser and number % BROWSED == BROWSED - 1:
            order = {"url": self.web.add(f"/{number}", text), "options": {"render": "always"}}
        with suppress(httpx2.HTTPError):  # It was not acknowledged.
            answer = server.submit(key=str(number), **order)
            if answer.is_success:
                self.accepted.append(answer.json()["id"])


def prints(kills: int, dice: random.Random, folder: Path, database: str = "") -> FaultOutcome:
    """Kill the server, its supervisor, web process, workers and browsers while it prints."""
    start, kill_count = time.monotonic(), 0
    shared = ["--database", database, "--storage", str(folder / "prints")] if database else []
    start_server = partial(
        PrintServer, folder, "--port", "0", "--workers", "2", "--render", "never", *shared
    )
    with WebServer() as web:
        orders, server = _Orders(web, any(True for _ in find_chromium())), start_server()
        try:
            for _ in range(BROWSED):
                orders.ask(server)
            warm_start = time.monotonic()
            wait_until(lambda: over(folder, database), PATIENCE)
            print_seconds = (time.monotonic() - warm_start) / 2  # Each worker printed two.
            while kill_count < kills:
                orders.ask(server)
                time.sleep(dice.random() * min(print_seconds, 1.0))
                server_pid = server.process.pid
                victim = (
                    server_pid
                    if dice.random() < 0.2
                    else dice.choice(process_tree(server_pid)[1:] or [server_pid])
                )
                kill_count += kill(victim)
                if victim == server_pid:
                    server.process.wait()
                    server.client.close()
                    server = start_server()
            states = wait_until(lambda: over(folder, database), PATIENCE)
            # A print that lost its worker too often is reported as given up: retry it once.
            failed = {e: error(server, e) for e in orders.accepted if states.get(e) == "failed"}
            abandoned = [
                print_id
                for print_id, why in failed.items()
                if why.startswith("stopped after its worker")
            ]
            for print_id in abandoned:
                server.client.post(f"/api/prints/{print_id}/retry").raise_for_status()
            states = wait_until(lambda: over(folder, database), PATIENCE)
            printed = [print_id for print_id in orders.accepted if states.get(print_id) == "done"]
            intact = sum(is_pdf(result(server, print_id)) for print_id in printed)
        finally:
            server.close()
    remarks = [f"{orders.sent // BROWSED if orders.browser else 0} of them by a browser"]
    remarks += [f"{len(abandoned)} given up and tried again"] if abandoned else []
    remarks += sorted(set(failed.values()))
    return FaultOutcome(
        "prints: a process is killed", kill_count, len(orders.accepted), len(orders.accepted) - len(printed),
        max(0, len(states) - orders.sent), len(printed) - intact, seconds_since(start), ", ".join(remarks),
    )  # fmt: skip


def batches(kills: int, dice: random.Random, folder: Path, database: str = "") -> FaultOutcome:
    """Kill a batch, its supervisor and its workers; restart it until it is done."""
    start, pages, kill_count = time.monotonic(), max(20, kills), 0
    with WebServer() as web:
        urls = [web.add(f"/{n}", story_page(f"Story {n:03}")) for n in range(pages)]
        (folder / "urls.txt").write_text("\n".join(urls))
        command = [*WEBPRINT, "batch", "urls.txt", "out", "--delay", "0", "--retry-delay", "0.1",
                   "--workers", "2", "--no-cache", "--render", "never"]  # fmt: skip
        if database:
            command += ["--database", database, "--storage", str(folder / "prints")]
        code = None
        for _ in range(20 * kills + 20):
            with subprocess.Popen(
                command, cwd=folder, stderr=subprocess.DEVNULL, env=environment()
            ) as process:
                while kill_count < kills and process.poll() is None:
                    time.sleep(dice.uniform(0.1, 1.5))
                    pids = [process.pid, *process_tree(process.pid)]
                    victim = process.pid if dice.random() < 0.3 else dice.choice(pids)
                    if process.poll() is None and kill(victim):
                        kill_count += 1
                code = process.wait()
            if code == 0 and kill_count >= kills:
                break
            if code == 0:  # It finished before it was killed often enough: add pages.
                urls += [web.add(f"/{len(urls) + n}", story_page(f"Story {len(urls) + n:03}"))
                           for n in range(10)]  # fmt: skip
                (folder / "urls.txt").write_text("\n".join(urls))
        requests = len(web.hits())
    printed = sorted((folder / "out").glob("*.pdf"))
    titles = Counter(path.stem.partition(" (")[0] for path in printed)
    return FaultOutcome(
        "batches: a process is killed", kill_count, len(urls), len(urls) - len(titles),
        len(printed) - len(titles), sum(not is_pdf(path.read_bytes()) for path in printed) + count_leftovers(folder),
        seconds_since(start), f"{requests} requests, ended with {code}",
    )  # fmt: skip


def on_postgresql(
    scene: Callable[[int, random.Random, Path, str], FaultOutcome],
    kills: int, dice: random.Random, folder: Path,
) -> FaultOutcome:  # fmt: skip
    """Run a scene on a new PostgreSQL server."""
    with postgres_server() as server:
        outcome = scene(kills, dice, folder, f"{server.url}/postgres")
    return replace(outcome, fault=f"{outcome.fault}, PostgreSQL")


def crawls(kills: int, dice: random.Random, folder: Path) -> FaultOutcome:
    """Kill a crawl."""
    start = time.monotonic()
    result = crawl.killed(folder, max(30, 2 * kills), kills, dice.randrange(10**6))
    return FaultOutcome(
        "crawls: the process is killed", kills, result.expected, result.expected - result.articles,
        result.unexplained, 0, seconds_since(start), f"{result.addresses} addresses",
    )  # fmt: skip


START = datetime(2024, 1, 1, tzinfo=UTC)
MAILED, FILED, POSTED = "mail", "folder", "webhook"


@dataclass
class Newspaper:
    """A digest of one story a day, delivered to a folder, by mail and to a webhook.

    ``sent`` counts the deliveries received, by destination and day.
    """

    folder: Path
    web: WebServer
    smtp: str
    hook: str
    sent: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Create the digest."""
        from printer.digest.config import parse_digests
        from printer.settings import Settings

        self.place, self.out = str(self.folder / "jobs.sqlite"), self.folder / "out"
        text = (
            f'[[digest]]\nname = "week"\n[[digest.source]]\nfeed = "{self.web.url}/feed"\n'
            f'body = "feed"\n[[digest.deliver]]\nfolder = "{self.out}"\n'
            f'[[digest.deliver]]\nmail = "you@reader.test"\n'
            f'[[digest.deliver]]\nwebhook = "{self.hook}"\n'
        )
        (self.digest,) = parse_digests(text, parse_toml(text), "webprint.toml")
        self.settings = Settings(
            render="never", cache=False, smtp=self.smtp, mail_from="me@reader.test",
            allow_private=True, database=self.place, storage=str(self.folder / "prints"),
        )  # fmt: skip

    @staticmethod
    def slot(number: int) -> datetime:
        """Return when an issue is due."""
        return START + timedelta(days=number)

    def publish(self, number: int) -> None:
        """Publish the story of a day in the feed."""
        slot = self.slot(number)
        text = feed(self.web.url, number, slot)
        self.web.add("/feed", text, media_type="application/rss+xml")

    def warm(self) -> None:
        """Load the modules that making an issue needs, for the processes forked later."""
        from printer.digest.builder import IssueBuilder
        from printer.digest.runner import run_digest
        from printer.digest.selection import StoryHistory
        from printer.jobs.engine import preload
        from printer.render.weasy import engine

        preload()
        engine.load_fonts()
        self.publish(0)
        with closing(StoryHistory(str(self.folder / "warm.sqlite"))) as memory:
            builder = IssueBuilder(self.settings, memory)
            run_digest(builder, self.digest, START, lambda _, result: str(len(result.data)))

    def serve(self, number: int) -> None:
        """Run the scheduler until it made and delivered an issue; call in a forked process."""
        from printer.digest import scheduler
        from printer.settings import LoadedSettings

        # A refusal is tried again at once, and the same story is not looked for in the meantime.
        scheduler.BACKOFF = Backoff(0.01)
        # One renderer is started per processor, and one is enough for one story.
        os.sched_setaffinity(0, {random.Random(number).choice(sorted(os.sched_getaffinity(0)))})
        loop = scheduler.Scheduler(
            [self.digest],
            LoadedSettings(self.settings, {}),
            log=lambda _: None,
            clock=lambda: self.slot(number),
        )
        loop.run(lambda queue: self.state(number, queue) in FINISHED)

    def submit(self, number: int) -> None:
        """Queue an issue."""
        with closing_queue(JobQueue(self.settings.database)) as queue:
            queue.submit_digest("week", self.slot(number).timestamp())

    def state(self, number: int, queue: JobQueue) -> str:
        """Return the state of an issue's job."""
        job = queue.get(queue.submit_digest("week", self.slot(number).timestamp()))
        return job.state if job else ""

    def is_sending(self, number: int) -> bool:
        """Return whether a delivery of an issue has begun."""
        query = (
            "SELECT 1 FROM operation_outputs WHERE function_name = 'begin' AND workflow_uuid = ?"
        )
        job_id = job_id_for_key(f"digest week {self.slot(number).timestamp()}")
        with suppress(sqlite3.Error), closing(sqlite3.connect(self.place)) as connection:
            return connection.execute(query, (job_id,)).fetchone() is not None
        return False

    def unsure(self) -> int:
        """Count the deliveries that may or may not have arrived."""
        with closing_queue(JobQueue(self.settings.database)) as queue:
            jobs = queue.get_many([*queue.slots("week").values()]).values()
        warnings = (text for job in jobs for text in job.result.get("warnings", ()))
        return sum("may have arrived" in text for text in warnings)

    def outcome(self, fault: str, times: int, issues: int, began: float) -> FaultOutcome:
        """Count the deliveries of the issues at their three destinations."""
        files = sorted(self.out.glob("*"))
        for path in files:
            self.sent[FILED, path.stem.removeprefix("week-")[:10]] += 1
        days = [f"{self.slot(number):%Y-%m-%d}" for number in range(issues)]
        counts = [self.sent[place, day] for place in (FILED, MAILED, POSTED) for day in days]
        unsure = self.unsure()
        return FaultOutcome(
            fault, times, len(counts), max(0, counts.count(0) - unsure),
            sum(count > 1 for count in counts),
            sum(path.suffix != ".pdf" or not is_pdf(path.read_bytes()) for path in files),
            seconds_since(began), f"{unsure} of the deliveries were killed while they were sent",
            min(unsure, counts.count(0)),
        )  # fmt: skip


@contextmanager
def newspaper(folder: Path, faults: Iterator[str] | None = None) -> Iterator[Newspaper]:
    """Create a newspaper; ``faults`` are the responses of its mail server to successive mails."""
    sent: Counter[tuple[str, str]] = Counter()

    def count(place: str, day: str) -> None:
        sent[place, day] += 1
        time.sleep(0.01)

    with (
        WebServer() as web,
        mailbox(partial(count, MAILED), faults) as smtp,
        webhook(partial(count, POSTED)) as hook,
    ):
        paper = Newspaper(folder, web, smtp, hook, sent)
        paper.warm()
        yield paper


def digests(kills: int, dice: random.Random, folder: Path) -> FaultOutcome:
    """Kill a scheduler of digests or what it started, and let another take its work up.

    About half of the kills happen at any time of the run, the others during delivery.
    """
    start, number, kill_count = time.monotonic(), 0, 0
    with newspaper(folder) as paper:
        paper.submit(0)
        issue_start = time.monotonic()
        os.waitpid(forked(partial(paper.serve, 0)), 0)
        duration = time.monotonic() - issue_start
        while kill_count < kills:
            number += 1
            paper.publish(number)
            paper.submit(number)
            issue_start = time.monotonic()
            pid = forked(partial(paper.serve, number))
            if dice.random() < 0.5:
                while not paper.is_sending(number) and time.monotonic() < issue_start + 60:
                    time.sleep(0.002)
                time.sleep(dice.random() * 0.12)
            else:
                time.sleep(dice.random() * duration)
            children = process_tree(pid)[1:]
            victim = dice.choice(children) if children and dice.random() < 0.3 else pid
            kill(victim)
            _, status = os.waitpid(pid, 0)
            # A process that ended before the kill does not count.
            kill_count += victim != pid or os.WIFSIGNALED(status)
            if status == 0:
                duration = time.monotonic() - issue_start
            else:
                os.waitpid(forked(partial(paper.serve, number)), 0)
        return paper.outcome("digests: a process is killed", kill_count, number + 1, start)
