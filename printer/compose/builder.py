"""The walk over the chosen part of a page's tree, which writes the article's blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from lxml.html import HtmlElement

from ..article import Block, Code, Embed, List, Math, Paragraph, Rule
from ..html.index import BLOCK_TAGS, Leaf
from ..html.page import Page
from .block_builders import (
    BlockBuffer,
    DefinitionListBuilder,
    HeadingBuilder,
    ListBuilder,
    NoteBuilder,
    QuoteBuilder,
    SummaryBuilder,
    is_pull,
)
from .code import code_text, is_code_table, language_of
from .embeds import PostBuilder, described_durations, is_post, read_card, read_embed
from .footnotes import LinkResolver, LinkTargets
from .inline import MARKS_OF, PLAIN, Style, clean_line, needs_space, stated_marks, with_mark
from .math import Formula, is_preview, read_formula
from .selection import Selection
from .tables import TableBuilder, is_data
from .tabs import PanelBuilder, TabListBuilder, Tabs, label_of, read_tabs

#: Boxes nest this deep; what is deeper is set as paragraphs of the deepest one.
MAX_DEPTH = 30

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_CODE = frozenset({"pre", "listing", "xmp"})
_FRAMES = frozenset({"iframe", "video", "audio"})
_PICTURES = frozenset({"img", "picture", "svg", "amp-img", "video", "noscript"})
_ATOMS = _CODE | _FRAMES | {"img", "a", "hr", "ruby", "table", "math", "script", "style"}
#: The attributes that tell how an element's text is set.
_TELLING = frozenset({"lang", "dir", "style", "title"})
_LANG = re.compile(r"[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{1,8}){0,4}")
_NONE: Mapping[HtmlElement, Paragraph] = MappingProxyType({})

Box: TypeAlias = (
    ListBuilder | DefinitionListBuilder | QuoteBuilder | HeadingBuilder | SummaryBuilder
    | NoteBuilder | TableBuilder | PostBuilder | PanelBuilder | TabListBuilder
)  # fmt: skip


class _Open:
    """An open element, and what to restore when the walk leaves it."""

    __slots__ = ("block", "box", "close", "element", "flow", "inside", "part_of", "style")

    def __init__(self, element: HtmlElement, style: Style) -> None:
        self.element = element
        self.style = style
        self.block = False  # whether it is displayed as a block
        self.flow: BlockBuffer | None = None  # the flow around, when the element has one of its own
        self.box: Box | None = None  # the box that the element opened
        self.part_of: Box | None = None  # the box that the element is a part of
        self.close: Callable[[BlockBuffer], None] | None = None  # takes the element's own flow
        self.inside = True  # whether to go into the element


class ArticleBuilder:
    """Writes blocks; :meth:`blocks` is its only use."""

    def __init__(
        self,
        page: Page,
        selection: Selection,
        anchors: LinkTargets,
        signed: Mapping[HtmlElement, Paragraph] = _NONE,
    ) -> None:
        self.page = page
        self.leaves = selection.leaves
        self.path = selection.path
        self.figures = selection.figures
        self.anchors = anchors
        self.signed = signed
        self.links = LinkResolver(page, anchors)
        self.aliases: dict[str, str] = {}  # a place's id -> the id of the block it is in
        self.flow = BlockBuffer()
        self.style = PLAIN
        self.last: Leaf | None = None  # the leaf read last
        self.boxes: list[Box] = []
        self.tabs: Tabs | None = None  # the labels of tabs, once they are needed
        self.durations: dict[str, str] | None = None  # of films and sounds, once they are needed
        self.has_formulas = selection.formulas

    def blocks(self, top: HtmlElement | None = None) -> tuple[Block, ...]:
        """Return the blocks of the page, or of what is inside ``top``.

        Depth costs nothing, as the open elements are a list.
        """
        todo: list[HtmlElement | _Open] = [self.page.tree]
        if top is not None:
            todo = list(reversed(top))
            self._text(top, False, top.text or "")
        while todo:
            node = todo.pop()
            if isinstance(node, _Open):
                self._leave(node)
                node = node.element
            elif node in self.path:
                entered = self._enter(node)
                if node in self.signed:
                    self.flow.begin(self.signed[node])
                if entered.inside:
                    if text := node.text:
                        self._text(node, False, text)
                    if len(node):
                        todo.append(entered)
                        todo += reversed(node)
                        continue
                self._leave(entered)
            else:
                self._pass_by(node)
            if text := node.tail:
                self._text(node, True, text)
        return self.flow.take()

    # Text

    def _text(self, element: HtmlElement, tail: bool, text: str) -> None:
        flow = self.flow
        if text.isspace():
            flow.run.space = True
            return
        index = self.leaves.get((element, tail))  # type: ignore[call-overload]
        if index is None:
            return
        # Two line breaks end a paragraph, as does whatever else parts two segments.
        breaks = flow.run.breaks
        if breaks > 1 or (flow.segment != index and flow.segment >= 0 and not breaks):
            flow.flush()
        flow.segment = index
        leaf, run = Leaf(element, tail), flow.run
        if run.parts and self.last is not None and not (breaks or run.space):
            run.space = needs_space(run, (self.last, leaf), text, self.style, self.page.layout)
        run.add(text, self.style)
        self.last = leaf

    def _pass_by(self, element: HtmlElement) -> None:
        """Take note of an element with nothing chosen in it."""
        tag = element.tag
        if tag == "br":
            self.flow.run.breaks += 1
        elif tag == "wbr":
            self.flow.run.joint = True
        elif tag == "img":
            self._character(element)
        elif tag in BLOCK_TAGS:
            self.flow.flush()
            box = self.boxes[-1] if self.boxes else None
            if tag in {"td", "th"} and isinstance(box, TableBuilder) and not box.open:
                box.add(element, ())
        self._place(element)

    def _character(self, image: HtmlElement) -> None:
        """Read a picture that stands for characters: a formula, an emoji."""
        alt = image.get("alt")
        if not alt:
            return
        if formula := read_formula(image):
            self._formula(formula)
        elif len(alt) <= 8 and not alt.isascii() and not any(map(str.isalnum, alt)):
            self.flow.run.add(alt, self.style)

    def _formula(self, formula: Formula) -> None:
        if formula.display:
            self.flow.put(Math(formula.source, formula.text))
        else:
            self.flow.run.add_whole(formula.text, self.style._replace(math=formula.source))

    def _place(self, element: HtmlElement) -> None:
        """Give the place that links lead to to the block at hand or the next one."""
        name = self.anchors.places.get(element)
        if name is not None:
            if self.flow.id:
                self.aliases[name] = self.flow.id
            else:
                self.flow.id = name

    # Elements

    def _enter(self, element: HtmlElement) -> _Open:
        entered = _Open(element, self.style)
        tag = element.tag
        if element in self.anchors.notes and len(self.boxes) < MAX_DEPTH:
            name = self.anchors.notes[element]
            self._open_box(entered, NoteBuilder(name, self.anchors.labels[name]))
            return entered
        if element in self.figures:
            figure = self.figures[element]
            film = self._embed(element) if tag == "video" else None
            if film:
                self.flow.put(replace(film, blocks=(figure,)))
            else:
                self.flow.float(figure)
            entered.inside = tag not in _PICTURES
            return entered
        if (tag in _ATOMS or self.has_formulas) and self._atom(element, tag):
            entered.inside = False
            return entered
        if self.anchors.places:
            self._place(element)
        if not _TELLING.isdisjoint(element.keys()):
            self._attributes(element, tag)
        if tag in BLOCK_TAGS:
            entered.block = True
            self.flow.flush()
            self._enter_block(entered, element, tag)
        elif tag in MARKS_OF:
            self._mark(MARKS_OF[tag])
        elif tag == "wbr":  # to the parser it holds what follows it
            self.flow.run.joint = True
        return entered

    def _atom(self, element: HtmlElement, tag: str) -> bool:
        """Write an element that is one thing, not gone into; tell whether it was."""
        if tag == "a":
            return self._link(element)
        if tag == "hr":
            self.flow.put(Rule())
        elif tag in _FRAMES:
            if embed := self._embed(element):
                self.flow.put(embed)
        elif tag in _CODE or (tag == "table" and is_code_table(element)):
            self._place(element)
            if text := code_text(element, self.leaves):
                self.flow.put(Code(text, language_of(element)))
        elif tag == "ruby":
            self._ruby(element)
        elif tag == "img":
            self._character(element)
        else:
            return self._formula_of(element, tag)
        return True

    def _embed(self, element: HtmlElement) -> Embed | None:
        """Read a player or a map, with the length that the page states elsewhere."""
        embed = read_embed(element, self.links.resolve)
        if embed is None or embed.duration or embed.kind not in ("video", "audio"):
            return embed
        if self.durations is None:
            self.durations = described_durations(self.page.tree, self.links.resolve)
        sole = self.durations.get(element.tag, "")
        return replace(embed, duration=self.durations.get(embed.url, sole))

    def _formula_of(self, element: HtmlElement, tag: str) -> bool:
        if formula := read_formula(element):
            self._formula(formula)
            return True
        return tag in {"script", "style", "math"} or is_preview(element)

    def _link(self, element: HtmlElement) -> bool:
        note = self.anchors.references.get(element)
        if note is not None:
            self._place(element)
            marks = with_mark(self.style.marks, "sup")
            style = self.style._replace(marks=marks, note=note, href="")
            self.flow.run.add_whole(clean_line("".join(element.itertext())), style)
            return True
        if element in self.anchors.back:
            return True
        if len(element) and (card := read_card(element, self.links.resolve)):
            self.flow.put(card)
            return True
        href = self.links.of(element)
        style = self.style
        if href or style.href:
            self.style = Style(style.marks, href, *style[2:])  # a third of _replace's time
        return False

    def _ruby(self, element: HtmlElement) -> None:
        base: list[str] = [element.text or ""]
        for child in element:
            text = "".join(child.itertext())
            if child.tag in {"rt", "rtc"}:
                if written := clean_line("".join(base)):
                    self.flow.run.add_whole(written, self.style._replace(ruby=clean_line(text)))
                base = []
            elif child.tag != "rp":
                base.append(text)
            base.append(child.tail or "")
        self.flow.run.add("".join(base), self.style)

    def _mark(self, mark: str) -> None:
        self.style = self.style._replace(marks=with_mark(self.style.marks, mark))

    def _attributes(self, element: HtmlElement, tag: str) -> None:
        """Take over what an element's attributes say of its text."""
        if tag in {"html", "body"}:
            return
        metadata = self.page.metadata
        if (lang := element.get("lang")) and _LANG.fullmatch(lang):
            same = lang.lower().partition("-")[0] == metadata.language.lower().partition("-")[0]
            self.style = self.style._replace(lang="" if same else lang)
        if (direction := (element.get("dir") or "").lower()) in {"ltr", "rtl"}:
            page_direction = metadata.direction or "ltr"
            self.style = self.style._replace(dir="" if direction == page_direction else direction)
        if (style := element.get("style")) and tag not in BLOCK_TAGS:
            for mark in stated_marks(style[:1000]):
                self._mark(mark)
        if tag == "abbr" and (title := element.get("title")):
            self.style = self.style._replace(title=clean_line(title[:300]))

    # Boxes

    def _enter_block(self, entered: _Open, element: HtmlElement, tag: str) -> None:
        box = self.boxes[-1] if self.boxes else None
        if box is not None and not box.open and (close := box.part(element)):
            box.open += 1
            entered.part_of = box
            self._open_flow(entered, BlockBuffer(), close)
        elif len(self.boxes) < MAX_DEPTH:
            if made := self._box(element, tag):
                self._open_box(entered, made)
            elif tag == "li":
                self._open_flow(entered, BlockBuffer(), self._orphan)

    def _box(self, element: HtmlElement, tag: str) -> Box | None:
        """Return the box that an element opens, if it opens one."""
        role = element.get("role")
        named = element.get("class") or ""
        if self.tabs is None and (role in ("tabpanel", "tablist") or "tab" in named.lower()):
            self.tabs = read_tabs(self.page.tree)
        if self.tabs is not None:
            if role == "tabpanel" or self.tabs.has_panel(element):
                return PanelBuilder(label_of(element, self.tabs))
            if role == "tablist" or element in self.tabs.rows:
                return TabListBuilder(self.tabs)
        if tag == "blockquote" and is_post(element):
            return PostBuilder(element, self.links.resolve)
        if tag in _HEADINGS:
            return HeadingBuilder(_HEADINGS[tag])
        if tag in _LISTS:
            return ListBuilder(element)
        if tag in _BOXES:
            return _BOXES[tag](element)
        if role == "heading":
            level = element.get("aria-level") or ""
            return HeadingBuilder(int(level) if level in {"1", "2", "3", "4", "5", "6"} else 3)
        return QuoteBuilder(pull=True) if is_pull(element) else None

    def _orphan(self, flow: BlockBuffer) -> None:
        """Put an item outside any list into one with the items before it."""
        box = ListBuilder(None)
        if self.flow.blocks and isinstance(last := self.flow.blocks[-1], List) and not last.ordered:
            box.items += self.flow.blocks.pop().items  # type: ignore[union-attr]
        box.add(flow)
        self.flow.blocks += box.blocks()

    def _open_box(self, entered: _Open, box: Box) -> None:
        self.flow.flush()
        self._open_flow(entered, box.flow, None)
        entered.box = box
        self.boxes.append(box)

    def _open_flow(
        self, entered: _Open, flow: BlockBuffer, close: Callable[[BlockBuffer], None] | None
    ) -> None:
        entered.flow, entered.close = self.flow, close
        flow.id, self.flow.id = self.flow.id, ""
        self.flow = flow

    def _leave(self, left: _Open) -> None:
        self.style = left.style
        if left.flow is None:
            if left.block:
                self.flow.flush()
            return
        own, self.flow = self.flow, left.flow
        own.flush()
        if left.box is not None:
            self.boxes.pop()
            for block in left.box.blocks():
                self.flow.put(block)
        elif left.close is not None:
            left.close(own)
            if left.part_of is not None:
                left.part_of.open -= 1
                self.flow = left.part_of.flow  # a box begins a new flow between its parts
        if own.id and not self.flow.id:
            self.flow.id = own.id


_BOXES: dict[str, Callable[[HtmlElement], Box | None]] = {
    "blockquote": lambda element: QuoteBuilder(pull=is_pull(element)),
    "dl": lambda _: DefinitionListBuilder(),
    "table": lambda element: TableBuilder() if is_data(element) else None,
    "summary": lambda _: SummaryBuilder(),
}
