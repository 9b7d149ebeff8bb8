"""What a file that was written holds, read back from its bytes as a program would read it."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from lxml import etree, html

from ..article import Article
from ..options import Format
from ..output import CompletenessReport
from ..render.completeness import check_completeness
from ..render.weasy.layout_text import LayoutText
from .math import local_name

_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
#: A formula between two dollar signs or pairs of them, none of which is escaped.
_FORMULA = re.compile(r"(?<!\\)(\$\$?)(?=\S|\n)(?:\\[^\n]|[^$\\])+\1")
_CHAPTER = re.compile(r"book/chapter-\d+\.xhtml")
_JSON_KINDS = {
    "heading": "headings", "figure": "pictures", "table": "tables", "code": "code",
    "math": "formulas", "note": "notes",
}  # fmt: skip

_TEXTS = {
    "span": ("text",), "code": ("text",), "figure": ("credit",),
    "embed": ("title", "author", "published"),
}  # fmt: skip


def compare_with_articles(
    articles: Sequence[Article], format_: Format, data: bytes
) -> CompletenessReport:
    """Compare articles with a file that they were written to."""
    read = {"epub": _epub, "html": _html, "markdown": _markdown, "json": _json}[format_]
    return check_completeness(articles, read(data))


def _epub(data: bytes) -> LayoutText:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        names = [name for name in file.namelist() if _CHAPTER.fullmatch(name)]
        trees = [etree.fromstring(file.read(name), parser) for name in names]
    return _marked_up(trees)


def _html(data: bytes) -> LayoutText:
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
    return _marked_up(html.fromstring(data, parser=parser).iter("article"))


def _markdown(data: bytes) -> LayoutText:
    from markdown_it import MarkdownIt

    text = data.decode()
    notes = re.findall(r"(?m)^\[\^([^\]]+)\]: ", text)
    # Notes are no part of CommonMark: their signs are taken out, their text stays.
    text = re.sub(r"\[\^[^\]\s]+\](?:: )?", "", text)
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    reader.normalizeLink = str  # type: ignore[assignment,method-assign]
    rendered = reader.render(text)
    laid = _marked_up([html.fromstring(f"<div>{rendered}</div>")])
    things = {**laid.counts, "notes": len(notes)}
    things["formulas"] = len(_FORMULA.findall(text))
    return LayoutText(laid.text, things, laid.targets)


def _marked_up(trees: Any) -> LayoutText:
    """Read elements: what they say, how many of each kind there are, where their links lead."""
    texts: list[str] = []
    things: Counter[str] = Counter()
    targets: set[str] = set()
    for tree in trees:
        for element in tree.iter(etree.Element):
            tag = local_name(element)
            things[_kind(element, tag)] += 1
            if tag == "a" and (href := element.get("href")):
                targets.add(href)
        texts.append("".join(map(str, tree.itertext())))
    return LayoutText("\n".join(texts), dict(things), frozenset(targets))


def _kind(element: etree._Element, tag: str) -> str:
    if tag in _HEADINGS:
        above = element.getparent()
        ours = above is not None and above.get("class") == "notes"
        return "" if ours else "headings"
    if tag == "img":
        return "formulas" if element.get("class") == "math" else "pictures"
    if tag == "math" or (tag == "span" and element.get("class") == "math"):
        return "formulas"
    return {"pre": "code", "table": "tables", "aside": "notes"}.get(tag, "")


def _json(data: bytes) -> LayoutText:
    articles = json.loads(data)
    texts: list[str] = []
    things: Counter[str] = Counter()
    targets: set[str] = set()
    for article in articles if isinstance(articles, list) else [articles]:
        texts += [article["title"], article["byline"]]
        for piece in _values(article["blocks"]):
            things[_JSON_KINDS.get(piece.get("type", ""), "")] += 1
            things["formulas"] += piece.get("type") == "span" and bool(piece.get("math"))
            targets.add(piece.get("href", ""))
            texts += [
                value for name, value in piece.items()
                if name in _TEXTS.get(piece.get("type", ""), ()) and isinstance(value, str)
            ]  # fmt: skip
    return LayoutText("".join(texts), dict(things), frozenset(targets))


def _values(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object of data, outermost first."""
    if isinstance(value, list):
        for each in value:
            yield from _values(each)
    elif isinstance(value, dict):
        yield value
        for each in value.values():
            yield from _values(each)
