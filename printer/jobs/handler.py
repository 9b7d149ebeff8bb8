"""One job done: the page through the pipeline, and what came of it into storage."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from ..capture import Capture, PageSource
from ..editing.snapshot import Edit, Snapshot
from ..errors import HTTPStatusError, JobsError, WebprintError
from ..options import ENDINGS, Format
from ..output import Picture, Result
from ..settings import Settings
from .models import EDIT_PART, PAGE_PART, JobRequest, Lease
from .models import snapshot_key as base_key
from .remote_tasks import DOCUMENT_PART, READ_PART, TASK_RESULT, dump_reading, render_document
from .storage import Storage, open_storage
from .validation import validate_request

if TYPE_CHECKING:
    from ..pipeline import ExtractedPage, Printer

    #: What was printed, the PDF of it, and what its revisions are made from.
    Printed: TypeAlias = tuple[ExtractedPage, Result, Snapshot]

#: How a job ended: one of "done", "failed", "put_back" and "ended" (a process that it needs was),
#: and what is to be said of it.
Outcome: TypeAlias = dict[str, Any]

PDF, ARTICLE, FIRST_PAGE = "article.pdf", "article.json", "first.png"

_MOST_WARNINGS = 50
_LONGEST = 400
_FIRST_WIDTH = 480  # Pixels of the picture of the first page: sharp at half of that.


@dataclass(frozen=True, slots=True)
class JobHandler:
    """What a worker does with a claim.

    ``storage`` is where results go; ``private`` lets a print name a page on a private address, as
    it may when all who can ask sit at this machine.
    """

    settings: Settings
    storage: str
    allow_private: bool = False

    def __call__(self, claim: Lease, notify: Callable[[str], None]) -> Outcome:
        """Do a job; every failure becomes an outcome."""
        try:
            storage = open_storage(self.storage)
            request = claim.request
            if DOCUMENT_PART in request.parts or READ_PART in request.parts:
                return self._share(claim, storage, notify)
            if EDIT_PART in request.parts:
                base = _open_base(storage, claim.id)
                reading, result, made = self._revise(request, base, notify)
            else:
                reading, result, made = self._print(request, notify)
            notify("store")
            files = {f"{claim.folder}/{name}": data for name, data in _files(reading, result)}
            storage.put_all({**files, base_key(claim.id): made.dump()})
            return {"done": _summary(result, reading)}
        except JobsError as error:
            return {"put_back": str(error)}
        except WebprintError as error:
            return {"ended": str(error)} if error.process_died else {"failed": told(error)}
        except MemoryError:
            return {"failed": told(WebprintError("the print needs more memory than there is"))}
        except Exception as error:  # noqa: BLE001 - a fault of ours, told like any other
            fault = f"something went wrong that should not have: {type(error).__name__}: {error}"
            return {"failed": told(WebprintError(fault[:_LONGEST]))}

    def _print(self, request: JobRequest, notify: Callable[[str], None]) -> Printed:
        page = request.parts.get(PAGE_PART)
        source = request.url if page is None else _captured(page, request.url)
        pictures: dict[str, Picture] = {}
        with self._printer(request, notify, pictures) as printer:
            reading = printer.read(source)
            result = printer.render([reading])
        article = replace(reading.article, blocks=())
        base = Snapshot(article, reading.blocks, Capture(reading.html, reading.source))
        return reading, result, base.with_pictures(pictures)

    def _share(self, claim: Lease, storage: Storage, notify: Callable[[str], None]) -> Outcome:
        """Do what another machine binds together with more."""
        request = claim.request
        if DOCUMENT_PART in request.parts:
            notify("print")
            data, pages = render_document(request.parts[DOCUMENT_PART])
            done: Outcome = {"pages": pages}
        else:
            with self._printer(replace(request, parts={}), notify) as printer:
                reading = printer.read(request.url)
            data = dump_reading(reading)
            done = {"title": reading.article.title[:_LONGEST]}
        notify("store")
        storage.put(f"{claim.folder}/{TASK_RESULT}", data)
        return {"done": done}

    def _revise(
        self, request: JobRequest, base: Snapshot, notify: Callable[[str], None]
    ) -> Printed:
        """Print again what a person edited, from what was kept of it."""
        from ..pipeline import ExtractedPage

        edit = Edit.load(request.parts[EDIT_PART])
        reading = ExtractedPage(base.apply(edit), base.capture.describe(), base.capture.body)
        pictures = dict(base.pictures)
        with self._printer(request, notify, pictures) as printer:
            result = printer.render([reading])
        return reading, result, base.with_pictures(pictures)

    def _printer(
        self,
        request: JobRequest,
        notify: Callable[[str], None],
        pictures: dict[str, Picture] | None = None,
    ) -> Printer:
        from ..pipeline import Printer

        settings = validate_request(request, self.settings)
        # A page that was sent names no private address either: its pictures came with it.
        named = (request.url,) if self.allow_private and PAGE_PART not in request.parts else ()
        return Printer.from_settings(
            settings,
            user_urls=named,
            files={
                url: data
                for url, data in request.parts.items()
                if url not in (PAGE_PART, EDIT_PART)
            },
            notify=lambda _, step: notify(step),
            editable=pictures is not None,
            picture_cache=pictures,
        )


def preload() -> None:
    """Import what printing needs before workers are forked; starts no threads."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A missing library is reported by the first print that needs it.
    with suppress(ImportError, OSError):
        import weasyprint  # noqa: F401
    with suppress(ImportError, OSError):
        from .. import extract_stage, render_stage  # noqa: F401
        from ..fetch import cache  # noqa: F401
        from ..images import prepare  # noqa: F401
        from ..render import book  # noqa: F401
        from ..render.pdf import impose  # noqa: F401
        from ..render.weasy import tags  # noqa: F401


