"""What several threads want written at once, written in one transaction: a group commit.

A transaction waits for the disk once, whatever is in it.  While one is being written, what others
ask for gathers, and whoever of them came first writes all of it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

MAX_BATCH = 50  # Asked for in one transaction.

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


@dataclass(slots=True, eq=False)
class Pending(Generic[Asked, Answer]):
    """What one thread asks for, and what came of it: ``answer`` or ``error``."""

    request: Asked
    result: Answer | None = None
    error: Exception | None = None
    done: bool = False
    event: threading.Event = field(default_factory=threading.Event)


class GroupCommit(Generic[Asked, Answer]):
    """Gathers wishes; ``write`` fulfils many, setting each one's answer or error.

    When ``write`` itself raises, none of them came true and all are told so.
    """

    def __init__(self, write: Callable[[Sequence[Pending[Asked, Answer]]], None]) -> None:
        self._write = write
        self._waiting: deque[Pending[Asked, Answer]] = deque()
        self._guard = threading.Lock()
        self._writing = False

    def submit(self, asked: Asked) -> Answer:
        """Ask for something; returns when it is written, or raises why it is not."""
        wish: Pending[Asked, Answer] = Pending(asked)
        with self._guard:
            self._waiting.append(wish)
            follows, self._writing = self._writing, True
        if follows:
            wish.event.wait()
        if not wish.done:
            self._fulfil()
        if wish.error is not None:
            raise wish.error
        return wish.result  # type: ignore[return-value]

    def _fulfil(self) -> None:
        """Write what gathered, our own wish first, and call whoever comes next to do the same."""
        with self._guard:
            wishes = [self._waiting.popleft() for _ in range(min(MAX_BATCH, len(self._waiting)))]
        try:
            self._write(wishes)
        except Exception as error:  # noqa: BLE001 - raised again in the threads that asked
            for wish in wishes:
                wish.error = error
        finally:
            with self._guard:
                self._writing = bool(self._waiting)
                if self._waiting:
                    self._waiting[0].event.set()
            for wish in wishes:
                wish.done = True
                wish.event.set()
