"""Drop leftovers of unselected parts, and duplicates such as the preview of a text."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, islice, pairwise, takewhile
from typing import NamedTuple

from lxml.html import HtmlElement

from ..html.index import (
    IS_HIDDEN,
    ElementFlag,
    Leaf,
    PageIndex,
    Segment,
    common_classes,
    enclosing_link,
)
from ..html.page import Page
from ..html.visibility import HEADING_TAGS, has_unseen_class
from ..i18n import fold_words, is_invitation, load_table, page_labels
from ..selection import LIST_KINDS, OFFER_KINDS, Verdict
from ..text import QUESTION_MARKS, SENTENCE_ENDS, class_pattern, count_previewed, has_currency_sign
from .boilerplate import is_link_row
from .selected_text import SelectedText, is_bold, is_contents_entry, is_drawn_as_button


def drop_leftovers(selected: SelectedText) -> None:
    """Drop the leftovers of unselected parts."""
    page, kind = selected.page, selected.kind
    dropped = list(_code_labels(page.segments)) if "pre" in page.index.tags else []
    dropped += [*_unseen_labels(selected), *_box_labels(selected)]
    dropped += [*_pagers(page), *_menus(selected), *_field_labels(page)]
    dropped += _stray_labels(selected)
    dropped += _lines_above_summaries(page.segments) if "summary" in page.index.tags else ()
    dropped += _empty_accordions(page.segments)
    dropped += _offers(selected) if kind == "article" else ()
    dropped += _lead_ins(selected) if kind in ("article", "service") else []
    dropped += _second_copies(selected) if kind in OFFER_KINDS else []
    # Examples repeat lines.
    dropped += _copies(selected) if kind != "documentation" else []
    selected.drop(segment.index for segment in dropped)


#: The beginning by which the full text of a preview is found.
_MIN_BEGINNING_CHARS = 30


def replace_previews(selected: SelectedText) -> None:
    """Select each text once if the page shows a preview of it first.

    The complete text replaces the preview's last paragraph, which is cut; of the others, the copies
    in the preview are selected.
    """
    texts, keep = [segment.text for segment in selected.segments], selected.keep
    previews: dict[str, int] = {}
    for i, text in enumerate(texts):
        # A cell beside another may begin like it.
        is_cell = selected.segments[i].block.tag in ("td", "th")
        if len(text) < _MIN_BEGINNING_CHARS or is_cell:
            continue
        start = previews.get(text[:_MIN_BEGINNING_CHARS], i)
        last = count_previewed(texts, start, i) - 1
        for n in range(last + 1):
            dropped, printed = (start + n, i + n) if n == last else (i + n, start + n)
            keep[printed] |= keep[dropped]
            keep[dropped] = False
        previews[text[:_MIN_BEGINNING_CHARS]] = i


_MIN_PARAGRAPH_CHARS = 80


def _copies(selected: SelectedText) -> Iterable[Segment]:
    """Yield lines around paragraphs that were dropped as copies (say, for narrow screens)."""
    segments, keep = selected.segments, selected.keep
    first_positions: dict[str, int] = {}
    for i, segment in enumerate(segments):
        first = first_positions.setdefault(segment.text, i)
        if len(segment.text) < _MIN_PARAGRAPH_CHARS or keep[first] == keep[i]:
            continue
        original, copy = (first, i) if keep[first] else (i, first)
        for step in (-1, 1):
            offset = step
            while first + offset >= 0 and i + offset < len(segments):
                text = segments[original + offset].text
                is_line = keep[original + offset] and len(text) < _MIN_PARAGRAPH_CHARS
                if not is_line or text != segments[copy + offset].text:
                    break
                yield segments[copy + offset]
                offset += step


#: The lengths of a line, or of a stretch of lines, that is looked for right below itself.
_COPIED_LINES = range(1, 60)
#: A stretch of fewer lines, such as a heading and its paragraph, has a line of this length.
_MIN_SHORT_LINES = 4
_MIN_COPIED_LINE_CHARS = 60
#: The kinds of pages about one offer: lists of offers may repeat the words of one in another.
_SECTIONED_KINDS = ("product", "service")


def _second_copies(selected: SelectedText) -> Iterable[Segment]:
    """Yield the stretches of lines that repeat those right above, and select these instead."""
    page, keep = selected.page, selected.keep
    texts, i = [segment.text for segment in page.segments], 0
    last_positions: dict[str, int] = {}
    while i < len(texts):
        start = last_positions.get(texts[i], i)
        last_positions[texts[i]] = i
        copy = page.segments[i : i + i - start] if i - start in _COPIED_LINES else ()
        sizes = [len(segment.text) for segment in copy]
        is_long = sum(sizes) >= _MIN_PARAGRAPH_CHARS
        if 0 < len(copy) < _MIN_SHORT_LINES:
            is_long = max(sizes) >= _MIN_COPIED_LINE_CHARS
        in_table = page.index.flags[page.index.segment_blocks[i]] & ElementFlag.TABLE
        # Words that move across the screen are repeated to fill it.
        beside = texts[max(0, 2 * start - i) : start], texts[2 * i - start : 3 * i - 2 * start]
        is_long |= len(copy) > 1 and texts[start:i] in beside
        is_long &= not in_table and (
            len(copy) not in range(2, _MIN_SHORT_LINES) or _is_section(copy, selected.kind)
        )
        if is_long and texts[start:i] == [segment.text for segment in copy]:
            for segment in copy:
                keep[segment.index - i + start] |= keep[segment.index]
            yield from copy
            i += len(copy) - 1
        i += 1


def _is_section(lines: Sequence[Segment], kind: str) -> bool:
    """Return whether a few lines are a heading and its text in a box of their own, on an offer.

    Entries that differ only in their pictures have them above the heading, or links, or prices.
    """
    first, last = lines[0].block, lines[-1].block
    is_headed = first.tag in HEADING_TAGS and first.getprevious() is None
    is_boxed = is_headed and last.getnext() is None and first.getparent() is last.getparent()
    is_offer = any(line.link_chars or has_currency_sign(line.text) for line in lines)
    return kind in _SECTIONED_KINDS and is_boxed and not is_offer


#: Elements that are pictures, or are printed as such.
_PICTURE_TAGS = frozenset({"img", "picture", "video", "iframe", "object"})
_PLAYER_TAGS = frozenset({"video", "iframe", "object"})
_MAX_HEADING_CHARS = 80
#: The largest share of a level's headings without a section: more are a list of names.
_MAX_EMPTY_SHARE = 1 / 3
#: Headings of the same text this many times are labels, not names.
_MIN_REPEATED_LABELS = 3
#: The least share of links in teasers.
_MIN_LINKED_TEASERS = 0.4
#: A few pictures may be the icon of the next section, with its copies.
_MIN_LOGOS = 4
#: The kinds of pages on which a heading alone may be an entry.
_KINDS_OF_NAMES = LIST_KINDS - {"service"}
#: The most elements of a box that a script fills.
_MAX_UNFILLED_ELEMENTS = 4


def drop_empty_sections(
    selected: SelectedText, pictures: Iterable[HtmlElement] | None = None
) -> None:
    """Drop the headings of sections of which nothing is printed.

    Such a section lost its text to an earlier pass, or is filled by a script, or holds only
    unselected lines or logos.  ``pictures`` are the elements of those that are printed, if that is
    known: every picture counts as printed otherwise.
    """
    sections = _Sections(selected, pictures)
    for level in sorted({tag for tag, _ in sections.looks}, reverse=True):
        sections.drop_empty(level)


class _Section(NamedTuple):
    """A selected heading and the unselected lines below it, up to the next selected line.

    ``was_dropped`` tells whether a pass dropped lines of it, ``has_picture`` whether a picture in
    it is printed; ``images`` are all pictures in it; ``following`` is the tag of the next line.
    """

    heading: Segment
    lines: Sequence[Segment]
    images: int
    was_dropped: bool
    has_picture: bool
    following: str

    def has_teasers(self) -> bool:
        linked = sum(line.link_chars for line in self.lines)
        return linked > _MIN_LINKED_TEASERS * sum(len(line.text) for line in self.lines)

    def is_row_of_cards(self) -> bool:
        titles = (line for line in self.lines if line.link_chars and line.block.tag in HEADING_TAGS)
        return sum(1 for _ in titles) >= _MIN_CARDS


class _Sections:
    """The sections of a page, while :func:`drop_empty_sections` drops headings."""

    def __init__(
        self, selected: SelectedText, pictures: Iterable[HtmlElement] | None = None
    ) -> None:
        self.selected, self.index, self.segments = selected, selected.index, selected.segments
        self.keep = selected.keep
        self.is_article = selected.kind == "article"
        self.before = selected.before_drops if self.is_article else tuple(selected.keep)
        self.has_printed_pictures = pictures is not None
        self.is_unplaced_list = pictures is None and not self.is_article
        media = _PICTURE_TAGS if pictures is None else _PLAYER_TAGS
        places = {i for i, tag in enumerate(self.index.tags) if tag in media}
        places.update(self.index.indexes.get(element, -1) for element in pictures or ())
        self.pictures = sorted(places)
        lines = (line for line in selected.lines() if line.block.tag in HEADING_TAGS)
        self.headings = list({line.block: line for line in lines}.values())  # the last line of each
        self.looks = Counter(_look(heading.block) for heading in self.headings)
        self.texts = Counter(heading.text for heading in self.headings)

    def drop_empty(self, level: str) -> None:
        """Drop the empty sections of a level, and those that seem empty if they are a few."""
        doubtful: dict[tuple[str, str], list[_Section]] = {}
        for heading in (line for line in self.headings if line.block.tag == level):
            section = self._read(heading)
            is_separate = self._is_separate(section)
            if not is_separate and section.following and not "h" < section.following <= level:
                continue  # Text of the section, or a part of it, is printed.
            if is_separate or self._is_empty(section):
                self._drop(heading)
            elif self._seems_empty(section):
                doubtful.setdefault(_look(heading.block), []).append(section)
        of_level = sum(count for (tag, _), count in self.looks.items() if tag == level)
        are_few = sum(map(len, doubtful.values())) <= _MAX_EMPTY_SHARE * of_level
        for look, alike in doubtful.items():
            is_minority = (
                are_few if self.has_printed_pictures else 2 * len(alike) < self.looks[look]
            )
            # A call to action ends the section around it, unlike a name in a list of names.
            if self.is_article:
                is_minority |= all(
                    (len(s.lines) == 1 or s.has_teasers()) and s.following < level for s in alike
                )
            if is_minority or (self.is_unplaced_list and _are_controls([s.lines for s in alike])):
                for section in alike:
                    self._drop(section.heading)

    def _drop(self, heading: Segment) -> None:
        """Drop all lines of a heading, unless selected lines of other elements are in it."""
        lines = self.index.segment_range(self.index.segment_blocks[heading.index])
        if all(self.segments[i].block is heading.block for i in lines if self.keep[i]):
            for i in lines:
                self.keep[i] = False

    def _read(self, heading: Segment) -> _Section:
        index, begin = self.index, heading.index + 1
        first_blocks = index.segment_blocks[begin : begin + 1]
        was_dropped = self.is_article and any(index.flags[i] & IS_HIDDEN for i in first_blocks)
        end = begin
        while end < len(self.keep) and not self.keep[end]:
            tag = self.segments[end].block.tag
            if self.before[end] and tag in HEADING_TAGS and tag <= heading.block.tag:
                break
            was_dropped |= self.before[end]
            end += 1
        places = [
            *index.segment_blocks[heading.index : begin],
            *index.segment_blocks[end : end + 1],
        ]
        first, last = places if len(places) > 1 else (places[0], len(index.tags))
        has_picture = bisect(self.pictures, first) < bisect(self.pictures, last)
        following = str(self.segments[end].block.tag) if end < len(self.keep) else ""
        lines, images = self.segments[begin:end], index.tags[first + 1 : last].count("img")
        return _Section(heading, lines, images, was_dropped, has_picture, following)

    def _is_separate(self, section: _Section) -> bool:
        """Return whether a section is a box beside the text, or an unselected table of contents."""
        i = section.heading.index
        if self.is_article and _is_above_contents(self.selected, i):
            return True
        # A linked heading is the title of a page that a post shows.
        is_aside = self.index.tags[self.index.box_around(i)] == "aside"
        is_aside = is_aside and not section.heading.link_chars
        is_label = self.is_article and self.texts[section.heading.text] >= _MIN_REPEATED_LABELS
        return (is_aside or is_label) and self._is_box(section) and not section.has_picture

    def _is_box(self, section: _Section) -> bool:
        i = section.heading.index
        return self.index.segment_ends[self.index.box_around(i)] <= i + 1 + len(section.lines)

    def _is_empty(self, section: _Section) -> bool:
        is_sole = self.looks[_look(section.heading.block)] == 1
        if section.was_dropped or (self.is_unplaced_list and is_sole and section.is_row_of_cards()):
            return True
        heading = self.index.segment_blocks[section.heading.index]
        return self.selected.kind not in _KINDS_OF_NAMES and _is_unfilled(self.index, heading)

    def _seems_empty(self, section: _Section) -> bool:
        """Return whether a label is above logos, teasers or other lines without a picture."""
        heading = section.heading
        is_linked_name = bool(heading.link_chars) and not self.has_printed_pictures
        is_label = len(heading.text) <= _MAX_HEADING_CHARS
        is_label |= self.is_article and [line.is_link for line in section.lines] == [True]
        if section.has_picture or is_linked_name or not is_label:
            return False
        is_subtitle = heading.index > 0 and self.segments[heading.index - 1].block.tag == "h1"
        if is_subtitle or not (section.following or self.is_unplaced_list):
            return False
        is_sole = self.looks[_look(heading.block)] == 1
        if is_sole and section.images >= _MIN_LOGOS:
            return True
        is_boxed = self.is_article and self._is_box(section)
        return bool(section.lines) and (is_boxed or self.is_unplaced_list or section.has_teasers())


_MAX_OPTION_CHARS = 30
_MAX_HEADED_BUTTONS = 2


def _are_controls(sections: Sequence[Sequence[Segment]]) -> bool:
    """Return whether one or two sections are a button, or several are options of a filter."""
    lines = [line for section in sections for line in section]
    if len(lines) == len(sections):
        are_buttons = all(s.link_chars == len(s.text) <= _MAX_BUTTON_CHARS for s in lines)
        return are_buttons and len(sections) <= _MAX_HEADED_BUTTONS
    are_short = all(len(line.text) <= _MAX_OPTION_CHARS for line in lines)
    return len(sections) > 1 and are_short and all(len(section) > 1 for section in sections)


def _is_above_contents(selected: SelectedText, heading: int) -> bool:
    """Return whether a table of contents that is not selected is below a heading."""
    below = selected.segments[heading + 1 : heading + 3]
    return bool(below) and all(is_contents_entry(s) and not selected.keep[s.index] for s in below)


def _is_unfilled(index: PageIndex, heading: int) -> bool:
    """Return whether an empty box with a name, which a script fills, is right below a heading."""
    begin = index.subtree_ends[heading]
    if begin == len(index.tags):
        return False
    box = range(begin, index.subtree_ends[begin])
    if not 0 < len(box) <= _MAX_UNFILLED_ELEMENTS or index.segment_range(begin):
        return False
    is_empty = _PICTURE_TAGS.isdisjoint(index.tags[begin : box.stop])
    return is_empty and any(index.ids[begin : box.stop])


_MAX_CODE_LABEL_CHARS = 30


def _code_labels(segments: Sequence[Segment]) -> Iterable[Segment]:
    """Yield the lines above code that only name its language or a button to copy it."""
    actions = load_table("page_furniture")["action_words"]
    language = None  # the names on the code below, None if something else is below
    for segment in reversed(segments):
        code = segment.block
        if code.tag != "pre":
            code = next(code.iterancestors("pre"), None)
        if code is not None:
            parts = code.iter("pre", "code")
            names = " ".join(part.get("class") or "" for part in islice(parts, 2))
            language = set(fold_words(names).split())
            continue
        # A heading is not a label: 'Synopsis' above code with a class of that name.
        is_short = len(segment.text) <= _MAX_CODE_LABEL_CHARS
        if language is None or not is_short or segment.block.tag in HEADING_TAGS:
            language = None
            continue
        words = fold_words(segment.text).split()
        is_label = bool(words) and all(word in language or word in actions for word in words)
        if is_label or segment.block.tag == "button":
            yield segment
        else:
            language = None


#: The most elements between a line and the table around it.
_MAX_CELL_LEVELS = 6
_MAX_PAGER_LINKS = 12


def _pagers(page: Page) -> Iterable[Segment]:
    """Yield the links to the next page, and lines and tables of links that have access keys."""
    for segment in page.segments if "rel" in page.index.attribute_names else ():
        link = enclosing_link(segment.leaves[0].parent) if segment.is_link else None
        if link is not None and link.get("rel") in ("next", "prev"):
            yield segment
    is_pager: dict[HtmlElement, bool] = {}
    for segment in page.segments if "accesskey" in page.index.attribute_names else ():
        around = islice(segment.block.iterancestors(), _MAX_CELL_LEVELS)
        element = next((parent for parent in around if parent.tag == "table"), segment.block)
        if element not in is_pager:
            links = list(islice(element.iter("a"), _MAX_PAGER_LINKS))
            keys = sum(link.get("accesskey") is not None for link in links)
            is_pager[element] = keys > 1 and 2 * keys >= len(links)
        if is_pager[element]:
            yield segment


_BARS = frozenset("|·•")
#: The fewest links of a menu in one line, and the most lines of the box around them.
_MIN_MENU_LINKS = 4
_MAX_MENU_LINES = 8


def _menus(selected: SelectedText) -> Iterable[Segment]:
    """Yield the rows of links with bars between them above or below all text, with their boxes."""
    index, segments, keep = selected.index, selected.segments, selected.keep
    links = [segment.is_link or is_link_row(segment) for segment in segments]
    text = [i for i, is_link in enumerate(links) if keep[i] and not is_link]
    outside = (*segments[: text[0]], *segments[text[-1] + 1 :]) if text else ()
    for menu in filter(_is_menu, outside):
        above = segments[max(0, menu.index - 1)]
        if above.block.tag in HEADING_TAGS and keep[above.index]:
            continue
        yield menu
        box = index.segment_blocks[menu.index]
        while box >= 0 and len(lines := index.segment_range(box)) <= _MAX_MENU_LINES:
            if any(keep[i] and not links[i] for i in lines):
                break
            yield from (segments[i] for i in lines)
            box = index.parents[box]


def _is_menu(segment: Segment) -> bool:
    bars = sum(leaf.text.strip() in {*_BARS, "-", "–"} for leaf in segment.leaves)
    return bars >= _MIN_MENU_LINKS - 1 and is_link_row(segment)


_MAX_OFFER_LINES = 4
_MAX_OFFER_CHARS = 400
_MAX_BUTTON_CHARS = 40
#: The largest share of the selected text that such boxes are.
_MAX_OFFERS_SHARE = 0.1
#: This many similar boxes are the entries of a list.
_MIN_CARDS = 3


def _offers(selected: SelectedText) -> Sequence[Segment]:
    """Return the lines of a few small boxes below the text whose buttons were dropped.

    A box above more text whose heading looks like those of other entries is one of them.
    """
    index, segments, keep = selected.index, selected.segments, selected.keep
    headings = Counter(_look(line.block) for line in selected.lines())
    text_begin = _text_begin(selected)
    by_look: dict[tuple[str, str], list[range]] = {}
    rows: dict[tuple[int, str], list[range]] = {}
    bounds = zip(index.classes, index.segment_begins, index.segment_ends, strict=True)
    for i, (names, begin, end) in enumerate(bounds):
        is_small = 2 <= end - begin <= _MAX_OFFER_LINES
        is_small &= index.tags[i] not in HEADING_TAGS  # the buttons may be in a heading
        if begin < text_begin or not (names and is_small) or keep[end - 1]:
            continue
        box = range(begin, end)
        first, last = segments[box[0]], segments[box[-1]]
        is_button = last.link_chars == len(last.text) or last.block.tag == "button"
        is_button = is_button and len(last.text) <= _MAX_BUTTON_CHARS
        if is_button:
            rows.setdefault((index.parents[i], common_classes(names)), []).append(box)
        is_entry = bool(first.block.get("class")) and any(keep[end : end + 1])
        is_entry = is_entry and headings[_look(first.block)] >= _MIN_CARDS
        is_headed = (first.block.tag in HEADING_TAGS and not is_entry) or (
            is_drawn_as_button(last) and is_bold(first)
        )
        is_headed = is_headed and not first.link_chars
        if is_button and is_headed:
            by_look.setdefault((index.tags[i], names), []).append(box)
    offer_lines: set[int] = set()
    for boxes in by_look.values():
        chars = max(sum(selected.sizes[line] for line in box) for box in boxes)
        if len(boxes) < _MIN_CARDS and chars <= _MAX_OFFER_CHARS:
            offer_lines.update(line for box in boxes for line in box if keep[line])
    for cards in rows.values():
        if len(cards) >= _MIN_CARDS:
            offer_lines.difference_update(*cards)
    return _if_little(selected, offer_lines)


def _text_begin(selected: SelectedText) -> int:
    """Return the position of the first selected paragraph, or of the end."""
    paragraphs = (i for i, size in enumerate(selected.sizes) if size >= _MIN_PARAGRAPH_CHARS)
    return next(filter(selected.keep.__getitem__, paragraphs), len(selected.keep))


def _if_little(selected: SelectedText, lines: Iterable[int]) -> Sequence[Segment]:
    """Return some lines if they are a small part of the selected text, or none."""
    found = [selected.segments[i] for i in lines]
    chars = sum(len(line.text) for line in found)
    return found if chars <= _MAX_OFFERS_SHARE * selected.total() else []


_MAX_LEAD_IN_CHARS = 120
#: A lead-in and a line between it and its button.
_MAX_LEAD_IN_LINES = 2
_MAX_OFFERED_CHARS = 200


def _lead_ins(selected: SelectedText) -> Sequence[Segment]:
    """Return the lines in the text that lead to a dropped link below: 'Ready to sail?'."""
    segments, keep = selected.segments, selected.keep
    phrases, text_begin = tuple(page_labels("lead_ins")), _text_begin(selected)
    leads: list[range] = []
    for i, button in enumerate(segments):
        if keep[i] or not button.is_link or len(button.text) > _MAX_BUTTON_CHARS:
            continue
        for begin in range(i - 1, max(text_begin, i - 1 - _MAX_LEAD_IN_LINES), -1):
            line = segments[begin]
            is_line = keep[begin] and not line.link_chars and line.block.tag in _LABEL_TAGS
            if not is_line or len(line.text) > _MAX_OFFERED_CHARS:
                break
            if len(line.text) <= _MAX_LEAD_IN_CHARS and fold_words(line.text).startswith(phrases):
                leads.append(range(begin, i))
                break
    are_cards = sum(len(lead) > 1 for lead in leads) >= _MIN_CARDS
    lines = (i for lead in leads if not (are_cards and len(lead) > 1) for i in lead)
    return _if_little(selected, lines)


def _look(element: HtmlElement) -> tuple[str, str]:
    return str(element.tag), element.get("class") or ""


def _unseen_labels(selected: SelectedText) -> Iterable[Segment]:
    """Yield the lines for screen readers above dropped parts, such as controls."""
    for i, segment in enumerate(selected.segments):
        is_above_dropped = selected.keep[i] and not any(selected.keep[i + 1 : i + 2])
        if is_above_dropped and has_unseen_class(segment.block.get("class")):
            yield segment


_MAX_SUMMARY_LINE_CHARS = 60
_MAX_SUMMARY_LEVELS = 4


def _lines_above_summaries(segments: Sequence[Segment]) -> Iterable[Segment]:
    """Yield the lines with a link, such as to source code, above the heading of a folded part."""
    for segment, below in pairwise(segments):
        is_short = segment.link_chars and len(segment.text) <= _MAX_SUMMARY_LINE_CHARS
        if not is_short or below.block.tag not in HEADING_TAGS or segment.block.tag in HEADING_TAGS:
            continue
        summary, other = map(_summary_around, (segment.block, below.block))
        if summary is not None and summary is other:
            yield segment


def _summary_around(block: HtmlElement) -> HtmlElement | None:
    around = islice(block.iterancestors(), _MAX_SUMMARY_LEVELS)
    return next((element for element in around if element.tag == "summary"), None)


_MAX_STRAY_LABEL_CHARS = 40
_LABEL_TAGS = HEADING_TAGS | {"p", "div"}
_MIN_ALIKE_LABELS = 4
_MIN_LABELS_PER_STRAY = 3


def _stray_labels(selected: SelectedText) -> Iterable[Segment]:
    """Yield selected labels, such as '(up)', if most of the same text and look are not selected.

    Labels in copies of a block, which are below the same line, are no reason.
    """
    segments, counts = selected.segments, selected.counts
    alike: dict[tuple[str, str, str], list[Segment]] = {}
    for line in (line for line in segments if counts[line.text] >= _MIN_ALIKE_LABELS):
        is_short = len(line.text) <= _MAX_STRAY_LABEL_CHARS and line.block.tag in ("p", "div")
        is_title = line.link_chars and len(line.text.split()) > _MAX_BUTTON_WORDS
        if is_short and not is_title and not has_currency_sign(line.text):
            alike.setdefault((line.text, *_look(line.block)), []).append(line)
    for labels in alike.values():
        stray = [label for label in labels if selected.keep[label.index]]
        are_few = _MIN_ALIKE_LABELS <= len(labels) >= _MIN_LABELS_PER_STRAY * len(stray)
        if are_few and 2 * len({segments[s.index - 1].text for s in labels}) > len(labels):
            yield from stray


def _box_labels(selected: SelectedText) -> Iterable[Segment]:
    """Yield the labels of a dropped table of contents or picture ('On this page')."""
    labels = page_labels("box_labels")
    for segment, following in pairwise(selected.lines()):
        is_short = len(segment.text) <= _MAX_STRAY_LABEL_CHARS and segment.block.tag in _LABEL_TAGS
        if not is_short or following.link_chars > len(following.text) / 2:
            continue
        # A link next to the label unfolds the box.
        unlinked = "".join(leaf.text for leaf in segment.leaves if leaf.parent.tag != "a")
        if not labels.isdisjoint(map(fold_words, {segment.text, unlinked})):
            yield segment


_CHOICES = ("checkbox", "radio")
_FIELD_TAGS = ("input", "select", "textarea")
_MAX_LABEL_ELEMENTS = 30


def _field_labels(page: Page) -> Iterable[Segment]:
    """Yield the labels of a form's fields, but not of choices, which may unfold a text."""
    index = page.index
    ends = enumerate(zip(index.tags, index.subtree_ends, strict=True))
    labels = [i for i, (tag, end) in ends if tag == "label" and end - i <= _MAX_LABEL_ELEMENTS]
    names = {index.elements[i].get("for") for i in labels} - {None}
    named = {name: index.elements[i] for i, name in enumerate(index.ids) if name in names}
    parts: set[HtmlElement] = set()
    lines: set[int] = set()
    for i in labels:
        label = index.elements[i]
        name = label.get("for")
        field = named.get(name) if name else next(label.iter(*_FIELD_TAGS), None)
        is_choice = field is not None and field.get("type") in _CHOICES
        if (name or field is not None) and not is_choice and index.flags[i] & ElementFlag.FORM:
            parts.update(label.iter())
            lines.update(index.segment_range(i))
    for segment in (page.segments[n] for n in sorted(lines)):
        inside = sum(len(leaf.text.strip()) for leaf in segment.leaves if leaf.parent in parts)
        if 2 * inside >= len(segment.text):
            yield segment


