"""Text that stands apart on screen though its source has no white space between.

The page's style sheet sets it apart.  Where a browser drew the page, the gap tells; elsewhere
neighbouring elements that a word and a new beginning meet in.
"""

from __future__ import annotations

from lxml.html import HtmlElement

from ..html.drawn import Drawn
from ..html.segments import Leaf
from .inline import Run, Style, joinable

#: A gap this wide is no accident, as a share of the letters' size.
_GAP = 0.2
_OPENING = "([{“‘«„\"'"
#: What ends in one of these goes on.
_OPEN_END = "([{“‘«„-‐"
#: So many small letters are the end of a word, not an initial or a sign.
_FEWEST_LETTERS = 3
_UNTOUCHED = frozenset({"code", "samp", "kbd", "var", "sub", "sup", "mark"})


def stands_apart(
    run: Run, leaves: tuple[Leaf, Leaf], text: str, style: Style, drawn: Drawn | None
) -> bool:
    """Tell whether text is to be parted from what is in a run, by their two leaves."""
    said, texts = run.parts[-1]
    marks = (*said.marks, *style.marks)
    # What is added whole, as a formula, is no leaf.
    if not (text[0].isalnum() and joinable(said) and _UNTOUCHED.isdisjoint(marks)):
        return False
    words, (last, leaf) = texts[-1], leaves
    if drawn is not None and _is_gap(drawn, last, leaf):
        begun = words.lstrip(_OPENING)
        return len(begun) > 1 and len(text.strip()) > 1 and begun[-1] not in _OPEN_END
    return not leaf.tail and not _in_sentence(leaf.element) and _meets(words, leaf.element, text)


def _is_gap(drawn: Drawn, before: Leaf, after: Leaf) -> bool:
    """Tell whether two leaves were drawn beside each other with a gap between."""
    one, other = drawn.texts.get(before), drawn.texts.get(after)
    if one is None or other is None:
        return False
    a, b = one.rect, other.rect
    shared = min(a.bottom, b.bottom) - max(a.top, b.top)
    if shared < min(a.height, b.height) / 2:
        return False
    size = max(one.font.size, other.font.size)
    return max(b.left - a.right, a.left - b.right) >= _GAP * size


def _in_sentence(element: HtmlElement) -> bool:
    """Tell whether an element has text of what holds it before it or behind it."""
    above = element.getparent()
    before = above.text if above is not None else ""
    return bool((before or "").strip() or (element.tail or "").strip())


def _meets(words: str, element: HtmlElement, text: str) -> bool:
    """Tell whether a word ends and another thing begins where two elements meet.

    One of them has a class, one several words; inline markup within a word has neither.
    """
    end = words[-_FEWEST_LETTERS:]
    if not text[0].isupper() or len(end) < _FEWEST_LETTERS or not (end.isalpha() and end.islower()):
        return False
    before = element.getprevious()
    if before is None or before.tail or not (before.get("class") or element.get("class")):
        return False
    return " " in words or " " in text.strip()
