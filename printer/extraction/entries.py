"""Give each entry of a list what others have, and each recipe the parts that its markup names.

The classifier decides line by line, and may select the names of only eight products of twenty, or
the steps of a recipe without its ingredients.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, compress, islice, pairwise

from lxml.html import HtmlElement

from ..html.index import (
    MIN_ROW,
    ElementFlag,
    PageIndex,
    Segment,
    common_classes,
    is_recipe_fact,
    names_of_part,
    tag_and_class,
)
from ..html.metadata.dates import is_date_line
from ..html.metadata.jsonld import read_json_ld, string_values, type_names
from ..html.page import Page
from ..html.structure import INGREDIENT_HINT
from ..html.visibility import HEADING_TAGS, PAGE_TAGS, SUBHEADING_TAGS, has_hiding_class
from ..selection import LIST_KINDS, OFFER_KINDS
from ..text import (
    COLONS,
    MIN_LIVE_ENTRIES,
    class_pattern,
    comparison_key,
    count_words,
    is_entry_time,
)
from ..urls import host_of, resolve
from .selected_text import SelectedText, is_internal_link, mean

_PRICE = re.compile(
    r"[$€£¥₹₩₽]\s?[0-9]|[0-9]\s?[$€£₹₽]|[0-9]\s(?:kr|zł|Kč|Ft|lei)\b"
    r"|\b(?:USD|EUR|GBP|CHF|CAD|AUD|NZD|INR|PLN)\s?[0-9]"
)


_MIN_TEXT_CHARS = 30
_MAX_ENTRY_NAME_CHARS = 120
#: Longer names are not shared by several entries.
_MAX_REPEATED_CHARS = 80
#: The share of the entries that must have selected text for their names to be selected.
_MIN_SHARE_WITH_TEXT = 0.6
#: The lowest score of a line.
_MIN_SCORE = 0.25
#: The lowest score of the name of an entry.
_MIN_NAME_SCORE = 0.15
_TITLE_TAGS = frozenset({"h1", "h2", "h3", "h4"})


_MIN_LINKED_ENTRIES = 5
#: The share of the selected text that the entries of a listing are.
_MIN_LISTED_SHARE = 0.7


def is_listing(selected: SelectedText) -> bool:
    """Return whether most of the selected text is in entries that link to pages of their own."""
    min_chars = _MIN_LISTED_SHARE * selected.total()
    for entries in selected.index.rows:
        lines = ([i for i in entry if selected.keep[i]] for entry in entries)
        lists = [entry for entry in lines if len(entry) > 1]
        if sum(map(selected.size, lists)) < min_chars:
            continue
        linked = [entry for entry in lists if selected.is_story(selected.segments[entry[0]])]
        chars = sum(map(selected.size, linked))
        if len(linked) >= _MIN_LINKED_ENTRIES and chars >= min_chars:
            return True
    return False


def add_names(selected: SelectedText) -> None:
    """Select the names of entries whose text is selected.

    The name of an entry is its first heading, or its first line.  If the page has no offers,
    entries are ``article`` elements, whose names are headings.
    """
    keep, has_offers = tuple(selected.keep), selected.kind in OFFER_KINDS
    texts = [segment.text for segment in selected.segments]
    known = selected.texts() | {selected.page.metadata.title}
    has_text = [keep[i] and len(text) >= _MIN_TEXT_CHARS for i, text in enumerate(texts)]
    for entries in selected.index.rows:
        least = max(MIN_ROW, _MIN_SHARE_WITH_TEXT * len(entries) * has_offers)
        with_text = (entry for entry in entries if any(has_text[entry.start : entry.stop]))
        found = [(_find_name(selected, entry), entry.stop) for entry in with_text]
        names = [name for name, stop in found if name >= 0 and any(has_text[name + 1 : stop])]
        counts = Counter(texts[name] for name in names)
        most = 2 * sum(keep[name] for name in names) >= len(names)
        for name in names if len(names) >= least else ():
            is_likely = most or selected.scores[name] >= _MIN_NAME_SCORE
            if is_likely and counts[texts[name]] == 1 and texts[name] not in known:
                selected.keep[name] = True
                known.add(texts[name])


def _find_name(selected: SelectedText, entry: range) -> int:
    """Return the segment with the name of an entry, -1 for none."""
    index, segments = selected.index, selected.segments
    tags = {i: str(segments[i].block.tag) for i in entry}
    lines = [
        i
        for i in entry
        if len(segments[i].text) <= _MAX_ENTRY_NAME_CHARS
        and sum(map(str.isalpha, segments[i].text[:20])) > 1
    ]
    titles = sorted((i for i in lines if tags[i] in _TITLE_TAGS), key=tags.__getitem__)
    names = titles or (lines if selected.kind in OFFER_KINDS else [])
    is_entry = names and not index.flags[index.segment_blocks[names[0]]] & _OUTSIDE_ENTRIES
    return names[0] if is_entry else -1


#: The fewest lines of a part of the entries.
_MIN_LINES = 4
_MIN_SELECTED = 2
#: The smallest share of distinct lines: a button or label is the same in all entries.
_MIN_DISTINCT = 0.2
#: The share of selected lines from which a part is completed on pages that consist of entries.
_MIN_SHARE_IN_LISTS = 0.3
#: The share of selected lines from which a part is completed on other pages.
_MIN_SHARE = 0.8
#: The share of selected values from which a grid of a product's values, or of sizes, is completed.
_MIN_SHARE_OF_VALUES = 0.4
_MIN_SHARE_OF_SIZES = 0.2
#: The mean score of its lines from which a part is completed on pages that consist of entries.
_MIN_MEAN_SCORE_IN_LISTS = 0.35
#: The share of selected lines from which labels that recur are selected in all entries.
_MIN_LABELED = 0.5
#: The share below which they are dropped from all entries.
_MIN_LABELED_TO_STAY = 0.3


def complete_entries(selected: SelectedText) -> None:
    """Select the parts of entries that are selected in other entries.

    A part consists of the lines in elements with the same tags and classes; if the page consists of
    entries, fewer must be selected.  A label that recurs is selected in all entries or in none.
    """
    index, segments, scores = selected.index, selected.segments, selected.scores
    is_list = selected.kind in LIST_KINDS
    min_share = _MIN_SHARE_IN_LISTS if is_list else _MIN_SHARE
    min_score = _MIN_MEAN_SCORE_IN_LISTS if is_list else 1
    added: list[tuple[int, float]] = []
    keep = tuple(selected.keep)
    for lines in _parts(index):
        count = sum(keep[i] for i in lines)
        if len(lines) < _MIN_LINES or not count:
            continue
        texts = {segments[i].text for i in lines}
        is_folded = index.flags[index.segment_blocks[lines[0]]] & _FOLDED
        if len(texts) < _MIN_DISTINCT * len(lines):
            if count >= _MIN_LABELED * len(lines):
                bounds = zip([-1, *lines], lines, [*lines[1:], len(keep)], strict=False)
                selected.add(i for before, i, after in bounds if any(keep[before + 1 : after]))
            elif count < _MIN_LABELED_TO_STAY * len(lines):
                selected.drop(i for i in lines if selected.sizes[i] <= _MAX_SHARED_CHARS)
        elif count >= _MIN_SELECTED:
            is_likely = sum(scores[i] for i in lines) >= min_score * len(lines)
            needed = _MIN_SHARE if is_folded else min_share
            if selected.kind == "product" and not is_folded:
                needed = min(needed, _min_share_of_values(segments, lines))
            if (is_likely and not is_folded) or count >= needed * len(lines):
                likely = (i for i in lines if not keep[i] and scores[i] >= _MIN_SCORE)
                common = max(_MIN_BUTTONS, _MAX_SHARE_OF_BUTTONS * len(lines))
                added += ((i, common) for i in likely if _is_displayed(segments[i].block))
    selected.add(_without_repeated(selected.page, keep, sorted(added)) if added else ())


#: The longest value in a grid, such as a size.
_MAX_VALUE_CHARS = 20


def _min_share_of_values(segments: Sequence[Segment], lines: Sequence[int]) -> float:
    """Return the share from which a grid of short values is completed, 1 for any other lines."""
    texts = [segments[i].text for i in lines if not segments[i].link_chars]
    if len(texts) < len(lines) or max(map(len, texts)) > _MAX_VALUE_CHARS:
        return 1
    is_numbers = 2 * sum(any(map(str.isdigit, text)) for text in texts) > len(texts)
    return _MIN_SHARE_OF_SIZES if is_numbers else _MIN_SHARE_OF_VALUES


def _is_displayed(block: HtmlElement) -> bool:
    """Return whether a block has no form field, and no class hides it on all screens."""
    around = (element.get("class") for element in block.iterancestors())
    return block.find(".//input") is None and not any(map(has_hiding_class, around))


_OUTSIDE_ENTRIES = int(ElementFlag.BUTTON | ElementFlag.FORM | ElementFlag.HIDDEN | ElementFlag.NAV)
#: The flags of parts that are completed only if nearly all of their lines are selected.
_FOLDED = int(ElementFlag.FORM | ElementFlag.HIDDEN)
_NEVER_ENTRIES = _OUTSIDE_ENTRIES & ~_FOLDED


def _parts(index: PageIndex) -> Iterable[list[int]]:
    """Return the segments with the same path of tags and the same last two classes.

    Paths begin at an ``article``, if any.  Folded text and forms are parts of their own.
    """
    path_numbers: dict[tuple[int, str], int] = {}
    paths: list[int] = []
    for tag, parent in zip(index.tags, index.parents, strict=True):
        outer = paths[parent] if parent >= 0 and tag != "article" else -1
        paths.append(path_numbers.setdefault((outer, tag), len(path_numbers)))
    parts: dict[tuple[str | int, ...], list[int]] = {}
    for i, block in enumerate(index.segment_blocks):
        flags = index.flags[block] & _OUTSIDE_ENTRIES
        if not flags & _NEVER_ENTRIES:
            around = (index.classes[element] or "" for element in (block, index.parents[block]))
            names = map(common_classes, around)
            parts.setdefault((paths[block], flags, *names), []).append(i)
    return parts.values()


#: A line that recurs at least this often, and in this share of the entries, is a button.
_MIN_BUTTONS = 3
_MAX_SHARE_OF_BUTTONS = 0.4
#: Entries do not share longer lines.
_MAX_SHARED_CHARS = 25


def _without_repeated(
    page: Page, keep: Sequence[bool], lines: Iterable[tuple[int, float]]
) -> Iterator[int]:
    """Yield the lines that are neither copies nor buttons, which recur ``min_buttons`` times."""
    texts = [segment.text for segment in page.segments]
    counts, pairs = Counter(texts), Counter(pairwise(texts))
    known = {*compress(texts, keep)}
    rows = enumerate(reversed(page.index.rows))  # the outermost last
    entries = {i: (number, entry) for number, row in rows for entry in row for i in entry}
    copies = Counter(tuple(texts[e.start : e.stop]) for _, e in set(entries.values()))
    known_in_rows = {(n, texts[i]) for i, (n, _) in entries.items() if keep[i]}
    for i, min_buttons in lines:
        text = texts[i]
        row, entry = entries.get(i, (-1, range(0)))
        is_copy = copies[tuple(texts[entry.start : entry.stop])] > 1
        if is_copy and 2 * sum(keep[entry.start : entry.stop]) < len(entry):
            continue
        is_repeated = counts[text] >= min_buttons
        if text in known:
            is_name = page.segments[i].block.tag in HEADING_TAGS or len(text) > _MAX_SHARED_CHARS
            neighbors = pairwise(texts[max(0, i - 1) : i + 2])
            is_repeated = is_name or all(pairs[pair] > 1 for pair in neighbors)
        is_shared = (row, text) in known_in_rows and len(text) <= _MAX_REPEATED_CHARS
        if is_shared or not is_repeated:
            known.add(text)
            known_in_rows.add((row, text))
            yield i


_MAX_LINES_TO_PRICE = 4
_MIN_PRICES = 3


def add_entry_prices(selected: SelectedText) -> None:
    """Select the prices below the selected names of a list's entries."""
    keep = tuple(selected.keep)
    prices_by_look: dict[tuple[str, str | None], list[int]] = {}
    for segment in filter(_is_price, selected.segments):
        look = segment.block.tag, segment.block.get("class")
        prices_by_look.setdefault(look, []).append(segment.index)
    for prices in prices_by_look.values():
        spans = ((max(j + 1, i - _MAX_LINES_TO_PRICE), i) for j, i in pairwise([-1, *prices]))
        named = [i for start, i in spans if any(keep[start:i])]
        if len(named) >= max(_MIN_PRICES, len(prices) / 2):
            selected.add(named)


