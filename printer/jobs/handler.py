"""The handler of jobs, which prints a page and stores the results."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from ..capture import Capture, PageSource
from ..editing import Edit, Snapshot
from ..errors import ErrorRecord, WebprintError
from ..output import ExtractedPage, Picture, Result
from ..settings import Settings
from . import (
    BUNDLE_PART,
    EDIT_PART,
    PAGE_PART,
    Attempt,
    JobRequest,
    merge_options,
    snapshot_key,
    validate_source,
)
from .storage import ARTICLE, Storage, StorageUnavailable, result_file

if TYPE_CHECKING:
    from ..pipeline import Printer

    #: The page, its print, and the snapshot for revisions.
    Printed: TypeAlias = tuple[ExtractedPage, Result, Snapshot]

#: The parts of a request that are not pictures.
_RESERVED_PARTS = (PAGE_PART, EDIT_PART, BUNDLE_PART)

_MAX_WARNINGS = 50
_MAX_LENGTH = 400


@dataclass(frozen=True, slots=True)
class JobHandler:
    """Runs jobs with the settings of a server.

    ``storage`` receives the results.  ``allow_private`` permits requests for pages on private
    addresses, which is safe if everybody who can send requests uses this machine.
    """

    settings: Settings
    storage: str
    allow_private: bool = False

    def __call__(self, attempt: Attempt, notify: Callable[[str], None]) -> dict[str, Any]:
        """Run a job and return its outcome, a dict with one of these keys.

        ``done`` describes the result; ``failed`` is an :class:`ErrorRecord` as a dict.
        ``not_stored`` (why the storage is unavailable) and ``process_died`` (which helper process
        ended) mean that the job must be tried again.
        """
        try:
            return {"done": self._run(attempt, Storage(self.storage), notify)}
        except StorageUnavailable as error:
            return {"not_stored": str(error)}
        except WebprintError as error:
            if error.process_died:
                return {"process_died": str(error)}
            record = ErrorRecord.of(error)
        except MemoryError:
            record = ErrorRecord("the print needs more memory than is available")
        except Exception as error:  # noqa: BLE001 - a bug, reported like any other failure
            message = f"internal error: {type(error).__name__}: {error}"
            record = ErrorRecord(message[:_MAX_LENGTH])
        return {"failed": record.to_dict()}

    def _run(
        self, attempt: Attempt, storage: Storage, notify: Callable[[str], None]
    ) -> Mapping[str, Any]:
        request = attempt.request
        if request.bundle:
            return self._print_bundle(attempt, storage, notify)
        if EDIT_PART in request.parts:
            page, result, snapshot = self._revise(attempt, storage, notify)
        else:
            page, result, snapshot = self._print(request, notify)
        notify("store")
        _store(storage, attempt, result, page.article.to_dict())
        storage.put(snapshot_key(attempt.id), snapshot.dump())
        return _summarize(page, result)

    def _print_bundle(
        self, attempt: Attempt, storage: Storage, notify: Callable[[str], None]
    ) -> Mapping[str, Any]:
        """Print several pages into one file, which cannot be edited."""
        request = attempt.request
        with self._make_printer(request, notify) as printer:
            outcomes = list(printer.read_all(request.bundle))
            for _, outcome in outcomes:
                if isinstance(outcome, WebprintError) and outcome.process_died:
                    raise outcome
            result = printer.render_outcomes(outcomes)
        pages = [page for _, page in outcomes if not isinstance(page, WebprintError)]
        notify("store")
        omissions = [
            f"{page.url} was skipped: {page.error.message}"
            for page in result.outcomes
            if page.error
        ]
        result = replace(result, warnings=(*omissions, *result.warnings))
        articles = [page.article.to_dict() for page in pages]
        text = "\n".join(f"{page.article.title}\n{page.article.text}" for page in pages)
        title = str(request.options.get("title") or result.title)
        _store(storage, attempt, result, {"title": title, "text": text, "articles": articles})
        summary = {**_summarize(pages[0], result), "title": title[:_MAX_LENGTH]}
        return {**summary, "articles": len(pages)}

    def _print(self, request: JobRequest, notify: Callable[[str], None]) -> Printed:
        html = request.parts.get(PAGE_PART)
        source = request.url if html is None else _make_capture(html, request.url)
        pictures: dict[str, Picture] = {}
        with self._make_printer(request, notify, pictures) as printer:
            page = printer.read(source)
            result = printer.render([page])
        article = replace(page.article, blocks=())
        snapshot = Snapshot(article, page.blocks, Capture(page.html, page.source))
        return page, result, snapshot.with_pictures(pictures)

    def _revise(self, attempt: Attempt, storage: Storage, notify: Callable[[str], None]) -> Printed:
        """Print an edited article from its snapshot."""
        data = storage.get(snapshot_key(attempt.id))
        if data is None:
            raise WebprintError("the data stored for editing this print is gone")
        snapshot = Snapshot.load(data)
        edit = Edit.load(attempt.request.parts[EDIT_PART])
        capture = snapshot.capture
        page = ExtractedPage(snapshot.apply(edit), capture.describe(), capture.body)
        pictures = dict(snapshot.pictures)
        with self._make_printer(attempt.request, notify, pictures) as printer:
            result = printer.render([page])
        return page, result, snapshot.with_pictures(pictures)

    def _make_printer(
        self,
        request: JobRequest,
        notify: Callable[[str], None],
        pictures: dict[str, Picture] | None = None,
    ) -> Printer:
        """Return a printer for a request; with ``pictures``, its prints can be edited."""
        from ..pipeline import Printer

        validate_source(request)
        # An uploaded page may not use private addresses: it comes with its pictures.
        may_be_private = self.allow_private and PAGE_PART not in request.parts
        return Printer.from_settings(
            merge_options(self.settings, request.options),
            user_urls=(request.bundle or (request.url,)) if may_be_private else (),
            files={k: v for k, v in request.parts.items() if k not in _RESERVED_PARTS},
            notify=lambda _, step: notify(step),
            editable=pictures is not None,
            picture_cache=pictures,
        )


def _make_capture(html: bytes, url: str) -> Capture:
    """Return the capture of a page as a browser sends it: UTF-8, after scripts have run."""
    now = datetime.now(UTC)
    source = PageSource(url, url, "text/html", "utf-8", fetched=now, method="browser")
    return Capture(html, source)


def _store(storage: Storage, attempt: Attempt, result: Result, article: Mapping[str, Any]) -> None:
    data = json.dumps(article, ensure_ascii=False).encode("utf-8", "replace")
    storage.put(f"{attempt.result_folder}/{result_file(result.format)}", result.data)
    storage.put(f"{attempt.result_folder}/{ARTICLE}", data)


def _summarize(page: ExtractedPage, result: Result) -> Mapping[str, Any]:
    return {
        "title": result.title[:_MAX_LENGTH],
        "site": page.article.site[:_MAX_LENGTH],
        "language": page.article.language[:_MAX_LENGTH],
        "pages": result.pages,
        "pictures": result.pictures,
        "format": result.format,
        "bytes": len(result.data),
        "complete": result.complete,
        "obstacle": page.article.obstacle,
        "warnings": [warning[:_MAX_LENGTH] for warning in result.warnings[:_MAX_WARNINGS]],
    }
