"""The reading list, which digests print from."""

from __future__ import annotations

from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from ...digest.sources.reading_list import add_url, read_urls, reading_list_path
from ...errors import WebprintError
from ...jobs.validation import validate_url
from ..errors import document_problems
from ..schemas import ReadingListRequest, ReadingListResult
from ..service import PrintService
from ..templating import error_page, render_page


def add_address(service: PrintService, url: str) -> bool:
    """Add an address to the list; return False if it is on it already.

    Nothing is fetched yet.  Raises :class:`BadURL`, :class:`OutputError`.
    """
    validate_url(url)
    return add_url(reading_list_path(service.settings), url)


def add_from_form(service: PrintService, url: str) -> Response:
    """Add an address and answer with a page."""
    url = url.strip()
    try:
        added = add_address(service, url)
    except WebprintError as error:
        return error_page(error)
    return render_page("reading_list", url=url, added=added)


def add_api_routes(router: APIRouter, service: PrintService) -> None:
    """Add the routes of the API."""

    @router.post(
        "/later",
        response_model=ReadingListResult,
        status_code=201,
        responses={
            200: {"model": ReadingListResult},
            **document_problems(400, 401, 408, 413, 422, 502),
        },
    )
    def add_to_reading_list(body: ReadingListRequest) -> Response:
        """Add an address to the reading list."""
        added = add_address(service, body.url)
        return JSONResponse({"url": body.url, "added": added}, 201 if added else 200)

    @router.get("/later", response_model=list[str], responses=document_problems(401, 502))
    def get_reading_list() -> Any:
        """Get the addresses on the reading list, the oldest first."""
        return read_urls(reading_list_path(service.settings))


def add_page_routes(router: APIRouter, service: PrintService) -> None:
    """Add the routes of the pages."""

    @router.post("/later")
    async def add_page(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=100) as form:
            url = str(form.get("url", ""))
        return await run_sync(add_from_form, service, url)
