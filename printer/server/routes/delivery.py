"""Delivery of prints to destinations that the owner configured."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import quote

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from ...digest.config import NO_DESTINATIONS, destinations, find_destination
from ...digest.delivery import Delivery, deliver
from ...jobs import handler
from ...text import file_name
from ..errors import document_problems
from ..schemas import DeliveryRequest, DeliveryResult, Destination, PrintId, print_format
from ..service import PrintService
from ..templating import render_page

#: Limits concurrent deliveries, as retrying a mail takes a while.
_deliveries = anyio.CapacityLimiter(4)


def _deliver(service: PrintService, print_id: str, name: str) -> str:
    """Deliver a finished print; return where it went.  Raises the errors of :func:`deliver`."""
    job = service.get(print_id)
    if job.state != "done" or print_format(job) != "pdf":
        raise HTTPException(409, f"the print is {job.state}, or no PDF")
    destination, now = find_destination(name), datetime.now()
    is_epub = destination.format == "epub"
    data = service.export(job, "epub") if is_epub else service.read_result(job, handler.PDF)
    report = {
        "print": job.id,
        "title": job.title,
        "url": job.url,
        "date": now.astimezone().isoformat(),
        "pages": job.result.get("pages"),
        "articles": [{"title": job.title, "url": job.url}],
    }
    title = job.title or "An article"
    delivery = Delivery(file_name(job.title), title, now, data, report, destination.format)
    return deliver(delivery, destination, service.settings)


async def _deliver_in_turn(service: PrintService, print_id: str, name: str) -> str:
    if _deliveries.available_tokens < 1:
        raise HTTPException(503, "other prints are being sent", {"Retry-After": "10"})
    return await run_sync(_deliver, service, print_id, name, limiter=_deliveries)


def add_api_routes(router: APIRouter, service: PrintService) -> None:
    """Add the routes of the API."""

    @router.get(
        "/destinations", response_model=list[Destination], responses=document_problems(401, 422)
    )
    def list_destinations() -> Any:
        """List the destinations that are configured."""
        return [{"name": name, "kind": d.kind} for name, d in destinations().items()]

    @router.post(
        "/prints/{print_id}/deliver",
        response_model=DeliveryResult,
        responses=document_problems(400, 401, 404, 408, 409, 413, 422, 500, 502, 503),
    )
    async def deliver_print(print_id: PrintId, body: DeliveryRequest) -> Any:
        """Send a finished print; answers when it was handed over."""
        return {"delivered": await _deliver_in_turn(service, print_id, body.to)}


def add_page_routes(router: APIRouter, service: PrintService) -> None:
    """Add the routes of the pages."""

    @router.get("/prints/{print_id}/deliver")
    def choose(print_id: str, sent: str = "") -> Response:
        job = service.get(print_id)
        names = list(destinations())
        sent = sent if sent in names else ""
        return render_page("deliver", job=job, names=names, none=NO_DESTINATIONS, sent=sent)

    @router.post("/prints/{print_id}/deliver")
    async def send(request: Request, print_id: str) -> Response:
        async with request.form(max_files=0, max_fields=5) as form:
            name = str(form.get("to", ""))
        await _deliver_in_turn(service, print_id, name)
        return RedirectResponse(f"/prints/{print_id}/deliver?sent={quote(name, safe='')}", 303)
