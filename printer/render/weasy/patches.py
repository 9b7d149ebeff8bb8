"""All changes to the internals of WeasyPrint, whose version is pinned exactly for their sake.

:data:`PATCHES` lists the functions replaced; they are replaced once in a process, and the
replacements do something only inside :func:`patched`, in the thread that entered it.  Documents
rendered elsewhere in the process are not affected.

A replaced function is not seen by modules that have imported the original by name:
``tests/render/weasy/test_patches.py`` lists those, with the signatures relied upon.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from typing import Any, TypeAlias

from .figure_placement import place_figures_on_page

#: A box of WeasyPrint's tree.
Box: TypeAlias = Any

#: Titles of more lines are not balanced; the width is found to this part of it.
MAX_BALANCED_LINES, BALANCE_PRECISION = 4, 0.01

#: White space that hangs at the end of a line.
_HANGING = frozenset({"normal", "pre-line"})

#: The average character is at least this wide, in ems.
_MIN_CHARACTER_WIDTH = 0.25

#: Pixels by which the width of a joined leader may differ from that of its pieces.
LEADER_TOLERANCE = 0.5

#: Devanagari to Sinhala, Tibetan, Myanmar, Khmer.
_INDIC = re.compile("[\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff]")


def balance_lines(
    original: Callable[..., Any], context: Any, box: Box, *args: Any, **kwargs: Any
) -> Any:
    """Lay out a box of the class ``balanced`` as narrow as it can be without another line.

    WeasyPrint has no ``text-wrap: balance`` (css-text-4, 6.2).  The text is measured in the style
    of the box, so that changes of font inside it are ignored.
    """
    if box.element is not None and "balanced" in (box.element.get("class") or "").split():
        _balance(context, box)
    return original(context, box, *args, **kwargs)


def _balance(context: Any, box: Box) -> None:
    """Narrow a box, at its own side of the page, to the least width with as many lines."""
    text = " ".join("".join(box.element.itertext()).split())
    full = box.width
    lines = _count_lines(text, box, context, full)
    if not 1 < lines <= MAX_BALANCED_LINES:
        return
    low, high = full / lines, full
    while high - low > BALANCE_PRECISION * full:
        middle = (low + high) / 2
        if _count_lines(text, box, context, middle) <= lines:
            high = middle
        else:
            low = middle
    box.width = min(full, high + 1)  # Lines may be laid out a hair wider than measured.
    removed = full - box.width
    if box.style["text_align_all"] == "center":
        box.position_x += removed / 2
    elif box.style["direction"] == "rtl":
        box.position_x += removed


def _count_lines(text: str, box: Box, context: Any, width: float) -> int:
    """Count the lines of a text in a width; too many when a word does not fit."""
    from weasyprint.text.line_break import split_first_line

    rest = text.encode()
    for count in range(1, MAX_BALANCED_LINES + 2):
        _, _, resume_index, line_width, _, _ = split_first_line(
            rest.decode(), box.style, context, width, 0
        )
        if line_width > width + 1:
            break
        if resume_index is None:
            return count
        rest = rest[resume_index:].lstrip()
    return MAX_BALANCED_LINES + 1


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
    """Lay out the first block of a column without its top margin.

    CSS truncates margins at the top of pages and columns (css-break-3, 5.2); WeasyPrint does so on
    pages only, so that a column that begins with a heading would stand lower than its neighbours.
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


def hang_spaces(
    original: Callable[..., Any],
    text: str,
    style: Any,
    context: Any,
    max_width: float | None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Let a space at the end of a line hang over its edge, also at the end of an inline box.

    css-text-3, 4.1.2.  Where a piece of text ends in a space that alone does not fit, as before a
    link that begins the next line, WeasyPrint takes all of it for too long and leaves a line with
    its first word.
    """
    result = original(text, style, context, max_width, *args, **kwargs)
    _, _, resume_index, *_ = result
    if resume_index is None or max_width is None or not text.endswith(" "):
        return result
    size = style["font_size"]
    too_long = len(text) * _MIN_CHARACTER_WIDTH * size > max_width
    if style["white_space"] not in _HANGING or too_long:
        return result
    bare = original(text.rstrip(" "), style, context, max_width, *args, **kwargs)
    _, _, resume_index, width, *_ = bare
    if resume_index is not None or width > max_width:
        return result
    return original(text, style, context, max_width + size, *args, **kwargs)


def join_leader(
    original: Callable[..., Any], context: Any, line: Any, containing_block: Any
) -> None:
    """Make the dots that lead to a page number one text.

    WeasyPrint makes a box of every dot, which is most of the memory and the file of long contents.
    """
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
    if resume_index is None and abs(width - first.width * len(pieces)) <= LEADER_TOLERANCE:
        joined = first.copy_with_text(text)
        joined.pango_layout, joined.width = layout, width
        leader.children = (joined,)


def add_actual_text(original: Callable[..., Any], stream: Any, textbox: Any, *args: Any) -> Any:
    """Draw Indic text with its characters beside it (ActualText, PDF 32000-1, 14.9.4).

    Letters of these scripts join in glyphs whose order need not be theirs, and a PDF gives each
    glyph one reading: "वर्णन" would be read back as "वर्षन".  Right-to-left scripts are left alone,
    as readers disagree on the order in which they expect them.
    """
    if not _INDIC.search(textbox.text):
        return original(stream, textbox, *args)
    import pydyf

    properties = pydyf.Dictionary({"ActualText": pydyf.String(textbox.text)})
    stream.begin_marked_content("Span", properties)
    try:
        return original(stream, textbox, *args)
    finally:
        stream.end_marked_content()


@dataclass(frozen=True, slots=True)
class Patch:
    """A function of a module of WeasyPrint, and what is called with it in its place."""

    module: str
    function: str
    replacement: Callable[..., Any]


PATCHES = (
    Patch("weasyprint.layout.block", "block_container_layout", balance_lines),
    Patch("weasyprint.layout.block", "block_level_layout", drop_margin_at_column_top),
    Patch("weasyprint.layout.inline", "split_first_line", hang_spaces),
    Patch("weasyprint.layout.inline", "handle_leader", join_leader),
    Patch("weasyprint.layout.page", "remake_page", place_figures_on_page),
    Patch("weasyprint.draw.text", "draw_first_line", add_actual_text),
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


def _install(patch: Patch) -> None:
    module = import_module(patch.module)
    original = getattr(module, patch.function)

    @wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if getattr(_thread, "active", False):
            return patch.replacement(original, *args, **kwargs)
        return original(*args, **kwargs)

    setattr(module, patch.function, function)
