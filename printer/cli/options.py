"""Command-line options made from settings and options values, so that no command repeats them."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    get_args,
    get_origin,
    get_type_hints,
)

import typer

from ..errors import MissingLibrary, UsageError
from ..options import Options
from ..pipeline import PageInput, Printer
from ..settings import Settings, Stage, load_settings, setting_fields
from . import output
from .console import Console

if TYPE_CHECKING:
    from ..render.worker_pool import RenderPool


#: Options that several commands have.
AsData: TypeAlias = Annotated[bool, typer.Option("--json", help="Write data for programs.")]
Out: TypeAlias = Annotated[
    str, typer.Option("--out", "-o", help="The file to write instead of stdout.")
]


def with_settings(*panels: Stage) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of some panels, and the loaded settings as ``loaded``.

    The command must have a parameter ``loaded``; in its place it gets an option a setting.  An
    option that was not given leaves the setting to the layers below the command line.  In place of
    a parameter whose type is a value of options the command gets an option for each field made by
    :func:`printer.options.option`, and is called with the value that these make.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        shown = [field for field in setting_fields() if field[2]["stage"] in panels]
        signature = inspect.signature(command, eval_str=True)
        own: list[inspect.Parameter] = []
        values: dict[str, Any] = {}
        for each in signature.parameters.values():
            if each.name != "loaded" and dataclasses.is_dataclass(each.annotation):
                values[each.name] = each.annotation
                own += _of_value(each.annotation)
            elif each.name != "loaded":
                own.append(each)

        @functools.wraps(command)
        def wrapper(**said: Any) -> None:
            given = {name: said.pop(name) for name, _, _ in shown}
            given = {name: value for name, value in given.items() if value not in (None, [], ())}
            made = {name: _value(kind, said) for name, kind in values.items()}
            command(loaded=load_settings(given), **made, **said)

        every = [*own, *(_of_setting(*field) for field in shown)]
        wrapper.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]
        wrapper.__annotations__ = {each.name: each.annotation for each in every}
        return wrapper

    return decorate


def _of_setting(name: str, field: Any, notes: Any) -> inspect.Parameter:
    """Return the option of a setting; None says that it was not given."""
    kind = field.annotation
    flag = "--" + name.replace("_", "-")
    default = field.default
    names = [flag]
    text = field.description
    if kind is bool:
        names = [f"{flag}/--no-{flag[2:]}"] if default else [flag]
    elif get_origin(kind) is Literal:
        text += f" ({', '.join(get_args(kind))}; {default} by default)"
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
        metavar=None if kind is bool else name.upper(),
    )
    return _parameter(name, kind | None, None, option)


def _offered(kind: Any) -> Iterator[dataclasses.Field[Any]]:
    """Yield the fields of a value of options that commands offer."""
    return (field for field in dataclasses.fields(kind) if "help" in field.metadata)


def _of_value(kind: Any) -> Iterator[inspect.Parameter]:
    """Yield the options for a value of options."""
    hints = get_type_hints(kind)
    for field in _offered(kind):
        more = dict(field.metadata)
        flags = [more.pop("flag")] if "flag" in more else []
        if get_origin(hints[field.name]) is tuple:
            option = typer.Option(*flags, show_default=False, **more)
            yield _parameter(field.name, list[str] | None, None, option)
        else:
            option = typer.Option(*flags, **more)
            yield _parameter(field.name, hints[field.name], field.default, option)


def _value(kind: Any, said: dict[str, Any]) -> Any:
    """Make a value of options of what was said, and take that away."""
    given = {field.name: said.pop(field.name) for field in _offered(kind)}
    for name, value in given.items():
        if value is None or isinstance(value, list):
            given[name] = tuple(value or ())
    return kind(**given)


def _parameter(name: str, kind: Any, default: object, option: Any) -> inspect.Parameter:
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, option],
    )


Extra = Literal["crawl", "digest", "server"]

_NEEDED: dict[Extra, tuple[str, tuple[str, ...]]] = {
    "crawl": ("the crawler needs", ("protego", "sqlalchemy")),
    "digest": ("digests need", ("feedparser", "cronsim", "re2", "sqlalchemy", "fsspec")),
    "server": (
        "the print server needs",
        ("fastapi", "uvicorn", "sqlalchemy", "fsspec", "pypdfium2", "python_multipart"),
    ),
}


def require(extra: Extra) -> None:
    """Raise :class:`MissingLibrary` when what an extra brings is not installed."""
    who, names = _NEEDED[extra]
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise MissingLibrary(f"{who} {', '.join(missing)}", hint=f"pip install 'webprint[{extra}]'")


def source_of(name: str, url: str, limit: int) -> PageInput:
    """Return what a command was given as a page: an address, a file, standard input."""
    if name != output.STDOUT and not url:
        return name
    from ..fetch.files import read_file, read_stdin

    if name == output.STDOUT:
        return read_stdin(sys.stdin.buffer, url, limit)
    if "://" in name:
        raise UsageError("--url goes with a local file or standard input, not with an address")
    return read_file(Path(name), limit, url)


def printer_for(
    settings: Settings,
    names: list[str],
    console: Console,
    press: RenderPool | None = None,
    *,
    options: Options | None = None,
    probe_sizes: bool = True,
) -> Printer:
    """Return the printer that the settings ask for; ``names`` are what the person named."""
    if press:
        press.time_limit = settings.print_timeout
    return Printer.from_settings(
        settings,
        options=options,
        user_urls=tuple(filter(None, names)),
        renderer=press,
        notify=console.step,
        probe_sizes=probe_sizes,
    )
