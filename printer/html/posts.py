"""Read the text, author and date of posts and comments.

The author and the date are marked by microdata, an element or a class, or written above the text.
What a post says is in the smallest element that has the same place in all posts of one look and
contains nearly all of their text.  No site and no program is recognized by name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice, takewhile

from lxml.html import HtmlElement

from ..text import YEAR, class_pattern, clean_attribute, count_previewed
from .index import INVISIBLE_TAGS, Leaf, class_and_id
from .metadata.dates import (
    EDGE_CHARACTERS,
    ISO_DATE,
    MAX_DATE_CHARS,
    STAMP,
    clean_date,
    find_date,
    is_written_date,
    parse_date,
    read_date,
)
from .parse import element_line
from .visibility import HEADING_TAGS

#: The most neighbors, ancestors or parts to examine where few are enough.
MAX_NEARBY = 8
MAX_NAME_LINE_CHARS = 80
_DIGITS = re.compile(r"\d+")
_MAX_AUTHOR_CHARS = 50


@dataclass(slots=True, eq=False)
class FoundPost:
    """A post or a comment: its text, and ``author`` and ``date`` as printed ('' if unknown).

    ``body`` contains the text nodes ``leaves``; ``depth`` is the number of posts above it that it
    replies to; ``signatures`` are the elements that name the author and the date, ``date_element``
    is that of the date.
    """

    element: HtmlElement
    author: str = ""
    date: str = ""
    leaves: list[Leaf] = field(default_factory=list)
    depth: int = 0
    body: HtmlElement | None = None
    signatures: list[HtmlElement] = field(default_factory=list)
    date_element: HtmlElement | None = None

    @property
    def is_signed(self) -> bool:
        return bool(self.author or self.date)

    @property
    def content(self) -> HtmlElement:
        """The element with its text."""
        return self.element if self.body is None else self.body


def roles_of(element: HtmlElement) -> int:
    """Return the roles that the class, id and name of an element suggest, as the sum of flags."""
    classes, name = element.get("class"), element.get("id")
    return _read_roles(classes and classes[:300], name and name[:80], element.tag)


#: What a class, an id or a name of an element says.
IS_POST = 1
IS_AUTHOR = 2
IS_DATE = 4
IS_BODY = 8
IS_FURNITURE = 16
IS_IN_BODY_FURNITURE = 32
IS_COMMENT = 64
IS_LIST = 128
IS_SECTION = 256
SECTION_CLASS = class_pattern("comments|comment-?(?:list|section|area|thread)|discussion|responses")
#: The roles that classes in lower case suggest.
_ROLES_BY_CLASS = {
    IS_POST: re.compile(
        r"(?:^|\s)(?:[a-z]{1,3}-)?(?:user-?|forum-?|topic-?|crawler-?)?"
        r"(?:post|message|comment|answer|reply|response)"
        r"(?:(?:-|__|_)?(?:item|entry|wrapper|wrap|card|single|node|box|container|article))?(?=\s|$)"
    ),
    IS_AUTHOR: re.compile(
        r"(?:^|[\s_-])(?:fn|author-?(?:name|link)?|comment-?author|[a-z]{0,4}user-?name|commenter"
        r"|nick(?:name)?|display-?name|posted-?by|poster(?:-?name)?|by)(?=$|\s|--)|(?:^|\s)hnuser(?=$|\s)"
    ),
    IS_DATE: re.compile(
        r"(?:^|[\s_-])(?:comment-?(?:date|time|metadata)|date-?(?:time)?|(?:relative-?)?time(?:stamp)?"
        r"|age|ago|post(?:ed)?-?(?:on|at|date|time))(?=$|\s)"
    ),
    IS_BODY: re.compile(
        r"(?:^|[\s_-])(?:comment-?(?:content|text|message|copy)|comment__(?:content|text|body|message)"
        r"|content|message|text)(?=$|\s)"
    ),
    IS_FURNITURE: class_pattern(
        "reply|respond|actions?|meta(?:data)?|avatar|votes?|likes?|share|report|flag|edit"
        "|permalink|says|author|user-?name|byline|date-?(?:time)?|time(?:stamp)?|head(?:er)?"
        "|footer|badge|tools?|toolbar|controls?|signature|sig|rank|sr-only|screen-reader-text"
        "|visually-hidden"
    ),
    IS_IN_BODY_FURNITURE: class_pattern(
        r"signature|sig|post-?sig\w*"
        r"|(?:quote)?(?:collapse|expand|shrink)(?:er)?-?(?:link|button|toggle)?"
        r"|\w{2,20}truncate_more|quote-?controls|avatar|reply|report|vote|likes?|reactions?"
        r"|edited(?:-?by)?|last-?edit(?:ed)?|post-?(?:menu|controls|actions|buttons)|sr-only"
        r"|screen-reader-text|visually-hidden"
    ),
}
#: The roles that classes or an id in lower case suggest.
_ROLES_BY_NAME = {
    IS_SECTION: SECTION_CLASS,
    IS_COMMENT: re.compile(
        r"(?:^|\s)(?:[a-z]{1,3}-)?(?:user-?|post-?|single-?|blog-?)?comment"
        r"(?:(?:-|__|_)?(?:item|entry|wrapper|wrap|card|single|node|box|container))?(?=\s|$)"
        r"|(?:^|\s)(?:[a-z]{2,4}-)?comment[-_]?\d+(?=\s|$)"
    ),
    IS_LIST: re.compile(r"(?:^|\s)(?:comments?[-_]?list|comments__list)(?=\s|$)"),
}
_POST_ID = re.compile(r"(?:[a-z]{1,7}[-_])?(?:p|post|msg|message|comment|answer|reply)[-_]?\d+")
_POST_TAG = re.compile(r"-(?:post|message|comment|answer|reply)$")


@lru_cache(8192)
def _read_roles(classes: str | None, name: str | None, tag: str) -> int:
    classes, name = (classes or "").lower(), (name or "").lower()
    names = f"{classes} {name}"
    roles = [role for role, pattern in _ROLES_BY_CLASS.items() if pattern.search(classes)]
    roles += [role for role, pattern in _ROLES_BY_NAME.items() if pattern.search(names)]
    is_post = _POST_ID.fullmatch(name) or _POST_TAG.search(tag[-80:])
    return sum(roles) | (IS_POST if is_post else 0)


NON_POST_TAGS = frozenset({
    "a", "b", "body", "button", "em", "form", "h1", "h2", "h3", "h4", "head", "html", "i", "img",
    "input", "label", "link", "main", "meta", "p", "script", "small", "span", "strong", "style",
    "svg", "tbody", "textarea", "time",
})  # fmt: skip


def look_keys(element: HtmlElement) -> tuple[str, ...]:
    """Return the looks of an element, by first class and by all; () if it cannot be a post."""
    if element.tag in NON_POST_TAGS:
        return ()
    classes = _DIGITS.sub("", element.get("class") or "").lower().split()
    name = classes[0] if classes else _DIGITS.sub("#", element.get("id") or "")
    if not name:
        return ()
    first = f"{element.tag}.{name[:80]}"
    return (first, f"{element.tag}.{' '.join(classes)[:300]}") if len(classes) > 1 else (first,)


def look_of(element: HtmlElement) -> str:
    """Return the look of an element: its tag with its first class, or its id without digits."""
    return next(iter(look_keys(element)), str(element.tag))


_PROFILE_URL = re.compile(
    r"(?:^|/)(?:(?:u|users?|members?|profiles?|people)(?:[/=-][\w%.~@-]|\.?\d)|[~@]/?[\w%.-])"
    r"|\b(?:member|profile|user|memberlist)\.php\?|\buser\?id=|[?&;](?:u|user|uid|userid|author|action=profile;u)=",
    re.IGNORECASE,
)


def may_be_signature(element: HtmlElement) -> bool:
    """Return whether an element may name an author or a date."""
    if element.tag == "time" or element.get("datetime") or is_written_date(element.text):
        return True
    if not element.attrib:
        return False
    return (
        _is_profile(element)
        or bool(roles_of(element) & (IS_AUTHOR | IS_DATE))
        or element.get("itemprop") == "author"
    )


def _is_profile(link: HtmlElement) -> bool:
    return _PROFILE_URL.search((link.get("href") or "")[:300]) is not None


#: The most elements to examine.
MAX_ELEMENTS = 200_000
#: The longest line of a name with its surroundings.
_MAX_AUTHOR_LINE_CHARS = 120
#: The share of the text of similar posts that must be selected for all to be a discussion.
_MIN_SELECTED_SHARE = 0.25
#: The largest share of text outside nested elements that hold the posts' text.
_MAX_OUTSIDE_SHARE = 0.25


class PostReader:
    """Reads authors, dates and text of posts, each element once."""

    def __init__(
        self, units: Iterable[HtmlElement], leaves: Sequence[tuple[Leaf, HtmlElement | None]]
    ) -> None:
        self.leaves = leaves
        self.posts = {unit: FoundPost(unit) for unit in units}
        self.enclosing_posts: dict[HtmlElement, FoundPost | None] = {}
        self.selected: dict[FoundPost, int] = {}

    def read(self, sizes: Mapping[HtmlElement, int] | None) -> None:
        """Read all posts; the body of each is sought by the selected text of ``sizes``, or all."""
        self._join_nested(sizes)
        self._read_signatures()
        self._drop_parts()
        leaves = self._leaves_by_post()
        _find_bodies(leaves, sizes, self.posts)
        for post, post_leaves in leaves.items():
            post.leaves = _select_content(post, post_leaves)
            self.selected[post] = _text_length(post.leaves, sizes)
            is_stated = ISO_DATE.match(post.date)
            if is_stated or not YEAR.search(post.date):
                written = _find_written_date(post_leaves, set(post.leaves))
                is_same = written and (not is_stated or _is_in_month(written, post.date))
                post.date = written if is_same else post.date
        _find_written_authors(leaves)
        for post in leaves:
            post.leaves = _without_edit_note(post.leaves, post)
        for group in _group_by_look(leaves):
            content = sum(_text_length(post.leaves, None) for post in group)
            are_dated = any(post.date for post in group)
            # These are remarks, not posts on the page's topic.
            are_aside = sum(self.selected[post] for post in group) < _MIN_SELECTED_SHARE * content
            for post in group:
                is_folded = are_dated and not post.date and not self.selected[post]  # to a line
                if are_aside or is_folded:
                    post.leaves = []

    def count_selected_chars(self, sizes: Mapping[HtmlElement, int]) -> int:
        """Return the length of the selected text in the posts before any of it is left out."""
        return sum(_text_length(leaves, sizes) for leaves in self._leaves_by_post().values())

    def _enclosing_post(self, element: HtmlElement | None) -> FoundPost | None:
        """Return the innermost post around an element, with the result cached on the way up."""
        path = []
        while (
            element is not None
            and element not in self.enclosing_posts
            and element not in self.posts
        ):
            path.append(element)
            element = element.getparent()
        post = None
        if element is not None:
            post = self.posts.get(element) or self.enclosing_posts.get(element)
        self.enclosing_posts.update(dict.fromkeys(path, post))
        return post

    def _join_nested(self, sizes: Mapping[HtmlElement, int] | None) -> None:
        """Drop posts that are each nearly all of a post around them."""
        for _ in range(MAX_NEARBY):
            leaves = self._leaves_by_post()
            groups = _group_by_look(self.posts.values())
            nested = next((group for group in groups if self._is_nested(group, leaves, sizes)), ())
            self.enclosing_posts.clear()
            if not nested:
                return
            for post in nested:
                del self.posts[post.element]

    def _is_nested(
        self,
        group: Sequence[FoundPost],
        leaves: Mapping[FoundPost, list[Leaf]],
        sizes: Mapping[HtmlElement, int] | None,
    ) -> bool:
        """Return whether posts of one look are each nearly all of a post of another look."""
        outer = [self._enclosing_post(post.element.getparent()) for post in group]
        outer_posts = {post for post in outer if post is not None}
        if len(outer_posts) < len(group):
            return False
        first = next(post for post in outer if post is not None)
        if look_of(first.element) == look_of(group[0].element):
            return False
        inner_chars = sum(_text_length(leaves.get(post, ()), sizes) for post in group)
        outer_chars = sum(_text_length(leaves.get(post, ()), sizes) for post in outer_posts)
        return outer_chars <= _MAX_OUTSIDE_SHARE * inner_chars

    def _drop_parts(self) -> None:
        """Drop the posts without author and date that are parts of one, or contain others."""
        enclosing = {
            post: self._enclosing_post(element.getparent()) for element, post in self.posts.items()
        }
        containers = set(enclosing.values())
        for post, outer in enclosing.items():
            if not post.is_signed and (outer is not None or post in containers):
                del self.posts[post.element]
        self.enclosing_posts.clear()

    def _read_signatures(self) -> None:
        """Set author and date of each post from the signatures in it, outside quotations."""
        for post in self.posts.values():
            author = post.element.get("data-author") or post.element.get("author") or ""
            post.author = clean_attribute(author, MAX_NAME_LINE_CHARS)
        profiles: list[tuple[FoundPost, HtmlElement]] = []
        roots = [e for e in self.posts if self._enclosing_post(e.getparent()) is None]
        elements = chain.from_iterable(root.iterdescendants("*") for root in roots)
        for element in islice(elements, MAX_ELEMENTS):
            if element not in self.posts:
                self._read_signature(element, profiles)
        for post, link in profiles:
            if len(post.author) < 2:
                name = _read_author(link)
                post.author = name if _may_be_name(name) else ""
                post.signatures.append(link)

    def _read_signature(
        self, element: HtmlElement, profiles: list[tuple[FoundPost, HtmlElement]]
    ) -> None:
        """Use an element that may name an author or a date."""
        item = element.get("itemprop") or ""
        roles = roles_of(element)
        is_author = (
            roles & IS_AUTHOR
            or element.tag == "cite"
            or item in {"author", "creator"}
            or element.get("rel") == "author"
        )
        is_date = (
            roles & IS_DATE
            or element.tag == "time"
            or element.get("datetime")
            or item in {"dateCreated", "datePublished", "commentTime"}
        )
        is_profile = _is_profile(element)
        if item == "dateModified" or not (is_author or is_date or is_profile):
            return
        post = self._enclosing_post(element)
        if post is None or _is_quoted(element, post):
            return
        if is_author:
            name = _read_author(element)
            line = element_line(element, limit=2 * _MAX_AUTHOR_LINE_CHARS)
            if _may_be_name(name) and not is_written_date(name):
                post.author = post.author if len(post.author) > 1 else name
                post.signatures += [element] if len(line) < _MAX_AUTHOR_LINE_CHARS else []
        elif is_profile:
            profiles.append((post, element))
        if is_date and (date := read_date(element)):
            day = clean_date(date.removeprefix(post.author).partition("(")[0])
            if post.date_element is None or _is_better_date(post, element, day):
                post.date, post.date_element = day, element
            post.signatures.append(element)

    def _leaves_by_post(self) -> dict[FoundPost, list[Leaf]]:
        """Return the text nodes of each post, except those of nested posts."""
        leaves: dict[FoundPost, list[Leaf]] = {}
        for leaf, parent in self.leaves:
            post = self._enclosing_post(parent)
            if post is not None:
                leaves.setdefault(post, []).append(leaf)
        return leaves


def _group_by_look(posts: Iterable[FoundPost]) -> list[list[FoundPost]]:
    groups: dict[str, list[FoundPost]] = {}
    for post in posts:
        groups.setdefault(look_of(post.element), []).append(post)
    return list(groups.values())


MAX_ANCESTORS = 40


def _is_quoted(element: HtmlElement, post: FoundPost) -> bool:
    following = next((e for e in element.itersiblings() if e.tag != "br"), None)
    if element.tag == "cite" and following is not None and _is_quotation(following):
        return True  # the author of what is quoted
    for ancestor in islice(element.iterancestors(), MAX_ANCESTORS):
        if ancestor is post.element:
            return False
        if _is_quotation(ancestor):
            return True
    return False


#: Longer text does not belong to an interface.
_MAX_REPEATED_CHARS = 100


def _find_bodies(
    leaves: Mapping[FoundPost, list[Leaf]],
    sizes: Mapping[HtmlElement, int] | None,
    parts: Container[HtmlElement],
) -> None:
    """Set the body of each post: the smallest element common to posts with their text."""
    text_counts = Counter(
        text
        for post_leaves in leaves.values()
        for text in {leaf.text.strip() for leaf in post_leaves}
        if len(text) <= _MAX_REPEATED_CHARS
    )
    for group in _group_by_look(leaves):
        body_path = _common_path(group, leaves, sizes, text_counts)
        for post in group if body_path else ():
            post.body = _find_element(post, body_path, parts)


#: The share of the posts that must have an element for it to be the body.
_MIN_POSTS_SHARE = 0.75
#: The share of the posts' text that must be in their body.
_MIN_TEXT_SHARE = 0.85
_MAX_PATH_STEPS = 13
_TEXT_TAGS = frozenset({"a", "b", "em", "i", "li", "ol", "p", "pre", "strong", "ul"})


def _common_path(
    group: Iterable[FoundPost],
    leaves: Mapping[FoundPost, list[Leaf]],
    sizes: Mapping[HtmlElement, int] | None,
    text_counts: Mapping[str, int],
) -> tuple[str, ...]:
    """Return the longest path to one element of each post with nearly all text, () for none."""
    elements_by_path: dict[tuple[str, ...], dict[FoundPost, set[HtmlElement]]] = {}
    chars_by_path: Counter[tuple[str, ...]] = Counter()
    chars_by_post: Counter[FoundPost] = Counter()
    for post in group:
        for leaf, ancestors in _texts_of_body(post, leaves[post], sizes, text_counts):
            size = len(leaf.text.strip())
            chars_by_post[post] += size
            path: tuple[str, ...] = ()
            for element in islice(reversed(ancestors), _MAX_PATH_STEPS):
                path = (*path, _path_step(element))
                elements_by_path.setdefault(path, {}).setdefault(post, set()).add(element)
                chars_by_path[path] += size
    min_chars = _MIN_TEXT_SHARE * chars_by_post.total()
    min_posts = _MIN_POSTS_SHARE * sum(chars > 0 for chars in chars_by_post.values())
    common = (
        path
        for path, elements_by_post in elements_by_path.items()
        if chars_by_path[path] >= min_chars
        and sum(len(elements) == 1 for elements in elements_by_post.values()) >= min_posts
        and path[-1].partition(".")[0] not in _TEXT_TAGS
    )
    return max(common, key=len, default=())


#: Text in this many posts belongs to the interface.
_MIN_REPETITIONS = 3


def _texts_of_body(
    post: FoundPost,
    leaves: Iterable[Leaf],
    sizes: Mapping[HtmlElement, int] | None,
    text_counts: Mapping[str, int],
) -> Iterator[tuple[Leaf, list[HtmlElement]]]:
    """Yield the selected text nodes of a post that may be in its body, with their ancestors."""
    signatures = set(post.signatures)
    for leaf in leaves:
        is_interface = text_counts.get(leaf.text.strip(), 0) >= _MIN_REPETITIONS
        if is_interface or (sizes is not None and leaf.parent not in sizes):
            continue
        ancestors = _ancestors_within(leaf.parent, post)
        if sizes is None and _is_furniture(ancestors, outside=True):
            continue
        if signatures.isdisjoint(ancestors):
            yield leaf, ancestors


_MAX_CHILDREN = 200


def _find_element(
    post: FoundPost, path: tuple[str, ...], parts: Container[HtmlElement]
) -> HtmlElement | None:
    """Return the element at a place in a post, or the one around it if there are several."""
    unique = post.element
    level = [post.element]
    for step in path:
        children = (child for element in level for child in islice(element, _MAX_CHILDREN))
        level = [c for c in children if _path_step(c) == step and c not in parts][:_MAX_CHILDREN]
        if not level:
            return None
        if len(level) == 1:
            unique = level[0]
    return None if unique is post.element else unique


def _select_content(post: FoundPost, leaves: list[Leaf]) -> list[Leaf]:
    content: list[Leaf] = []
    marked_content: list[Leaf] = []  # in elements marked as the text
    signatures = set(post.signatures)
    for leaf in leaves:
        path = _ancestors_within(leaf.parent, post)
        if post.body is not None:
            if post.body not in path:
                continue
            path = path[: path.index(post.body)]
        elif not signatures.isdisjoint(path):
            continue
        if _is_furniture(path, outside=post.body is None):
            continue
        if post.date and _repeats_date(leaf, path, post.date):
            continue
        if is_in_card(path):
            continue
        content.append(leaf)
        if post.body is None and any(_is_marked_body(element) for element in path):
            marked_content.append(leaf)
    content = _without_preview(marked_content or content)
    return content if any(map(str.isalnum, "".join(leaf.text for leaf in content))) else []


_FURNITURE_TAGS = INVISIBLE_TAGS | {"button", "nav", "input", "select"}


def _is_furniture(path: Iterable[HtmlElement], *, outside: bool) -> bool:
    """Return whether one of some nested elements belongs to the interface."""
    for element in path:
        is_button = element.get("role") == "button" and "spoiler" not in class_and_id(element)
        if element.tag in _FURNITURE_TAGS or is_button:
            return True
        if _is_code_header(element):
            return True
        if outside and element.tag in {"form", "footer", "header", "time"}:
            return True
        if not element.attrib:
            continue
        roles = roles_of(element)
        if outside and _is_marked_body(element):
            return False
        if roles & (IS_FURNITURE | IS_AUTHOR | IS_DATE if outside else IS_IN_BODY_FURNITURE):
            return True
    return False


def _is_marked_body(element: HtmlElement) -> bool:
    is_named = element.attrib and roles_of(element) & IS_BODY
    return bool(is_named) or element.get("itemprop") in {"text", "commentText"}


_MAX_FIRST_TEXTS = 20


def _find_written_authors(leaves: Mapping[FoundPost, list[Leaf]]) -> None:
    """Set unknown authors to the first text above the content that differs between posts."""
    anonymous = [post for post in leaves if not post.author and post.body is not None]
    if not anonymous:
        return
    name_counts = Counter(
        name
        for post_leaves in leaves.values()
        for name in {_DIGITS.sub("#", _author_name(leaf)) for leaf in post_leaves}
    )
    max_repetitions = max(2, len(leaves) // 2)
    for post in anonymous:
        content = set(post.leaves)
        for leaf in leaves[post][:_MAX_FIRST_TEXTS]:
            if leaf in content:
                break
            name = _author_name(leaf)
            if (
                2 <= len(name) <= _MAX_AUTHOR_CHARS
                and any(map(str.isalpha, name))
                and name_counts[_DIGITS.sub("#", name)] <= max_repetitions
                and not find_date(name)
            ):
                post.author = name
                break


def _ancestors_within(element: HtmlElement | None, post: FoundPost) -> list[HtmlElement]:
    """Return the elements from one up to its post, without the post."""
    around = () if element is None else chain((element,), element.iterancestors())
    return list(takewhile(lambda ancestor: ancestor is not post.element, around))


def _is_in_month(date: str, day: str) -> bool:
    return parse_date(date)[:7] == day[:7]


def _is_better_date(post: FoundPost, element: HtmlElement, date: str) -> bool:
    """Return whether a date is the day of a post as displayed, or earlier than that of an edit."""
    if ISO_DATE.match(post.date) and _is_in_month(date, post.date):
        return True
    is_similar = bool(element.get("class")) and _path_step(element) == _path_step(post.date_element)
    return is_similar and "" < parse_date(date) < parse_date(post.date)


def _without_preview(content: list[Leaf]) -> list[Leaf]:
    """Return a post's text nodes without a cut preview above the full text, and without copies."""
    written = [leaf for leaf in content if leaf.text.strip()]
    texts = [leaf.text for leaf in written]
    if texts and texts[0] in texts[1:]:
        start = texts.index(texts[0], 1)
        if count_previewed(texts, 0, start):
            content = content[content.index(written[start]) :]
    unique: dict[str, Leaf] = {}
    return [
        leaf
        for leaf in content
        if len(leaf.text) <= _MAX_REPEATED_CHARS
        or unique.setdefault(leaf.text, leaf) is leaf
        or leaf.parent.tag == "pre"
        or next(leaf.parent.iterancestors("pre"), None) is not None
    ]


