"""Footnotes and endnotes, and the other places in the article that links lead to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from lxml import etree
from lxml.html import HtmlElement

from ..html.index import BLOCK_TAGS
from ..html.page import Page
from .inline import clean_line
from .selection import Selection

_NAMED = etree.XPath("//*[@id] | //a[@name]")
_LABEL = re.compile(
    r"[\[({]?\s*((?:[a-z]{0,6}\s?)?\d{1,4}|[a-z]|[ivxl]{1,6}|[*†‡§¶#‖]{1,4})\s*[\])}]?[.:]?",
    re.IGNORECASE,
)
_NOTE_ID = re.compile(
    r"(?:^|[-_:.])(?:cite_?note|fn|foot_?note|s?d?footnote|ftn|edn|end_?note|note|en|sn)"
    r"(?:[-_:.]?\w+)*$",
    re.IGNORECASE,
)
_NOTE_WORD = re.compile(
    r"foot-?note|end-?note|note-?ref|doc-(?:note|footnote|endnote)", re.IGNORECASE
)
_NOT_HOME = frozenset({"body", "html", "table", "tbody", "tr", "td", "th", "ol", "ul", "dl", "dt"})
_MAX_NOTE_CHARS = 6000


@dataclass(frozen=True, slots=True, eq=False)
class LinkTargets:
    """Where links inside the article lead.

    ``references`` maps a link to its note's id, ``notes`` a note's block to the id, ``labels`` an
    id to the sign, ``back`` holds the links from notes to their signs, ``places`` maps the other
    elements that links lead to to their ids.
    """

    references: dict[HtmlElement, str] = field(default_factory=dict)
    notes: dict[HtmlElement, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    back: set[HtmlElement] = field(default_factory=set)
    places: dict[HtmlElement, str] = field(default_factory=dict)


def fragment(href: str, page: Page) -> str:
    """Return the name of the place in this page that a link leads to, '' for any other link."""
    if "#" not in href:
        return ""
    if not href.startswith("#"):
        address, name = urldefrag(href)
        if address not in {page.url, page.base, page.metadata.canonical} or not address:
            return ""
        return unquote(name)[:200]
    return unquote(href[1:])[:200]


def read_anchors(page: Page, selection: Selection) -> LinkTargets:
    """Find the notes and the places that the selected links lead to."""
    links = [
        (link, name)
        for link in selection.path
        if link.tag == "a" and (name := fragment((link.get("href") or "").strip(), page))
    ]
    anchors = LinkTargets()
    if not links:
        return anchors
    targets = _targets(page.tree, {name for _, name in links})
    order = _Order(selection)
    homes = _homes(links, targets, order)
    for home, names in homes.items():
        signs = [link for name in names for link in names[name]]
        (note,) = names
        anchors.notes[home] = note
        anchors.labels[note] = _label(signs[0])
        anchors.references.update(dict.fromkeys(signs, note))
    _find_back_links(links, targets, anchors)
    led_to = {name for link, name in links if link not in anchors.back}
    for name, target in targets.items():
        if (
            name not in anchors.labels
            and name in led_to
            and (target in selection.path or target.getparent() in selection.path)
        ):
            anchors.places.setdefault(target, name)
    return anchors


def _targets(tree: HtmlElement, wanted: set[str]) -> dict[str, HtmlElement]:
    found: dict[str, HtmlElement] = {}
    elements: list[HtmlElement] = _NAMED(tree)  # type: ignore[assignment]
    for element in elements:
        for name in (element.get("id"), element.get("name")):
            if name in wanted:
                found.setdefault(name, element)
    return found


class _Order:
    """Which of two elements comes first, by the segments they hold text of."""

    def __init__(self, selection: Selection) -> None:
        self.leaves = selection.leaves
        self.known: dict[HtmlElement, int] = {}

    def of(self, element: HtmlElement) -> int:
        """Return the first segment of an element; -1 when it holds none that is printed."""
        if element not in self.known:
            self.known[element] = next(self._segments(element), -1)
        return self.known[element]

    def _segments(self, element: HtmlElement) -> Iterator[int]:
        for count, node in enumerate(element.iter()):
            for tail in (False, True):
                index = self.leaves.get((node, tail))  # type: ignore[call-overload]
                if index is not None and not (tail and node is element):
                    yield index
            if count > 50:
                return


_Homes = dict[HtmlElement, dict[str, list[HtmlElement]]]


def _homes(
    links: list[tuple[HtmlElement, str]], targets: dict[str, HtmlElement], order: _Order
) -> _Homes:
    """Map each note's block to its name and the signs that refer to it, in order."""
    homes: _Homes = defaultdict(lambda: defaultdict(list))
    for link, name in sorted(links, key=lambda pair: order.of(pair[0])):
        target = targets.get(name)
        if target is None or not _label(link):
            continue
        home = _home(target, link)
        if home is None or not -1 < order.of(link) < order.of(home):
            continue
        if _is_reference(link, name, home):
            homes[home][name].append(link)
    return {home: names for home, names in homes.items() if len(names) == 1}


