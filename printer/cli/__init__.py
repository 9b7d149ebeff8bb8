"""The command line."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run ``webprint``; the process ends with the exit code of errors.py."""
    # A layout is many objects that all live until the end: looking for garbage among them again
    # and again finds none.
    gc.set_threshold(100_000, 50, 100)
    from .app import run

    code: object = 0
    try:
        run()
    except SystemExit as ended:
        code = ended.code
    # Everything is written and closed by now.  Taking down object by object what a long layout
    # has built would keep the person waiting for a fifth of the whole run.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))
