"""Requests handed to the workers of a job table, and what came of them, in their order.

Every host is left its pause, whichever worker fetches; what failed for a reason that may pass is
asked for again, ever later.  A request is named by what it asks for: whoever asks twice, as one
that was killed and begins again, gets the same job.
"""

from __future__ import annotations

import base64
import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from ..article import Article
from ..capture import PageSource
from ..editing.codec import block_data, block_of
from ..errors import JobsError
from ..output import CompletenessReport
from ..render.context import Document
from ..render.weasy.engine import RenderedPdf, render_pdf
from ..selection import PictureDecision
from .models import Job, JobRequest, result_folder
from .queue import JobQueue, QueueFull
from .storage import Storage

if TYPE_CHECKING:
    from ..pipeline import ExtractedPage


#: Seconds between two looks at what the workers have done.
_LOOK = 0.1

#: What came of a request: the file asked for, or why there is none as :func:`work.told` says it.
TaskResult: TypeAlias = bytes | Mapping[str, Any]


@dataclass(slots=True)
class _Order:
    request: JobRequest
    job: str = ""
    tries: int = 0
    due: float = 0.0
    outcome: TaskResult | None = None


@dataclass(slots=True, kw_only=True)
class JobClient:
    """Hands requests to workers, ``most`` of them at a time.

    ``file`` is the result that is wanted of each; ``may`` tells whether a request may be sent now,
    ``passes`` whether a failure may not come again, ``sent`` is called when some were.  One is
    tried ``tries`` times, after a ``rest`` in seconds that doubles.  When nothing is done for
    ``patience`` seconds, nobody works.
    """

    queue: JobQueue
    storage: Storage
    name: str
    file: str
    max_pending: int = 100
    max_tries: int = 3
    retry_delay: float = 5.0
    may_submit: Callable[[JobRequest], bool] = lambda _: True
    may_retry: Callable[[JobRequest, Mapping[str, Any]], bool] = lambda _request, _error: False
    on_submit: Callable[[], None] = lambda: None
    timeout: float = 900.0

    def results(self, requests: Iterable[JobRequest]) -> Iterator[TaskResult]:
        """Yield what came of each request; no more are asked for than are handed on.

        Raises :class:`JobsError` when the table cannot be used, or nobody works.
        """
        asked = map(_Order, requests)
        waiting: deque[_Order] = deque()
        last = time.monotonic()
        try:
            while True:
                waiting.extend(islice(asked, self.max_pending - len(waiting)))
                if not waiting:
                    return
                if self._look(waiting):
                    last = time.monotonic()
                elif time.monotonic() - last > self.timeout:
                    raise JobsError(
                        f"no worker has done anything for {self.timeout:g} seconds",
                        hint="Start some with 'webprint worker'",
                    )
                if waiting[0].outcome is None:
                    time.sleep(_LOOK)
                while waiting and waiting[0].outcome is not None:
                    yield waiting.popleft().outcome  # type: ignore[misc]
        finally:
            for order in waiting:  # They are wanted no more.
                if order.job:
                    self._forget(order.job)

    def _look(self, orders: Iterable[_Order]) -> bool:
        """Bring what is done, and send what may be sent; tell whether anything happened."""
        open_ = [each for each in orders if each.outcome is None]
        known = self.queue.get_many([each.job for each in open_ if each.job])
        for order in open_:
            if order.job:
                self._bring(order, known.get(order.job))
        sent = [self._send(each) for each in open_ if not each.job and each.outcome is None]
        if any(sent):
            self.on_submit()
        return any(sent) or any(each.outcome is not None for each in open_)

    def _bring(self, order: _Order, job: Job | None) -> None:
        if job is not None and job.state in ("queued", "running"):
            return
        order.job = ""  # One that is not there any more is asked for again.
        if job is None:
            return
        if job.state == "done":
            order.outcome = self.storage.get(f"{result_folder(job.id, job.attempt)}/{self.file}")
        else:
            error = dict(job.error) or {"message": "its job was cancelled", "code": 1}
            order.tries += 1
            if order.tries >= self.max_tries or not self.may_retry(order.request, error):
                order.outcome = error
            order.due = time.monotonic() + self.retry_delay * 2.0 ** (order.tries - 1)
        self._forget(job.id)

    def _forget(self, job: str) -> None:
        self.queue.delete(job)
        with suppress(JobsError):  # The store is cleaned of it later.
            self.storage.delete(job)

    def _send(self, order: _Order) -> bool:
        if time.monotonic() < order.due or not self.may_submit(order.request):
            return False
        key = f"{self.name} {order.request.fingerprint} {order.tries}"
        try:
            job, _ = self.queue.submit(order.request, key)
        except QueueFull:
            return False
        order.job = job.id
        return True


