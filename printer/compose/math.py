"""Formulas: MathML, and the TeX that KaTeX, MathJax and pictures of formulas keep beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from lxml import etree, html
from lxml.html import HtmlElement

from ..article import ZERO_WIDTH_SPACE, Block, Math, Paragraph, Span, plain_text
from ..html.page import Page
from .inline import clean_line

_MAX_SOURCE = 20_000
_TEX = "application/x-tex"
_CLASSES = re.compile(
    r"(?:^|\s)(katex(?:-display)?|MathJax(?:_(?:Display|SVG|CHTML|SVG_Display))?|mwe-math-element|ltx_Math)(?:\s|$)"
)
_WRAPPERS = frozenset({"mjx-container", "math", "script"})
_STYLED = re.compile(r"\{\\(?:display|text)style (.*)\}")
_PICTURE = re.compile(r"(?:^|[\s_-])(?:latex|tex|math|formula|equation)(?:[\s_-]|$)", re.IGNORECASE)
_SHOWN = re.compile(r"(?:^|[\s_-])(?:display|block|displayed)(?:[\s_-]|$)", re.IGNORECASE)
_ELEMENTS = frozenset({
    "math", "mi", "mn", "mo", "mtext", "mspace", "ms", "mrow", "mfrac", "msqrt", "mroot", "mstyle",
    "merror", "mpadded", "mphantom", "mfenced", "menclose", "msub", "msup", "msubsup", "munder",
    "mover", "munderover", "mmultiscripts", "mprescripts", "none", "mtable", "mtr", "mtd",
    "mlabeledtr", "semantics",
})  # fmt: skip
_ATTRIBUTES = frozenset({
    "display", "mathvariant", "stretchy", "fence", "separator", "accent", "accentunder", "form",
    "linethickness", "columnalign", "rowalign", "columnspan", "rowspan", "displaystyle",
    "scriptlevel", "open", "close", "separators", "notation", "width", "lspace", "rspace",
    "largeop", "movablelimits", "symmetric", "minsize", "maxsize", "columnlines", "rowlines",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula's source, its plain reading, and whether it stands on a line of its own."""

    source: str
    text: str
    display: bool


def read_formula(element: HtmlElement) -> Formula | None:
    """Read the formula that an element is; None when it is none or says nothing."""
    tag = element.tag
    if tag == "img":
        return _pictured(element)
    if tag == "script":
        return _scripted(element)
    if tag not in _WRAPPERS and not _CLASSES.search(element.get("class") or ""):
        return None
    math = element if tag == "math" else next(element.iter("math"), None)
    if math is None:
        math = _kept_beside(element)
    if math is None:
        return None
    tex = _annotation(math)
    source, text = _mathml(math)
    source, text = source or tex, text or tex
    return Formula(source, text, _is_display(element, math)) if source and text else None


def _kept_beside(element: HtmlElement) -> HtmlElement | None:
    """Return the MathML that MathJax 2 keeps in an attribute of what it typeset."""
    kept = element.get("data-mathml") or ""
    if not kept.startswith("<math") or len(kept) > _MAX_SOURCE:
        return None
    fragment: HtmlElement = html.fragment_fromstring(kept, create_parent="div")
    return next(fragment.iter("math"), None)


def is_preview(element: HtmlElement) -> bool:
    """Tell whether an element only shows until a formula is typeset, or is what it became.

    MathJax 2 leaves the source in a script after the glyphs it drew; the source is read.
    """
    named = element.get("class") or ""
    if named == "MathJax_Preview":
        return True
    after = element.getnext()
    return (
        named.startswith("MathJax")
        and after is not None
        and after.tag == "script"
        and (after.get("type") or "").startswith("math/")
    )


def _is_display(element: HtmlElement, math: HtmlElement) -> bool:
    if element.get("display") == "true" or "display" in (element.get("class") or "").lower():
        return True
    above = element.getparent()
    if above is not None and "katex-display" in (above.get("class") or ""):
        return True
    return bool(math.get("display") == "block" or math.get("mode") == "display")


def _annotation(math: HtmlElement) -> str:
    for note in math.iter("annotation"):
        if note.get("encoding") == _TEX:
            return _plain_tex("".join(note.itertext()))
    return _plain_tex(math.get("alttext") or "")


def _plain_tex(tex: str) -> str:
    """Return TeX without the braces that only set its style."""
    tex = clean_line(tex[:_MAX_SOURCE])
    match = _STYLED.fullmatch(tex)
    return match[1] if match else tex


def _mathml(math: HtmlElement) -> tuple[str, str]:
    """Copy MathML by an allow-list, and its text; '' when it is too large or holds other things."""
    copy = etree.Element("math")
    pairs = [(math, copy)]
    size = 0
    while pairs:
        node, mine = pairs.pop()
        size += 1
        for name, value in node.items():
            if name in _ATTRIBUTES and len(value) < 100:
                mine.set(name, value)
        mine.text = node.text
        for child in node:
            tag = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
            if tag.startswith("annotation"):
                continue
            if tag not in _ELEMENTS or size > 2000:
                return "", ""
            made = etree.SubElement(mine, tag)
            made.tail = child.tail
            pairs.append((child, made))
    source = etree.tostring(copy, encoding="unicode")
    text = clean_line("".join(map(str, copy.itertext())))
    return (source, text) if len(copy) and len(source) < _MAX_SOURCE else ("", "")


