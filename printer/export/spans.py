"""Spans as elements: nested marks, safe links, the signs of notes, readings and formulas."""

from __future__ import annotations

from itertools import takewhile

from lxml import etree

from ..article import MARKS, ZERO_WIDTH_SPACE, Span, Spans
from ..render.inline import strip_brackets, valid_language
from .chapter import Chapter
from .make import add
from .math import formula

#: An element around text: its name and its attributes.
_Around = tuple[str, tuple[tuple[str, str], ...]]


def write(parent: etree._Element, spans: Spans, chapter: Chapter) -> None:
    """Put spans at the end of an element; neighbours share the elements that are the same."""
    opened: list[tuple[_Around, etree._Element]] = []
    for span in spans:
        wanted = _around(span, chapter)
        pairs = zip(opened, wanted, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0][0] == pair[1], pairs))
        del opened[shared:]
        for each in wanted[shared:]:
            element = chapter.make(each[0])
            for name, value in each[1]:
                chapter.make.set(element, name, value)
            (opened[-1][1] if opened else parent).append(element)
            opened.append((each, element))
        _content(opened[-1][1] if opened else parent, span, chapter)


def _around(span: Span, chapter: Chapter) -> list[_Around]:
    around: list[_Around] = []
    if not span.note and (href := chapter.places.target(span.href)):
        around.append(("a", (("href", href),)))
    own = (
        ("lang", valid_language(span.lang)),
        ("dir", span.dir if span.dir in ("ltr", "rtl") else ""),
    )
    if any(value for _, value in own):
        around.append(("span", own))
    if span.note:
        return [*around, ("sup", ())]
    title = span.title[:300]
    for mark in MARKS:
        if mark in span.marks:
            around.append((mark, (("title", title),) if mark == "abbr" else ()))
    return around


def _content(parent: etree._Element, span: Span, chapter: Chapter) -> None:
    make = chapter.make
    if name := chapter.places.define(span.id):
        marker = make("span", id=name)
        parent.append(marker)
        parent = marker
    if span.note:
        _call(parent, span, chapter)
    elif span.math:
        parent.append(formula(span.math, span.text, chapter))
    elif span.ruby:
        parent.append(make("ruby", span.text, make("rt", span.ruby[:200])))
    else:
        text = span.text.replace(ZERO_WIDTH_SPACE, "") if "code" in span.marks else span.text
        for number, line in enumerate(text.split("\n")):
            add(parent, make("br") if number else None, line)


def _call(parent: etree._Element, span: Span, chapter: Chapter) -> None:
    """Write the sign of a note."""
    sign = strip_brackets(span.text) or "*"
    if span.note not in chapter.places.notes:
        add(parent, sign)
        return
    parent.append(
        chapter.make(
            "a", sign, href=chapter.places.target(f"#{span.note}"),
            id=chapter.places.call(span.note), epub_type="noteref", role="doc-noteref",
        )
    )  # fmt: skip
