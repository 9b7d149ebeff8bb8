"""Pages for people: sign-in, start, a print, the history, settings and rules for sites."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qsl, quote, urlencode

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter, Query, Request
from pydantic import TypeAdapter, ValidationError
from starlette.responses import RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from ...errors import BadURL, UsageError
from ...jobs import FINISHED, PAGE_PART, JobRequest, decode_pictures, merge_options
from ...jobs.queue import DIGEST
from ...options import SiteRule
from ...settings import Settings
from ...site_rules.store import delete_file, list_files, remove_selectors, switch_file, user_folder
from ..forms import (
    KEY_OPTIONS,
    MAIN_OPTIONS,
    MORE_OPTIONS,
    PREFIX,
    WORDS,
    Form,
    FormField,
    describe_options,
    make_fields,
    render_page,
    typed_url,
)
from ..history import HistoryQuery
from ..schemas import MAX_WORDS_LENGTH, Cursor, Day, day_limits
from ..security import COOKIE, SESSION_SECONDS, Access, AccessKeys, CurrentAccess, Purpose
from ..service import PrintService, Service
from .editor import editor_values
from .reading_list import add_from_form

router = APIRouter()

_MAX_RECENT = 12
_MAX_TYPED_BYTES = 16_000
_TYPED_SECONDS = 10.0
_TYPED = "typed:"  # begins the names of fields that the sign-in page carries


async def sign_in(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a browser that sends no cookie of a session.

    SameSite=Strict cookies are not sent on navigation from other sites; in that case a page of this
    site sends the browser to the same address again.  What was typed into a form of ours is carried
    along, and sent again after signing in.
    """
    request = Request(scope, receive)
    # Two slashes at the beginning would be the address of another host.
    target = "/" + request.url.path.lstrip("/\\")
    target += "?" + request.url.query if request.url.query else ""
    if request.headers.get("sec-fetch-site") == "cross-site":
        response: Response = render_page("redirect", target=target)
    elif request.method == "POST":
        response = sign_in_page(target, await _typed_fields(request))
    else:
        response = sign_in_page(target)
    await response(scope, receive, send)


def sign_in_page(
    target: str = "/", typed: Sequence[tuple[str, str]] = (), *, wrong: bool = False
) -> Response:
    """Return the page that asks for the token; it sends on the ``typed`` fields of a form."""
    return render_page("sign_in", 401, wrong=wrong, target=target, typed=typed, prefix=_TYPED)


async def _typed_fields(request: Request) -> list[tuple[str, str]]:
    """Return the fields of a form if they are few, else none."""
    body = b""
    with anyio.move_on_after(_TYPED_SECONDS):
        async for block in request.stream():
            body += block
            if len(body) > _MAX_TYPED_BYTES:
                return []
    return parse_qsl(body.decode("ascii", "replace"), keep_blank_values=True)


def _print_bookmarklet(server: str, keys: AccessKeys) -> str:
    code = _read_script("bookmarklet").replace("SERVER", server, 1)
    code = code.replace("KEY", keys.key("send"), 1)
    code = code.replace("CAPTURE", _read_script("capture").removesuffix(";"), 1)
    return "javascript:" + quote(code, safe="()[]{}=,;:.!&|?*+-/'$<> ").replace(" ", "%20")


def _read_script(name: str) -> str:
    """Return a script without its comments, which are all on lines of their own."""
    path = files(__package__.rpartition(".")[0]) / f"static/{name}.js"
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


@router.get("/")
def start(service: Service, access: CurrentAccess, request: Request, token: str = "") -> Response:
    if token:
        return _start_session(request, access, token)
    if request.state.auth_method == "none":  # The query had no token.
        return sign_in_page()
    server = f"{request.url.scheme}://{request.url.netloc}{PREFIX.get()}"
    later = f"'{server}/send#later,{access.keys.key('later')},'+encodeURIComponent(location.href)"
    return render_page(
        "start",
        fields=_print_fields(service.preferences.settings()),
        jobs=service.history.recent(_MAX_RECENT),
        states=WORDS["states"],
        print_bookmarklet=_print_bookmarklet(server, access.keys),
        later_bookmarklet=f"javascript:void(window.open({later}))",
    )


@router.post("/prints")
def print_form(service: Service, form: Form) -> Response:
    values = dict(form)
    url = values.pop("url", "")
    try:
        job = service.submit_form(url, values)
    except (UsageError, BadURL) as error:
        try:
            settings = merge_options(service.settings, values)
        except UsageError:
            settings = service.preferences.settings()
        fields = _print_fields(settings)
        return render_page("confirm", 422, url=url, fields=fields, error=error)
    return RedirectResponse(f"/prints/{job.id}", 303)


