"""Read the comments below a page: each one's author, date, text and replies.

A comment is an element that schema.org microdata, a class or an id marks as one, or one of several
similar blocks, each with an author or a time, in a section that a class, a label or a heading marks
as comments.  No site and no commenting system is recognized by name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

from lxml.etree import iterwalk
from lxml.html import HtmlElement

from ..i18n import load_table
from .forum import AUTHOR_CLASS, DATE_CLASS, NAME_CHARS, SIGNATURE_EDGES, read_author, read_date
from .index import INVISIBLE_TAGS, Leaf
from .parse import element_line

#: Limits of comments per page and of nested replies; deeper ones go to the last allowed level.
MAX_COMMENTS, MAX_DEPTH = 2_000, 8
#: Limits of elements, similar blocks and sections to examine, and of ancestors to climb.
_MAX_ELEMENTS, _MAX_BLOCKS, _MAX_SECTIONS, _CLIMB, _FEW = 200_000, 20_000, 20, 40, 8
#: If this share of the comments is signed, the unsigned ones are not comments.
_MAX_SIGNED = 0.8
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "legend"})
_NO_HOLDERS = frozenset({
    "a", "body", "form", "html", "input", "label", "link", "meta", "script", "span", "textarea",
})  # fmt: skip
#: What an element's class and id indicate: a comment, a list of comments, a section for them.
_IS_COMMENT, _IS_LIST, _IS_SECTION = 1, 2, 4
#: What an element in a comment is.
_IS_AUTHOR, _IS_DATE, _IS_BODY, _IS_FURNITURE = 1, 2, 4, 8

_TYPES = re.compile(r"schema\.org/(?:User)?Comments?\b", re.IGNORECASE)
_COMMENT = re.compile(
    r"(?:^|\s)(?:[a-z]{1,3}-)?(?:user-?|post-?|single-?|blog-?)?comment"
    r"(?:(?:-|__|_)?(?:item|entry|wrapper|wrap|card|single|node|box|container))?(?=\s|$)"
    r"|(?:^|\s)(?:[a-z]{2,4}-)?comment[-_]?\d+(?=\s|$)",
)
_SECTION = re.compile(
    r"(?:^|[\s_-])(?:comments|comment-?(?:list|section|area|thread)|discussion|responses)(?=$|[\s_-])"
)
_LIST = re.compile(r"(?:^|\s)(?:comments?[-_]?list|comments__list)(?=\s|$)")
_REPLIES = re.compile(r"(?:^|[\s_-])(?:children|repl(?:y|ies)|nested|sub-?comments)(?=$|[\s_-])")
#: Headings and labels of comment sections, apart from the number of comments.
_TABLE = load_table("comment_headings")
_LABELS = frozenset(map(str.casefold, [*_TABLE["by_language"].values(), *_TABLE["others"]]))
_NOT_LETTERS = re.compile(r"[\W\d_]+")

_BODY = re.compile(
    r"(?:^|[\s_-])(?:comment-?(?:content|text|message|copy)|comment__(?:content|text|body|message)"
    r"|content|message|text)(?=$|\s)"
)
_FURNITURE = re.compile(
    r"(?:^|[\s_-])(?:reply|respond|actions?|meta(?:data)?|avatar|votes?|likes?|share|report|flag"
    r"|edit|permalink|says|author|user-?name|byline|date-?(?:time)?|time(?:stamp)?|head(?:er)?|footer|badge|tools?|toolbar|controls?"
    r"|sr-only|screen-reader-text|visually-hidden)(?=$|[\s_-])"
)
_FURNITURE_TAGS = INVISIBLE_TAGS | {"form", "button", "footer", "header", "nav", "time", "input"}
#: Classes of pingbacks and trackbacks from other sites.
_PINGS = re.compile(r"(?:^|\s)(?:pingback|trackback)(?:$|\s)")


@dataclass(slots=True, eq=False)
class Comment:
    """A comment: ``author`` and ``date`` as printed ('' if unknown), its text, its replies."""

    element: HtmlElement
    author: str
    date: str
    leaves: list[Leaf]
    replies: list[Comment] = field(default_factory=list)

    @property
    def is_signed(self) -> bool:
        """Whether its author or date is known."""
        return bool(self.author or self.date)


@dataclass(frozen=True, slots=True, eq=False)
class Comments:
    """A page's comments.

    ``heading`` is the page's heading above them ('' for none), ``elements`` are those that contain
    comments and heading, ``more`` means that some comments were not read.
    """

    heading: str = ""
    threads: tuple[Comment, ...] = ()
    elements: frozenset[HtmlElement] = frozenset()
    more: bool = False


def read_comments(tree: HtmlElement) -> Comments:
    """Return a page's comments, also if the page is only a discussion."""
    units = _find_units(tree)
    threader = _Threader(dict.fromkeys(units[:MAX_COMMENTS]))
    for unit in threader.units:
        threader.add(unit)
    comments = list(threader.comments.values())
    signed = sum(comment.is_signed for comment in comments)
    # "Comments" in documentation have neither authors nor dates.
    if 2 * signed < len(comments) or not comments:
        return Comments()
    all_signed = signed >= _MAX_SIGNED * len(comments)
    threads = [c for c in threader.threads if c.is_signed or c.replies or not all_signed]
    heading = _find_heading(comments[0].element)
    return Comments(
        "" if heading is None else element_line(heading, limit=NAME_CHARS),
        tuple(threads),
        frozenset([*threader.comments, *([] if heading is None else [heading])]),
        len(units) > MAX_COMMENTS,
    )


