"""The article: what extraction ends with and every output format begins with.

An :class:`Article` is a tree of frozen values and holds no markup.  Text is kept as spans with
marks, so that a template cannot be made to emit what a stranger wrote as anything but text, and
every output format (PDF, HTML, Markdown, JSON) reads the same structure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import chain
from typing import Any, Literal, TypeAlias

Direction = Literal["ltr", "rtl"]

#: A word; in scripts without spaces (Han, kana, Thai, Lao, Khmer, Burmese) each sign is one.
_WORD = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\U00020000-\U0003ffff]|[^\\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff]+"
)

#: Where a line may be broken within a word: scripts without spaces have it between words.
ZERO_WIDTH_SPACE = "\u200b"

#: How a line ends that says whose words follow.
COLONS = (":", "：")

#: The marks a span may carry, in the order in which they nest, outermost first.
MARKS = (
    "strong", "em", "mark", "del", "ins", "small", "cite", "q", "abbr", "dfn",
    "sub", "sup", "kbd", "samp", "var", "code",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Span:
    r"""A run of text under the same marks.

    ``text`` has its white space folded, except that ``\n`` is a line break the author set; a
    zero-width space in it is a place where a line may be broken, and no text.
    ``href`` is an absolute http(s) or mailto address, or ``#id`` for a place in the same article.
    ``note`` is the id of the :class:`Note` that this span (its printed sign) refers to.
    ``ruby`` is the reading printed over the text, ``math`` the source of an inline formula
    (MathML when it begins with ``<math``, else TeX) whose ``text`` is its plain reading.
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


def plain_text(spans: Spans) -> str:
    """Return the text of spans, without the places where a word may be broken."""
    text = spans[0].text if len(spans) == 1 else "".join(span.text for span in spans)
    return text.replace(ZERO_WIDTH_SPACE, "").strip()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    spans: Spans
    id: str = ""
    lang: str = ""
    dir: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside the article; ``level`` is 2 to 6, the title itself being 1."""

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
    """A bulleted or numbered list; ``style`` is '', 'a', 'A', 'i' or 'I' as in HTML's ``type``."""

    items: tuple[Item, ...]
    ordered: bool = False
    start: int = 1
    style: str = ""


@dataclass(frozen=True, slots=True)
class Definition:
    """One or more terms and what they mean."""

    terms: tuple[Spans, ...]
    details: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True, slots=True)
class DefinitionList:
    """A list of terms and definitions."""

    entries: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """A block quotation; ``pull`` marks a line of the article set off for effect.

    ``cite`` says whose words they are: below them, or above when it ends in a colon.
    """

    blocks: tuple[Block, ...]
    cite: Spans = ()
    pull: bool = False

    @property
    def introduced(self) -> bool:
        """Whether the line that says whose words they are stands above them."""
        return plain_text(self.cite).endswith(COLONS)


@dataclass(frozen=True, slots=True)
class Code:
    """Preformatted text, its line breaks and indentation kept."""

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
    """A table of data; ``head`` rows are repeated on every page it runs over."""

    head: tuple[Row, ...]
    body: tuple[Row, ...]
    foot: tuple[Row, ...] = ()
    caption_spans: Spans = ()
    id: str = ""

    @property
    def caption(self) -> str:
        """The caption's text."""
        return plain_text(self.caption_spans)


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture that belongs to the article.

    ``src`` is the address of the version chosen for print, ``sources`` every address of the same
    picture on the page (``src`` among them), ``width`` and ``height`` its size in CSS pixels as
    far as the page tells (0: unknown).  ``svg`` holds an inline drawing's source instead.
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
        """The caption's text, without the credit when that stands apart."""
        return plain_text(self.caption_spans)


@dataclass(frozen=True, slots=True)
class Math:
    """A displayed formula: MathML when ``source`` begins with ``<math``, else TeX."""

    source: str
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Embed:
    """Something that has no paper form: a video, a sound, a map, a post elsewhere.

    ``author`` and ``published`` (as the page writes it) are a post's, ``duration`` is a film's or
    sound's (h:mm:ss), ``blocks`` what of it can be printed: a post's words, a film's poster.
    """

    kind: Literal["video", "audio", "map", "post", "frame"]
    url: str
    title: str = ""
    author: str = ""
    published: str = ""
    duration: str = ""
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote or endnote of the page; spans refer to it by ``id``."""

    id: str
    label: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A thematic break."""


Block: TypeAlias = (
    Paragraph | Heading | List | DefinitionList | Quote | Code | Table | Figure | Math | Embed
    | Note | Rule
)  # fmt: skip


