"""Remove boilerplate lines from the selection: bylines, credits, notices, related links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from itertools import chain, islice

from lxml.html import HtmlElement

from ..html.index import Segment, enclosing_link
from ..html.metadata.bylines import BYLINE, find_byline, is_byline, is_credit, join_names
from ..html.metadata.dates import is_date_line
from ..html.visibility import HEADING_TAGS
from ..i18n import fold_words, has_phrase, is_source_line, names_other_stories, page_labels
from ..text import COLONS, SENTENCE_ENDS, YEAR, class_pattern, count_words, split_label
from ..urls import host_of, resolve
from .selected_text import (
    TERM_TAGS,
    SelectedText,
    first_link,
    is_bold,
    is_drawn_as_button,
    is_internal_link,
    link_target,
)

_MAX_NOTICE_CHARS = 300
_URL = re.compile(r"https?://\S+")
_MAX_WORDS_BESIDE_NAMES = 4
_MAX_WORDS_OF_DATE = 4
_MAX_BYLINE_CHARS = 160
_BYLINE_CLASS = class_pattern("byline|authorshort|dateline|timestamp|pub-?date|post-?meta")
#: A separator of the names of sections before a title.
_BREADCRUMB = re.compile(r"\w{2}\s[>»›→/]\s")
_MAX_OPENING_LINES = 12
#: Lines of more words are paragraphs, unless they are a byline.
_MAX_OPENING_WORDS = 12


def drop_opening_lines(selected: SelectedText) -> None:
    """Drop bylines and dates above the text or below its first paragraph."""
    metadata, kind = selected.page.metadata, selected.kind
    names = [name.strip().lower() for name in metadata.byline.split(",") if name.strip()]
    byline_words = count_words(metadata.byline) + _MAX_WORDS_BESIDE_NAMES
    title = fold_words(metadata.title)
    lines = 0
    late_bylines: list[int] | None = None  # the bylines below the first paragraph
    summary_list: HtmlElement | None = None  # a list that serves as the first paragraph
    entries = _entry_classes(selected)
    for i, segment in enumerate(selected.segments):
        classes = (segment.block.get("class") or "").lower() if selected.keep[i] else ""
        if not selected.keep[i] or "caption" in classes:
            continue
        text = segment.text
        if title and _BREADCRUMB.search(text) and fold_words(text).endswith(title):
            selected.keep[i] = False
            continue
        max_words = byline_words + (_MAX_WORDS_OF_DATE if YEAR.search(text) else 0)
        words = count_words(text[: 2 * _MAX_BYLINE_CHARS])
        is_long = words > max(max_words, _MAX_OPENING_WORDS) + 1
        if len(text) > _MAX_BYLINE_CHARS or (is_long and not is_byline(text, metadata.language)):
            parent = segment.block.getparent() if segment.block.tag == "li" else None
            if late_bylines is not None and (parent is None or parent is not summary_list):
                selected.drop(late_bylines)
                return
            summary_list = parent
            late_bylines = None if segment.block.tag in ("h1", "h2") else []
            continue
        if classes in entries:
            continue
        lines += 1
        if lines > _MAX_OPENING_LINES:
            return
        is_byline_or_date = (
            _BYLINE_CLASS.search(classes[:300])
            or _is_byline(selected, text)
            or any(_is_date(selected, part) for part in text.split(" | "))
            or (words <= _MAX_WORDS_OF_DATE and YEAR.search(text) and _is_beside_date(selected, i))
        )
        if late_bylines is not None:
            late_bylines += [i] if kind == "article" and is_byline_or_date else []
        elif words <= max_words and any(name in _URL.sub("", text.lower()) for name in names):
            selected.keep[i] = False
        elif kind == "article" and title not in fold_words(text):
            selected.keep[i] = not is_byline_or_date


_MIN_ENTRIES = 3


def _entry_classes(selected: SelectedText) -> set[str]:
    """Return the classes of the dated lines, linked or short, that are the entries of a list."""
    dated = (
        (line.block.get("class") or "").lower()
        for line in selected.lines()
        if (line.link_chars or len(line.text) <= _MAX_BYLINE_CHARS)
        and YEAR.search(line.text[:_MAX_COUNTED_CHARS])
    )
    return {name for name, count in Counter(dated).items() if name and count >= _MIN_ENTRIES}


_MAX_LINE_WORDS = 15
#: More characters need not be read to count as many words.
_MAX_COUNTED_CHARS = 600


#: The least share of the selected text below the title of the article.
_MIN_SHARE_BELOW_TITLE = 0.5
_MAX_CHARS_BESIDE_TITLE = 20


def drop_above_title(selected: SelectedText) -> None:
    """Drop all above the title: short lines, or what is outside the element with all of the text.

    Only what is above most of the text is the title: its last occurrence above the first paragraph,
    or else its first occurrence.
    """
    index, segments = selected.index, selected.segments
    title = fold_words(selected.page.metadata.title)
    max_chars = len(selected.page.metadata.title) + _MAX_CHARS_BESIDE_TITLE
    min_below = _MIN_SHARE_BELOW_TITLE * selected.total()
    titles = [
        i
        for i, segment in enumerate(segments)
        if title
        and len(segment.text) <= max_chars
        and fold_words(segment.text) == title
        and selected.size(range(i, len(segments))) >= min_below
    ]
    lines = selected.positions()
    first = next((i for i in lines if _is_paragraph(segments[i])), len(segments))
    above_text = [i for i in titles if i < first]
    if above_text:
        selected.drop(range(above_text[-1]))
    elif titles:
        box = index.segment_blocks[titles[0]]
        while index.segment_ends[box] <= lines[-1]:
            box = index.parents[box]
        begin = index.segment_begins[box]
        selected.drop(range(begin if not any(selected.keep[begin : titles[0]]) else 0))


def _is_paragraph(segment: Segment) -> bool:
    words = count_words(segment.text[:_MAX_COUNTED_CHARS])
    return words > _MAX_LINE_WORDS


_MAX_CLOSING_LINES = 8
_MAX_RIGHTS_CHARS = 1000
#: The largest share of the selected text in closing lines.
_MAX_CLOSING_SHARE = 0.4
_MAX_CLOSING_SHARE_WITH_RIGHTS = 0.7


def drop_closing_lines(selected: SelectedText) -> None:
    """Drop the site's own lines at the end: rights, credits, brackets, links to other pages."""
    last_lines = selected.positions()[-_MAX_CLOSING_LINES:]
    # What the line above announces is part of the text, but after '：' often the site's statement.
    announced = {i for i in last_lines if selected.segments[max(0, i - 1)].text.endswith(":")}
    beginnings = (i for i in last_lines if i not in announced and _begins_end(selected, i))
    end = next(beginnings, len(selected.keep))
    closing = {i for i in last_lines if i >= end}
    for i in reversed(last_lines):
        if i < end and (i in announced or not _is_closing(selected, i)):
            break
        closing.add(i)
    has_rights = any(has_phrase(selected.segments[i].text, "rights") for i in closing)
    max_share = _MAX_CLOSING_SHARE_WITH_RIGHTS if has_rights else _MAX_CLOSING_SHARE
    if selected.size(closing) <= max_share * selected.total():
        selected.drop(closing)


