"""Formulas as drawings, aligned with the baseline of the text, and as plain text."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from xml.etree import ElementTree

from markupsafe import Markup

from ..article import Article, Math, block_spans, walk
from ..output import Picture
from ..themes.assets import asset_url
from ..worker_process import WorkerCrashed, WorkerError, WorkerProcess
from . import math_worker
from .math_worker import FONT_SIZE, Drawing

#: The longest source and the most formulas that are typeset; others are printed as text.
MAX_SOURCE, MAX_FORMULAS = 8_000, 2_000

#: Seconds and bytes of memory for all formulas together.
TIME_LIMIT, MEMORY_LIMIT = 20.0, 1_000_000_000

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ufffc\ufffe\uffff\ud800-\udfff]+")

#: MathML elements with two and three children, with the operators written between these.
_OPERATORS = {
    "msub": "_", "msup": "^", "mfrac": "/", "munder": "_", "mover": "^",
    "msubsup": "_^", "munderover": "_^",
}  # fmt: skip
_INVISIBLE_OPERATORS = frozenset("\u2061\u2062\u2063\u2064")
_SPACED_OPERATORS = frozenset("=<>≤≥≠≈≡∈∉→⇒↔+−-±×·")


@dataclass(frozen=True, slots=True)
class Formula:
    """A typeset formula: its picture and its size in ems."""

    picture: Picture
    width: float
    height: float
    depth: float


#: Formulas by source and by whether they are displayed on a line of their own.
Formulas: TypeAlias = Mapping[tuple[str, bool], Formula]


def typeset_formulas(articles: Sequence[Article]) -> Formulas:
    """Typeset the formulas of articles, leaving out those that fail."""
    sources = dict.fromkeys(
        (source, display)
        for source, display in _find_sources(articles)
        if source.strip() and len(source) <= MAX_SOURCE
    )
    keys = list(sources)[:MAX_FORMULAS]
    formulas: dict[tuple[str, bool], Formula] = {}
    # After a timeout or a crash, the formulas finished before are kept.
    for key, drawing in zip(keys, _typeset(keys) if keys else (), strict=False):
        if drawing:
            svg, width, height, depth = drawing
            size = round(width * FONT_SIZE), round(height * FONT_SIZE)
            formulas[key] = Formula(
                Picture(svg.encode(), "image/svg+xml", *size), width, height, depth
            )
    return formulas


def _typeset(keys: list[tuple[str, bool]]) -> list[Drawing]:
    """Typeset formulas in a separate process; start another one if it was killed."""
    drawings: list[Drawing] = []
    deadline = time.monotonic() + TIME_LIMIT
    prepare = math_worker.silence
    with WorkerProcess(prepare, memory_limit=MEMORY_LIMIT, trusted=False) as worker:
        for _ in range(2):
            try:
                worker.call(
                    math_worker.typeset_formulas,
                    keys[len(drawings) :],
                    timeout=deadline - time.monotonic(),
                    on_message=drawings.append,
                )
            except WorkerCrashed as error:
                if error.killed:
                    continue
            except WorkerError:
                pass
            break
    return drawings


def _find_sources(articles: Iterable[Article]) -> Iterator[tuple[str, bool]]:
    for article in articles:
        for block in walk(article.blocks):
            if isinstance(block, Math):
                yield block.source, True
            else:
                spans = (span for spans in block_spans(block) for span in spans)
                yield from ((span.math, False) for span in spans if span.math)


def formula_html(source: str, text: str, formulas: Formulas, *, display: bool = False) -> Markup:
    """Return a formula as HTML: its drawing on the baseline, or its text."""
    reading = _UNPRINTABLE.sub(" ", formula_text(source, text))
    formula = formulas.get((source, display))
    if formula is None:
        return Markup('<span class="math">{}</span>').format(reading)
    size = f"width:{formula.width:.3f}em;height:{formula.height:.3f}em"
    style = f"{size};vertical-align:{-formula.depth:.3f}em"
    picture = Markup('<img class="math" src="{}" alt="{}" style="{}">')
    return picture.format(asset_url(formula.picture), reading, style)


def formula_text(source: str, text: str) -> str:
    """Return a formula as a line of text: TeX unchanged, MathML with operators for structure."""
    if not source.startswith("<math"):
        return source
    try:
        return " ".join(_linearize(ElementTree.fromstring(source)).split())  # noqa: S314
    except (ElementTree.ParseError, RecursionError):
        return text


def _linearize(node: ElementTree.Element) -> str:
    """Return MathML as text, with parentheses around operands of more than one character."""
    parts = [_linearize(child) for child in node]
    tag = node.tag.rpartition("}")[2]
    operators = _OPERATORS.get(tag, "")
    if operators and len(parts) == len(operators) + 1:
        pairs = zip(operators, map(_parenthesize, parts[1:]), strict=True)
        return _parenthesize(parts[0]) + "".join(map("".join, pairs))
    if tag == "msqrt":
        return "√" + _parenthesize("".join(parts) + (node.text or ""))
    if tag == "mroot" and len(parts) == 2:
        return f"{_parenthesize(parts[1])}√{_parenthesize(parts[0])}"
    if tag == "mtable":
        return "[" + "; ".join(parts) + "]"
    if tag == "mtr":
        return ", ".join(parts)
    if tag == "mo":
        sign = (node.text or "").strip()
        if sign in _INVISIBLE_OPERATORS:
            return ""
        return f" {sign} " if sign in _SPACED_OPERATORS else sign
    tails = (part + (child.tail or "") for part, child in zip(parts, node, strict=True))
    return (node.text or "") + "".join(tails)


def _parenthesize(text: str) -> str:
    text = text.strip()
    return text if len(text) == 1 or text.isalnum() else f"({text})"
