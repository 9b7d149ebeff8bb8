"""Inline HTML of an article: text made printable and breakable, spans, notes, highlighted code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, TypeAlias

from markupsafe import Markup, escape

from ..article import MARKS, Note, Paragraph, Span, Spans
from ..options import LinkStyle
from .links import Anchors, display_url, shows_own_url
from .math import formula_html

if TYPE_CHECKING:
    from pygments.lexer import Lexer

#: The name and the attributes of an element.
Element: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]

#: A piece of code, and the name ('' for none) and the class of the element that it is set in.
CodePiece: TypeAlias = tuple[str, str, str]

#: Longer code, or code with longer lines, is not highlighted: a lexer may take very long over it.
MAX_HIGHLIGHTED, MAX_HIGHLIGHTED_LINE = 40_000, 1_000

#: The last word of a long text is not left alone on a line if it is this short.
_LAST_WORD = re.compile(r"(?<!\S)\S{1,15} \S{1,5}\s*$")
_LONGER_THAN_A_LINE = 80

_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,6}")

#: Characters that XML, and so the metadata of a PDF, cannot hold, and the object replacement sign.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\ufffc\ufffe\uffff\ud800-\udfff]"
)

#: More than eight combining marks on one letter are a prank.
_COMBINING = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_STACKED_MARKS = re.compile(f"([{_COMBINING}]{{8}})[{_COMBINING}]+")

#: Long runs of Latin, such as tokens and URLs, get break opportunities.
_BREAK = "\u200b"
_LONG_RUN = re.compile(r"[!-\u024f]{40}(?=[!-\u024f])")

#: A run this long, in a script that has spaces, is made by a machine.  It gets line breaks, since
#: the time to lay it out grows with the square of its length.
_ENDLESS_RUN = re.compile(
    "[^ \t\n\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff00-\uffef\U00020000-\U0003ffff]{800}"
)

#: Characters of a URL after which a line may be broken.
_URL_BREAKS = re.compile(r"[/?&=_.#-](?=\w)|//")

#: Symbols whose glyph in Linux Libertine's semi-bold italic is empty, while its other faces have
#: none: in a list of families they come out blank although a later family could draw them.
_BLANK_SYMBOLS = re.compile(
    "[\u20a5\u20a6\u20a9\u20aa\u20ad\u20ae\u2104\u2107\u2108\u210a\u210b\u2110\u2112\u2114\u2117\u2118\u211b"
    "\u211e\u211f\u2123\u2125\u2128\u2129\u212c-\u212d\u212f-\u2134\u213a\u213c\u2141-\u2144\u25be\u25bf"
    "\u2611\u2613\u2616\u2637\u2638]+"
)


def printable(text: str) -> str:
    """Return text without characters that cannot be printed or stored."""
    return _STACKED_MARKS.sub(r"\1", _UNPRINTABLE.sub("", text))


def breakable(text: str) -> str:
    """Return text whose very long words can be broken."""
    if len(text) <= 40:
        return text
    text = _LONG_RUN.sub(lambda run: run[0] + _BREAK, text)
    return _ENDLESS_RUN.sub(lambda run: run[0] + "\n", text) if len(text) > 800 else text


def breakable_url(url: str) -> str:
    """Return a URL that can be broken after its punctuation and in its long words."""
    return breakable(_URL_BREAKS.sub(lambda sign: sign[0] + _BREAK, url))


def mark_symbols(text: str) -> Markup:
    """Return text as HTML, with symbols that the theme's family lacks marked for another."""
    html = str(escape(text))
    return Markup(_BLANK_SYMBOLS.sub(r'<span class="sign">\g<0></span>', html))  # noqa: S704


def strip_brackets(label: str) -> str:
    """Return the label of a note without brackets, which only a screen needs."""
    label = printable(label).strip()
    is_bracketed = len(label) > 2 and label[0] + label[-1] in ("[]", "()")
    return (label[1:-1] if is_bracketed else label)[:20]


def valid_language(tag: str) -> str:
    """Return a language tag if it is well-formed (BCP 47), else ''."""
    return tag if _LANGUAGE_TAG.fullmatch(tag) else ""


