"""Write docs/api.md, the reference of what a program imports, and the manual page from the code.

python scripts/api_reference.py          write them
python scripts/api_reference.py --check  fail if they are out of date
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

import printer
from printer import article, capture, errors, options, output, selection
from printer.cli import COMMANDS
from printer.cli.app import app
from printer.cli.help import EXAMPLES, arguments, panels, row

FILE = Path(__file__).parent.parent / "docs/api.md"

#: The last sections of the manual page.
_SECTIONS = {
    "Settings": "Every option of a setting is also a key of webprint.toml and an environment "
    "variable: --font-size is font-size and WEBPRINT_FONT_SIZE.  A switch is true or false, so "
    "--no-follow is follow = false; header and set are lists, in a variable one item per line.  "
    "The command line takes precedence over the environment, and that over webprint.toml in the "
    "working folder and in ~/.config/webprint.  'webprint config' shows the values in force and "
    "where each comes from.",
    "Exit status": "0 if everything was printed; 2 for a wrong call; 3 to 15 by the kind of "
    "failure (docs/exit-codes.md lists them); 130 after an interruption.",
}

#: The chapters in order: title, module, and the names that it documents.
CHAPTERS: tuple[tuple[str, ModuleType, str], ...] = (
    ("Extract and print", printer, "extract print_pages Printer Session"),
    ("Options", options, "Options FetchOptions ExtractOptions ImageOptions PrintOptions SiteRule"),
    (
        "What comes back",
        output,
        "Result PageResult CompletenessReport Loss ContentCounts ExtractedPage",
    ),
    ("Decisions about pictures", selection, "PictureDecision"),
    ("What was fetched", capture, "Capture PageSource"),
    (
        "The article",
        article,
        "Article Span Paragraph Heading List Item DefinitionList Definition Quote Post Code Table"
        " Cell Figure Math Embed Note Rule plain_text walk",
    ),
    (
        "Errors",
        errors,
        "WebprintError UsageError BadURL FetchError FetchTimeout HTTPStatusError BlockedAddress"
        " TooLarge NotHTML NoArticle RenderError OutputError MissingLibrary JobsError Incomplete",
    ),
)

HEAD = """# The Python API

The functions and classes that `import printer` offers, and the values they take and return. All of
it is typed, and values are frozen. Names that begin with an underscore, and modules not named here,
may change at any time. `make api` writes this page from the docstrings.
"""


def reference() -> str:
    """Return the whole page."""
    parts = [HEAD]
    for heading, module, listed in CHAPTERS:
        names = listed.split()
        parts.append(f"## {heading}\n")
        place = "" if module is printer else f"From `{module.__name__}`"
        also = [name for name in names if name in printer.__all__]
        if place and also:
            place += "; `printer` itself has " + ", ".join(f"`{name}`" for name in also)
        if place:
            parts.append(f"{place}.\n")
        for name in names:
            parts += _entry(name, getattr(module, name), "###")
    return "\n".join(parts)


def _entry(name: str, thing: object, level: str) -> Iterator[str]:
    yield f"{level} `{name}`\n"
    if inspect.isclass(thing):
        documented = " ".join(listed for _, _, listed in CHAPTERS).split()
        bases = [base for base in thing.__mro__[1:2] if base.__name__ in documented]
        if bases:
            code = f", exit code {thing.exit_code}" if hasattr(thing, "exit_code") else ""
            yield f"A `{bases[0].__name__}`{code}.\n"
        if dataclasses.is_dataclass(thing):
            yield _fields(thing)
        yield _docstring(thing)
        for method, member in vars(thing).items():
            if method.startswith("_") or not inspect.getdoc(member):
                continue
            if isinstance(member, property):
                yield f"**`.{method}`**: {_docstring(member)}"
            elif inspect.isfunction(member):
                yield f"**`.{method}{_signature(member)}`**\n\n{_docstring(member)}"
    else:
        yield f"```python\n{name}{_signature(thing)}\n```\n"
        yield _docstring(thing)


def _fields(thing: type) -> str:
    lines = [
        f"    {field.name}: {field.type}{_default(field)}"
        for field in dataclasses.fields(thing)
        if field.init and not field.name.startswith("_")
    ]
    return "```python\n" + "\n".join([f"class {thing.__name__}:", *lines]) + "\n```\n"


def _default(field: dataclasses.Field[object]) -> str:
    if field.default is not dataclasses.MISSING:
        value = field.default
        return " = ..." if callable(value) else f" = {value!r}"
    factory = field.default_factory
    return f" = {factory.__name__}()" if factory is not dataclasses.MISSING else ""


def _signature(thing: Callable[..., object]) -> str:
    """Return a function's parameters, without ``self``, as they are written in the source."""
    signature = inspect.signature(thing)
    parameters = [item for item in signature.parameters.values() if item.name != "self"]
    # Annotations are kept as text, which Python would show in quotes.
    unquoted = [item.replace(annotation=_Unquoted(item.annotation)) for item in parameters]
    returned = _Unquoted(signature.return_annotation)
    return str(signature.replace(parameters=unquoted, return_annotation=returned))