# Finding comments


def _find_units(tree: HtmlElement) -> list[HtmlElement]:
    """Return the elements that may be comments, in document order."""
    units: dict[HtmlElement, None] = {}
    sections: list[HtmlElement] = []
    kinds: dict[str, int] = {}
    for element in islice(tree.iter("*"), _MAX_ELEMENTS):
        if element.tag in _NO_HOLDERS:
            continue
        named = _names(element) if element.attrib else ""
        kind = kinds.get(named)
        if kind is None:
            kind = kinds[named] = _kind(named)
        if kind & _IS_COMMENT or (element.attrib and _is_marked_up(element)):
            units[element] = None
        if kind & _IS_LIST:
            units.update(dict.fromkeys(child for child in element if child.tag in {"li", "div"}))
        if kind & _IS_SECTION or _is_label(element.get("aria-label") or ""):
            sections.append(element)
        elif element.tag in _HEADINGS and _is_heading(element):
            sections.append(element.getparent())
    if not units:
        for section in sections[:_MAX_SECTIONS]:
            if section.tag not in {"body", "html", "main"} and (alike := _find_alike(section)):
                return alike
    # Last, because checking a comment's surroundings costs more than finding it.
    return [
        unit
        for unit in islice(units, 2 * MAX_COMMENTS)
        if not _PINGS.search(_names(unit))
        and not any(e.tag in {"form", "nav"} for e in islice(unit.iterancestors(), _CLIMB))
    ]


def _kind(named: str) -> int:
    kind = _IS_SECTION if _SECTION.search(named) else 0
    if "comment" in named:
        kind |= _IS_COMMENT if _COMMENT.search(named) else 0
        kind |= _IS_LIST if _LIST.search(named) else 0
    return kind


def _is_marked_up(element: HtmlElement) -> bool:
    """Return whether microdata marks an element as a comment."""
    itemtype = element.get("itemtype")
    return bool(itemtype and _TYPES.search(itemtype[:200])) or element.get("itemprop") == "comment"


def _names(element: HtmlElement) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}"[:300].lower()


def _is_label(text: str) -> bool:
    return _NOT_LETTERS.sub(" ", text[:NAME_CHARS]).strip().casefold() in _LABELS


def _is_heading(element: HtmlElement) -> bool:
    return _is_label(element_line(element, limit=NAME_CHARS))


def _find_alike(section: HtmlElement) -> list[HtmlElement]:
    """Return the similar blocks in a comment section, each with an author or a time."""
    groups: dict[tuple[str, str], list[HtmlElement]] = {}
    for element in islice(section.iterdescendants("li", "div", "article", "section"), _MAX_BLOCKS):
        groups.setdefault((element.tag, element.get("class") or ""), []).append(element)
    for group in groups.values():
        if len(group) > 1 and all(map(_has_signature, group[:_FEW])):
            return group
    return []


def _has_signature(block: HtmlElement) -> bool:
    inner = islice(block.iterdescendants(), _FEW * 10)
    signed = any(e.tag == "time" or _role(e) & (_IS_AUTHOR | _IS_DATE) for e in inner)
    return signed and any(map(str.isalnum, element_line(block, limit=400)))


# Threads


