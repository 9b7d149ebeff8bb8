"""The editor's pages: the preview, what it asks for, rules made from it, and the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, RedirectResponse, Response

from ...article import Figure
from ...editing.codec import block_data
from ...editing.snapshot import Snapshot
from ...errors import WebprintError
from ...jobs.models import Job
from ...jobs.validation import FormField, merge_options
from ...render.context import PicturePlacement, PreviewBlock, render_preview
from ...site_rules.store import add_selectors, user_folder
from ..errors import documented
from ..schemas import options_model
from ..service import (
    EDITABLE,
    SHOWN,
    NotNow,
    PrintId,
    PrintService,
    Shown,
    choices,
    format_of,
    label,
    proposals,
    shown,
    site,
)
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


_MOST_PIECES = 10_000

_Name = Annotated[str, Field(pattern="^[bd][0-9]{1,6}$")]


class Rule(BaseModel):
    """A selector by which a rule could name a piece on other pages of the site."""

    selector: str = Field(description="CSS.")
    covers: list[str] = Field(description="The pieces that it names on this page.")


class ShownPiece(BaseModel):
    """A block of the article, or one that was left out of it."""

    id: str
    kept: bool = Field(description="Whether it is printed.")
    offered: bool = Field(description="Whether extraction had left it out.")
    label: str = Field(description="It in a few words.")
    block: dict[str, Any] = Field(description="The block, as in the article.")
    rules: list[Rule]


class Edits(BaseModel):
    """A print in pieces, and what was changed of it."""

    revision: int = Field(description="Which making of the print this is.")
    title: str
    options: dict[str, Any]
    pieces: list[ShownPiece]


class Change(BaseModel):
    """What to change of a print; what is not named stays as it is."""

    model_config = ConfigDict(extra="forbid")

    title: str | None = Field(None, max_length=500, description="'' is the article's own.")
    keep: dict[_Name, bool] = Field(
        default_factory=dict, max_length=_MOST_PIECES,
        description="By piece: whether it is printed.",
    )  # fmt: skip
    options: options_model("Setting", EDITABLE) = Field(  # type: ignore[valid-type]
        default_factory=dict, validate_default=True, description="How it is set."
    )
    revision: int | None = Field(
        None, description="The revision this is a change of; another one is a conflict."
    )


def add_edits(api: APIRouter, prints: PrintService) -> None:
    """Add the routes of editing."""

    @api.get(
        "/{print_id}/edit", response_model=Edits, responses=documented(401, 404, 409, 422, 503)
    )
    def pieces(print_id: PrintId) -> Any:
        """Get the article in pieces: its blocks, and those that were left out near it."""
        job = prints.known(print_id)
        base = prints.revisions.base(job)
        if base is None:
            raise HTTPException(409, f"the print is {job.state}, and nothing is kept to edit")
        edit = prints.revisions.edit(job)
        return {
            "revision": job.attempt,
            "title": edit.title or base.article.title,
            "options": dict(job.options),
            "pieces": [
                {
                    "id": each.id,
                    "kept": edit.includes(each),
                    "offered": not each.in_article,
                    "label": label(each),
                    "block": block_data(each.block),
                    "rules": [{"selector": r.selector, "covers": r.covers} for r in each.rules],
                }
                for each in base.blocks
            ],
        }

    @api.patch(
        "/{print_id}/edit",
        status_code=202,
        response_model=Shown,
        responses=documented(400, 401, 404, 408, 409, 413, 422, 503),
    )
    def change(print_id: PrintId, change: Change) -> Response:
        """Leave pieces out, bring some back, set it otherwise: the print is made again."""
        job = prints.known(print_id)
        if change.revision not in (None, job.attempt):
            raise HTTPException(409, f"the print is at revision {job.attempt}")
        options = change.options.model_dump(exclude_none=True)
        try:
            made = prints.revise(job, title=change.title, keep=change.keep, options=options)
        except NotNow as error:
            raise HTTPException(409, error.message) from error
        return JSONResponse(shown(made), 202)