def inline(spans: Spans, anchors: Anchors, links: LinkStyle | None = None) -> Markup:
    """Return spans as HTML; neighbours with the same link or mark share one element.

    ``links`` overrides how the article's link targets are printed.
    """
    style = links or anchors.targets.style
    html: list[str] = []
    open_elements: list[Element] = []
    link_text: list[str] = []
    bears_notes = anchors.bears_notes(spans)
    last_words = _find_last_words(spans)
    for span in spans:
        elements = list(_elements(span, anchors))
        pairs = zip(open_elements, elements, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        html.extend(_end_tags(open_elements[shared:]))
        if not shared:
            html.extend(_link_target(open_elements, link_text, anchors, style, bears_notes))
            link_text = []
        html.extend(_start_tags(elements[shared:]))
        html.append(_content(span, anchors, last_words if span is spans[-1] else 0))
        link_text.append(span.text.replace(_BREAK, ""))
        open_elements = elements
        if bears_notes and (note := anchors.take_footnote(span.note)):
            html.extend(_end_tags(open_elements))
            html.append(_footnote(note, anchors))
            open_elements = []
    html.extend(_end_tags(open_elements))
    html.extend(_link_target(open_elements, link_text, anchors, style, bears_notes))
    return Markup("".join(html))  # noqa: S704 - every piece was escaped


def _find_last_words(spans: Spans) -> int:
    """Return where in the last span two words begin of which the second is too short for a line.

    They are kept together by style, so that the text on paper is the article's.
    """
    if not spans or sum(len(span.text) for span in spans) < _LONGER_THAN_A_LINE:
        return 0
    last = spans[-1]
    if last.math or last.note or last.ruby or "code" in last.marks:
        return 0
    match = _LAST_WORD.search(last.text, max(0, len(last.text) - 40))
    return match.start() if match else 0


def _link_target(
    closed: list[Element], text: list[str], anchors: Anchors, style: LinkStyle, bears_notes: bool
) -> Iterator[str]:
    """Yield what is printed behind a link that was closed: its number or its URL."""
    if style == "none" or not closed or closed[0][0] != "a":
        return
    target = closed[0][1][0][1]
    if target.startswith("#") or shows_own_url("".join(text), target):
        return
    url = escape(breakable_url(display_url(target)))
    if style == "inline":
        yield f' <span class="target">({url})</span>'
        return
    number, is_new = anchors.targets.number(target)
    yield f'<sup class="link">[{number}]</sup>'
    if is_new and style == "footnote" and bears_notes:
        yield (
            f'<span class="footnote"><span class="text"><span class="label">[{number}]</span> '
            f'<a href="{escape(target)}">{url}</a></span></span>'
        )
    elif is_new:
        anchors.targets.listed.append((number, target))


def _footnote(note: Note, anchors: Anchors) -> str:
    """Return a note for the foot of the page; all its blocks are paragraphs."""
    # Its links print their URLs themselves: no footnotes to footnotes.
    style: LinkStyle = "none" if anchors.targets.style == "none" else "inline"
    label = escape(strip_brackets(note.label) or "*")
    html = [f'<span class="footnote" role="doc-footnote" id="{escape(anchors.define(note.id))}">']
    call = anchors.called(note.id)
    sign = f'<a href="{escape(call)}">{label}</a>' if call else str(label)
    prefix = f'<span class="label">{sign}</span> '
    for block in note.blocks:
        if isinstance(block, Paragraph):
            attributes = _language_attributes(block)
            html.extend(_start_tags([("span", (("class", "text"), *attributes))]))
            html.extend((prefix, inline(block.spans, anchors, style), "</span>"))
            prefix = ""
    return "".join((*html, "</span>"))


def _elements(span: Span, anchors: Anchors) -> Iterator[Element]:
    """Yield the elements around the text of a span, outermost first."""
    target = "" if span.note in anchors.notes else anchors.target(span.href)
    if target:
        is_jump = target.startswith("#") and anchors.targets.style != "none"
        yield "a", _attributes(("href", target), ("class", "jump" if is_jump else ""))
    title = span.title if "abbr" in span.marks else ""
    if attributes := (*_language_attributes(span), *_attributes(("title", title))):
        yield "span", attributes
    if span.note:
        yield "sup", (("class", "call"),)
        return
    for mark in MARKS:
        if mark in span.marks:
            yield mark, ()


def _content(span: Span, anchors: Anchors, last_words: int = 0) -> str:
    """Return what is inside the elements of a span; what follows ``last_words`` is not broken."""
    if last_words:
        start = _content(replace(span, text=span.text[:last_words]), anchors)
        end = _content(replace(span, text=span.text[last_words:], id=""), anchors)
        return f'{start}<span class="held">{end}</span>'
    text = printable(span.text)
    if span.note:
        return _note_call(text, span.note, anchors)
    html = "<br>".join(map(str, map(mark_symbols, breakable(text).split("\n"))))
    if span.ruby:
        reading = printable(span.ruby)[:60]
        # The annotation is set over the text at half its size; a long one needs room.
        html = (
            f'<ruby style="min-width: {len(reading) / 2}em">{html}<rt>{escape(reading)}</rt></ruby>'
        )
    if span.math:
        html = formula_html(span.math, text, anchors.formulas)
    name = anchors.define(span.id)
    return f'<span id="{escape(name)}">{html}</span>' if name else html


def _note_call(text: str, note: str, anchors: Anchors) -> str:
    label = escape(strip_brackets(text))
    if note not in anchors.notes:
        return str(label)
    name = anchors.call(note)
    attribute = f' id="{escape(name)}"' if name else ""
    return f'<a{attribute} href="{escape(anchors.target("#" + note))}">{label}</a>'


def _language_attributes(text: Span | Paragraph) -> tuple[tuple[str, str], ...]:
    direction = text.dir if text.dir in ("ltr", "rtl") else ""
    return _attributes(("lang", valid_language(text.lang)), ("dir", direction))


def _attributes(*pairs: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, printable(value)) for name, value in pairs if value)