_MAX_CLOSING_CHARS = 300
_MAX_CREDIT_CHARS = 60
_CONTACT = r"(?:[\w.+-]{1,60}@[\w.-]{1,60}|@\w{2,30})"
_CONTACTS = re.compile(
    rf"(?:[^\W\d_][^\s:@]{{1,15}}:\s?)?{_CONTACT}(?:[\s,|]{{1,3}}{_CONTACT}){{0,3}}\.?"
)
#: The initials of a reporter or an editor: 'abc/', 'sda/ab'.
_INITIALS = re.compile(r"[a-z]{2,4}(?:[/-][a-z]{2,4}){0,3}/?")
_IN_BRACKETS = re.compile(r"[(\[（【](?=.*[^\W\d_])[^()\[\]（）【】]{1,38}[)\]）】]")


def _is_closing(selected: SelectedText, i: int) -> bool:
    """Return whether a last line is about the author, links, a credit or in brackets."""
    segment = selected.segments[i]
    text = segment.text
    if is_source_line(text) or is_credit(text):
        return False
    if _is_author_note(selected, text):
        return True
    if len(text) > _MAX_CLOSING_CHARS or "li" in (segment.block.tag, segment.block.getparent().tag):
        return False
    if "©" in text or is_link_row(segment) or _CONTACTS.fullmatch(text):
        return True
    if _is_byline(selected, text) or _is_counter(segment):
        return True
    label, colon, _ = split_label(text.strip("([（【 "))
    if fold_words(label) in page_labels("subjects"):
        return True
    if len(text) > _MAX_CREDIT_CHARS or segment.block.tag not in {"p", "div"}:
        return False
    is_link = segment.is_link and not is_internal_link(segment)
    return bool(
        (is_link and not _is_to_front_page(selected, segment))
        or (colon and fold_words(label) in page_labels("credits"))
        or (text.startswith(("...", "…")) and _ends_with_link(segment))
        or _is_pointer(selected, segment)
        or _IN_BRACKETS.fullmatch(text)
        or _INITIALS.fullmatch(text)
    )


