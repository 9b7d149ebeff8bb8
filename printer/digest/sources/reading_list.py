"""The reading list: a text file with one URL per line, which digests print from."""

from __future__ import annotations

import os
from pathlib import Path

from ...errors import OutputError
from ...settings import Settings, data_folder
from ...urls import normalize_url

MAX_BYTES, MAX_LINES = 5_000_000, 5_000


def reading_list_path(settings: Settings, name: str = "") -> Path:
    """Return the file of a reading list; '' and "default" name the default one."""
    default = settings.reading_list or str(data_folder() / "later.txt")
    return Path(name if name not in ("", "default") else default).expanduser()


def add_url(path: Path, url: str) -> bool:
    """Add a URL to a reading list; return False if it was there before.

    Raises:
        BadURL: the URL is not valid.
        OutputError: the file cannot be written.
    """
    url = normalize_url(url)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A single write in append mode is atomic, however many processes write.
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        with open(handle, "r+b", buffering=0) as file:  # noqa: PTH123
            data = file.read(MAX_BYTES) or b""
            if url in _parse(data):
                return False
            gap = b"\n" if data and not data.endswith(b"\n") else b""
            file.write(gap + url.encode() + b"\n")
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
    return True


def read_urls(path: Path) -> list[str]:
    """Return the URLs of a reading list, the oldest first; none if there is no file.

    Raises:
        OutputError: the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return _parse(file.read(MAX_BYTES))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise OutputError(f"{path} cannot be read: {error.strerror}") from error


def _parse(data: bytes) -> list[str]:
    lines = (line.strip() for line in data.decode("utf-8", "replace").splitlines()[:MAX_LINES])
    words = (line.split(maxsplit=1)[0] for line in lines if line and not line.startswith("#"))
    return list(dict.fromkeys(words))
