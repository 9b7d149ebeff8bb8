"""The API of editing: a print's pieces, and what is changed of it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from ..editing.codec import block_data
from .errors import documented
from .revisions import EDITABLE, NotNow, label
from .schemas import options_model
from .service import PrintId, PrintService, Shown, shown

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
