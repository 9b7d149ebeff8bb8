"""An OPDS 1.2 catalogue of prints and digests, for e-readers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, HTTPException, Query
from lxml import etree
from starlette.responses import FileResponse, Response

from ...digest.config import Digest, load_digests
from ...jobs import handler
from ...jobs.models import Job
from ...options import MEDIA_TYPES
from ...render.markup import printable
from ..history import HistoryQuery
from ..schemas import print_format
from ..service import PrintService
from ..templating import PREFIX
from .api import content_disposition
from .history import MAX_WORDS_LENGTH

_ATOM = "http://www.w3.org/2005/Atom"
_OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"
_ATOM_NAMES: dict[Any, str] = {None: _ATOM, "dc": "http://purl.org/dc/terms/"}
_OPENSEARCH_NAMES: dict[Any, str] = {None: _OPENSEARCH}
_CATALOG = "application/atom+xml;profile=opds-catalog;kind="
_SEARCH_TYPE = "application/opensearchdescription+xml"
_ACQUISITION = "http://opds-spec.org/acquisition"

_PAGE, _MAX_FILES = 30, 500
_ISSUE = r"-(\d{4}-\d\d-\d\d)(?:-\d{1,4})?\.(pdf|epub)"


def add_routes(router: APIRouter, service: PrintService) -> None:
    """Add the routes of the catalogue."""
    _add_feed_routes(router, service)
    _add_file_routes(router, service)


def _add_feed_routes(router: APIRouter, service: PrintService) -> None:
    @router.get("/opds")
    def show_catalog() -> Response:
        feed = _feed("catalog", "webprint", "/opds")
        _entry(feed, "prints", "Prints", _now(), "What was printed here, the newest first.",
               [("subsection", "/opds/prints", _CATALOG + "acquisition")])  # fmt: skip
        _entry(feed, "digests", "Digests", _now(), "Issues of digests that are kept in a folder.",
               [("subsection", "/opds/digests", _CATALOG + "acquisition")])  # fmt: skip
        return _answer(feed, _CATALOG + "navigation")

    @router.get("/opds/search.xml")
    def describe_search() -> Response:
        root = etree.Element(f"{{{_OPENSEARCH}}}OpenSearchDescription", nsmap=_OPENSEARCH_NAMES)
        for name, text in (("ShortName", "webprint"), ("Description", "Search the text of prints")):
            etree.SubElement(root, f"{{{_OPENSEARCH}}}{name}").text = text
        template = f"{PREFIX.get()}/opds/prints?q={{searchTerms}}"
        etree.SubElement(root, f"{{{_OPENSEARCH}}}Url", type=_CATALOG + "acquisition",
                         template=template)  # fmt: skip
        return _answer(root, _SEARCH_TYPE)

    @router.get("/opds/prints")
    def list_prints(
        q: Annotated[str, Query(max_length=MAX_WORDS_LENGTH)] = "",
        before: Annotated[int | None, Query(ge=1, le=2**62)] = None,
    ) -> Response:
        found = service.history.find(
            HistoryQuery(words=q, states=("done",), before=before, limit=_PAGE)
        )
        title = f"Prints with “{q}”" if q else "Prints"
        feed = _feed("prints", title, "/opds/prints" + (f"?{urlencode({'q': q})}" if q else ""))
        if found.next:
            query = urlencode({**({"q": q} if q else {}), "before": found.next})
            _link(feed, "next", f"/opds/prints?{query}", _CATALOG + "acquisition")
        for job in found.jobs:
            if print_format(job) in ("pdf", "epub"):
                _add_print(feed, job)
        return _answer(feed, _CATALOG + "acquisition")

    @router.get("/opds/digests")
    def list_digests() -> Response:
        feed = _feed("digests", "Digests", "/opds/digests")
        issues = [(day, file, digest) for digest in load_digests() for day, file in _issues(digest)]
        issues.sort(key=lambda issue: (issue[0], issue[1].name), reverse=True)
        for day, file, digest in issues[:_MAX_FILES]:
            media_type = MEDIA_TYPES["epub" if file.suffix == ".epub" else "pdf"]
            path = f"/opds/digests/{quote(digest.name, safe='')}/{quote(file.name, safe='')}"
            updated = datetime.fromtimestamp(file.stat().st_mtime, UTC)
            title = f"{digest.heading}, {datetime.fromisoformat(day):%-d %B %Y}"
            _entry(
                feed, f"digest:{file.name}", title, updated, "", [(_ACQUISITION, path, media_type)]
            )
        return _answer(feed, _CATALOG + "acquisition")


def _add_file_routes(router: APIRouter, service: PrintService) -> None:
    @router.get("/opds/prints/{print_id}.{ending}")
    def get_print_file(print_id: str, ending: str) -> Response:
        job = service.get(print_id)
        match ending:
            case "png":
                data = service.first_page(job)
                return Response(data, 200, None, "image/png")
            case "pdf" | "epub" if ending == print_format(job):
                data = service.read_result(job, handler.result_file(ending))
            case "epub":
                data = service.export(job, "epub")
            case _:
                raise HTTPException(404, "there is no such file")
        headers = content_disposition(job, ending)
        return Response(data, 200, headers, MEDIA_TYPES[ending])

    @router.get("/opds/digests/{name}/{file_name}")
    def get_digest_file(name: str, file_name: str) -> Response:
        files = (
            file for digest in load_digests() if digest.name == name for _, file in _issues(digest)
        )
        path = next((file for file in files if file.name == file_name), None)
        if path is None:
            raise HTTPException(404, "there is no such issue")
        media_type = MEDIA_TYPES["epub" if path.suffix == ".epub" else "pdf"]
        return FileResponse(path, media_type=media_type, filename=path.name)


def _issues(digest: Digest) -> Iterator[tuple[str, Path]]:
    """Yield day and file of a digest's issues in local folders."""
    pattern = re.compile(re.escape(digest.name) + _ISSUE)
    for destination in digest.deliver:
        if destination.kind == "folder" and "://" not in destination.folder:
            folder = Path(destination.folder).expanduser()
            for file in folder.iterdir() if folder.is_dir() else ():
                match = pattern.fullmatch(file.name)
                if match and _is_day(match[1]) and file.is_file():
                    yield match[1], file


