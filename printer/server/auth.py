"""Authentication: one secret token, and weaker keys derived from it."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from ..errors import JobsError
from ..settings import settings_files

#: The name of the session cookie.
COOKIE = "webprint"

#: The purpose of a derived key.  ``session`` is the value of the cookie.  The bookmarklets contain
#: ``send``, which submits a page to print, and ``later``, which adds an address to the reading
#: list; pages can read them.  ``order`` is the key of the extension, which no page can read: it
#: allows both, and printing by address.
Purpose: TypeAlias = Literal["session", "send", "later", "order"]


@dataclass(frozen=True, slots=True)
class AccessKeys:
    """The token, and the keys derived from it."""

    token: str = field(repr=False)

    def key(self, purpose: Purpose) -> str:
        """Return the key for a purpose."""
        return hmac.new(self.token.encode(), purpose.encode(), hashlib.sha256).hexdigest()

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


def _read(path: Path) -> AccessKeys:
    if path.stat().st_mode & 0o077:
        raise JobsError(f"others can read the token in {path}", hint=f"chmod 600 {path}")
    token = path.read_text().strip()
    if len(token) < 20 or not token.isascii() or any(c.isspace() for c in token):
        raise JobsError(f"{path} holds no token", hint="Delete it, and a new one is made")
    return AccessKeys(token)
