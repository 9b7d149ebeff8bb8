"""Prints on other devices: sent to destinations, and listed in an OPDS 1.2 catalog."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlencode

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter, HTTPException, Query
from starlette.responses import RedirectResponse, Response

from ...digest.config import NO_DESTINATIONS, Digest, destinations, find_destination, load_digests
from ...digest.delivery import Delivery, deliver
from ...files import read_below
from ...jobs import Job
from ...jobs.storage import PDF, result_file
from ...options import MEDIA_TYPES
from ...text import file_name, quantity
from ..errors import document_problems
from ..forms import Form, render_page, render_xml
from ..history import HistoryQuery
from ..schemas import (
    MAX_WORDS_LENGTH,
    Cursor,
    DeliveryRequest,
    DeliveryResult,
    Destination,
    PrintId,
    print_format,
)
from ..service import PrintService, Service
from .api import content_disposition

api = APIRouter()
pages = APIRouter()

_CATALOG = "application/atom+xml;profile=opds-catalog;kind="
_ACQUISITION = "http://opds-spec.org/acquisition"

_PAGE_SIZE = 30
_MAX_FILES = 500
_ISSUE = r"-(\d{4}-\d\d-\d\d)(?:-\d{1,4})?\.(pdf|epub)"


@pages.get("/opds")
def show_catalog() -> Response:
    texts = {
        "prints": "All prints of this server, newest first.",
        "digests": "Issues of digests that are delivered to a folder.",
    }
    entries = [
        _catalog_entry(name, name.capitalize(), datetime.now(UTC), text,
               [("subsection", f"/opds/{name}", _CATALOG + "acquisition")])
        for name, text in texts.items()
    ]  # fmt: skip
    return _render_feed("catalog", "webprint", "/opds", entries)


@pages.get("/opds/search.xml")
def describe_search() -> Response:
    return render_xml("opds_search", "application/opensearchdescription+xml")


@pages.get("/opds/prints")
def list_prints(
    service: Service,
    q: Annotated[str, Query(max_length=MAX_WORDS_LENGTH)] = "",
    before: Cursor = None,
) -> Response:
    page = service.history.find(
        HistoryQuery(words=q, states=("done",), before=before, limit=_PAGE_SIZE)
    )
    words = {"q": q} if q else {}
    entries = [_print_entry(job) for job in page.jobs if print_format(job) in ("pdf", "epub")]
    return _render_feed(
        "prints", f"Prints with “{q}”" if q else "Prints",
        "/opds/prints" + (f"?{urlencode(words)}" if q else ""), entries,
        f"/opds/prints?{urlencode({**words, 'before': page.next})}" if page.next else "",
    )  # fmt: skip


@pages.get("/opds/digests")
def list_digests() -> Response:
    issues = [(*issue, digest) for digest in load_digests() for issue in _find_issues(digest)]
    issues.sort(key=lambda issue: (issue[0], issue[1].name), reverse=True)
    entries = []
    for day, file, updated, digest in issues[:_MAX_FILES]:
        path = f"/opds/digests/{quote(digest.name, safe='')}/{quote(file.name, safe='')}"
        title = f"{digest.heading}, {day:%-d %B %Y}"
        links = [(_ACQUISITION, path, _media_type(file))]
        entries.append(_catalog_entry(f"digest:{file.name}", title, updated, "", links))
    return _render_feed("digests", "Digests", "/opds/digests", entries)


@pages.get("/opds/prints/{print_id}.{extension}")
def get_print_file(service: Service, print_id: str, extension: str) -> Response:
    job = service.get(print_id)
    match extension:
        case "png":
            data = service.first_page(job)
            return Response(data, 200, None, "image/png")
        case "pdf" | "epub" if extension == print_format(job):
            data = service.read_result(job, result_file(extension))
        case "epub":
            data = service.export(job, "epub")
        case _:
            raise HTTPException(404, "there is no such file")
    headers = content_disposition(job, extension)
    return Response(data, 200, headers, MEDIA_TYPES[extension])


@pages.get("/opds/digests/{name}/{file_name}")
def get_digest_file(name: str, file_name: str) -> Response:
    files = (
        file
        for digest in load_digests()
        if digest.name == name
        for _, file, _ in _find_issues(digest)
    )
    path = next((file for file in files if file.name == file_name), None)
    with suppress(FileNotFoundError):
        if path is not None:
            headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(path.name)}"}
            return Response(read_below(path.parent, path.name), 200, headers, _media_type(path))
    raise HTTPException(404, "there is no such issue")


def _media_type(file: Path) -> str:
    return MEDIA_TYPES["epub" if file.suffix == ".epub" else "pdf"]


def _find_issues(digest: Digest) -> Iterator[tuple[date, Path, datetime]]:
    """Yield day, file and time of a digest's issues in those local folders that can be read."""
    pattern = re.compile(re.escape(digest.name) + _ISSUE)
    for destination in digest.deliver:
        if destination.kind == "folder" and "://" not in destination.folder:
            folder = Path(destination.folder).expanduser()
            files: list[Path] = []
            with suppress(OSError):
                files = [*folder.iterdir()]
            for file in files:
                match = pattern.fullmatch(file.name)
                with suppress(OSError, ValueError):  # It was deleted, or there is no such day.
                    if match and stat.S_ISREG((status := file.lstat()).st_mode):
                        updated = datetime.fromtimestamp(status.st_mtime, UTC)
                        yield date.fromisoformat(match[1]), file, updated


