"""Tabs and accordions: panels that a page shows one at a time, printed below their labels."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

from lxml.html import HtmlElement

from ..article import Block, Heading, Paragraph, Span, plain_text
from .block_builders import BlockBuilder
from .inline import readable_line

_TABS = re.compile(r"(?:^|[\s_-])tabs?(?:$|[\s_-])", re.IGNORECASE)
_MAX_TABS, _MAX_LABEL, _MAX_NAME = 500, 100, 200
#: The most rows of tabs recognised by class alone.
_MAX_ROWS = 100
#: The level of a label's heading; postprocessing raises it to one below the previous heading.
LABEL_LEVEL = 6


@dataclass(slots=True)
class Tabs:
    """The tabs of a page.

    Attributes:
        labels: The labels, by the ids of tabs and their panels.
        panels: The labels of panels without ids.
        rows: The rows of tabs without roles.
        ids: The ids of the panels of these rows.
    """

    labels: dict[str, str] = field(default_factory=dict)
    panels: dict[HtmlElement, str] = field(default_factory=dict)
    rows: set[HtmlElement] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)

    def has_panel(self, element: HtmlElement) -> bool:
        """Return whether an element without a role is a panel."""
        return element in self.panels or (element.get("id") or "") in self.ids


class PanelBuilder(BlockBuilder):
    """Builds a panel below its label."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self.label = label

    def build(self) -> list[Block]:
        """Return the label as a heading, then the panel's blocks."""
        blocks = list(self.buffer.take())
        if not (blocks and self.label):
            return blocks
        return [Heading(LABEL_LEVEL, (Span(self.label),)), *blocks]


class TabListBuilder(BlockBuilder):
    """Builds a row of tabs without the labels, which are printed above their panels."""

    def __init__(self, tabs: Tabs) -> None:
        super().__init__()
        self.labels = frozenset((*tabs.labels.values(), *tabs.panels.values()))

    def build(self) -> list[Block]:
        """Return the blocks that are not labels, such as the panels of an accordion."""
        return [block for block in self.buffer.take() if not self._is_label(block)]

    def _is_label(self, block: Block) -> bool:
        if not isinstance(block, Paragraph | Heading) or plain_text(block.spans) not in self.labels:
            return False
        return not isinstance(block, Heading) or block.level < LABEL_LEVEL


def read_tabs(tree: HtmlElement) -> Tabs:
    """Read the tabs of a page."""
    found = Tabs()
    tabs = (element for element in tree.iter() if element.get("role") == "tab")
    unnamed: dict[HtmlElement, list[str]] = {}  # the labels of tabs without ids, by row
    for tab in islice(tabs, _MAX_TABS):
        label = _text(tab)
        target = tab.get("aria-controls") or (tab.get("href") or "").removeprefix("#")
        names = [name[:_MAX_NAME] for name in (tab.get("id") or "", target) if name]
        for name in names if label else ():
            found.labels.setdefault(name, label)
        ancestors = islice(tab.iterancestors(), 3)
        row = next((element for element in ancestors if element.get("role") == "tablist"), None)
        if row is not None and label and not names:
            unnamed.setdefault(row, []).append(label)
    for row, labels in unnamed.items():
        found.panels.update(_following_panels(row, labels))
    _read_rows_by_class(tree, found)
    return found


def _read_rows_by_class(tree: HtmlElement, found: Tabs) -> None:
    """Read tabs without roles: rows of links, marked by class, to sibling elements."""
    rows = (
        element
        for element in tree.iter("ul", "ol", "div", "nav")
        if "tab" in (element.get("class") or "")[:300].lower()
    )
    for row in islice(rows, _MAX_ROWS):
        if not _TABS.search(row.get("class")[:300]) or row.get("role"):
            continue
        links = [child for child in islice(row.iter(), 200) if child.tag in ("a", "button")]
        labels = {_target(link): _text(link) for link in links}
        if len(labels) < 2 or len(labels) < len(links) or not all(map(all, labels.items())):
            continue
        # The panels follow the row or its parent, side by side or in a box.
        siblings = list(islice(row.itersiblings(), 50))
        if (parent := row.getparent()) is not None:
            siblings += islice(parent.itersiblings(), 50)
        panels = {
            element.get("id") for sibling in siblings for element in (sibling, *islice(sibling, 50))
        }
        if labels.keys() <= panels:
            found.labels |= labels
            found.ids |= labels.keys()
            found.rows.add(row)


def _text(element: HtmlElement) -> str:
    return readable_line("".join(map(str, islice(element.itertext(), 20)))[:_MAX_LABEL])


def _target(link: HtmlElement) -> str:
    """Return the id of a tab's panel, '' for none."""
    stated = (
        link.get("data-target")
        or link.get("data-tab")
        or link.get("data-bs-target")
        or link.get("href")
        or ""
    )
    is_id = stated.startswith("#") or link.tag == "button" or link.get("data-tab")
    return stated.removeprefix("#")[:_MAX_NAME] if is_id else ""


def _following_panels(row: HtmlElement, labels: list[str]) -> dict[HtmlElement, str]:
    """Return the elements after a row of tabs if they are alike and there is one for each label."""
    panels = list(islice(row.itersiblings(), len(labels)))
    kinds = {(element.tag, element.get("class")) for element in panels}
    if len(panels) == len(labels) > 1 == len(kinds):
        return dict(zip(panels, labels, strict=True))
    return {}


def label_of(panel: HtmlElement, tabs: Tabs) -> str:
    """Return a panel's label, '' if it has none."""
    if panel in tabs.panels:
        return tabs.panels[panel]
    names = (panel.get("aria-labelledby") or "").split()[:5]
    for name in (*names, panel.get("id") or ""):
        if label := tabs.labels.get(name[:_MAX_NAME]):
            return label
    return readable_line((panel.get("aria-label") or "")[:_MAX_LABEL])
