"""What a page's chosen text held and its article does not: the loss of composition.

This reads the page again, on its own: it trusts nothing that composition noted.  Words are compared
three at a time, so that a sign of a note or a formula between them does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from itertools import islice
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
    iter_text,
    plain_text,
    walk,
)
from ..html.index import Leaf, Segment
from ..html.page import Page
from ..output import CompletenessReport, ContentCounts
from ..selection import PlacedFigure, Verdict
from .code import is_code_table
from .footnotes import LinkResolver, LinkTargets, fragment
from .math import Formula, read_formula
from .tables import is_data

_WORD = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\U00020000-\U0003ffff]|[^\\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff]+"
)
#: Labels of notes and list items, which the article numbers itself.
_LABEL = re.compile(r"\d{1,4}|[a-z]", re.IGNORECASE | re.ASCII)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_CODE = frozenset({"pre", "listing", "xmp"})
_TABLE, _LINK = frozenset({"table"}), frozenset({"a"})
#: What calls a note.
_SIGN = re.compile(r"[\[(]?\s*(?:\d{1,3}|[*†‡§])\s*[\])]?")
_UNSEEN = re.compile("[\xad\u200b\u200c\u200d\u2060\ufeff]+")

#: The heading of notes is not longer than this.
_SHORT = 30

#: So many characters are searched at most; what is not searched for then is not called lost.
_SEARCHED = 300_000_000

#: Elements looked at for formulas.
_MOST_FORMULAS = 50_000

#: A piece is expected so near after the one before.
_NEAR = 20_000


class _Said:
    """What an article says, squeezed to letters and digits, to be searched in bounded time."""

    __slots__ = ("at", "left", "text")

    def __init__(self, text: str) -> None:
        self.text = _squeezed(text)
        self.at, self.left = 0, _SEARCHED

    def __contains__(self, piece: str) -> bool:
        place = self.text.find(piece, self.at, self.at + _NEAR + len(piece))
        if place >= 0:
            self.at = place + len(piece)
            return True
        self.left -= len(self.text) + _NEAR
        return self.left < 0 or piece in self.text


def check_coverage(
    page: Page,
    verdict: Verdict,
    pictures: tuple[PlacedFigure, ...],
    article: Article,
    excluded: Set[HtmlElement] = frozenset(),
) -> CompletenessReport:
    """Return what of a page's choice is not in its article, but for the elements ``apart``.

    Only what is missing is counted, in the report's ``article``; its ``printed`` is nought.
    """
    captions = frozenset[int]().union(*(placed.captions for placed in pictures))
    kept = [
        segment
        for segment, keep in zip(page.segments, verdict.keep, strict=True)
        if keep
        and segment.index not in captions
        and not any(leaf.element in excluded for leaf in segment.leaves)
    ]
    while kept and kept[-1].block.tag in _HEADINGS:  # a heading of nothing
        kept.pop()
    said = _Said(" ".join(_said(article)))
    above_notes = _note_heading(kept, article)
    words = 0
    missing: list[str] = []
    for segment in {segment.text: segment for segment in kept}.values():
        if segment is above_notes or _squeezed(segment.text) in said:
            continue
        gone = _gone(_without_jumps(segment), said)
        words += gone
        if gone:
            missing.append(segment.text)
    leaves = [leaf for segment in kept for leaf in segment.leaves]
    held = ContentCounts(
        words=words,
        headings=_headings(leaves, article, said, above_notes),
        pictures=max(0, len(pictures) - len(article.figures)),
        **_boxes(leaves, article),
        formulas=_formulas(kept, page, article, said),
        notes=_notes(leaves, page, said),
        links=_links(leaves, page, article),
    )
    return CompletenessReport(article=held, missing=tuple(missing))


def _said(article: Article) -> Iterator[str]:
    """Yield all that an article says, captions and sources of formulas too."""
    yield from (article.title, article.byline, article.site, article.published)
    for block in article.blocks:
        yield from iter_text(block)
    for block in walk(article.blocks):
        match block:
            case Figure():
                yield from (block.caption, block.credit, block.alt)
            case Math():
                yield from (block.source, block.alt)
        yield from (getattr(block, name, "") for name in ("title", "author", "published"))
        for spans in block_spans(block):
            yield from (f"{span.math} {span.text}" for span in spans if span.math)
            if any(span.ruby for span in spans):
                yield "".join(f"{span.text}{span.ruby}" for span in spans)
            if any(span.math for span in spans):
                yield "".join(span.text for span in spans if not span.math)


def _note_heading(kept: list[Segment], article: Article) -> Segment | None:
    """Return the last heading, when it may be that of the notes: themes set one in its place."""
    if not any(isinstance(block, Note) for block in walk(article.blocks)):
        return None
    headings = (segment for segment in reversed(kept) if segment.block.tag in _HEADINGS)
    last = next(headings, None)
    return last if last is not None and len(last.text) <= _SHORT else None


def _without_jumps(segment: Segment) -> str:
    """Return a segment's text without links within the page: signs of notes, ways back."""
    texts: list[str] = []
    for leaf in segment.leaves:
        link = _above(leaf, _LINK)
        if link is None or not (link.get("href") or "").startswith("#"):
            texts.append(leaf.text)
    return "".join(texts)


