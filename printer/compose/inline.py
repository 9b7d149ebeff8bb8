"""Running text: white space folded, marks and links kept, as spans."""

from __future__ import annotations

import re
from functools import lru_cache
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

    __slots__ = ("_breaks", "_parts", "_space", "id")

    def __init__(self) -> None:
        self._parts: list[tuple[Style, list[str]]] = []
        self._space = False
        self._breaks = 0
        self.id = ""

    def __bool__(self) -> bool:
        return bool(self._parts)

    @property
    def broken(self) -> int:
        """How many line breaks stand since the last text."""
        return self._breaks

    def add(self, text: str, style: Style) -> None:
        """Add text as it stands in the source."""
        text = clean(text)
        folded = " ".join(text.split())
        if not folded:
            self._space = self._space or bool(text)
            return
        self._lead(text[0].isspace(), style)
        self._put(folded, style)
        self._space = text[-1].isspace()

    def add_whole(self, text: str, style: Style) -> None:
        """Add a span that nothing may join: a formula, a note's sign, text with its reading."""
        self._lead(False, style)
        self._parts.append((style, [text]))

    def space(self) -> None:
        """Remember white space."""
        self._space = True

    def line_break(self) -> None:
        """Remember a line break; it counts when text follows."""
        self._breaks += 1

    def _lead(self, space: bool, style: Style) -> None:
        glue = "\n" if self._breaks else " " if space or self._space else ""
        self._space, self._breaks = False, 0
        if not glue or not self._parts:
            return
        before = self._parts[-1][0]
        self._put(glue, style if before == style else _shared(before, style))

    def _put(self, text: str, style: Style) -> None:
        if self._parts and self._parts[-1][0] == style and _joinable(style):
            self._parts[-1][1].append(text)
        else:
            self._parts.append((style, [text]))

    def forget(self) -> None:
        """Forget white space and line breaks before any text."""
        self._space, self._breaks = False, 0

    def take(self) -> Spans:
        """Return the text as spans and begin anew."""
        spans = tuple(Span("".join(texts), *style) for style, texts in self._parts)
        self._parts = []
        self._space, self._breaks = False, 0
        return spans


def _joinable(style: Style) -> bool:
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
