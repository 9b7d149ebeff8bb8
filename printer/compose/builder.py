"""The traversal of a page's selected elements that builds the article's blocks.

Tabs and accordions, which a page shows one at a time, are printed below their labels.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass, field, replace
from itertools import islice

from lxml.html import HtmlElement

from ..article import (
    ZERO_WIDTH_SPACE,
    Block,
    Code,
    Embed,
    Heading,
    Item,
    List,
    Math,
    Paragraph,
    Rule,
    Span,
)
from ..html.index import BLOCK_TAGS, Leaf
from ..html.page import Page
from ..html.parse import element_line
from ..html.posts import is_in_card
from ..html.structure import is_social_post
from ..html.visibility import HEADING_TAGS
from ..i18n import load_table
from ..text import class_pattern
from .block_builders import (
    LABEL_LEVEL,
    BlockBuffer,
    BlockBuilder,
    ClosePart,
    DefinitionListBuilder,
    HeadingBuilder,
    ListBuilder,
    NoteBuilder,
    QuoteBuilder,
    SummaryBuilder,
    code_text,
    continue_list,
    is_code_block,
    is_code_title_bar,
    is_pull,
    is_quotation,
    language_of,
)
from .boxes import is_above_heading, is_box
from .collection import is_entry
from .embeds import CardBuilder, PostBuilder, caption_of, read_embed
from .footnotes import InternalTargets, LinkResolver, is_backlink_text
from .inline import PLAIN, Style, mark_of, needs_space, readable_line, stated_marks, with_mark
from .math import FormulaSource, is_preview, read_formula
from .selection import Selection
from .tables import TableBuilder, is_data


@dataclass(slots=True, eq=False)
class _OpenElement:
    """An open element, and the state to restore when it is closed."""

    element: HtmlElement
    style: Style
    #: For an entry of a collection, its buffer and the number of blocks before it.
    entry_begin: tuple[BlockBuffer, int] | None = None
    is_block: bool = False
    is_note_in_line: bool = False
    outer_buffer: BlockBuffer | None = None  # set if the element has its own buffer
    builder: BlockBuilder | None = None  # the builder that the element opened
    part_of: BlockBuilder | None = None  # the builder that the element is a part of
    close_part: ClosePart | None = None
    descend: bool = True


#: The maximum nesting of block builders; deeper elements become paragraphs of the deepest one.
MAX_DEPTH = 30
_HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}
#: The class of a heading that is code, as in documentation of Rust.
_CODE_HEADING = class_pattern("code-header")
#: The level of a heading above bold lines, which become headings of the lowest level.
_NAMED_HEADING_LEVEL = LABEL_LEVEL - 1
_PICTURE_TAGS = frozenset({"img", "picture", "svg", "amp-img", "video", "noscript"})
_CODE_TAGS = frozenset({"pre", "listing", "xmp"})
_FRAME_TAGS = frozenset({"iframe", "video", "audio"})
_ATOMIC_TAGS = (
    _CODE_TAGS | _FRAME_TAGS | {"img", "a", "hr", "ruby", "table", "math", "script", "style"}
)
_STYLE_ATTRIBUTES = frozenset({"lang", "dir", "style", "title"})
_LANGUAGE_TAG = re.compile(r"[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{1,8}){0,4}")
#: A typed emoticon or its shortcode: ':-)', ';P', ':laugh:'.
_SMILEY = re.compile(r":[\w+-]{2,30}:|[:;=8]-?[)(DPpOo|/3*]")
#: An emoji's file name, which is its code points, possibly in an address inside another one.
_CODE_POINTS = re.compile(
    r"(?:/|%2F)u?([0-9a-f]{4,5}(?:-[0-9a-f]{4,5}){0,5})\.(?:png|svg|gif|webp)\b"
)
_MIN_EMOJI = 0x2190
_JOINER = 0x200D


def _emoji_of_file(address: str) -> str:
    """Return the emoji whose code points name a picture's file, '' for none: '/1f642.png'."""
    match = _CODE_POINTS.search(address[:2000])
    codes = [int(code, 16) for code in match[1].split("-")] if match else []
    is_emoji = bool(codes) and codes[0] >= _MIN_EMOJI
    is_emoji = is_emoji and all(code == _JOINER or chr(code).isprintable() for code in codes)
    return "".join(map(chr, codes)) if is_emoji else ""


