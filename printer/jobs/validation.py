"""What those who send prints may ask for, checked before a job is accepted."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin
from urllib.parse import urlsplit

from pydantic import ValidationError

from ..errors import BadURL, UsageError
from ..settings import Settings, setting_fields
from ..themes.loader import theme_names
from .models import PAGE_PART, JobRequest

MAX_URL_LENGTH = 4000
MAX_VALUE_LENGTH = 200
MAX_PICTURES = 100
#: A database's index takes no longer name of a part.
MAX_PICTURE_URL_LENGTH = 2000

_DATA = re.compile(r"data:image/[a-z0-9.+-]{1,40}(?:;[^,;]{1,100}){0,3};base64,", re.IGNORECASE)

#: The settings that a request may choose.  Any other is the server's own: what names a file or a
#: place, and what the server would then do that it does not do by itself.
REQUEST_OPTIONS = frozenset({
    "format", "paper", "margin", "theme", "font_size", "links", "qr", "extractor", "images",
    "image_method", "render", "follow", "fit", "booklet", "nup", "duplex", "ink_save", "grayscale",
    "comments", "pdf", "title", "no_rules", "key_paragraphs",
    "key_paragraphs_as", "key_query",
})  # fmt: skip


def request_options() -> list[str]:
    """Return the names of the settings that a request may choose, in their order."""
    return [name for name, _, _ in setting_fields() if name in REQUEST_OPTIONS]


@dataclass(frozen=True, slots=True)
class FormField:
    """A setting as a form offers it; ``kind`` is "switch", "choice", "number" or "text"."""

    name: str
    label: str
    kind: str
    value: Any
    description: str
    choices: tuple[str, ...] = ()


def form_fields(base: Settings) -> list[FormField]:
    """Return the settings that a request may choose, with the server's own values."""
    return [
        FormField(
            name,
            name.replace("_", " ").capitalize(),
            _kind(name, field.annotation),
            getattr(base, name),
            str(field.description),
            tuple(theme_names()) if name == "theme" else get_args(field.annotation),
        )
        for name, field, _ in setting_fields()
        if name in REQUEST_OPTIONS
    ]


def _kind(name: str, annotation: Any) -> str:
    if annotation is bool:
        return "switch"
    if get_origin(annotation) is Literal or name == "theme":
        return "choice"
    return "number" if annotation is int else "text"


def merge_options(base: Settings, options: Mapping[str, Any]) -> Settings:
    """Return the settings of one print; raises :class:`UsageError` for what may not be chosen."""
    known = request_options()
    for name, value in options.items():
        if name not in known:
            raise UsageError(
                f"{name[:40]!r} is not an option of a print", hint=f"There are: {', '.join(known)}"
            )
        if isinstance(value, str) and len(value) > MAX_VALUE_LENGTH:
            raise UsageError(f"{name} is too long")
    if "theme" in options and options["theme"] not in theme_names():
        raise UsageError("there is no such theme", hint=f"Themes: {', '.join(theme_names())}")
    try:
        return Settings(**{**base.model_dump(), **options})
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        raise UsageError(f"{fault['loc'][0]}: {fault['msg']}") from error


def decode_pictures(given: Mapping[str, str], most: int) -> dict[str, bytes]:
    """Return the pictures that a browser sent: by address, each as a ``data:`` URL in base64.

    They may have ``most`` bytes together.  Raises :class:`UsageError`.
    """
    if len(given) > MAX_PICTURES:
        raise UsageError(f"at most {MAX_PICTURES} pictures can be sent with a page")
    pictures = {}
    for url, text in given.items():
        if not _is_web(url) or len(url.encode()) > MAX_PICTURE_URL_LENGTH:
            raise UsageError("a picture that is sent needs its http or https address")
        head = _DATA.match(text)
        try:
            pictures[url] = base64.b64decode(text[head.end() :] if head else "!", validate=True)
        except (binascii.Error, ValueError):
            raise UsageError("a picture is sent as data:image/...;base64,...") from None
    if sum(map(len, pictures.values())) > most:
        raise UsageError(f"the pictures that are sent may have {most} bytes together")
    return pictures


def validate_request(request: JobRequest, base: Settings) -> Settings:
    """Return the settings of a request, having made sure that it can be worked on.

    Raises :class:`BadURL` when it names anything but a web address, :class:`UsageError` for its
    options.
    """
    if request.url or PAGE_PART not in request.parts:
        validate_url(request.url)
    from ..pipeline import check_options

    settings = merge_options(base, request.options)
    check_options(settings.print_options())
    return settings


def validate_url(url: str) -> None:
    """Raise :class:`BadURL` for anything but the address of a page on the web."""
    if not _is_web(url) or len(url) > MAX_URL_LENGTH:
        raise BadURL("a print needs the http or https address of a page")


def _is_web(url: str) -> bool:
    try:
        url.encode()  # Half a character, which JSON can write, is none.
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
    return sound and all(c > " " for c in url)