_MAX_MAIN_HEADINGS = 3
_MAX_LINES_BELOW_NAME = 10
#: A smaller share of the first price is not the price of the product.
_MIN_PRICE_SHARE = 0.3


def add_product_price(selected: SelectedText) -> None:
    """Select the lowest price below a product's name, or above a cart button."""
    names = (segment.index for segment in selected.segments if segment.block.tag == "h1")
    for name in islice(names, _MAX_MAIN_HEADINGS):
        lines = selected.segments[name + 1 :][:_MAX_LINES_BELOW_NAME]
        below = [*filter(_is_price, lines)]
        buttons = [line.block.get("class") or "" for line in lines if line.block.tag == "button"]
        is_other = selected.kind != "product" and not any("cart" in names for names in buttons)
        if is_other or any(selected.keep[segment.index] for segment in below):
            return
        amounts = {segment.index: _amount(segment) for segment in below}
        prices = [i for i in amounts if amounts[i]]
        if prices:
            min_amount = _MIN_PRICE_SHARE * amounts[prices[0]]
            lowest = min((i for i in prices if amounts[i] >= min_amount), key=amounts.__getitem__)
            selected.keep[lowest] = True
            return


#: This many letters are more than a unit.
_MIN_SENTENCE_LETTERS = 5
_NUMBER = re.compile(r"([0-9](?:[0-9.,' ]{0,12}?[0-9])?)(?:[.,]([0-9]{1,2}))?(?![0-9])")


