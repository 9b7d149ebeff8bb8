"""Lines of justified paragraphs, chosen together (Knuth & Plass, "Breaking Paragraphs into Lines").

WeasyPrint fills each line in turn, regardless of the following ones.  Here, the breaks of a whole
paragraph are chosen by dynamic programming, to minimize the sum of the demerits of its lines: for
stretched or shrunk spaces, and for hyphens.  Words are divided only if the paragraph has no good
lines otherwise.  WeasyPrint is then given, for each line, a width at which it breaks at the chosen
place.  Punctuation at the end of a line hangs over the edge slightly.

Names are divided only where lines would be loose otherwise.

This applies to left-to-right paragraphs of text and plain inline boxes with spaces between words.
All others, lines beside a float, and paragraphs without acceptable breaks are filled line by line.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import Any, NamedTuple

from ...text import RIGHT_TO_LEFT, UNSPACED_CHARACTER
from .box_tree import Box

#: How far punctuation hangs over the edge at the end of a line, in ems.
HANGS = dict.fromkeys("-\u2010.,'\u2019\u201d\u201c\"", 0.12)
HANGS |= dict.fromkeys("\u2013\u2014:;!?»«", 0.06)

#: The pixels added to the width of a chosen line for WeasyPrint: less than the width of a space or
#: part of a word, and more than the kerning between words or before a hyphen.
MARGIN_PX = 1.5
#: The attribute of a layout context with the paragraph and the line that are being set.
_PLANNED = "_webprint_planned"
#: The attribute of a layout context that is true if no word of the paragraph may be divided.
UNDIVIDED = "_webprint_undivided"
#: The attribute of a layout context with the lines to set instead of a paragraph's own.
_CHOSEN = "_webprint_chosen"
#: The attribute of a line with the place in its paragraph where it begins.
LINE_START = "_webprint_line_start"


def fill_line(original: Callable[..., Any], context: Any, box: Box, *args: Any) -> Any:
    """Lay out a line of a justified paragraph up to the break that is best for all its lines."""
    from weasyprint.layout import inline

    position_x, max_x, _, skip_stack, parent, *_ = args
    if type(box).__name__ != "LineBox" or box.style["text_align_all"] != "justify":
        return original(context, box, *args)
    width = max_x - position_x
    is_beside_float = abs(width + box.text_indent - parent.width) > 0.1
    chosen = getattr(context, _CHOSEN, None)
    paragraph = None if is_beside_float else chosen or _get_paragraph(context, box)
    line = paragraph and paragraph.line_at(_resume_offset(box, skip_stack), width, parent.width)
    if not line:
        result = original(context, box, *args)
        # With its last space, a line may be too wide for its place and be justified as if below it.
        inline.remove_last_whitespace(context, result[0])
        return result
    setattr(context, _PLANNED, None if getattr(context, UNDIVIDED, False) else (paragraph, line))
    try:
        result = original(context, box, position_x, position_x + line.width + MARGIN_PX, *args[2:])
    finally:
        setattr(context, _PLANNED, None)
    line_box, resume_at, *_ = result
    setattr(line_box, LINE_START, skip_stack)
    is_last = resume_at is None and not _fills_last_line(box)
    _adjust_spaces(context, line_box, max_x, line.hang, is_last=is_last)
    return result


@contextmanager
def undivided_word(context: Any, box: Box, place: dict[int, Any]) -> Iterator[bool]:
    """Choose lines that do not divide the word at a place of a paragraph; say if it is possible."""
    paragraph = _get_paragraph(context, box)
    if paragraph:
        offset = _resume_offset(box, place)
        setattr(context, _CHOSEN, paragraph.without_division(offset))
    try:
        yield paragraph is not None
    finally:
        setattr(context, _CHOSEN, None)


def split_planned_text(
    original: Callable[..., Any],
    context: Any,
    box: Box,
    width: Any,
    skip: int,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Split a text box at the planned end of the line, shaping the text only once.

    Of words that are joined, WeasyPrint would divide the first.
    """
    from weasyprint.layout.inline import strut
    from weasyprint.text.line_break import create_layout, first_line_metrics

    planned = getattr(context, _PLANNED, None)
    if not planned:
        return original(context, box, width, skip, *args, **kwargs)
    paragraph, line = planned
    data = box.text.encode()
    # Nothing of a box that is not the paragraph's, or on the next line.
    end = max(0, min(len(data), line.end - paragraph.offsets.get(id(box), line.end)))
    style, text = box.style, data[skip:end].decode()
    is_split = end < len(data)
    if is_split:
        text = text.rstrip(" \xa0")
    if not text or not style["font_size"] or "\xad" in text:
        return original(context, box, width, skip, *args, **kwargs)
    if is_split and line.has_hyphen:
        text += style["hyphenate_character"]
    layout = create_layout(text, style, context, None, box.justification_spacing)
    first_line, _ = layout.get_first_line()
    *_, text_width, height, baseline = first_line_metrics(
        first_line, text, layout, None, False, style
    )
    piece = box.copy_with_text(layout.text)
    piece.pango_layout, piece.width, piece.height = layout, text_width, height
    piece.margin_top = piece.margin_bottom = (strut(style)[0] - height) / 2
    piece.baseline = baseline + piece.margin_top
    return piece, end if is_split else None, False