def _is_day(text: str) -> bool:
    try:
        return bool(datetime.fromisoformat(text))
    except ValueError:
        return False


def _add_print(feed: etree._Element, job: Job) -> None:
    """Add a print with its files; of a PDF with one article, there is an EPUB too."""
    path, result = f"/opds/prints/{job.id}", job.result
    links = [(_ACQUISITION, f"{path}.{print_format(job)}", MEDIA_TYPES[print_format(job)])]
    if print_format(job) == "pdf":
        if "articles" not in result:
            links.append((_ACQUISITION, f"{path}.epub", MEDIA_TYPES["epub"]))
        links.append(("http://opds-spec.org/image", f"{path}.png", "image/png"))
        links.append(("http://opds-spec.org/image/thumbnail", f"{path}.png", "image/png"))
    pages = result.get("pages")
    summary = f"{pages} {'page' if pages == 1 else 'pages'}" if pages else ""
    updated = datetime.fromtimestamp(job.finished or job.created, UTC)
    entry = _entry(
        feed, f"print:{job.id}", job.title or job.url or "A print", updated, summary, links
    )
    if result.get("site"):
        author = etree.SubElement(entry, f"{{{_ATOM}}}author")
        _text(author, "name", str(result["site"]))
    if result.get("language"):
        etree.SubElement(entry, "{http://purl.org/dc/terms/}language").text = printable(
            str(result["language"])
        )


def _feed(name: str, title: str, path: str) -> etree._Element:
    feed = etree.Element(f"{{{_ATOM}}}feed", nsmap=_ATOM_NAMES)
    _text(feed, "id", f"urn:webprint:{name}")
    _text(feed, "title", title)
    _text(feed, "updated", _now().isoformat(timespec="seconds"))
    kind = "navigation" if name == "catalog" else "acquisition"
    _link(feed, "self", path, _CATALOG + kind)
    _link(feed, "start", "/opds", _CATALOG + "navigation")
    _link(feed, "search", "/opds/search.xml", _SEARCH_TYPE)
    return feed


def _entry(
    feed: etree._Element,
    name: str,
    title: str,
    updated: datetime,
    summary: str,
    links: list[tuple[str, str, str]],
) -> etree._Element:
    entry = etree.SubElement(feed, f"{{{_ATOM}}}entry")
    _text(entry, "id", f"urn:webprint:{name}")
    _text(entry, "title", title)
    _text(entry, "updated", updated.isoformat(timespec="seconds"))
    if summary:
        _text(entry, "content", summary).set("type", "text")
    for rel, path, media_type in links:
        _link(entry, rel, path, media_type)
    return entry


def _text(parent: etree._Element, name: str, text: str) -> etree._Element:
    element = etree.SubElement(parent, f"{{{_ATOM}}}{name}")
    element.text = printable(text)
    return element


def _link(parent: etree._Element, rel: str, path: str, media_type: str) -> None:
    href = PREFIX.get() + path
    etree.SubElement(parent, f"{{{_ATOM}}}link", rel=rel, href=href, type=media_type)


def _answer(root: etree._Element, media_type: str) -> Response:
    data = etree.tostring(root, xml_declaration=True, encoding="utf-8")
    return Response(data, 200, None, media_type)


def _now() -> datetime:
    return datetime.now(UTC)
