"""Spans to inline HTML: nested elements, safe addresses, links that lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TypeAlias

from markupsafe import Markup, escape

from ..article import MARKS, Article, Note, Span, Spans
from .blocks import walk

#: An element that is open: its name and its attributes, in order.
Element: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]

#: Schemes that a link may have, on paper and in HTML.
SCHEMES = ("http://", "https://", "mailto:")

_LANG = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,6}")

#: Characters that XML, and so a PDF's metadata, cannot hold, and the object replacement sign.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\ufffc\ufffe\uffff\ud800-\udfff]")

#: A line break opportunity is put into every run of Latin this long: a token, an address.
_LONG = re.compile(r"[!-\u024f]{40}(?=[!-\u024f])")
_BREAK = "\u200b"

#: A line is broken in a run this long that no script writes without a space: only a machine makes
#: one, and laying it out takes a time that grows with its square.
_ENDLESS = re.compile(
    "[^ \t\n\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff00-\uffef\U00020000-\U0003ffff]{800}"
)

#: Marks above and below one letter; more than a few are a prank.
_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_PILED = re.compile(f"([{_MARKS}]{{8}})[{_MARKS}]+")


def clean(text: str) -> str:
    """Return text without what cannot be printed or stored."""
    return _PILED.sub(r"\1", _CONTROLS.sub("", text))


def breakable(text: str) -> str:
    """Return text whose endless words can be broken; those of a machine are cut into lines."""
    if len(text) <= 40:
        return text
    text = _LONG.sub(lambda run: run[0] + _BREAK, text)
    return _ENDLESS.sub(lambda run: run[0] + "\n", text) if len(text) > 800 else text


def language(tag: str) -> str:
    """Return a language tag that is one, else ''."""
    return tag if _LANG.fullmatch(tag) else ""


@dataclass(slots=True)
class Anchors:
    """The ids of one article: each is defined once, and links lead to those that exist.

    ``prefix`` keeps the ids of several articles in one document apart.
    """

    prefix: str = ""
    known: frozenset[str] = frozenset()
    notes: frozenset[str] = frozenset()
    _defined: set[str] = field(default_factory=set)
    _called: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, article: Article, prefix: str = "") -> Anchors:
        """Find every id of an article."""
        known: set[str] = set()
        notes: set[str] = set()
        for block in walk(article.blocks):
            known.add(getattr(block, "id", ""))
            known.update(span.id for span in getattr(block, "spans", ()))
            known.update(item.id for item in getattr(block, "items", ()))
            if isinstance(block, Note):
                notes.add(block.id)
        return cls(prefix, frozenset(known - {""}), frozenset(notes))

    def define(self, name: str) -> str:
        """Return the id to set for a name: '' when it is empty or was set before."""
        if not name or name in self._defined:
            return ""
        self._defined.add(name)
        return self.prefix + _identifier(name)

    def target(self, href: str) -> str:
        """Return where a link leads: a safe address, a place in this article, or ''."""
        if href.startswith("#"):
            name = href[1:]
            return f"#{self.prefix}{_identifier(name)}" if name in self.known else ""
        return href if href.lower().startswith(SCHEMES) else ""

    def call(self, note: str) -> str:
        """Return the id of a note's sign in the text, '' when the note was called before."""
        if note in self._called:
            return ""
        self._called.add(note)
        return f"{self.prefix}call-{_identifier(note)}"

    def called(self, note: str) -> str:
        """Return where the first sign of a note stands, '' when there is none."""
        return f"#{self.prefix}call-{_identifier(note)}" if note in self._called else ""


def _identifier(name: str) -> str:
    return re.sub(r"[^\w.-]", "_", name[:100]) or "_"


def inline(spans: Spans, anchors: Anchors) -> Markup:
    """Return spans as HTML; neighbours under the same link or mark share one element."""
    html: list[str] = []
    still_open: list[Element] = []
    for span in spans:
        wanted = list(_elements(span, anchors))
        both = zip(still_open, wanted, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
        html.extend(_closing(still_open[shared:]))
        html.extend(_opening(wanted[shared:]))
        html.append(_content(span, anchors))
        still_open = wanted
    html.extend(_closing(still_open))
    return Markup("".join(html))  # noqa: S704 - every piece was escaped


def _elements(span: Span, anchors: Anchors) -> Iterator[Element]:
    """Yield the elements around a span's text, outermost first."""
    target = "" if span.note in anchors.notes else anchors.target(span.href)
    if target:
        yield "a", _attributes(("href", target))
    around = _attributes(
        ("lang", language(span.lang)),
        ("dir", span.dir if span.dir in ("ltr", "rtl") else ""),
        ("title", span.title if "abbr" in span.marks else ""),
    )
    if around:
        yield "span", around
    if span.note:
        yield "sup", (("class", "call"),)
        return
    for mark in MARKS:
        if mark in span.marks:
            yield mark, ()


def _content(span: Span, anchors: Anchors) -> str:
    """Return what stands inside a span's elements."""
    text = clean(span.text)
    if span.note:
        return _call(text, span.note, anchors)
    html = "<br>".join(str(escape(line)) for line in breakable(text).split("\n"))
    if span.ruby:
        reading = clean(span.ruby)[:60]
        # The reading stands over the text at half its size; a long one makes room for itself.
        html = (
            f'<ruby style="min-width: {len(reading) / 2}em">{html}<rt>{escape(reading)}</rt></ruby>'
        )
    if span.math:
        html = f'<span class="math">{html}</span>'
    name = anchors.define(span.id)
    return f'<span id="{escape(name)}">{html}</span>' if name else html


def _call(text: str, note: str, anchors: Anchors) -> str:
    sign = escape(bare_sign(text))
    if note not in anchors.notes:
        return str(sign)
    own = anchors.call(note)
    name = f' id="{escape(own)}"' if own else ""
    return f'<a{name} href="{escape(anchors.target("#" + note))}">{sign}</a>'


def bare_sign(text: str) -> str:
    """Return a note's sign without the brackets that a screen needs and paper does not."""
    text = clean(text).strip()
    inside = text[1:-1] if len(text) > 2 and text[0] + text[-1] in ("[]", "()") else text
    return inside[:20]


def _attributes(*pairs: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, clean(value)) for name, value in pairs if value)


def _opening(elements: Iterable[Element]) -> Iterator[str]:
    for name, attributes in elements:
        yield f"<{name}" + "".join(f' {key}="{escape(value)}"' for key, value in attributes) + ">"


def _closing(elements: list[Element]) -> Iterator[str]:
    for name, _ in reversed(elements):
        yield f"</{name}>"
