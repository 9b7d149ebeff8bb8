"""The editor of prints: its API and pages, and site rules made from edits."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Request
from starlette.datastructures import ImmutableMultiDict
from starlette.responses import JSONResponse, RedirectResponse, Response

from ...article import Figure, to_data
from ...editing import Snapshot
from ...jobs import Job, merge_options
from ...render.context import render_preview
from ...render.figures import PicturePlacement
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
from ..service import (
    NotEditable,
    PrintService,
    block_label,
    preview_blocks,
    propose_rules,
    rule_site,
)

_MAX_RULES = 50

#: The media types of prepared pictures.
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
        "site": rule_site(job),
        "fields": editor_fields(settings),
        "blocks": preview_blocks(snapshot, edit),
        "pictures": {b.id for b in snapshot.blocks if isinstance(b.block, Figure)},
        "changed": bool(edit.removed or edit.restored),
    }


def add_api_routes(router: APIRouter, service: PrintService) -> None:
    @router.get(
        "/prints/{print_id}/edit",
        response_model=PrintEdit,
        responses=document_problems(401, 404, 409, 422, 503),
        tags=["prints"],
    )
    def get_edit(print_id: PrintId) -> Any:
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
                    "suggested": not block.in_article,
                    "label": block_label(block),
                    "block": to_data(block.block),
                    "rules": [{"selector": r.selector, "covers": r.covers} for r in block.rules],
                }
                for block in snapshot.blocks
            ],
        }

    @router.patch(
        "/prints/{print_id}/edit",
        status_code=202,
        response_model=Print,
        responses=document_problems(400, 401, 404, 408, 409, 413, 422, 503),
        tags=["prints"],
    )
    def edit_print(print_id: PrintId, body: PrintEditRequest) -> Response:
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


def add_page_routes(router: APIRouter, service: PrintService) -> None:
    _add_preview_routes(router, service)
    _add_edit_routes(router, service)


def _editable(service: PrintService, print_id: str) -> tuple[Job, Snapshot]:
    job = service.queue.get(print_id)
    snapshot = service.snapshot(job) if job else None
    if job is None or snapshot is None:
        raise HTTPException(404, "there is no such print, or it cannot be edited")
    return job, snapshot


def _add_preview_routes(router: APIRouter, service: PrintService) -> None:
    @router.get("/prints/{print_id}/preview")
    def preview(request: Request, print_id: str) -> Response:
        """Show the blocks: a stranger's text and pictures, and nothing else."""
        job, snapshot = _editable(service, print_id)
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

    @router.get("/prints/{print_id}/pages/{number}")
    def get_page(print_id: str, number: Annotated[int, Path(ge=1, le=100_000)]) -> Response:
        """Get a picture of a page of the PDF."""
        data = service.draw_page(service.get(print_id), number)
        return Response(data, 200, {"Cache-Control": "private, max-age=86400"}, "image/png")

    @router.get("/prints/{print_id}/pictures/{number}")
    def get_picture(print_id: str, number: int) -> Response:
        """Get a picture as it is printed."""
        _, snapshot = _editable(service, print_id)
        pictures = list(snapshot.pictures.values())
        if not 0 <= number < len(pictures) or pictures[number].media_type not in _PICTURE_TYPES:
            raise HTTPException(404, "there is no such picture")
        csp = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        headers = {"Content-Security-Policy": csp}
        return Response(pictures[number].data, 200, headers, pictures[number].media_type)


def _add_edit_routes(router: APIRouter, service: PrintService) -> None:
    @router.post("/prints/{print_id}/edit")
    def edit_form(form: Form, print_id: str) -> Response:
        return _revise(service, print_id, form)

    @router.get("/prints/{print_id}/rule")
    def show_rules(print_id: str) -> Response:
        job, snapshot = _editable(service, print_id)
        site = rule_site(job)
        rules, unnamed = propose_rules(snapshot, service.edit(job))
        rules = rules if site else []
        return render_page("rule", job=job, site=site, rules=rules, unnamed=unnamed, saved="")

    @router.post("/prints/{print_id}/rule")
    def rule_form(form: Form, print_id: str) -> Response:
        chosen = form.getlist("rule")[:_MAX_RULES]
        rules = [(form.get(f"action{n}", ""), form.get(f"selector{n}", "")) for n in chosen]
        return _save_rules(service, print_id, rules)


def _revise(service: PrintService, print_id: str, form: ImmutableMultiDict[str, str]) -> Response:
    """Revise a print with the values of a form, which has the state of every block."""
    included, without_pictures = {*form.getlist("include")}, "pictures" in form
    names = ("title", *EDITOR_OPTIONS, *THEME_OPTIONS)
    values = {name: form[name] for name in names if name in form}
    job, snapshot = _editable(service, print_id)
    include = {
        block.id: block.id in included
        and not (without_pictures and isinstance(block.block, Figure))
        for block in snapshot.blocks
    }
    title = values.pop("title", None)
    current = merge_options(service.settings, job.options)
    plain = {name: values[name] for name in EDITOR_OPTIONS if name in values}
    merged = merge_options(current, {**plain, "set": theme_assignments(current, values)})
    changed = {name: getattr(merged, name) for name in (*plain, "set")}
    options = {k: value for k, value in changed.items() if value != getattr(current, k)}
    service.revise(job, title=title, include=include, options=options)
    return RedirectResponse(f"/prints/{job.id}", 303)


def _save_rules(service: PrintService, print_id: str, rules: list[tuple[str, str]]) -> Response:
    job, _ = _editable(service, print_id)
    site, path = rule_site(job), None
    actions: tuple[Literal["drop", "keep"], ...] = ("drop", "keep")
    for action in actions:
        selectors = [selector.strip() for name, selector in rules if name == action]
        if selectors:
            path = add_selectors(user_folder(), site, action, selectors)
    return render_page("rule", job=job, site=site, rules=[], unnamed=[], saved=str(path or ""))
