"""What WeasyPrint may load: the prepared pictures, and nothing else."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..output import Picture

if TYPE_CHECKING:
    from weasyprint.urls import URLFetcher

SCHEME = "asset:"

#: Pictures inside a prepared drawing; they were made by us and are kept small.
INLINE = ("data:image/png;base64,", "data:image/jpeg;base64,")


@dataclass(frozen=True, slots=True)
class Assets:
    """Prepared pictures by address; identical bytes have one address and are embedded once."""

    pictures: Mapping[str, Picture] = field(default_factory=dict)

    @classmethod
    def of(cls, pictures: Iterable[Picture]) -> Assets:
        """Collect pictures."""
        return cls({asset_url(picture): picture for picture in pictures})


def asset_url(picture: Picture) -> str:
    """Return the address under which WeasyPrint finds a picture."""
    kind = picture.media_type.rpartition("/")[2].partition("+")[0]
    return f"{SCHEME}{sha256(picture.data).hexdigest()[:32]}.{kind}"


def fetcher(assets: Assets) -> URLFetcher:
    """Return a fetcher that knows the assets and refuses every other address."""
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class AssetFetcher(URLFetcher):  # type: ignore[misc]
        """Serve assets from memory; open nothing."""

        def __init__(self) -> None:
            # The parent's handlers for http, ftp, file and data are not even made.
            self._fail_on_errors = False

        def fetch(self, url: str, headers: Mapping[str, str] | None = None) -> URLFetcherResponse:
            del headers
            picture = assets.pictures.get(url)
            if picture is not None:
                kind = {"Content-Type": picture.media_type}
                return URLFetcherResponse(url, picture.data, kind)
            for prefix in INLINE:
                if url.startswith(prefix):
                    return URLFetcherResponse(
                        url, _decode(url[len(prefix) :]), {"Content-Type": prefix[5:-8]}
                    )
            raise ValueError(f"not a part of the document: {url[:80]}")

        def open(self, url: object, data: object = None, timeout: object = None) -> object:
            del data, timeout
            return self.fetch(str(getattr(url, "full_url", url)))

    return AssetFetcher()


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError("broken data: address") from error


#: What may be in a theme's folder beside its templates and style sheet.
KINDS = {
    ".ttf": "font/ttf", ".otf": "font/otf", ".woff": "font/woff", ".woff2": "font/woff2",
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".svg": "image/svg+xml",
}  # fmt: skip

#: No font or picture of a theme is larger, in bytes: those of Chinese have about so many.
MOST_BYTES = 30_000_000

_URL = re.compile(r"""url\(\s{0,20}(["']?)([^"'()\\\n]{1,300})\1\s{0,20}\)""", re.IGNORECASE)


def with_files(css: str, folder: Path) -> tuple[str, dict[str, Picture]]:
    """Return a style sheet that names a folder's files as assets, and those files.

    Raises :class:`UsageError` for a file that is too large or cannot be read.
    """
    found: dict[str, Picture] = {}

    def named(match: re.Match[str]) -> str:
        path = _inside(folder, match[2])
        if path is None:
            return match[0]
        file = Picture(_read(path), KINDS[path.suffix.lower()], 0, 0)
        found[asset_url(file)] = file
        return f'url("{asset_url(file)}")'

    return _URL.sub(named, css), found


def _inside(folder: Path, name: str) -> Path | None:
    """Return the file of a folder that has this name; None for what is elsewhere, or none."""
    if ":" in name or name.startswith(("/", "#")):
        return None
    try:
        path = (folder / name.strip()).resolve()
    except (ValueError, OSError):  # a name that no file can have
        return None
    known = path.suffix.lower() in KINDS and path.is_relative_to(folder.resolve())
    return path if known and path.is_file() else None


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path} is too large for a theme")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
