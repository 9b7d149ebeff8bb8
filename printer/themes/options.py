"""A theme with what a person set on top, ``--set NAME=VALUE``: each value checked by its kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache

from pydantic import TypeAdapter, ValidationError

from ..errors import UsageError
from ..options import PrintOptions
from .fonts import font_css
from .loader import Theme, load_theme
from .schema import Family, Page, format_value

_FAMILY: TypeAdapter[str] = TypeAdapter(Family)

#: What every theme lets be set besides its own variables: the font, and all of its page.
FONT = "font"


@dataclass(frozen=True, slots=True)
class StyledTheme:
    """A theme as it is to be printed.

    ``font`` holds the families asked for, ``values`` the theme's variables as CSS writes them.
    """

    theme: Theme
    font: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()

    @property
    def faces(self) -> str:
        """The CSS that names the typefaces."""
        return font_css(self.theme.fonts, self.font)


def apply_options(options: PrintOptions) -> StyledTheme:
    """Return the theme of these options; an unknown or wrong value is a :class:`UsageError`."""
    return _styled(options.theme, tuple(options.theme_options))


@lru_cache(maxsize=8)
def _styled(name: str, assignments: tuple[str, ...]) -> StyledTheme:
    theme = load_theme(name)
    values = {name: format_value(each.value) for name, each in theme.variables.items()}
    font: tuple[str, ...] = ()
    page: dict[str, str] = {}
    for assignment in assignments:
        name, equals, value = (part.strip() for part in assignment.partition("="))
        if not equals:
            raise UsageError(f"--set {assignment[:40]!r} has no =", hint="Use --set NAME=VALUE")
        key = name.replace("-", "_")
        if name == FONT:
            font = tuple(_family(each) for each in value.split(","))
        elif key in Page.model_fields:
            page[key] = value
        elif name in theme.variables:
            values[name] = _variable(theme, name, value)
        else:
            raise UsageError(
                f"theme {theme.name} has no {name[:40]!r} to set", hint=_near(theme, name)
            )
    return StyledTheme(replace(theme, page=_page(theme.page, page)), font, tuple(values.items()))


def settable_names(theme: Theme) -> list[str]:
    """Return the names that ``--set`` takes for a theme."""
    return [FONT, *theme.variables, *(name.replace("_", "-") for name in Page.model_fields)]


def _near(theme: Theme, name: str) -> str:
    known = settable_names(theme)
    near = get_close_matches(name, known, 1)
    return f"Did you mean {near[0]}?" if near else f"It has {', '.join(known)}"


def _family(text: str) -> str:
    try:
        return _FAMILY.validate_python(text.strip().strip("'\""))
    except ValidationError as error:
        raise UsageError(f"--set font: {text[:40]!r} is not the name of a font") from error


def _variable(theme: Theme, name: str, value: str) -> str:
    try:
        return theme.variables[name].css(value)
    except ValueError as error:
        raise UsageError(f"--set {name}: {value[:40]!r} {error}") from error


def _page(page: Page, values: dict[str, str]) -> Page:
    if not values:
        return page
    try:
        return Page(**{**page.model_dump(), **values})
    except ValidationError as error:
        fault = error.errors()[0]
        name = str(fault["loc"][0]).replace("_", "-")
        raise UsageError(f"--set {name}: {fault['msg'][:1].lower()}{fault['msg'][1:]}") from error
