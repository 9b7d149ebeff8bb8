"""The program ``webprint``: its commands, and errors as messages and exit codes."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import TyperException
from typer.core import TyperGroup
from typer.main import get_group

from .. import __version__
from ..errors import UsageError, WebprintError
from .commands import COMMANDS
from .console import INTERRUPTED, Console

if TYPE_CHECKING:
    from ..render.worker_pool import RenderPool


class CommandGroup(TyperGroup):
    """Loads commands on first use; any other word is a page to print."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load a command; return None if there is none of this name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f".{COMMANDS[cmd_name]}", __package__)
        return get_group(module.commands).commands[cmd_name]

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Return the command to run and its arguments."""
        if args[0] in COMMANDS:
            return super().resolve_command(ctx, args)
        return None, self.get_command(ctx, "print"), args

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of printing, which lists the other commands."""
        command = self.get_command(ctx, "print")
        command.format_help(type(ctx)(command, info_name="webprint"), formatter)


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={
        "ignore_unknown_options": True,
        "allow_extra_args": True,
        "help_option_names": ["--help", "-h"],
    },
)


@app.callback(invoke_without_command=True)
def webprint(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)
    ] = False,
) -> None:
    """Give it a web page, get the article on paper."""
    if version:
        print(f"webprint {__version__}")
        raise typer.Exit


def run(pool: RenderPool | None = None) -> None:
    """Run the command line with a pool of renderers, and exit with its code."""
    verbose = not {"--verbose", "-v"}.isdisjoint(sys.argv[1:])
    try:
        sys.exit(app(prog_name="webprint", standalone_mode=False, obj=pool))
    except TyperException as error:
        message = error.format_message().rstrip(".").replace("Value error, ", "")
        if not message:  # Without arguments, the help was shown.
            sys.exit(UsageError.exit_code)
        command = getattr(getattr(error, "ctx", None), "command_path", "").strip() or "webprint"
        _fail(UsageError(message, hint=f"See {command} --help"))
    except WebprintError as error:
        _fail(error, verbose)
    except Exception as error:  # noqa: BLE001 - the last resort: our own bug, in one line
        bug = WebprintError(
            f"internal error: {type(error).__name__}: {error}",
            hint="Please report it with the output of --verbose",
        )
        _fail(bug.with_traceback(error.__traceback__), verbose)
    except (KeyboardInterrupt, typer.Abort):
        print("webprint: interrupted; no incomplete file was left", file=sys.stderr)
        sys.exit(INTERRUPTED)


def _fail(error: WebprintError, verbose: bool = False) -> None:
    Console(verbose).error(error)
    sys.exit(error.exit_code)