def _is_to_front_page(selected: SelectedText, segment: Segment) -> bool:
    """Return whether a line links to the front page of another site, the source's."""
    href = resolve(selected.page.base, link_target(segment))
    is_front_page = href.partition("://")[2].rstrip("/") == host_of(href)
    return is_front_page and bool(href) and not selected.is_on_site(href)


#: What a blog's software writes below an entry: '12 comments'.
_COUNT = re.compile(r"[0-9]+ [^\W\d]{4,20}")


def _is_counter(segment: Segment) -> bool:
    """Return whether a line begins with a link that counts the comments."""
    leaf = segment.leaves[0]
    link = enclosing_link(leaf.parent)
    is_to_comments = link is not None and "comment" in (link.get("href") or "")
    return is_to_comments and _COUNT.fullmatch(leaf.text.strip()) is not None


def _is_pointer(selected: SelectedText, segment: Segment) -> bool:
    """Return whether the last word of a sentence ('here') is its only link, to the site."""
    link = next(segment.block.iter("a"), None)
    if link is None or segment.is_link or not _ends_with_link(segment):
        return False
    word = fold_words("".join(islice(link.itertext(), 2)))
    return word in page_labels("here") and selected.is_on_site(link.get("href") or "#")


def _ends_with_link(segment: Segment) -> bool:
    """Return whether only punctuation follows the link in a line, as in '... on to "Ropes"'."""
    links = [
        leaf.text.strip() for leaf in segment.leaves if enclosing_link(leaf.parent) is not None
    ]
    return bool(links) and segment.text.rstrip(" \"'”“»«›.").endswith(links[-1])


def is_link_row(segment: Segment) -> bool:
    """Return whether a line is a row of links with only separators between them."""
    links = {leaf.element for leaf in segment.leaves if leaf.element.tag == "a"}
    if len(links) < 2 or segment.block.tag == "li":
        return False
    unlinked = len(segment.text) - segment.link_chars
    return unlinked <= sum(not char.isalnum() for char in segment.text)


_MAX_AUTHOR_NOTE_CHARS = 600
#: The characters of a note in which the name is looked for.
_NOTE_BEGINNING_CHARS = 120
#: The most characters before the name, as in 'About the author: '.
_MAX_CHARS_BEFORE_NAME = 20


def _is_author_note(selected: SelectedText, text: str) -> bool:
    """Return whether a paragraph begins with the full name of an author, as their notes do."""
    names = (name for name in selected.page.metadata.byline.split(", ") if " " in name)
    beginning = text[:_NOTE_BEGINNING_CHARS]
    return len(text) <= _MAX_AUTHOR_NOTE_CHARS and any(
        name in beginning[: len(name) + _MAX_CHARS_BEFORE_NAME]
        and len(text) > len(name) + _MAX_CHARS_BEFORE_NAME
        for name in names
    )


def _begins_end(selected: SelectedText, i: int) -> bool:
    """Return whether a line begins what follows the text: rights, a box about an author."""
    text = selected.segments[i].text
    if len(text) > _MAX_RIGHTS_CHARS:
        return False
    label = fold_words(split_label(text)[0]) if len(text) <= _MAX_AUTHOR_NOTE_CHARS else ""
    if has_phrase(text, "rights") or label in page_labels("author_labels"):
        return True
    is_below_name = (
        i > 0 and not selected.keep[i - 1] and _is_byline(selected, selected.segments[i - 1].text)
    )
    return is_below_name and _is_author_note(selected, text)


def _is_byline(selected: SelectedText, text: str) -> bool:
    """Return whether a line names only the authors, or begins as a byline does."""
    metadata = selected.page.metadata
    if BYLINE.match(text) and find_byline(text):
        return True
    return bool(metadata.byline) and join_names([text], metadata.language) == metadata.byline


def _is_date(selected: SelectedText, text: str) -> bool:
    """Return whether a line only says when something was published, as the title block does."""
    metadata = selected.page.metadata
    return bool(metadata.published) and is_date_line(text, metadata.language)


def _is_beside_date(selected: SelectedText, i: int) -> bool:
    """Return whether the next line in the same element is only a date."""
    return any(
        other.block is selected.segments[i].block and _is_date(selected, other.text)
        for other in selected.segments[i + 1 : i + 2]
    )


#: A question to readers, with an address for their answers: 'Were you there? Write to a@b.org'.
_QUESTION_TO_READERS = re.compile(r"[?？؟][^?？؟]{1,80}[\w.+-]@[\w-]+\.[\w.-]+\W*$")


