"""Themes: folders with theme.toml, templates and print.css.

A theme is given by its name or by the path of its folder.  Names are looked up in the user's folder
first, then among the built-in themes.  A theme inherits from the one it extends: tables of
theme.toml key by key, templates file by file; its print.css is appended to the inherited one.
Only values of theme.toml that its schema has checked reach CSS.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from .. import files
from ..errors import UsageError
from ..files import os_errors
from ..output import Asset
from ..settings import config_folder
from ..text import did_you_mean

#: The theme that provides missing templates.
BASE_THEME = "article"


def user_folder() -> Path:
    """Return the folder of the user's themes, whether or not it exists."""
    return config_folder() / "themes"


#: The folders of the built-in themes: in the installed package, or next to it in the repository.
BUILTIN_FOLDERS = (
    Path(__file__).resolve().parents[1] / "templates",
    Path(__file__).resolve().parents[2] / "templates",
)


def builtin_folder() -> Path:
    return next((folder for folder in BUILTIN_FOLDERS if folder.is_dir()), BUILTIN_FOLDERS[-1])


def theme_names() -> list[str]:
    """Return the names of all themes, including the user's."""
    folders = (user_folder(), builtin_folder())
    return sorted({file.parent.name for folder in folders for file in folder.glob("*/theme.toml")})


def all_themes() -> Iterator[Theme]:
    yield from map(load_theme, theme_names())


#: The longest chain of themes that extend one another.
MAX_DEPTH = 8


def load_theme(name: str) -> Theme:
    """Load a theme by its name, or by its path if it has a slash; raise :class:`UsageError`."""
    tables: list[dict[str, Any]] = []
    folders: list[Path] = []
    extended = name
    while extended or not folders:
        if len(folders) == MAX_DEPTH:
            raise UsageError(f"theme {name[:40]!r} extends itself, or too many others")
        folder = _find_folder(extended, folders)
        file = folder / "theme.toml"
        try:
            table = files.parse_toml_bytes(_read_file(file))
        except files.TomlError as error:
            raise UsageError(f"{file} is not valid TOML: {error}") from error
        folders.append(folder)
        tables.append(table)
        extended = parse_theme(table, file).extends
    merged = dict(parse_theme(_merge(tables), folders[0] / "theme.toml"))
    merged["description"] = tables[0].get("description", "")
    return Theme(name=folders[0].name, folders=tuple(folders), **merged)


def _find_folder(name: str, used: list[Path]) -> Path:
    """Return a theme's unused folder, so that a user's ``article`` can extend the built-in one."""
    if "/" in name or os.sep in name:
        folder = Path(name).expanduser()
        if used and not folder.is_absolute():
            folder = used[-1] / folder
        if not (folder / "theme.toml").is_file():
            raise UsageError(f"there is no theme in {name[:100]!r}", hint="It has no theme.toml")
        return folder.resolve()
    names = theme_names()
    for parent in (user_folder(), builtin_folder()):
        folder = (parent / name).resolve()
        if name in names and folder not in used and (folder / "theme.toml").is_file():
            return folder
    hint = did_you_mean(name, names) or f"Themes: {', '.join(names)}"
    raise UsageError(f"there is no theme {name[:40]!r}", hint=hint)


def _read_file(file: Path, max_bytes: int = files.MAX_TOML_BYTES) -> bytes:
    with os_errors(UsageError, f"{file} cannot be read"):
        return files.read_bounded(file, max_bytes)


def _merge(tables: list[dict[str, Any]]) -> dict[str, Any]:
    """Merge tables key by key; earlier ones take precedence."""
    merged: dict[str, Any] = {}
    for table in reversed(tables):
        for key, value in table.items():
            are_tables = isinstance(value, dict) and isinstance(merged.get(key), dict)
            merged[key] = _merge([value, merged[key]]) if are_tables else value
    merged.pop("extends", None)
    return merged


Name: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]

