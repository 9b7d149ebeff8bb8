"""The values of jobs: requests, jobs, attempts, storage keys."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from ..errors import ErrorRecord

State: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled"]

STATES: tuple[State, ...] = get_args(State)

#: The states that a job leaves only on request.
FINISHED: tuple[State, ...] = ("done", "failed", "cancelled")

#: The part of a request that holds the page as the sender saw it.
PAGE_PART = "page"

#: The part that holds the addresses of several pages, one a line, and how many there may be.
BUNDLE_PART, MAX_BUNDLE = "bundle", 20

#: The part that holds the edit of a finished print.
EDIT_PART = "edit"


@dataclass(frozen=True, slots=True)
class JobRequest:
    """A request for a print.

    ``options`` are settings by name.  ``parts`` are files that came with the request: the page's
    HTML under :data:`PAGE_PART`, pictures under their addresses.
    """

    url: str
    options: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def bundle(self) -> tuple[str, ...]:
        """The addresses of a print of several pages."""
        lines = self.parts.get(BUNDLE_PART, b"").decode("utf-8", "replace").splitlines()
        return tuple(lines[:MAX_BUNDLE])

    @property
    def fingerprint(self) -> str:
        """A hash of the address, the options and the parts."""
        sha256 = hashlib.sha256(json.dumps([self.url, self.options], sort_keys=True).encode())
        for name, data in sorted(self.parts.items()):
            sha256.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(data).digest())
        return sha256.hexdigest()


@dataclass(frozen=True, slots=True)
class Job:
    """A job and its state.

    ``attempt`` counts how often it was begun.  ``step`` is the current stage, ``result`` describes
    a finished print, ``file`` names the file that a batch wrote.  Times are seconds since 1970;
    nothing but retention depends on them.
    """

    id: str
    state: State
    url: str
    options: Mapping[str, Any]
    attempt: int = 0
    step: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    error: ErrorRecord | None = None
    file: str = ""
    created: float = 0.0
    started: float | None = None
    finished: float | None = None

    @property
    def title(self) -> str:
        """The article's title, '' until it is known."""
        return str(self.result.get("title", ""))

    @property
    def result_folder(self) -> str:
        """The storage key of the results, those of the attempt that stored them."""
        return result_folder(self.id, self.result.get("attempt", self.attempt))

    @property
    def has_result(self) -> bool:
        """Whether there are results: of a change that failed, those before it."""
        return self.state == "done" or (self.state in FINISHED and "attempt" in self.result)


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to do a job."""

    id: str
    number: int
    request: JobRequest

    @property
    def result_folder(self) -> str:
        """The storage key of this attempt's results."""
        return result_folder(self.id, self.number)


def snapshot_key(job_id: str) -> str:
    """Return the storage key of a job's snapshot for revisions."""
    return f"{job_id}/0/base.zip"


def result_folder(job_id: str, attempt: int) -> str:
    """Return the storage key of an attempt's results; no two attempts share one."""
    return f"{job_id}/{attempt}"
