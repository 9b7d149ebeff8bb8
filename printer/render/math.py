"""Formulas as drawings with a plain reading, set on the baseline of the text around them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree

from markupsafe import Markup

from ..article import Article, Math, block_spans, walk
from ..output import Picture
from ..themes.assets import asset_url
from .math_worker import ALL, SIZE

#: Longer sources, and more formulas than these, are printed as text.
LONGEST = 8_000
MOST = 2_000


_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ufffc\ufffe\uffff\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as it is drawn: its picture and what it measures in ems."""

    picture: Picture
    width: float
    height: float
    depth: float


#: Formulas by source and whether they are displayed on a line of their own.
Formulas: TypeAlias = Mapping[tuple[str, bool], Formula]


def typeset_formulas(articles: Sequence[Article]) -> Formulas:
    """Draw the formulas of articles; one that cannot be drawn is not there."""
    wanted = list(dict.fromkeys(key for key in _sources(articles) if _drawable(key[0])))[:MOST]
    if not wanted:
        return {}
    found: dict[tuple[str, bool], Formula] = {}
    for key, line in zip(wanted, _lines(wanted), strict=False):
        if outcome := json.loads(line):
            svg, width, height, depth = outcome
            picture = Picture(
                svg.encode(), "image/svg+xml", round(width * SIZE), round(height * SIZE)
            )
            found[key] = Formula(picture, width, height, depth)
    return found


def _lines(wanted: list[tuple[str, bool]], *, again: bool = True) -> list[str]:
    """Return the answers of the program that draws, as many as it gave in its time.

    One that was killed is asked once more for what is missing.
    """
    late = False
    program = Path(__file__).with_name("math_worker.py")
    process = subprocess.Popen(  # noqa: S603 - our own program, sources on its standard input
        [sys.executable, "-P", str(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )
    with process:
        try:
            out, _ = process.communicate(json.dumps(wanted), timeout=ALL)
        except subprocess.TimeoutExpired:
            late = True
            process.kill()
            out, _ = process.communicate()
    lines = out.split("\n")[:-1]  # what stands after the last line break was cut off
    if process.returncode < 0 and again and not late:
        return lines + _lines(wanted[len(lines) :], again=False)
    return lines


def _sources(articles: Iterable[Article]) -> Iterable[tuple[str, bool]]:
    for article in articles:
        for block in walk(article.blocks):
            if isinstance(block, Math):
                yield block.source, True
            else:
                yield from (
                    (span.math, False)
                    for spans in block_spans(block)
                    for span in spans
                    if span.math
                )


def _drawable(source: str) -> bool:
    return bool(source.strip()) and len(source) <= LONGEST


def formula_html(source: str, text: str, formulas: Formulas, *, display: bool = False) -> Markup:
    """Return a formula as HTML: its drawing on the baseline, or its reading."""
    read = _CONTROL.sub(" ", formula_text(source, text))
    made = formulas.get((source, display))
    if made is None:
        return Markup('<span class="math">{}</span>').format(read)
    size = f"width:{made.width:.3f}em;height:{made.height:.3f}em;vertical-align:{-made.depth:.3f}em"
    picture = Markup('<img class="math" src="{}" alt="{}" style="{}">')
    return picture.format(asset_url(made.picture), read, size)


def formula_text(source: str, text: str) -> str:
    """Return a formula as a line of text: TeX as it is, MathML with its structure in signs."""
    if not source.startswith("<math"):
        return source
    try:
        return " ".join(_linear(ElementTree.fromstring(source)).split())  # noqa: S314
    except (ElementTree.ParseError, RecursionError):
        return text


_PAIRS = {"msub": "_", "msup": "^", "mfrac": "/", "munder": "_", "mover": "^"}
_TRIPLES = {"msubsup", "munderover"}


def _linear(node: ElementTree.Element) -> str:
    """Return MathML as text, what a sign governs in brackets where it is more than one thing."""
    parts = [_linear(child) for child in node]
    tag = node.tag.rpartition("}")[2]
    if tag in _PAIRS and len(parts) == 2:
        base, other = map(_grouped, parts)
        return f"{base}{_PAIRS[tag]}{other}"
    if tag in _TRIPLES and len(parts) == 3:
        base, below, above = map(_grouped, parts)
        return f"{base}_{below}^{above}"
    if tag == "msqrt":
        return "√" + _grouped("".join(parts) + (node.text or ""))
    if tag == "mroot" and len(parts) == 2:
        return f"{_grouped(parts[1])}√{_grouped(parts[0])}"
    if tag == "mtable":
        return "[" + "; ".join(parts) + "]"
    if tag == "mtr":
        return ", ".join(parts)
    if tag == "mo":
        return _operator((node.text or "").strip())
    tails = (part + (child.tail or "") for part, child in zip(parts, node, strict=True))
    return (node.text or "") + "".join(tails)


def _operator(sign: str) -> str:
    if sign in {"\u2061", "\u2062", "\u2063", "\u2064"}:  # signs that are not seen
        return ""
    return f" {sign} " if sign in set("=<>≤≥≠≈≡∈∉→⇒↔+−-±×·") else sign


def _grouped(text: str) -> str:
    text = text.strip()
    return text if len(text) == 1 or text.isalnum() else f"({text})"