class ArticleBuilder:
    """Builds an article's blocks; make a new one for each call of :meth:`blocks`."""

    def __init__(
        self,
        page: Page,
        selection: Selection,
        targets: InternalTargets,
        posts: Set[HtmlElement] = frozenset(),
    ) -> None:
        self.page = page
        self.leaves = selection.leaves
        self.path = selection.path
        self.figures = selection.figures
        self.targets = targets
        self.posts = posts  # not entered; in a post, elements may be quotations by their class
        self.links = LinkResolver(page, targets)
        self.aliases: dict[str, str] = {}  # a link target -> the id of the block that has it
        self.buffer = BlockBuffer()
        self.style = PLAIN
        self.last: Leaf | None = None
        self.builders: list[BlockBuilder] = []
        self.tabs: Tabs | None = None  # read on first use
        self.has_formulas = selection.formulas
        self.headings = selection.headings
        self.entries = selection.entries

    def blocks(self, top: HtmlElement | None = None) -> tuple[Block, ...]:
        """Return the blocks of the page, or those inside ``top``."""
        stack: list[HtmlElement | _OpenElement] = [self.page.tree]
        if top is not None:
            stack = list(reversed(top))
            self._add_text(top, False, top.text or "")
        while stack:
            node = stack.pop()
            if isinstance(node, _OpenElement):
                self._leave(node)
                node = node.element
            elif node in self.path and node not in self.posts:
                entered = self._enter(node)
                if entered.descend:
                    if text := node.text:
                        self._add_text(node, False, text)
                    if len(node):
                        stack.append(entered)
                        stack += reversed(node)
                        continue
                self._leave(entered)
            else:
                self._pass_unselected(node)
            if text := node.tail:
                self._add_text(node, True, text)
        return self.buffer.take()

    # Text

    def _add_text(self, element: HtmlElement, tail: bool, text: str) -> None:
        buffer = self.buffer
        if text.isspace():
            # The space at the edge of a superscript would part it from the word or the full stop.
            around = Leaf(element, tail).parent
            is_edge = around.tag == "sup" and not (tail and len(around) > 1)
            buffer.run.space = buffer.run.space or not is_edge
            return
        index = self.leaves.get((element, tail))  # type: ignore[call-overload]
        if index is None:
            return
        # Two line breaks end a paragraph, like any other boundary between segments.
        breaks = buffer.run.breaks
        if breaks > 1 or (buffer.segment != index and buffer.segment >= 0 and not breaks):
            buffer.flush()
        buffer.segment = index
        leaf, run = Leaf(element, tail), buffer.run
        if run.parts and self.last is not None and not (breaks or run.space):
            run.space = needs_space(run, (self.last, leaf), text, self.style, self.page.layout)
        run.add(text, self.style)
        self.last = leaf

    def _pass_unselected(self, element: HtmlElement) -> None:
        """Handle an element without selected text: a break, an emoji or the end of a paragraph."""
        tag = element.tag
        if tag == "br":
            self.buffer.run.breaks += 1
        elif tag == "wbr":
            self._add_line_break_opportunity(element)
        elif tag == "img":
            self._add_text_image(element)
        elif tag == "span" and len(element) == 1 and _SMILEY.fullmatch(element[0].get("alt") or ""):
            self._add_text_image(element[0])
        elif tag in BLOCK_TAGS:
            self.buffer.flush()
            builder = self.builders[-1] if self.builders else None
            if tag in {"td", "th"} and isinstance(builder, TableBuilder):
                builder.add(element, ())
        self._link_target(element)

    def _add_text_image(self, image: HtmlElement) -> None:
        """Add an image that represents text: a formula or an emoji."""
        alt = image.get("alt") or ""
        if formula := read_formula(image):
            self._add_formula(formula)
        elif _SMILEY.fullmatch(alt):
            emoji = load_table("emoji").get(alt.strip(":").lower(), alt)
            self.buffer.run.add(_emoji_of_file(image.get("src") or "") or emoji, self.style)
        elif not alt.isascii() and not any(map(str.isalnum, alt)):
            self.buffer.run.add(alt, self.style)

    def _add_formula(self, formula: FormulaSource) -> None:
        if formula.display:
            self.buffer.put(Math(formula.source, formula.text))
        else:
            self.buffer.run.add_atom(formula.text, self.style._replace(math=formula.source))

    def _link_target(self, element: HtmlElement) -> None:
        """Set a link target on the current block, or on the next one."""
        name = self.targets.places.get(element)
        if name is not None:
            if self.buffer.run.breaks > 1:  # the text before them is a paragraph
                self.buffer.flush()
            if self.buffer.id:
                self.aliases[name] = self.buffer.id
            else:
                self.buffer.id = name

    # Elements

    def _enter(self, element: HtmlElement) -> _OpenElement:
        entered = _OpenElement(element, self.style)
        tag = element.tag
        if element in self.targets.notes and len(self.builders) < MAX_DEPTH:
            self._enter_note(entered, element, self.targets.notes[element])
            return entered
        if element in self.targets.references:
            self._add_reference(element, self.targets.references[element])
            entered.descend = False
            return entered
        if element in self.figures:
            figure = self.figures[element]
            may_play = tag == "video" or "/embed/" in figure.src  # of a stand-in for a player
            video = read_embed(element, self.links.resolve) if may_play else None
            if video and video.kind == "video":
                self.buffer.put(replace(video, blocks=(figure,) if tag == "video" else ()))
            else:
                self.buffer.float(figure)
            entered.descend = tag not in _PICTURE_TAGS
            return entered
        is_tab = self.tabs is not None and element in self.tabs.elements
        may_be_atom = tag in _ATOMIC_TAGS or self.has_formulas or is_code_block(element, tag)
        if is_tab or (may_be_atom and self._add_atom(element, tag)):
            entered.descend = False
            return entered
        if self.targets.places:
            self._link_target(element)
        if not _STYLE_ATTRIBUTES.isdisjoint(element.keys()):
            self._apply_attributes(element, tag)
        if tag in BLOCK_TAGS:
            entered.is_block = True
            self.buffer.flush()
            self._enter_block(entered, element, tag)
            if element in self.entries and tag != "li":
                entered.entry_begin = self.buffer, len(self.buffer.blocks)
        elif mark := mark_of(element, tag):
            self._add_mark(mark)
        elif tag == "wbr":  # the parser nests what follows in it
            self._add_line_break_opportunity(element)
        return entered

    def _add_line_break_opportunity(self, element: HtmlElement) -> None:
        """Add a place where a word may be divided; right after a link, it is a space."""
        last = element.getprevious()
        if last is not None and last.tag == "a" and not last.tail:
            self.buffer.run.space = True
        else:
            self.buffer.run.add(ZERO_WIDTH_SPACE, self.style)

    def _enter_note(self, entered: _OpenElement, element: HtmlElement, name: str) -> None:
        """Open a note; one within a line is put after its paragraph, and a mark in its place."""
        label = self.targets.labels[name]
        entered.is_note_in_line = element.tag not in BLOCK_TAGS
        if entered.is_note_in_line and name not in self.targets.references.values():
            marks = with_mark(self.style.marks, "sup")
            self.buffer.run.add_atom(label, self.style._replace(marks=marks, note=name, href=""))
        self._open_builder(entered, NoteBuilder(name, label))

    def _add_reference(self, element: HtmlElement, note: str) -> None:
        self._link_target(element)
        marks = with_mark(self.style.marks, "sup")
        style = self.style._replace(marks=marks, note=note, href="")
        self.buffer.run.add_atom(readable_line("".join(element.itertext())), style)

    def _add_atom(self, element: HtmlElement, tag: str) -> bool:
        """Write an element whose children are not traversed; return whether this was one."""
        if tag == "a":
            return self._enter_link(element)
        if tag == "hr":
            previous = element.getprevious()
            if previous is None or previous.tag != "hr" or (previous.tail or "").strip():
                self.buffer.put(Rule())
        elif tag in _FRAME_TAGS:
            if embed := read_embed(element, self.links.resolve):
                self.buffer.put(self._with_caption(element, embed))
        elif tag in _CODE_TAGS or is_code_block(element, tag):
            self._link_target(element)
            if text := code_text(element, self.leaves):
                is_title = is_code_title_bar(element) and "\n" not in text
                title = Paragraph((Span(text, ("code",)),))
                self.buffer.put(title if is_title else Code(text, language_of(element)))
        elif tag == "ruby":
            self._add_ruby(element)
        elif formula := read_formula(element):
            self._add_formula(formula)
        else:
            return is_preview(element)
        return True

    def _with_caption(self, element: HtmlElement, embed: Embed) -> Embed:
        """Return an embed with the caption below it as its title, which is not printed again."""
        caption, index = caption_of(element), self.page.index
        if caption is None or index.indexes.get(caption, -1) <= index.locate(element)[0]:
            return embed
        around = next(caption.iterancestors("figure"), caption)
        if any(inner in self.figures for inner in around.iter()):
            return embed  # the caption of a picture
        for inner in caption.iter():
            self.leaves.pop(Leaf(inner, False), None)
            if inner is not caption:
                self.leaves.pop(Leaf(inner, True), None)
        return replace(embed, title=element_line(caption))

    def _enter_link(self, element: HtmlElement) -> bool:
        if element in self.targets.backlinks or is_backlink_text(element.text):
            return True
        if href := self.links.target(element):
            style = self.style
            self.style = Style(style.marks, href, *style[2:])  # takes a third of _replace's time
        return False

    def _add_ruby(self, element: HtmlElement) -> None:
        base: list[str] = [element.text or ""]
        for child in element:
            text = "".join(child.itertext())
            if child.tag in {"rt", "rtc"}:
                if base_text := readable_line("".join(base)):
                    self.buffer.run.add_atom(
                        base_text, self.style._replace(ruby=readable_line(text))
                    )
                base = []
            elif child.tag != "rp":
                base.append(text)
            base.append(child.tail or "")
        self.buffer.run.add("".join(base), self.style)

    def _add_mark(self, mark: str) -> None:
        self.style = self.style._replace(marks=with_mark(self.style.marks, mark))

    def _apply_attributes(self, element: HtmlElement, tag: str) -> None:
        """Apply an element's language, direction, font style and abbreviation title."""
        if tag in {"html", "body"}:
            return
        metadata = self.page.metadata
        if (lang := element.get("lang")) and _LANGUAGE_TAG.fullmatch(lang):
            names = {name.lower().partition("-")[0] for name in (lang, metadata.language)}
            self.style = self.style._replace(lang="" if len(names) == 1 else lang)
        if (direction := (element.get("dir") or "").lower()) in {"ltr", "rtl"}:
            page_direction = metadata.direction or "ltr"
            self.style = self.style._replace(dir="" if direction == page_direction else direction)
        if (style := element.get("style")) and tag not in BLOCK_TAGS:
            for mark in stated_marks(style[:1000]):
                self._add_mark(mark)
        if tag == "abbr" and (title := element.get("title")):
            self.style = self.style._replace(title=readable_line(title[:300]))

    # Blocks that contain blocks

    def _enter_block(self, entered: _OpenElement, element: HtmlElement, tag: str) -> None:
        outer = self.builders[-1] if self.builders else None
        near = (*self.buffer.blocks[-1:], outer)  # a heading above or around
        is_headed = any(isinstance(part, Heading | HeadingBuilder) for part in near)
        if not is_headed and element not in self.headings and is_above_heading(element):
            self._add_mark("small")
        if outer is not None and not outer.part_is_open and (close := outer.open_part(element)):
            outer.part_is_open = True
            entered.part_of = outer
            self._open_buffer(entered, BlockBuffer(), close)
        elif len(self.builders) < MAX_DEPTH:
            if builder := self._make_builder(element, tag):
                self._open_builder(entered, builder)
            elif tag == "li":
                self._open_buffer(entered, BlockBuffer(), self._add_orphan_item)

    def _make_builder(self, element: HtmlElement, tag: str) -> BlockBuilder | None:
        """Return a builder for an element that is a block of blocks, None for any other element."""
        role = element.get("role")
        if builder := self._make_tab_builder(element, role):
            return builder
        if tag == "blockquote":
            if is_social_post(element):
                return PostBuilder(element, self.links.resolve)
            return QuoteBuilder(pull=is_pull(element), box=is_box(element))
        if tag in _HEADING_LEVELS or element in self.headings:
            is_card = bool(self.posts) and is_in_card(element.iterancestors())
            return CardBuilder() if is_card else self._make_heading_builder(element, tag)
        if tag in {"ul", "ol", "menu", "dir"}:
            return ListBuilder(element)
        if tag == "dl":
            return DefinitionListBuilder()
        if tag == "table":
            return TableBuilder() if is_data(element) else None
        if tag == "summary":
            inner = (part.tag for part in islice(element.iterdescendants(), _MAX_PARTS))
            return None if HEADING_TAGS.intersection(inner) else SummaryBuilder()
        if role == "heading":
            level = element.get("aria-level") or ""
            return HeadingBuilder(int(level) if level in {"1", "2", "3", "4", "5", "6"} else 3)
        if is_box(element):
            return QuoteBuilder(box=True)
        if self.posts and is_quotation(element):
            return QuoteBuilder()
        # The parts of a pull quote may be named after it.
        outer = self.builders[-1] if self.builders else None
        is_part = isinstance(outer, QuoteBuilder) and outer.pull
        return QuoteBuilder(pull=True) if is_pull(element) and not is_part else None

    def _make_heading_builder(self, element: HtmlElement, tag: str) -> HeadingBuilder:
        names = (element.get("class") or "")[:300]
        if _CODE_HEADING.search(names):
            self._add_mark("code")
        is_folded = "accordion" in names
        return HeadingBuilder(_HEADING_LEVELS.get(tag, _NAMED_HEADING_LEVEL) + is_folded)

    def _make_tab_builder(self, element: HtmlElement, role: str | None) -> BlockBuilder | None:
        if self.tabs is None:
            classes = element.get("class") or ""
            if role not in ("tabpanel", "tablist") and "tab" not in classes.lower():
                return None
            self.tabs = read_tabs(self.page.tree)
        is_panel = role == "tabpanel" or (element.get("id") or "") in self.tabs.ids
        return PanelBuilder(label_of(element, self.tabs)) if is_panel else None

    def _add_orphan_item(self, buffer: BlockBuffer) -> None:
        """Add an item outside any list to the list before it, or to a new one."""
        blocks = self.buffer.blocks
        builder = blocks[-1] if blocks else None
        if not isinstance(builder, ListBuilder):
            before, builder = builder, ListBuilder(None)
            if isinstance(before, List) and not before.ordered:
                builder.items += before.items
                blocks.pop()
            blocks.append(builder)
        builder.add(buffer)

    def _add_entry(self, buffer: BlockBuffer, begin: int) -> None:
        """Add the blocks from ``begin`` on to the collection before them, or to a new one.

        Do nothing if an item of a list around the entry has ended the entry's buffer.
        """
        if buffer is not self.buffer:
            return
        blocks = buffer.blocks
        blocks[begin:] = entry = buffer.take(begin)
        if not (entry and is_entry(entry)):
            return
        previous = blocks[begin - 1] if begin else None
        items = previous.items if isinstance(previous, List) and previous.is_collection else ()
        blocks[begin - bool(items) :] = [List((*items, Item(entry)), style="none")]

    def _open_builder(self, entered: _OpenElement, builder: BlockBuilder) -> None:
        if not entered.is_note_in_line:
            self.buffer.flush()
        self._open_buffer(entered, builder.buffer, None)
        entered.builder = builder
        self.builders.append(builder)

    def _open_buffer(
        self, entered: _OpenElement, buffer: BlockBuffer, close_part: ClosePart | None
    ) -> None:
        entered.outer_buffer, entered.close_part = self.buffer, close_part
        buffer.id, self.buffer.id = self.buffer.id, ""
        self.buffer = buffer

    def _leave(self, element: _OpenElement) -> None:
        self.style = element.style
        if element.entry_begin is not None:
            self._add_entry(*element.entry_begin)
        if element.outer_buffer is None:
            if element.is_block:
                self.buffer.flush()
            return
        inner, self.buffer = self.buffer, element.outer_buffer
        inner.flush()
        if element.builder is not None:
            self.builders.pop()
            blocks = element.builder.build()
            before = self.buffer.blocks[-1] if self.buffer.blocks else None
            if isinstance(before, List) and _is_continuation(element.element):
                blocks = continue_list(before, element.element, blocks)
                self.buffer.blocks.pop()
            for block in blocks:
                if element.is_note_in_line:
                    self.buffer.floating.append(block)
                else:
                    self.buffer.put(block)
        elif element.close_part is not None:
            element.close_part(inner)
            if element.part_of is not None:
                element.part_of.part_is_open = False
                self.buffer = element.part_of.buffer  # builders start a new one between parts
        if inner.id:
            self.buffer.id = inner.id


