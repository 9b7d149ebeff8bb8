"""The reading list, which digests print from: addresses put on it from a browser or a program."""

from __future__ import annotations

from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from ...digest.sources.reading_list import add_url, read_urls, reading_list_path
from ...errors import WebprintError
from ...jobs.validation import MAX_URL_LENGTH, validate_url
from ..errors import documented
from ..service import PrintService
from ..templating import page, trouble


class Wish(BaseModel):
    """An address to be read later."""

    model_config = ConfigDict(extra="forbid")

    url: str = Field(
        max_length=MAX_URL_LENGTH, description="The page's http or https address.",
        examples=["https://example.org/story"],
    )  # fmt: skip


class Kept(BaseModel):
    """What came of it."""

    url: str
    added: bool = Field(description="False when it was on the list already.")


def keep(prints: PrintService, url: str) -> bool:
    """Put an address on the list; False when it is there already.

    Nothing is fetched now; who prints the list fetches from public addresses alone.  Raises
    :class:`BadURL`, :class:`OutputError`.
    """
    validate_url(url)
    return add_url(reading_list_path(prints.settings), url)


def kept(prints: PrintService, url: str) -> Response:
    """Put an address on the list and answer with a page."""
    try:
        added = keep(prints, url.strip())
    except WebprintError as error:
        return trouble(error)
    return page("later", url=url.strip(), added=added)


def add_later(api: APIRouter, pages: APIRouter, prints: PrintService) -> None:
    """Add the reading list's routes to the API and the pages."""

    @api.post(
        "/later",
        response_model=Kept,
        status_code=201,
        responses={200: {"model": Kept}, **documented(400, 401, 408, 413, 422, 502)},
    )
    def put(wish: Wish) -> Response:
        """Put an address on the reading list."""
        added = keep(prints, wish.url)
        return JSONResponse({"url": wish.url, "added": added}, 201 if added else 200)

    @api.get("/later", response_model=list[str], responses=documented(401, 502))
    def listed() -> Any:
        """Get the addresses of the reading list, the oldest first."""
        return read_urls(reading_list_path(prints.settings))

    @pages.post("/later")
    async def order(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=100) as form:
            url = str(form.get("url", ""))
        return await run_sync(kept, prints, url)
