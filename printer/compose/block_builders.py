"""Blocks that hold blocks while they are being composed: lists, definitions, quotations, notes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import islice, takewhile
from typing import TypeAlias

from lxml.html import HtmlElement

from ..article import (
    COLONS,
    Block,
    Code,
    Definition,
    DefinitionList,
    Figure,
    Heading,
    Item,
    List,
    Note,
    Paragraph,
    Quote,
    Rule,
    Spans,
    Table,
    plain_text,
)
from ..html.index import BLOCK_TAGS
from ..text import element_line
from .inline import TextRun, joined, split_paragraphs, with_mark


class BlockBuffer:
    """Blocks in reading order, and the run of text that will be the next paragraph."""

    __slots__ = ("blocks", "floating", "id", "run", "segment")

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.run = TextRun()
        self.floating: list[Figure] = []
        self.segment = -1
        self.id = ""

    def put(self, block: Block) -> None:
        """Add a block after the paragraph being written."""
        self.flush()
        self.blocks.append(self._named(block))

    def begin(self, line: Paragraph) -> None:
        """Add a line that something new begins with; a rule above it is not needed."""
        self.flush()
        if self.blocks and isinstance(self.blocks[-1], Rule):
            self.blocks.pop()
        self.put(line)

    def float(self, figure: Figure) -> None:
        """Add a picture without breaking the paragraph it stands in."""
        if self.run.parts:
            self.floating.append(figure)
        else:
            self.put(figure)

    def flush(self) -> None:
        """End the paragraph being written."""
        run = self.run
        if run.parts:
            for spans in split_paragraphs(run.take()):
                block = paragraph(spans)
                self.blocks.append(self._named(block) if self.id else block)
            self.segment = -1
        else:
            run.space, run.breaks = False, 0  # forget(), without the call: this is done most often
        if self.floating:
            self.blocks += self.floating
            self.floating = []

    def _named(self, block: Block) -> Block:
        """Give the pending anchor to a block that has none."""
        if not self.id or not isinstance(block, Paragraph | Heading | Code | Table | Figure):
            return block
        if block.id:
            return block
        name, self.id = self.id, ""
        return replace(block, id=name)

    def take(self) -> tuple[Block, ...]:
        """End the paragraph being written and return all blocks."""
        self.flush()
        return tuple(self.blocks)

    def take_spans(self) -> tuple[Spans, list[Block]]:
        """Return the text of all paragraphs and headings as one line, and the other blocks."""
        lines: list[Spans] = []
        others: list[Block] = []
        for block in self.take():
            if isinstance(block, Paragraph | Heading):
                lines.append(block.spans)
                # The id goes with the line; whoever makes a block of it hands it on.
                self.id = self.id or block.id
            else:
                others.append(block)
        return joined(lines), others


def paragraph(spans: Spans) -> Paragraph:
    """Make a paragraph of spans; language and direction that all share are the paragraph's."""
    lang, dir_ = spans[0].lang, spans[0].dir
    if lang or dir_:
        lang = lang if len({span.lang for span in spans}) == 1 else ""
        dir_ = dir_ if len({span.dir for span in spans}) == 1 else ""
        spans = tuple(
            replace(span, lang="" if lang else span.lang, dir="" if dir_ else span.dir)
            for span in spans
        )
    return Paragraph(spans, lang=lang, dir=dir_)


#: Takes the flow of a part of a box when the part is closed.
Close: TypeAlias = Callable[[BlockBuffer], None]

_STYLES = {"a": "a", "A": "A", "i": "i", "I": "I"}
_PULL = re.compile(r"(?:^|[\s_-])pull-?(?:ed-?)?quote(?:$|[\s_-])", re.IGNORECASE)
#: Signs of links that lead nowhere, as where the page's script would have set their target: to the
#: heading itself, and from a note back to its call.
_PERMALINK = " \n¶🔗"
_WAY_BACK = " \n↩\ufe0e"
#: A source that is named below must not end as a line above a quotation does.
_COLON = " \n" + "".join(COLONS)
_ATTRIBUTION = re.compile(r"^\s*[—–―-]{1,2}\s*\S")


class ListBuilder:
    """Gathers the items of a list, and the notes where the items are some."""

    def __init__(self, element: HtmlElement | None) -> None:
        self.flow = BlockBuffer()
        self.open = 0
        self.items: list[Item] = []
        self.notes: list[Note] = []
        self.ordered = element is not None and element.tag == "ol"
        self.start = _number(element.get("start")) if element is not None else 1
        self.style = _STYLES.get(element.get("type") or "", "") if element is not None else ""

    def part(self, element: HtmlElement) -> Close | None:
        """Return what takes the flow of an item."""
        return self.add if element.tag == "li" else None

    def loose(self) -> None:
        """Make an item of what stands outside the items."""
        blocks = self.flow.take()
        if not blocks and not self.flow.id:
            return
        self.flow = BlockBuffer()
        self.notes += (block for block in blocks if isinstance(block, Note))
        if blocks := tuple(block for block in blocks if not isinstance(block, Note)):
            nested = all(isinstance(block, List) for block in blocks)
            if nested and self.items:  # a list beside the item it belongs to
                last = self.items[-1]
                self.items[-1] = replace(last, blocks=last.blocks + blocks)
            else:
                self.items.append(Item(blocks))

    def add(self, flow: BlockBuffer) -> None:
        """Add an item."""
        self.loose()
        name, blocks = flow.id, flow.take()
        if blocks:
            self.items.append(Item(blocks, name))

    def blocks(self) -> list[Block]:
        """Return the list, then the notes."""
        self.loose()
        whole: list[Block] = []
        if self.items:
            whole.append(List(tuple(self.items), self.ordered, self.start, self.style))
        return whole + list(self.notes)


