"""The replaced functions of WeasyPrint, whose exact version is pinned because of them.

:data:`PATCHES` lists the functions that are replaced, once per process.  The replacements are
active only inside :func:`patched`, in the thread that entered it, so that other documents rendered
in the process are not affected.

Modules that have imported an original by name do not see its replacement:
``tests/render/weasy/test_patches.py`` lists them, with the signatures they rely on.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache, wraps
from importlib import import_module
from itertools import islice
from typing import Any

from .bidi import order_line, split_directions
from .box_tree import Box, has_class
from .figure_placement import place_figures_on_page
from .footnotes import place_footnotes_on_page, report_notes, reserve_notes
from .headings import break_heading, keep_headings_above_spanning
from .paragraphs import (
    LINE_START,
    UNDIVIDED,
    can_break_after_space,
    fill_line,
    set_on_line,
    split_planned_text,
    undivided_word,
)
from .tags import remember_box


def break_headings(
    original: Callable[..., Any],
    context: Any,
    box: Box,
    bottom_space: Any,
    skip_stack: Any,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Balance the lines of a box of the class ``balanced`` (css-text-4, 6.2)."""
    if skip_stack is None and has_class(box, "balanced"):
        break_heading(context, box)
    return original(context, box, bottom_space, skip_stack, *args, **kwargs)


def end_code_with_its_last_line(
    original: Callable[..., Any], context: Any, box: Box, *args: Any, **kwargs: Any
) -> Any:
    """End the background of broken code with its last line on the page.

    WeasyPrint extends it to the foot of the page, as css-break-3, 5.1, allows.
    """
    result = original(context, box, *args, **kwargs)
    fragment, resume_at = result[:2]
    if fragment is not None and resume_at is not None and box.element_tag == "pre":
        last = fragment
        while getattr(last, "children", ()) and type(last).__name__ != "LineBox":
            last = last.children[-1]
        fragment.height = last.position_y + last.margin_height() - fragment.content_box_y()
    return result