def drop_notices(selected: SelectedText) -> None:
    """Drop short lines about newsletters, apps, consent, paywalls, and calls to write in."""
    is_article = selected.kind == "article"
    is_dated = is_article and selected.page.metadata.published
    for i, segment in enumerate(selected.segments):
        if selected.keep[i] and len(segment.text) <= _MAX_NOTICE_CHARS:
            is_call = is_dated and _QUESTION_TO_READERS.search(segment.text)
            is_appeal = is_article and _is_appeal(selected, segment)
            selected.keep[i] = not (is_call or is_appeal or has_phrase(segment.text, "notices"))
            # The heading of a notice that is a section, which a rule ends.
            heading, line = segment.block.getprevious(), segment.block.getnext()
            is_headed = heading is not None and heading.tag in HEADING_TAGS and i > 0
            if is_headed and not selected.keep[i] and line is not None and line.tag == "hr":
                selected.keep[i - 1] = False


#: A link to newsletters, or to where readers donate.
_APPEAL = re.compile(r"(?<!/)/(?:(newsletters?)|donat(?:e|ions?)|spenden?|unterstuetzen)\b(?!-)")
#: A longer line also tells something else, as about the source of the text.
_MAX_APPEAL_CHARS = 240


def _is_appeal(selected: SelectedText, segment: Segment) -> bool:
    """Return whether a line links to newsletters, or to the site's page for its supporters."""
    is_short = segment.link_chars and len(segment.text) <= _MAX_APPEAL_CHARS
    links = {enclosing_link(leaf.parent) for leaf in segment.leaves if is_short}
    hrefs = [(link.get("href") or "")[:2000] for link in links if link is not None]
    paths = ((href, _APPEAL.search(href.lower())) for href in hrefs)
    return any(path and (path[1] or selected.is_on_site(href)) for href, path in paths)