#: A font family, which cannot contain quotes, brackets or backslashes.
FontFamily: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[\w][\w .&+-]{0,59}$")]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class ThemePage(_Table):
    """The page of a theme.

    ``font_size`` is in points and ``leading`` in ems; ``measure`` is the length of a line in
    characters, ``gap`` the space between columns in ems.  The margins (``side``, ``top``,
    ``bottom``) and ``gutter``, which is added to the inner margin in duplex printing, are fractions
    of the width or height of the paper.  ``pictures`` scales all pictures.  Every
    ``line_numbers``-th line is numbered in the margin (0: none).
    """

    paper: Annotated[str, Field(max_length=40)] = ""
    font_size: Annotated[float, Field(ge=5, le=48)] = 12
    leading: Annotated[float, Field(ge=1, le=3)] = 1.375
    measure: Annotated[float, Field(ge=20, le=200)] = 70
    columns: Annotated[int, Field(ge=1, le=4)] = 1
    gap: Annotated[float, Field(ge=0.5, le=6)] = 1.75
    side: Annotated[float, Field(ge=0, le=0.4)] = 0.11
    top: Annotated[float, Field(ge=0, le=0.4)] = 0.1
    bottom: Annotated[float, Field(ge=0, le=0.4)] = 0.11
    gutter: Annotated[float, Field(ge=0, le=0.2)] = 0.03
    chapters: Literal["any", "right"] = "any"
    pictures: Annotated[float, Field(ge=0.1, le=1)] = 1.0
    line_numbers: Annotated[int, Field(ge=0, le=100)] = 0


class Fonts(_Table):
    """Font families by role, best first; ``style`` is the style for other scripts."""

    text: tuple[FontFamily, ...] = ()
    headings: tuple[FontFamily, ...] = ()
    bold: tuple[FontFamily, ...] = ()
    code: tuple[FontFamily, ...] = ()
    style: Literal["serif", "sans"] = "serif"


class Device(_Table):
    """A named page size: the screen of a device, or a paper.

    ``size`` and ``margin`` are written as for ``--paper`` and ``--margin``; ``font_size`` is in
    points.
    """

    size: Annotated[str, Field(max_length=40)]
    description: Annotated[str, Field(max_length=80)] = ""
    font_size: Annotated[float | None, Field(ge=5, le=48)] = None
    margin: Annotated[str, Field(max_length=60)] = ""


_NUMBER = re.compile(r"(-?[0-9]{1,5}(?:\.[0-9]{1,4})?)(mm|cm|in|pt|em|rem|px|)")
_COLOR = re.compile(r"#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}|[a-z]{3,20}")


class Variable(_Table):
    """A value for ``--set``: ``--NAME`` in CSS and ``data-NAME`` on the root element.

    ``choices`` are the values of a 'choice'; ``least`` and ``most`` bound a number, or a length in
    the unit that is given.
    """

    kind: Literal["length", "number", "color", "choice", "switch"]
    value: str | float | bool
    choices: tuple[Name, ...] = ()
    least: float = 0.0
    most: float = 1000.0
    description: Annotated[str, Field(max_length=120)] = ""

    def css(self, text: str) -> str:
        """Return a value as CSS; raise ValueError if it is not of the variable's kind."""
        match self.kind:
            case "choice" if text not in self.choices:
                raise ValueError(f"should be one of {', '.join(self.choices)}")
            case "switch" if text not in ("on", "off"):
                raise ValueError("should be on or off")
            case "color" if not _COLOR.fullmatch(text):
                raise ValueError("should be a color such as #333 or teal")
            case "length" | "number":
                self._check_number(text)
        return text

    def _check_number(self, text: str) -> None:
        match = _NUMBER.fullmatch(text)
        is_length = self.kind == "length"
        if match is None or bool(match[2]) != is_length:
            raise ValueError(f"should be {'a length such as 3mm' if is_length else 'a number'}")
        if not self.least <= float(match[1]) <= self.most:
            raise ValueError(f"should be from {self.least:g} to {self.most:g}")


