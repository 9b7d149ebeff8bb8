"""Running text: white space, marks, links, and the meaning of line breaks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, pairwise
from operator import attrgetter
from typing import NamedTuple

from lxml.html import HtmlElement

from ..article import MARKS, ZERO_WIDTH_SPACE, Span, Spans, has_mark_throughout, plain_text
from ..html.index import Leaf
from ..html.page import PageLayout
from ..text import SCENE_BREAK, class_pattern, ends_sentence

_CURRENCIES = "$€£¥₹₽₩₺₴₫"


class Style(NamedTuple):
    """The fields of a :class:`Span` after its text, in the same order."""

    marks: tuple[str, ...] = ()
    href: str = ""
    title: str = ""
    lang: str = ""
    dir: str = ""
    note: str = ""
    ruby: str = ""
    math: str = ""
    id: str = ""


_STYLE = attrgetter(*Style._fields)


def style_of(span: Span) -> Style:
    return Style._make(_STYLE(span))


@lru_cache(512)
def with_mark(marks: tuple[str, ...], mark: str) -> tuple[str, ...]:
    """Return marks with one added, in nesting order."""
    return tuple(sorted({*marks, mark}, key=MARKS.index))


def without_mark(span: Span, unwanted: str) -> Span:
    return replace(span, marks=tuple(mark for mark in span.marks if mark != unwanted))


_BOLD_STYLE = re.compile(r"font-weight\s{0,9}:\s{0,9}(?:bold|[6-9]00)")
_ITALIC_STYLE = re.compile(r"font-style\s{0,9}:\s{0,9}(?:italic|oblique)")


def stated_marks(style: str) -> list[str]:
    """Return the marks equivalent to a ``style`` attribute."""
    if "font-" not in style:
        return []
    return ["strong"] * bool(_BOLD_STYLE.search(style)) + ["em"] * bool(_ITALIC_STYLE.search(style))


_MARK_BY_TAG = {mark: mark for mark in MARKS} | {
    "b": "strong", "i": "em", "s": "del", "strike": "del", "tt": "code",
}  # fmt: skip
#: The class of a bold phrase.
_BOLD_CLASS = re.compile(r"(?:^|[\s_-])(?<!not-)(?:bold|strong)(?=$|\s)")
#: The class of a price that no longer holds, which shops strike through.
_FORMER_PRICE = class_pattern("original|was|old|compare|strike|strikethrough|line-through")
#: The full stops in the title of a work; a reference has more.
_MAX_TITLE_STOPS = 2


def mark_of(element: HtmlElement, tag: str) -> str:
    """Return the mark of an inline element, '' for none.

    A former price is struck through.  A ``cite`` with an author and a link has no mark, as it is
    not the title of a work.
    """
    if tag == "cite" and (
        next(element.iterdescendants("a", "i", "em"), None) is not None
        or element.text_content().count(". ") > _MAX_TITLE_STOPS
    ):
        return ""
    if tag != "span":
        return _MARK_BY_TAG.get(tag, "")
    name = element.get("class") or ""
    if _BOLD_CLASS.search(name):
        return "strong"
    is_price = "price" in name or (element.text or "").strip()[:1] in tuple(_CURRENCIES)
    if not is_price or (element.getprevious() is None and element.getnext() is None):
        return ""
    return "del" if _FORMER_PRICE.search(name) else ""


#: Characters not for reading: soft hyphens, zero-width characters other than joiners and spaces,
#: joiners that join nothing, control characters, glyphs of icon fonts, surrogates.
_UNREADABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u2060\ufeff\ufff9-\ufffc\ufffe\uffff\ue000-\uf8ff\ud800-\udfff]"
    r"|(?<!\S)\u200d"
)


def strip_unreadable(text: str) -> str:
    if text.isascii() or text.isprintable():
        return text
    return _UNREADABLE.sub("", text).replace(ZERO_WIDTH_SPACE, "")


def readable_line(text: str) -> str:
    return " ".join(strip_unreadable(text).split())


#: Characters that only control how adjacent ones are joined and ordered.
_FORMATTING = "\u200b\u200c\u200d\u200e\u200f\u2061\u2062\u2063\u2064\ufe0e\ufe0f"


@dataclass(slots=True, eq=False)
class TextRun:
    """Collects the text of one paragraph."""

    parts: list[tuple[Style, list[str]]] = field(default_factory=list)
    space: bool = False  # whether white space followed the last text
    breaks: int = 0  # the number of line breaks since then

    def add(self, text: str, style: Style) -> None:
        """Add source text, collapsing its white space."""
        if not (text.isascii() or text.isprintable()):
            text = _UNREADABLE.sub("", text)
            if not self.parts and not "".join(text.split()).strip(_FORMATTING):
                return
        collapsed = " ".join(text.split())
        if not collapsed:
            self.space = self.space or bool(text)
            return
        if self.parts:
            if self.space or self.breaks or text[0].isspace():
                self._add_pending_space(style)
            last, texts = self.parts[-1]
            if last == style:
                texts.append(collapsed)
            else:
                self.parts.append((style, [collapsed]))
        else:
            self.parts.append((style, [collapsed]))
        self.space = text[-1].isspace()
        self.breaks = 0

    def add_atom(self, text: str, style: Style) -> None:
        """Add a span that is never merged: a formula, a reference mark, text with ruby."""
        if self.parts and (self.space or self.breaks):
            self._add_pending_space(style)
        self.parts.append((style, [text]))
        self.forget()

    def _add_pending_space(self, style: Style) -> None:
        """Add the pending line break or space before text of a style."""
        glue = "\n" if self.breaks else " "
        last_style, texts = self.parts[-1]
        is_one_style = last_style == style and "kbd" not in style.marks
        glue_style = style if is_one_style else _shared_style(last_style, style)
        if glue_style == last_style:
            texts.append(glue)
        else:
            self.parts.append((glue_style, [glue]))

    def forget(self) -> None:
        self.space, self.breaks = False, 0

    def take(self) -> Spans:
        spans = tuple(
            Span(_complete_address("".join(texts), style.href), *style)
            for style, texts in self.parts
        )
        self.parts = []
        self.forget()
        return spans


#: What shortens an address.
_OMISSION = re.compile(r"\s?(?:…|\.{3})\s?")
_MAX_COMPLETED_CHARS = 200
_MAX_SCHEME_CHARS = len("https://www.")


def _complete_address(text: str, href: str) -> str:
    """Return a link's full address if its text abbreviates it ('https://a.org/ ... page')."""
    beginning, *end = _OMISSION.split(text, 1) if href else (text,)
    if not end or "/" not in beginning:
        return text
    start = href.find(beginning, 0, _MAX_SCHEME_CHARS + len(beginning))
    is_address = start >= 0 and href.endswith(end[0]) and len(href) <= _MAX_COMPLETED_CHARS
    return href[start:] if is_address else text