def can_break_after_space(original: Callable[..., Any], text: str, *args: Any) -> Any:
    """Return whether a line may end inside a text, also before ``!./:?`` (UAX #14, LB13)."""
    return (len(text) == 2 and text[0] == " " and text[1] in "!./:?") or original(text, *args)


def _adjust_spaces(context: Any, line: Box, edge: float, hang: float, *, is_last: bool) -> None:
    """Stretch or shrink the spaces of a line, so that its last character hangs over the edge."""
    from weasyprint.layout import inline

    inline.remove_last_whitespace(context, line)
    natural = line.content_box_x() + line.width
    excess = natural - edge - hang
    if excess < 0 < hang and not is_last:
        inline.justify_line(context, line, -excess)
    elif natural > edge and (spaces := inline.count_expandable_spaces(line)):
        inline.add_word_spacing(context, line, -excess / spaces, 0)


@dataclass(frozen=True, slots=True)
class Break:
    """A place where a line may end and the next one begin.

    ``start`` is the offset of the next line in bytes.  ``width`` and ``spaces`` measure the text
    from the beginning of the paragraph up to the line's end, ``next_width`` and ``next_spaces``
    up to the beginning of the next one.  ``width`` includes a hyphen; ``hang`` is the part of it
    that is over the edge.
    """

    start: int
    width: float
    next_width: float
    spaces: int
    next_spaces: int
    hang: float = 0.0
    hyphen: bool = False
    name: bool = False


class Line(NamedTuple):
    """A line's width, its possible hang, and ``end``, the next line's offset in bytes."""

    width: float
    hang: float
    end: int
    has_hyphen: bool


#: The attempts at a paragraph: the maximum stretch of spaces, in multiples of :data:`STRETCH`, and
#: the words that may be divided: none, all but names, or all; at last, words that are tied may be
#: parted.
ATTEMPTS = (
    (1.0, "none"), (1.5, "words"), (2.0, "words"), (1.5, "all"), (3.0, "all"), (3.0, "ties")
)  # fmt: skip
_SPACE = 0x20
_NO_BREAK_SPACE = "\xa0".encode()
#: Each space, and the bytes after spaces.
_SPACES = re.compile(b" |\xc2\xa0")
#: A no-break space before a word, not one that keeps a sign or digits with others.
_TIE = re.compile(rb"(?<!\xc2\xab)\xc2\xa0(?=[A-Za-z\xc3-\xe1\xe3-\xf4])")
# The sign that begins an element such as `.gif`, `:root`, or `/etc`; and signs that begin no line.
_OPENING = re.compile(rb"[!./:?]")
_CLOSING = re.compile("[),;\\]}、。，．」』】）]|[.:?!]+(?: |$)".encode())


