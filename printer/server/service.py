"""Prints as the server deals with them: the table and the storage behind small calls."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from fastapi import HTTPException
from fastapi import Path as PathParam
from pydantic import BaseModel, Field

from ..article import Embed, Figure, List, Math, Quote, Rule, Table, iter_text
from ..atomic_write import atomic_write
from ..editing import EditableBlock
from ..editing.snapshot import Edit, Snapshot
from ..errors import JobsError, UsageError
from ..export import export_articles
from ..jobs.models import Job, JobRequest, State, result_folder
from ..jobs.models import snapshot_key as base_key
from ..jobs.queue import JobQueue
from ..jobs.storage import Storage
from ..jobs.validation import FormField, form_fields, merge_options, validate_request
from ..options import ENDINGS, Format
from ..settings import Settings
from ..site_rules.apply import rule_host

if TYPE_CHECKING:
    from ..render.context import PreviewBlock


#: The settings that a print can be set in anew by; the others are of what was fetched.
EDITABLE = (
    "theme", "paper", "margin", "font_size", "links", "qr", "fit", "booklet", "nup", "duplex",
    "ink_save",
)  # fmt: skip

#: Those that the editor and the settings page offer, and what they offer of each.
SHOWN = ("theme", "paper", "links", "font_size")
_PAPERS = ("", "A4", "Letter", "A5", "Legal")
_SIZES = ("", "8pt", "9pt", "10pt", "11pt", "12pt", "14pt", "16pt", "18pt", "22pt")

_MOST_BASES = 4
_LARGEST_BASE = 400_000_000
_LONGEST = 90


class NotNow(JobsError):
    """A print cannot be edited in the state it is in."""


@dataclass(slots=True)
class Revisions:
    """Opens what is kept of prints, and has them made again; the last few stay open."""

    table: JobQueue
    storage: Storage
    settings: Settings
    _open: OrderedDict[tuple[str, int], Snapshot] = field(default_factory=OrderedDict)
    _turn: Lock = field(default_factory=Lock)

    def base(self, job: Job) -> Snapshot | None:
        """Return what a print is made again from, None when it is not there."""
        key = (job.id, job.attempt)
        with self._turn:
            if key in self._open:
                self._open.move_to_end(key)
                return self._open[key]
        data = self.storage.get(base_key(job.id))
        if data is None or len(data) > _LARGEST_BASE:
            return None
        base = Snapshot.load(data)
        if job.state in ("done", "failed"):
            with self._turn:
                self._open[key] = base
                while len(self._open) > _MOST_BASES:
                    self._open.popitem(last=False)
        return base

    def edit(self, job: Job) -> Edit:
        """Return what was changed of a print."""
        return Edit.load(self.table.get_edit(job.id))

    def revise(
        self,
        job: Job,
        *,
        title: str | None = None,
        keep: Mapping[str, bool] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Job:
        """Have a print made again with some things changed; the rest is as it is.

        Raises :class:`NotNow` when it is being made or nothing is kept of it,
        :class:`UsageError` for a change that cannot be.
        """
        base = self.base(job)
        if base is None or job.state not in ("done", "failed"):
            raise NotNow("only a print that is done can be edited")
        edit = base.update_edit(self.edit(job), title=title, include=keep)
        chosen = dict(job.options)
        for name, value in (options or {}).items():
            if name not in EDITABLE:
                raise UsageError(f"{name[:40]!r} cannot be changed of a print that is made")
            chosen[name] = value
        from ..pipeline import check_options

        settings = merge_options(self.settings, chosen)
        check_options(settings.print_options())
        if not self.table.revise(job.id, chosen, edit.dump()):
            raise NotNow("the print was asked for again in the meantime")
        return self.table.get(job.id) or job

    def shapes(self, base: Snapshot, edit: Edit) -> list[PreviewBlock]:
        """Return the pieces of a print as they are shown."""
        from ..render.context import PreviewBlock

        return [
            PreviewBlock(
                each.id, each.block, label(each), edit.includes(each), suggested=not each.in_article
            )
            for each in base.blocks
        ]


def label(piece: EditableBlock) -> str:
    """Return a piece in a few words."""
    block = piece.block
    text = " ".join(" ".join(iter_text(block)).split())
    match block:
        case Figure():
            kind, text = "Picture", block.caption or block.alt
        case Table():
            kind, text = "Table", block.caption or text
        case Embed():
            kind, text = block.kind.capitalize(), block.title
        case List():
            kind = "List"
        case Quote():
            kind = "Quotation"
        case Math():
            kind = "Formula"
        case Rule():
            kind = "Line"
        case _:
            kind = ""
    short = text if len(text) <= _LONGEST else text[:_LONGEST].rpartition(" ")[0] + "…"
    return ": ".join(filter(None, (kind, short))) or type(block).__name__


def choices(settings: Settings) -> list[FormField]:
    """Return the settings that the editor and the settings page offer."""
    listed = {"paper": _PAPERS, "font_size": _SIZES}
    found = []
    for option in form_fields(settings):
        if option.name in SHOWN:
            known = listed.get(option.name, option.choices)
            known = known if option.value in known else (*known, str(option.value))
            found.append(FormField(option.name, option.label, "choice", option.value, "", known))
    return sorted(found, key=lambda option: SHOWN.index(option.name))


@dataclass(frozen=True, slots=True)
class Proposal:
    """A selector for a rule of a print's site, and what of the print it names."""

    part: str
    selector: str
    count: int
    labels: tuple[str, ...]


