"""Builders of blocks that contain other blocks: lists, definitions, quotations, headings, notes.

A builder collects the blocks inside an open element in its :class:`BlockBuffer` and returns the
finished blocks when the element is closed.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, takewhile
from textwrap import dedent
from typing import TypeAlias, TypeGuard

from lxml import etree
from lxml.html import HtmlElement

from ..article import (
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
    Span,
    Spans,
    Table,
    has_mark_throughout,
    iter_text,
    plain_text,
)
from ..html.index import BLOCK_TAGS, Leaf
from ..html.parse import element_line
from ..html.posts import QUOTATION_CLASS
from ..html.structure import MAX_ATTRIBUTION_CHARS
from ..html.visibility import HEADING_TAGS, is_unseen
from ..text import BULLETS, COLONS, QUESTION_MARKS, class_pattern
from .boxes import (
    attribution,
    is_box_label,
    names_source,
    take_bold_label,
    take_source,
    without_title,
)
from .footnotes import BACKLINK_CHARACTERS
from .inline import (
    TextRun,
    joined,
    split_paragraphs,
    strip_end,
    strip_start,
    strip_unreadable,
    with_mark,
)

#: The level of a heading made of a label; :func:`article.renumber_headings` then makes it one below
#: the heading above.
LABEL_LEVEL = 6


@dataclass(slots=True, eq=False)
class BlockBuffer:
    """Finished blocks in reading order, and the text run of the next paragraph."""

    #: Blocks, and the builders of items outside any list.
    blocks: list[Block | ListBuilder] = field(default_factory=list)
    run: TextRun = field(default_factory=TextRun)
    #: Figures and notes to put after the paragraph.
    floating: list[Block] = field(default_factory=list)
    segment: int = -1  # the page segment of the run, -1 for none
    id: str = ""  # the link target to set on the next block

    def put(self, block: Block) -> None:
        """End the paragraph and add a block."""
        self.flush()
        self.blocks.append(self._with_id(block))

    def float(self, figure: Figure) -> None:
        """Add a picture after the current paragraph without ending it."""
        if self.run.parts:
            self.floating.append(figure)
        else:
            self.put(figure)

    def flush(self) -> None:
        run = self.run
        if run.parts:
            for spans in split_paragraphs(run.take()):
                block = paragraph(spans)
                before = self.blocks[-1] if self.blocks else None
                if isinstance(before, Paragraph) and _continues_sentence(before, block):
                    self.blocks[-1] = replace(before, spans=before.spans + block.spans)
                    continue
                self.blocks.append(self._with_id(block) if self.id else block)
            self.segment = -1
        else:
            run.space, run.breaks = False, 0  # run.forget(), inlined as the most frequent case
        if self.floating:
            self.blocks += self.floating
            self.floating = []

    def _with_id(self, block: Block) -> Block:
        """Set the pending link target on a block that has none."""
        if not self.id or not isinstance(block, Paragraph | Heading | Code | Table | Figure):
            return block
        if block.id:
            return block
        name, self.id = self.id, ""
        return replace(block, id=name)

    def take(self, begin: int = 0) -> tuple[Block, ...]:
        """End the paragraph and return the blocks from ``begin`` on."""
        self.flush()
        blocks = self.blocks[begin:]
        built = (b.build() if isinstance(b, ListBuilder) else (b,) for b in blocks)
        return tuple(chain.from_iterable(built))

    def take_spans(self) -> tuple[Spans, list[Block]]:
        """Return the text of all paragraphs and headings on one line, and the other blocks."""
        lines: list[Spans] = []
        other_blocks: list[Block] = []
        for block in self.take():
            if isinstance(block, Paragraph | Heading):
                lines.append(block.spans)
                self.id = self.id or block.id
            else:
                other_blocks.append(block)
        return joined(lines), other_blocks


#: The beginning of a paragraph that continues a sentence after an empty box.
_CONTINUATION = re.compile(r"[,;.)](?=\s|$)")


def _continues_sentence(previous: Paragraph, block: Paragraph) -> bool:
    """Return whether a paragraph begins with the comma or full stop that ends the one before."""
    is_end = _CONTINUATION.match(block.spans[0].text) is not None
    return is_end and previous.spans[-1].text.rstrip()[-1:].isalnum()


def paragraph(spans: Spans) -> Paragraph:
    """Return a paragraph of spans, with the language and direction common to all of them."""
    lang, dir_ = spans[0].lang, spans[0].dir
    if lang or dir_:
        lang = lang if len({span.lang for span in spans}) == 1 else ""
        dir_ = dir_ if len({span.dir for span in spans}) == 1 else ""
        spans = tuple(
            replace(span, lang="" if lang else span.lang, dir="" if dir_ else span.dir)
            for span in spans
        )
    return Paragraph(spans, lang=lang, dir=dir_)


#: Takes the buffer of a part of a block (an item, a cell) when the part is closed.
ClosePart: TypeAlias = Callable[[BlockBuffer], None]


class BlockBuilder(ABC):
    """Base class of the builders."""

    def __init__(self) -> None:
        self.buffer = BlockBuffer()
        self.part_is_open = False

    def open_part(self, _: HtmlElement) -> ClosePart | None:
        """Return the function that takes an element's buffer, None if it is not a part."""
        return None

    @abstractmethod
    def build(self) -> list[Block]:
        """Return the finished blocks."""


