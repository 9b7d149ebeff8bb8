"""A file that is there whole, or as it was before: never half written."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def atomic_write(path: Path, data: bytes | str, mode: int | None = None) -> None:
    """Write a file through a new one beside it, which takes its place once it is on disk.

    A link is followed.  The file keeps the mode it has; a new one gets ``mode``, or what the umask
    leaves.  Text is written as UTF-8.  Raises :class:`OSError`, and then nothing has changed.
    """
    path = path.resolve()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem[:40]}-", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(_mode(path, mode))
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def _mode(path: Path, wanted: int | None) -> int:
    with suppress(FileNotFoundError):
        return path.stat().st_mode & 0o777
    return 0o666 & ~_umask() if wanted is None else wanted


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
