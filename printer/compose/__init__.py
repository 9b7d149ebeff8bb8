"""Composition of an article of typed blocks from the selected segments and pictures of a page.

:mod:`.builder` traverses the selected elements once.  Text becomes spans (:mod:`.inline`); lists,
quotations and tables are collected by builders (:mod:`.block_builders`, :mod:`.tables`).
:mod:`.cleanup` makes the corrections that need the whole article.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import compress, groupby, islice, takewhile

from lxml.html import HtmlElement

from ..article import (
    Article,
    Block,
    Figure,
    Paragraph,
    Span,
    Spans,
    has_mark_throughout,
    plain_text,
)
from ..html.discussion import MAX_POSTS, Comments
from ..html.index import Segment, class_and_id
from ..html.metadata.bylines import is_byline_label
from ..html.metadata.dates import find_dateline
from ..html.metadata.language import choose_language
from ..html.metadata.metadata import Metadata
from ..html.page import Page
from ..html.parse import element_line
from ..html.posts import FoundPost
from ..html.visibility import HEADING_TAGS
from ..selection import PlacedFigure, Verdict
from ..text import COLONS, comparison_key, count_words, ends_sentence
from ..urls import host_of, resolve
from .builder import ArticleBuilder
from .cleanup import clean_up
from .discussion import (
    comment_blocks,
    find_posts,
    post_blocks,
    select_content,
    select_posts,
    without_last_heading,
)
from .footnotes import InternalTargets, find_internal_targets
from .inline import joined, strip_end
from .math import convert_inline_tex
from .selection import select, select_below

__all__ = ["append_comments", "article_metadata", "compose", "find_posts", "select_posts"]


#: The bylines and dates of these pages are those of reviews.
_WITHOUT_BYLINE = frozenset({"collection", "product"})
#: The bylines and dates of these pages may be those of single entries, unless they are articles.
_OF_ENTRIES = frozenset({"listing", "service"})


def article_metadata(page: Page, verdict: Verdict) -> Metadata:
    """Return the page's metadata, without the byline and date of a review or of a single entry."""
    is_of_entry = verdict.kind in _OF_ENTRIES and not page.metadata.is_article
    if is_of_entry or verdict.kind in _WITHOUT_BYLINE:
        return replace(page.metadata, byline="", published="")
    published = page.metadata.published or _date_of_text(page, verdict)
    return replace(page.metadata, published=published)


#: The first lines of a text that may begin with its date.
_FIRST_LINES = 2


def _date_of_text(page: Page, verdict: Verdict) -> str:
    """Return the date with which the text begins, '' for none."""
    if verdict.kind != "article":
        return ""
    beginning = islice(compress(page.segments, verdict.keep), _FIRST_LINES)
    dates = (find_dateline(segment.text, page.metadata.language) for segment in beginning)
    return next(filter(None, dates), "")


#: The title is among the first links of a page.
_MAX_LINKS_TO_SUBJECT = 60


def _subject_link(page: Page) -> tuple[Block, ...]:
    """Return the address on another site to which a discussion's title is a link."""
    title = comparison_key(page.metadata.title)
    for link in islice(page.elements.find("a"), _MAX_LINKS_TO_SUBJECT) if title else ():
        url = resolve(page.base, link.get("href") or "")
        is_external = host_of(url) not in ("", host_of(page.base))
        if is_external and comparison_key(element_line(link)) == title:
            return (Paragraph((Span(url.partition("://")[2], href=url),)),)
    return ()


_CUT = "the page is too long to be read in full; the article ends where reading stopped"


