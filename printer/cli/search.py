"""The library of past prints: what is kept in it, and the command that searches it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ..article import Article
from ..errors import UsageError, WebprintError
from ..pipeline import PageOutcome
from ..settings import Settings, data_folder
from . import output
from .console import Console
from .options import AsData


def path() -> Path:
    """Return the library's file."""
    return data_folder() / "library.sqlite"


def noted(came: Iterable[PageOutcome], articles: list[Article]) -> Iterator[PageOutcome]:
    """Pass on what was read, and note the articles."""
    for source, one in came:
        if not isinstance(one, WebprintError):
            articles.append(one.article)
        yield source, one


def keep(settings: Settings, articles: Sequence[Article], written: str, console: Console) -> None:
    """Keep what was printed where the settings ask for it; a fault of that is a warning."""
    if not settings.library:
        return
    from ..db.library import Library

    here = written != "standard output" and "://" not in written
    try:
        with Library(path()) as library:
            library.add(articles, str(Path(written).absolute()) if here else "")
    except WebprintError as error:
        console.warn(str(error))


def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="What to look for.")],
    *,
    as_json: AsData = False,
) -> None:
    """Search what was printed with --library: all of the words, the best first."""
    from ..db.library import Library

    if not path().is_file():
        raise UsageError(
            "nothing that was printed was kept",
            hint="From now on it is with 'library = true' in webprint.toml",
        )
    with Library(path()) as library:
        hits = library.search(" ".join(words))
    if not hits:
        Console().say("No article that was kept has all of these words; word* finds more.")
    for hit in hits:
        if as_json:
            print(json.dumps(asdict(hit), ensure_ascii=False))
        else:
            for line in (f"{hit.title}  {hit.url}", f"  {hit.printed[:10]}  {hit.file}",
                         f"  {hit.snippet}"):  # fmt: skip
                output.print_line(line)