#: The parts of a request that ask for a share: of a page to be read and no more, of a document.
READ_PART, DOCUMENT_PART = "read", "document"

#: The name under which a share's result is kept.
TASK_RESULT = "share.json"

#: What holds bytes in JSON.
_BYTES = "base64"


def render_document(document: bytes) -> tuple[bytes, int]:
    """Lay out a document; return what came of it, and how many pages."""
    printed = render_pdf(_load(Document, document))
    return _dump(RenderedPdf, printed), printed.pages


def dump_document(document: Document) -> bytes:
    """Write a document for a worker."""
    return _dump(Document, document)


def load_printed(data: bytes) -> RenderedPdf:
    """Read what a worker laid out; raises :class:`JobsError`."""
    printed: RenderedPdf = _load(RenderedPdf, data)
    return printed


def dump_reading(reading: ExtractedPage) -> bytes:
    """Write what a worker has read."""
    article = reading.article
    blocks = {name: [*map(block_data, getattr(article, name))] for name in ("blocks", "key")}
    return _dump(dict, {
        "article": {each.name: getattr(article, each.name) for each in fields(article)} | blocks,
        "source": _kind(PageSource).dump_python(reading.source),
        "html": reading.html,
        "pictures": _kind(tuple[PictureDecision, ...]).dump_python(reading.pictures),
        "losses": _kind(tuple[CompletenessReport, ...]).dump_python(reading.losses),
        "kind": reading.kind,
        "canonical": reading.canonical,
    })  # fmt: skip


def load_reading(data: bytes) -> ExtractedPage:
    """Read what a worker has read; raises :class:`JobsError`."""
    from ..pipeline import ExtractedPage

    said = _load(dict, data)
    try:
        about = said["article"]
        for name in ("blocks", "key"):
            about[name] = tuple(map(block_of, about[name]))
        for name in ("warnings", "keywords"):
            about[name] = tuple(map(str, about[name]))
        return ExtractedPage(
            Article(**about),
            _kind(PageSource).validate_python(said["source"]),
            said["html"],
            pictures=_kind(tuple[PictureDecision, ...]).validate_python(said["pictures"]),
            losses=_kind(tuple[CompletenessReport, ...]).validate_python(said["losses"]),
            kind=str(said["kind"]),
            canonical=str(said["canonical"]),
        )
    except (KeyError, TypeError, ValueError, ValidationError) as error:
        raise JobsError("what a worker has read cannot be understood") from error


@cache
def _kind(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _dump(kind: Any, value: object) -> bytes:
    return json.dumps(_kind(kind).dump_python(value), default=_said).encode()


def _said(value: object) -> object:
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(value).decode("ascii")}
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value)  # type: ignore[call-overload] # a set


def _load(kind: Any, data: bytes) -> Any:
    try:
        return _kind(kind).validate_python(json.loads(data, object_hook=_bytes_of))
    except (ValueError, RecursionError) as error:
        raise JobsError("what a worker was sent or sent back cannot be understood") from error


def _bytes_of(data: dict[str, Any]) -> Any:
    return base64.b64decode(data[_BYTES], validate=True) if data.keys() == {_BYTES} else data
