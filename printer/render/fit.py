"""At most so many pages: smaller type, narrower margins, two columns, down to what can be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from ..options import PrintOptions
from ..themes.options import apply_options
from ..themes.page import page_geometry
from .weasy.engine import RenderedPdf

#: How many steps lie between what was asked for and the smallest that can be read: the type gets
#: smaller in one column, then stands larger in two, and gets smaller again.
STEPS = 10
ONE_COLUMN = 6

#: Type is set no smaller than this, in points; large type stays large.
LEAST_SIZE, LEAST_LARGE = 8.5, 14.0
LARGE = 16.0

#: Paper at least this wide, in millimetres, takes two columns of small type.
TWO_COLUMNS = 180.0


P = TypeVar("P", bound=RenderedPdf)


@dataclass(frozen=True, slots=True)
class Fitted(Generic[P]):
    """What was printed, with the options that it took."""

    printed: P
    options: PrintOptions


def fit_to_pages(options: PrintOptions, print_: Callable[[PrintOptions], P]) -> Fitted[P]:
    """Print on at most ``options.fit`` pages, changing as little as will do.

    Printing is tried at most five times.  What does not fit at its smallest is printed so, with a
    warning.
    """
    printed = print_(options)
    if options.fit <= 0 or printed.pages <= options.fit:
        return Fitted(printed, options)
    low, high = 1, STEPS
    best: Fitted[P] | None = None
    while low <= high:
        middle = (low + high) // 2
        tried = tighter(options, middle)
        printed = print_(tried)
        if printed.pages <= options.fit:
            best = Fitted(printed, tried)
            high = middle - 1
        else:
            low = middle + 1
    if best is not None:
        return best
    # The last that was tried is the tightest.
    said = f"it takes {printed.pages} pages, not {options.fit}: smaller could not be read"
    return Fitted(replace(printed, warnings=(*printed.warnings, said)), tried)


def tighter(options: PrintOptions, step: int) -> PrintOptions:
    """Return the options a number of steps nearer to the smallest that can be read.

    What the person chose (a size of type, margins, values of the theme) stays as it is.
    """
    page, paper = apply_options(options).theme.page, page_geometry(options)
    least = min(paper.font_size, LEAST_LARGE if paper.font_size >= LARGE else LEAST_SIZE)
    small = paper.font_size < LARGE
    folds = page.columns == 1 and paper.width >= TWO_COLUMNS and small
    part = _part(step, folds=folds)
    size = paper.font_size + (least - paper.font_size) * part
    values = {
        "leading": page.leading + (max(1.18, page.leading * 0.88) - page.leading) * part,
        "side": page.side + (min(page.side, 0.055) - page.side) * part,
        "top": page.top + (min(page.top, 0.055) - page.top) * part,
        "bottom": page.bottom + (min(page.bottom, 0.06) - page.bottom) * part,
        "pictures": page.pictures * (1 - 0.5 * part),
        "measure": page.measure * (1 + 0.3 * part),
    }
    if folds and step > ONE_COLUMN:
        values |= {"columns": 2, "measure": 62}
    chosen = {assignment.partition("=")[0].strip() for assignment in options.theme_options}
    added = tuple(f"{name}={value:.4g}" for name, value in values.items() if name not in chosen)
    return replace(
        options,
        theme_options=(*options.theme_options, *added),
        font_size=options.font_size or f"{size:.2f}pt",
    )


def _part(step: int, *, folds: bool) -> float:
    """Return how far a step goes, from 0 to 1; the first in two columns goes back a little."""
    if not folds:
        return step / STEPS
    if step <= ONE_COLUMN:
        return 0.75 * step / ONE_COLUMN
    return 0.4 + 0.6 * (step - ONE_COLUMN) / (STEPS - ONE_COLUMN)
