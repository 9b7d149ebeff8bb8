"""What belongs together stays together; what a page repeats or labels goes.

The learned choice is made segment by segment.  On paper half a table, a quotation without its
source or the label of an advertisement that is not there would be a fault, however likely each
piece looked by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice, pairwise
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from ..html.index import Leaf, PageIndex, Segment
from ..html.page import Page
from ..text import continues_drop_cap
from ..urls import resolve

_WORDS = re.compile(r"\w+")

#: The share of an element's text that must be kept for the rest of it to be kept as well.
_COMPLETED = {
    "blockquote": 0.5, "table": 0.5, "dl": 0.5, "p": 0.5, "pre": 0.3, "ul": 0.85, "ol": 0.85,
}  # fmt: skip
#: On articles sooner.
_COMPLETED_THERE = _COMPLETED | {"table": 0.35, "ul": 0.7, "ol": 0.7}
#: A table with more than this share of the kept text lays out the page.
_LAYOUT = 0.5
#: Lists of which less than this share is kept are lists of links with a likely one among them;
#: on collections, which are such lists, less than that.
_STRAY, _STRAY_THERE = 0.3, 0.15
_LISTS = frozenset({"ul", "ol"})

#: Boxes in the midst of articles that ask for an address, or for something else to be done.
_ASKING = re.compile(
    r"newsletter|sign-?up|subscri(?:be|ption)-?(?:box|form|promo)|\bcta\b", re.IGNORECASE
)
#: A box of more than this share of the kept text, or of more segments, is no such box.
_BOX = 0.2
_BOX_SEGMENTS = 6

#: So many lines of nothing but links, above the first paragraph, are a menu.
_MENU = 4

#: A copyright line is no longer than this, in characters; what stands between links of a row.
_IMPRINT, _BETWEEN = 300, 3

#: Labels that stand above advertisements, in the languages we could name.
_LABELS = frozenset({
    "ad", "advertisement", "advertisements", "advertising", "advert", "sponsored", "promoted",
    "sponsored content", "article continues below", "story continues below advertisement",
    "anzeige", "werbung", "annonce", "publicité", "publicidad", "publicidade", "pubblicità",
    "advertentie", "reclame", "reklama", "reklam", "mainos", "реклама", "διαφήμιση", "广告",
    "廣告", "広告", "スポンサーリンク", "광고", "إعلان", "פרסומת", "विज्ञापन",
})  # fmt: skip
#: A label, with what it may announce, has no more characters.
_SHORT = 200
#: What a reader of a discussion may do with a post; a line of such words is no part of it.
_ACTIONS = frozenset({
    "like", "likes", "quote", "report", "reply", "share", "flag", "edit", "delete", "link", "copy",
    "permalink", "save", "follow", "upvote", "downvote", "thank", "thanks", "translate",
})  # fmt: skip
#: Words that may stand around a name in a byline, and so many more with a date; a line of names is
#: no longer than this, in characters.
_AROUND, _DATED, _LINE = 4, 4, 160
#: What may stand above a byline, however long.
_TITLES = frozenset({"h1", "h2"})
#: A label that points to another page is no longer, in characters; what it may stand in.
_POINTING = 30
_POINTERS = frozenset({"p", "div", "section", "blockquote", "h3", "h4", "h5", "h6"})
#: The title it points to has so many words where words are parted, and characters from, to.
_TITLE_WORDS, _TITLE_CHARS = 4, (8, 160)
#: A label with nothing left to announce is no longer; what it does not stand in.
_ANNOUNCING = 30
_NAMED = frozenset({"td", "th", "dt", "pre", "code"})
#: A link of fewer words may be a paragraph's one word.
_TEASER = 5
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


def complete_elements(page: Page, keep: Sequence[bool], kind: str) -> tuple[bool, ...]:
    """Return the choice with its elements completed and its leftovers dropped."""
    kept = list(keep)
    sizes = [len(segment.text) for segment in page.segments]
    most = _LAYOUT * sum(size for size, keep in zip(sizes, keep, strict=True) if keep)
    completed = _COMPLETED_THERE if kind == "article" else _COMPLETED
    stray = _STRAY_THERE if kind == "collection" else _STRAY
    for tag, begin, end in _elements(page, completed.keys()):
        total = sum(sizes[begin:end])
        if tag == "table" and total > most:
            continue
        share = sum(sizes[at] for at in range(begin, end) if kept[at]) / total
        if share >= completed[tag]:
            kept[begin:end] = [True] * (end - begin)
        elif tag in _LISTS and 0 < share < stray:
            kept[begin:end] = [False] * (end - begin)
    _drop_byline(page, kept)
    if kind == "article":
        _drop_boxes(page, kept, sizes)
        _drop_pointers(page, kept)
        _drop_teasers(page, kept, sizes)
        _drop_above(page, kept)
        _drop_menu(page, kept)
        _drop_imprint(page, kept)
        _drop_announcing(page, kept)
    for at, segment in enumerate(page.segments):
        if kept[at] and len(segment.text) <= _SHORT and _is_label(segment):
            kept[at] = False
    for at, (segment, after) in enumerate(pairwise(page.segments)):
        if kept[at + 1] and continues_drop_cap(segment.text, after.text):
            kept[at] = True
    return tuple(kept)


def _elements(page: Page, tags: AbstractSet[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the elements of some tags that hold several segments, and which ones."""
    outline = page.index
    for tag, begin, end in zip(
        outline.tags, outline.segment_begins, outline.segment_ends, strict=True
    ):
        if tag in tags and end - begin > 1:
            yield tag, begin, end


