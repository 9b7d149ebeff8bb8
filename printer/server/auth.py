"""Who may come in: one secret token, and what is derived from it."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import JobsError
from ..settings import settings_files

#: The name of the cookie that a browser holds after its first visit.
COOKIE = "webprint"


@dataclass(frozen=True, slots=True)
class AccessKeys:
    """The token, which shows nowhere, and the keys made from it that open less.

    ``session`` is what a browser's cookie holds.  ``send`` stands in the bookmarklet, where the
    pages it is used on can read it: it lets a page be sent to be printed and nothing be read.
    ``order`` is the browser extension's, which no page can read: with it one may also ask for a
    page by its address.  ``later`` stands in the bookmarklet that puts an address on the reading
    list, and does that alone.
    """

    token: str = field(repr=False)

    @property
    def session(self) -> str:
        """The value of the cookie."""
        return self._derived("session")

    @property
    def send(self) -> str:
        """The key of the bookmarklet."""
        return self._derived("send")

    @property
    def order(self) -> str:
        """The key of the browser extension."""
        return self._derived("order")

    @property
    def later(self) -> str:
        """The key of the bookmarklet that puts an address on the reading list."""
        return self._derived("later")

    def is_token(self, given: str) -> bool:
        """Compare in a time that tells nothing."""
        return _same(given, self.token)

    def is_session(self, given: str) -> bool:
        """Compare in a time that tells nothing."""
        return _same(given, self.session)

    def may_send(self, given: str) -> bool:
        """Compare in a time that tells nothing."""
        return _same(given, self.send) or self.may_order(given)

    def may_order(self, given: str) -> bool:
        """Compare in a time that tells nothing."""
        return _same(given, self.order)

    def may_list(self, given: str) -> bool:
        """Compare in a time that tells nothing."""
        return _same(given, self.later) or self.may_order(given)

    def _derived(self, purpose: str) -> str:
        return hmac.new(self.token.encode(), purpose.encode(), hashlib.sha256).hexdigest()


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def token_path() -> Path:
    """Return where the token is kept: beside the user's settings."""
    return settings_files()[0].with_name("token")


def load_keys(path: Path) -> AccessKeys:
    """Read the token, or make one that only this user can read.

    Raises :class:`JobsError` when the file cannot be used or others may read it.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return _read(path)
        with os.fdopen(handle, "w") as file:
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