def is_joinable(style: Style) -> bool:
    """Return whether spans of this style may be merged."""
    return not (style.note or style.ruby or style.math)


PLAIN = Style()


def _shared_style(before: Style, after: Style) -> Style:
    """Return the style of a space: what the text on both sides shares, except ``kbd``."""
    return PLAIN._replace(
        marks=tuple(mark for mark in before.marks if mark in after.marks and mark != "kbd"),
        href=before.href if before.href == after.href else "",
        lang=before.lang if before.lang == after.lang else "",
        dir=before.dir if before.dir == after.dir else "",
    )


def strip_start(spans: Spans, characters: str | None = None) -> Spans:
    """Remove characters, by default white space, from the start of spans."""
    while spans:
        if text := spans[0].text.lstrip(characters):
            return (replace(spans[0], text=text), *spans[1:])
        spans = spans[1:]
    return spans


def strip_end(spans: Spans, characters: str) -> Spans:
    while spans:
        if text := spans[-1].text.rstrip(characters):
            return (*spans[:-1], replace(spans[-1], text=text))
        spans = spans[:-1]
    return spans


def joined(paragraphs: Iterable[Spans], glue: str = " ") -> Spans:
    """Return the spans of several paragraphs as one, by default on one line."""
    return tuple(chain.from_iterable((Span(glue), *spans) for spans in paragraphs if spans))[1:]


