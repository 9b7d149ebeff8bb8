"""The history of prints: an index that people search; the job queue owns the prints.

It is derived from the queue and the results, and brought up to date before it is read; only which
prints were deleted, and may be restored for a while, is recorded here alone.
"""

from __future__ import annotations

import json
import re
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ..db import delete_database, is_corruption, open_private_file, search_terms
from ..errors import JobsError
from ..files import Closing
from ..jobs import STATES, Job, State
from ..jobs.queue import JobQueue
from ..jobs.storage import ARTICLE, Storage, StorageUnavailable
from ..site_rules.apply import rule_site
from ..text import UNSPACED_CHARACTER

#: The seconds in which a deleted print can be restored.
UNDO_SECONDS = 600.0

_MAX_JOBS = 10_000
#: The maximum number of characters of a print's text that are searched.
_MAX_TEXT = 2_000_000
_MAX_WORDS = 20
#: The most unfinished prints that an update looks at.
_MAX_PENDING = 500
#: The seconds in which an update reads texts.
_READ_SECONDS = 2.0

_TABLES = Path(__file__).with_name("history.sql").read_text("utf-8")

#: The state of a finished print whose text is not in the index yet.
_UNREAD = "unread"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryQuery:
    """Which prints to find, by words, site and time; ``before`` continues an earlier answer."""

    words: str = ""
    site: str = ""
    since: float | None = None
    until: float | None = None
    states: Sequence[State] = STATES
    before: int | None = None
    limit: int = 20


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Prints, newest first, with the passages found, by id; ``next`` is for ``before``."""

    jobs: list[Job]
    snippets: dict[str, str]
    next: int | None


class PrintHistory(Closing):
    """The index of a server's prints, shared by its threads."""

    def __init__(self, path: Path, queue: JobQueue, storage: Storage) -> None:
        self._path, self._queue, self._storage = path, queue, storage
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        """Close the file; later calls open it again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def find(self, query: HistoryQuery) -> HistoryPage:
        jobs: list[Job] = []
        snippets: dict[str, str] = {}
        before = query.before
        with self._open() as connection:
            self._update(connection)
            while True:
                rows = _select_prints(connection, query, before, query.limit + 1 - len(jobs))
                jobs_by_id = self._queue.get_many([row[1] for row in rows])
                missing = [(row[1],) for row in rows if row[1] not in jobs_by_id]
                connection.executemany("DELETE FROM prints WHERE id = ?", missing)
                for n, print_id, snippet in rows:
                    if print_id in jobs_by_id and len(jobs) == query.limit:
                        return HistoryPage(jobs, snippets, before)
                    before = n
                    if print_id in jobs_by_id:
                        jobs.append(jobs_by_id[print_id])
                        snippets[print_id] = snippet
                if not missing:
                    return HistoryPage(jobs, snippets, None)

    def recent(self, limit: int) -> list[Job]:
        """Return the newest prints, without adding those before them to the index."""
        with self._open() as connection:
            query = "SELECT id FROM prints WHERE deleted IS NOT NULL"
            deleted = {row[0] for row in connection.execute(query)}
        jobs = self._queue.list_recent(limit + len(deleted))
        return [job for job in jobs if job.id not in deleted][:limit]

    def sites(self, limit: int = 200) -> list[str]:
        query = "SELECT site FROM prints WHERE site != '' AND deleted IS NULL GROUP BY site"
        with self._open() as connection:
            rows = connection.execute(f"{query} ORDER BY count(*) DESC LIMIT ?", (limit,))
            return sorted(row[0] for row in rows)

    def reopen(self, print_id: str) -> None:
        """Mark a print as queued, so that it is read again."""
        with self._open() as connection:
            connection.execute("UPDATE prints SET state = 'queued' WHERE id = ?", (print_id,))

    def is_deleted(self, print_id: str) -> bool:
        query = "SELECT 1 FROM prints WHERE id = ? AND deleted IS NOT NULL"
        with self._open() as connection:
            return connection.execute(query, (print_id,)).fetchone() is not None

    def mark_deleted(self, ids: Sequence[str], deleted_at: float | None) -> list[str]:
        """Mark prints as deleted at a time, or restore them; return the ids of those changed."""
        changed = []
        with self._open() as connection:
            self._update(connection)
            query = "UPDATE prints SET deleted = ? WHERE id = ? AND (deleted IS NULL) = ?"
            for print_id in ids:
                values = (deleted_at, print_id, deleted_at is not None)
                if connection.execute(query, values).rowcount:
                    changed.append(print_id)
        return changed

    def expired(self) -> list[str]:
        """Return the ids of deleted prints that can no longer be restored."""
        with self._open() as connection:
            query = "SELECT id FROM prints WHERE deleted < ?"
            return [r[0] for r in connection.execute(query, (time.time() - UNDO_SECONDS,))]

    def forget(self, print_id: str) -> None:
        with self._open() as connection:
            connection.execute("DELETE FROM prints WHERE id = ?", (print_id,))

    def _update(self, connection: sqlite3.Connection) -> None:
        """Add new prints, and update those that were unfinished."""
        limit = 50
        while True:
            jobs = self._queue.list_recent(limit)
            query = f"SELECT id FROM prints WHERE id IN ({','.join('?' * len(jobs))})"  # noqa: S608
            indexed = {row[0] for row in connection.execute(query, [job.id for job in jobs])}
            if len(jobs) < limit or jobs[-1].id in indexed or limit >= _MAX_JOBS:
                break
            limit = min(5 * limit, _MAX_JOBS)
        new = [job for job in reversed(jobs) if job.id not in indexed]
        connection.executemany(
            "INSERT INTO prints (id, created, state, site, url) VALUES (?, ?, 'queued', ?, ?)",
            [(job.id, job.created, rule_site(job.url), _valid_unicode(job.url)) for job in new],
        )
        query = "SELECT id FROM prints WHERE state IN (?, ?, ?) ORDER BY n DESC LIMIT ?"
        pending = connection.execute(query, ("queued", "running", _UNREAD, _MAX_PENDING))
        deadline = time.monotonic() + _READ_SECONDS
        for job in self._queue.get_many([row[0] for row in pending]).values():
            text, is_unread = "", job.has_result and time.monotonic() >= deadline
            if job.has_result and not is_unread:
                try:
                    text = self._read_text(job)
                except StorageUnavailable:  # The history works without it.
                    is_unread, deadline = True, 0.0
            state = _UNREAD if is_unread else job.state
            connection.execute(
                "UPDATE prints SET state = ?, title = ?, text = ? WHERE id = ?",
                (state, _valid_unicode(job.title), text, job.id),
            )

    def _read_text(self, job: Job) -> str:
        with suppress(ValueError, RecursionError, AttributeError):
            article = json.loads(self._storage.get(f"{job.result_folder}/{ARTICLE}") or b"")
            return _valid_unicode(
                f"{article.get('byline') or ''}\n{article.get('text') or ''}"[:_MAX_TEXT]
            )
        return ""

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = open_private_file(self._path, _TABLES, shared=True)
                with self._connection:
                    yield self._connection
            except (sqlite3.Error, OSError) as error:
                self.close()
                if is_corruption(error):  # It is made again from the queue.
                    delete_database(self._path)
                raise JobsError(f"the history of prints cannot be used: {error}") from error


def _select_prints(
    connection: sqlite3.Connection, query: HistoryQuery, before: int | None, limit: int
) -> list[tuple[int, str, str]]:
    """Return number, id and snippet of the newest prints that fit."""
    words = query.words.split()[:_MAX_WORDS]
    conditions, values = ["deleted IS NULL"], list[object]()
    for word in words:
        if UNSPACED_CHARACTER.search(word):  # FTS5 treats a sentence of them as one word.
            pattern = f"%{_escape_pattern(_valid_unicode(word))}%"
            conditions.append(r"(prints.title LIKE ? ESCAPE '\' OR prints.text LIKE ? ESCAPE '\')")
            values += [pattern, pattern]
    terms = " ".join(search_terms(" ".join(w for w in words if not UNSPACED_CHARACTER.search(w))))
    source, snippet = "prints", "''"
    if terms:
        source = "words JOIN prints ON prints.n = words.rowid"
        snippet = "snippet(words, 2, '\x02', '\x03', '…', 18)"
        conditions.append("words MATCH ?")
        values.append(_valid_unicode(terms))
    if words and not values:
        return []  # Nothing in them can be searched for.
    if query.site:
        conditions.append(r"(site = ? OR site LIKE ? ESCAPE '\')")
        site = _valid_unicode(query.site.strip().lower().removeprefix("www."))
        values += [site, f"%.{_escape_pattern(site)}"]
    for condition, value in (("n < ?", before), ("created >= ?", query.since),
                             ("created < ?", query.until)):  # fmt: skip
        if value is not None:
            conditions.append(condition)
            values.append(value)
    if set(query.states) < set(STATES):
        # Prints whose text is not in the index yet are done, too.
        states = [*query.states, *([_UNREAD] if "done" in query.states else [])]
        conditions.append(f"state IN ({','.join('?' * len(states))})")
        values += states
    sql = f"SELECT n, id, {snippet} FROM {source} WHERE {' AND '.join(conditions)}"  # noqa: S608
    return list(connection.execute(f"{sql} ORDER BY n DESC LIMIT ?", [*values, limit]))


def _escape_pattern(text: str) -> str:
    """Return a text with the wildcards of LIKE escaped by a backslash."""
    return re.sub(r"([\\%_])", r"\\\1", text)


def _valid_unicode(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\0", " ")
