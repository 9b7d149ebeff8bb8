"""The places of an article that links lead to, and the notes that its signs call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..article import Article, Note, Spans
from .footnotes import at_foot, paragraphs
from .limits import walk_blocks
from .links import LinkTargets
from .math import Formulas

#: Schemes that a link may have, on paper and in HTML.
SCHEMES = ("http://", "https://", "mailto:")


@dataclass(slots=True)
class Anchors:
    """The ids of one article: each is defined once, and links lead to those that exist.

    ``prefix`` keeps the ids of several articles in one document apart, ``foot`` are the notes to
    set at the foot of their page, ``under`` the identities of the texts they can be set under.
    """

    prefix: str = ""
    known: frozenset[str] = frozenset()
    notes: Mapping[str, Note] = field(default_factory=dict)
    foot: frozenset[str] = frozenset()
    under: frozenset[int] = frozenset()
    targets: LinkTargets = field(default_factory=LinkTargets)
    formulas: Formulas = field(default_factory=dict)
    _defined: set[str] = field(default_factory=set)
    _called: set[str] = field(default_factory=set)
    _placed: set[str] = field(default_factory=set)

    @classmethod
    def of(
        cls,
        article: Article,
        prefix: str = "",
        targets: LinkTargets | None = None,
        *,
        foot: bool = False,
    ) -> Anchors:
        """Find every id of an article; ``foot`` sets notes at the foot of the page."""
        known: set[str] = set()
        notes: dict[str, Note] = {}
        for block in walk_blocks(article.blocks):
            known.add(getattr(block, "id", ""))
            known.update(span.id for span in getattr(block, "spans", ()))
            known.update(item.id for item in getattr(block, "items", ()))
            if isinstance(block, Note):
                notes.setdefault(block.id, block)
        under = (id(each.spans) for each in paragraphs(article.blocks)) if foot else ()
        return cls(
            prefix,
            frozenset(known - {""}),
            notes,
            at_foot(article) if foot else frozenset(),
            frozenset(under),
            targets or LinkTargets(),
        )

    def define(self, name: str) -> str:
        """Return the id to set for a name: '' when it is empty or was set before."""
        if not name or name in self._defined:
            return ""
        self._defined.add(name)
        return self.prefix + _identifier(name)

    def target(self, href: str) -> str:
        """Return where a link leads: a safe address, a place in this article, or ''."""
        if href.startswith("#"):
            name = href[1:]
            return f"#{self.prefix}{_identifier(name)}" if name in self.known else ""
        return href if href.lower().startswith(SCHEMES) else ""

    def call(self, note: str) -> str:
        """Return the id of a note's sign in the text, '' when the note was called before."""
        if note in self._called:
            return ""
        self._called.add(note)
        return f"{self.prefix}call-{_identifier(note)}"

    def called(self, note: str) -> str:
        """Return where the first sign of a note stands, '' when there is none."""
        return f"#{self.prefix}call-{_identifier(note)}" if note in self._called else ""

    def holds_notes(self, spans: Spans) -> bool:
        """Tell whether notes can be set at the foot of the page under this text."""
        return id(spans) in self.under

    def at_foot(self, note: str) -> Note | None:
        """Return the note to set at the foot of the page now, None when it is not to be."""
        if note not in self.foot or note in self._placed:
            return None
        self._placed.add(note)
        return self.notes[note]

    def is_at_foot(self, note: Note) -> bool:
        """Tell whether a note has been set at the foot of a page."""
        return note.id in self._placed and note is self.notes.get(note.id)


def _identifier(name: str) -> str:
    return re.sub(r"[^\w.-]", "_", name[:100]) or "_"
