"""Prints as the server deals with them: the table and the storage behind small calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from .. import config
from ..jobs.asked import check
from ..jobs.job import Job, Request, State, folder
from ..jobs.storage import Storage
from ..jobs.table import JobTable
from ..options import ENDINGS, Format
from .defaults import Defaults
from .revisions import Revisions


@dataclass(frozen=True, slots=True)
class Prints:
    """What both the API and the pages do with prints; ``call`` wakes a worker."""

    table: JobTable
    storage: Storage
    settings: config.Settings
    call: Callable[[], None]
    revisions: Revisions
    defaults: Defaults

    def submit(self, request: Request, key: str = "") -> Job:
        """Accept a request; raises what :func:`check` and :meth:`JobTable.submit` raise."""
        check(request, self.settings)
        job, _ = self.table.submit(request, key)
        self.call()
        return job

    def file(self, job: Job, name: str) -> bytes | None:
        """Return a file of a finished print; None when there is none."""
        return self.storage.get(f"{folder(job.id, job.attempt)}/{name}")

    def revise(self, job: Job, **changes: Any) -> Job:
        """Have a print made again as edited; raises what :meth:`Revisions.revise` raises."""
        made = self.revisions.revise(job, **changes)
        self.call()
        return made

    def remove(self, job: str) -> bool:
        """Forget a print and delete what it left."""
        gone = self.table.remove(job)
        if gone:
            self.storage.delete(job)
        return gone


def format_of(job: Job) -> Format:
    """Return the format that a print was made in; those of earlier versions are PDF."""
    made = dict(job.result).get("format", "pdf")
    return next((known for known in ENDINGS if known == made), "pdf")


_FORMS = ("epub", "html", "markdown")


class Shown(BaseModel):
    """A print and how far it is."""

    id: str
    state: State
    url: str
    title: str = Field(description="The article's title, once it is known.")
    options: dict[str, Any]
    step: str = Field(description="What is being done.")
    attempt: int
    result: dict[str, Any] | None = Field(description="Pages, pictures, bytes, warnings.")
    error: dict[str, Any] | None = Field(description="Why there is no result.")
    created: float
    started: float | None
    finished: float | None
    links: dict[str, str]


def shown(job: Job) -> dict[str, Any]:
    """Return a job as the API shows it."""
    links = {"self": f"/api/prints/{job.id}", "events": f"/api/prints/{job.id}/events"}
    if job.state == "done":
        paper = format_of(job) == "pdf"
        names = ("pdf", "file", "article", "first-page", "edit") if paper else ("file", "article")
        links |= {name: f"/api/prints/{job.id}/{name}" for name in names}
        if paper:
            links |= {name: f"/api/prints/{job.id}/as/{name}" for name in _FORMS}
    return {
        "id": job.id,
        "state": job.state,
        "url": job.url,
        "title": job.title,
        "options": dict(job.options),
        "step": job.step,
        "attempt": job.attempt,
        "result": dict(job.result) or None,
        "error": dict(job.error) or None,
        "created": job.created,
        "started": job.started,
        "finished": job.finished,
        "links": links,
    }
