"""Files: written atomically, read within limits, and resources that are closed."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import stat
import tempfile
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from math import inf
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, Self

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def load_json(module: str, name: str) -> Any:
    """Return the content of a JSON file next to a module, given by its ``__file__``."""
    return json.loads(Path(module).with_name(name).read_bytes())


class Closing(ABC):
    """A context manager that closes itself at the end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Release what this holds; may be called repeatedly."""


class _ErrorClass(Protocol):
    def __call__(self, message: str, *, hint: str = "") -> Exception: ...


@contextmanager
def os_errors(error: _ErrorClass, message: str, hint: str = "") -> Iterator[None]:
    """Raise ``error`` with a message and the system's reason for an :class:`OSError`."""
    try:
        yield
    except OSError as cause:
        raise error(f"{message}: {reason_of(cause)}", hint=hint) from cause


def reason_of(error: BaseException) -> str:
    """Return the system's reason for an error, or else its own message, in lower case."""
    return str(getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()


_ADDRESS = re.compile(r"[\w+.-]+://[^\s\"']+")


def remote_reason_of(error: BaseException) -> str:
    """Return a remote file system's reason in one line, without addresses, which can have keys."""
    return " ".join(_ADDRESS.sub("...", reason_of(error)).split())[:200]


def path_exists(name: str | Path) -> bool:
    """Return whether there is such a file or folder; there is none if the name is too long."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def read_bounded(path: Path, max_bytes: int) -> bytes:
    """Return the content of a file; raise :class:`OSError`, even if it is larger than allowed."""
    with path.open("rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise OSError(errno.EFBIG, "it is too large")
    return data


@contextmanager
def folder_below(root: Path | str, *names: str) -> Iterator[int]:
    """Open a folder below another; raise :class:`OSError`, also for a symbolic link on the way."""
    descriptor = os.open(root, os.O_DIRECTORY)
    try:
        for name in names:
            inner = os.open(name, os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


#: The size of the largest file that is read from a folder that others may write to.
MAX_BYTES_BELOW = 400_000_000


def read_below(root: Path | str, *names: str) -> bytes:
    """Return the content of a file below a folder that others may write to.

    Raise :class:`FileNotFoundError` also if it is not a regular file or larger than
    ``MAX_BYTES_BELOW``, or there is a symbolic link on the way.
    """
    try:
        with folder_below(root, *names[:-1]) as folder:

            def open_file(name: str, flags: int) -> int:
                # O_NONBLOCK: do not wait for a writer if it is a pipe.
                return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)

            with open(names[-1], "rb", opener=open_file) as file:
                status = os.fstat(file.fileno())
                if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES_BELOW:
                    return file.read()
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO):
            raise
    raise FileNotFoundError(errno.ENOENT, "there is no such file", names[-1])


def lock_file(path: Path, seconds: float = 0.0) -> BinaryIO:
    """Open a file and lock it until it is closed or this process ends.

    Raise :class:`BlockingIOError` if another process keeps it locked for ``seconds``, which may be
    infinite.
    """
    file = path.open("ab")
    try:
        _lock(file.fileno(), seconds)
    except BaseException:
        file.close()
        raise
    return file


_FOLDER_LOCK_SECONDS = 10.0
_SECONDS_BETWEEN_TRIES = 0.02


@contextmanager
def changing(path: Path, error: _ErrorClass) -> Iterator[None]:
    """Create the folder of a file if there is none, and let no other process change its files.

    Raise ``error`` for an :class:`OSError`, or if another process keeps the folder locked for ten
    seconds.
    """
    with ExitStack() as opened, os_errors(error, f"{path} cannot be written"):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path.parent, os.O_RDONLY)
        opened.callback(os.close, descriptor)
        try:
            _lock(descriptor, _FOLDER_LOCK_SECONDS)
        except BlockingIOError as cause:
            message = "another program keeps its folder locked"
            raise TimeoutError(errno.ETIMEDOUT, message) from cause
        except OSError:
            pass  # The file system locks no folders.
        yield


def _lock(descriptor: int, seconds: float) -> None:
    if seconds == inf:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if seconds <= 0:
                raise
        # Without ``time``, as modules that may not use the clock import this one.
        Event().wait(_SECONDS_BETWEEN_TRIES)
        seconds -= _SECONDS_BETWEEN_TRIES


def atomic_write(
    path: Path,
    data: bytes | str,
    mode: int | None = None,
    *,
    keep_mode: bool = True,
    replace: bool = True,
) -> None:
    """Write a temporary file and rename it once it is on disk; follow symbolic links.

    As the kernel does in /tmp, follow no link that is neither this user's nor the folder owner's.
    A new file gets ``mode`` (default: as the umask allows); with ``keep_mode`` an existing file
    keeps its own.  Text is written as UTF-8.  After an :class:`OSError` nothing has changed; it is
    :class:`FileExistsError` if there is a file, and not ``replace``.
    """
    if path.is_symlink() and path.lstat().st_uid not in (os.geteuid(), path.parent.stat().st_uid):
        raise PermissionError(errno.EACCES, "a symbolic link of another user", str(path))
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a file", str(path))
    handle, part = _create_part(path, named=replace)
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
                    _copy_access_list(path, part)
            part.chmod(mode)
            if not replace:
                _link(file.fileno(), part, path, mode)
        if replace:
            part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def _umask() -> int:
    """Return the umask, on Linux without setting it, which would change it for other threads."""
    with suppress(OSError):
        if match := re.search(rb"(?m)^Umask:\s*(\d+)$", Path("/proc/self/status").read_bytes()):
            return int(match[1], 8)
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _create_part(path: Path, *, named: bool) -> tuple[int, Path]:
    """Create a temporary file in the folder of a path; return its descriptor and its path.

    Unless it is to be ``named``, it has no name where the system allows that, so that a process
    that is killed leaves nothing behind.
    """
    if not named and hasattr(os, "O_TMPFILE") and Path("/proc/self/fd").is_dir():
        with suppress(OSError):
            handle = os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, 0o600)
            return handle, Path(f"/proc/self/fd/{handle}")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem[:40]}-", suffix=".part")
    return handle, Path(name)


def _link(handle: int, part: Path, path: Path, mode: int) -> None:
    """Give a file its name, unless there is a file of this name."""
    try:
        os.link(part, path, src_dir_fd=handle)  # With a descriptor, links are followed.
    except FileExistsError:
        raise
    except OSError:  # The file system has no hard links.
        if part.parent != path.parent:
            raise
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        part.replace(path)
    else:
        with suppress(OSError):
            part.unlink()


_ACCESS_LIST = "system.posix_acl_access"


def _copy_access_list(source: Path, target: Path) -> None:
    """Copy the access control list of a file; without it, its mode would allow its group more."""
    try:
        access_list = os.getxattr(source, _ACCESS_LIST)
    except OSError:  # It has none, or the file system has none.
        return
    os.setxattr(target, _ACCESS_LIST, access_list)


#: The maximum size of a file of settings, rules or a theme, in bytes.
MAX_TOML_BYTES = 1_000_000

#: The parser's memory grows with the square of the parts of a key.
_MAX_DOTS = 1_000


class TomlError(ValueError):
    """The text is not TOML; the message says why, with the line if known."""


def parse_toml(text: str) -> dict[str, Any]:
    if len(text) > MAX_TOML_BYTES:
        raise TomlError("it is too large")
    if any(line.count(".") > _MAX_DOTS for line in text.split("\n")):
        raise TomlError("a line of it has more than 1,000 dots")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TomlError("it is nested too deeply") from None
    except ValueError as error:  # from the parser, or an impossible number or date
        raise TomlError(str(error)) from error


def parse_toml_bytes(data: bytes) -> dict[str, Any]:
    try:
        return parse_toml(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise TomlError("it is not UTF-8") from error


@cache
def _adapter(type_: Any) -> TypeAdapter[Any]:
    from pydantic import ConfigDict, TypeAdapter

    base64 = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
    return TypeAdapter(tuple[type_], config=base64)  # Dataclasses take the settings of a tuple.


def dump_dataclass(type_: Any, value: object) -> bytes:
    """Return a dataclass, or another value of a type, as JSON with bytes in base64."""
    return _adapter(type_).dump_json((value,))


def load_dataclass(type_: Any, data: bytes) -> Any:
    """Return a value that :func:`dump_dataclass` wrote; raise :class:`ValueError`."""
    return _adapter(type_).validate_json(data)[0]