@router.get("/print")
def print_link(service: Service, url: str = "", text: str = "") -> Response:
    # A link in a mail, or another site, may have made the browser open this: ask.  Apps that
    # share a page give its address as "url", or within "text".
    with suppress(BadURL):
        url = url or typed_url(text)
    fields = _print_fields(service.preferences.settings())
    return render_page("confirm", url=url or text, fields=fields, error=None)


@router.post("/enter")
def enter(access: CurrentAccess, request: Request, form: Form) -> Response:
    fields = form.multi_items()
    typed = [(n.removeprefix(_TYPED), v) for n, v in fields if n.startswith(_TYPED)]
    target = "/" + form.get("target", "").lstrip("/\\")
    return _start_session(request, access, form.get("token", "").strip(), target, typed)


@router.post("/sign-out")
def sign_out(access: CurrentAccess, request: Request, form: Form) -> Response:
    if "everywhere" in form:
        access.end_all_sessions()
    else:
        access.end_session(request.cookies.get(COOKIE, ""))
    response = RedirectResponse("/", 303)
    response.delete_cookie(COOKIE, path=f"{PREFIX.get()}/")
    return response


def _start_session(
    request: Request,
    access: Access,
    token: str,
    target: str = "/",
    typed: Sequence[tuple[str, str]] = (),
) -> Response:
    if not access.keys.is_token(token):
        return sign_in_page(target, typed, wrong=True)
    response: Response = RedirectResponse(target, 303)
    if typed:
        response = render_page("resume", target=target, typed=typed)
    response.set_cookie(
        COOKIE, access.start_session(), max_age=SESSION_SECONDS, httponly=True, samesite="strict",
        path=f"{PREFIX.get()}/", secure=request.url.scheme == "https",
    )  # fmt: skip
    return response


def _print_fields(settings: Settings) -> dict[str, list[FormField]]:
    groups = {"main": MAIN_OPTIONS, "more": MORE_OPTIONS, "key": KEY_OPTIONS}
    return {group: make_fields(names, settings) for group, names in groups.items()}


@router.get("/send")
def relay() -> Response:
    response = render_page("relay")
    # The page on which the button was pressed opens this one and speaks with it.
    response.headers["Cross-Origin-Opener-Policy"] = "unsafe-none"
    return response


@router.post("/send")
async def receive(service: Service, access: CurrentAccess, request: Request) -> Response:
    max_bytes = service.settings.max_size * 2  # Pictures are base64-encoded.
    async with request.form(max_files=0, max_fields=10, max_part_size=max_bytes) as form:
        values = {name: str(form[name]) for name in form}
    key, later, html = (values.get(name, "") for name in ("key", "later", "html"))
    purpose: Purpose = "later" if later else "send" if html else "order"
    if not access.keys.is_button_key(key, purpose):
        return render_page(
            "error", 403, message="This button is not valid for this server",
            hint="Drag it to your bookmarks again",
        )  # fmt: skip
    if later:
        return await run_sync(add_from_form, service, values.get("url", ""))
    return await run_sync(_receive, service, values)


def _receive(service: PrintService, values: Mapping[str, str]) -> Response:
    html = values.get("html", "")
    parts = {}
    if html:
        try:
            data_urls = TypeAdapter(dict[str, str]).validate_json(values.get("pictures") or "{}")
        except ValidationError as error:
            message = "the pictures that came with the page cannot be read"
            raise UsageError(message) from error
        parts = decode_pictures(data_urls, service.settings.max_size)
        parts[PAGE_PART] = html.encode("utf-8", "replace")
    request = JobRequest(values.get("url", ""), service.preferences.options(), parts)
    job = service.submit(request)
    missing = values.get("missing", "")
    number = int(missing[:6]) if missing.isdecimal() else 0
    query = f"?missing={number}" if 0 < number < 1000 else ""
    # An HTTP redirect would be cross-site, and the browser would not send the cookie.
    return render_page("redirect", target=f"/prints/{job.id}{query}")


@router.get("/prints/{print_id}")
def show_print(
    service: Service, print_id: str, missing: Annotated[int, Query(ge=0, lt=1000)] = 0
) -> Response:
    job = service.get(print_id)
    finished, editor = job.state in FINISHED, editor_values(service, job)
    return render_page(
        "print", job=job, finished=finished, has_result=job.has_result, steps=WORDS["steps"],
        editor=editor, missing=missing, options=describe_options(job.options),
    )  # fmt: skip