#: Text that ends in one of these continues without a space.
_JOINING_CHARACTERS = "([{“‘«„-‐"
_UNSPACED_MARKS = frozenset({"code", "samp", "kbd", "var", "sub", "sup", "mark"})


def needs_space(
    run: TextRun, leaves: tuple[Leaf, Leaf], text: str, style: Style, layout: PageLayout | None
) -> bool:
    """Return whether a space is missing between a run and the text after it.

    With a browser layout, a visible gap is a space.  Otherwise a space is missing between two
    elements if the first ends like a word and the second begins like a new phrase, between links
    or labels in a row, between keys, after a time, and between a label's colon and its value.
    ``leaves`` are the text nodes of the run's end and of the text.
    """
    last_style, texts = run.parts[-1]
    marks = (*last_style.marks, *style.marks)
    last, leaf = leaves
    if last.element.tag == leaf.element.tag == "kbd":
        return not (last.tail or leaf.tail)
    if last.element.tag == "time" and not (last.tail or leaf.tail):
        return text[0].isalnum()
    is_begin = text[0].isalnum() or text[0] in _CURRENCIES
    if not (is_begin and is_joinable(last_style) and _UNSPACED_MARKS.isdisjoint(marks)):
        return False
    text_before = texts[-1]
    if layout is not None and _has_gap(layout, last, leaf):
        word = text_before.lstrip("([{“‘«„\"'")
        return len(word) > 1 and len(text.strip()) > 1 and word[-1] not in _JOINING_CHARACTERS
    if _ends_title(last, leaf, text_before) or _ends_name(last, leaf, text_before, text):
        return True
    begins_label = text[0].isupper() or text[0].isdigit() or _are_tags(last, leaf)
    if _is_label_boundary(text_before, text) or (begins_label and _are_similar(last, leaf)):
        return True
    return not leaf.tail and _is_phrase_boundary(text_before, leaf.element, text)


_TITLE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:title|heading|name|kicker|keyword|label|category)(?:$|\s|__|--)"
)


def _ends_title(title: Leaf, leaf: Leaf, text_before: str) -> bool:
    """Return whether an element with a class ends, and a sentence follows it."""
    names = title.element.get("class")
    if leaf.element is not title.element or not names:
        return False
    if _TITLE_CLASS.search(names) and " " in leaf.text:
        return True
    has_words = " " in text_before.strip() and _ends_word(text_before)
    return has_words and leaf.text[:1].isupper()


def _ends_name(first: Leaf, second: Leaf, text_before: str, text: str) -> bool:
    """Return whether a title, a rank, a brand or a count in brackets ends beside an element."""
    a, b = first.element, second.element
    if first.tail or second.tail or b.getprevious() is None:
        return False
    names = a.get("class") or ""
    if _TITLE_CLASS.search(names) or text_before[0] == "#":
        return text_before[-1].isalnum() and not text[0].islower()
    is_brand = text_before[1:].isupper() and text[0].isupper() and text[1:2].islower()
    return " " in text.strip() and (is_brand or text_before[-1] == ")")


#: This many lower-case letters are the end of a word rather than a symbol.
_MIN_WORD_END = 3


def _ends_word(text: str) -> bool:
    end = text[-_MIN_WORD_END:]
    return len(end) == _MIN_WORD_END and end.isalpha() and end.islower()


def _is_label_boundary(text_before: str, text: str) -> bool:
    """Return whether a word with a colon ends and a name or price begins."""
    is_label = " " in text_before.strip() and text_before.lstrip()[:1].isupper()
    is_value = text[0].isupper() or text[0] in _CURRENCIES or (is_label and text[0].isalpha())
    return is_value and text_before[-1] == ":" and text_before[-2:-1].isalpha()


def _are_similar(first: Leaf, second: Leaf) -> bool:
    """Return whether two texts are in adjacent links, or elements of one class, as labels are."""
    a, b = _link_around(first.element), _link_around(second.element)
    is_named = a.tag == "a" or bool(a.get("class"))
    is_class_same = is_named and (a.tag, a.get("class")) == (b.tag, b.get("class"))
    is_beside = b.getprevious() is a and not (first.tail or second.tail)
    return is_class_same and is_beside and min(len(first.text), len(second.text)) > 1


