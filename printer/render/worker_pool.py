"""WeasyPrint in a process of its own, which loads while the page is fetched and read."""

from __future__ import annotations

import os
import pickle
import resource
import select
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from queue import LifoQueue
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, Protocol, Self, TypeAlias

from ..errors import RenderError, WebprintError

if TYPE_CHECKING:
    from .context import Document
    from .weasy.engine import RenderedPdf


#: How many seconds a document may take.
LIMIT = 120.0

#: How many bytes of memory a process may take: a document that needs more fails, alone.
MEMORY = 4_000_000_000

#: After so many prints a process is replaced.
MOST_PRINTS = 100

#: So many presses at once pay at most: each takes some 200 MB.
MOST = 8

#: So many pages to print are set in several presses, as likely as not.
SEVERAL = 4


#: Makes a process ready to print.
Ready: TypeAlias = Callable[[], None]


class Renderer(Protocol):
    """What sets documents: processes of this machine, or workers on others."""

    def start(self, pages: int = 1) -> None:
        """Make ready for so many pages."""

    def to_pdf(self, document: Document) -> RenderedPdf:
        """Print a document."""

    def layouts(self, documents: Iterable[Document]) -> Iterator[RenderedPdf | RenderError]:
        """Print documents side by side; yield what came of each, in their order."""


class _Ended(RenderError):
    """A press ended in the midst of its work."""

    ended = True
    again = False


def load() -> None:
    """Load WeasyPrint and read the system's fonts."""
    from .weasy.engine import load_fonts

    load_fonts()


class Press:
    """A process that prints documents, forked; to be made before anything starts a thread.

    The two sides trust each other: they are one program.  A document may take ``limit`` seconds;
    then the process is ended, and one that is started anew prints the next.  With ``fork`` false
    the process is started when it is needed, at any time.  After ``MOST_PRINTS`` documents it is
    replaced, as the libraries below keep a little memory of each.  ``ready`` is a function of a
    module; the process calls it before the first document comes.
    """

    def __init__(self, limit: float = LIMIT, *, fork: bool = True, ready: Ready = load) -> None:
        self.limit = limit
        self._ready = ready
        self._pid = self._prints = 0
        if fork:
            self._fork()

    def _fork(self) -> None:
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(ours_out)
            os.close(ours_in)
            _serve(os.fdopen(theirs_in, "rb"), os.fdopen(theirs_out, "wb"), self._ready)
        os.close(theirs_in)
        os.close(theirs_out)
        self._out = os.fdopen(ours_out, "wb")
        self._in = os.fdopen(ours_in, "rb")

    def to_pdf(self, document: Document) -> RenderedPdf:
        """Print a document as :func:`printer.render.weasy.engine.to_pdf` does, in bounded time."""
        printed: RenderedPdf = self.call("setting the pages", None, document)
        return printed

    def call(self, doing: str, work: Callable[..., Any] | None, *given: object) -> Any:
        """Return what a function of a module makes of values, in bounded time; None prints.

        ``doing`` says what that is.  Raises the :class:`WebprintError` that it raises, and
        :class:`RenderError` when it takes too long or its process ends, twice: somebody may have
        killed the first.
        """
        try:
            outcome = self._outcome(doing, work, given)
        except _Ended as error:
            if not error.again:
                raise
            outcome = self._outcome(doing, work, given)
        self._prints += 1
        if self._prints >= MOST_PRINTS:
            self.close()
        if isinstance(outcome, WebprintError):
            raise outcome
        return outcome

    def _outcome(self, doing: str, work: Callable[..., Any] | None, given: object) -> Any:
        self.start()
        try:
            pickle.dump((work, given), self._out)
            self._out.flush()
            if not select.select([self._in], [], [], self.limit)[0]:
                self.close()
                raise RenderError(
                    f"{doing} took longer than {self.limit:g} s",
                    hint="Allow more with --print-timeout (limit= in Python), or print no pictures",
                )
            return pickle.load(self._in)  # noqa: S301 - our own process
        except (EOFError, BrokenPipeError, pickle.UnpicklingError) as error:
            ended = _Ended(f"the process ended in the midst of {doing}")
            ended.again = self._pid != 0  # Else it was closed by who uses it.
            self.close()
            raise ended from error

    def start(self) -> None:
        """Start the program anew unless it runs: a fork does not bear the threads there may be."""
        if self._pid:
            return
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        code = (
            "import sys; sys.path[:] = sys.argv[5:]; from printer.render.worker_pool import serve;"
            " serve(*sys.argv[1:5])"
        )
        pipes = [str(theirs_in), str(theirs_out)]
        ready = [self._ready.__module__, self._ready.__name__]
        command = [sys.executable, "-c", code, *pipes, *ready, *sys.path]
        self._pid = os.posix_spawn(
            sys.executable,
            command,
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, theirs_in, theirs_in),
                (os.POSIX_SPAWN_DUP2, theirs_out, theirs_out),
            ],
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._out = os.fdopen(ours_out, "wb")
        self._in = os.fdopen(ours_in, "rb")

    def close(self) -> None:
        """End the process, whatever it is doing."""
        pid, self._pid, self._prints = self._pid, 0, 0
        if not pid:
            return
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        for pipe in (self._out, self._in):
            with suppress(BrokenPipeError):
                pipe.close()


