"""The widths of figures on the page, and rows of figures side by side.

A figure fills the measure, or two thirds of it in the middle, or one third with text beside it; a
smaller picture keeps its size.  Portraits and galleries are set in rows across the measure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby, islice, pairwise, starmap, takewhile
from math import ceil
from statistics import median
from typing import Literal, TypeAlias

from ..article import (
    Article,
    Block,
    Embed,
    Figure,
    Heading,
    List,
    Paragraph,
    Table,
    iter_text,
    plain_text,
    walk,
)
from ..output import SCREEN_DPI, Picture
from ..text import count_columns
from ..themes.loader import asset_url
from ..themes.page import CHARACTER_WIDTH, MAX_PICTURE_HEIGHT, UNITS, PageGeometry

Position = Literal["full", "narrow", "beside"]

#: A cell of a row: its blocks, and the picture among them.
_Cell: TypeAlias = "tuple[tuple[Block, ...], Picture | None]"


@dataclass(frozen=True, slots=True)
class PicturePlacement:
    """A picture as seen by templates, with its size in CSS pixels (0: unknown).

    ``position`` is ``narrow`` in the middle of the measure, ``beside`` with text next to it;
    ``belongs_to_next_heading``: it belongs to the heading below it.
    """

    url: str
    width: int = 0
    height: int = 0
    spans_columns: bool = False
    position: Position = "full"
    belongs_to_next_heading: bool = False


@dataclass(frozen=True, slots=True)
class FigureCell:
    """A figure of a row with its heading or label; width and space before it in % of the row."""

    blocks: tuple[Block, ...]
    width: float
    space: float = 0


@dataclass(frozen=True, slots=True)
class FigureRow:
    """Figures side by side."""

    cells: tuple[FigureCell, ...]


@dataclass(slots=True)
class FigurePlacer:
    """Places the figures of a document; called with one, returns its placement.

    ``pictures`` has those by ``Figure.src``, or ``Figure.svg`` for inline drawings,
    ``lead_figures`` the ``id()`` of figures that may span the columns.
    """

    pictures: Mapping[str, Picture]
    geometry: PageGeometry
    lead_figures: frozenset[int] = frozenset()
    widths: dict[int, tuple[int, Position]] = field(default_factory=dict)
    heading_figures: set[int] = field(default_factory=set)
    cell_figures: set[int] = field(default_factory=set)

    def __call__(self, figure: Figure) -> PicturePlacement | None:
        """Return the picture of a figure in its printed size, None if it is missing."""
        picture = self.picture(figure)
        if picture is None:
            return None
        spans_columns = _spans_columns(self, figure, picture)
        size = self.widths.get(id(figure))
        if size is None:
            width, position = _fit_width(self, figure, picture, spans_columns)
            size = width, "narrow" if position == "beside" else position
        width, position = size
        height = max(1, round(width * picture.height / picture.width))
        above = id(figure) in self.heading_figures
        return PicturePlacement(asset_url(picture), width, height, spans_columns, position, above)

    def picture(self, figure: Figure) -> Picture | None:
        return self.pictures.get(figure.svg or figure.src)


#: A picture that spans the columns takes at least this share of their total width.
MIN_SPANNING_SHARE = 0.8


def _spans_columns(placer: FigurePlacer, figure: Figure, picture: Picture) -> bool:
    geometry = placer.geometry
    if geometry.columns < 2 or id(figure) not in placer.lead_figures:
        return False
    # A narrower picture would leave white space beside it.
    min_width = max(1.3 * geometry.column_width, MIN_SPANNING_SHARE * geometry.text_width)
    widest = _max_width(placer, picture)
    return bool(min(widest, _width_on_screen(figure, picture)) * UNITS["px"] > min_width)


def _max_width(placer: FigurePlacer, picture: Picture) -> float:
    """Return the width of a picture that is as high as a page allows, in CSS pixels."""
    height = placer.geometry.text_height * MAX_PICTURE_HEIGHT / UNITS["px"]
    return height * picture.width / picture.height


def _measure_width(placer: FigurePlacer, spans_columns: bool = False) -> float:
    geometry = placer.geometry
    width = geometry.text_width if spans_columns else geometry.column_width
    return width * geometry.picture_scale / UNITS["px"]


#: The resolution down to which a picture is enlarged.
MIN_DPI = 150
#: A picture of this share of the measure fills it even if it is not sharp enough to be enlarged.
_NEARLY_FULL = 0.97
#: A picture of this share of the measure is enlarged to all of it if it is sharp.
_MIN_ENLARGED_SHARE = 0.5
#: The share of the measure to which a blurred or too high picture is limited.
_NARROW_SHARE = 2 / 3
#: A picture narrower than this share of the measure has no text beside it.
_MIN_BESIDE_SHARE = 0.24


def _fit_width(
    placer: FigurePlacer, figure: Figure, picture: Picture, spans_columns: bool = False
) -> tuple[int, Position]:
    """Return the width of a figure outside rows, and its position."""
    measure, on_screen = _measure_width(placer, spans_columns), _width_on_screen(figure, picture)
    is_vector = picture.media_type == "image/svg+xml"
    sharp = measure if is_vector else picture.width * SCREEN_DPI / MIN_DPI
    widest = _max_width(placer, picture)
    width, narrow = on_screen, _NARROW_SHARE * measure
    is_medium = on_screen >= _MIN_ENLARGED_SHARE * measure
    if on_screen >= _NEARLY_FULL * measure or (is_medium and sharp >= measure):
        width = measure
    elif is_medium:
        width = min(narrow, max(on_screen, sharp))
    if width > widest:
        width = min(widest, narrow)
    is_full = width >= measure and placer.geometry.picture_scale >= 1
    # A caption as narrow as an icon would have a word a line.
    is_full = is_full or (width < _MIN_BESIDE_SHARE * measure and bool(figure.caption_spans))
    position: Position = "full" if is_full else "narrow"
    is_small = max(on_screen, sharp) < narrow or not is_medium
    if is_small and _MIN_BESIDE_SHARE * measure <= width:
        position = "beside"
    return max(1, round(min(width, measure))), position


#: A shorter measure has neither rows of figures nor text beside them.
MIN_MEASURE_MM = 90.0
#: The height of a picture that represents a video, as a share of the page.
_MAX_POSTER_HEIGHT_SHARE = 0.33


def arrange(placer: FigurePlacer, run: Sequence[Block]) -> tuple[Block | FigureRow, ...]:
    """Return blocks with galleries, collections and pairs of portraits as rows."""
    for block in run:
        if isinstance(block, Table):
            _fit_to_cells(placer, block)
    if any(id(block) in placer.cell_figures for block in run):
        return tuple(run)
    _limit_series(placer, run)
    entries = _find_short_entries(placer, run)
    if placer.geometry.columns > 1 or placer.geometry.column_width < MIN_MEASURE_MM:
        return tuple(map(partial(_arrange_entries, placer), run))
    arranged: list[Block | FigureRow] = []
    index = 0
    while index < len(run):
        parts = _find_gallery(placer, run, index)
        if parts:
            arranged += _arrange_rows(placer, parts)
            index += sum(map(len, parts))
            continue
        if entry := entries.get(index):
            arranged.append(_make_entry(placer, entry, _first_picture(placer, entry)))
            index += len(entry)
            continue
        block = run[index]
        if isinstance(block, List) and block.is_collection:
            arranged += _arrange_rows(
                placer, [_move_picture_first(placer, item.blocks) for item in block.items]
            )
            index += 1
            continue
        if isinstance(block, Embed):
            _limit_heights(placer, block.blocks, _MAX_POSTER_HEIGHT_SHARE)
        if isinstance(block, Figure) and id(block) not in placer.heading_figures:
            _place_beside(placer, block, run[index + 1 : index + 5])
        arranged.append(block)
        index += 1
    return tuple(arranged)


MIN_GALLERY_FIGURES = 3
#: In a list of entries that begin with a picture, this share of the headings has one above them,
#: and few pictures are elsewhere.
_MIN_SHARE_PICTURED = 0.75
#: The height of a picture above or beside the text of an entry, as a share of the page.
_MAX_ENTRY_HEIGHT_SHARE = 0.14
#: The lengths of short entries, which stand beside their pictures.
_MAX_MEDIAN_CHARS = 400
_MAX_ENTRY_CHARS = 700


def _find_short_entries(
    placer: FigurePlacer, run: Sequence[Block]
) -> Mapping[int, tuple[Block, ...]]:
    """Return the short entries of a list whose entries begin with a picture, by their index.

    The pictures above the headings of the others are marked to belong to these.
    """
    pairs = list(pairwise(run))
    starts = [
        i for i, (a, b) in enumerate(pairs) if isinstance(a, Figure) and isinstance(b, Heading)
    ]
    below = sum(isinstance(a, Heading) and isinstance(b, Figure) for a, b in pairs)
    headings = [index for index, block in enumerate(run) if isinstance(block, Heading)]
    count = len(headings)
    figures = sum(isinstance(block, Figure) for block in run[min(starts, default=0) :])
    if (
        len(starts) < max(MIN_GALLERY_FIGURES, _MIN_SHARE_PICTURED * count)
        or max(below, figures - len(starts)) > (1 - _MIN_SHARE_PICTURED) * count
        or _ends_in_figure(run[headings[-1] :])
    ):
        return {}
    placer.heading_figures.update(id(run[index]) for index in starts)
    entries = {start: _get_entry(run, start) for start in starts}
    lengths = {start: sum(map(len, iter_text(*entry))) for start, entry in entries.items()}
    if sum(lengths.values()) <= _MAX_ENTRY_CHARS * len(starts):
        _limit_heights(placer, (run[index] for index in starts), _MAX_ENTRY_HEIGHT_SHARE)
    if median(lengths.values()) > _MAX_MEDIAN_CHARS:
        return {}
    return {
        start: entry
        for start, entry in entries.items()
        if lengths[start] <= _MAX_ENTRY_CHARS
        and all(isinstance(block, Paragraph | List) for block in entry[2:])
    }


def _get_entry(run: Sequence[Block], start: int) -> tuple[Block, ...]:
    """Return a figure, the heading below it and what is before the next of either."""
    following = takewhile(lambda block: not isinstance(block, Figure | Heading), run[start + 2 :])
    return *run[start : start + 2], *following


def _ends_in_figure(section: Sequence[Block]) -> bool:
    """Return whether a section has a figure below its text, so that the entries end in theirs."""
    return any(
        isinstance(below, Figure) and not isinstance(block, Figure | Heading)
        for block, below in pairwise(section)
    )


def _arrange_entries(placer: FigurePlacer, block: Block) -> Block:
    """Return a block; in the entries of a collection, put the picture first."""
    if not isinstance(block, List) or not block.is_collection:
        return block
    items = (replace(item, blocks=_move_picture_first(placer, item.blocks)) for item in block.items)
    return replace(block, items=tuple(items))


def _move_picture_first(placer: FigurePlacer, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return an entry of a collection with its picture first, without missing pictures."""
    figures = (block for block in blocks if isinstance(block, Figure) and placer.picture(block))
    return *figures, *(block for block in blocks if not isinstance(block, Figure))


