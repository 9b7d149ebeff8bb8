"""Posts from elsewhere that a page quotes, and panels of which a page shows one at a time.

A post is a ``blockquote`` whose class says so, with the address it came from: in an attribute, or
in the last link of the line that names its author.  What sites call theirs is not looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

from lxml.html import HtmlElement

from ..article import Block, Heading, Paragraph, Span, plain_text
from .block_builders import BlockBuffer
from .inline import clean_line

_TABS = re.compile(r"(?:^|[\s_-])tabs?(?:$|[\s_-])", re.IGNORECASE)
#: Most tabs whose labels are read, and the longest label.
_MOST_TABS, _LONGEST = 500, 100
#: Most rows of tabs that are told by their class.
_MOST_ROWS = 100
#: The level of a label, which :func:`.finish.finish` raises to the next below the heading before.
LOWEST = 6


class PanelBuilder:
    """Gathers one of several panels, opened, under its label."""

    def __init__(self, label: str) -> None:
        self.flow = BlockBuffer()
        self.open = 0
        self.label = label

    def part(self, _: HtmlElement) -> None:
        """Have no parts."""

    def blocks(self) -> list[Block]:
        """Return the label as a heading under the one before, then the panel."""
        inside = list(self.flow.take())
        if not (inside and self.label):
            return inside
        return [Heading(LOWEST, (Span(self.label),)), *inside]


class TabListBuilder:
    """Gathers the row of labels, which stand above their panels instead."""

    def __init__(self, tabs: Tabs) -> None:
        self.flow = BlockBuffer()
        self.open = 0
        self.labels = frozenset((*tabs.names.values(), *tabs.panels.values()))

    def part(self, _: HtmlElement) -> None:
        """Have no parts."""

    def blocks(self) -> list[Block]:
        """Return what is no label; an accordion has its panels here too."""
        return [block for block in self.flow.take() if not self._is_label(block)]

    def _is_label(self, block: Block) -> bool:
        if not isinstance(block, Paragraph | Heading) or plain_text(block.spans) not in self.labels:
            return False
        return not isinstance(block, Heading) or block.level < LOWEST


@dataclass(slots=True)
class Tabs:
    """The labels of tabs: by the ids of a tab and its panel, or by the panel where it has none.

    Where no roles say what they are, ``rows`` are the lists of labels, ``ids`` those of panels.
    """

    names: dict[str, str] = field(default_factory=dict)
    panels: dict[HtmlElement, str] = field(default_factory=dict)
    rows: set[HtmlElement] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)

    def has_panel(self, element: HtmlElement) -> bool:
        """Tell whether an element is a panel, though no role says so."""
        return element in self.panels or (element.get("id") or "") in self.ids


def read_tabs(tree: HtmlElement) -> Tabs:
    """Read the labels of a page's tabs."""
    found = Tabs()
    tabs = (element for element in tree.iter() if element.get("role") == "tab")
    loose: dict[HtmlElement, list[str]] = {}  # tabs without ids, by the row they stand in
    for tab in islice(tabs, _MOST_TABS):
        text = "".join(islice((str(piece) for piece in tab.itertext()), 20))
        label = clean_line(text[:_LONGEST])
        target = tab.get("aria-controls") or (tab.get("href") or "").removeprefix("#")
        names = [name[:200] for name in (tab.get("id") or "", target) if name]
        for name in names if label else ():
            found.names.setdefault(name, label)
        row = next(
            (up for up in islice(tab.iterancestors(), 3) if up.get("role") == "tablist"), None
        )
        if row is not None and label and not names:
            loose.setdefault(row, []).append(label)
    for row, labels in loose.items():
        found.panels.update(_in_order(row, labels))
    _read_unmarked(tree, found)
    return found


def _read_unmarked(tree: HtmlElement, found: Tabs) -> None:
    """Read rows of tabs that only their class tells: links to places that stand side by side."""
    named = (element for element in tree.iter("ul", "ol", "div", "nav")
             if "tab" in (element.get("class") or "")[:300].lower())  # fmt: skip
    for row in islice(named, _MOST_ROWS):
        if not _TABS.search(row.get("class")[:300]) or row.get("role"):
            continue
        links = [each for each in islice(row.iter(), 200) if each.tag in ("a", "button")]
        labels = {_target(link): clean_line("".join(islice(link.itertext(), 20))[:_LONGEST])
                  for link in links}  # fmt: skip
        if len(labels) < 2 or len(labels) < len(links) or not all(map(all, labels.items())):
            continue
        # The panels follow the row, or what the row stands in, side by side or in a box of theirs.
        around = [each for up in (row, row.getparent()) if up is not None
                  for each in islice(up.itersiblings(), 50)]  # fmt: skip
        panels = {each.get("id") for box in around for each in (box, *islice(box, 50))}
        if labels.keys() <= panels:
            found.names |= labels
            found.ids |= labels.keys()
            found.rows.add(row)


def _target(link: HtmlElement) -> str:
    """Return the id of what a tab shows, '' when it names none."""
    stated = (link.get("data-target") or link.get("data-tab") or link.get("data-bs-target")
              or link.get("href") or "")  # fmt: skip
    marked = link.tag == "button" or link.get("data-tab")
    return stated.removeprefix("#")[:200] if stated.startswith("#") or marked else ""


def _in_order(row: HtmlElement, labels: list[str]) -> dict[HtmlElement, str]:
    """Return the elements after a row of tabs, if they are alike and one for each tab."""
    after = list(islice(row.itersiblings(), len(labels)))
    alike = {(element.tag, element.get("class")) for element in after}
    return (
        dict(zip(after, labels, strict=True)) if len(after) == len(labels) > 1 == len(alike) else {}
    )


def label_of(panel: HtmlElement, tabs: Tabs) -> str:
    """Return a panel's label, '' when none is found."""
    if panel in tabs.panels:
        return tabs.panels[panel]
    named = (panel.get("aria-labelledby") or "").split()[:5]
    for name in (*named, panel.get("id") or ""):
        if found := tabs.names.get(name[:200]):
            return found
    return clean_line((panel.get("aria-label") or "")[:_LONGEST])
