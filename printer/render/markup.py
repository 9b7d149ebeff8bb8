"""Inline markup of articles for print and screens: ids, links, nested elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TypeAlias

from markupsafe import Markup, escape

from ..article import MARKS, Article, List, Note, Paragraph, Span, Spans, block_spans, walk

#: An element's name and its attributes as markup.
Element: TypeAlias = tuple[str, Markup]

#: The names of headings below the title of an article.
HEADINGS = ("h2", "h3", "h4", "h5", "h6")

#: Characters that XML, and so a PDF's metadata, cannot contain; the object replacement character.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\ufffc\ufffe\uffff\ud800-\udfff]"
)
#: Combining marks; more than eight on one letter are a prank.
_COMBINING = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_STACKED_MARKS = re.compile(f"([{_COMBINING}]{{8}})[{_COMBINING}]+")
#: An ideograph or its punctuation.
_IDEOGRAPH = "[\u3001-\u303f\u3400-\u9fff\uff01-\uff5e]"
#: Ideographs with a space after each, which stretch a title or a whole text.
_SPACED_IDEOGRAPHS = re.compile(f"(?:{_IDEOGRAPH} ){{6}}")
_SPACE_BETWEEN_IDEOGRAPHS = re.compile(f"(?<={_IDEOGRAPH}) +(?={_IDEOGRAPH})")


def close_up_ideographs(text: str) -> str:
    """Return text without the spaces between ideographs if six in a row have one after each."""
    if text.isascii() or not _SPACED_IDEOGRAPHS.search(text):
        return text
    return _SPACE_BETWEEN_IDEOGRAPHS.sub("", text)


def printable(text: str) -> str:
    """Return text without characters that cannot be printed or stored, and ideographs closed up."""
    text = close_up_ideographs(text)
    return _STACKED_MARKS.sub(r"\1", _UNPRINTABLE.sub("", text))


def strip_brackets(label: str) -> str:
    """Return the label of a note without the page's own brackets."""
    label = printable(label).strip()
    is_bracketed = len(label) > 2 and label[0] + label[-1] in ("[]", "()")
    return (label[1:-1] if is_bracketed else label)[:20]


_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,6}")


def valid_language(tag: str) -> str:
    """Return a well-formed language tag (BCP 47), with Bokmål for Norwegian, or ''."""
    tag = tag if _LANGUAGE_TAG.fullmatch(tag) else ""
    primary, hyphen, subtags = tag.partition("-")
    return f"nb{hyphen}{subtags}" if primary.lower() == "no" else tag


def valid_direction(direction: str) -> str:
    return direction if direction in ("ltr", "rtl") else ""


#: Characters that an XML parser would normalize in text and in attributes.
_LINE_ENDS = {ord("\r"): "&#13;"}


def escape_text(text: str) -> Markup:
    html = str(escape(printable(text)))
    return Markup(html.translate(_LINE_ENDS))  # noqa: S704 - escaped


_WHITE_SPACE = {ord("\r"): "&#13;", ord("\n"): "&#10;", ord("\t"): "&#9;"}


def attributes(epub: bool = False, /, **values: object) -> Markup:
    """Return attributes as markup, without empty ones; ``epub_type`` is only for EPUB."""
    parts: list[str] = []
    for name, value in values.items():
        text = "" if value is None or value is False else printable(str(value))
        if not text or (name == "epub_type" and not epub):
            continue
        text = str(escape(text)).translate(_WHITE_SPACE)
        parts.append(f' {"epub:type" if name == "epub_type" else name.rstrip("_")}="{text}"')
        if name == "lang" and epub:
            parts.append(f' xml:lang="{text}"')
    return Markup("".join(parts))  # noqa: S704 - escaped


