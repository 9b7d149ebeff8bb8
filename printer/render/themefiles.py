"""A theme's own fonts and pictures: files of its folder that its print.css names with url().

They reach the layout as assets, as prepared pictures do, under the name of what is in them; an
address that leads out of the folder stays as it is, and is refused when it is asked for.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import UsageError
from ..output import Picture
from ..themes.assets import asset_url

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
