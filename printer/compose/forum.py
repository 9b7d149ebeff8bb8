"""Signatures: a line above each post of a discussion that says who wrote it, and when."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import replace

from lxml.html import HtmlElement

from ..article import Block, Heading, Item, List, Paragraph, Span
from ..html.comments import Comment, Comments
from ..html.forum import Post, read_posts
from ..html.index import Segment
from ..html.page import Page
from ..selection import Verdict
from .builder import ArticleBuilder
from .footnotes import LinkTargets
from .selection import holder, select_below

#: A page is a discussion when posts, so many at least, hold this share of what is printed of it.
_FEWEST, _MOST = 2, 0.5
#: What hints at posts on a page that was taken for something else; one by one they are found soon.
_HINTS = (
    re.compile(r"schema\.org/(?:Answer|Comment|DiscussionForum)"),
    re.compile("data-author="),
    re.compile(r"""id=["']?(?:post|msg|p)[-_]?\d"""),
)


def find_posts(page: Page, verdict: Verdict) -> Mapping[HtmlElement, Post]:
    """Return the posts of a discussion, those alone that something is kept of; none elsewhere."""
    if verdict.kind != "forum" and not any(hint.search(page.source) for hint in _HINTS):
        return {}
    posts = read_posts(page.tree)
    above: dict[HtmlElement, HtmlElement | None] = {}
    sizes: Counter[HtmlElement | None] = Counter()
    for segment, keep in zip(page.segments, verdict.keep, strict=True):
        for leaf in segment.leaves if keep and posts else ():
            sizes[_post_of(holder(leaf), posts, above)] += len(leaf.text.strip())
    elsewhere = sizes.pop(None, 0)
    said = {
        element: posts[element] for element, size in sizes.items() if size and element is not None
    }
    enough = elsewhere <= (1 - _MOST) * (elsewhere + sizes.total())
    return said if enough and len(said) >= _FEWEST else {}


def drop_author_lines(page: Page, verdict: Verdict, posts: Mapping[HtmlElement, Post]) -> Verdict:
    """Return the verdict without the lines that only tell what the posts' signatures tell."""
    told: set[HtmlElement] = set()
    for mark in (mark for post in posts.values() for mark in post.elements):
        if mark not in told:  # else in one that was read
            told.update(mark.iter())
    if not told:
        return verdict
    keep = (
        kept
        and (all(holder(leaf) not in told for leaf in segment.leaves) or _says_more(segment, told))
        for segment, kept in zip(page.segments, verdict.keep, strict=True)
    )
    return replace(verdict, keep=tuple(keep))


def _says_more(segment: Segment, told: Set[HtmlElement]) -> bool:
    rest = (leaf.text for leaf in segment.leaves if holder(leaf) not in told)
    return any(map(str.isalpha, "".join(rest)))


def author_lines(posts: Mapping[HtmlElement, Post], opener: str) -> dict[HtmlElement, Paragraph]:
    """Return a line for each post.

    The first has none when it is ``opener``'s: the article's byline names them.
    """
    signed = {element: author_line(post.author, post.date) for element, post in posts.items()}
    first = next(iter(posts), None)
    if first is not None and posts[first].author == opener:
        del signed[first]
    return signed


def author_line(author: str, date: str) -> Paragraph:
    """Return the line that says who wrote something, and when; either may be ''."""
    spans = [Span(author, ("strong",))] if author else []
    if date:
        spans.append(Span(f", {date}" if spans else date, ("small",)))
    return Paragraph(tuple(spans))


def _post_of(
    element: HtmlElement | None,
    posts: Mapping[HtmlElement, Post],
    known: dict[HtmlElement, HtmlElement | None],
) -> HtmlElement | None:
    """Return the post that an element stands in; ``known`` is kept so that depth costs once."""
    way = []
    while element is not None and element not in posts and element not in known:
        way.append(element)
        element = element.getparent()
    found = known.get(element, element) if element is not None else None
    known.update(dict.fromkeys(way, found))
    return found


#: What stands above comments that the page sets no heading above.
_HEADINGS = {
    "ar": "التعليقات", "cs": "Komentáře", "da": "Kommentarer", "de": "Kommentare", "el": "Σχόλια",
    "en": "Comments", "es": "Comentarios", "fi": "Kommentit", "fr": "Commentaires",
    "he": "תגובות", "hi": "टिप्पणियाँ", "hu": "Hozzászólások", "it": "Commenti", "ja": "コメント",
    "ko": "댓글", "nb": "Kommentarer", "nl": "Reacties", "no": "Kommentarer", "pl": "Komentarze",
    "pt": "Comentários", "ru": "Комментарии", "sv": "Kommentarer", "th": "ความคิดเห็น",
    "tr": "Yorumlar", "uk": "Коментарі", "vi": "Bình luận", "zh": "评论",
}  # fmt: skip


def comment_blocks(page: Page, comments: Comments) -> tuple[Block, ...]:
    """Return a heading and the list of comments; nothing when there are none."""
    if not comments.threads:
        return ()
    language = page.metadata.language.partition("-")[0]
    heading = comments.heading or _HEADINGS.get(language, _HEADINGS["en"])
    return Heading(2, (Span(heading),)), _list(page, comments.threads)


def _list(page: Page, comments: tuple[Comment, ...]) -> List:
    return List(tuple(Item(_blocks(page, each)) for each in comments))


def _blocks(page: Page, comment: Comment) -> tuple[Block, ...]:
    said = ArticleBuilder(page, select_below(comment.element, comment.leaves), LinkTargets())
    signed = [author_line(comment.author, comment.date)] if comment.author or comment.date else []
    blocks = [*signed, *said.blocks(comment.element)]
    if comment.replies:
        blocks.append(_list(page, tuple(comment.replies)))
    return tuple(blocks)