def _open_base(storage: Storage, job: str) -> Snapshot:
    data = storage.get(base_key(job))
    if data is None:
        raise WebprintError("what was kept of the print for editing is gone")
    return Snapshot.load(data)


def told(error: WebprintError) -> dict[str, Any]:
    """Return an error as it is kept in the table."""
    status: dict[str, Any] = {}
    if isinstance(error, HTTPStatusError):
        status = {"status": error.status, "after": error.retry_after}
    return {
        "kind": type(error).__name__,
        "message": error.message[:_LONGEST],
        "hint": error.hint[:_LONGEST],
        "stage": error.stage,
        "code": error.exit_code,
        **status,
    }


def _captured(page: bytes, url: str) -> Capture:
    """Return a page that a browser sent as it showed it: in UTF-8, its scripts run."""
    return Capture(
        page,
        PageSource(url, url, "text/html", "utf-8", fetched=datetime.now(UTC), method="browser"),
    )


def _summary(result: Result, reading: ExtractedPage) -> Mapping[str, Any]:
    warnings = result.warnings[:_MOST_WARNINGS]
    return {
        "title": result.title[:_LONGEST],
        "site": reading.article.site[:_LONGEST],
        "language": reading.article.language[:_LONGEST],
        "pages": result.pages,
        "pictures": result.pictures,
        "format": result.format,
        "bytes": len(result.data),
        "warnings": [warning[:_LONGEST] for warning in warnings],
    }


def _files(reading: ExtractedPage, result: Result) -> Iterator[tuple[str, bytes]]:
    """Yield what is kept of a print, by file name."""
    data = json.dumps(reading.article.to_dict(), ensure_ascii=False)
    yield result_file(result.format), result.data
    yield ARTICLE, data.encode("utf-8", "replace")
    if result.format == "pdf":
        yield FIRST_PAGE, render_first_page(result.pdf)


def result_file(format_: Format) -> str:
    """Return the name under which a print in a format is kept."""
    return PDF if format_ == "pdf" else f"print{ENDINGS[format_][0]}"


def render_first_page(pdf: bytes) -> bytes:
    """Return a picture of a PDF's first page, as PNG."""
    import pypdfium2
    from PIL import Image

    document = pypdfium2.PdfDocument(pdf)
    try:
        page = document[0]
        picture = page.render(scale=_FIRST_WIDTH / page.get_width()).to_pil()
    finally:
        document.close()
    kept = io.BytesIO()
    # Six times as fast as the default ways to choose colours and to pack, and no larger.
    picture.quantize(128, Image.Quantize.FASTOCTREE).save(kept, "PNG", compress_level=6)
    return kept.getvalue()