def _amount(segment: Segment) -> float:
    """Return the amount of a line that is only a price, 0 for any other."""
    letters = sum(map(str.isalpha, segment.text))
    is_named = "price" in (segment.block.get("class") or "").lower()
    number = _NUMBER.search(segment.text) if is_named or letters < _MIN_SENTENCE_LETTERS else None
    return float(f"{re.sub('[^0-9]', '', number[1])}.{number[2] or 0}") if number else 0


#: A number with a word right after it, or several currency signs.
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


_MIN_LEAD_WORDS = 4
#: The most items below a line that ends in ':', and below any other.
_MAX_ANNOUNCED_ITEMS = 150
_MAX_HEADED_ITEMS = 25
_MAX_ANNOUNCED_LINES = 160
#: The lowest mean score of names (not headlines), which may be links to pages of the site, and of
#: the items below a shorter line ('Shops:'), and the largest mean length of names.
_MIN_LISTED_SCORE = 0.3
_MAX_MEAN_NAME_CHARS = 32


def add_announced_lists(selected: SelectedText) -> None:
    """Select items between selected text and a heading or a line ending in ':' ('There were:').

    Items right below the announcing line count even if they end its element.  Links to pages of the
    site are taken for other stories, unless they are dated documents or, amid the text, likely
    names.
    """
    page, keep = selected.page, tuple(selected.keep)
    language = page.metadata.language
    tags = [segment.block.tag for segment in page.segments]
    for position, segment in enumerate(page.segments[:-1]):
        if not keep[position] or keep[position + 1]:
            continue
        is_heading = segment.block.tag in SUBHEADING_TAGS
        is_line = segment.text.endswith(COLONS)
        limit = min(position + 2 + _MAX_ANNOUNCED_LINES, len(keep))
        box = page.index.parents[page.index.segment_blocks[position]]
        last = page.index.segment_ends[box] if is_line else limit
        default = last if last < limit else position + 1
        end = next((j for j in range(position + 1, limit) if keep[j]), default)
        end = next((j for j in range(position + 1, end) if tags[j] in HEADING_TAGS), end)
        items = page.segments[position + 1 : end]
        most = _MAX_ANNOUNCED_ITEMS if is_line else _MAX_HEADED_ITEMS
        if not is_line < len(items) <= most or not _is_one_list(items):
            continue
        score = mean(selected.scores[position + 1 : end])
        is_line &= score >= _MIN_LISTED_SCORE or count_words(segment.text[:500]) >= _MIN_LEAD_WORDS
        linked = [item for item in items if item.link_chars]
        are_items = is_line or all(item.block.tag == "li" for item in linked)
        is_story = len(linked) == len(items)
        stories = (s for s in linked if is_heading or not is_date_line(s.text, language))
        internal = sum(_has_internal_link(page, item) for item in stories)
        is_text = not is_story or internal <= (len(linked) / 3 if is_line else 0)
        are_names = not is_heading and score >= _MIN_LISTED_SCORE and any(keep[end : end + 1])
        are_names &= sum(len(item.text) for item in items) <= _MAX_MEAN_NAME_CHARS * len(items)
        are_names &= len(items) > 1 and not any(map(is_internal_link, items))
        if ((is_line or is_heading) and are_items and is_text) or are_names:
            selected.add(range(position + 1, end))