def _link_around(element: HtmlElement) -> HtmlElement:
    """Return the link around an element if it contains nothing else, as in a button."""
    link = element.getparent()
    is_button = link is not None and link.tag == "a" and len(link) == 1
    return link if is_button and not (link.text or element.tail or "").strip() else element


def _are_tags(first: Leaf, second: Leaf) -> bool:
    """Return whether a text is in a link with a class, and the next one leads elsewhere."""
    a, b = first.element, second.element
    return a.tag == "a" and bool(a.get("class")) and a.get("href") != b.get("href")


#: A smaller gap is not a space.
_MIN_GAP_EM = 0.2


def _has_gap(layout: PageLayout, first_leaf: Leaf, second_leaf: Leaf) -> bool:
    """Return whether two text nodes are on the same line with a gap between them."""
    first, second = layout.texts.get(first_leaf), layout.texts.get(second_leaf)
    if first is None or second is None:
        return False
    a, b = first.rect, second.rect
    overlap = min(a.bottom, b.bottom) - max(a.top, b.top)
    if overlap < min(a.height, b.height) / 2:
        return False
    size = max(first.font.size, second.font.size)
    return max(b.left - a.right, a.left - b.right) >= _MIN_GAP_EM * size


_PRICE_AT_END = re.compile(rf"(?:[{_CURRENCIES}][0-9]+|[0-9][.,][0-9]{{2}}\s?[{_CURRENCIES}]?)$")
_MAX_PRICE_CHARS = 12


def _is_phrase_boundary(text_before: str, element: HtmlElement, text: str) -> bool:
    """Return whether a word or figure ends where one element ends, and a new phrase begins."""
    is_word = _ends_word(text_before) or text_before[-2:].isdecimal()
    has_price = (
        text[0] in _CURRENCIES or _PRICE_AT_END.search(text_before[-_MAX_PRICE_CHARS:]) is not None
    )
    if text[0].islower() or not (is_word or has_price):
        return False
    previous = element.getprevious()
    if previous is None or previous.tail:
        return False
    is_phrase = has_price or " " in text_before or " " in text.strip()
    return is_phrase and bool(element.get("class"))


#: The longest line of an address or a list.
_MAX_VERSE_LINE_CHARS = 72
_ADDRESS = re.compile(r"https?://\S+")
#: A line of a configuration: 'harbour.lights=on'.
_SETTING = re.compile(r"[\w.-]{1,60}\s?=\s?\S")


def split_paragraphs(spans: Spans) -> list[Spans]:
    """Return the paragraphs in text with line breaks.

    Lines of code are kept.  Hard-wrapped text becomes one line.  If a line is longer than those of
    verse and addresses, the text is prose: breaks after sentences separate paragraphs, and those
    inside are dropped.  All other breaks are kept.
    """
    if not any("\n" in span.text for span in spans):
        return [spans]
    lines = split_lines(spans)
    if len(lines) < 2 or has_mark_throughout(spans, "code"):
        return [spans]
    texts = [plain_text(line) for line in lines]
    if _is_hard_wrapped(texts):
        return [join_lines(lines, " ")]
    longest = max(len(_ADDRESS.sub("", text)) for text in texts)
    is_prose = longest > _MAX_VERSE_LINE_CHARS
    ends = [is_prose and ends_sentence(text) for text in texts[:-1]]
    if longest <= 2 * _MAX_VERSE_LINE_CHARS and 2 * sum(ends) < len(ends):
        ends = [False] * len(ends)  # Lines of a list are all set alike.
    paragraphs: list[list[Spans]] = [[lines[0]]]
    for line, text, previous, is_end in zip(lines[1:], texts[1:], texts, ends, strict=False):
        if is_end:
            paragraphs.append([line])
        elif is_prose and _is_broken(previous, text, is_only=len(lines) == 2):
            paragraphs[-1][-1] = join_lines([paragraphs[-1][-1], line], " ")
        else:
            paragraphs[-1].append(line)
    return [join_lines(paragraph, "\n") for paragraph in paragraphs]


