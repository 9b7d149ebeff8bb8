"""The extract stage: a page's bytes become its article.

It uses no network, files or clock, except that pictures may be measured by downloading them.

parse -> site rules -> text segments (Verdict) -> pictures -> compose
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from lxml.html import HtmlElement

from .article import Article, iter_text
from .compose import append_comments, article_metadata, compose, find_posts, select_posts
from .errors import NoArticle
from .extraction import select_segments
from .extraction.extract import Trace, score_segments
from .extraction.leftovers import drop_empty_sections, find_buttons
from .extraction.selected_text import SelectedText
from .html.discussion import Comments, read_comments
from .html.index import IS_HIDDEN
from .html.page import Page, gc_paused, read_page
from .html.parse import element_line
from .html.posts import FoundPost
from .html.visibility import HEADING_TAGS
from .i18n import load_table
from .images import (
    PictureSelection,
    drop_captions,
    find_alternatives,
    override_selection,
    picture_decisions,
    place_pictures,
    select_pictures,
)
from .options import ExtractOptions
from .output import Loss
from .selection import Explanation, PictureDecision, SegmentDecision, Verdict
from .site_rules.apply import RuleMatch, apply_rules, below, match_rules, segment_reason
from .text import UNSPACED_CHARACTER

if TYPE_CHECKING:
    from .editing import EditableBlock
    from .images.size_probe import SizeFilter

#: The most dropped pictures that an edit offers to restore.
MAX_OMITTED_PICTURES = 20

_MAX_PATH = 5


@gc_paused
def extract(
    html: bytes | str, url: str | None = "", *, charset: str = "", **options: object
) -> Article:
    """Extract the article of a page; a pure function.

    Args:
        html: the page; bytes are decoded by the rules of the HTML standard.
        url: the page's address; without one, relative links and pictures lead nowhere.
        charset: the charset that an HTTP header declared.
        **options: the fields of :class:`ExtractOptions`.

    Raises:
        NoArticle: the page contains no article.
    """
    chosen = ExtractOptions(**options)  # type: ignore[arg-type]
    extraction = extract_article(read_page(html, url or "", charset), chosen)
    return extraction.with_additions(extraction.article, chosen)


@dataclass(frozen=True, slots=True)
class Extraction:
    """The article of one page, and the decisions that led to it.

    ``next_page`` is the URL at which the article continues, if a site rule gives one; ``blocks``
    are the blocks that an edit can remove or restore, if requested.
    """

    article: Article
    page: Page = field(repr=False)
    verdict: Verdict = field(repr=False)
    excluded: Set[HtmlElement] = field(repr=False)
    selection: PictureSelection = field(repr=False)
    comments: Comments = field(repr=False)
    next_page: str = ""
    blocks: tuple[EditableBlock, ...] = ()

    @property
    def pictures(self) -> tuple[PictureDecision, ...]:
        """The decision about each picture; computed on each access."""
        return picture_decisions(self.page, self.selection)

    @property
    def loss(self) -> Loss:
        """The selected content that is missing from the article; computed on each access."""
        from .compose.coverage import check_coverage

        pictures = place_pictures(self.page, self.selection)
        return check_coverage(self.page, self.verdict, pictures, self.article, self.excluded)

    def with_additions(self, article: Article, options: ExtractOptions) -> Article:
        """Return the article (merged with further pages) with key paragraphs and comments added."""
        if options.key_paragraphs:
            from .summarize import summarize

            article = summarize(article, options)
        return append_comments(article, self.page, self.comments)


#: The kinds of pages that have sections of pictures or teasers.
_KINDS_WITH_SECTIONS = frozenset({"article", "product", "service"})


@gc_paused
def extract_article(
    page: Page, options: ExtractOptions, probe: SizeFilter | None = None, *, editable: bool = False
) -> Extraction:
    """Extract the article of a parsed page; raise :class:`NoArticle`.

    ``probe`` drops pictures by the size of their files and may use the network for that;
    ``editable`` computes ``Extraction.blocks``.
    """
    rules, verdict, selection, posts = _select_content(page, options, probe)
    # On a forum page the comments are the article.
    separate = options.comments and verdict.kind != "forum" and not posts
    comments = read_comments(page.tree, page.segments) if separate else Comments()
    verdict = drop_captions(page, verdict, selection)
    placed = place_pictures(page, selection)
    if verdict.kind in _KINDS_WITH_SECTIONS:
        selected = SelectedText(page, verdict.keep, verdict.kind)
        drop_empty_sections(selected, (figure.element for figure in placed))
        verdict = replace(verdict, keep=tuple(selected.keep))
    metadata = replace(article_metadata(page, verdict), **rules.metadata_overrides)
    ruled_page = replace(page, metadata=metadata)
    comment_elements = below(comments.elements)
    buttons = find_buttons(page, verdict)
    excluded = comment_elements | rules.dropped | buttons
    article = compose(ruled_page, verdict, placed, excluded, posts)
    text = "\n".join(filter(None, iter_text(*article.blocks)))
    obstacle = find_obstacle(page, text)
    if not text and not obstacle:
        hint = "A rule for this site may remove it; try --no-rules" if rules.dropped else ""
        raise NoArticle("the page has no article", url=page.url, hint=hint)
    if not text:
        raise NoArticle.behind(obstacle, page.url)
    warnings = (f"{NoArticle.behind(obstacle)}",) if obstacle else ()
    warnings = (*article.warnings, *rules.warnings, *warnings)
    article = replace(article, warnings=warnings, obstacle=obstacle)
    blocks: tuple[EditableBlock, ...] = ()
    if editable:
        blocks = _editable_blocks(ruled_page, verdict, selection, article, comment_elements)
    return Extraction(
        article, page, verdict, excluded, selection, comments, rules.next_page, blocks
    )


Obstacle: TypeAlias = Literal["", "sign-in", "robot check", "not found", "consent", "paywall"]

#: The longest text that is not an article. A character of a script without spaces counts
#: as three.
_MAX_OBSTACLE_CHARS = 900
#: The longest whole page without an article.
_MAX_SMALL_PAGE_CHARS = 3_000
#: The longest beginning of an article.
MAX_STUB_CHARS = 1_500
_SMALL_PAGE_OBSTACLES: Final[tuple[Obstacle, ...]] = ("robot check", "consent")


def find_obstacle(page: Page, text: str) -> Obstacle:
    """Return what a page with this text shows instead of an article, '' if it shows one."""
    size = _size(text[: 2 * MAX_STUB_CHARS])
    if size > MAX_STUB_CHARS:
        return "paywall" if _is_closed(page, text, is_long=True) else ""
    headings = map(element_line, islice(page.tree.iter("h1", "h2"), _MAX_LINES))
    titles = [page.metadata.title, *(heading[:_MAX_LINE_CHARS] for heading in headings)]
    titles = [title.casefold() for title in titles]
    total = sum(_size(segment.text) for segment in page.segments)
    if size <= _MAX_OBSTACLE_CHARS:
        fields = page.tree.iter("input")
        has_password = any(field.get("type") == "password" for field in fields)
        if has_password and _announces(titles, "sign-in"):
            return "sign-in"
        if _announces(titles, "not found"):
            return "not found"
        if total <= _MAX_OBSTACLE_CHARS and _has_captcha(page):
            return "robot check"
    for obstacle in _SMALL_PAGE_OBSTACLES:
        if total <= _MAX_SMALL_PAGE_CHARS and _announces(titles, obstacle):
            return obstacle
    return "paywall" if _is_closed(page, text) else ""


def _size(text: str) -> int:
    return len(text) + 2 * len(UNSPACED_CHARACTER.findall(text))


_PHRASES: dict[Obstacle, tuple[str, ...]] = load_table("obstacles")
_MAX_CHARS_BESIDE_PHRASE = 24


def _announces(titles: Iterable[str], obstacle: Obstacle) -> bool:
    """Return whether a title is about an obstacle and little else."""
    return any(
        phrase in title and len(title) <= len(phrase) + _MAX_CHARS_BESIDE_PHRASE
        for title in titles
        for phrase in _PHRASES[obstacle]
    )


_MAX_LINES = 12
#: The most lines from a long text to the heading that asks to subscribe.
_MAX_LINES_TO_HEADING = 3
_MAX_LINE_CHARS = 160
_CAPTCHA = re.compile(r"captcha|turnstile|challenge-(?:form|running|stage)", re.IGNORECASE)


def _has_captcha(page: Page) -> bool:
    """Return whether a page has an element that asks visitors to prove that they are human."""
    for element in page.tree.iter("div", "form", "iframe", "input"):
        names = " ".join(filter(None, map(element.get, ("class", "id", "name", "title"))))
        if _CAPTCHA.search(names[:300]):
            return True
    return False


def _is_closed(page: Page, text: str, *, is_long: bool = False) -> bool:
    """Return whether lines after an article, headings after a long one, ask to subscribe."""
    last = text.rstrip().rpartition("\n")[2].strip()
    lines = page.segments
    position = next((i for i in range(len(lines) - 1, -1, -1) if lines[i].text == last), None)
    if position is None:
        return False
    following = [*lines[position : position + _MAX_LINES]]
    if is_long:
        flags, blocks = page.index.flags, page.index.segment_blocks
        headings = (
            s for s in following[1 : 1 + _MAX_LINES_TO_HEADING] if s.block.tag in HEADING_TAGS
        )
        following = [s for s in headings if not flags[blocks[s.index]] & IS_HIDDEN]
    texts = [line.text[:_MAX_LINE_CHARS].casefold() for line in following]
    return any(phrase in line for line in texts for phrase in _PHRASES["paywall"])


def _select_content(
    page: Page, options: ExtractOptions, probe: SizeFilter | None, trace: Trace | None = None
) -> tuple[RuleMatch, Verdict, PictureSelection, tuple[FoundPost, ...]]:
    """Select text segments, pictures and posts by the site's rules and the extraction methods."""
    rules = match_rules(page, options.rules)
    verdict = select_segments(page, options, trace)
    posts = find_posts(page, verdict)
    verdict = apply_rules(page, rules, select_posts(page, verdict, posts))
    selection = select_pictures(page, verdict, options, probe)
    if options.images in ("article", "all"):
        selection = override_selection(page, selection, rules.dropped, rules.included, rules.reason)
    return rules, verdict, selection, posts