#: The lowest scores of the items of a list above the text, and of its heading.
_MIN_OPENING_SCORE = 0.6
_MIN_OPENING_HEADING_SCORE = 0.3


def add_opening_list(selected: SelectedText) -> None:
    """Select the only likely list between the title and the text, with its heading: 'Key points'.

    Several lists are cards, as of products.
    """
    index, scores, known = selected.index, selected.scores, selected.texts()
    first, found = selected.first(), list[range]()
    title = max((i for i in range(first) if selected.segments[i].block.tag == "h1"), default=-1)
    for i, tag in enumerate(index.tags[: index.segment_blocks[first]]):
        items = index.segment_range(i) if tag in ("ul", "ol") else range(0)
        if len(items) > 1 and title < items.start and items.stop <= first:
            lines = selected.segments[items.start : items.stop]
            are_new = not any(line.link_chars or line.text in known for line in lines)
            if are_new and min(scores[items.start : items.stop]) >= _MIN_OPENING_SCORE:
                found.append(items)
    if len(found) == 1:
        (items,) = found
        above = items.start - 1
        is_heading = above >= 0 and selected.segments[above].block.tag in SUBHEADING_TAGS
        is_heading = is_heading and scores[above] >= _MIN_OPENING_HEADING_SCORE
        selected.add(range(items.start - is_heading, items.stop))


