"""Prints as the server deals with them: the table and the storage behind small calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from fastapi import HTTPException, Path
from pydantic import BaseModel, Field

from ..export import export_articles
from ..jobs.models import Job, JobRequest, State, result_folder
from ..jobs.queue import JobQueue
from ..jobs.storage import Storage
from ..jobs.validation import validate_request
from ..options import ENDINGS, Format
from ..settings import Settings
from .defaults import Defaults
from .revisions import Revisions

#: The id of a print in an address.
PrintId = Annotated[str, Path(pattern="^[0-9a-f]{20}$", description="The print's id.")]


@dataclass(frozen=True, slots=True)
class PrintService:
    """What both the API and the pages do with prints; ``call`` wakes a worker."""

    table: JobQueue
    storage: Storage
    settings: Settings
    call: Callable[[], None]
    revisions: Revisions
    defaults: Defaults

    def submit(self, request: JobRequest, key: str = "") -> Job:
        """Accept a request; raises what :func:`check` and :meth:`JobTable.submit` raise."""
        validate_request(request, self.settings)
        job, _ = self.table.submit(request, key)
        self.call()
        return job

    def known(self, print_id: str) -> Job:
        """Return a print; 404 when there is none."""
        job = self.table.get(print_id)
        if job is None:
            raise HTTPException(404, "there is no such print")
        return job

    def file(self, job: Job, name: str) -> bytes:
        """Return a file of a print; 409 when it is not done, 404 when the file is gone."""
        if job.state != "done":
            raise HTTPException(409, f"the print is {job.state}")
        data = self.storage.get(f"{result_folder(job.id, job.attempt)}/{name}")
        if data is None:
            raise HTTPException(404, "its result is not kept any more")
        return data

    def written(self, job: Job, form: Format) -> bytes | None:
        """Return a print's article, as edited, in another format; None when it is not kept."""
        base = self.revisions.base(job)
        if base is None:
            return None
        article = base.apply(self.revisions.edit(job))
        return export_articles([article], form, base.pictures, fetched=base.capture.fetched)[0]

    def revise(self, job: Job, **changes: Any) -> Job:
        """Have a print made again as edited; raises what :meth:`Revisions.revise` raises."""
        made = self.revisions.revise(job, **changes)
        self.call()
        return made

    def remove(self, job: str) -> bool:
        """Forget a print and delete what it left."""
        gone = self.table.delete(job)
        if gone:
            self.storage.delete(job)
        return gone


def format_of(job: Job) -> Format:
    """Return the format that a print was made in; those of earlier versions are PDF."""
    made = dict(job.result).get("format", "pdf")
    return next((known for known in ENDINGS if known == made), "pdf")


#: The formats in which a print on paper can be had as well.
Form = Literal["epub", "html", "markdown"]


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
            links |= {name: f"/api/prints/{job.id}/as/{name}" for name in get_args(Form)}
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
