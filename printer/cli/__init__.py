"""The command line."""

from __future__ import annotations

import gc
import os
import sys
from itertools import pairwise
from pathlib import Path

#: The first words that are no page to print: every other command, and options in place of one.
COMMANDS = frozenset({
    "batch", "config", "crawl", "digest", "explain", "extract", "jobs", "later", "login", "rules",
    "search", "serve", "themes", "worker",
})  # fmt: skip
_ASKING = frozenset({"--help", "-h", "--version", "--install-completion", "--show-completion"})

#: What libraries would do for nothing: look for plug-ins, and start threads for small sums.
_SPARED = {"PYDANTIC_DISABLE_PLUGINS": "__all__", "OPENBLAS_NUM_THREADS": "1"}

#: How names of files end that are no PDF; one in .html may be the page as well.
_OTHERS = (".epub", ".md", ".markdown", ".json")
_PAGES = (".html", ".htm")


def main() -> None:
    """Run ``webprint``; the process ends with the exit code of errors.py."""
    # A layout is many objects that all live until the end: looking for garbage among them again
    # and again finds none.
    gc.set_threshold(100_000, 50, 100)
    press = None
    words = sys.argv[1:]
    prints = bool(words) and words[0] not in COMMANDS | _ASKING
    if prints:
        for name, value in _SPARED.items():
            os.environ.setdefault(name, value)
        # What keeps fetched pages would load it to keep them there, which is never asked for.
        sys.modules.setdefault("redis", None)  # type: ignore[arg-type]
    if prints or words[:2] == ["digest", "run"]:
        _load_common()
        from ..render.worker_pool import MANY_PAGES, RenderPool, load_weasyprint

        # Where no PDF is asked for, WeasyPrint is loaded only if it is needed after all.
        pages = [word for word in words if not word.startswith("-")]
        many = not prints or len(pages) > MANY_PAGES
        prepare = load_weasyprint if many else _render_specimen
        press = RenderPool(fork=_makes_pdf(words), fork_all=many, prepare=prepare)
    if prints:
        from .print import run
    else:
        from .extract import run

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


def _load_common() -> None:
    """Load what this process and those that are forked both need, so that it is loaded once."""
    import urllib.request

    import PIL.Image

    from ..themes import page

    del urllib, PIL, page


def _render_specimen() -> None:
    """Load all that renders an article, in the process that will."""
    from ..render.warmup import render_specimen

    render_specimen()


def _makes_pdf(words: list[str]) -> bool:
    """Guess from the command line alone whether a PDF is to be made."""
    said = dict(pairwise(words))
    said |= dict(word.split("=", 1) for word in words if word.startswith("--") and "=" in word)
    if asked := said.get("--format"):
        return asked in ("pdf", "auto")
    named = (said.get(option) for option in ("-o", "--out", "--bundle"))
    file = next(filter(None, named), words[-1])
    if file.lower().endswith(_PAGES):
        return file == words[-1] == words[0] or Path(file).exists()
    return not file.lower().endswith(_OTHERS)
