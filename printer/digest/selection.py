"""Select the stories to print, and remember them, so that none is printed twice.

The tables are in one database: SQLite, or PostgreSQL for several machines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from .. import urls
from ..article import Article
from ..crawl.near_duplicates import NEAR_DUPLICATE, Sketch, bands, most_similar, resemblance, sketch
from ..db import Tables, open_engine
from ..errors import BadURL, WebprintError
from ..output import ExtractedPage
from ..text import count_words
from .config import Digest, Source, exclusion_reason
from .feeds import Entry, parse_date

#: The seconds for which a story is remembered.
RETENTION = 400 * 86400.0

_MAX_FINGERPRINTS = 9
_LOCK = 0x77656467  # the advisory lock of PostgreSQL that serializes writers

metadata = sa.MetaData()

stories = sa.Table(
    "digest_printed_stories",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("digest", sa.String(60), nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("fingerprints", sa.Text, nullable=False),
    sa.Column("sketch", sa.LargeBinary, nullable=False),
    sa.Column("printed", sa.Float, nullable=False),
)


def _story_column(*, primary_key: bool = False) -> sa.Column[int]:
    key = sa.ForeignKey("digest_printed_stories.id", ondelete="CASCADE")
    return sa.Column("story", sa.Integer, key, nullable=False, primary_key=primary_key)


#: All stories printed from a URL: the latest counts, unless it is forgotten again.
story_urls = sa.Table(
    "digest_story_urls",
    metadata,
    sa.Column("digest", sa.String(60), primary_key=True),
    sa.Column("url_key", sa.String(64), primary_key=True),
    _story_column(primary_key=True),
)

story_bands = sa.Table(
    "digest_story_bands",
    metadata,
    _story_column(),
    sa.Column("digest", sa.String(60), nullable=False),
    sa.Column("band", sa.BigInteger, nullable=False),
    sa.Index("digest_story_bands_by_band", "digest", "band"),
)


@dataclass(frozen=True, slots=True)
class StoryRecord:
    """A printed story with all its URLs and the states of its feed entries that were read."""

    urls: tuple[str, ...]
    title: str
    fingerprints: tuple[str, ...]
    sketch: Sketch = field(repr=False, default=b"")
    printed: float = 0.0


def story_key(url: str) -> str:
    """Return a hash shared by all spellings of a URL; the id of a mail is hashed unchanged."""
    with suppress(BadURL):
        return urls.url_key(url)
    return hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()


class StoryHistory(Tables):
    """The stories of digests, shared by processes and, with PostgreSQL, by machines."""

    def __init__(self, database: str) -> None:
        problem = "the history of digests is not available"
        super().__init__(open_engine(database), metadata, _LOCK, problem)

    def find_by_url(self, digest: str, urls: Iterable[str]) -> StoryRecord | None:
        with self.read() as connection:
            row = connection.execute(_select_latest(digest, urls)).first()
        return _to_record(row) if row else None

    def find_similar(self, digest: str, sketch: Sketch) -> StoryRecord | None:
        ids = (
            sa.select(story_bands.c.story)
            .where(story_bands.c.digest == digest, story_bands.c.band.in_(bands(sketch)))
            .distinct()
            .limit(200)
        )
        with self.read() as connection:
            rows = connection.execute(sa.select(stories).where(stories.c.id.in_(ids))).all()
        return most_similar(sketch, [(_to_record(row), row.sketch) for row in rows])

    def note_unchanged(self, digest: str, url: str, fingerprint: str) -> None:
        """Add a fingerprint to a printed story, so that it is not read again in that state."""
        if not fingerprint:
            return
        with self.write() as connection:
            if story := connection.execute(_select_latest(digest, [url])).first():
                latest = [*story.fingerprints.split()[-_MAX_FINGERPRINTS:], fingerprint]
                updated = sa.update(stories).where(stories.c.id == story.id)
                connection.execute(updated.values(fingerprints=" ".join(latest)))

    def remember(self, digest: str, printed: Iterable[StoryRecord], now: float) -> None:
        with self.write() as connection:
            _delete_stories(connection, stories.c.printed < now - RETENTION)
            for record in printed:
                _insert_story(connection, digest, record, now)

    def forget(self, digest: str, printed: float) -> None:
        """Forget the stories printed at some time, because they were not delivered anywhere."""
        with self.write() as connection:
            _delete_stories(
                connection, (stories.c.digest == digest) & (stories.c.printed == printed)
            )


def _select_latest(digest: str, urls: Iterable[str]) -> sa.Select[Any]:
    return (
        sa.select(stories)
        .join(story_urls, story_urls.c.story == stories.c.id)
        .where(story_urls.c.digest == digest, story_urls.c.url_key.in_(map(story_key, urls)))
        .order_by(stories.c.printed.desc(), stories.c.id.desc())
        .limit(1)
    )


def _to_record(row: sa.Row[Any]) -> StoryRecord:
    fingerprints = tuple(row.fingerprints.split())
    return StoryRecord((row.url,), row.title, fingerprints, row.sketch, row.printed)


def _delete_stories(connection: sa.Connection, condition: sa.ColumnElement[bool]) -> None:
    ids = sa.select(stories.c.id).where(condition)
    for table in (story_urls, story_bands):
        connection.execute(sa.delete(table).where(table.c.story.in_(ids)))
    connection.execute(sa.delete(stories).where(condition))


def _insert_story(connection: sa.Connection, digest: str, record: StoryRecord, now: float) -> None:
    keys = list(dict.fromkeys(map(story_key, record.urls)))
    inserted = connection.execute(
        stories.insert().values(
            digest=digest,
            url=record.urls[0],
            title=record.title,
            fingerprints=" ".join(filter(None, record.fingerprints)),
            sketch=record.sketch,
            printed=now,
        )
    )
    (story,) = inserted.inserted_primary_key or (0,)
    rows = [{"digest": digest, "url_key": key, "story": story} for key in keys]
    connection.execute(story_urls.insert(), rows)
    if record.sketch:
        banded = [{"digest": digest, "band": b, "story": story} for b in bands(record.sketch)]
        connection.execute(story_bands.insert(), banded)


#: An article that resembles what was printed from its URL less than this has changed.
CHANGED_BELOW = 0.6

#: Texts of fewer words resemble each other by chance.
_MIN_WORDS = 30

#: Kinds of sources whose articles are printed once, even if they change.
_PRINTED_ONCE = ("mail", "reading_list")

_OLDEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryCandidate(Entry):
    """An entry with its source; a feed's entry changes its ``fingerprint`` with its content."""

    source: Source
    source_index: int
    fingerprint: str = ""

    @classmethod
    def of(cls, entry: Entry, source: Source, source_index: int, name: str = "") -> StoryCandidate:
        """Return an entry as a candidate; ``name`` is the source's own name."""
        values = {field.name: getattr(entry, field.name) for field in fields(Entry)}
        values["source_name"] = source.name or name or entry.source_name
        if source.kind == "feed":
            state = f"{entry.updated}\n{entry.title}\n{entry.summary}\n{entry.html}"
            values["fingerprint"] = hashlib.sha256(state.encode("utf-8", "replace")).hexdigest()
        return cls(source=source, source_index=source_index, **values)


