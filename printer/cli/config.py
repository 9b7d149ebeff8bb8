"""The commands that show settings and themes, and sign in on sites."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from ..settings import LoadedSettings, Settings, setting_fields, settings_files
from .console import Console
from .help import Commands
from .options import MESSAGES, with_settings

if TYPE_CHECKING:
    from ..fetch.browser.login import Person

commands = Commands()


@commands.command()
@with_settings("Page", "Article", "Fetching", "Run")
def config(*, loaded: LoadedSettings) -> None:
    """Show the settings in force and where each comes from."""
    width = max(map(len, Settings.model_fields))
    for name, _, notes in setting_fields():
        value = getattr(loaded.settings, name)
        text = "(set)" if value and "sensitive" in notes else json.dumps(value, ensure_ascii=False)
        print(f"{name.replace('_', '-'):{width}} = {text:24} # {loaded.origins[name]}")
    for path in settings_files():
        print(f"# {path}: {'read' if path.is_file() else 'not found'}")


@commands.command()
def themes() -> None:
    """List the themes, their papers and their options."""
    for line in theme_lines():
        print(line)


def theme_lines() -> Iterator[str]:
    """Yield a line for each theme, and each of its papers and options."""
    from ..themes.loader import all_themes
    from ..themes.options import FONT
    from ..themes.schema import Page, format_value

    for theme in all_themes():
        yield f"{theme.name:14} {theme.description}"
        for name, device in theme.papers.items():
            yield f"{'':14} --paper {name:22} {device.description or device.size}"
        for name, variable in theme.variables.items():
            values = "|".join(variable.choices) or ("on|off" if variable.kind == "switch" else "")
            option = f"{name}={values or variable.kind.upper()}"
            text = f"{variable.description} ({format_value(variable.value)})".strip()
            yield f"{'':14} --set {option:20} {text}"
    names = " ".join(name.replace("_", "-") for name in Page.model_fields)
    yield f"\nAll themes take --set {FONT}=... and the values of a page: {names}"


@commands.command()
@with_settings(
    "storage_state", "timeout", "user_agent", "header", "cookies", "user", "allow_private",
    *MESSAGES,
)  # fmt: skip
def login(
    page: Annotated[
        str,
        typer.Argument(metavar="URL", help="The page to sign in on.", show_default=False),
    ],
    *,
    loaded: LoadedSettings,
) -> None:
    """Sign in on a page in a browser, and save the browser's state.

    The state goes to the file of --storage-state, which only you can read; name it again to print.
    """
    from ..fetch.browser.login import at_the_keyboard

    wait = sys.stdin.readline if sys.stdin.isatty() else threading.Event().wait
    save_login(page, loaded.settings, at_the_keyboard(wait))


def save_login(page: str, settings: Settings, person: Person, *, visible: bool = True) -> None:
    """Open a browser, with the saved state if any, for a user to sign in; save its state."""
    from ..fetch.browser.login import sign_in
    from ..fetch.credentials import write_storage_state
    from ..fetch.ssrf import Guard

    file = settings.storage_state
    if not file:
        raise UsageError("login needs a file for the state", hint="--storage-state FILE")
    options = settings.fetch_options()
    if not Path(file).exists():
        options = replace(options, storage_state="")
    console = Console.from_settings(settings)
    console.info("Sign in in the browser that opens; then close the page, or press Enter here.")
    guard = Guard([page], allow_private=settings.allow_private)
    write_storage_state(file, sign_in(page, options, guard, person, visible=visible))
    console.info(f"{file}: saved; whoever has this file is signed in as you")