def _print_entry(job: Job) -> dict[str, Any]:
    """Return the entry of a print with its files; of a PDF with one article, with an EPUB too."""
    path, result = f"/opds/prints/{job.id}", job.result
    links = [(_ACQUISITION, f"{path}.{print_format(job)}", MEDIA_TYPES[print_format(job)])]
    if print_format(job) == "pdf":
        if "articles" not in result:
            links.append((_ACQUISITION, f"{path}.epub", MEDIA_TYPES["epub"]))
        links.append(("http://opds-spec.org/image", f"{path}.png", "image/png"))
        links.append(("http://opds-spec.org/image/thumbnail", f"{path}.png", "image/png"))
    summary = quantity(result["pages"], "page") if result.get("pages") else ""
    updated = datetime.fromtimestamp(job.finished or job.created, UTC)
    entry = _catalog_entry(
        f"print:{job.id}", job.title or job.url or "Untitled page", updated, summary, links
    )
    return {**entry, "author": result.get("site", ""), "language": result.get("language", "")}


def _catalog_entry(
    name: str, title: str, updated: datetime, summary: str, links: list[tuple[str, str, str]]
) -> dict[str, Any]:
    updated_at = updated.isoformat(timespec="seconds")
    return {"name": name, "title": title, "updated": updated_at, "summary": summary, "links": links,
            "author": "", "language": ""}  # fmt: skip


def _render_feed(
    name: str, title: str, path: str, entries: list[dict[str, Any]], following: str = ""
) -> Response:
    kind = "navigation" if name == "catalog" else "acquisition"
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return render_xml(
        "opds", f"{_CATALOG}{kind}", name=name, title=title, path=path, entries=entries,
        next=following, kind=kind, catalog=_CATALOG, now=now,
    )  # fmt: skip


#: Limits concurrent deliveries, as retrying a mail takes a while.
_deliveries = anyio.CapacityLimiter(4)


def _deliver(service: PrintService, print_id: str, name: str) -> str:
    """Deliver a finished print; return where it went.  Raises the errors of :func:`deliver`."""
    job = service.get(print_id)
    if job.state != "done" or print_format(job) != "pdf":
        raise HTTPException(409, f"the print is {job.state}, or not a PDF")
    destination, now = find_destination(name), datetime.now()
    is_epub = destination.format == "epub"
    data = service.export(job, "epub") if is_epub else service.read_result(job, PDF)
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


@api.get("/destinations", response_model=list[Destination], responses=document_problems(401, 422))
def list_destinations() -> Any:
    """List the destinations that are configured."""
    return [{"name": name, "kind": d.kind} for name, d in destinations().items()]


@api.post(
    "/prints/{print_id}/deliver",
    response_model=DeliveryResult,
    responses=document_problems(400, 401, 404, 408, 409, 413, 422, 500, 502, 503),
)
async def deliver_print(service: Service, print_id: PrintId, body: DeliveryRequest) -> Any:
    """Send a finished print; answers when it was handed over."""
    return {"delivered": await _deliver_in_turn(service, print_id, body.to)}


@pages.get("/prints/{print_id}/deliver")
def choose(service: Service, print_id: str, sent: str = "") -> Response:
    job = service.get(print_id)
    names = list(destinations())
    sent = sent if sent in names else ""
    return render_page("deliver", job=job, names=names, none=NO_DESTINATIONS, sent=sent)


@pages.post("/prints/{print_id}/deliver")
async def send(service: Service, form: Form, print_id: str) -> Response:
    name = form.get("to", "")
    await _deliver_in_turn(service, print_id, name)
    return RedirectResponse(f"/prints/{print_id}/deliver?sent={quote(name, safe='')}", 303)
