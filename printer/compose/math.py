r"""Formulas: MathML, with its TeX source or as TeX, and TeX in running text.

KaTeX, MathJax and images of formulas keep their source in the page.  In running text, ``\(…\)``
and ``\[…\]`` are always formulas; ``$$…$$`` and ``$…$`` are formulas only on pages that load a
typesetting script, and ``$…$`` only if the page configures it, since prices have dollar signs, too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from lxml import etree, html
from lxml.html import HtmlElement

from ..article import (
    ZERO_WIDTH_SPACE,
    Block,
    Math,
    Paragraph,
    Span,
    iter_spans,
    plain_text,
    transform,
)
from ..html.page import Page
from ..html.parse import local_name
from ..html.structure import MAX_SOURCE, attribute_tex, image_tex
from .inline import readable_line

_MAX_TEX_CHARS = 4000


@dataclass(frozen=True, slots=True)
class FormulaSource:
    """A formula's source, its plain text, and whether it is displayed on a line of its own."""

    source: str
    text: str
    display: bool


_CLASSES = re.compile(
    r"(?:^|\s)(katex(?:-display)?|MathJax(?:_(?:Display|SVG|CHTML|SVG_Display))?|mwe-math-element|ltx_Math)(?:\s|$)"
)


def read_formula(element: HtmlElement) -> FormulaSource | None:
    tag = element.tag
    if tag == "img":
        tex = _plain_tex(image_tex(element))
        return FormulaSource(tex, tex, display=False) if tex else None
    if tag == "script":
        return _script_formula(element)
    if tex := _plain_tex(attribute_tex(element)):
        return FormulaSource(tex, tex, _is_display(element, element))
    if tag not in {"mjx-container", "math"} and not _CLASSES.search(element.get("class") or ""):
        return None
    math = next(element.iter("math"), None)
    if math is None:
        math = _attribute_mathml(element)
    if math is None:
        return None
    notes = (note for note in math.iter("annotation") if note.get("encoding") == _TEX)
    stated = next(("".join(note.itertext()) for note in notes), math.get("alttext") or "")
    tex, root = _plain_tex(stated), _sanitize_mathml(math)
    source = etree.tostring(root, encoding="unicode") if root is not None else ""
    if root is None or len(source) >= MAX_SOURCE:
        source = tex
    else:
        tex = tex or mathml_to_tex(root)
    return FormulaSource(source, tex, _is_display(element, math)) if tex else None


_MATHML = re.compile(r"<math[^>]*>(.*)</math>", re.DOTALL)


def join_formulas(sources: Iterable[str]) -> str:
    """Return one displayed formula for adjacent parts."""
    parts = list(sources)
    matches = [_MATHML.fullmatch(part) for part in parts]
    if len(parts) == 1 or not all(matches):
        return " ".join(parts)
    rows = "".join(f"<mrow>{match[1]}</mrow>" for match in matches if match)
    return f'<math display="block">{rows}</math>'


def _attribute_mathml(element: HtmlElement) -> HtmlElement | None:
    """Return the MathML in an attribute, where MathJax 2 keeps it."""
    source = element.get("data-mathml") or ""
    if not source.startswith("<math") or len(source) > MAX_SOURCE:
        return None
    fragment: HtmlElement = html.fragment_fromstring(source, create_parent="div")
    return next(fragment.iter("math"), None)


def is_preview(element: HtmlElement) -> bool:
    """Return whether an element is MathJax 2's preview or output of the formula after it."""
    classes = element.get("class") or ""
    if classes == "MathJax_Preview":
        return True
    following = element.getnext()
    return (
        classes.startswith("MathJax")
        and following is not None
        and following.tag == "script"
        and (following.get("type") or "").startswith("math/")
    )


def _is_display(element: HtmlElement, math: HtmlElement) -> bool:
    return bool(
        element.get("display") == "true"
        or math.get("display") == "block"
        or "display" in (element.get("class") or "").lower()
    )


_TEX = "application/x-tex"
_STYLED = re.compile(r"\{\\(?:display|text)style (.*)\}")


def _plain_tex(tex: str) -> str:
    """Return TeX without an enclosing group that only sets the style."""
    tex = readable_line(tex[:MAX_SOURCE])
    match = _STYLED.fullmatch(tex)
    return match[1] if match else tex


