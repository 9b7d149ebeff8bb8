"""What readers wrote below a page: its comments, who wrote each and when, replies inside.

A comment is what schema.org's microdata calls one, what a class or id calls one, or one of several
blocks alike, each with an author or a time, in a part of the page that a class, a label or a
heading calls comments.  Nothing here knows a site or a commenting system by name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

from lxml.etree import iterwalk
from lxml.html import HtmlElement

from .forum import AUTHOR_CLASS, DATE_CLASS, NAME_CHARS, SIGNATURE_EDGES, read_author, read_date
from .index import INVISIBLE_TAGS, Leaf
from .parse import element_line

#: Comments read of a page, replies inside replies; what is deeper answers the last above.
MOST_COMMENTS, MOST_DEPTH = 2_000, 8
#: Elements of a page looked at, and how far up a comment's surroundings are looked into.
_MOST_ELEMENTS, _MOST_BLOCKS, _MOST_SECTIONS, _CLIMB, _FEW = 200_000, 20_000, 20, 40, 8
#: Where this share of the comments is signed the others are none.
_MOST = 0.8
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "legend"})
_NO_HOLDERS = frozenset({
    "a", "body", "form", "html", "input", "label", "link", "meta", "script", "span", "textarea",
})  # fmt: skip
_IS_UNIT, _IS_LIST, _IS_SECTION = 1, 2, 4
_IS_AUTHOR, _IS_DATE, _IS_BODY, _IS_ASIDE = 1, 2, 4, 8

_TYPES = re.compile(r"schema\.org/(?:User)?Comments?\b", re.IGNORECASE)
_UNIT = re.compile(
    r"(?:^|\s)(?:[a-z]{1,3}-)?(?:user-?|post-?|single-?|blog-?)?comment"
    r"(?:(?:-|__|_)?(?:item|entry|wrapper|wrap|card|single|node|box|container))?(?=\s|$)",
)
_UNIT_ID = re.compile(r"(?:^|\s)(?:[a-z]{2,4}-)?comment[-_]?\d+(?=\s|$)")
_SECTION = re.compile(
    r"(?:^|[\s_-])(?:comments|comment-?(?:list|section|area|thread)|discussion|responses)(?=$|[\s_-])"
)
_LIST = re.compile(r"(?:^|\s)(?:comments?[-_]?list|comments__list)(?=\s|$)")
_REPLIES = re.compile(r"(?:^|[\s_-])(?:children|repl(?:y|ies)|nested|sub-?comments)(?=$|[\s_-])")
#: What a section of comments is headed or labelled, the number of them aside.
_WORDS = frozenset({
    "comment", "comments", "reader comments", "responses", "discussion", "kommentare",
    "leserkommentare", "commentaires", "comentarios", "comentários", "commenti", "reacties",
    "kommentarer", "kommentit", "komentarze", "komentáře", "hozzászólások", "комментарии",
    "коментарі", "коментари", "σχόλια", "yorumlar", "コメント", "评论", "評論", "留言", "댓글",
    "التعليقات", "تعليقات", "תגובות", "टिप्पणियाँ", "bình luận", "ความคิดเห็น", "komentar",
})  # fmt: skip
_NUMBERS = re.compile(r"[\W\d_]+")

_BODY = re.compile(
    r"(?:^|[\s_-])(?:comment-?(?:content|text|message|copy)|comment__(?:content|text|body|message)"
    r"|content|message|text)(?=$|\s)"
)
_ASIDE = re.compile(
    r"(?:^|[\s_-])(?:reply|respond|actions?|meta(?:data)?|avatar|votes?|likes?|share|report|flag"
    r"|edit|permalink|says|author|user-?name|byline|date-?(?:time)?|time(?:stamp)?|head(?:er)?|footer|badge|tools?|toolbar|controls?"
    r"|sr-only|screen-reader-text|visually-hidden)(?=$|[\s_-])"
)
_ASIDE_TAGS = INVISIBLE_TAGS | {"form", "button", "footer", "header", "nav", "time", "input"}
#: What other sites' programs leave among comments.
_PINGS = re.compile(r"(?:^|\s)(?:pingback|trackback)(?:$|\s)")


@dataclass(slots=True, eq=False)
class Comment:
    """A comment: ``author`` and ``date`` as printed ('' when not told), its text, its replies."""

    element: HtmlElement
    author: str
    date: str
    leaves: list[Leaf]
    replies: list[Comment] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Comments:
    """A page's comments.

    ``heading`` is what the page sets above them ('' for nothing), ``elements`` what holds all this,
    ``more`` whether there are more than were read.
    """

    heading: str = ""
    threads: tuple[Comment, ...] = ()
    elements: frozenset[HtmlElement] = frozenset()
    more: bool = False


def read_comments(tree: HtmlElement) -> Comments:
    """Read a page's comments; whether the page is nothing but a discussion is not asked."""
    units = _units(tree)
    placing = _Placing(dict.fromkeys(units[:MOST_COMMENTS]))
    for unit in placing.units:
        placing.place(unit)
    every = list(placing.made.values())
    signed = sum(_is_signed(each) for each in every)
    # Documentation has comments of another kind: nobody and no day is named in those.
    if 2 * signed < len(every) or not every:
        return Comments()
    threads = tuple(
        each for each in placing.threads
        if _is_signed(each) or each.replies or signed < _MOST * len(every)
    )  # fmt: skip
    heading = _heading(every[0].element)
    elements = frozenset(placing.made) | ({heading} if heading is not None else frozenset())
    said = "" if heading is None else element_line(heading, limit=NAME_CHARS)
    return Comments(said, threads, elements, len(units) > MOST_COMMENTS)


