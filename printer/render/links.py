"""Links with their QR codes, anchors and notes of a printed article.

A printed link cannot be followed, so its URL is printed after it, at the foot of the page or in a
list at the end.  In the latter two, all links to the same target share one number.

A note becomes a footnote, on the page of its reference mark, if it is short running text, as
WeasyPrint does not break footnotes across pages.  Other notes are endnotes; if too many are, all
are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from urllib.parse import unquote, urlsplit, urlunsplit

from ..article import Article, Embed, Note, Paragraph, Spans, block_spans, plain_text, walk
from ..options import LinkStyle
from ..output import Picture
from ..text import truncate
from ..urls import is_http, strip_tracking
from .markup import Ids, strip_brackets, valid_language
from .math import Formulas

#: A longer URL is cut where it is printed; the link itself is complete.
MAX_PRINTED_URL_CHARS = 300


def display_url(url: str) -> str:
    """Return the printed form of a URL: without tracking parameters, https and escapes."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return url[:MAX_PRINTED_URL_CHARS]
    if parts.scheme == "mailto":
        return _decode_percent(parts.path)[:MAX_PRINTED_URL_CHARS]
    scheme = "" if parts.scheme == "https" else parts.scheme
    path = "" if parts.path == "/" and not parts.query else parts.path
    url = urlunsplit((scheme, host + port, path, strip_tracking(parts.query), parts.fragment))
    return truncate(_decode_percent(url.removeprefix("//")), MAX_PRINTED_URL_CHARS)


def _decode_percent(text: str) -> str:
    """Decode percent escapes unless the result, typed in, would be another address."""
    try:
        decoded = unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text
    is_plain = decoded.isprintable() and not any(map(str.isspace, decoded)) and "%" not in decoded
    return decoded if is_plain else text


def is_visible_url(text: str, target: str) -> bool:
    """Return whether the text of a link is its own address."""
    text = text.strip().rstrip("/").lower()
    bare = text.removeprefix("https://").removeprefix("http://").removeprefix("www.")
    url = display_url(target).removeprefix("http://").removeprefix("www.")
    return not text or bare in {url.rstrip("/").lower(), target.lower().rstrip("/")}


#: The maximum length of all URLs in footnotes, as a share of the article's text.
MAX_URL_SHARE = 0.3
#: Footnotes take long to lay out; if there are more links, all targets are listed at the end.
MAX_FOOTNOTE_LINKS = 150


def choose_link_style(style: LinkStyle, article: Article) -> LinkStyle:
    """Return the link style for an article; too many links for footnotes become endnotes."""
    if style != "footnote":
        return style
    blocks = list(walk(article.blocks))
    spans = (span for block in blocks for spans in block_spans(block) for span in spans)
    links = [span.href for span in spans if is_http(span.href)]
    text_length = sum(len(plain_text(b.spans)) for b in blocks if isinstance(b, Paragraph))
    url_length = sum(len(display_url(target)) + 4 for target in set(links))
    fits = url_length <= MAX_URL_SHARE * text_length and len(links) <= MAX_FOOTNOTE_LINKS
    return "footnote" if fits else "endnote"


_NOTE_NUMBER = re.compile(r"[0-9]{1,3}")


def highest_note_number(articles: Iterable[Article]) -> int:
    """Return the highest number in the labels of notes, 0 if none has a number."""
    notes = (b for article in articles for b in walk(article.blocks) if isinstance(b, Note))
    labels = (strip_brackets(note.label) for note in notes)
    return max((int(label) for label in labels if _NOTE_NUMBER.fullmatch(label)), default=0)


@dataclass(slots=True)
class LinkTargets:
    """The targets of links, numbered in the order of their first links.

    ``style`` is their printed form; ``listed`` has the numbers and URLs to print at the end.  The
    numbers begin after ``notes``, the highest number of a note.
    """

    style: LinkStyle = "none"
    notes: int = 0
    listed: list[tuple[int, str]] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)

    def number(self, target: str) -> tuple[int, bool]:
        """Return the number of a target, and whether the target is new."""
        is_new = target not in self._numbers
        number = self._numbers.setdefault(target, self.notes + len(self._numbers) + 1)
        return number, is_new

    @property
    def count(self) -> int:
        """The number of targets so far."""
        return len(self._numbers)

    def first(self, count: int) -> LinkTargets:
        """Return a copy with the first ``count`` targets and an empty list."""
        return LinkTargets(self.style, self.notes, [], dict(islice(self._numbers.items(), count)))


#: The schemes allowed in links, on paper and in HTML.
SCHEMES = ("http://", "https://", "mailto:")


