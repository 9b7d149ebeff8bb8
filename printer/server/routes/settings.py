"""The pages of the settings and of the rules for sites."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from ...options import SiteRule
from ...site_rules.store import (
    delete_file,
    list_files,
    remove_selectors,
    switch_file,
    user_folder,
)
from ..auth import Access
from ..forms import MAIN_OPTIONS, WORDS, make_fields
from ..service import PrintService
from ..templating import PREFIX, render_page


def add_page_routes(router: APIRouter, service: PrintService, access: Access) -> None:
    """Add the routes of the pages."""
    _add_settings_routes(router, service, access)
    _add_rule_routes(router)


def _add_settings_routes(router: APIRouter, service: PrintService, access: Access) -> None:
    @router.get("/settings")
    def settings(request: Request, saved: str = "") -> Response:
        return render_page(
            "settings", fields=make_fields(MAIN_OPTIONS, service.preferences.settings()),
            saved=bool(saved), reading_password=access.keys.reading_password,
            catalog=f"{request.url.scheme}://{request.url.netloc}{PREFIX.get()}/opds",
        )  # fmt: skip

    @router.post("/settings")
    async def settings_form(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=20) as form:
            options = {name: str(form[name]) for name in MAIN_OPTIONS if name in form}
        await run_sync(service.preferences.save, options)
        return RedirectResponse("/settings?saved=yes", 303)


def _add_rule_routes(router: APIRouter) -> None:
    @router.get("/rules")
    def show_rules() -> Response:
        rules = [_rule_values(rule, on) for rule, on in list_files(user_folder())]
        folder = user_folder()
        if folder.is_relative_to(Path.home()):
            folder = "~" / folder.relative_to(Path.home())
        return render_page("rules", rules=rules, folder=str(folder))

    @router.post("/rules")
    async def change_rules(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=10) as form:
            values = {name: str(value) for name, value in form.items()}
        await run_sync(_change, values)
        return RedirectResponse("/rules", 303)


def _rule_values(rule: SiteRule, on: bool) -> dict[str, Any]:
    file = Path(rule.name).name
    parts = [
        (words, selector)
        for action, words in WORDS["rule_actions"].items()
        for selector in getattr(rule, action)
    ]
    # Selectors are removed from files of our own format, whose other lines stay as they are.
    can_change = on and file.endswith(".toml") and not rule.faults
    return {
        "host": rule.host, "file": file, "on": on, "parts": parts, "faults": rule.faults,
        "can_change": can_change,
    }  # fmt: skip


def _change(values: dict[str, str]) -> None:
    """Switch a file of rules on or off, delete it, or remove a selector from it."""
    folder, file = user_folder(), values.get("file", "")
    match values.get("do"):
        case "on" | "off" as state:
            switch_file(folder, file, on=state == "on")
        case "delete":
            delete_file(folder, file)
        case "remove":
            remove_selectors(folder, values.get("host", ""), [values.get("selector", "")])
