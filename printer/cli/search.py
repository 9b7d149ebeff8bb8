"""The library of past prints: adding to it, and the command that searches it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ..article import Article
from ..errors import UsageError, WebprintError
from ..settings import Settings, data_folder
from . import output
from .console import Console
from .help import Commands
from .options import AsJson

commands = Commands()


def library_path() -> Path:
    """Return the library's file."""
    return data_folder() / "library.sqlite"


def stored(settings: Settings) -> list[str]:
    """Return what the library would keep of a print, in words."""
    return [f"the text in {library_path()}"] if settings.library else []


def add_to_library(
    settings: Settings, articles: Sequence[Article], place: str, console: Console
) -> None:
    """Add printed articles to the library if the settings ask for it; warn of errors."""
    if not settings.library:
        return
    from ..db.library import Library

    is_file = place != output.STDOUT_NAME and "://" not in place
    try:
        with Library(library_path()) as library:
            library.add(articles, str(Path(place).absolute()) if is_file else "")
    except WebprintError as error:
        console.warn(str(error))


@commands.command()
def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="What to search for.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Search what was printed with --library for all of the words, best matches first."""
    from ..db.library import Library

    if not library_path().is_file():
        raise UsageError(
            "the library is empty",
            hint="'library = true' in webprint.toml adds what is printed from now on",
        )
    with Library(library_path()) as library:
        hits = library.search(" ".join(words))
    if not hits:
        Console().info("No article in the library has all of these words; word* finds more.")
    for hit in hits:
        if as_json:
            print(json.dumps(asdict(hit), ensure_ascii=False))
            continue
        output.print_line(f"{hit.title}  {hit.url}")
        output.print_line(f"  {hit.printed[:10]}  {hit.file}")
        output.print_line(f"  {hit.snippet}")