class RenderPool:
    """As many presses as there are processors; a context manager, whose processes end with it.

    With ``fork`` the first is forked now, and with ``several`` all are, which is sooner done than
    to start them when they are needed.  ``ready`` is called in each before it prints.
    """

    def __init__(
        self,
        limit: float = LIMIT,
        *,
        fork: bool = True,
        several: bool = False,
        ready: Ready = load,
    ) -> None:
        count = min(MOST, len(os.sched_getaffinity(0)))
        self._presses = [Press(limit, fork=fork, ready=ready)]
        self._presses += (
            Press(limit, fork=fork and several, ready=ready) for _ in range(count - 1)
        )
        # What was used last is used next, so that no more are started than are needed.
        self._free: LifoQueue[Press] = LifoQueue()
        for press in reversed(self._presses):
            self._free.put(press)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self, pages: int = 1) -> None:
        """Have the first press ready while a page is fetched, and all for several of them."""
        for press in self._presses[: None if pages >= SEVERAL else 1]:
            press.start()

    def allow(self, seconds: float) -> None:
        """Have a document take so many seconds at most."""
        for press in self._presses:
            press.limit = seconds

    def to_pdf(self, document: Document) -> RenderedPdf:
        """Print a document in the first press."""
        return self._presses[0].to_pdf(document)

    def layouts(self, documents: Iterable[Document]) -> Iterator[RenderedPdf | RenderError]:
        """Print documents side by side; yield what came of each, in their order.

        No more of them are asked for than presses can begin with, and one.
        """
        waiting: deque[Future[RenderedPdf | RenderError]] = deque()
        with ThreadPoolExecutor(len(self._presses)) as pool:
            try:
                for document in documents:
                    waiting.append(pool.submit(self._print, document))
                    if len(waiting) > len(self._presses):
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            except BaseException:
                self.close()  # what is being printed is wanted no more
                raise

    def call(self, doing: str, work: Callable[..., Any], *given: object) -> Any:
        """Call a function of a module in a press that is free, as :meth:`Press.call` does."""
        press = self._free.get()
        try:
            return press.call(doing, work, *given)
        finally:
            self._free.put(press)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._presses)

    def _print(self, document: Document) -> RenderedPdf | RenderError:
        press = self._free.get()
        try:
            return press.to_pdf(document)
        except RenderError as error:
            return error
        finally:
            self._free.put(press)

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        for press in self._presses:
            press.close()


def serve(requests: str, answers: str, module: str, name: str) -> NoReturn:
    """Print what is asked for through these pipes, in a program started for it.

    A function of a module makes it ready.
    """
    ready = getattr(import_module(module), name)
    _serve(os.fdopen(int(requests), "rb"), os.fdopen(int(answers), "wb"), ready)


def _serve(requests: BinaryIO, answers: BinaryIO, ready: Ready) -> NoReturn:
    """Print what is asked for until nobody asks; an interrupt is for the other side to see."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if soft == resource.RLIM_INFINITY or soft > MEMORY:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, hard))
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    try:
        ready()
        from .weasy.engine import render_pdf

        while True:
            work, given = pickle.load(requests)  # noqa: S301 - our own process
            outcome: object
            try:
                outcome = (work or render_pdf)(*given)
            except WebprintError as error:
                outcome = error
            pickle.dump(outcome, answers)
            answers.flush()
    except (EOFError, BrokenPipeError):
        os._exit(0)
    finally:
        # Whatever went wrong, this copy of the program must not go on as the other does.
        os._exit(1)


def _end_with(parent: int) -> None:
    """End this process, in the midst of a document too, when its parent is no more."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