_MIN_EMPTY_ACCORDIONS = 3
_ANSWER_CLASS = class_pattern("answer|response")


def _unfolds_nothing(segment: Segment) -> bool:
    """Return whether a line is a folded button, or a question above an empty box for its answer."""
    if segment.block.get("aria-expanded") == "false":
        return True
    is_question = segment.text.endswith(QUESTION_MARKS)
    boxes = (segment.block, segment.block.getparent()) if is_question else ()
    below = next((box.getnext() for box in boxes if box.getnext() is not None), None)
    if below is None or len(below) or (below.text or "").strip():
        return False
    return _ANSWER_CLASS.search((below.get("class") or "")[:300].lower()) is not None


def _empty_accordions(segments: Sequence[Segment]) -> Iterable[Segment]:
    """Yield rows of buttons without the text that they unfold, and the headings above them."""
    for is_button, row in groupby(segments, _unfolds_nothing):
        lines = list(row)
        if is_button and len(lines) >= _MIN_EMPTY_ACCORDIONS:
            above = reversed(segments[: lines[0].index])
            yield from (*lines, *takewhile(lambda s: s.block.tag in HEADING_TAGS, above))


_MIN_BUTTONS = 3
_MAX_BUTTON_WORDS = 5
#: The characters at the end of a line before its button.
_ENDS_BEFORE_BUTTON = (*SENTENCE_ENDS, ")", "]", "）")
_NOT_BUTTON_TAGS = HEADING_TAGS | {"td", "th", "dt", "pre"}


