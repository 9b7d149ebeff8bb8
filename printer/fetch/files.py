"""Pages from files and standard input."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from ..capture import Capture, FetchMethod, PageSource
from ..errors import BadURL, BlockedAddress, FetchError, TooLarge, UsageError
from ..files import os_errors, reason_of
from .response import LARGER_HINT, check_html, format_bytes

_MEDIA_TYPES = {
    ".htm": "text/html",
    ".html": "text/html",
    ".shtml": "text/html",
    ".xht": "application/xhtml+xml",
    ".xhtml": "application/xhtml+xml",
}


def read_file(path: str | Path, max_bytes: int, url: str = "") -> Capture:
    """Return the page in a file; ``url`` is the address it was saved from.

    Raise :class:`BadURL` if the file does not exist, :class:`FetchError` if it cannot be read, is
    too large or not a page.
    """
    path = Path(path)
    try:
        # O_NONBLOCK: do not wait for a writer if the path is a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(descriptor, "rb") as stream:  # noqa: PTH123
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise IsADirectoryError
            os.set_blocking(descriptor, True)
            body = _read_bounded(stream, max_bytes, str(path))
        url = url or path.resolve().as_uri()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BadURL(f"there is no file {path}") from error
    except IsADirectoryError as error:
        raise BadURL(f"{path} is a folder", hint="Name the page in it") from error
    except (OSError, ValueError) as error:
        raise FetchError(f"{path} cannot be read: {reason_of(error)}") from error
    return _make_capture(body, url, _MEDIA_TYPES.get(path.suffix.lower(), ""), "file", str(path))


def read_stdin(stream: BinaryIO, url: str, max_bytes: int) -> Capture:
    """Return the page in a stream; ``url`` is the address it was saved from."""
    with os_errors(FetchError, "standard input cannot be read"):
        body = _read_bounded(stream, max_bytes, "standard input")
    if not body.strip():
        raise UsageError("standard input is empty", hint="Pipe a page into webprint -")
    return _make_capture(body, url, "text/html", "stdin", "standard input")


def read_sibling(url: str, page: str, max_bytes: int) -> Capture:
    """Return a file that a local page refers to, such as a picture; both are ``file:`` URLs.

    A page may refer only to files in its own folder or below, where browsers save them.  Raises
    :class:`BlockedAddress` for any other file, :class:`FetchError` if it cannot be read.
    """
    if not page.startswith("file:"):
        raise BlockedAddress(
            "a page from the web may not refer to a file on this computer", url=url
        )
    try:
        path, folder = path_of_file_url(url).resolve(), path_of_file_url(page).resolve().parent
        if not path.is_relative_to(folder):
            raise BlockedAddress("the page refers to a file outside its own folder", url=url)
        if not path.is_file():
            raise FetchError("there is no such file", url=url)
        with path.open("rb") as stream:
            body = _read_bounded(stream, max_bytes, path.name)
    except (OSError, ValueError) as error:
        raise FetchError(f"the file cannot be read: {reason_of(error)}", url=url) from error
    return Capture(body, PageSource(url, url, fetched=datetime.now(UTC), method="file"))


def path_of_file_url(url: str) -> Path:
    """Return the path of a ``file:`` URL on this computer; raise :class:`BadURL`."""
    parts = urlsplit(url)
    if parts.netloc not in {"", "localhost"}:
        raise BadURL("a file on another computer cannot be read", url=url)
    from urllib.request import url2pathname

    return Path(url2pathname(parts.path))


def _read_bounded(stream: BinaryIO, max_bytes: int, name: str) -> bytes:
    body = stream.read(max_bytes + 1)
    if len(body) > max_bytes:
        raise TooLarge(f"{name} is larger than {format_bytes(max_bytes)}", hint=LARGER_HINT)
    return body


def _make_capture(
    body: bytes, url: str, media_type: str, method: FetchMethod, name: str
) -> Capture:
    check_html(media_type, body[:1024], name)
    source = PageSource(
        url, url, media_type or "text/html", fetched=datetime.now(UTC), method=method
    )
    return Capture(body, source)