class ParagraphLines:
    """A paragraph, and the lines that were chosen for a width."""

    def __init__(
        self, context: Any, pieces: list[Box], size: float, *, fills_last_line: bool
    ) -> None:
        self.size = size
        self._fills_last_line = fills_last_line
        self._context = context
        self._pieces = [(piece, *_measure_bytes(context, piece)) for piece in pieces]
        lengths = (len(positions) - 1 for _, positions, _ in self._pieces)
        *starts, self._text_length = accumulate(lengths, initial=0)
        #: The offset of each text box in bytes.
        self.offsets = dict(zip(map(id, pieces), starts, strict=True))
        self._width = 0.0
        self._lines: dict[int, Line | None] = {}

    def line_at(self, start: int, line_width: float, width: float) -> Line | None:
        """Return the line that begins at an offset, None if it is to be filled.

        It has the width ``line_width``, the lines after it ``width``.
        """
        if width != self._width:
            self._width, self._lines = width, {}
        if start not in self._lines:
            self._lines[start] = None
            chosen = self._choose(start, line_width)
            for before, place in pairwise(chosen):
                width = place.width - before.next_width
                # The last line also has the spaces at the end of the text.
                end = self._text_length if place is chosen[-1] else place.start
                self._lines[before.start] = Line(width, place.hang, end, place.hyphen)
        return self._lines[start]

    def _choose(self, start: int, line_width: float) -> list[Break]:
        for tolerance, division in ATTEMPTS:
            places = self._undivided if division == "none" else self._divided
            if division in ("words", "ties"):
                places = self._without_names if division == "words" else self._with_ties
                if len(places) == len(self._divided):
                    continue
            index = bisect_left(places, start, key=attrgetter("start"))
            if places[index].start == start:
                candidates = places[index:]
                chosen = choose_breaks(
                    candidates,
                    self.size,
                    line_width,
                    self._width,
                    tolerance,
                    fills_last_line=self._fills_last_line,
                )
                if chosen:
                    return chosen
        return []

    def without_division(self, offset: int) -> ParagraphLines:
        """Return the same paragraph without the line ends inside the word at an offset."""
        paragraph = copy(self)
        paragraph._lines = {}
        index = bisect_left(self._undivided, offset, key=attrgetter("start"))
        begin, end = (place.start for place in self._undivided[index - 1 : index + 1])
        for name in ("_divided", "_without_names", "_with_ties"):
            places = getattr(self, name)
            paragraph.__dict__[name] = [
                place for place in places if not (place.hyphen and begin < place.start < end)
            ]
        return paragraph

    @cached_property
    def _without_names(self) -> list[Break]:
        return [place for place in self._divided if not place.name]

    @cached_property
    def _with_ties(self) -> list[Break]:
        return self._find_breaks(self._divisions, parts_ties=True)

    @cached_property
    def _undivided(self) -> list[Break]:
        return self._find_breaks([{}] * len(self._pieces))

    @cached_property
    def _divided(self) -> list[Break]:
        return self._find_breaks(self._divisions)

    @cached_property
    def _divisions(self) -> list[dict[int, bool]]:
        texts = ["", *(piece.text for piece, *_ in self._pieces)]
        return [
            dict(_hyphenate(self._context, piece, before))
            for before, (piece, *_) in zip(texts, self._pieces, strict=False)
        ]

    def _find_breaks(
        self, divisions: list[dict[int, bool]], *, parts_ties: bool = False
    ) -> list[Break]:
        """Return the beginning of the text, its possible line ends, and its end.

        ``divisions`` maps offsets in each piece to whether the word is a name.
        """
        breaks = [Break(0, 0.0, 0.0, 0, 0)]
        offset, width, spaces = 0, 0.0, 0
        end = Break(0, 0.0, 0.0, 0, 0)
        follows_space = True
        for (piece, positions, line_breaks), word_breaks in zip(
            self._pieces, divisions, strict=True
        ):
            data, size = piece.text.encode(), piece.style["font_size"]
            hyphen = 0.0
            if word_breaks:
                _, hyphen = set_on_line(
                    piece.style["hyphenate_character"], piece.style, self._context
                )
            is_nowrap = piece.style["white_space"] == "nowrap"
            line_ends = () if is_nowrap else line_breaks
            spaced = (at for match in _SPACES.finditer(data) for at in match.span())
            for index in sorted({0, *spaced, *word_breaks, *line_breaks}):
                if index == len(data):
                    continue
                is_space = data[index] == _SPACE
                is_space |= parts_ties and _TIE.match(data, index) is not None
                position, start = width + positions[index], offset + index
                if is_space and not is_nowrap:
                    if not follows_space:
                        last = data[max(0, index - 3) : index].decode(errors="ignore")[-1:]
                        hang = size * HANGS.get(last, 0.0)
                        end = Break(start, position, position, spaces, spaces, hang)
                    spaces += 1
                    follows_space = True
                    continue
                if follows_space and start:
                    if not _CLOSING.match(data, index):
                        breaks.append(
                            Break(start, end.width, position, end.spaces, spaces, end.hang)
                        )
                elif index in word_breaks:
                    widths, hang = (position + hyphen, position), size * HANGS["-"]
                    is_name = word_breaks[index]
                    breaks.append(Break(start, *widths, spaces, spaces, hang, True, is_name))
                elif index in line_ends and not _OPENING.fullmatch(data, 0, index):
                    breaks.append(Break(start, position, position, spaces, spaces))
                spaces += is_space or data.startswith(_NO_BREAK_SPACE, index)
                follows_space = False
            offset += len(data)
            width += positions[-1]
        if not follows_space:
            hang = size * HANGS.get(data.decode()[-1:], 0.0) if self._fills_last_line else 0.0
            end = Break(offset, width, width, spaces, spaces, hang)
        return [*breaks, end]


