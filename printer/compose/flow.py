"""Where composed blocks gather: a flow of blocks with one paragraph being written."""

from __future__ import annotations

from dataclasses import replace

from ..article import Block, Code, Figure, Heading, Paragraph, Rule, Spans, Table
from .breaks import parted
from .inline import Run, joined


class Flow:
    """Blocks in reading order, and the run of text that will be the next paragraph."""

    __slots__ = ("blocks", "floating", "id", "run", "segment")

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.run = Run()
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
            for spans in parted(run.take()):
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
