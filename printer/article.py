"""The document model: extraction returns an :class:`Article`, every output format renders one.

An article is a tree of frozen values without markup.  Text is stored as spans with marks, so that
a template can emit untrusted content only as text, and all formats (PDF, EPUB, HTML, Markdown,
JSON) read the same structure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from itertools import chain
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from .text import COLONS, WORD, comparison_key

#: The marks of a span in their nesting order, outermost first.
MARKS = (
    "strong", "em", "mark", "del", "ins", "small", "cite", "q", "abbr", "dfn",
    "sub", "sup", "kbd", "samp", "var", "code",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Span:
    r"""A run of text with the same marks.

    White space in ``text`` is collapsed, except that ``\n`` is a line break set by the author; a
    zero-width space is a line-break opportunity.  ``href`` is an absolute http(s) or mailto URL,
    or ``#id`` for a place in the article.  ``note`` is the id of the :class:`Note` that this
    reference mark calls.  ``ruby`` is the annotation above the text, ``math`` the source of an
    inline formula (MathML if it begins with ``<math``, else TeX) with ``text`` as its plain form.
    """

    text: str
    marks: tuple[str, ...] = ()
    href: str = ""
    title: str = ""
    lang: str = ""
    dir: str = ""
    note: str = ""
    ruby: str = ""
    math: str = ""
    id: str = ""


Spans: TypeAlias = tuple[Span, ...]

#: A line-break opportunity within a word; scripts without spaces use it between words.
ZERO_WIDTH_SPACE = "\u200b"


def plain_text(spans: Spans) -> str:
    """Return the text of spans without line-break opportunities."""
    text = spans[0].text if len(spans) == 1 else "".join(span.text for span in spans)
    return text.replace(ZERO_WIDTH_SPACE, "").strip()


def has_mark_throughout(spans: Spans, mark: str) -> bool:
    """Return whether all text in spans has a mark."""
    return all(mark in span.marks for span in spans if span.text.strip())


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text, or a ``standfirst``, which introduces the article below its title."""

    spans: Spans
    id: str = ""
    lang: str = ""
    dir: str = ""
    standfirst: bool = False


_EYEBROW = re.compile(r"\w(?:[^:\n]{0,58}\w)?")


def is_eyebrow(block: object) -> bool:
    """Return whether a block is a line above a heading it belongs to: small, or in capitals."""
    if not isinstance(block, Paragraph):
        return False
    text = plain_text(block.spans)
    is_marked = has_mark_throughout(block.spans, "small") or (" " in text and text.isupper())
    return is_marked and _EYEBROW.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; ``level`` is 2 to 6, as the title is level 1."""

    level: int
    spans: Spans
    id: str = ""
    lang: str = ""
    dir: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list."""

    blocks: tuple[Block, ...]
    id: str = ""


@dataclass(frozen=True, slots=True)
class List:
    """A bulleted or numbered list.

    ``style`` is '', 'a', 'A', 'i' or 'I' as in HTML's ``type``, or 'none' for a collection: things
    with a picture each, or most of them, and a few words.
    """

    items: tuple[Item, ...]
    ordered: bool = False
    start: int = 1
    style: str = ""

    @property
    def is_collection(self) -> bool:
        return self.style == "none"


@dataclass(frozen=True, slots=True)
class Definition:
    """One or more terms and their descriptions."""

    terms: tuple[Spans, ...]
    details: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True, slots=True)
class DefinitionList:
    """A list of terms with their descriptions."""

    entries: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """A block quotation; ``pull`` marks a pull quote, ``box`` a note or warning set apart.

    ``cite`` is the attribution, printed below the quotation, or above if it ends in a colon; of a
    box, it is the label above its text.
    """

    blocks: tuple[Block, ...]
    cite: Spans = ()
    pull: bool = False
    box: bool = False

    @property
    def introduced(self) -> bool:
        """Whether the attribution is printed above the quotation."""
        return self.box or plain_text(self.cite).endswith(COLONS)


