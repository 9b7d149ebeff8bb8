"""The one way to come between WeasyPrint and a part of its inside."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

_installed: set[tuple[str, str, str]] = set()
_lock = threading.Lock()


def come_between(module: ModuleType, name: str, make: Callable[[Any], Callable[..., Any]]) -> None:
    """Put what ``make`` makes of a module's function in its place, once in a process."""
    key = (module.__name__, name, make.__module__)
    with _lock:
        if key not in _installed:
            original = getattr(module, name)
            setattr(module, name, wraps(original)(make(original)))
            _installed.add(key)
