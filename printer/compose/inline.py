"""Running text: white space folded, marks and links kept, as spans."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from ..article import MARKS, Span, Spans

#: What is in the text for machines: soft hyphens, zero-width characters that are no joiners,
#: control characters, glyphs of icon fonts, halves of surrogate pairs.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff\ufff9-\ufffc\ufffe\uffff\ue000-\uf8ff\ud800-\udfff]"
)
#: The mark that an element puts on its text.
MARKS_OF = {mark: mark for mark in MARKS} | {
    "b": "strong", "i": "em", "s": "del", "strike": "del", "tt": "code",
}  # fmt: skip


class Style(NamedTuple):
    """What a span carries besides its text, in the order of :class:`Span`'s fields."""

    marks: tuple[str, ...] = ()
    href: str = ""
    title: str = ""
    lang: str = ""
    dir: str = ""
    note: str = ""
    ruby: str = ""
    math: str = ""
    id: str = ""


PLAIN = Style()
_STYLE = attrgetter(*Style._fields)


def style_of(span: Span) -> Style:
    """Return what a span carries besides its text."""
    return Style._make(_STYLE(span))


@lru_cache(512)
def with_mark(marks: tuple[str, ...], mark: str) -> tuple[str, ...]:
    """Add a mark, in the order in which marks nest."""
    return tuple(sorted({*marks, mark}, key=MARKS.index))


def clean(text: str) -> str:
    """Drop what is not for reading."""
    if text.isascii() or text.isprintable():
        return text
    return _UNSEEN.sub("", text)


def tidy(text: str) -> str:
    """Return text on one line without what is not for reading."""
    return " ".join(clean(text).split())


class Run:
    """Gathers the text of one paragraph."""

    __slots__ = ("breaks", "parts", "space")

    def __init__(self) -> None:
        self.parts: list[tuple[Style, list[str]]] = []
        self.space = False  # whether white space stands since the last text
        self.breaks = 0  # how many line breaks do

    def add(self, text: str, style: Style) -> None:
        """Add text as it stands in the source."""
        if not (text.isascii() or text.isprintable()):
            text = _UNSEEN.sub("", text)
        folded = " ".join(text.split())
        if not folded:
            self.space = self.space or bool(text)
            return
        if self.parts:
            if self.space or self.breaks or text[0].isspace():
                self._glue(style)
            last, texts = self.parts[-1]
            if last is style or (last == style and joinable(style)):
                texts.append(folded)
            else:
                self.parts.append((style, [folded]))
        else:
            self.parts.append((style, [folded]))
        self.space = text[-1].isspace()
        self.breaks = 0

    def add_whole(self, text: str, style: Style) -> None:
        """Add a span that nothing may join: a formula, a note's sign, text with its reading."""
        if self.parts and (self.space or self.breaks):
            self._glue(style)
        self.parts.append((style, [text]))
        self.forget()

    def _glue(self, style: Style) -> None:
        """Put the line break or the space before text of a style."""
        glue = "\n" if self.breaks else " "
        before, texts = self.parts[-1]
        between = style if before == style else _shared(before, style)
        if between == before and joinable(before):
            texts.append(glue)
        else:
            self.parts.append((between, [glue]))

    def forget(self) -> None:
        """Forget white space and line breaks."""
        self.space, self.breaks = False, 0

    def take(self) -> Spans:
        """Return the text as spans and begin anew."""
        spans = tuple([Span("".join(texts), *style) for style, texts in self.parts])
        self.parts = []
        self.space, self.breaks = False, 0
        return spans


def joinable(style: Style) -> bool:
    """Tell whether text of this style may join more of it."""
    return not (style.note or style.ruby or style.math or style.id)


def _shared(before: Style, after: Style) -> Style:
    """Return what the space between two styles carries: a link's end is not underlined."""
    return PLAIN._replace(
        marks=tuple(mark for mark in before.marks if mark in after.marks),
        href=before.href if before.href == after.href else "",
        lang=before.lang if before.lang == after.lang else "",
        dir=before.dir if before.dir == after.dir else "",
    )


def joined(paragraphs: list[Spans]) -> Spans:
    """Join spans of several paragraphs into one line."""
    spans: list[Span] = []
    for paragraph in paragraphs:
        if spans:
            spans.append(Span(" "))
        spans.extend(paragraph)
    return tuple(spans)