_MAX_ELEMENTS = 2000
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
#: The white space that MathML ignores at the ends of an element; no-break spaces are kept.
_SPACE = " \t\r\n"
_SPACES = re.compile(f"[{_SPACE}]+")


def _sanitize_mathml(math: HtmlElement) -> etree._Element | None:
    """Return MathML reduced to an allow list, None if it is too large or not allowed."""
    root = etree.Element("math")
    pairs = [(math, root)]
    size = 0
    while pairs:
        node, copy = pairs.pop()
        size += 1
        for name, value in node.items():
            if name in _ATTRIBUTES and len(value) < 100:
                copy.set(name, value)
        copy.text = _SPACES.sub(" ", (node.text or "").strip(_SPACE)) or None
        for child in node:
            tag = local_name(child)
            if tag.startswith("annotation"):
                continue
            if tag not in _ELEMENTS or size > _MAX_ELEMENTS:
                return None
            child_copy = etree.SubElement(copy, tag)
            child_copy.tail = _SPACES.sub(" ", child.tail or "") or None
            pairs.append((child, child_copy))
    return root if len(root) else None


def _script_formula(element: HtmlElement) -> FormulaSource | None:
    kind = element.get("type") or ""
    tex = (element.text or "").strip()
    if not kind.startswith("math/tex") or not tex or len(tex) > MAX_SOURCE:
        return None
    previous = element.getprevious()
    if previous is not None and (
        next(previous.iter("math"), None) is not None or previous.get("data-mathml")
    ):
        return None  # typeset already
    return FormulaSource(tex, tex, "mode=display" in kind.replace(" ", ""))


_ROUND = rf"\\\((?P<round>[^\\]*(?:\\[^()][^\\]*){{0,{_MAX_TEX_CHARS}}}?)\\\)"
_SQUARE = rf"\\\[(?P<square>[^\\]*(?:\\[^\[\]][^\\]*){{0,{_MAX_TEX_CHARS}}}?)\\\]"
_DOUBLE = rf"\$\$(?P<double>[^$]{{1,{_MAX_TEX_CHARS}}})\$\$"
_SINGLE = r"(?<![\\$\w])\$(?P<single>[^\s$](?:[^$\n]{0,300}[^\s$\\])?)\$(?![\d$])"
_TYPESETTER = re.compile(r"mathjax|katex|renderMathInElement", re.IGNORECASE)
_SINGLE_DOLLAR = re.compile(r"""inlineMath\W{1,20}?['"]\$['"]|left['"]?\s?:\s?['"]\$['"]""")


def convert_inline_tex(blocks: tuple[Block, ...], page: Page) -> tuple[Block, ...]:
    """Return blocks with the TeX in their text converted to formulas."""
    if not any(_may_hold_tex(span.text, 1) for span in iter_spans(blocks)):
        return blocks
    dollars = _dollar_delimiters(page)
    if not any(_may_hold_tex(span.text, dollars) for span in iter_spans(blocks)):
        return blocks
    pattern = re.compile("|".join([_ROUND, _SQUARE, _DOUBLE, _SINGLE][: 2 + dollars]), re.DOTALL)

    def replacement(part: Any) -> list[Any] | None:
        if isinstance(part, Paragraph):
            return list(_split_paragraph(part, pattern))
        return [span for span, _ in _split_span(part, pattern)] if isinstance(part, Span) else None

    converted: tuple[Block, ...] = transform(blocks, replacement)
    return converted


def _dollar_delimiters(page: Page) -> int:
    """Return the dollars that delimit formulas on a page: 0 none, 1 double, 2 single and double."""
    level = 0
    for script in page.elements.find("script"):
        text = f"{script.get('src') or ''} {(script.text or '')[:5000]}"
        if _TYPESETTER.search(text):
            level = max(level, 2 if _SINGLE_DOLLAR.search(text) else 1)
    return level


def _may_hold_tex(text: str, dollars: int) -> bool:
    return "\\(" in text or "\\[" in text or (dollars > 0 and "$" in text)