_MIN_LINES_OF_LIST = 3


def _is_one_list(items: Sequence[Segment]) -> bool:
    """Return whether some lines are the items of a list, or several lines of a paragraph."""
    blocks = [item.block for item in items]
    if len(items) >= _MIN_LINES_OF_LIST and len({*blocks}) == 1:
        return bool(blocks[0].tag == "p")
    boxes = {_box_of_list(block if block.tag == "li" else block.getparent()) for block in blocks}
    return len(boxes) == 1 and None not in boxes


def _box_of_list(item: HtmlElement) -> HtmlElement | None:
    """Return the element around the list of an item, or around the lists that hold only it."""
    if item.tag != "li":
        return None
    box = item.getparent()
    while box.tag in ("ul", "ol") or (box.tag == "li" and len(box) == 1):
        box = box.getparent()
    return box


def _has_internal_link(page: Page, item: Segment) -> bool:
    """Return whether an item has a link to a page of the same site."""
    links = (link.get("href") or "" for link in islice(item.block.iter("a"), _MAX_ANNOUNCED_ITEMS))
    return any(host_of(resolve(page.base, href)) in ("", host_of(page.base)) for href in links)


def add_live_times(selected: SelectedText) -> None:
    """Select the lines with the times of a live report's entries, right above their text."""
    keep = tuple(selected.keep)
    lines: dict[tuple[str, str], list[int]] = {}
    for segment in selected.segments[:-1]:
        if is_entry_time(segment.text) and not segment.is_link:
            lines.setdefault(tag_and_class(segment.block), []).append(segment.index)
    for times in lines.values():
        above_text = [i for i in times if keep[i + 1]]
        if len(above_text) >= max(MIN_LIVE_ENTRIES, len(times) / 2):
            selected.add(above_text)