_LIST_STYLES = {"lower-alpha": "a", "upper-alpha": "A", "lower-roman": "i", "upper-roman": "I"}


class ListBuilder(BlockBuilder):
    """Builds a list and the notes among its items."""

    def __init__(self, element: HtmlElement | None) -> None:
        super().__init__()
        attributes = element.attrib if element is not None else {}
        style, start = attributes.get("type", ""), attributes.get("start", "").strip()
        self.items, self.notes = list[Item](), list[Note]()
        self.has_items = element is None
        self.ordered = element is not None and element.tag == "ol"
        self.start = int(start) if re.fullmatch(r"-?\d{1,6}", start, re.ASCII) else 1
        names = f"{attributes.get('class')} {attributes.get('style')}"[:300]
        signs = (sign for name, sign in _LIST_STYLES.items() if name in names or sign == style)
        self.style = next(signs, "")

    def open_part(self, element: HtmlElement) -> ClosePart | None:
        return self.add if element.tag == "li" else None

    def _add_stray_blocks(self) -> None:
        """Make an item of the content outside the items."""
        blocks = self.buffer.take()
        if not blocks:
            return
        self.buffer = BlockBuffer()
        self.notes += (block for block in blocks if isinstance(block, Note))
        self._add_item(tuple(block for block in blocks if not isinstance(block, Note)))

    def _add_item(self, blocks: tuple[Block, ...], name: str = "") -> None:
        """Add an item, or a list on its own to the item that it belongs to."""
        last = self.items[-1] if self.items and not name else None
        if last is not None and all(isinstance(block, List) for block in blocks):
            self.items[-1] = replace(last, blocks=last.blocks + blocks)
        elif blocks:
            self.items.append(Item(blocks, name))

    def add(self, buffer: BlockBuffer) -> None:
        self.has_items = True
        self._add_stray_blocks()
        name, blocks = buffer.id, buffer.take()
        while blocks and isinstance(blocks[-1], Rule):  # between items
            blocks = blocks[:-1]
        self._add_item(blocks, name)

    def build(self) -> list[Block]:
        """Return the list, then the notes."""
        self._add_stray_blocks()
        if self.ordered:
            numbered = enumerate(self.items, self.start)
            items = tuple(_without_label(item, f"{number}") for number, item in numbered)
        else:
            items = tuple(_without_label(_without_dash(item), "") for item in self.items)
            numbers = [*map(_typed_number, items)]
            if len(items) > 1 and numbers == [*range(numbers[0], numbers[0] + len(items))]:
                self.ordered, self.start = True, numbers[0]
                items = tuple(map(_without_typed_number, items, numbers))
            elif items and all(_REFERENCE.match(_beginning(item)) for item in items):
                self.style = "none"
        if len(items) == 1 and not items[0].id:
            blocks = items[0].blocks
            if not self.has_items and all(isinstance(block, Paragraph) for block in blocks):
                return [Quote(blocks), *self.notes]  # a list to indent text
            if not self.has_items or all(isinstance(block, List) for block in blocks):
                return [*_join_collections(blocks), *self.notes]
            if not self.ordered and len(blocks) == 1 and is_bold_line(blocks[0]):
                return [*blocks, *self.notes]  # a heading
        if not self.ordered and (entries := _labeled_entries(items)):
            return [DefinitionList(entries), *self.notes]
        lists = [List(items, self.ordered, self.start, self.style)] if items else []
        return [*lists, *self.notes]