def proposals(base: Snapshot, edit: Edit) -> tuple[list[Proposal], list[str]]:
    """Return the rules that a print's edits would make, and what no rule can name."""
    known = {piece.id: piece for piece in base.blocks}
    found: dict[tuple[str, str], Proposal] = {}
    unnamed = []
    covered: set[str] = set()
    suggested = base.suggest_rules(edit)
    for name, each in sorted(suggested.items(), key=lambda item: -len(item[1].covers)):
        if name in covered:
            continue
        covered.update(each.covers)
        labels = tuple(label(known[other]) for other in each.covers if other[0] == name[0])
        part = "drop" if known[name].in_article else "keep"
        found[part, each.selector] = Proposal(part, each.selector, each.count, labels)
    for piece in base.blocks:
        if edit.includes(piece) is not piece.in_article and piece.id not in {*suggested, *covered}:
            unnamed.append(label(piece))
    return list(found.values()), unnamed


def site(job: Job) -> str:
    """Return the host that rules for a print's site are named by, without 'www.'."""
    return rule_host(job.url).removeprefix("www.")


#: The id of a print in an address.
PrintId = Annotated[str, PathParam(pattern="^[0-9a-f]{20}$", description="The print's id.")]


@dataclass(frozen=True, slots=True)
class PrintService:
    """What both the API and the pages do with prints; ``call`` wakes a worker."""

    table: JobQueue
    storage: Storage
    settings: Settings
    call: Callable[[], None]
    revisions: Revisions
    defaults: Defaults

    def submit(self, request: JobRequest, key: str = "") -> Job:
        """Accept a request; raises what :func:`check` and :meth:`JobTable.submit` raise."""
        validate_request(request, self.settings)
        job, _ = self.table.submit(request, key)
        self.call()
        return job

    def known(self, print_id: str) -> Job:
        """Return a print; 404 when there is none."""
        job = self.table.get(print_id)
        if job is None:
            raise HTTPException(404, "there is no such print")
        return job

    def file(self, job: Job, name: str) -> bytes:
        """Return a file of a print; 409 when it is not done, 404 when the file is gone."""
        if job.state != "done":
            raise HTTPException(409, f"the print is {job.state}")
        data = self.storage.get(f"{result_folder(job.id, job.attempt)}/{name}")
        if data is None:
            raise HTTPException(404, "its result is not kept any more")
        return data

    def written(self, job: Job, form: Format) -> bytes | None:
        """Return a print's article, as edited, in another format; None when it is not kept."""
        base = self.revisions.base(job)
        if base is None:
            return None
        article = base.apply(self.revisions.edit(job))
        return export_articles([article], form, base.pictures, fetched=base.capture.source.fetched)[
            0
        ]

    def revise(self, job: Job, **changes: Any) -> Job:
        """Have a print made again as edited; raises what :meth:`Revisions.revise` raises."""
        made = self.revisions.revise(job, **changes)
        self.call()
        return made

    def remove(self, job: str) -> bool:
        """Forget a print and delete what it left."""
        gone = self.table.delete(job)
        if gone:
            self.storage.delete(job)
        return gone


