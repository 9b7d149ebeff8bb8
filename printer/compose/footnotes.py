"""Links: absolute URLs, targets inside the article, footnotes and endnotes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote, urldefrag, urlsplit

from lxml import etree
from lxml.html import HtmlElement

from ..html.index import BLOCK_TAGS, Leaf, beginning_of_text
from ..html.page import Page
from ..html.visibility import HEADING_TAGS
from ..urls import resolve, with_ascii_host
from .inline import readable_line
from .selection import Selection


@dataclass(frozen=True, slots=True, eq=False)
class InternalTargets:
    """The targets of links inside the article.

    ``references`` has the note id of each reference mark, ``notes`` that of each note's block,
    ``labels`` the label by id, ``backlinks`` the links from notes back to their marks, ``places``
    the ids of other elements that are link targets.
    """

    references: dict[HtmlElement, str] = field(default_factory=dict)
    notes: dict[HtmlElement, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    backlinks: set[HtmlElement] = field(default_factory=set)
    places: dict[HtmlElement, str] = field(default_factory=dict)


_MAX_HREF_CHARS = 2000
_SCHEMES = frozenset({"http", "https", "mailto"})


class LinkResolver:
    """Resolves the links of one page."""

    def __init__(self, page: Page, targets: InternalTargets) -> None:
        self.page = page
        self.known = set(targets.places.values())

    def target(self, element: HtmlElement) -> str:
        """Return the URL or ``#id`` that a link leads to, '' if it cannot be followed."""
        href = (element.get("href") or "").strip()
        if not href:
            return ""
        name = fragment(href, self.page)
        if name:
            return f"#{name}" if name in self.known else ""
        return "" if href.startswith("#") else self.resolve(href)

    def resolve(self, href: str) -> str:
        """Return an absolute http(s) or mailto URL, '' for any other."""
        if len(href) > _MAX_HREF_CHARS:
            return ""
        if not href.isprintable() or " " in href:
            href = "".join(filter(str.isprintable, "".join(href.split())))
        parts = urlsplit(resolve(self.page.base, href, _SCHEMES))
        if not parts.netloc and parts.scheme != "mailto":
            return ""
        url = parts.geturl()
        return url if url.isascii() else with_ascii_host(url)


_MAX_ID_CHARS = 200


def fragment(href: str, page: Page) -> str:
    """Return the fragment of a link inside this page, '' for any other link."""
    if "#" not in href:
        return ""
    url, name = urldefrag(href) if not href.startswith("#") else ("", href[1:])
    if not href.startswith("#") and (
        not url or url not in {page.url, page.base, page.metadata.canonical}
    ):
        return ""
    return unquote(name)[:_MAX_ID_CHARS]


def find_internal_targets(page: Page, selection: Selection) -> InternalTargets:
    """Find the notes and other places that the selected links lead to."""
    links = [
        (link, name)
        for link in selection.path
        if link.tag == "a" and (name := fragment((link.get("href") or "").strip(), page))
    ]
    targets = InternalTargets()
    if links:
        _find_linked(page, selection, links, targets)
    _find_inline_notes(page, selection, targets)
    if not targets.notes:
        _find_numbered_notes(page, selection, targets)
    return targets


def _find_linked(
    page: Page, selection: Selection, links: list[tuple[HtmlElement, str]], targets: InternalTargets
) -> None:
    """Find the notes and the other places that links lead to."""
    elements = _named_elements(page.tree, {name for _, name in links})
    for block, references in _find_notes(links, elements, selection.leaves).items():
        ((name, marks),) = references.items()
        targets.notes[block] = name
        targets.labels[name] = _read_label(marks[0])
        _drop_labels(block, targets.labels[name], selection)
        targets.references.update(dict.fromkeys(marks, name))
    _find_backlinks(links, elements, targets)
    linked = {name for link, name in links if link not in targets.backlinks}
    for name, element in elements.items():
        if (
            name not in targets.labels
            and name in linked
            and (element in selection.path or element.getparent() in selection.path)
        ):
            targets.places.setdefault(element, name)


#: A note inside its paragraph, such as a margin note.
_INLINE_NOTE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:side-?note|margin-?note|note_content"
    r"|(?:foot-?note|fn)[-_]{0,2}(?:content|text|body|note|tooltip))(?=$|\s|__)",
    re.IGNORECASE,
)
#: A reference mark that is not a link.
_NOTE_NUMBER = re.compile(r"\s*[\[(]?(\d{1,3})[\])]?\s*")
#: The most elements between a note and the sibling of its reference mark.
_MAX_WRAPPERS = 2


