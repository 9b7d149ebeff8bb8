"""Files referred to by documents, under URLs derived from their content.

These are prepared pictures and a theme's fonts and pictures: the files in its folder named with
``url()`` in its print.css.  URLs that lead out of the folder are left unchanged and refused when
WeasyPrint requests them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from ..errors import UsageError
from ..files import os_errors
from ..output import Picture

#: Media types of the other files allowed in a theme, by extension.
MEDIA_TYPES = {
    ".ttf": "font/ttf", ".otf": "font/otf", ".woff": "font/woff", ".woff2": "font/woff2",
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".svg": "image/svg+xml",
}  # fmt: skip

#: The maximum number of bytes of a theme's file; Chinese fonts come close.
MAX_BYTES = 30_000_000

_URL = re.compile(r"""url\(\s{0,20}(["']?)([^"'()\\\n]{1,300})\1\s{0,20}\)""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Assets:
    """Pictures by URL; identical pictures share a URL and are embedded once."""

    pictures: Mapping[str, Picture] = field(default_factory=dict)

    @classmethod
    def of(cls, pictures: Iterable[Picture]) -> Assets:
        return cls({asset_url(picture): picture for picture in pictures})


def asset_url(picture: Picture) -> str:
    extension = picture.media_type.rpartition("/")[2].partition("+")[0]
    return f"asset:{sha256(picture.data).hexdigest()[:32]}.{extension}"


def link_theme_files(css: str, folder: Path) -> tuple[str, dict[str, Picture]]:
    """Return a style sheet with the files of a folder linked as assets, and these assets by URL.

    Raise :class:`UsageError`.
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
    """Return a file by its path relative to a folder, None if it is outside or missing."""
    if ":" in name or name.startswith(("/", "#")):
        return None
    try:
        path = (folder / name.strip()).resolve()
    except (ValueError, OSError):  # not a valid file name
        return None
    is_known = path.suffix.lower() in MEDIA_TYPES and path.is_relative_to(folder.resolve())
    return path if is_known and path.is_file() else None


def _read(path: Path) -> bytes:
    with os_errors(UsageError, f"{path} cannot be read"):
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path} is too large for a theme")
        return path.read_bytes()
