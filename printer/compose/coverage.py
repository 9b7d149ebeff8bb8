"""An audit of extraction: content of a page that is missing from its article.

The page is read again, independently of composition.  Words are compared three at a time, so that
reference marks and formulas between them do not matter.  Content of the article's own container
that was not selected is reported, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from itertools import compress, islice
from urllib.parse import unquote

from lxml.html import HtmlElement

from ..article import (
    Article,
    Code,
    Embed,
    Figure,
    Heading,
    Math,
    Note,
    Table,
    block_spans,
    iter_spans,
    iter_text,
    plain_text,
    walk,
)
from ..html.index import Leaf, Segment
from ..html.page import Page
from ..html.visibility import HEADING_TAGS
from ..output import ContentCounts, Loss
from ..selection import PlacedFigure, Verdict
from ..text import WORD, comparison_key
from ..urls import is_http
from .block_builders import is_code_table, is_code_title_bar, is_source_link
from .embeds import PICTURE_ADDRESS
from .footnotes import InternalTargets, LinkResolver, fragment
from .math import FormulaSource, read_formula
from .tables import arranges_list, holds_equations, is_data

#: In total; text beyond this counts as present.
_MAX_SEARCHED_CHARS = 300_000_000
#: A text is first searched for within this distance of the previous one.
_MAX_NEAR_CHARS = 20_000


class _ArticleText:
    """The letters and digits of an article, searched in bounded time."""

    def __init__(self, article: Article) -> None:
        self.text = comparison_key(" ".join(_texts(article)))
        self.position, self.budget = 0, _MAX_SEARCHED_CHARS

    def __contains__(self, key: str) -> bool:
        position = self.text.find(key, self.position, self.position + _MAX_NEAR_CHARS + len(key))
        if position >= 0:
            self.position = position + len(key)
            return True
        self.budget -= len(self.text) + _MAX_NEAR_CHARS
        return self.budget < 0 or key in self.text


def check_coverage(
    page: Page,
    verdict: Verdict,
    pictures: tuple[PlacedFigure, ...],
    article: Article,
    excluded: Set[HtmlElement] = frozenset(),
) -> Loss:
    """Return the content of a page that is missing from its article.

    This is content that was selected, and content of the article's own container that was not.
    Text of the ``excluded`` elements does not count as missing.
    """
    captions = frozenset[int]().union(*(placed.captions for placed in pictures))
    segments = _expected_segments(page, verdict, captions, excluded)
    text = _ArticleText(article)
    titles = _titles(page, article)
    lines = {segment.text: segment for segment in segments}.values()
    missing = _missing_words(lines, text, titles)
    contexts = [_nearest(leaf) for segment in segments for leaf in segment.leaves]
    headings = dict.fromkeys(context["heading"] for context in contexts if "heading" in context)
    links = dict.fromkeys(context["link"] for context in contexts if "link" in context)
    code_links = {
        context["link"] for context in contexts if "link" in context and "code" in context
    }
    tables = {context["table"] for context in contexts if "table" in context}
    code = {context["code"] for context in contexts if "code" in context and "table" not in context}
    data_tables = sum(
        is_data(table)
        and not (is_code_table(table) or holds_equations(table) or arranges_list(table))
        for table in tables
    )
    kinds = Counter(map(type, walk(article.blocks)))
    missing_content = ContentCounts(
        words=sum(missing.values()),
        headings=_missing_headings(headings, article, text, titles),
        pictures=max(0, len(pictures) - len(article.figures)),
        tables=max(0, data_tables - kinds[Table]),
        code=max(0, sum(not is_code_title_bar(element) for element in code) - kinds[Code]),
        formulas=_missing_formulas(segments, page, article, text),
        notes=_missing_notes(links, page, text),
        links=_missing_links(links.keys() - code_links, page, article),
    )
    return Loss(missing_content, tuple(missing))


def _expected_segments(
    page: Page, verdict: Verdict, captions: Set[int], excluded: Set[HtmlElement]
) -> list[Segment]:
    """Return the segments whose text the article should have, without captions."""

    def is_expected(segment: Segment) -> bool:
        is_excluded = any(leaf.element in excluded for leaf in segment.leaves)
        return segment.index not in captions and not is_excluded

    segments = list(filter(is_expected, compress(page.segments, verdict.keep)))
    while segments and segments[-1].block.tag in HEADING_TAGS:  # a heading with nothing below it
        segments.pop()
    return [*segments, *filter(is_expected, find_omissions(page, verdict))]


def _missing_words(
    segments: Iterable[Segment], text: _ArticleText, titles: Set[str]
) -> dict[str, int]:
    """Return the lines with words that the article lacks, and how many."""
    keys = ((segment, comparison_key(segment.text)) for segment in segments)
    counts = {
        segment.text: _count_missing_words(_printed_text(segment), text)
        for segment, key in keys
        if key not in text and key not in titles
    }
    return {line: count for line, count in counts.items() if count}


def _texts(article: Article) -> Iterator[str]:
    """Yield all text of an article, with captions and formula sources."""
    yield from (article.title, article.byline, article.site, article.published)
    yield from iter_text(*article.blocks)
    for block in walk(article.blocks):
        match block:
            case Figure():
                yield from (block.caption, block.credit, block.alt)
            case Math():
                yield from (block.source, block.alt)
            case Note():
                yield block.heading
        yield from (getattr(block, name, "") for name in ("title", "author", "published"))
        for spans in block_spans(block):
            yield from (f"{span.math} {span.text}" for span in spans if span.math)
            if any(span.ruby for span in spans):
                yield "".join(f"{span.text}{span.ruby}" for span in spans)
            if any(span.math for span in spans):
                yield "".join(span.text for span in spans if not span.math)


_REFERENCE_MARK = re.compile(r"[\[(]?\s*(?:\d{1,3}|[*†‡§])\s*[\])]?")


def _is_left_out(href: str, text: str) -> bool:
    """Return whether a link is left out on purpose, as the address of a post's picture is."""
    return is_source_link(href, text) or PICTURE_ADDRESS.fullmatch(text) is not None


