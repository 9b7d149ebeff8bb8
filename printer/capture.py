"""A fetched page or file: its bytes and their source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Literal, TypeAlias

from .layout import Layout

FetchMethod = Literal["http", "file", "stdin", "browser"]


@dataclass(frozen=True, slots=True)
class PageSource:
    """Where a page came from, when and how.

    ``url`` is the address after redirects, ``charset`` the one that the HTTP header declared (''
    for none), ``headers`` the response headers with lower-case names.  ``sha256`` is the hash of
    the page's bytes, '' until :meth:`Capture.describe` computes it.
    """

    url: str
    requested_url: str
    media_type: str = ""
    charset: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    fetched: datetime | None = None
    method: FetchMethod = "http"
    from_cache: bool = False
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Capture:
    """What a fetch returned: the decompressed bytes, within the size limit, and their source.

    A capture by a browser has the page's ``layout``, and its body has the attribute that ``layout``
    refers to; ``screenshot`` is a PNG of the page, if requested.
    """

    body: bytes = field(repr=False)
    source: PageSource
    layout: Layout | None = field(default=None, repr=False)
    screenshot: bytes = field(default=b"", repr=False)

    @property
    def url(self) -> str:
        """The address after redirects."""
        return self.source.url

    def describe(self) -> PageSource:
        """Return the source with the hash of the body."""
        return replace(self.source, sha256=sha256(self.body).hexdigest())


#: Fetches a resource that a page refers to: ``get(url, referer)``; raises ``FetchError``.
GetResource: TypeAlias = Callable[[str, str], Capture]