@dataclass(frozen=True, slots=True)
class Code:
    """Preformatted text with its line breaks and indentation."""

    text: str
    language: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell."""

    blocks: tuple[Block, ...]
    header: bool = False
    colspan: int = 1
    rowspan: int = 1
    align: str = ""


Row: TypeAlias = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A data table; the ``head`` rows are repeated on every page."""

    head: tuple[Row, ...]
    body: tuple[Row, ...]
    foot: tuple[Row, ...] = ()
    caption_spans: Spans = ()
    id: str = ""

    @property
    def caption(self) -> str:
        """The caption's text."""
        return plain_text(self.caption_spans)

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows: head, body and foot."""
        return (*self.head, *self.body, *self.foot)


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture of the article.

    ``src`` is the URL of the version chosen for print, ``sources`` are all URLs of the picture on
    the page, ``width`` and ``height`` its stated size in CSS pixels (0: unknown).  An inline
    drawing has its source in ``svg`` instead.
    """

    src: str
    sources: tuple[str, ...] = ()
    caption_spans: Spans = ()
    alt: str = ""
    credit: str = ""
    width: int = 0
    height: int = 0
    svg: str = ""
    id: str = ""

    @property
    def caption(self) -> str:
        """The caption's text, without a separate credit."""
        return plain_text(self.caption_spans)