@dataclass(frozen=True, slots=True)
class SourceResult:
    """The candidates of a source, or its error."""

    name: str
    candidates: tuple[StoryCandidate, ...] = ()
    error: WebprintError | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """A candidate that is not printed, and why; an error is reported on the last page."""

    candidate: StoryCandidate
    reason: str
    is_error: bool = False


@dataclass(slots=True)
class SelectedStory:
    """An article to print, its duplicates, and its relevance to the query (1 without one)."""

    candidate: StoryCandidate
    page: ExtractedPage
    sketch: Sketch
    updated: bool = False
    duplicates: list[StoryCandidate] = field(default_factory=list)
    relevance: float = 1.0

    @property
    def article(self) -> Article:
        return self.page.article

    @property
    def published(self) -> datetime:
        """The date given by the source, or else by the page."""
        return self.candidate.date or parse_date(self.article.published) or _OLDEST

    @property
    def urls(self) -> tuple[str, ...]:
        """All URLs of the story, the article's first."""
        urls = [self.article.url, self.candidate.url, self.page.source.url, self.page.canonical]
        urls += [duplicate.url for duplicate in self.duplicates]
        return tuple(dict.fromkeys(filter(None, urls)))

    def record(self) -> StoryRecord:
        sources = (self.candidate, *self.duplicates)
        fingerprints = tuple(candidate.fingerprint for candidate in sources)
        return StoryRecord(self.urls, self.article.title, fingerprints, self.sketch)


def filter_candidates(
    digest: Digest, results: Sequence[SourceResult], history: StoryHistory, now: datetime
) -> tuple[list[StoryCandidate], list[Rejected], dict[str, list[StoryCandidate]]]:
    """Return the candidates to consider, latest first, the rejected ones, and the duplicates.

    If several candidates have the same URL, the first is considered and the others are returned
    under its :func:`story_key`.
    """
    by_key: dict[str, StoryCandidate] = {}
    rejected: list[Rejected] = []
    duplicates: dict[str, list[StoryCandidate]] = {}
    for candidate in (candidate for result in results for candidate in result.candidates):
        if reason := _rejection_reason(digest, candidate, history, now):
            rejected.append(Rejected(candidate, reason))
        elif (key := story_key(candidate.url)) in by_key:
            duplicates.setdefault(key, []).append(candidate)
        else:
            by_key[key] = candidate
    latest = sorted(by_key.values(), key=lambda candidate: candidate.date or now, reverse=True)
    return latest, rejected, duplicates