#: The names of a recipe's parts, in schema.org's vocabulary and in that of recipe plug-ins.
_INGREDIENTS = class_pattern("ingredients?")
_METHOD = class_pattern("instructions?|directions?|method|preparation|steps?")
_NOTES = class_pattern("equipment|notes?|nutrients|nutrition(?:al)?|tips?")
_RECIPE = class_pattern("h?recipes?")
_RECIPE_NAME = class_pattern("recipe-(?:name|title)")
#: The names of a recipe's controls, and of what is not about it.
_RECIPE_CONTROLS = class_pattern(
    "ads?|adjustable|author|btn|buttons?|call-to-action|cart|checkout|comments?|conversion|cta"
    "|delivery|embed|jump|more|newsletter|pin|print|products?|promo|rat(?:e|ing|ings)"
    "|related|reviews?|shar(?:e|es|ing)|shipping|shop|shopping|sidebar|sign-?up|social|subscribe"
    "|teaser|toggle|user-notes?|video|votes?"
)
#: The tags of ingredients and steps.
_RECIPE_ITEM_TAGS = frozenset({"li", "dt", "dd", "td", "th", "p"})
_NOT_IN_RECIPES = int(ElementFlag.BUTTON | ElementFlag.HIDDEN | ElementFlag.NAV)
#: The most levels from the ingredients up to the recipe, and from a line up to its part.
_MAX_RECIPE_LEVELS = 8
_MAX_PART_LEVELS = 12
#: The fewest characters of one of the steps.
_MIN_STEP_CHARS = 40


def add_recipe_parts(selected: SelectedText) -> None:
    """Select the ingredients, steps, notes, times and servings of recipes, without their controls.

    Nobody can cook from a print without them.  A recipe is the innermost element around a part
    named for ingredients and one named for steps.  Its times may also be between it and the title.
    Only if JSON-LD declares a recipe, it may be the whole page or be among offers.
    """
    is_declared = any('"Recipe"' in text for text in selected.page.linked_data)
    has_recipe = is_declared or selected.kind not in OFFER_KINDS
    if INGREDIENT_HINT not in selected.page.source or not has_recipe:
        return
    index, keep = selected.index, selected.keep
    names = [*map(names_of_part, index.elements)]
    titles = [line.index for line in index.segments if line.block.tag == "h1"]
    title, last = selected.page.metadata.title, 0
    for recipe in _find_recipes(selected, names, is_declared):
        begin, end = index.segment_begins[recipe], index.segment_ends[recipe]
        number = bisect(titles, begin)
        for i in range(max(last, titles[number - 1] + 1) if number else begin, begin):
            if is_recipe_fact(index.segments[i].block):
                parts = _names_around(index, names, i, -1)
                is_about = is_declared or any(map(_RECIPE.search, parts))
                keep[i] |= is_about and not any(map(_RECIPE_CONTROLS.search, parts))
        last, is_above_text = end, False
        for i in range(end - 1, begin - 1, -1):
            segment, parts = index.segments[i], _names_around(index, names, i, recipe)
            is_control = any(map(_RECIPE_CONTROLS.search, parts))
            if is_control or index.flags[index.segment_blocks[i]] & _NOT_IN_RECIPES:
                continue
            if segment.block.tag in HEADING_TAGS:
                keep[i] |= is_above_text or any(map(_RECIPE_NAME.search, parts))
            elif segment.text == title:
                continue
            else:
                keep[i] |= _is_part_of_recipe(index, i, parts)
            is_above_text = keep[i] or (is_above_text and not any(map(str.isalpha, segment.text)))


def _find_recipes(selected: SelectedText, names: Sequence[str], is_declared: bool) -> list[int]:
    """Return the innermost elements around ingredients and steps, given the names of elements."""
    index = selected.index
    long_lines = [*accumulate((size >= _MIN_STEP_CHARS for size in selected.sizes), initial=0)]
    spans = zip(index.segment_begins, index.segment_ends, strict=True)
    has_step = [long_lines[end] > long_lines[begin] for begin, end in spans]
    methods = [i for i, name in enumerate(names) if has_step[i] and _METHOD.search(name)]
    recipes = set[int]()
    for part, name in enumerate(names):
        if not _INGREDIENTS.search(name):
            continue
        recipe = part
        for _ in range(_MAX_RECIPE_LEVELS):
            if bisect(methods, recipe) < bisect(methods, index.subtree_ends[recipe] - 1):
                if is_declared or _RECIPE.search(f"{name} {names[recipe]}"):
                    recipes.add(recipe)
                break
            recipe = index.parents[recipe]
            if recipe < 0 or (not is_declared and index.tags[recipe] in PAGE_TAGS):
                break
    following = pairwise([*sorted(recipes), len(names)])
    return [recipe for recipe, inner in following if inner >= index.subtree_ends[recipe]]


