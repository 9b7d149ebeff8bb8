"""Find the posts of a discussion, and the comments below an article, with their replies.

A post is an element that schema.org microdata, a class, an id or its own name marks as one; else
one of several similar elements, each with an author or a date, that together contain most of the
page's text.  No site and no program is recognized by name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, islice

from lxml.html import HtmlElement

from ..i18n import load_table
from ..text import class_pattern
from .index import Leaf, Segment, class_and_id
from .parse import element_line
from .posts import (
    HEADINGS,
    IS_COMMENT,
    IS_LIST,
    IS_POST,
    IS_SECTION,
    MAX_ANCESTORS,
    MAX_ELEMENTS,
    MAX_NAME_LINE_CHARS,
    MAX_NEARBY,
    NON_POST_TAGS,
    SECTION_CLASS,
    FoundPost,
    PostReader,
    look_keys,
    may_be_signature,
    roles_of,
)
from .visibility import PAGE_TAGS

MAX_POSTS = 2_000
#: If this share of the comments is signed, the unsigned ones are not comments.
_MIN_SIGNED_SHARE = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Comments:
    """A page's comments in document order.

    ``heading`` is the page's heading above them or '', ``elements`` contain the comments and it;
    ``more`` means that some were not read.
    """

    heading: str = ""
    posts: tuple[FoundPost, ...] = ()
    elements: frozenset[HtmlElement] = frozenset()
    more: bool = False


def read_comments(tree: HtmlElement, segments: Sequence[Segment]) -> Comments:
    """Return a page's comments, also if the page is only a discussion."""
    units = _find_comments(tree)
    reader = PostReader(units[:MAX_POSTS], _read_leaves(segments) if units else ())
    reader.read(None)
    posts = [
        post for post in reader.posts.values() if post.leaves and not _is_label(_post_text(post))
    ]
    signed = sum(post.is_signed for post in posts)
    # "Comments" in documentation have neither authors nor dates.
    if 2 * signed < len(posts) or not posts:
        return Comments()
    if signed >= _MIN_SIGNED_SHARE * len(posts):
        posts = [post for post in posts if post.is_signed]
    _set_depths(posts)
    heading = _find_heading(posts[0].element)
    return Comments(
        "" if heading is None else element_line(heading, limit=MAX_NAME_LINE_CHARS),
        tuple(posts),
        frozenset([*(post.element for post in posts), *([] if heading is None else [heading])]),
        len(units) > MAX_POSTS,
    )


_MIN_POSTS = 2
#: The share of the selected text that posts must contain.
_MIN_TEXT_SHARE = 0.5
#: Less on a page known to be a discussion, as its first post may be unlike the others.
_MIN_TEXT_SHARE_IF_KNOWN = 0.25
#: How much better posts of another look must be.
_MIN_IMPROVEMENT = 1.05


