"""The editor of prints: its API and pages, and site rules made from edits."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Depends, HTTPException, Path, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from ...article import Figure, to_data
from ...editing import Snapshot
from ...jobs import Job, merge_options
from ...render.context import render_preview
from ...render.figures import PicturePlacement
from ...site_rules.apply import rule_site
from ...site_rules.store import add_selectors, user_folder
from ..errors import document_problems
from ..forms import (
    EDITOR_OPTIONS,
    PREFIX,
    THEME_OPTIONS,
    Form,
    editor_fields,
    render_page,
    theme_assignments,
)
from ..schemas import Print, PrintEdit, PrintEditRequest, PrintId, print_data, print_format
from ..service import NotEditable, PrintService, Service, block_label, preview_blocks, propose_rules

api = APIRouter(tags=["prints"])
pages = APIRouter()

_MAX_RULES = 50

_PICTURE_TYPES = frozenset({
    "image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml", "image/avif",
})  # fmt: skip


def editor_values(service: PrintService, job: Job) -> dict[str, Any] | None:
    """Return the template values of a print's editor, or None if it cannot be edited now."""
    editable = job.state in ("done", "failed") and print_format(job) == "pdf"
    snapshot = service.snapshot(job) if editable else None
    if snapshot is None:
        return None
    edit = service.edit(job)
    settings = merge_options(service.settings, job.options)
    return {
        "theme_fields": THEME_OPTIONS,
        "assignments": theme_assignments(settings, dict.fromkeys(THEME_OPTIONS, "")),
        "title": edit.title or snapshot.article.title,
        "site": rule_site(job.url),
        "fields": editor_fields(settings),
        "blocks": preview_blocks(snapshot, edit),
        "pictures": {b.id for b in snapshot.blocks if isinstance(b.block, Figure)},
        "changed": bool(edit.removed or edit.restored),
    }


@api.get(
    "/prints/{print_id}/edit",
    response_model=PrintEdit,
    responses=document_problems(401, 404, 409, 422, 503),
)
def get_edit(service: Service, print_id: PrintId) -> Any:
    """Get the blocks of the article, and those near it that were left out."""
    job = service.get(print_id)
    snapshot = service.snapshot(job)
    if snapshot is None:
        raise HTTPException(409, f"the print is {job.state}, and cannot be edited")
    edit = service.edit(job)
    return {
        "revision": job.attempt,
        "title": edit.title or snapshot.article.title,
        "options": dict(job.options),
        "blocks": [
            {
                "id": block.id,
                "included": edit.includes(block),
                "suggested": not block.selected,
                "label": block_label(block),
                "block": to_data(block.block),
                "rules": [{"selector": r.selector, "covers": r.covers} for r in block.rules],
            }
            for block in snapshot.blocks
        ],
    }


@api.patch(
    "/prints/{print_id}/edit",
    status_code=202,
    response_model=Print,
    responses=document_problems(400, 401, 404, 408, 409, 413, 422, 503),
)
def edit_print(service: Service, print_id: PrintId, body: PrintEditRequest) -> Response:
    """Remove or restore blocks, or change options, and print again."""
    job = service.get(print_id)
    if body.revision not in (None, job.attempt):
        raise HTTPException(409, f"the print is at revision {job.attempt}")
    options = body.options.model_dump(exclude_none=True)
    try:
        revised = service.revise(job, title=body.title, include=body.include, options=options)
    except NotEditable as error:
        raise HTTPException(409, error.message) from error
    return JSONResponse(print_data(revised), 202)


def _find_editable(service: Service, print_id: str) -> tuple[Job, Snapshot]:
    job = service.queue.get(print_id)
    snapshot = service.snapshot(job) if job else None
    if job is None or snapshot is None:
        raise HTTPException(404, "there is no such print, or it cannot be edited")
    return job, snapshot


Editable: TypeAlias = Annotated[tuple[Job, Snapshot], Depends(_find_editable)]


