"""Rendering in separate processes, which load WeasyPrint while pages are fetched.

The processes may run other tasks, such as extracting an article, within the same limits.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import LifoQueue
from typing import TYPE_CHECKING, Any

from ..errors import RenderError, WebprintError
from ..files import Closing
from ..worker_process import (
    WorkerClosed,
    WorkerCrashed,
    WorkerOutOfMemory,
    WorkerProcess,
    WorkerTimeout,
)

if TYPE_CHECKING:
    from .context import Document
    from .weasy.engine import RenderedPdf

#: The most seconds per document.
TIME_LIMIT = 120.0
#: The most bytes of memory per process.
MEMORY_LIMIT = 4_000_000_000
#: The calls after which a process is replaced, as the libraries leak a little memory.
MAX_CALLS = 100
#: The most processes: each takes about 200 MB.
MAX_WORKERS = 8
#: The number of web pages from which several processes are likely to be used.
MANY_PAGES = 4


def may_have_used_pango() -> bool:
    """Return whether this process may have used Pango, whose threads make forks hang."""
    return "weasyprint" in sys.modules


class RenderPool(Closing):
    """A context manager with a rendering process per processor, up to ``MAX_WORKERS``.

    They are killed on exit.

    ``fork`` forks the first process now, which is safe only before threads are started, and is not
    done after WeasyPrint was loaded; ``fork_all`` forks all, which is faster than starting them
    when needed.  Each process calls ``prepare`` before its first task.
    """

    def __init__(
        self,
        time_limit: float = TIME_LIMIT,
        *,
        fork: bool = True,
        fork_all: bool = False,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        self.time_limit = time_limit
        self._workers = [
            WorkerProcess(
                prepare or load_weasyprint, memory_limit=MEMORY_LIMIT, max_calls=MAX_CALLS
            )
            for _ in range(min(MAX_WORKERS, len(os.sched_getaffinity(0))))
        ]
        may_fork = fork and not may_have_used_pango()
        for worker in self._workers[: None if fork_all else 1] if may_fork else ():
            worker.fork()
        # Last in, first out, so that no more processes are started than needed.
        self._idle: LifoQueue[WorkerProcess] = LifoQueue()
        for worker in reversed(self._workers):
            self._idle.put(worker)

    def close(self) -> None:
        """Kill all processes, even busy ones."""
        for worker in self._workers:
            worker.close()

    @property
    def size(self) -> int:
        return len(self._workers)

    def start(self, pages: int = 1) -> None:
        """Start the first process, or all of them for many pages, while pages are fetched."""
        for worker in self._workers[: None if pages >= MANY_PAGES else 1]:
            worker.start()

    def render(self, document: Document) -> RenderedPdf:
        pdf: RenderedPdf = self.run("rendering the pages", _render, document)
        return pdf

    def render_all(self, documents: Iterable[Document]) -> Iterator[RenderedPdf | RenderError]:
        """Render documents in parallel; yield the result or the error of each, in order.

        Documents are consumed only as fast as the processes take them.
        """
        pending: deque[Future[RenderedPdf | RenderError]] = deque()
        with ThreadPoolExecutor(self.size) as threads:
            try:
                for document in documents:
                    pending.append(threads.submit(self._try_to_render, document))
                    if len(pending) > self.size:
                        yield pending.popleft().result()
                while pending:
                    yield pending.popleft().result()
            except BaseException:
                # Nobody waits for the remaining results, which would start new processes.
                threads.shutdown(wait=False, cancel_futures=True)
                self.close()
                raise

    def _try_to_render(self, document: Document) -> RenderedPdf | RenderError:
        try:
            return self.render(document)
        except RenderError as error:
            return error

    def run(self, activity: str, function: Callable[..., Any], *args: object) -> Any:
        """Call a module-level function in an idle process; raise what it raises, or RenderError.

        A process that crashes is replaced and the call repeated once.  ``activity`` is named in
        messages: "rendering the pages".
        """
        worker = self._idle.get()
        limit = self.time_limit
        try:
            return worker.call(function, *args, timeout=limit, retry=True)
        except WebprintError:
            raise
        except WorkerTimeout as error:
            raise RenderError(
                f"{activity} took longer than {limit:g} s",
                hint="Allow more with --print-timeout (limit= in Python), or print no pictures",
            ) from error
        except WorkerOutOfMemory as error:
            hint = "Print fewer articles at once, or no pictures"
            raise RenderError(f"{activity} exceeded the memory limit", hint=hint) from error
        except (WorkerCrashed, WorkerClosed) as error:
            ended = RenderError(f"the process ended while {activity}")
            ended.process_died = True
            raise ended from error
        except Exception as error:
            reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            raise RenderError(f"{activity} failed: {reason}") from error
        finally:
            self._idle.put(worker)


def _render(document: Document) -> RenderedPdf:
    from .weasy.engine import render_pdf

    return render_pdf(document)


def load_weasyprint() -> None:
    """Load WeasyPrint and read the system's fonts, the default preparation of a process."""
    from .weasy.engine import load_fonts

    load_fonts()