#: The longest line about an edit.
_MAX_NOTE_CHARS = 300


def _without_edit_note(content: list[Leaf], post: FoundPost) -> list[Leaf]:
    """Return the text nodes of a post without the last lines if they are about an edit."""
    if not content:
        return content
    first, last = content[0].parent, content[-1].parent
    around_text = {first, *first.iterancestors()}
    note: set[HtmlElement] = set()
    for element in islice(chain((last,), last.iterancestors()), MAX_NEARBY):
        line = element_line(element, limit=2 * _MAX_NOTE_CHARS)
        if element in around_text or len(line) > _MAX_NOTE_CHARS:
            break
        inside = set(element.iter())
        is_signed = len(post.author) > 1 and post.author in line
        is_note = is_signed and any(map(str.isdecimal, line))
        if is_note or any(inner.tag == "time" for inner in inside):
            note = inside
    return [leaf for leaf in content if leaf.parent not in note]


def _repeats_date(leaf: Leaf, path: Iterable[HtmlElement], date: str) -> bool:
    """Return whether some text is a post's date, or with it in one element: 'May 3, 2024 2 yr'."""
    times = (element for element in path if element.tag == "time")
    return clean_date(" ".join(leaf.text[:MAX_NAME_LINE_CHARS].split())) == date or any(
        clean_date(element_line(time, " ", MAX_NAME_LINE_CHARS)).startswith(date) for time in times
    )