def iter_text(block: Block) -> Iterator[str]:
    """Yield the pieces of text a reader sees as set apart: paragraphs, items, rows, lines of code.

    Figures have none, and of embeds only posts: a caption is not the article's running text.
    """
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
                for details in entry.details:
                    yield from _within(details)
        case Table():
            yield block.caption
            for row in (*block.head, *block.body, *block.foot):
                yield "\t".join(" ".join(_within(cell.blocks)) for cell in row).strip()
        case Quote(cite=cite):
            said, by = _within(block.blocks), [plain_text(cite)]
            yield from chain(by, said) if block.introduced else chain(said, by)
        case _:
            for blocks in child_blocks(block):
                yield from _within(blocks)


def _within(blocks: tuple[Block, ...]) -> Iterator[str]:
    for block in blocks:
        yield from iter_text(block)


@dataclass(frozen=True, slots=True)
class Article:
    """A page's article.

    ``language`` is a BCP 47 tag or '' when unknown, ``published`` an ISO 8601 date or date-time
    (with its zone when the page gives one) or ''.  ``lead`` is the summary the page states for
    itself, ``confidence`` how sure the extraction is, from 0 to 1.  Where asked for, ``key`` are
    paragraphs of it that are set off before it, and ``keywords`` what it is about.
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

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every picture of the article, in reading order."""
        return tuple(block for block in walk(self.blocks) if isinstance(block, Figure))

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The article's paragraphs: pieces of running text of five words or more, in order.

        Lines that the author broke, as of a verse or of code, are pieces of their own.  A sign of a
        script that sets no spaces between words counts as a word.  Shorter pieces (headings,
        labels, cells) are in ``blocks`` and ``text``.
        """
        lines = (line for piece in _within(self.blocks) for line in piece.splitlines())
        return tuple(line for line in lines if len(_WORD.findall(line[:200])) >= 5)

    @property
    def text(self) -> str:
        """The article's text, blocks apart by a blank line, pieces of one block by a line break."""
        blocks = ("\n".join(piece for piece in iter_text(block) if piece) for block in self.blocks)
        return "\n\n".join(text for text in blocks if text)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; each block says its ``type``, empty values are left out."""
        return {
            "title": self.title,
            "byline": self.byline,
            "published": self.published,
            "site": self.site,
            "lead": self.lead,
            "language": self.language,
            "direction": self.direction,
            "url": self.url,
            "confidence": round(self.confidence, 3),
            "blocks": [to_data(block) for block in self.blocks],
            "figures": [to_data(figure) for figure in self.figures],
            "text": self.text,
            "paragraphs": list(self.paragraphs),
            "warnings": list(self.warnings),
            **({"keywords": self.keywords, "key": [*map(to_data, self.key)]} if self.key else {}),
        }


def child_blocks(block: Block) -> Iterator[tuple[Block, ...]]:
    """Yield the runs of blocks directly inside a block."""
    match block:
        case List(items=items):
            yield from (item.blocks for item in items)
        case DefinitionList(entries=entries):
            yield from (details for entry in entries for details in entry.details)
        case Quote(blocks=blocks) | Note(blocks=blocks) | Embed(blocks=blocks):
            yield blocks
        case Table():
            rows = (*block.head, *block.body, *block.foot)
            yield from (cell.blocks for row in rows for cell in row)


def walk(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """Yield blocks and all blocks inside them, in reading order."""
    for block in blocks:
        yield block
        for within in child_blocks(block):
            yield from walk(within)


def block_spans(block: Block) -> Iterator[Spans]:
    """Yield the runs of text of a block itself, not of the blocks inside it."""
    match block:
        case Paragraph(spans=spans) | Heading(spans=spans):
            yield spans
        case Figure(caption_spans=spans) | Table(caption_spans=spans) | Quote(cite=spans):
            yield spans
        case DefinitionList(entries=entries):
            yield from (term for entry in entries for term in entry.terms)


def to_data(value: object) -> Any:
    """Return a block or span as data for JSON; empty values are left out."""
    if isinstance(value, tuple):
        return [to_data(each) for each in value]
    if not is_dataclass(value):
        return value
    data: dict[str, Any] = {"type": type(value).__name__.lower()}
    for each in fields(value):
        inner = getattr(value, each.name)
        if inner != each.default:
            data[each.name] = to_data(inner)
    if isinstance(value, Figure | Table) and value.caption_spans:
        data["caption"] = value.caption
    return data
