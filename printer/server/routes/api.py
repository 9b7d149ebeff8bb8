"""The API for prints."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, get_args
from urllib.parse import quote, urlencode

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Header, HTTPException, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.responses import JSONResponse, Response

from ...jobs import FINISHED, STATES, Job, State
from ...jobs.storage import ARTICLE, PDF, result_file
from ...options import EXTENSIONS, MEDIA_TYPES, Format
from ...text import file_name
from ..errors import document_problems
from ..forms import PREFIX
from ..history import HistoryQuery
from ..schemas import (
    MAX_WORDS_LENGTH,
    Cursor,
    Day,
    ExportFormat,
    Print,
    PrintId,
    PrintRequest,
    day_limits,
    print_data,
    print_format,
)
from ..service import Service

_POLL_INTERVALS = (0.1, 0.5)  # of the state of a print: after a change of it, and at last

_LINK_HEADER = {
    "schema": {"type": "string"}, "description": "The next page, as rel=next (RFC 8288).",
}  # fmt: skip

_PROBLEMS = document_problems(401, 404, 422, 503)
_RESULT_PROBLEMS = document_problems(401, 404, 409, 422, 503)

#: The operations that take the id of a new print.
_LINKED_OPERATIONS = (
    "get_print", "watch_print", "retry_print", "delete_print", "get_pdf", "get_file",
    "get_article", "get_first_page", "get_edit", "edit_print", "export_print", "deliver_print",
)  # fmt: skip
_LINKS = {
    name: {"operationId": name, "parameters": {"print_id": "$response.body#/id"}}
    for name in _LINKED_OPERATIONS
}

router = APIRouter(prefix="/prints", tags=["prints"])

_streams = anyio.CapacityLimiter(100)


def _file_responses(*media_types: str) -> dict[int | str, dict[str, Any]]:
    """Return the responses with a file, for the API's description."""
    return {200: {"content": {name: {} for name in media_types}}, **_RESULT_PROBLEMS}


@router.post(
    "",
    status_code=202,
    response_model=Print,
    responses={202: {"links": _LINKS}, **document_problems(400, 401, 408, 413, 422, 503)},
)
def create_print(
    service: Service,
    body: PrintRequest,
    idempotency_key: Annotated[
        str, Header(max_length=200, description="Repeats with one key make one print.")
    ] = "",
) -> Response:
    """Request a print."""
    job = service.submit(body.to_job_request(service.settings.max_size), idempotency_key)
    return JSONResponse(print_data(job), 202, {"Location": f"/api/prints/{job.id}"})


@router.get(
    "",
    response_model=list[Print],
    responses={200: {"headers": {"Link": _LINK_HEADER}}, **document_problems(401, 422, 503)},
)
def list_prints(
    service: Service,
    request: Request,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
    state: Annotated[State | None, Query()] = None,
    q: Annotated[str, Query(max_length=MAX_WORDS_LENGTH, description="Words in the print.")] = "",
    site: Annotated[str, Query(max_length=200, description="A host.")] = "",
    since: Day = "",
    until: Day = "",
    cursor: Cursor = None,
) -> Response:
    """List prints, newest first; the header Link has the address of the next page."""
    first, end = day_limits(since, until)
    page = service.history.find(HistoryQuery(
        words=q, site=site, since=first, until=end, before=cursor, limit=limit,
        states=(state,) if state else STATES,
    ))  # fmt: skip
    headers = {}
    if page.next:
        query = {**request.query_params, "cursor": page.next}
        headers["Link"] = f'<{PREFIX.get()}/api/prints?{urlencode(query)}>; rel="next"'
    return JSONResponse(list(map(print_data, page.jobs)), 200, headers)


@router.get("/{print_id}", response_model=Print, responses=_PROBLEMS)
def get_print(service: Service, print_id: PrintId) -> Any:
    """Get a print and its progress."""
    return print_data(service.get(print_id))


async def _follow(service: Service, print_id: PrintId, request: Request) -> AsyncIterator[Job]:
    """Yield a print while it is followed; limit the number of followers."""
    job = await run_sync(service.get, print_id)
    try:
        _streams.acquire_on_behalf_of_nowait(request)
    except anyio.WouldBlock:
        raise HTTPException(503, "too many open print pages", {"Retry-After": "5"}) from None
    try:
        yield job
    finally:
        _streams.release_on_behalf_of(request)


