"""Work without the search for cycles of garbage, where there are none to find.

A page of megabytes becomes some hundred thousand small values, all of which stay until its article
is made.  Looking through them again and again for cycles takes a quarter of all the time.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def gc_paused(work: Callable[P, R]) -> Callable[P, R]:
    """Make a function run without the collector; in several threads until the first is done."""

    @wraps(work)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if not gc.isenabled():
            return work(*args, **kwargs)
        gc.disable()
        try:
            return work(*args, **kwargs)
        finally:
            gc.enable()

    return run
