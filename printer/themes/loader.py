"""Themes: a folder with theme.toml, templates and print.css says how an article is set.

A theme is named, or given as the path of its folder.  A name is looked for in the user's folder
first, then among our own.  What a theme does not say itself it takes from the one it extends: the
tables of theme.toml key by key, templates file by file, and its print.css comes after the other's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from .. import toml_loader
from ..errors import UsageError
from ..output import Picture
from .assets import with_files
from .schema import MOST_BYTES, Device, Fonts, Page, Variable, parse_theme

#: Where our own themes lie: inside the installed package, or beside it in the repository.
PLACES = (
    Path(__file__).resolve().parents[1] / "templates",
    Path(__file__).resolve().parents[2] / "templates",
)

#: The theme whose templates stand in for those that a theme has not.
BASE = "article"

#: How many themes may extend one another in a row.
DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Theme:
    """A theme with what it inherits; ``folders`` are its own first, then those it extends."""

    name: str
    description: str
    folders: tuple[Path, ...]
    page: Page
    fonts: Fonts
    papers: dict[str, Device]
    variables: dict[str, Variable]

    @property
    def css(self) -> str:
        """The style sheets of the theme, those it extends first."""
        return "\n".join(css for css, _ in self._sheets())

    @property
    def files(self) -> dict[str, Picture]:
        """The fonts and pictures that its style sheets name, by the address they have there."""
        return {name: file for _, files in self._sheets() for name, file in files.items()}

    def _sheets(self) -> Iterator[tuple[str, dict[str, Picture]]]:
        for folder in reversed(self.folders):
            if (folder / "print.css").is_file():
                yield with_files(_text(folder / "print.css"), folder)


def user_folder() -> Path:
    """Return the folder of the user's own themes, whether or not it exists."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "webprint" / "themes"


def theme_names() -> list[str]:
    """Return the names of the themes there are, the user's among them."""
    places = (user_folder(), builtin_folder())
    return sorted({file.parent.name for place in places for file in place.glob("*/theme.toml")})


def load_theme(name: str) -> Theme:
    """Read a theme by name, or by path when ``name`` has a slash.

    Raises :class:`UsageError` for an unknown name (listing the known ones) and for a theme.toml
    that cannot be read, naming the file and the fault.
    """
    tables: list[dict[str, Any]] = []
    folders: list[Path] = []
    wanted = name
    while wanted:
        if len(folders) == DEEPEST:
            raise UsageError(f"theme {name[:40]!r} extends itself, or too many others")
        folder = _find(wanted, folders)
        file = folder / "theme.toml"
        table = _table(file)
        folders.append(folder)
        tables.append(table)
        wanted = parse_theme(table, file).extends
    whole = parse_theme(_merged(tables), folders[0] / "theme.toml")
    own = tables[0].get("description", "")
    return Theme(
        folders[0].name, own, tuple(folders), whole.page, whole.fonts, whole.papers, whole.variables
    )


def builtin_folder() -> Path:
    """Return the folder of our own themes."""
    return next((place for place in PLACES if place.is_dir()), PLACES[-1])


def _find(name: str, passed: list[Path]) -> Path:
    """Return a theme's folder; one of the folders passed already is not it.

    So a user's ``article`` may extend ``article``, ours.
    """
    if "/" in name or os.sep in name:
        folder = Path(name).expanduser()
        if passed and not folder.is_absolute():
            folder = passed[-1] / folder
        if not (folder / "theme.toml").is_file():
            raise UsageError(f"there is no theme in {name[:100]!r}", hint="It has no theme.toml")
        return folder.resolve()
    for place in (user_folder(), builtin_folder()):
        folder = (place / name).resolve()
        if name in theme_names() and folder not in passed and (folder / "theme.toml").is_file():
            return folder
    known = theme_names()
    near = get_close_matches(name, known, 1)
    hint = f"Did you mean {near[0]}?" if near else f"Themes: {', '.join(known)}"
    raise UsageError(f"there is no theme {name[:40]!r}", hint=hint)


def _table(file: Path) -> dict[str, Any]:
    try:
        return toml_loader.parse(_text(file))
    except toml_loader.TomlError as error:
        raise UsageError(f"{file} is not valid TOML: {error}") from error


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise UsageError(f"{file} is too large for a theme")
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"{file} cannot be read: {reason}") from error


def _merged(tables: list[dict[str, Any]]) -> dict[str, Any]:
    """Return tables as one, those further on giving way key by key."""
    whole: dict[str, Any] = {}
    for table in reversed(tables):
        for key, value in table.items():
            inner = isinstance(value, dict) and isinstance(whole.get(key), dict)
            whole[key] = _merged([value, whole[key]]) if inner else value
    whole.pop("extends", None)
    return whole


def all_themes() -> Iterator[Theme]:
    """Yield all themes by name."""
    yield from (load_theme(name) for name in theme_names())