def read_posts(
    tree: HtmlElement, segments: Sequence[Segment], keep: Sequence[bool], *, is_known: bool = False
) -> tuple[FoundPost, ...]:
    """Return the posts of a discussion in document order, () for any other page.

    ``keep`` says which segments were selected.  Unless the page is known to be a discussion, posts
    must be called so and contain more of the selected text.
    """
    marked = _find_marked(tree)
    elements = islice(tree.iter("*"), MAX_ELEMENTS if is_known else 0)
    signatures = {element for element in elements if may_be_signature(element)}
    if max(len(marked), len(signatures)) < _MIN_POSTS:
        return ()
    sizes: Counter[HtmlElement] = Counter()
    for segment, selected in zip(segments, keep, strict=True):
        for leaf in segment.leaves if selected else ():
            sizes[leaf.parent] += len(leaf.text.strip())
    best: list[FoundPost] = []
    best_merit = 0.0
    min_share = _MIN_TEXT_SHARE_IF_KNOWN if is_known else _MIN_TEXT_SHARE
    groups = [marked, *(_find_similar(tree, sizes, min_share, signatures) if signatures else [])]
    leaves = _read_leaves(segments)
    for units in groups:
        reader = PostReader(units[:MAX_POSTS], leaves)
        # Most pages with comments: reading who wrote them takes longer than all of this.
        if reader.count_selected_chars(sizes) < min_share * sizes.total():
            continue
        reader.read(sizes)
        posts = [post for post in reader.posts.values() if post.leaves]
        size = sum(reader.selected[post] for post in posts)
        authors = sum(bool(post.author) for post in posts)
        signed = sum(post.is_signed for post in posts)
        if (
            authors >= _MIN_POSTS
            and signed >= _MIN_SIGNED_SHARE * len(posts)
            and sum(bool(reader.selected[post]) for post in posts)
            >= (_MIN_POSTS if is_known else len(posts) / 2)
        ):
            dates = sum(bool(post.date) for post in posts)
            content_size = sum(len(leaf.text.strip()) for post in posts for leaf in post.leaves)
            merit = size / (content_size + sizes.total()) * (authors + dates) / len(posts)
            if merit > best_merit:
                best, best_merit = posts, _MIN_IMPROVEMENT * merit
    best = _without_copies(best)
    _set_depths(best)
    if all(post.depth for post in best[1:]):  # all answer the first
        for post in best[1:]:
            post.depth -= 1
    return tuple(best)


#: The fewest characters of a post that nobody writes twice.
_MIN_COPY_CHARS = 80


def _without_copies(posts: Iterable[FoundPost]) -> list[FoundPost]:
    """Return the posts without copies of long ones: some pages have the first post twice."""
    unique: dict[tuple[str, str], FoundPost] = {}
    for post in posts:
        text = _post_text(post)
        author = post.author if len(text) >= _MIN_COPY_CHARS else str(len(unique))
        original = unique.setdefault((text, author), post)
        original.date = post.date or original.date  # of a copy, the day may be displayed
    return list(unique.values())


# Finding posts


_ITEM_TYPES = re.compile(
    r"schema\.org/(?:Question|Answer|(?:User)?Comments?|(?:DiscussionForum|SocialMedia)Posting)\b"
)


def _find_marked(tree: HtmlElement) -> list[HtmlElement]:
    """Return the elements that are called posts, in document order."""
    return [
        element
        for element in islice(tree.iter("*"), MAX_ELEMENTS)
        if element.tag not in NON_POST_TAGS
        and (roles_of(element) & (IS_POST | IS_COMMENT) or _is_marked_up(element, _ITEM_TYPES))
    ]


#: The most looks of elements to try as posts.
_MAX_GROUPS = 6


def _find_similar(
    tree: HtmlElement,
    sizes: Mapping[HtmlElement, int],
    min_share: float,
    signatures: Set[HtmlElement],
) -> list[list[HtmlElement]]:
    """Return groups of signed elements of one look with most of the selected text, outer first."""
    groups: dict[str, Counter[HtmlElement]] = {}
    signed: dict[str, dict[HtmlElement, None]] = {}
    names: dict[HtmlElement, tuple[str, ...]] = {}
    for element in islice(tree.iter("*"), MAX_ELEMENTS):
        size = sizes.get(element, 0)
        marked = element in signatures
        if not (size or marked):
            continue
        counted: set[str] = set()
        for ancestor in chain([element], islice(element.iterancestors(), MAX_ANCESTORS)):
            if ancestor not in names:
                names[ancestor] = look_keys(ancestor)
            for name in names[ancestor]:
                if name not in counted:
                    counted.add(name)
                    groups.setdefault(name, Counter())[ancestor] += size
                    if marked and ancestor is not element:
                        signed.setdefault(name, {})[ancestor] = None
    depths: dict[tuple[HtmlElement, ...], int] = {}
    for name, members in signed.items():
        group = groups[name]
        with_text = [element for element in members if group[element]]
        size = sum(group[element] for element in with_text)
        if len(with_text) >= _MIN_POSTS and size >= min_share * sum(sizes.values()):
            depths[tuple(members)] = sum(1 for _ in with_text[0].iterancestors())
    largest = sorted(depths, key=len, reverse=True)[:_MAX_GROUPS]
    positions = {element: i for i, element in enumerate(tree.iter("*"))}
    return [
        sorted(group, key=positions.__getitem__)
        for group in sorted(largest, key=depths.__getitem__)
    ]


