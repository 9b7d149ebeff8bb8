"""WeasyPrint in a process of its own, which loads while the page is fetched and read."""

from __future__ import annotations

import os
import pickle
import signal
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from ..errors import RenderError, WebprintError

if TYPE_CHECKING:
    from .html import Document
    from .pdf import Printed


class Press:
    """A forked process that prints documents; to be made before anything starts a thread.

    The two sides trust each other: they are one program, parted by a fork.
    """

    def __init__(self) -> None:
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(ours_out)
            os.close(ours_in)
            _serve(os.fdopen(theirs_in, "rb"), os.fdopen(theirs_out, "wb"))
        os.close(theirs_in)
        os.close(theirs_out)
        self._out = os.fdopen(ours_out, "wb")
        self._in = os.fdopen(ours_in, "rb")

    def to_pdf(self, document: Document) -> Printed:
        """Print a document as :func:`printer.render.pdf.to_pdf` does."""
        try:
            pickle.dump(document, self._out)
            self._out.flush()
            outcome: Printed | WebprintError = pickle.load(self._in)  # noqa: S301 - our own process
        except (EOFError, BrokenPipeError) as error:
            raise RenderError("the process that sets the pages ended in the midst of it") from error
        if isinstance(outcome, WebprintError):
            raise outcome
        return outcome

    def close(self) -> None:
        """End the process, whatever it is doing."""
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        for pipe in (self._out, self._in):
            pipe.close()


def _serve(requests: BinaryIO, answers: BinaryIO) -> NoReturn:
    """Print what is asked for until nobody asks; an interrupt is for the other side to see."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        from .pdf import to_pdf, warm

        warm()
        while True:
            document = pickle.load(requests)  # noqa: S301 - our own process
            outcome: Printed | WebprintError
            try:
                outcome = to_pdf(document)
            except WebprintError as error:
                outcome = error
            pickle.dump(outcome, answers)
            answers.flush()
    except (EOFError, BrokenPipeError):
        os._exit(0)
    finally:
        # Whatever went wrong, this copy of the program must not go on as the other does.
        os._exit(1)
