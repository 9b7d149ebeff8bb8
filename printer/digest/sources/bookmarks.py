"""Lists of pages that other programs export: bookmarks and reading lists.

Read are Netscape bookmarks (as browsers, Pinboard and Raindrop write them, and Pocket's HTML), CSV
with a column of addresses (Pocket, Instapaper, Reader), JSON (Wallabag, Readwise, Omnivore,
Firefox) and plain lists.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree, html

from ...errors import UsageError
from ...text import clean_line
from .reading_list import MAX_LINES, ListedPage

MAX_BYTES = 20_000_000
_MAX_URL, _MAX_TITLE = 4_000, 300

#: Where entries have their address, their title and whether they were read, the best first.
_URL_KEYS = ("source_url", "given_url", "resolved_url", "url", "uri", "href", "link", "address")
_TITLE_KEYS = ("title", "resolved_title", "given_title", "name")
_READ_KEYS = ("is_archived", "archived", "status", "location", "folder", "state")
_READ_VALUES = frozenset(["1", "true", "archive", "archived"])

_HTML = re.compile(r"\s*<(?:!doctype|html|meta|title|h1|dl|ul|a|!--)", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)


def parse_bookmarks(data: bytes) -> list[ListedPage]:
    """Return the pages of an exported list in its order, with whatever each has for an address.

    Raises:
        UsageError: the file is too large, has too many entries, or none.
    """
    if len(data) > MAX_BYTES:
        raise UsageError(f"the file is larger than {MAX_BYTES // 1_000_000} MB")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = data.decode(encoding, "replace").replace("\0", "")
    pages = []
    for url, title, is_read in _entries(text):
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
            hint="Give bookmarks as HTML, a CSV or JSON export, or a list with an address a line",
        )
    return pages


def _entries(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield address, title and whether it was read."""
    if _HTML.match(text):
        return _from_html(text)
    if text.lstrip()[:1] in ("[", "{"):
        return _from_json(text)
    columns = next(csv.reader([text.lstrip().partition("\n")[0]]), [])
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
                if _first(entry, _URL_KEYS):
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
    return _first(item, _URL_KEYS), _first(item, _TITLE_KEYS), is_read


def _first(item: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """Return the first text that an entry has under some keys, or ''."""
    texts = (item.get(key) for key in keys)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")
