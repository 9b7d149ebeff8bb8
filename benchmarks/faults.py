"""Break what is at work, again and again, and see whether anything is lost or done twice.

usage: python -m benchmarks.faults [--kills N] [--seed N] [--only NAME...]

Processes are killed (kill -9) at random moments, N in each of: a print server and what it started,
a batch and its workers, a crawl, and a digest that is mailed and put into a folder.  Disks are full
(RLIMIT_FSIZE) and folders read-only while prints are written, slow peers hold the server's
connections.  What needs PostgreSQL, Redis, an SMTP server that refuses, clocks that jump and a locked
database is asked of the tests that have them.  What was accepted must come, once, and whole.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from .breaking import (
    ROOT,
    Came,
    environment,
    error,
    feed,
    forked,
    is_pdf,
    killed,
    left,
    mailbox,
    module,
    over,
    result,
    since,
    tables,
)
from .protocol import Effort, Row

TESTS = ROOT / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "crawl")]

import httpx2  # noqa: E402
from jobs_help import until  # noqa: E402
from small_web import SmallWeb  # noqa: E402
from stories import story  # noqa: E402
from test_crawl_killed import kept, kill_and_go_on  # noqa: E402
from webserver import WebServer  # noqa: E402

from printer.jobs.process import tree  # noqa: E402

PROGRAM = "from printer.cli import main; main()"


def prints(kills: int, dice: random.Random, folder: Path) -> Came:
    """Kill the server, its supervisor, web process and workers while it prints."""
    began = time.monotonic()
    conftest = module(TESTS / "server" / "conftest.py")
    start = lambda: conftest.Server(folder, "--port", "0", "--workers", "2", "--render", "never")  # noqa: E731
    server, done = start(), 0
    accepted: list[str] = []
    asked: set[str] = set()
    try:
        while done < kills:
            for _ in range(2):
                url = f"https://example.org/{len(accepted)}"
                asked.add(url)
                with suppress(httpx2.HTTPError):  # It did not say so: it is asked again.
                    answer = server.order(url=url, html=story(f"Story {len(accepted)}"), key=url)
                    if answer.is_success:
                        accepted.append(answer.json()["id"])
            time.sleep(dice.random() * 0.6)
            below = tree(server.process.pid)
            victim = server.process.pid if dice.random() < 0.2 else dice.choice(below or [0])
            if victim and killed(victim):
                done += 1
            if victim == server.process.pid:
                server.process.wait()
                server.client.close()
                server = start()
        states = until(lambda: over(folder), 600)
        # Killed five times, a print is given up as what kills its workers, and is told; once more.
        failed = {each: error(server, each) for each in accepted if states.get(each) == "failed"}
        given_up = [each for each, why in failed.items() if why.startswith("given up")]
        for each in given_up:
            server.client.post(f"/api/prints/{each}/retry").raise_for_status()
        states = until(lambda: over(folder), 600)
        whole = sum(is_pdf(result(server, each)) for each in accepted if states.get(each) == "done")
    finally:
        server.close()
    lost = sum(states.get(each) != "done" for each in accepted)
    told = [f"{len(states)} jobs in the table", f"{len(given_up)} given up and tried again"]
    told += [why for each, why in failed.items() if each not in given_up]
    return Came(
        "prints: a process is killed", kills, len(accepted), lost, max(0, len(states) - len(asked)),
        len(accepted) - lost - whole, since(began), ", ".join(told),
    )  # fmt: skip


def batches(kills: int, dice: random.Random, folder: Path) -> Came:
    """Kill a batch, its supervisor and its workers; begin it again until it is done."""
    began, pages, done = time.monotonic(), max(20, kills), 0
    with WebServer() as web:
        listed = [web.add(f"/{n}", story(f"Story {n:03}")) for n in range(pages)]
        (folder / "urls.txt").write_text("\n".join(listed))
        command = [sys.executable, "-c", PROGRAM, "batch", "urls.txt", "out", "--delay", "0", "--rest",
                   "0.1", "--workers", "2", "--no-cache", "--render", "never"]  # fmt: skip
        code = None
        for _ in range(20 * kills + 20):
            with subprocess.Popen(
                command, cwd=folder, stderr=subprocess.DEVNULL, env=environment()
            ) as process:
                while done < kills and process.poll() is None:
                    time.sleep(dice.uniform(0.1, 1.5))
                    every = [process.pid, *tree(process.pid)]
                    victim = process.pid if dice.random() < 0.3 else dice.choice(every)
                    if process.poll() is None and killed(victim):
                        done += 1
                code = process.wait()
            if code == 0 and done >= kills:
                break
            if code == 0:  # All is printed before it was killed often enough: print more.
                listed += [web.add(f"/{len(listed) + n}", story(f"Story {len(listed) + n:03}"))
                           for n in range(10)]  # fmt: skip
                (folder / "urls.txt").write_text("\n".join(listed))
        asked = len(web.hits())
    made = sorted((folder / "out").glob("*.pdf"))
    titles = Counter(path.stem.partition(" (")[0] for path in made)
    return Came(
        "batches: a process is killed", done, len(listed), len(listed) - len(titles),
        len(made) - len(titles), sum(not is_pdf(path.read_bytes()) for path in made) + left(folder),
        since(began), f"{asked} requests, ended with {code}",
    )  # fmt: skip


def crawls(kills: int, dice: random.Random, folder: Path) -> Came:
    """Kill a crawl; see benchmarks/crawl.py."""
    began, articles, database = time.monotonic(), max(30, 2 * kills), str(folder / "crawl.sqlite")
    with SmallWeb(articles=articles, pause=0.01) as web:
        on_its_way = kill_and_go_on(
            web, database, kills, dice.randrange(10**6), within=3 * articles
        )
        fetched = web.fetched()
        found, wanted = kept(database), len(web.articles)
        again = [
            url for url, times in fetched.items()
            if not url.endswith("/robots.txt")
            and times > (2 if url.startswith(web.flaky.url) else 1) + on_its_way[url]
        ]  # fmt: skip
    return Came(
        "crawls: the process is killed", kills, wanted, wanted - len(found), len(again), 0,
        since(began), f"{sum(fetched.values())} requests for {len(fetched)} addresses",
    )  # fmt: skip


def digests(kills: int, dice: random.Random, folder: Path) -> Came:
    """Kill a digest that is mailed and put into a folder, then let another take its slot over."""
    from printer import config
    from printer.digest.described import read_digests
    from printer.digest.edition import Editor
    from printer.digest.memory import LEASE, Memory
    from printer.digest.running import Runner
    from printer.render import pdf

    pdf.warm()
    began, place, out = time.monotonic(), str(folder / "digests.sqlite"), folder / "out"
    start = datetime(2024, 1, 1, tzinfo=UTC)
    sent: Counter[str] = Counter()
    unsure = 0
    with WebServer() as web, mailbox(sent) as smtp:
        text = (
            f'[[digest]]\nname = "week"\n[[digest.source]]\nfeed = "{web.url}/feed"\nbody = "feed"\n'
            f'[[digest.deliver]]\nfolder = "{out}"\n[[digest.deliver]]\nmail = "you@reader.test"\n'
        )
        (digest,) = read_digests(text, tables(text), "webprint.toml")
        settings = config.Settings(
            render="never", cache=False, smtp=smtp, mail_from="me@reader.test", allow_private=True
        )

        def serve(number: int, now: datetime) -> None:
            with closing(Memory(place)) as memory:
                Runner(Editor(settings, memory), memory, settings, lambda: now).serve(
                    digest, number
                )

        longest = 0.0
        for number in range(kills + 1):
            slot = start + timedelta(days=number)
            web.add("/feed", feed(web.url, number, slot), media_type="application/rss+xml")
            before = time.monotonic()
            pid = forked(partial(serve, number, slot))
            if number:  # The first tells how long one takes.
                time.sleep(dice.random() * longest * 1.1)
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            longest = longest or time.monotonic() - before
            with closing(Memory(place)) as memory:
                unsure += memory.slot_state("week", number) == "sending"
            # Another looks when the first has been silent for too long.
            os.waitpid(forked(partial(serve, number, slot + timedelta(seconds=LEASE + 9))), 0)
    days = [f"{start + timedelta(days=number):%Y-%m-%d}" for number in range(kills + 1)]
    files = sorted(out.glob("*.pdf"))
    put = Counter(path.stem.removeprefix("week-")[:10] for path in files)
    came = {day for day in days if put[day] or sent[day]}
    twice = sum(max(put[day], sent[day]) > 1 for day in days)
    return Came(
        "digests: the process is killed", kills, len(days), max(0, len(days) - len(came) - unsure),
        twice, sum(not is_pdf(path.read_bytes()) for path in files), since(began),
        f"{unsure} killed while they were sent, which are not sent again",
    )  # fmt: skip


def full_disks(kills: int, dice: random.Random, folder: Path) -> Came:
    """Write over a file, a result and a rule where the disk takes so many bytes and no more."""
    import resource

    from printer.cli.output import write
    from printer.errors import WebprintError
    from printer.jobs.storage import open_storage

    began, half, lost = time.monotonic(), 0, 0
    old, new = b"%PDF old" * 500, b"%PDF new" * 50_000
    for number in range(kills):
        target = folder / f"{number}.pdf"
        target.write_bytes(old)
        room = dice.choice([0, 1, 4096, dice.randrange(len(new)), 10 * len(new)])

        def act(target: Path = target, room: int = room, number: int = number) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            told = 0
            for each in (
                lambda: write(target, new),
                lambda: open_storage(str(folder / "store")).put(f"{number:032x}/1/a.pdf", new),
            ):
                try:
                    each()
                except WebprintError:
                    told += 1
            os._exit(told)

        _, status = os.waitpid(forked(act), 0)
        told = os.waitstatus_to_exitcode(status)
        half += target.read_bytes() not in (old, new)
        half += sum(
            p.read_bytes() != new for p in (folder / "store").rglob(f"{number:032x}/1/a.pdf")
        )
        lost += told not in ((0,) if room > len(new) else (2,))
    return Came("disks that are full", kills, 2 * kills, lost, 0, half + left(folder), since(began),
               "each was told")  # fmt: skip


def read_only(kills: int, unused: random.Random, folder: Path) -> Came:
    """Print to folders that may not be written."""
    del unused
    from printer.cli.output import write
    from printer.errors import OutputError

    began, wrong, told = time.monotonic(), 0, 0
    folder.chmod(0o755)
    target = folder / "locked" / "a.pdf"
    target.parent.mkdir()
    target.write_bytes(b"%PDF old")
    target.parent.chmod(0o555)
    for _ in range(kills):

        def act() -> None:
            if os.getuid() == 0:
                os.setuid(65534)  # root may write anywhere
            try:
                write(target, b"%PDF new")
            except OutputError:
                os._exit(7)

        _, status = os.waitpid(forked(act), 0)
        told += os.waitstatus_to_exitcode(status) == 7
        wrong += [*target.parent.iterdir()] != [target] or target.read_bytes() != b"%PDF old"
    target.parent.chmod(0o755)
    return Came("folders that are read-only", kills, kills, kills - told, 0, wrong, since(began), "each was told")  # fmt: skip


def slow_peers(kills: int, unused: random.Random, folder: Path) -> Came:
    """Hold connections of a server with requests that never end, and print meanwhile."""
    del unused
    began = time.monotonic()
    conftest = module(TESTS / "server" / "conftest.py")
    server = conftest.Server(folder, "--port", "0", "--workers", "1", "--render", "never")
    held: list[socket.socket] = []
    done = 0
    try:
        for _ in range(2 * kills):
            peer = socket.create_connection(("127.0.0.1", server.port), 10)
            peer.sendall(b"POST /api/prints HTTP/1.1\r\nHost: 127.0.0.1\r\nX-" + b"a" * 9)
            held.append(peer)
        for number in range(3):
            answer = server.order(url=f"https://example.org/{number}", html=story())
            for peer in held:
                with suppress(OSError):
                    peer.sendall(b"b")
            done += server.finished(answer.json()["id"], 300)["state"] == "done"
    finally:
        for peer in held:
            peer.close()
        server.close()
    return Came("peers that never end", len(held), 3, 3 - done, 0, 0, since(began), "held open while it printed")  # fmt: skip


#: Faults that tests have the servers for, by file and what their names hold.
TESTED = {
    "PostgreSQL and Redis gone and back": ("tests/jobs/test_together.py", "gone_and_back"),
    "a database that is locked, full, or whose clock jumps": (
        "tests/jobs tests/digest", "locked or without_room or full_disk or jumps",
    ),
    "mail and printers that refuse": ("tests/digest/test_deliver.py", "refuse or not_there"),
    "servers that drip, fall silent or never end": ("tests/fetch/test_limits.py", ""),
}  # fmt: skip


def tested(kills: int, unused: random.Random, folder: Path) -> Iterator[Came]:
    """Run the tests of faults that need servers of their own."""
    del kills, unused
    for fault, (files, names) in TESTED.items():
        began = time.monotonic()
        report = folder / "report.xml"
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *files.split(), "-k", names, f"--junitxml={report}"],
            cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        from lxml import etree

        suite = next(etree.parse(report).iter("testsuite"))
        counts = {
            name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")
        }
        skipped, bad = counts["skipped"], counts["failures"] + counts["errors"]
        ran = counts["tests"]
        yield Came(
            fault, ran - skipped, ran - skipped, bad, 0, 0, since(began), f"{skipped} skipped"
        )


SCENES: dict[str, Callable[[int, random.Random, Path], Any]] = {
    "prints": prints, "batches": batches, "crawls": crawls, "digests": digests,
    "disks": full_disks, "folders": read_only, "peers": slow_peers, "tested": tested,
}  # fmt: skip


def broken(kills: int, seed: int = 1, only: tuple[str, ...] = ()) -> Iterator[Came]:
    """Yield what came of each fault; the same seed breaks things at the same moments."""
    for name in only or tuple(SCENES):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_DATA_HOME"] = os.environ["XDG_CACHE_HOME"] = folder
            came = SCENES[name](kills, random.Random(f"{seed} {name}"), Path(folder))
            yield from [came] if isinstance(came, Came) else came


def rows(effort: Effort) -> Iterator[Row]:
    """Measure for the runner."""
    for came in broken(effort.of(100, 25, 2)):
        told = f"{came.fault}, {came.times} times" + (f" ({came.remark})" if came.remark else "")
        yield Row(told, "lost", came.lost, n=came.accepted, goal="≤ 0")
        yield Row(told, "done twice", came.twice, n=came.accepted, goal="≤ 0")
        yield Row(told, "left half-written", came.half, n=came.accepted, goal="≤ 0")


def main() -> int:
    """Print what came of each fault; ends with 1 when something was lost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", choices=list(SCENES), default=[])
    asked = parser.parse_args()
    found = []
    print("times  accepted  lost  twice  half   seconds  fault")
    for row in broken(asked.kills, asked.seed, tuple(asked.only)):
        found.append(row)
        print(
            f"{row.times:5}  {row.accepted:8}  {row.lost:4}  {row.twice:5}  {row.half:4}"
            f"  {row.seconds:8.1f}  {row.fault} ({row.remark})",
            flush=True,
        )
    return 0 if all(row.sound for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
