"""The error tree; each class has the exit code of the command line.

    WebprintError            1
    ├── UsageError           2
    ├── BadURL               3
    ├── FetchError           4
    │   ├── FetchTimeout     5
    │   ├── HTTPStatusError  6
    │   ├── BlockedAddress   7
    │   ├── TooLarge         8
    │   └── NotHTML          9
    ├── NoArticle           10
    ├── RenderError         11
    ├── OutputError         12
    ├── MissingLibrary      13
    ├── JobsError           14
    └── Incomplete          15

Only front ends print errors and turn them into exit codes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

#: HTTP statuses after which a retry may succeed.
TRANSIENT_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 522, 523, 524})
_IN_A_BROWSER = "Try the print button, --render always, or --cookies FILE"
#: What a page may show instead of its article, and what to do about it.
_OBSTACLES = {
    "sign-in": (
        "this looks like a sign-in page",
        "Use the print button, 'webprint login', or --cookies FILE",
    ),
    "robot check": ("this looks like a robot check", _IN_A_BROWSER),
    "not found": ("this looks like a 'page not found' page", "Check the address"),
    "consent": ("this looks like a consent form", _IN_A_BROWSER),
    "paywall": (
        "only the beginning of the article is free to read",
        "Subscribers: use the print button, or --cookies FILE",
    ),
}


class WebprintError(Exception):
    """An error that can be shown to a user in one line.

    ``message`` says what happened, ``hint`` what to do about it; ``url`` is the page concerned (''
    for none), ``stage`` the stage that failed.  ``process_died`` means that a helper process died,
    so that retrying may succeed.
    """

    exit_code = 1
    stage = ""
    process_died = False

    def __init__(self, message: str, *, url: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.url = url
        self.hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without calling ``__init__``, whose arguments differ between subclasses."""
        return type(self).__new__, (type(self), *self.args), self.__dict__

    def __str__(self) -> str:
        """Return the message, the URL unless the message contains it, and the hint."""
        suffix = f" ({self.url})" if self.url and self.url not in self.message else ""
        text = f"{self.message}{suffix}"
        end = " " if text.endswith(("?", ".")) else ". "
        return text + (f"{end}{self.hint}" if self.hint else "")


class UsageError(WebprintError):
    """The call itself is wrong: an unknown option, a value that cannot be parsed."""

    exit_code = 2
    stage = "options"


class BadURL(WebprintError):
    """The text is not a URL that can be fetched."""

    exit_code = 3
    stage = "fetch"


class FetchError(WebprintError):
    """The page could not be fetched."""

    exit_code = 4
    stage = "fetch"


class FetchTimeout(FetchError):
    """Connecting or reading took longer than the limit."""

    exit_code = 5


class HTTPStatusError(FetchError):
    """The server answered with the error ``status``.

    ``retry_after`` is the number of seconds that it asks clients to wait, 0 if it names none.
    """

    exit_code = 6

    def __init__(
        self, message: str, *, status: int, url: str = "", hint: str = "", retry_after: float = 0.0
    ) -> None:
        super().__init__(message, url=url, hint=hint)
        self.status = status
        self.retry_after = retry_after


class BlockedAddress(FetchError):
    """The address is private, loopback, link-local or a metadata service, and not allowed."""

    exit_code = 7


class TooLarge(FetchError):
    """The response is larger than the limit, before or after decompression."""

    exit_code = 8


class NotHTML(FetchError):
    """The response is not a web page but a PDF, a picture, ...: its ``media_type``."""

    exit_code = 9

    def __init__(self, message: str, *, media_type: str, url: str = "", hint: str = "") -> None:
        super().__init__(message, url=url, hint=hint)
        self.media_type = media_type


class NoArticle(WebprintError):
    """The page was read and contains no article."""

    exit_code = 10
    stage = "extract"

    @classmethod
    def behind(cls, obstacle: str, url: str = "") -> Self:
        message, hint = _OBSTACLES[obstacle]
        return cls(message, url=url, hint=hint)


class RenderError(WebprintError):
    """The file could not be rendered."""

    exit_code = 11
    stage = "render"


class OutputError(WebprintError):
    """A file could not be written, or may not be used."""

    exit_code = 12
    stage = "output"


class MissingLibrary(WebprintError):
    """A required library, font or browser is missing, or the browser cannot use its sandbox."""

    exit_code = 13
    stage = "setup"

    @classmethod
    def of_extra(cls, message: str, extra: str) -> Self:
        return cls(message, hint=f"Install it with: {install_command(extra)}")


class JobsError(WebprintError):
    """A database, the store of results, or a file or port of the print server cannot be used."""

    exit_code = 14
    stage = "jobs"


class Incomplete(WebprintError):
    """The article was printed, but not all of it."""

    exit_code = 15
    stage = "render"


def install_command(extra: str) -> str:
    """Return the command that installs an extra the way webprint itself was installed."""
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    source = "webprint"
    try:
        origin = json.loads(distribution("webprint").read_text("direct_url.json") or "{}")
        if origin.get("url", "").startswith("file:"):
            source = unquote(urlsplit(origin["url"]).path)
    except (PackageNotFoundError, ValueError):
        pass  # It runs from a folder, or from a package of the system.
    requirement = f"'{source}[{extra}]'"
    environment = Path(sys.prefix)
    if (environment / "uv-receipt.toml").exists():
        return f"uv tool install --force {requirement}"
    if (environment / "pipx_metadata.json").exists():
        return f"pipx install --force {requirement}"
    pip = environment / "bin" / "pip"
    return f"{pip if pip.exists() else 'pip'} install {requirement}"


@dataclass(frozen=True, slots=True)
class ErrorRecord:
    """An error as plain data: for the job table, reports and the API.

    ``kind`` is the name of the exception class, ``code`` its exit code; ``status`` and
    ``retry_after`` are those of an :class:`HTTPStatusError`, else 0.
    """

    message: str
    kind: str = "WebprintError"
    hint: str = ""
    stage: str = ""
    code: int = 1
    status: int = 0
    retry_after: float = 0.0

    @classmethod
    def of(cls, error: WebprintError, max_length: int = 400) -> Self:
        """Return the record of an exception, with texts cut at ``max_length`` characters."""
        return cls(
            error.message[:max_length],
            type(error).__name__,
            error.hint[:max_length],
            error.stage,
            error.exit_code,
            getattr(error, "status", 0),
            getattr(error, "retry_after", 0.0),
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Parse the output of :meth:`to_dict`; ignore missing or mistyped fields."""
        numbers = ("code", "status", "retry_after")
        valid: dict[str, Any] = {"message": "unknown error"}
        for name in cls.__dataclass_fields__:
            if isinstance(data.get(name), (int, float) if name in numbers else str):
                valid[name] = data[name]
        return cls(**valid)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, without ``status`` and ``retry_after`` if they are 0."""
        optional = ("status", "retry_after")
        return {name: v for name, v in asdict(self).items() if v or name not in optional}

    @property
    def is_transient(self) -> bool:
        return self.kind in ("FetchError", "FetchTimeout") or self.status in TRANSIENT_STATUSES