def drop_margin_at_column_top(
    original: Callable[..., Any],
    context: Any,
    box: Box,
    bottom_space: Any,
    skip_stack: Any,
    containing_block: Any,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Drop the top margin of the first block of a column (css-break-3, 5.2).

    WeasyPrint does so only at the top of pages.
    """
    arguments = (context, box, bottom_space, skip_stack, containing_block, *args)
    if not _is_at_column_top(box, containing_block):
        return original(*arguments, **kwargs)
    style = box.style
    box.style = style.copy()
    box.style["margin_top"] = style["margin_top"]._replace(value=0)
    try:
        return original(*arguments, **kwargs)
    finally:
        box.style = style


def _is_at_column_top(box: Box, parent: Any) -> bool:
    """Return whether a block is the first of a column of an article's body."""
    if not getattr(parent, "is_column", False) or parent.element is None:
        return False
    if parent.element.get("class") != "body" or box.style["margin_top"] == "auto":
        return False
    return bool(box.position_y - parent.content_box_y() < 0.1)


def draw_rules_between(original: Callable[..., None], stream: Any, box: Box) -> None:
    """Draw column rules, in right-to-left text to the right of each column."""
    from weasyprint.layout.percent import percentage

    if box.style["direction"] == "rtl":
        gap = box.style["column_gap"]
        normal = box.style["font_size"]
        width = normal if gap == "normal" else percentage(gap, box.style, box.width)
        columns = [child.copy() for child in box.children]
        for column in columns:
            column.position_x += column.width + width
        box = box.copy_with_children(columns)
    original(stream, box)


#: The rounding error of widths.
_WIDTH_TOLERANCE_PX = 0.5
#: Where a name may be broken: after punctuation between letters, or between a letter and a digit.
_IN_NAMES = re.compile(r"(?<=[^\W\d_][_./=+:&?@,;-])(?=\w)|(?<=\w[_./=+:&?@,;-])(?=[^\W\d_])")
_CODE_TAGS = frozenset({"code", "samp", "kbd", "var", "pre"})


def fit_columns(
    original: Callable[..., None], context: Any, wrapper: Box, containing_block: Any
) -> None:
    """Lay out a table's columns, and again with more breaks if it is too wide.

    First break names after punctuation, then hyphenate words, then narrow the widest columns.
    """
    table = wrapper.get_wrapped_table()
    margins = (wrapper.margin_left, wrapper.margin_right)
    room = containing_block[0] - sum(margin for margin in margins if margin != "auto")
    width = table.width
    original(context, wrapper, containing_block)
    for allow_breaks in (_break_names, _hyphenate_words):
        if table.border_width() <= room + _WIDTH_TOLERANCE_PX:
            break
        allow_breaks(table)
        context.tables.pop(table, None)
        table.width = width
        original(context, wrapper, containing_block)
    if (excess := table.border_width() - room) > _WIDTH_TOLERANCE_PX:
        table.width -= excess
        table.column_widths = _narrow_widest(table.column_widths, excess)


def _break_names(table: Box) -> None:
    for box in _text_boxes(table):
        box.text = _IN_NAMES.sub("\u200b", box.text)


def _hyphenate_words(table: Box) -> None:
    for box in _text_boxes(table):
        if "\u200b" not in box.text and box.element_tag not in _CODE_TAGS:
            box.style = box.style.copy()
            box.style["hyphens"] = "auto"


def _narrow_widest(widths: list[float], excess: float) -> list[float]:
    """Return widths that are less by an excess in all, the widest of them limited to one width."""
    remaining = sum(widths) - excess
    for count, width in enumerate(sorted(widths)):
        limit = remaining / (len(widths) - count)
        if width >= limit:
            return [min(width, limit) for width in widths]
        remaining -= width
    return widths


def _text_boxes(table: Box) -> Iterator[Box]:
    return (box for box in table.descendants() if getattr(box, "text", ""))


#: White space that hangs at the end of a line.
_HANGING = frozenset({"normal", "pre-line"})
#: A lower bound of the average width of a character.
_MIN_CHARACTER_WIDTH_EM = 0.25
#: Longer runs without a space are not words of any language, and need no hyphens.
_MAX_WORD_CHARS = 1_000
_NO_WORD = re.compile(f"[^ \n]{{{_MAX_WORD_CHARS}}}")


def hang_spaces(
    original: Callable[..., Any],
    text: str,
    style: Any,
    context: Any,
    max_width: float | None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Hang a space at the end of a line over the edge, even inside an inline box.

    See css-text-3, 4.1.2.  If only its last space does not fit, WeasyPrint leaves just the first
    word of a piece of text on the line.
    """
    # In a text without spaces, WeasyPrint repeats its search for words to divide from each word.
    is_long = len(text) > _MAX_WORD_CHARS and _NO_WORD.search(text, 0, 2 * _MAX_WORD_CHARS)
    if is_long or getattr(context, UNDIVIDED, False):
        style = style.copy()
        style["hyphens"] = "manual"
    result = original(text, style, context, max_width, *args, **kwargs)
    _, _, resume_index, *_ = result
    if resume_index is None or max_width is None or not text.endswith(" "):
        return result
    size = style["font_size"]
    too_long = len(text) * _MIN_CHARACTER_WIDTH_EM * size > max_width
    if style["white_space"] not in _HANGING or too_long:
        return result
    bare = original(text.rstrip(" "), style, context, max_width, *args, **kwargs)
    _, _, resume_index, width, *_ = bare
    if resume_index is not None or width > max_width:
        return result
    return original(text, style, context, max_width + size, *args, **kwargs)


#: The most space added between characters of Chinese and Japanese.
MAX_CJK_SPACING_EM = 0.2
#: The space between them that readers of the PDF may take for a space between words.
MAX_JOINED_EM = 0.1
#: The most space added to a space between words before letters are spaced as well.
MAX_ADDED_SPACE_EM = 0.33
MAX_LETTER_SPACING_EM = 0.02
#: The space added between words above which a line is not justified, and a word at the end of a
#: page is divided instead.
WIDE_SPACE_EM = 0.4
#: The attribute of a line that is not justified.
_LEFT_SHORT = "_webprint_left_short"
_CJK_RANGES = "\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_CJK = re.compile(f"[{_CJK_RANGES}]")
#: Characters with the selectors of their variants, or a word and the space after it.
_CJK_PART = re.compile(
    f"[{_CJK_RANGES}][{_CJK_RANGES}\ufe00-\ufe0f\U000e0100-\U000e01ef]*"
    f"|[^{_CJK_RANGES} \u00a0]*[ \u00a0]+|[^{_CJK_RANGES} \u00a0]+"
)
_SPACES = re.compile("[ \u00a0]")
#: Letters that join to each other or are stacked: Arabic to Sinhala, Tibetan and so on.
_JOINING = re.compile("[\u0600-\u1cff\ufb50-\ufdff\ufe70-\ufeff]")


def justify(original: Callable[..., None], context: Any, line: Box, extra_width: float) -> None:
    """Justify a line by space between words and, if that is not enough, between letters.

    Chinese and Japanese get space between all characters (css-text-3, 7.4), but none inside words
    of other scripts and numbers.  Scripts whose letters join get no letter spacing.  A line with
    wide gaps is not justified.
    """
    text = "".join(getattr(box, "text", "") for box in line.descendants())
    size = line.style["font_size"]
    if extra_width > 0 and 2 * len(_CJK.findall(text)) > len(text):
        gaps = sum(len(part) if _CJK.match(part) else 1 for part in _CJK_PART.findall(text))
        if extra_width <= MAX_CJK_SPACING_EM * size * gaps:
            _part_words(line)
            _space_letters(context, line, extra_width / gaps, 0, is_cjk=True)
        return
    if not _JOINING.search(text):
        spaces = size * len(_SPACES.findall(text))
        excess = extra_width - MAX_ADDED_SPACE_EM * spaces
        if excess > 0:
            spacing = min(MAX_LETTER_SPACING_EM * size, excess / max(1, len(text)))
            remainder = extra_width - spacing * len(text)
            if remainder > WIDE_SPACE_EM * spaces and line.style["direction"] == "ltr":
                setattr(line, _LEFT_SHORT, True)
                return
            extra_width -= _space_letters(context, line, spacing, 0)
    original(context, line, extra_width)


def _part_words(box: Box) -> None:
    """Set the words of other scripts in a line of Chinese or Japanese in boxes of their own."""
    children = []
    for child in box.children:
        if not getattr(child, "text", ""):
            if type(child).__name__ == "InlineBox":
                _part_words(child)
            children.append(child)
            continue
        parts = [child.copy_with_text(part) for part in _CJK_PART.findall(child.text)]
        for part in parts[:-1]:  # The width is the last one's until the parts are set.
            part.width = 0
        children += parts
    box.children = children


def _space_letters(
    context: Any, box: Box, spacing: float, advance: float, *, is_cjk: bool = False
) -> float:
    """Move a box of a line by ``advance`` and add space to its letters; return the new advance.

    In a line of Chinese or Japanese, words of other scripts get it only after the last letter.
    """
    from weasyprint.formatting_structure import boxes

    if isinstance(box, boxes.TextBox):
        box.position_x += advance
        box.style = box.style.copy()
        before = box.style["letter_spacing"]
        is_word = is_cjk and not _CJK.match(box.text)
        if not is_word:
            box.style["letter_spacing"] = spacing + (0 if before == "normal" else before)
        layout, width = set_on_line(box.text, box.style, context)
        width += spacing if is_word else 0
        layout.deactivate()
        box.pango_layout = layout
        advance += width - box.width
        box.width = width
        return advance
    if not isinstance(box, boxes.LineBox | boxes.InlineBox):
        box.translate(advance, 0)
        return advance
    box.position_x += advance
    start = advance
    for child in box.children:
        if child.is_in_normal_flow():
            advance = _space_letters(context, child, spacing, advance, is_cjk=is_cjk)
    box.width += advance - start
    return advance


#: The most lines that are moved to the next page for a word that is not to be divided.
MAX_LINES_MOVED = 2


def avoid_divided_words(
    original: Callable[..., Any],
    context: Any,
    box: Box,
    line: Box,
    new_children: list[Box],
    needed: int,
    page_is_empty: bool,
    *args: Any,
) -> Any:
    """Break a paragraph between pages without dividing a word (css-text-4, 6.3.5)."""
    end = len(new_children) - needed
    min_count = max(box.style["orphans"], end - MAX_LINES_MOVED)
    ends = range(end, min_count - 1, -1)
    undivided_ends = (at for at in ends if not _is_divided(new_children[at - 1]))
    count = end if context.in_column else next(undivided_ends, None)
    if count is None:
        count = end
        if end > 1:
            _set_undivided(context, box, new_children, end - 1, args)
    moved = new_children[count : max(0, end)]
    if not any(part.footnote for line in moved for part in line.descendants()):
        needed += len(moved)
    return original(context, box, line, new_children, needed, page_is_empty, *args)


def _set_undivided(
    context: Any, box: Box, lines: list[Box], index: int, args: tuple[Any, ...]
) -> None:
    """Set the lines up to one without dividing the word at its end, if all are good then.

    The space that the word leaves is shared by the lines above it, not left to its line alone.
    """
    first = index + 1
    while first and not any(part.footnote for part in lines[first - 1].descendants()):
        first -= 1
    if first > index:
        return
    paragraph = box.children[args[0]]
    with undivided_word(context, paragraph, lines[index].resume_at) as is_planned:
        if is_planned and hasattr(lines[first], LINE_START):
            start = getattr(lines[first], LINE_START)
            if _set_lines(context, box, lines, range(first, index + 1), start, args):
                return
    setattr(context, UNDIVIDED, True)
    try:
        _set_lines(context, box, lines, range(index, index + 1), lines[index - 1].resume_at, args)
    finally:
        setattr(context, UNDIVIDED, False)


def _set_lines(
    context: Any,
    box: Box,
    lines: list[Box],
    indexes: range,
    start: dict[int, Any] | None,
    args: tuple[Any, ...],
) -> bool:
    """Set lines again from a place in their paragraph, if all are good; return whether they are."""
    from weasyprint.layout.inline import iter_line_boxes

    child_index, *_, absolute_boxes, fixed_boxes = args
    position_y = lines[indexes[0]].position_y
    found = iter_line_boxes(
        context, box.children[child_index], position_y, 0, start, box, absolute_boxes, fixed_boxes,
        None, None,
    )  # fmt: skip
    again = list(islice(found, len(indexes)))
    if len(again) < len(indexes) or _is_divided(again[-1][0]):
        return False
    for index, (line, resume_at) in zip(indexes, again, strict=True):
        is_short = hasattr(line, _LEFT_SHORT)
        if resume_at is None or is_short or line.height != lines[index].height:
            return False
    for index, (line, resume_at) in zip(indexes, again, strict=True):
        line.resume_at = resume_at
        lines[index] = line
    return True


def _is_divided(line: Box) -> bool:
    """Return whether a line ends inside a word."""
    texts = [box for box in line.descendants() if getattr(box, "text", "")]
    return bool(texts) and texts[-1].text.endswith(texts[-1].style["hyphenate_character"])


#: The largest difference in width between a joined leader and its pieces.
LEADER_TOLERANCE_PX = 0.5


def join_leader(
    original: Callable[..., Any], context: Any, line: Any, containing_block: Any
) -> None:
    """Join a leader's dots into one text box, as boxes take memory and file size."""
    from weasyprint.layout.leader import leader_index
    from weasyprint.text.line_break import split_first_line

    original(context, line, containing_block)
    _, leader = leader_index(line)
    if leader is None or len(leader.children) < 2:
        return
    pieces = leader.children
    first = min(pieces, key=lambda piece: piece.position_x)
    text = first.text * len(pieces)
    layout, _, resume_index, width, _, _ = split_first_line(text, first.style, context, None, 0)
    if resume_index is None and abs(width - first.width * len(pieces)) <= LEADER_TOLERANCE_PX:
        joined = first.copy_with_text(text)
        joined.pango_layout, joined.width = layout, width
        leader.children = (joined,)


#: Devanagari to Sinhala, Tibetan, Myanmar, Khmer.
_INDIC = re.compile("[\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff]")


def add_actual_text(original: Callable[..., Any], stream: Any, textbox: Any, *args: Any) -> Any:
    """Draw some text with its characters (ActualText, ISO 32000-1, 14.9.4).

    Indic letters join into reordered glyphs, from which "वर्णन" would be read back as "वर्षन".
    Chinese characters that stand apart would be read back with spaces between them.  Where capitals
    are small capitals as well, a glyph stands for two letters: "Experts" would be "E xpErts".
    Readers disagree about right-to-left scripts.
    """
    style, text = textbox.style, textbox.text
    spacing = style["letter_spacing"]
    is_spaced = spacing != "normal" and spacing > MAX_JOINED_EM * style["font_size"]
    is_small = style["font_variant_caps"] == "all-small-caps"
    if not (is_small or _INDIC.search(text) or (is_spaced and _CJK.search(text))):
        return original(stream, textbox, *args)
    import pydyf

    properties = pydyf.Dictionary({"ActualText": pydyf.String(text)})
    stream.begin_marked_content("Span", properties)
    try:
        return original(stream, textbox, *args)
    finally:
        stream.end_marked_content()


_DEPENDENT = re.compile(r"@(?:font-face|import|layer|color-profile|[\w-]*\\)", re.IGNORECASE)


def reuse_style_sheet(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Parse the text of a style sheet once for all documents that have it."""
    text, media_type = kwargs.get("string"), kwargs.get("media_type")
    if text is None or args or _DEPENDENT.search(text):
        return original(*args, **kwargs)
    sheet = _parse_style_sheet(original, text, media_type)
    if sheet is None:
        return original(*args, **kwargs)
    css, page_rules, counter_style = sheet
    kwargs["page_rules"].extend(page_rules)
    kwargs["counter_style"].update(counter_style)
    return css


class _WarningCollector(logging.Handler):
    """Collects the warnings of one thread."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self._thread and len(self.messages) < 10_000:
            self.messages.append(record.getMessage())


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect WeasyPrint's log instead of printing it."""
    logger = logging.getLogger("weasyprint")
    collector = _WarningCollector()
    propagate = logger.propagate
    logger.addHandler(collector)
    logger.propagate = False
    try:
        yield collector.messages
    finally:
        logger.removeHandler(collector)
        logger.propagate = propagate


MAX_CACHED_STYLE_SHEETS = 16


@lru_cache(maxsize=MAX_CACHED_STYLE_SHEETS)
def _parse_style_sheet(
    original: Callable[..., Any], text: str, media: str
) -> tuple[Any, list[Any], dict[str, Any]] | None:
    """Return a style sheet and its rules; None if it has faults, of which each document warns."""
    page_rules: list[Any] = []
    counter_style: dict[str, Any] = {}
    rules = {"page_rules": page_rules, "counter_style": counter_style}
    with collected_warnings() as messages:
        css = original(string=text, media_type=media, **rules)
    return None if messages else (css, page_rules, counter_style)


def free_attributes(original: Any, *args: Any, **kwargs: Any) -> Any:
    """Make the layout of a line that frees its attributes."""
    return _line_layout(original)(*args, **kwargs)


@cache
def _line_layout(base: Any) -> Any:
    from weasyprint.text.ffi import pango

    class LineLayout(base):  # type: ignore[misc]
        """A layout that frees its attributes.

        WeasyPrint never releases the attribute list of a layout, because all lists share one
        attribute of font features.  Here each list owns its attribute, so that Pango frees both
        with the layout.  A font configuration belongs to one thread, so nothing else uses the cache
        of attributes meanwhile.
        """

        def setup(self, style: Any) -> None:
            shared = style.font_config.font_features
            shared.clear()
            super().setup(style)
            if shared:
                pango.pango_attr_list_unref(pango.pango_layout_get_attributes(self.layout))
                shared.clear()

    return LineLayout


def keep_font_time(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Open a font that is saved again without the time of saving, which no two prints share."""
    return original(*args, recalcTimestamp=False, **kwargs)


def keep_page_references(original: Callable[..., Any], pdf: Any, *args: Any, **kwargs: Any) -> Any:
    """Tag a document with a list of its pages that is made once instead of for each tag."""
    original_class = type(pdf)
    pdf.__class__ = type("PDF", (original_class,), {"page_references": pdf.page_references})
    try:
        return original(pdf, *args, **kwargs)
    finally:
        pdf.__class__ = original_class


def avoid_breaks_in_floats(
    original: Callable[..., tuple[Box, Any]],
    context: Any,
    box: Box,
    containing_block: Box,
    absolute_boxes: list[Any],
    fixed_boxes: list[Any],
    bottom_space: float,
    skip_stack: Any,
) -> tuple[Box, Any]:
    """Lay out an unbreakable float, which WeasyPrint would break; else end the page before it."""
    around = containing_block, absolute_boxes, fixed_boxes
    placeholders = len(absolute_boxes), len(fixed_boxes)
    x, y = box.position_x, box.position_y
    floated, resume_at = original(context, box, *around, bottom_space, skip_stack)
    if resume_at is None or box.style["break_inside"] != "avoid":
        return floated, resume_at
    del absolute_boxes[placeholders[0] :], fixed_boxes[placeholders[1] :]
    context.excluded_shapes.pop()
    box.position_x, box.position_y = x, y
    return original(context, box, *around, -float("inf"), skip_stack)


@dataclass(frozen=True, slots=True)
class Patch:
    """A function of a module of WeasyPrint, and the replacement that is called with it."""

    module: str
    function: str
    replacement: Callable[..., Any]


PATCHES = (
    Patch("weasyprint.layout.block", "block_container_layout", break_headings),
    Patch("weasyprint.layout.block", "block_container_layout", split_directions),
    Patch("weasyprint.layout.block", "block_container_layout", end_code_with_its_last_line),
    Patch("weasyprint.layout.inline", "get_next_linebox", order_line),
    Patch("weasyprint.layout.block", "block_level_layout", drop_margin_at_column_top),
    Patch("weasyprint.layout.block", "columns_layout", keep_headings_above_spanning),
    Patch("weasyprint.layout.block", "_break_line", avoid_divided_words),
    Patch("weasyprint.layout.block", "float_layout", avoid_breaks_in_floats),
    Patch("weasyprint.layout.table", "auto_table_layout", fit_columns),
    Patch("weasyprint.layout.inline", "split_first_line", hang_spaces),
    Patch("weasyprint.layout.inline", "split_inline_box", fill_line),
    Patch("weasyprint.layout.inline", "split_text_box", split_planned_text),
    Patch("weasyprint.layout.inline", "can_break_text", can_break_after_space),
    Patch("weasyprint.layout.inline", "justify_line", justify),
    Patch("weasyprint.layout.inline", "handle_leader", join_leader),
    Patch("weasyprint.layout.column", "_report_footnotes", report_notes),
    Patch("weasyprint.layout.page", "make_page", reserve_notes),
    Patch("weasyprint.layout.page", "remake_page", place_footnotes_on_page),
    Patch("weasyprint.layout.page", "remake_page", place_figures_on_page),
    Patch("weasyprint.draw.border", "draw_column_rules", draw_rules_between),
    Patch("weasyprint.draw.text", "draw_first_line", add_actual_text),
    Patch("weasyprint.text.line_break", "Layout", free_attributes),
    Patch("weasyprint.pdf.fonts", "TTFont", keep_font_time),
    Patch("weasyprint.text.fonts", "TTFont", keep_font_time),
    Patch("weasyprint.pdf", "add_tags", keep_page_references),
    Patch("weasyprint.pdf.tags", "_build_box_tree", remember_box),
    Patch("weasyprint.css", "CSS", reuse_style_sheet),
)
_thread = threading.local()
_install_lock = threading.Lock()
_installed: list[Patch] = []


@contextmanager
def patched() -> Iterator[None]:
    """Activate all patches in this thread."""
    with _install_lock:
        for patch in PATCHES[len(_installed) :]:
            _install(patch)
            _installed.append(patch)
    _thread.active = True
    try:
        yield
    finally:
        _thread.active = False


#: Replacements that are switched off.
disabled: set[Callable[..., Any]] = set()


def _install(patch: Patch) -> None:
    module = import_module(patch.module)
    original = getattr(module, patch.function)

    @wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if getattr(_thread, "active", False) and patch.replacement not in disabled:
            return patch.replacement(original, *args, **kwargs)
        return original(*args, **kwargs)

    setattr(module, patch.function, function)
