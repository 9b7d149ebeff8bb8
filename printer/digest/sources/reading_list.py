"""The reading list: a text file with one URL per line, which digests print from.

The words after a URL are its title.  Lines that begin with # are comments.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from ...atomic_write import atomic_write
from ...errors import BadURL, OutputError
from ...settings import Settings, data_folder
from ...text import clean_line
from ...urls import is_http, normalize_url

MAX_BYTES, MAX_LINES = 10_000_000, 20_000
_MAX_TITLE = 300

#: What becomes of a page that is to be added.
Fate: TypeAlias = Literal["added", "listed before", "read before", "no web address", "list full"]

Direction: TypeAlias = Literal["first", "up", "down"]


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page on the reading list, or to be added to it; ``is_read`` if it was read already."""

    url: str
    title: str = ""
    is_read: bool = False


def reading_list_path(settings: Settings, name: str = "") -> Path:
    """Return the file of a reading list; '' and "default" name the default one."""
    default = settings.reading_list or str(data_folder() / "later.txt")
    return Path(name if name not in ("", "default") else default).expanduser()


def add_url(path: Path, url: str) -> bool:
    """Add a URL to a reading list; return False if it was there before.

    Raises:
        BadURL: the URL is not valid.
        OutputError: the file cannot be written, or the list is full.
    """
    ((_, fate),) = add_pages(path, [ListedPage(normalize_url(url))])
    if fate == "list full":
        raise OutputError(f"the reading list is full: it has {MAX_LINES} lines", hint=_FULL_HINT)
    return fate == "added"


_FULL_HINT = "Remove what you have read"


def add_pages(path: Path, pages: Iterable[ListedPage]) -> list[tuple[ListedPage, Fate]]:
    """Add pages to a reading list; return what became of each.

    Raises:
        OutputError: the file cannot be written.
    """
    fates: list[tuple[ListedPage, Fate]] = []
    with _lines_of(path) as lines:
        listed = {url for line in lines if (url := _parse_line(line).url)}
        room = MAX_BYTES - sum(len(line.encode()) + 1 for line in lines)
        for page in pages:
            try:
                url = normalize_url(page.url) if is_http(page.url) else ""
            except BadURL:
                url = ""
            line = f"{url} {clean_line(page.title, _MAX_TITLE)}".strip()
            fate: Fate = "added"
            if not url:
                fate = "no web address"
            elif url in listed:
                fate = "listed before"
            elif page.is_read:
                fate = "read before"
            elif len(lines) >= MAX_LINES or len(line.encode()) >= room:
                fate = "list full"
            else:
                lines.append(line)
                listed.add(url)
                room -= len(line.encode()) + 1
            fates.append((page, fate))
    return fates


def remove_pages(path: Path, urls: Collection[str]) -> list[ListedPage]:
    """Remove pages from a reading list; return those that were on it.

    Raises:
        OutputError: the file cannot be written.
    """
    with _lines_of(path) as lines:
        removed = [page for page in map(_parse_line, lines) if page.url and page.url in urls]
        lines[:] = [line for line in lines if _parse_line(line).url not in urls]
    return removed


def move_page(path: Path, url: str, direction: Direction) -> None:
    """Move a page to the beginning of a reading list, or past its neighbour.

    Raises:
        OutputError: the file cannot be written.
    """
    with _lines_of(path) as lines:
        places = [n for n, line in enumerate(lines) if _parse_line(line).url]
        at = next((n for n in places if _parse_line(lines[n]).url == url), None)
        if at is None:
            return
        match direction:
            case "first":
                lines.insert(places[0], lines.pop(at))
            case "up" if at != places[0]:
                other = places[places.index(at) - 1]
                lines[at], lines[other] = lines[other], lines[at]
            case "down" if at != places[-1]:
                other = places[places.index(at) + 1]
                lines[at], lines[other] = lines[other], lines[at]


def read_pages(path: Path) -> list[ListedPage]:
    """Return the pages of a reading list, in its order; none if there is no file.

    Raises:
        OutputError: the file cannot be read, or is too large.
    """
    try:
        lines = _read_lines(path)
    except OSError as error:
        raise OutputError(f"{path} cannot be read: {error.strerror}") from error
    pages = {page.url: page for page in map(_parse_line, reversed(lines)) if page.url}
    return list(pages.values())[::-1]


def read_urls(path: Path) -> list[str]:
    """Return the URLs of a reading list, the oldest first; see :func:`read_pages`."""
    return [page.url for page in read_pages(path)]


@contextmanager
def _lines_of(path: Path) -> Iterator[list[str]]:
    """Lock a file and yield its lines to be changed."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            before = _read_lines(path)
            lines = list(before)
            yield lines
            if lines != before:
                atomic_write(path, "".join(f"{line}\n" for line in lines), 0o600)
        finally:
            os.close(lock)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error


def _read_lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return []
    lines = data.decode("utf-8", "replace").splitlines()
    if len(data) > MAX_BYTES or len(lines) > MAX_LINES:
        raise OutputError(
            f"{path} is too large for a reading list: it may have {MAX_LINES} lines",
            hint=_FULL_HINT,
        )
    return lines


def _parse_line(line: str) -> ListedPage:
    """Return the page on a line; its URL is '' for a comment."""
    url, _, title = line.strip().partition(" ")
    return ListedPage("" if url.startswith("#") else url.strip(), title.strip())
