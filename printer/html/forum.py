"""Read the posts of a discussion: who wrote each of them, and when.

A post is what schema.org's microdata calls a question, an answer, a comment or a posting, or what a
class, an id or the name of an element calls a post or a message.  Whoever is named inside it,
outside the quotations in it, wrote it.  No site and no program is known by name.
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
#: What stands around a name or a date and is no part of it.
SIGNATURE_EDGES = " :：,·•|-"
#: What a class calls an author, a date.
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

#: Elements of a page looked at, and how far up from a name its post is sought.
_MOST_ELEMENTS, _CLIMB = 200_000, 25
#: A line that says who wrote something and when has fewer characters.
_LINE = 120
#: A page with fewer signed posts is no discussion.
_FEWEST = 2
_NO_POSTS = frozenset({
    "a", "body", "button", "form", "h1", "h2", "h3", "h4", "html", "input", "label", "link", "meta",
    "p", "script", "span", "svg", "textarea", "time",
})  # fmt: skip
#: What holds words of others.
_QUOTATIONS = frozenset({"aside", "blockquote", "q"})
#: What a class says of an element.
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
    """Return the name in a mark: what is marked as one, a link, what is set off, or all of it."""
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
    """Return the date in a mark: as shown when that has a year, else the day stated."""
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
    """A post: ``author`` and ``date`` as printed ('' if unknown), the elements they are read from.

    ``stated`` says that an attribute names the author, where a class only suggests one.
    """

    author: str = ""
    date: str = ""
    elements: list[HtmlElement] = field(default_factory=list)
    stated: bool = False


def read_posts(tree: HtmlElement) -> Mapping[HtmlElement, Post]:
    """Return a discussion's signed posts by the elements that hold them, in document order."""
    posts: dict[HtmlElement, Post] = {}
    kinds: dict[str, int] = {}
    for element in islice(tree.iter("*"), _MOST_ELEMENTS):
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
    """Return whether microdata, the id or the element's own name say that it is a post."""
    itemtype = element.get("itemtype")
    if (itemtype and _TYPES.search(itemtype[:200])) or element.get("itemprop") in _ITEMS:
        return True
    name = element.get("id")
    if name and _POST_ID.fullmatch(name[:80].lower()):
        return True
    return "-" in element.tag and _POST_TAG.search(element.tag[-80:]) is not None


def _find_post(mark: HtmlElement, posts: Mapping[HtmlElement, Post]) -> Post | None:
    """Return the post that a mark stands in; None for none, and for one in a quotation."""
    for ancestor in islice(mark.iterancestors(), _CLIMB):
        if ancestor in posts:
            return posts[ancestor]
        if ancestor.tag in _QUOTATIONS:
            return None
    return None


def _sign(post: Post, mark: HtmlElement, stated: bool) -> None:
    """Set a post's author to the name in a mark when none better is known."""
    name = read_author(mark)
    if not any(map(str.isalnum, name)):
        return
    if not post.author or (stated and not post.stated):
        post.author, post.stated = name, stated
    if name == post.author and _is_line(mark):
        post.elements.append(mark)


def _is_line(mark: HtmlElement) -> bool:
    """Return whether a mark holds no more than a line, and so is no part of the post's text."""
    return len(element_line(mark, limit=2 * _LINE)) < _LINE
