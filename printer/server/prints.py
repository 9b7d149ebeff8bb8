"""Prints as the server deals with them: the table and the storage behind small calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import config
from ..jobs.asked import check
from ..jobs.job import Job, Request, folder
from ..jobs.storage import Storage
from ..jobs.table import JobTable
from ..options import ENDINGS, Format


@dataclass(frozen=True, slots=True)
class Prints:
    """What both the API and the pages do with prints; ``call`` wakes a worker."""

    table: JobTable
    storage: Storage
    settings: config.Settings
    call: Callable[[], None]

    def submit(self, request: Request, key: str = "") -> Job:
        """Accept a request; raises what :func:`check` and :meth:`JobTable.submit` raise."""
        check(request, self.settings)
        job, _ = self.table.submit(request, key)
        self.call()
        return job

    def file(self, job: Job, name: str) -> bytes | None:
        """Return a file of a finished print; None when there is none."""
        return self.storage.get(f"{folder(job.id, job.attempt)}/{name}")

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


def shown(job: Job) -> dict[str, Any]:
    """Return a job as the API shows it."""
    links = {"self": f"/api/prints/{job.id}", "events": f"/api/prints/{job.id}/events"}
    if job.state == "done":
        paper = format_of(job) == "pdf"
        names = ("pdf", "file", "article", "first-page") if paper else ("file", "article")
        links |= {name: f"/api/prints/{job.id}/{name}" for name in names}
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
