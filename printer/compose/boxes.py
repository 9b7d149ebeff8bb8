"""The labels of notes and warnings set apart from the text, and the sources of quotations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

from lxml.html import HtmlElement

from ..article import Block, Heading, Paragraph, Span, Spans, is_eyebrow, iter_text, plain_text
from ..html.parse import element_line
from ..html.structure import MAX_ATTRIBUTION_CHARS, SOURCE_CLASS
from ..html.visibility import HEADING_TAGS
from ..i18n import fold_words, page_labels
from ..text import COLONS, class_pattern, comparison_key
from .inline import joined, strip_end, strip_start, without_mark

#: Classes of notes and warnings in documentation: those of its generators, plain names, and
#: names of the label above their text.
_BOX_CLASS = re.compile(
    r"(?<!\S)(?:(?:theme-)?admonition|admonitionblock|(?:[\w-]{1,60}-)?callout(?:-card)?"
    r"|markdown-alert|custom-block|notecard|alert-(?:info|warning|danger|success))(?!\S)"
)
#: Including the spans of highlighted code, which are many.
_MAX_ELEMENTS = 2000
#: Without the spans of highlighted code.
_MAX_PLAIN_ELEMENTS = 80


def is_box(element: HtmlElement) -> bool:
    """Return whether an element is a note or a warning set apart from the text.

    A plain name such as "note" needs an ``aside`` or a label; an ``aside`` with a heading needs no
    name.
    """
    classes = (element.get("class") or "")[:500]
    is_headed = _is_headed_aside(element)
    is_named = _BOX_CLASS.search(classes) or _is_labeled_box(element, classes)
    if not (is_headed or is_named) or element.tag == "body":
        return False
    tags = [inner.tag for inner in islice(element.iter(), _MAX_ELEMENTS)]
    if "h2" in tags and not is_headed:
        return False  # a section
    return len(tags) - tags.count("span") <= _MAX_PLAIN_ELEMENTS


_BOX_NAMES = "note|tip|hint|important|warning|caution|danger|attention"
_PLAIN_BOX_CLASS = re.compile(rf"(?<!\S)(?:{_BOX_NAMES}|seealso|alert|notice)(?!\S)", re.IGNORECASE)
#: The end of a class that names a kind of box with a label: 'my-note', 'tip-box', 'TipBoxWrapper'.
_ENDS_IN_BOX_NAME = re.compile(
    rf"(?:[-_](?:{_BOX_NAMES})"
    rf"|(?<![a-z])(?:{_BOX_NAMES})[-_]?box(?:[-_]?(?:container|wrapper))?)(?!\S)",
    re.IGNORECASE,
)
#: Elements that need no label to be boxes.
_SET_OFF_TAGS = frozenset({"aside", "section", "blockquote"})


def _is_labeled_box(element: HtmlElement, classes: str) -> bool:
    is_plain = _PLAIN_BOX_CLASS.search(classes) is not None
    if not is_plain and not _ENDS_IN_BOX_NAME.search(classes):
        return False
    is_set_off = is_plain and element.tag in _SET_OFF_TAGS
    has_label = len(element) > 0 and is_box_label(element[0])
    return is_set_off or has_label or _begins_with_bold_word(element)


def _begins_with_bold_word(element: HtmlElement) -> bool:
    """Return whether a bold word labels the text after it, as in '<b>Note:</b> The tide rises'."""
    box = element
    while len(element) and not (element.text or "").strip():
        element = element[0]
        if element.tag in ("strong", "b"):
            word = element_line(element)
            return _is_box_word(word, element_line(box).removeprefix(word))
    return False


_BOX_WORD = re.compile(r"[^\W\d_]{2,20}[:：!]?")
#: Characters between a label and the text after it.
_LABEL_END = " \u00a0\n:："


#: A name of a command or a file, which no word before it governs: 'tide(1)', 'tide.conf'.
_COMMAND = re.compile(r"[\w-]{1,60}[(./_]\w")


def _is_box_word(word: str, following: str) -> bool:
    """Return whether a word says what a box is, and is not the beginning of its first sentence."""
    following = following.strip(_LABEL_END)
    is_sentence = not following[:1].islower() or _COMMAND.match(following) is not None
    is_label = word.endswith(COLONS) or is_sentence
    return is_label and _BOX_WORD.fullmatch(word) is not None


def take_bold_label(blocks: list[Block]) -> Spans:
    """Remove the bold word that begins a box from its blocks and return it."""
    first = blocks[0] if blocks else None
    if not isinstance(first, Paragraph) or "strong" not in first.spans[0].marks:
        return ()
    label, *rest = first.spans
    following = "".join(iter_text(*blocks))[len(label.text) :]
    if not _is_box_word(label.text.strip(), following):
        return ()
    spans = strip_start(tuple(rest), _LABEL_END)
    blocks[:1] = [replace(first, spans=spans)] if spans else []
    return (without_mark(label, "strong"),)


def _is_headed_aside(element: HtmlElement) -> bool:
    """Return whether an element is an ``aside`` of a heading with paragraphs and lists below it."""
    if element.tag != "aside":
        return False
    first, *following = [child.tag for child in islice(element, _MAX_PLAIN_ELEMENTS)] or [""]
    return first in HEADING_TAGS and set(following) <= {"p", "ul", "ol"}


_BOX_LABEL = re.compile(r"title|head(?:er|ing)", re.IGNORECASE)
_MAX_BOX_LABEL_CHARS = 120


def is_box_label(element: HtmlElement) -> bool:
    """Return whether an element that begins a box is its label, such as a paragraph 'Tip'."""
    if element.tag == "summary" or _BOX_LABEL.search((element.get("class") or "")[:500]):
        return len(element_line(element)) <= _MAX_BOX_LABEL_CHARS
    is_above_text = element.tag == "p" and element.getnext() is not None
    return is_above_text and _BOX_WORD.fullmatch(element_line(element)) is not None


#: Removed, as the template prints a dash.
_ATTRIBUTION_START = " \n—–―-"
#: Removed, as a colon ends an introduction above the quotation.
_ATTRIBUTION_END = " \n" + "".join(COLONS)


def attribution(spans: Spans) -> Spans:
    """Return the text of an attribution without the punctuation around it."""
    return strip_end(strip_start(spans, _ATTRIBUTION_START), _ATTRIBUTION_END)


def names_source(element: HtmlElement) -> bool:
    """Return whether an element in a quotation says whose it is."""
    is_named = element.tag in ("footer", "figcaption") or SOURCE_CLASS.search(
        (element.get("class") or "")[:300]
    )
    return bool(is_named) and len(element_line(element)) <= MAX_ATTRIBUTION_CHARS


def take_source(blocks: Iterable[Block]) -> tuple[Spans, list[Block]]:
    """Return the lines of an attribution, separated by commas, and the other blocks."""
    lines: list[Spans] = []
    rest: list[Block] = []
    networks = page_labels("networks") | {"x"}
    for block in blocks:
        if not isinstance(block, Paragraph | Heading):
            rest.append(block)
            continue
        if lines and plain_text(lines[-1])[-1:].isalnum():
            lines[-1] = (*lines[-1], Span(","))
        icons = {s for s in block.spans if s.href and fold_words(s.text[:40]) in networks}
        lines.append(tuple(span for span in block.spans if span not in icons) or block.spans)
    return attribution(joined(lines)), rest


#: The most terms or titles that a folded part has.
_MAX_TITLES = 20


def without_title(blocks: tuple[Block, ...], titles: Iterable[Spans]) -> tuple[Block, ...]:
    """Return the content of a folded part without headings that repeat its title."""
    keys = {comparison_key(plain_text(title)) for title in islice(titles, _MAX_TITLES)}
    return tuple(
        block
        for block in blocks
        if not (isinstance(block, Heading) and comparison_key(plain_text(block.spans)) in keys)
    )


_EYEBROW_CLASS = class_pattern(
    "eyebrow|kicker|(?:over|top|roof)-?line|(?:over|pre|supra?)-?title", re.IGNORECASE
)
#: The most parts of a box that a line above its heading begins, and of that line.
_MAX_PARTS_OF_BOX = 8
_LARGE = HEADING_TAGS | {"li", "img"}


def is_above_heading(element: HtmlElement) -> bool:
    """Return whether an element is a line above a heading: named as such, or first in a box."""
    following = element.getnext()
    while following is not None and following.tag in ("div", "a") and len(following):
        following = following[0]
    inner = [child.tag for child in islice(element.iterdescendants(), _MAX_PARTS_OF_BOX)]
    is_small = len(inner) < _MAX_PARTS_OF_BOX and _LARGE.isdisjoint(inner)
    if following is None or following.tag not in HEADING_TAGS or not is_small:
        return False
    child = element[0] if len(element) == 1 else None
    names = f"{element.get('class') or ''} {'' if child is None else child.get('class') or ''}"
    box = element.getparent()
    is_first = element.tag in ("p", "div") and box[0] is element and len(box) <= _MAX_PARTS_OF_BOX
    if not is_first and not _EYEBROW_CLASS.search(names[:300]):
        return False
    line = element_line(element)
    return not line.isdecimal() and is_eyebrow(Paragraph((Span(line, ("small",)),)))
