"""Measure a server with a long queue, and two workers that share a queue.

Queues jobs, starts a server on them, and asks for its start page.  Then prints a list of pages with
two workers on PostgreSQL, and half of it with one, each with one process: the site answers so
slowly that it is the limit, as with workers on separate machines.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from printer.jobs import PAGE_PART, JobRequest
from printer.jobs.queue import JobQueue
from tests.support.jobs import closing_queue
from tests.support.print_server import PrintServer
from tests.support.story_page import story_page
from tests.support.web_server import Hit, Reply, WebServer

from .fault_tools import WEBPRINT, environment, is_pdf, postgres_server
from .protocol import Effort, Row, run_alone
from .server_load import centile

#: The seconds in which the site answers.
ANSWER_SECONDS = 0.5


def start_page(jobs: int, requests: int = 40) -> list[float]:
    """Return the seconds that each request for the start page took, with many jobs queued."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / ".local/share/webprint"
        with (
            closing_queue(JobQueue(str(data / "jobs.sqlite"))) as queue,
            ThreadPoolExecutor(20) as pool,  # Together they wait for the disk once.
        ):

            def submit(number: int) -> None:
                page = story_page(f"Story {number}").encode()
                queue.submit(JobRequest(f"https://example.org/{number}", {}, {PAGE_PART: page}))

            list(pool.map(submit, range(jobs)))
        server = PrintServer(Path(folder), "--port", "0", "--workers", "1")
        seconds = []
        try:
            # Signing in waits until the server has started.
            headers = {"Accept": "text/html", "Cookie": server.cookie}
            for _ in range(requests):
                start = time.perf_counter()
                server.client.get("/", headers=headers).raise_for_status()
                seconds.append(time.perf_counter() - start)
        finally:
            server.close()
    return seconds


def print_list(pages: int, workers: int) -> float:
    """Return the seconds in which some workers on PostgreSQL print a list."""

    def answer(hit: Hit) -> Reply:
        time.sleep(ANSWER_SECONDS)
        return Reply(story_page(f"Story {hit.path.strip('/')}"))

    with (
        ExitStack() as stack,
        postgres_server() as postgres,
        WebServer() as web,
        tempfile.TemporaryDirectory() as name,
    ):
        folder, shared = Path(name), ["--database", f"{postgres.url}/postgres"]
        shared += ["--storage", f"{folder}/prints"]
        for _ in range(workers):
            command = [*WEBPRINT, "worker", "--workers", "1", "--allow-private", "--no-cache"]
            worker = stack.enter_context(subprocess.Popen(
                [*command, "--render", "never", *shared], env=environment(),
                stderr=subprocess.DEVNULL,
            ))  # fmt: skip
            stack.callback(worker.terminate)
        for part, count in (("warm", 4 * workers), ("list", pages)):
            urls = [web.add(f"/{part}-{number}", answer) for number in range(count)]
            (folder / part).write_text("\n".join(urls))
            start = time.perf_counter()
            command = [*WEBPRINT, "batch", part, f"{part}-out", "--delay", "0", "--allow-private"]
            subprocess.run(
                [*command, *shared], cwd=folder, env=environment(), check=True,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            seconds = time.perf_counter() - start
        printed = list((folder / "list-out").glob("*.pdf"))
        if len(printed) != pages or not all(is_pdf(path.read_bytes()) for path in printed):
            raise SystemExit(f"{len(printed)} of {pages} pages were printed")
    return seconds


def rows(effort: Effort) -> Iterator[Row]:
    jobs, pages = effort.of(10_000, 2_000, 50), effort.of(100, 40, 4)
    times = start_page(jobs)
    subject = f"server, {jobs:,} jobs queued"
    yield Row(subject, "start page, first", 1000 * times[0], "ms", goal="≤ 200")
    yield Row(subject, "start page, 95 of 100 within", centile(times, 0.95), "ms", len(times),
              goal="≤ 200")  # fmt: skip
    one, two = pages / 2 / print_list(pages // 2, 1), pages / print_list(pages, 2)
    subject = f"a list on PostgreSQL, a site that answers in {ANSWER_SECONDS:g} s"
    yield Row(subject, "one worker", one, "pages/s", pages // 2)
    yield Row(subject, "two workers", two, "pages/s", pages, two / one, "≥ 1.8")


if __name__ == "__main__":
    run_alone(rows)