def _printed_text(segment: Segment) -> str:
    """Return a segment's text without links that are not printed, and repeated note marks."""
    texts: list[str] = []
    for leaf in segment.leaves:
        is_mark = _REFERENCE_MARK.fullmatch(leaf.text) is not None
        if is_mark and texts and leaf.text == texts[-1].strip():
            continue
        link = _nearest(leaf).get("link")
        href = "" if link is None else link.get("href") or ""
        if href.startswith("#") or _is_left_out(href, leaf.text):
            continue
        texts.append(f" {leaf.text} " if is_mark else leaf.text)
    return "".join(texts)


#: Labels of notes and list items, which are numbered anew in the article.
_LABEL = re.compile(r"\d{1,4}|[a-z]", re.IGNORECASE | re.ASCII)
_INVISIBLE = re.compile("[\xad\u200b\u200c\u200d\u2060\ufeff]+")


def _count_missing_words(text: str, article_text: _ArticleText) -> int:
    """Count the words of a text that are in none of its word triples found in the article."""
    words = WORD.findall(_INVISIBLE.sub("", text))
    present = [False] * len(words)
    size = min(3, len(words))
    for start in range(len(words) - size + 1):
        if comparison_key("".join(words[start : start + size])) in article_text:
            present[start : start + size] = [True] * size
    return sum(
        not is_present and not _LABEL.fullmatch(word)
        for word, is_present in zip(words, present, strict=True)
    )


_MAX_HEADINGS = 2_000


def _titles(page: Page, article: Article) -> frozenset[str]:
    """Return the headings that are the title, with or without a kicker before it."""
    title = comparison_key(article.title)
    if not title:
        return frozenset()
    elements = islice(page.tree.iter(*HEADING_TAGS), _MAX_HEADINGS)
    keys = (comparison_key(_text(element)) for element in elements)
    return frozenset(key for key in keys if key.endswith(title))


def _missing_headings(
    headings: Iterable[HtmlElement], article: Article, text: _ArticleText, titles: Set[str]
) -> int:
    blocks = (block for block in walk(article.blocks) if isinstance(block, Heading))
    present = [*(plain_text(block.spans) for block in blocks), article.title]
    present_keys = "\n".join(map(comparison_key, present))
    keys = set(map(_heading_key, islice(headings, _MAX_HEADINGS))) - titles
    return sum(bool(key) and key not in present_keys and key not in text for key in keys)


def _heading_key(heading: HtmlElement) -> str:
    """Return the letters and digits of a heading without links at its end to its source."""
    key = comparison_key(_text(heading))
    for link in reversed(list(islice(heading.iter("a"), 20))):
        text = _text(link)
        if is_source_link(link.get("href") or "", text):
            key = key.removesuffix(comparison_key(text))
    return key


_MAX_FORMULA_ELEMENTS = 50_000


def _missing_formulas(
    segments: list[Segment], page: Page, article: Article, text: _ArticleText
) -> int:
    """Count the formulas in selected blocks that the article has neither as formula nor as text."""
    selected = {segment.block for segment in segments}
    present = {span.math for span in iter_spans(article.blocks)}
    present |= {block.source for block in walk(article.blocks) if isinstance(block, Math)}
    formulas: list[FormulaSource] = []
    last: HtmlElement | None = None  # the last formula's element, whose descendants are skipped
    for element in islice(page.tree.iter("math", "script", "img", "span"), _MAX_FORMULA_ELEMENTS):
        if last is not None and last in islice(element.iterancestors(), 12):
            continue
        formula = read_formula(element)
        if formula is not None and selected.intersection(islice(element.iterancestors(), 6)):
            last = element
            formulas.append(formula)
    return sum(
        formula.source not in present
        and not ((key := comparison_key(formula.text)) and key in text)
        for formula in formulas
    )