@router.get("/{print_id}/events", response_class=EventSourceResponse, responses=_PROBLEMS)
async def watch_print(
    service: Service, followed: Annotated[Job, Depends(_follow)]
) -> AsyncIterator[ServerSentEvent]:
    """Follow a print by server-sent events: its state after each change."""
    job: Job | None = followed
    last, interval = "", _POLL_INTERVALS[0]
    while job is not None:
        data = json.dumps(print_data(job))
        if data != last:
            last, interval = data, _POLL_INTERVALS[0]
            yield ServerSentEvent(event="print", raw_data=data)
        if job.state in FINISHED:
            return
        await anyio.sleep(interval)
        interval = min(interval * 1.1, _POLL_INTERVALS[1])
        job = await run_sync(service.queue.get, job.id)
    yield ServerSentEvent(event="gone", raw_data="{}")


@router.post("/{print_id}/retry", status_code=202, response_model=Print, responses=_RESULT_PROBLEMS)
def retry_print(service: Service, print_id: PrintId) -> Any:
    """Retry a print that failed or was cancelled."""
    if not service.retry(service.get(print_id).id):
        raise HTTPException(409, "only a print that failed or was cancelled can be retried")
    return print_data(service.get(print_id))


@router.delete("/{print_id}", status_code=204, responses=document_problems(401, 404, 422, 503))
def delete_print(service: Service, print_id: PrintId) -> None:
    """Delete a print; stop it if it is not finished."""
    service.delete(print_id)


@router.get(
    "/{print_id}/pdf", response_class=Response, responses=_file_responses("application/pdf")
)
def get_pdf(service: Service, print_id: PrintId, download: bool = False) -> Response:
    """Get the PDF."""
    job = service.get(print_id)
    data = service.read_result(job, PDF)
    headers = content_disposition(job, "pdf", "attachment" if download else "inline") | {
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
        "frame-ancestors 'self'",
        "X-Frame-Options": "SAMEORIGIN",
    }
    return Response(data, 200, headers, "application/pdf")


_FILES = _file_responses(*(media_type.partition(";")[0] for media_type in MEDIA_TYPES.values()))


@router.get("/{print_id}/file", response_class=Response, responses=_FILES)
def get_file(service: Service, print_id: PrintId) -> Response:
    """Get the result in the requested format, as a download."""
    job = service.get(print_id)
    format_ = print_format(job)
    return _download(job, service.read_result(job, result_file(format_)), format_)


@router.get("/{print_id}/article", response_class=JSONResponse, responses=_RESULT_PROBLEMS)
def get_article(service: Service, print_id: PrintId) -> Response:
    """Get the article: title, byline, typed blocks in reading order."""
    data = service.read_result(service.get(print_id), ARTICLE)
    return Response(data, 200, None, "application/json")


_EXPORTS = _file_responses(*(MEDIA_TYPES[name] for name in get_args(ExportFormat)))


@router.get("/{print_id}/as/{format}", response_class=Response, responses=_EXPORTS)
def export_print(service: Service, print_id: PrintId, format: ExportFormat) -> Response:  # noqa: A002
    """Get the article as an e-book, as one page with its pictures in it, or as Markdown."""
    job = service.get(print_id)
    return _download(job, service.export(job, format), format)


@router.get(
    "/{print_id}/first-page", response_class=Response, responses=_file_responses("image/png")
)
def get_first_page(service: Service, print_id: PrintId) -> Response:
    """Get a picture of the first page."""
    data = service.first_page(service.get(print_id))
    return Response(data, 200, {"Cache-Control": "private, max-age=86400"}, "image/png")


def _download(job: Job, data: bytes, format_: Format) -> Response:
    """Return a result for a browser to save, never to show."""
    headers = {"Content-Security-Policy": "default-src 'none'; sandbox"}
    headers |= content_disposition(job, format_)
    return Response(data, 200, headers, MEDIA_TYPES[format_])


def content_disposition(
    job: Job, format_: Format, disposition: str = "attachment"
) -> dict[str, str]:
    name, extension = quote(file_name(job.title), safe=""), EXTENSIONS[format_][0]
    names = f"filename=\"article{extension}\"; filename*=UTF-8''{name}{extension}"
    return {"Content-Disposition": f"{disposition}; {names}"}
