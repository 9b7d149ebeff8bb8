"""The reading list: a text file with an address a line, which is added to and printed from."""

from __future__ import annotations

import os
from pathlib import Path

from ...errors import OutputError
from ...settings import Settings, data_folder
from ...urls import normalize_url

MAX_BYTES, MAX_LINES = 5_000_000, 5_000


def reading_list_path(settings: Settings, named: str = "") -> Path:
    """Return the file that is the reading list; ``named`` is another than the usual."""
    usual = settings.reading_list or str(data_folder() / "later.txt")
    return Path(named if named not in ("", "default") else usual).expanduser()


def add_url(path: Path, url: str) -> bool:
    """Add an address; False when it is there already.  Raises :class:`BadURL`, `OutputError`."""
    url = normalize_url(url)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # What is appended in one write stands whole, however many write at once.
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        with open(handle, "r+b", buffering=0) as file:  # noqa: PTH123
            held = file.read(MAX_BYTES) or b""
            if url in _parse_urls(held):
                return False
            gap = b"\n" if held and not held.endswith(b"\n") else b""
            file.write(gap + url.encode() + b"\n")
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
    return True


def read_urls(path: Path) -> list[str]:
    """Return the addresses of a reading list, each once, the oldest first; none without a file."""
    try:
        with path.open("rb") as file:
            return _parse_urls(file.read(MAX_BYTES))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise OutputError(f"{path} cannot be read: {error.strerror}") from error


def _parse_urls(data: bytes) -> list[str]:
    lines = (line.strip() for line in data.decode("utf-8", "replace").splitlines()[:MAX_LINES])
    words = (line.split(maxsplit=1)[0] for line in lines if line and not line.startswith("#"))
    return list(dict.fromkeys(words))
