"""Storage of results: a local folder, or any URL that fsspec supports."""

from __future__ import annotations

import errno
import os
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import JobsError, MissingLibrary, UsageError
from ..files import reason_of
from ..options import ENDINGS, Format

#: The files of a finished print.
PDF, ARTICLE = "article.pdf", "article.json"

_KEY = re.compile(r"[0-9a-f]{1,40}(/[0-9]{1,9}(/[a-z]{1,20}\.[a-z]{1,5})?)?")


def result_file(format_: Format) -> str:
    """Return the file name of a print in a format."""
    return PDF if format_ == "pdf" else f"print{ENDINGS[format_][0]}"


class StorageUnavailable(JobsError):
    """The storage is full or cannot be reached, now."""


class Storage(ABC):
    """Stores files under keys, ``JOB/ATTEMPT/name.ext``, in folders ``JOB`` and ``JOB/ATTEMPT``.

    Methods raise :class:`StorageUnavailable` if the storage cannot be used.
    """

    def put(self, key: str, data: bytes) -> None:
        """Store a file durably."""
        self.put_all({key: data})

    @abstractmethod
    def put_all(self, files: Mapping[str, bytes]) -> None:
        """Store files by key, with fewer waits for the disk than one at a time."""

    @abstractmethod
    def get(self, key: str) -> bytes | None:
        """Return a file, or None if there is none."""

    @abstractmethod
    def delete(self, key: str) -> None:
        """Delete a file or a folder if it exists."""

    @abstractmethod
    def names(self, key: str = "") -> list[str]:
        """Return the names in a folder, '' being the root."""


def open_storage(location: str) -> Storage:
    """Open a folder by its path, or remote storage by a URL such as ``s3://bucket/prints``."""
    return _Remote(location) if "://" in location else _Folder(Path(location))


def check_storage(location: str) -> None:
    """Raise an error for a location that can be no storage, without a connection to it."""
    if "://" not in location:
        open_storage(location)
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


def _checked(key: str) -> str:
    """Return a key after checking that it is valid."""
    if not _KEY.fullmatch(key):
        raise ValueError(f"not a key: {key[:80]!r}")
    return key


@contextmanager
def _os_errors(location: object) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "it is full" if full else reason_of(error)
        hint = "Prints wait for room" if full else "--storage takes a folder or a URL"
        raise StorageUnavailable(
            f"results cannot be stored in {location}: {reason}", hint=hint
        ) from error


class _Folder(Storage):
    """A local folder; files are written completely and synced to disk."""

    def __init__(self, root: Path) -> None:
        self._root = root
        with _os_errors(root):
            root.mkdir(mode=0o700, parents=True, exist_ok=True)

    def put_all(self, files: Mapping[str, bytes]) -> None:
        paths = {self._root / _checked(key): data for key, data in files.items()}
        partial = {path: path.with_name(path.name + ".part") for path in paths}
        folders = {path.parent for path in paths}
        with _os_errors(self._root):
            try:
                for folder in folders:
                    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                for path, data in paths.items():
                    partial[path].touch(mode=0o600)  # Others must not read it.
                    partial[path].write_bytes(data)
                # Several concurrent syncs take little longer than one.
                with ThreadPoolExecutor(len(partial)) as pool:
                    list(pool.map(_sync, partial.values()))
                    for path, temporary in partial.items():
                        temporary.replace(path)
                    list(pool.map(_sync, folders | {folder.parent for folder in folders}))
            except BaseException:
                for temporary in partial.values():
                    with suppress(OSError):
                        temporary.unlink()
                raise

    def get(self, key: str) -> bytes | None:
        with _os_errors(self._root), suppress(FileNotFoundError):
            return (self._root / _checked(key)).read_bytes()
        return None

    def delete(self, key: str) -> None:
        path = self._root / _checked(key)
        with _os_errors(self._root), suppress(FileNotFoundError):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def names(self, key: str = "") -> list[str]:
        path = self._root / _checked(key) if key else self._root
        with _os_errors(self._root), suppress(FileNotFoundError):
            return sorted(child.name for child in path.iterdir())
        return []


def _sync(path: Path) -> None:
    """Wait until a file, or the list of files in a folder, is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class _Remote(Storage):
    """Storage that fsspec accesses by URL, with fsspec's own configuration."""

    def __init__(self, url: str) -> None:
        import fsspec

        self._scheme = url.partition("://")[0] + "://"
        with _package_errors(), _os_errors(self._scheme):
            self._fs, root = fsspec.core.url_to_fs(url)
        self._root = str(root).rstrip("/")

    def put_all(self, files: Mapping[str, bytes]) -> None:
        for key, data in files.items():
            path = f"{self._root}/{_checked(key)}"
            with _os_errors(self._scheme):
                self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
                self._fs.pipe_file(path, data)

    def get(self, key: str) -> bytes | None:
        with _os_errors(self._scheme), suppress(FileNotFoundError):
            return bytes(self._fs.cat_file(f"{self._root}/{_checked(key)}"))
        return None

    def delete(self, key: str) -> None:
        with _os_errors(self._scheme), suppress(FileNotFoundError):
            self._fs.rm(f"{self._root}/{_checked(key)}", recursive=True)

    def names(self, key: str = "") -> list[str]:
        path = f"{self._root}/{_checked(key)}" if key else self._root
        with _os_errors(self._scheme), suppress(FileNotFoundError):
            self._fs.invalidate_cache()
            paths = self._fs.ls(path, detail=False)
            return sorted(str(path).rstrip("/").rpartition("/")[2] for path in paths)
        return []
