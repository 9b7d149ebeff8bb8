"""The reading list, which digests print from: shown, changed, imported, and printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, get_args
from urllib.parse import urlencode

from anyio.to_thread import run_sync
from fastapi import APIRouter, Query, Request
from starlette.datastructures import UploadFile
from starlette.responses import JSONResponse, RedirectResponse, Response

from ...digest.reading_list import (
    MAX_EXPORT_BYTES,
    Direction,
    ListedPage,
    add_pages,
    add_url,
    move_page,
    parse_bookmarks,
    read_pages,
    read_urls,
    reading_list_path,
    remove_pages,
)
from ...errors import UsageError
from ...jobs import BUNDLE_PART, MAX_BUNDLE_PAGES, JobRequest, validate_url
from ..errors import document_problems
from ..forms import WORDS, Form, render_page, typed_url
from ..schemas import MAX_WORDS_LENGTH, ReadingListRequest, ReadingListResult
from ..service import PrintService, Service

api = APIRouter()
pages = APIRouter()

_PAGE = 100


def add_address(service: PrintService, url: str) -> bool:
    """Add an address, which is not fetched yet; return False if it is on the list already."""
    validate_url(url)
    return add_url(reading_list_path(service.settings), url)


def add_from_form(service: PrintService, url: str, *, is_typed: bool = False) -> Response:
    """Add an address, perhaps typed by a person, and answer with a page."""
    url = typed_url(url) if is_typed else url.strip()
    added = add_address(service, url)
    return render_page("reading_list_added", url=url, added=added)


@api.post(
    "/later",
    response_model=ReadingListResult,
    status_code=201,
    responses={
        200: {"model": ReadingListResult},
        **document_problems(400, 401, 408, 413, 422, 502),
    },
)
def add_to_reading_list(service: Service, body: ReadingListRequest) -> Response:
    """Add an address to the reading list."""
    added = add_address(service, body.url)
    return JSONResponse({"url": body.url, "added": added}, 201 if added else 200)


@api.get("/later", response_model=list[str], responses=document_problems(401, 502))
def get_reading_list(service: Service) -> Any:
    """Get the addresses on the reading list, oldest first."""
    return read_urls(reading_list_path(service.settings))


@pages.get("/later")
def show_list(
    service: Service,
    q: Annotated[str, Query(max_length=MAX_WORDS_LENGTH)] = "",
    page: Annotated[int, Query(ge=1, le=1000)] = 1,
    error: str = "",
) -> Response:
    return _list_page(service, q, page, bad="select" if error == "select" else "")


@pages.post("/later")
def add_page(service: Service, form: Form) -> Response:
    return add_from_form(service, form.get("url", ""), is_typed=True)


@pages.post("/later/restore")
def restore(service: Service, form: Form) -> Response:
    lines = [line.partition(" ") for line in form.getlist("line")]
    pages = [ListedPage(url, title) for url, _, title in lines]
    add_pages(reading_list_path(service.settings), pages)
    return RedirectResponse("/later", 303)


@pages.post("/later/import")
async def import_list(service: Service, request: Request) -> Response:
    async with request.form(max_files=1, max_fields=5, max_part_size=MAX_EXPORT_BYTES) as form:
        file, text = form.get("file"), str(form.get("text", ""))
        data = await file.read(MAX_EXPORT_BYTES + 1) if isinstance(file, UploadFile) else b""
        with_read = "read" in form
    return await run_sync(_import_list, service, data or text.encode("utf-8", "replace"), with_read)


def _list_page(
    service: PrintService,
    q: str = "",
    page: int = 1,
    removed: Sequence[ListedPage] = (),
    bad: str = "",
) -> Response:
    listed = read_pages(reading_list_path(service.settings))
    words = q.lower().split()
    matching = [p for p in listed if all(w in f"{p.title} {p.url}".lower() for w in words)]
    last = max(1, -(-len(matching) // _PAGE))
    page = min(page, last)
    links = {
        label: urlencode({"q": q, "page": number})
        for label, number in (("Earlier", page - 1), ("Later", page + 1))
        if 1 <= number <= last
    }
    return render_page(
        "reading_list", q=q, page=page, pages=matching[_PAGE * (page - 1) : _PAGE * page], bad=bad,
        count=len(listed), found=len(matching), links=links, removed=removed,
        max_bundle=MAX_BUNDLE_PAGES,
    )  # fmt: skip


@pages.post("/later/change")
def change_list(service: Service, form: Form) -> Response:
    """Apply a button of the list to the selected pages, or to the page in its row."""
    path, selected = reading_list_path(service.settings), form.getlist("page_url")
    query = urlencode({"q": form.get("q", "")[:MAX_WORDS_LENGTH], "page": form.get("page", "1")})
    for direction in get_args(Direction):
        if direction in form:
            move_page(path, form[direction], direction)
            return RedirectResponse(f"/later?{query}", 303)
    if not selected:
        return RedirectResponse(f"/later?{query}&error=select", 303)
    if "print" in form:
        return _print_bundle(service, selected)
    removed = remove_pages(path, set(selected)) if "remove" in form else []
    return _list_page(service, form.get("q", ""), removed=removed)


def _print_bundle(service: PrintService, urls: Sequence[str]) -> Response:
    if len(urls) == 1:
        job = service.submit(JobRequest(urls[0], service.preferences.options()))
        return RedirectResponse(f"/prints/{job.id}", 303)
    if len(urls) > MAX_BUNDLE_PAGES:
        raise UsageError(
            f"a print may contain {MAX_BUNDLE_PAGES} web pages, and {len(urls)} were selected",
            hint="Print them in parts, or as a digest",
        )
    title = f"Reading list, {date.today():%-d %B %Y}"
    options = {**service.preferences.options(), "title": title}
    job = service.submit(JobRequest("", options, {BUNDLE_PART: "\n".join(urls).encode()}))
    return RedirectResponse(f"/prints/{job.id}", 303)


def _import_list(service: PrintService, data: bytes, with_read: bool) -> Response:
    """Add the pages of an exported list, and report the result for each."""
    pages = parse_bookmarks(data)
    if with_read:
        pages = [ListedPage(page.url, page.title) for page in pages]
    outcomes = add_pages(reading_list_path(service.settings), pages)
    counts = Counter(outcome for _, outcome in outcomes)
    groups = {
        words: [page for page, outcome in outcomes if outcome == name]
        for name, words in WORDS["imported"].items()
    }
    return render_page("reading_list_import", groups=groups, total=len(outcomes), counts=counts)