def format_of(job: Job) -> Format:
    """Return the format that a print was made in; those of earlier versions are PDF."""
    made = dict(job.result).get("format", "pdf")
    return next((known for known in ENDINGS if known == made), "pdf")


#: The formats in which a print on paper can be had as well.
Form = Literal["epub", "html", "markdown"]


class Shown(BaseModel):
    """A print and how far it is."""

    id: str
    state: State
    url: str
    title: str = Field(description="The article's title, once it is known.")
    options: dict[str, Any]
    step: str = Field(description="What is being done.")
    attempt: int
    result: dict[str, Any] | None = Field(description="Pages, pictures, bytes, warnings.")
    error: dict[str, Any] | None = Field(description="Why there is no result.")
    created: float
    started: float | None
    finished: float | None
    links: dict[str, str]


def shown(job: Job) -> dict[str, Any]:
    """Return a job as the API shows it."""
    links = {"self": f"/api/prints/{job.id}", "events": f"/api/prints/{job.id}/events"}
    if job.state == "done":
        paper = format_of(job) == "pdf"
        names = ("pdf", "file", "article", "first-page", "edit") if paper else ("file", "article")
        links |= {name: f"/api/prints/{job.id}/{name}" for name in names}
        if paper:
            links |= {name: f"/api/prints/{job.id}/as/{name}" for name in get_args(Form)}
    return {
        "id": job.id,
        "state": job.state,
        "url": job.url,
        "title": job.title,
        "options": dict(job.options),
        "step": job.step,
        "attempt": job.attempt,
        "result": dict(job.result) or None,
        "error": job.error.to_dict() if job.error else None,
        "created": job.created,
        "started": job.started,
        "finished": job.finished,
        "links": links,
    }


FILE = "defaults.json"
_MOST_BYTES = 10_000


@dataclass(frozen=True, slots=True)
class Defaults:
    """Options by name in a file; where there is none, the server's own settings hold."""

    path: Path

    def options(self, base: Settings) -> dict[str, Any]:
        """Return what was chosen, as far as it still can be."""
        try:
            with self.path.open("rb") as file:
                said = json.loads(file.read(_MOST_BYTES))
        except (OSError, ValueError):
            return {}  # Nothing was chosen yet, or nothing that can be read.
        if not isinstance(said, dict):
            return {}
        chosen = {name: said[name] for name in SHOWN if name in said}
        with suppress(UsageError):
            merge_options(base, chosen)
            return chosen
        return {}

    def settings(self, base: Settings) -> Settings:
        """Return the server's settings with what was chosen."""
        return merge_options(base, self.options(base))

    def keep(self, base: Settings, options: Mapping[str, Any]) -> None:
        """Keep what was chosen; raises :class:`UsageError` for what cannot be."""
        from ..pipeline import check_options

        chosen = {name: options[name] for name in SHOWN if name in options}
        check_options(merge_options(base, chosen).print_options())
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(self.path, json.dumps(chosen), 0o600)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise JobsError(f"the settings cannot be kept: {reason}") from error
