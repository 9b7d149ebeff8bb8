"""Authentication: one secret token, weaker keys derived from it, and the sessions of browsers."""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import json
import os
import secrets
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from ..atomic_write import atomic_write
from ..errors import JobsError
from ..settings import data_folder, settings_files

#: The name of the session cookie.
COOKIE = "webprint"

#: The seconds after which a browser must sign in again.
SESSION_SECONDS = 90 * 86_400
_MAX_SESSIONS = 100
_MAX_SESSION_BYTES = 100_000

#: The purpose of a derived key.  The bookmarklets contain ``send``, which submits a page to print,
#: and ``later``, which adds an address to the reading list; pages can read them.  ``order`` is the
#: key of the extension, which no page can read: it allows both, and printing by address.
Purpose: TypeAlias = Literal["send", "later", "order"]


@dataclass(frozen=True, slots=True)
class AccessKeys:
    """The token, and the keys derived from it."""

    token: str = field(repr=False)

    def key(self, purpose: Purpose) -> str:
        """Return the key for a purpose."""
        return hmac.new(self.token.encode(), purpose.encode(), hashlib.sha256).hexdigest()

    @property
    def reading_password(self) -> str:
        """The password of e-readers, which may only read; short enough to type."""
        digest = hmac.digest(self.token.encode(), b"read", "sha256")
        letters = base64.b32encode(digest[:10]).decode().lower()
        return "-".join(letters[n : n + 4] for n in range(0, len(letters), 4))

    def is_reading_password(self, text: str) -> bool:
        """Compare a text with the token and the password of e-readers, in constant time."""
        password = self.reading_password.replace("-", "")
        return self.is_token(text) or _equal(text.strip().lower().replace("-", ""), password)

    def is_token(self, text: str) -> bool:
        """Compare a text with the token, in constant time."""
        return _equal(text, self.token)

    def is_key(self, text: str, purpose: Purpose) -> bool:
        """Compare a text with the key for a purpose, in constant time."""
        return _equal(text, self.key(purpose))

    def is_button_key(self, text: str, purpose: Purpose | Literal["any"]) -> bool:
        """Return whether a text is the key of a bookmarklet, or of the extension, for a purpose."""
        if purpose == "any":
            return any(self.is_key(text, known) for known in ("send", "later", "order"))
        return self.is_key(text, purpose) or self.is_key(text, "order")


def _equal(text: str, secret: str) -> bool:
    return hmac.compare_digest(text.encode("utf-8", "replace"), secret.encode())


class Access:
    """The token and the sessions of a server; their files are read again when they change."""

    def __init__(self, path: Path, sessions: Path) -> None:
        self._path, self._sessions_path = path, sessions
        self._lock = threading.Lock()
        self._keys, self._keys_stamp = load_keys(path), _stamp(path)
        self._sessions: dict[str, float] = {}
        self._sessions_stamp: tuple[int, ...] = ()

    @property
    def keys(self) -> AccessKeys:
        """The token and its keys."""
        with self._lock:
            stamp = _stamp(self._path)
            if stamp and stamp != self._keys_stamp:
                with suppress(JobsError):  # A file that is no longer good changes nothing.
                    self._keys, self._keys_stamp = load_keys(self._path), stamp
            return self._keys

    def start_session(self) -> str:
        """Return the cookie of a new session."""
        cookie = secrets.token_urlsafe(32)
        with self._lock:
            now = time.time()
            live = {key: end for key, end in self._load_sessions().items() if end > now}
            live[_session_key(self._keys, cookie)] = now + SESSION_SECONDS
            self._save_sessions(dict(sorted(live.items(), key=lambda i: i[1])[-_MAX_SESSIONS:]))
        return cookie

    def is_session(self, cookie: str) -> bool:
        """Return whether a cookie belongs to a session that has not ended."""
        keys = self.keys
        with self._lock:
            return self._load_sessions().get(_session_key(keys, cookie), 0.0) > time.time()

    def end_session(self, cookie: str) -> None:
        """Sign a browser out."""
        keys = self.keys
        with self._lock:
            sessions = dict(self._load_sessions())
            if sessions.pop(_session_key(keys, cookie), None):
                self._save_sessions(sessions)

    def end_all_sessions(self) -> None:
        """Sign all browsers out."""
        with self._lock:
            self._save_sessions({})

    def _load_sessions(self) -> Mapping[str, float]:
        stamp = _stamp(self._sessions_path)
        if stamp != self._sessions_stamp:
            self._sessions, self._sessions_stamp = _read_sessions(self._sessions_path), stamp
        return self._sessions

    def _save_sessions(self, sessions: dict[str, float]) -> None:
        try:
            self._sessions_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(self._sessions_path, json.dumps(sessions), 0o600, keep_mode=False)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise JobsError(f"the session cannot be saved: {reason}") from error
        self._sessions, self._sessions_stamp = sessions, _stamp(self._sessions_path)


def _stamp(path: Path) -> tuple[int, ...]:
    """Return what changes with a file, () if there is none."""
    with suppress(OSError):
        status = path.stat()
        return status.st_mtime_ns, status.st_ino, status.st_size
    return ()


def _session_key(keys: AccessKeys, cookie: str) -> str:
    """Return what is stored of a session: a new token ends it, and the file opens nothing."""
    text = f"session:{cookie}".encode("utf-8", "replace")
    return hmac.new(keys.token.encode(), text, hashlib.sha256).hexdigest()


def _read_sessions(path: Path) -> dict[str, float]:
    with suppress(OSError, ValueError, RecursionError), path.open("rb") as file:
        found = json.loads(file.read(_MAX_SESSION_BYTES))
        if isinstance(found, dict):
            return {key: float(end) for key, end in found.items() if isinstance(end, int | float)}
    return {}


def open_access() -> Access:
    """Return the token and the sessions of this user's server."""
    return Access(token_path(), data_folder() / "sessions.json")


def token_path() -> Path:
    """Return the token file, beside the user's settings."""
    return settings_files()[0].with_name("token")


def load_keys(path: Path) -> AccessKeys:
    """Read the token, or create one that only this user can read.

    Raises:
        JobsError: the file cannot be used, or others can read it.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return _read(path)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
            file.flush()
            os.fsync(file.fileno())
        return _read(path)
    except OSError as error:
        raise JobsError(f"the token in {path} cannot be used: {error.strerror}") from error


def replace_token(path: Path) -> AccessKeys:
    """Write a new token, which ends all sessions and makes all buttons invalid.

    Raises:
        JobsError: the file cannot be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic_write(path, secrets.token_urlsafe(32) + "\n", 0o600, keep_mode=False)
        return _read(path)
    except OSError as error:
        raise JobsError(f"no token can be written to {path}: {error.strerror}") from error


def _read(path: Path) -> AccessKeys:
    if path.stat().st_mode & 0o077:
        raise JobsError(f"others can read the token in {path}", hint=f"chmod 600 {path}")
    token = path.read_text().strip()
    if len(token) < 20 or not token.isascii() or any(c.isspace() for c in token):
        raise JobsError(f"{path} holds no token", hint="Delete it, and a new one is made")
    return AccessKeys(token)


def is_loopback(host: str) -> bool:
    """Return whether an address to listen on can be reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
