"""Measure the print server under load, beside bare WeasyPrint on the same articles.

Posts many pages at once from several clients to a new server, waits until all are done, and polls
the API for the state of a print meanwhile.  Then bare processes render the same articles.  Timing
starts when each process has rendered one article.  On a machine with other load, processor seconds
say more than elapsed seconds.
"""

from __future__ import annotations

import json
import os
import re
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from printer.processes import memory_usage
from tests.support.print_server import PrintServer

from .protocol import Effort, Row, run_alone

ROOT = Path(__file__).parents[1]
BARE = 2
_JSON = {"Content-Type": "application/json"}


def pages(number: int) -> list[bytes]:
    """Return ``number`` pages: the sample pages of the tests, repeated, no two identical."""
    sources = sorted((ROOT / "tests/pages").glob("*/source.html"))
    return [
        sources[n % len(sources)].read_bytes() + b"<!-- %d -->" % n for n in range(number)
    ]  # fmt: skip


def start_server(home: str, workers: int) -> PrintServer:
    options = ["--port", "0", "--workers", str(workers), "--images", "none", "--no-follow"]
    return PrintServer(Path(home), *options)


def _order(source: bytes) -> bytes:
    order = {"url": "https://example.org/", "html": source.decode("utf-8", "replace")}
    return json.dumps(order).encode()


def processor() -> float:
    """Return the processor seconds used by all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def bare(sources: list[bytes]) -> float:
    """Render articles in this process with WeasyPrint alone; return the seconds it took."""
    from printer import Capture, ExtractOptions, Options, Printer
    from printer.capture import PageSource
    from printer.jobs.print_workers import NICENESS

    os.nice(NICENESS)  # Like the server's workers, so that other load affects both alike.
    with Printer(Options(extract=ExtractOptions(images="none"))) as printer:
        start = 0.0
        for n, source in enumerate([sources[0], *sources]):
            if n == 1:  # The first one loads the modules.
                start = time.perf_counter()
            url = "https://example.org/"
            printer.render(
                [printer.read(Capture(source, PageSource(url, url, "text/html", method="browser")))]
            )
    return time.perf_counter() - start


class Load(NamedTuple):
    """The result: elapsed and processor seconds, and the seconds of each request."""

    prints: int
    done: int
    seconds: float
    alone: float
    processor: float
    processor_alone: float
    posts: list[float]
    gets: list[float]
    memory: list[float]


def measure(prints: int, clients: int, workers: int = 2) -> Load:
    """Put load on a server, then render the same pages without one."""
    sources = pages(prints)
    orders = [_order(source) for source in sources]
    processor_seconds = [processor()]
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(folder, workers)
        client = server.client

        def post(order: bytes) -> tuple[float, str]:
            start = time.perf_counter()
            answer = client.post("/api/prints", content=order, headers=_JSON).raise_for_status()
            return time.perf_counter() - start, answer.json()["id"]

        def is_idle() -> bool:
            counts = client.get("/metrics").raise_for_status().text
            return not re.search(r'state="(?:queued|running)"} [1-9]', counts)

        try:
            for _ in range(2 * workers):
                post(orders[0])
            while not is_idle():
                time.sleep(0.1)
            start = time.time()
            with ThreadPoolExecutor(clients) as pool:
                posted = list(pool.map(post, orders))
            state_times: list[float] = []
            memory_levels: list[float] = []
            while len(state_times) % 10 or not is_idle():
                request_start = time.perf_counter()
                client.get(f"/api/prints/{posted[-1][1]}").raise_for_status()
                state_times.append(time.perf_counter() - request_start)
                if len(state_times) % 10 == 0:
                    memory_levels.append(memory_usage(server.process.pid) / 1e6)
                time.sleep(0.1)
            ends = [
                client.get(f"/api/prints/{print_id}").json()["finished"] for _, print_id in posted
            ]
            seconds = max(ends) - start
            counts = client.get("/metrics").text
            done = int(re.findall(r'state="done"} (\d+)', counts)[0]) - 2 * workers
        finally:
            server.close()
    processor_seconds.append(processor())
    with ProcessPoolExecutor(BARE) as processes:
        alone = max(processes.map(bare, [sources[n::BARE] for n in range(BARE)]))
    processor_seconds.append(processor())
    of_server, of_bare = (after - before for before, after in pairwise(processor_seconds))
    return Load(prints, done, seconds, alone, of_server, of_bare,
                [t for t, _ in posted], state_times, memory_levels)  # fmt: skip


def edits(changes: int) -> list[float]:
    """Remove paragraphs of an article of ten pages one by one; return the seconds each took."""
    text = "A letter from the harbour comes each morning, and the boats wait for it in a row. " * 5
    story = "".join(f"<p>Day {n}. {text}</p>" for n in range(60))
    html = f"<title>Letters</title><body><article><h1>Letters</h1>{story}</article>".encode()
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(folder, 1)
        client = server.client

        def wait(print_id: str) -> None:
            with client.stream("GET", f"/api/prints/{print_id}/events") as events:
                for line in events.iter_lines():
                    if line.startswith("data:") and json.loads(line[5:])["state"] == "done":
                        return
            raise SystemExit("the article was not set")

        try:
            answer = client.post("/api/prints", content=_order(html), headers=_JSON)
            print_id = answer.raise_for_status().json()["id"]
            wait(print_id)
            blocks = client.get(f"/api/prints/{print_id}/edit").json()["blocks"]
            seconds = []
            for block in blocks[2 : changes + 2]:
                start = time.perf_counter()
                body = {"include": {block["id"]: False}}
                client.patch(f"/api/prints/{print_id}/edit", json=body).raise_for_status()
                wait(print_id)
                seconds.append(time.perf_counter() - start)
        finally:
            server.close()
    return seconds


def centile(times: list[float], q: float) -> float:
    """Return a quantile, in milliseconds."""
    return 1000 * statistics.quantiles(times, n=100)[int(q * 100) - 1]


def rows(effort: Effort) -> Iterator[Row]:
    prints, clients = effort.of(200, 100, 10), effort.of(20, 20, 4)
    load = measure(prints, clients)
    server, bare = f"server, {clients} clients, 2 workers", "two bare processes"
    yield Row(server, "prints lost", prints - load.done, n=prints, goal="≤ 0")
    yield Row(server, "throughput", load.done / load.seconds, "prints/s", prints,
              load.seconds / load.alone, "≤ 1.25")  # fmt: skip
    yield Row(bare, "throughput", prints / load.alone, "prints/s", prints)
    yield Row(server, "processor time a print", load.processor / prints, "s", prints,
              load.processor / load.processor_alone)  # fmt: skip
    yield Row(bare, "processor time a print", load.processor_alone / prints, "s", prints)
    for request, times in (("accepting a print", load.posts), ("telling its state", load.gets)):
        yield Row(server, f"{request}, median", centile(times, 0.5), "ms", len(times))
        yield Row(server, f"{request}, 95 of 100 within", centile(times, 0.95), "ms", len(times),
                  goal="≤ 100")  # fmt: skip
    quarter = load.memory[len(load.memory) // 4]
    yield Row(server, "memory after a quarter", quarter, "MB")
    yield Row(server, "memory at the end", max(load.memory[-10:]), "MB")
    times = edits(effort.of(20, 10, 3))
    yield Row("editor", "a change to ten pages, set again", statistics.median(times), "s",
              len(times), goal="≤ 1")  # fmt: skip


if __name__ == "__main__":
    run_alone(rows)