def _find_inline_notes(page: Page, selection: Selection, targets: InternalTargets) -> None:
    """Find the notes within their paragraphs, with or without a reference mark."""
    if "note" not in page.source:
        return
    number = sum(name.startswith("note-") for name in targets.labels)
    for element in page.elements.find("span", "small"):
        if element not in selection.path or not _INLINE_NOTE_CLASS.search(
            element.get("class") or ""
        ):
            continue
        number += 1
        name, label = f"note-{number}", str(number)
        previous, parent = _mark_before(element), element.getparent()
        if previous is not None:
            mark = _NOTE_NUMBER.fullmatch("".join(previous.itertext())[:20])
            if mark and not (previous.tail or "").strip():
                label = mark[1]
                targets.references[previous] = name
        elif parent is not None and (mark := _NOTE_NUMBER.fullmatch(parent.text or "")):
            label = mark[1]
            selection.leaves.pop(Leaf(parent, False), None)
        _drop_labels(element, label, selection)
        targets.notes[element], targets.labels[name] = name, label


def _mark_before(note: HtmlElement) -> HtmlElement | None:
    """Return the element before a note or its wrappers, None if it begins with text."""
    for element in (note, *islice(note.iterancestors(), _MAX_WRAPPERS)):
        previous = element.getprevious()
        while (
            previous is not None and previous.tag == "input" and not (previous.tail or "").strip()
        ):
            previous = previous.getprevious()
        outer = element.getparent()
        if previous is not None or outer is None or outer.tag in BLOCK_TAGS or outer.text:
            return previous
    return None


#: The most elements at the beginning of a note that only repeat its label.
_MAX_LABELS = 12


def _drop_labels(note: HtmlElement, label: str, selection: Selection) -> None:
    """Leave out the elements at the beginning of a note that only repeat its label."""
    if (note.text or "").strip():
        return
    for element in islice(note.iterdescendants(), _MAX_LABELS):
        if (text := (element.text or "").strip()) and text.strip("[](). ") != label:
            return
        selection.leaves.pop(Leaf(element, False), None)
        if (element.tail or "").strip():
            return


def _find_numbered_notes(page: Page, selection: Selection, targets: InternalTargets) -> None:
    """Bind notes to unlinked superscript numbers, if each has one and they count from one."""
    marks: dict[int, list[HtmlElement]] = {}
    numbered_blocks: dict[int, HtmlElement] = {}  # the blocks that begin with a number
    for element in page.elements.find("sup", "strong", "b"):
        if element not in selection.path:
            continue
        match = _NOTE_NUMBER.fullmatch("".join(element.itertext())[:20])
        if match is None or element.find(".//a") is not None:
            continue
        block = _block_beginning_with(element)
        if block is not None:
            numbered_blocks.setdefault(int(match[1]), block)
        elif element.tag == "sup" and next(element.iterancestors("a", "sup"), None) is None:
            marks.setdefault(int(match[1]), []).append(element)
    numbers = list(range(1, len(marks) + 1))
    if not marks or list(marks) != numbers:
        return
    positions = {number: _first_segment(marks[number][0], selection.leaves) for number in numbers}
    for notes in (numbered_blocks, _listed_notes(page, selection)):
        if list(notes) == numbers and all(
            -1 < positions[number] < _first_segment(notes[number], selection.leaves)
            for number in numbers
        ):
            for number in numbers:
                name = f"note-{number}"
                targets.notes[notes[number]], targets.labels[name] = name, str(number)
                targets.references.update(dict.fromkeys(marks[number], name))
            return


_NOT_NOTES = frozenset({"body", "html", "table", "tbody", "tr", "td", "th", "ol", "ul", "dl", "dt"})


def _block_beginning_with(element: HtmlElement) -> HtmlElement | None:
    """Return the block that begins with an element, None if it is short or introduces a list."""
    node = element
    while True:
        outer = node.getparent()
        if outer is None or node.getprevious() is not None or (outer.text or "").strip():
            return None
        if outer.tag in BLOCK_TAGS:
            break
        node = outer
    if outer.tag in _NOT_NOTES or len(readable_line("".join(outer.itertext())[:200])) < 6:
        return None
    following = outer.getnext()
    heads_list = following is not None and following.tag in {"ul", "ol", "pre", "table"}
    return None if heads_list else outer