def _missing_links(links: Iterable[HtmlElement], page: Page, article: Article) -> int:
    """Count the URLs linked from selected words but from nowhere in the article."""
    present = {unquote(span.href) for span in iter_spans(article.blocks)}
    present |= {unquote(block.url) for block in walk(article.blocks) if isinstance(block, Embed)}
    resolver = LinkResolver(page, InternalTargets())
    targets = {
        unquote(resolver.target(link))
        for link in links
        if any(map(str.isalnum, text := _text(link)))
        and not _is_left_out(link.get("href") or "", text)
    }
    return len({target for target in targets if is_http(target)} - present)


def _missing_notes(links: Iterable[HtmlElement], page: Page, text: _ArticleText) -> int:
    """Count the notes with selected reference marks whose text is missing."""
    marks = (link for link in links if _REFERENCE_MARK.fullmatch(_text(link).strip()))
    names = {fragment((mark.get("href") or "").strip(), page) for mark in marks} - {""}
    missing = 0
    for element in page.tree.iter("li", "p", "div", "aside", "dd") if names else ():
        if element.get("id") in names:
            key = comparison_key(_text(element))[:2000].lstrip("0123456789")
            missing += len(key) > 40 and key[20:40] not in text
    return missing


def _text(element: HtmlElement) -> str:
    return "".join(islice(map(str, element.itertext()), 2000))


_KINDS = {
    "a": "link",
    "table": "table",
    **dict.fromkeys(HEADING_TAGS, "heading"),
    **dict.fromkeys(("pre", "listing", "xmp"), "code"),
}


def _nearest(leaf: Leaf) -> dict[str, HtmlElement]:
    """Return the nearest heading, table, code and link around a text node, by kind."""
    nearest: dict[str, HtmlElement] = {}
    for element in (leaf.parent, *islice(leaf.parent.iterancestors(), 29)):
        if kind := _KINDS.get(element.tag):
            nearest.setdefault(kind, element)
    return nearest


#: Kinds of pages that are one text.
_READ_KINDS = frozenset({"article", "documentation"})
_MIN_CONTAINER_PARAGRAPHS = 3
_PARTS = frozenset({"pre", "table", "ul", "ol", "dl", "blockquote"})
_MAX_LEVELS_TO_CONTAINER = 30


def find_omissions(page: Page, verdict: Verdict) -> list[Segment]:
    """Return the segments of the article's container that should have been selected.

    The container holds most of the selected paragraphs.  Its code, its tables of data, its lists
    and its paragraphs that are marked like the selected ones belong to the article, unless they
    are links, or were dropped as notices.
    """
    flags = list(zip(page.segments, verdict.keep, strict=True))
    paragraphs = [segment.block for segment, keep in flags if keep and segment.block.tag == "p"]
    parents = Counter(block.getparent() for block in paragraphs)
    container, count = next(iter(parents.most_common(1)), (None, 0))
    if container is None or count < _MIN_CONTAINER_PARAGRAPHS or verdict.kind not in _READ_KINDS:
        return []
    classes = {block.get("class") for block in paragraphs if block.getparent() is container}
    parts: dict[HtmlElement, list[Segment]] = {}
    for segment, keep in flags:
        if keep or segment.index in verdict.notices:
            continue
        part = _part_of(segment, container)
        if part is not None and (part.tag != "p" or part.get("class") in classes):
            parts.setdefault(part, []).append(segment)
    return [segment for part, segments_inside in parts.items() if _is_content(part, segments_inside)
            for segment in segments_inside]  # fmt: skip


def _part_of(segment: Segment, container: HtmlElement) -> HtmlElement | None:
    """Return the paragraph, code, table or list of the container that a segment is in."""
    block = segment.block
    if block.tag == "p" and block.getparent() is container:
        return block
    part = None
    for element in (block, *islice(block.iterancestors(), _MAX_LEVELS_TO_CONTAINER)):
        if element is container:
            return part
        if element.tag in _PARTS and (
            element.tag in {"pre", "table"} or element.getparent() is container
        ):
            part = element
    return None


# Shorter paragraphs, and those with more links, may be missing.
_MIN_WORDS = 12
_MAX_LINK_SHARE = 0.3


def _is_content(part: HtmlElement, segments: list[Segment]) -> bool:
    text = " ".join(segment.text for segment in segments)
    links = sum(segment.link_chars for segment in segments)
    is_long_enough = part.tag == "pre" or len(WORD.findall(text)) >= _MIN_WORDS
    plain = links < _MAX_LINK_SHARE * len(text) and "://" not in text[:10]
    return is_long_enough and plain and (part.tag != "table" or is_data(part))
