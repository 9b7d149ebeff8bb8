"""Articles in formats other than PDF: EPUB, a page of HTML, Markdown, JSON.

Like PDF, each is written from the article alone and contains none of the page's own markup.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from lxml import etree
from lxml.html import HTMLParser, fromstring

from ..article import Article, from_data
from ..html.parse import local_name, xml_parser
from ..options import Format
from ..output import CompletenessReport, Picture, PrintedContent
from ..render.completeness import check_completeness, count_items, iter_pieces, link_targets
from ..render.markup import HEADINGS


def export_articles(
    articles: Sequence[Article],
    format_: Format,
    pictures: Mapping[str, Picture],
    *,
    title: str = "",
    fetched: datetime | None = None,
) -> tuple[bytes, CompletenessReport]:
    """Return articles in a format, and a report of the content read back from the result.

    Several are chapters of a book, parts of a page or items of a list, with one ``title`` together.
    ``pictures`` has the prepared ones by ``Figure.src``, or ``Figure.svg``.
    """
    match format_:
        case "epub":
            from .epub import to_epub

            data = to_epub(articles, pictures, title=title, fetched=fetched)
        case "html":
            from .html import to_html

            text = to_html(articles, pictures, title=title, fetched=fetched)
            data = text.encode("utf-8", "replace")
        case "markdown":
            from .markdown import to_markdown

            data = to_markdown(*articles).encode("utf-8", "replace")
        case _:
            data = to_json(articles)
    return data, compare_with_articles(articles, format_, data)


def to_json(articles: Sequence[Article]) -> bytes:
    """Return an article as JSON, or several as a list."""
    data = [article.to_dict() for article in articles]
    text = json.dumps(data if len(data) > 1 else data[0], ensure_ascii=False, indent=2)
    return (text + "\n").encode("utf-8", "replace")


# The content of exported files, parsed back from the bytes

_CHAPTER = re.compile(r"book/chapter-\d+\.xhtml")
#: A formula between unescaped single or double dollars.
_FORMULA = re.compile(r"(?<!\\)(\$\$?)(?=\S|\n)(?:\\[^\n]|[^$\\])+\1")


def compare_with_articles(
    articles: Sequence[Article], format_: Format, data: bytes
) -> CompletenessReport:
    read = {"epub": _read_epub, "html": _read_html, "markdown": _read_markdown, "json": _read_json}
    return check_completeness(articles, read[format_](data))


def _read_epub(data: bytes) -> PrintedContent:
    parser = xml_parser(huge_tree=True)
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        names = [name for name in file.namelist() if _CHAPTER.fullmatch(name)]
        return _read_trees([etree.fromstring(file.read(name), parser) for name in names])


def _read_html(data: bytes) -> PrintedContent:
    parser = HTMLParser(encoding="utf-8", huge_tree=True)
    return _read_trees(fromstring(data, parser=parser).iter("article"))


def _read_markdown(data: bytes) -> PrintedContent:
    from markdown_it import MarkdownIt

    text = data.decode()
    notes = re.findall(r"(?m)^\[\^([^\]]+)\]: ", text)
    # CommonMark has no notes: their marks are removed and their text is kept.
    text = re.sub(r"(?<!\\)\[\^[^\]\s]+\](?:: )?", "", text)
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.normalizeLink = str  # type: ignore[assignment,method-assign]
    texts = _read_trees([fromstring(f"<div>{parser.render(text)}</div>")])
    texts.counts.update(notes=len(set(notes)), formulas=len(_FORMULA.findall(text)))
    return texts


_ELEMENT_KINDS = {"pre": "code", "table": "tables", "aside": "notes", "math": "formulas"}


def _read_trees(trees: Iterable[etree._Element]) -> PrintedContent:
    texts: list[str] = []
    counts: Counter[str] = Counter()
    targets: set[str] = set()
    for tree in trees:
        for element in tree.iter(etree.Element):
            tag = local_name(element)
            counts[_kind(element, tag)] += 1
            if tag == "a" and (href := element.get("href")):
                targets.add(href)
        texts.append("".join(map(str, tree.itertext())))
    return PrintedContent("\n".join(texts), dict(counts), frozenset(targets))


def _kind(element: etree._Element, tag: str) -> str:
    if tag in HEADINGS:
        parent = element.getparent()
        return "" if parent is not None and parent.get("class") == "notes" else "headings"
    is_math = element.get("class") == "math"
    if tag == "img":
        return "formulas" if is_math else "pictures"
    return "formulas" if tag == "span" and is_math else _ELEMENT_KINDS.get(tag, "")


def _read_json(data: bytes) -> PrintedContent:
    parsed = json.loads(data)
    texts: list[str] = []
    counts: Counter[str] = Counter()
    targets: set[str] = set()
    for values in parsed if isinstance(parsed, list) else [parsed]:
        blocks = tuple(map(from_data, values["blocks"]))
        article = Article(values["title"], blocks, byline=values["byline"])
        texts += iter_pieces(article)
        counts.update(count_items(article))
        targets.update(link_targets(article))
    return PrintedContent("\n".join(texts), dict(counts), frozenset(targets))