def _names_around(index: PageIndex, names: Sequence[str], line: int, recipe: int) -> list[str]:
    """Return the names of the elements around the beginning of a line, inside a recipe if any."""
    element = index.indexes[index.segments[line].leaves[0].parent]
    around: list[str] = []
    for _ in range(_MAX_PART_LEVELS):
        if element in (-1, recipe) or index.tags[element] in PAGE_TAGS:
            break
        around.append(names[element])
        element = index.parents[element]
    return around


def _is_part_of_recipe(index: PageIndex, line: int, parts: Sequence[str]) -> bool:
    """Return whether a line of a recipe is an ingredient, a step, a note or a fact."""
    segment = index.segments[line]
    if is_recipe_fact(segment.block):
        return True
    if any(map(_NOTES.search, parts)):
        return not segment.is_link
    is_ingredient = any(map(_INGREDIENTS.search, parts))
    if not is_ingredient and (segment.is_link or not any(map(_METHOD.search, parts))):
        return False
    around = islice(chain([segment.block], segment.block.iterancestors()), len(parts))
    return any(element.tag in _RECIPE_ITEM_TAGS for element in around)


_NOT_DECLARED = _NOT_IN_RECIPES | int(ElementFlag.FOOTER | ElementFlag.CAPTION)
#: Shorter lines may be menu items ('Salt').
_MIN_DECLARED_CHARS = 10


def add_declared_steps(selected: SelectedText) -> None:
    """Select the lines that the page's JSON-LD gives as ingredients or steps, and their headings.

    A recipe whose last steps are missing is of no use to its reader; nor is one with two copies of
    its steps, as on pages with a mode for cooking.  A link of the same words leads elsewhere.
    """
    declared = _declared_steps(selected.page)
    if not declared:
        return
    index, segments, keep = selected.index, selected.segments, selected.keep
    is_outside = [bool(index.flags[block] & _NOT_DECLARED) for block in index.segment_blocks]
    lines: dict[str, list[int]] = {}
    for i, segment in enumerate(segments):
        is_text = keep[i] or not (is_outside[i] or segment.is_link)
        if is_text and len(segment.text) >= _MIN_DECLARED_CHARS:
            key = comparison_key(segment.text)
            if key in declared:
                lines.setdefault(key, []).append(i)
    ranks = _rank_copies(lines, declared, keep)
    added = set[int]()
    for key, equal in lines.items():
        missing = declared[key] - sum(keep[i] for i in equal)
        candidates = sorted((i for i in equal if not keep[i]), key=ranks.__getitem__)
        added.update(candidates[: max(0, missing)])
    for i in sorted(added):
        above = i - 1
        while above >= 0 and above not in added and not is_outside[above]:
            if segments[above].block.tag not in SUBHEADING_TAGS:
                break
            added.add(above)
            above -= 1
    selected.add(added)


def _rank_copies(
    lines: Mapping[str, Sequence[int]], declared: Mapping[str, int], keep: Sequence[bool]
) -> dict[int, tuple[int, int, int]]:
    """Return the rank of each line: first those of the copy with the most selected lines.

    Of two such copies of a recipe, the longer precedes, or else the first.  A copy ends where a
    line recurs more often than in the recipe.
    """
    copies: list[list[int]] = [[]]
    counts_in_copy = Counter[str]()
    for i, key in sorted((i, key) for key, equal in lines.items() for i in equal):
        if counts_in_copy[key] == declared[key]:
            copies.append([])
            counts_in_copy.clear()
        counts_in_copy[key] += 1
        copies[-1].append(i)
    counts = [sum(keep[i] for i in copy) for copy in copies]
    return {i: (-n, -len(copy), i) for n, copy in zip(counts, copies, strict=True) for i in copy}


def _declared_steps(page: Page) -> Counter[str]:
    """Return the keys of the ingredients and steps in the page's JSON-LD, and their numbers."""
    steps = Counter[str]()
    if any('"Recipe"' in text for text in page.linked_data):
        for thing in read_json_ld(page.linked_data):
            if "Recipe" in type_names(thing):
                values = [thing.get("recipeIngredient"), thing.get("recipeInstructions")]
                sections = values[1] if isinstance(values[1], list) else []
                values += [s.get("itemListElement") for s in sections if isinstance(s, dict)]
                texts = chain.from_iterable(string_values(value, "text") for value in values)
                steps |= Counter(comparison_key(line) for t in texts for line in t.splitlines())
    del steps[""]
    return steps
