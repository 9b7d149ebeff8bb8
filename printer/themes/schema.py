"""What a theme.toml may say: its tables as checked values, so that nothing else reaches CSS."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from ..errors import UsageError

#: No theme.toml, template or style sheet of a sound theme is larger.
MOST_BYTES = 1_000_000

Name: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]

#: A font family; no quote, bracket or backslash can be in it.
Family: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[\w][\w .&+-]{0,59}$")]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Page(_Table):
    """The page: sizes in points, margins as fractions of the paper's width and height.

    ``measure`` is the length of a line in characters, ``leading`` the distance of lines in sizes
    of the type, ``gap`` the space between columns in the same, ``gutter`` what is added to the
    inner margin of a sheet printed on both sides, as a fraction of the width.
    ``pictures`` is a scale for all pictures.  Every line of a multiple of ``line_numbers`` is
    numbered in the margin; 0 is none.
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
    """Families by what they are for, the best first; ``style`` says which other scripts take."""

    text: tuple[Family, ...] = ()
    headings: tuple[Family, ...] = ()
    bold: tuple[Family, ...] = ()
    code: tuple[Family, ...] = ()
    style: Literal["serif", "sans"] = "serif"


class Device(_Table):
    """A page that a theme knows by name: a device's screen, or a paper."""

    size: Annotated[str, Field(max_length=40)]
    description: Annotated[str, Field(max_length=80)] = ""
    font_size: Annotated[float | None, Field(ge=5, le=48)] = None
    margin: Annotated[str, Field(max_length=60)] = ""


class Variable(_Table):
    """A value that ``--set`` may change: ``--NAME`` in CSS, ``data-NAME`` on the root element."""

    kind: Literal["length", "number", "color", "choice", "switch"]
    value: str | float | bool
    choices: tuple[Name, ...] = ()
    least: float = 0.0
    most: float = 1000.0
    description: Annotated[str, Field(max_length=120)] = ""

    def css(self, text: str) -> str:
        """Return a value as CSS writes it; raises ValueError for one of another kind."""
        read = {"choice": self._choice, "switch": _switch, "color": _color}
        if self.kind in read:
            return read[self.kind](text)
        match = re.fullmatch(r"(-?[0-9]{1,5}(?:\.[0-9]{1,4})?)(mm|cm|in|pt|em|rem|px|)", text)
        unit = "a length such as 3mm" if self.kind == "length" else "a number"
        if match is None or bool(match[2]) != (self.kind == "length"):
            raise ValueError(f"should be {unit}")
        if not self.least <= float(match[1]) <= self.most:
            raise ValueError(f"should be from {self.least:g} to {self.most:g}")
        return text

    def _choice(self, text: str) -> str:
        if text not in self.choices:
            raise ValueError(f"should be one of {', '.join(self.choices)}")
        return text


class ThemeFile(_Table):
    """A whole theme.toml."""

    description: Annotated[str, Field(max_length=200)] = ""
    extends: Annotated[str, Field(max_length=200)] = ""
    page: Page = Page()
    fonts: Fonts = Fonts()
    papers: Annotated[dict[Name, Device], Field(max_length=100)] = {}
    variables: Annotated[dict[Name, Variable], Field(max_length=100)] = {}


def parse_theme(table: dict[str, Any], file: Path) -> ThemeFile:
    """Return a theme.toml's content as values; raises :class:`UsageError` naming the fault."""
    try:
        read = ThemeFile(**table)
        for name, variable in read.variables.items():
            _check_default(name, variable)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"]))
        if fault["type"] == "extra_forbidden":
            known = [*ThemeFile.model_fields, *Page.model_fields, *Fonts.model_fields]
            near = get_close_matches(str(fault["loc"][-1]), known, 1)
            hint = f"Did you mean {near[0]}?" if near else ""
            raise UsageError(f"{file}: unknown key {place}", hint=hint) from error
        raise UsageError(f"{file}: {place}: {_lower(fault['msg'])}") from error
    except ValueError as error:
        raise UsageError(f"{file}: {error}") from error
    return read


def format_value(value: str | float | bool) -> str:
    """Return a value of TOML as one of ``--set`` is written."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, int | float) else value.strip()


def _check_default(name: str, variable: Variable) -> None:
    try:
        variable.css(format_value(variable.value))
    except ValueError as error:
        raise ValueError(f"variables.{name}.value {error}") from error


def _switch(text: str) -> str:
    if text not in ("on", "off"):
        raise ValueError("should be on or off")
    return text


def _color(text: str) -> str:
    if not re.fullmatch(r"#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}|[a-z]{3,20}", text):
        raise ValueError("should be a colour such as #333 or teal")
    return text


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