def _number(stated: str | None) -> int:
    text = (stated or "1").strip()
    return int(text) if re.fullmatch(r"-?\d{1,6}", text, re.ASCII) else 1


class DefinitionListBuilder:
    """Gathers terms and what they mean."""

    def __init__(self) -> None:
        self.flow = BlockBuffer()
        self.open = 0
        self.entries: list[tuple[list[Spans], list[tuple[Block, ...]]]] = []

    def part(self, element: HtmlElement) -> Close | None:
        """Return what takes the flow of a term or a detail."""
        if element.tag == "dt":
            return self._add_term
        return self._add_detail if element.tag == "dd" else None

    def loose(self) -> None:
        """Make a detail of what stands outside terms and details."""
        if blocks := self.flow.take():
            self.flow = BlockBuffer()
            self._entry()[1].append(blocks)

    def _entry(self) -> tuple[list[Spans], list[tuple[Block, ...]]]:
        if not self.entries:
            self.entries.append(([], []))
        return self.entries[-1]

    def _add_term(self, flow: BlockBuffer) -> None:
        self.loose()
        spans, others = flow.take_spans()
        if not self.entries or self.entries[-1][1]:
            self.entries.append(([], []))
        if spans:
            self.entries[-1][0].append(spans)
        if others:
            self.entries[-1][1].append(tuple(others))

    def _add_detail(self, flow: BlockBuffer) -> None:
        self.loose()
        if blocks := flow.take():
            self._entry()[1].append(blocks)

    def blocks(self) -> list[Block]:
        """Return the definition list."""
        self.loose()
        entries = tuple(
            Definition(tuple(terms), tuple(details))
            for terms, details in self.entries
            if terms or details
        )
        return [DefinitionList(entries)] if entries else []


class QuoteBuilder:
    """Gathers a quotation."""

    def __init__(self, pull: bool = False, post: bool = False) -> None:
        self.flow = BlockBuffer()
        self.open = 0
        self.pull = pull
        self.post = post  # whose author is named below it
        self.cite: Spans = ()

    def part(self, element: HtmlElement) -> Close | None:
        """Return what takes the flow of the line that says whose words they are."""
        if self.cite:
            return None
        if element.tag == "footer":
            return self._set_source
        begun = self.post or self.flow.blocks or self.flow.run.parts
        return self._set_cite if not begun and is_introduction(element) else None

    def _set_source(self, flow: BlockBuffer) -> None:
        self._set_cite(flow)
        self.cite = _without_end(self.cite, _COLON)

    def _set_cite(self, flow: BlockBuffer) -> None:
        self.cite, others = flow.take_spans()
        self.flow.blocks += others

    def blocks(self) -> list[Block]:
        """Return the quotation, with the line that says whose words they are as its cite."""
        inside = list(self.flow.take())
        cite = self.cite
        if not cite and len(inside) > 1 and isinstance(last := inside[-1], Paragraph):
            text = plain_text(last.spans)
            named = is_cited(last.spans) and not all(map(_is_cite, inside[:-1]))
            if len(text) < 120 and (named or _ATTRIBUTION.match(text)):
                cite = _without_end(last.spans, _COLON)
                del inside[-1]
        if not (cite or self.post):
            cite = _take_introduction(inside)
        if not inside:
            return [Paragraph(cite)] if cite else []
        return [Quote(tuple(inside), cite, self.pull)]


def _take_introduction(blocks: list[Block]) -> Spans:
    """Take the line that says whose words follow from the blocks of a quotation."""
    if not blocks or not isinstance(first := blocks[0], Paragraph):
        return ()
    cite, spans = introduction(first.spans)
    if not cite or (not spans and (first.id or all(map(_is_cite, blocks[1:])))):
        return ()
    blocks[:1] = [replace(first, spans=spans)] if spans else []
    return tuple(
        replace(span, lang=span.lang or first.lang, dir=span.dir or first.dir) for span in cite
    )


def _is_cite(block: Block) -> bool:
    return isinstance(block, Paragraph) and is_cited(block.spans)


def is_pull(element: HtmlElement) -> bool:
    """Tell whether an element's class calls it a pull quote."""
    named = element.get("class")
    return bool(named and "pull" in named.lower() and _PULL.search(named[:500]))