#: The kinds of pages whose entries may end in links of the same words.
_KINDS_WITH_COMMON_LINKS = frozenset({"collection", "forum", "listing"})


def find_buttons(page: Page, verdict: Verdict) -> frozenset[HtmlElement]:
    """Return recurring links at the ends of lines ('Learn more'), or between bars ('| reply |').

    Links without a target below a sentence ('More +', 'Read more') are a script's.
    """
    may_end_entries = verdict.kind in _KINDS_WITH_COMMON_LINKS
    places: dict[str, set[str]] = {}
    elements: dict[str, list[HtmlElement]] = {}
    toggles: list[HtmlElement] = []
    for segment in page.segments:
        if not verdict.keep[segment.index] or not segment.link_chars:
            continue
        toggles += _closing_toggles(segment)
        barred = [
            (leaf, link)
            for leaf, link in _barred_links(segment)
            if may_end_entries or "//" not in link.get("href", "")  # shops are elsewhere
        ]
        for leaf, link in barred if may_end_entries else {*_closing_links(segment), *barred}:
            label = leaf.text.strip()
            places.setdefault(label, set()).add(link.get("href", ""))
            elements.setdefault(label, []).append(leaf.element)
    recurring = (label for label in places if len(places[label]) >= _MIN_BUTTONS)
    return frozenset(toggles).union(*(elements[label] for label in recurring))


