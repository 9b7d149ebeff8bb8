"""The library: the text of what was printed, kept on this machine only where that is asked for.

One SQLite file with a full-text index (FTS5), readable by its owner alone.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ..article import Article
from ..errors import JobsError
from .sqlite import enable_wal

_PATIENCE = 5.0
#: So much of an article's text is kept, in characters.
_MOST_TEXT = 2_000_000

_TABLES = """
CREATE TABLE IF NOT EXISTS prints (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL, title TEXT NOT NULL, byline TEXT NOT NULL,
    site TEXT NOT NULL, printed TEXT NOT NULL, file TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS prints_by_url ON prints (url);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    title, byline, site, text, content='prints', content_rowid='id',
    tokenize="unicode61 remove_diacritics 2");
CREATE TRIGGER IF NOT EXISTS prints_in AFTER INSERT ON prints BEGIN
    INSERT INTO words (rowid, title, byline, site, text)
    VALUES (new.id, new.title, new.byline, new.site, new.text); END;
CREATE TRIGGER IF NOT EXISTS prints_out AFTER DELETE ON prints BEGIN
    INSERT INTO words (words, rowid, title, byline, site, text)
    VALUES ('delete', old.id, old.title, old.byline, old.site, old.text); END;
"""


@dataclass(frozen=True, slots=True)
class Hit:
    """An article that was printed and has the words; ``extract`` is where, the words in []."""

    title: str
    url: str
    printed: str
    file: str
    snippet: str


class Library:
    """What was printed, to be searched; a context manager."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._told():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            os.chmod(path, 0o600)  # noqa: PTH101
            self._base = sqlite3.connect(path, timeout=_PATIENCE)
            enable_wal(self._base, _PATIENCE)
            self._base.executescript(_TABLES)

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def add(self, articles: Sequence[Article], file: str, when: datetime | None = None) -> None:
        """Keep the text of articles that were printed into a file; one printed anew replaces it."""
        moment = (when or datetime.now(UTC)).isoformat(timespec="seconds")
        with self._told(), self._base:
            for each in articles:
                if each.url:
                    self._base.execute("DELETE FROM prints WHERE url = ?", (each.url,))
                row = (each.url, each.title, each.byline, each.site, moment, file,
                       each.text[:_MOST_TEXT])  # fmt: skip
                self._base.execute(
                    "INSERT INTO prints (url, title, byline, site, printed, file, text)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    tuple(value.encode("utf-8", "replace").decode() for value in row),
                )

    def search(self, words: str, most: int = 20) -> list[Hit]:
        """Return what has all of these words, the best first; the title counts most."""
        quoted = " ".join(_terms(words))
        if not quoted:
            return []
        query = (
            "SELECT prints.title, prints.url, prints.printed, prints.file,"
            " snippet(words, 3, '[', ']', '…', 16)"
            " FROM words JOIN prints ON prints.id = words.rowid"
            " WHERE words MATCH ? ORDER BY bm25(words, 8, 3, 2, 1) LIMIT ?"
        )
        with self._told():
            return [Hit(*row) for row in self._base.execute(query, (quoted, most))]

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise JobsError(f"the library {self._path} cannot be used: {error}") from error


def _terms(words: str) -> Iterator[str]:
    """Yield words as FTS5 takes them: each a string, so that none of them is an operator."""
    for word in words.split()[:50]:
        text = word[:100].replace('"', " ").replace("\0", " ").strip("* ")
        if any(map(str.isalnum, text)):
            yield f'"{text}"' + ("*" if word.endswith("*") else "")
