"""Which articles are printed, and why the others are not: pure decisions about what was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..article import Article
from ..crawl.near_duplicates import NEAR_DUPLICATE, Sketch, resemblance, sketch
from ..pipeline import ExtractedPage
from .candidates import Candidate, SourceResult
from .config import Digest, parse_datetime
from .filters import exclusion_reason
from .history import History, Past, url_key

#: Below this resemblance to what was printed from the same address an article is another one.
CHANGED_BELOW = 0.6

#: An article of fewer words is told nearly the same too easily.
_MIN_WORDS = 30

#: What these hold is printed once; of the others one that changed is looked at again.
_PRINTED_ONCE = ("mail", "reading_list")

_OLDEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A find that is not printed, and why."""

    candidate: Candidate
    reason: str
    is_error: bool = False


@dataclass(slots=True)
class SelectedStory:
    """An article that is printed; ``also`` are others with the same story."""

    candidate: Candidate
    reading: ExtractedPage
    sketch: Sketch | None
    updated: bool = False
    duplicates: list[Candidate] = field(default_factory=list)

    @property
    def published(self) -> datetime:
        """When it was published, as far as anyone says."""
        return self.candidate.when or parse_datetime(self.reading.article.published) or _OLDEST

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """What its sources say of its state."""
        return (self.candidate.fingerprint, *(each.fingerprint for each in self.duplicates))

    @property
    def urls(self) -> tuple[str, ...]:
        """All addresses of the story, its own first."""
        own = (self.reading.article.url, self.candidate.url, self.reading.source.url)
        stated = (self.reading.canonical,)
        every = (*own, *stated, *(each.url for each in self.duplicates))
        return tuple(dict.fromkeys(url for url in every if url))


def filter_candidates(
    digest: Digest, offers: Sequence[SourceResult], memory: History, now: datetime
) -> tuple[list[Candidate], list[Rejected], dict[str, list[Candidate]]]:
    """Part what may be printed, the newest first, from what may not.

    Of what several sources offer at one address the first is kept; the others are returned by that
    address's mark.
    """
    wanted: dict[str, Candidate] = {}
    refused: list[Rejected] = []
    others: dict[str, list[Candidate]] = {}
    for find in (find for offer in offers for find in offer.candidates):
        reason = _rejection_reason(digest, find, memory, now)
        if reason:
            refused.append(Rejected(find, reason))
        elif (name := url_key(find.url)) in wanted:
            others.setdefault(name, []).append(find)
        else:
            wanted[name] = find
    found = sorted(wanted.values(), key=lambda find: find.when or now, reverse=True)
    return found, refused, others


def _rejection_reason(digest: Digest, candidate: Candidate, memory: History, now: datetime) -> str:
    age = candidate.source.age or digest.age
    stated = [when for when in (candidate.when, candidate.updated) if when]
    if age and stated and now - max(stated) > age:
        return f"is older than {_age_text(age.total_seconds())}"
    if candidate.title and (
        reason := _filter_reason(digest, candidate, f"{candidate.title}\n{candidate.summary}")
    ):
        return reason
    past = memory.find_by_url(digest.name, [candidate.url])
    if past and (
        candidate.source.kind in _PRINTED_ONCE or candidate.fingerprint in past.fingerprints
    ):
        return _printed_reason(past)
    return ""


def _filter_reason(digest: Digest, candidate: Candidate, text: str) -> str:
    source = candidate.source
    return exclusion_reason(
        text, source.include, (*source.exclude, *digest.exclude)
    ) or exclusion_reason(text, digest.include, ())


