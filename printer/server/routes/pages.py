"""Pages for people: sign-in, the start page, and the page of a print."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from urllib.parse import quote

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from ...errors import UsageError, WebprintError
from ...jobs.models import FINISHED, PAGE_PART, JobRequest
from ...jobs.validation import decode_pictures, form_fields
from ..auth import COOKIE, AccessKeys, Purpose
from ..service import PrintService
from ..templating import PREFIX, error_page, render_page
from .editor import editor_values
from .reading_list import add_from_form

_MAX_RECENT = 24
_YEAR_SECONDS = 365 * 86_400

_STATES = {
    "queued": "waiting", "running": "in progress", "done": "done", "failed": "failed",
    "cancelled": "stopped",
}  # fmt: skip

_STEPS = {
    "queued": "Waiting for its turn", "running": "Starting", "fetch": "Fetching the page",
    "browse": "Loading it in a browser", "extract": "Finding the article",
    "pictures": "Preparing the pictures", "print": "Laying out the pages",
    "store": "Saving the PDF",
}  # fmt: skip


async def sign_in(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a browser that sends no cookie.

    SameSite=Strict cookies are not sent on navigation from other sites; in that case a page of this
    site sends the browser to the same address again.
    """
    request = Request(scope)
    if request.headers.get("sec-fetch-site") == "cross-site":
        # Two slashes at the beginning would be the address of another host.
        target = "/" + request.url.path.lstrip("/\\")
        target += "?" + request.url.query if request.url.query else ""
        response = render_page("redirect", target=target)
    else:
        response = render_page("sign_in", 401, wrong=False)
    await response(scope, receive, send)


def _print_bookmarklet(server: str, keys: AccessKeys) -> str:
    """Return the print button as the address of a bookmark."""
    code = _script("bookmarklet").replace("SERVER", server, 1).replace("KEY", keys.key("send"), 1)
    code = code.replace("CAPTURE", _script("capture").removesuffix(";"), 1)
    return "javascript:" + quote(code, safe="()[]{}=,;:.!&|?*+-/'$<> ").replace(" ", "%20")


def _later_bookmarklet(server: str, keys: AccessKeys) -> str:
    """Return the read-later button as the address of a bookmark."""
    target = f"'{server}/send#later,{keys.key('later')},'+encodeURIComponent(location.href)"
    return f"javascript:void(window.open({target}))"


def _script(name: str) -> str:
    """Return a script without its comments, which are all on lines of their own."""
    path = files(__package__.rpartition(".")[0]) / f"static/{name}.js"
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def add_routes(router: APIRouter, service: PrintService, keys: AccessKeys) -> None:
    """Add the routes of the pages."""
    _add_start_routes(router, service, keys)
    _add_send_routes(router, service, keys)
    _add_print_routes(router, service)


def _add_start_routes(router: APIRouter, service: PrintService, keys: AccessKeys) -> None:
    @router.get("/")
    def start(request: Request, token: str = "") -> Response:
        if token:
            return _set_cookie(request, keys, token)
        if request.state.auth_method == "none":  # It had some other query.
            return render_page("sign_in", 401, wrong=False)
        server = f"{request.url.scheme}://{request.url.netloc}{PREFIX.get()}"
        return render_page(
            "start",
            fields=form_fields(service.preferences.settings()),
            jobs=service.queue.list_recent(_MAX_RECENT),
            states=_STATES,
            print_bookmarklet=_print_bookmarklet(server, keys),
            later_bookmarklet=_later_bookmarklet(server, keys),
        )

    @router.post("/enter")
    async def sign_in_form(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=5) as form:
            return _set_cookie(request, keys, str(form.get("token", "")).strip())

    @router.post("/prints")
    async def print_form(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=100) as form:
            values = {name: str(form[name]) for name in form}
        return await run_sync(_print, service, values.pop("url", ""), values)

    @router.get("/print")
    def print_link(url: str = "") -> Response:
        # A link in a mail, or another site, may have made the browser open this: ask.
        fields = form_fields(service.preferences.settings())
        return render_page("confirm", url=url, fields=fields)


def _set_cookie(request: Request, keys: AccessKeys, token: str) -> Response:
    if not keys.is_token(token):
        return render_page("sign_in", 401, wrong=True)
    response = RedirectResponse("/", 303)
    response.set_cookie(
        COOKIE, keys.key("session"), max_age=_YEAR_SECONDS, httponly=True, samesite="strict",
        path=f"{PREFIX.get()}/", secure=request.url.scheme == "https",
    )  # fmt: skip
    return response


def _print(service: PrintService, url: str, values: Mapping[str, str]) -> Response:
    try:
        job = service.submit_form(url, values)
    except WebprintError as error:
        return error_page(error)
    return RedirectResponse(f"/prints/{job.id}", 303)


def _add_send_routes(router: APIRouter, service: PrintService, keys: AccessKeys) -> None:
    @router.get("/send")
    def relay() -> Response:
        response = render_page("relay")
        # The page on which the button was pressed opens this one and speaks with it.
        response.headers["Cross-Origin-Opener-Policy"] = "unsafe-none"
        return response

    @router.post("/send")
    async def receive(request: Request) -> Response:
        max_bytes = service.settings.max_size * 2  # Pictures are base64-encoded.
        async with request.form(max_files=0, max_fields=10, max_part_size=max_bytes) as form:
            values = {name: str(form[name]) for name in form}
        key, later, html = (values.get(name, "") for name in ("key", "later", "html"))
        purpose: Purpose = "later" if later else "send" if html else "order"
        if not keys.is_button_key(key, purpose):
            return render_page(
                "error", 403, message="This button is not from this server",
                hint="Drag it to your bookmarks again",
            )  # fmt: skip
        if later:
            return await run_sync(add_from_form, service, values.get("url", ""))
        return await run_sync(_receive, service, values)


def _receive(service: PrintService, values: Mapping[str, str]) -> Response:
    html = values.get("html", "")
    try:
        parts = _pictures(values.get("pictures", ""), service.settings.max_size) if html else {}
        if html:
            parts[PAGE_PART] = html.encode("utf-8", "replace")
        request = JobRequest(values.get("url", ""), service.preferences.options(), parts)
        job = service.submit(request)
    except WebprintError as error:
        return error_page(error)
    # An HTTP redirect would be cross-site, and the browser would not send the cookie.
    return render_page("redirect", target=f"/prints/{job.id}")


def _pictures(text: str, max_bytes: int) -> dict[str, bytes]:
    try:
        data_urls = json.loads(text or "{}")
    except (ValueError, RecursionError):
        data_urls = None
    if not isinstance(data_urls, dict) or not all(isinstance(v, str) for v in data_urls.values()):
        raise UsageError("the pictures that came with the page cannot be read")
    return decode_pictures(data_urls, max_bytes)


def _add_print_routes(router: APIRouter, service: PrintService) -> None:
    @router.get("/prints/{print_id}")
    def show_print(print_id: str) -> Response:
        job = service.get(print_id)
        finished, editor = job.state in FINISHED, editor_values(service, job)
        return render_page("print", job=job, finished=finished, steps=_STEPS, editor=editor)

    @router.post("/prints/{print_id}/retry")
    def retry_form(print_id: str) -> Response:
        service.retry(print_id)
        return RedirectResponse(f"/prints/{quote(print_id, safe='')}", 303)

    @router.post("/prints/{print_id}/delete")
    def delete_form(print_id: str) -> Response:
        service.delete(print_id)
        return RedirectResponse("/", 303)
