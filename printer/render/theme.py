"""Themes: a folder with theme.toml, templates and print.css says how an article is set."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from jinja2 import FileSystemLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from ..errors import UsageError

#: Where themes lie: inside the installed package, or beside it in the repository.
PLACES = (
    Path(__file__).resolve().parents[1] / "templates",
    Path(__file__).resolve().parents[2] / "templates",
)


@dataclass(frozen=True, slots=True)
class Theme:
    """A theme's name and what its theme.toml asks of the page.

    ``font_size`` is in points, ``measure`` the length of a line in characters, ``side``, ``top``
    and ``bottom`` the least margins as fractions of the paper's width and height.
    """

    name: str
    description: str
    font_size: float
    measure: float
    side: float
    top: float
    bottom: float

    @property
    def css(self) -> Markup:
        """The theme's print.css, fit to stand in a style element."""
        text = (_root() / self.name / "print.css").read_text(encoding="utf-8")
        return Markup(text.replace("</", "<\\/"))  # noqa: S704 - the theme's own file


def names() -> list[str]:
    """Return the names of the themes there are."""
    return sorted(file.parent.name for file in _root().glob("*/theme.toml"))


def load(name: str) -> Theme:
    """Read a theme; an unknown name is a :class:`UsageError` that lists the known ones."""
    known = names()
    if name not in known:
        near = get_close_matches(name, known, 1)
        hint = f"Did you mean {near[0]}?" if near else f"Themes: {', '.join(known)}"
        raise UsageError(f"there is no theme {name[:40]!r}", hint=hint)
    file = _root() / name / "theme.toml"
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        page = {key: float(value) for key, value in table["page"].items()}
        return Theme(name=name, description=str(table["description"]), **page)
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{file} is not a theme: {error}") from error


@cache
def environment() -> ImmutableSandboxedEnvironment:
    """Return the environment templates run in: sandboxed, escaping, and strict about names.

    A template is named with its theme's folder: ``article/blocks.html.j2``.
    """
    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(_root()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _root() -> Path:
    return next((place for place in PLACES if place.is_dir()), PLACES[-1])
