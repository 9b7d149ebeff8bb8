"""Readers' comments, set after the article: a list of them, with the replies to each inside it."""

from __future__ import annotations

from ..article import Block, Heading, Item, List, Span
from ..html.comments import Comment, Comments
from ..html.page import Page
from .builder import Composer
from .footnotes import Anchors
from .forum import signature
from .selection import select_below

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
    said = Composer(page, select_below(comment.element, comment.leaves), Anchors())
    signed = [signature(comment.author, comment.date)] if comment.author or comment.date else []
    blocks = [*signed, *said.blocks(comment.element)]
    if comment.replies:
        blocks.append(_list(page, tuple(comment.replies)))
    return tuple(blocks)
