"""Where results lie: a folder of this machine, or anything fsspec knows by URL."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from ..errors import JobsError, MissingLibrary, UsageError

_KEY = re.compile(r"[0-9a-f]{1,40}(/[0-9]{1,9}(/[a-z]{1,20}\.[a-z]{1,5})?)?")


class Storage(Protocol):
    """Keeps files under keys: ``JOB/ATTEMPT/name.ext``, or a folder of those.

    Methods raise :class:`JobsError` when the place cannot be used.
    """

    def put(self, key: str, data: bytes) -> None:
        """Keep a file; when this returns it is there to stay."""

    def put_all(self, files: Mapping[str, bytes]) -> None:
        """Keep files by their keys, with fewer waits for the disk than one by one."""

    def get(self, key: str) -> bytes | None:
        """Return a file, None when there is none."""

    def delete(self, key: str) -> None:
        """Delete a file or a folder with all that is in it, if it is there."""

    def names(self, key: str = "") -> list[str]:
        """Return the names in a folder, '' being the outermost."""


def open_storage(place: str) -> Storage:
    """Open a folder by its path, or what a URL such as ``s3://bucket/prints`` names."""
    return Remote(place) if "://" in place else Folder(Path(place))


def _checked(key: str) -> str:
    """Return a key that is one of ours: whatever else it may be, it names no file."""
    if not _KEY.fullmatch(key):
        raise ValueError(f"not a key: {key[:80]!r}")
    return key


@contextmanager
def _told(place: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "it is full" if full else (error.strerror or str(error)).lower()
        raise JobsError(
            f"results cannot be stored in {place}: {reason}",
            hint="Prints wait until there is room again" if full else "",
        ) from error


def _open_new(path: Path) -> BinaryIO:
    return path.open("wb")


class Folder:
    """A folder of this machine; files are written whole or not at all, and reach the disk."""

    def __init__(self, root: Path, open_new: Callable[[Path], BinaryIO] = _open_new) -> None:
        self._root = root
        self._open_new = open_new
        with _told(str(root)):
            root.mkdir(mode=0o700, parents=True, exist_ok=True)

    def put(self, key: str, data: bytes) -> None:
        """Keep a file."""
        self.put_all({key: data})

    def put_all(self, files: Mapping[str, bytes]) -> None:
        """Keep files."""
        paths = {self._root / _checked(key): data for key, data in files.items()}
        parts = {path: path.with_name(path.name + ".part") for path in paths}
        folders = {path.parent for path in paths}
        with _told(str(self._root)):
            try:
                for folder in folders:
                    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                for path, data in paths.items():
                    with self._open_new(parts[path]) as file:
                        file.write(data)
                # Several that wait for the disk at once wait little longer than one.
                with ThreadPoolExecutor(len(parts)) as pool:
                    list(pool.map(_sync, parts.values()))
                    for path, part in parts.items():
                        part.replace(path)
                    list(pool.map(_sync, folders | {folder.parent for folder in folders}))
            except BaseException:
                for part in parts.values():
                    with suppress(OSError):
                        part.unlink()
                raise

    def get(self, key: str) -> bytes | None:
        """Return a file."""
        with _told(str(self._root)):
            try:
                return (self._root / _checked(key)).read_bytes()
            except FileNotFoundError:
                return None

    def delete(self, key: str) -> None:
        """Delete a file or a folder."""
        path = self._root / _checked(key)
        with _told(str(self._root)), suppress(FileNotFoundError):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def names(self, key: str = "") -> list[str]:
        """Return the names in a folder."""
        path = self._root / _checked(key) if key else self._root
        with _told(str(self._root)):
            try:
                return sorted(each.name for each in path.iterdir())
            except FileNotFoundError:
                return []


def _sync(path: Path) -> None:
    """Wait until a file, or what is in a folder, is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Remote:
    """Storage that fsspec reaches by URL; its own settings come as fsspec takes them."""

    def __init__(self, url: str) -> None:
        try:
            import fsspec

            self._fs, root = fsspec.core.url_to_fs(url)
        except ImportError as error:
            raise MissingLibrary(f"--storage: a package is missing: {error}") from error
        except ValueError as error:
            raise UsageError(f"--storage: {error}") from error
        self._root = str(root).rstrip("/")
        self._place = url.partition("://")[0] + "://"

    def put(self, key: str, data: bytes) -> None:
        """Keep a file."""
        path = f"{self._root}/{_checked(key)}"
        with _told(self._place):
            self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._fs.pipe_file(path, data)

    def put_all(self, files: Mapping[str, bytes]) -> None:
        """Keep files."""
        for key, data in files.items():
            self.put(key, data)

    def get(self, key: str) -> bytes | None:
        """Return a file."""
        with _told(self._place):
            try:
                data: bytes = self._fs.cat_file(f"{self._root}/{_checked(key)}")
            except FileNotFoundError:
                return None
        return data

    def delete(self, key: str) -> None:
        """Delete a file or a folder."""
        with _told(self._place), suppress(FileNotFoundError):
            self._fs.rm(f"{self._root}/{_checked(key)}", recursive=True)

    def names(self, key: str = "") -> list[str]:
        """Return the names in a folder."""
        path = f"{self._root}/{_checked(key)}" if key else self._root
        with _told(self._place):
            self._fs.invalidate_cache()
            try:
                found: list[Any] = self._fs.ls(path, detail=False)
            except FileNotFoundError:
                return []
        return sorted(str(each).rstrip("/").rpartition("/")[2] for each in found)
