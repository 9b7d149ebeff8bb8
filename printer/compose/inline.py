"""Running text: white space folded, marks and links kept, as spans."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from ..article import MARKS, ZERO_WIDTH_SPACE, Span, Spans

#: What is in the text for machines: soft hyphens, zero-width characters that are no joiners and
#: no spaces, control characters, glyphs of icon fonts, halves of surrogate pairs.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u2060\ufeff\ufff9-\ufffc\ufffe\uffff\ue000-\uf8ff\ud800-\udfff]"
)
_WHITE = re.compile(r"\s+")
#: Zero-width spaces and the white space around them, folded.
_JOINTS = re.compile(f" ?{ZERO_WIDTH_SPACE}[ {ZERO_WIDTH_SPACE}]*")
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
_BOLD = re.compile(r"font-weight\s{0,9}:\s{0,9}(?:bold|[6-9]00)")
_ITALIC = re.compile(r"font-style\s{0,9}:\s{0,9}(?:italic|oblique)")
_STYLE = attrgetter(*Style._fields)


def style_of(span: Span) -> Style:
    """Return what a span carries besides its text."""
    return Style._make(_STYLE(span))


@lru_cache(512)
def with_mark(marks: tuple[str, ...], mark: str) -> tuple[str, ...]:
    """Add a mark, in the order in which marks nest."""
    return tuple(sorted({*marks, mark}, key=MARKS.index))


def stated_marks(style: str) -> list[str]:
    """Return the marks that a ``style`` attribute stands for."""
    if "font-" not in style:
        return []
    return ["strong"] * bool(_BOLD.search(style)) + ["em"] * bool(_ITALIC.search(style))


def clean(text: str) -> str:
    """Drop what is not for reading."""
    if text.isascii() or text.isprintable():
        return text
    return _UNSEEN.sub("", text).replace(ZERO_WIDTH_SPACE, "")


def tidy(text: str) -> str:
    """Return text on one line without what is not for reading."""
    return " ".join(clean(text).split())


class Run:
    """Gathers the text of one paragraph."""

    __slots__ = ("breaks", "joint", "parts", "space")

    def __init__(self) -> None:
        self.parts: list[tuple[Style, list[str]]] = []
        self.space = False  # whether white space stands since the last text
        self.breaks = 0  # how many line breaks do
        self.joint = False  # whether a line may be broken here, inside a word

    def add(self, text: str, style: Style) -> None:
        """Add text as it stands in the source."""
        after = False
        if not (text.isascii() or text.isprintable()):
            text = _UNSEEN.sub("", text)
            if ZERO_WIDTH_SPACE in text:
                before, text, after = _jointed(text)
                self.joint = self.joint or before
        folded = " ".join(text.split())
        if not folded:
            self.space = self.space or bool(text)
            return
        if self.parts:
            if self.space or self.breaks or text[0].isspace():
                self._glue(style)
            elif self.joint:
                folded = ZERO_WIDTH_SPACE + folded
            last, texts = self.parts[-1]
            if last is style or (last == style and joinable(style)):
                texts.append(folded)
            else:
                self.parts.append((style, [folded]))
        else:
            self.parts.append((style, [folded]))
        self.space = text[-1].isspace()
        self.breaks = 0
        self.joint = after

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
        self.space, self.breaks, self.joint = False, 0, False

    def take(self) -> Spans:
        """Return the text as spans and begin anew."""
        spans = tuple([Span("".join(texts), *style) for style, texts in self.parts])
        self.parts = []
        self.space, self.breaks, self.joint = False, 0, False
        return spans


def _jointed(text: str) -> tuple[bool, str, bool]:
    """Return text with one zero-width space at a place, within words, and whether at its ends."""
    folded = _JOINTS.sub(_joint, _WHITE.sub(" ", text))
    begins, ends = folded.startswith(ZERO_WIDTH_SPACE), folded.endswith(ZERO_WIDTH_SPACE)
    return begins, folded.strip(ZERO_WIDTH_SPACE), ends


def _joint(found: re.Match[str]) -> str:
    return " " if " " in found[0] else ZERO_WIDTH_SPACE


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
