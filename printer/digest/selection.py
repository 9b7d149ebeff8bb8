"""Which articles are printed, and why the others are not: pure decisions about what was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from ..article import Article
from ..crawl.near_duplicates import NEAR_DUPLICATE, Sketch, resemblance, sketch
from ..pipeline import ExtractedPage
from .candidates import Find, Offer
from .config import Digest, moment
from .filters import unwanted
from .history import Past, mark

#: Below this resemblance to what was printed from the same address an article is another one.
CHANGED = 0.6

#: An article of fewer words is told nearly the same too easily.
_FEWEST_WORDS = 30

#: What these hold is printed once; of the others one that changed is looked at again.
_ONCE = ("mail", "reading_list")

_OLDEST = datetime.min.replace(tzinfo=UTC)


class Remembers(Protocol):
    """What of the memory is asked here."""

    def printed(self, digest: str, urls: Iterable[str]) -> Past | None:
        """Return what was printed from any of these addresses."""

    def near(self, digest: str, sketch: Sketch | None) -> Past | None:
        """Return what was printed and is nearly the same."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A find that is not printed, and why."""

    find: Find
    reason: str
    fault: bool = False


@dataclass(slots=True)
class Taken:
    """An article that is printed; ``also`` are others with the same story."""

    find: Find
    reading: ExtractedPage
    sketch: Sketch | None
    updated: bool = False
    also: list[Find] = field(default_factory=list)

    @property
    def when(self) -> datetime:
        """When it was published, as far as anyone says."""
        return self.find.when or moment(self.reading.article.published) or _OLDEST

    @property
    def stamps(self) -> tuple[str, ...]:
        """What its sources say of its state."""
        return (self.find.stamp, *(each.stamp for each in self.also))

    @property
    def urls(self) -> tuple[str, ...]:
        """All addresses of the story, its own first."""
        own = (self.reading.article.url, self.find.url, self.reading.source.url)
        stated = (self.reading.canonical,)
        every = (*own, *stated, *(each.url for each in self.also))
        return tuple(dict.fromkeys(url for url in every if url))


def candidates(
    digest: Digest, offers: Sequence[Offer], memory: Remembers, now: datetime
) -> tuple[list[Find], list[Refused], dict[str, list[Find]]]:
    """Part what may be printed, the newest first, from what may not.

    Of what several sources offer at one address the first is kept; the others are returned by that
    address's mark.
    """
    wanted: dict[str, Find] = {}
    refused: list[Refused] = []
    others: dict[str, list[Find]] = {}
    for find in (find for offer in offers for find in offer.finds):
        reason = _refusal(digest, find, memory, now)
        if reason:
            refused.append(Refused(find, reason))
        elif (name := mark(find.url)) in wanted:
            others.setdefault(name, []).append(find)
        else:
            wanted[name] = find
    found = sorted(wanted.values(), key=lambda find: find.when or now, reverse=True)
    return found, refused, others


def _refusal(digest: Digest, find: Find, memory: Remembers, now: datetime) -> str:
    age = find.source.age or digest.age
    stated = [when for when in (find.when, find.changed) if when]
    if age and stated and now - max(stated) > age:
        return f"is older than {_days(age.total_seconds())}"
    if find.title and (reason := _filtered(digest, find, f"{find.title}\n{find.summary}")):
        return reason
    past = memory.printed(digest.name, [find.url])
    if past and (find.source.kind in _ONCE or find.stamp in past.stamps):
        return _printed(past)
    return ""


def _filtered(digest: Digest, find: Find, text: str) -> str:
    source = find.source
    return unwanted(text, source.include, (*source.exclude, *digest.exclude)) or unwanted(
        text, digest.include, ()
    )


@dataclass(slots=True)
class Chooser:
    """Takes articles one by one, and keeps of each story one version.

    ``unchanged`` are those that said they had changed, and were read, and had not changed much.
    """

    digest: Digest
    memory: Remembers
    taken: list[Taken] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    unchanged: list[Find] = field(default_factory=list)

    def offer(self, find: Find, reading: ExtractedPage, others: Sequence[Find] = ()) -> bool:
        """Take an article or refuse it; True when it is one more."""
        article = reading.article
        reason = self._unwanted(find, article)
        if reason:
            self.refused.append(Refused(find, reason))
            return False
        enough = len(article.text.split()) >= _FEWEST_WORDS or not article.text.isascii()
        new = Taken(find, reading, sketch(article.text) if enough else None, also=list(others))
        past = self.memory.printed(self.digest.name, new.urls)
        if past and not _changed(past, new):
            self.unchanged.append(find)
            self.refused.append(Refused(find, _printed(past)))
            return False
        if past is None and (past := self.memory.near(self.digest.name, new.sketch)):
            self.refused.append(Refused(find, f"{_printed(past)} as {past.title!r}"))
            return False
        new.updated = past is not None
        same = self._same(new)
        if same is None:
            self.taken.append(new)
            return True
        better, worse = (new, same) if _weight(new) > _weight(same) else (same, new)
        self.taken[self.taken.index(same)] = better
        better.also.extend([worse.find, *worse.also])
        better.updated = better.updated or worse.updated
        self.refused.append(Refused(worse.find, f"is the same story as {better.find.url}"))
        return False

    def fault(self, find: Find, reason: str) -> None:
        """Note an article that could not be had."""
        self.refused.append(Refused(find, reason, fault=True))

    def _unwanted(self, find: Find, article: Article) -> str:
        languages = find.source.language or self.digest.language
        tag = article.language.lower()
        if languages and tag and not any(_is_language(tag, each.lower()) for each in languages):
            return f"is in another language ({article.language})"
        if not find.title:
            return _filtered(self.digest, find, f"{article.title}\n{article.lead}")
        return ""

    def _same(self, new: Taken) -> Taken | None:
        marks = set(map(mark, new.urls))
        for each in self.taken:
            if marks & set(map(mark, each.urls)):
                return each
            both = new.sketch is not None and each.sketch is not None
            if both and resemblance(new.sketch, each.sketch) >= NEAR_DUPLICATE:  # type: ignore[arg-type]
                return each
        return None


def arranged(digest: Digest, taken: Iterable[Taken], worth: dict[int, float]) -> list[Taken]:
    """Return articles section by section, in the order of the description.

    In a section the newest come first, or with a query (``worth`` by ``id``) what says most of it.
    """
    sections = list(dict.fromkeys(source.section for source in digest.source))

    def rank(each: Taken) -> tuple[int, float, float, int]:
        age = -each.when.timestamp() if each.when > _OLDEST else float("inf")
        return (
            sections.index(each.find.section), -worth.get(id(each), 0.0), age, each.find.place
        )  # fmt: skip

    return sorted(taken, key=rank)


def _changed(past: Past, new: Taken) -> bool:
    if past.sketch is None or new.sketch is None:
        return False
    return resemblance(past.sketch, new.sketch) < CHANGED


def _weight(each: Taken) -> tuple[int, int]:
    """Say how good a version of a story is: by its length, and then its pictures."""
    article = each.reading.article
    return len(article.text), len(article.figures)


def _is_language(tag: str, wanted: str) -> bool:
    return tag == wanted or tag.startswith(wanted + "-")


def _printed(past: Past) -> str:
    return f"was printed on {datetime.fromtimestamp(past.printed, UTC):%Y-%m-%d}"


def _days(seconds: float) -> str:
    hours = round(seconds / 3600)
    return f"{hours // 24} days" if hours >= 48 and hours % 24 == 0 else f"{hours} hours"