def _editable_blocks(
    page: Page,
    verdict: Verdict,
    selection: PictureSelection,
    article: Article,
    comments: Set[HtmlElement],
) -> tuple[EditableBlock, ...]:
    """Return the article's blocks with the omitted blocks near it in their places."""
    from .editing import MAX_AFTER, MAX_BEFORE, editable_blocks, select_omitted

    figures = place_pictures(page, selection)
    captions = frozenset[int]().union(*(figure.captions for figure in figures))
    omitted = select_omitted(page, verdict, captions)
    indexes = [index for index, keep in enumerate(verdict.keep) if keep]
    nearby = (
        range(max(0, indexes[0] - MAX_BEFORE), indexes[-1] + MAX_AFTER) if indexes else range(0)
    )
    pictures = find_alternatives(page, selection, nearby, MAX_OMITTED_PICTURES)
    omitted_article = compose(page, omitted, pictures, comments)
    elements = {
        placement.figure.svg or placement.figure.src: placement.element
        for placement in (*pictures, *figures)
    }
    return editable_blocks(
        page, (article.blocks, verdict), (omitted_article.blocks, omitted), elements
    )


def explain(page: Page, options: ExtractOptions, probe: SizeFilter | None = None) -> Explanation:
    """Explain the decision about each of a page's segments and pictures.

    Segments have the scores of the classifier and of every paper's method, and the corrections made
    to the classifier's selection.
    """
    trace: Trace = {}
    rules, verdict, selection, _ = _select_content(page, options, probe, trace)
    scores = {**verdict.scores, **score_segments(page)}
    segments = tuple(
        SegmentDecision(
            text=segment.text,
            place=_element_path(segment.block),
            keep=verdict.keep[segment.index],
            scores={name: float(values[segment.index]) for name, values in scores.items()},
            rule=segment_reason(rules, segment),
            corrections=tuple(trace.get(segment.index, ())),
        )
        for segment in page.segments
    )
    matches = (f"{match}: {match.error or match.count}" for match in rules.matches)
    return Explanation(
        page.url,
        page.metadata.title,
        verdict.kind,
        verdict.confidence,
        segments,
        pictures=picture_decisions(page, selection),
        rules=(*matches, *rules.warnings),
    )


def _element_path(element: HtmlElement | None) -> str:
    names: list[str] = []
    while element is not None and len(names) < _MAX_PATH:
        name = element.get("id") or (element.get("class") or "").partition(" ")[0]
        names.append(f"{element.tag}.{name[:30]}" if name else str(element.tag))
        element = element.getparent()
    return " > ".join(reversed(names))