@dataclass(slots=True)
class Selector:
    """Takes articles one by one, and keeps of each story one version.

    ``unchanged`` are those that said they had changed, and were read, and had not changed much.
    """

    digest: Digest
    history: History
    stories: list[SelectedStory] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    unchanged: list[Candidate] = field(default_factory=list)

    def consider(
        self, candidate: Candidate, reading: ExtractedPage, duplicates: Sequence[Candidate] = ()
    ) -> bool:
        """Take an article or refuse it; True when it is one more."""
        article = reading.article
        reason = self._rejection_reason(candidate, article)
        if reason:
            self.rejected.append(Rejected(candidate, reason))
            return False
        enough = len(article.text.split()) >= _MIN_WORDS or not article.text.isascii()
        new = SelectedStory(
            candidate,
            reading,
            sketch(article.text) if enough else None,
            duplicates=list(duplicates),
        )
        past = self.history.find_by_url(self.digest.name, new.urls)
        if past and not _has_changed(past, new):
            self.unchanged.append(candidate)
            self.rejected.append(Rejected(candidate, _printed_reason(past)))
            return False
        if past is None and (past := self.history.find_similar(self.digest.name, new.sketch)):
            self.rejected.append(Rejected(candidate, f"{_printed_reason(past)} as {past.title!r}"))
            return False
        new.updated = past is not None
        same = self._same_story(new)
        if same is None:
            self.stories.append(new)
            return True
        better, worse = (new, same) if _quality(new) > _quality(same) else (same, new)
        self.stories[self.stories.index(same)] = better
        better.duplicates.extend([worse.candidate, *worse.duplicates])
        better.updated = better.updated or worse.updated
        self.rejected.append(
            Rejected(worse.candidate, f"is the same story as {better.candidate.url}")
        )
        return False

    def reject(self, candidate: Candidate, reason: str) -> None:
        """Note an article that could not be had."""
        self.rejected.append(Rejected(candidate, reason, is_error=True))

    def _rejection_reason(self, candidate: Candidate, article: Article) -> str:
        languages = candidate.source.language or self.digest.language
        tag = article.language.lower()
        if languages and tag and not any(_is_language(tag, each.lower()) for each in languages):
            return f"is in another language ({article.language})"
        if not candidate.title:
            return _filter_reason(self.digest, candidate, f"{article.title}\n{article.lead}")
        return ""

    def _same_story(self, new: SelectedStory) -> SelectedStory | None:
        marks = set(map(url_key, new.urls))
        for each in self.stories:
            if marks & set(map(url_key, each.urls)):
                return each
            both = new.sketch is not None and each.sketch is not None
            if both and resemblance(new.sketch, each.sketch) >= NEAR_DUPLICATE:  # type: ignore[arg-type]
                return each
        return None


def in_print_order(
    digest: Digest, stories: Iterable[SelectedStory], relevance: dict[int, float]
) -> list[SelectedStory]:
    """Return articles section by section, in the order of the description.

    In a section the newest come first, or with a query (``worth`` by ``id``) what says most of it.
    """
    sections = list(dict.fromkeys(source.section for source in digest.source))

    def rank(each: SelectedStory) -> tuple[int, float, float, int]:
        age = -each.published.timestamp() if each.published > _OLDEST else float("inf")
        return (
            sections.index(each.candidate.section), -relevance.get(id(each), 0.0), age,
            each.candidate.source_index,
        )  # fmt: skip

    return sorted(stories, key=rank)


def _has_changed(past: Past, new: SelectedStory) -> bool:
    if past.sketch is None or new.sketch is None:
        return False
    return resemblance(past.sketch, new.sketch) < CHANGED_BELOW


def _quality(each: SelectedStory) -> tuple[int, int]:
    """Say how good a version of a story is: by its length, and then its pictures."""
    article = each.reading.article
    return len(article.text), len(article.figures)


def _is_language(tag: str, wanted: str) -> bool:
    return tag == wanted or tag.startswith(wanted + "-")


def _printed_reason(past: Past) -> str:
    return f"was printed on {datetime.fromtimestamp(past.printed, UTC):%Y-%m-%d}"


def _age_text(seconds: float) -> str:
    hours = round(seconds / 3600)
    return f"{hours // 24} days" if hours >= 48 and hours % 24 == 0 else f"{hours} hours"
