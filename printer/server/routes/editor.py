"""The editor's pages: the preview, what it asks for, rules made from it, and the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from ...article import Figure
from ...editing.snapshot import Snapshot
from ...errors import WebprintError
from ...jobs.models import Job
from ...jobs.validation import FormField, merge_options
from ...render.preview import PreviewBlock, render_preview
from ...render.shown import PicturePlacement
from ...site_rules.store import add_selectors, user_folder
from ..revisions import SHOWN, choices, proposals, site
from ..service import PrintService, format_of
from ..templating import page, trouble

_MOST_FIELDS = 6_000
_MOST_RULES = 50

#: The forms in which pictures are prepared; anything else is not shown.
_PICTURES = frozenset({
    "image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml", "image/avif",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Editor:
    """What the editor of a print begins with."""

    title: str
    host: str
    options: list[FormField]
    shapes: list[PreviewBlock]
    changed: bool


def editor_of(prints: PrintService, job: Job) -> Editor | None:
    """Return the editor of a print, None when it cannot be edited now."""
    if job.state not in ("done", "failed") or format_of(job) != "pdf":
        return None
    base = prints.revisions.base(job)
    if base is None:
        return None
    edit = prints.revisions.edit(job)
    options = choices(merge_options(prints.settings, job.options))
    title = edit.title or base.article.title
    shapes = prints.revisions.shapes(base, edit)
    return Editor(title, site(job), options, shapes, bool(edit.removed or edit.restored))


def add_editor(pages: APIRouter, prints: PrintService) -> None:
    """Add the editor's routes."""
    _add_preview(pages, prints)
    _add_edits(pages, prints)
    _add_rules(pages, prints)
    _add_settings(pages, prints)


def _found(prints: PrintService, print_id: str) -> tuple[Job, Snapshot]:
    job = prints.table.get(print_id)
    base = prints.revisions.base(job) if job else None
    if job is None or base is None:
        raise HTTPException(404, "there is no such print, or it cannot be edited")
    return job, base


def _add_preview(pages: APIRouter, prints: PrintService) -> None:
    @pages.get("/prints/{print_id}/preview")
    def preview(request: Request, print_id: str) -> Response:
        """Show the article in pieces: a stranger's words and pictures, and nothing else."""
        job, base = _found(prints, print_id)
        edit = prints.revisions.edit(job)
        numbers = {key: number for number, key in enumerate(base.pictures)}
        place = f"/prints/{job.id}/pictures/"

        def picture(figure: Figure) -> PicturePlacement | None:
            key = figure.svg or figure.src
            if key not in numbers:
                return None
            known = base.pictures[key]
            return PicturePlacement(f"{place}{numbers[key]}", known.width, known.height)

        html = render_preview(base.apply(edit), prints.revisions.shapes(base, edit), picture)
        here = request.url.netloc
        csp = (
            f"sandbox allow-same-origin; default-src 'none'; img-src {here}{place}; "
            f"style-src {here}/static/preview.css; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'self'"
        )
        headers = {"Content-Security-Policy": csp, "X-Frame-Options": "SAMEORIGIN"}
        return Response(html.encode("utf-8", "replace"), 200, headers, "text/html; charset=utf-8")

    @pages.get("/prints/{print_id}/pictures/{number}")
    def picture(print_id: str, number: int) -> Response:
        """Give a picture as it is printed."""
        _, base = _found(prints, print_id)
        pictures = list(base.pictures.values())
        if not 0 <= number < len(pictures) or pictures[number].media_type not in _PICTURES:
            raise HTTPException(404, "there is no such picture")
        csp = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        headers = {"Content-Security-Policy": csp}
        return Response(pictures[number].data, 200, headers, pictures[number].media_type)


def _add_edits(pages: APIRouter, prints: PrintService) -> None:
    @pages.post("/prints/{print_id}/edit")
    async def edit(request: Request, print_id: str) -> Response:
        async with request.form(max_files=0, max_fields=_MOST_FIELDS) as form:
            kept = {str(value) for value in form.getlist("keep")}
            given = {name: str(form[name]) for name in ("title", *SHOWN) if name in form}
        return await run_sync(_edited, prints, print_id, kept, given)


def _edited(prints: PrintService, print_id: str, kept: set[str], given: dict[str, str]) -> Response:
    """Take a form that says of everything how it shall be."""
    job, base = _found(prints, print_id)
    keep = {piece.id: piece.id in kept for piece in base.blocks}
    title = given.pop("title", None)
    try:
        prints.revise(job, title=title, keep=keep, options=_changed(prints, job, given))
    except WebprintError as error:
        return trouble(error)
    return RedirectResponse(f"/prints/{job.id}", 303)


def _changed(prints: PrintService, job: Job, given: Mapping[str, str]) -> dict[str, Any]:
    """Return the options that are not as they were."""
    now = merge_options(prints.settings, job.options)
    return {name: value for name, value in given.items() if value != getattr(now, name)}


def _add_rules(pages: APIRouter, prints: PrintService) -> None:
    @pages.get("/prints/{print_id}/rule")
    def propose(print_id: str) -> Response:
        job, base = _found(prints, print_id)
        rules, unnamed = proposals(base, prints.revisions.edit(job))
        return page("rule", print=job, host=site(job), rules=rules if site(job) else [],
                    unnamed=unnamed, saved="")  # fmt: skip

    @pages.post("/prints/{print_id}/rule")
    async def keep(request: Request, print_id: str) -> Response:
        async with request.form(max_files=0, max_fields=4 * _MOST_RULES) as form:
            chosen = [str(n) for n in form.getlist("rule")][:_MOST_RULES]
            rules = [(str(form.get(f"part{n}")), str(form.get(f"selector{n}"))) for n in chosen]
        return await run_sync(_kept, prints, print_id, rules)


def _kept(prints: PrintService, print_id: str, rules: list[tuple[str, str]]) -> Response:
    job, _ = _found(prints, print_id)
    try:
        path = None
        for part in ("drop", "keep"):
            wanted = [selector.strip() for each, selector in rules if each == part]
            if wanted:
                path = add_selectors(user_folder(), site(job), part, wanted)
    except WebprintError as error:
        return trouble(error)
    return page("rule", print=job, host=site(job), rules=[], unnamed=[], saved=str(path or ""))


def _add_settings(pages: APIRouter, prints: PrintService) -> None:
    @pages.get("/settings")
    def settings(saved: str = "") -> Response:
        options = choices(prints.defaults.settings(prints.settings))
        return page("settings", options=options, saved=bool(saved), folder=str(user_folder()))

    @pages.post("/settings")
    async def keep(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=20) as form:
            given = {name: str(form[name]) for name in SHOWN if name in form}
        try:
            await run_sync(prints.defaults.keep, prints.settings, given)
        except WebprintError as error:
            return trouble(error)
        return RedirectResponse("/settings?saved=yes", 303)