_MAX_PART_BLOCKS = 4


def _find_gallery(
    placer: FigurePlacer, run: Sequence[Block], start: int
) -> list[tuple[Block, ...]]:
    """Return the similar parts, with one figure each, of a gallery that begins at a block."""
    for size in range(1, _MAX_PART_BLOCKS + 1):
        kinds = _block_kinds(placer, run[start : start + size])
        if kinds.count("figure") != 1 or "" in kinds or len(kinds) < size:
            continue
        parts: list[tuple[Block, ...]] = []
        position = start
        while _block_kinds(placer, run[position : position + size]) == kinds:
            parts.append(tuple(run[position : position + size]))
            position += size
        if len(parts) >= MIN_GALLERY_FIGURES or (size == 1 and _are_portraits(placer, parts)):
            return parts
    return []


#: The labels of a part of a collection, such as prices; a wide character takes two columns.
_MAX_LABEL_COLUMNS = 90
#: A wider picture is a band, which is not set beside others.
_MAX_GALLERY_RATIO = 5


def _block_kinds(placer: FigurePlacer, blocks: Sequence[Block]) -> list[str]:
    """Return the kind of each block of an entry (figure, heading, label), '' for any other."""
    kinds = []
    columns = 0
    for block in blocks:
        kind = "heading" if isinstance(block, Heading) else ""
        if isinstance(block, Figure) and (picture := placer.picture(block)):
            kind = "figure" if picture.width <= _MAX_GALLERY_RATIO * picture.height else ""
        elif isinstance(block, Paragraph):
            columns += count_columns(plain_text(block.spans)[: _MAX_LABEL_COLUMNS + 1])
            kind = "label" if columns <= _MAX_LABEL_COLUMNS else ""
        kinds.append(kind)
    return kinds


