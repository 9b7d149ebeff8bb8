"""The list of themes, for ``webprint themes``."""

from __future__ import annotations

from collections.abc import Iterator

from ..themes.loader import Theme, all_themes
from ..themes.options import FONT
from ..themes.schema import Page, format_value


def lines() -> Iterator[str]:
    """Yield the themes a line each, with the papers they know and what can be set in them."""
    for theme in all_themes():
        yield f"{theme.name:14} {theme.description}"
        for name, device in theme.papers.items():
            yield f"{'':14} --paper {name:22} {device.description or device.size}"
        yield from _variables(theme)
    names = " ".join(name.replace("_", "-") for name in Page.model_fields)
    yield f"\nAll take --set {FONT}=... and the values of a page: {names}"


def _variables(theme: Theme) -> Iterator[str]:
    for name, variable in theme.variables.items():
        kinds = "|".join(variable.choices) or ("on|off" if variable.kind == "switch" else "")
        kinds = kinds or variable.kind.upper()
        told = f"{variable.description} ({format_value(variable.value)})".strip()
        yield f"{'':14} --set {name + '=' + kinds:20} {told}"
