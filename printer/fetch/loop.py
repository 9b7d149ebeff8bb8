"""An event loop in a thread of its own, for front ends that know of no loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


class Loop:
    """Runs coroutines for any thread, many at once."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Return what the coroutine returns, or raise what it raises or ``TimeoutError``."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout)
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """Cancel what is still being done and let the thread end."""
        with suppress(TimeoutError):
            self.run(_cancelled(), 1.0)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(1)
        if not self._thread.is_alive():
            self._loop.close()


async def _cancelled() -> None:
    while others := asyncio.all_tasks() - {asyncio.current_task()}:  # Some leave work behind.
        await asyncio.sleep(0)  # What has only just begun gets as far as its own cleaning up.
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