#: The shrinkage of a space at a badness of 100, in ems.  No space shrinks more.
SHRINK = 0.06
#: The stretch of a space at a badness of 100, in ems.
STRETCH = 0.15
# Demerits, where a line of badness b has (LINE_PENALTY + b)², as in TeX.
LINE_PENALTY = 10.0
HYPHEN = 2500.0
#: For a second hyphen on the next line.
NEXT_HYPHEN = 10_000.0
#: For a hyphen on the penultimate line.
LAST_HYPHEN = 5000.0
#: Demerits for dividing a name, for which patterns are unreliable: a word with a capital letter
#: inside a sentence, except in languages that capitalize nouns.
NAME_HYPHEN = 1_000_000.0


def choose_breaks(
    places: list[Break],
    size: float,
    first_width: float,
    width: float,
    tolerance: float,
    *,
    fills_last_line: bool = False,
) -> list[Break]:
    """Return the breaks of least demerits; none if a line would be too loose or too tight.

    ``places`` are the beginning of the text, where a line may end, and the end, in order; the first
    and the last are returned, too.  ``tolerance`` limits the stretch of spaces, in :data:`STRETCH`.
    The last line may be short unless it is to be filled like the others.
    """
    starts = [place.next_width for place in places]
    last = len(places) - 1
    # Where a line ends that may be short.
    short = None if fills_last_line else last
    # The least demerits of the lines up to each place, and where the last of them begins.
    best: list[tuple[float, int] | None] = [(0.0, 0)]
    for index, place in enumerate(places[1:], 1):
        candidates = []
        # Skip lines that are far too long: no space shrinks by half.
        shortest = bisect_left(starts, place.width - 1.5 * max(width, first_width), 0, index)
        for start in range(index - 1, shortest - 1, -1):
            best_so_far, origin = best[start], places[start]
            room = (width if start else first_width) - (place.width - origin.next_width)
            spaces = (place.spaces - origin.next_spaces) * size
            if room + place.hang < -SHRINK * spaces:
                break
            if best_so_far is None or (index != short and room > tolerance * STRETCH * spaces):
                continue
            is_adjusted = index != short or room < 0
            ratio = _adjustment_ratio(room, place.hang, spaces) if is_adjusted else 0.0
            demerits = (LINE_PENALTY + 100 * abs(ratio) ** 3) ** 2
            demerits += place.hyphen * (HYPHEN + origin.hyphen * NEXT_HYPHEN)
            demerits += place.name * NAME_HYPHEN
            demerits += (index == last and origin.hyphen) * LAST_HYPHEN
            candidates.append((best_so_far[0] + demerits, start))
        best.append(min(candidates, default=None))
    chosen, index = [places[last]], last
    while index:
        if (line := best[index]) is None:
            return []
        index = line[1]
        chosen.append(places[index])
    return chosen[::-1]


