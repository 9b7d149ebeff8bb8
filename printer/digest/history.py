"""What was printed, so that it is not printed again, and which slots of a schedule were served.

In the tables of one database (SQLite, or PostgreSQL for several machines), whose unique rows decide
when two do the same at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    delete,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from ..backoff import Backoff
from ..crawl.near_duplicates import NEAR_DUPLICATE, Sketch, bands, from_bytes, resemblance, to_bytes
from ..db.engine import advisory_lock, open_engine, read_only
from ..errors import BadURL, JobsError
from ..urls import canonical_url

#: Seconds without a sign of life after which a slot is taken from who promised to serve it.
LEASE_SECONDS = 1800.0
#: So often a slot is tried whose sources all failed, and the seconds before the second time.
MAX_ATTEMPTS, BACKOFF = 5, Backoff(120.0)
#: Seconds that is remembered what was printed.
RETENTION = 400 * 86400.0

#: So many states of a story are known at most.
_MAX_FINGERPRINTS = 9

_LOCK = 0x77656467  # Of PostgreSQL's advisory locks, the one under which tables are made.

metadata = MetaData()

stories = Table(
    "digest_stories",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("digest", String(60), nullable=False),
    Column("url", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("stamps", Text, nullable=False),
    Column("sketch", LargeBinary, nullable=False),
    Column("printed", Float, nullable=False),
)

addresses = Table(
    "digest_addresses",
    metadata,
    Column("digest", String(60), primary_key=True),
    Column("mark", String(64), primary_key=True),
    Column("story", Integer, ForeignKey("digest_stories.id", ondelete="CASCADE"), nullable=False),
)

bands_table = Table(
    "digest_likeness",
    metadata,
    Column("story", Integer, ForeignKey("digest_stories.id", ondelete="CASCADE"), nullable=False),
    Column("digest", String(60), nullable=False),
    Column("band", BigInteger, nullable=False),
    Index("digest_likeness_by_band", "digest", "band"),
)

slots = Table(
    "digest_slots",
    metadata,
    Column("digest", String(60), primary_key=True),
    Column("slot", Float, primary_key=True),
    Column("state", String(10), nullable=False),
    Column("since", Float, nullable=False),
    Column("tries", Integer, nullable=False, default=1),
)


#: What is on its way to be delivered, and to which places; see :mod:`.dispatch`.
editions = Table(
    "digest_editions",
    metadata,
    Column("digest", String(60), primary_key=True),
    Column("slot", Float, primary_key=True),
    Column("about", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

deliveries = Table(
    "digest_deliveries",
    metadata,
    Column("digest", String(60), primary_key=True),
    Column("slot", Float, primary_key=True),
    Column("place", String(64), primary_key=True),
    Column("state", String(10), nullable=False),
    Column("goal", Text, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Past:
    """A story that was printed before, and when (seconds since 1970)."""

    url: str
    title: str
    fingerprints: tuple[str, ...]
    printed: float
    sketch: Sketch | None = field(repr=False, compare=False, default=None)


@dataclass(frozen=True, slots=True)
class StoryRecord:
    """A story to remember, under all its addresses."""

    urls: tuple[str, ...]
    title: str
    fingerprints: tuple[str, ...]
    sketch: Sketch | None = field(repr=False, compare=False, default=None)


def url_key(url: str) -> str:
    """Return a short name of an address, the same for all ways of writing it."""
    with suppress(BadURL):  # A mail has no web address, but a name of its own.
        url = canonical_url(url)
    return hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()


class History:
    """Remembers per digest; safe for several processes, and with PostgreSQL several machines."""

    def __init__(self, database: str) -> None:
        self._engine = open_engine(database)
        with self.writing() as connection:
            advisory_lock(connection, _LOCK)
            metadata.create_all(connection)

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    def find_by_url(self, digest: str, urls: Iterable[str]) -> Past | None:
        """Return the story that was printed from any of these addresses."""
        marks = [url_key(url) for url in urls]
        query = (
            select(stories)
            .join(addresses, addresses.c.story == stories.c.id)
            .where(addresses.c.digest == digest, addresses.c.mark.in_(marks))
            .order_by(stories.c.printed.desc())
        )
        with self._reading() as connection:
            row = connection.execute(query.limit(1)).first()
        return _record(row) if row else None

    def note_unchanged(self, digest: str, url: str, stamp: str) -> None:
        """Note that a story that was printed is in a state that need not be looked at again."""
        if not stamp:
            return
        here = (addresses.c.digest == digest) & (addresses.c.mark == url_key(url))
        story = select(addresses.c.story).where(here).scalar_subquery()
        with self.writing() as connection:
            found = connection.execute(select(stories.c.stamps).where(stories.c.id == story))
            stamps = (found.scalar() or "").split()
            kept = " ".join([*stamps[-_MAX_FINGERPRINTS:], stamp])
            connection.execute(update(stories).where(stories.c.id == story).values(stamps=kept))

    def find_similar(self, digest: str, sketch: Sketch | None) -> Past | None:
        """Return a story that was printed and is nearly this one."""
        if sketch is None:
            return None
        ids = (
            select(bands_table.c.story)
            .where(bands_table.c.digest == digest, bands_table.c.band.in_(bands(sketch)))
            .distinct()
            .limit(200)
        )
        with self._reading() as connection:
            rows = connection.execute(select(stories).where(stories.c.id.in_(ids))).all()
        found = [past for past in map(_record, rows) if past.sketch is not None]
        best = max(found, key=lambda past: resemblance(sketch, past.sketch), default=None)  # type: ignore[arg-type]
        if best is None or resemblance(sketch, best.sketch) < NEAR_DUPLICATE:  # type: ignore[arg-type]
            return None
        return best

    def remember(self, digest: str, printed: Iterable[StoryRecord], now: float) -> None:
        """Remember stories as printed."""
        with self.writing() as connection:
            self.remember_in(connection, digest, printed, now)

    def remember_in(
        self, connection: Connection, digest: str, printed: Iterable[StoryRecord], now: float
    ) -> None:
        """Remember stories as printed, together with what else is written."""
        _delete_stories(connection, stories.c.printed < now - RETENTION)
        for each in printed:
            _insert_story(connection, digest, each, now)

    def forget(self, digest: str, now: float) -> None:
        """Forget that stories were printed at a moment: they came nowhere."""
        with self.writing() as connection:
            _delete_stories(connection, (stories.c.digest == digest) & (stories.c.printed == now))

    # ---- slots of a schedule ----

    def claim_slot(self, digest: str, slot: float, now: float) -> int:
        """Promise to serve a slot; return the how-manieth attempt it is, 0 when another does."""
        row = {"digest": digest, "slot": slot, "state": "making", "since": now, "tries": 1}
        with self._database_errors():
            try:
                with self._engine.begin() as connection:
                    connection.execute(slots.insert().values(row))
                    return 1
            except IntegrityError:
                return self._take_over(digest, slot, now)

    def _take_over(self, digest: str, slot: float, now: float) -> int:
        """Take a slot that was promised and not served, or failed and is to be tried again."""
        here = _is_slot(digest, slot)
        values = {"state": "making", "since": now, "tries": slots.c.tries + 1}
        with self._engine.begin() as connection:
            taken = connection.execute(update(slots).where(here & _is_free(now)).values(values))
            if taken.rowcount != 1:
                return 0
            return int(connection.execute(select(slots.c.tries).where(here)).scalar_one())

    def can_take_over(self, digest: str, slot: float, now: float) -> bool:
        """Tell whether a slot that was taken may be taken over."""
        here = _is_slot(digest, slot)
        query = select(slots.c.slot).where(here & _is_free(now))
        with self._reading() as connection:
            return connection.execute(query).first() is not None

    def finish_slot(self, digest: str, slot: float) -> None:
        """Note that a slot was served."""
        with self.writing() as connection:
            connection.execute(update(slots).where(_is_slot(digest, slot)).values(state="done"))

    def fail_slot(self, digest: str, slot: float, now: float) -> None:
        """Note that a digest could not be made, so that it is tried again after a while."""
        here = _is_slot(digest, slot)
        with self.writing() as connection:
            tries = connection.execute(select(slots.c.tries).where(here)).scalar() or 1
            values = {"state": "failed", "since": now + BACKOFF.delay(tries)}
            connection.execute(update(slots).where(here).values(values))

    def last_slot(self, digest: str) -> float | None:
        """Return the latest slot that anyone took."""
        query = select(slots.c.slot).where(slots.c.digest == digest).order_by(slots.c.slot.desc())
        with self._reading() as connection:
            return connection.execute(query.limit(1)).scalar()

    def slot_state(self, digest: str, slot: float) -> str:
        """Return how far a slot is, '' for one that nobody took."""
        here = _is_slot(digest, slot)
        with self._reading() as connection:
            return connection.execute(select(slots.c.state).where(here)).scalar() or ""

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection whose writes come about together."""
        with self._database_errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._database_errors(), read_only(self._engine) as connection:
            yield connection

    @contextmanager
    def _database_errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise JobsError(
                f"what was printed cannot be looked up: {str(error).splitlines()[0][:200]}"
            ) from error