def _are_portraits(placer: FigurePlacer, parts: Sequence[tuple[Block, ...]]) -> bool:
    pictures = [picture for _, picture in _pictures(placer, chain.from_iterable(parts))]
    return len(pictures) == 2 and all(picture.height > picture.width for picture in pictures)


def _pictures(placer: FigurePlacer, blocks: Iterable[Block]) -> Iterator[tuple[Figure, Picture]]:
    """Yield the figures among blocks that have a picture, with their pictures."""
    for block in blocks:
        if isinstance(block, Figure) and (picture := placer.picture(block)):
            yield block, picture


def _first_picture(placer: FigurePlacer, blocks: Iterable[Block]) -> Picture | None:
    return next((picture for _, picture in _pictures(placer, blocks)), None)


#: A larger gallery has three pictures in a row rather than two.
MAX_GALLERY_IN_PAIRS = 12
MAX_IN_ROW = 3
#: If pictures are narrower than this share of the measure, two would leave too much of it blank.
_MAX_NARROW_SHARE = 0.4
#: The space between pictures in a row as a share of the measure.
_GAP_SHARE = 0.03
# The ratios of width to height within which the pictures of a row get the same height.
_MIN_RATIO = 0.5
_MAX_RATIO = 2.4
#: A share of the height of the page.
_MAX_ROW_HEIGHT_SHARE = 0.4


