"""A page or a file as it was fetched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Literal, TypeAlias

from .layout import Layout
from .options import PrintOptions

FetchMethod = Literal["http", "file", "stdin", "browser"]


@dataclass(frozen=True, slots=True)
class Capture:
    """What a fetch brought: bytes, where they came from, how and when.

    ``body`` is decompressed and within the size limit, ``charset`` what the HTTP header declared
    ('' when it declared none), ``headers`` the response's with lower-case names.  A browser's
    capture has the page's ``layout``, and its body the marks that belong to it; ``screenshot`` is
    the page as PNG where that was asked for.  ``sha256`` is the body's where that was let go.
    """

    body: bytes = field(repr=False)
    url: str
    requested_url: str
    media_type: str = ""
    charset: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    fetched: datetime | None = None
    method: FetchMethod = "http"
    from_cache: bool = False
    layout: Layout | None = field(default=None, repr=False)
    screenshot: bytes = field(default=b"", repr=False)
    sha256: str = ""

    @property
    def digest(self) -> str:
        """The SHA-256 of the body."""
        return self.sha256 or sha256(self.body).hexdigest()

    def until_set(self, page: PrintOptions) -> Capture:
        """Let go of what setting the page on paper does not need: many wait for each other."""
        light = replace(self, layout=None, screenshot=b"")
        return light if page.pdf == "a-3u" else replace(light, body=b"", sha256=self.digest)


#: Gets a resource that a page names: ``get(url, referer)``; raises ``FetchError``.
GetResource: TypeAlias = Callable[[str, str], Capture]
