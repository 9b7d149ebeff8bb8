"""Themes with the validated values of ``--set NAME=VALUE`` applied, and their families of fonts.

The families are the theme's for Latin, Greek and Cyrillic, Noto for all other scripts.  The first
family of a list determines the line height, the spaces and the punctuation, so the family of a
script precedes the theme's, which is used for foreign words.  No emoji family is listed, as it
would also be used for digits and spaces; Pango finds one by itself where it is needed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..errors import UsageError
from ..options import PrintOptions
from ..settings import plain_message
from ..text import did_you_mean
from .loader import FontFamily, Fonts, Theme, ThemePage, format_value, load_theme


@dataclass(frozen=True, slots=True)
class StyledTheme:
    """A theme with the user's fonts, all variables as CSS, and the names that were set."""

    theme: Theme
    font: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    chosen: frozenset[str] = frozenset()


def apply_options(options: PrintOptions) -> StyledTheme:
    """Return the theme with the options applied; raise UsageError if any is unknown or invalid."""
    return _apply(options.theme, tuple(options.theme_options))


#: The option of every theme besides its own variables and the keys of its page.
FONT = "font"


@lru_cache(maxsize=8)
def _apply(theme_name: str, assignments: tuple[str, ...]) -> StyledTheme:
    theme = load_theme(theme_name)
    values = {name: format_value(variable.value) for name, variable in theme.variables.items()}
    font: tuple[str, ...] = ()
    page: dict[str, str] = {}
    changed = set()
    for assignment in assignments:
        name, equals, value = (part.strip() for part in assignment.partition("="))
        if not equals:
            raise UsageError(f"--set {assignment[:40]!r} has no =", hint="Use --set NAME=VALUE")
        changed.add(name)
        key = name.replace("-", "_")
        if name == FONT:
            font = tuple(map(_check_family, value.split(",")))
        elif key in ThemePage.model_fields:
            page[key] = value
        elif name in theme.variables:
            values[name] = _check_variable(theme, name, value)
        else:
            settable = settable_names(theme)
            hint = did_you_mean(name, settable) or f"It has {', '.join(settable)}"
            raise UsageError(f"theme {theme.name} has no option {name[:40]!r}", hint=hint)
    theme = theme.model_copy(update={"page": _update_page(theme.page, page)})
    return StyledTheme(theme, font, tuple(values.items()), frozenset(changed))


def settable_names(theme: Theme) -> list[str]:
    return [FONT, *theme.variables, *(name.replace("_", "-") for name in ThemePage.model_fields)]


_FONT_FAMILY: TypeAdapter[str] = TypeAdapter(FontFamily)


def _check_family(text: str) -> str:
    try:
        return _FONT_FAMILY.validate_python(text.strip().strip("'\""))
    except ValidationError as error:
        raise UsageError(f"--set font: {text[:40]!r} is not the name of a font") from error


def _check_variable(theme: Theme, name: str, value: str) -> str:
    try:
        return theme.variables[name].css(value)
    except ValueError as error:
        raise UsageError(f"--set {name}: {value[:40]!r} {error}") from error


def _update_page(page: ThemePage, values: dict[str, str]) -> ThemePage:
    if not values:
        return page
    try:
        return ThemePage(**{**page.model_dump(), **values})
    except ValidationError as error:
        fault = error.errors()[0]
        name = str(fault["loc"][0]).replace("_", "-")
        raise UsageError(f"--set {name}: {plain_message(fault['msg'])}") from error


@cache
def _families() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("fonts.toml").read_text("utf-8"))


def build_font_css(fonts: Fonts, chosen_families: tuple[str, ...]) -> str:
    """Return CSS with the families in ``--book``, ``--head``, ``--bold`` and ``--mono``.

    Style sheets append ``--other`` to each of the first three.  The user's ``chosen_families``
    precede those of every language.
    """
    fallbacks = _families()["fallbacks"]
    generic = "serif" if fonts.style == "serif" else "sans-serif"
    other = _list((*fallbacks[fonts.style], *fallbacks["symbols"]))
    mono = _list((*fonts.code, *fallbacks["code"]))
    roles = {
        "book": fonts.text,
        "head": fonts.headings or fonts.text,
        "bold": fonts.text if chosen_families else fonts.bold or fonts.text,
    }
    lists = {role: _list((*chosen_families, *families)) for role, families in roles.items()}
    lists |= {"other": f"{other}, {generic}", "mono": f"{mono}, monospace"}
    rules = [_rule(":root", lists)]
    for script in _families()["scripts"]:
        lists = {
            role: _list((*chosen_families, script[fonts.style], *families))
            for role, families in roles.items()
        }
        if "mono" in script:
            mono = _list((*fonts.code, fallbacks["code"][0], script["mono"]))
            lists["mono"] = f"{mono}, monospace"
        rules.append(_rule(", ".join(f":lang({tag})" for tag in script["languages"]), lists))
    return "\n".join(rules)


def script_families() -> tuple[str, ...]:
    """Return the families for all scripts, for symbols, code and emoji."""
    fallbacks = _families()["fallbacks"]
    keys = ("serif", "sans", "mono")
    scripts = (script[key] for script in _families()["scripts"] for key in keys if key in script)
    latin = (fallbacks["serif"][0], fallbacks["sans"][0], fallbacks["code"][0])
    return tuple(dict.fromkeys((*latin, *scripts, *fallbacks["symbols"], "Noto Color Emoji")))


def debian_package(family: str) -> str:
    """Return the Debian package of a font family, or '' if it is unknown."""
    packages = _families()["packages"].items()
    return next((package for prefix, package in packages if family.startswith(prefix)), "")


def _rule(selector: str, values: dict[str, str]) -> str:
    return f"{selector} {{ {'; '.join(f'--{name}: {value}' for name, value in values.items())} }}"


def _list(families: Iterable[str]) -> str:
    return ", ".join(f'"{family}"' for family in dict.fromkeys(families))
