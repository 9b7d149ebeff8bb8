"""What a page's ``meta``, ``link`` and ``title`` elements state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lxml.html import HtmlElement

from ...text import clean_attribute

#: Elements looked at; a page with more states nothing that matters in the rest.
MOST_ELEMENTS = 2_000
_MOST_VALUES = 20
_KINDS = frozenset({"property", "name", "itemprop", "http-equiv"})
_DRAWINGS = frozenset({"svg", "symbol", "g", "path", "use"})


@dataclass(frozen=True, slots=True)
class Head:
    """A page's statements by lower-case name, in document order, as they stand there."""

    title: str = ""
    canonical: str = ""
    metas: dict[str, list[str]] = field(default_factory=dict)

    def all(self, *names: str, limit: int = 500) -> list[str]:
        """Return every value of the first of ``names`` that states one."""
        for name in names:
            stated = self.metas.get(name)
            if stated:
                values = [value for raw in stated if (value := clean_attribute(raw, limit))]
                if values:
                    return values
        return []

    def each(self, names: Iterable[str], limit: int = 500) -> Iterator[list[str]]:
        """Yield the values stated under each of ``names`` that is stated."""
        for name in names:
            if name in self.metas:
                yield self.all(name, limit=limit)

    def first(self, *names: str, limit: int = 500) -> str:
        """Return the first value stated under ``names``, or ''."""
        return next(iter(self.all(*names, limit=limit)), "")


def read_head(tree: HtmlElement) -> Head:
    """Read a page's head; such elements in the body count as well, as browsers put them there."""
    metas: dict[str, list[str]] = {}
    canonical = ""
    for number, element in enumerate(tree.iter("meta", "link")):
        if number >= MOST_ELEMENTS:
            break
        if element.tag == "link":
            if not canonical and "canonical" in (element.get("rel") or "").lower().split():
                canonical = element.get("href") or ""
            continue
        content = element.get("content")
        if content:
            for kind, names in element.items():
                if kind in _KINDS:
                    _add(metas, names, content)
    return Head(_title(tree), canonical, metas)


def _title(tree: HtmlElement) -> str:
    """Return the document's title, which is never that of a drawing."""
    for element in tree.iter("title"):
        parent = element.getparent()
        if parent is None or parent.tag not in _DRAWINGS:
            text = clean_attribute("".join(element.itertext()))
            if text:
                return text
    return ""


def _add(metas: dict[str, list[str]], names: str, content: str) -> None:
    for name in names[:200].lower().split():
        values = metas.setdefault(name, [])
        if len(values) < _MOST_VALUES:
            values.append(content)
