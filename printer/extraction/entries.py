"""Give each entry of a list what others have: its name, its price, its details.

The classifier decides line by line, and may select the names of only eight products of twenty.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise

from ..html.index import ElementFlag, PageIndex, Segment
from ..html.page import Page
from ..html.visibility import HEADING_TAGS

_PRICE = re.compile(r"[$€£¥₹₩₽]\s?[0-9]|[0-9]\s?[$€£₹₽]|[0-9]\s(?:kr|zł|Kč|Ft|lei)\b")


#: The fewest lines of a part of the entries.
_MIN_ENTRIES = 4
_MIN_SELECTED = 2
#: The smallest share of distinct lines: a button or label is the same in all entries.
_MIN_DISTINCT = 0.2
#: The share of selected lines from which a part is completed on pages that consist of entries.
_MIN_SHARE_IN_LISTS = 0.3
#: The same on other pages.
_MIN_SHARE = 0.8
#: The mean score of its lines from which a part is completed on pages that consist of entries.
_MIN_MEAN_SCORE_IN_LISTS = 0.35
#: The lowest score of a line.
_MIN_SCORE = 0.25


def complete_entries(
    page: Page, keep: Sequence[bool], scores: Sequence[float], *, is_list: bool
) -> tuple[bool, ...]:
    """Return the selection with the parts of entries that are selected in other entries.

    A part consists of the lines in elements with the same tags and classes.

    Args:
        page: The page.
        keep: The selected segments.
        scores: The classifier's score of each segment.
        is_list: Whether the page consists of entries.  If so, fewer must be selected.
    """
    min_share, min_score = (
        (_MIN_SHARE_IN_LISTS, _MIN_MEAN_SCORE_IN_LISTS) if is_list else (_MIN_SHARE, 1)
    )
    added: list[int] = []
    for lines in _parts(page.index):
        count = sum(keep[i] for i in lines)
        distinct = len({page.segments[i].text for i in lines})
        is_part = len(lines) >= _MIN_ENTRIES and distinct >= _MIN_DISTINCT * len(lines)
        if is_part and count >= _MIN_SELECTED:
            is_likely = sum(scores[i] for i in lines) >= min_score * len(lines)
            if is_likely or count >= min_share * len(lines):
                likely = (i for i in lines if not keep[i] and scores[i] >= _MIN_SCORE)
                added += (i for i in likely if page.segments[i].block.find(".//input") is None)
    selected = list(keep)
    for i in _without_repeated(page, keep, sorted(added)):
        selected[i] = True
    return tuple(selected)


_DIGITS = re.compile(r"\d+")
_OUTSIDE_ENTRIES = int(ElementFlag.BUTTON | ElementFlag.FORM | ElementFlag.HIDDEN | ElementFlag.NAV)


def _parts(index: PageIndex) -> Iterable[list[int]]:
    """Return the segments with the same path of tags and the same classes of the last two."""
    path_numbers: dict[tuple[int, str], int] = {}
    paths: list[int] = []
    for tag, parent in zip(index.tags, index.parents, strict=True):
        outer = paths[parent] if parent >= 0 else -1
        paths.append(path_numbers.setdefault((outer, tag), len(path_numbers)))
    parts: dict[tuple[int, str, str], list[int]] = {}
    for i, block in enumerate(index.segment_blocks):
        if not index.flags[block] & _OUTSIDE_ENTRIES:
            names = (index.classes[element] or "" for element in (block, index.parents[block]))
            inner, outer_names = (_DIGITS.sub("", text) for text in names)
            parts.setdefault((paths[block], inner, outer_names), []).append(i)
    return parts.values()


#: A line that recurs as often is a button.
_MIN_BUTTONS = 3
#: Entries do not share longer lines.
_MAX_SHARED_CHARS = 25


def _without_repeated(page: Page, keep: Sequence[bool], lines: Iterable[int]) -> Iterator[int]:
    """Yield the lines, except buttons and the lines of copied entries, as in a carousel."""
    texts = [segment.text for segment in page.segments]
    counts, pairs = Counter(texts), Counter(pairwise(texts))
    known = {text for text, flag in zip(texts, keep, strict=True) if flag}
    for i in lines:
        text = texts[i]
        if text in known:
            is_name = page.segments[i].block.tag in HEADING_TAGS or len(text) > _MAX_SHARED_CHARS
            neighbors = pairwise(texts[max(0, i - 1) : i + 2])
            is_repeated = is_name or all(pairs[pair] > 1 for pair in neighbors)
        else:
            is_repeated = counts[text] >= _MIN_BUTTONS and not _PRICE.search(text)
        if not is_repeated:
            known.add(text)
            yield i


_MAX_LINES_TO_PRICE = 4
_MIN_PRICES = 3


def add_prices(segments: Sequence[Segment], keep: Sequence[bool]) -> tuple[bool, ...]:
    """Return the selection with the prices below the selected names of the entries of a list.

    The names look alike, and most of the prices that look alike stand below one.
    """
    flags = list(keep)
    looks = [(segment.block.tag, segment.block.get("class")) for segment in segments]
    prices_by_look: dict[tuple[str, str | None], list[int]] = {}
    for segment in filter(_is_price, segments):
        prices_by_look.setdefault(looks[segment.index], []).append(segment.index)
    for prices in prices_by_look.values():
        below: dict[tuple[str, str | None], list[int]] = {}  # by the look of the name
        for previous, i in pairwise([-1, *prices]):
            names = [j for j in range(max(previous + 1, i - _MAX_LINES_TO_PRICE), i) if keep[j]]
            if names and not keep[i]:
                below.setdefault(looks[names[-1]], []).append(i)
        missing = max(below.values(), key=len, default=[])
        if len(missing) >= _MIN_PRICES and 2 * len(missing) >= len(prices):
            for i in missing:
                flags[i] = True
    return tuple(flags)


_MAX_MAIN_HEADINGS = 3
_MAX_LINES_BELOW_NAME = 10
_MAX_LINES_BETWEEN_PRICES = 3
#: A smaller share of the first price is not what the product costs.
_MIN_PRICE_SHARE = 0.3


def add_price(segments: Sequence[Segment], keep: Sequence[bool]) -> tuple[bool, ...]:
    """Return the selection with the price below the name of a product.

    Of several in a row, the lowest is not crossed out.
    """
    flags = list(keep)
    names = (segment.index for segment in segments if segment.block.tag == "h1")
    for name in islice(names, _MAX_MAIN_HEADINGS):
        below = [
            segment
            for segment in segments[name + 1 :][:_MAX_LINES_BELOW_NAME]
            if _is_price(segment)
        ]
        if any(keep[segment.index] for segment in below):
            break
        amounts = {segment.index: _amount(segment) for segment in below}
        prices = [i for i in amounts if amounts[i]]
        if prices:
            near = [i for i in prices if i <= prices[0] + _MAX_LINES_BETWEEN_PRICES]
            least = _MIN_PRICE_SHARE * amounts[prices[0]]
            lowest = min((i for i in near if amounts[i] >= least), key=amounts.__getitem__)
            flags[lowest] = True
            break
    return tuple(flags)


#: As many letters are more than a unit.
_MIN_SENTENCE_LETTERS = 5
_NUMBER = re.compile(r"([0-9](?:[0-9.,' ]{0,12}?[0-9])?)(?:[.,]([0-9]{1,2}))?(?![0-9])")


def _amount(segment: Segment) -> float:
    """Return the amount of a line that is only a price, 0 for any other."""
    letters = sum(map(str.isalpha, segment.text))
    is_named = "price" in (segment.block.get("class") or "").lower()
    number = _NUMBER.search(segment.text) if is_named or letters < _MIN_SENTENCE_LETTERS else None
    return float(f"{re.sub('[^0-9]', '', number[1])}.{number[2] or 0}") if number else 0


#: A number with a word right after it, or several signs of money.
_JOINED_WORDS = re.compile(r"[0-9][^\W\d_]{2}|[$€£]{2}")
#: The longest line with a price.
_MAX_PRICE_CHARS = 40


def _is_price(segment: Segment) -> bool:
    """Return whether a line is a price, or a few words with one."""
    text = segment.text
    return (
        len(text) <= _MAX_PRICE_CHARS
        and segment.block.tag not in {"li", "button", "option", "label"}
        and _PRICE.search(text) is not None
        and _JOINED_WORDS.search(text) is None
    )
