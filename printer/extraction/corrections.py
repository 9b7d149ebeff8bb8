"""Complete partly selected elements, and drop what does not belong to the text around it.

The classifier decides segment by segment.  In print, half a table, a quotation without its source
or the label of a removed advertisement would be an error, however likely each segment was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import partial
from itertools import groupby, islice, pairwise

from lxml.html import HtmlElement

from ..html.index import BLOCK_TAGS, IS_HIDDEN, Segment, enclosing_link, tag_and_class
from ..html.visibility import (
    HEADING_TAGS,
    has_hiding_class,
    is_folded,
    is_not_displayed,
    is_unprinted,
    read_controls,
)
from ..i18n import (
    fold_words,
    has_phrase,
    is_advertisement_label,
    is_invitation,
    load_table,
    page_labels,
)
from ..selection import OFFER_KINDS
from ..text import (
    COLONS,
    DATELINE,
    QUESTION_MARKS,
    SCENE_BREAK,
    continues_drop_cap,
    count_words,
    has_currency_sign,
    is_placeholder,
    split_label,
)
from .selected_text import (
    TERM_TAGS,
    SelectedText,
    is_button_text,
    is_contents_entry,
    is_drawn_as_button,
    link_target,
)

_LIST_TAGS = frozenset({"ul", "ol"})


#: The share of an element's text that must be selected for the rest of it to be selected as well.
_MIN_SHARES = {
    "blockquote": 0.5, "table": 0.5, "dl": 0.5, "p": 0.5, "pre": 0.3, "ul": 0.85, "ol": 0.85,
}  # fmt: skip
_MIN_SHARES_IN_ARTICLES = _MIN_SHARES | {"table": 0.35, "ul": 0.7, "ol": 0.7, "blockquote": 0.1}
#: Tables with more of the selected text are layout tables, unless they name their columns and have
#: rows of short cells.
_MAX_TABLE_SHARE = 0.5
_MIN_NAMED_ROWS = 3
_MAX_CELL_CHARS = 150
#: The share of a list below which its selected items are stray, such as single links.
_MAX_STRAY_SHARE = 0.3
#: Collections consist of such lists.
_MAX_STRAY_SHARES = {"collection": 0.15}
#: A list of radio buttons has labels of at most this mean length.
_MAX_CHOICE_CHARS = 30
#: The lowest share of links in a list of links.
_MIN_LINKED_IN_LINKS = 0.9
#: A list of links in an article is completed from this share on, and dropped otherwise.
_MIN_SHARE_OF_LINKS = 0.5
#: Among selected text, or if mostly selected, a list or table with fewer links is printed whole.
_MAX_LINKED_AMID = 0.3
_MOSTLY_SELECTED = 0.5
_RADIO_BUTTONS = ".//input[@type='radio']"


def complete_elements(selected: SelectedText) -> None:
    """Select the rest of mostly selected elements; drop stray list items."""
    index, kind = selected.index, selected.kind
    min_shares = _MIN_SHARES_IN_ARTICLES if kind == "article" else _MIN_SHARES
    max_table_chars = _MAX_TABLE_SHARE * selected.total()
    texts = selected.texts()
    titles = [i for i, tag in enumerate(index.tags) if tag == "h1"]
    spans = zip(index.tags, index.segment_begins, index.segment_ends, strict=True)
    for i, (tag, begin, end) in enumerate(spans):
        if tag not in min_shares or end - begin < 2:
            continue
        if len(titles) == 1 and i < titles[0] < index.subtree_ends[i]:
            continue  # a menu that nobody closed, or a layout
        lines = selected.segments[begin:end]
        chars = sum(selected.sizes[begin:end])
        if tag == "table" and chars > max_table_chars:
            is_short = max(selected.sizes[begin:end]) <= _MAX_CELL_CHARS and kind != "forum"
            if not (is_short and _names_columns(index.elements[i])):
                continue
        share = _selected_share(selected, tag, lines, texts)
        linked = sum(line.link_chars for line in lines) / chars
        is_list = tag in _LIST_TAGS
        is_links = kind == "article" and is_list and linked >= _MIN_LINKED_IN_LINKS
        is_listed = is_list or tag == "table"
        if kind == "article" and is_listed and share and linked < _MAX_LINKED_AMID:
            is_amid = begin > 0 and selected.keep[begin - 1] and any(selected.keep[end : end + 1])
            share = 1 if is_amid or share > _MOSTLY_SELECTED else share
        is_section = share > 0 and linked < _MAX_LINKED_SECTION and _is_section(selected, i, texts)
        if is_section or share >= (_MIN_SHARE_OF_LINKS if is_links else min_shares[tag]):
            values = _values_of_fields(lines) if is_list else set()
            recurs = partial(_is_button, selected, has_hints=kind == "article" and is_list)
            more = _links_to_more(lines) if tag == "table" else set()
            for line in lines:
                is_button = is_drawn_as_button(line) if tag == "table" else recurs(line)
                is_button |= line.index in more
                selected.keep[line.index] |= not is_button or line.index in values
        elif is_list and share > 0:
            max_share = _MAX_STRAY_SHARES.get(kind, _MAX_STRAY_SHARE)
            is_stray = kind != "article" and share < max_share
            has_choices = index.elements[i].find(_RADIO_BUTTONS) is not None
            is_form = has_choices and chars <= _MAX_CHOICE_CHARS * len(lines)
            if is_stray or is_links or is_form:
                selected.drop(range(begin, end))


def _names_columns(table: HtmlElement) -> bool:
    """Return whether a table has a head and rows of as many cells, without paragraphs."""
    head = table.find("thead/tr")
    if head is None or head.find("th") is None or next(table.iter("p"), None) is not None:
        return False
    rows = (row for path in ("tbody/tr", "tr") for row in table.iterfind(path))
    return sum(len(row) == len(head) for row in rows) >= _MIN_NAMED_ROWS


#: The largest share of links in a list that is a section.
_MAX_LINKED_SECTION = 0.5
_MAX_SECTION_ITEMS = 12


def _is_section(selected: SelectedText, element: int, texts: Set[str]) -> bool:
    """Return whether a list without copies is all between a selected heading and the next one.

    The text may end with it.
    """
    begin, end = selected.index.segment_begins[element], selected.index.segment_ends[element]
    items = selected.segments[begin:end]
    missing = {item.text for item in items if not selected.keep[item.index]}
    are_items = all(item.block.tag == "li" for item in items)
    if len(items) > _MAX_SECTION_ITEMS or not are_items or not missing.isdisjoint(texts):
        return False
    above, below = selected.segments[begin - 1 : begin], selected.segments[end : end + 1]
    is_headed = any(s.block.tag in HEADING_TAGS and selected.keep[s.index] for s in above)
    ends_text = not any(selected.keep[end:])
    return is_headed and (ends_text or all(s.block.tag in HEADING_TAGS for s in below))


#: The selected share from which copies of selected text in a list count as selected.
_MIN_SHARE_WITH_COPIES = 0.5


def _selected_share(
    selected: SelectedText, tag: str, lines: Sequence[Segment], texts: Set[str]
) -> float:
    """Return the selected or copied share of an element's text, at least that of ``dt`` terms.

    A row of a table counts if a cell is selected.
    """
    chars = sum(len(line.text) for line in lines)
    share = selected.size(line.index for line in lines) / chars
    if tag == "dl" and share:
        terms = [line.index for line in lines if line.block.tag == "dt"]
        return max(share, selected.size(terms) / max(1, sum(selected.sizes[i] for i in terms)))
    if tag == "table" and share:
        rows = [next(line.block.iterancestors("tr"), None) for line in lines]
        chosen = {row for row, line in zip(rows, lines, strict=True) if selected.keep[line.index]}
        return max(share, len(chosen) / len({*rows}))
    if tag not in _LIST_TAGS or share < _MIN_SHARE_WITH_COPIES:
        return share
    # A line that is also in another list was dropped as a copy; cards of products have more
    # parts, which are repeated for other reasons.
    is_documentation = selected.kind == "documentation"
    may_be_copy = (line for line in lines if is_documentation or line.block.tag == "li")
    return max(share, sum(len(line.text) for line in may_be_copy if line.text in texts) / chars)


#: The fewest different values of a field of the items of a list.
_MIN_VALUES = 3
_BUTTON_TAGS = frozenset({"p", "div", "button"})
_MAX_BUTTON_CHARS = 20
_MAX_HINT_CHARS = 60
#: A text with a digit or a colon is a number or a field, not a hint.
_FIELD = re.compile(r"[0-9:：]")


def _values_of_fields(lines: Sequence[Segment]) -> set[int]:
    """Return the lines at the same place in a list that begin alike and differ: 'Save 20%'."""
    places: dict[tuple[str, ...], list[Segment]] = {}
    for line in lines:
        words = line.text[:_MAX_HINT_CHARS].split()
        if len(words) > 1 and not line.is_link:
            places.setdefault((*tag_and_class(line.block), words[0]), []).append(line)
    alike = (s for s in places.values() if len({line.text for line in s}) >= _MIN_VALUES)
    return {line.index for similar in alike for line in similar}


def _is_button(selected: SelectedText, segment: Segment, *, has_hints: bool) -> bool:
    """Return whether a short line in a list recurs, like 'Learn more' or the sizes 'A A A'."""
    chars = len(segment.text)
    is_hint = has_hints and not _FIELD.search(segment.text)
    is_short = chars <= (_MAX_HINT_CHARS if is_hint else _MAX_BUTTON_CHARS)
    is_button = chars == 1 or (is_short and segment.block.tag in _BUTTON_TAGS)
    return is_button and selected.counts[segment.text] > 2


#: The fewest equal links in a column of a table.
_MIN_EQUAL_LINKS = 3
_MAX_COLUMNS = 50


def _links_to_more(lines: Sequence[Segment]) -> set[int]:
    """Return the cells of columns in which each row has the same link ('more')."""
    columns: dict[int, list[Segment]] = {}
    for line in lines:
        if line.block.tag == "td":
            place = sum(1 for _ in islice(line.block.itersiblings(preceding=True), _MAX_COLUMNS))
            columns.setdefault(place, []).append(line)
    equal = (
        column
        for column in columns.values()
        if len(column) >= _MIN_EQUAL_LINKS
        and len({line.text for line in column}) == 1
        and all(line.is_link for line in column)
    )
    return {line.index for column in equal for line in column}


_MIN_CONTENTS_ENTRIES = 3
#: The share of a table of contents that headings below must repeat.
_MIN_REPEATED_ENTRIES = 0.7


def drop_contents(selected: SelectedText) -> None:
    """Drop tables of contents (links to the page's own headings) and tab bars."""
    headings_below: set[str] = set()
    headings = [
        (segment.index, (fold_words(segment.text), f"#{segment.block.get('id')}"))
        for segment in selected.lines()
        if segment.block.tag in HEADING_TAGS
    ]
    candidates = _contents_candidates(selected) if headings else ()
    for lines in sorted(candidates, key=lambda lines: -lines.stop):
        while headings and headings[-1][0] >= lines.stop:
            headings_below.update(headings.pop()[1][: 2 if selected.kind == "article" else 1])
        if len(lines) < _MIN_CONTENTS_ENTRIES or not headings_below:
            continue
        entries = selected.segments[lines.start : lines.stop]
        matching = sum(
            not headings_below.isdisjoint((fold_words(line.text), link_target(line)))
            for line in entries
            if is_contents_entry(line)
        )
        are_tabs = all(s.block.tag in HEADING_TAGS and selected.is_story(s) for s in entries)
        if are_tabs or matching >= _MIN_REPEATED_ENTRIES * len(lines):
            selected.drop(lines)


def _contents_candidates(selected: SelectedText) -> Iterator[range]:
    """Yield the lists, and the lines outside lists that are links to places in the page."""
    for i, tag in enumerate(selected.index.tags):
        if tag in _LIST_TAGS:
            yield selected.index.segment_range(i)
    for are_entries, lines in groupby(selected.segments, is_contents_entry):
        if are_entries:
            first, *following = lines
            yield range(first.index, first.index + 1 + len(following))


_MAX_CAPTION_CHARS = 300
#: What a figure may contain instead of a picture.
_MEDIA_TAGS = ("audio", "canvas", "embed", "iframe", "math", "object", "svg", "video")


def resolve_captions(selected: SelectedText) -> None:
    """Select the captions of selected tables and code; drop those of pictures, printed later."""
    index, sizes = selected.index, selected.sizes
    totals: dict[int, tuple[int, int]] = {}  # selected and all characters, as there may be many
    for i in (i for i, tag in enumerate(index.tags) if tag == "figcaption"):
        figure, caption = index.parents[i], index.segment_range(i)
        if not caption or index.tags[figure] != "figure":
            continue
        lines = index.segment_range(figure)
        if lines != caption:
            if figure not in totals:
                totals[figure] = selected.size(lines), sum(sizes[n] for n in lines)
            chosen = totals[figure][0] - selected.size(caption)
            is_selected = 2 * chosen > totals[figure][1] - sum(sizes[n] for n in caption)
            for n in caption:
                selected.keep[n] |= is_selected
            continue
        medium = next(index.elements[figure].iter(*_MEDIA_TAGS), None)
        if medium is None and selected.size(caption) <= _MAX_CAPTION_CHARS:
            selected.drop(caption)


#: Boxes shown only while the pointer rests on something, a wiki's notices to its readers, reviews
#: for search engines, switches of a carousel or of the screen, and notices about cookies.  Each
#: alternative begins with a letter, so that the search skips most of a name.
_NOTICE_CLASS = re.compile(
    r"tool-?tip(?<![a-z]tooltip)(?<!with-tooltip)(?!s?-?(?:trigger|wrap|able))"
    r"|scroll-?(?:notice|hint)|trending-?search|popular-?search|navigation-not-searchable|bvseo"
    r"|ambox(?<=\bambox)(?![\w-])|bread-?crumbs?(?![a-z])|catlinks"
    r"|navbox(?<=\bnavbox)(?![\w-])|sister(?:-?site)?-?(?:box|project)"
    r"|carousel[-_]{0,2}indicators?(?![\w-])|cook-?mode|gdpr-?(?:banner|consent|notice)"
    r"|cookie-?(?:banner|consent|notice)"
)
_RELATED_CLASS = re.compile(
    r"related-?(?:articles?|content|links|pages|posts|reading|stories)(?![a-z])|"
    + _NOTICE_CLASS.pattern
)
#: Boxes in articles that ask for an e-mail address or another action.
_PROMOTION_CLASS = re.compile(
    r"newsletter|teaser[-_]?list|author-?(?:bio|box|card|info)(?![a-z])|sign-?up|subscri(?:be|ption)-?(?:box|form|promo)|call-?to-?action"
    r"|cta(?<![a-z]cta)(?<!above-cta)(?![a-z]|_button)|(?:modal|popup)(?<![a-z]modal)(?![a-z])|"
    + _RELATED_CLASS.pattern
)
_OTHER_PRODUCTS = r"(?:related|similar)[-_ ]?(?:items|products?)|recommend|(?:cross|up)-?sells?\b|"
_PRODUCT_CLASS = re.compile(_OTHER_PRODUCTS + _NOTICE_CLASS.pattern)
_BOX_CLASSES = {
    "article": _PROMOTION_CLASS, "product": _PRODUCT_CLASS,
    "documentation": _RELATED_CLASS, "service": _RELATED_CLASS,
}  # fmt: skip
#: The largest share of the selected text in such a box.
_MAX_BOX_SHARE = 0.2
_MAX_RELATED_SHARE = 0.4


def drop_boxes(selected: SelectedText) -> None:
    """Drop tooltips and notices (by class name) and small promotional boxes."""
    pattern = _BOX_CLASSES.get(selected.kind, _NOTICE_CLASS)
    index = selected.index
    max_share = _MAX_RELATED_SHARE if pattern is _RELATED_CLASS else _MAX_BOX_SHARE
    max_box_chars = max_share * selected.total()
    names = filter(None, set(index.classes))
    promoting = {classes for classes in names if pattern.search(classes.lower())}
    has_offers = selected.kind in ("article", "listing", "collection")
    for i, (tag, classes) in enumerate(zip(index.tags, index.classes, strict=True)):
        is_field = has_offers and tag == "input" and classes not in promoting
        if not (is_field or classes in promoting):
            continue
        box = _find_form_box(selected, i) if is_field else i
        lines = index.segment_range(box)
        is_small = box >= 0 and 0 < selected.size(lines) <= max_box_chars
        if is_small and index.segment_blocks[lines.start] >= box:  # not part of a paragraph
            selected.drop(lines)


_MAX_BOX_SEGMENTS = 6


def _find_form_box(selected: SelectedText, field: int) -> int:
    """Return the outermost small box around an e-mail field or a poll's choice, or -1."""
    index, box, outer = selected.index, -1, field
    input_type = index.elements[field].get("type")
    if input_type not in ("email", "radio"):
        return -1
    while outer >= 0 and len(index.segment_range(outer)) <= _MAX_BOX_SEGMENTS:
        box, outer = outer, index.parents[outer]
    lines = index.segment_range(box)
    last_characters = [selected.segments[i].text[-1] for i in lines if selected.keep[i]]
    asks = len(last_characters) == 1 and last_characters[0] in QUESTION_MARKS
    return box if input_type == "email" or asks else -1


_COMMENT_CLASS = re.compile(
    r"(?:(?<![a-z])|reader|user|news|article)comments?+(?!ar|at|ed|-(?:open|closed|status))"
)
#: If less remains without the comments, in share and number of characters, the page is a
#: discussion.
_MIN_SHARE_BESIDE_COMMENTS = 0.5
_MIN_CHARS_BESIDE_COMMENTS = 600
_COMMENT_TAGS = frozenset(
    {"div", "section", "article", "aside", "ul", "ol", "li", "dl", "table", "td"}
)


def drop_comments(selected: SelectedText) -> None:
    """Drop readers' comments, unless the page is about little else."""
    index = selected.index
    comments: set[int] = set()
    total = selected.total()
    max_chars = total - min(_MIN_SHARE_BESIDE_COMMENTS * total, _MIN_CHARS_BESIDE_COMMENTS)
    covered_end = 0
    about_comments = {n for n in {*index.classes, *index.ids} if n and "comment" in n.lower()}
    elements = zip(index.tags, index.classes, index.ids, strict=True)
    for i, (tag, classes, element_id) in enumerate(elements):
        if classes not in about_comments and element_id not in about_comments:
            continue
        start, stop = index.segment_begins[i], index.segment_ends[i]
        if tag not in _COMMENT_TAGS or stop <= covered_end:
            continue
        if not _COMMENT_CLASS.search(f"{classes or ''} {element_id or ''}"[:300].lower()):
            continue
        if 0 < selected.size(range(start, stop)) <= max_chars:
            comments.update(range(start, stop))
            covered_end = stop
    if selected.size(comments) <= max_chars:
        selected.drop(comments)


#: The largest share of the selected text that is dropped as hidden.
_MAX_HIDDEN_SHARE = 0.3
#: The largest hidden share that is dropped if there is enough visible text.
_MAX_HIDDEN_SHARE_BESIDE_TEXT = 0.75
_MIN_VISIBLE_CHARS = 300


def drop_hidden_by_class(selected: SelectedText) -> None:
    """Drop blocks that a class hides and that no reader can unfold, if they are few."""
    classes = enumerate(selected.index.classes)
    hidden = (i for i, names in classes if has_hiding_class(names))
    _drop_if_few(selected, _lines_not_folded(selected, hidden))


#: A larger box that a page does not print is part of its text, which scripts print.
_MAX_UNPRINTED_CHARS = 800
_MAX_UNPRINTED_SHARE = 0.2


def drop_unprinted(selected: SelectedText) -> None:
    """Drop the boxes that the page itself does not print, such as notices to its authors."""
    index = selected.index
    unprinted = {names for names in {*index.classes} if is_unprinted(names)}
    limit = min(_MAX_UNPRINTED_CHARS, _MAX_UNPRINTED_SHARE * selected.total())
    for i in (i for i, names in enumerate(index.classes) if names in unprinted):
        element = index.elements[i]
        is_box = element.tag in BLOCK_TAGS and next(element.iter("pre", "math"), None) is None
        if is_box and selected.size(index.segment_range(i)) <= limit:
            selected.drop(index.segment_range(i))


_SIDEBAR = re.compile(r"side-?bar|navigation", re.IGNORECASE)
#: The smallest share of the selected text in the main part of a page that has all of the text.
_MIN_SHARE_IN_MAIN = 0.8


def drop_sidebars(selected: SelectedText) -> None:
    """Drop the sidebars beside the part with the role ``main`` if nearly all text is in it."""
    index = selected.index
    roles = index.elements if "role" in index.attribute_names else ()
    mains = [i for i, element in enumerate(roles) if element.get("role") == "main"]
    main = index.segment_range(mains[0]) if len(mains) == 1 else range(0)
    if selected.size(main) < max(1, _MIN_SHARE_IN_MAIN * selected.total()):
        return
    for i, names in enumerate(zip(index.ids, index.classes, strict=True)):
        box = index.segment_range(i)
        is_beside = box.stop <= main.start or box.start >= main.stop
        if is_beside and any(_SIDEBAR.search((name or "")[:300]) for name in names):
            selected.drop(box)


def drop_not_displayed(selected: SelectedText) -> None:
    """Drop blocks that are not displayed and that no reader can unfold, if they are few."""
    index = selected.index
    flagged = (i for i, flags in enumerate(index.flags) if flags & IS_HIDDEN)
    hidden = (i for i in flagged if is_not_displayed(index.elements[i]))
    lines = _lines_not_folded(selected, hidden)
    # A hidden part of a line does not hide the line.
    _drop_if_few(selected, lines - index.visible_segments() if lines else lines)


def _lines_not_folded(selected: SelectedText, hidden: Iterable[int]) -> set[int]:
    """Return the lines of the hidden elements with selected text that no reader can unfold."""
    index, subtree_end = selected.index, 0
    boxes: list[int] = []
    for i in hidden:
        if i >= subtree_end:
            subtree_end = index.subtree_ends[i]
            boxes += [i] if selected.size(index.segment_range(i)) else []
    controls = read_controls(index.elements) if boxes else frozenset()
    unseen = (i for i in boxes if not is_folded(index.elements[i], controls))
    return {line for i in unseen for line in index.segment_range(i)}


def _drop_if_few(selected: SelectedText, hidden: set[int]) -> None:
    """Drop hidden lines if they are a small part of the selected text."""
    total, hidden_chars = selected.total(), selected.size(hidden)
    is_beside_text = total - hidden_chars >= _MIN_VISIBLE_CHARS
    max_share = _MAX_HIDDEN_SHARE_BESIDE_TEXT if is_beside_text else _MAX_HIDDEN_SHARE
    if hidden_chars <= max_share * total:
        selected.drop(hidden)


#: What the names of blocks contain that are shown only in windows of some widths.
_NARROW_CLASS = re.compile(r"hidden|hide(?![a-z])|d-none|mobile|phone|tablet|visible-|ssr-variant")
#: The largest size of a block for wide windows, relative to its duplicate.
_MAX_DUPLICATE_SIZE = 2
_MIN_DUPLICATE_LINES = 3
#: The share of a duplicate's words that the block for wide windows has.
_MIN_DUPLICATE_WORDS = 0.9
#: The most elements from a duplicate up to the block, others of which may be duplicates too.
_MAX_ELEMENTS_ABOVE = 4


def drop_responsive_duplicates(selected: SelectedText) -> None:
    """Drop blocks shown only on narrow screens that repeat the selected block above."""
    index = selected.index
    all_names = filter(None, {*index.classes})
    hiding = {names for names in all_names if _NARROW_CLASS.search(names[:300].lower())}
    for i in (i for i, names in enumerate(index.classes) if names in hiding):
        block = index.segment_range(i)
        count = _MAX_ELEMENTS_ABOVE if len(block) >= _MIN_DUPLICATE_LINES else 0
        siblings = islice(index.elements[i].itersiblings(preceding=True), count)
        above = (index.indexes.get(s, -1) for s in siblings if s.get("class") != index.classes[i])
        blocks = (index.segment_range(box) for box in above if box >= 0)
        copy = next(filter(selected.size, blocks), range(0))
        max_size = _MAX_DUPLICATE_SIZE * sum(selected.sizes[n] for n in block)
        words = _words_of(selected, block) if 0 < selected.size(copy) <= max_size else set()
        if len(words & _words_of(selected, copy)) > _MIN_DUPLICATE_WORDS * len(words):
            selected.drop(block)


def _words_of(selected: SelectedText, lines: range) -> set[str]:
    """Return the distinct words of the selected lines of a block."""
    texts = (selected.segments[i].text.lower() for i in lines if selected.keep[i])
    return {word for text in texts for word in _WORDS.findall(text)}


#: A number with grouped digits, which no page number has: 10,551.
_GROUPED_NUMBER = re.compile(r"[0-9]{1,3}(?:[.,'\u202f\xa0][0-9]{3}){1,4}")
_MAX_INTERFACE_LINE_CHARS = 200
#: The most buttons behind the text of a heading: 'Ingredients 1x 2x 3x'.
_MAX_HEADING_BUTTONS = 4


def drop_labels(selected: SelectedText) -> None:
    """Drop advertisements and their labels, action lines and repeated buttons; keep counts."""
    kind = selected.kind
    for i, segment in enumerate(selected.segments):
        is_short = selected.keep[i] and len(segment.text) <= _MAX_INTERFACE_LINE_CHARS
        if is_short and (section := _advertised_section(selected, segment)):
            selected.drop(section)
        elif is_short and _is_interface_label(segment, kind):
            selected.keep[i] = bool(_GROUPED_NUMBER.fullmatch(segment.text))
        elif is_short and i and is_advertisement_label(selected.segments[i - 1].text):
            selected.keep[i] = not _leads_away(selected, segment)
        elif (is_short and _is_repeated_below(selected, i)) or (
            kind == "product" and _is_field_label(segment)
        ):
            selected.keep[i] = False
        elif segment.block.tag == "button":
            above = selected.segments[max(0, i - _MAX_HEADING_BUTTONS) : i]
            headings = {s.block for s in above if s.block.tag in HEADING_TAGS}
            is_control = selected.counts[segment.text] > 1 and kind in ("article", "documentation")
            parent = segment.block.getparent()
            is_control |= parent.tag == "summary" and any(
                parent in h.iterancestors() for h in headings
            )
            selected.keep[i] &= not (is_control or parent in headings)


#: The most lines in a section of advertising.
_MAX_ADVERTISEMENT_LINES = 20


def _advertised_section(selected: SelectedText, heading: Segment) -> range:
    """Return the section of a heading such as 'Advertisement: Our book', else an empty range."""
    begin, tag = heading.index, heading.block.tag
    is_named = tag in HEADING_TAGS and split_label(heading.text[:-1])[1]
    if not is_named or not is_advertisement_label(heading.text):
        return range(0)
    lines = selected.segments[begin + 1 : begin + 1 + _MAX_ADVERTISEMENT_LINES]
    return range(begin, next((s.index for s in lines if "h1" < s.block.tag <= tag), begin))


def _leads_away(selected: SelectedText, segment: Segment) -> bool:
    """Return whether most of a line is a link to another site."""
    links = segment.block.iter("a") if 2 * segment.link_chars > len(segment.text) else ()
    href = next((link.get("href") or "" for link in links), "")
    return href[:1] not in ("", "#") and not selected.is_on_site(href)


def _is_repeated_below(selected: SelectedText, label: int) -> bool:
    """Return whether the selected line below a label begins with it: 'Tip:', 'Tip: Read …'."""
    text, below = selected.segments[label].text, selected.segments[label + 1 : label + 2]
    is_label = text.endswith(COLONS)
    return is_label and any(selected.keep[s.index] and s.text.startswith(text) for s in below)


_INPUT_TAGS = ("input", "select")


def _is_field_label(segment: Segment) -> bool:
    """Return whether a text such as 'Quantity:' labels a field of a form."""
    box = segment.block.getparent()
    fields = box.iter(*_INPUT_TAGS) if box is not None and segment.text.endswith(COLONS) else ()
    return next((f for f in fields if f.get("type") not in ("hidden", "radio")), None) is not None


#: What a blog's software writes below an entry: 'Rating: 4.5/5 (2 votes cast)'.
_RATING = re.compile(
    r"[^\W\d]{4,12} ?: [+-]?[0-9.,]{1,4}(?:/[0-9]{1,2})? \([^()]{0,12}[0-9]+ [^()]{3,20}\)"
)
#: The longest line that says how long reading takes, perhaps beside a date.
_MAX_TIME_CHARS = 60
_MAX_BUTTON_WORDS = 5
_WORDS = re.compile(r"\w+")


#: The number of a picture in a gallery: 'Picture 4 of 10'.
_PICTURE_NUMBER = re.compile(
    r"(?:bild|foto|image|imagem|imagen|immagine|photo|picture|slide|zdjęcie|фото)\s[0-9]{1,3}\s?"
    r"(?:/|aus|av|de|di|of|sur|von|z|из)\s?[0-9]{1,3}",
    re.IGNORECASE,
)


def _is_interface_label(segment: Segment, kind: str) -> bool:
    """Return whether a short line labels an advertisement, names actions, or is a placeholder."""
    is_pr = segment.text == "PR" and segment.block.tag == "div"  # on Japanese sites
    tags = (leaf.element.tag for leaf in segment.leaves)
    is_unfilled = is_placeholder(segment.text) and TERM_TAGS.isdisjoint(tags)
    is_rating = kind == "article" and _RATING.fullmatch(segment.text) is not None
    is_item = segment.block.tag == "li" and any(mark in segment.text for mark in " :(")
    is_label = not is_item and is_advertisement_label(segment.text)
    is_time = len(segment.text) <= _MAX_TIME_CHARS and any(map(str.isdecimal, segment.text))
    is_time = is_time and has_phrase(segment.text, "reading_times")
    is_option = segment.block.get("role") == "option"
    is_counter = _PICTURE_NUMBER.fullmatch(segment.text) is not None
    if is_pr or is_unfilled or is_rating or is_label or is_time or is_option or is_counter:
        return True
    if segment.link_chars <= len(segment.text) / 2 or segment.block.tag in TERM_TAGS:
        return False
    words = _WORDS.findall(segment.text.lower())
    actions = load_table("page_furniture")["action_words"]
    is_action = all(word in actions or word.isdecimal() for word in words)
    is_action &= not (segment.text.isdecimal() and segment.block.tag in HEADING_TAGS)
    if segment.is_link and segment.block.tag not in HEADING_TAGS:
        if kind in OFFER_KINDS:
            is_action |= is_invitation(segment.text)
        elif kind == "article":
            buttons = {
                enclosing_link(leaf.parent) for leaf in segment.leaves if is_button_text(leaf)
            }
            is_short = len(words) <= _MAX_BUTTON_WORDS * max(1, len(buttons))
            is_button = is_short and segment.block.tag in _BUTTON_TAGS
            is_invitation_only = " ".join(words) in page_labels("invitations")
            is_action |= is_button and (is_drawn_as_button(segment) or is_invitation_only)
    return is_action and not has_currency_sign(segment.text)


#: The most words of the end of a letter ('Yours sincerely,') and of the name below.
_MAX_CLOSING_WORDS = 5
_CONTACT_SCHEMES = ("mailto:", "tel:")
_PHONE_NUMBER = re.compile(r"\+?[0-9(][0-9 ()./-]{6,20}")


def _belongs_below(line: Segment, below: Segment) -> bool:
    """Return whether a line is the name below a letter, or an address that the line announces."""
    if _PHONE_NUMBER.fullmatch(line.text):
        return below.is_link and link_target(below).startswith("mailto:")
    if line.text.endswith(COLONS) and link_target(below).startswith(_CONTACT_SCHEMES):
        return below.is_link
    if line.text[-1] not in ",，" or not below.text[0].isupper() or below.link_chars:
        return False
    words = [count_words(text[:_MAX_INTERFACE_LINE_CHARS]) for text in (line.text, below.text)]
    is_short = 0 < min(words) <= max(words) <= _MAX_CLOSING_WORDS
    are_paragraphs = line.block.tag == below.block.tag == "p"
    return is_short and are_paragraphs and line.block.getparent() is below.block.getparent()


#: Elements with a number that does not count the heading below.
_UNCOUNTED_TAGS = HEADING_TAGS | {"td", "th"}
#: The time above a part of a live report: '12.30pm:'.
_TIME_MARK = re.compile(r"[0-9]{1,2}[.:][0-9]{2}(?:\s?[ap]\.?m\.?:?|:)")


def add_fragments(selected: SelectedText) -> None:
    """Select drop caps, datelines, scene breaks, times and consecutive heading numbers."""
    flags = selected.keep
    numbers: dict[int, int] = {}
    for i, (segment, following) in enumerate(pairwise(selected.segments)):
        if flags[i + 1] and (
            (following.block.tag == "p" and DATELINE.fullmatch(segment.text))
            or continues_drop_cap(segment.text, following.text)
        ):
            flags[i] = True
        is_number = len(segment.text) <= 2 and segment.text.isdecimal() and flags[i + 1]
        tags = segment.block.tag, following.block.tag
        if is_number and tags[0] not in _UNCOUNTED_TAGS and tags[1] in HEADING_TAGS:
            numbers[i] = int(segment.text)
        flags[i + 1] |= flags[i] and _belongs_below(segment, following)
        is_inside = i > 0 and flags[i - 1] and flags[i + 1]
        if is_inside and any(mark.fullmatch(segment.text) for mark in (SCENE_BREAK, _TIME_MARK)):
            flags[i] = True
    counted = [*numbers.values()]
    if len(counted) > 1 and counted == [*range(counted[0], counted[0] + len(counted))]:
        selected.add(numbers)
