"""Command-line options made from settings and option classes, and other helpers of commands."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
from collections.abc import Callable, Collection, Iterable
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
from pydantic import ByteSize

from ..errors import MissingLibrary
from ..options import Options
from ..pipeline import PageInput, Printer
from ..settings import Panel, Settings, load_settings, setting_fields
from . import output
from .arguments import check_settings
from .console import Console
from .help import complete

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
    bool, typer.Option("--json", help="Report each page on stdout as one line of JSON.")
]
DryRun: TypeAlias = Annotated[
    bool,
    typer.Option("--dry-run", help="Show what would be fetched, written and kept; do nothing."),
]
Lists: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--input", "-i", metavar="LIST", help="A file with an address per line."),
]
Out: TypeAlias = Annotated[
    str, typer.Option("--out", "-o", help="The file to write instead of stdout.")
]

#: The settings of messages, which commands have that read or print pages.
MESSAGES = ("verbose", "debug", "quiet")


def with_settings(
    *names: Panel | str, without: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add options for settings to a command, and pass it the ``loaded`` settings.

    ``names`` are settings, or panels whose settings it gets except those in ``without``: a command
    has only the options that do something for it. Options not given leave their settings to the
    layers below the command line. A parameter whose type is an option class becomes one option for
    each field made by :func:`printer.options.option`, and the command gets the object.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        settings = [
            field
            for field in setting_fields()
            if (field[2]["panel"] in names or field[0] in names) and field[0] not in without
        ]
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
            loaded = load_settings(layer)
            check_settings(loaded)
            command(loaded=loaded, **objects, **values)

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
        choices = ", ".join(choice for choice in get_args(kind) if choice != default)
        text = f"{text.rstrip('.')}: {default} (default), {choices}."
    elif default not in ("", (), 0, "default"):
        default_text = notes.get("shown") or (f"{default:g}" if kind is float else default)
        text = f"{text.rstrip('.')} ({default_text} by default)."
    flags += notes.get("flags", "").split()
    value = "N" if kind in (int, float) else name.upper().replace("_", "-")
    option = typer.Option(
        *flags,
        help=text,
        show_default=False,
        rich_help_panel=notes["panel"],
        metavar=None if kind is bool else notes.get("metavar", value),
        autocompletion=_COMPLETIONS.get(name),
    )
    # A size such as 20MB is parsed with the setting.
    kind = str if kind is ByteSize else kind
    return _parameter(name, (list[str] if get_origin(kind) is tuple else kind) | None, None, option)


def _complete_theme(incomplete: str) -> Iterable[str]:
    from ..themes.loader import theme_names

    return complete(theme_names(), incomplete)


def _complete_paper(incomplete: str) -> Iterable[str]:
    from ..themes.loader import all_themes
    from ..themes.page import PAPERS

    devices = {name for theme in all_themes() for name in theme.papers}
    names = [name.upper() if len(name) == 2 else name.capitalize() for name in PAPERS]
    return complete((*names, *sorted(devices)), incomplete)


def _complete_theme_option(incomplete: str) -> Iterable[str]:
    from ..themes.loader import all_themes
    from ..themes.options import settable_names

    names = sorted({name for theme in all_themes() for name in settable_names(theme)})
    return [f"{name}=" for name in complete(names, incomplete)]


def _complete_extractor(incomplete: str) -> Iterable[str]:
    from ..extraction.extract import EXTRACTORS

    return complete(EXTRACTORS, incomplete)


def _complete_image_method(incomplete: str) -> Iterable[str]:
    from ..images.methods import METHODS

    return complete(METHODS, incomplete)


#: What a shell offers for the settings whose values have names; those of a Literal it knows.
_COMPLETIONS: dict[str, Callable[[str], Iterable[str]]] = {
    "theme": _complete_theme,
    "paper": _complete_paper,
    "set": _complete_theme_option,
    "extractor": _complete_extractor,
    "image_method": _complete_image_method,
    "ner": lambda incomplete: complete(("rules", "spacy:"), incomplete),
}


def _class_options(cls: Any) -> list[inspect.Parameter]:
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
        ("fastapi", "uvicorn", "dbos", "fsspec", "pypdfium2", "python_multipart"),
    ),
}


def missing_packages(extra: Extra) -> list[str]:
    """Return the packages of an extra that are not installed."""
    return [package for package in EXTRAS[extra][1] if find_spec(package) is None]


def with_installed(*extras: Extra) -> str:
    """Return extras and those installed, separated by commas, as an installer replaces them all."""
    return ",".join(name for name in EXTRAS if name in extras or not missing_packages(name))


def require(extra: Extra) -> None:
    """Raise :class:`MissingLibrary` if a package of an extra is not installed."""
    if missing := missing_packages(extra):
        message = f"{EXTRAS[extra][0]} {', '.join(missing)}"
        raise MissingLibrary.of_extra(message, with_installed(extra))


def page_input(name: str, url: str, limit: int) -> PageInput:
    """Return the page that an argument names: an address, a file, or standard input."""
    if name != output.STDOUT and not url:
        return name
    from ..fetch.files import read_file, read_stdin

    if name == output.STDOUT:
        return read_stdin(sys.stdin.buffer, url, limit)
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
