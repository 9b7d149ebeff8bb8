"""Print a list of addresses to a folder, one file each, and continue after an interruption."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..options import option

_MAX_LINE_LENGTH = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """How a list is printed.

    ``delay`` is the number of seconds between two pages of a host.  A page that fails temporarily
    is tried ``max_tries`` times, with a delay of ``retry_delay`` seconds that doubles.  With
    ``no_retry``, failures of an earlier run are not retried.  ``chosen`` are settings to send to
    remote workers.
    """

    delay: float = option(1.0, "Seconds between two pages of one host.", min=0.0)
    max_tries: int = option(3, "Attempts for a temporary failure.", min=1)
    retry_delay: float = option(10.0, "Seconds before the first retry; doubles.", min=0.0)
    no_retry: bool = option(False, "Do not retry what failed in an earlier run.", flag="--no-retry")
    chosen: Mapping[str, Any] = field(default_factory=dict)


def read_list(data: bytes) -> list[tuple[int, str]]:
    """Return the line numbers and addresses of a list."""
    lines = data.decode("utf-8-sig", "replace").splitlines()
    numbered = ((number, line.strip()[:_MAX_LINE_LENGTH]) for number, line in enumerate(lines, 1))
    return [(number, line) for number, line in numbered if line and not line.startswith("#")]