_MAX_SECTIONS = 20
_COMMENT_TYPES = re.compile(r"schema\.org/(?:User)?Comments?\b", re.IGNORECASE)
_PINGBACK_CLASS = re.compile(r"(?:^|\s)(?:pingback|trackback)(?:$|\s)")


def _find_comments(tree: HtmlElement) -> list[HtmlElement]:
    """Return the elements that may be comments, in document order."""
    units: dict[HtmlElement, None] = {}
    sections: list[HtmlElement] = []
    for element in islice(tree.iter("*"), MAX_ELEMENTS):
        if element.tag in NON_POST_TAGS and element.tag not in HEADINGS:
            continue
        roles = roles_of(element)
        if roles & IS_COMMENT or _is_marked_up(element, _COMMENT_TYPES):
            units[element] = None
        if roles & IS_LIST:
            units.update(dict.fromkeys(child for child in element if child.tag in {"li", "div"}))
        if roles & IS_SECTION or _is_label(element.get("aria-label") or ""):
            sections.append(element)
        elif element.tag in HEADINGS and _is_label(
            element_line(element, limit=MAX_NAME_LINE_CHARS)
        ):
            sections.append(element.getparent())
    if not units:
        for section in sections[:_MAX_SECTIONS]:
            if section.tag not in {"body", "html", "main"} and (
                similar := _find_similar_blocks(section)
            ):
                return similar
    # Last, because checking a comment's surroundings costs more than finding it.
    ordered = [element for element in tree.iter("*") if element in units] if units else []
    return [
        unit
        for unit in ordered[: 2 * MAX_POSTS]
        if not _PINGBACK_CLASS.search(class_and_id(unit))
        and not any(e.tag in {"form", "nav"} for e in islice(unit.iterancestors(), MAX_ANCESTORS))
    ]


_MAX_BLOCKS = 20_000


def _find_similar_blocks(section: HtmlElement) -> list[HtmlElement]:
    """Return the similar blocks in a comment section, each with an author or a time."""
    groups: dict[tuple[str, str], list[HtmlElement]] = {}
    for element in islice(section.iterdescendants("li", "div", "article", "section"), _MAX_BLOCKS):
        groups.setdefault((element.tag, element.get("class") or ""), []).append(element)
    for group in groups.values():
        if len(group) > 1 and all(_has_signature(block) for block in group[:MAX_NEARBY]):
            return group
    return []


def _has_signature(block: HtmlElement) -> bool:
    inner = islice(block.iterdescendants(), MAX_NEARBY * 10)
    signed = any(may_be_signature(element) for element in inner)
    return signed and any(map(str.isalnum, element_line(block, limit=400)))


def _is_marked_up(element: HtmlElement, types: re.Pattern[str]) -> bool:
    """Return whether microdata marks an element as a post."""
    return types.search((element.get("itemtype") or "")[:200]) is not None


#: Headings and labels of comment sections, apart from the number of comments.
_TABLE = load_table("comment_headings")
_LABELS = frozenset(map(str.casefold, [*_TABLE["by_language"].values(), *_TABLE["others"]]))
_NOT_LETTERS = re.compile(r"[\W\d_]+")


def _is_label(text: str) -> bool:
    return _NOT_LETTERS.sub(" ", text[:MAX_NAME_LINE_CHARS]).strip().casefold() in _LABELS


def _post_text(post: FoundPost) -> str:
    return "".join(leaf.text for leaf in post.leaves)


# Replies


#: Deeper replies go to this level.
MAX_DEPTH = 8


