"""Print many real pages and say what came of each: a PDF, or the honest 'no article'.

    python benchmarks/robustness.py [--pages N] [--out FOLDER]

N pages are taken from all sets of the corpus and all their kinds, evenly, served on loopback and
printed one by one.
Pictures are not there to be had, so each page also shows what a missing picture does.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice, zip_longest
from pathlib import Path
from statistics import median

from corpus import CORPUS, samples, there

from printer import FetchOptions, Printer
from printer.errors import NoArticle, WebprintError


def chosen(count: int) -> dict[str, bytes]:
    """Return pages from every set and kind, taken in turn, by name."""
    kinds = defaultdict(list)
    for sample in samples("wcxb", "traf", "moz"):
        if len(kinds[sample.set, sample.kind]) < count:
            kinds[sample.set, sample.kind].append(sample)
    turns = (s for row in zip_longest(*kinds.values()) for s in row if s)
    return {f"{s.set}-{s.kind}-{s.id}": s.html for s in islice(turns, count)}


class Handler(BaseHTTPRequestHandler):
    """Serves the chosen pages, and nothing for anything else they name."""

    def __init__(self, pages: dict[str, bytes], *arguments: object) -> None:
        self.pages = pages
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        body = self.pages.get(self.path.strip("/"), b"")
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(pages: dict[str, bytes]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, pages)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=45)
    parser.add_argument("--out", type=Path, help="keep the PDFs here")
    parser.add_argument("--render", default="never", choices=["auto", "never", "always"])
    given = parser.parse_args()
    if not there():
        print(f"there is no corpus at {CORPUS}")
        return 0
    pages = chosen(given.pages)
    ends: Counter[str] = Counter()
    seconds = []
    options = FetchOptions(cache=False, follow=False, render=given.render)
    with served(pages) as root:
        for name in pages:
            start = time.perf_counter()
            try:
                with Printer(options, named=(root,)) as printer:
                    result = printer.print([f"{root}/{name}"])
                end, told = "printed", f"{result.pages} pages, {len(result.warnings)} warnings"
                if given.out:
                    given.out.mkdir(parents=True, exist_ok=True)
                    (given.out / f"{name}.pdf").write_bytes(result.pdf)
            except NoArticle:
                end, told = "no article", ""
            except WebprintError as error:
                end, told = type(error).__name__, str(error)
            except Exception as error:  # noqa: BLE001 - a crash is what this looks for
                end, told = "CRASH", f"{type(error).__name__}: {error}"
            seconds.append(time.perf_counter() - start)
            ends[end] += 1
            print(f"{name:32} {seconds[-1]:5.1f} s  {end} {told}", flush=True)
    print(dict(ends), f"median {median(seconds):.1f} s, longest {max(seconds):.1f} s")
    return min(1, sum(count for end, count in ends.items() if end not in {"printed", "no article"}))


if __name__ == "__main__":
    sys.exit(main())
