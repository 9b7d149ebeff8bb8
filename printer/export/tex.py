"""MathML as TeX, for formats that know formulas only so: its structure kept, its spacing left."""

from __future__ import annotations

import re

from lxml import etree

from ..render.inline import clean
from .make import local

_MAX_MATHML, _MAX_DEPTH = 20_000, 60
_SPECIAL = re.compile(r"[#%&_{}$]")
_PATTERNS = {
    "mfrac": r"\frac{%s}{%s}", "msub": "{%s}_{%s}", "msup": "{%s}^{%s}",
    "msubsup": "{%s}_{%s}^{%s}", "munder": r"\underset{%s}{%s}", "mover": r"\overset{%s}{%s}",
    "munderover": "{%s}_{%s}^{%s}", "mroot": r"\sqrt[%s]{%s}",
}  # fmt: skip
_TURNED = frozenset({"munder", "mover", "mroot"})
#: Signs whose limits TeX itself sets below and above.
_LARGE = frozenset("∑∏∫⋃⋂⨁∮")
_UNSEEN = frozenset("\u2061\u2062\u2063\u2064")


def to_tex(source: str) -> str:
    """Return a formula as TeX on one line, '' for MathML that cannot be read."""
    if not source.startswith("<math"):
        return " ".join(clean(source).split())
    if len(source) > _MAX_MATHML:
        return ""
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        return " ".join(_tex(etree.fromstring(source, parser), 0).split())
    except etree.XMLSyntaxError:
        return ""


def _tex(node: etree._Element, depth: int) -> str:
    tag = local(node)
    text = _SPECIAL.sub(r"\\\g<0>", (node.text or "").strip().replace("\\", r"\backslash "))
    if not len(node) or depth > _MAX_DEPTH:
        return _leaf(tag, text)
    if tag == "semantics":
        return _tex(node[0], depth + 1)
    parts = [_tex(child, depth + 1) for child in node]
    pattern = _PATTERNS.get(tag, "")
    if pattern and len(parts) == pattern.count("%s"):
        if tag in ("munder", "mover") and parts[0].strip() in _LARGE:
            return f"{parts[0]}{'_' if tag == 'munder' else '^'}{{{parts[1]}}}"
        return pattern % tuple(parts[::-1] if tag in _TURNED else parts)
    if tag == "msqrt":
        return rf"\sqrt{{{' '.join(parts)}}}"
    if tag == "mtable":
        return r"\begin{matrix}" + r" \\ ".join(parts) + r"\end{matrix}"
    return " & ".join(parts) if tag == "mtr" else " ".join(parts)


def _leaf(tag: str, text: str) -> str:
    if tag in ("mtext", "ms") and text:
        return rf"\text{{{text}}}"
    if tag == "mi" and len(text) > 1:
        return rf"\mathrm{{{text}}}"
    return "" if text in _UNSEEN else text