def _set_depths(posts: Sequence[FoundPost]) -> None:
    """Set the depth of each post: by nesting, by an adjacent box of replies, or as stated."""
    by_element = {post.element: post for post in posts}
    latest: dict[HtmlElement | None, FoundPost] = {}  # the last post of each parent
    nested = False
    for post in posts:
        parent = _find_parent(post.element, by_element, latest)
        post.depth = 0 if parent is None else min(parent.depth + 1, MAX_DEPTH - 1)
        nested = nested or parent is not None
        latest[post.element.getparent()] = post
    if nested:
        return
    open_levels: list[int] = []
    for post, level in zip(posts, map(_stated_level, posts), strict=True):
        while open_levels and open_levels[-1] >= level:
            open_levels.pop()
        post.depth = min(len(open_levels), MAX_DEPTH - 1)
        open_levels.append(level)


_REPLIES = class_pattern("children|repl(?:y|ies)|nested|sub-?comments")


def _find_parent(
    unit: HtmlElement,
    posts: Mapping[HtmlElement, FoundPost],
    latest: Mapping[HtmlElement | None, FoundPost],
) -> FoundPost | None:
    child = unit
    for ancestor in islice(unit.iterancestors(), MAX_ANCESTORS):
        if ancestor in posts:
            return posts[ancestor]
        # Replies may be in a separate box next to the post.
        if child is not unit and ancestor in latest and _REPLIES.search(class_and_id(child)):
            return latest[ancestor]
        child = ancestor
    return None


_LEVEL_CLASS = re.compile(r"(?:^|[\s_-])(?:depth|level|lvl|indent)[-_]?(\d{1,2})(?=$|\s)")
_LEVEL_ATTRIBUTES = (
    "depth", "data-depth", "data-level", "data-comment-depth", "indent", "data-indent"
)  # fmt: skip
_INDENT = re.compile(
    r"(?:margin|padding)-(?:left|inline-start)\s{0,9}:\s{0,9}(\d{1,4})(?:\.\d{1,6})?(?:px|r?em|%)"
)


def _stated_level(post: FoundPost) -> int:
    """Return the level or indent that attributes state, in any unit."""
    for element in chain([post.element], islice(post.element.iterdescendants(), 12)):
        for name in _LEVEL_ATTRIBUTES:
            if (level := element.get(name) or "").isdecimal():
                return int(level[:4])
        if match := _LEVEL_CLASS.search(class_and_id(element)) or _INDENT.search(
            (element.get("style") or "")[:300]
        ):
            return int(match[1])
        if element.get("height") == "1":  # a spacer
            width = element.get("width") or ""
            return int(width[:4]) if width.isdecimal() else 0
    return 0


def _find_heading(comment: HtmlElement) -> HtmlElement | None:
    """Return the heading of the comments above the first comment, or None."""
    for ancestor in (comment, *islice(comment.iterancestors(), MAX_NEARBY)):
        if ancestor.tag in PAGE_TAGS and ancestor is not comment:
            return None
        parent = ancestor.getparent()
        in_section = parent is not None and bool(SECTION_CLASS.search(class_and_id(parent)))
        for sibling in islice(ancestor.itersiblings(preceding=True), MAX_NEARBY):
            heading = sibling if sibling.tag in HEADINGS else sibling.find(".//h2")
            heading = sibling.find(".//h3") if heading is None else heading
            if heading is None:
                continue
            text = element_line(heading, limit=MAX_NAME_LINE_CHARS)
            if _is_label(text) or (in_section and any(map(str.isdigit, text))):
                return heading
    return None


def _read_leaves(segments: Iterable[Segment]) -> list[tuple[Leaf, HtmlElement | None]]:
    """Return the text nodes of segments that are not blank, with the elements that contain them."""
    leaves = (leaf for segment in segments for leaf in segment.leaves)
    return [(leaf, leaf.parent) for leaf in leaves if not leaf.text.isspace()]
