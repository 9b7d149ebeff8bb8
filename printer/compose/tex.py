r"""Formulas that stand in the text as TeX, for a script of the page to typeset: ``\(x^2\)``.

``\(…\)`` and ``\[…\]`` mean nothing else; ``$$…$$`` and ``$…$`` are formulas only on a page
that loads such a script, and single signs only when it says so itself, as prices are written
with them too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..article import ZERO_WIDTH_SPACE, Block, Math, Paragraph, Span, plain
from ..html.page import Page

_MAX_TEX = 4000
_ROUND = rf"\\\((?P<round>[^\\]*(?:\\[^()][^\\]*){{0,{_MAX_TEX}}}?)\\\)"
_SQUARE = rf"\\\[(?P<square>[^\\]*(?:\\[^\[\]][^\\]*){{0,{_MAX_TEX}}}?)\\\]"
_DOUBLE = rf"\$\$(?P<double>[^$]{{1,{_MAX_TEX}}})\$\$"
_SINGLE = r"(?<![\\$\w])\$(?P<single>[^\s$](?:[^$\n]{0,300}[^\s$\\])?)\$(?![\d$])"

_TYPESETTER = re.compile(r"mathjax|katex", re.IGNORECASE)
_DOLLAR = re.compile(r"""inlineMath\W{1,20}?['"]\$['"]|left['"]?\s?:\s?['"]\$['"]""")


def with_tex(blocks: tuple[Block, ...], page: Page) -> tuple[Block, ...]:
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
        if plain(tuple(spans)):
            yield replace(value, spans=tuple(spans))
            value = replace(value, id="")
        spans = []
        yield Math(span.math, span.text)
    if plain(tuple(spans)):
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
