"""Atomic file writes."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def atomic_write(
    path: Path, data: bytes | str, mode: int | None = None, *, keep_mode: bool = True
) -> None:
    """Write a temporary file and rename it once it is on disk; follow symbolic links.

    A new file gets ``mode`` (default: as the umask allows); with ``keep_mode`` an existing file
    keeps its own.  Text is written as UTF-8.  After an :class:`OSError` nothing has changed.
    """
    path = path.resolve()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem[:40]}-", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        if mode is None:
            mode = 0o666 & ~_umask()
        if keep_mode:
            with suppress(FileNotFoundError):
                mode = path.stat().st_mode & 0o777
        part.chmod(mode)
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