_NOTE_CLASS = re.compile(r"note|reference|citation", re.IGNORECASE)


def _listed_notes(page: Page, selection: Selection) -> dict[int, HtmlElement]:
    """Return by number the items of ordered lists in notes, in an ``aside`` or at the end."""
    notes: dict[int, HtmlElement] = {}
    last = page.segments[max(selection.leaves.values())].block if selection.leaves else None
    for ordered in page.elements.find("ol"):
        if ordered not in selection.path:
            continue
        elements = [ordered, *islice(ordered.iterancestors(), 2)]
        is_last = last is not None and ordered in last.iterancestors()
        is_named = any(_NOTE_CLASS.search((node.get("class") or "")[:200]) for node in elements)
        if not (is_last or is_named or any(node.tag == "aside" for node in elements)):
            continue
        start = ordered.get("start") or "1"
        first = int(start) if start.isdecimal() and len(start) < 4 else 1
        for number, item in enumerate(ordered.iterchildren("li"), first):
            notes.setdefault(number, item)
    return notes


_FIND_NAMED = etree.XPath("//*[@id] | //a[@name]")


def _named_elements(tree: HtmlElement, names: set[str]) -> dict[str, HtmlElement]:
    elements_by_name: dict[str, HtmlElement] = {}
    elements: list[HtmlElement] = _FIND_NAMED(tree)  # type: ignore[assignment]
    for element in elements:
        for name in (element.get("id"), element.get("name")):
            if name in names:
                elements_by_name.setdefault(name, element)
    return elements_by_name


#: The number of an element's nodes searched for its first selected segment.
_MAX_NODES = 52


def _first_segment(element: HtmlElement, leaves: Mapping[Leaf, int]) -> int:
    """Return the index of an element's first selected segment, -1 for none."""
    for node in islice(element.iter(), _MAX_NODES):
        for tail in (False, True) if node is not element else (False,):
            index = leaves.get(Leaf(node, tail))
            if index is not None:
                return index
    return -1


def _find_notes(
    links: list[tuple[HtmlElement, str]],
    elements: dict[str, HtmlElement],
    leaves: Mapping[Leaf, int],
) -> dict[HtmlElement, dict[str, list[HtmlElement]]]:
    """Return the block of each note with its name and its reference marks, in order."""
    notes: dict[HtmlElement, dict[str, list[HtmlElement]]]
    notes = defaultdict(lambda: defaultdict(list))
    positions = {link: _first_segment(link, leaves) for link, _ in links}
    read_block = cache(_read_block)  # Many links may lead to the same block.
    for link, name in sorted(links, key=lambda pair: positions[pair[0]]):
        element = elements.get(name)
        if element is None or not _read_label(link):
            continue
        block = _note_block(element, link, read_block)
        if block is not None and block.tag in HEADING_TAGS:
            block = _item_below(block, _read_label(link))
            name += f"-{_read_label(link)}"
        if block is None or not -1 < positions[link] < _first_segment(block, leaves):
            continue
        if _is_reference(link, name, block, read_block):
            notes[block][name].append(link)
    return {block: names for block, names in notes.items() if len(names) == 1}


#: The most elements between the heading of notes and their list.
_MAX_ELEMENTS_TO_NOTES = 3


def _item_below(heading: HtmlElement, label: str) -> HtmlElement | None:
    """Return the item with a note's number in the list below the heading of the notes."""
    below = islice(heading.itersiblings("*"), _MAX_ELEMENTS_TO_NOTES)
    notes = next((element for element in below if element.tag == "ol"), None)
    is_number = notes is not None and label.isdecimal() and 0 < int(label) <= len(notes)
    return notes[int(label) - 1] if notes is not None and is_number else None


_NOTE_LABEL = re.compile(
    r"[\[({]?\s*((?:[a-z]{0,6}\s?)?\d{1,4}|[a-z]|[ivxl]{1,6}|[*†‡§¶#‖]{1,4})\s*[\])}]?[.:]?",
    re.IGNORECASE,
)


def _read_label(link: HtmlElement) -> str:
    """Return the label of a note in the text of a link, '' for any other text."""
    text = readable_line("".join(link.itertext())[:60])
    match = _NOTE_LABEL.fullmatch(text)
    return match[1].strip() if match else ""