def _is_code_header(element: HtmlElement) -> bool:
    """Return whether an element is the line above a block of code, in a box for both."""
    following, box = element.getnext(), element.getparent()
    return (
        following is not None
        and following.tag == "pre"
        and box is not None
        and "code" in (box.get("class") or "")[:300].lower()
    )


HEADINGS = HEADING_TAGS | {"legend"}
_CARD_CLASS = class_pattern("onebox|unfurl|(?:link|url|site|web)-?(?:card|preview|embed)")


def is_in_card(path: Iterable[HtmlElement]) -> bool:
    """Return whether text is in the preview of a linked page, apart from its title.

    A link in a paragraph has only the title.
    """
    for element in path:
        if element.tag in HEADINGS:
            return False
        if (classes := element.get("class")) and _CARD_CLASS.search(classes[:300].lower()):
            return not (element.tag == "a" and element.getparent().tag == "p")
    return False


QUOTATION_CLASS = re.compile(
    r"(?:^|[\s_-])(?:bb-?code-?)?(?:block-?)?quote(?:d|-?(?:container|block|box|content|wrapper))?(?=$|[\s_-])"
)


def _is_quotation(element: HtmlElement) -> bool:
    return element.tag in {"blockquote", "q"} or bool(QUOTATION_CLASS.search(class_and_id(element)))