def _adjustment_ratio(room: float, hang: float, spaces: float) -> float:
    """Return how much spaces of a total width change, as a multiple of STRETCH or (< 0) SHRINK."""
    room += hang
    if not spaces:
        return 0.0
    return room / spaces / (SHRINK if room < 0 else STRETCH)


def _resume_offset(box: Box, skip_stack: Any) -> int:
    """Return the offset in bytes at which a paragraph is resumed."""
    offset = 0
    while skip_stack:
        ((index, skip_stack),) = skip_stack.items()
        if hasattr(box, "text"):
            return offset + int(index)
        offset += sum(_text_length(child) for child in box.children[:index])
        if index >= len(box.children):
            break
        box = box.children[index]
    return offset


def _text_length(box: Box) -> int:
    if hasattr(box, "text"):
        return len(box.text.encode())
    return sum(map(_text_length, box.children)) if box.is_in_normal_flow() else 0


# The breaks of other paragraphs are left to WeasyPrint.
MIN_CHARS = 60
MAX_CHARS = 20_000
_UNSUITABLE = re.compile(f"[\n\t{RIGHT_TO_LEFT}]")
_PARAGRAPH = "_webprint_paragraph"
_EDGES = ("margin_left", "margin_right", "padding_left", "padding_right")


def _get_paragraph(context: Any, box: Box) -> ParagraphLines | None:
    """Return the paragraph of a line box; None if its lines are to be filled one by one."""
    size, parts = box.style["font_size"], box.children
    cached: tuple[float, Any, ParagraphLines | None] | None = getattr(box, _PARAGRAPH, None)
    # Half of a divided paragraph is a copy of the whole with its attributes, but other children.
    if cached is None or cached[0] != size or cached[1] is not parts:
        pieces = (_text_boxes(box) if box.style["direction"] == "ltr" else None) or []
        text = "".join(piece.text for piece in pieces)
        is_suitable = (
            MIN_CHARS <= len(text) <= MAX_CHARS
            and not _UNSUITABLE.search(text)
            and 4 * len(UNSPACED_CHARACTER.findall(text)) < len(text)
        )
        lines = None
        if is_suitable:
            lines = ParagraphLines(context, pieces, size, fills_last_line=_fills_last_line(box))
        cached = size, parts, lines
        setattr(box, _PARAGRAPH, cached)
    return cached[2]


def _fills_last_line(box: Box) -> bool:
    """Return whether a paragraph is the first part of a divided one: its last line is full."""
    return bool(box.style["text_align_last"] == "justify")


def _text_boxes(box: Box) -> list[Box] | None:
    """Return the text boxes of a paragraph, None if it holds anything else but plain inlines."""
    from weasyprint.formatting_structure import boxes

    texts: list[Box] = []
    for child in box.children:
        if child.is_floated() or child.style["white_space"] not in ("normal", "nowrap"):
            return None
        if isinstance(child, boxes.TextBox):
            texts.append(child)
        elif child.is_in_normal_flow():
            child_texts = _text_boxes(child) if isinstance(child, boxes.InlineBox) else None
            if child_texts is None or any(
                getattr(child.style[name], "value", 1) for name in _EDGES
            ):
                return None
            texts += child_texts
    return texts


