"""The operations of the server on prints, for the API and the pages."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, HTTPException, Request

from ..article import Embed, Figure, List, Math, Quote, Rule, Table, iter_text
from ..editing import Edit, EditableBlock, Snapshot
from ..errors import JobsError, UsageError
from ..export import export_articles
from ..files import atomic_write, os_errors
from ..jobs import (
    FINISHED,
    Job,
    JobRequest,
    merge_options,
    snapshot_key,
    validate_options,
    validate_request,
)
from ..jobs.queue import JobQueue
from ..jobs.storage import PDF, Storage
from ..options import Format
from ..render.context import PreviewBlock
from ..settings import Settings
from .forms import MAIN_OPTIONS, typed_url
from .history import PrintHistory
from .schemas import EDITABLE_OPTIONS

_MAX_PREFERENCES_BYTES = 10_000
_MAX_OPEN_SNAPSHOTS = 4
_MAX_SNAPSHOT_BYTES = 400_000_000
_MAX_LABEL = 90

_FIRST_PAGE = "first.png"
#: The width of pictures of pages, in pixels; they are shown at half that size.
_PAGE_WIDTH = 480

#: What the editor calls blocks that are not text.
_KINDS: dict[type, str] = {
    Figure: "Picture", Table: "Table", List: "List", Quote: "Quotation", Math: "Formula",
    Rule: "Line",
}  # fmt: skip

#: PDFium serves one thread at a time.
_pdfium = Lock()


class NotEditable(JobsError):
    """A print cannot be edited in its state."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """The options chosen on the settings page, kept in a file.

    They apply to the pages and the print button; ``defaults`` are the server's settings.
    """

    path: Path
    defaults: Settings

    def options(self) -> dict[str, Any]:
        """Return the chosen options that are valid."""
        return self._load()[0]

    def invalid(self) -> list[str]:
        """Return the names of chosen options that are no longer valid, such as a deleted theme."""
        return self._load()[1]

    def _load(self) -> tuple[dict[str, Any], list[str]]:
        valid: dict[str, Any] = {}
        invalid = []
        with suppress(OSError, ValueError, RecursionError), self.path.open("rb") as file:
            options = json.loads(file.read(_MAX_PREFERENCES_BYTES))
            chosen = options if isinstance(options, dict) else {}
            for name in filter(chosen.__contains__, MAIN_OPTIONS):
                try:
                    merge_options(self.defaults, {name: chosen[name]})
                    valid[name] = chosen[name]
                except UsageError:
                    invalid.append(name)
        return valid, invalid

    def settings(self) -> Settings:
        return merge_options(self.defaults, self.options())

    def save(self, options: Mapping[str, Any]) -> None:
        """Save options; raise :class:`UsageError` if they are not valid for printing."""
        validate_options(self.defaults, options)
        with os_errors(JobsError, "the settings cannot be saved"):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(self.path, json.dumps(dict(options)), 0o600)


@dataclass(slots=True)
class PrintService:
    """Creates, shows, edits and deletes prints."""

    queue: JobQueue
    storage: Storage
    settings: Settings
    preferences: Preferences
    history: PrintHistory
    _finished_snapshot: Callable[[str, int], Snapshot] = field(init=False)

    def __post_init__(self) -> None:
        self._finished_snapshot = lru_cache(_MAX_OPEN_SNAPSHOTS)(self._load_snapshot)

    def submit(self, request: JobRequest, key: str = "") -> Job:
        """Validate and enqueue a request; see :func:`validate_request`, :meth:`JobQueue.submit`."""
        validate_request(request, self.settings)
        return self.queue.submit(request, key)[0]

    def submit_form(self, url: str, values: Mapping[str, str]) -> Job:
        """Accept the request of a form, whose values are strings and mostly the defaults."""
        url = typed_url(url)
        merged = validate_request(JobRequest(url, values), self.settings)
        chosen = {name: getattr(merged, name) for name in values}
        options = {k: v for k, v in chosen.items() if v != getattr(self.settings, k)}
        return self.queue.submit(JobRequest(url, options))[0]

    def get(self, print_id: str) -> Job:
        """Return a print; raise 404 if there is none."""
        job = self.queue.get(print_id)
        if job is None:
            raise HTTPException(404, "there is no such print")
        if self.history.is_deleted(print_id):
            raise HTTPException(404, "this print was deleted")
        return job

    def retry(self, print_id: str) -> bool:
        """Requeue a print; return False if it neither failed nor was cancelled."""
        if not self.queue.retry(print_id):
            return False
        self.history.reopen(print_id)
        return True

    def delete(self, print_id: str) -> None:
        """Delete a print and its results; raise 404 if there is none."""
        if self.queue.get(print_id) is None:
            raise HTTPException(404, "there is no such print")
        self.storage.delete(print_id)  # First, so that a full disk gets room.
        self.queue.delete(print_id)
        self.storage.delete(print_id)  # What a worker stored until it was stopped.
        self.history.forget(print_id)

    def discard(self, ids: Sequence[str]) -> list[str]:
        """Stop and delete prints, which can be restored for a while; return their ids."""
        for job in self.queue.get_many(ids).values():
            if job.state not in FINISHED:
                self.queue.cancel(job.id)
        return self.history.mark_deleted(ids, time.time())

    def delete_discarded(self) -> None:
        """Delete the discarded prints that can no longer be restored."""
        for print_id in self.history.expired():
            with suppress(HTTPException):  # Retention deleted it first.
                self.delete(print_id)
            self.history.forget(print_id)

    def read_result(self, job: Job, name: str) -> bytes:
        """Return a file of a print; raise 409 if it has no result, 404 if the file is gone."""
        if not job.has_result:
            raise HTTPException(409, f"the print is {job.state}")
        if name == PDF and job.result.get("format", "pdf") != "pdf":
            raise HTTPException(404, "it was not printed as a PDF")
        data = self.storage.get(f"{job.result_folder}/{name}")
        if data is None:
            raise HTTPException(404, "its result was deleted")
        return data

    def draw_page(self, job: Job, number: int) -> bytes:
        """Return a picture of a page of a PDF, counted from 1; raise 404 if it has none."""
        data = self.read_result(job, PDF)
        with _pdfium:
            picture = _render_page(data, number - 1)
        if picture is None:
            raise HTTPException(404, "there is no such page")
        return picture

    def first_page(self, job: Job) -> bytes:
        """Return a picture of the first page, which is stored on first use."""
        key = f"{job.result_folder}/{_FIRST_PAGE}"
        picture = self.storage.get(key) if job.has_result else None
        if picture is None:
            picture = self.draw_page(job, 1)
            with suppress(JobsError):  # If it is not stored, it is drawn again.
                self.storage.put(key, picture)
        return picture

    def export(self, job: Job, format_: Format) -> bytes:
        """Return a print's article, as edited, in another format; raise 409 without a snapshot."""
        snapshot = self.snapshot(job) if job.has_result else None
        if snapshot is None:
            gone = "its data is gone; print the page again"
            raise HTTPException(409, gone if job.has_result else f"the print is {job.state}")
        article = snapshot.apply(self.edit(job))
        fetched = snapshot.capture.source.fetched
        return export_articles([article], format_, snapshot.pictures, fetched=fetched)[0]

    # Editing

    def snapshot(self, job: Job) -> Snapshot | None:
        """Return the snapshot for revising a print, or None if there is none that can be read."""
        read = self._finished_snapshot if job.state in ("done", "failed") else self._load_snapshot
        with suppress(FileNotFoundError):
            return read(job.id, job.attempt)
        return None

    def _load_snapshot(self, job_id: str, _attempt: int) -> Snapshot:
        data = self.storage.get(snapshot_key(job_id))
        if data is None or len(data) > _MAX_SNAPSHOT_BYTES:
            raise FileNotFoundError
        try:
            return Snapshot.load(data)
        except JobsError as error:  # It is damaged, or of an earlier version.
            raise FileNotFoundError from error

    def edit(self, job: Job) -> Edit:
        revision = self.queue.revision(job.id)
        return Edit.load(revision.edit if revision else None)

    def revise(
        self,
        job: Job,
        *,
        title: str | None = None,
        include: Mapping[str, bool] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Job:
        """Edit a print and print it again.

        A ``title`` of '' restores the article's own; ``include`` says by id whether to print a
        block; ``options`` are changes, of :data:`EDITABLE_OPTIONS`.  Raise :class:`NotEditable`
        or, for an invalid change, :class:`UsageError`.
        """
        snapshot = self.snapshot(job)
        if job.state not in ("done", "failed"):
            raise NotEditable(f"this print is {job.state}; edit it when it is done")
        if snapshot is None:
            raise NotEditable("the data for editing this print is gone; print the page again")
        edit = snapshot.update_edit(self.edit(job), title=title, include=include)
        for name in options or {}:
            if name not in EDITABLE_OPTIONS:
                raise UsageError(f"{name[:40]!r} cannot be changed for a finished print")
        merged = {**job.options, **(options or {})}
        validate_options(self.settings, merged)
        if not self.queue.revise(job.id, merged, edit.dump()):
            raise NotEditable("the print was requested again in the meantime")
        self.history.reopen(job.id)
        return self.queue.get(job.id) or job


async def _current_service(request: Request) -> PrintService:
    service: PrintService = request.app.state.service
    return service


Service: TypeAlias = Annotated[PrintService, Depends(_current_service)]


def preview_blocks(snapshot: Snapshot, edit: Edit) -> list[PreviewBlock]:
    return [
        PreviewBlock(b.id, b.block, block_label(b), edit.includes(b), suggested=not b.selected)
        for b in snapshot.blocks
    ]


def block_label(editable: EditableBlock) -> str:
    block = editable.block
    text = " ".join(" ".join(iter_text(block)).split())
    kind = _KINDS.get(type(block), "")
    match block:
        case Figure():
            text = block.caption or block.alt
        case Table():
            text = block.caption or text
        case Embed():
            kind, text = block.kind.capitalize(), block.title
    short = text if len(text) <= _MAX_LABEL else text[:_MAX_LABEL].rpartition(" ")[0] + "…"
    return ": ".join(filter(None, (kind, short))) or type(block).__name__


@dataclass(frozen=True, slots=True)
class RuleProposal:
    """A selector for a site rule, and what it matches; ``action`` is "drop" or "keep"."""

    action: str
    selector: str
    count: int
    labels: tuple[str, ...]


def propose_rules(snapshot: Snapshot, edit: Edit) -> tuple[list[RuleProposal], list[str]]:
    """Return site rules that would repeat an edit, and labels of blocks without a selector."""
    blocks = {block.id: block for block in snapshot.blocks}
    suggestions = snapshot.suggest_rules(edit)
    proposals: dict[tuple[str, str], RuleProposal] = {}
    covered: set[str] = set()
    for block_id, rule in sorted(suggestions.items(), key=lambda item: -len(item[1].covers)):
        if block_id in covered:
            continue
        covered.update(rule.covers)
        # The first letter of an id distinguishes blocks of the article from those left out.
        labels = tuple(block_label(blocks[i]) for i in rule.covers if i[0] == block_id[0])
        action = "drop" if blocks[block_id].selected else "keep"
        proposals[action, rule.selector] = RuleProposal(action, rule.selector, rule.count, labels)
    unnamed = [
        block_label(block)
        for block in snapshot.blocks
        if edit.includes(block) is not block.selected and block.id not in {*suggestions, *covered}
    ]
    return list(proposals.values()), unnamed


def _render_page(pdf: bytes, number: int) -> bytes | None:
    """Render a page as a PNG, None if there is none; not thread-safe, as PDFium is not."""
    import pypdfium2
    from PIL import Image

    document = pypdfium2.PdfDocument(pdf)
    try:
        if number >= len(document):
            return None
        page = document[number]
        image = page.render(scale=_PAGE_WIDTH / page.get_width()).to_pil()
    finally:
        document.close()
    png = io.BytesIO()
    # Six times as fast as the default quantization and compression, and no larger.
    image.quantize(128, Image.Quantize.FASTOCTREE).save(png, "PNG", compress_level=6)
    return png.getvalue()