def _is_signed(comment: Comment) -> bool:
    return bool(comment.author or comment.date)


# What is a comment


def _units(tree: HtmlElement) -> list[HtmlElement]:
    """Return the elements that may be comments, in document order."""
    found: dict[HtmlElement, None] = {}
    sections: list[HtmlElement] = []
    kinds: dict[str, int] = {}
    for element in islice(tree.iter("*"), _MOST_ELEMENTS):
        if element.tag in _NO_HOLDERS:
            continue
        named = _named(element) if element.attrib else ""
        kind = kinds.get(named)
        if kind is None:
            kind = kinds[named] = _kind(named)
        if kind & _IS_UNIT or (element.attrib and _is_stated(element)):
            found[element] = None
        if kind & _IS_LIST:
            found.update(dict.fromkeys(each for each in element if each.tag in {"li", "div"}))
        if kind & _IS_SECTION or _is_label(element.get("aria-label") or ""):
            sections.append(element)
        elif element.tag in _HEADINGS and _is_heading(element):
            sections.append(element.getparent())
    if not found:
        for section in sections[:_MOST_SECTIONS]:
            if section.tag not in {"body", "html", "main"} and (alike := _alike(section)):
                return alike
    # Looking around costs more than finding them: so many more than are read, and no more.
    near = islice(found, 2 * MOST_COMMENTS)
    return [each for each in near if not _in_form(each) and not _PINGS.search(_named(each))]


def _kind(named: str) -> int:
    """Tell what a class and an id say: a comment, a list of them, a part of the page for them."""
    kind = 0
    if "comment" in named:
        kind |= _IS_UNIT if _UNIT.search(named) or _UNIT_ID.search(named) else 0
        kind |= _IS_LIST if _LIST.search(named) else 0
    return kind | (_IS_SECTION if _SECTION.search(named) else 0)


def _is_stated(element: HtmlElement) -> bool:
    stated = element.get("itemtype")
    return bool(stated and _TYPES.search(stated[:200])) or element.get("itemprop") == "comment"


def _named(element: HtmlElement) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}"[:300].lower()


def _is_label(text: str) -> bool:
    return _NUMBERS.sub(" ", text[:NAME_CHARS]).strip().casefold() in _WORDS


def _is_heading(element: HtmlElement) -> bool:
    return _is_label(element_line(element, limit=NAME_CHARS))


def _in_form(element: HtmlElement) -> bool:
    above = islice(element.iterancestors(), _CLIMB)
    return any(each.tag in {"form", "nav"} for each in above)


def _alike(section: HtmlElement) -> list[HtmlElement]:
    """Return the blocks alike in a section of comments, each with an author or a time."""
    groups: dict[tuple[str, str], list[HtmlElement]] = {}
    for element in islice(section.iterdescendants("li", "div", "article", "section"), _MOST_BLOCKS):
        groups.setdefault((element.tag, element.get("class") or ""), []).append(element)
    for group in groups.values():
        if len(group) > 1 and all(map(_has_signature, group[:_FEW])):
            return group
    return []


def _has_signature(block: HtmlElement) -> bool:
    marks = 0
    for element in islice(block.iterdescendants(), _FEW * 10):
        if element.tag == "time" or _marks(element) & (_IS_AUTHOR | _IS_DATE):
            marks += 1
    return marks > 0 and any(map(str.isalnum, element_line(block, limit=400)))


# Whose reply it is


