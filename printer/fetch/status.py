"""Error statuses of servers, and what a person can do about each."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from ..errors import HTTPStatusError

#: Statuses of a server that may answer in a moment.
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 522, 523, 524})

#: What may pass by itself, by the name of the error; of statuses only some.
_ERRORS = frozenset({"FetchError", "FetchTimeout"})


def passes(told: Mapping[str, Any]) -> bool:
    """Say whether what a job is told to have failed of may be over the next time."""
    return told.get("kind") in _ERRORS or told.get("status") in PASSING


def asked_to_wait(told: Mapping[str, Any]) -> float:
    """Return how many seconds a server asks to be left alone, 0 when it does not."""
    return float(told.get("after", 0.0))


def status_error(status: int, url: str, after: float | None = None) -> HTTPStatusError:
    """Make the error of an answer with an error status; ``after`` is how long it asks to wait."""
    try:
        phrase = " " + HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    return HTTPStatusError(
        f"the server answered {status}{phrase}",
        status=status,
        url=url,
        hint=_hint(status, after),
        after=after or 0.0,
    )


def _hint(status: int, after: float | None) -> str:
    if status in {401, 403, 407, 451}:
        return (
            "If you can read it in a browser, pass its cookies with --cookies cookies.txt"
            " or try --render always"
        )
    if status in {404, 410}:
        return "Check the address; the page may have moved"
    if status == HTTPStatus.TOO_MANY_REQUESTS or (status == 503 and after):
        wait = f"it asks to wait {after:.0f} seconds" if after else "try again later"
        return f"The server limits how often it is asked: {wait}"
    if status >= 500:
        return "The fault is the server's; try again later"
    return ""
