"""Adding sources to webprint.toml, whose comments and order stay as they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from .. import toml_loader
from ..atomic_write import replace_file
from ..errors import OutputError, UsageError
from ..settings import SETTINGS_FILE
from .described import read_digests
from .lines import line_of
from .opml import Subscription


def add_sources(subscriptions: Sequence[Subscription], name: str) -> tuple[Path, int]:
    """Add feeds to a digest of the working folder's webprint.toml; those it has are left out.

    A digest that is not there is begun.  Returns the file and how many were added.
    """
    path = Path(SETTINGS_FILE)
    try:
        text = path.read_text("utf-8") if path.is_file() else ""
        tables = toml_loader.parse(text)
    except (OSError, UnicodeDecodeError, toml_loader.NotTOML) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    digests = read_digests(text, tables, str(path))
    names = [digest.name for digest in digests]
    if name in names:
        place = names.index(name)
        if not _in_tables(text, place):
            raise UsageError(f"{path}: {name} has its sources in one line", hint="Add it by hand")
        have = {source.feed for source in digests[place].source}
        new = [each for each in subscriptions if each.feed not in have]
        added = _with(text, place, new)
    else:
        new = list(subscriptions)
        gap = "\n" if text else ""
        added = f"{text.rstrip()}{gap * 2}[[digest]]\nname = {_string(name)}\n{_tables(new)}"
    if new:
        read_digests(
            added, toml_loader.parse(added), str(path)
        )  # Nothing is written that is wrong.
        _replace(path, added)
    return path, len(new)


def _in_tables(text: str, place: int) -> bool:
    """Tell whether the sources are [[digest.source]] tables, which more can follow."""
    line = text.splitlines()[line_of(text, ("digest", place, "source", 0)) - 1]
    return line.strip().startswith("[[")


def _with(text: str, place: int, new: Sequence[Subscription]) -> str:
    """Put sources at the end of a digest's own tables."""
    lines = text.splitlines()
    following = line_of(text, ("digest", place + 1))
    # Without a further digest the nearest thing around is the first line, or an earlier digest.
    last = following - 1 if following > line_of(text, ("digest", place)) else len(lines)
    before, after = "\n".join(lines[:last]).rstrip(), "\n".join(lines[last:])
    return f"{before}\n{_tables(new)}" + (f"\n{after}\n" if after else "")


def _tables(subscriptions: Sequence[Subscription]) -> str:
    made = []
    for each in subscriptions:
        rows = [f"feed = {_string(each.feed)}"]
        rows += [f"{key} = {_string(value)}" for key, value in
                 (("name", each.name), ("section", each.section)) if value]  # fmt: skip
        made.append("\n[[digest.source]]\n" + "\n".join(rows) + "\n")
    return "".join(made)


def _string(text: str) -> str:
    """Write a string as TOML, whose basic strings are JSON's but for one sign."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _replace(path: Path, text: str) -> None:
    try:
        replace_file(path, text, 0o644)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
