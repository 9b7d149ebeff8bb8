"""Files that a document refers to, by URLs made of their content.

They are prepared pictures, and the fonts and pictures of a theme: files of its folder that its
print.css names with ``url()``.  URLs that lead out of the folder stay as they are, and are refused
when WeasyPrint asks for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from ..errors import UsageError
from ..output import Picture

#: What may be in the folder of a theme beside its templates and style sheet.
MEDIA_TYPES = {
    ".ttf": "font/ttf", ".otf": "font/otf", ".woff": "font/woff", ".woff2": "font/woff2",
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".svg": "image/svg+xml",
}  # fmt: skip

#: Bytes of a file of a theme; Chinese fonts come close.
MAX_BYTES = 30_000_000

_URL = re.compile(r"""url\(\s{0,20}(["']?)([^"'()\\\n]{1,300})\1\s{0,20}\)""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Assets:
    """Pictures by URL; identical bytes have one URL and are embedded once."""

    pictures: Mapping[str, Picture] = field(default_factory=dict)

    @classmethod
    def of(cls, pictures: Iterable[Picture]) -> Assets:
        """Collect pictures."""
        return cls({asset_url(picture): picture for picture in pictures})


def asset_url(picture: Picture) -> str:
    """Return the URL of a picture in a document."""
    extension = picture.media_type.rpartition("/")[2].partition("+")[0]
    return f"asset:{sha256(picture.data).hexdigest()[:32]}.{extension}"


def link_theme_files(css: str, folder: Path) -> tuple[str, dict[str, Picture]]:
    """Return a style sheet that refers to files of a folder as assets, and those by URL.

    Raises:
        UsageError: a file is too large or cannot be read.
    """
    assets: dict[str, Picture] = {}

    def replace_url(match: re.Match[str]) -> str:
        path = _find_file(folder, match[2])
        if path is None:
            return match[0]
        file = Picture(_read(path), MEDIA_TYPES[path.suffix.lower()], 0, 0)
        url = asset_url(file)
        assets[url] = file
        return f'url("{url}")'

    return _URL.sub(replace_url, css), assets


def _find_file(folder: Path, name: str) -> Path | None:
    """Return a file of a folder by its relative path; None if it is elsewhere or missing."""
    if ":" in name or name.startswith(("/", "#")):
        return None
    try:
        path = (folder / name.strip()).resolve()
    except (ValueError, OSError):  # a name that no file can have
        return None
    is_known = path.suffix.lower() in MEDIA_TYPES and path.is_relative_to(folder.resolve())
    return path if is_known and path.is_file() else None


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path} is too large for a theme")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
