"""Links on paper: which targets are named, under which numbers, and how an address is written.

A link on paper says nothing of where it leads.  Each target gets one number, the same wherever
it is linked again, and its address stands at the foot of the page, in a list at the end, or
behind the link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import unquote, urlsplit, urlunsplit

from ..article import (
    Article,
    Block,
    DefinitionList,
    List,
    Note,
    Paragraph,
    Quote,
    Span,
    Spans,
    plain_text,
)
from ..options import LinkStyle
from ..urls import strip_tracking
from .limits import walk_blocks
from .math import Formulas

#: An address longer than this is printed up to here; the link itself is whole.
LONGEST_PRINTED = 300

#: With more text of addresses than this part of the article's, they do not fit under its pages.
MOST_AT_FOOT = 0.3

#: More targets than these are named at the end: setting notes under pages takes its time.
MOST_TARGETS = 150


def display_url(url: str) -> str:
    """Return an address as it is printed: without tracking, scheme and what only machines need."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return url[:LONGEST_PRINTED]
    if parts.scheme == "mailto":
        return _readable(parts.path)[:LONGEST_PRINTED]
    scheme = "" if parts.scheme == "https" else parts.scheme
    path = "" if parts.path == "/" and not parts.query else parts.path
    whole = urlunsplit((scheme, host + port, path, strip_tracking(parts.query), parts.fragment))
    text = _readable(whole.removeprefix("//"))
    return text if len(text) <= LONGEST_PRINTED else text[: LONGEST_PRINTED - 1] + "…"


def _readable(text: str) -> str:
    """Undo percent signs where that gives letters, so that what is printed can be read."""
    if "%" not in text:
        return text
    try:
        plain_text = unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text
    # What would change the address when it is typed in stays as it is.
    kept = plain_text.isprintable() and not any(sign.isspace() for sign in plain_text)
    return plain_text if kept and plain_text.count("%") == 0 else text


@dataclass(slots=True)
class LinkTargets:
    """The targets of an article's links and their numbers, given as they are met.

    ``style`` is how they are printed, ``listed`` holds those to be named at the end: number and
    address.
    """

    style: LinkStyle = "none"
    listed: list[tuple[int, str]] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)

    def number(self, target: str) -> tuple[int, bool]:
        """Return a target's number, and whether this is the first time it is asked for."""
        known = self._numbers.get(target)
        if known is not None:
            return known, False
        number = self._numbers[target] = len(self._numbers) + 1
        return number, True

    @property
    def count(self) -> int:
        """How many targets have a number."""
        return len(self._numbers)

    def before(self, count: int) -> LinkTargets:
        """Return these targets as they were when so many had a number, with none listed."""
        return LinkTargets(self.style, [], dict(islice(self._numbers.items(), count)))

    def put_at_end(self, number: int, target: str) -> None:
        """Have a target named in the list at the end."""
        self.listed.append((number, target))


def shows_own_url(text: str, target: str) -> bool:
    """Tell whether a link's text is its address already."""
    shown = text.strip().rstrip("/").lower()
    if not shown:
        return True
    bare = shown.removeprefix("https://").removeprefix("http://").removeprefix("www.")
    address = display_url(target).removeprefix("http://").removeprefix("www.")
    return bare in {address.rstrip("/").lower(), target.lower().rstrip("/")}


def choose_link_style(style: LinkStyle, article: Article) -> LinkStyle:
    """Return the style that can be set: an article that is mostly links has them at the end."""
    if style != "footnote":
        return style
    targets: set[str] = set()
    words = 0
    for block in walk_blocks(article.blocks):
        spans: tuple[Span, ...] = getattr(block, "spans", ())
        targets.update(span.href for span in spans if span.href.startswith("http"))
        words += len(plain_text(spans)) if isinstance(block, Paragraph) else 0
    addresses = sum(len(display_url(target)) + 4 for target in targets)
    fits = addresses <= MOST_AT_FOOT * words and len(targets) <= MOST_TARGETS
    return "footnote" if fits else "endnote"


#: A longer note is set at the end, in characters.
LONGEST = 700

#: Notes that together are longer than this part of the text are all set at the end.
MOST = 0.5

#: More notes than these are set at the end: setting them under pages takes its time.
MOST_NOTES = 150

#: So many notes of a paragraph still fit under it.
MOST_IN_PARAGRAPH = 12


def paragraphs(blocks: tuple[Block, ...]) -> Iterator[Paragraph]:
    """Yield the paragraphs under which notes can be set: of the text, its lists and quotations."""
    for block in blocks:
        match block:
            case Paragraph():
                yield block
            case List(items=items):
                for item in items:
                    yield from paragraphs(item.blocks)
            case Quote(blocks=inside, pull=False):
                yield from paragraphs(inside)
            case DefinitionList(entries=entries):
                for entry in entries:
                    for details in entry.details:
                        yield from paragraphs(details)


def at_foot(article: Article) -> frozenset[str]:
    """Return the ids of the notes to set at the foot of the page; none or nearly all of them."""
    notes = [block for block in walk_blocks(article.blocks) if isinstance(block, Note)]
    if not notes or len(notes) > MOST_NOTES:
        return frozenset()
    called: set[str] = set()
    text = 0
    for paragraph in paragraphs(article.blocks):
        text += len(plain_text(paragraph.spans))
        signs = {span.note for span in paragraph.spans if span.note} - called
        if len(signs) <= MOST_IN_PARAGRAPH:
            called |= signs
    short = {note.id for note in notes if _is_short(note)}
    fit = short & called
    length = sum(sum(len(plain_text(p.spans)) for p in _text(note)) for note in notes)
    if length > MOST * text or len(fit) < 0.8 * len({note.id for note in notes}):
        return frozenset()
    return frozenset(fit)


def _text(note: Note) -> list[Paragraph]:
    return [block for block in note.blocks if isinstance(block, Paragraph)]


def _is_short(note: Note) -> bool:
    text = _text(note)
    length = sum(len(plain_text(paragraph.spans)) for paragraph in text)
    return bool(text) and len(text) == len(note.blocks) and length <= LONGEST


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