@router.post("/prints/{print_id}/retry")
def retry_form(service: Service, print_id: str) -> Response:
    service.retry(print_id)
    return RedirectResponse(f"/prints/{quote(print_id, safe='')}", 303)


@router.post("/prints/{print_id}/delete")
def delete_form(service: Service, print_id: str) -> Response:
    service.discard([service.get(print_id).id])
    return RedirectResponse(f"/history?deleted={print_id}", 303)


@router.get("/settings")
def settings(
    service: Service, access: CurrentAccess, request: Request, saved: str = ""
) -> Response:
    preferences = service.preferences
    fields, invalid = make_fields(MAIN_OPTIONS, preferences.settings()), preferences.invalid()
    return render_page(
        "settings", fields=fields, saved=bool(saved), reading_password=access.keys.reading_password,
        invalid=[field.label for field in fields if field.name in invalid],
        catalog=f"{request.url.scheme}://{request.url.netloc}{PREFIX.get()}/opds",
    )  # fmt: skip


@router.post("/settings")
def settings_form(service: Service, form: Form) -> Response:
    service.preferences.save({name: form[name] for name in MAIN_OPTIONS if name in form})
    return RedirectResponse("/settings?saved=yes", 303)


@router.get("/rules")
def show_rules() -> Response:
    rules = [_rule_values(rule, on) for rule, on in list_files(user_folder())]
    folder = user_folder()
    if folder.is_relative_to(Path.home()):
        folder = "~" / folder.relative_to(Path.home())
    return render_page("rules", rules=rules, folder=str(folder))


def _rule_values(rule: SiteRule, on: bool) -> dict[str, Any]:
    file = Path(rule.name).name
    actions = WORDS["rule_actions"].items()
    parts = [(words, selector) for name, words in actions for selector in getattr(rule, name)]
    # Selectors are removed from files of our own format, whose other lines stay as they are.
    can_change = on and file.endswith(".toml") and not rule.faults
    return {
        "host": rule.host, "file": file, "on": on, "parts": parts, "faults": rule.faults,
        "can_change": can_change,
    }  # fmt: skip


@router.post("/rules")
def change_rules(form: Form) -> Response:
    """Switch a file of rules on or off, delete it, or remove a selector from it."""
    folder, file = user_folder(), form.get("file", "")
    match form.get("do"):
        case "on" | "off" as state:
            switch_file(folder, file, enabled=state == "on")
        case "delete":
            delete_file(folder, file)
        case "remove":
            remove_selectors(folder, form.get("host", ""), [form.get("selector", "")])
    return RedirectResponse("/rules", 303)


_HISTORY_PAGE = 40
#: The maximum number of prints of a request, such as one to delete them.
_MAX_IDS = 200
_MAX_DIGESTS = 5
_ID = re.compile(r"[0-9a-f]{20}")


@router.get("/history")
def show_history(
    service: Service,
    q: Annotated[str, Query(max_length=MAX_WORDS_LENGTH)] = "",
    site: Annotated[str, Query(max_length=200)] = "",
    since: Day = "",
    until: Day = "",
    before: Cursor = None,
    deleted: Annotated[str, Query(max_length=5_000)] = "",
) -> Response:
    first, end = day_limits(since, until)
    page = service.history.find(HistoryQuery(
        words=q, site=site, since=first, until=end, before=before, limit=_HISTORY_PAGE,
    ))  # fmt: skip
    values = {"q": q, "site": site, "since": since, "until": until}
    filters = {name: value for name, value in values.items() if value}
    next_query = urlencode({**filters, "before": page.next}) if page.next else ""
    restorable = [i for i in _valid_ids(deleted.split(",")) if service.history.is_deleted(i)]
    first_page = not filters and before is None
    digests = service.queue.list_recent(_MAX_DIGESTS, kinds=[DIGEST]) if first_page else []
    return render_page(
        "history", digests=digests, found=page, more=next_query, states=WORDS["states"],
        sites=service.history.sites(), restorable=restorable, values=values,
        filters=filters, later=before is not None,
        day=lambda seconds: datetime.fromtimestamp(seconds).strftime("%-d %B %Y"),
    )  # fmt: skip


@router.post("/history/delete")
def delete_prints(service: Service, form: Form) -> Response:
    deleted = service.discard(_valid_ids(form.getlist("id")))
    return RedirectResponse(f"/history?{urlencode({'deleted': ','.join(deleted)})}", 303)


@router.post("/history/restore")
def restore_form(service: Service, form: Form) -> Response:
    service.history.mark_deleted(_valid_ids(form.getlist("id")), None)
    return RedirectResponse("/history", 303)


def _valid_ids(texts: list[str]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if _ID.fullmatch(text)][:_MAX_IDS]