def compose(
    page: Page,
    verdict: Verdict,
    pictures: tuple[PlacedFigure, ...],
    excluded: Set[HtmlElement] = frozenset(),
    posts: Sequence[FoundPost] = (),
) -> Article:
    """Return the article of a page without the own text of ``excluded`` elements.

    The posts of a discussion follow the other text.
    """
    metadata = page.metadata
    authors = [post.author for post in posts]
    is_reply = metadata.byline and metadata.byline in authors[1:] and authors[0]
    if is_reply and "comment" not in class_and_id(posts[0].element):
        # The author of a discussion is that of its first post, not of a reply.
        metadata = replace(metadata, byline=authors[0])
    # A picture with a credit has a caption of its own, even if the page's summary repeats it.
    credited = (placed.captions for placed in pictures if placed.figure.credit)
    introduction, verdict = _split_standfirst(page, verdict, frozenset[int]().union(*credited))
    selection = select(page, verdict, pictures, excluded)
    if posts:
        selection = select_content(selection, posts)
    targets = find_internal_targets(page, selection)
    builder = ArticleBuilder(page, selection, targets, frozenset(post.element for post in posts))
    blocks = builder.blocks()
    if posts:
        above = without_last_heading(blocks)
        byline = "" if above else metadata.byline
        subject = () if above else _subject_link(page)
        blocks = above + subject + post_blocks(page, selection, targets, posts, byline)
    blocks = convert_inline_tex(blocks, page)
    linked = bool(targets.places or targets.references)
    corrected = clean_up(blocks, metadata.title, builder.aliases, linked=linked, kind=verdict.kind)
    # The rest of the page may hide the language of the article's prose.
    prose = " ".join(plain_text(b.spans) for b in corrected if isinstance(b, Paragraph))
    language = choose_language([metadata.language], lambda length: prose[:length])
    return Article(
        title=metadata.title,
        blocks=introduction + corrected if introduction or posts else _with_bold_lead(corrected),
        url=page.url,
        byline=metadata.byline,
        published=metadata.published,
        site=metadata.site,
        lead=metadata.lead,
        section=metadata.section,
        language=language or metadata.language,
        direction="rtl" if metadata.direction == "rtl" else "ltr",
        confidence=verdict.confidence,
        kind=verdict.kind,
        warnings=(_CUT,) if page.index.truncated else (),
    )


def _split_standfirst(
    page: Page, verdict: Verdict, captions: Set[int]
) -> tuple[tuple[Paragraph, ...], Verdict]:
    """Return the paragraphs of the standfirst, without the title, and the verdict without them."""
    segments = {i for i in verdict.standfirst - captions if verdict.keep[i]}
    if not segments:
        return (), verdict
    title = comparison_key(page.metadata.title)
    lines = (page.segments[i] for i in sorted(segments))
    text = (line for line in lines if comparison_key(line.text) != title)
    byline = page.metadata.byline
    introduction = tuple(
        replace(paragraph, spans=_without_byline(paragraph.spans, byline), standfirst=True, id="")
        for paragraph in _join_lines(page, text)
    )
    keep = tuple(flag and i not in segments for i, flag in enumerate(verdict.keep))
    return introduction, replace(verdict, keep=keep)


def _without_byline(spans: Spans, byline: str) -> Spans:
    """Return a standfirst without the byline after its last sentence, printed with the title."""
    *rest, last = spans or (Span(""),)
    head, _, tail = last.text.rpartition(byline) if byline else ("", "", last.text)
    before, _, label = head.rstrip().rpartition(" ")
    is_byline = bool(label) and is_byline_label(label) and not tail.strip(" .")
    if not is_byline or not ends_sentence(f"{plain_text(tuple(rest))}{before}".rstrip()):
        return spans
    return strip_end((*rest, replace(last, text=before)) if before else tuple(rest), " ")


def _join_lines(page: Page, lines: Iterable[Segment]) -> Iterator[Paragraph]:
    """Yield the paragraphs of a standfirst; the lines of a heading are one."""
    for block, same_block in groupby(lines, lambda line: line.block):
        paragraphs: list[Paragraph] = []
        for line in same_block:
            selection = select_below(block, line.leaves)
            blocks = ArticleBuilder(page, selection, InternalTargets()).blocks(block)
            paragraphs += (part for part in blocks if isinstance(part, Paragraph))
        if block.tag in HEADING_TAGS and paragraphs:
            spans = joined((part.spans for part in paragraphs), "\n")
            paragraphs = [replace(paragraphs[0], spans=spans)]
        yield from paragraphs


# A bold first paragraph of that length is the standfirst.
_MIN_LEAD_WORDS = 8
_MAX_LEAD_WORDS = 100


def _with_bold_lead(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Make the first paragraph the standfirst if it is bold and the next block is not."""
    figures = tuple(takewhile(lambda block: isinstance(block, Figure), blocks))
    match blocks[len(figures) : len(figures) + 2]:
        case (_, Paragraph(spans=spans)) if has_mark_throughout(spans, "strong"):
            return blocks
        case (Paragraph(spans=spans) as first, _) if has_mark_throughout(spans, "strong"):
            words = count_words(text := plain_text(spans))
            is_sentence = ends_sentence(text) and not text.endswith(COLONS)
            if _MIN_LEAD_WORDS <= words <= _MAX_LEAD_WORDS and is_sentence:
                lead = replace(first, standfirst=True)
                return (lead, *figures, *blocks[len(figures) + 1 :])
    return blocks


def append_comments(article: Article, page: Page, comments: Comments) -> Article:
    """Return an article with its page's comments appended."""
    blocks = article.blocks + comment_blocks(page, comments)
    warnings = article.warnings
    if comments.more:
        warnings += (f"only the first {MAX_POSTS} comments are printed",)
    return replace(article, blocks=blocks, warnings=warnings)
