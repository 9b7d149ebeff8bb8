"""Running text: white space folded, marks and links kept, as spans."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from lxml.html import HtmlElement

from ..article import MARKS, ZERO_WIDTH_SPACE, Span, Spans, plain_text
from ..html.index import Leaf
from ..html.layout import PageLayout

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


def strip_unreadable(text: str) -> str:
    """Drop what is not for reading."""
    if text.isascii() or text.isprintable():
        return text
    return _UNSEEN.sub("", text).replace(ZERO_WIDTH_SPACE, "")


def clean_line(text: str) -> str:
    """Return text on one line without what is not for reading."""
    return " ".join(strip_unreadable(text).split())


class TextRun:
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


#: Lines that an editor wrapped are about this long, in characters.
_NARROW, _WIDE = 50, 130
#: Editors measure in characters or in the widths of letters.
_SLACK = 0.9
_FEWEST_WORDS = 4
#: A line of so many characters that ends as a sentence does is a paragraph.
_LONG = 80
#: A bold line of no more characters heads a longer one.
_LABEL = 90
_STOPS = ".!?…。！？۔।:："
_CLOSING_SIGNS = "\"'”’»)]"


def split_paragraphs(spans: Spans) -> list[Spans]:
    """Return the paragraphs that a run of text with line breaks is.

    Text broken at an editor's margin is one line again.  Pages that put a break where a paragraph
    ends get paragraphs.  All other breaks stay: verses, addresses.
    """
    if not any("\n" in span.text for span in spans):
        return [spans]
    lines = _split_lines(spans)
    if len(lines) < 2:
        return [spans]
    texts = [plain_text(line) for line in lines]
    if _is_wrapped(texts):
        return [_join_lines(lines, " ")]
    paragraphs: list[list[Spans]] = [[lines[0]]]
    for line, text, before in zip(lines[1:], texts[1:], texts, strict=False):
        if min(len(text), len(before)) >= _LONG and _ends_sentence(before) and _ends_sentence(text):
            paragraphs.append([line])
        else:
            paragraphs[-1].append(line)
    return [_join_lines(paragraph, "\n") for paragraph in paragraphs]


def split_labels(spans: Spans) -> list[Spans]:
    """Part lines in bold type from the longer lines that they head."""
    lines = _split_lines(spans)
    if len(lines) < 2:
        return [spans]
    paragraphs: list[list[Spans]] = [[]]
    for line, after in zip(lines, [*lines[1:], ()], strict=True):
        if _heads(line, after):
            paragraphs += [[line], []]
        else:
            paragraphs[-1].append(line)
    return [_join_lines(paragraph, "\n") for paragraph in paragraphs if paragraph]


def _heads(line: Spans, after: Spans) -> bool:
    text, said = plain_text(line), [span for span in line if span.text.strip()]
    return (
        0 < len(text) <= _LABEL
        and max(2 * len(text), _LONG) <= len(below := plain_text(after))
        and not below[:1].islower()
        and all("strong" in span.marks for span in said)
        and "strong" not in after[0].marks
    )


def _split_lines(spans: Spans) -> list[Spans]:
    """Return the lines of a run of text that are not empty."""
    lines: list[list[Span]] = [[]]
    for span in spans:
        first, *rest = span.text.split("\n")
        if not rest:
            lines[-1].append(span)
            continue
        style = style_of(span)
        if first:
            lines[-1].append(Span(first, *style))
        lines += [[Span(text, *style)] if text else [] for text in rest]
    return [tuple(line) for line in lines if line]


def _join_lines(lines: list[Spans], glue: str) -> Spans:
    """Join lines; the glue goes with the text before it, outside its link."""
    joined: list[Span] = []
    style, texts = PLAIN, list[str]()  # of the last span, the others being in ``joined``
    for line in lines:
        first = line[0]
        if texts and (style.href or not joinable(style)):
            joined.append(Span("".join(texts), *style))
            style, texts = PLAIN, [glue]
        elif texts:
            texts.append(glue)
        if texts and not first.href and style_of(first) == style:
            texts.append(first.text)
            line = line[1:]
        if line:
            if texts:
                joined.append(Span("".join(texts), *style))
            joined += line[:-1]
            style, texts = style_of(line[-1]), [line[-1].text]
    return (*joined, Span("".join(texts), *style))


def _is_wrapped(texts: list[str]) -> bool:
    """Tell whether sentences go on after most breaks, and no line had room for the next word."""
    width = max(map(len, texts[:-1]), default=0)
    if not _NARROW <= width <= _WIDE or len(texts[-1]) > width / _SLACK:
        return False
    if any(len(text.split(None, _FEWEST_WORDS)) <= _FEWEST_WORDS for text in texts[:-1]):
        return False  # a list, or a script that parts no words
    breaks = list(pairwise(texts))
    going_on = sum(after[:1].islower() and not _ends_sentence(line) for line, after in breaks)
    return going_on * 2 >= len(breaks) and all(
        len(line) + 1 + len(after.split(None, 1)[0]) > width * _SLACK
        for line, after in breaks
        if after
    )


def _ends_sentence(text: str) -> bool:
    return text.rstrip(_CLOSING_SIGNS)[-1:] in _STOPS and bool(text)


#: A gap this wide is no accident, as a share of the letters' size.
_GAP = 0.2
_OPENING = "([{“‘«„\"'"
#: What ends in one of these goes on.
_OPEN_END = "([{“‘«„-‐"
#: So many small letters are the end of a word, not an initial or a sign.
_FEWEST_LETTERS = 3
_UNTOUCHED = frozenset({"code", "samp", "kbd", "var", "sub", "sup", "mark"})


def needs_space(
    run: TextRun, leaves: tuple[Leaf, Leaf], text: str, style: Style, drawn: PageLayout | None
) -> bool:
    """Tell whether text is to be parted from what is in a run, by their two leaves."""
    said, texts = run.parts[-1]
    marks = (*said.marks, *style.marks)
    # What is added whole, as a formula, is no leaf.
    if not (text[0].isalnum() and joinable(said) and _UNTOUCHED.isdisjoint(marks)):
        return False
    words, (last, leaf) = texts[-1], leaves
    if drawn is not None and _is_gap(drawn, last, leaf):
        begun = words.lstrip(_OPENING)
        return len(begun) > 1 and len(text.strip()) > 1 and begun[-1] not in _OPEN_END
    return not leaf.tail and not _in_sentence(leaf.element) and _meets(words, leaf.element, text)


def _is_gap(drawn: PageLayout, before: Leaf, after: Leaf) -> bool:
    """Tell whether two leaves were drawn beside each other with a gap between."""
    one, other = drawn.texts.get(before), drawn.texts.get(after)
    if one is None or other is None:
        return False
    a, b = one.rect, other.rect
    shared = min(a.bottom, b.bottom) - max(a.top, b.top)
    if shared < min(a.height, b.height) / 2:
        return False
    size = max(one.font.size, other.font.size)
    return max(b.left - a.right, a.left - b.right) >= _GAP * size


def _in_sentence(element: HtmlElement) -> bool:
    """Tell whether an element has text of what holds it before it or behind it."""
    above = element.getparent()
    before = above.text if above is not None else ""
    return bool((before or "").strip() or (element.tail or "").strip())


def _meets(words: str, element: HtmlElement, text: str) -> bool:
    """Tell whether a word ends and another thing begins where two elements meet.

    One of them has a class, one several words; inline markup within a word has neither.
    """
    end = words[-_FEWEST_LETTERS:]
    if not text[0].isupper() or len(end) < _FEWEST_LETTERS or not (end.isalpha() and end.islower()):
        return False
    before = element.getprevious()
    if before is None or before.tail or not (before.get("class") or element.get("class")):
        return False
    return " " in words or " " in text.strip()