@dataclass(slots=True)
class Anchors(Ids):
    """The ids of one printed article, its notes and its link targets.

    ``footnotes`` has the ids of the notes that are footnotes, ``language`` is the article's.
    """

    language: str = ""
    footnotes: frozenset[str] = frozenset()
    targets: LinkTargets = field(default_factory=LinkTargets)
    formulas: Formulas = field(default_factory=dict)
    _placed: set[str] = field(default_factory=set)

    @classmethod
    def of(
        cls,
        article: Article,
        prefix: str = "",
        targets: LinkTargets | None = None,
        *,
        footnotes: bool = False,
    ) -> Anchors:
        """Collect the ids of an article; ``footnotes`` allows footnotes."""
        targets = targets or LinkTargets()
        anchors = cls(
            prefix, lambda url: url if url.lower().startswith(SCHEMES) else "", targets=targets
        )
        anchors.language = valid_language(article.language)
        anchors.fresh("start")  # the id of the article itself in templates
        anchors.collect(article)
        if footnotes:
            anchors.footnotes = choose_footnotes(article)
        return anchors

    def take_footnote(self, note: str) -> Note | None:
        """Return a footnote on its first call, or else None."""
        if note not in self.footnotes or note in self._placed:
            return None
        self._placed.add(note)
        return self.notes[note]

    def is_placed(self, note: Note) -> bool:
        """Return whether a note has been printed as a footnote."""
        return note.id in self._placed and note is self.notes.get(note.id)


#: Longer notes are endnotes.
MAX_FOOTNOTE_CHARS = 700
#: If notes are a larger share of the text, all are endnotes.
MAX_FOOTNOTE_SHARE = 0.5
#: If there are more, all are endnotes.
MAX_FOOTNOTES = 150
#: If a smaller share of notes can be footnotes, all are endnotes.
MIN_FOOTNOTE_SHARE = 0.8
MAX_NOTES_PER_PARAGRAPH = 12


def choose_footnotes(article: Article) -> frozenset[str]:
    """Return the ids of the notes that become footnotes: nearly all of them, or none."""
    notes = [block for block in walk(article.blocks) if isinstance(block, Note)]
    if not notes or len(notes) > MAX_FOOTNOTES:
        return frozenset()
    called: set[str] = set()
    text_length = 0
    for spans in _spans_outside_notes(article):
        text_length += len(plain_text(spans))
        calls = {span.note for span in spans if span.note} - called
        if len(calls) <= MAX_NOTES_PER_PARAGRAPH:
            called |= calls
    lengths = [
        [len(plain_text(b.spans)) for b in note.blocks if isinstance(b, Paragraph)]
        for note in notes
    ]
    fitting = called & {
        note.id
        for note, parts in zip(notes, lengths, strict=True)
        if len(parts) == len(note.blocks) > 0 and sum(parts) <= MAX_FOOTNOTE_CHARS
    }
    too_long = sum(map(sum, lengths)) > MAX_FOOTNOTE_SHARE * text_length
    too_few = len(fitting) < MIN_FOOTNOTE_SHARE * len({note.id for note in notes})
    return frozenset() if too_long or too_few else frozenset(fitting)


def _spans_outside_notes(article: Article) -> Iterator[Spans]:
    notes = (block for block in walk(article.blocks) if isinstance(block, Note))
    inside = {id(block) for note in notes for block in walk(note.blocks)}
    for block in walk(article.blocks):
        if id(block) not in inside:
            yield from block_spans(block)


MAX_QR_CODES = 40


def build_codes(articles: Sequence[Article], *, sources: bool) -> dict[str, Picture]:
    """Return QR codes by URL: of videos, sounds, maps and, if ``sources``, of the articles."""
    urls = [article.url for article in articles if sources]
    blocks = (block for article in articles for block in walk(article.blocks))
    embeds = (block for block in blocks if isinstance(block, Embed))
    urls += [embed.url for embed in islice(embeds, MAX_QR_CODES) if embed.kind != "post"]
    return {url: code for url in dict.fromkeys(filter(is_http, urls)) if (code := qr_code(url))}


#: QR codes of longer addresses are too fine to be read at this size.
MAX_QR_BYTES = 600
#: Readers of QR codes need white modules around them.
QR_BORDER_MODULES = 2


def qr_code(url: str) -> Picture | None:
    """Return the QR code of a URL as SVG, None if the URL is empty or too long."""
    import segno

    if not url or len(url.encode()) > MAX_QR_BYTES:
        return None
    code = segno.make(url, error="m" if len(url) <= 150 else "l", micro=False)
    svg = BytesIO()
    code.save(svg, kind="svg", border=QR_BORDER_MODULES, omitsize=True, xmldecl=False)
    side = int(code.symbol_size(border=QR_BORDER_MODULES)[0])
    return Picture(svg.getvalue(), "image/svg+xml", side, side)
