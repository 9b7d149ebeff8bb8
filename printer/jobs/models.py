"""Jobs as values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

State: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled"]

STATES: tuple[State, ...] = ("queued", "running", "done", "failed", "cancelled")

#: States in which nothing more happens by itself.
FINISHED: tuple[State, ...] = ("done", "failed", "cancelled")

#: The part of a request that holds the page as the sender saw it.
PAGE_PART = "page"

#: The part that holds what a person changed of a finished print.
EDIT_PART = "edit"


@dataclass(frozen=True, slots=True)
class JobRequest:
    """A print that somebody asks for.

    ``options`` are settings by name; ``parts`` hold what came with the request: the page's HTML
    under :data:`PAGE`, pictures under their addresses.
    """

    url: str
    options: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def fingerprint(self) -> str:
        """A hash that two requests share only when they ask for the same."""
        made = hashlib.sha256(json.dumps([self.url, self.options], sort_keys=True).encode())
        for name, data in sorted(self.parts.items()):
            made.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(data).digest())
        return made.hexdigest()


@dataclass(frozen=True, slots=True)
class Job:
    """A row of the table.

    ``attempt`` counts how often it was taken up, ``faults`` what is held against it for workers it
    lost; ``step`` is what is being done, ``result`` what a finished print is like, ``error`` why
    there is none.  Times are seconds since 1970 and for people: nothing is decided by them but how
    long results are kept.
    """

    id: str
    state: State
    url: str
    options: Mapping[str, Any]
    attempt: int = 0
    faults: int = 0
    step: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, Any] = field(default_factory=dict)
    created: float = 0.0
    started: float | None = None
    finished: float | None = None

    @property
    def title(self) -> str:
        """The article's title, '' until it is known."""
        return str(self.result.get("title", ""))


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on a job: it ends when the job is over or taken by another attempt."""

    id: str
    attempt: int
    request: JobRequest

    @property
    def folder(self) -> str:
        """Where this attempt keeps its results."""
        return result_folder(self.id, self.attempt)


def snapshot_key(job: str) -> str:
    """Return where a job keeps what its revisions are made from."""
    return f"{job}/0/base.zip"


def result_folder(job: str, attempt: int) -> str:
    """Return where an attempt's results are stored; no two attempts share a place."""
    return f"{job}/{attempt}"