def _rejection_reason(
    digest: Digest, candidate: StoryCandidate, history: StoryHistory, now: datetime
) -> str:
    age = candidate.source.age or digest.age
    dates = [date for date in (candidate.date, candidate.updated) if date]
    if age and dates and now - max(dates) > age:
        hours = round(age.total_seconds() / 3600)
        days = hours >= 48 and hours % 24 == 0
        return f"is older than {f'{hours // 24} days' if days else f'{hours} hours'}"
    if candidate.title:
        text = f"{candidate.title}\n{candidate.summary}"
        if reason := _filter_reason(digest, candidate, text):
            return reason
    record = history.find_by_url(digest.name, [candidate.url])
    is_known = record is not None and candidate.fingerprint in record.fingerprints
    if record and (is_known or candidate.source.kind in _PRINTED_ONCE):
        return _printed_reason(record)
    return ""


def _filter_reason(digest: Digest, candidate: StoryCandidate, text: str) -> str:
    source = candidate.source
    return exclusion_reason(
        text, source.include, (*source.exclude, *digest.exclude)
    ) or exclusion_reason(text, digest.include, ())


@dataclass(slots=True)
class StorySelector:
    """Selects articles one by one, and keeps the best version of each story."""

    digest: Digest
    history: StoryHistory
    stories: list[SelectedStory] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    unchanged: list[StoryCandidate] = field(default_factory=list)
    #: The places in ``stories``, by the keys of their URLs.
    _places: dict[str, int] = field(default_factory=dict)

    def consider(
        self,
        candidate: StoryCandidate,
        page: ExtractedPage,
        duplicates: Sequence[StoryCandidate] = (),
    ) -> None:
        article = page.article
        if reason := self._rejection_reason(candidate, article):
            self.reject(candidate, reason)
            return
        comparable = count_words(article.text) >= _MIN_WORDS
        text_sketch = sketch(article.text) if comparable else b""
        story = SelectedStory(candidate, page, text_sketch, duplicates=list(duplicates))
        record = self.history.find_by_url(self.digest.name, story.urls)
        known = record.sketch if record else b""
        changed = known and text_sketch and resemblance(known, text_sketch) < CHANGED_BELOW
        if record and not changed:
            self.unchanged.append(candidate)
            self.reject(candidate, _printed_reason(record))
            return
        if not record and (similar := self.history.find_similar(self.digest.name, text_sketch)):
            self.reject(candidate, f"{_printed_reason(similar)} as {similar.title!r}")
            return
        story.updated = record is not None
        keys = [story_key(url) for url in story.urls]
        place = self._find_same(story, keys)
        if place is None:
            self._places |= dict.fromkeys(keys, len(self.stories))
            self.stories.append(story)
            return
        for key in keys:
            self._places.setdefault(key, place)
        better, worse = sorted((self.stories[place], story), key=_quality, reverse=True)
        self.stories[place] = better
        better.duplicates.extend([worse.candidate, *worse.duplicates])
        better.updated = better.updated or worse.updated
        self.reject(worse.candidate, f"is the same story as {better.candidate.url}")

    def reject(self, candidate: StoryCandidate, reason: str, *, is_error: bool = False) -> None:
        self.rejected.append(Rejected(candidate, reason, is_error))

    def _rejection_reason(self, candidate: StoryCandidate, article: Article) -> str:
        languages = candidate.source.language or self.digest.language
        tag = f"{article.language.lower()}-"
        matches = any(tag.startswith(f"{language.lower()}-") for language in languages)
        if languages and article.language and not matches:
            return f"is in another language ({article.language})"
        if not candidate.title:
            return _filter_reason(self.digest, candidate, f"{article.title}\n{article.lead}")
        return ""

    def _find_same(self, new: SelectedStory, keys: Sequence[str]) -> int | None:
        """Return the place of a story with one of the URLs, or else with nearly the same text."""
        if known := [self._places[key] for key in keys if key in self._places]:
            return min(known)
        similar = (
            place
            for place, story in enumerate(self.stories)
            if resemblance(new.sketch, story.sketch) >= NEAR_DUPLICATE
        )
        return next(similar, None)


def in_print_order(digest: Digest, stories: Iterable[SelectedStory]) -> list[SelectedStory]:
    """Return stories by section, in the order of sources, the most relevant and latest first."""
    sections = list(dict.fromkeys(source.section for source in digest.source))

    def rank(story: SelectedStory) -> tuple[int, float, float, int]:
        age = -story.published.timestamp() if story.published > _OLDEST else float("inf")
        candidate = story.candidate
        section = sections.index(candidate.source.section)
        return section, -story.relevance, age, candidate.source_index

    return sorted(stories, key=rank)


def _quality(story: SelectedStory) -> tuple[int, int]:
    return len(story.article.text), len(story.article.figures)


def _printed_reason(record: StoryRecord) -> str:
    return f"was printed on {datetime.fromtimestamp(record.printed, UTC):%Y-%m-%d}"
