"""The command that signs in."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from ..settings import LoadedSettings, Settings
from ..themes.loader import Theme, all_themes
from ..themes.options import FONT
from ..themes.schema import Page, format_value
from .console import Console
from .options import with_settings

if TYPE_CHECKING:
    from ..fetch.browser.login import Person


@with_settings("Fetching", "Run")
def login(
    page: Annotated[
        str,
        typer.Argument(metavar="URL", help="The page to sign in on.", show_default=False),
    ],
    *,
    loaded: LoadedSettings,
) -> None:
    """Sign in on a page in a browser, and save the state it is then in.

    The state goes to the file of --storage-state, which only you can read; give it again to print.
    """
    from ..fetch.browser.login import at_the_keyboard

    wait = sys.stdin.readline if sys.stdin.isatty() else threading.Event().wait
    save_login(page, loaded.settings, at_the_keyboard(wait))


def save_login(page: str, settings: Settings, person: Person, *, visible: bool = True) -> None:
    """Let a person sign in, from the state that is kept already if there is one, and keep it."""
    from ..fetch.browser.login import sign_in
    from ..fetch.credentials import write_storage_state
    from ..fetch.ssrf import Guard

    file = settings.storage_state
    if not file:
        raise UsageError("a file is needed to save the state in", hint="--storage-state FILE")
    options = settings.fetch_options()
    if not Path(file).exists():
        options = replace(options, storage_state="")
    console = Console.of(settings)
    console.say("Sign in in the browser that opens; then close the page, or press Enter here.")
    guard = Guard([page], allow_private=settings.allow_private)
    write_storage_state(file, sign_in(page, options, guard, person, visible=visible))
    console.say(f"{file}: saved; whoever has this file is signed in as you")


def lines() -> Iterator[str]:
    """Yield the themes a line each, with the papers they know and what can be set in them."""
    for theme in all_themes():
        yield f"{theme.name:14} {theme.description}"
        for name, device in theme.papers.items():
            yield f"{'':14} --paper {name:22} {device.description or device.size}"
        yield from _variables(theme)
    names = " ".join(name.replace("_", "-") for name in Page.model_fields)
    yield f"\nAll take --set {FONT}=... and the values of a page: {names}"


def _variables(theme: Theme) -> Iterator[str]:
    for name, variable in theme.variables.items():
        kinds = "|".join(variable.choices) or ("on|off" if variable.kind == "switch" else "")
        kinds = kinds or variable.kind.upper()
        told = f"{variable.description} ({format_value(variable.value)})".strip()
        yield f"{'':14} --set {name + '=' + kinds:20} {told}"
