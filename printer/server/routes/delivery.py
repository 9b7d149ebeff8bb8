"""Prints sent to where their owner wants them: by mail, to a printer, a folder, a webhook."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from urllib.parse import quote

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import RedirectResponse, Response

from ...digest.config import NamedDestination
from ...digest.delivery import NO_DESTINATIONS, Delivery, deliver, destinations, find_destination
from ...errors import WebprintError
from ...jobs import handler
from ...jobs.models import Job
from ...text import file_name
from ..errors import documented
from ..service import PrintId, PrintService, format_of
from ..templating import no_print, page, trouble

#: Prints sent at a time: mail may have to be tried again for a while.
MOST = 4


class Known(BaseModel):
    """Somewhere a print may be sent."""

    name: str
    kind: Literal["folder", "mail", "printer", "webhook"]


class Parting(BaseModel):
    """Where to send a print."""

    model_config = ConfigDict(extra="forbid")

    to: str = Field(max_length=400, description="The name of a destination.")


class Sent(BaseModel):
    """What came of sending."""

    delivered: str = Field(description="Where it went.")


def _send(prints: PrintService, job: Job, name: str) -> str:
    """Send a finished print; returns where it went.  Raises what :func:`deliver` raises."""
    to, now = find_destination(name), datetime.now()
    told = {
        "print": job.id,
        "title": job.title,
        "url": job.url,
        "date": now.astimezone().isoformat(),
        "pages": job.result.get("pages"),
        "articles": [{"title": job.title, "url": job.url}],
    }
    data = _made(prints, job, to)
    title = job.title or "An article"
    parcel = Delivery(file_name(job.title), title, now, data, told, to.format)
    return deliver(parcel, to, prints.settings)


def _made(prints: PrintService, job: Job, to: NamedDestination) -> bytes:
    if to.format == "epub":
        book = prints.written(job, "epub")
        if book is None:
            raise HTTPException(409, "the print is too old to make a book of it")
        return book
    return prints.file(job, handler.PDF)


def _finished(prints: PrintService, print_id: str) -> Job:
    job = prints.known(print_id)
    if job.state != "done" or format_of(job) != "pdf":
        raise HTTPException(409, f"the print is {job.state}, or no PDF")
    return job


class Sender:
    """Sends prints, a few at a time."""

    def __init__(self, prints: PrintService) -> None:
        self._prints = prints
        self._turns = anyio.CapacityLimiter(MOST)

    async def send(self, print_id: str, name: str) -> str:
        """Send a print; returns where it went."""
        job = await run_sync(_finished, self._prints, print_id)
        if self._turns.available_tokens < 1:
            raise HTTPException(503, "other prints are being sent", {"Retry-After": "10"})
        return await run_sync(_send, self._prints, job, name, limiter=self._turns)


def add_sending(api: APIRouter, sender: Sender) -> None:
    """Add the routes of sending to the API."""

    @api.get("/destinations", response_model=list[Known], responses=documented(401, 422))
    def places() -> Any:
        """List where prints may be sent: what their owner has set."""
        return [{"name": name, "kind": each.kind} for name, each in destinations().items()]

    @api.post(
        "/prints/{print_id}/deliver",
        response_model=Sent,
        responses=documented(400, 401, 404, 408, 409, 413, 422, 500, 502, 503),
    )
    async def send(print_id: PrintId, parting: Parting) -> Any:
        """Send a print that is done; answers when it is on its way."""
        return {"delivered": await sender.send(print_id, parting.to)}


def add_sending_pages(pages: APIRouter, prints: PrintService, sender: Sender) -> None:
    """Add the page from which a print is sent."""

    @pages.get("/prints/{print_id}/deliver")
    def ask(print_id: str, sent: str = "") -> Response:
        job = prints.table.get(print_id)
        if job is None:
            return no_print()
        try:
            names = list(destinations())
        except WebprintError as error:
            return trouble(error)
        return page(
            "deliver",
            print=job,
            names=names,
            none=NO_DESTINATIONS,
            sent=sent if sent in names else "",
        )

    @pages.post("/prints/{print_id}/deliver")
    async def send(request: Request, print_id: str) -> Response:
        async with request.form(max_files=0, max_fields=5) as form:
            name = str(form.get("to", ""))
        try:
            await sender.send(print_id, name)
        except WebprintError as error:
            return trouble(error)
        return RedirectResponse(f"/prints/{print_id}/deliver?sent={quote(name, safe='')}", 303)
