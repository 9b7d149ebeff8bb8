"""Formulas as drawings, aligned with the baseline of the text, and as plain text.

They are typeset in a separate process, since a hostile one may never end: the time of layout
doubles with each level of nesting, so each formula has a deadline, and the process has a memory
limit.  TeX is parsed, not executed.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from xml.etree import ElementTree

from markupsafe import Markup

from ..article import Article, Math, block_spans, walk
from ..output import Picture
from ..themes.loader import asset_url
from ..worker_process import WorkerCrashed, WorkerError, WorkerProcess, notify


@dataclass(frozen=True, slots=True)
class Formula:
    """A typeset formula: its picture and its size in ems."""

    picture: Picture
    width: float
    height: float
    depth: float


#: Formulas by source and by whether they are displayed on a line of their own.
Formulas: TypeAlias = Mapping[tuple[str, bool], Formula]

# Other formulas are printed as text.
MAX_SOURCE_CHARS = 8_000
MAX_FORMULAS = 2_000
#: The font size of the drawing, in its units.
FONT_SIZE = 24.0
# For all formulas together.
TIME_LIMIT_SECONDS = 20.0
MEMORY_LIMIT_BYTES = 1_000_000_000


def typeset_formulas(articles: Sequence[Article]) -> Formulas:
    """Typeset the formulas of articles, leaving out those that fail."""
    sources = dict.fromkeys(
        (source, display)
        for source, display in _find_sources(articles)
        if source.strip() and len(source) <= MAX_SOURCE_CHARS
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
    deadline = time.monotonic() + TIME_LIMIT_SECONDS
    with WorkerProcess(silence, memory_limit=MEMORY_LIMIT_BYTES, trusted=False) as worker:
        for _ in range(2):
            try:
                worker.call(
                    send_drawings,
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


_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ufffc\ufffe\uffff\ud800-\udfff]+")


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


#: MathML elements with two and three children, with the operators written between these.
_OPERATORS = {
    "msub": "_", "msup": "^", "mfrac": "/", "munder": "_", "mover": "^",
    "msubsup": "_^", "munderover": "_^",
}  # fmt: skip
_INVISIBLE_OPERATORS = frozenset("\u2061\u2062\u2063\u2064")
_SPACED_OPERATORS = frozenset("=<>≤≥≠≈≡∈∉→⇒↔+−-±×·")


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
        operator = (node.text or "").strip()
        if operator in _INVISIBLE_OPERATORS:
            return ""
        return f" {operator} " if operator in _SPACED_OPERATORS else operator
    tails = (part + (child.tail or "") for part, child in zip(parts, node, strict=True))
    return (node.text or "") + "".join(tails)


def _parenthesize(text: str) -> str:
    text = text.strip()
    return text if len(text) == 1 or text.isalnum() else f"({text})"


#: SVG, and its width, height and depth below the baseline in ems.
Drawing: TypeAlias = tuple[str, float, float, float]


def silence() -> None:
    """Discard what libraries print about faulty formulas."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


FORMULA_TIME_LIMIT_SECONDS = 2.0


def send_drawings(formulas: Sequence[tuple[str, bool]]) -> None:
    """Typeset formulas, given as sources and whether they are displayed on lines of their own.

    Each is sent by :func:`printer.worker_process.notify` as soon as it is finished; an empty list
    means that one cannot be typeset.
    """
    signal.signal(signal.SIGALRM, _raise_timeout)
    for source, display in formulas:
        drawing = None
        # A formula that fails is printed as text.
        with contextlib.suppress(Exception):
            signal.setitimer(signal.ITIMER_REAL, FORMULA_TIME_LIMIT_SECONDS)
            try:
                drawing = typeset_formula(source, display)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        notify(drawing or [])


def _raise_timeout(*_: object) -> None:
    raise TimeoutError


MAX_WIDTH_EM = 120.0
MAX_HEIGHT_EM = 60.0
MAX_SVG_CHARS = 400_000
_SVG_ELEMENTS = frozenset({"svg", "path", "rect", "line", "polyline", "g"})
#: Environments that number their lines; the page has its own numbers or none.
_NUMBERED = re.compile(r"(\\(?:begin|end)\{(?:align|gather|equation|multline|eqnarray))\}")
_SVG_TAG = re.compile(r"<(?:\w+:)?(\w+)")
_MATHML = "{http://www.w3.org/1998/Math/MathML}"


def typeset_formula(source: str, display: bool) -> Drawing | None:
    """Typeset MathML, if it begins with ``<math``, or TeX; return None if that is impossible."""
    from latex2mathml.converter import convert
    from ziamath import zmath
    from ziamath.config import config

    mathml = source if source.startswith("<math") else convert(_NUMBERED.sub(r"\1*}", source))
    root = _simplify(ElementTree.fromstring(mathml))  # noqa: S314 - expat's own limits, no entities
    if "\\" in "".join(root.itertext()):
        return None  # An unknown command is still in the output.
    root.set("display", "block" if display else "inline")
    root.set("displaystyle", "true" if display else "false")
    config.svg2 = False
    svg = zmath.Math(ElementTree.tostring(root, encoding="unicode"), size=FONT_SIZE).svg()
    box = re.search(r'width="([\d.]+)" height="([\d.]+)" viewBox="\S+ (\S+) ', svg)
    if box is None or len(svg) > MAX_SVG_CHARS or not set(_SVG_TAG.findall(svg)) <= _SVG_ELEMENTS:
        return None
    width, height = float(box[1]) / FONT_SIZE, float(box[2]) / FONT_SIZE
    depth = height + float(box[3]) / FONT_SIZE
    return (
        (svg, width, height, depth)
        if 0 < width < MAX_WIDTH_EM and 0 < height < MAX_HEIGHT_EM
        else None
    )


#: Signs of sums, products, integrals, unions and so on.
_LARGE_OPERATORS = re.compile(r"\s*[∏-∑∫-∳⋀-⋃⨀-⨜]\s*")


def _simplify(element: ElementTree.Element) -> ElementTree.Element:
    """Remove rows of one element, which double the time of layout without any effect.

    Large operators do not stretch (MathML Core, appendix B.2); those that do would not count for
    the height of the brackets around them.  Negative space at the beginning of a row would move an
    exponent into its base.
    """
    element.tag = element.tag.removeprefix(_MATHML)
    if element.tag == "mo" and _LARGE_OPERATORS.fullmatch(element.text or ""):
        element.set("stretchy", "false")
    children = [_simplify(child) for child in element]
    while element.tag == "mrow" and len(children) > 1 and _is_negative_space(children[0]):
        del children[0]
    if (
        element.tag in {"mrow", "mstyle", "mpadded"}
        and len(children) == 1
        and not (element.text or "").strip()
    ):
        return children[0]
    element[:] = children
    return element


def _is_negative_space(element: ElementTree.Element) -> bool:
    return element.tag == "mspace" and element.get("width", "").startswith(("-", "negative"))