_UNSAFE_IN_IDS = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(slots=True)
class Ids:
    """The ids of an article: unique, ASCII, each defined once.

    XML allows fewer characters in ids than HTML.  ``prefix`` distinguishes the articles of a
    document; ``link`` returns the safe form of a URL, '' if it must not be linked.
    """

    prefix: str
    link: Callable[[str], str]
    notes: dict[str, Note] = field(default_factory=dict)
    _ids: dict[str, str] = field(default_factory=dict)
    _calls: dict[str, str] = field(default_factory=dict)
    _defined: set[str] = field(default_factory=set)
    _used: dict[str, int] = field(default_factory=dict)  # with the last number after each id

    def collect(self, article: Article) -> None:
        """Assign an id to every name in an article."""
        for block in walk(article.blocks):
            names = [getattr(block, "id", "")]
            names += [span.id for spans in block_spans(block) for span in spans]
            if isinstance(block, List):
                names += [item.id for item in block.items]
            for name in filter(None, names):
                if name not in self._ids:
                    self._ids[name] = self.fresh(name)
            if isinstance(block, Note):
                self.notes.setdefault(block.id, block)

    def fresh(self, name: str) -> str:
        """Return an unused id made from a name."""
        base = self.prefix + (_UNSAFE_IN_IDS.sub("-", name[:60]).strip("-") or "place")
        id_ = base
        while id_ in self._used:
            self._used[base] += 1
            id_ = f"{base}-{self._used[base]}"
        self._used[id_] = 1
        return id_

    def define(self, name: str) -> str:
        """Return the id to define for a name, '' if it has none or is already defined."""
        if name in self._defined or name not in self._ids:
            return ""
        self._defined.add(name)
        return self._ids[name]

    def target(self, href: str) -> str:
        """Return the target of a link: a safe URL, a place in the article, or ''."""
        if href.startswith("#"):
            id_ = self._ids.get(href[1:])
            return f"#{id_}" if id_ else ""
        return self.link(href)

    def call(self, note: str) -> str:
        """Return the id of a note's first reference mark, '' for later ones."""
        if note in self._calls:
            return ""
        self._calls[note] = self.fresh(f"call-{note}")
        return self._calls[note]

    def called(self, note: str) -> str:
        """Return the link to a note's first reference mark, '' if there is none."""
        return f"#{self._calls[note]}" if note in self._calls else ""


def language_attributes(text: Span | Paragraph, epub: bool = False) -> Markup:
    """Return the language and the direction of a span or a paragraph."""
    return attributes(epub, lang=valid_language(text.lang), dir=valid_direction(text.dir))


def span_elements(
    span: Span, link: Markup, *, epub: bool = False, call_class: str = ""
) -> Iterator[Element]:
    """Yield the elements around a span, outermost first.

    ``link`` has the attributes of its link.  A reference mark is in a ``sup`` of ``call_class``.
    """
    if link:
        yield "a", link
    if language := language_attributes(span, epub):
        yield "span", language
    if span.note:
        yield "sup", attributes(class_=call_class)
        return
    for mark in MARKS:
        if mark in span.marks:
            yield mark, attributes(title=mark == "abbr" and span.title[:300])


def nest(
    spans: Spans,
    elements: Callable[[Span], Iterable[Element]],
    content: Callable[[Span], str],
    after_element: Callable[[list[Span]], str] = lambda _: "",
    after_span: Callable[[Span], str] = lambda _: "",
) -> Markup:
    """Return spans as markup; adjacent spans share equal elements.

    ``elements`` returns the elements around a span, outermost first; ``content`` returns their
    content.  ``after_element`` returns the markup after an outermost element, given its spans, and
    ``after_span`` the markup after a span, outside all elements.
    """
    parts: list[str] = []
    open_elements: list[Element] = []
    inside: list[Span] = []
    for span in spans:
        nested = list(elements(span))
        pairs = zip(open_elements, nested, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        parts += _end_tags(open_elements[shared:])
        if not shared:
            parts.append(after_element(inside))
            inside = []
        parts += [f"<{name}{values}>" for name, values in nested[shared:]]
        parts.append(content(span))
        inside.append(span)
        open_elements = nested
        if markup := after_span(span):
            parts += [*_end_tags(open_elements), markup]
            open_elements, inside = [], []
    parts += [*_end_tags(open_elements), after_element(inside)]
    return Markup("".join(parts))  # noqa: S704 - all parts are markup


def _end_tags(elements: list[Element]) -> list[str]:
    return [f"</{name}>" for name, _ in reversed(elements)]
