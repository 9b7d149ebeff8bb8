"""Editing of prints: blocks that can be removed or restored, and the stored snapshot."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import accumulate
from types import MappingProxyType
from typing import Any, TypeAlias

from lxml.html import HtmlElement

from .article import Article, Block, Figure, from_data, iter_text, to_data, walk
from .capture import Capture, PageSource
from .errors import JobsError, UsageError
from .files import dump_dataclass, load_dataclass
from .html.index import Segment
from .html.page import Page
from .output import Picture
from .selection import Verdict
from .site_rules.css import ElementIndex, Suggester, Suggestion
from .text import clean_line

#: The most omitted segments offered before the article, and after it.
MAX_BEFORE = 30
MAX_AFTER = 60
_MAX_OMITTED = 400

#: The distance from one text within which the next is searched for.
_AHEAD = 60
#: The length from which a text is searched for everywhere.
_LONG = 24
_MAX_ANYWHERE = 300
_MAX_ENDS = 40

#: What reading a damaged file raises; zipfile reports an unknown compression by a RuntimeError.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, LookupError, ValueError,
    TypeError, AttributeError,
)  # fmt: skip


#: The bytes that a snapshot may have.  A few kilobytes could become gigabytes.
_MAX_SNAPSHOT = 500_000_000


@dataclass(frozen=True, slots=True)
class EditableBlock:
    """A block of the article, or one near it that extraction omitted.

    ``rules`` are selectors for site rules that would match the block on other pages, too.
    """

    id: str
    block: Block
    selected: bool = True
    rules: tuple[Suggestion, ...] = ()


def select_omitted(page: Page, verdict: Verdict, captions: AbstractSet[int]) -> Verdict:
    """Return a verdict that selects the visible text near the article that ``verdict`` omits."""
    selected = [index for index, keep in enumerate(verdict.keep) if keep]
    keep = [False] * len(verdict.keep)
    if selected:
        visible = page.index.visible_segments()
        nearby = range(
            max(0, selected[0] - MAX_BEFORE), min(len(keep), selected[-1] + MAX_AFTER + 1)
        )
        omitted = [
            index
            for index in nearby
            if not verdict.keep[index]
            and index not in captions
            and index in visible
            and len(page.segments[index].text) > 2
        ]
        for index in omitted[:_MAX_OMITTED]:
            keep[index] = True
    return replace(verdict, keep=tuple(keep))


def editable_blocks(
    page: Page,
    article: tuple[Sequence[Block], Verdict],
    omitted: tuple[Sequence[Block], Verdict],
    pictures: Mapping[str, HtmlElement],
) -> tuple[EditableBlock, ...]:
    """Return an article's blocks, with the omitted ones inserted at their places.

    Both come with the verdict from which they were composed; ``pictures`` are the elements of
    pictures by ``Figure.src``, or ``Figure.svg``.
    """
    index = ElementIndex(page.tree)
    positions = _Positions(index, page.segments, pictures)
    included = [(f"b{n}", *pair) for n, pair in enumerate(positions.of(*article))]
    pending = [(f"d{n}", *pair) for n, pair in enumerate(positions.of(*omitted))]
    elements = {
        name: position.element
        for name, _, position in (*included, *pending)
        if position.element >= 0
    }
    suggest = Suggester(index, elements).suggest
    pending.reverse()
    merged: list[EditableBlock] = []
    for name, block, position in included:
        while pending and 0 <= pending[-1][2].start < position.start:
            omitted_name, omitted_block, _ = pending.pop()
            merged.append(EditableBlock(omitted_name, omitted_block, False, suggest(omitted_name)))
        merged.append(EditableBlock(name, block, True, suggest(name)))
    merged += [EditableBlock(n, block, False, suggest(n)) for n, block, _ in reversed(pending)]
    return tuple(merged)


def append_blocks(
    editable: Sequence[EditableBlock], blocks: Sequence[Block]
) -> tuple[EditableBlock, ...]:
    """Return editable blocks with the blocks appended since to their article."""
    count = sum(block.selected for block in editable)
    new = enumerate(blocks[count:], start=count)
    return (*editable, *(EditableBlock(f"b{number}", block) for number, block in new))


@dataclass(frozen=True, slots=True)
class _Position:
    """The place where a block starts on the page, and the index of its element (-1: unknown)."""

    start: float = -1
    element: int = -1


class _Positions:
    """Locates blocks on the page from which they were composed, by text and pictures."""

    def __init__(
        self, index: ElementIndex, segments: Sequence[Segment], pictures: Mapping[str, HtmlElement]
    ) -> None:
        self.index, self.segments, self.pictures = index, segments, pictures

    def of(self, blocks: Sequence[Block], verdict: Verdict) -> Iterator[tuple[Block, _Position]]:
        """Yield each block with its position; a rule or formula has that of the previous block."""
        selected = [s for s, keep in zip(self.segments, verdict.keep, strict=True) if keep]
        start = -1.0
        for block, segments in zip(blocks, _align_segments(blocks, selected), strict=True):
            if isinstance(block, Figure):
                position = self._figure(block)
            else:
                position = self._text(segments) if segments else _Position()
            if position.start < 0:
                position = replace(position, start=start)
            start = position.start
            yield block, position

    def _figure(self, figure: Figure) -> _Position:
        element = self.pictures.get(figure.svg or figure.src)
        while element is not None and element not in self.index.indexes:
            element = element.getparent()
        index = self.index.indexes.get(element, -1) if element is not None else -1
        return _Position(index, index)

    def _text(self, segments: Sequence[Segment]) -> _Position:
        leaf = segments[0].leaves[0]
        start = self.index.indexes.get(leaf.element, -1) + (0.5 if leaf.tail else 0)
        ends = {s.index: s for s in (*segments[:_MAX_ENDS], *segments[-_MAX_ENDS:])}
        blocks = [self.index.indexes.get(segment.block, -1) for segment in ends.values()]
        return _Position(start, self._common_ancestor(blocks))

    def _common_ancestor(self, indexes: Sequence[int]) -> int:
        common = indexes[0]
        for index in indexes[1:]:
            ancestors = self.index.with_ancestors([common])
            while index >= 0 and index not in ancestors:
                index = self.index.parents[index]
            common = index
        return common


def _align_segments(blocks: Sequence[Block], segments: Sequence[Segment]) -> list[list[Segment]]:
    """Return the segments from which each block was composed.

    Both are in reading order, except for blocks moved by composition, such as notes.
    """
    texts = ["".join("".join(iter_text(block)).split()) for block in blocks]
    text = "".join(texts)
    starts = [0, *accumulate(map(len, texts))][: len(texts)]
    aligned: list[list[Segment]] = [[] for _ in blocks]
    end, searches = 0, _MAX_ANYWHERE
    for segment in segments:
        part = "".join(segment.text.split())
        offset = text.find(part, end, end + 21 * len(part) + _AHEAD) if part else -1
        if offset >= 0:
            end = offset + len(part)
        elif len(part) >= _LONG and searches:
            searches -= 1
            offset = text.find(part)
        if offset >= 0:
            aligned[bisect_right(starts, offset) - 1].append(segment)
    return aligned


#: What a stored snapshot holds besides page and pictures: the article without its blocks; id,
#: place, content and rules of each block; the source; key, type, width and height of each picture.
_Stored: TypeAlias = tuple[
    Article, tuple[tuple[str, bool, dict[str, Any], tuple[Suggestion, ...]], ...], PageSource,
    tuple[tuple[str, str, int, int], ...],
]  # fmt: skip
_MAX_TITLE = 500


@dataclass(frozen=True, slots=True)
class Edit:
    """All changes to a print: a new title ('' for none), removed blocks and restored blocks."""

    title: str = ""
    removed: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()

    def dump(self) -> bytes:
        data = {"title": self.title, "out": self.removed, "back": self.restored}
        return json.dumps(data).encode()

    @classmethod
    def load(cls, data: bytes | None) -> Edit:
        edit = json.loads(data) if data else {}
        return cls(edit.get("title", ""), tuple(edit.get("out", ())), tuple(edit.get("back", ())))

    def includes(self, block: EditableBlock) -> bool:
        return block.id not in self.removed if block.selected else block.id in self.restored


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """An article as editable blocks, with its page and pictures.

    ``article`` has everything but the blocks.  Pictures are keyed by ``Figure.src``, or
    ``Figure.svg``.
    """

    article: Article
    blocks: tuple[EditableBlock, ...]
    capture: Capture
    pictures: Mapping[str, Picture] = field(default_factory=lambda: MappingProxyType({}))

    def update_edit(
        self, edit: Edit, *, title: str | None = None, include: Mapping[str, bool] | None = None
    ) -> Edit:
        """Return an edit with a new title, or with blocks included or excluded by id.

        Raise :class:`UsageError` for an unknown block, or if nothing is left to print.
        """
        blocks = {block.id: block for block in self.blocks}
        removed, restored = dict.fromkeys(edit.removed), dict.fromkeys(edit.restored)
        for name, included in (include or {}).items():
            if name not in blocks:
                raise UsageError(f"this print has no block {name[:20]!r}")
            selected = blocks[name].selected
            changed = removed if selected else restored
            changed.pop(name, None)
            if included is not selected:
                changed[name] = None
        title = edit.title if title is None else clean_line(title, _MAX_TITLE)
        if title == self.article.title:
            title = ""
        updated = Edit(title, tuple(removed), tuple(restored))
        if not any(map(updated.includes, self.blocks)):
            raise UsageError("nothing is left to print")
        return updated

    def apply(self, edit: Edit) -> Article:
        blocks = tuple(block.block for block in self.blocks if edit.includes(block))
        return replace(self.article, title=edit.title or self.article.title, blocks=blocks)

    def suggest_rules(self, edit: Edit) -> dict[str, Suggestion]:
        """Return the best selector of a site rule for each changed block, by id.

        A selector that also covers an unchanged block of the same kind is not suggested.
        """
        changed = {
            block.id: block for block in self.blocks if edit.includes(block) is not block.selected
        }
        suggested: dict[str, Suggestion] = {}
        for name, block in changed.items():
            exact = [
                rule
                for rule in block.rules
                if all(other in changed for other in rule.covers if other[0] == name[0])
            ]
            if exact:
                suggested[name] = max(exact, key=lambda rule: len(rule.covers))
        return suggested

    def with_pictures(self, pictures: Mapping[str, Picture]) -> Snapshot:
        """Return the snapshot with the pictures that its blocks use."""
        figures = (b for b in walk(tuple(b.block for b in self.blocks)) if isinstance(b, Figure))
        keys = (figure.svg or figure.src for figure in figures)
        used = {key: pictures[key] for key in keys if key in pictures}
        return replace(self, pictures=MappingProxyType(used))

    def dump(self) -> bytes:
        blocks = ((b.id, b.selected, to_data(b.block), b.rules) for b in self.blocks)
        source = replace(self.capture.source, headers={})
        pictures = ((key, p.media_type, p.width, p.height) for key, p in self.pictures.items())
        stored = (self.article, tuple(blocks), source, tuple(pictures))
        output = io.BytesIO()
        with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as file:
            file.writestr("base.json", dump_dataclass(_Stored, stored))
            file.writestr("page", self.capture.body)
            for number, picture in enumerate(self.pictures.values()):
                file.writestr(f"pictures/{number}", picture.data, zipfile.ZIP_STORED)
        return output.getvalue()

    @classmethod
    def load(cls, data: bytes) -> Snapshot:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as file:
                if sum(entry.file_size for entry in file.infolist()) > _MAX_SNAPSHOT:
                    raise JobsError("the saved print is too large for editing")
                article, blocks, source, pictures = load_dataclass(_Stored, file.read("base.json"))
                return cls(
                    article,
                    tuple(
                        EditableBlock(name, from_data(block), selected, rules)
                        for name, selected, block, rules in blocks
                    ),
                    Capture(file.read("page"), source),
                    MappingProxyType({
                        key: Picture(file.read(f"pictures/{number}"), *properties)
                        for number, (key, *properties) in enumerate(pictures)
                    }),
                )  # fmt: skip
        except _DAMAGED as error:
            raise JobsError("the saved print cannot be read for editing") from error
