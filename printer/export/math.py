"""Formulas for screens: the page's own MathML, where it is sound, else the drawing with its TeX.

EPUB's readers refuse a book over one faulty formula, so MathML is written only when each of its
elements has as many parts as it must have.
"""

from __future__ import annotations

import re

from lxml import etree

from ..render.inline import printable
from ..render.math import formula_text
from .chapter import Chapter
from .make import local

_MAX_MATHML_REBUILT, _MAX_DEPTH_REBUILT = 20_000, 40

#: How many parts an element has, where it is not any number.
_PARTS = {
    "mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3,
    "munderover": 3,
}  # fmt: skip
_TEXTS = frozenset({"mi", "mn", "mo", "mtext", "ms"})
_EMPTY = frozenset({"mspace", "none", "mprescripts"})
_ROWS = frozenset({"math", "mrow", "msqrt", "mstyle", "mpadded", "mphantom", "merror", "mtd"})
_ATTRIBUTES = {
    "mathvariant": frozenset({
        "normal", "bold", "italic", "bold-italic", "double-struck", "script", "bold-script",
        "fraktur", "bold-fraktur", "sans-serif", "bold-sans-serif", "sans-serif-italic",
        "monospace",
    }),
    "stretchy": frozenset({"true", "false"}),
    "fence": frozenset({"true", "false"}),
    "separator": frozenset({"true", "false"}),
    "accent": frozenset({"true", "false"}),
    "accentunder": frozenset({"true", "false"}),
    "displaystyle": frozenset({"true", "false"}),
    "largeop": frozenset({"true", "false"}),
    "movablelimits": frozenset({"true", "false"}),
    "symmetric": frozenset({"true", "false"}),
    "form": frozenset({"prefix", "infix", "postfix"}),
}  # fmt: skip
_OWN = {
    "mo": frozenset({
        "mathvariant", "stretchy", "fence", "separator", "accent", "form", "largeop",
        "movablelimits", "symmetric",
    }),
    "mover": frozenset({"accent"}),
    "munder": frozenset({"accentunder"}),
    "munderover": frozenset({"accent", "accentunder"}),
    "mstyle": frozenset({"displaystyle"}),
    **{tag: frozenset({"mathvariant"}) for tag in ("mi", "mn", "mtext", "ms")},
}  # fmt: skip


def formula(source: str, text: str, chapter: Chapter, *, display: bool = False) -> etree._Element:
    """Return a formula as MathML, as its drawing, or as text in a ``span``."""
    read = formula_text(source, text)
    if source.startswith("<math") and (math := _mathml(source, chapter)) is not None:
        math.set("alttext", " ".join(read.split()))
        if display:
            math.set("display", "block")
        return math
    drawing = chapter.formulas.get((source, display))
    if drawing is None:
        return chapter.make("span", read, class_="math")
    style = (
        f"width: {drawing.width:.3f}em; height: {drawing.height:.3f}em; "
        f"vertical-align: {-drawing.depth:.3f}em"
    )
    return chapter.make(
        "img", src=chapter.file(drawing.picture), alt=read, class_="math", style=style
    )


def _mathml(source: str, chapter: Chapter) -> etree._Element | None:
    """Return MathML rebuilt from elements and attributes that are known; None for any other."""
    if len(source) > _MAX_MATHML_REBUILT:
        return None
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(source, parser)
    except etree.XMLSyntaxError:
        return None
    return _rebuilt(root, chapter, 0)


def _rebuilt(node: etree._Element, chapter: Chapter, depth: int) -> etree._Element | None:
    tag = local(node)
    if tag == "semantics" and len(node):
        return _rebuilt(node[0], chapter, depth + 1)
    if (
        tag not in _TEXTS | _EMPTY | _ROWS | {"mtable", "mtr", *_PARTS}
        or depth > _MAX_DEPTH_REBUILT
    ):
        return None
    if len(node) != _PARTS.get(tag, len(node)) or (tag == "math") != (depth == 0):
        return None
    made = chapter.make.math(tag)
    for name in _OWN.get(tag, ()):
        if (value := node.get(name)) in _ATTRIBUTES[name] and value is not None:
            made.set(name, value)
    if tag in _TEXTS:
        made.text = " ".join("".join(map(str, node.itertext())).split())
        return made
    inside = {"mtable": "mtr", "mtr": "mtd"}.get(tag)
    for child in () if tag in _EMPTY else node:
        part = _rebuilt(child, chapter, depth + 1)
        if part is None or (inside is not None and local(part) != inside):
            return None
        if inside is None and local(part) in {"mtr", "mtd", "mprescripts", "none"}:
            return None
        made.append(part)
    return made


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
        return " ".join(printable(source).split())
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