def _start_tags(elements: Iterable[Element]) -> Iterator[str]:
    for name, attributes in elements:
        yield f"<{name}" + "".join(f' {key}="{escape(value)}"' for key, value in attributes) + ">"


def _end_tags(elements: list[Element]) -> Iterator[str]:
    for name, _ in reversed(elements):
        yield f"</{name}>"


def highlight(code: str, language: str) -> Markup:
    """Return code as HTML, highlighted by weight and slant rather than colour.

    Each line is a ``span``, so that continuation lines can be marked.  Keywords are in ``b``,
    comments in ``i``, strings and defined names in ``span``.
    """
    lines: list[list[str]] = [[]]
    for text, tag, kind in split_by_style(printable(code).expandtabs(4), language):
        attribute = f' class="{kind}"' if kind else ""
        for number, line in enumerate(text.split("\n")):
            if number:
                lines[-1].append("\n")
                lines.append([])
            if line:
                html = escape(breakable(line))
                lines[-1].append(f"<{tag}{attribute}>{html}</{tag}>" if tag else html)
    spans = (f'<span class="line">{"".join(line)}</span>' for line in lines if line)
    return Markup("".join(spans))  # noqa: S704 - the text was escaped, the rest is ours


def split_by_style(code: str, language: str) -> list[CodePiece]:
    """Return code split where its style changes; one piece if its language is not known."""
    plain = [(code, "", "")]
    if not language or len(code) > MAX_HIGHLIGHTED:
        return plain
    if max(map(len, code.split("\n"))) > MAX_HIGHLIGHTED_LINE:
        return plain
    lexer = _find_lexer(language)
    if lexer is None:
        return plain
    styled = ((_token_style(token), text) for token, text in lexer.get_tokens(code))
    pieces = [
        ("".join(text for _, text in run), *style)
        for style, run in groupby(styled, lambda pair: pair[0])
    ]
    # A lexer that drops a character would change the code.
    return pieces if "".join(piece[0] for piece in pieces) == code else plain


def _find_lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language[:40], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _token_style(token: Any) -> tuple[str, str]:
    from pygments.token import Comment, Keyword, Literal, Name, Operator

    if token in Comment:
        return "i", ""
    if token in Keyword or token in Operator.Word or token in Name.Tag:
        return "b", ""
    if token in Literal.String:
        return "span", "string"
    if token in Name.Function or token in Name.Class:
        return "span", "name"
    return "", ""
