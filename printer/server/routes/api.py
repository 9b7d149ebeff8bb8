"""The API: prints for programs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, get_args
from urllib.parse import quote

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter, Header, HTTPException, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response, StreamingResponse

from ...jobs import handler
from ...jobs.models import FINISHED, PAGE_PART, STATES, Job, State
from ...jobs.models import JobRequest as Wanted
from ...jobs.validation import MAX_PICTURES, MAX_URL_LENGTH, decode_pictures, request_options
from ...options import ENDINGS, MEDIA_TYPES, Format
from ...text import file_name
from ..errors import documented
from ..schemas import options_model
from ..service import Form, PrintId, PrintService, Shown, format_of, shown
from .editor import add_edits

LOOK = 0.3  # Seconds between two looks at a job that somebody watches.
ALIVE = 15.0  # Seconds after which a silent stream says that it is there.
MOST_WATCHERS = 100

_EVENT = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"type": "string", "enum": ["print", "gone"]},
        "data": {"type": "string", "description": "The print, as JSON."},
    },
}


class Order(BaseModel):
    """A print that is asked for."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"anyOf": [{"required": ["url"]}, {"required": ["html"]}]},
    )

    url: str = Field(
        "", max_length=MAX_URL_LENGTH, description="The page's http or https address.",
        examples=["https://example.org/story"],
    )  # fmt: skip
    html: str = Field("", description="The page as it was seen; then nothing is fetched for it.")
    pictures: dict[str, str] = Field(
        default_factory=dict, max_length=MAX_PICTURES,
        description="Pictures of the page by their addresses, each as data:image/...;base64,...: "
        "those that the server could not fetch.",
    )  # fmt: skip
    options: options_model("Options", request_options()) = Field(  # type: ignore[valid-type]
        default_factory=dict, validate_default=True, description="How it is printed."
    )

    def request(self, most: int) -> Wanted:
        """Return it as the job table takes it, with pictures of ``most`` bytes together."""
        chosen = self.options.model_dump(exclude_none=True)
        parts = decode_pictures(self.pictures, most)
        if self.html:
            parts[PAGE_PART] = self.html.encode("utf-8", "replace")
        return Wanted(self.url, chosen, parts)


def _links() -> dict[str, Any]:
    """Say in the API's description which operations take the id of a new print."""
    names = (
        "show", "events", "retry", "remove", "pdf", "file", "article", "first_page", "pieces",
        "change", "in_another_form", "send",
    )  # fmt: skip
    given = {"print_id": "$response.body#/id"}
    return {name: {"operationId": name, "parameters": given} for name in names}


def make_api(prints: PrintService) -> APIRouter:
    """Return the API's routes for prints."""
    api = APIRouter(prefix="/api/prints", tags=["prints"])
    _add_prints(api, prints)
    _add_results(api, prints)
    add_edits(api, prints)
    return api


def _add_prints(api: APIRouter, prints: PrintService) -> None:
    watchers = anyio.CapacityLimiter(MOST_WATCHERS)

    @api.post(
        "",
        status_code=202,
        response_model=Shown,
        responses={202: {"links": _links()}, **documented(400, 401, 408, 413, 422, 503)},
    )
    def order(
        order: Order,
        idempotency_key: Annotated[
            str, Header(max_length=200, description="A repeated request makes no second print.")
        ] = "",
    ) -> Response:
        """Ask for a print."""
        job = prints.submit(order.request(prints.settings.max_size), idempotency_key)
        return JSONResponse(shown(job), 202, {"Location": f"/api/prints/{job.id}"})

    @api.get("", response_model=list[Shown], responses=documented(401, 422, 503))
    def recent(
        limit: Annotated[int, Query(ge=1, le=200)] = 20,
        state: Annotated[State | None, Query()] = None,
    ) -> Any:
        """List the newest prints."""
        return list(map(shown, prints.table.list_recent(limit, (state,) if state else STATES)))

    @api.get("/{print_id}", response_model=Shown, responses=documented(401, 404, 422, 503))
    def show(print_id: PrintId) -> Any:
        """Show a print and how far it is."""
        return shown(prints.known(print_id))

    @api.get(
        "/{print_id}/events",
        response_class=StreamingResponse,
        responses={
            200: {"content": {"text/event-stream": {"schema": _EVENT}}},
            **documented(401, 404, 422, 503),
        },
    )
    async def events(print_id: PrintId, request: Request) -> Response:
        """Follow a print by server-sent events: its new state each time something happened."""
        job = await run_sync(prints.known, print_id)
        try:
            watchers.acquire_on_behalf_of_nowait(request)
        except anyio.WouldBlock:
            raise HTTPException(503, "too many watch already", {"Retry-After": "5"}) from None
        return StreamingResponse(
            _followed(prints, job, watchers, request), media_type="text/event-stream"
        )

    @api.post(
        "/{print_id}/retry",
        status_code=202,
        response_model=Shown,
        responses=documented(401, 404, 409, 422, 503),
    )
    def retry(print_id: PrintId) -> Any:
        """Try a print again that failed or was cancelled."""
        if not prints.table.retry(prints.known(print_id).id):
            raise HTTPException(409, "only a print that failed or was cancelled is tried again")
        prints.call()
        return shown(prints.known(print_id))

    @api.delete("/{print_id}", status_code=204, responses=documented(401, 404, 422, 503))
    def remove(print_id: PrintId) -> None:
        """Delete a print; one that is not finished is stopped."""
        if not prints.remove(print_id):
            raise HTTPException(404, "there is no such print")