def _path_step(element: HtmlElement) -> str:
    classes = (element.get("class") or "").split()
    name = classes[0] if classes else element.get("id") or ""
    return f"{element.tag}.{_DIGITS.sub('#', name)[:60]}"


_SAYS_VERB = re.compile(
    r"\s(?:says|said|wrote|sagt|schreibt|dit|dice|diz|пишет)\s?:?$", re.IGNORECASE
)


def _read_author(signature: HtmlElement) -> str:
    """Return the name in a signature: marked as a name, linked, emphasized, or all of it."""
    text = signature.get("content") or ""
    for element in islice(signature.iterdescendants(), 2 * MAX_NEARBY):
        classes = (element.get("class") or "").split()
        is_name = element.get("itemprop") == "name" or "fn" in classes
        if is_name or element.tag in {"a", "b", "strong"}:
            candidate = element.get("content") or element_line(element, " ", MAX_NAME_LINE_CHARS)
            if len(candidate.strip()) > 1:  # not the letter of an avatar
                text = candidate
                break
    if not text:
        texts = (" ".join(str(part).split()) for part in islice(signature.itertext(), MAX_NEARBY))
        text = next((part for part in texts if any(map(str.isalnum, part))), "")
    return _SAYS_VERB.sub("", clean_attribute(text)[:MAX_NAME_LINE_CHARS]).strip(EDGE_CHARACTERS)