def _is_slot(digest: str, slot: float) -> ColumnElement[bool]:
    return (slots.c.digest == digest) & (slots.c.slot == slot)


def _is_free(now: float) -> ColumnElement[bool]:
    """Choose the slots that may be taken over: left by who took them, or due for another try."""
    left = slots.c.state.in_(("making", "sending")) & (slots.c.since < now - LEASE_SECONDS)
    failed = (slots.c.state == "failed") & (slots.c.since < now)
    return (left | failed) & (slots.c.tries < MAX_ATTEMPTS)


def _record(row: object) -> Past:
    values = row._mapping  # type: ignore[attr-defined]
    sketch = from_bytes(values["sketch"]) if values["sketch"] else None
    return Past(
        values["url"], values["title"], tuple(values["stamps"].split()), values["printed"], sketch
    )


def _delete_stories(connection: Connection, which: ColumnElement[bool]) -> None:
    old = select(stories.c.id).where(which)
    for table in (addresses, bands_table):
        connection.execute(delete(table).where(table.c.story.in_(old)))
    connection.execute(delete(stories).where(which))


def _insert_story(connection: Connection, digest: str, each: StoryRecord, now: float) -> None:
    marks = list(dict.fromkeys(url_key(url) for url in each.urls))
    here = (addresses.c.digest == digest) & addresses.c.mark.in_(marks)
    connection.execute(delete(addresses).where(here))
    row = {
        "digest": digest, "url": each.urls[0], "title": each.title,
        "stamps": " ".join(filter(None, each.fingerprints)),
        "sketch": to_bytes(each.sketch) if each.sketch is not None else b"", "printed": now,
    }  # fmt: skip
    (story,) = connection.execute(stories.insert().values(row)).inserted_primary_key or (0,)
    names = [{"digest": digest, "mark": each_mark, "story": story} for each_mark in marks]
    connection.execute(addresses.insert(), names)
    if each.sketch is not None:
        rows = [{"digest": digest, "band": b, "story": story} for b in bands(each.sketch)]
        connection.execute(bands_table.insert(), rows)
