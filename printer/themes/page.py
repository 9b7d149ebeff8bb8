"""The page's geometry: paper, margins and type size, from what a person asked for.

Everything is checked and turned into numbers here, so that no text from outside reaches CSS.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import UsageError
from ..options import PrintOptions
from .options import apply_options
from .schema import Device, Page

#: Paper sizes by name, in millimetres.
PAPERS = {
    "a3": (297.0, 420.0),
    "a4": (210.0, 297.0),
    "a5": (148.0, 210.0),
    "a6": (105.0, 148.0),
    "b5": (176.0, 250.0),
    "letter": (215.9, 279.4),
    "legal": (215.9, 355.6),
}

#: What is printed on when neither the person nor the theme names a paper.
DEFAULT_PAPER = "A4"

#: Length of the CSS units in millimetres.
UNITS = {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6, "px": 25.4 / 96}

#: How wide a character of running text is on average, in ems (English, a book face).
CHARACTER = 0.43

#: A picture's height on paper is at most this part of the text block's.
TALLEST = 0.6

LEAST_PAPER, MOST_PAPER = 50.0, 1500.0
LEAST_TEXT = 30.0
LEAST_SIZE, MOST_SIZE = 5.0, 48.0

_LENGTH = re.compile(r"([0-9]{1,5}(?:\.[0-9]{1,4})?)(mm|cm|in|pt|pc|px)")


@dataclass(frozen=True, slots=True)
class PageGeometry:
    """A page in millimetres; ``margins`` are top, right, bottom, left; ``font_size`` in points.

    ``gap`` is the space between two of its ``columns``, ``pictures`` a scale for pictures; on a
    sheet printed on both sides the inner margin is wider by ``gutter`` and the outer one narrower.
    """

    width: float
    height: float
    margins: tuple[float, float, float, float]
    font_size: float
    columns: int = 1
    gap: float = 0.0
    gutter: float = 0.0
    pictures: float = 1.0

    @property
    def text_width(self) -> float:
        """The width of the text block in millimetres."""
        return self.width - self.margins[1] - self.margins[3]

    @property
    def text_height(self) -> float:
        """The height of the text block in millimetres."""
        return self.height - self.margins[0] - self.margins[2]

    @property
    def head_room(self) -> int:
        """How many characters of a title fit into a running head, beside the name of its site."""
        return max(16, min(70, int(0.6 * self.text_width / (CHARACTER * self.font_size * 0.28))))

    @property
    def column_width(self) -> float:
        """The width of one column in millimetres."""
        return (self.text_width - (self.columns - 1) * self.gap) / self.columns


def page_geometry(options: PrintOptions) -> PageGeometry:
    """Work out the page for these options; nonsense is a :class:`UsageError`.

    Without ``margin`` the side margins leave a line of the theme's measure, so that a large sheet
    does not make lines too long to read.
    """
    if options.nup not in (1, 2, 4) or (options.booklet and options.nup > 1):
        raise UsageError("--nup is 1, 2 or 4", hint="A booklet has two pages on a side by itself")
    if options.pdf == "a-3u" and (options.booklet or options.nup > 1):
        raise UsageError(
            "--pdf a-3u does not go with --booklet or --nup: an archive's pages are not rearranged",
            hint="Print the archive and what goes on sheets apart",
        )
    if options.fit < 0:
        raise UsageError("--fit is a number of pages")
    theme = apply_options(options).theme
    page = theme.page
    name = options.paper or page.paper or DEFAULT_PAPER
    device = theme.papers.get(name.strip().lower(), Device(size=name))
    width, height = _paper(device.size, tuple(theme.papers))
    if options.booklet:
        # The paper is folded: each page is half of it.
        width, height = height / 2, width
    size = (
        _font_size(options.font_size) if options.font_size else device.font_size or page.font_size
    )
    gap = page.gap * size * UNITS["pt"]
    asked = options.margin or device.margin
    margins = _margins(asked) if asked else _theme_margins(page, width, height, size)
    gutter = page.gutter * width if options.duplex or options.booklet else 0.0
    gutter = min(gutter, margins[1] / 2)
    paper = PageGeometry(width, height, margins, size, page.columns, gap, gutter, page.pictures)
    if paper.column_width < LEAST_TEXT or paper.text_height < LEAST_TEXT:
        raise UsageError(f"these margins leave no room for text on {name}")
    return paper


def max_picture_size(options: PrintOptions) -> tuple[float, float]:
    """Return the width and height in millimetres that a picture may take, at most."""
    paper = page_geometry(options)
    return paper.text_width, paper.text_height * TALLEST


def _theme_margins(
    page: Page, width: float, height: float, size: float
) -> tuple[float, float, float, float]:
    column = page.measure * CHARACTER * size * UNITS["pt"]
    line = column * page.columns + page.gap * size * UNITS["pt"] * (page.columns - 1)
    side = max(page.side * width, (width - line) / 2)
    return page.top * height, side, page.bottom * height, side


def _paper(text: str, more: tuple[str, ...] = ()) -> tuple[float, float]:
    known = PAPERS.get(text.strip().lower())
    if known:
        return known
    parts = re.split(r"[x×]", text.strip().lower())
    lengths = [_length(part) for part in parts] if len(parts) == 2 else []
    # 148x210mm: a unit given once counts for both.
    if len(parts) == 2 and lengths[0] is None and lengths[1] is not None:
        lengths[0] = _length(parts[0].strip() + parts[1].strip()[-2:])
    if len(lengths) != 2 or lengths[0] is None or lengths[1] is None:
        raise UsageError(
            f"{_quoted(text)} is not a paper size",
            hint=f"Use {', '.join(('A4', 'Letter', 'A5', 'Legal', *more))} or WIDTHxHEIGHT such as"
            " 148mmx210mm",
        )
    if not all(LEAST_PAPER <= length <= MOST_PAPER for length in lengths if length is not None):
        raise UsageError(
            f"{_quoted(text)} is out of range",
            hint=f"Paper is {LEAST_PAPER:g} to {MOST_PAPER:g} mm wide and high",
        )
    return lengths[0], lengths[1]


def _margins(text: str) -> tuple[float, float, float, float]:
    """Read one to four lengths in CSS's order."""
    lengths = [_length(part) for part in text.split()[:5]]
    known = [length for length in lengths if length is not None]
    if len(known) != len(lengths) or not 1 <= len(known) <= 4:
        raise UsageError(
            f"{_quoted(text)} is not a margin", hint="Use a length such as 20mm, 2cm or 0.8in"
        )
    top = known[0]
    right = known[1] if len(known) > 1 else top
    bottom = known[2] if len(known) > 2 else top
    left = known[3] if len(known) > 3 else right
    return top, right, bottom, left


def _font_size(text: str) -> float:
    length = _length(text)
    size = length / UNITS["pt"] if length is not None else 0.0
    if not LEAST_SIZE <= size <= MOST_SIZE:
        raise UsageError(
            f"{_quoted(text)} is not a size of type",
            hint=f"Use a length from {LEAST_SIZE:g}pt to {MOST_SIZE:g}pt, such as 11pt",
        )
    return size


def _length(text: str) -> float | None:
    """Return a CSS length in millimetres; None when the text is anything else."""
    text = text.strip().lower()
    match = _LENGTH.fullmatch(text) if text.isascii() else None
    if match:
        return float(match[1]) * UNITS[match[2]]
    return 0.0 if text == "0" else None


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")