def _may_be_name(text: str) -> bool:
    """Return whether a text is neither empty nor an address nor the number of a post."""
    return any(map(str.isalnum, text)) and text[:1] != "#" and "://" not in text


def _author_name(leaf: Leaf) -> str:
    return " ".join(leaf.text[: 2 * _MAX_AUTHOR_CHARS].split()).strip(EDGE_CHARACTERS)


def _text_length(leaves: Iterable[Leaf], sizes: Mapping[HtmlElement, int] | None) -> int:
    """Return the length of the selected text in some text nodes, or of all."""
    return sum(len(leaf.text.strip()) for leaf in leaves if sizes is None or leaf.parent in sizes)


def _find_written_date(leaves: Sequence[Leaf], content: Set[Leaf]) -> str:
    """Return the last date and time above a post's text, or else below it."""
    latest = latest_text = ""
    for leaf in islice(leaves, _MAX_FIRST_TEXTS + len(content)):
        if leaf in content and latest_text:
            break
        if leaf in content:
            continue
        text = " ".join(leaf.text[: 2 * MAX_DATE_CHARS].split())
        if (
            not STAMP.match(text)
            and is_written_date(text)
            and (not latest_text or parse_date(text) > latest)
        ):
            latest, latest_text = parse_date(text), clean_date(text)
    return latest_text