class _Threader:
    """Puts each comment below the one that it replies to, in document order."""

    def __init__(self, units: dict[HtmlElement, None]) -> None:
        self.units = units
        self.threads: list[Comment] = []
        self.comments: dict[HtmlElement, Comment] = {}
        self.latest: dict[HtmlElement | None, Comment] = {}  # by the element that holds them
        self.answered: dict[HtmlElement, Comment | None] = {}
        self.depths: dict[HtmlElement, int] = {}

    def add(self, unit: HtmlElement) -> None:
        """Read a comment and add it to its thread."""
        comment = _read_comment(unit, self.units)
        if comment is None:  # a mere container of a comment and its replies
            return
        parent = self._find_parent(unit)
        while parent is not None and self.depths[parent.element] >= MAX_DEPTH:
            parent = self.answered[parent.element]
        self.comments[unit] = comment
        self.answered[unit] = parent
        self.depths[unit] = 1 if parent is None else self.depths[parent.element] + 1
        (self.threads if parent is None else parent.replies).append(comment)
        self.latest[unit.getparent()] = comment

    def _find_parent(self, unit: HtmlElement) -> Comment | None:
        below = unit
        for ancestor in islice(unit.iterancestors(), _CLIMB):
            if ancestor in self.comments:
                return self.comments[ancestor]
            # Replies may be in a separate box beside the comment.
            if (
                below is not unit
                and ancestor in self.latest
                and (ancestor in self.units or _REPLIES.search(_names(below)))
            ):
                return self.latest[ancestor]
            below = ancestor
        return None


# Content


def _read_comment(unit: HtmlElement, units: dict[HtmlElement, None]) -> Comment | None:
    """Read a comment without the replies inside it; None if nothing is left."""
    author = date = ""
    holds_units = False
    inside: list[Leaf] = []
    around: list[Leaf] = []
    furniture = body = 0  # the number of open elements of each role
    opened: list[int] = []
    walk = iterwalk(unit, ("start", "end"))
    for event, element in walk:
        if event == "end":
            role = opened.pop()
            furniture -= bool(role & _IS_FURNITURE)
            body -= bool(role & _IS_BODY)
            if element is unit:
                continue
        elif element is not unit and element in units:
            holds_units = True
            opened.append(0)
            walk.skip_subtree()
            continue
        else:
            role = 0 if element is unit else _role(element)
            if role & _IS_AUTHOR and not body and not author:
                author = read_author(element)
                role |= _IS_FURNITURE
            if role & _IS_DATE and not body:
                date = date or read_date(element)
            opened.append(role)
            furniture += bool(role & _IS_FURNITURE)
            body += bool(role & _IS_BODY)
        leaf = Leaf(element, event == "end")
        if not furniture and leaf.text and not leaf.text.isspace():
            (inside if body else around).append(leaf)
    leaves = inside or around
    text = "".join(leaf.text for leaf in leaves)
    if (holds_units and not (author or date)) or not any(map(str.isalnum, text)) or _is_label(text):
        return None
    return Comment(unit, author, date.removeprefix(author).strip(SIGNATURE_EDGES), leaves)


def _role(element: HtmlElement) -> int:
    """Return the role that an element in a comment is marked with."""
    tag = element.tag
    role = _IS_FURNITURE if tag in _FURNITURE_TAGS else 0
    if tag == "time":
        return role | _IS_DATE
    if tag == "cite":
        return role | _IS_AUTHOR
    if not element.attrib:
        return role
    item = element.get("itemprop") or ""
    if item in {"author", "creator"} or element.get("rel") == "author":
        return role | _IS_AUTHOR | _IS_FURNITURE
    if item in {"dateCreated", "datePublished", "commentTime"}:
        return role | _IS_DATE | _IS_FURNITURE
    if item in {"text", "commentText"}:
        return role | _IS_BODY
    if element.get("role") == "button":
        role |= _IS_FURNITURE
    if named := (element.get("class") or "")[:300].lower():
        role |= _IS_AUTHOR | _IS_FURNITURE if AUTHOR_CLASS.search(named) else 0
        role |= _IS_DATE | _IS_FURNITURE if DATE_CLASS.search(named) else 0
        role |= _IS_BODY if _BODY.search(named) else 0
        role |= _IS_FURNITURE if _FURNITURE.search(named) and not role & _IS_BODY else 0
    return role


def _find_heading(comment: HtmlElement) -> HtmlElement | None:
    """Return the heading above the first comment if it is that of the comments."""
    for ancestor in (comment, *islice(comment.iterancestors(), _FEW)):
        if ancestor.tag in {"body", "html", "main", "article"} and ancestor is not comment:
            return None
        parent = ancestor.getparent()
        in_section = parent is not None and bool(_SECTION.search(_names(parent)))
        for sibling in islice(ancestor.itersiblings(preceding=True), _FEW):
            heading = sibling if sibling.tag in _HEADINGS else sibling.find(".//h2")
            heading = sibling.find(".//h3") if heading is None else heading
            if heading is None:
                continue
            text = element_line(heading, limit=NAME_CHARS)
            if _is_label(text) or (in_section and any(map(str.isdigit, text))):
                return heading
    return None
