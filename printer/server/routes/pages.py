"""Pages for people: the start page, a print and how far it is, and the way in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from urllib.parse import quote

from anyio.to_thread import run_sync
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from ...errors import UsageError, WebprintError
from ...jobs.models import FINISHED, PAGE_PART
from ...jobs.models import JobRequest as Wanted
from ...jobs.validation import decode_pictures, form_fields, merge_options
from ..auth import COOKIE, AccessKeys
from ..service import PrintService
from ..templating import no_print, page, trouble
from .editor import add_editor, editor_of
from .reading_list import kept

_PACKAGE = "printer.server"
_RECENT = 24
_YEAR = 365 * 86_400

_STATES = {
    "queued": "waiting", "running": "being made", "done": "done", "failed": "failed",
    "cancelled": "stopped",
}  # fmt: skip

_STEPS = {
    "queued": "Waiting for its turn", "running": "Beginning", "fetch": "Fetching the page",
    "browse": "Loading it in a browser", "extract": "Finding the article",
    "pictures": "Preparing the pictures", "print": "Setting the pages", "store": "Keeping the PDF",
}  # fmt: skip


def static_files() -> StaticFiles:
    """Return the style sheet and the scripts."""
    return StaticFiles(packages=[(_PACKAGE, "static")])


async def enter(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a browser that shows no cookie.

    A browser keeps the cookie back on the way from another site: that one is asked to come again,
    from here.
    """
    request = Request(scope)
    if request.headers.get("sec-fetch-site") == "cross-site":
        target = request.url.path + ("?" + request.url.query if request.url.query else "")
        answer = page("moved", target=target)
    else:
        answer = page("enter", 401, wrong=False)
    await answer(scope, receive, send)


def bookmarklet(server: str, access: AccessKeys) -> str:
    """Return the print button as the address of a bookmark."""
    code = _script("bookmarklet").replace("SERVER", server, 1).replace("KEY", access.send, 1)
    code = code.replace("CAPTURE", _script("capture").removesuffix(";"), 1)
    return "javascript:" + quote(code, safe="()[]{}=,;:.!&|?*+-/'$<> ").replace(" ", "%20")


def later_bookmarklet(server: str, access: AccessKeys) -> str:
    """Return the button that puts a page on the reading list as the address of a bookmark."""
    code = f"window.open('{server}/send#later,{access.later},'+encodeURIComponent(location.href))"
    return f"javascript:void({code})"


def _script(name: str) -> str:
    """Return a script without its comments, which stand on lines of their own."""
    source = (files(_PACKAGE) / f"static/{name}.js").read_text(encoding="utf-8")
    lines = (line.strip() for line in source.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def make_pages(prints: PrintService, access: AccessKeys) -> APIRouter:
    """Return the routes of the pages."""
    pages = APIRouter(include_in_schema=False)
    _add_entrance(pages, prints, access)
    _add_ordering(pages, prints)
    _add_receiving(pages, prints, access)
    _add_showing(pages, prints)
    add_editor(pages, prints)
    return pages


def _add_entrance(pages: APIRouter, prints: PrintService, access: AccessKeys) -> None:
    @pages.get("/")
    def start(request: Request, token: str = "") -> Response:
        if token:
            return _entered(request, access, token)
        if request.state.passed == "none":  # It came with some other query.
            return page("enter", 401, wrong=False)
        server = f"{_scheme(request)}://{request.url.netloc}"
        return page(
            "start",
            options=form_fields(prints.defaults.settings(prints.settings)),
            prints=prints.table.list_recent(_RECENT),
            states=_STATES,
            bookmarklet=bookmarklet(server, access),
            later=later_bookmarklet(server, access),
        )

    @pages.post("/enter")
    async def enter_(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=5) as form:
            return _entered(request, access, str(form.get("token", "")).strip())


def _scheme(request: Request) -> str:
    """Return how the browser reached this server, as a proxy in between tells it.

    Whoever lies about it deceives nobody else.
    """
    told = request.headers.get("x-forwarded-proto", "")
    return told if told in ("http", "https") else request.url.scheme


def _entered(request: Request, access: AccessKeys, token: str) -> Response:
    if not access.is_token(token):
        return page("enter", 401, wrong=True)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        COOKIE, access.session, max_age=_YEAR, httponly=True, samesite="strict", path="/",
        secure=_scheme(request) == "https",
    )  # fmt: skip
    return answer


