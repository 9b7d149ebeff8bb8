"""Themes: folders with theme.toml, templates and print.css.

A theme is given by its name or by the path of its folder.  Names are looked up in the user's folder
first, then among the built-in themes.  A theme inherits from the one it extends: tables of
theme.toml key by key, templates file by file; its print.css is appended to the inherited one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from .. import files
from ..errors import UsageError
from ..output import Picture
from .assets import link_theme_files
from .schema import MAX_BYTES, Device, Fonts, Page, Variable, parse_theme

#: The folders of the built-in themes: in the installed package, or next to it in the repository.
BUILTIN_FOLDERS = (
    Path(__file__).resolve().parents[1] / "templates",
    Path(__file__).resolve().parents[2] / "templates",
)

#: The theme that provides missing templates.
BASE_THEME = "article"

#: The longest chain of themes that extend one another.
MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Theme:
    """A theme with inherited values; ``folders`` has its own, then those of themes it extends."""

    name: str
    description: str
    folders: tuple[Path, ...]
    page: Page
    fonts: Fonts
    papers: dict[str, Device]
    variables: dict[str, Variable]

    @property
    def css(self) -> str:
        """The theme's style sheets, inherited ones first."""
        return "\n".join(css for css, _ in self._stylesheets())

    @property
    def files(self) -> dict[str, Picture]:
        """The fonts and pictures that the style sheets refer to, by URL."""
        return {url: file for _, files in self._stylesheets() for url, file in files.items()}

    def _stylesheets(self) -> Iterator[tuple[str, dict[str, Picture]]]:
        for folder in reversed(self.folders):
            if (folder / "print.css").is_file():
                yield link_theme_files(_read_text(folder / "print.css"), folder)


def user_folder() -> Path:
    """Return the folder of the user's themes, whether or not it exists."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "webprint" / "themes"


def builtin_folder() -> Path:
    """Return the folder of the built-in themes."""
    return next((folder for folder in BUILTIN_FOLDERS if folder.is_dir()), BUILTIN_FOLDERS[-1])


def theme_names() -> list[str]:
    """Return the names of all themes, including the user's."""
    folders = (user_folder(), builtin_folder())
    return sorted({file.parent.name for folder in folders for file in folder.glob("*/theme.toml")})


def all_themes() -> Iterator[Theme]:
    """Yield all themes by name."""
    yield from map(load_theme, theme_names())


def load_theme(name: str) -> Theme:
    """Load a theme by its name, or by its path if ``name`` contains a slash.

    Raises:
        UsageError: The name is unknown, or a theme.toml is invalid.
    """
    tables: list[dict[str, Any]] = []
    folders: list[Path] = []
    extended = name
    while extended:
        if len(folders) == MAX_DEPTH:
            raise UsageError(f"theme {name[:40]!r} extends itself, or too many others")
        folder = _find_folder(extended, folders)
        file = folder / "theme.toml"
        try:
            table = files.parse_toml(_read_text(file))
        except files.TomlError as error:
            raise UsageError(f"{file} is not valid TOML: {error}") from error
        folders.append(folder)
        tables.append(table)
        extended = parse_theme(table, file).extends
    merged = parse_theme(_merge(tables), folders[0] / "theme.toml")
    return Theme(
        folders[0].name,
        tables[0].get("description", ""),
        tuple(folders),
        merged.page,
        merged.fonts,
        merged.papers,
        merged.variables,
    )


def _find_folder(name: str, used: list[Path]) -> Path:
    """Return the folder of a theme, skipping folders already in use.

    So a user's theme called ``article`` can extend the built-in ``article``.
    """
    if "/" in name or os.sep in name:
        folder = Path(name).expanduser()
        if used and not folder.is_absolute():
            folder = used[-1] / folder
        if not (folder / "theme.toml").is_file():
            raise UsageError(f"there is no theme in {name[:100]!r}", hint="It has no theme.toml")
        return folder.resolve()
    known = theme_names()
    for place in (user_folder(), builtin_folder()):
        folder = (place / name).resolve()
        if name in known and folder not in used and (folder / "theme.toml").is_file():
            return folder
    near = get_close_matches(name, known, 1)
    hint = f"Did you mean {near[0]}?" if near else f"Themes: {', '.join(known)}"
    raise UsageError(f"there is no theme {name[:40]!r}", hint=hint)


def _read_text(file: Path) -> str:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise UsageError(f"{file} is too large for a theme")
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"{file} cannot be read: {reason}") from error


def _merge(tables: list[dict[str, Any]]) -> dict[str, Any]:
    """Merge tables key by key; earlier ones take precedence."""
    merged: dict[str, Any] = {}
    for table in reversed(tables):
        for key, value in table.items():
            both = isinstance(value, dict) and isinstance(merged.get(key), dict)
            merged[key] = _merge([value, merged[key]]) if both else value
    merged.pop("extends", None)
    return merged