#: If the entries of a collection have more lines below their pictures, these stand beside them.
_MAX_LABEL_LINES = 4
#: The width of a picture beside its entry, as a share of the measure.
_ENTRY_PICTURE_SHARE = 0.3


def _arrange_rows(
    placer: FigurePlacer, parts: Sequence[tuple[Block, ...]]
) -> Iterator[Block | FigureRow]:
    pictures = [_first_picture(placer, part) for part in parts]
    portraits = sum(picture.height > picture.width for picture in pictures if picture)
    is_gallery = all(len(part) == 1 for part in parts) and None not in pictures
    fits_three = 2 * portraits > len(parts) if is_gallery else len(parts) != 4
    widest = max((picture.width for picture in pictures if picture), default=0)
    is_small = widest < _MAX_NARROW_SHARE * _measure_width(placer)
    fits_three = fits_three or is_small or len(parts) > MAX_GALLERY_IN_PAIRS
    in_row = MAX_IN_ROW if fits_three and len(parts) > 2 else 2
    cell_width = _measure_width(placer) * (1 - _GAP_SHARE * (in_row - 1)) / in_row
    lines = median(_count_label_lines(placer, part, cell_width) for part in parts)
    if lines > _MAX_LABEL_LINES and any(pictures):
        yield from starmap(partial(_make_entry, placer), zip(parts, pictures, strict=True))
        return
    start = 0
    if is_gallery and in_row == 2 and len(parts) % 2:
        yield from parts[0]
        start = 1
    cells = list(zip(parts, pictures, strict=True))[start:]
    for remaining in _split_at_names(cells, in_row):
        while remaining:
            # The rows of a gallery have as equal numbers of figures as possible.
            count = ceil(len(remaining) / ceil(len(remaining) / in_row)) if is_gallery else in_row
            yield _make_row(placer, remaining[:count], in_row, is_even=not is_gallery)
            remaining = remaining[count:]