_MAX_ID_CHARS = 200


@dataclass(slots=True)
class Tabs:
    """The labels of a page's tabs, by the ids of tabs and their panels.

    ``elements`` are the tabs in rows, whose labels are printed above their panels, ``ids`` those of
    the panels of tabs without roles.
    """

    labels: dict[str, str] = field(default_factory=dict)
    elements: set[HtmlElement] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)


class PanelBuilder(BlockBuilder):
    """Builds a panel below its label."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self.label = label

    def build(self) -> list[Block]:
        """Return the label as a heading, then the panel's blocks."""
        blocks = list(self.buffer.take())
        if not self.label:
            return blocks
        return [Heading(LABEL_LEVEL, (Span(self.label),)), *blocks]


_MAX_TABS = 500
_MAX_PARTS = 15
_TABS = class_pattern("tabs?", re.IGNORECASE)
_MAX_ROWS = 100


def read_tabs(tree: HtmlElement) -> Tabs:
    tabs = Tabs()
    tab_elements = (element for element in tree.iter() if element.get("role") == "tab")
    for tab in islice(tab_elements, _MAX_TABS):
        label = _tab_label(tab)
        target = tab.get("aria-controls") or (tab.get("href") or "").removeprefix("#")
        names = [name[:_MAX_ID_CHARS] for name in (tab.get("id") or "", target) if name]
        for name in names:
            tabs.labels.setdefault(name, label)
        parts = [part.tag for part in islice(tab.iter(), _MAX_PARTS)]
        if names and len(parts) < _MAX_PARTS and "img" not in parts:
            tabs.elements.add(tab)
    _read_rows_by_class(tree, tabs)
    return tabs