def _label(link: HtmlElement) -> str:
    """Return the sign of a note that a link shows, '' for any other text."""
    text = clean_line("".join(link.itertext())[:60])
    match = _LABEL.fullmatch(text)
    return match[1].strip() if match else ""


def _home(target: HtmlElement, link: HtmlElement) -> HtmlElement | None:
    """Return the block that a note's target stands for: itself or the block around it."""
    home: HtmlElement | None = target
    for _ in range(5):
        if home is None or home.tag in _NOT_HOME:
            return None
        if home.tag in BLOCK_TAGS:
            text = clean_line("".join(home.itertext())[: _MAX_NOTE_CHARS + 1])
            if len(text) > _MAX_NOTE_CHARS or link in home.iterdescendants("a"):
                return None
            if not _LABEL.fullmatch(text) and text:
                return home
        home = home.getparent()
    return None


def _is_reference(link: HtmlElement, name: str, home: HtmlElement) -> bool:
    """Tell whether a link is the sign of a note: raised or said so, and the note says so too."""
    around = [link, *_above(link, 2)]
    said = any(_says_note(each) for each in around)
    raised = any(each.tag == "sup" for each in [*around, *link.iter("sup")])
    if not (said or raised or _NOTE_ID.search(name)):
        return False
    ids = {
        value for each in [link, *_above(link, 3)] for value in (each.get("id"), each.get("name"))
    }
    ids.discard(None)
    mutual = any((back.get("href") or "").partition("#")[2] in ids for back in home.iter("a"))
    return mutual or any(_says_note(each) for each in [home, *_above(home, 2)])


def _says_note(element: HtmlElement) -> bool:
    stated = (element.get(name) for name in ("role", "epub:type", "class", "rel"))
    return any(_NOTE_WORD.search(value[:200]) for value in stated if value)


def _above(element: HtmlElement, levels: int) -> Iterator[HtmlElement]:
    above = element.getparent()
    while above is not None and levels:
        yield above
        above, levels = above.getparent(), levels - 1


def _find_back_links(
    links: list[tuple[HtmlElement, str]], targets: dict[str, HtmlElement], anchors: LinkTargets
) -> None:
    near_signs = {
        each for sign in anchors.references for each in (sign, *_above(sign, 3), *sign.iter())
    }
    for link, name in links:
        if (
            any(each in anchors.notes for each in _above(link, 6))
            and targets.get(name) in near_signs
        ):
            anchors.back.add(link)


_SCHEMES = frozenset({"http", "https", "mailto"})
_MAX_HREF = 2000
#: An absolute address that joining would leave as it is.
_PLAIN = re.compile(r"https?://[\w.-]+(?::\d+)?/(?!.*/\.)", re.ASCII)
#: One that joining would set behind the site's, and the address of a site.
_ROOTED = re.compile(r"/(?:[\w~%+@:,-][\w.~%+@:,-]*/?)*+(?:\?[\w.~%+@:,=&/-]+)?", re.ASCII)
_SITE = re.compile(r"https?://[\w.-]+(?::\d+)?(?=/)", re.ASCII)


class LinkResolver:
    """Resolves the addresses of one page."""

    def __init__(self, page: Page, anchors: LinkTargets) -> None:
        self.page = page
        self.known = set(anchors.places.values())
        self._resolved: dict[str, str] = {}
        site = _SITE.match(page.base)
        self._site = site[0] if site else ""

    def of(self, element: HtmlElement) -> str:
        """Return where a link leads, '' when that is nowhere a reader could go."""
        href = (element.get("href") or "").strip()
        if not href:
            return ""
        name = fragment(href, self.page)
        if name:
            return f"#{name}" if name in self.known else ""
        return "" if href.startswith("#") else self.resolve(href)

    def resolve(self, href: str) -> str:
        """Return an absolute http(s) or mailto address, '' for any other."""
        found = self._resolved.get(href)
        if found is None:
            found = self._resolved[href] = self._resolve(href)
        return found

    def _resolve(self, href: str) -> str:
        href = href.strip()
        if len(href) > _MAX_HREF:
            return ""
        if not href.isprintable() or " " in href:
            href = "".join(filter(str.isprintable, "".join(href.split())))
        if _PLAIN.match(href):
            return href
        if self._site and _ROOTED.fullmatch(href):
            return self._site + href
        try:
            parts = urlsplit(urljoin(self.page.base, href))
        except ValueError:  # a bracket that opens no IPv6 address
            return ""
        named = parts.netloc or parts.scheme == "mailto"
        return parts.geturl() if parts.scheme in _SCHEMES and named else ""