def _count_label_lines(placer: FigurePlacer, part: tuple[Block, ...], width: float) -> int:
    """Return roughly how many lines the texts of an entry take below its picture."""
    character = CHARACTER_WIDTH * placer.geometry.font_size * UNITS["pt"] / UNITS["px"]
    in_line = max(1.0, width / (_CAPTION_SIZE * character))
    texts = (block for block in part if not isinstance(block, Figure))
    return sum(ceil(len(text) / in_line) for text in iter_text(*texts))


def _make_entry(
    placer: FigurePlacer, part: tuple[Block, ...], picture: Picture | None
) -> FigureRow:
    """Return a row with an entry of a collection, its picture beside its texts."""
    figures = tuple(block for block in part if isinstance(block, Figure))
    texts = tuple(block for block in part if not isinstance(block, Figure))
    width, space = 100 * _ENTRY_PICTURE_SHARE, 100 * _GAP_SHARE
    text_width = 100 - width - space
    if picture is None:
        return FigureRow((FigureCell(texts, text_width, width + space),))
    height = placer.geometry.text_height * _MAX_ENTRY_HEIGHT_SHARE / UNITS["px"]
    _fit_to_cell(placer, part, picture, _ENTRY_PICTURE_SHARE * _measure_width(placer), height)
    return FigureRow((FigureCell(figures, width), FigureCell(texts, text_width, space)))


def _fit_to_cell(
    placer: FigurePlacer, part: tuple[Block, ...], picture: Picture, width: float, height: float
) -> None:
    """Make the figure of a cell at most so large."""
    largest = min(width, height * picture.width / picture.height)
    if picture.media_type != "image/svg+xml":
        largest = min(largest, picture.width)
    for block in part:
        if isinstance(block, Figure):
            placer.widths[id(block)] = max(1, int(largest)), "full"


def _split_at_names(cells: Sequence[_Cell], in_row: int) -> list[list[_Cell]]:
    """Return cells in runs: names without pictures are apart from pictures if they fill a row.

    They are not if the last picture would be alone in its row; rows of names are low.
    """
    runs: list[list[_Cell]] = []
    is_row = True
    for is_bare, group in groupby(cells, lambda cell: cell[1] is None):
        run, was_row = list(group), is_row
        is_alone = not was_row and len(runs[-1]) % in_row == 1
        is_row = is_bare and (not runs or (len(run) >= in_row and not is_alone))
        if is_row or was_row:
            runs.append([])
        runs[-1] += run
    return runs


def _make_row(
    placer: FigurePlacer, cells: Sequence[_Cell], in_row: int, *, is_even: bool
) -> FigureRow:
    """Return a row across the measure, of equal widths or with pictures of equal height."""
    measure = _measure_width(placer)
    count = in_row if is_even else len(cells)
    room = measure * (1 - _GAP_SHARE * (count - 1))
    ratios = [
        min(_MAX_RATIO, max(_MIN_RATIO, picture.width / picture.height))
        if picture and not is_even
        else 1.0
        for _, picture in cells
    ]
    total = count if is_even else sum(ratios)
    height = placer.geometry.text_height * _MAX_ROW_HEIGHT_SHARE / UNITS["px"]
    scale = 1.0 if is_even else min(1.0, height * total / room)
    row: list[FigureCell] = []
    for (part, picture), ratio in zip(cells, ratios, strict=True):
        width = scale * room * ratio / total
        if picture is not None:
            _fit_to_cell(placer, part, picture, width, min(height, width) if is_even else height)
        space = _GAP_SHARE * measure if row else (1 - scale) * room / 2
        row.append(FigureCell(part, _percent(width / measure), _percent(space / measure)))
    return FigureRow(tuple(row))