def _add_ordering(pages: APIRouter, prints: PrintService) -> None:
    @pages.post("/prints")
    async def order(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=100) as form:
            given = {name: str(form[name]) for name in form}
        return await run_sync(_ordered, prints, given.pop("url", ""), given)

    @pages.get("/print")
    def simple(request: Request, url: str = "") -> Response:
        # What a page elsewhere can make a browser ask for is asked of its user first.
        asked = request.headers.get("sec-fetch-site") == "none"
        if asked or request.state.passed == "token":
            return _ordered(prints, url, prints.defaults.options(prints.settings))
        return page(
            "confirm", url=url, options=form_fields(prints.defaults.settings(prints.settings))
        )


def _ordered(prints: PrintService, url: str, given: Mapping[str, str]) -> Response:
    try:
        chosen = merge_options(prints.settings, given)
        changed = {
            name: getattr(chosen, name)
            for name in given
            if getattr(chosen, name) != getattr(prints.settings, name)
        }
        job = prints.submit(Wanted(url.strip(), changed))
    except WebprintError as error:
        return trouble(error)
    return RedirectResponse(f"/prints/{job.id}", 303)


def _add_receiving(pages: APIRouter, prints: PrintService, access: AccessKeys) -> None:
    @pages.get("/send")
    def relay() -> Response:
        return page("relay")

    @pages.post("/send")
    async def receive(request: Request) -> Response:
        most = prints.settings.max_size * 2  # Pictures come in base64.
        async with request.form(max_files=0, max_fields=10, max_part_size=most) as form:
            given = {name: str(form[name]) for name in form}
        sent = given.get("html", "")
        if given.get("later"):
            if not access.may_list(given.get("key", "")):
                return _not_ours()
            return await run_sync(kept, prints, given.get("url", ""))
        if not (access.may_send if sent else access.may_order)(given.get("key", "")):
            return _not_ours()
        return await run_sync(_received, prints, given)


def _not_ours() -> Response:
    return page("trouble", 403, message="This button is not of this server",
                hint="Drag it to your bookmarks again")  # fmt: skip


def _received(prints: PrintService, given: Mapping[str, str]) -> Response:
    html = given.get("html", "")
    try:
        parts = _pictures(given.get("pictures", ""), prints.settings.max_size) if html else {}
        if html:
            parts[PAGE_PART] = html.encode("utf-8", "replace")
        job = prints.submit(
            Wanted(given.get("url", ""), prints.defaults.options(prints.settings), parts)
        )
    except WebprintError as error:
        return trouble(error)
    # The page that sent it is another site's, and with a redirect the browser would keep the
    # cookie back.
    return page("moved", target=f"/prints/{job.id}")


def _pictures(given: str, most: int) -> dict[str, bytes]:
    try:
        found = json.loads(given or "{}")
        strings = isinstance(found, dict) and all(isinstance(v, str) for v in found.values())
    except (ValueError, RecursionError):
        strings = False
    if not strings:
        raise UsageError("the pictures that came with the page cannot be read")
    return decode_pictures(found, most)


def _add_showing(pages: APIRouter, prints: PrintService) -> None:
    @pages.get("/prints/{print_id}")
    def show(print_id: str) -> Response:
        job = prints.table.get(print_id)
        if job is None:
            return no_print()
        edit = editor_of(prints, job)
        return page("print", print=job, over=job.state in FINISHED, steps=_STEPS, edit=edit)

    @pages.post("/prints/{print_id}/retry")
    def retry(print_id: str) -> Response:
        prints.table.retry(print_id)
        prints.call()
        return RedirectResponse(f"/prints/{quote(print_id, safe='')}", 303)

    @pages.post("/prints/{print_id}/delete")
    def delete(print_id: str) -> Response:
        if not prints.remove(print_id):
            raise HTTPException(404, "there is no such print")
        return RedirectResponse("/", 303)