def _scripted(element: HtmlElement) -> Formula | None:
    kind = element.get("type") or ""
    tex = (element.text or "").strip()
    if not kind.startswith("math/tex") or not tex or len(tex) > _MAX_SOURCE:
        return None
    before = element.getprevious()
    if before is not None and (
        next(before.iter("math"), None) is not None or before.get("data-mathml")
    ):
        return None  # typeset already
    return Formula(tex, tex, "mode=display" in kind.replace(" ", ""))


def is_formula_image(image: HtmlElement) -> bool:
    """Tell whether a picture is that of a formula."""
    return _pictured(image) is not None


def _pictured(element: HtmlElement) -> Formula | None:
    alt = clean_line((element.get("alt") or "")[:_MAX_SOURCE])
    named = f"{element.get('class') or ''} {element.get('src') or ''}"[:300]
    if not alt or not _PICTURE.search(named.partition("?")[0]) or not re.search(r"[\\^_={}]", alt):
        return None
    tex = _plain_tex(alt)
    return Formula(tex, tex, bool(_SHOWN.search(named)))


_MAX_TEX = 4000
_ROUND = rf"\\\((?P<round>[^\\]*(?:\\[^()][^\\]*){{0,{_MAX_TEX}}}?)\\\)"
_SQUARE = rf"\\\[(?P<square>[^\\]*(?:\\[^\[\]][^\\]*){{0,{_MAX_TEX}}}?)\\\]"
_DOUBLE = rf"\$\$(?P<double>[^$]{{1,{_MAX_TEX}}})\$\$"
_SINGLE = r"(?<![\\$\w])\$(?P<single>[^\s$](?:[^$\n]{0,300}[^\s$\\])?)\$(?![\d$])"

_TYPESETTER = re.compile(r"mathjax|katex", re.IGNORECASE)
_DOLLAR = re.compile(r"""inlineMath\W{1,20}?['"]\$['"]|left['"]?\s?:\s?['"]\$['"]""")


def convert_inline_tex(blocks: tuple[Block, ...], page: Page) -> tuple[Block, ...]:
    """Return blocks with the TeX in their text as formulas."""
    # Most pages have none: their blocks need not be looked into.
    dollars = any("$" in segment.text for segment in page.segments)
    if not dollars and not any("\\(" in s.text or "\\[" in s.text for s in page.segments):
        return blocks
    signs = _dollar_signs(page) if dollars else 0
    if not any(_may_hold(block, signs) for block in blocks):
        return blocks
    patterns = [_ROUND, _SQUARE]
    patterns += [_DOUBLE] if signs >= 1 else []
    patterns += [_SINGLE] if signs >= 2 else []
    return tuple(_mapped(blocks, re.compile("|".join(patterns), re.DOTALL)))


def _dollar_signs(page: Page) -> int:
    """Return how many kinds of dollar signs are formulas on a page: none, double, single too."""
    found = 0
    for script in page.tree.iter("script"):
        text = f"{script.get('src') or ''} {(script.text or '')[:5000]}"
        if _TYPESETTER.search(text) or "renderMathInElement" in text:
            found = max(found, 2 if _DOLLAR.search(text) else 1)
    return found


def _may_hold(value: Any, signs: int) -> bool:
    if isinstance(value, Span):
        text = value.text
        return "\\(" in text or "\\[" in text or (bool(signs) and "$" in text)
    if isinstance(value, tuple):
        return any(_may_hold(each, signs) for each in value)
    if is_dataclass(value):
        values = (getattr(value, field.name) for field in fields(value))
        return any(_may_hold(each, signs) for each in values if isinstance(each, tuple))
    return False


def _mapped(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, tuple):
        if value and isinstance(value[0], Span):
            return tuple(each for span in value for each, _ in _parted(span, pattern))
        return tuple(made for each in value for made in _made(each, pattern))
    if is_dataclass(value) and not isinstance(value, type):
        inner = ((field.name, getattr(value, field.name)) for field in fields(value))
        changed = {name: _mapped(each, pattern) for name, each in inner if isinstance(each, tuple)}
        return replace(value, **changed)
    return value


def _made(value: Any, pattern: re.Pattern[str]) -> Iterator[Any]:
    """Yield what a value becomes: a paragraph is parted by the formulas displayed in it."""
    if not isinstance(value, Paragraph):
        yield _mapped(value, pattern)
        return
    spans: list[Span] = []
    for span, display in (pair for each in value.spans for pair in _parted(each, pattern)):
        if not display:
            spans.append(span)
            continue
        if plain_text(tuple(spans)):
            yield replace(value, spans=tuple(spans))
            value = replace(value, id="")
        spans = []
        yield Math(span.math, span.text)
    if plain_text(tuple(spans)):
        yield replace(value, spans=tuple(spans))


def _parted(span: Span, pattern: re.Pattern[str]) -> Iterator[tuple[Span, bool]]:
    """Yield a span cut where formulas begin and end, and whether each part is one displayed."""
    if span.math or span.note or span.ruby or "code" in span.marks or "kbd" in span.marks:
        yield span, False
        return
    end = 0
    for match in pattern.finditer(span.text):
        source = match[match.lastgroup or 0].replace(ZERO_WIDTH_SPACE, "").strip()
        if not source:
            continue
        if match.start() > end:
            yield replace(span, text=span.text[end : match.start()]), False
        formula = replace(span, text=" ".join(source.split()), math=source, id="")
        yield formula, match.lastgroup in {"square", "double"}
        end = match.end()
    if end < len(span.text):
        yield replace(span, text=span.text[end:]) if end else span, False
