"""The library: the text of printed articles, to be searched."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from .article import Article
from .db import open_private_file, search_terms
from .errors import JobsError
from .files import Closing

#: The maximum number of characters of an article's text that are stored.
_MAX_TEXT = 2_000_000

_TABLES = Path(__file__).with_name("library.sql").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Hit:
    """An article found; ``snippet`` quotes the passage with the searched words in []."""

    title: str
    url: str
    printed: str
    file: str
    snippet: str


class Library(Closing):
    """Store and search the text of printed articles; a context manager."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._errors():
            self._connection = open_private_file(path, _TABLES)

    def close(self) -> None:
        self._connection.close()

    def add(self, articles: Sequence[Article], file: str) -> None:
        """Store articles printed into a file; an article replaces an earlier one of its URL."""
        timestamp = datetime.now(UTC).isoformat(timespec="seconds")
        with self._errors(), self._connection:
            for article in articles:
                if article.url:
                    self._connection.execute("DELETE FROM prints WHERE url = ?", (article.url,))
                row = (article.url, article.title, article.byline, article.site, timestamp, file,
                       article.text[:_MAX_TEXT])  # fmt: skip
                self._connection.execute(
                    "INSERT INTO prints (url, title, byline, site, printed, file, text)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    tuple(value.encode("utf-8", "replace").decode() for value in row),
                )

    def search(self, words: str, limit: int = 20) -> list[Hit]:
        """Return the articles with all of these words, best first; the title weighs most."""
        quoted = " ".join(search_terms(words))
        if not quoted:
            return []
        query = (
            "SELECT prints.title, prints.url, prints.printed, prints.file,"
            " snippet(words, 3, '[', ']', '…', 16)"
            " FROM words JOIN prints ON prints.id = words.rowid"
            " WHERE words MATCH ? ORDER BY bm25(words, 8, 3, 2, 1) LIMIT ?"
        )
        with self._errors():
            return [Hit(*row) for row in self._connection.execute(query, (quoted, limit))]

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise JobsError(f"the library {self._path} cannot be used: {error}") from error
