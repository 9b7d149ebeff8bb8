"""Print every sample: `python samples/make_samples.py [NAME ...]` writes samples/NAME/NAME.pdf.

The pages are served on a free port of this machine, as a web site would serve them, and printed
through the library.  `headers.txt` beside a page holds the headers it must be sent with.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

HERE = Path(__file__).resolve().parent


class SampleHandler(SimpleHTTPRequestHandler):
    """Serve the samples folder, quietly, with the headers a sample asks for."""

    extensions_map = {  # noqa: RUF012
        **SimpleHTTPRequestHandler.extensions_map,
        ".html": "text/html; charset=utf-8",
        ".webp": "image/webp",
        ".avif": "image/avif",
        ".json": "application/json",
    }

    def guess_type(self, path: str) -> str:  # type: ignore[override]
        """Return the type to send a file as: what `headers.txt` says, else by its name."""
        file = Path(path)
        headers = file.parent / "headers.txt"
        if file.name == "page.html" and headers.is_file():
            for line in headers.read_text("ascii").splitlines():
                name, _, value = line.partition(":")
                if name.strip().lower() == "content-type":
                    return value.strip()
        return super().guess_type(path)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log no requests."""


@contextmanager
def served(folder: Path = HERE) -> Iterator[str]:
    """Serve a folder on 127.0.0.1 while the block runs; give the address of its root."""
    handler = partial(SampleHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def samples() -> list[str]:
    """Return the names of all samples."""
    return sorted(page.parent.name for page in HERE.glob("*/page.html"))


def main() -> int:
    from printer import FetchOptions, WebprintError, print_pages

    parser = argparse.ArgumentParser(description="Print the sample pages.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="the samples to print (all)")
    names = parser.parse_args().names or samples()
    if unknown := sorted(set(names) - set(samples())):
        parser.error(f"no such sample: {', '.join(unknown)}; there are {', '.join(samples())}")
    failed = 0
    with served() as root:
        for name in names:
            out = HERE / name / f"{name}.pdf"
            fetch = FetchOptions(allow_private=True, cache=False)
            try:
                result = print_pages([f"{root}/{name}/page.html"], fetch=fetch)
            except WebprintError as error:
                failed += 1
                print(f"{name}: {error}", file=sys.stderr)
                continue
            out.write_bytes(result.pdf)
            print(f"{out.relative_to(HERE.parent)}  {len(result.pdf):,} bytes")
            for warning in result.warnings:
                print(f"{name}: {warning}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