def _measure_bytes(context: Any, piece: Box) -> tuple[list[float], frozenset[int]]:
    """Return the position of each byte of a text box and of its end, and the bytes at breaks."""
    from weasyprint.text.ffi import FROM_UNITS, ffi, pango
    from weasyprint.text.line_break import create_layout

    text = piece.text
    layout = create_layout(text, piece.style, context, None, 0)
    run = layout.get_first_line()[0].runs
    positions = [-1.0] * (len(text.encode()) + 1)
    x = 0.0
    while run != ffi.NULL:
        glyphs, begin = run.data.glyphs, run.data.item.offset
        count = glyphs.num_glyphs
        # A glyph is five integers; the second is its width.
        information = array("i", ffi.buffer(glyphs.glyphs, 20 * count)[:])
        clusters = array("i", ffi.buffer(glyphs.log_clusters, 4 * count)[:])
        for cluster, width in zip(clusters, information[1::5], strict=True):
            if positions[begin + cluster] < 0:
                positions[begin + cluster] = x
            x += width
        run = run.next
    positions[-1] = x
    # A ligature is one glyph of several characters, and may be divided: 'prof-its'.
    known = [index for index, position in enumerate(positions) if position >= 0]
    for begin, end in pairwise(known):
        step = (positions[end] - positions[begin]) / (end - begin)
        for index in range(begin + 1, end):
            positions[index] = positions[begin] + step * (index - begin)
    attributes = pango.pango_layout_get_log_attrs_readonly(layout.layout, ffi.NULL)
    flags = array("I", ffi.buffer(attributes, 4 * len(text))[:])
    layout.deactivate()
    offsets = accumulate((len(character.encode()) for character in text), initial=0)
    breaks = frozenset(at for at, flag in zip(offsets, flags, strict=False) if flag & 1)
    return [position * FROM_UNITS for position in positions], breaks


CAPITALIZED_NOUNS = frozenset({"de", "ksh", "lb", "nds"})
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_APOSTROPHES = frozenset("'\u2019")
_SENTENCE_START = re.compile("[.!?:…][\"'»”’)]*$|[\"'«„“‘¿¡(—–]$")


def _hyphenate(context: Any, piece: Box, before: str) -> Iterator[tuple[int, bool]]:
    """Yield the byte offsets of hyphenation points, and whether each is in a name."""
    import pyphen

    style, text = piece.style, piece.text
    language = style["lang"] and pyphen.language_fallback(style["lang"])
    if style["hyphens"] != "auto" or style["white_space"] == "nowrap" or not language:
        return
    total, left, right = style["hyphenate_limit_chars"]
    key = language, left, right, total
    if key not in context.dictionaries:
        context.dictionaries[key] = pyphen.Pyphen(lang=language, left=left, right=right)
    has_names = style["lang"].partition("-")[0].lower() not in CAPITALIZED_NOUNS
    is_ascii = text.isascii()
    for match in _WORD.finditer(text):
        word, begin = match[0], match.start()
        if len(word) < total:
            continue
        is_name = has_names and word[0].isupper() and not _begins_sentence(text, begin, before)
        for position in context.dictionaries[key].positions(word):
            at = begin + position
            if not _APOSTROPHES.intersection(text[at - 1 : at + 1]):
                yield at if is_ascii else len(text[:at].encode()), is_name


def _begins_sentence(text: str, begin: int, before: str) -> bool:
    preceding = text[max(0, begin - 8) : begin].strip() or before[-8:].strip()
    return not preceding or bool(_SENTENCE_START.search(preceding))


def set_on_line(text: str, style: Any, context: Any) -> tuple[Any, float]:
    """Return the layout of a text on one line, and its width in pixels."""
    from weasyprint.text.line_break import create_layout, line_size

    layout = create_layout(text, style, context, None, 0)
    width, _ = line_size(layout.get_first_line()[0], style)
    return layout, float(width)
