"""MathML as TeX."""

from __future__ import annotations

import re
from unicodedata import name

from lxml import etree

_MAX_DEPTH = 60
_SPECIAL = re.compile(r"[#%&_{}$]")
_PATTERNS = {
    "mfrac": r"\frac{%s}{%s}", "msub": "%s_{%s}", "msup": "%s^{%s}",
    "msubsup": "%s_{%s}^{%s}", "munder": r"\underset{%s}{%s}", "mover": r"\overset{%s}{%s}",
    "munderover": "%s_{%s}^{%s}", "mroot": r"\sqrt[%s]{%s}",
}  # fmt: skip
_REVERSED = frozenset({"munder", "mover", "mroot"})
#: Operators whose limits TeX places below and above.
_LARGE_OPERATORS = frozenset({r"\sum", r"\prod", r"\int", "⋃", "⋂", "⨁", "∮"})
#: The commands of other signs; those of Greek letters are their names.
_COMMANDS = {
    "±": "pm", "×": "times", "…": "ldots", "⋯": "cdots", "⋅": "cdot", "→": "rightarrow",
    "∂": "partial", "∇": "nabla", "∏": "prod", "∑": "sum", "∞": "infty", "∫": "int", "∈": "in",
    "≠": "neq", "≤": "leq", "≥": "geq", "ϕ": "phi", "λ": "lambda",
}  # fmt: skip
_GREEK = "GREEK SMALL LETTER "
#: What needs no braces before a subscript.
_SINGLE = re.compile(r"\\[a-zA-Z]+|.?")
_INVISIBLE_OPERATORS = "\u2061\u2062\u2063\u2064"


def local_name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def mathml_to_tex(root: etree._Element) -> str:
    """Return a formula as TeX on one line."""
    return " ".join(_tex(root, 0).split())


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
        if pattern.startswith("%s") and not _SINGLE.fullmatch(parts[0]):
            parts[0] = f"{{{parts[0]}}}"
        return pattern % tuple(parts[::-1] if tag in _REVERSED else parts)
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
        greek = name(text, "").partition(_GREEK)[2].lower()
        command = _COMMANDS.get(text, greek if greek.isalpha() else "")
        return rf"\{command}" if command else text.replace("−", "-").strip(_INVISIBLE_OPERATORS)
    return text