@pages.get("/prints/{print_id}/preview")
def preview(service: Service, request: Request, editable: Editable) -> Response:
    """Show the blocks: a stranger's text and pictures, and nothing else."""
    job, snapshot = editable
    edit = service.edit(job)
    numbers = {key: number for number, key in enumerate(snapshot.pictures)}
    folder = f"{PREFIX.get()}/prints/{job.id}/pictures/"

    def place(figure: Figure) -> PicturePlacement | None:
        key = figure.svg or figure.src
        if key not in numbers:
            return None
        picture = snapshot.pictures[key]
        return PicturePlacement(f"{folder}{numbers[key]}", picture.width, picture.height)

    html = render_preview(snapshot.apply(edit), preview_blocks(snapshot, edit), place)
    host = request.url.netloc
    csp = (
        f"sandbox allow-same-origin; default-src 'none'; img-src {host}{folder}; "
        f"style-src {host}{PREFIX.get()}/static/preview.css; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'self'"
    )
    headers = {"Content-Security-Policy": csp, "X-Frame-Options": "SAMEORIGIN"}
    return Response(html.encode("utf-8", "replace"), 200, headers, "text/html; charset=utf-8")


@pages.get("/prints/{print_id}/pages/{number}")
def get_page(
    service: Service, print_id: str, number: Annotated[int, Path(ge=1, le=100_000)]
) -> Response:
    data = service.draw_page(service.get(print_id), number)
    return Response(data, 200, {"Cache-Control": "private, max-age=86400"}, "image/png")


@pages.get("/prints/{print_id}/pictures/{number}")
def get_picture(editable: Editable, number: int) -> Response:
    pictures = list(editable[1].pictures.values())
    if not 0 <= number < len(pictures) or pictures[number].media_type not in _PICTURE_TYPES:
        raise HTTPException(404, "there is no such picture")
    csp = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    headers = {"Content-Security-Policy": csp}
    return Response(pictures[number].data, 200, headers, pictures[number].media_type)


@pages.post("/prints/{print_id}/edit")
def edit_form(service: Service, form: Form, editable: Editable) -> Response:
    """Revise a print with the values of a form, which has the state of every block."""
    job, snapshot = editable
    included, without_pictures = {*form.getlist("include")}, "pictures" in form
    include = {
        block.id: block.id in included
        and not (without_pictures and isinstance(block.block, Figure))
        for block in snapshot.blocks
    }
    current = merge_options(service.settings, job.options)
    theme_options = theme_assignments(current, {n: form[n] for n in THEME_OPTIONS if n in form})
    values = {name: form[name] for name in EDITOR_OPTIONS if name in form} | {"set": theme_options}
    merged = merge_options(current, values)
    chosen = {name: getattr(merged, name) for name in values}
    options = {k: value for k, value in chosen.items() if value != getattr(current, k)}
    service.revise(job, title=form.get("title"), include=include, options=options)
    return RedirectResponse(f"/prints/{job.id}", 303)


@pages.get("/prints/{print_id}/rule")
def show_rules(service: Service, editable: Editable) -> Response:
    job, snapshot = editable
    site = rule_site(job.url)
    rules, unnamed = propose_rules(snapshot, service.edit(job))
    rules = rules if site else []
    return render_page("rule", job=job, site=site, rules=rules, unnamed=unnamed, saved="")


@pages.post("/prints/{print_id}/rule")
def rule_form(form: Form, editable: Editable) -> Response:
    job, _ = editable
    chosen = form.getlist("rule")[:_MAX_RULES]
    rules = [(form.get(f"action{n}", ""), form.get(f"selector{n}", "").strip()) for n in chosen]
    site, path = rule_site(job.url), None
    actions: tuple[Literal["drop", "keep"], ...] = ("drop", "keep")
    for action in actions:
        if selectors := [selector for name, selector in rules if name == action]:
            path = add_selectors(user_folder(), site, action, selectors)
    return render_page("rule", job=job, site=site, rules=[], unnamed=[], saved=str(path or ""))
