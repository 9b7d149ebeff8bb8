"""Command-line options made from the settings, so that no command repeats them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, Literal, get_origin

import typer

from .. import config


def with_settings(*panels: config.Stage) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of some panels, and the loaded settings as ``loaded``.

    The command must have a parameter ``loaded``; in its place it gets an option a setting.  An
    option that was not given leaves the setting to the layers below the command line.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        shown = [name for name, _, notes in config.fields() if notes["stage"] in panels]
        signature = inspect.signature(command, eval_str=True)
        own = [p for p in signature.parameters.values() if p.name != "loaded"]

        @functools.wraps(command)
        def wrapper(**values: Any) -> None:
            given = {name: values.pop(name) for name in shown}
            given = {name: value for name, value in given.items() if value not in (None, [], ())}
            command(loaded=config.load(given), **values)

        options = [_parameter(*field) for field in config.fields() if field[0] in shown]
        wrapper.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
        wrapper.__annotations__ = {p.name: p.annotation for p in (*own, *options)}
        return wrapper

    return decorate


def _parameter(name: str, field: Any, notes: Any) -> inspect.Parameter:
    kind = field.annotation
    flag = "--" + name.replace("_", "-")
    default = field.default
    names = [flag]
    text = field.description
    if kind is bool:
        names = [f"{flag}/--no-{flag[2:]}"] if default else [flag]
    elif default not in ("", ()):
        text += f" ({default:g} by default)" if kind is float else f" ({default} by default)"
    if "short" in notes:
        names.append(notes["short"])
    if get_origin(kind) is tuple:
        kind = list[str]
    option = typer.Option(
        *names,
        help=text,
        show_default=False,
        rich_help_panel=notes["stage"],
        metavar=None if kind is bool or get_origin(kind) is Literal else name.upper(),
    )
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, option],
    )
