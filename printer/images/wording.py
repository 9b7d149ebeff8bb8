"""The words of a caption as spans, with the credit taken apart from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lxml.html import HtmlElement

from ..article import MARKS, Span, Spans
from ..html.index import Segment
from ..html.links import resolve

_MARKS = {mark: mark for mark in MARKS} | {"b": "strong", "i": "em"}
#: What a whole caption is set in says nothing.
_PLAIN = frozenset({"small", "em", "cite"})
_CAPTION = re.compile(r"caption|description|legend", re.IGNORECASE)
_CREDIT = re.compile(
    r"(?<![a-z])(?:credits?|copy-?right(?:s|holder)?|copy|photo(?:grapher|by|credit)|source|attribution|"
    r"author|owner|quelle|urheber|fotograf|agency|courtesy|rights)(?![a-z]{3})",
    re.IGNORECASE,
)
_UNREAD = re.compile(
    r"toggle|visually-?hidden|sr-only|screen-?reader|(?:^|[\s_-])(?:btn|button|icon|zoom|expand|enlarge)(?:$|[\s_-])",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff\ufff9-\ufffc\ue000-\uf8ff\ud800-\udfff]"
)
_LEVELS = 12
_INLINE = frozenset({"i", "em", "span", "cite", "b", "strong", "font", "div", "p"})
_PICTURE = r"photo(?:graph)?s?|pictures?|images?|fotos?|bild(?:er)?|graphics?|illustrations?|grafik"
_BEGINS = re.compile(
    rf"\W{{0,3}}(?:(?:{_PICTURE}|sources?|quellen?|fonte|fuente|credits?|crédits?|copyright|courtesy)"
    r"(?:\s(?:credits?|by|courtesy|of|source|via)){0,2}\s?[:：]|©|\(c\)\s|"
    rf"(?:{_PICTURE}) (?:by|courtesy|via) |写真|撮影|图片来源|图源|出典|来源|تصوير|фото[: ]|צילום)",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    rf"(?:[|(\[]|[–—-] |\. ) ?(?:{_PICTURE})(?: (?:credit|by|courtesy|via)| ?:)", re.IGNORECASE
)


class _Piece(NamedTuple):
    text: str
    marks: tuple[str, ...]
    href: str
    credit: bool


def names_credit(text: str) -> bool:
    """Tell whether a line says whose picture it is, and so that it is about a picture."""
    return bool(_BEGINS.match(text) or _INSIDE.search(text))


def read_caption(segments: Iterable[Segment], base: str) -> tuple[Spans, str]:
    """Return the spans of a caption, and its credit where markup sets that apart.

    A credit that stands alone is the caption.
    """
    pieces = list(_pieces(segments, base))
    words = [piece for piece in pieces if not piece.credit]
    credit = _fold("".join(piece.text for piece in pieces if piece.credit))
    if not any(re.search(r"\w", piece.text) for piece in words):
        words, credit = pieces, ""
    return _spans(words), credit.strip("|·•-–— ")


def _pieces(segments: Iterable[Segment], base: str) -> Iterator[_Piece]:
    for segment in segments:
        yield _Piece(" ", (), "", False)
        for element, tail in segment.leaves:
            text = (element.tail if tail else element.text) or ""
            node = element.getparent() if tail else element
            read = _styled(node, base)
            if read is not None and text:
                yield read._replace(text=_UNSEEN.sub("", text))


def _styled(node: HtmlElement | None, base: str) -> _Piece | None:
    """Return what the elements around a text say of it; None when it is not for reading."""
    marks: set[str] = set()
    href = ""
    credit: bool | None = None
    for _ in range(_LEVELS):
        if node is None or node.tag in ("figure", "body"):
            break
        named = f"{node.get('class') or ''} {node.get('itemprop') or ''}"[:300]
        if node.tag == "button" or _UNREAD.search(named):
            return None
        if node.tag in _MARKS:
            marks.add(_MARKS[node.tag])
        if node.tag == "a" and not href:
            href = resolve(base, node.get("href") or "")
        if credit is None:
            credit = _says_credit(node, named)
        if node.tag == "figcaption":
            break
        node = node.getparent()
    ordered = tuple(mark for mark in MARKS if mark in marks)
    return _Piece("", ordered, href, bool(credit))


def _says_credit(node: HtmlElement, named: str) -> bool | None:
    """Tell whether an element holds a credit (True) or a caption (False); None: it does not say."""
    if _CAPTION.search(named) or node.tag == "figcaption":
        return False
    if _CREDIT.search(named) or node.tag == "small":
        return True
    if node.tag in _INLINE and _BEGINS.match((node.text or "").lstrip()[:80]):
        return True
    return None


def _spans(pieces: list[_Piece]) -> Spans:
    """Fold white space over all pieces and join those of one style."""
    shared = frozenset.intersection(
        *(frozenset(piece.marks) for piece in pieces if piece.text.strip())
    ) & _PLAIN if any(piece.text.strip() for piece in pieces) else frozenset()  # fmt: skip
    spans: list[Span] = []
    space = False
    for piece in pieces:
        text = _fold(piece.text)
        if not text:
            space = space or bool(piece.text)
            continue
        if spans and (space or piece.text[0].isspace()):
            text = " " + text
        space = piece.text[-1].isspace()
        marks = tuple(mark for mark in piece.marks if mark not in shared)
        if spans and (spans[-1].marks, spans[-1].href) == (marks, piece.href):
            spans[-1] = Span(spans[-1].text + text, marks, piece.href)
        else:
            spans.append(Span(text, marks, piece.href))
    return tuple(spans)


def _fold(text: str) -> str:
    return " ".join(text.split())
