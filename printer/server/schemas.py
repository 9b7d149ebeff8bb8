"""The request and response models of the API."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Union, get_args

from fastapi import HTTPException, Path, Query
from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from ..jobs import (
    MAX_PICTURES,
    MAX_URL_LENGTH,
    PAGE_PART,
    Job,
    JobRequest,
    State,
    decode_pictures,
    request_options,
)
from ..options import EXTENSIONS, Format
from ..settings import setting_fields
from .forms import PREFIX

#: The settings that can be changed for a finished print; the others concern fetching.
EDITABLE_OPTIONS = (
    "theme", "paper", "margin", "font_size", "set", "links", "qr", "fit", "booklet", "nup",
    "duplex", "ink_save",
)  # fmt: skip

#: The formats to which a printed article can be exported.
ExportFormat = Literal["epub", "html", "markdown"]

#: The id of a print in a path.
PrintId = Annotated[str, Path(pattern="^[0-9a-f]{20}$", description="The print's id.")]

#: Where a list of prints continues; SQLite has no larger numbers.
Cursor = Annotated[int | None, Query(ge=1, le=2**62, description="From Link.")]

_BlockId = Annotated[str, Field(pattern="^[bd][0-9]{1,6}$")]
_MAX_BLOCKS = 10_000


def options_model(title: str, names: Collection[str]) -> type[BaseModel]:
    """Create a model with some settings, all optional."""
    fields: dict[str, Any] = {
        name: (Union[field.annotation, None], Field(None, description=field.description))  # noqa: UP007
        for name, field, _ in setting_fields()
        if name in names
    }
    return create_model(title, __config__=ConfigDict(extra="forbid"), **fields)


class RequestModel(BaseModel):
    """A request, all of whose texts are valid Unicode."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _check(cls, data: Any) -> Any:
        try:
            json.dumps(data, ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError:
            raise ValueError("a text is not valid Unicode") from None
        return data


class PrintRequest(RequestModel):
    """A print to be made."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"anyOf": [{"required": ["url"]}, {"required": ["html"]}]}
    )

    url: str = Field(
        "", max_length=MAX_URL_LENGTH, description="The page's http or https address.",
        examples=["https://example.org/story"],
    )  # fmt: skip
    html: str = Field("", description="The page as it was seen; it is not fetched again.")
    pictures: dict[str, str] = Field(
        default_factory=dict, max_length=MAX_PICTURES,
        description="Pictures of the page by address, each as data:image/...;base64,...: those "
        "that the server cannot fetch.",
    )  # fmt: skip
    options: options_model("PrintRequestOptions", request_options()) = Field(  # type: ignore[valid-type]
        default_factory=dict, validate_default=True, description="How it is printed."
    )

    def to_job_request(self, max_picture_bytes: int) -> JobRequest:
        parts = decode_pictures(self.pictures, max_picture_bytes)
        if self.html:
            parts[PAGE_PART] = self.html.encode("utf-8", "replace")
        return JobRequest(self.url, self.options.model_dump(exclude_none=True), parts)


class Print(BaseModel):
    """A print and its progress."""

    id: str
    state: State
    url: str
    title: str = Field(description="The article's title, once it is known.")
    options: dict[str, Any]
    step: str = Field(description="The current step.")
    attempt: int
    result: dict[str, Any] | None = Field(description="Pages, pictures, bytes, warnings.")
    error: dict[str, Any] | None = Field(description="Why there is no result.")
    created: float
    started: float | None
    finished: float | None
    links: dict[str, str]


def print_data(job: Job) -> dict[str, Any]:
    path = f"{PREFIX.get()}/api/prints/{job.id}"
    links = {"self": path, "events": f"{path}/events"}
    if job.state == "done":
        links |= {name: f"{path}/{name}" for name in ("file", "article")}
        if print_format(job) == "pdf":
            links |= {name: f"{path}/{name}" for name in ("pdf", "first-page", "edit")}
            links |= {name: f"{path}/as/{name}" for name in get_args(ExportFormat)}
    data = {name: getattr(job, name, None) for name in Print.model_fields} | {
        "options": dict(job.options),
        "result": dict(job.result) or None,
        "error": job.error.to_dict() if job.error else None,
        "links": links,
    }
    # One bad row must not break a list.
    valid: dict[str, Any] = json.loads(
        json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"),
        parse_constant=lambda _: None,
    )
    return valid


def print_format(job: Job) -> Format:
    """Return the format of a print; PDF unless its result names another."""
    name = job.result.get("format", "pdf")
    return next((format_ for format_ in EXTENSIONS if format_ == name), "pdf")


class BlockRule(BaseModel):
    """A selector by which a site rule could name a block."""

    selector: str = Field(description="CSS.")
    covers: list[str] = Field(description="The blocks that it matches on this page.")


class EditorBlock(BaseModel):
    """A block of the article, or one that was left out of it."""

    id: str
    included: bool = Field(description="Whether it is printed.")
    suggested: bool = Field(description="Whether extraction left it out.")
    label: str = Field(description="A short description.")
    block: dict[str, Any] = Field(description="The block, as in the article.")
    rules: list[BlockRule]


class PrintEdit(BaseModel):
    """The blocks of a print, and how it was edited."""

    revision: int = Field(description="The attempt that made the print.")
    title: str
    options: dict[str, Any]
    blocks: list[EditorBlock]


class PrintEditRequest(RequestModel):
    """What to change of a print; everything else stays."""

    title: str | None = Field(None, max_length=500, description="'' restores the article's own.")
    include: dict[_BlockId, bool] = Field(
        default_factory=dict, max_length=_MAX_BLOCKS,
        description="For each block id, whether it is printed.",
    )  # fmt: skip
    options: options_model("EditOptions", EDITABLE_OPTIONS) = Field(  # type: ignore[valid-type]
        default_factory=dict, validate_default=True, description="How it is printed."
    )
    revision: int | None = Field(
        None, description="The revision that this changes; any other gives a conflict."
    )


class Destination(BaseModel):
    """Somewhere a print can be sent."""

    name: str
    kind: Literal["folder", "mail", "printer", "webhook"]


class DeliveryRequest(RequestModel):
    """Where to send a print."""

    to: str = Field(max_length=400, description="The name of a destination.")


class DeliveryResult(BaseModel):
    """Where a print was sent."""

    delivered: str


class ReadingListRequest(RequestModel):
    """An address to read later."""

    url: str = Field(
        max_length=MAX_URL_LENGTH, description="The page's http or https address.",
        examples=["https://example.org/story"],
    )  # fmt: skip


class ReadingListResult(BaseModel):
    """The result of adding an address."""

    url: str
    added: bool = Field(description="False if it was on the list already.")


#: The maximum number of characters of what is searched for.
MAX_WORDS_LENGTH = 400

#: A day in a query.
Day = Annotated[str, Query(pattern=r"^(\d{4}-\d{2}-\d{2})?$", description="YYYY-MM-DD")]


def day_limits(since: str, until: str) -> tuple[float | None, float | None]:
    """Return the times at which the days begin and end, in the server's time zone; raise 422."""
    try:
        first = datetime.fromisoformat(since).timestamp() if since else None
        end = datetime.fromisoformat(until) + timedelta(days=1) if until else None
        return first, end.timestamp() if end else None
    except (ValueError, OverflowError, OSError):
        raise HTTPException(422, "there is no such day") from None