class _BlockContent(NamedTuple):
    """The text of a block, its links, and the fragments of their addresses."""

    text: str
    links: frozenset[HtmlElement]
    fragments: frozenset[str]


_ReadBlock: TypeAlias = Callable[[HtmlElement], _BlockContent | None]

_MAX_NOTE_CHARS = 6000


def _read_block(block: HtmlElement) -> _BlockContent | None:
    """Return the content of a block, None if it is too long for a note."""
    nodes = list(islice(block.iter(), _MAX_NOTE_CHARS + 1))
    if len(nodes) > _MAX_NOTE_CHARS:
        return None
    text = readable_line(beginning_of_text(block, _MAX_NOTE_CHARS))
    if len(text) > _MAX_NOTE_CHARS:
        return None
    links = frozenset(node for node in nodes if node.tag == "a")
    hrefs = (link.get("href") or "" for link in links)
    return _BlockContent(text, links, frozenset(href.partition("#")[2] for href in hrefs))


def _note_block(
    target: HtmlElement, link: HtmlElement, read_block: _ReadBlock
) -> HtmlElement | None:
    """Return the block of a note: the link target or the nearest block with text around it."""
    for block in (target, *islice(target.iterancestors(), 4)):
        if block.tag in _NOT_NOTES:
            return None
        if block.tag in BLOCK_TAGS:
            content = read_block(block)
            if content is None or link in content.links:
                return None
            if content.text and not _NOTE_LABEL.fullmatch(content.text):
                return block
    return None


_NOTE_ID = re.compile(
    r"(?:^|[-_:.])(?:cite_?note|fn|foot_?note|s?d?footnote|ftn|edn|end_?note|note|en|sn)"
    r"(?:[-_:.]?\w+)*$",
    re.IGNORECASE,
)
_NOTE_WORD = re.compile(
    r"foot-?note|end-?note|note-?ref|doc-(?:note|footnote|endnote)", re.IGNORECASE
)


def _is_reference(link: HtmlElement, name: str, block: HtmlElement, read_block: _ReadBlock) -> bool:
    """Return whether a superscript or named link refers to a note that links back or is named."""
    link_ancestors = [link, *islice(link.iterancestors(), 2)]
    is_superscript = any(element.tag == "sup" for element in [*link_ancestors, *link.iter("sup")])
    if _is_numbered_item(link, block):
        return True
    if not (is_superscript or any(map(_names_note, link_ancestors)) or _NOTE_ID.search(name)):
        return False
    targets = [link, *islice(link.iterancestors(), 3)]
    ids = {element.get(key) for element in targets for key in ("id", "name")} - {None}
    content = read_block(block)
    links_to_reference = content is not None and not ids.isdisjoint(content.fragments)
    begins = next((t for text in block.itertext() if (t := text.strip())), "")
    return (
        links_to_reference
        or any(map(_names_note, [block, *islice(block.iterancestors(), 2)]))
        or (is_superscript and block.get("id") == name and begins == _read_label(link))
    )


def _is_numbered_item(link: HtmlElement, block: HtmlElement) -> bool:
    """Return whether a number in brackets is the number of an item of an ordered list."""
    outer = block.getparent()
    text = readable_line("".join(link.itertext())[:20])
    if block.tag != "li" or outer is None or outer.tag != "ol" or text[:1] not in "[(":
        return False
    return text.strip("[]() ") == str(outer.index(block) + 1)


def _names_note(element: HtmlElement) -> bool:
    values = (element.get(name) for name in ("role", "epub:type", "class", "rel"))
    return any(_NOTE_WORD.search(value[:200]) for value in values if value)


#: The characters of a note's link back to its reference mark.
BACKLINK_CHARACTERS = " \n↩⤴\ufe0e"


def is_backlink_text(text: str | None) -> bool:
    """Return whether the text of a link says only that it leads back."""
    text = (text or "").strip()
    return bool(text) and not text.strip(BACKLINK_CHARACTERS)


def _find_backlinks(
    links: list[tuple[HtmlElement, str]], elements: dict[str, HtmlElement], targets: InternalTargets
) -> None:
    near_marks = {
        element
        for mark in targets.references
        for element in (mark, *islice(mark.iterancestors(), 3), *mark.iter())
    }
    for link, name in links:
        in_note = any(element in targets.notes for element in islice(link.iterancestors(), 6))
        if in_note and elements.get(name) in near_marks:
            targets.backlinks.add(link)
