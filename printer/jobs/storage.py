"""Storage of results: a local folder, or any URL that fsspec supports."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import JobsError, MissingLibrary, UsageError, WebprintError
from ..files import atomic_write, folder_below, read_below, remote_reason_of
from ..options import EXTENSIONS, Format

# The files of a finished print
PDF = "article.pdf"
ARTICLE = "article.json"

_KEY = re.compile(r"[0-9a-f]{1,40}(/[0-9]{1,9}(/[a-z]{1,20}\.[a-z]{1,5})?)?")


def result_file(format_: Format) -> str:
    return PDF if format_ == "pdf" else f"print{EXTENSIONS[format_][0]}"


class StorageUnavailable(JobsError):
    """The storage is full or cannot be reached at present."""


class Storage:
    """Stores files under keys, ``JOB/ATTEMPT/name.ext``, in folders ``JOB`` and ``JOB/ATTEMPT``.

    ``location`` is the path of a folder, or a URL that fsspec supports, such as
    ``s3://bucket/prints``, with fsspec's own configuration.  Methods raise
    :class:`StorageUnavailable` if the storage cannot be used.
    """

    def __init__(self, location: str) -> None:
        from fsspec.core import url_to_fs
        from fsspec.implementations.local import LocalFileSystem

        self._is_remote = "://" in location
        # The rest of a URL can contain an access key.
        self._name = location.partition("://")[0] + "://" if self._is_remote else location
        with self._errors(), _package_errors():
            path: str | Path = Path(location).absolute()
            self._fs = LocalFileSystem()
            if self._is_remote:
                self._fs, path = url_to_fs(location)
                self._is_remote = not isinstance(self._fs, LocalFileSystem)  # as with file://
            if not self._is_remote:
                Path(path).mkdir(mode=0o700, parents=True, exist_ok=True)
        self._root = str(path).rstrip("/")

    def put(self, key: str, data: bytes) -> None:
        path = self._path(key)
        with self._errors():
            if self._is_remote:
                self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
                self._fs.pipe_file(path, data)
            else:
                folder = Path(path).parent
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                with folder_below(self._root, *key.split("/")[:-1]):
                    pass  # None of them is a link.
                atomic_write(Path(path), data, 0o600)
                _sync(folder)
                _sync(folder.parent)

    def get(self, key: str) -> bytes | None:
        path = self._path(key)
        with self._errors(), suppress(FileNotFoundError):
            if self._is_remote:
                return bytes(self._fs.cat_file(path))
            return read_below(self._root, *key.split("/"))
        return None

    def delete(self, key: str) -> None:
        path = self._path(key)
        with self._errors(), suppress(FileNotFoundError):
            if self._is_remote:
                self._fs.rm(path, recursive=True)
            else:
                _delete(self._root, *key.split("/"))

    def names(self, key: str = "") -> list[str]:
        """Return the names in a folder that are parts of keys; others, as lost+found, are not."""
        path = self._path(key) if key else self._root
        with self._errors(), suppress(FileNotFoundError):
            self._fs.invalidate_cache()
            paths = self._fs.ls(path, detail=False)
            names = sorted(str(path).rstrip("/").rpartition("/")[2] for path in paths)
            return [name for name in names if _KEY.fullmatch(f"{key}/{name}".lstrip("/"))]
        return []

    def _path(self, key: str) -> str:
        if not _KEY.fullmatch(key):
            raise ValueError(f"not a key: {key[:80]!r}")
        return f"{self._root}/{key}"

    @contextmanager
    def _errors(self) -> Iterator[None]:
        # The packages for remote storage raise errors of their own, such as botocore's.
        failures = Exception if self._is_remote else OSError
        try:
            yield
        except (WebprintError, MemoryError):
            raise
        except failures as error:
            full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
            reason = "it is full" if full else remote_reason_of(error)
            hint = "Prints wait for room" if full else "--storage takes a folder or a URL"
            raise StorageUnavailable(
                f"results cannot be stored in {self._name}: {reason}", hint=hint
            ) from error


def check_storage(location: str) -> None:
    """Raise an error if a location cannot be a storage; do not connect to it."""
    if "://" not in location:
        Storage(location)
        return
    from fsspec import get_filesystem_class

    with _package_errors():
        get_filesystem_class(location.partition("://")[0])


@contextmanager
def _package_errors() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise MissingLibrary(f"--storage: a package is missing: {error}") from error
    except ValueError as error:
        hint = "Name a folder, or a URL such as s3://bucket/prints"
        message = str(error).replace("Protocol", "protocol")
        raise UsageError(f"--storage: {message}", hint=hint) from error


def _delete(root: str, *names: str) -> None:
    """Delete a file, a link or a folder; follow no links, as others may write to the folder."""
    with suppress(NotADirectoryError), folder_below(root, *names[:-1]) as folder:
        try:
            os.unlink(names[-1], dir_fd=folder)
        except IsADirectoryError:
            shutil.rmtree(names[-1], dir_fd=folder)


def _sync(folder: Path) -> None:
    """Flush the directory entries of a folder to disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