def drop_calls_to_action(selected: SelectedText) -> None:
    """Drop requests to follow or recommend the author after the text's first third."""
    lines = selected.positions()
    selected.drop(i for i in lines[len(lines) // 3 :] if _is_call_to_action(selected.segments[i]))


def _is_call_to_action(segment: Segment) -> bool:
    """Return whether a short line asks to follow or recommend its author or to buy a magazine."""
    text = segment.text
    if len(text) > _MAX_NOTICE_CHARS or segment.block.tag == "li":
        return False
    follows = has_phrase(text, "networks") and has_phrase(text, "follow_requests")
    follows |= has_phrase(text, "issues") and has_phrase(text, "offers_of_issues")
    return follows or has_phrase(text, "requests")


#: The most characters of a label together with the text that it announces.
_MAX_LABELED_LINE_CHARS = 200
#: The largest share of the selected text in a list of other stories.
_MAX_STORIES_SHARE = 0.3
#: If less of a title is linked, its label stays.
_MIN_LINKED_TITLE = 0.3


def drop_other_stories(selected: SelectedText) -> None:
    """Drop lists of other stories with their labels ('Read also', 'Most read')."""
    total = selected.total()
    labels = page_labels("story_labels")
    for i, segment in enumerate(selected.segments):
        if len(segment.text) > _MAX_LABELED_LINE_CHARS:
            continue
        if not selected.keep[i]:
            if "h1" < segment.block.tag <= "h6" and fold_words(segment.text) in labels:
                selected.drop(_box_below(selected, i, _MAX_STORIES_SHARE * total))
            continue
        if selected.kind not in ("article", "product"):  # entries may have such labels
            continue
        label, colon, title = split_label(segment.text)
        line = fold_words(segment.text.rstrip("0123456789() "))
        is_head = segment.block.tag in HEADING_TAGS or bool(colon and not title)
        is_label = line in labels or (colon and not title and _ends_with_label(line))
        if is_label or (is_head and (names_other_stories(line) or _ends_with_label(line))):
            stories = _find_stories_below(selected, i, total)
            if is_label or _is_list_of_site(selected, stories[1:]):
                selected.drop(stories)
        elif fold_words(label) in labels:
            selected.keep[i] = segment.link_chars < _MIN_LINKED_TITLE * len(title)
    for lines in _labeled_stories(selected) if selected.kind == "article" else ():
        selected.drop(lines if selected.size(lines) <= _MAX_STORIES_SHARE * total else ())
    boxes = [box for i in range(len(selected.keep)) if (box := _find_signed_box(selected, i))]
    # A text by several authors has several.
    if len(boxes) == 1 and selected.size(boxes[0]) <= _MAX_STORIES_SHARE * total:
        selected.drop(boxes[0])


#: The fewest stories below the label in a list.
_MIN_LABELED_STORIES = 2
_MAX_LABEL_WORDS = 5


def _labeled_stories(selected: SelectedText) -> Iterator[range]:
    """Yield the lists of links to other pages whose first item is their label: 'More boats'."""
    index, segments = selected.index, selected.segments
    for i in (i for i, tag in enumerate(index.tags) if tag in ("ul", "ol")):
        lines = index.segment_range(i)
        if len(lines) <= _MIN_LABELED_STORIES or not selected.keep[lines.start]:
            continue
        label, stories = segments[lines.start], segments[lines.start + 1 : lines.stop]
        is_label = not label.link_chars and count_words(label.text) <= _MAX_LABEL_WORDS
        is_label = is_label and not label.text.endswith(SENTENCE_ENDS)
        if is_label and all(map(selected.is_story, stories)):
            yield lines


def _box_below(selected: SelectedText, heading: int, max_chars: float) -> range:
    """Return the outermost element with little selected text that begins with a heading."""
    index, box, lines = selected.index, selected.index.segment_blocks[heading], range(0)
    while box >= 0 and index.segment_begins[box] == heading:
        if selected.size(index.segment_range(box)) > max_chars:
            break
        lines, box = index.segment_range(box), index.parents[box]
    return lines


#: 'If you liked this, you might also like:' ends with a label of more words.
_LABEL_WORDS = range(3, 8)


def _ends_with_label(line: str) -> bool:
    """Return whether a sentence ends with a label of other stories."""
    words = line.split()
    labels = page_labels("story_labels")
    return any(" ".join(words[-n:]) in labels for n in _LABEL_WORDS)


def _find_signed_box(selected: SelectedText, heading: int) -> range:
    """Return the box of a selected heading whose byline names another author, empty for none."""
    index, segments, metadata = selected.index, selected.segments, selected.page.metadata
    if not (selected.keep[heading] and segments[heading].block.tag in HEADING_TAGS):
        return range(0)
    byline = segments[heading + 1].text if heading + 1 < len(segments) else ""
    is_sentence = byline.endswith((*SENTENCE_ENDS, *COLONS))
    is_byline = len(byline) <= _MAX_LABELED_LINE_CHARS and BYLINE.match(byline) and not is_sentence
    authors = metadata.byline.split(", ")
    if not is_byline or not join_names([byline], metadata.language) or not metadata.byline:
        return range(0)
    if any(name.lower() in byline.lower() for name in authors):
        return range(0)
    box = index.segment_blocks[heading]
    while box > 0 and len(index.segment_range(box)) < 2:
        box = index.parents[box]
    return index.segment_range(box)


def _find_stories_below(selected: SelectedText, label: int, total: int) -> range:
    """Return a label and the links below it, an empty range if there are none.

    ``total`` is the number of selected characters, counted once.
    """
    keep, segments = selected.keep, selected.segments
    if cards := _cards_below(selected, label, total):
        return cards
    end = label + 1
    while end < len(keep) and (not keep[end] or _has_target(segments[end])):
        end += 1
    ends_section = end == len(keep) or segments[end].block.tag in HEADING_TAGS
    stories = range(label, end)
    chars = selected.size(stories)
    is_list = ends_section or chars > selected.sizes[label]
    return stories if is_list and chars <= _MAX_STORIES_SHARE * total else range(0)


#: The share of a line that is a link from which the line is the title of a story.
_MIN_LINKED_STORY = 0.7


def _has_target(segment: Segment) -> bool:
    """Return whether a line is a link that leads somewhere, not an anchor: '<a name="faq">'."""
    if segment.link_chars < _MIN_LINKED_STORY * len(segment.text):
        return False
    link = first_link(segment)
    return segment.is_link if link is None else link.get("href") is not None


def _is_list_of_site(selected: SelectedText, lines: Iterable[int]) -> bool:
    """Return whether lines are several items of lists, each a link to a page of the site."""
    items = [selected.segments[i] for i in lines if selected.keep[i]]
    links = [first_link(s) for s in items if "li" in (s.block.tag, s.block.getparent().tag)]
    hrefs = [link.get("href") or "" for link in links if link is not None]
    return len(items) == len(hrefs) > 1 and all(map(selected.is_on_site, hrefs))


_MIN_CARDS_BELOW = 2
_MAX_CARDS_BELOW = 100
_MIN_CHARS_BESIDE_CARDS = 400


def _cards_below(selected: SelectedText, label: int, total: int) -> range | None:
    """Return a label and the rest of its element if that is only boxes of stories."""
    index, block = selected.index, selected.index.segment_blocks[label]
    boxes = 0
    siblings = list(islice(selected.segments[label].block.itersiblings(), _MAX_CARDS_BELOW + 1))
    for sibling in siblings:
        box = index.indexes.get(sibling, -1)
        if box < 0 or not index.segment_range(box):
            continue
        if not selected.is_story(selected.segments[index.segment_begins[box]]):
            return None
        boxes += 1
    rest = range(label, index.segment_ends[max(0, index.parents[block])])
    is_list = boxes >= _MIN_CARDS_BELOW and len(siblings) <= _MAX_CARDS_BELOW
    return rest if is_list and total - selected.size(rest) >= _MIN_CHARS_BESIDE_CARDS else None


def drop_related_links(selected: SelectedText) -> None:
    """Drop paragraphs that are a label and a link to another page ('Read also: ...').

    They stay if more of the other lines begin with the same label or two words.
    """
    bullets = _bullets(selected)
    lines = selected.lines()
    related = [s for s in lines if s.text[0] not in bullets and _is_related_link(selected, s)]
    link_counts = Counter(map(_label_or_words, related))
    other_counts = Counter(map(_label_or_words, lines)) - link_counts
    selected.drop(
        segment.index
        for segment in related
        if other_counts[_label_or_words(segment)] <= link_counts[_label_or_words(segment)]
    )


def _label_or_words(segment: Segment) -> str:
    """Return the label before the colon in a line, its first two words if there is none."""
    text = segment.text[:_MAX_NOTICE_CHARS]
    label, colon, _ = split_label(text[:_MAX_RELATED_LABEL_CHARS])
    return label if colon else " ".join(text.split(maxsplit=2)[:2])


_MIN_ITEMS = 3


def _bullets(selected: SelectedText) -> set[str]:
    """Return the symbols that begin items of lists, and so are not arrows to another story."""
    counts = Counter(line.text[0] for line in selected.lines() if line.block.tag == "li")
    return {first for first, n in counts.items() if n >= _MIN_ITEMS and not first.isalnum()}


_MAX_RELATED_LABEL_CHARS = 30
#: Arrows before a related link; a guillemet that another one follows opens a quotation.
_ARROWS = re.compile(r"([>»›►▶→➤👉])\1{0,2}(?!.*(?:\1|[«‹]))", re.DOTALL)
_POINTER_TAGS = frozenset({"p", "div", "section", "blockquote", "h3", "h4", "h5", "h6"})
#: Fewer words may be the value of a field ('Genre: Romance'), or a term ('See also High Tide').
_MIN_LINKED_TITLE_WORDS = 4
_MIN_WORDS_AFTER_PHRASE = 3
_MAX_CLOSING_PUNCTUATION = 3


def _is_related_link(selected: SelectedText, segment: Segment) -> bool:
    text = segment.text
    unlinked = len(text) - segment.link_chars
    has_arrow = _ARROWS.match(text[: _MAX_NOTICE_CHARS + 1]) is not None
    label = _label_end(segment, unlinked) if unlinked <= _MAX_RELATED_LABEL_CHARS else 0
    if not unlinked or not (has_arrow or label) or segment.block.tag not in _POINTER_TAGS:
        return False
    links = list(islice(segment.block.iter("a"), 2))
    href = (links[0].get("href") or "") if links else "#"
    if href.startswith("#") or not selected.is_on_site(href):
        return False
    if has_arrow:
        return len(text) <= _MAX_NOTICE_CHARS
    # Closing punctuation may follow the link, but no words.
    if len(links) != 1 or not label - 1 <= unlinked <= label + _MAX_CLOSING_PUNCTUATION:
        return False
    is_phrase = fold_words(text[:label]) in page_labels("pointers")
    min_words = _MIN_WORDS_AFTER_PHRASE if is_phrase else _MIN_LINKED_TITLE_WORDS
    return count_words(text[label:_MAX_NOTICE_CHARS]) >= min_words


_POINTER_LABEL = re.compile(r"[^:：|]{1,60}?[:：]\s?|[^\d:：|]{3,30}?\|\s?")


def _label_end(segment: Segment, unlinked: int) -> int:
    """Return the length of the label before a link to another story, 0 for none."""
    label = _POINTER_LABEL.match(segment.text)
    if label and label.end() <= unlinked + 1:  # or the colon is within the title
        return label.end()
    # Punctuation may follow the link.
    ends = range(unlinked, max(0, unlinked - 1 - _MAX_CLOSING_PUNCTUATION), -1)
    return next((n for n in ends if fold_words(segment.text[:n]) in page_labels("pointers")), 0)


_MAX_CARDS = 2
_MAX_TEASERS_SHARE = 0.5


def drop_teasers(selected: SelectedText) -> None:
    """Drop paragraphs and items that are only links to the site, unless most of the text is.

    Links in square brackets may lead to any site.
    """
    total = selected.total()
    bullets = _bullets(selected)
    teasers: set[int] = set()
    items: list[list[int]] = []
    cards: list[list[int]] = []
    for i, segment in enumerate(selected.segments):
        href = _teaser_href(segment) if selected.keep[i] else ""
        is_pointer = segment.text[0] + segment.text[-1] == "[]" or selected.is_on_site(href)
        if href and segment.text[0] not in bullets and is_pointer:
            teasers.update(() if _is_date(selected, segment.text) else (i,))
        elif segment.block.tag in HEADING_TAGS and selected.is_story(segment):
            item = _find_item(segment)
            if item is not None and (lines := _lines_of_item(selected, i, item)):
                (items if item.tag == "li" else cards).append(lines)
    teasers -= _names_of_entries(selected, teasers)
    teasers -= {i for i in teasers if _is_between_lines(selected, i, teasers)}
    stories = {*chain(*items, *(cards if len(cards) <= _MAX_CARDS else ()))}
    for dropped, max_share in ((teasers, _MAX_TEASERS_SHARE), (stories, _MAX_STORIES_SHARE)):
        if selected.size(dropped) <= max_share * total:
            selected.drop(dropped)


def _is_between_lines(selected: SelectedText, i: int, links: Set[int]) -> bool:
    """Return whether a link is a line between two others of the same paragraph that are text."""
    line = selected.segments[i]
    beside = selected.segments[max(0, i - 1) : i] + selected.segments[i + 1 : i + 2]
    are_text = (s.block is line.block and selected.keep[s.index] for s in beside)
    is_between = len(beside) == 2 and links.isdisjoint(s.index for s in beside) and all(are_text)
    return is_between and not _is_labeled(line)


def _is_labeled(link: Segment) -> bool:
    """Return whether a link begins with a label ('More: ') or a pointer to another story."""
    is_pointer = fold_words(link.text).startswith(tuple(page_labels("pointers")))
    return bool(split_label(link.text)[1]) or is_pointer


def _names_of_entries(selected: SelectedText, links: Iterable[int]) -> set[int]:
    """Return the links beside selected text in several boxes, such as the names of products."""
    boxes = {i: selected.index.parents[selected.index.segment_blocks[i]] for i in links}
    names = {
        box: i
        for i, box in boxes.items()
        if any(selected.keep[n] for n in (i - 1, i + 1) if n in selected.index.segment_range(box))
        and selected.counts[selected.segments[i].text] == 1
        and not _is_labeled(selected.segments[i])
    }
    return set(names.values()) if len(names) >= _MIN_ITEMS else set()


#: A link of fewer words and characters may be a paragraph of one word.
_MIN_TEASER_WORDS = 5
_MIN_TEASER_CHARS = 25


def _teaser_href(segment: Segment) -> str:
    """Return the target of a paragraph that is a single link of several words, else ''."""
    text = segment.text
    unlinked = len(text) - segment.link_chars
    if unlinked > len(segment.leaves) or segment.block.tag not in {"p", "div"}:
        return ""
    is_word = len(text) < _MIN_TEASER_CHARS and count_words(text) < _MIN_TEASER_WORDS
    if is_word or _URL.match(text):
        return ""
    # A bracket or a dash before the link is not part of a sentence.
    is_marked = not text[0].isalnum()
    leaves = (leaf for leaf in segment.leaves if leaf.text.strip())
    worded = (leaf for leaf in leaves if not is_marked or any(map(str.isalnum, leaf.text)))
    links = {enclosing_link(leaf.parent) for leaf in worded}
    link = links.pop() if len(links) == 1 else None
    href = (link.get("href") or "") if link is not None else ""
    return "" if href.startswith("#") else href


#: The most levels from the heading of a story to its box.
_MAX_CARD_LEVELS = 6


def _find_item(heading: Segment) -> HtmlElement | None:
    """Return the item of a list, or the card, around a linked heading and a picture."""
    href = link_target(heading)
    ancestors = islice(heading.block.iterancestors(), _MAX_CARD_LEVELS)
    return next((outer for outer in ancestors if _is_card(outer, href)), None)


_MAX_CARD_LINKS = 10


def _is_card(element: HtmlElement, href: str) -> bool:
    """Return whether an element is an item of a list with a picture, or has one with that link."""
    if element.tag == "li":
        return next(element.iter("img"), None) is not None
    links = islice(element.iter("a"), _MAX_CARD_LINKS)
    pictures = (link for link in links if next(link.iter("img"), None) is not None)
    return any(picture.get("href") == href for picture in pictures)


_MAX_LINES_BESIDE_HEADING = 6


def _lines_of_item(selected: SelectedText, heading: int, item: HtmlElement) -> list[int]:
    """Return the lines of an item that are its heading and at most two more."""
    start = max(0, heading - _MAX_LINES_BESIDE_HEADING)
    nearby = selected.segments[start : heading + _MAX_LINES_BESIDE_HEADING]
    printed = (s for s in nearby if selected.keep[s.index] or s.index == heading)
    lines = [s.index for s in printed if item in s.block.iterancestors()]
    ends = lines[-2:] if item.tag == "li" else lines[-2:-1]
    return lines if len(lines) <= 3 and heading in ends else []


_MIN_NEWSWIRE_TERMS = 4
_MIN_LINKED_TERMS = 0.7
_MIN_OTHER_CHARS = 400


def drop_headline_lists(selected: SelectedText) -> None:
    """Drop definition lists whose terms are links to other pages, if there is enough other text."""
    index = selected.index
    headlines: set[int] = set()
    for position, tag in enumerate(index.tags if "dl" in index.tags else ()):
        if tag != "dl":
            continue
        lines = index.segment_range(position)
        terms = [s for s in selected.segments[lines.start : lines.stop] if s.block.tag == "dt"]
        chars = sum(len(term.text) for term in terms)
        linked = sum(term.link_chars for term in terms)
        if len(terms) >= _MIN_NEWSWIRE_TERMS and linked > _MIN_LINKED_TERMS * chars:
            headlines.update(lines)
    if headlines and selected.total() - selected.size(headlines) >= _MIN_OTHER_CHARS:
        selected.drop(headlines)


_MAX_ANNOUNCEMENT_CHARS = 30
_MAX_STORIES_LABEL_CHARS = 80
_MAX_LAST_LINE_CHARS = 120


def drop_announcements(selected: SelectedText) -> None:
    """Drop labels such as 'Read on:' whose text was dropped; long ones only if it was links."""
    last = selected.last()
    for i in range(len(selected.keep) - 2, -1, -1):
        segment, following = selected.segments[i], selected.segments[i + 1]
        if not selected.keep[i] or selected.keep[i + 1] or segment.block.tag in TERM_TAGS:
            continue
        is_item = following.is_link and following.block.tag == "li"
        is_above_story = segment.block.tag not in HEADING_TAGS and (
            is_item or selected.is_story(following) or is_drawn_as_button(following)
        )
        max_chars = _MAX_STORIES_LABEL_CHARS if is_above_story else _MAX_ANNOUNCEMENT_CHARS
        is_above_link = following.is_link and not selected.is_story(following)
        if i == last and not is_above_link:
            max_chars = _MAX_LAST_LINE_CHARS
        is_label = segment.text.endswith(COLONS)
        is_label |= fold_words(segment.text) in page_labels("story_labels")
        is_label &= len(segment.text) <= max_chars and not (
            i == last and _is_paywall(following, segment)
        )
        selected.keep[i] = not (is_label or _is_heading_of_stories(selected, i))


_MAX_PAYWALL_LEVELS = 3
_PAYWALL_CLASS = re.compile(r"(?<![a-z])(?<!no-)(?<!non-)paywall", re.IGNORECASE)


def _is_paywall(segment: Segment, above: Segment) -> bool:
    """Return whether a line is in a box called a paywall, which the line above is not in."""
    boxes = (segment.block, *islice(segment.block.iterancestors(), _MAX_PAYWALL_LEVELS))
    outer = {above.block, *above.block.iterancestors()}
    return any(
        box not in outer and _PAYWALL_CLASS.search((box.get("class") or "")[:300]) for box in boxes
    )


_MAX_STORIES = 4


def _is_heading_of_stories(selected: SelectedText, position: int) -> bool:
    """Return whether only dropped stories follow a heading or bold line."""
    segment, tag = selected.segments[position], selected.segments[position].block.tag
    end = len(selected.keep)
    below = next((i for i in range(position + 1, end) if selected.keep[i]), end)
    stories = selected.segments[position + 1 : min(below, position + 1 + _MAX_STORIES)]
    if len(stories) < 2 or len(segment.text) > _MAX_STORIES_LABEL_CHARS or below == end:
        return False
    tag_below = selected.segments[below].block.tag
    ends_section = tag_below in HEADING_TAGS and (tag not in HEADING_TAGS or tag_below <= tag)
    is_head = tag in HEADING_TAGS or is_bold(segment)
    return ends_section and is_head and all(map(selected.is_story, stories))
