"""The schema of theme.toml; only values it has checked reach CSS."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from ..errors import UsageError

#: The most bytes of a theme.toml or style sheet.
MAX_BYTES = 1_000_000

Name: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]

#: A font family, which cannot contain quotes, brackets or backslashes.
FontFamily: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[\w][\w .&+-]{0,59}$")]


_NUMBER = re.compile(r"(-?[0-9]{1,5}(?:\.[0-9]{1,4})?)(mm|cm|in|pt|em|rem|px|)")
_COLOR = re.compile(r"#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}|[a-z]{3,20}")


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Page(_Table):
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
    """A named page size: the screen of a device, or a paper."""

    size: Annotated[str, Field(max_length=40)]
    description: Annotated[str, Field(max_length=80)] = ""
    font_size: Annotated[float | None, Field(ge=5, le=48)] = None
    margin: Annotated[str, Field(max_length=60)] = ""


class Variable(_Table):
    """A value for ``--set``: ``--NAME`` in CSS and ``data-NAME`` on the root element."""

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
                raise ValueError("should be a colour such as #333 or teal")
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
    page: Page = Page()
    fonts: Fonts = Fonts()
    papers: Annotated[dict[Name, Device], Field(max_length=100)] = {}
    variables: Annotated[dict[Name, Variable], Field(max_length=100)] = {}


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
        place = ".".join(map(str, fault["loc"]))
        if fault["type"] == "extra_forbidden":
            known = [*ThemeFile.model_fields, *Page.model_fields, *Fonts.model_fields]
            near = get_close_matches(str(fault["loc"][-1]), known, 1)
            hint = f"Did you mean {near[0]}?" if near else ""
            raise UsageError(f"{file}: unknown key {place}", hint=hint) from error
        reason = f"{fault['msg'][:1].lower()}{fault['msg'][1:]}"
        raise UsageError(f"{file}: {place}: {reason}") from error
    return theme


def format_value(value: str | float | bool) -> str:
    """Return a TOML value as written for ``--set``."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, int | float) else value.strip()
