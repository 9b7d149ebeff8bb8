"""Programs that fork workers; pytest must not fork, as it has threads."""

from __future__ import annotations

import dataclasses
import os
import signal
import sys

import pytest

from printer.worker_process import WorkerProcess


def answers() -> None:
    """Call a forked process, kill it, and call its replacement."""
    with WorkerProcess() as worker:
        worker.fork()
        forked = worker.pid
        assert worker.call(os.getpid, timeout=60.0) == forked
        assert worker.call(os.getppid, timeout=60.0) == os.getpid()
        os.kill(forked, signal.SIGKILL)
        assert worker.call(os.getpid, timeout=60.0, retry=True) == worker.pid != forked
    assert worker.pid == 0
    print("done")


def outlives_no_parent() -> None:
    """Kill this process while its child also holds its standard output open."""
    worker = WorkerProcess()
    worker.fork()
    print("done", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def renders_alike() -> None:
    """Render an article in a forked process and in this one."""
    from printer.article import Article, Paragraph, Span
    from printer.capture import PageSource
    from printer.errors import RenderError
    from printer.options import Options, PrintOptions
    from printer.output import ExtractedPage, PreparedPictures, Result
    from printer.render.worker_pool import RenderPool
    from printer.render_stage import render_pages

    article = Article("A day", (Paragraph((Span("The tide comes in."),)),), language="en")
    source = PageSource("https://example.org/", "https://example.org/")
    options = Options(page=PrintOptions(deterministic=True))

    def render(article: Article, pool: RenderPool | None) -> Result:
        page = ExtractedPage(article, source)
        return render_pages([page], lambda places: PreparedPictures(), options, None, pool)[0]

    with RenderPool() as pool:
        in_worker = render(article, pool)
        assert "printer.render.context" not in sys.modules, "its HTML was made here"
        in_process = render(article, None)
        assert in_worker == in_process
        assert in_worker.data == in_process.data
        with pytest.raises(RenderError, match="TypeError"):
            render(dataclasses.replace(article, blocks=(Paragraph(7),)), pool)  # type: ignore[arg-type]
        assert render(article, pool).pages == 1
    print("done")
