"""Print all pages of the corpus as one batch by two workers, killing everything twice.

The pages are served on loopback, and every picture they name is answered with a made-up one of the
size that its address tells.  Every page must end in a PDF or in an error that says why.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any

from PIL import Image, ImageOps

from printer.batch import REPORT_JSON, STATE_FILE, STATE_FOLDER
from printer.jobs.queue import JobQueue
from printer.processes import kill_tree, process_tree
from tests.support.jobs import closing_queue
from tests.support.picture_files import encode_image
from tests.support.processes import megabytes
from tests.support.web_server import Hit, Reply, WebServer

from .corpus import SETS, Sample, require_corpus, samples, spread_evenly
from .fault_tools import WEBPRINT, count_leftovers, environment, is_pdf
from .protocol import Effort, Row, run_alone

WORKERS = 2
#: The shares of pages printed at which everything is killed.
KILLS = (1 / 3, 2 / 3)
#: Seconds between two looks at the processes.
INTERVAL = 2.0
#: Runs after which a list that is not done is given up.
MAX_RUNS = 10

_PICTURE_TAGS = re.compile(rb"<(?:img|source|video|meta|link|amp-img)\b[^>]*>", re.IGNORECASE)
_OTHER_HOST = re.compile(rb"(?:https?:)?//(?=[\w.-]+\.[a-z]{2,})", re.IGNORECASE)
_ICON = re.compile(r"favicon|sprite|\bicons?\b|emoji|badge|\blogo|avatar|gravatar", re.IGNORECASE)
_SIZE = re.compile(r"(?<![\d.])(\d{2,4})x(\d{2,4})(?!\d)")


class CorpusServer(WebServer):  # type: ignore[misc]
    """Serves pages, and a made-up picture at every other path."""

    def page(self, sample: Sample) -> str:
        """Add a page whose pictures are on this server; return its address."""
        host = f"{self.url}/picture/".encode()
        local = _PICTURE_TAGS.sub(lambda tag: _OTHER_HOST.sub(host, tag[0]), sample.html)
        # The charset is left to the page itself, as on most servers.
        return self.add(f"/page/{sample.key}", local, media_type="text/html")

    def answer(self, hit: Hit) -> Reply:
        """Return the page, or else a picture."""
        reply = super().answer(hit)
        if reply.status != 404:
            return reply
        return Reply(picture(f"{hit.path}?{hit.query}"), media_type="image/jpeg")


@lru_cache(256)
def picture(address: str) -> bytes:
    """Return a JPEG of the size that the address tells, in colors of its own."""
    dice = hashlib.sha256(address.encode()).digest()
    width, height = _declared_size(address) or (1200, 800)
    dark, light = tuple(dice[:3]), tuple(128 + value // 2 for value in dice[3:6])
    shades = Image.linear_gradient("L").resize((width, height))
    return encode_image(ImageOps.colorize(shades, dark, light), "JPEG", quality=70)


def _declared_size(address: str) -> tuple[int, int] | None:
    if _ICON.search(address):
        return 32, 32
    sizes = _SIZE.search(address)
    return (min(2400, int(sizes[1])), min(2400, int(sizes[2]))) if sizes else None


@dataclass
class Run:
    """A batch that was killed and resumed until it was done.

    ``memory`` are samples, in megabytes, of all processes of the batch, in order of time;
    ``seconds`` is the time of all runs.
    """

    urls: Mapping[str, str]
    report: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    times: Mapping[str, float] = field(default_factory=dict)
    memory: list[float] = field(default_factory=list)
    half_written: int = 0
    files: int = 0
    exit_code: int | None = None


def run_batch(pages: Iterable[Sample], folder: Path) -> Run:
    """Print the pages; kill the batch and its workers at each of :data:`KILLS`."""
    with CorpusServer() as web:
        run = Run({web.page(sample): f"{sample.set} {sample.kind}" for sample in pages})
        (folder / "urls.txt").write_text("\n".join(run.urls))
        output_folder = folder / "out"
        command = [*WEBPRINT, "batch", "urls.txt", "out", "--delay", "0", "--workers", str(WORKERS),
                   "--retry-delay", "0.1", "--allow-private", "--no-cache", "--no-follow",
                   "--render", "never"]  # fmt: skip
        kill_counts = [int(share * len(run.urls)) for share in KILLS]
        start = time.monotonic()
        for _ in range(MAX_RUNS):
            with (
                (folder / "log").open("ab") as log,
                subprocess.Popen(
                    command, cwd=folder, stdout=log, stderr=log, env=environment()
                ) as process,
            ):
                while process.poll() is None:
                    time.sleep(INTERVAL)
                    run.memory.append(sum(map(megabytes, process_tree(process.pid))))
                    if kill_counts and len(list(output_folder.glob("*.pdf"))) >= kill_counts[0]:
                        kill_counts.pop(0)
                        kill_tree(process.pid)
                run.exit_code = process.wait()
            if run.exit_code >= 0:
                break
        run.seconds = time.monotonic() - start
    run.report = json.loads((output_folder / REPORT_JSON).read_text())
    run.times = _times(output_folder / STATE_FOLDER / STATE_FILE)
    pdfs = list(output_folder.glob("*.pdf"))
    run.files = len(pdfs)
    run.half_written = sum(not is_pdf(path.read_bytes()) for path in pdfs) + count_leftovers(
        output_folder
    )
    return run


def _times(database: Path) -> dict[str, float]:
    with closing_queue(JobQueue(str(database))) as queue:
        jobs = queue.list_recent(1_000_000)
    return {
        job.url: job.finished - job.started
        for job in jobs
        if job.finished is not None and job.started is not None
    }


def rows(effort: Effort) -> Iterator[Row]:
    require_corpus()
    pages = (
        samples(*SETS) if effort.of(True, False, False) else spread_evenly(effort.of(0, 150, 20))
    )
    with tempfile.TemporaryDirectory() as name:
        run = run_batch(pages, Path(name))
    yield from report(run)


def report(run: Run) -> Iterator[Row]:
    """Yield the figures of a batch."""
    listed, subject = len(run.urls), "a batch of the corpus, killed twice"
    results = run.report["pages"]
    printed = [page for page in results if page["state"] == "done"]
    unexplained = [
        page["url"]
        for page in results
        if page["state"] != "done" and not page.get("error", {}).get("message")
    ]
    yield Row(subject, "pages printed", len(printed), n=listed)
    reasons = Counter(run.report["failures"])
    for reason, count in reasons.most_common(12):
        yield Row(subject, reason, count, n=listed)
    lost = listed - len(printed) - sum(reasons.values())
    yield Row(subject, "lost", lost, n=listed, goal="≤ 0")
    yield Row(subject, "ended without a reason", len(unexplained), n=listed, goal="≤ 0",
              note="; ".join(unexplained[:5]))  # fmt: skip
    yield Row(subject, "files without a page in the report, or missing",
              abs(run.files - len(printed)), n=listed, goal="≤ 0")  # fmt: skip
    yield Row(subject, "left half-written", run.half_written, n=listed, goal="≤ 0")
    yield Row(subject, "time", run.seconds, "s", listed)
    third = len(run.memory) // 3
    if third:
        early, late = median(run.memory[:third]), median(run.memory[-third:])
        yield Row(subject, "memory, first third", early, "MB", third)
        yield Row(subject, "memory, last third", late, "MB", third)
        yield Row(subject, "memory of the last third by that of the first", late / early, "times",
                  goal="≤ 1.2")  # fmt: skip
    kinds: dict[str, list[float]] = defaultdict(list)
    for url, seconds in run.times.items():
        kinds[run.urls[url]].append(seconds)
    for kind, times in sorted(kinds.items()):
        yield Row(kind, "median time a page", median(times), "s", len(times))
        yield Row(kind, "longest", max(times), "s", len(times))
    slowest = sorted(run.times.items(), key=lambda item: -item[1])[:10]
    yield Row(subject, "the slowest ten", note=", ".join(
        f"{url.partition('/page/')[2]} {seconds:.0f} s" for url, seconds in slowest
    ))  # fmt: skip
    largest = sorted(printed, key=lambda page: -(page.get("pages") or 0))[:10]
    yield Row(subject, "the ten of most pages", note=", ".join(
        f"{page['url'].partition('/page/')[2]} {page['pages']}" for page in largest
    ))  # fmt: skip


if __name__ == "__main__":
    run_alone(rows)
