"""Spans to inline HTML: nested elements, safe addresses, links that lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, TypeAlias

from markupsafe import Markup, escape

from ..article import MARKS, Note, Paragraph, Span, Spans
from ..options import LinkStyle
from .links import SCHEMES as SCHEMES
from .links import Anchors as Anchors
from .links import display_url, shows_own_url
from .math import formula_html

if TYPE_CHECKING:
    from pygments.lexer import Lexer


#: An element that is open: its name and its attributes, in order.
Element: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]

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

#: Signs after which an address is broken, when something follows that belongs to it.
_JOINTS = re.compile(r"[/?&=_.#-](?=\w)|//")

#: Marks above and below one letter; more than a few are a prank.
_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_PILED = re.compile(f"([{_MARKS}]{{8}})[{_MARKS}]+")


#: Signs of which Linux Libertine's semi-bold italic has a form with nothing in it, and its other
#: faces none: in a list of faces they come out blank where a later face could draw them.
_HOLLOW = re.compile(
    "[\u20a5\u20a6\u20a9\u20aa\u20ad\u20ae\u2104\u2107\u2108\u210a\u210b\u2110\u2112\u2114\u2117\u2118\u211b"
    "\u211e\u211f\u2123\u2125\u2128\u2129\u212c-\u212d\u212f-\u2134\u213a\u213c\u2141-\u2144\u25be\u25bf"
    "\u2611\u2613\u2616\u2637\u2638]+"
)


def signs(text: str) -> Markup:
    """Return text as HTML, with signs that the theme's face has no form of in another."""
    html = str(escape(text))
    return Markup(_HOLLOW.sub(r'<span class="sign">\g<0></span>', html))  # noqa: S704 - escaped


#: A last word of so few signs is not left alone on a line, where a text is longer than one.
_LAST = re.compile(r"(?<!\S)\S{1,15} \S{1,5}\s*$")
_LONGER_THAN_A_LINE = 80


def printable(text: str) -> str:
    """Return text without what cannot be printed or stored."""
    return _PILED.sub(r"\1", _CONTROLS.sub("", text))


def breakable(text: str) -> str:
    """Return text whose endless words can be broken; those of a machine are cut into lines."""
    if len(text) <= 40:
        return text
    text = _LONG.sub(lambda run: run[0] + _BREAK, text)
    return _ENDLESS.sub(lambda run: run[0] + "\n", text) if len(text) > 800 else text


def breakable_address(text: str) -> str:
    """Return an address with places to break the line after its signs, and in its long words."""
    return breakable(_JOINTS.sub(lambda sign: sign[0] + _BREAK, text))


def valid_language(tag: str) -> str:
    """Return a language tag that is one, else ''."""
    return tag if _LANG.fullmatch(tag) else ""


