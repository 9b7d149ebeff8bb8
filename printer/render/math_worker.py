"""Typeset formulas; run as a program, so that a hostile one can be stopped whatever it does.

Reads a JSON list of formulas on standard input, each a source (MathML when it begins with
``<math``, else TeX) and whether it is displayed on a line of its own, and writes, a line each,
what they became: ``[svg, width, height, depth]`` in ems, or ``null``.
The layout takes twice as long for each level of nesting, so each formula has its time, and the
whole program has its memory.  Nothing here runs or reads anything: TeX is parsed, not executed.
"""

from __future__ import annotations

import contextlib
import json
import re
import resource
import signal
import sys
from xml.etree import ElementTree

#: Seconds for one formula, and for all.
EACH = 2.0
ALL = 20

#: Bytes of memory that the program may take.
MEMORY = 1_000_000_000

#: What a formula may measure in ems, and how large its drawing may be in bytes.
WIDEST, HIGHEST, LARGEST = 120.0, 60.0, 400_000

#: Size that formulas are drawn at, in units of the drawing.
SIZE = 24.0

_MATHML = "{http://www.w3.org/1998/Math/MathML}"
_DRAWN = frozenset({"svg", "path", "rect", "line", "polyline", "g"})
_ROWS = frozenset({"mrow", "mstyle", "mpadded"})
#: Environments whose lines the page has numbered itself, or not at all.
_NUMBERED = re.compile(r"(\\(?:begin|end)\{(?:align|gather|equation|multline|eqnarray))\}")
_TAG_OF_SVG = re.compile(r"<(?:\w+:)?(\w+)")


class _TooSlow(Exception):
    """A formula took longer than its time."""


def typeset_formula(source: str, display: bool) -> tuple[str, float, float, float] | None:
    """Draw a formula: its SVG, width, height, and depth below the baseline, in ems.

    None for what is no formula, has unknown commands, or would not fit on any page.
    """
    from latex2mathml.converter import convert
    from ziamath.config import config
    from ziamath.zmath import Math

    mathml = source if source.startswith("<math") else convert(_NUMBERED.sub(r"\1*}", source))
    root = _simple(ElementTree.fromstring(mathml))  # noqa: S314 - expat's own limits, no entities
    if "\\" in "".join(root.itertext()):
        return None  # a command that is not known stands there as it was written
    root.set("display", "block" if display else "inline")
    root.set("displaystyle", "true" if display else "false")
    config.svg2 = False
    drawn = Math(ElementTree.tostring(root, encoding="unicode"), size=SIZE)
    svg = drawn.svg()
    box = re.search(r'width="([\d.]+)" height="([\d.]+)" viewBox="\S+ (\S+) ', svg)
    if box is None or len(svg) > LARGEST or not set(_TAG_OF_SVG.findall(svg)) <= _DRAWN:
        return None
    width, height = float(box[1]) / SIZE, float(box[2]) / SIZE
    depth = height + float(box[3]) / SIZE
    return (svg, width, height, depth) if 0 < width < WIDEST and 0 < height < HIGHEST else None


def _simple(element: ElementTree.Element) -> ElementTree.Element:
    """Take away rows of one thing, which cost the layout twice the time and change nothing."""
    element.tag = element.tag.removeprefix(_MATHML)
    children = [_simple(child) for child in element]
    if element.tag in _ROWS and len(children) == 1 and not (element.text or "").strip():
        return children[0]
    element[:] = children
    return element


def _stop(*_: object) -> None:
    raise _TooSlow


def main() -> None:
    """Typeset what standard input asks for."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (ALL + 10, ALL + 10))
    signal.signal(signal.SIGALRM, _stop)
    for source, display in json.load(sys.stdin):
        outcome = None
        # Whatever a formula is wrong with, it is printed as text instead.
        with contextlib.suppress(Exception):
            signal.setitimer(signal.ITIMER_REAL, EACH)
            try:
                outcome = typeset_formula(source, display)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