@dataclass(frozen=True, slots=True)
class Math:
    """A displayed formula: MathML if ``source`` begins with ``<math``, else TeX."""

    source: str
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Embed:
    """Embedded media or a quoted social post.

    ``author`` and ``published`` (as written on the page) belong to a post, ``duration`` (h:mm:ss)
    to a video or audio.  ``blocks`` is the printable part: a post's text, a video's poster.
    """

    kind: Literal["video", "audio", "map", "post", "frame"]
    url: str
    title: str = ""
    author: str = ""
    published: str = ""
    duration: str = ""
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Post:
    """A post of a discussion, or a comment: who wrote it, when (as on the page), and what.

    ``depth`` is the number of posts above it that it replies to.  The first post has no ``author``
    if that is the article's.
    """

    author: str
    published: str
    blocks: tuple[Block, ...]
    depth: int = 0

    @property
    def signature(self) -> str:
        """The line with author and date."""
        return ", ".join(filter(None, (self.author, self.published)))


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote or endnote; spans refer to it by ``id``.

    ``heading`` is what the page calls the notes, on the first of them.
    """

    id: str
    label: str
    blocks: tuple[Block, ...]
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """A thematic break."""


Block: TypeAlias = (
    Paragraph | Heading | List | DefinitionList | Quote | Code | Table | Figure | Math | Embed
    | Note | Post | Rule
)  # fmt: skip


def child_blocks(block: Block) -> Iterator[tuple[Block, ...]]:
    """Yield the sequences of blocks directly inside a block."""
    match block:
        case List(items=items):
            yield from (item.blocks for item in items)
        case DefinitionList(entries=entries):
            yield from (details for entry in entries for details in entry.details)
        case (
            Quote(blocks=blocks) | Note(blocks=blocks) | Embed(blocks=blocks) | Post(blocks=blocks)
        ):
            yield blocks
        case Table():
            yield from (cell.blocks for row in block.rows for cell in row)


def walk(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """Yield blocks and their descendants in reading order, at any depth."""
    stack = list(reversed(blocks))
    while stack:
        block = stack.pop()
        yield block
        for children in reversed(list(child_blocks(block))):
            stack.extend(reversed(children))


def block_spans(block: Block) -> Iterator[Spans]:
    """Yield the span sequences of a block itself, not of the blocks inside it."""
    match block:
        case Paragraph(spans=spans) | Heading(spans=spans):
            yield spans
        case Figure(caption_spans=spans) | Table(caption_spans=spans) | Quote(cite=spans):
            yield spans
        case DefinitionList(entries=entries):
            yield from (term for entry in entries for term in entry.terms)


def iter_spans(blocks: tuple[Block, ...]) -> Iterator[Span]:
    return (span for block in walk(blocks) for spans in block_spans(block) for span in spans)


def transform(value: Any, replacement: Callable[[Any], Iterable[Any] | None]) -> Any:
    """Return a block, item, cell or tuple of these with some of its parts replaced.

    ``replacement`` is called with each part, outermost first; it returns the parts to put in its
    place, or None to keep the part and look inside it.
    """
    if isinstance(value, tuple):
        parts: list[Any] = []
        for part in value:
            new = None if isinstance(part, tuple | str) else replacement(part)
            parts += (transform(part, replacement),) if new is None else new
        return tuple(parts)
    if isinstance(value, str | Span):
        return value
    inside = {member.name: getattr(value, member.name) for member in fields(value)}
    changes = {
        name: transform(part, replacement)
        for name, part in inside.items()
        if isinstance(part, tuple)
    }
    return replace(value, **changes) if changes else value


def renumber_headings(value: Any, outer_levels: Sequence[int] = ()) -> Any:
    """Return blocks whose heading levels begin at 2 and skip none, as screen readers require.

    Headings within a list or a quotation are below the heading above it; ``outer_levels`` are the
    page's levels of the headings around ``value``.
    """
    open_levels = list(outer_levels)

    def replacement(part: Any) -> list[Any]:
        if isinstance(part, Heading):
            while open_levels and open_levels[-1] >= part.level:
                open_levels.pop()
            open_levels.append(part.level)
            return [replace(part, level=min(len(open_levels) + 1, 6))]
        return [part if isinstance(part, Paragraph) else renumber_headings(part, open_levels)]

    return transform(value, replacement)


def prefix_ids(blocks: tuple[Block, ...], prefix: str) -> tuple[Block, ...]:
    """Return blocks with a prefix on every id and every reference to one."""

    def replacement(part: Any) -> list[Any]:
        part = transform(part, replacement)
        names = (name for name in ("id", "note") if getattr(part, name, ""))
        changes = {name: prefix + getattr(part, name) for name in names}
        if getattr(part, "href", "").startswith("#"):
            changes["href"] = f"#{prefix}{part.href[1:]}"
        return [replace(part, **changes)]

    prefixed: tuple[Block, ...] = transform(blocks, replacement)
    return prefixed


def iter_text(*blocks: Block) -> Iterator[str]:
    """Yield the text of blocks: one string for each paragraph, item, table row or code block.

    Pictures yield nothing, since a caption is not running text; of embeds, only posts have text.
    """
    stack: list[Block | str] = list(reversed(blocks))
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            yield part
        else:
            stack.extend(reversed(list(_text_parts(part))))


def _text_parts(block: Block) -> Iterator[Block | str]:
    match block:
        case Paragraph() | Heading():
            yield plain_text(block.spans)
        case Code(text=text):
            yield text
        case Math(alt=alt):
            yield alt
        case DefinitionList(entries=entries):
            for entry in entries:
                yield from map(plain_text, entry.terms)
                yield from chain.from_iterable(entry.details)
        case Table():
            yield block.caption
            for row in block.rows:
                yield "\t".join(" ".join(iter_text(*cell.blocks)) for cell in row).strip()
        case Post():
            yield from (block.signature, *block.blocks)
        case Quote(cite=cite):
            parts = (*block.blocks, plain_text(cite))
            yield from (parts[-1], *parts[:-1]) if block.introduced else parts
        case _:
            yield from chain.from_iterable(child_blocks(block))


Direction = Literal["ltr", "rtl"]


@dataclass(frozen=True, slots=True)
class Article:
    """A page's article.

    ``language`` is a BCP 47 tag or '', ``published`` an ISO 8601 date or date-time (with a zone
    if a page states one) or ''.  ``lead`` is the page's own summary, ``section`` its kicker or the
    name of its part of the site, ``confidence`` the extraction's, from 0 to 1.  ``key`` and
    ``keywords`` are its key paragraphs and its topics, if requested.  ``obstacle`` is what the page
    seems to show instead of an article: 'sign-in', 'robot check', 'not found', 'consent' or
    'paywall'.  ``kind`` is the kind of page, such as 'forum' or 'product'.
    """

    title: str
    blocks: tuple[Block, ...]
    url: str = ""
    byline: str = ""
    published: str = ""
    site: str = ""
    lead: str = ""
    language: str = ""
    direction: Direction = "ltr"
    confidence: float = 0.0
    warnings: tuple[str, ...] = field(default=())
    key: tuple[Paragraph, ...] = ()
    keywords: tuple[str, ...] = ()
    obstacle: str = ""
    section: str = ""
    kind: str = "article"

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All pictures of the article in reading order."""
        return tuple(block for block in walk(self.blocks) if isinstance(block, Figure))

    @property
    def source(self) -> str:
        """The site's name, '' if the byline is the same."""
        same = comparison_key(self.site) == comparison_key(self.byline)
        return "" if same else self.site

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The lines of running text of five words or more, in order.

        Line breaks set by the author, as in verse or code, separate lines.  In scripts without
        spaces each character counts as a word.  Shorter lines are only in ``blocks`` and ``text``.
        """
        lines = (line for text in iter_text(*self.blocks) for line in text.splitlines())
        return tuple(line for line in lines if len(WORD.findall(line[:200])) >= 5)

    @property
    def text(self) -> str:
        """The article's text: a blank line between blocks, a line break within them."""
        blocks = ("\n".join(filter(None, iter_text(block))) for block in self.blocks)
        return "\n\n".join(text for text in blocks if text)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-compatible data; blocks have a ``type``, empty values are omitted."""
        names = ("title", "byline", "published", "site", "lead", "language", "direction", "url")
        return {
            **{name: getattr(self, name) for name in names},
            "confidence": round(self.confidence, 3),
            "blocks": [to_data(block) for block in self.blocks],
            "figures": [to_data(figure) for figure in self.figures],
            "text": self.text,
            "paragraphs": list(self.paragraphs),
            "warnings": list(self.warnings),
            **({"obstacle": self.obstacle} if self.obstacle else {}),
            **({"section": self.section} if self.section else {}),
            **({"keywords": self.keywords, "key": [*map(to_data, self.key)]} if self.key else {}),
        }


def to_data(value: object) -> Any:
    """Return a block or span as JSON-compatible data, without empty values."""
    if isinstance(value, tuple):
        return [to_data(part) for part in value]
    if not is_dataclass(value):
        return value
    data: dict[str, Any] = {"type": type(value).__name__.lower()}
    for member in fields(value):
        part = getattr(value, member.name)
        if part != member.default:
            data[member.name] = to_data(part)
    if isinstance(value, Figure | Table) and value.caption_spans:
        data["caption"] = value.caption
    return data


def from_data(data: Any) -> Any:
    """Return the block or span encoded by :func:`to_data`; raise :class:`ValueError`."""
    if not isinstance(data, dict):
        raise ValueError(f"not part of an article: {str(data)[:40]!r}")
    return _decode(data)


#: The classes by their ``type`` in the data.
_TYPES: dict[str, Any] = {
    kind.__name__.lower(): kind for kind in (*get_args(Block), Span, Item, Definition, Cell)
}


def _decode(data: Any) -> Any:
    if isinstance(data, list):
        return tuple(map(_decode, data))
    if not isinstance(data, dict):
        return data
    kind = _TYPES.get(str(data.get("type")))
    if kind is None:
        raise ValueError(f"not part of an article: {str(data.get('type'))[:40]!r}")
    hints = _field_types(kind)
    values = {name: _decode(part) for name, part in data.items() if name in hints}
    for name, value in values.items():
        if not _has_type(value, hints[name]):
            raise ValueError(f"{kind.__name__}.{name} cannot be {str(value)[:40]!r}")
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(str(error)) from error


_field_types = cache(get_type_hints)


def _has_type(value: object, expected: Any) -> bool:
    """Return whether a value has the type of a field: a class, a union, literals or a tuple."""
    origin, arguments = get_origin(expected), get_args(expected)
    if origin is tuple:
        return isinstance(value, tuple) and all(_has_type(part, arguments[0]) for part in value)
    if origin is Literal:
        return value in arguments
    if arguments:
        return isinstance(value, arguments)
    return isinstance(value, expected) and isinstance(value, bool) == (expected is bool)