def _split_paragraph(paragraph: Paragraph, pattern: re.Pattern[str]) -> Iterator[Block]:
    """Yield a paragraph split at the displayed formulas inside it."""
    spans: list[Span] = []
    parts = (part for span in paragraph.spans for part in _split_span(span, pattern))
    for span, is_display in parts:
        if not is_display:
            spans.append(span)
            continue
        if plain_text(tuple(spans)):
            yield replace(paragraph, spans=tuple(spans))
            paragraph = replace(paragraph, id="")
        spans = []
        yield Math(span.math, span.text)
    if plain_text(tuple(spans)):
        yield replace(paragraph, spans=tuple(spans))


def _split_span(span: Span, pattern: re.Pattern[str]) -> Iterator[tuple[Span, bool]]:
    """Yield a span split at its formulas, with whether each part is a displayed formula."""
    if span.math or "code" in span.marks:
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
        yield replace(span, text=span.text[end:]), False


_MAX_DEPTH = 60
_SPECIAL = re.compile(r"[#%&_{}$]")
_PATTERNS = {
    "mfrac": r"\frac{%s}{%s}", "msub": "%s_{%s}", "msup": "%s^{%s}",
    "msubsup": "%s_{%s}^{%s}", "munder": r"\underset{%s}{%s}", "mover": r"\overset{%s}{%s}",
    "munderover": "%s_{%s}^{%s}", "mroot": r"\sqrt[%s]{%s}",
}  # fmt: skip
#: Operators whose limits TeX places below and above.
_LARGE_OPERATORS = frozenset({r"\sum", r"\prod", r"\int", "⋃", "⋂", "⨁", "∮"})
#: What needs no braces before a subscript.
_NEEDS_NO_BRACES = re.compile(r"\\[a-zA-Z]+|.?")


def mathml_to_tex(root: etree._Element) -> str:
    """Return a formula as TeX on one line."""
    return " ".join(_tex(root, 0).split())


#: The commands of symbols other than Greek letters.
_COMMANDS = {
    "±": "pm", "×": "times", "…": "ldots", "⋯": "cdots", "⋅": "cdot", "→": "rightarrow",
    "∂": "partial", "∇": "nabla", "∏": "prod", "∑": "sum", "∞": "infty", "∫": "int", "∈": "in",
    "≠": "neq", "≤": "leq", "≥": "geq", "ϕ": "phi", "λ": "lambda",
}  # fmt: skip
_GREEK = "GREEK SMALL LETTER "
_INVISIBLE_OPERATORS = "\u2061\u2062\u2063\u2064"


def _tex(node: etree._Element, depth: int) -> str:
    tag = local_name(node)
    text = _SPECIAL.sub(r"\\\g<0>", (node.text or "").strip().replace("\\", r"\backslash "))
    if not len(node) or depth > _MAX_DEPTH:
        return _token(tag, text)
    if tag == "semantics":
        return _tex(node[0], depth + 1)
    parts = [_tex(child, depth + 1) for child in node]
    pattern = _PATTERNS.get(tag, "")
    if pattern and len(parts) == pattern.count("%s"):
        if tag in ("munder", "mover") and parts[0].strip() in _LARGE_OPERATORS:
            return f"{parts[0]}{'_' if tag == 'munder' else '^'}{{{parts[1]}}}"
        if pattern.startswith("%s") and not _NEEDS_NO_BRACES.fullmatch(parts[0]):
            parts[0] = f"{{{parts[0]}}}"
        return pattern % tuple(parts[::-1] if tag in {"munder", "mover", "mroot"} else parts)
    if tag == "msqrt":
        return rf"\sqrt{{{' '.join(parts)}}}"
    if tag == "mtable":
        return r"\begin{matrix}" + r" \\ ".join(parts) + r"\end{matrix}"
    return " & ".join(parts) if tag == "mtr" else " ".join(parts)


def _token(tag: str, text: str) -> str:
    if tag in ("mtext", "ms") and text:
        return rf"\text{{{text}}}"
    if tag == "mi" and len(text) > 1:
        return rf"\mathrm{{{text}}}"
    if len(text) == 1:
        greek = unicodedata.name(text, "").partition(_GREEK)[2].lower()
        command = _COMMANDS.get(text, greek if greek.isalpha() else "")
        return rf"\{command}" if command else text.replace("−", "-").strip(_INVISIBLE_OPERATORS)
    return text
