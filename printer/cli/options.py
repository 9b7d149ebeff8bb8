"""Command-line options made from settings and option classes, and checks of a call."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
import string
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from itertools import chain
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

from ..article import Article
from ..errors import BadURL, MissingLibrary, OutputError, UsageError
from ..files import path_exists
from ..options import EXTENSIONS, FORMATS_WITH_PICTURES, Format, Options
from ..settings import MAX_NUMBER, LoadedSettings, Panel, Settings, load_settings, setting_fields
from ..text import did_you_mean, file_name
from ..urls import host_of, is_http, normalize_url, split_credentials
from . import COMMANDS, output
from .help import complete
from .output import Console

if TYPE_CHECKING:
    from ..pipeline import PageInput, Printer
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
    str, typer.Option("--url", help="The original address of a page from a file or standard input.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Write JSON.")]
JsonLines: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Report each page on stdout as one line of JSON.")
]
DryRun: TypeAlias = Annotated[
    bool,
    typer.Option("--dry-run", help="Show what would be fetched, written and kept; do nothing."),
]
AddressLists: TypeAlias = Annotated[
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
    has only the options that do something for it, and the settings ``without`` keep their defaults,
    whatever a file says. Other options not given leave their settings to the layers below the
    command line. A parameter whose type is an option class becomes one option for each field made
    by :func:`printer.options.option`, and the command gets the object.
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
            loaded = load_settings(layer).with_defaults(without)
            check_settings(loaded)
            if "Page" in names:
                from ..themes.page import page_geometry

                page_geometry(loaded.settings.print_options())  # Raises for a page without room.
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
        first = default if default == "default" else f"{default} (default)"
        text = f"{text.rstrip('.')}: {first}, {choices}."
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


_COMPLETIONS: dict[str, Callable[[str], Iterable[str]]] = {
    "theme": _complete_theme,
    "paper": _complete_paper,
    "set": _complete_theme_option,
    "ner": lambda incomplete: complete(("rules", "spacy:"), incomplete),
}


def _class_options(cls: Any) -> list[inspect.Parameter]:
    parameters = []
    hints = get_type_hints(cls)
    for field in dataclasses.fields(cls):
        if "help" not in field.metadata:
            continue
        notes = dict(field.metadata)
        flags = [notes.pop("flag")] if "flag" in notes else []
        kind, default = hints[field.name], field.default
        if kind in (int, float):
            notes.setdefault("max", MAX_NUMBER)
        if get_origin(kind) is tuple:
            kind, default = list[str] | None, None
            notes["show_default"] = False
        parameters.append(_parameter(field.name, kind, default, typer.Option(*flags, **notes)))
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
    return [package for package in EXTRAS[extra][1] if find_spec(package) is None]


def with_installed(*extras: Extra) -> str:
    """Return extras and those installed, separated by commas, as an installer replaces them all."""
    return ",".join(name for name in EXTRAS if name in extras or not missing_packages(name))


def require(extra: Extra) -> None:
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
    pages: list[str],
    console: Console,
    pool: RenderPool | None = None,
    *,
    options: Options | None = None,
    probe_sizes: bool = True,
) -> Printer:
    """Make a printer from settings; ``pages`` are those that the user named."""
    from ..pipeline import Printer

    if pool:
        pool.time_limit = settings.print_timeout
    return Printer.from_settings(
        settings,
        options=options,
        user_urls=tuple(filter(None, pages)),
        renderer=pool,
        notify=console.show_step,
        probe_sizes=probe_sizes,
    )


#: The fields of a file name, as in '{site}/{date} {title}.pdf'.
_FIELDS: dict[str, Callable[[Article], str]] = {
    "title": lambda article: article.title,
    "site": lambda article: article.site or host_of(article.url),
    "host": lambda article: host_of(article.url),
    "author": lambda article: article.byline,
    "date": lambda article: article.published[:10] or date.today().isoformat(),
}

#: The settings that lay out pages, and so do nothing for other formats than PDF.
_LAYOUT = (
    "paper", "margin", "theme", "font_size", "set", "css", "fit", "booklet", "nup", "landscape",
    "duplex", "ink_save", "links", "qr", "pdf", "print_timeout",
)  # fmt: skip

_MAX_LINE_LENGTH = 8_000

#: The settings that do something only for a page with an address.
_FOR_WEB = ("render", "follow", "header", "user", "storage_state")


def list_pages(
    pages: Sequence[str], lists: Sequence[str] = (), command: str = "webprint"
) -> list[str]:
    """Return the pages of a call, with those in the files of ``@FILE`` arguments and ``lists``."""
    listed: list[str] = []
    for page in pages:
        listed += _read_pages(page[1:]) if page.startswith("@") and page[1:] else [page]
    for file in lists:
        listed += _read_pages(file)
    if not listed:
        raise UsageError("no page is given", hint=f"See {command} --help")
    return listed


def _read_pages(file: str) -> list[str]:
    lines = read_numbered_lines(file)
    for number, name in lines:
        try:
            _check_page(name)
        except BadURL as error:
            message = f"line {number} of {file}: {error.message}"
            raise BadURL(message, url=error.url, hint=error.hint) from error
    return [name for _, name in lines]


def read_numbered_lines(file: str) -> list[tuple[int, str]]:
    """Return the line numbers and addresses of a list; raise UsageError if it has none."""
    text = output.read_input(file).decode("utf-8-sig", "replace")
    stripped = (line.strip()[:_MAX_LINE_LENGTH] for line in text.splitlines())
    lines = [(n, line) for n, line in enumerate(stripped, 1) if line and not line.startswith("#")]
    if not lines:
        raise UsageError(f"{file} contains no address", hint="Write one address per line")
    return lines


def check_pages(pages: Sequence[str], url: str = "") -> None:
    """Raise :class:`BadURL` or :class:`UsageError` for a page that cannot be read."""
    for position, page in enumerate(pages):
        is_word = not position and page.isalpha() and not path_exists(page)
        if is_word and (hint := did_you_mean(page, COMMANDS)):
            raise UsageError(f"there is no file or command {page!r}", hint=hint)
        if page != output.STDOUT:
            _check_page(page)
    if list(pages).count(output.STDOUT) > 1:
        raise UsageError("standard input can be read only once", hint="Name - once")
    if url:
        if any(is_http(page) or page.startswith("file:") for page in pages):
            raise UsageError("--url is for a local file or standard input, not for an address")
        if len(pages) > 1:
            raise UsageError("--url is the address of one page", hint="Print the pages one by one")
        normalize_url(url)


def _check_page(name: str) -> None:
    if not name.strip():
        raise UsageError("an address is empty", hint="Name a page, as in webprint URL")
    path = Path(name)
    if "://" not in name and path_exists(path):
        if path.is_dir():
            raise BadURL(f"{name} is a folder", hint="Name the page in it")
    elif name.startswith("file:"):
        from ..fetch.files import path_of_file_url

        if not path_exists(path_of_file_url(name)):
            raise BadURL("there is no such file", url=name, hint="Check its name")
    else:
        check_address(name)


def check_address(name: str) -> None:
    """Raise :class:`BadURL` or :class:`UsageError` for anything but the address of a web page."""
    if not name.strip():
        raise UsageError("an address is empty", hint="An address looks like https://example.org/")
    try:
        normalize_url(split_credentials(name)[0])
    except BadURL as error:
        if "://" in name or not path_exists(name):
            raise
        hint = "An address looks like https://example.org/page"
        raise BadURL(f"{name} is on this computer, not on the web", hint=hint) from error


def check_file(out: str) -> None:
    """Raise :class:`OutputError` for a folder, or a file that cannot be written in its folder."""
    path = Path(out)
    if out == output.STDOUT:
        return
    if path.is_dir():
        raise OutputError(f"{out} is a folder", hint="Name a file in it")
    if not path.parent.is_dir():
        raise OutputError(
            f"{out} cannot be written: no such file or directory",
            hint=f"There is no folder {path.parent}",
        )
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise OutputError(f"{out} cannot be written: permission denied", hint="Name another file")


def check_not_a_page(out: str, pages: Sequence[str]) -> None:
    """Raise :class:`UsageError` if the output would overwrite a page that is read."""
    files = [Path(page) for page in pages if "://" not in page and page != output.STDOUT]
    if path_exists(out) and any(path_exists(file) and file.samefile(out) for file in files):
        raise UsageError(f"{out} is the page itself", hint="Name another file for the result")


def split_output(
    arguments: Sequence[str], out: str, extensions: tuple[str, ...] = ()
) -> tuple[list[str], str]:
    """Split off the output, a last argument that names a file to write or a folder.

    ``extensions`` are those of files to write besides the formats of prints, in folders that exist:
    addresses of pages may end in them, too.
    """
    *pages, last = arguments or [""]
    if not pages or "://" in last or last.startswith("@") or last.strip() in ("", output.STDOUT):
        return [*arguments], out
    is_folder = path_exists(last) and Path(last).is_dir()
    has_extension = last.lower().endswith(extensions) and Path(last).parent.is_dir()
    is_file = output.is_output_file(last) or has_extension
    is_output = is_file or last.endswith("/") or is_folder
    is_unsupported = "/" not in last and last.lower().endswith(output.UNSUPPORTED)
    if not is_output and not (is_unsupported and not path_exists(last)):
        return [*arguments], out
    if out:
        raise UsageError(
            f"the output is named twice: {out} and {last}", hint="Leave one of them out"
        )
    return pages, last


@dataclass(frozen=True, slots=True)
class Target:
    """Where results go: a file, standard output, a template, or files named after their titles.

    Without a file and a template, ``folder`` holds the results.  ``bundle`` means that all pages go
    to one file; ``force`` overwrites files whose names were not given.
    """

    file: str = ""
    folder: Path = Path()
    template: str = ""
    bundle: bool = False
    force: bool = False

    @classmethod
    def parse(
        cls, out: str, bundle: str, *, pages: int, format_option: str, force: bool = False
    ) -> Target:
        """Return the target of a call."""
        if bundle and out:
            raise UsageError(
                f"--bundle {bundle} and {out} are two outputs",
                hint="Use --bundle FILE for one file, or -o FOLDER for a file each",
            )
        name = bundle or out
        if not name or name == output.STDOUT:
            if pages > 1 and out:
                raise UsageError("several pages need -o FOLDER, or --bundle FILE for one file")
            return cls(file=name, bundle=bool(bundle), force=force)
        path = Path(name)
        if name.endswith("/") or path.is_dir():
            if bundle:
                raise UsageError(f"{name} is a folder", hint="--bundle takes a file: --bundle FILE")
            if path.exists() and not path.is_dir():
                raise UsageError(f"{name} is a file, not a folder", hint="Leave out the slash")
            return cls(folder=path, force=force)
        _check_extension(name, format_option)
        if "{" in name:
            if bundle:
                raise UsageError("--bundle takes a plain file name", hint="Leave out the braces")
            _check_template(name)
            return cls(template=name, force=force)
        if pages > 1 and not bundle:
            raise UsageError("several pages need -o FOLDER, or --bundle FILE for one file")
        check_file(name)
        return cls(file=name, bundle=bool(bundle), force=force)

    @property
    def name(self) -> str:
        """The name that was given for the output, whose extension implies the format."""
        return self.file or self.template

    def path(self, article: Article, extension: str) -> Path:
        """Return the path of the file, which is numbered when it is written if it is taken."""
        if self.file:
            return Path(self.file)
        if not self.template:
            return self.folder / f"{file_name(article.title)}{extension}"
        values = {name: file_name(field(article), "unknown") for name, field in _FIELDS.items()}
        return Path(self.template.format_map(values))

    def describe(self, extension: str) -> str:
        """Return the path in words, before the article is known."""
        if self.file == output.STDOUT:
            return output.STDOUT_NAME
        if self.file:
            exists = Path(self.file).exists()
            return f"{self.file}{' (overwrites the file)' if exists else ''}"
        return self.template or str(self.folder / f"TITLE{extension}")

    def write(self, data: bytes, article: Article, extension: str) -> str:
        if self.file == output.STDOUT:
            output.write_stdout(data)
            return output.STDOUT_NAME
        path = self.path(article, extension)
        if self.file:
            output.write(path, data)
        else:
            output.make_folder(path.parent)
            path = output.write_free(path, data, force=self.force)
        return str(path)


def _check_extension(name: str, format_option: str) -> None:
    """Raise :class:`UsageError` for a file name that implies no format, or another one."""
    path = Path(name)
    if name.lower() in chain.from_iterable(EXTENSIONS.values()):
        raise UsageError(f"{name} is only an extension", hint=f"Name a file, such as story{name}")
    named_format = output.format_of(name)
    if named_format and format_option not in ("auto", named_format):
        extension = next(
            extensions[0] for f, extensions in EXTENSIONS.items() if f == format_option
        )
        raise UsageError(
            f"--format {format_option} conflicts with the extension of {name}",
            hint=f"End the name in {extension}, or leave out --format",
        )
    if named_format or (path.exists() and not path.is_file()):  # a pipe or a device
        return
    if format_option == "auto":
        kind = f"{path.suffix} files" if path.suffix else "a file without an extension"
        hint = "webprint writes .pdf, .epub, .html, .md and .json"
        if not path.suffix:
            plain = name.rstrip(".")
            hint = f"Name {plain}.pdf, or the folder {plain}/"
        raise UsageError(f"cannot write {kind}: {name}", hint=hint)


def _check_template(template: str) -> None:
    field_list = ", ".join(f"{{{name}}}" for name in _FIELDS)
    try:
        fields = [(name, spec, conv) for _, name, spec, conv in string.Formatter().parse(template)]
    except ValueError as error:
        raise UsageError(f"{template} has an unmatched brace", hint=f"Use {field_list}") from error
    for name, spec, conversion in fields:
        if name is not None and (name not in _FIELDS or spec or conversion):
            hint = did_you_mean(name, _FIELDS) or f"Use {field_list}"
            raise UsageError(f"{template}: there is no {{{name}}} for file names", hint=hint)


def check_print(
    loaded: LoadedSettings, pages: Sequence[str], format_: Format, *, bundle: bool, url: str
) -> None:
    """Raise :class:`UsageError` for an option of the call that would have no effect."""
    flags = loaded.from_command_line
    if "title" in flags and not (bundle and len(pages) > 1):
        raise UsageError(
            "--title makes a cover for several pages in one file", hint="Add --bundle FILE"
        )
    local = not url and not any(page != output.STDOUT and not path_exists(page) for page in pages)
    if local and (name := _first_flag(_FOR_WEB, flags)):
        raise UsageError(
            f"{_option_name(name, loaded.settings)} has no effect on a local file",
            hint="Leave it out, or name the page's address",
        )
    output_name = f"{output.FORMAT_NAMES[format_]} output"
    if format_ != "pdf" and (name := _first_flag(_LAYOUT, flags)):
        hint = "Leave it out, or write a PDF"
        raise UsageError(f"{_option_name(name)} has no effect on {output_name}", hint=hint)
    if format_ not in FORMATS_WITH_PICTURES and (name := _first_flag(("dpi", "grayscale"), flags)):
        target = f"{output_name}, which has no pictures"
        hint = "Leave it out, or write PDF, EPUB or HTML"
        raise UsageError(f"{_option_name(name)} has no effect on {target}", hint=hint)


def check_settings(loaded: LoadedSettings) -> None:
    """Raise :class:`UsageError` for settings of a call that contradict or need each other."""
    settings, flags = loaded.settings, loaded.from_command_line
    if {"verbose", "quiet"} <= flags:
        raise UsageError("--verbose and --quiet contradict each other", hint="Leave one out")
    if {"rules", "no_rules"} <= flags:
        raise UsageError("--rules and --no-rules contradict each other", hint="Leave one out")
    needs_key = _first_flag(("key_query", "key_paragraphs_as"), flags)
    if needs_key and not settings.key_paragraphs:
        raise UsageError(
            f"{_option_name(needs_key)} has no effect without --key-paragraphs",
            hint="Add --key-paragraphs 3",
        )
    if "ner" in flags and settings.image_method != "joshi-liu":
        from ..images.papers.ner import check_recognizer

        check_recognizer(settings.ner)
        raise UsageError("--ner needs a method that uses it", hint="Add --image-method joshi-liu")
    if "user" in flags:
        from ..fetch.credentials import request_headers

        request_headers(settings.fetch_options())
    for name in {"css", "cookies"} & flags:
        value = str(getattr(settings, name))
        path = Path(value).expanduser()
        if value and (not path_exists(path) or path.is_dir()):
            raise UsageError(
                f"{_option_name(name)}: there is no file {value}", hint="Check its name"
            )


def _first_flag(names: Collection[str], flags: Collection[str]) -> str:
    return next((name for name in names if name in flags), "")


def _option_name(name: str, settings: Settings | None = None) -> str:
    flag = f"--{name.replace('_', '-')}"
    if settings and name == "render":
        return f"{flag} {settings.render}"
    return "--no-follow" if settings and name == "follow" and not settings.follow else flag
