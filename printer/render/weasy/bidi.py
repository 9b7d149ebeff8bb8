"""Order of words where the directions of scripts mix across inline boxes.

Pango orders the words inside a text box by the Unicode bidirectional algorithm (UAX #9).
WeasyPrint sets the boxes of a line side by side in the direction of the paragraph alone: an English
phrase in a Hebrew paragraph has its words in the wrong order if a link or emphasis divides it.

Here, the boxes of such a paragraph are split where the direction changes, as CSS has it
(css-writing-modes-4, 2.4), so that each is of one direction; on each line, those against the
direction of the paragraph are then put in their own order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Any
from unicodedata import bidirectional

from ...text import RIGHT_TO_LEFT
from .box_tree import Box

#: The attribute of a box against the direction of its paragraph.
_AGAINST = "_webprint_against_direction"
#: The attribute of a line whose boxes have been split.
_IS_SPLIT = "_webprint_directions_split"


def split_directions(
    original: Callable[..., Any], context: Any, box: Box, *args: Any, **kwargs: Any
) -> Any:
    """Lay out a block whose lines have no inline box of several directions."""
    for line in box.children:
        if type(line).__name__ == "LineBox" and not hasattr(line, _IS_SPLIT):
            setattr(line, _IS_SPLIT, True)
            _split_line(context, line)
    return original(context, box, *args, **kwargs)


def order_line(original: Callable[..., Any], *args: Any) -> Any:
    """Lay out a line; adjacent boxes against the paragraph's direction keep their own order."""
    line, resume_at = original(*args)
    if line is not None:
        in_flow = [child for child in line.children if child.is_in_normal_flow()]
        for is_against, run in groupby(in_flow, lambda child: getattr(child, _AGAINST, False)):
            if is_against:
                _reverse(list(run))
    return line, resume_at


def _reverse(neighbors: list[Box]) -> None:
    """Set adjacent boxes in the opposite order."""
    if len(neighbors) < 2:
        return
    is_leftmost_first = neighbors[0].position_x <= neighbors[-1].position_x
    x = min(box.position_x for box in neighbors)
    for box in neighbors[::-1] if is_leftmost_first else neighbors:
        box.translate(dx=x - box.position_x)
        x += box.margin_width()


_RIGHT_TO_LEFT = re.compile(f"[{RIGHT_TO_LEFT}]")
#: The placeholder of a box without text, such as a picture.
_OBJECT = "\ufffc"
_STRONG = {"ltr": frozenset({"R", "AL"}), "rtl": frozenset({"L"})}


def _split_line(context: Any, line: Box) -> None:
    leaves = list(_iter_leaves(line))
    if len(leaves) < 2:
        return
    texts = [getattr(leaf, "text", _OBJECT).replace("\n", " ") for leaf in leaves]
    direction = line.style["direction"]
    if direction == "ltr" and not any(map(_RIGHT_TO_LEFT.search, texts)):
        return
    against = _find_against(context, "".join(texts), line.style)
    places, offset = {}, 0
    is_divided = False
    for leaf, text in zip(leaves, texts, strict=True):
        places[id(leaf)] = against[offset : offset + len(text)]
        if offset > 0 and against[offset - 1] and against[offset]:
            is_divided = True
        offset += len(text)
    if is_divided:
        opposite = "ltr" if direction == "rtl" else "rtl"
        parts = (pair for child in line.children for pair in _split_box(child, places, opposite))
        line.children = [
            part if hasattr(part, _AGAINST) or not is_against else _mark_against(part)
            for is_against, group in _group_by_direction(parts)
            for part in group
        ]


def _iter_leaves(box: Box) -> Iterator[Box]:
    """Yield the texts and objects of a line in their order."""
    for child in box.children:
        if not child.is_in_normal_flow() or getattr(child, "text", None) == "":
            continue
        # An inline box of another direction is an isolate, which is ordered inside on its own.
        is_inline = type(child).__name__ == "InlineBox"
        if is_inline and child.style["direction"] == box.style["direction"]:
            yield from _iter_leaves(child)
        else:
            yield child


def _find_against(context: Any, text: str, style: Any) -> list[bool]:
    """Return which characters of a paragraph are in a phrase against its direction."""
    from weasyprint.text.ffi import ffi
    from weasyprint.text.line_break import create_layout

    layout = create_layout(text, style, context, None, 0)
    levels = bytearray(len(text.encode()))
    run = layout.get_first_line()[0].runs
    while run != ffi.NULL:
        item = run.data.item
        start, end = item.offset, item.offset + item.length
        # The level is a byte, which WeasyPrint declares with those after it.
        levels[start:end] = bytes([item.analysis.level & 0xFF]) * item.length
        run = run.next
    layout.deactivate()
    offsets = accumulate((len(character.encode()) for character in text), initial=0)
    base, strong = int(style["direction"] == "rtl"), _STRONG[style["direction"]]
    flags: list[bool] = []
    pairs = [(levels[at] > base, character) for at, character in zip(offsets, text, strict=False)]
    for is_higher, phrase in groupby(pairs, itemgetter(0)):
        characters = [character for _, character in phrase]
        # Numbers by themselves keep their place in either direction.
        is_against = is_higher and any(bidirectional(sign) in strong for sign in characters)
        flags += [is_against] * len(characters)
    return flags


def _split_box(
    box: Box, places: dict[int, list[bool]], opposite: str
) -> Iterator[tuple[bool | None, Box]]:
    """Yield the parts of one direction of an inline box, each with whether it is reversed."""
    against = places.get(id(box))
    if against is not None and not hasattr(box, "text"):
        yield against[0], _mark_against(box) if against[0] else box
    elif against is not None:
        start = 0
        for is_against, phrase in groupby(against):
            end = start + len(list(phrase))
            is_all = end - start == len(box.text)
            part = box if is_all else box.copy_with_text(box.text[start:end])
            yield is_against, _mark_against(part, opposite) if is_against else part
            start = end
    else:
        children = box.children if type(box).__name__ == "InlineBox" else ()
        parts = _group_by_direction(
            pair for child in children for pair in _split_box(child, places, opposite)
        )
        if not parts:
            yield None, box
        for is_against, inside in parts:
            part = box if len(parts) == 1 else box.copy()
            part.children = inside
            yield is_against, _mark_against(part, opposite) if is_against else part


def _group_by_direction(parts: Iterable[tuple[bool | None, Box]]) -> list[tuple[bool, list[Box]]]:
    """Return the neighbors of the same direction together."""
    groups: list[tuple[bool, list[Box]]] = []
    for is_against, part in parts:
        if groups and is_against in (None, groups[-1][0]):
            groups[-1][1].append(part)
        else:
            groups.append((bool(is_against), [part]))
    return groups


def _mark_against(box: Box, direction: str = "") -> Box:
    """Return a box marked as against the direction of its paragraph, and turned if it is text."""
    box = box.copy()
    setattr(box, _AGAINST, True)
    if direction:
        box.style = box.style.copy()
        box.style["direction"] = direction
    return box
