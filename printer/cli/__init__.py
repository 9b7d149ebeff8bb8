"""The entry point, which forks the renderer before what fetches and extracts pages is loaded.

WeasyPrint then loads in its own process while the page is fetched and extracted.
"""

from __future__ import annotations

import io
import os
import signal
import sys

from .. import GC_THRESHOLDS

# As little as possible is imported before main() handles interrupts.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..render.worker_pool import RenderPool

#: The module of each command, which is loaded when the command is used, and what it does in short.
COMMANDS = {
    "print": ("print", "print pages (the default)"),
    "extract": ("print", "write articles as text"),
    "explain": ("print", "show why text was kept"),
    "batch": ("print", "print a list of pages"),
    "crawl": ("crawl", "find the articles of a site"),
    "search": ("print", "search what was printed"),
    "login": ("config", "sign in to a site"),
    "rules": ("config", "correct pages of a site"),
    "themes": ("config", "list the layouts"),
    "config": ("config", "show or change settings"),
    "digest": ("digest", "print new articles of feeds"),
    "later": ("digest", "save a page for a digest"),
    "serve": ("server", "run the print server"),
    "worker": ("server", "print for a server"),
    "jobs": ("server", "list a server's prints"),
    "token": ("server", "show the server's token"),
    "doctor": ("doctor", "check this machine"),
    "help": ("help", "explain a command"),
}

#: The options that show something instead of printing.
_INFORMATION = {
    "--help", "-h", "--help-all", "--version", "-V", "--install-completion", "--show-completion",
}  # fmt: skip

#: Turns off features of libraries that no print needs: plug-ins, threads for small computations.
_ENVIRONMENT = {"PYDANTIC_DISABLE_PLUGINS": "__all__", "OPENBLAS_NUM_THREADS": "1"}
_OTHER_FORMATS = (".epub", ".md", ".markdown", ".json")


#: The process that reports an interrupt; those that it forks end silently.
_MAIN_PROCESS = os.getpid()


def main() -> None:
    """Run ``webprint`` and end the process with an exit code of errors.py."""
    _replace_closed_streams()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # An exception raised while modules are imported could be swallowed by one of them.
        signal.signal(signal.SIGINT, exit_on_interrupt)
    import gc

    gc.set_threshold(*GC_THRESHOLDS)
    pages = print_arguments(sys.argv[1:])
    if pages:
        for name, value in _ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        # The HTTP cache would import redis if it is installed, but never uses it.
        sys.modules.setdefault("redis", None)  # type: ignore[arg-type]
    pool = None
    if pages or sys.argv[1:3] == ["digest", "run"]:
        pool = _fork_renderer(pages)
    from .app import run

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr is
    code: object = 0
    try:
        run(pool)
    except SystemExit as error:
        code = error.code
    finally:
        if pool is not None:
            pool.close()
    # Everything is written and closed: skip freeing all objects.
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # It is reported already.
            continue
    os._exit(code if isinstance(code, int) else int(code is not None))


def _replace_closed_streams() -> None:
    """Open the standard streams that are closed, or files would take their place.

    What is written to standard output then fails, and messages are lost.
    """
    for name, mode in (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, mode)
            setattr(sys, name, os.fdopen(descriptor, "r" if name == "stdin" else "w"))


def exit_on_interrupt(*_: object) -> None:
    """End the process after an interrupt before the command has begun."""
    if os.getpid() == _MAIN_PROCESS:
        os.write(2, b"webprint: interrupted\n")
    os._exit(130)


def print_arguments(arguments: list[str]) -> list[str]:
    """Return the arguments of ``webprint print``, none if the call prints no pages."""
    if arguments[:1] == ["print"]:
        arguments = arguments[1:]
    elif arguments and arguments[0] in COMMANDS:
        return []
    return [] if arguments and arguments[0] in _INFORMATION else arguments


def _fork_renderer(arguments: list[str]) -> RenderPool:
    """Fork the renderer of ``webprint print``, or of a digest if there are no arguments."""
    # Both processes need these, so load them once.
    import urllib.request

    import PIL.Image

    from ..render.worker_pool import MANY_PAGES, RenderPool, load_weasyprint
    from ..themes import page

    del urllib, PIL, page
    pages = [argument for argument in arguments if not argument.startswith("-")]
    fork_all = not arguments or len(pages) > MANY_PAGES
    prepare = load_weasyprint if fork_all else _warm_up_renderer
    fork = expects_pdf(arguments or sys.argv[1:])
    return RenderPool(fork=fork, fork_all=fork_all, prepare=prepare)


def _warm_up_renderer() -> None:
    from ..render_stage import warm_up_renderer

    warm_up_renderer()


def expects_pdf(arguments: list[str]) -> bool:
    """Guess from the arguments alone whether the output is a PDF."""
    from itertools import pairwise
    from pathlib import Path

    options = dict(pairwise(arguments))
    options |= dict(
        argument.split("=", 1) for argument in arguments if argument[:2] == "--" and "=" in argument
    )
    if output_format := options.get("--format"):
        return output_format in ("pdf", "auto")
    names = (options.get(option) for option in ("-o", "--out", "--bundle"))
    file = next(filter(None, names), arguments[-1])
    if file.lower().endswith((".html", ".htm")):  # the page, or the output file
        return file == arguments[-1] == arguments[0] or Path(file).exists()
    return not file.lower().endswith(_OTHER_FORMATS)