def _read_rows_by_class(tree: HtmlElement, tabs: Tabs) -> None:
    """Read tabs without roles: rows of links, marked by class, to sibling elements."""
    rows = (
        element
        for element in tree.iter("ul", "ol", "div", "nav")
        if "tab" in (element.get("class") or "")[:300].lower()
    )
    for row in islice(rows, _MAX_ROWS):
        if not _TABS.search(row.get("class")[:300]) or row.get("role"):
            continue
        links = [child for child in islice(row.iter(), 200) if child.tag in ("a", "button")]
        labels = {_panel_id(link): _tab_label(link) for link in links}
        if len(labels) < 2 or len(labels) < len(links) or not all(map(all, labels.items())):
            continue
        # The panels follow the row or its parent, side by side or in a box.
        siblings = list(islice(row.itersiblings(), 50))
        siblings += islice(row.getparent().itersiblings(), 50)
        panels = {
            element.get("id") for sibling in siblings for element in (sibling, *islice(sibling, 50))
        }
        if labels.keys() <= panels:
            tabs.labels |= labels
            tabs.ids |= labels.keys()
            tabs.elements.update(links)


_MAX_TAB_LABEL_CHARS = 100


def _tab_label(element: HtmlElement) -> str:
    return readable_line("".join(map(str, islice(element.itertext(), 20)))[:_MAX_TAB_LABEL_CHARS])


def _panel_id(link: HtmlElement) -> str:
    """Return the id of a tab's panel, '' for none."""
    attributes = ("data-target", "data-tab", "data-bs-target", "href")
    stated = next(filter(None, map(link.get, attributes)), "")
    is_id = stated.startswith("#") or link.tag == "button" or link.get("data-tab")
    return stated.removeprefix("#")[:_MAX_ID_CHARS] if is_id else ""


def label_of(panel: HtmlElement, tabs: Tabs) -> str:
    """Return a panel's label, '' if it has none."""
    names = (*(panel.get("aria-labelledby") or "").split()[:5], panel.get("id") or "")
    labels = (tabs.labels.get(name[:_MAX_ID_CHARS], "") for name in names)
    return next(filter(None, labels), "")


#: The most lists in a row that continue one.
_MAX_LISTS_IN_ROW = 20


def _is_continuation(element: HtmlElement) -> bool:
    """Return whether wiki text continues a list after indented text, or is that text."""
    for previous in islice(element.itersiblings(preceding=True), _MAX_LISTS_IN_ROW):
        if (previous.tail or "").strip():
            break
        if element.tag != "ul":
            return element.tag == "dl" and previous.tag == "ul" and element.find("dt") is None
        element = previous
    return False
