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
from .models import PAGE, Request

MOST_URL = 4000
MOST_VALUE = 200
MOST_PICTURES = 100
#: A database's index takes no longer name of a part.
MOST_PICTURE_URL = 2000

_DATA = re.compile(r"data:image/[a-z0-9.+-]{1,40}(?:;[^,;]{1,100}){0,3};base64,", re.IGNORECASE)

#: The settings that a request may choose.  Any other is the server's own: what names a file or a
#: place, and what the server would then do that it does not do by itself.
OPEN = frozenset({
    "format", "paper", "margin", "theme", "font_size", "links", "qr", "extractor", "images",
    "image_method", "render", "follow", "fit", "booklet", "nup", "duplex", "ink_save", "grayscale",
    "comments", "pdf", "title", "no_rules", "key_paragraphs",
    "key_paragraphs_as", "key_query",
})  # fmt: skip


def open_settings() -> list[str]:
    """Return the names of the settings that a request may choose, in their order."""
    return [name for name, _, _ in setting_fields() if name in OPEN]


@dataclass(frozen=True, slots=True)
class Option:
    """A setting as a form offers it; ``kind`` is "switch", "choice", "number" or "text"."""

    name: str
    label: str
    kind: str
    value: Any
    text: str
    choices: tuple[str, ...] = ()


def offered(base: Settings) -> list[Option]:
    """Return the settings that a request may choose, with the server's own values."""
    return [
        Option(
            name,
            name.replace("_", " ").capitalize(),
            _kind(name, field.annotation),
            getattr(base, name),
            str(field.description),
            tuple(theme_names()) if name == "theme" else get_args(field.annotation),
        )
        for name, field, _ in setting_fields()
        if name in OPEN
    ]


def _kind(name: str, annotation: Any) -> str:
    if annotation is bool:
        return "switch"
    if get_origin(annotation) is Literal or name == "theme":
        return "choice"
    return "number" if annotation is int else "text"


def settings_for(base: Settings, options: Mapping[str, Any]) -> Settings:
    """Return the settings of one print; raises :class:`UsageError` for what may not be chosen."""
    known = open_settings()
    for name, value in options.items():
        if name not in known:
            raise UsageError(
                f"{name[:40]!r} is not an option of a print", hint=f"There are: {', '.join(known)}"
            )
        if isinstance(value, str) and len(value) > MOST_VALUE:
            raise UsageError(f"{name} is too long")
    if "theme" in options and options["theme"] not in theme_names():
        raise UsageError("there is no such theme", hint=f"Themes: {', '.join(theme_names())}")
    try:
        return Settings(**{**base.model_dump(), **options})
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        raise UsageError(f"{fault['loc'][0]}: {fault['msg']}") from error


def pictures_sent(given: Mapping[str, str], most: int) -> dict[str, bytes]:
    """Return the pictures that a browser sent: by address, each as a ``data:`` URL in base64.

    They may have ``most`` bytes together.  Raises :class:`UsageError`.
    """
    if len(given) > MOST_PICTURES:
        raise UsageError(f"at most {MOST_PICTURES} pictures can be sent with a page")
    pictures = {}
    for url, text in given.items():
        if not _is_web(url) or len(url.encode()) > MOST_PICTURE_URL:
            raise UsageError("a picture that is sent needs its http or https address")
        head = _DATA.match(text)
        try:
            pictures[url] = base64.b64decode(text[head.end() :] if head else "!", validate=True)
        except (binascii.Error, ValueError):
            raise UsageError("a picture is sent as data:image/...;base64,...") from None
    if sum(map(len, pictures.values())) > most:
        raise UsageError(f"the pictures that are sent may have {most} bytes together")
    return pictures


def check(request: Request, base: Settings) -> Settings:
    """Return the settings of a request, having made sure that it can be worked on.

    Raises :class:`BadURL` when it names anything but a web address, :class:`UsageError` for its
    options.
    """
    if request.url or PAGE not in request.parts:
        check_url(request.url)
    from ..pipeline import check_options

    settings = settings_for(base, request.options)
    check_options(settings.print_options())
    return settings


def check_url(url: str) -> None:
    """Raise :class:`BadURL` for anything but the address of a page on the web."""
    if not _is_web(url) or len(url) > MOST_URL:
        raise BadURL("a print needs the http or https address of a page")


def _is_web(url: str) -> bool:
    try:
        url.encode()  # Half a character, which JSON can write, is none.
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
    return sound and all(c > " " for c in url)
