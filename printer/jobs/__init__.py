"""Print jobs: durable DBOS workflows, which are queued and then run in worker processes.

JobQueue.submit -> workflow -> PrintEngine -> WorkerPool prints -> storage -> the job is done
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from pydantic import ValidationError

from ..errors import BadURL, ErrorRecord, UsageError
from ..settings import Settings, plain_message, setting_fields
from ..themes.loader import theme_names
from ..themes.page import page_geometry
from ..urls import split_credentials

State: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled"]

STATES: tuple[State, ...] = get_args(State)

#: Final states: only a request, such as a retry, changes them.
FINISHED: tuple[State, ...] = ("done", "failed", "cancelled")

#: The part of a request that holds the page as the sender saw it.
PAGE_PART = "page"

#: The part that holds the addresses of several pages, one per line.
BUNDLE_PART = "bundle"
MAX_BUNDLE_PAGES = 20

#: The part that holds the edit of a finished print.
EDIT_PART = "edit"


@dataclass(frozen=True, slots=True)
class JobRequest:
    """A request for a print.

    ``options`` are settings by name.  ``parts`` are files that came with the request: the page's
    HTML under :data:`PAGE_PART`, pictures under their addresses.
    """

    url: str
    options: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def public_url(self) -> str:
        """The address without user name and password, as it is stored to be shown."""
        return split_credentials(self.url)[0]

    @property
    def bundle(self) -> tuple[str, ...]:
        lines = self.parts.get(BUNDLE_PART, b"").decode("utf-8", "replace").splitlines()
        return tuple(lines[:MAX_BUNDLE_PAGES])

    @property
    def fingerprint(self) -> str:
        sha256 = hashlib.sha256(json.dumps([self.url, self.options], sort_keys=True).encode())
        for name, data in sorted(self.parts.items()):
            sha256.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(data).digest())
        return sha256.hexdigest()


@dataclass(frozen=True, slots=True)
class Job:
    """A job and its state.

    ``attempt`` counts how often it was started.  ``step`` is the current stage, ``result``
    describes a finished print, ``file`` names the file that a batch wrote.  Times are seconds since
    1970; only retention depends on them.
    """

    id: str
    state: State
    url: str
    options: Mapping[str, Any]
    attempt: int = 0
    step: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    error: ErrorRecord | None = None
    file: str = ""
    created: float = 0.0
    started: float | None = None
    finished: float | None = None

    @property
    def title(self) -> str:
        return str(self.result.get("title", ""))

    @property
    def result_folder(self) -> str:
        """The storage key of the results, in the folder of the attempt that stored them."""
        attempt = self.result.get("attempt")
        return f"{self.id}/{attempt if isinstance(attempt, int) else self.attempt}"

    @property
    def has_result(self) -> bool:
        """Whether results exist; after a failed edit, those of the earlier print remain."""
        return self.state == "done" or (self.state in FINISHED and "attempt" in self.result)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One execution of a job."""

    id: str
    number: int
    request: JobRequest

    @property
    def result_folder(self) -> str:
        """The storage key of this attempt's results."""
        return f"{self.id}/{self.number}"


def snapshot_key(job_id: str) -> str:
    return f"{job_id}/0/base.zip"


MAX_URL_LENGTH = 4000
MAX_VALUE_LENGTH = 200
MAX_VALUES = 20
MAX_PICTURES = 100
#: The longest part name that a database index accepts.
MAX_PICTURE_URL_LENGTH = 2000

_DATA_URL = re.compile(r"data:image/[a-z0-9.+-]{1,40}(?:;[^,;]{1,100}){0,3};base64,", re.IGNORECASE)

#: The settings that a request may set.  The others name files or hosts, or could override the
#: server's restrictions.
REQUEST_OPTIONS = frozenset({
    "format", "paper", "margin", "theme", "font_size", "links", "qr", "extractor", "images",
    "image_method", "render", "follow", "fit", "booklet", "nup", "landscape", "duplex", "ink_save",
    "grayscale", "comments", "pdf", "title", "set", "no_rules", "key_paragraphs",
    "key_paragraphs_as", "key_query",
})  # fmt: skip


def request_options() -> list[str]:
    """Return the names of the settings that a request may set, in order of definition."""
    return [name for name, _, _ in setting_fields() if name in REQUEST_OPTIONS]


def merge_options(settings: Settings, options: Mapping[str, Any]) -> Settings:
    """Return settings updated with the options of a request; raise :class:`UsageError`."""
    for name, value in options.items():
        if name not in REQUEST_OPTIONS:
            allowed = ", ".join(request_options())
            raise UsageError(f"{name[:40]!r} is not an option of a print", hint=f"Use: {allowed}")
        texts = value if isinstance(value, list | tuple) else [value]
        if len(texts) > MAX_VALUES or any(len(str(text)) > MAX_VALUE_LENGTH for text in texts):
            raise UsageError(f"{name} is too long")
        texts = [text for text in texts if isinstance(text, str)]
        if any(text.encode("utf-8", "replace").decode() != text for text in texts):
            raise UsageError(f"{name} is not valid Unicode")
    if "theme" in options and options["theme"] not in theme_names():
        raise UsageError("there is no such theme", hint=f"Themes: {', '.join(theme_names())}")
    try:
        return Settings(**{**settings.model_dump(), **options})
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise UsageError(f"{first['loc'][0]}: {plain_message(first['msg'])}") from error


def decode_pictures(data_urls: Mapping[str, str], max_bytes: int) -> dict[str, bytes]:
    """Decode pictures from ``data:`` URLs by address; raise :class:`UsageError`."""
    if len(data_urls) > MAX_PICTURES:
        raise UsageError(f"at most {MAX_PICTURES} pictures can be sent with a page")
    pictures = {}
    for url, data_url in data_urls.items():
        if not _is_web_url(url) or len(url.encode()) > MAX_PICTURE_URL_LENGTH:
            raise UsageError("a picture needs its http or https address")
        prefix = _DATA_URL.match(data_url)
        try:
            encoded = data_url[prefix.end() :] if prefix else "!"
            pictures[url] = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            raise UsageError("a picture must be sent as data:image/...;base64,...") from None
    if sum(map(len, pictures.values())) > max_bytes:
        raise UsageError(f"the pictures of a page may have {max_bytes} bytes together")
    return pictures


def validate_request(request: JobRequest, settings: Settings) -> Settings:
    """Return the settings for a request; raise :class:`BadURL` or :class:`UsageError`."""
    validate_source(request)
    return validate_options(settings, request.options)


def validate_options(settings: Settings, options: Mapping[str, Any]) -> Settings:
    """Merge options into settings; raise :class:`UsageError` if no page can be rendered so."""
    merged = merge_options(settings, options)
    page_geometry(merged.print_options())
    return merged


def validate_source(request: JobRequest) -> None:
    """Raise :class:`BadURL` unless a request has valid web addresses, or only a page."""
    for url in request.bundle:
        validate_url(url)
    if request.bundle:
        return
    if request.url or PAGE_PART not in request.parts:
        validate_url(request.url)


def validate_url(url: str) -> None:
    """Raise :class:`BadURL` unless the URL is the http or https address of a page."""
    if not _is_web_url(url) or len(url) > MAX_URL_LENGTH:
        raise BadURL("a print needs the http or https address of a page")


def _is_web_url(url: str) -> bool:
    try:
        url.encode()  # JSON can contain lone surrogates.
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and min(url) > " "
    except ValueError:
        return False
