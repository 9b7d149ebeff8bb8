"""Shares of a larger work that are jobs: one page read, one document laid out.

What goes to a worker and comes back is plain data: a worker handles strangers' pages, and neither
it nor the store may have anything run where all is bound.
"""

from __future__ import annotations

import base64
import json
from dataclasses import fields, replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from ..article import Article
from ..capture import Capture
from ..editing.codec import block_data, block_of
from ..errors import JobsError
from ..output import CompletenessReport
from ..render.context import Document
from ..render.weasy.engine import RenderedPdf, render_pdf
from ..selection import PictureDecision

if TYPE_CHECKING:
    from ..pipeline import ExtractedPage

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
    capture = replace(reading.capture, layout=None, screenshot=b"")
    return _dump(dict, {
        "article": {each.name: getattr(article, each.name) for each in fields(article)} | blocks,
        "capture": _kind(Capture).dump_python(capture),
        "pictures": _kind(tuple[PictureDecision, ...]).dump_python(reading.pictures),
        "lost": _kind(tuple[CompletenessReport, ...]).dump_python(reading.lost),
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
            _kind(Capture).validate_python(said["capture"]),
            pictures=_kind(tuple[PictureDecision, ...]).validate_python(said["pictures"]),
            lost=_kind(tuple[CompletenessReport, ...]).validate_python(said["lost"]),
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
