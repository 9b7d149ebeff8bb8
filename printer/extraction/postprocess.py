"""Complete partly selected elements and drop leftovers after the classifier.

The classifier decides segment by segment.  In print, half a table, a quotation without its source
or the label of a removed advertisement would be an error, however likely each segment was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress, groupby, islice
from unicodedata import category

from lxml.html import HtmlElement

from ..html.index import IS_HIDDEN, Segment
from ..html.metadata.bylines import BYLINE, find_byline, join_names
from ..html.metadata.dates import is_date_line
from ..html.page import Page
from ..html.visibility import HEADING_TAGS, is_folded, is_not_displayed, read_controls
from ..i18n import fold_words, has_phrase, is_advertisement_label, load_table, page_labels
from ..text import YEAR, count_words, is_placeholder
from ..urls import host_of, resolve
from .missing_blocks import add_fragments
from .remains import drop_remains

_WORDS = re.compile(r"\w+")
_URL = re.compile(r"https?://\S+")
#: A number with grouped digits, which no page number has: 10,551.
_GROUPED_NUMBER = re.compile(r"[0-9]{1,3}(?:[.,'\u202f\xa0][0-9]{3}){1,4}")

# Elements

#: The share of an element's text that must be selected for the rest of it to be selected as well.
_COMPLETION_SHARES = {
    "blockquote": 0.5, "table": 0.5, "dl": 0.5, "p": 0.5, "pre": 0.3, "ul": 0.85, "ol": 0.85,
}  # fmt: skip
_COMPLETION_SHARES_IN_ARTICLES = _COMPLETION_SHARES | {"table": 0.35, "ul": 0.7, "ol": 0.7}
#: The share of a list's text above which copies of selected text count as selected.
_MOSTLY_COPIES = 0.5
#: The share of the selected text above which a table is a layout table.
_LAYOUT_TABLE = 0.5
#: The share of a list below which its selected items are stray (a likely link in a list of links);
#: and the same on collections, which consist of such lists.
_STRAY_ITEMS, _STRAY_ITEMS_IN_COLLECTIONS = 0.3, 0.15
#: The lowest share of links in a list of links, and the share of one in an article from which it is
#: completed rather than dropped.
_LIST_OF_LINKS, _MOST_LINKS = 0.9, 0.5
#: The lowest share of links in an article's list of stray items; the elements of a button or badge
#: in an item, and its longest text in characters.
_STRAY_LINKS, _BUTTON_TAGS, _BUTTON_CHARS = 0.5, frozenset({"p", "div", "button"}), 20

#: The fewest entries of a table of contents, and the lowest share that headings below repeat.
_MIN_ENTRIES, _CONTENTS_SHARE = 3, 0.7

# Leftovers

#: The names of boxes that show only while the pointer rests on something, and of a wiki's notices
#: to its readers and editors; and, within articles, of those that ask for an e-mail address or
#: another action.  Each alternative begins with a letter, so that the search skips most of a name.
_NOTICE_CLASS = re.compile(
    r"tooltip(?<![a-z]tooltip)(?!s?-?(?:trigger|wrap|able))"
    r"|navigation-not-searchable|ambox(?<=\bambox)(?![\w-])"
)
_PROMOTION_CLASS = re.compile(
    r"newsletter|related-?(?:articles?|content|links|posts|reading|stories)(?![a-z])|sign-?up|subscri(?:be|ption)-?(?:box|form|promo)|call-to-action"
    r"|cta(?<![a-z]cta)(?<!above-cta)(?![a-z]|_button)|(?:modal|popup)(?<![a-z]modal)(?![a-z])|"
    + _NOTICE_CLASS.pattern
)
_OTHER_PRODUCTS = r"(?:related|similar)[-_ ]?(?:items|products?)|recommend|(?:cross|up)-?sells?\b|"
_PRODUCT_CLASS = re.compile(_OTHER_PRODUCTS + _NOTICE_CLASS.pattern)
_BOX_CLASSES = {"article": _PROMOTION_CLASS, "product": _PRODUCT_CLASS}
#: The largest share of the selected text, and the most segments, of such a box.
_BOX_SHARE, _BOX_SEGMENTS = 0.2, 6
#: The most levels from the heading of a story to its box, and links of that to examine; the most
#: cards of other stories.
_CARD_LEVELS, _CARD_LINKS, _MAX_CARDS = 6, 10, 2
#: The names of readers' comments; the share of the selected text, or the number of characters, that
#: must remain without them, as the page is a discussion otherwise.
_COMMENT_CLASS = re.compile(
    r"(?:(?<![a-z])|reader|user|news|article)comments?+(?!ar|at|ed|-(?:open|closed|status))",
)
_BESIDE_COMMENTS, _BESIDE_COMMENTS_CHARS = 0.5, 600
_COMMENT_TAGS = frozenset(
    {"div", "section", "article", "aside", "ul", "ol", "li", "dl", "table", "td"}
)
#: The largest share of the selected text that a box of other stories may be, and the lowest share
#: of its text that is links.
_STORIES_SHARE, _STORIES_LINKS = 0.3, 0.3
#: The lowest share of links in the terms of a definition list of other stories, and the fewest
#: other selected characters.
_STORIES_TERMS, _BESIDE_NEWSWIRES = 0.7, 400
#: The largest share of the selected text that may be hidden text to drop; the same beside that
#: number of visible characters.
_HIDDEN_SHARE, _MOSTLY_HIDDEN, _VISIBLE_CHARS = 0.3, 0.75, 300
#: The fewest terms of such a list, and the most stories below a heading.
_MAX_STORIES = 4
#: The most last lines to examine; the longest copyright line, and the longest credit, in
#: characters; the largest share of the text that such lines may be, also with a statement of
#: rights; the longest such statement; the elements of credits; a line in brackets.
_CLOSING_LINES, _IMPRINT_CHARS, _CREDIT_CHARS, _CLOSING_SHARE, _RIGHTS_SHARE = 8, 300, 60, 0.4, 0.7
_RIGHTS_CHARS = 1000
_CREDIT_TAGS = frozenset({"p", "div"})
#: The longest note about an author, the characters in which a name is looked for, and the most
#: before it ('About the author: ').
_AUTHOR_NOTE_CHARS, _NOTE_BEGINNING, _BEFORE_NAME = 600, 120, 20
_CONTACT = r"(?:[\w.+-]{1,60}@[\w.-]{1,60}|@\w{2,30})"
_CONTACTS = re.compile(
    rf"(?:[^\W\d_][^\s:@]{{1,15}}:\s?)?{_CONTACT}(?:[\s,|]{{1,3}}{_CONTACT}){{0,3}}\.?"
)
#: A question to readers, with an address for their answers: 'Were you there? Write to a@b.org'.
_CALL_TO_READERS = re.compile(r"[?？][^?？]{1,80}[\w.+-]@[\w-]+\.[\w.-]+\W*$")
#: The initials of a reporter or an editor: 'abc/', 'sda/ab'.
_INITIALS = re.compile(r"[a-z]{2,4}(?:[/-][a-z]{2,4}){0,3}/?")
_IN_BRACKETS = re.compile(r"[(\[（【](?=.*[^\W\d_])[^()\[\]（）【】]{1,38}[)\]）】]")
#: What may stand in a figure instead of a picture.
_MEDIA_TAGS = ("audio", "canvas", "embed", "iframe", "math", "object", "svg", "video")
#: The longest label together with the text it announces, in characters.
_LABEL_CHARS = 200
#: The most words around the name in a byline, the most additional ones with a date, and the most
#: characters of a byline.
_BYLINE_WORDS, _DATE_WORDS, _BYLINE_CHARS = 4, 4, 160
_CAPTION_CLASS = re.compile("caption", re.IGNORECASE)
_BYLINE_CLASS = re.compile(r"(?:^|[\s_-])(?:byline|dateline|timestamp|pub-?date)(?:$|[\s_-])")
#: The most lines above the text to examine, and the most words of one that is not a paragraph.
_OPENING_LINES, _OPENING_WORDS = 12, 12
#: The longest notice, in characters.
_NOTICE_CHARS = 300
_RADIO_BUTTONS = ".//input[@type='radio']"
_TITLE_TAGS = frozenset({"h1", "h2"})
#: The longest label of a link to another page, in characters; the elements that may contain it; the
#: fewest words of the linked title, and its fewest and most characters.
_POINTER_CHARS = 30
_POINTER_LABEL = re.compile(r"[^:：|]{1,60}?[:：]\s?|[^\d:：|]{3,30}?\|\s?")
#: The arrows before a pointer; a guillemet that another one follows opens a quotation.
_ARROWS = re.compile(r"([>»›►▶→➤👉])\1{0,2}(?!.*(?:\1|[«‹]))", re.DOTALL)
_POINTER_TAGS = frozenset({"p", "div", "section", "blockquote", "h3", "h4", "h5", "h6"})
_POINTER_WORDS, _POINTER_TITLE, _CLOSING_SIGNS = 4, (8, 160), 3
#: The longest label that announces something, and other stories, in characters; the elements in
#: which short text with a colon is not a label.
_ANNOUNCEMENT_CHARS, _STORIES_CHARS = 30, 80
_TERM_TAGS = frozenset({"td", "th", "dt", "pre", "code"})
#: The fewest words or characters of a link that is a teaser; a shorter link may be a paragraph of
#: one word.
_TEASER_WORDS, _TEASER_CHARS = 5, 25
#: The most words of a line that is not a paragraph, and the characters that are enough to know.
_SHORT_WORDS, _MAX_COUNTED_CHARS = 15, 600


def complete_elements(page: Page, keep: Sequence[bool], kind: str) -> tuple[bool, ...]:
    """Return the selection with its elements completed and its leftovers dropped."""
    selection = _Selection(page, keep)
    selection.complete(kind)
    if kind in ("article", "documentation"):
        selection.drop_contents()
    selection.drop_boxes(kind)
    if kind == "article":
        selection.drop_comments()
    selection.drop_opening_lines(kind)
    if kind == "article":
        selection.drop_other_stories()
        selection.drop_notices()
        selection.drop_requests()
        selection.drop_pointers()
        selection.drop_teasers()
        selection.drop_newswires()
        selection.drop_above_title()
        selection.drop_hidden()
        selection.drop_closing_lines()
        selection.drop_announcements()
        selection.drop_empty_sections(keep)
    selection.settle_captions()
    selection.drop_labels(kind)
    drop_remains(page, selection.keep, kind)
    return add_fragments(page.segments, selection.keep)


class _Selection:
    """The selected segments of a page, while being corrected."""

    def __init__(self, page: Page, keep: Sequence[bool]) -> None:
        self.page, self.index, self.segments = page, page.index, page.segments
        self.keep = list(keep)
        self.sizes = [len(segment.text) for segment in page.segments]
        self.counts = Counter(segment.text for segment in page.segments)
        self.hosts = frozenset(
            {host_of(page.base), host_of(page.metadata.canonical) or host_of(page.base)}
        )

    def total(self) -> int:
        """Return the number of selected characters."""
        return sum(compress(self.sizes, self.keep))

    def size(self, segments: Iterable[int]) -> int:
        """Return the number of selected characters in some segments."""
        return sum(self.sizes[i] for i in segments if self.keep[i])

    def drop(self, segments: Iterable[int]) -> None:
        """Remove segments from the selection."""
        for i in segments:
            self.keep[i] = False

    def complete(self, kind: str) -> None:
        """Select the rest of mostly selected elements; drop stray list items."""
        completed = _COMPLETION_SHARES_IN_ARTICLES if kind == "article" else _COMPLETION_SHARES
        stray = _STRAY_ITEMS_IN_COLLECTIONS if kind == "collection" else _STRAY_ITEMS
        index = self.index
        max_table_chars = _LAYOUT_TABLE * self.total()
        selected_texts = {segment.text for segment in self.segments if self.keep[segment.index]}
        is_reference = kind == "documentation"
        spans = zip(index.tags, index.segment_begins, index.segment_ends, strict=True)
        for i, (tag, begin, end) in enumerate(spans):
            if tag not in completed or end - begin < 2:
                continue
            lines = self.segments[begin:end]
            total = sum(self.sizes[begin:end])
            if tag == "table" and total > max_table_chars:
                continue
            share = self.size(range(begin, end)) / total
            if tag == "dl" and share:
                terms = [line.index for line in lines if line.block.tag == "dt"]
                share = max(share, self.size(terms) / max(1, sum(self.sizes[i] for i in terms)))
            elif share >= _MOSTLY_COPIES and tag in {"ul", "ol"}:
                # A line that is also in another list was left out as a copy; cards of products
                # have more parts, which are repeated for other reasons.
                copies = sum(
                    len(line.text)
                    for line in lines
                    if line.text in selected_texts and (is_reference or line.block.tag == "li")
                )
                share = max(share, copies / total)
            linked = sum(line.link_chars for line in lines) / total
            is_links = kind == "article" and tag in {"ul", "ol"} and linked >= _LIST_OF_LINKS
            if share >= (_MOST_LINKS if is_links else completed[tag]):
                for line in lines:
                    self.keep[line.index] |= tag == "table" or not self._is_button(line)
            elif tag in {"ul", "ol"} and share > 0:
                is_stray = share < stray and (kind != "article" or linked >= _STRAY_LINKS)
                has_choices = index.elements[i].find(_RADIO_BUTTONS) is not None
                if is_stray or is_links or (has_choices and total <= _POINTER_CHARS * len(lines)):
                    self.drop(range(begin, end))

    def drop_contents(self) -> None:
        """Drop the page's own table of contents: links to headings below it."""
        headings_below: set[str] = set()
        headings = [
            (segment.index, fold_words(segment.text))
            for segment in self.segments
            if self.keep[segment.index] and segment.block.tag in HEADING_TAGS
        ]
        for lines in sorted(self._contents_candidates(), key=lambda lines: -lines.stop):
            while headings and headings[-1][0] >= lines.stop:
                headings_below.add(headings.pop()[1])
            if len(lines) < _MIN_ENTRIES or not headings_below:
                continue
            matching = sum(
                _is_contents_entry(line) and fold_words(line.text) in headings_below
                for line in self.segments[lines.start : lines.stop]
            )
            if matching >= _CONTENTS_SHARE * len(lines):
                self.drop(lines)

    def _contents_candidates(self) -> Iterator[range]:
        """Yield the lists, and the lines outside lists that are links to places in the page."""
        for i, tag in enumerate(self.index.tags):
            if tag in {"ul", "ol"}:
                yield self.index.segment_range(i)
        for are_entries, lines in groupby(self.segments, _is_contents_entry):
            if are_entries:
                first, *following = lines
                yield range(first.index, first.index + 1 + len(following))

    def _is_button(self, segment: Segment) -> bool:
        """Return whether a short line in a list recurs, like 'Learn more' or the sizes 'A A A'."""
        chars = len(segment.text)
        is_button = chars == 1 or (chars <= _BUTTON_CHARS and segment.block.tag in _BUTTON_TAGS)
        return is_button and self.counts[segment.text] > 2

    def drop_opening_lines(self, kind: str) -> None:
        """Drop lines above the text that only name the author or the date, as the title block does.

        The author may also stand below the first paragraph, as it may be a standfirst.
        """
        metadata = self.page.metadata
        names = [name.strip().lower() for name in metadata.byline.split(",") if name.strip()]
        byline_words = count_words(metadata.byline) + _BYLINE_WORDS
        title = fold_words(metadata.title)
        lines = 0
        late_bylines: list[int] | None = None  # the bylines below the first paragraph
        summary_list: HtmlElement | None = None  # a list that serves as the first paragraph
        for i, segment in enumerate(self.segments):
            if not self.keep[i] or _CAPTION_CLASS.search(segment.block.get("class") or ""):
                continue
            text = segment.text
            max_words = byline_words + (_DATE_WORDS if YEAR.search(text) else 0)
            words = count_words(text[: 2 * _BYLINE_CHARS])
            if words > max(max_words, _OPENING_WORDS) + 1 or len(text) > _BYLINE_CHARS:
                parent = segment.block.getparent() if segment.block.tag == "li" else None
                if late_bylines is not None and (parent is None or parent is not summary_list):
                    self.drop(late_bylines)
                    return
                summary_list = parent
                late_bylines = None if segment.block.tag in _TITLE_TAGS else []
                continue
            lines += 1
            if lines > _OPENING_LINES:
                return
            if late_bylines is not None:
                is_stated = self._is_byline(text) or self._is_date(text)
                late_bylines += [i] if kind == "article" and is_stated else []
            elif words <= max_words and any(name in _URL.sub("", text.lower()) for name in names):
                self.keep[i] = False
            elif kind == "article" and title not in fold_words(text):
                is_named = _BYLINE_CLASS.search((segment.block.get("class") or "")[:300].lower())
                self.keep[i] = not (is_named or self._is_date(text) or self._is_byline(text))

    def _is_date(self, text: str) -> bool:
        """Return whether a line only says when something was published, as the title block does."""
        metadata = self.page.metadata
        return bool(metadata.published) and is_date_line(text, metadata.language)

    def _is_byline(self, text: str) -> bool:
        """Return whether a line names only the authors, or begins as a byline does."""
        metadata = self.page.metadata
        if BYLINE.match(text) and find_byline(text):
            return True
        return bool(metadata.byline) and join_names([text], metadata.language) == metadata.byline

    def drop_boxes(self, kind: str) -> None:
        """Drop tooltips and notices by their names, and small boxes that promote something."""
        pattern = _BOX_CLASSES.get(kind, _NOTICE_CLASS)
        index = self.index
        max_box_chars = _BOX_SHARE * self.total()
        names = filter(None, set(index.classes))
        promoting = {classes for classes in names if pattern.search(classes.lower())}
        for i, (tag, classes) in enumerate(zip(index.tags, index.classes, strict=True)):
            is_field = kind == "article" and tag == "input" and classes not in promoting
            if not (is_field or classes in promoting):
                continue
            box = self._find_form_box(i) if is_field else i
            lines = index.segment_range(box)
            is_small = box >= 0 and 0 < self.size(lines) <= max_box_chars
            if is_small and index.segment_blocks[lines.start] >= box:  # not part of a paragraph
                self.drop(lines)

    def _find_form_box(self, field: int) -> int:
        """Return the outermost small box around an e-mail field or a poll's choice, or -1."""
        index, box, outer = self.index, -1, field
        input_type = index.elements[field].get("type")
        if input_type not in ("email", "radio"):
            return -1
        while outer >= 0 and len(index.segment_range(outer)) <= _BOX_SEGMENTS:
            box, outer = outer, index.parents[outer]
        lines = index.segment_range(box)
        last_characters = [self.segments[i].text[-1] for i in lines if self.keep[i]]
        return box if input_type == "email" or last_characters in (["?"], ["？"]) else -1

    def drop_comments(self) -> None:
        """Drop readers' comments, unless the page is about little else."""
        index = self.index
        comments: set[int] = set()
        total = self.total()
        max_chars = total - min(_BESIDE_COMMENTS * total, _BESIDE_COMMENTS_CHARS)
        covered_end = 0
        elements = zip(index.tags, index.classes, index.ids, strict=True)
        for i, (tag, classes, element_id) in enumerate(elements):
            if tag not in _COMMENT_TAGS or not (classes or element_id):
                continue
            start, stop = index.segment_begins[i], index.segment_ends[i]
            if stop <= covered_end:
                continue
            names = f"{classes or ''} {element_id or ''}"[:300].lower()
            if "comment" not in names or not _COMMENT_CLASS.search(names):
                continue
            if 0 < self.size(range(start, stop)) <= max_chars:
                comments.update(range(start, stop))
                covered_end = stop
        if self.size(comments) <= max_chars:
            self.drop(comments)

    def drop_other_stories(self) -> None:
        """Drop lists of other stories with their labels ('Read also', 'Most read')."""
        total = self.total()
        labels = page_labels("story_labels")
        for i, segment in enumerate(self.segments):
            if not self.keep[i] or len(segment.text) > _LABEL_CHARS:
                continue
            label, colon, title = segment.text.replace("：", ":").partition(":")
            if fold_words(segment.text.rstrip("0123456789() ")) in labels:
                stories = self._find_stories_below(i, _STORIES_SHARE * total)
                if stories is not None:
                    self.drop(stories)
            elif colon and fold_words(label) in labels:
                self.keep[i] = segment.link_chars < _STORIES_LINKS * len(title)

    def _find_stories_below(self, i: int, max_chars: float) -> range | None:
        """Return a label and the links below it, or None if it has no links.

        A label below which nothing is selected is returned alone.
        """
        end = i + 1
        while end < len(self.keep) and (not self.keep[end] or _is_link(self.segments[end])):
            end += 1
        is_all = end == len(self.keep) or self.segments[end].block.tag in HEADING_TAGS
        is_all |= end > i + 1 and not self.keep[i + 1] and self._is_story(self.segments[i + 1])
        stories = range(i, end)
        chars = self.size(stories)
        return stories if (is_all or chars > self.sizes[i]) and chars <= max_chars else None

    def _is_story(self, segment: Segment) -> bool:
        """Return whether a line is a link to another page of the site."""
        link = _enclosing_link(segment.leaves[0].element) if _is_link(segment) else None
        href = "#" if link is None else link.get("href") or "#"
        return href[0] != "#" and host_of(resolve(self.page.base, href)) in self.hosts

    def drop_notices(self) -> None:
        """Drop short lines about newsletters, apps, consent, paywalls, and calls to write in."""
        for i, segment in enumerate(self.segments):
            if self.keep[i] and len(segment.text) <= _NOTICE_CHARS:
                is_call = self.page.metadata.published and _CALL_TO_READERS.search(segment.text)
                self.keep[i] = not (is_call or has_phrase(segment.text, "notices"))

    def drop_requests(self) -> None:
        """Drop requests to follow or recommend the author after the text's first third."""
        selected = [i for i, flag in enumerate(self.keep) if flag]
        later = selected[len(selected) // 3 :]
        self.drop(i for i in later if _is_request(self.segments[i]))

    def drop_empty_sections(self, before: Sequence[bool]) -> None:
        """Drop headings whose whole section was selected before and has been dropped."""
        for i in range(len(self.keep) - 1, -1, -1):
            tag = self.segments[i].block.tag
            if not self.keep[i] or tag not in HEADING_TAGS:
                continue
            next_lines = self.segments[i + 1 : i + 3]
            if not any(self.keep[i + 1 : i + 3]) and all(map(_is_contents_entry, next_lines)):
                self.keep[i] = not next_lines  # a table of contents
                continue
            blocks_below = self.index.segment_blocks[i + 1 : i + 2]
            had_text = any(self.index.flags[block] & IS_HIDDEN for block in blocks_below)
            for j in range(i + 1, len(self.keep)):
                tag_below = self.segments[j].block.tag
                ends_section = tag_below in HEADING_TAGS and tag_below <= tag
                if self.keep[j] or (before[j] and ends_section):
                    had_text = had_text and (ends_section or not self.keep[j])
                    break
                had_text = had_text or before[j]
            self.keep[i] = not had_text

    def drop_pointers(self) -> None:
        """Drop paragraphs that are a label and a link to another page ('Read also: ...')."""
        for i, segment in enumerate(self.segments):
            if self.keep[i] and self._is_pointer(segment):
                self.keep[i] = False

    def _is_pointer(self, segment: Segment) -> bool:
        text = segment.text
        unlinked = len(text) - segment.link_chars
        has_arrow = _ARROWS.match(text[: _NOTICE_CHARS + 1]) is not None
        label = _label_end(segment, unlinked) if unlinked <= _POINTER_CHARS else 0
        if not unlinked or not (has_arrow or label) or segment.block.tag not in _POINTER_TAGS:
            return False
        links = list(islice(segment.block.iter("a"), 2))
        href = (links[0].get("href") or "") if links else "#"
        if href.startswith("#") or host_of(resolve(self.page.base, href)) not in self.hosts:
            return False
        if has_arrow:
            return len(text) <= _NOTICE_CHARS
        # Closing signs may follow the link, but no words.
        if not label - 1 <= unlinked <= label + _CLOSING_SIGNS or not label or len(links) != 1:
            return False
        title = text[label:].strip(" ]).")
        # Fewer words may be the value of a field: 'Genre: Romance'.
        is_title = _POINTER_TITLE[0] <= len(title) <= _POINTER_TITLE[1]
        return is_title and count_words(title) >= _POINTER_WORDS

    def drop_teasers(self) -> None:
        """Drop paragraphs, and items with a heading, that are only a link to a page of the site.

        They are kept if they are most of the selected text, as the page is then a list of links.
        More than a few cards are what the text is about.
        """
        total = self.total()
        teasers: set[int] = set()
        items: list[list[int]] = []
        cards: list[list[int]] = []
        for i, segment in enumerate(self.segments):
            href = _teaser_href(segment) if self.keep[i] else ""
            if href and host_of(resolve(self.page.base, href)) in self.hosts:
                teasers.add(i)
            elif segment.block.tag in HEADING_TAGS and self._is_story(segment):
                item = _find_item(segment)
                if item is not None and (lines_of_item := self._lines_of_item(i, item)):
                    (items if item.tag == "li" else cards).append(lines_of_item)
        stories = {*chain(*items, *(cards if len(cards) <= _MAX_CARDS else ()))}
        for lines, max_share in ((teasers, _LAYOUT_TABLE), (stories, _STORIES_SHARE)):
            if self.size(lines) <= max_share * total:
                self.drop(lines)

    def _lines_of_item(self, position: int, item: HtmlElement) -> list[int]:
        """Return the lines of an item that are its heading and at most two more."""
        nearby = range(
            max(0, position - _BOX_SEGMENTS), min(position + _BOX_SEGMENTS, len(self.keep))
        )
        blocks = ((i, self.segments[i].block) for i in nearby if self.keep[i] or i == position)
        lines = [i for i, block in blocks if item in block.iterancestors()]
        ends = lines[-2:] if item.tag == "li" else lines[-2:-1]
        return lines if len(lines) <= 3 and position in ends else []

    def drop_newswires(self) -> None:
        """Drop definition lists whose terms are links to other pages, beside enough other text."""
        index = self.index
        newswires: set[int] = set()
        for position, tag in enumerate(index.tags if "dl" in index.tags else ()):
            if tag != "dl":
                continue
            segment_range = index.segment_range(position)
            terms = [self.segments[i] for i in segment_range if self.segments[i].block.tag == "dt"]
            linked = sum(term.link_chars for term in terms)
            if len(terms) >= _MAX_STORIES and linked > _STORIES_TERMS * sum(
                len(t.text) for t in terms
            ):
                newswires.update(segment_range)
        if newswires and self.total() - self.size(newswires) >= _BESIDE_NEWSWIRES:
            self.drop(newswires)

    def drop_above_title(self) -> None:
        """Drop everything above the last occurrence of the title before the first paragraph."""
        title = fold_words(self.page.metadata.title)
        lines_above: list[int] = []
        dropped: list[int] = []
        for i, segment in enumerate(self.segments):
            if not lines_above and not self.keep[i]:
                continue
            if title and fold_words(segment.text) == title:
                dropped += lines_above
                lines_above = []
            elif self.keep[i]:
                words = count_words(segment.text[:_MAX_COUNTED_CHARS])
                if words > _SHORT_WORDS and not _is_link(segment):
                    break
                lines_above.append(i)
        self.drop(dropped)

    def drop_hidden(self) -> None:
        """Drop blocks that are not displayed and that no reader can unfold, if they are few."""
        index = self.index
        hidden: set[int] = set()
        controls: frozenset[str] | None = None
        visible: set[int] | None = None
        subtree_end = 0
        for i, flags in enumerate(index.flags):
            if i < subtree_end or not flags & IS_HIDDEN or not is_not_displayed(index.elements[i]):
                continue
            subtree_end = index.subtree_ends[i]
            segment_range = index.segment_range(i)
            if self.size(segment_range):
                controls = read_controls(index.elements) if controls is None else controls
                if not is_folded(index.elements[i], controls):
                    # A hidden part of a line does not hide the line.
                    visible = index.visible_segments() if visible is None else visible
                    hidden.update(set(segment_range) - visible)
        total = self.total()
        hidden_chars = self.size(hidden)
        is_beside_text = total - hidden_chars >= _VISIBLE_CHARS
        if hidden_chars <= (_MOSTLY_HIDDEN if is_beside_text else _HIDDEN_SHARE) * total:
            self.drop(hidden)

    def drop_closing_lines(self) -> None:
        """Drop the site's own lines at the end: rights, credits, brackets, links to other pages."""
        last_lines = [i for i, flag in enumerate(self.keep) if flag][-_CLOSING_LINES:]
        texts = ((i, self.segments[i].text) for i in last_lines)
        short = ((i, text) for i, text in texts if len(text) <= _RIGHTS_CHARS)
        rights_lines = (i for i, text in short if has_phrase(text, "rights"))
        rights = next(rights_lines, len(self.keep))
        closing = {i for i in last_lines if i >= rights}
        for i in reversed(last_lines):
            if i < rights and not self._is_closing(i):
                break
            closing.add(i)
        max_share = _CLOSING_SHARE if rights == len(self.keep) else _RIGHTS_SHARE
        if self.size(closing) <= max_share * self.total():
            self.drop(closing)

    def _is_closing(self, i: int) -> bool:
        """Return whether a last line is about the author, links, a credit or in brackets."""
        segment = self.segments[i]
        text = segment.text
        if self._is_author_note(text):
            return True
        if len(text) > _IMPRINT_CHARS or segment.block.tag == "li":
            return False
        if "©" in text or _is_link_row(segment) or _CONTACTS.fullmatch(text):
            return True
        if len(text) <= _BYLINE_CHARS and self._is_byline(text):
            return True
        label, colon, _ = text.strip("([（【 ").replace("：", ":").partition(":")
        if colon and fold_words(label) in page_labels("subjects"):
            return True
        if len(text) > _CREDIT_CHARS or segment.block.tag not in _CREDIT_TAGS:
            return False
        return bool(
            (_is_link(segment) and not _is_internal_link(segment))
            or (colon and fold_words(label) in page_labels("credits"))
            or _IN_BRACKETS.fullmatch(text)
            or _INITIALS.fullmatch(text)
        )

    def _is_author_note(self, text: str) -> bool:
        """Return whether a paragraph begins with the full name of an author, as their notes do."""
        names = (name for name in self.page.metadata.byline.split(", ") if " " in name)
        beginning = text[:_NOTE_BEGINNING]
        return len(text) <= _AUTHOR_NOTE_CHARS and any(
            name in beginning[: len(name) + _BEFORE_NAME] and len(text) > len(name) + _BEFORE_NAME
            for name in names
        )

    def drop_announcements(self) -> None:
        """Drop labels ('Read on:') whose announced text was dropped, long ones only of links."""
        for i in range(len(self.keep) - 2, -1, -1):
            segment, following = self.segments[i], self.segments[i + 1]
            if not self.keep[i] or self.keep[i + 1] or segment.block.tag in _TERM_TAGS:
                continue
            is_story = segment.block.tag not in HEADING_TAGS and self._is_story(following)
            if len(segment.text) <= (_STORIES_CHARS if is_story else _ANNOUNCEMENT_CHARS):
                self.keep[i] = not segment.text.endswith((":", "："))
            self.keep[i] &= not self._is_heading_of_stories(i)

    def _is_heading_of_stories(self, position: int) -> bool:
        """Return whether a heading or bold line has nothing below it but stories left out."""
        segment, tag = self.segments[position], self.segments[position].block.tag
        next_selected = next(
            (i for i in range(position + 1, len(self.keep)) if self.keep[i]), len(self.keep)
        )
        stories = self.segments[position + 1 : min(next_selected, position + 1 + _MAX_STORIES)]
        if (
            len(stories) < 2
            or len(segment.text) > _STORIES_CHARS
            or next_selected == len(self.keep)
        ):
            return False
        tag_below = self.segments[next_selected].block.tag
        ends_section = tag_below in HEADING_TAGS and (tag not in HEADING_TAGS or tag_below <= tag)
        bold = (part.text_content() for part in segment.block.iter("b", "strong"))
        is_head = tag in HEADING_TAGS or segment.text in map(" ".join, map(str.split, bold))
        return ends_section and is_head and all(map(self._is_story, stories))

    def settle_captions(self) -> None:
        """Select the captions of selected tables and code; drop those of pictures.

        The captions of pictures stand below them if these are printed.
        """
        index = self.index
        for i, tag in enumerate(index.tags):
            figure = index.parents[i]
            if tag != "figcaption" or figure < 0 or index.tags[figure] != "figure":
                continue
            segment_range = index.segment_range(i)
            content = set(index.segment_range(figure)).difference(segment_range)
            if content:
                is_selected = 2 * self.size(content) > sum(self.sizes[n] for n in content)
                for n in segment_range:
                    self.keep[n] |= is_selected
                continue
            medium = next(index.elements[figure].iter(*_MEDIA_TAGS), None)
            if medium is None and self.size(segment_range) <= _IMPRINT_CHARS:
                self.drop(segment_range)

    def drop_labels(self, kind: str) -> None:
        """Drop labels of advertisements, lines of actions and repeated buttons, but no counts."""
        for i, segment in enumerate(self.segments):
            if self.keep[i] and len(segment.text) <= _LABEL_CHARS and _is_furniture_label(segment):
                self.keep[i] = kind != "article" and bool(_GROUPED_NUMBER.fullmatch(segment.text))
            elif segment.block.tag == "button" and kind in ("article", "documentation"):
                self.keep[i] &= self.counts[segment.text] == 1


def _is_link(segment: Segment) -> bool:
    return segment.link_chars >= 0.9 * len(segment.text)


def _is_link_row(segment: Segment) -> bool:
    """Return whether a line is a row of links with only separators between them."""
    links = {leaf.element for leaf in segment.leaves if leaf.element.tag == "a"}
    unlinked = len(segment.text) - segment.link_chars
    separators = sum(not sign.isalnum() for sign in segment.text)
    return len(links) > 1 and segment.block.tag != "li" and unlinked <= separators


def _label_end(segment: Segment, unlinked: int) -> int:
    """Return the length of the label before a link to another story, 0 for none."""
    if label := _POINTER_LABEL.match(segment.text):
        return label.end()
    unlinked_text = segment.text[:unlinked]
    return unlinked if fold_words(unlinked_text) in page_labels("pointers") else 0


def _is_internal_link(segment: Segment) -> bool:
    link = _enclosing_link(segment.leaves[0].element)
    return link is not None and (link.get("href") or "").startswith("#")


def _is_contents_entry(segment: Segment) -> bool:
    """Return whether a line may be an entry of a table of contents: a link within the page."""
    is_heading = segment.block.tag in HEADING_TAGS
    return not is_heading and _is_link(segment) and _is_internal_link(segment)


def _is_request(segment: Segment) -> bool:
    """Return whether a short line asks to follow or recommend its author."""
    text = segment.text
    if len(text) > _NOTICE_CHARS or segment.block.tag == "li":
        return False
    follows = has_phrase(text, "networks") and has_phrase(text, "follow_requests")
    return follows or has_phrase(text, "requests")


def _is_furniture_label(segment: Segment) -> bool:
    """Return whether a short line labels an advertisement, names actions, or is a placeholder."""
    is_code = any(leaf.element.tag in _TERM_TAGS for leaf in segment.leaves)
    is_pr = segment.text.strip() == "PR" and segment.block.tag == "div"  # on Japanese sites
    is_unfilled = not is_code and is_placeholder(segment.text)
    if is_pr or is_unfilled or is_advertisement_label(segment.text):
        return True
    if segment.link_chars <= len(segment.text) / 2 or segment.block.tag in _TERM_TAGS:
        return False
    words = _WORDS.findall(segment.text.lower())
    actions = load_table("page_furniture")["action_words"]
    is_action = len(words) > 0 and all(word in actions or word.isdecimal() for word in words)
    return is_action and not any(category(sign) == "Sc" for sign in segment.text)  # a price


def _teaser_href(segment: Segment) -> str:
    """Return the target of a paragraph that is a single link of several words, else ''."""
    text = segment.text
    unlinked = len(text) - segment.link_chars
    if unlinked > len(segment.leaves) or segment.block.tag not in {"p", "div"}:
        return ""
    if len(text) < _TEASER_CHARS and count_words(text) < _TEASER_WORDS:
        return ""
    if unlinked and unlinked > sum(not character.isalnum() for character in text):
        return ""
    # A bracket or a dash before the link is no part of a sentence.
    is_marked = not text[0].isalnum()
    leaves = (leaf for leaf in segment.leaves if leaf.text.strip())
    worded = (leaf for leaf in leaves if not is_marked or any(map(str.isalnum, leaf.text)))
    links = {_enclosing_link(leaf.parent) for leaf in worded}
    link = links.pop() if links else None
    href = (link.get("href") or "") if link is not None and not links else ""
    return "" if href.startswith("#") else href


def _find_item(heading: Segment) -> HtmlElement | None:
    """Return the item of a list, or the card, around a linked heading and a picture."""
    link = _enclosing_link(heading.leaves[0].element)
    ancestors = islice(heading.block.iterancestors(), _CARD_LEVELS)
    return next((outer for outer in ancestors if _is_card(outer, link)), None)


def _is_card(element: HtmlElement, link: HtmlElement | None) -> bool:
    """Return whether an element is an item of a list with a picture, or has one with a link."""
    if element.tag == "li":
        return element.find(".//img") is not None
    links = () if link is None else islice(element.iter("a"), _CARD_LINKS)
    pictures = (other for other in links if other.find(".//img") is not None)
    return any(picture.get("href") == link.get("href") for picture in pictures if link is not None)


def _enclosing_link(element: HtmlElement | None) -> HtmlElement | None:
    while element is not None and element.tag != "a":
        element = element.getparent()
    return element
