"""Typesetting of formulas, in a separate process since a hostile one may never end.

The time of layout doubles with each level of nesting, so each formula has a deadline, and the
process has a memory limit.  TeX is parsed, not executed.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Sequence
from typing import TypeAlias
from xml.etree import ElementTree

from ..worker_process import notify

#: SVG, and its width, height and depth below the baseline in ems.
Drawing: TypeAlias = tuple[str, float, float, float]

#: Seconds for one formula.
TIME_LIMIT = 2.0

#: The largest formula in ems, and the longest drawing in characters.
MAX_WIDTH, MAX_HEIGHT, MAX_SVG = 120.0, 60.0, 400_000

#: The font size of the drawing, in its units.
FONT_SIZE = 24.0

_MATHML = "{http://www.w3.org/1998/Math/MathML}"
_SVG_ELEMENTS = frozenset({"svg", "path", "rect", "line", "polyline", "g"})
_ROWS = frozenset({"mrow", "mstyle", "mpadded"})
#: Environments that number their lines; the page has its own numbers or none.
_NUMBERED = re.compile(r"(\\(?:begin|end)\{(?:align|gather|equation|multline|eqnarray))\}")
_SVG_TAG = re.compile(r"<(?:\w+:)?(\w+)")


def silence() -> None:
    """Discard what libraries print about faulty formulas."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def typeset_formulas(formulas: Sequence[tuple[str, bool]]) -> None:
    """Typeset formulas, given as sources and whether they are displayed on lines of their own.

    Each is sent by :func:`printer.worker_process.notify` as soon as it is finished; an empty list
    stands for one that cannot be typeset.
    """
    signal.signal(signal.SIGALRM, _raise_timeout)
    for source, display in formulas:
        drawing = None
        # A formula that fails is printed as text.
        with contextlib.suppress(Exception):
            signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT)
            try:
                drawing = typeset_formula(source, display)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        notify(drawing or [])


def _raise_timeout(*_: object) -> None:
    raise TimeoutError


def typeset_formula(source: str, display: bool) -> Drawing | None:
    """Typeset a formula: MathML if it begins with ``<math``, else TeX.

    Return None if it is not a formula, has unknown commands or is too large for a page.
    """
    from latex2mathml.converter import convert
    from ziamath.config import config
    from ziamath.zmath import Math

    mathml = source if source.startswith("<math") else convert(_NUMBERED.sub(r"\1*}", source))
    root = _simplify(ElementTree.fromstring(mathml))  # noqa: S314 - expat's own limits, no entities
    if "\\" in "".join(root.itertext()):
        return None  # An unknown command is still in the output.
    root.set("display", "block" if display else "inline")
    root.set("displaystyle", "true" if display else "false")
    config.svg2 = False
    svg = Math(ElementTree.tostring(root, encoding="unicode"), size=FONT_SIZE).svg()
    box = re.search(r'width="([\d.]+)" height="([\d.]+)" viewBox="\S+ (\S+) ', svg)
    if box is None or len(svg) > MAX_SVG or not set(_SVG_TAG.findall(svg)) <= _SVG_ELEMENTS:
        return None
    width, height = float(box[1]) / FONT_SIZE, float(box[2]) / FONT_SIZE
    depth = height + float(box[3]) / FONT_SIZE
    return (
        (svg, width, height, depth) if 0 < width < MAX_WIDTH and 0 < height < MAX_HEIGHT else None
    )


def _simplify(element: ElementTree.Element) -> ElementTree.Element:
    """Remove rows of one element, which double the time of layout without any effect."""
    element.tag = element.tag.removeprefix(_MATHML)
    children = [_simplify(child) for child in element]
    if element.tag in _ROWS and len(children) == 1 and not (element.text or "").strip():
        return children[0]
    element[:] = children
    return element