def _join_collections(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return collections, each of an item in a list, as one, and any other blocks unchanged."""
    lists = [block for block in blocks if isinstance(block, List) and block.is_collection]
    if not lists or len(lists) < len(blocks):
        return blocks
    return (replace(lists[0], items=tuple(chain.from_iterable(part.items for part in lists))),)


_MAX_BOLD_LINE_CHARS = 90
_MAX_BOLD_QUESTION_CHARS = 120


def is_bold_line(block: Block) -> TypeGuard[Paragraph]:
    """Return whether a block is a short bold line, like a heading: not a sentence or a link."""
    if not isinstance(block, Paragraph) or not has_mark_throughout(block.spans, "strong"):
        return False
    text = plain_text(block.spans)
    is_link = sum(len(span.text) for span in block.spans if span.href) > len(text) / 2
    max_chars = _MAX_BOLD_QUESTION_CHARS if text.endswith(QUESTION_MARKS) else _MAX_BOLD_LINE_CHARS
    is_line = len(text) <= max_chars and "\n" not in text and not block.standfirst
    return is_line and not (is_link or text.endswith((".", "。", "।", *COLONS)))


#: A list of fewer items has no labels.
_MIN_LABELED_ITEMS = 3
_MAX_ITEM_LABEL_CHARS = 60


def _labeled_entries(items: Sequence[Item]) -> tuple[Definition, ...]:
    """Return items that each have a short line above a paragraph as terms, () for any others."""
    entries = []
    for item in items if len(items) >= _MIN_LABELED_ITEMS else ():
        match item.blocks:
            case (Paragraph(spans=label), Paragraph() as details) if not item.id:
                text = plain_text(label)
                if len(text) > _MAX_ITEM_LABEL_CHARS or text.endswith((*".,;。", *COLONS)):
                    return ()
                entries.append(Definition((label,), ((details,),)))
            case _:
                return ()
    return tuple(entries)


_BULLET_IN_TEXT = re.compile(rf"\A\s*(?:[{BULLETS}]\s*|[*–—-]\s+)(?=\w)")


def _without_dash(item: Item) -> Item:
    """Return an item without a dash or bullet of its own before its text."""
    first, *blocks = item.blocks
    if not isinstance(first, Paragraph):
        return item
    span, *rest = first.spans
    spans = (replace(span, text=_BULLET_IN_TEXT.sub("", span.text)), *rest)
    return replace(item, blocks=(replace(first, spans=spans), *blocks))


_LABELS = frozenset(BULLETS + "*–—-")


def _without_label(item: Item, number: str) -> Item:
    """Return an item without a first paragraph that is only its number, or a bullet."""
    first = item.blocks[0] if len(item.blocks) > 1 else None
    if not isinstance(first, Paragraph):
        return item
    text = plain_text(first.spans).strip()
    is_label = text.strip("()[].#") == number if number else text in _LABELS
    return replace(item, blocks=item.blocks[1:]) if is_label else item


_TYPED_NUMBER = re.compile(r"(\d{1,3})\.(?:\s+\S|[^\W\d_])")
#: The label in brackets with which an entry of a bibliography begins.
_REFERENCE = re.compile(r"(?:\[\w{1,12}\]|\d{1,3}\.)\s")


def _beginning(item: Item) -> str:
    first = item.blocks[0]
    return plain_text(first.spans)[:20] if isinstance(first, Paragraph) else ""


def _typed_number(item: Item) -> int:
    """Return the number with which an item's text begins, 0 for none."""
    match = _TYPED_NUMBER.match(_beginning(item))
    return int(match[1]) if match else 0


def _without_typed_number(item: Item, number: int) -> Item:
    first, *rest = item.blocks
    if not isinstance(first, Paragraph):
        return item
    spans = _without_beginning(first.spans, str(number))
    text = (replace(first, spans=spans),) if spans else ()
    return replace(item, blocks=(*text, *rest))


class DefinitionListBuilder(BlockBuilder):
    """Builds a list of terms with their descriptions; without terms, it is plain text."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[tuple[list[Spans], list[tuple[Block, ...]]]] = []

    def open_part(self, element: HtmlElement) -> ClosePart | None:
        if element.tag == "dt":
            return self._add_term
        return self._add_details if element.tag == "dd" else None

    def _add_stray_blocks(self) -> None:
        if blocks := self.buffer.take():
            self.buffer = BlockBuffer()
            self._last_entry()[1].append(blocks)

    def _last_entry(self) -> tuple[list[Spans], list[tuple[Block, ...]]]:
        if not self.entries:
            self.entries.append(([], []))
        return self.entries[-1]

    def _add_term(self, buffer: BlockBuffer) -> None:
        self._add_stray_blocks()
        spans, rest = buffer.take_spans()
        spans = _strip_links_to_source(spans)
        if not self.entries or self.entries[-1][1]:
            self.entries.append(([], []))
        if spans:
            self.entries[-1][0].append(spans)
        if rest:
            self.entries[-1][1].append(tuple(rest))

    def _add_details(self, buffer: BlockBuffer) -> None:
        self._add_stray_blocks()
        terms, details = self._last_entry()
        if blocks := without_title(buffer.take(), terms):
            details.append(blocks)

    def build(self) -> list[Block]:
        self._add_stray_blocks()
        entries = tuple(
            Definition(tuple(terms), tuple(details))
            for terms, details in self.entries
            if terms or details
        )
        if not any(entry.terms for entry in entries):
            return [block for entry in entries for block in chain(*entry.details)]
        return [DefinitionList(entries)]


def continue_list(before: List, element: HtmlElement, blocks: list[Block]) -> list[Block]:
    """Return a list with the items of the next one, or with indented text in its last item."""
    match blocks:
        case [List(items=items)] if element.tag == "ul":
            return [replace(before, items=before.items + items)]
    last = before.items[-1]
    last = replace(last, blocks=(*last.blocks, *blocks))
    return [replace(before, items=(*before.items[:-1], last))]


class QuoteBuilder(BlockBuilder):
    """Builds a block quotation; a ``box`` has its label above it."""

    def __init__(self, pull: bool = False, box: bool = False) -> None:
        super().__init__()
        self.pull = pull
        self.box = box
        self.cite: Spans = ()

    def open_part(self, element: HtmlElement) -> ClosePart | None:
        if self.cite:
            return None
        is_first = not self.buffer.blocks
        if self.box:
            is_label = is_first and (element.tag in HEADING_TAGS or is_box_label(element))
            return self._set_label if is_label else None
        if is_first:
            return self._set_cite if _is_introduction(element) else None
        return self._set_source if names_source(element) else None

    def _set_source(self, buffer: BlockBuffer) -> None:
        self.cite, rest = take_source(buffer.take())
        self.buffer.blocks += rest

    def _set_label(self, buffer: BlockBuffer) -> None:
        self._set_cite(buffer)
        self.cite = attribution(self.cite)

    def _set_cite(self, buffer: BlockBuffer) -> None:
        self.cite, rest = buffer.take_spans()
        self.buffer.blocks += rest

    def build(self) -> list[Block]:
        """Return the quotation with its attribution."""
        blocks = list(self.buffer.take())
        if self.box:
            cite = self.cite or attribution(take_bold_label(blocks))
        else:
            cite = self.cite or _take_attribution(blocks) or _take_introduction(blocks)
        if not blocks:
            return [Paragraph(cite)] if cite else []
        inner = blocks[0] if len(blocks) == 1 and not self.box else None
        if isinstance(inner, Quote) and not (cite and inner.cite):
            return [replace(inner, cite=cite or inner.cite, pull=self.pull or inner.pull)]
        return [Quote(tuple(blocks), cite, self.pull, self.box)]


def _take_attribution(blocks: list[Block]) -> Spans:
    """Remove the attribution below a quotation from its blocks and return it."""
    if len(blocks) < 2 or not isinstance(last := blocks[-1], Paragraph):
        return ()
    is_attribution = has_mark_throughout(last.spans, "cite") or _ends_in_attribution(blocks)
    if not is_attribution or len(plain_text(last.spans)) >= MAX_ATTRIBUTION_CHARS:
        return ()
    del blocks[-1]
    return attribution(last.spans)


_ATTRIBUTION = re.compile(r"^\s*[—–―-]{1,2}\s*\S", re.MULTILINE)


def _ends_in_attribution(blocks: Sequence[Block]) -> bool:
    """Return whether the last of several blocks begins with a dash, and no other line does."""
    last = "".join(iter_text(blocks[-1]))
    dashes = _ATTRIBUTION.findall("\n".join(iter_text(*blocks)))
    return bool(_ATTRIBUTION.match(last)) and len(dashes) == 1


def _take_introduction(blocks: list[Block]) -> Spans:
    """Remove the introduction ("X wrote:") from the blocks of a quotation and return it."""
    if not blocks or not isinstance(first := blocks[0], Paragraph):
        return ()
    cite = tuple(takewhile(lambda span: "cite" in span.marks, first.spans))
    if not plain_text(cite).endswith(COLONS):
        return ()
    spans = strip_start(first.spans[len(cite) :])
    blocks[:1] = [replace(first, spans=spans)] if spans else []
    return cite


_MAX_INTRODUCTION_CHARS = 120
_MAX_DESCENDANTS = 40


def _is_introduction(element: HtmlElement) -> bool:
    """Return whether an element before a quotation introduces it with a colon, unlike verse."""
    following = element.getnext()
    if element.tag not in {"div", "header"} or following is None:
        return False
    if (following.tag, following.get("class")) == (element.tag, element.get("class")):
        return False
    descendants = islice(element.iterdescendants(), _MAX_DESCENDANTS)
    if [child.tag for child in descendants if child.tag in BLOCK_TAGS] not in ([], ["p"], ["div"]):
        return False
    text = element_line(element, limit=_MAX_INTRODUCTION_CHARS + 2)
    return text.endswith(COLONS) and len(text) <= _MAX_INTRODUCTION_CHARS


#: 'pull-quote', 'ArticlePullquote_root'.
_PULL_QUOTE_CLASS = re.compile(
    r"(?:^|[\s_-]|(?<=[a-z])(?=[PS]))(?i:(?:pull-?(?:ed-?)?|social-?media-?)quote)(?:$|[\s_-])"
)


def is_pull(element: HtmlElement) -> bool:
    """Return whether an element's class names a pull quote."""
    classes = (element.get("class") or "")[:500]
    return "quote" in classes.lower() and _PULL_QUOTE_CLASS.search(classes) is not None


def is_quotation(element: HtmlElement) -> bool:
    """Return whether a class, or a name for tests, says that part of a post is a quotation."""
    names = (element.get("class"), element.get("data-testid"))
    return any(QUOTATION_CLASS.search(name[:300].lower()) for name in names if name)


#: The text of a link from a heading or term to its source code, such as "[source]".
_SOURCE_LINK = re.compile(r"\[[^\W\d]+\]")
_EDIT_LINK = re.compile(r"[?&](?:ve)?action=edit\b")


def is_source_link(href: str, text: str) -> bool:
    """Return whether a link edits a section, or leads to the source code of what a term names."""
    return bool(_EDIT_LINK.search(href) or (href and _SOURCE_LINK.fullmatch(text.strip())))


#: A longer text, sentence or quotation, is a paragraph marked up as a heading.
_MAX_HEADING_CHARS = 200
_MAX_SENTENCE_CHARS = 140
_MAX_QUOTATION_CHARS = 100


class HeadingBuilder(BlockBuilder):
    """Builds a heading, or a paragraph if the text is too long for a heading."""

    def __init__(self, level: int) -> None:
        super().__init__()
        self.level = level

    def build(self) -> list[Block]:
        """Return the text without its permalink, then the other blocks inside it."""
        spans, rest = self.buffer.take_spans()
        spans = tuple(takewhile(lambda span: not _EDIT_LINK.search(span.href), spans))
        spans = tuple(s for s in spans if not _is_permalink(s))
        spans = _strip_links_to_source(spans, "[")
        if not (text := plain_text(spans)):
            return rest
        name, self.buffer.id = self.buffer.id, ""
        is_sentence = text[0].isupper() and text[-1] == "."
        max_chars = _MAX_SENTENCE_CHARS if is_sentence else _MAX_HEADING_CHARS
        if len(text) > (_MAX_QUOTATION_CHARS if text[0] in '“„«"' else max_chars):
            return [Paragraph(spans, id=name), *rest]
        return [Heading(self.level, spans, name), *rest]


def _is_permalink(span: Span) -> bool:
    """Return whether text in a heading is a link without a word, except code, such as ``?``."""
    is_code = "code" in span.marks and span.text.strip() not in "#¶§"
    return bool(span.href) and not is_code and not any(map(str.isalnum, span.text))


#: The characters of a heading's link to itself.
_PERMALINK_CHARACTERS = " \n¶🔗"


def _strip_links_to_source(spans: Spans, characters: str = "") -> Spans:
    """Return a heading or term without the permalink and the link to its source code at its end."""
    spans = strip_end(spans, _PERMALINK_CHARACTERS + characters)
    if spans and is_source_link(spans[-1].href, spans[-1].text):
        spans = strip_end(spans[:-1], _PERMALINK_CHARACTERS + characters)
    return spans


class SummaryBuilder(BlockBuilder):
    """Builds a bold paragraph from the ``summary`` of ``details``."""

    def build(self) -> list[Block]:
        """Return the summary, then the other blocks inside it."""
        spans, rest = self.buffer.take_spans()
        strong = tuple(replace(span, marks=with_mark(span.marks, "strong")) for span in spans)
        return [Paragraph(strong), *rest] if strong else rest


#: Punctuation after a note's label that is a link back, dropped with it.
_AFTER_LABEL = re.compile(r"^\s*(?:[.:)\]]\s+)?")


class NoteBuilder(BlockBuilder):
    """Builds a footnote or endnote."""

    def __init__(self, name: str, label: str) -> None:
        super().__init__()
        self.name = name
        self.label = label

    def build(self) -> list[Block]:
        blocks = list(self.buffer.take())
        if blocks and isinstance(first := blocks[0], Paragraph):
            spans = _without_beginning(first.spans, self.label)
            blocks[:1] = [replace(first, spans=spans)] if spans else []
        if blocks and isinstance(last := blocks[-1], Paragraph):
            spans = strip_end(last.spans, BACKLINK_CHARACTERS)
            blocks[-1:] = [replace(last, spans=spans)] if spans else []
        return [Note(self.name, self.label, tuple(blocks))] if blocks else []


def _without_beginning(spans: Spans, label: str) -> Spans:
    """Return text without the label with which it begins."""
    beginning = re.compile(rf"\s*(?:[\^↑↩]+\s*|[\[(]?{re.escape(label)}(?:[\]).:]+\s*|\s+|$))+")
    while spans:
        match = beginning.match(spans[0].text)
        text = spans[0].text[match.end() if match else 0 :]
        rest = _AFTER_LABEL.sub("", text, count=1)
        if any(map(str.isalnum, rest)):
            return (replace(spans[0], text=rest), *spans[1:])
        if spans[0].math:
            break
        spans = spans[1:]
    return spans


_LINE_BREAK_TAGS = frozenset({"br", "hr"})


def code_text(element: HtmlElement, leaves: dict[Leaf, int]) -> str:
    """Return the selected code below an element, dedented, with a line per block or ``br``."""
    parts: list[str] = []
    numbers = _line_numbers(element)
    walker = etree.iterwalk(element, events=("start", "end"))
    for event, node in walker:
        is_block = node.tag in BLOCK_TAGS and node is not element
        if event == "start":
            is_furniture = node in numbers or is_gutter(node) or _runs_code(node)
            is_furniture |= is_unseen(node, in_line=False)
            if node is not element and is_furniture:
                walker.skip_subtree()
                continue
            if node.tag in _LINE_BREAK_TAGS or is_block:
                _append_line_break(parts, always=not is_block)
            _append_text(parts, node, False, leaves)
        elif node is not element:
            is_line = _ends_code_line(node, parts)
            if is_line or is_block:
                _append_line_break(parts, always=is_line)
            _append_text(parts, node, True, leaves)
    lines = re.split(r"\r\n?|\n", "".join(parts))
    # No-break spaces in code are indentation.
    clean = (strip_unreadable(line.replace("\xa0", " ")).rstrip() for line in lines)
    return dedent("\n".join(clean)).strip("\n")


def _runs_code(node: HtmlElement) -> bool:
    """Return whether an element is a link beside code, which runs it."""
    following = node.getnext()
    return node.tag == "a" and following is not None and following.tag == "code"


def _line_numbers(code: HtmlElement) -> set[HtmlElement]:
    """Return elements that number the lines of code: similar ones that count up by one."""
    by_class: dict[str, list[HtmlElement]] = {}
    for element in code.iterdescendants("span", "a", "div", "i", "b", "td"):
        text = (element.text or "").strip()
        if 0 < len(text) < 6 and text.isascii() and text.isdigit() and _begins_row(element):
            by_class.setdefault(element.get("class") or "", []).append(element)
    text = "".join(code.itertext())
    lines = sum(1 for line in text.splitlines() if line.strip())
    for elements in by_class.values():
        numbers = [int(element.text) for element in elements]
        is_row = numbers == [*range(numbers[0], numbers[0] + len(numbers))]
        is_all = text.split() == [*map(str, numbers)]
        if is_row and not is_all and len(numbers) > max(1, lines / 2):
            return set(elements)
    return set()


def _begins_row(element: HtmlElement) -> bool:
    """Return whether an element is the first in another one, and no text is beside it."""
    is_first = all(node.tag == "style" for node in element.itersiblings(preceding=True))
    return is_first and not (element.getparent().text or element.tail)


def _append_text(parts: list[str], node: HtmlElement, tail: bool, leaves: dict[Leaf, int]) -> None:
    text = node.tail if tail else node.text
    if text and ((node, tail) in leaves or text.isspace()):
        parts.append(text)


_CODE_LINE_CLASS = re.compile(r"(?:^|[\s_-])line(?:$|\s)")


def _ends_code_line(node: HtmlElement, parts: Sequence[str]) -> bool:
    """Return whether an element is a line of code without a line break of its own."""
    names, tail, following = node.get("class") or "", node.tail, node.getnext()
    is_broken = bool(len(node) or node.text) and bool(parts) and parts[-1].endswith("\n")
    if is_broken or not _CODE_LINE_CLASS.search(names):
        return False
    after = tail or ("" if following is None else "".join(following.itertext()))
    return not after.startswith("\n")


def _append_line_break(parts: list[str], *, always: bool) -> None:
    if always or not "".join(parts[-3:]).rstrip(" \t").endswith("\n"):
        parts.append("\n")


_GUTTER_CLASS = class_pattern(
    "line-?num(?:ber)?s?|linenos?|lnt?|gutter|blob-num|hljs-ln-numbers", re.IGNORECASE
)
_UNSELECTABLE = re.compile(r"user-select\s{0,9}:\s{0,9}none")


def is_gutter(element: HtmlElement) -> bool:
    """Return whether an element contains only line numbers."""
    is_named = _GUTTER_CLASS.search(element.get("class") or "")
    if not is_named and not _UNSELECTABLE.search(element.get("style") or ""):
        return False
    words = "".join(element.itertext()).split()
    return all(word.strip(".:|").isdigit() for word in words)


_LANGUAGE = re.compile(
    r"^(?:language|lang|highlight-source|highlight|brush|sourceCode)[-:](\w[\w+#.-]{0,30})$"
)
#: The elements of the text around code.
_TEXT_TAGS = frozenset({"body", "article", "main", "section", "li", "td", "blockquote"})
_MAX_WRAPPERS = 3
_NO_LANGUAGE = frozenset({
    "none", "default", "plain", "plaintext", "text", "txt", "nohighlight", "notranslate",
    "undefined", "auto", "source", "code",
})  # fmt: skip


def language_of(element: HtmlElement) -> str:
    """Return the programming language stated for preformatted text, '' if none is."""
    child = element.find("code")
    wrappers = takewhile(lambda node: node.tag not in _TEXT_TAGS, element.iterancestors())
    for node in (child, element, *islice(wrappers, _MAX_WRAPPERS)):
        if node is None:
            continue
        stated = node.get("data-lang") or node.get("data-language") or node.get("data-code-lang")
        if stated and len(stated) < 30:
            return _language_name(stated)
        for word in (node.get("class") or "")[:300].replace("brush: ", "brush:").split():
            match = _LANGUAGE.match(word.rstrip(";"))
            if match and (name := _language_name(match[1])):
                return name
    return ""


def _language_name(name: str) -> str:
    name = name.lower().removeprefix("source-")
    return "" if name in _NO_LANGUAGE else name


_OPEN_BELOW = re.compile(r"border-bottom\s{0,9}:\s{0,9}(?:none|0)")


def is_code_title_bar(element: HtmlElement) -> bool:
    """Return whether preformatted text has no border towards the code below, whose title it is."""
    following = element.getnext()
    is_above_code = element.tag == "pre" and following is not None and following.tag == "pre"
    return is_above_code and _OPEN_BELOW.search(element.get("style") or "") is not None


_MAX_CELLS = 200
_BLOCK_CLASS = re.compile(r"(?<!\S)(?:code-?)?block(?!\S)")


def is_code_block(element: HtmlElement, tag: str) -> bool:
    """Return whether a ``code`` element is a block by its class, or a table lays out code."""
    if tag == "code":
        return _BLOCK_CLASS.search(element.get("class") or "") is not None
    return tag == "table" and is_code_table(element)


def is_code_table(table: HtmlElement) -> bool:
    """Return whether a table is the layout of numbered lines of code."""
    has_line_numbers = False
    for cell in islice(table.iter("td"), _MAX_CELLS + 1):
        if is_gutter(cell):
            has_line_numbers = True
        elif has_line_numbers and "code" in (cell.get("class") or "").lower():
            return True
    return False