class HeadingBuilder:
    """Gathers a heading."""

    def __init__(self, level: int) -> None:
        self.flow = BlockBuffer()
        self.open = 0
        self.level = level

    def part(self, _: HtmlElement) -> None:
        """Have no parts."""

    def blocks(self) -> list[Block]:
        """Return the heading, then what else stood in it."""
        spans, others = self.flow.take_spans()
        spans = _without_permalink(spans)
        if not plain_text(spans):
            return others
        name, self.flow.id = self.flow.id, ""
        return [Heading(self.level, spans, name), *others]


def _without_permalink(spans: Spans) -> Spans:
    """Leave out the link a heading has to itself: a pilcrow, a number sign, a chain."""
    kept = tuple(s for s in spans if not (s.href and not any(map(str.isalnum, s.text))))
    return _without_end(kept, _PERMALINK)


def _without_end(spans: Spans, signs: str) -> Spans:
    """Leave out signs at the end, and the white space before them."""
    while spans and not spans[-1].math:
        if text := spans[-1].text.rstrip(signs):
            return (*spans[:-1], replace(spans[-1], text=text))
        spans = spans[:-1]
    return spans


class SummaryBuilder:
    """Gathers the line of ``details`` that always shows; opened, it is a strong paragraph."""

    def __init__(self) -> None:
        self.flow = BlockBuffer()
        self.open = 0

    def part(self, _: HtmlElement) -> None:
        """Have no parts."""

    def blocks(self) -> list[Block]:
        """Return the line, then what else stood in it."""
        spans, others = self.flow.take_spans()
        strong = tuple(replace(s, marks=with_mark(s.marks, "strong")) for s in spans)
        return [Paragraph(strong), *others] if strong else others


class NoteBuilder:
    """Gathers a note."""

    def __init__(self, name: str, label: str) -> None:
        self.flow = BlockBuffer()
        self.open = 0
        self.name = name
        self.label = label

    def part(self, _: HtmlElement) -> None:
        """Have no parts."""

    def blocks(self) -> list[Block]:
        """Return the note without the sign it begins with."""
        blocks = list(self.flow.take())
        if blocks and isinstance(first := blocks[0], Paragraph):
            spans = self._without_label(first.spans)
            blocks[:1] = [replace(first, spans=spans)] if spans else []
        if blocks and isinstance(last := blocks[-1], Paragraph):
            spans = _without_end(last.spans, _WAY_BACK)
            blocks[-1:] = [replace(last, spans=spans)] if spans else []
        return [Note(self.name, self.label, tuple(blocks))] if blocks else []

    def _without_label(self, spans: Spans) -> Spans:
        sign = re.compile(rf"\s*(?:[\^↑↩]+\s*|[\[(]?{re.escape(self.label)}(?:[\]).:]+\s*|\s+|$))+")
        while spans:
            match = sign.match(spans[0].text)
            rest = spans[0].text[match.end() if match else 0 :].lstrip(" \n")
            if any(map(str.isalnum, rest)):
                return (replace(spans[0], text=rest), *spans[1:])
            if spans[0].math:
                break
            spans = spans[1:]
        return spans


#: Such a line is not longer than this.
_MAX_INTRODUCTION = 120
_INTRODUCTION_TAGS = frozenset({"div", "header"})
#: So many elements of a box are looked at.
_MAX_DESCENDANTS = 40


def is_introduction(element: HtmlElement) -> bool:
    """Tell whether a box that a quotation begins with is a line that ends in a colon.

    A line among others of its kind is verse, and the words of a source that is named below them
    may begin so.
    """
    above, after = element.getparent(), element.getnext()
    if (
        element.tag not in _INTRODUCTION_TAGS
        or above is None
        or above.tag != "blockquote"
        or after is None
    ):
        return False
    if (after.tag, after.get("class")) == (element.tag, element.get("class")):
        return False
    inside = [
        each.tag
        for each in islice(element.iterdescendants(), _MAX_DESCENDANTS)
        if each.tag in BLOCK_TAGS
    ]
    if above[-1].tag == "footer" or inside not in ([], ["p"], ["div"]):
        return False
    text = element_line(element, limit=_MAX_INTRODUCTION + 2)
    return text.endswith(COLONS) and len(text) <= _MAX_INTRODUCTION


def introduction(spans: Spans) -> tuple[Spans, Spans]:
    """Part the ``cite`` that a paragraph begins with from the words that it announces.

    It ends in a colon; or the words touch it, a capital a small letter, as no sentence has it.
    """
    cited = tuple(takewhile(lambda span: "cite" in span.marks, spans))
    after = spans[len(cited) :]
    text = "".join(span.text for span in cited)
    if not text.strip() or len(text) > _MAX_INTRODUCTION:
        return (), spans
    glued = text[-1].islower() and "".join(span.text for span in after[:1])[:1].isupper()
    if not (glued or plain_text(cited).endswith(COLONS)):
        return (), spans
    return cited, _strip_start(after)


def is_cited(spans: Spans) -> bool:
    """Tell whether all of a text is a ``cite``."""
    return all("cite" in span.marks for span in spans if span.text.strip())


def _strip_start(spans: Spans) -> Spans:
    """Leave out the white space at the beginning."""
    while spans and not spans[0].text.strip():
        spans = spans[1:]
    return (replace(spans[0], text=spans[0].text.lstrip()), *spans[1:]) if spans else ()