def _add_results(api: APIRouter, prints: PrintService) -> None:
    @api.get(
        "/{print_id}/pdf",
        response_class=Response,
        responses={
            200: {"content": {"application/pdf": {}}},
            **documented(401, 404, 409, 422, 503),
        },
    )
    def pdf(print_id: PrintId, download: bool = False) -> Response:
        """Get the PDF."""
        job = prints.known(print_id)
        data = prints.file(job, handler.PDF)
        csp = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
        headers = _attached(job, "pdf", "attachment" if download else "inline") | {
            "Content-Security-Policy": csp,
            "X-Frame-Options": "SAMEORIGIN",
        }
        return Response(data, 200, headers, "application/pdf")

    @api.get(
        "/{print_id}/file",
        response_class=Response,
        responses={
            200: {"content": {kind.partition(";")[0]: {} for kind in MEDIA_TYPES.values()}},
            **documented(401, 404, 409, 422, 503),
        },
    )
    def file(print_id: PrintId) -> Response:
        """Get what was made, in the format that was asked for, to be saved."""
        job = prints.known(print_id)
        made = format_of(job)
        data = prints.file(job, handler.result_file(made))
        csp = "default-src 'none'; sandbox"
        headers = _attached(job, made) | {"Content-Security-Policy": csp}
        return Response(data, 200, headers, MEDIA_TYPES[made])

    @api.get(
        "/{print_id}/article",
        response_class=JSONResponse,
        responses=documented(401, 404, 409, 422, 503),
    )
    def article(print_id: PrintId) -> Response:
        """Get the article itself: title, byline, typed blocks in reading order."""
        data = prints.file(prints.known(print_id), handler.ARTICLE)
        return Response(data, 200, None, "application/json")

    @api.get(
        "/{print_id}/as/{form}",
        response_class=Response,
        responses={
            200: {"content": {MEDIA_TYPES[name]: {} for name in get_args(Form)}},
            **documented(401, 404, 409, 422, 503),
        },
    )
    def in_another_form(print_id: PrintId, form: Form) -> Response:
        """Get the article as a book, as one page with its pictures in it, or as Markdown."""
        job = prints.known(print_id)
        data = prints.written(job, form) if job.state == "done" else None
        if data is None:
            raise HTTPException(409, f"the print is {job.state}, or too old for this")
        csp = "sandbox; default-src 'none'"
        headers = _attached(job, form) | {"Content-Security-Policy": csp}
        return Response(data, 200, headers, MEDIA_TYPES[form])

    @api.get(
        "/{print_id}/first-page",
        response_class=Response,
        responses={200: {"content": {"image/png": {}}}, **documented(401, 404, 409, 422, 503)},
    )
    def first_page(print_id: PrintId) -> Response:
        """Get a picture of the first page."""
        data = prints.file(prints.known(print_id), handler.FIRST_PAGE)
        return Response(data, 200, {"Cache-Control": "private, max-age=86400"}, "image/png")


async def _followed(
    prints: PrintService, job: Job | None, watchers: anyio.CapacityLimiter, request: Request
) -> AsyncIterator[bytes]:
    """Yield a job as events until it is over."""
    try:
        last, silent = "", 0.0
        while job is not None:
            data = json.dumps(shown(job))
            if data != last:
                last, silent = data, 0.0
                yield f"event: print\ndata: {data}\n\n".encode()
            if job.state in FINISHED:
                return
            await anyio.sleep(LOOK)
            silent += LOOK
            if silent >= ALIVE:
                silent = 0.0
                yield b": still there\n\n"
            job = await run_sync(prints.table.get, job.id)
        yield b"event: gone\ndata: {}\n\n"
    finally:
        watchers.release_on_behalf_of(request)


def _attached(job: Job, made: Format, how: str = "attachment") -> dict[str, str]:
    """Return the header that gives a result its file name."""
    name, ending = quote(file_name(job.title), safe=""), ENDINGS[made][0]
    names = f"filename=\"article{ending}\"; filename*=UTF-8''{name}{ending}"
    return {"Content-Disposition": f"{how}; {names}"}