class ThemeFile(_Table):
    """The content of theme.toml."""

    description: Annotated[str, Field(max_length=200)] = ""
    extends: Annotated[str, Field(max_length=200)] = ""
    page: ThemePage = ThemePage()
    fonts: Fonts = Fonts()
    papers: Annotated[dict[Name, Device], Field(max_length=100)] = {}
    variables: Annotated[dict[Name, Variable], Field(max_length=100)] = {}


class Theme(ThemeFile):
    """A theme with inherited values; ``folders`` has its own, then those of themes it extends."""

    name: str
    folders: tuple[Path, ...]

    @property
    def css(self) -> str:
        """The theme's style sheets, inherited ones first."""
        return "\n".join(css for css, _ in self._stylesheets())

    @property
    def files(self) -> dict[str, Asset]:
        """The fonts and pictures that the style sheets refer to, by URL."""
        return {url: file for _, files in self._stylesheets() for url, file in files.items()}

    def _stylesheets(self) -> Iterator[tuple[str, dict[str, Asset]]]:
        for folder in reversed(self.folders):
            if (folder / "print.css").is_file():
                css = _read_file(folder / "print.css").decode("utf-8", "replace")
                yield link_theme_files(css, folder)


def parse_theme(table: dict[str, Any], file: Path) -> ThemeFile:
    """Validate the content of a theme.toml; raise UsageError with the file and the error."""
    try:
        theme = ThemeFile(**table)
        for name, variable in theme.variables.items():
            try:
                variable.css(format_value(variable.value))
            except ValueError as error:
                raise UsageError(f"{file}: variables.{name}.value {error}") from error
    except ValidationError as error:
        fault = error.errors()[0]
        location = ".".join(map(str, fault["loc"]))
        if fault["type"] == "extra_forbidden":
            fields = [*ThemeFile.model_fields, *ThemePage.model_fields, *Fonts.model_fields]
            hint = did_you_mean(str(fault["loc"][-1]), fields)
            raise UsageError(f"{file}: unknown key {location}", hint=hint) from error
        reason = f"{fault['msg'][:1].lower()}{fault['msg'][1:]}"
        raise UsageError(f"{file}: {location}: {reason}") from error
    return theme


def format_value(value: str | float | bool) -> str:
    """Return a TOML value as written for ``--set``."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, int | float) else value.strip()


@dataclass(frozen=True, slots=True)
class Assets:
    """Assets by URLs derived from their content, so that identical ones are embedded once."""

    by_url: Mapping[str, Asset] = field(default_factory=dict)

    @classmethod
    def of(cls, assets: Iterable[Asset]) -> Assets:
        return cls({asset_url(asset): asset for asset in assets})


def asset_url(asset: Asset) -> str:
    extension = asset.media_type.rpartition("/")[2].partition("+")[0]
    return f"asset:{sha256(asset.data).hexdigest()[:32]}.{extension}"


#: Media types of the other files allowed in a theme, by extension.
MEDIA_TYPES = {
    ".ttf": "font/ttf", ".otf": "font/otf", ".woff": "font/woff", ".woff2": "font/woff2",
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".svg": "image/svg+xml",
}  # fmt: skip
#: The maximum number of bytes of a theme's file; Chinese fonts come close.
_MAX_FILE_BYTES = 30_000_000
_URL = re.compile(r"""url\(\s{0,20}(["']?)([^"'()\\\n]{1,300})\1\s{0,20}\)""", re.IGNORECASE)


def link_theme_files(css: str, folder: Path) -> tuple[str, dict[str, Asset]]:
    """Return a style sheet with the files of a folder linked as assets, and these assets by URL.

    Those named with ``url()`` outside of the folder are left unlinked, and refused later.
    """
    assets: dict[str, Asset] = {}

    def replace_url(match: re.Match[str]) -> str:
        path = _find_file(folder, match[2])
        if path is None:
            return match[0]
        file = Asset(_read_file(path, _MAX_FILE_BYTES), MEDIA_TYPES[path.suffix.lower()])
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