def _drop_boxes(page: Page, kept: list[bool], sizes: list[int]) -> None:
    """Drop small boxes that are named for a newsletter or hold a field for an e-mail address."""
    outline = page.index
    most = _BOX * sum(size for size, keep in zip(sizes, kept, strict=True) if keep)
    asking: dict[str, bool] = {}
    for index, element in enumerate(outline.elements):
        # Most elements hold no text of their own, and most of those no field either.
        if not outline.has_attributes[index] or (
            outline.segment_begins[index] == outline.segment_ends[index]
            and outline.tags[index] != "input"
        ):
            continue
        names = element.get("class") or ""
        if names not in asking:
            asking[names] = _ASKING.search(names) is not None
        box = -1
        if asking[names]:
            box = index
        elif outline.tags[index] == "input" and element.get("type") == "email":
            box = _box_around(outline, index)
        if box < 0:
            continue
        begin, end = outline.segment_begins[box], outline.segment_ends[box]
        inside = sum(sizes[at] for at in range(begin, end) if kept[at])
        if 0 < inside <= most:
            kept[begin:end] = [False] * (end - begin)


def _box_around(outline: PageIndex, index: int) -> int:
    """Return the widest element around one that is still a small box, or -1."""
    box = -1
    while (
        index >= 0 and outline.segment_ends[index] - outline.segment_begins[index] <= _BOX_SEGMENTS
    ):
        box, index = index, outline.parents[index]
    return box


def _drop_above(page: Page, kept: list[bool]) -> None:
    """Drop what stands above the last line that is the title, before the first paragraph."""
    title = _folded(page.metadata.title)
    above: list[int] = []
    dropped: list[int] = []
    for at, segment in enumerate(page.segments):
        if title and _folded(segment.text) == title:
            dropped += above
            above = []
        elif kept[at]:
            if _is_paragraph(segment):
                break
            above.append(at)
    for at in dropped:
        kept[at] = False


def _folded(text: str) -> str:
    return " ".join(_WORDS.findall(text[:500].lower()))


def _is_paragraph(segment: Segment) -> bool:
    linked = segment.link_chars >= 0.9 * len(segment.text)
    return not linked and len(segment.text.split(None, 15)) > 15


def _drop_menu(page: Page, kept: list[bool]) -> None:
    """Drop runs of lines that only link to other pages, above the first paragraph."""
    run: list[int] = []
    for at, segment in enumerate(page.segments):
        linked = segment.link_chars >= 0.9 * len(segment.text)
        if linked and not _is_internal(segment):
            run.append(at)
            continue
        if len(run) >= _MENU:
            for each in run:
                kept[each] = False
        run = []
        if kept[at] and _is_paragraph(segment):
            return


def _drop_imprint(page: Page, kept: list[bool]) -> None:
    """Drop what the text ends with when it is the page's: a copyright line, a line of links."""
    for at in range(len(kept) - 1, -1, -1):
        if not kept[at]:
            continue
        segment = page.segments[at]
        if len(segment.text) > _IMPRINT or not ("©" in segment.text or _is_row(segment)):
            return
        kept[at] = False


def _is_row(segment: Segment) -> bool:
    """Tell whether a line is several links side by side, with no more than a sign between them."""
    links = {leaf.element for leaf in segment.leaves if leaf.element.tag == "a"}
    said = len(segment.text) - segment.link_chars
    return len(links) > 1 and segment.block.tag != "li" and said <= _BETWEEN * (len(links) - 1)


def _is_internal(segment: Segment) -> bool:
    element = segment.leaves[0].element
    link = element if element.tag == "a" else next(element.iterancestors("a"), None)
    return link is not None and (link.get("href") or "").startswith("#")


