"""The stories that digests have printed, to print none twice.

The tables are in one database: SQLite, or PostgreSQL for several machines.  Column names on disk
that differ from the attributes here are kept for databases of earlier versions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from .. import urls
from ..crawl.near_duplicates import NEAR_DUPLICATE, Sketch, bands, from_bytes, resemblance, to_bytes
from ..db.engine import advisory_lock, open_engine, read_only, translate_db_errors
from ..errors import BadURL

#: The seconds for which a story is remembered.
RETENTION = 400 * 86400.0

_MAX_FINGERPRINTS = 9
_LOCK = 0x77656467  # the advisory lock of PostgreSQL under which the tables are created

metadata = sa.MetaData()

stories = sa.Table(
    "digest_stories",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("digest", sa.String(60), nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("stamps", sa.Text, key="fingerprints", nullable=False),
    sa.Column("sketch", sa.LargeBinary, nullable=False),
    sa.Column("printed", sa.Float, nullable=False),
)


def _story_column() -> sa.Column[int]:
    key = sa.ForeignKey("digest_stories.id", ondelete="CASCADE")
    return sa.Column("story", sa.Integer, key, nullable=False)


story_urls = sa.Table(
    "digest_addresses",
    metadata,
    sa.Column("digest", sa.String(60), primary_key=True),
    sa.Column("mark", sa.String(64), key="url_key", primary_key=True),
    _story_column(),
)

story_bands = sa.Table(
    "digest_likeness",
    metadata,
    _story_column(),
    sa.Column("digest", sa.String(60), nullable=False),
    sa.Column("band", sa.BigInteger, nullable=False),
    sa.Index("digest_likeness_by_band", "digest", "band"),
)


@dataclass(frozen=True, slots=True)
class StoryRecord:
    """A story that was printed, with all its URLs; ``printed`` is in seconds since 1970.

    ``fingerprints`` identify the states of its feed entries that need not be read again.
    """

    urls: tuple[str, ...]
    title: str
    fingerprints: tuple[str, ...]
    sketch: Sketch | None = field(repr=False, compare=False, default=None)
    printed: float = 0.0


def url_key(url: str) -> str:
    """Return a hash shared by all spellings of a URL; the id of a mail is hashed unchanged."""
    with suppress(BadURL):
        return urls.url_key(url)
    return hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()


class History:
    """The stories of digests, shared by processes and, with PostgreSQL, by machines."""

    def __init__(self, database: str) -> None:
        self._engine = open_engine(database)
        with self._write() as connection:
            advisory_lock(connection, _LOCK)
            metadata.create_all(connection)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _write(self) -> Iterator[sa.Connection]:
        with _database_errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _read(self) -> Iterator[sa.Connection]:
        with _database_errors(), read_only(self._engine) as connection:
            yield connection

    # Stories

    def find_by_url(self, digest: str, urls: Iterable[str]) -> StoryRecord | None:
        """Return the story last printed from any of the URLs."""
        query = (
            sa.select(stories)
            .join(story_urls, story_urls.c.story == stories.c.id)
            .where(story_urls.c.digest == digest, story_urls.c.url_key.in_(map(url_key, urls)))
            .order_by(stories.c.printed.desc())
        )
        with self._read() as connection:
            row = connection.execute(query.limit(1)).first()
        return _record(row) if row else None

    def find_similar(self, digest: str, sketch: Sketch | None) -> StoryRecord | None:
        """Return the printed story with nearly the same text."""
        if sketch is None:
            return None
        ids = (
            sa.select(story_bands.c.story)
            .where(story_bands.c.digest == digest, story_bands.c.band.in_(bands(sketch)))
            .distinct()
            .limit(200)
        )
        with self._read() as connection:
            rows = connection.execute(sa.select(stories).where(stories.c.id.in_(ids))).all()
        best, nearest = 0.0, None
        for record in map(_record, rows):
            score = resemblance(sketch, record.sketch) if record.sketch is not None else 0.0
            if score >= NEAR_DUPLICATE and score > best:
                best, nearest = score, record
        return nearest

    def note_unchanged(self, digest: str, url: str, fingerprint: str) -> None:
        """Add a fingerprint to a printed story, so that it is not read again in that state."""
        if not fingerprint:
            return
        of_url = (story_urls.c.digest == digest) & (story_urls.c.url_key == url_key(url))
        this = stories.c.id == sa.select(story_urls.c.story).where(of_url).scalar_subquery()
        with self._write() as connection:
            known = connection.execute(sa.select(stories.c.fingerprints).where(this)).scalar()
            latest = [*(known or "").split()[-_MAX_FINGERPRINTS:], fingerprint]
            updated = sa.update(stories).where(this)
            connection.execute(updated.values(fingerprints=" ".join(latest)))

    def remember(self, digest: str, printed: Iterable[StoryRecord], now: float) -> None:
        """Record stories as printed."""
        with self._write() as connection:
            _delete_stories(connection, stories.c.printed < now - RETENTION)
            for record in printed:
                _insert_story(connection, digest, record, now)

    def forget(self, digest: str, printed: float) -> None:
        """Forget the stories printed at some time, because they were not delivered anywhere."""
        with self._write() as connection:
            _delete_stories(
                connection, (stories.c.digest == digest) & (stories.c.printed == printed)
            )


def _database_errors() -> AbstractContextManager[None]:
    return translate_db_errors("the history of digests is not available")


def _record(row: sa.Row[Any]) -> StoryRecord:
    sketch = from_bytes(row.sketch) if row.sketch else None
    fingerprints = tuple(row.fingerprints.split())
    return StoryRecord((row.url,), row.title, fingerprints, sketch, row.printed)


def _delete_stories(connection: sa.Connection, which: sa.ColumnElement[bool]) -> None:
    ids = sa.select(stories.c.id).where(which)
    for table in (story_urls, story_bands):
        connection.execute(sa.delete(table).where(table.c.story.in_(ids)))
    connection.execute(sa.delete(stories).where(which))


def _insert_story(connection: sa.Connection, digest: str, record: StoryRecord, now: float) -> None:
    keys = list(dict.fromkeys(map(url_key, record.urls)))
    same = (story_urls.c.digest == digest) & story_urls.c.url_key.in_(keys)
    connection.execute(sa.delete(story_urls).where(same))
    inserted = connection.execute(
        stories.insert().values(
            digest=digest,
            url=record.urls[0],
            title=record.title,
            fingerprints=" ".join(filter(None, record.fingerprints)),
            sketch=to_bytes(record.sketch) if record.sketch is not None else b"",
            printed=now,
        )
    )
    (story,) = inserted.inserted_primary_key or (0,)
    rows = [{"digest": digest, "url_key": key, "story": story} for key in keys]
    connection.execute(story_urls.insert(), rows)
    if record.sketch is not None:
        banded = [{"digest": digest, "band": b, "story": story} for b in bands(record.sketch)]
        connection.execute(story_bands.insert(), banded)
