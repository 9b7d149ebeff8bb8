"""Reading what was found, the newest first, until there is enough of every source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import islice
from typing import TypeAlias

from ..capture import Capture
from ..errors import NoArticle, WebprintError
from ..pipeline import Printer, Reading
from ..prefetch import read_ahead
from .choose import Chooser, Refused
from .described import Digest
from .finds import Find
from .memory import mark

#: With a query so many times the limit is read, to choose from.
_CHOICE = 4

#: A page with less text than this part of its feed's own gives less than it.
_LESS = 0.7

#: The page of a find: as it was fetched, or read already; or why it cannot be had.
Paged: TypeAlias = Reading | Capture | WebprintError


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads pages, and the texts of feeds where these say more.

    ``pages`` gives the page of each find, in their order; ``at_once`` articles are found at a time.
    """

    printer: Printer
    feed_printer: Printer
    pages: Callable[[Sequence[Find]], Iterable[Paged]]
    at_once: int = 1

    def fill(
        self, chooser: Chooser, found: Sequence[Find], others: Mapping[str, Sequence[Find]]
    ) -> None:
        """Offer a chooser what was found until it has enough; the rest is told to be too much.

        ``others`` are finds at the same addresses, by the mark of each.
        """
        digest = chooser.digest
        most = digest.limit * (_CHOICE if digest.query else 1)
        waiting, left = list(found), 2 * most + 50
        while waiting and left > 0 and len(chooser.taken) < most:
            batch = list(islice(_wanted(waiting, chooser, most), left))
            if not batch:
                break
            left -= len(batch)
            ids = set(map(id, batch))
            waiting = [find for find in waiting if id(find) not in ids]
            for find, reading in self._read_all(batch, digest):
                if isinstance(reading, WebprintError):
                    chooser.fault(find, reading.message)
                else:
                    chooser.offer(find, reading, others.get(mark(find.url), ()))
        for find in waiting:
            chooser.refused.append(Refused(find, "is over the limit"))

    def _read_all(
        self, batch: Sequence[Find], digest: Digest
    ) -> Iterator[tuple[Find, Reading | WebprintError]]:
        def read(came: tuple[Find, Paged]) -> Reading:
            find, page = came
            reading = self._read(find, page, find.source.body or digest.body)
            return replace(reading, capture=reading.capture.until_set(self.printer.page))

        fetched = zip(batch, self.pages(_paged(batch, digest)), strict=True)
        for (find, _), reading in read_ahead(read, fetched, self.at_once):
            yield find, reading

    def _read(self, find: Find, page: Paged, body: str) -> Reading:
        """Return the article of a find, whose page may be read; raises what stood in the way."""
        if find.source.kind == "mail" and find.capture is not None:
            return _named(self.feed_printer.read(find.capture), find, mail=True)
        if body == "feed" and find.html:
            return _named(self.feed_printer.read(_feed_page(find)), find)
        try:
            if isinstance(page, WebprintError):
                raise page
            browse = self.printer.fetch.render == "always" and find.capture is None
            if isinstance(page, Capture):
                page = self.printer.read(find.url if browse else page)
            reading = page
        except WebprintError:
            own = self._own(find) if find.full else None
            if own is None:
                raise
            return own
        own = self._own(find) if find.full else None
        if own and len(reading.article.text) < _LESS * len(own.article.text):
            return own
        return _named(reading, find)

    def _own(self, find: Find) -> Reading | None:
        """Return the text that the feed holds."""
        try:
            return _named(self.feed_printer.read(_feed_page(find)), find)
        except NoArticle:
            return None


def _wanted(waiting: Sequence[Find], chooser: Chooser, most: int) -> Iterator[Find]:
    """Yield what may still be taken, as far as the limits of all and of each source go."""
    room = most - len(chooser.taken)
    taken: dict[int, int] = {}
    for each in chooser.taken:
        taken[each.find.place] = taken.get(each.find.place, 0) + 1
    for find in waiting:
        limit = find.source.limit
        if room <= 0:
            return
        if not limit or taken.get(find.place, 0) < limit:
            taken[find.place] = taken.get(find.place, 0) + 1
            room -= 1
            yield find


def _paged(batch: Sequence[Find], digest: Digest) -> list[Find]:
    """Return finds such that nothing is fetched of which the feed's own text is wanted."""
    return [
        replace(find, capture=_feed_page(find))
        if (find.source.body or digest.body) == "feed" and find.html
        else find
        for find in batch
    ]


def _feed_page(find: Find) -> Capture:
    """Make a page of what a feed gives of an article."""
    title = escape(find.title)
    page = (
        f"<!doctype html><html><head><meta charset=utf-8><title>{title}</title></head>"
        f"<body><article><h1>{title}</h1>{find.html}</article></body></html>"
    )
    body = page.encode("utf-8", "replace")
    return Capture(body, find.url, find.url, "text/html", "utf-8", fetched=find.when)


def _named(reading: Reading, find: Find, *, mail: bool = False) -> Reading:
    """Fill in what the page does not say of its article, and the source does."""
    article = reading.article
    published = article.published or (find.when.isoformat() if find.when else "")
    article = replace(
        article,
        title=find.title if mail else article.title or find.title,
        byline=article.byline or find.author,
        published=published,
        site=article.site or find.name,
    )
    return replace(reading, article=article)
