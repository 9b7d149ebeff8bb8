"""Command-line options made from settings and option classes, and other helpers of commands."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
from collections.abc import Callable
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
from ..settings import Panel, Settings, load_settings, setting_fields
from . import output
from .console import Console

if TYPE_CHECKING:
    from ..render.worker_pool import RenderPool

# Options and arguments shared by several commands.

PageArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="PAGE",
        help="An address, a local HTML file, or - for standard input.",
        show_default=False,
    ),
]
BaseURL: TypeAlias = Annotated[
    str, typer.Option("--url", help="The address the HTML came from, for - and local files.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Write JSON.")]
JsonLines: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Report each file on stdout as one line of JSON.")
]
Out: TypeAlias = Annotated[
    str, typer.Option("--out", "-o", help="The file to write instead of stdout.")
]


def with_settings(*panels: Panel) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for each setting of some panels, and pass ``loaded`` settings.

    Options not given leave their settings to the layers below the command line.  A parameter whose
    type is an option class becomes one option for each field made by
    :func:`printer.options.option`, and the command gets the object.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        settings = [field for field in setting_fields() if field[2]["panel"] in panels]
        signature = inspect.signature(command, eval_str=True)
        parameters: list[inspect.Parameter] = []
        classes: dict[str, Any] = {}
        for parameter in signature.parameters.values():
            if parameter.name == "loaded":
                continue
            if dataclasses.is_dataclass(parameter.annotation):
                classes[parameter.name] = parameter.annotation
                parameters += _class_options(parameter.annotation)
            else:
                parameters.append(parameter)
        parameters += [_setting_option(*field) for field in settings]

        @functools.wraps(command)
        def wrapper(**values: Any) -> None:
            layer = {name: values.pop(name) for name, _, _ in settings}
            layer = {name: value for name, value in layer.items() if value not in (None, [], ())}
            objects = {name: _make_object(cls, values) for name, cls in classes.items()}
            command(loaded=load_settings(layer), **objects, **values)

        wrapper.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return wrapper

    return decorate


def _setting_option(name: str, field: Any, notes: Any) -> inspect.Parameter:
    """Return the option of a setting, whose default None means 'not given'."""
    kind, default = field.annotation, field.default
    flag = "--" + name.replace("_", "-")
    flags = [flag]
    text = field.description
    if kind is bool:
        flags = [f"{flag}/--no-{flag[2:]}"] if default else [flag]
    elif get_origin(kind) is Literal:
        text += f" ({', '.join(get_args(kind))}; {default} by default)"
    elif default not in ("", ()):
        text += f" ({default:g} by default)" if kind is float else f" ({default} by default)"
    if "short" in notes:
        flags.append(notes["short"])
    option = typer.Option(
        *flags,
        help=text,
        show_default=False,
        rich_help_panel=notes["panel"],
        metavar=None if kind is bool else name.upper(),
    )
    return _parameter(name, (list[str] if get_origin(kind) is tuple else kind) | None, None, option)


def _class_options(cls: Any) -> list[inspect.Parameter]:
    """Return the options for the fields of an option class that commands offer."""
    parameters = []
    hints = get_type_hints(cls)
    for field in dataclasses.fields(cls):
        if "help" not in field.metadata:
            continue
        more = dict(field.metadata)
        flags = [more.pop("flag")] if "flag" in more else []
        kind, default = hints[field.name], field.default
        if get_origin(kind) is tuple:
            kind, default = list[str] | None, None
            more["show_default"] = False
        parameters.append(_parameter(field.name, kind, default, typer.Option(*flags, **more)))
    return parameters


def _make_object(cls: Any, values: dict[str, Any]) -> Any:
    """Make an object of an option class, removing its fields from ``values``."""
    fields = [field.name for field in dataclasses.fields(cls) if "help" in field.metadata]
    arguments = {name: values.pop(name) for name in fields}
    for name, value in arguments.items():
        if value is None or isinstance(value, list):
            arguments[name] = tuple(value or ())
    return cls(**arguments)


def _parameter(name: str, kind: Any, default: object, option: Any) -> inspect.Parameter:
    annotation = Annotated[kind, option]
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


Extra = Literal["crawl", "digest", "server"]

EXTRAS: dict[Extra, tuple[str, tuple[str, ...]]] = {
    "crawl": ("the crawler needs", ("protego", "sqlalchemy")),
    "digest": ("digests need", ("feedparser", "cronsim", "re2", "sqlalchemy", "fsspec")),
    "server": (
        "the print server needs",
        ("fastapi", "uvicorn", "sqlalchemy", "fsspec", "pypdfium2", "python_multipart"),
    ),
}


def require(extra: Extra) -> None:
    """Raise :class:`MissingLibrary` if a package of an extra is not installed."""
    needs, packages = EXTRAS[extra]
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise MissingLibrary.of_extra(f"{needs} {', '.join(missing)}", extra)


def page_input(name: str, url: str, limit: int) -> PageInput:
    """Return the page that an argument names: an address, a file, or standard input."""
    if name != output.STDOUT and not url:
        return name
    from ..fetch.files import read_file, read_stdin

    if name == output.STDOUT:
        return read_stdin(sys.stdin.buffer, url, limit)
    if "://" in name:
        raise UsageError("--url goes with a local file or standard input, not with an address")
    return read_file(Path(name), limit, url)


def make_printer(
    settings: Settings,
    names: list[str],
    console: Console,
    pool: RenderPool | None = None,
    *,
    options: Options | None = None,
    probe_sizes: bool = True,
) -> Printer:
    """Make a printer from settings; ``names`` are the pages that the user named."""
    if pool:
        pool.time_limit = settings.print_timeout
    return Printer.from_settings(
        settings,
        options=options,
        user_urls=tuple(filter(None, names)),
        renderer=pool,
        notify=console.show_step,
        probe_sizes=probe_sizes,
    )