_TOGGLE_SIGNS = ("+", "-", "−", "–")
_CLOSING_QUOTES = "\"'”’»"
_TOGGLE_ATTRIBUTES = ("href", "id", "name")


def _closing_toggles(segment: Segment) -> list[HtmlElement]:
    """Return the toggles with which a paragraph of sentences ends.

    They are links without a target that end in a sign or invite to read on; others are terms.
    """
    toggles: list[HtmlElement] = []
    for leaf in reversed(segment.leaves if segment.block.tag == "p" else ()):
        text = leaf.text.strip()
        link = None if leaf.tail else enclosing_link(leaf.element)
        if link is not None and not any(map(link.get, _TOGGLE_ATTRIBUTES)):
            label = text.strip("".join(_TOGGLE_SIGNS))
            is_toggle = text.endswith(_TOGGLE_SIGNS) or is_invitation(label)
            if not (is_toggle and _is_button_label(label)):
                return []
            toggles.append(leaf.element)
        elif text:
            return toggles if text.rstrip(_CLOSING_QUOTES).endswith(_ENDS_BEFORE_BUTTON) else []
    return []


def _barred_links(segment: Segment) -> Iterable[tuple[Leaf, HtmlElement]]:
    """Yield the short links that have a bar before them in a line of other text."""
    if is_link_row(segment):
        return
    counts = Counter(leaf.text.strip() for leaf in segment.leaves)
    for bar, leaf in pairwise(segment.leaves):
        link = enclosing_link(leaf.element) if bar.text.strip() in _BARS else None
        is_alone = counts[leaf.text.strip()] == 1
        if link is not None and is_alone and _is_button_label(leaf.text):
            yield leaf, link


def _is_button_label(text: str) -> bool:
    return text.replace(" ", "").strip().isalpha() and len(text.split()) <= _MAX_BUTTON_WORDS


def _closing_links(segment: Segment) -> list[tuple[Leaf, HtmlElement]]:
    """Return the short links with which a line ends, if they are alone or after a sentence."""
    links: list[tuple[Leaf, HtmlElement]] = []
    if segment.block.tag in _NOT_BUTTON_TAGS:
        return links
    for leaf in reversed(segment.leaves):
        text = leaf.text.strip()
        link = None if leaf.tail else enclosing_link(leaf.element)
        href = "" if link is None else link.get("href") or ""
        if _is_button_label(text) and link is not None and href[:1] not in ("", "#"):
            links.append((leaf, link))
        elif text:
            ends = text.endswith(_ENDS_BEFORE_BUTTON) or text[-1].isdecimal()
            return links if ends or link is not None else []
    is_phrase = len(segment.text.split()) > 1 and segment.block.tag != "li"
    return links if is_phrase else []