class _Placing:
    """Puts each comment below the one that it answers, in document order."""

    def __init__(self, units: dict[HtmlElement, None]) -> None:
        self.units = units
        self.threads: list[Comment] = []
        self.made: dict[HtmlElement, Comment] = {}
        self.latest: dict[HtmlElement | None, Comment] = {}  # by the element both stand in
        self.answers: dict[HtmlElement, Comment | None] = {}
        self.depths: dict[HtmlElement, int] = {}

    def place(self, unit: HtmlElement) -> None:
        """Read a comment and put it where it belongs."""
        comment = _read(unit, self.units)
        if comment is None:  # what only holds a comment and its replies
            return
        above = self._above(unit)
        while above is not None and self.depths[above.element] >= MOST_DEPTH:
            above = self.answers[above.element]
        self.made[unit] = comment
        self.answers[unit] = above
        self.depths[unit] = 1 if above is None else self.depths[above.element] + 1
        (self.threads if above is None else above.replies).append(comment)
        self.latest[unit.getparent()] = comment

    def _above(self, unit: HtmlElement) -> Comment | None:
        below = unit
        for each in islice(unit.iterancestors(), _CLIMB):
            if each in self.made:
                return self.made[each]
            # Replies stand beside the comment, in a box of their own.
            if (
                below is not unit
                and each in self.latest
                and (each in self.units or _REPLIES.search(_named(below)))
            ):
                return self.latest[each]
            below = each
        return None


# What it says


def _read(unit: HtmlElement, units: dict[HtmlElement, None]) -> Comment | None:
    """Read a comment without the replies in it; None when that leaves nothing."""
    author = date = ""
    holds = False  # whether other comments stand in it
    inside: list[Leaf] = []
    around: list[Leaf] = []
    shut = body = 0  # how many of the open elements are aside, are the text
    opened: list[tuple[bool, bool]] = []
    walk = iterwalk(unit, ("start", "end"))
    for event, element in walk:
        if event == "end":
            was_aside, was_body = opened.pop()
            shut -= was_aside
            body -= was_body
            if element is not unit:
                _keep(Leaf(element, True), shut, inside if body else around)
            continue
        if element is not unit and element in units:
            holds = True
            opened.append((False, False))
            walk.skip_subtree()
            continue
        kind = 0 if element is unit else _marks(element)
        if kind & _IS_AUTHOR and not body and not author:
            author = read_author(element)
            kind |= _IS_ASIDE
        if kind & _IS_DATE and not body:
            date = date or read_date(element)
        opened.append((bool(kind & _IS_ASIDE), bool(kind & _IS_BODY)))
        shut += opened[-1][0]
        body += opened[-1][1]
        _keep(Leaf(element, False), shut, inside if body else around)
    leaves = inside or around
    text = "".join(each.text for each in leaves)
    if (holds and not (author or date)) or not any(map(str.isalnum, text)) or _is_label(text):
        return None
    return Comment(unit, author, date.removeprefix(author).strip(SIGNATURE_EDGES), leaves)


def _keep(leaf: Leaf, shut: int, leaves: list[Leaf]) -> None:
    if not shut and leaf.text and not leaf.text.isspace():
        leaves.append(leaf)


def _marks(element: HtmlElement) -> int:
    """Tell what an element in a comment is marked as."""
    tag = element.tag
    kind = _IS_ASIDE if tag in _ASIDE_TAGS else 0
    if tag == "time":
        return kind | _IS_DATE
    if tag == "cite":
        return kind | _IS_AUTHOR
    if not element.attrib:
        return kind
    item = element.get("itemprop") or ""
    if item in {"author", "creator"} or element.get("rel") == "author":
        return kind | _IS_AUTHOR | _IS_ASIDE
    if item in {"dateCreated", "datePublished", "commentTime"}:
        return kind | _IS_DATE | _IS_ASIDE
    if item in {"text", "commentText"}:
        return kind | _IS_BODY
    named = (element.get("class") or "")[:300].lower()
    if element.get("role") == "button":
        kind |= _IS_ASIDE
    if named:
        kind |= _IS_AUTHOR | _IS_ASIDE if AUTHOR_CLASS.search(named) else 0
        kind |= _IS_DATE | _IS_ASIDE if DATE_CLASS.search(named) else 0
        kind |= _IS_BODY if _BODY.search(named) else 0
        kind |= _IS_ASIDE if _ASIDE.search(named) and not kind & _IS_BODY else 0
    return kind


def _counts(heading: HtmlElement) -> bool:
    return any(map(str.isdigit, element_line(heading, limit=NAME_CHARS)))


def _heading(comment: HtmlElement) -> HtmlElement | None:
    """Return the heading above the first comment, when it is that of the comments."""
    named = False
    for above in (comment, *islice(comment.iterancestors(), _FEW)):
        if above.tag in {"body", "html", "main", "article"} and above is not comment:
            return None
        before = list(islice(above.itersiblings(preceding=True), _FEW))
        parent = above.getparent()
        named = parent is not None and bool(_SECTION.search(_named(parent)))
        for each in before:
            heading = each if each.tag in _HEADINGS else each.find(".//h2")
            heading = each.find(".//h3") if heading is None else heading
            if heading is not None and (_is_heading(heading) or (named and _counts(heading))):
                return heading
    return None