#: The end of a sentence or a quotation, with text after it.
_INNER_END = re.compile(r"""\w(?:[.!?…]|[»”"],|,[”"])\s""")
#: At most two words at the beginning of a line, as a name has, before punctuation.
_NAME = re.compile(r"[^\s.,!?…]+(?: [^\s.,!?…]+)?[.,!?…]")


def _is_broken(line: str, following: str, *, is_only: bool) -> bool:
    """Return whether a break is inside a sentence.

    The next line then begins in lower case; if it is the only break, the next line may also begin
    with the name that the sentence needs, after an earlier sentence or a quotation.
    """
    if not line[-1:].isalnum() or _SETTING.match(following):
        return False
    may_end_in_name = is_only and line.rsplit(None, 1)[-1].islower() and ends_sentence(following)
    has_name = may_end_in_name and _NAME.match(following) and _INNER_END.search(line)
    return following[:1].islower() or bool(has_name)


#: A longer line that ends like a sentence is a paragraph.
_MIN_PARAGRAPH_CHARS = 80


def split_labels(spans: Spans) -> list[Spans]:
    """Separate bold lines from the longer lines that they head, and rows of symbols from others."""
    lines = split_lines(spans)
    if len(lines) < 2:
        return [spans]
    paragraphs: list[list[Spans]] = [[]]
    for line, following in zip(lines, [*lines[1:], ()], strict=True):
        if _is_label(line, following) or SCENE_BREAK.fullmatch(plain_text(line)):
            paragraphs += [[line], []]
        else:
            paragraphs[-1].append(line)
    return [join_lines(paragraph, "\n") for paragraph in paragraphs if paragraph]


def _is_label(line: Spans, following: Spans) -> bool:
    min_chars = max(2 * len(plain_text(line)), _MIN_PARAGRAPH_CHARS)
    return len(plain_text(following)) >= min_chars and has_mark_throughout(line, "strong")


def split_lines(spans: Spans) -> list[Spans]:
    """Return the lines of a text run that are not empty."""
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


def join_lines(lines: list[Spans], glue: str) -> Spans:
    """Join lines; the glue is part of the text before it unless that is a link."""
    joined: list[Span] = []
    style, texts = PLAIN, list[str]()  # of the last span, which is not in ``joined`` yet
    for line in lines:
        first = line[0]
        if texts and (style.href or not is_joinable(style)):
            joined.append(Span("".join(texts), *style))
            style, texts = PLAIN, [glue]
        elif texts:
            texts.append(glue)
        if style_of(first) == style:
            texts.append(first.text)
            line = line[1:]
        if line:
            if texts:
                joined.append(Span("".join(texts), *style))
            joined += line[:-1]
            style, texts = style_of(line[-1]), [line[-1].text]
    return (*joined, Span("".join(texts), *style))


# The measure of hard-wrapped lines, and the share of it that they fill.
_MIN_WRAP_CHARS = 50
_MAX_WRAP_CHARS = 130
_MIN_FILLED_SHARE = 0.9
_MIN_WRAP_WORDS = 4


def _is_hard_wrapped(texts: list[str]) -> bool:
    """Return whether most breaks are inside sentences and at the full width of the lines."""
    width = max(map(len, texts[:-1]), default=0)
    if (
        not _MIN_WRAP_CHARS <= width <= _MAX_WRAP_CHARS
        or len(texts[-1]) > width / _MIN_FILLED_SHARE
    ):
        return False
    if any(len(text.split(None, _MIN_WRAP_WORDS)) <= _MIN_WRAP_WORDS for text in texts[:-1]):
        return False  # a list, or a script without spaces
    breaks = list(pairwise(texts))
    inner_breaks = sum(
        next_line[:1].islower() and not ends_sentence(line) for line, next_line in breaks
    )
    return inner_breaks * 2 >= len(breaks) and all(
        len(line) + 1 + len(next_line.split(None, 1)[0]) > width * _MIN_FILLED_SHARE
        for line, next_line in breaks
        if next_line
    )
