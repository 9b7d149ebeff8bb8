"""Rendering in processes of their own, which load WeasyPrint while pages are fetched."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import LifoQueue
from typing import TYPE_CHECKING, Any, Protocol, Self

from ..errors import RenderError, WebprintError
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

#: Seconds that a document may take.
TIME_LIMIT = 120.0

#: Bytes of memory that a process may take.
MEMORY_LIMIT = 4_000_000_000

#: A process is replaced after so many calls, as the libraries below it leak a little.
MAX_CALLS = 100

#: More processes do not pay: each takes some 200 MB.
MAX_WORKERS = 8

#: This many pages are likely to be rendered by several processes.
MANY_PAGES = 4


class Renderer(Protocol):
    """What renders documents: processes of this machine, or workers on others."""

    def start(self, pages: int = 1) -> None:
        """Get ready for so many pages."""

    def render(self, document: Document) -> RenderedPdf:
        """Render a document."""

    def render_all(self, documents: Iterable[Document]) -> Iterator[RenderedPdf | RenderError]:
        """Render documents in parallel; yield the result or the error of each, in order."""


class RenderPool:
    """One rendering process per processor; a context manager that kills them on exit.

    Args:
        time_limit: seconds that a call may take, the start of its process included.
        fork: fork the first process now, which is only safe before threads are started; the others
            are started when they are needed.
        fork_all: fork all of them, which is faster than to start them later.
        prepare: called in each process before its first call.
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
        for worker in self._workers[: None if fork_all else 1] if fork else ():
            worker.fork()
        # The one used last is used next, so that no more are started than are needed.
        self._idle: LifoQueue[WorkerProcess] = LifoQueue()
        for worker in reversed(self._workers):
            self._idle.put(worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill all processes, whatever they are doing."""
        for worker in self._workers:
            worker.close()

    @property
    def size(self) -> int:
        """The number of processes."""
        return len(self._workers)

    def start(self, pages: int = 1) -> None:
        """Start the first process while a page is fetched, and all of them for many pages."""
        for worker in self._workers[: None if pages >= MANY_PAGES else 1]:
            worker.start()

    def render(self, document: Document) -> RenderedPdf:
        """Render a document as :func:`.weasy.engine.render_pdf` does; raises as :meth:`run`."""
        pdf: RenderedPdf = self.run("rendering the pages", _render, document)
        return pdf

    def render_all(self, documents: Iterable[Document]) -> Iterator[RenderedPdf | RenderError]:
        """Render documents in parallel; yield the result or the error of each, in order.

        The documents are consumed no faster than the processes take them.
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
                self.close()  # Nobody waits for what is being rendered.
                raise

    def _try_to_render(self, document: Document) -> RenderedPdf | RenderError:
        try:
            return self.render(document)
        except RenderError as error:
            return error

    def run(self, activity: str, function: Callable[..., Any], *args: object) -> Any:
        """Return the result of a function of a module, called in an idle process.

        A process that crashes is replaced, and the call repeated once.

        Args:
            activity: what the function does, for messages: "rendering the pages".
            function: a function of a module.
            args: its arguments.

        Raises:
            RenderError: the call took too long, took too much memory, crashed twice, or raised an
                unexpected exception.
            WebprintError: what the function raises.
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
            raise RenderError(f"{activity} took too much memory", hint="Print less") from error
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
    """Load WeasyPrint and read the system's fonts; what a process prepares by default."""
    from .weasy.engine import load_fonts

    load_fonts()
