"""Selection of the articles to print, with the reasons for rejecting the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..article import Article
from ..crawl.near_duplicates import NEAR_DUPLICATE, Sketch, resemblance, sketch
from ..output import ExtractedPage
from ..text import count_words
from .collector import Candidate, SourceResult
from .config import Digest
from .filters import exclusion_reason
from .history import History, StoryRecord, url_key
from .sources.feeds import parse_date

#: An article that resembles what was printed from its URL less than this has changed.
CHANGED_BELOW = 0.6

#: Texts of fewer words resemble each other by chance.
_MIN_WORDS = 30

#: Kinds of sources whose articles are printed once, even if they change.
_PRINTED_ONCE = ("mail", "reading_list")

_OLDEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A candidate that is not printed, and why; an error is reported on the last page."""

    candidate: Candidate
    reason: str
    is_error: bool = False


@dataclass(slots=True)
class SelectedStory:
    """An article to print; ``duplicates`` are other candidates with the same story."""

    candidate: Candidate
    page: ExtractedPage
    sketch: Sketch | None
    updated: bool = False
    duplicates: list[Candidate] = field(default_factory=list)

    @property
    def article(self) -> Article:
        """The article of its page."""
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
        """Return the story as a record for the history."""
        sources = (self.candidate, *self.duplicates)
        fingerprints = tuple(candidate.fingerprint for candidate in sources)
        return StoryRecord(self.urls, self.article.title, fingerprints, self.sketch)


def filter_candidates(
    digest: Digest, results: Sequence[SourceResult], history: History, now: datetime
) -> tuple[list[Candidate], list[Rejected], dict[str, list[Candidate]]]:
    """Return the candidates to consider, the latest first, the rejected ones, and the duplicates.

    If several candidates have the same URL, the first is considered and the others are returned
    under its :func:`~printer.digest.history.url_key`.
    """
    by_key: dict[str, Candidate] = {}
    rejected: list[Rejected] = []
    duplicates: dict[str, list[Candidate]] = {}
    for candidate in (candidate for result in results for candidate in result.candidates):
        if reason := _rejection_reason(digest, candidate, history, now):
            rejected.append(Rejected(candidate, reason))
        elif (key := url_key(candidate.url)) in by_key:
            duplicates.setdefault(key, []).append(candidate)
        else:
            by_key[key] = candidate
    latest = sorted(by_key.values(), key=lambda candidate: candidate.date or now, reverse=True)
    return latest, rejected, duplicates


def _rejection_reason(digest: Digest, candidate: Candidate, history: History, now: datetime) -> str:
    """Return why not to read a candidate, or ''."""
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


def _filter_reason(digest: Digest, candidate: Candidate, text: str) -> str:
    source = candidate.source
    return exclusion_reason(
        text, source.include, (*source.exclude, *digest.exclude)
    ) or exclusion_reason(text, digest.include, ())


@dataclass(slots=True)
class Selector:
    """Selects articles one by one, and keeps the best version of each story.

    ``unchanged`` are candidates that were read again although the article had not changed.
    """

    digest: Digest
    history: History
    stories: list[SelectedStory] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    unchanged: list[Candidate] = field(default_factory=list)

    def consider(
        self, candidate: Candidate, page: ExtractedPage, duplicates: Sequence[Candidate] = ()
    ) -> None:
        """Select an article or reject it."""
        article = page.article
        if reason := self._rejection_reason(candidate, article):
            self.reject(candidate, reason)
            return
        comparable = count_words(article.text) >= _MIN_WORDS
        text_sketch = sketch(article.text) if comparable else None
        new = SelectedStory(candidate, page, text_sketch, duplicates=list(duplicates))
        record = self.history.find_by_url(self.digest.name, new.urls)
        if record and not _has_changed(record, new):
            self.unchanged.append(candidate)
            self.reject(candidate, _printed_reason(record))
            return
        if not record and (similar := self.history.find_similar(self.digest.name, text_sketch)):
            self.reject(candidate, f"{_printed_reason(similar)} as {similar.title!r}")
            return
        new.updated = record is not None
        same = self._same_story(new)
        if same is None:
            self.stories.append(new)
            return
        better, worse = (new, same) if _quality(new) > _quality(same) else (same, new)
        self.stories[self.stories.index(same)] = better
        better.duplicates.extend([worse.candidate, *worse.duplicates])
        better.updated = better.updated or worse.updated
        self.reject(worse.candidate, f"is the same story as {better.candidate.url}")

    def reject(self, candidate: Candidate, reason: str, *, is_error: bool = False) -> None:
        """Record why a candidate is not printed."""
        self.rejected.append(Rejected(candidate, reason, is_error))

    def _rejection_reason(self, candidate: Candidate, article: Article) -> str:
        languages = candidate.source.language or self.digest.language
        tag = f"{article.language.lower()}-"
        matches = any(tag.startswith(f"{language.lower()}-") for language in languages)
        if languages and article.language and not matches:
            return f"is in another language ({article.language})"
        if not candidate.title:
            return _filter_reason(self.digest, candidate, f"{article.title}\n{article.lead}")
        return ""

    def _same_story(self, new: SelectedStory) -> SelectedStory | None:
        keys = set(map(url_key, new.urls))
        for story in self.stories:
            if keys & set(map(url_key, story.urls)):
                return story
            if new.sketch is None or story.sketch is None:
                continue
            if resemblance(new.sketch, story.sketch) >= NEAR_DUPLICATE:
                return story
        return None


def in_print_order(
    digest: Digest, stories: Iterable[SelectedStory], relevance: dict[int, float]
) -> list[SelectedStory]:
    """Return stories section by section, in the order of the digest's sources.

    In a section the most relevant come first, then the latest; ``relevance`` is by ``id``, and
    empty without a query.
    """
    sections = list(dict.fromkeys(source.section for source in digest.source))

    def rank(story: SelectedStory) -> tuple[int, float, float, int]:
        age = -story.published.timestamp() if story.published > _OLDEST else float("inf")
        source = story.candidate.source
        section, score = sections.index(source.section), relevance.get(id(story), 0.0)
        return section, -score, age, story.candidate.source_index

    return sorted(stories, key=rank)


def _has_changed(record: StoryRecord, story: SelectedStory) -> bool:
    if record.sketch is None or story.sketch is None:
        return False
    return resemblance(record.sketch, story.sketch) < CHANGED_BELOW


def _quality(story: SelectedStory) -> tuple[int, int]:
    return len(story.article.text), len(story.article.figures)


def _printed_reason(record: StoryRecord) -> str:
    return f"was printed on {datetime.fromtimestamp(record.printed, UTC):%Y-%m-%d}"
