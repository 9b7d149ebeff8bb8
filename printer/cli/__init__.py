"""The command line."""

from __future__ import annotations

import gc
import os
import sys

#: First words after which nothing is printed, so that WeasyPrint need not be loaded.
_NOT_PRINTING = frozenset({
    "batch", "crawl", "extract", "explain", "login", "themes", "config", "serve", "worker", "jobs",
    "later", "search",
    "--help", "-h", "--version", "--install-completion", "--show-completion",
})  # fmt: skip


def main() -> None:
    """Run ``webprint``; the process ends with the exit code of errors.py."""
    # A layout is many objects that all live until the end: looking for garbage among them again
    # and again finds none.
    gc.set_threshold(100_000, 50, 100)
    press = None
    words = sys.argv[1:]
    if words and words[0] not in _NOT_PRINTING and (words[0] != "digest" or "run" in words[1:2]):
        from ..render.press import Presses

        press = Presses()
    from .app import run

    code: object = 0
    try:
        run(press)
    except SystemExit as ended:
        code = ended.code
    finally:
        if press is not None:
            press.close()
    # Everything is written and closed by now.  Taking down object by object what was loaded would
    # keep the person waiting.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))
