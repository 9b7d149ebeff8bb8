"""Read the authors and dates of the posts of a discussion.

A post is an element that schema.org microdata marks as a question, an answer, a comment or a
posting, or that a class, an id or its own name marks as a post or a message.  Its author is the
person named inside it, outside quotations.  No site and no program is recognized by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

from lxml.html import HtmlElement

from ..text import clean_attribute
from .metadata.dates import parse_date
from .parse import element_line

NAME_CHARS = 80
#: Characters around a name or a date that are not part of it.
SIGNATURE_EDGES = " :：,·•|-"
#: Classes that mark an author, a date.
AUTHOR_CLASS = re.compile(
    r"(?:^|[\s_-])(?:fn|author-?name|comment-?author|author|user-?name|commenter|nick(?:name)?"
    r"|display-?name|posted-?by|by)(?=$|\s)"
)
DATE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:comment-?(?:date|time|metadata)|date-?(?:time)?|time(?:stamp)?|ago|posted-?(?:on|at))(?=$|\s)"
)
_SAYS = re.compile(r"\s(?:says|said|wrote|sagt|schreibt|dit|dice|diz|пишет)\s?:?$", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_DATE_CHARS, _DAY, _FEW = 60, len("2024-02-29"), 8

#: Limits of the elements to examine, and of the ancestors of a name to search for its post.
_MAX_ELEMENTS, _CLIMB = 200_000, 25
#: The maximum length of a line that names author and date, in characters.
_LINE = 120
#: The fewest signed posts of a discussion.
_FEWEST = 2
_NO_POSTS = frozenset({
    "a", "body", "button", "form", "h1", "h2", "h3", "h4", "html", "input", "label", "link", "meta",
    "p", "script", "span", "svg", "textarea", "time",
})  # fmt: skip
#: Elements that contain words of others.
_QUOTATIONS = frozenset({"aside", "blockquote", "q"})
#: What a class indicates.
_IS_POST, _IS_AUTHOR, _IS_DATE = 1, 2, 4

_TYPES = re.compile(
    r"schema\.org/(?:Question|Answer|(?:User)?Comments?|(?:DiscussionForum|SocialMedia)Posting)\b"
)
_ITEMS = frozenset({"comment", "suggestedAnswer", "acceptedAnswer"})
_POST = re.compile(
    r"(?:^|\s)(?:[a-z]{1,3}-)?(?:user-?|forum-?|topic-?|crawler-?)?"
    r"(?:post|message|comment|answer|reply|response)"
    r"(?:(?:-|__|_)?(?:item|entry|wrapper|wrap|card|single|node|box|container|article))?(?=\s|$)"
)
_POST_ID = re.compile(r"(?:[a-z]{1,7}-)?(?:p|post|msg|message|comment|answer|reply)[-_]?\d+")
_POST_TAG = re.compile(r"-(?:post|message|comment|answer|reply)$")
_DATES = frozenset({"dateCreated", "datePublished"})


def read_author(mark: HtmlElement) -> str:
    """Return the name in a mark: the marked name, a link, emphasized text, or all of it."""
    named: HtmlElement = mark
    for element in islice(mark.iterdescendants(), _FEW):
        classes = (element.get("class") or "").split()
        is_name = element.get("itemprop") == "name" or "fn" in classes
        if (is_name or element.tag in {"a", "b", "strong"}) and element_line(element):
            named = element
            break
    text = clean_attribute(named.get("content") or element_line(named, " ", NAME_CHARS))
    return _SAYS.sub("", text).strip(SIGNATURE_EDGES)


def read_date(mark: HtmlElement) -> str:
    """Return the date in a mark: as displayed if that has a year, else the machine-readable day."""
    time = mark if mark.tag == "time" else mark.find(".//time")
    displayed = element_line(mark if time is None else time, " ", _DATE_CHARS)
    stated = [mark.get("content"), mark.get("title")]
    if time is not None:
        stated = [time.get("datetime"), time.get("title"), *stated]
    day = next((date[:_DAY] for text in stated if text and (date := parse_date(text))), "")
    if _YEAR.search(displayed) or not day:
        return displayed if any(map(str.isdigit, displayed)) else ""
    return day


@dataclass(slots=True, eq=False)
class Post:
    """A post: ``author`` and ``date`` as printed ('' if unknown), and the elements that name them.

    ``stated`` means that an attribute marks the author, not only a class.
    """

    author: str = ""
    date: str = ""
    elements: list[HtmlElement] = field(default_factory=list)
    stated: bool = False


def read_posts(tree: HtmlElement) -> Mapping[HtmlElement, Post]:
    """Return a discussion's signed posts by their elements, in document order."""
    posts: dict[HtmlElement, Post] = {}
    kinds: dict[str, int] = {}
    for element in islice(tree.iter("*"), _MAX_ELEMENTS):
        if not element.attrib and element.tag != "time":
            continue
        named = (element.get("class") or "")[:300].lower()
        kind = kinds.get(named)
        if kind is None:
            kind = kinds[named] = _kind(named)
        if element.tag not in _NO_POSTS and (kind & _IS_POST or _is_post(element)):
            author = element.get("data-author") or element.get("author") or ""
            posts[element] = Post(clean_attribute(author, NAME_CHARS), stated=bool(author))
            continue
        item = element.get("itemprop")
        stated = item in ("author", "creator") or element.get("rel") == "author"
        if stated or kind & _IS_AUTHOR:
            if post := _find_post(element, posts):
                _sign(post, element, stated)
        elif kind & _IS_DATE or element.tag == "time" or item in _DATES:
            post = _find_post(element, posts)
            if post and (date := read_date(element)):
                day = date.removeprefix(post.author).partition("(")[0]
                post.date = post.date or day.strip(SIGNATURE_EDGES)
                post.elements += [element] if _is_line(element) else []
    signed = {element: post for element, post in posts.items() if post.author}
    return signed if len(signed) >= _FEWEST else {}


def _kind(named: str) -> int:
    return (
        (_IS_POST if _POST.search(named) else 0)
        | (_IS_AUTHOR if AUTHOR_CLASS.search(named) else 0)
        | (_IS_DATE if DATE_CLASS.search(named) else 0)
    )


def _is_post(element: HtmlElement) -> bool:
    """Return whether microdata, the id or the element's own name marks it as a post."""
    itemtype = element.get("itemtype")
    if (itemtype and _TYPES.search(itemtype[:200])) or element.get("itemprop") in _ITEMS:
        return True
    name = element.get("id")
    if name and _POST_ID.fullmatch(name[:80].lower()):
        return True
    return "-" in element.tag and _POST_TAG.search(element.tag[-80:]) is not None


def _find_post(mark: HtmlElement, posts: Mapping[HtmlElement, Post]) -> Post | None:
    """Return the post that contains a mark; None outside posts and in quotations."""
    for ancestor in islice(mark.iterancestors(), _CLIMB):
        if ancestor in posts:
            return posts[ancestor]
        if ancestor.tag in _QUOTATIONS:
            return None
    return None


def _sign(post: Post, mark: HtmlElement, stated: bool) -> None:
    """Set a post's author to the name in a mark unless a better one is known."""
    name = read_author(mark)
    if not any(map(str.isalnum, name)):
        return
    if not post.author or (stated and not post.stated):
        post.author, post.stated = name, stated
    if name == post.author and _is_line(mark):
        post.elements.append(mark)


def _is_line(mark: HtmlElement) -> bool:
    """Return whether a mark is only a line, and so not part of the post's text."""
    return len(element_line(mark, limit=2 * _LINE)) < _LINE