class _Unquoted(str):
    """Text that is shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _docstring(thing: object) -> str:
    """Return a docstring as Markdown."""
    text = inspect.getdoc(thing) or ""
    text = re.sub(r":\w+:`~?([^`]+)`", lambda role: f"`{role[1].rpartition('.')[2]}`", text)
    return text.replace("``", "`") + "\n"


def manual_page(app: typer.Typer, version: str) -> str:
    """Return the manual page of all commands, in roff."""
    group: Any = get_command(app)
    root = group.make_context("webprint", [], resilient_parsing=True)
    lines = [
        f'.TH WEBPRINT 1 "" "webprint {version}" "User Commands"',
        ".SH NAME", "webprint \\- print the article of web pages",
        ".SH SYNOPSIS", ".B webprint", _roff("PAGE... [OUT.pdf] [OPTIONS]"), ".br",
        ".B webprint", _roff("COMMAND [ARGUMENTS]"),
    ]  # fmt: skip
    for name in COMMANDS:
        title = "DESCRIPTION" if name == "print" else f"webprint {name}"
        lines += [f'.SH "{title}"', *_manual_section(group.get_command(root, name), root, name)]
    lines += ['.SH "EXAMPLES"']
    for call, text in EXAMPLES:
        lines += [".TP", f".B {_roff(call)}", _roff(text)]
    for title, text in _SECTIONS.items():
        lines += [f'.SH "{title.upper()}"', _roff(text)]
    return "\n".join(lines) + "\n"


def _manual_section(command: Any, parent: Any, name: str) -> Iterator[str]:
    context = type(parent)(command, info_name=name, parent=parent)
    for paragraph in (command.help or "").split("\n\n"):
        yield from (".PP", _roff(" ".join(paragraph.split())))
    rows = [(param.metavar or param.name, param.help) for param in arguments(command)]
    rows += [row(param) for _, params in panels(command, context) for param in params]
    for names, text in rows:
        yield from (".TP", f".B {_roff(names)}", _roff(text or ""))
    if isinstance(command, TyperGroup):
        for sub in command.list_commands(context):
            yield f'.SS "webprint {name} {sub}"'
            yield from _manual_section(command.get_command(context, sub), context, sub)


def _roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text


def main() -> int:
    """Write the pages, or check that they are up to date."""
    pages = {FILE: reference(), FILE.with_name("webprint.1"): manual_page(app, printer.__version__)}
    if "--check" not in sys.argv:
        for file, text in pages.items():
            file.write_text(text)
        return 0
    stale = [file.name for file, text in pages.items() if file.read_text() != text]
    for name in stale:
        sys.stderr.write(f"docs/{name} is out of date: run make api\n")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