def _gone(text: str, said: _Said) -> int:
    """Count the words of a text of which nothing around them is said either."""
    words = _WORD.findall(_UNSEEN.sub("", text))
    found = [False] * len(words)
    size = min(3, len(words))
    for at in range(len(words) - size + 1):
        if _squeezed("".join(words[at : at + size])) in said:
            found[at : at + size] = [True] * size
    alone = {at for at, here in enumerate(found) if not here}
    return sum(not _LABEL.fullmatch(words[at]) for at in alone)


def _headings(
    leaves: Iterable[Leaf], article: Article, said: _Said, above_notes: Segment | None
) -> int:
    """Count the headings with chosen text that are no headings of the article."""
    there = [_squeezed(plain_text(b.spans)) for b in walk(article.blocks) if isinstance(b, Heading)]
    there.append(_squeezed(article.title))
    if above_notes is not None:
        there.append(_squeezed(above_notes.text))
    chosen = dict.fromkeys(h for leaf in leaves if (h := _above(leaf, _HEADINGS)) is not None)
    texts = {_squeezed(_text(heading)) for heading in list(chosen)[:2000]}
    joined = "\n".join(there)
    return sum(bool(text) and text not in joined and text not in said for text in texts)


def _boxes(leaves: Iterable[Leaf], article: Article) -> dict[str, int]:
    """Count the tables and pieces of code with chosen text that the article has not."""
    blocks = list(walk(article.blocks))
    code = sum(isinstance(block, Code) for block in blocks)
    tables = sum(isinstance(block, Table) for block in blocks)
    found_code: set[HtmlElement] = set()
    found_tables: set[HtmlElement] = set()
    for leaf in leaves:
        table = _above(leaf, _TABLE)
        if table is not None:
            found_tables.add(table)
        elif (pre := _above(leaf, _CODE)) is not None:
            found_code.add(pre)
    data = sum(is_data(table) and not is_code_table(table) for table in found_tables)
    return {"code": max(0, len(found_code) - code), "tables": max(0, data - tables)}


def _formulas(kept: list[Segment], page: Page, article: Article, said: _Said) -> int:
    """Count the formulas in chosen blocks that the article has in no form."""
    chosen = {segment.block for segment in kept}
    there = {span.math for b in walk(article.blocks) for spans in block_spans(b) for span in spans}
    there |= {block.source for block in walk(article.blocks) if isinstance(block, Math)}
    found: list[Formula] = []
    inside: HtmlElement | None = None  # the formula last found: what is in it is a part of it
    for element in islice(page.tree.iter("math", "script", "img", "span"), _MOST_FORMULAS):
        if inside is not None and inside in islice(element.iterancestors(), 12):
            continue
        formula = read_formula(element)
        if formula is not None and chosen.intersection(islice(element.iterancestors(), 6)):
            inside = element
            found.append(formula)
    return sum(
        each.source not in there and not (_squeezed(each.text) and _squeezed(each.text) in said)
        for each in found
    )


def _links(leaves: Iterable[Leaf], page: Page, article: Article) -> int:
    """Count the addresses that chosen words link to and no word of the article does."""
    there = {
        unquote(span.href)
        for block in walk(article.blocks)
        for spans in block_spans(block)
        for span in spans
    }
    there |= {unquote(block.url) for block in walk(article.blocks) if isinstance(block, Embed)}
    links = LinkResolver(page, LinkTargets())
    running = (leaf for leaf in leaves if _above(leaf, _CODE) is None)  # code has no links
    elements = dict.fromkeys(a for leaf in running if (a := _above(leaf, _LINK)) is not None)
    targets = {unquote(links.of(a)) for a in elements if any(map(str.isalnum, _text(a)))}
    return len({target for target in targets if target.startswith("http")} - there)


def _notes(leaves: Iterable[Leaf], page: Page, said: _Said) -> int:
    """Count the notes that chosen signs call and whose words the article does not have."""
    names: set[str] = set()
    for leaf in leaves:
        link = _above(leaf, _LINK)
        if link is not None and _SIGN.fullmatch(_text(link).strip()):
            names.add(fragment((link.get("href") or "").strip(), page))
    gone = 0
    for element in page.tree.iter("li", "p", "div", "aside", "dd") if names - {""} else ():
        if element.get("id") in names:
            text = _squeezed(_text(element))[:2000].lstrip("0123456789")
            gone += len(text) > 40 and text[20:40] not in said
    return gone


def _text(element: HtmlElement) -> str:
    return "".join(islice(map(str, element.itertext()), 2000))


def _above(leaf: Leaf, tags: frozenset[str]) -> HtmlElement | None:
    """Return the nearest element of these kinds that a leaf stands in."""
    element = leaf.element.getparent() if leaf.tail else leaf.element
    for _ in range(30):
        if element is None or element.tag in tags:
            return element
        element = element.getparent()
    return None


def _squeezed(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