def _is_label(segment: Segment) -> bool:
    """Tell whether a short line is the label of an advertisement, or of what one may do."""
    label, colon, _ = segment.text.partition(":")
    if _bare(segment.text) in _LABELS or (colon and _bare(label) in _LABELS):
        return True
    if segment.text.strip() == "PR" and segment.block.tag == "div":  # as Japanese sites label them
        return True
    if segment.link_chars <= len(segment.text) / 2:
        return False
    words = _WORDS.findall(segment.text.lower())
    return len(words) > 0 and all(word in _ACTIONS or word.isdecimal() for word in words)


def _drop_byline(page: Page, kept: list[bool]) -> None:
    """Drop the lines above the first paragraph that only name the author: the title block does."""
    names = [name.strip().lower() for name in page.metadata.byline.split(",") if name.strip()]
    if not names:
        return
    least = len(page.metadata.byline.split()) + _AROUND
    for at, segment in enumerate(page.segments):
        if not kept[at]:
            continue
        most = least + (_DATED if _YEAR.search(segment.text) else 0)
        words = segment.text.split(None, most + 1)
        if len(words) > most + 1 or len(segment.text) > _LINE:
            if segment.block.tag in _TITLES:
                continue
            return
        if len(words) <= most and any(name in segment.text.lower() for name in names):
            kept[at] = False


def _drop_pointers(page: Page, kept: list[bool]) -> None:
    """Drop paragraphs of a label and a link to another page of the site: 'Read also: ...'."""
    site = _hosts(page)
    for at, segment in enumerate(page.segments):
        said = len(segment.text) - segment.link_chars
        if not kept[at] or not 2 <= said <= _POINTING or segment.block.tag not in _POINTERS:
            continue
        label, colon, rest = segment.text.replace("：", ":").partition(":")
        title = rest.strip(" ]).")
        links = list(islice(segment.block.iter("a"), 2)) if colon and len(label) < said else []
        # Fewer words may be what the label is about: 'Genre: Romance'.
        if len(links) != 1 or (title.isascii() and len(title.split()) < _TITLE_WORDS):
            continue
        href = links[0].get("href") or ""
        if href.startswith("#") or not _TITLE_CHARS[0] <= len(title) <= _TITLE_CHARS[1]:
            continue
        if _host(resolve(page.base, href)) in site:
            kept[at] = False


def _drop_teasers(page: Page, kept: list[bool], sizes: list[int]) -> None:
    """Drop paragraphs that are nothing but a link to another page of the site.

    Where they are most of what is kept they are what the page is about.
    """
    site = _hosts(page)
    found = [
        at
        for at, segment in enumerate(page.segments)
        if kept[at] and (href := _teaser(segment)) and _host(resolve(page.base, href)) in site
    ]
    whole = sum(size for size, keep in zip(sizes, kept, strict=True) if keep)
    if sum(sizes[at] for at in found) <= _LAYOUT * whole:
        for at in found:
            kept[at] = False


def _teaser(segment: Segment) -> str:
    """Return where a paragraph leads that is one link of several words, "" for any other."""
    said = len(segment.text) - segment.link_chars
    if said > len(segment.leaves) or segment.block.tag not in {"p", "div"}:
        return ""
    if segment.text.isascii() and len(segment.text.split(None, _TEASER)) < _TEASER:
        return ""
    links = {_around(leaf) for leaf in segment.leaves if leaf.text.strip()}
    link = links.pop()
    href = (link.get("href") or "") if link is not None and not links else ""
    return "" if href.startswith("#") else href


def _around(leaf: Leaf) -> HtmlElement | None:
    """Return the link that a leaf stands in."""
    element = leaf.element.getparent() if leaf.tail else leaf.element
    while element is not None and element.tag != "a":
        element = element.getparent()
    return element


def _drop_announcing(page: Page, kept: list[bool]) -> None:
    """Drop labels ('Read on:') of which nothing is kept that they announce."""
    for at in range(len(kept) - 2, -1, -1):
        text = page.segments[at].text
        if kept[at] and not kept[at + 1] and len(text) <= _ANNOUNCING:
            named = page.segments[at].block.tag in _NAMED
            kept[at] = named or not text.endswith((":", "："))


def _hosts(page: Page) -> frozenset[str]:
    """Return the hosts of a page: where it was found, and where it says that it belongs."""
    return frozenset({_host(page.base), _host(page.metadata.canonical) or _host(page.base)})


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:  # a bracket that opens no IPv6 address
        return ""


def _bare(text: str) -> str:
    return text.strip(" .:·–—-[]()").lower()