def _limit_heights(placer: FigurePlacer, figures: Iterable[Block], share: float) -> None:
    """Make the pictures of figures no higher than a share of the page."""
    highest = placer.geometry.text_height * share / UNITS["px"]
    for figure, picture in _pictures(placer, figures):
        width, _ = _fit_width(placer, figure, picture)
        if width * picture.height > highest * picture.width:
            third = _THIRD * _measure_width(placer)
            min_width = min(width, third) if figure.caption_spans else 1
            width = round(max(min_width, highest * picture.width / picture.height))
            placer.widths[id(figure)] = width, "narrow"


#: So many pictures of one width are at most this share of the page high, so that pages are filled
#: without making some of them smaller than the others.
_MIN_LIMITED_SERIES = 5
_MAX_SERIES_HEIGHT_SHARE = 0.34


def _limit_series(placer: FigurePlacer, run: Sequence[Block]) -> None:
    """Bound the heights of many pictures that are equally wide."""
    pictures = list(_pictures(placer, run))
    widths = [_fit_width(placer, *pair)[0] for pair in pictures]
    counts = Counter(widths)
    for (figure, picture), width in zip(pictures, widths, strict=True):
        if counts[width] >= _MIN_LIMITED_SERIES and picture.height <= picture.width:
            _limit_heights(placer, (figure,), _MAX_SERIES_HEIGHT_SHARE)


#: The height of the first picture of a story that runs on, as a share of the page.
_MAX_LEAD_HEIGHT_SHARE = 0.27


def limit_lead_heights(placer: FigurePlacer, stories: Iterable[Article]) -> None:
    """Bound the heights of stories' first pictures, to fit them below the story before."""
    if placer.geometry.columns == 1:
        for story in stories:
            _limit_heights(placer, story.blocks[:2], _MAX_LEAD_HEIGHT_SHARE)


#: The space at the sides of a table's cell as a share of the measure.
_CELL_PADDING_SHARE = 0.04


def _fit_to_cells(placer: FigurePlacer, table: Table) -> None:
    """Make the pictures in a table no wider than an equal share of the measure."""
    columns = max((sum(cell.colspan for cell in row) for row in table.rows), default=1)
    measure = _measure_width(placer)
    for cell in chain.from_iterable(table.rows):
        widest = measure * (cell.colspan / columns - _CELL_PADDING_SHARE)
        for figure, picture in _pictures(placer, walk(cell.blocks)):
            width, _ = _fit_width(placer, figure, picture)
            placer.widths[id(figure)] = max(1, int(min(width, widest))), "full"
            placer.cell_figures.add(id(figure))


_THIRD = 1 / 3
#: The size of a caption, in units of the font size.
_CAPTION_SIZE = 0.86
_LEADING_EM = 1.4


def _place_beside(placer: FigurePlacer, figure: Figure, following: Sequence[Block]) -> None:
    """Place a small figure beside the paragraphs after it if there are enough of them."""
    picture = placer.picture(figure)
    if picture is None:
        return
    width, position = _fit_width(placer, figure, picture)
    if position != "beside":
        return
    geometry, measure = placer.geometry, _measure_width(placer)
    size = geometry.font_size * UNITS["pt"] / UNITS["px"]
    width = round(min(width, _THIRD * measure))
    caption = len(plain_text(figure.caption_spans)) + len(figure.credit)
    lines = caption * CHARACTER_WIDTH * size * _CAPTION_SIZE / width + 1
    height = width * picture.height / picture.width + lines * size * _LEADING_EM
    characters = 0
    for block in islice(following, 3):
        if not isinstance(block, Paragraph):
            break
        characters += len(plain_text(block.spans))
    text_needed = height / (size * _LEADING_EM) * (measure - width) / (CHARACTER_WIDTH * size)
    if characters > text_needed:
        placer.widths[id(figure)] = width, "beside"


def _percent(share: float) -> float:
    """Return a share as a percentage, rounded down so that a row has room for all."""
    return int(share * 10_000) / 100


def _width_on_screen(figure: Figure, picture: Picture) -> float:
    """Return the stated width of a picture in CSS pixels, or its own."""
    return min(figure.width, picture.width) if figure.width > 0 else picture.width
