"""What sources offer, before anything of it is read."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime

from ..capture import Capture
from ..errors import WebprintError
from .config import Source
from .sources.feeds import Entry


@dataclass(frozen=True, slots=True)
class Candidate:
    """An article that a source offers.

    ``place`` is that of its source in the description, ``name`` what the source is called.
    ``capture`` is what is here already (a mail).  ``stamp`` changes when the source says that the
    article did ('' when it does not say), which was when it ``changed``.
    """

    url: str
    source: Source
    source_index: int
    source_name: str = ""
    title: str = ""
    author: str = ""
    when: datetime | None = None
    updated: datetime | None = None
    summary: str = ""
    html: str = field(default="", repr=False)
    is_full_text: bool = False
    fingerprint: str = ""
    capture: Capture | None = field(default=None, repr=False)

    @property
    def section(self) -> str:
        """The heading it stands under."""
        return self.source.section


@dataclass(frozen=True, slots=True)
class SourceResult:
    """What a source offers, or why it offers nothing."""

    source: Source
    candidates: tuple[Candidate, ...] = ()
    error: WebprintError | None = None
    name: str = ""


def candidate_from_entry(entry: Entry, source: Source, place: int, feed_title: str) -> Candidate:
    """Return what an entry of a feed offers."""
    said = f"{entry.updated}\n{entry.title}\n{entry.summary}\n{entry.html}"
    return Candidate(
        url=entry.url,
        source=source,
        source_index=place,
        source_name=source.name or feed_title,
        title=entry.title,
        author=entry.author,
        when=entry.when,
        updated=entry.updated,
        summary=entry.summary,
        html=entry.html,
        is_full_text=entry.is_full_text,
        fingerprint=hashlib.sha256(said.encode("utf-8", "replace")).hexdigest(),
    )
