"""Getting pages and pictures: guarded, bounded, cached.

``Web`` fetches over HTTP, ``Browser`` lets a page's scripts run first, ``read_file`` and
``read_stdin`` take what is already here.  The HTTP client and the browser are imported when they
are first asked for, because a page from a file needs neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..urls import normalise
from .files import read_file, read_stdin

if TYPE_CHECKING:
    from .browser import Browser
    from .client import Web

__all__ = ["Browser", "Web", "normalise", "read_file", "read_stdin"]


def __getattr__(name: str) -> Any:
    if name == "Web":
        from .client import Web

        return Web
    if name == "Browser":
        from .browser import Browser

        return Browser
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