def inline(spans: Spans, anchors: Anchors, links: LinkStyle | None = None) -> Markup:
    """Return spans as HTML; neighbours under the same link or mark share one element.

    ``links`` is how their targets are named, when that is not how it is done all over.
    """
    style = links or anchors.targets.style
    html: list[str] = []
    still_open: list[Element] = []
    linked: list[str] = []  # the text of the link that is open
    under = anchors.holds_notes(spans)
    last, held = _last_words(spans)
    for span in spans:
        wanted = list(_elements(span, anchors))
        both = zip(still_open, wanted, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
        html.extend(_closing(still_open[shared:]))
        if not shared:
            html.extend(_reference(still_open, linked, anchors, style, under))
            linked = []
        html.extend(_opening(wanted[shared:]))
        html.append(_content(span, anchors, held if span is last else 0))
        linked.append(span.text.replace(_BREAK, ""))
        still_open = wanted
        if under and (note := anchors.at_foot(span.note)):
            html.extend(_closing(still_open))
            html.append(_footnote(note, anchors))
            still_open = []
    html.extend(_closing(still_open))
    html.extend(_reference(still_open, linked, anchors, style, under))
    return Markup("".join(html))  # noqa: S704 - every piece was escaped


def _last_words(spans: Spans) -> tuple[Span | None, int]:
    """Return the span with a last word too short for a line of its own, and where to hold it.

    It is held to the word before by style, so that the text on paper is the article's.
    """
    last = spans[-1] if spans else None
    if last is None or last.math or last.note or last.ruby or "code" in last.marks:
        return None, 0
    match = _LAST.search(last.text, max(0, len(last.text) - 40))
    if match is None or sum(len(span.text) for span in spans) < _LONGER_THAN_A_LINE:
        return None, 0
    return last, match.start()


def _reference(
    closed: list[Element], text: list[str], anchors: Anchors, style: LinkStyle, under: bool
) -> Iterator[str]:
    """Yield what stands behind a link that was closed: its number or its address."""
    if style == "none" or not closed or closed[0][0] != "a":
        return
    target = closed[0][1][0][1]
    if target.startswith("#") or shows_own_url("".join(text), target):
        return
    address = escape(breakable_address(display_url(target)))
    if style == "inline":
        yield f' <span class="target">({address})</span>'
        return
    number, first = anchors.targets.number(target)
    yield f'<sup class="link">[{number}]</sup>'
    if first and style == "footnote" and under:
        yield (
            f'<span class="footnote"><span class="text"><span class="label">[{number}]</span> '
            f'<a href="{escape(target)}">{address}</a></span></span>'
        )
    elif first:
        anchors.targets.put_at_end(number, target)


def _footnote(note: Note, anchors: Anchors) -> str:
    """Return a note for the foot of the page; what is no paragraph is not set there."""
    name = anchors.define(note.id)
    # A note that is at the foot already names addresses itself: no notes under notes.
    style: LinkStyle = "none" if anchors.targets.style == "none" else "inline"
    html = [f'<span class="footnote" role="doc-footnote" id="{escape(name)}">']
    sign = f'<span class="label">{_back(note, anchors)}</span> '
    for block in note.blocks:
        if isinstance(block, Paragraph):
            own = _attributes(
                ("lang", valid_language(block.lang)),
                ("dir", block.dir if block.dir in ("ltr", "rtl") else ""),
            )
            html.extend(_opening([("span", (("class", "text"), *own))]))
            html.extend((sign, inline(block.spans, anchors, style), "</span>"))
            sign = ""
    return "".join((*html, "</span>"))


def _back(note: Note, anchors: Anchors) -> str:
    sign = escape(strip_brackets(note.label) or "*")
    back = anchors.called(note.id)
    return f'<a href="{escape(back)}">{sign}</a>' if back else str(sign)


def _elements(span: Span, anchors: Anchors) -> Iterator[Element]:
    """Yield the elements around a span's text, outermost first."""
    target = "" if span.note in anchors.notes else anchors.target(span.href)
    if target:
        jump = target.startswith("#") and anchors.targets.style != "none"
        yield "a", _attributes(("href", target), ("class", "jump" if jump else ""))
    around = _attributes(
        ("lang", valid_language(span.lang)),
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


def _content(span: Span, anchors: Anchors, held: int = 0) -> str:
    """Return what stands inside a span's elements, with what begins at ``held`` in one line."""
    if held:
        begins = _content(replace(span, text=span.text[:held]), anchors)
        ends = _content(replace(span, text=span.text[held:], id=""), anchors)
        return f'{begins}<span class="held">{ends}</span>'
    text = printable(span.text)
    if span.note:
        return _call(text, span.note, anchors)
    html = "<br>".join(map(str, map(signs, breakable(text).split("\n"))))
    if span.ruby:
        reading = printable(span.ruby)[:60]
        # The reading stands over the text at half its size; a long one makes room for itself.
        html = (
            f'<ruby style="min-width: {len(reading) / 2}em">{html}<rt>{escape(reading)}</rt></ruby>'
        )
    if span.math:
        html = formula_html(span.math, text, anchors.formulas)
    name = anchors.define(span.id)
    return f'<span id="{escape(name)}">{html}</span>' if name else html


def _call(text: str, note: str, anchors: Anchors) -> str:
    sign = escape(strip_brackets(text))
    if note not in anchors.notes:
        return str(sign)
    own = anchors.call(note)
    name = f' id="{escape(own)}"' if own else ""
    return f'<a{name} href="{escape(anchors.target("#" + note))}">{sign}</a>'


def strip_brackets(text: str) -> str:
    """Return a note's sign without the brackets that a screen needs and paper does not."""
    text = printable(text).strip()
    inside = text[1:-1] if len(text) > 2 and text[0] + text[-1] in ("[]", "()") else text
    return inside[:20]


def _attributes(*pairs: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, printable(value)) for name, value in pairs if value)


def _opening(elements: Iterable[Element]) -> Iterator[str]:
    for name, attributes in elements:
        yield f"<{name}" + "".join(f' {key}="{escape(value)}"' for key, value in attributes) + ">"


def _closing(elements: list[Element]) -> Iterator[str]:
    for name, _ in reversed(elements):
        yield f"</{name}>"


#: Longer code, or code with longer lines, is printed plain: a lexer may take very long over it.
LONGEST = 40_000
LONGEST_LINE = 1_000

#: A piece of code with the element it stands in ('' for none) and that element's class.
Piece = tuple[str, str, str]


def highlight(code: str, language: str) -> Markup:
    """Return code as HTML, a ``span`` a line, so that a line that is broken can be marked.

    Keywords are in ``b``, comments in ``i``, strings and names that are defined in ``span``.
    """
    lines: list[list[str]] = [[]]
    for text, tag, kind in split_by_style(printable(code).expandtabs(4), language):
        own = f' class="{kind}"' if kind else ""
        for number, line in enumerate(text.split("\n")):
            if number:
                lines[-1].append("\n")
                lines.append([])
            if line:
                shown = escape(breakable(line))
                lines[-1].append(f"<{tag}{own}>{shown}</{tag}>" if tag else shown)
    html = (f'<span class="line">{"".join(line)}</span>' for line in lines if line)
    return Markup("".join(html))  # noqa: S704 - the text was escaped, the rest is ours


def split_by_style(code: str, language: str) -> list[Piece]:
    """Return code cut where its look changes; one piece when its language is not known."""
    plain = [(code, "", "")]
    if not language or len(code) > LONGEST:
        return plain
    if max(map(len, code.split("\n"))) > LONGEST_LINE:
        return plain
    lexer = _lexer(language)
    if lexer is None:
        return plain
    looks = ((_look(kind), text) for kind, text in lexer.get_tokens(code))
    pieces = [
        ("".join(text for _, text in run), *look) for look, run in groupby(looks, lambda t: t[0])
    ]
    # A lexer that drops a character would change the code it shows.
    return pieces if "".join(piece[0] for piece in pieces) == code else plain


def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language[:40], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _look(kind: Any) -> tuple[str, str]:
    from pygments.token import Comment, Keyword, Literal, Name, Operator

    if kind in Comment:
        return "i", ""
    if kind in Keyword or kind in Operator.Word or kind in Name.Tag:
        return "b", ""
    if kind in Literal.String:
        return "span", "string"
    if kind in Name.Function or kind in Name.Class:
        return "span", "name"
    return "", ""
