"""Which pictures are the article's, by each method, and why the others are not."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from ..article import Figure, Span
from ..dom.page import Page
from ..errors import UsageError
from ..model import Placed, Verdict
from .candidates import Candidate, find_candidates
from .captions import Caption, Captions, climbed_caption
from .drawings import drawing_source
from .region import SizeLimits, large_enough, region
from .signals import Signals


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """A picture of the article and its caption."""

    candidate: Candidate
    caption: Caption


@dataclass(frozen=True, slots=True, eq=False)
class Dropped:
    """A picture that is not the article's, and why."""

    candidate: Candidate
    reason: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What was decided about a page's pictures."""

    kept: tuple[Kept, ...] = ()
    dropped: tuple[Dropped, ...] = ()


Method: TypeAlias = Callable[[Page, Verdict, Sequence[Candidate]], Choice]


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal counts for, and the sum from which a picture is kept."""

    signals: Mapping[str, float]
    threshold: float


@cache
def load_weights() -> Weights:
    """Read the weights that benchmarks/train_pictures.py learned."""
    data = json.loads(Path(__file__).with_name("weights.json").read_text(encoding="utf-8"))
    return Weights(MappingProxyType(data["signals"]), float(data["threshold"]))


def by_signals(page: Page, verdict: Verdict, candidates: Sequence[Candidate]) -> Choice:
    """Choose by the weighted signals of place, markup, names, size and file."""
    if not any(verdict.keep):
        return Choice(
            dropped=tuple(Dropped(each, "the page has no article") for each in candidates)
        )
    weights = load_weights()
    reader = Signals(page, verdict, candidates)
    scored = [(each, reader.of(each)) for each in candidates]
    sums = [sum(weights.signals.get(name, 0.0) for name in names) for _, names in scored]
    best: dict[str, float] = {}
    for (each, _), total in zip(scored, sums, strict=True):
        if each.same:
            best[each.same] = max(total, best.get(each.same, -math.inf))
    captions = Captions(page, verdict, candidates)
    kept: list[Kept] = []
    dropped: list[Dropped] = []
    taken: set[str] = set()
    for (each, names), total in zip(scored, sums, strict=True):
        if total < weights.threshold:
            dropped.append(Dropped(each, _reason(names, weights)))
        elif each.same in taken or (each.same and total < best[each.same]):
            dropped.append(Dropped(each, "the same picture again"))
        else:
            if each.same:
                taken.add(each.same)
            kept.append(Kept(each, captions.default(each)))
    return Choice(tuple(kept), tuple(dropped))


def _reason(names: frozenset[str], weights: Weights) -> str:
    worst = sorted(names, key=lambda name: weights.signals.get(name, 0.0))[:2]
    return ", ".join(worst)


def by_borders(page: Page, verdict: Verdict, candidates: Sequence[Candidate]) -> Choice:
    """Choose as CUTER does: between the borders, and large enough as far as attributes say."""
    borders = region(page, verdict)
    limits = SizeLimits()
    kept: list[Kept] = []
    dropped: list[Dropped] = []
    for each in candidates:
        if borders is None or not borders.holds(each.before):
            dropped.append(Dropped(each, "outside the borders of the article"))
        elif large_enough(each.width, each.height, limits) is False:
            dropped.append(Dropped(each, f"too small or too long ({each.width} x {each.height})"))
        else:
            text, indexes = climbed_caption(page, verdict, each)
            kept.append(Kept(each, Caption((Span(text),) if text else (), "", indexes)))
    return Choice(tuple(kept), tuple(dropped))


#: Every method by name.
METHODS: Mapping[str, Method] = MappingProxyType({
    "default": by_signals,
    "cuter": by_borders,
})  # fmt: skip


def choose(page: Page, verdict: Verdict, method: str = "default") -> Choice:
    """Decide about every picture of a page by the method of a name."""
    if method not in METHODS:
        raise UsageError(
            f"no way of choosing pictures is called {method!r}",
            hint=f"Known are {', '.join(METHODS)}",
        )
    return METHODS[method](page, verdict, find_candidates(page))


def place(page: Page, kept: Kept) -> Placed:
    """Make the article's figure of a picture."""
    candidate, caption = kept.candidate, kept.caption
    sources = candidate.sources(page.base)
    figure = Figure(
        src=sources[0] if sources else "",
        sources=sources,
        caption_spans=caption.spans,
        alt=candidate.alt,
        credit=caption.credit,
        width=candidate.width,
        height=candidate.height,
        svg=drawing_source(candidate.element) if candidate.kind == "drawing" else "",
        id=candidate.element.get("id") or "",
    )
    return Placed(figure, candidate.element, caption.segments)


def unite(choice: Choice) -> tuple[Kept, ...]:
    """Give every picture kept the addresses of its copies elsewhere on the page."""
    copies: dict[str, list[Candidate]] = {}
    for each in (*(k.candidate for k in choice.kept), *(d.candidate for d in choice.dropped)):
        if each.same:
            copies.setdefault(each.same, []).append(each)
    united = []
    for kept in choice.kept:
        others = copies.get(kept.candidate.same, [])
        addresses = {a.url: a for c in (kept.candidate, *others) for a in c.addresses}
        united.append(
            replace(kept, candidate=replace(kept.candidate, addresses=tuple(addresses.values())))
        )
    return tuple(united)
