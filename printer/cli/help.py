"""Help: the first screen, and the help of each command."""

from __future__ import annotations

import signal
from collections.abc import Callable
from itertools import takewhile, zip_longest
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from ..errors import UsageError
from ..files import path_exists
from ..settings import Settings
from ..text import did_you_mean
from . import COMMANDS, exit_on_interrupt

F = TypeVar("F", bound=Callable[..., Any])

#: The options that most prints need; the first screen shows no others.
COMMON_OPTIONS = ("out", "bundle", "paper", "font_size", "theme", "images", "links", "cookies")

#: The options that name a file and are not settings, so that an empty name is a mistake.
_FILES = ("out", "bundle", "lists")
#: The characters that word processors put in place of hyphens.
_DASHES = "\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}\N{NON-BREAKING HYPHEN}"

EXAMPLES = (
    ("webprint https://example.org/story story.pdf", "or .epub, .html, .md, .json"),
    ("webprint URL URL --bundle week.pdf", "several pages in one file"),
)


class HelpCommand(TyperCommand):
    """A command whose help groups its options by panel and shows no types of Python."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, or say what is wrong with the spelling of one."""
        options = {name: param for param in self.get_params(ctx) for name in param.opts}
        words = list(takewhile(lambda arg: arg != "--", args))
        for word, value in zip_longest(words, words[1:], fillvalue="-"):
            if fault := _misspelled(word, value, options):
                raise UsageError(fault[0], hint=fault[1])
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def invoke(self, ctx: Any) -> Any:
        """Run the command; raise ``typer.Abort`` for an interrupt, which typer would not report."""
        try:
            if signal.getsignal(signal.SIGINT) is exit_on_interrupt:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            raise typer.Abort from interrupt

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        options = [param for param in self.get_params(ctx) if not isinstance(param, TyperArgument)]
        return [
            *(_argument_usage(param) for param in arguments(self)),
            *(["[OPTIONS]"] if options else []),
        ]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_parameters(self, ctx, formatter)


def _misspelled(word: str, value: str, options: dict[str, Any]) -> tuple[str, str] | None:
    """Return what is wrong with a word and what to write; '-' stands for no next ``value``."""
    if word[:1] in _DASHES and not path_exists(word):
        name = word.lstrip(_DASHES)
        correct = f"-{name}" if len(name) == 1 else f"--{name}"
        return f"{word} begins with a dash instead of hyphens", f"Write {correct}"
    if f"-{word}" in options:
        return f"no such option: {word}", f"Did you mean -{word}?"
    if word[:2] in options and word[2:3] == "=":
        return f"{word} takes its value without '='", f"Write {word[:2]} {word[3:]}"
    name, equals, text = word.partition("=")
    option = options.get(name)
    if option and option.name in _FILES and not (text if equals else value).strip():
        return (
            f"{name} needs the name of a file",
            f"Write {name} {option.metavar or option.name.upper()}",
        )
    return None


class HelpGroup(TyperGroup):
    """A group of commands with help in the same form."""

    command_class = HelpCommand

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_parameters(self, ctx, formatter)
        self.format_commands(ctx, formatter)


class Commands(typer.Typer):
    """Commands with plain help: without boxes, and without loading rich."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("cls", HelpGroup)
        super().__init__(rich_markup_mode=None, pretty_exceptions_enable=False, **options)

    def command(self, name: str | None = None, **options: Any) -> Callable[[F], F]:
        return super().command(name, **{"cls": HelpCommand, **options})


commands = Commands()


@commands.command(name="help")
def show_help(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COMMAND",
            help="A command, such as extract or 'digest add'; without one, the first screen.",
            autocompletion=lambda incomplete: complete(COMMANDS, incomplete),
        ),
    ] = None,
) -> None:
    """Explain a command and all of its options."""
    root = context.find_root()
    if not words:
        print(overview(root.command))
        return
    command: Any = root.command
    parent = root
    for number, word in enumerate(words):
        names = list(command.list_commands(parent)) if isinstance(command, TyperGroup) else []
        if word not in names:
            suggestion = did_you_mean(word, names) or "See webprint --help"
            is_option = word.lstrip("-").replace("-", "_") in Settings.model_fields
            raise UsageError(
                f"there is no command {' '.join(words[: number + 1])!r}",
                hint="webprint --help-all explains the options" if is_option else suggestion,
            )
        command = command.get_command(parent, word)
        parent = type(root)(command, info_name=word, parent=parent)
    print(command.get_help(parent))


def overview(group: Any) -> str:
    names = [name for name in COMMANDS if name != "print"]
    half = -(-len(names) // 2)
    cells = [f"  {name:8} {COMMANDS[name][1]}" for name in names]
    cells += [""] * (2 * half - len(cells))
    params = {param.name: param for param in group.get_command(None, "print").params}
    rows = [row(params[name]) for name in COMMON_OPTIONS]
    return "\n".join([
        "Usage: webprint PAGE... [OUT.pdf] [OPTIONS]   print the articles of web pages",
        "   or: webprint COMMAND                       webprint help COMMAND explains it",
        *(f"{cells[place]:40}{cells[place + half]}".rstrip() for place in range(half)),
        "Print options (webprint --help-all lists all):",
        *(f"  {names:18} {text}" for names, text in rows),
        "Examples:",
        *(f"  {call:45} {text}" for call, text in EXAMPLES),
    ])  # fmt: skip


def write_parameters(command: Any, ctx: Any, formatter: Any) -> None:
    rows = [(param.metavar or param.name, param.help) for param in arguments(command)]
    if any(text for _, text in rows):
        with formatter.section("Arguments"):
            formatter.write_dl(rows)
    for panel, params in panels(command, ctx):
        with formatter.section(panel):
            formatter.write_dl([row(param) for param in params])


def arguments(command: Any) -> list[Any]:
    return [param for param in command.params if isinstance(param, TyperArgument)]


def panels(command: Any, ctx: Any) -> list[tuple[str, list[Any]]]:
    options = [p for p in command.get_params(ctx) if not isinstance(p, TyperArgument)]
    options = [option for option in options if not option.hidden and option.name != "help"]
    panels: dict[str, list[Any]] = {}
    for option in options:
        panel = getattr(option, "rich_help_panel", None) or "Options"
        panels.setdefault(panel, []).append(option)
    return list(panels.items())


def _argument_usage(param: Any) -> str:
    name = param.metavar or param.name.upper()
    name = name if param.required else f"[{name}]"
    return name + ("..." if param.nargs != 1 else "")


def row(param: Any) -> tuple[str, str]:
    """Return an option's names and its help, with the default where that says something."""
    names = ", ".join(sorted(param.opts, key=lambda name: name.startswith("--")))
    names += "".join(f" / {name}" for name in param.secondary_opts)
    if not param.is_flag:
        is_number = isinstance(param.default, int | float)
        names += f" {param.metavar or ('N' if is_number else param.opts[0].lstrip('-').upper())}"
    text, default = param.help or "", param.default
    if param.show_default and default and isinstance(default, int | float) and not param.is_flag:
        text = f"{text.rstrip('.')} ({default:g} by default)."
    return names, text


def complete(names: Any, incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
