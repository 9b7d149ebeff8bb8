"""The reading list: a text file with one URL per line, which digests print from.

The words after a URL are its title.  Lines that begin with # are comments.  Exports of other
programs can be imported: Netscape bookmarks (from browsers, Pinboard and Raindrop, and Pocket's
HTML), CSV with a column of addresses (Pocket, Instapaper, Reader), JSON (Wallabag, Readwise,
Omnivore, Firefox) and plain lists.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from lxml import etree, html

from ..errors import BadURL, OutputError, UsageError
from ..files import atomic_write, changing, os_errors
from ..settings import Settings, data_folder
from ..text import clean_line
from ..urls import is_http, normalize_url

MAX_BYTES = 10_000_000
MAX_LINES = 20_000
_MAX_TITLE = 300

AddResult: TypeAlias = Literal[
    "added", "listed before", "read before", "no web address", "list full"
]

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
    """Add a URL; return False if it was there before.  Raise BadURL or OutputError."""
    ((_, outcome),) = add_pages(path, [ListedPage(normalize_url(url))])
    if outcome == "list full":
        raise OutputError(f"the reading list is full: it has {MAX_LINES} lines", hint=_FULL_HINT)
    return outcome == "added"


_FULL_HINT = "Remove pages that you have read"


def add_pages(path: Path, pages: Iterable[ListedPage]) -> list[tuple[ListedPage, AddResult]]:
    """Add pages to a list and return the result for each; raise :class:`OutputError`."""
    outcomes: list[tuple[ListedPage, AddResult]] = []
    with _edit_lines(path) as lines:
        listed = {url for line in lines if (url := _parse_line(line).url)}
        room = MAX_BYTES - sum(len(line.encode(errors="surrogateescape")) + 1 for line in lines)
        for page in pages:
            try:
                url = normalize_url(page.url) if is_http(page.url) else ""
            except BadURL:
                url = ""
            line = f"{url} {clean_line(page.title, _MAX_TITLE)}".strip()
            outcome: AddResult = "added"
            if not url:
                outcome = "no web address"
            elif url in listed:
                outcome = "listed before"
            elif page.is_read:
                outcome = "read before"
            elif len(lines) >= MAX_LINES or len(line.encode()) >= room:
                outcome = "list full"
            else:
                lines.append(line)
                listed.add(url)
                room -= len(line.encode()) + 1
            outcomes.append((page, outcome))
    return outcomes


def remove_pages(path: Path, urls: Collection[str]) -> list[ListedPage]:
    with _edit_lines(path) as lines:
        removed = [page for page in map(_parse_line, lines) if page.url and page.url in urls]
        lines[:] = [line for line in lines if _parse_line(line).url not in urls]
    return removed


def move_page(path: Path, url: str, direction: Direction) -> None:
    with _edit_lines(path) as lines:
        indexes = [n for n, line in enumerate(lines) if _parse_line(line).url]
        index = next((n for n in indexes if _parse_line(lines[n]).url == url), None)
        if index is None:
            return
        place = indexes.index(index)
        target = {"first": 0, "up": place - 1, "down": place + 1}[direction]
        if 0 <= target < len(indexes):
            lines.insert(indexes[target], lines.pop(index))


def read_pages(path: Path) -> list[ListedPage]:
    with os_errors(OutputError, f"{path} cannot be read"):
        lines = _read_lines(path)
    pages = {page.url: page for page in map(_parse_line, reversed(lines)) if page.url}
    return list(pages.values())[::-1]


def read_urls(path: Path) -> list[str]:
    """Return the URLs of a reading list, oldest first; see :func:`read_pages`."""
    return [page.url for page in read_pages(path)]


@contextmanager
def _edit_lines(path: Path) -> Iterator[list[str]]:
    """Lock the folder of a file, yield its lines, and write the changes that the caller makes."""
    with changing(path, OutputError):
        original = _read_lines(path)
        lines = list(original)
        yield lines
        if lines != original:
            text = "".join(f"{line}\n" for line in lines)
            atomic_write(path, text.encode(errors="surrogateescape"), 0o600)


def _read_lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return []
    # Bytes that are not UTF-8 stay as they are.
    lines = data.decode(errors="surrogateescape").removeprefix("\ufeff").splitlines()
    if len(data) > MAX_BYTES or len(lines) > MAX_LINES:
        raise OutputError(
            f"{path} is too large for a reading list: it may have {MAX_LINES} lines",
            hint=_FULL_HINT,
        )
    return lines


def _parse_line(line: str) -> ListedPage:
    """Return the page on a line; its URL is '' for a comment."""
    text = line.encode(errors="surrogateescape").decode(errors="replace")
    url, _, title = text.strip().partition(" ")
    return ListedPage("" if url.startswith("#") else url.strip(), title.strip())


MAX_EXPORT_BYTES = 20_000_000
#: More than an address may have, so that none is cut to one that leads elsewhere.
_MAX_URL = 20_000

#: Where entries have their address, their title and whether they were read, best first.
_URL_KEYS = ("source_url", "given_url", "resolved_url", "url", "uri", "href", "link", "address")
_TITLE_KEYS = ("title", "resolved_title", "given_title", "name")
_READ_KEYS = ("is_archived", "archived", "status", "location", "folder", "state")
_READ_VALUES = frozenset(["1", "true", "archive", "archived"])

_HTML = re.compile(r"\s*<(?:!doctype|html|meta|title|h1|dl|ul|a|!--)", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)


def parse_bookmarks(data: bytes) -> list[ListedPage]:
    """Return the pages of an exported list in order; raise :class:`UsageError`."""
    if len(data) > MAX_EXPORT_BYTES:
        raise UsageError(f"the file is larger than {MAX_EXPORT_BYTES // 1_000_000} MB")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = data.decode(encoding, "replace").replace("\0", "")
    pages = []
    for url, title, is_read in _parse_entries(text):
        url = clean_line(url, _MAX_URL)
        if url:
            pages.append(ListedPage(url, clean_line(title, _MAX_TITLE), is_read))
        if len(pages) > MAX_LINES:
            raise UsageError(
                f"the file has more than {MAX_LINES} entries", hint="Import it in parts"
            )
    if not pages:
        raise UsageError(
            "no addresses were found in this file",
            hint="Give bookmarks (HTML), an export (CSV or JSON), or one address per line",
        )
    return pages


def _parse_entries(text: str) -> Iterator[tuple[str, str, bool]]:
    if _HTML.match(text):
        return _from_html(text)
    if text.lstrip()[:1] in ("[", "{"):
        return _from_json(text)
    try:
        columns = next(csv.reader([text.lstrip().partition("\n")[0]]), [])
    except csv.Error:  # It is longer than a field may be.
        columns = []
    if len(columns) > 1 and {name.strip().lower() for name in columns} & set(_URL_KEYS):
        return _from_csv(text.lstrip())
    return _from_lines(text)


def _from_html(text: str) -> Iterator[tuple[str, str, bool]]:
    try:
        root = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.LxmlError, ValueError) as error:
        raise UsageError("the file cannot be read as bookmarks") from error
    is_read = False
    for element in root.iter("h1", "a"):
        words = "".join(map(str, element.itertext()))
        if element.tag == "h1":
            is_read = words.strip().lower() == "read archive"  # Pocket's second list.
        else:
            yield element.get("href") or "", words, is_read


def _from_json(text: str) -> Iterator[tuple[str, str, bool]]:
    try:
        pending = [json.loads(text)]
    except (ValueError, RecursionError) as error:
        raise UsageError("the file is not valid JSON") from error
    while pending:
        match pending.pop():
            case dict(item):
                entry = {str(key).lower(): value for key, value in item.items()}
                if _first_text(entry, _URL_KEYS):
                    yield _from_item(entry)
                else:
                    pending += reversed(list(item.values()))
            case list(items):
                pending += reversed(items)


def _from_csv(text: str) -> Iterator[tuple[str, str, bool]]:
    rows = csv.reader(io.StringIO(text, newline=""))
    try:
        names = [name.strip().lower() for name in next(rows)]
        for row in rows:
            yield _from_item(dict(zip(names, row, strict=False)))
    except csv.Error as error:
        raise UsageError(f"the file is not valid CSV: line {rows.line_num}: {error}") from error


def _from_lines(text: str) -> Iterator[tuple[str, str, bool]]:
    for line in text.splitlines():
        line = line.strip()
        if line and not line.startswith("#"):
            match = _ADDRESS.search(line)
            url = match[0] if match else line
            yield url, line.replace(url, " "), False


def _from_item(item: Mapping[str, Any]) -> tuple[str, str, bool]:
    is_read = any(str(item.get(key)).strip().lower() in _READ_VALUES for key in _READ_KEYS)
    return _first_text(item, _URL_KEYS), _first_text(item, _TITLE_KEYS), is_read


def _first_text(item: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    texts = (item.get(key) for key in keys)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")
