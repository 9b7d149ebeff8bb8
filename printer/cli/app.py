"""The program ``webprint``: its commands, and errors as messages and exit codes."""

from __future__ import annotations

import errno
import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer import TyperException
from typer.main import get_group

from .. import __version__
from ..errors import OutputError, UsageError, WebprintError
from ..files import reason_of
from ..settings import plain_message, setting_fields
from ..text import did_you_mean, truncate
from ..urls import strip_userinfo
from . import COMMANDS
from . import help as help_module
from .output import INTERRUPTED, Console

if TYPE_CHECKING:
    from ..render.worker_pool import RenderPool


class CommandGroup(help_module.HelpGroup):
    """Loads commands on first use; any other word is a page to print."""

    def list_commands(self, ctx: Any) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load a command; return None if there is none of this name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f".{COMMANDS[cmd_name][0]}", __package__)
        return get_group(module.commands).commands[cmd_name]

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        if args[0] in COMMANDS:
            return super().resolve_command(ctx, args)
        return None, self.get_command(ctx, "print"), args

    def format_help(self, ctx: Any, formatter: Any) -> None:
        del ctx
        formatter.write(help_module.overview(self))

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Return the commands, and the print options, that begin with what was typed."""
        print_command = self.get_command(ctx, "print")
        commands = super().shell_complete(ctx, incomplete)
        command_names = {item.value for item in commands}
        options = print_command.shell_complete(type(ctx)(print_command, parent=ctx), incomplete)
        return [*commands, *(item for item in options if item.value not in command_names)]


app = help_module.Commands(
    cls=CommandGroup,
    no_args_is_help=True,
    context_settings={
        "ignore_unknown_options": True,
        "allow_extra_args": True,
        "help_option_names": ["--help", "-h"],
    },
)


@app.callback(invoke_without_command=True)
def webprint(
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Show the version and exit.", is_eager=True)
    ] = False,
) -> None:
    """Print the articles of web pages."""
    if version:
        print(f"webprint {__version__}")
        raise typer.Exit


#: The codes of errors of a disk, a pipe or a stream that takes no more.
_OUTPUT_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF, errno.EPIPE)


def run(pool: RenderPool | None = None) -> None:
    """Run the command line with a pool of renderers, and exit with its code."""
    debug = "--debug" in sys.argv[1:]
    try:
        code = app(prog_name="webprint", standalone_mode=False, obj=pool)
        sys.stdout.flush()
        sys.exit(code)
    except (KeyboardInterrupt, typer.Abort):
        print("webprint: interrupted; no incomplete file was left", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except TyperException as error:
        _fail(_usage_error(error))
    except Exception as error:  # noqa: BLE001 - the last resort: our own bug, in one line
        _fail(_as_webprint_error(error).with_traceback(error.__traceback__), debug)


def _as_webprint_error(error: Exception) -> WebprintError:
    match error:
        case WebprintError():
            return error
        case PermissionError(filename=name):
            place = f"{name} cannot be used: " if name else ""
            hint = "Change its permissions, or set HOME to a folder of yours"
            return OutputError(f"{place}permission denied", hint=hint)
        case OSError(errno=errno.ENAMETOOLONG, filename=name):
            return UsageError(f"the name {truncate(str(name), 80)} is too long")
        case OSError(errno=code) if code in _OUTPUT_ERRORS:
            return OutputError(f"the output cannot be written: {reason_of(error)}")
    message = f"internal error: {type(error).__name__}: {error}"
    return WebprintError(message, hint="Please report it with the output of --debug")


def _usage_error(error: TyperException) -> UsageError:
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error.format_message())
        sys.exit(UsageError.exit_code)
    context: Any = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "").strip() or "webprint"
    hint = f"See {command} --help"
    message = " ".join(error.format_message().split()).rstrip(".").replace("Value error, ", "")
    if option := getattr(error, "option_name", "") if hasattr(error, "possibilities") else "":
        message, suggestion = _explain_option(option, context)
        hint = f"{suggestion} {hint}".strip()
    elif match := re.fullmatch(r"Invalid value for '([^']+)'(?: / '[^']+')?: (.*)", message):
        reason = match[2].replace("'", "")
        message = f"{match[1]}: {plain_message(reason)}"
        value, _, choices = reason.partition(" is not one of ")
        if suggestion := did_you_mean(value, choices.split(", ")) if choices else "":
            hint = f"{suggestion} {hint}"
    elif match := re.fullmatch(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", message):
        message = f"unexpected argument: {strip_userinfo(match[1])}"
    if message[1:2].islower():
        message = message[0].lower() + message[1:]
    return UsageError(message, hint=hint)


#: The command that takes the settings of each panel that printing lacks.
_OTHER_PANELS = {"Server": "serve", "Digests": "digest run"}


def _explain_option(option: str, context: Any) -> tuple[str, str]:
    """Return why an option is unknown to a command, and which one may be meant, '' for none."""
    root = context.find_root().command
    print_command = root.get_command(context, "print")
    is_print = context.command.name == print_command.name
    if not is_print and any(option in param.opts for param in print_command.params):
        return f"{option} is an option of printing, not of {context.info_name}", ""
    panels = {name: notes["panel"] for name, _, notes in setting_fields()}
    if command := _OTHER_PANELS.get(panels.get(option.strip("-").replace("-", "_"), "")):
        return f"{option} is an option of {command}, not of {context.command.name}", ""
    params = context.command.get_params(context)
    if is_print:
        params = [*params, *root.get_params(context)]
    names = [name for param in params for name in (*param.opts, *param.secondary_opts)]
    # Without the dashes, which all have in common.
    names = [name.removeprefix("--") for name in names if name.startswith("--")]
    suggestion = did_you_mean(option.lstrip("-"), names)
    return f"no such option: {option}", suggestion.replace("mean ", "mean --")


def _fail(error: WebprintError, debug: bool = False) -> NoReturn:
    Console(debug=debug).error(error)
    sys.exit(error.exit_code)
