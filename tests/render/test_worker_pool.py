"""Documents rendered in worker processes, and the handling of failures."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

import pytest

from printer.article import Article, Paragraph, Span
from printer.errors import RenderError, UsageError
from printer.processes import child_pids
from printer.render.context import Document
from printer.render.worker_pool import MANY_PAGES, RenderPool
from printer.worker_process import WorkerProcess
from tests.support import worker_calls
from tests.support.documents import render_html


@pytest.fixture(scope="module")
def document() -> Document:
    article = Article("A day", (Paragraph((Span("The tide comes in."),)),))
    return render_html([article], {})


@pytest.fixture(scope="module")
def pool() -> Iterator[RenderPool]:
    with RenderPool(60.0, fork=False) as pool:
        yield pool


def test_a_document_is_rendered(pool: RenderPool, document: Document) -> None:
    first, second = pool.render(document), pool.render(document)
    assert first.pdf.startswith(b"%PDF")
    assert first.pages == second.pages == 1


def test_a_document_that_cannot_be_rendered(pool: RenderPool, document: Document) -> None:
    with pytest.raises(RenderError, match="could not print"):
        pool.render(replace(document, html=None))
    assert pool.render(document).pages == 1


def test_errors_of_ours_are_raised_and_others_named(pool: RenderPool) -> None:
    with pytest.raises(UsageError, match="nonsense"):
        pool.run("trying", _raise_usage_error)
    with pytest.raises(RenderError, match="trying failed: ZeroDivisionError"):
        pool.run("trying", divmod, 1, 0)


def _raise_usage_error() -> None:
    raise UsageError("nonsense")


def test_a_process_that_ends_twice_is_reported(pool: RenderPool, document: Document) -> None:
    with pytest.raises(RenderError, match="the process ended while dying") as failure:
        pool.run("dying", signal.raise_signal, signal.SIGKILL)
    assert failure.value.process_died
    with pytest.raises(RenderError, match="the process ended while leaving"):
        pool.run("leaving", os._exit, 0)
    assert pool.render(document).pages == 1


def test_the_time_limit(pool: RenderPool, document: Document) -> None:
    pool.time_limit = 0.0
    try:
        with pytest.raises(RenderError, match="--print-timeout"):
            pool.render(document)
    finally:
        pool.time_limit = 60.0
    assert pool.render(document).pages == 1


def test_the_time_limit_holds_for_a_large_document_and_a_slow_start(document: Document) -> None:
    large = replace(document, html=f"<p>{'word ' * 200_000}")
    began = time.monotonic()
    with (
        RenderPool(1.0, fork=False, prepare=worker_calls.sleep) as pool,
        pytest.raises(RenderError, match="longer than 1 s"),
    ):
        pool.render(large)
    assert time.monotonic() - began < 15


def test_a_process_that_takes_too_much_memory() -> None:
    with (
        RenderPool(60.0, fork=False) as pool,
        pytest.raises(RenderError, match="counting exceeded the memory limit"),
    ):
        pool.run("counting", worker_calls.take_memory, 5_000_000_000)


def test_no_process_is_forked_once_pango_may_run_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    forked: list[WorkerProcess] = []
    monkeypatch.setattr(WorkerProcess, "fork", lambda worker: forked.append(worker))
    monkeypatch.delitem(sys.modules, "weasyprint", raising=False)
    RenderPool().close()
    assert len(forked) == 1
    monkeypatch.setitem(sys.modules, "weasyprint", ModuleType("weasyprint"))
    RenderPool().close()
    assert len(forked) == 1


def test_an_article_rendered_in_a_forked_process() -> None:
    code = "from tests.support import forked_workers; forked_workers.renders_alike()"
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True
    )
    assert ran.stderr == ""
    assert ran.stdout == "done\n"


def test_rare_dependencies_of_weasyprint_are_imported_on_use() -> None:
    code = (
        "import sys; from printer.render.weasy.engine import import_weasyprint; import_weasyprint();"
        "from weasyprint.pdf import fonts;"
        "assert not {'fontTools.subset', 'fontTools.varLib'} & set(sys.modules);"
        "made = fonts.subset.Options(hinting=False); assert made.hinting is False;"
        "from fontTools import subset; assert type(made) is subset.Options;"
        "from fontTools.ttLib import TTFont, TTLibError\n"
        "try: fonts.instantiateVariableFont(TTFont(), {})\n"
        "except (ValueError, KeyError, TTLibError) as error: print(type(error).__name__, error)\n"
        "else: raise AssertionError('an empty font has no axes')"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "fvar" in ran.stdout, ran.stdout


def test_no_process_is_started_after_an_interrupt(document: Document) -> None:
    before = set(child_pids(os.getpid()))
    with RenderPool(60.0, fork=False) as pool:
        pool.start(MANY_PAGES)
        for pid in set(child_pids(os.getpid())) - before:
            os.kill(pid, signal.SIGSTOP)  # They render nothing, and one document must wait.
        interrupt = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
        # Earlier tests of the process may have left another handler.
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            interrupt.start()
            with pytest.raises(KeyboardInterrupt):
                list(pool.render_all([document] * (pool.size + 1)))
        finally:
            signal.signal(signal.SIGINT, handler)
        left = set(child_pids(os.getpid())) - before
    assert not left, "a process was started to render what nobody waits for"
