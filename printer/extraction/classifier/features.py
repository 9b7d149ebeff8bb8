"""Features of text segments for the classifier: a row per segment, a column per feature.

Nothing here depends on a language: text is described by its classes of characters, and the meaning
of words and class names is learned (:mod:`.lexical`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...html.index import ElementFlag, PageIndex, prefix_sums
from ...html.page import Page
from ..papers.max_subsequence import best_run
from . import lexical
from .lexical import FeatureColumn, Ints, NameTable, count_characters, leading_words, read_names


def _flags(names: str) -> list[ElementFlag]:
    return [ElementFlag[name] for name in names.split()]


def stack_columns(parts: Sequence[FeatureColumn]) -> FeatureColumn:
    """Return columns, and matrices of the same rows, as one matrix with contiguous columns."""
    rows = len(parts[0])
    flat = np.concatenate([part.T.ravel() for part in parts], dtype=np.float32, casting="same_kind")
    return flat.reshape(-1, rows).T


@dataclass(slots=True)
class Columns:
    """Features under their names, in the order they were added."""

    names: list[str] = field(default_factory=list)
    values: list[FeatureColumn] = field(default_factory=list)

    def add(self, name: str, values: NDArray[np.generic]) -> None:
        """Add a column, or several under numbered names."""
        numbers = values.astype(np.float32)
        if numbers.ndim == 1:
            self.names.append(name)
            self.values.append(numbers)
            return
        for number, column in enumerate(numbers.T):
            self.names.append(f"{name}.{number}")
            self.values.append(column)

    def matrix(self) -> FeatureColumn:
        """Return the columns side by side, row after row."""
        return np.ascontiguousarray(stack_columns(self.values))


@dataclass(frozen=True, slots=True, eq=False)
class FeatureContext:
    """The data from which the features of a page are computed, and the features.

    Per element: ``parents``, the range of segments inside (``begins``, ``ends``), ``wider``, its
    nearest ancestor that contains more segments, and ``names``: class names, id and roles.

    Per segment: its text, its first ``words``, its block with its flags and tag,
    ``last_headings``, the last heading at or before it (-1: none), ``word_counts``, where two
    characters of an unspaced script are one, its characters, those in links and, if it is a
    paragraph, those of it (else 0), and ``similar``, its groups of segments with the same names on
    the block and on one, or two, elements around it.
    """

    texts: list[str]
    parents: Ints
    flags: Ints
    tags: list[str]
    article_starts: Ints
    last_headings: Ints
    names: NameTable
    words: list[list[str]]
    blocks: Ints
    begins: Ints
    ends: Ints
    wider: Ints
    word_counts: FeatureColumn
    chars: FeatureColumn
    link_chars: FeatureColumn
    paragraph_chars: FeatureColumn
    similar: tuple[Ints, Ints]
    columns: Columns = field(default_factory=Columns)


#: Letters of scripts without spaces count twice.
_MIN_PARAGRAPH_CHARS = 80


def build_context(page: Page, table: FeatureColumn) -> FeatureContext:
    """Return the context of a page; ``table`` is from :func:`.count_characters`."""
    index = page.index
    blocks = np.array(index.segment_blocks, np.intp)
    begins, ends = np.array(index.segment_begins, np.intp), np.array(index.segment_ends, np.intp)
    texts = [segment.text for segment in page.segments]
    chars = table[:, : lexical.CLASSES].sum(1)
    link_chars = np.array([segment.link_chars for segment in page.segments], np.float32)
    long = chars + table[:, lexical.IDEOGRAPH] >= _MIN_PARAGRAPH_CHARS
    is_paragraph = long & (link_chars < 0.35 * chars)
    names = read_names(index)
    flags = np.array(index.flags, np.int64)[blocks]
    is_heading = (flags & int(ElementFlag.HEADING)) != 0
    words = table[:, lexical.WORDS] + table[:, lexical.IDEOGRAPH] / 2
    return FeatureContext(
        texts=texts,
        parents=np.array(index.parents, np.intp),
        flags=flags,
        tags=[index.tags[block] for block in index.segment_blocks],
        article_starts=begins[[i for i, tag in enumerate(index.tags) if tag == "article"]],
        last_headings=np.maximum.accumulate(np.where(is_heading, np.arange(len(blocks)), -1)),
        names=names,
        words=leading_words(texts),
        blocks=blocks,
        begins=begins,
        ends=ends,
        wider=_wider(index),
        word_counts=np.maximum(0.5, words),
        chars=chars,
        link_chars=link_chars,
        paragraph_chars=chars * is_paragraph,
        similar=_similar(index, names, blocks),
    )


def enclosing_elements(context: FeatureContext, count: int) -> list[Ints]:
    """Return ``count`` elements around each segment: its block, then successively wider ones."""
    levels = [context.blocks]
    while len(levels) < count:
        levels.append(context.wider[levels[-1]])
    return levels


def _wider(index: PageIndex) -> Ints:
    wider = [0] * len(index.parents)
    begins, ends = index.segment_begins, index.segment_ends
    elements = enumerate(zip(index.parents, begins, ends, strict=True))
    next(elements)  # the root has no parent
    for i, (parent, begin, end) in elements:
        holds_more = begins[parent] < begin or ends[parent] > end
        wider[i] = parent if holds_more else wider[parent]
    return np.array(wider, np.intp)


def _similar(index: PageIndex, names: NameTable, blocks: Ints) -> tuple[Ints, Ints]:
    rows = names.rows
    parents = np.maximum(0, np.array(index.parents, np.intp))
    parents_of_blocks, grandparents = parents[blocks], parents[parents[blocks]]
    path = rows[blocks] * 1_000_003 + rows[parents_of_blocks]
    groups = np.unique(path, return_inverse=True)[1]
    close = np.unique(path * 1_000_003 + rows[grandparents], return_inverse=True)[1]
    return groups.astype(np.intp), close.astype(np.intp)


def extract_features(page: Page, methods: Mapping[str, Sequence[float]]) -> FeatureContext:
    """Compute the features of a page with at least one segment; ``methods`` are papers' scores."""
    table, classes, starts = count_characters([segment.text for segment in page.segments])
    context = build_context(page, table)
    _add_text(context, table, classes, starts)
    _add_flags(context, page.index)
    _add_containers(context)
    _add_similar(context)
    _add_position(context)
    _add_neighbors(context)
    _add_copies(context)
    _add_page(context, page)
    for name, scores in methods.items():
        context.columns.add(name, np.array(scores))
    return context


def _add_text(
    context: FeatureContext, table: FeatureColumn, classes: NDArray[np.uint8], starts: Ints
) -> None:
    add, chars = context.columns.add, context.chars
    ideographs = table[:, lexical.IDEOGRAPH]
    letters = table[:, lexical.UPPER] + table[:, lexical.LETTER] + ideographs
    words = np.maximum(1, context.word_counts)
    stops = table[:, lexical.STOP]
    add("chars", np.log1p(chars))
    add("words", np.log1p(words))
    add("word length", letters / words)
    add("letters", letters / chars)
    add("upper", table[:, lexical.UPPER] / np.maximum(1, letters))
    add("capitalized", table[:, lexical.CAPITALIZED] / words)
    add("digits", table[:, lexical.DIGIT] / chars)
    add("stops", stops)
    add("words per stop", words / (stops + 1))
    add("commas", table[:, lexical.COMMA])
    add("commas per word", table[:, lexical.COMMA] / words)
    add("colons", table[:, lexical.COLON])
    add("quotes", table[:, lexical.QUOTE])
    add("marks", table[:, lexical.MARK])
    add("marks per word", table[:, lexical.MARK] / words)
    add("currency", table[:, lexical.CURRENCY])
    add("other", table[:, lexical.OTHER])
    add("first", classes[starts])
    last = np.concatenate([starts[1:], [len(classes)]]) - 2
    add("last", classes[last])
    before = classes[np.maximum(0, last - 1)]
    add("ends", (classes[last] == lexical.STOP) | (before == lexical.STOP))
    add("ideographs", ideographs / chars)


#: The flags of elements that are features of their own.
_FLAGS = _flags(
    "LINK STRONG EMPHASIS BUTTON LABEL CODE PARAGRAPH HEADING ITEM CELL DEFINITION QUOTE FIGURE "
    "CAPTION FORM NAV ASIDE HEADER FOOTER MAIN ARTICLE SECTION DETAILS DIALOG TIME NOSCRIPT HIDDEN"
)
#: The flags whose share of a segment's own characters is a feature.
_SHARE_FLAGS = _flags("STRONG EMPHASIS CODE TIME SMALL")
#: The tags of blocks, numbered from 1 as a feature.
_TAGS = (
    "p", "li", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "div", "section", "article", "body",
    "dd", "dt", "blockquote", "pre", "figcaption", "button", "summary", "label", "main", "header",
    "footer", "nav", "aside", "form",
)  # fmt: skip
_TAG_NUMBERS = {tag: number for number, tag in enumerate(_TAGS, 1)}


def _add_flags(context: FeatureContext, index: PageIndex) -> None:
    add, flags = context.columns.add, context.flags
    for flag in _FLAGS:
        add(f"in {flag.name}", (flags & int(flag)) != 0)
    add("tag", np.array([_TAG_NUMBERS.get(tag, 0) for tag in context.tags]))
    count = len(context.blocks)
    owner, segment_flags, length, _ = np.frombuffer(index.text_runs, np.int64).reshape(-1, 4).T
    chars = length.astype(np.float32)
    for flag in _SHARE_FLAGS:
        part = np.bincount(owner, ((segment_flags & int(flag)) != 0) * chars, count)
        add(f"share {flag.name}", part / context.chars)
    linked = (segment_flags & int(ElementFlag.LINK)) != 0
    add("links", np.bincount(owner, linked, count))
    add("runs", np.bincount(owner, minlength=count))
    add("link share", context.link_chars / context.chars)
    add("unlinked", np.log1p(context.chars - context.link_chars))


def _add_containers(context: FeatureContext) -> None:
    add = context.columns.add
    chars, links, paragraphs = map(
        prefix_sums, (context.chars, context.link_chars, context.paragraph_chars)
    )
    paragraph_counts = prefix_sums(context.paragraph_chars > 0)
    positions = np.arange(len(context.blocks))
    total, body_total = chars[-1], max(1.0, paragraphs[-1])
    level = context.blocks
    direct = np.bincount(context.blocks, context.paragraph_chars, len(context.begins))
    parents = np.maximum(0, context.parents)
    children = np.bincount(parents, direct, len(direct))
    for depth in range(6):
        low = context.begins[level]
        high = np.minimum(np.maximum(context.ends[level], low + 1), len(positions))
        text = np.maximum(1.0, chars[high] - chars[low])
        body = paragraphs[high] - paragraphs[low]
        add(f"box{depth} chars", np.log1p(text))
        add(f"box{depth} of page", text / total)
        add(f"box{depth} links", (links[high] - links[low]) / text)
        add(f"box{depth} size", high - low)
        add(f"box{depth} mean", text / (high - low))
        add(f"box{depth} paragraphs", paragraph_counts[high] - paragraph_counts[low])
        add(f"box{depth} body", body / text)
        add(f"box{depth} of body", body / body_total)
        add(f"box{depth} place", (positions - low) / (high - low))
        add(f"box{depth} direct", np.log1p(children[level]))
        level = context.wider[level]
    parent = parents[context.blocks]
    score = children[parent] + children[parents[parent]] / 2
    best = max(1.0, float((children + np.bincount(parents, children, len(children)) / 2).max()))
    add("parent score", score / best)
    add("grandparent score", children[parents[parent]] / max(1.0, float(children.max())))


def _add_similar(context: FeatureContext) -> None:
    """Compare segments with those of similar elements."""
    add = context.columns.add
    for name, group in zip(("similar", "close similar"), context.similar, strict=True):
        text = np.bincount(group, context.chars)
        size = np.bincount(group)
        add(f"{name} of page", (text / text.sum())[group])
        add(f"{name} size", size[group])
        add(f"{name} mean", np.log1p(text / size)[group])
        add(f"{name} links", (np.bincount(group, context.link_chars) / text)[group])
        add(f"{name} body", (np.bincount(group, context.paragraph_chars) / text)[group])
    add("similar length", context.chars / (text / size)[group])


_DECAY = 0.8


def _decayed(values: FeatureColumn) -> FeatureColumn:
    """Return the sum of the values before each index, weighted by a factor for each step back."""
    result, carried = [], 0.0
    for value in values.tolist():
        result.append(carried)
        carried = carried * _DECAY + value
    return np.array(result, np.float32)


def _add_position(context: FeatureContext) -> None:
    add, count = context.columns.add, len(context.blocks)
    positions = np.arange(count)
    chars, body = prefix_sums(context.chars), prefix_sums(context.paragraph_chars)
    add("place", positions / count)
    add("from start", positions)
    add("from end", count - positions)
    add("text before", chars[:-1] / chars[-1])
    body_total = max(1.0, body[-1])
    add("body before", body[:-1] / body_total)
    add("body after", (body_total - body[1:]) / body_total)
    hundreds = context.paragraph_chars / 100
    add("body flowing in", np.log1p(_decayed(hundreds)))
    add("body flowing back", np.log1p(_decayed(hundreds[::-1])[::-1]))
    is_paragraph = context.paragraph_chars > 0
    last = np.maximum.accumulate(np.where(is_paragraph, positions, -99))
    following = np.minimum.accumulate(np.where(is_paragraph, positions, count + 99)[::-1])[::-1]
    add("since paragraph", np.minimum(positions - np.append(-99, last[:-1]), 99))
    add("until paragraph", np.minimum(np.append(following[1:], count + 99) - positions, 99))
    is_heading = (context.flags & int(ElementFlag.HEADING)) != 0
    titles = np.flatnonzero([tag == "h1" for tag in context.tags])
    add("after title", positions - titles[0] if len(titles) else np.full(count, -999))
    add("since heading", np.minimum(positions - context.last_headings, 99))
    next_headings = np.where(is_heading, positions, count + 99)
    distances = np.minimum.accumulate(next_headings[::-1])[::-1] - positions
    add("until heading", np.minimum(distances, 99))
    add("titles so far", np.searchsorted(titles, positions, "right"))
    add("articles so far", np.searchsorted(context.article_starts, positions, "right"))
    is_linked = context.link_chars > context.chars / 2
    values = np.where(is_linked, -np.maximum(10, context.chars), context.chars - 30)
    start, after_run, _ = best_run(values.astype(np.float64))
    end = after_run - 1
    add("in run", (positions >= start) & (positions <= end))
    distance_outside = np.maximum(start - positions, 0) + np.maximum(positions - end, 0)
    add("from run", np.sign(positions - start) * np.minimum(distance_outside, 99))
    add("of run", (positions - start) / max(1, end - start))


def _add_neighbors(context: FeatureContext) -> None:
    add, count = context.columns.add, len(context.blocks)
    link_share = context.link_chars / context.chars
    length = np.log1p(context.chars)
    for step in (-3, -2, -1, 1, 2, 3):
        neighbors = np.clip(np.arange(count) + step, 0, count - 1)
        add(f"chars {step:+d}", length[neighbors])
        add(f"links {step:+d}", link_share[neighbors])
        if abs(step) == 1:
            add(f"same box {step:+d}", context.blocks[neighbors] == context.blocks)
            ends = context.columns.values[context.columns.names.index("ends")]
            add(f"ends {step:+d}", ends[neighbors])
    chars, links, body = map(
        prefix_sums, (context.chars, context.link_chars, context.paragraph_chars)
    )
    for width in (4, 12):
        low = np.maximum(0, np.arange(count) - width)
        high = np.minimum(count, np.arange(count) + width + 1)
        text = chars[high] - chars[low]
        add(f"links within {width}", (links[high] - links[low]) / text)
        add(f"body within {width}", (body[high] - body[low]) / text)
        add(f"mean within {width}", text / (high - low))


def _add_copies(context: FeatureContext) -> None:
    counts: dict[str, int] = {}
    order = []
    for text in context.texts:
        number = counts.get(text, 0)
        order.append(number)
        counts[text] = number + 1
    context.columns.add("copy", np.array(order))
    context.columns.add("copies", np.array([counts[text] for text in context.texts]))


def _add_page(context: FeatureContext, page: Page) -> None:
    statements = read_statements(page)
    add, count = context.columns.add, len(context.blocks)
    add("stated", statements.agreement(context.texts, context.words))
    for name, value in (*_totals(context, page.index), *statements.kinds.items()):
        add(f"page {name}", np.full(count, value))


#: The flags whose share of a page's text is a feature of the page.
_PAGE_FLAGS = _flags("ARTICLE MAIN CELL CODE TIME HEADING ITEM FORM NOSCRIPT HIDDEN")
#: Tags whose number on the page is a feature of the page.
_COUNTED_TAGS = ("article", "h1", "h2", "p", "pre", "time", "table", "button")


def _totals(context: FeatureContext, index: PageIndex) -> Sequence[tuple[str, float]]:
    chars, links = float(context.chars.sum()), float(context.link_chars.sum())
    body = float(context.paragraph_chars.sum())
    count = len(context.blocks)
    totals = [
        ("chars", np.log1p(chars)),
        ("links", links / chars),
        ("body", np.log1p(body)),
        ("body share", body / chars),
        ("segments", float(count)),
        ("paragraphs", float((context.paragraph_chars > 0).sum())),
        ("longest", np.log1p(float(context.paragraph_chars.max()))),
        ("mean", chars / count),
    ]
    for flag in _PAGE_FLAGS:
        has_flag = (context.flags & int(flag)) != 0
        totals.append((f"in {flag.name}", float((context.chars * has_flag).sum()) / chars))
    tags = Counter(index.tags)
    return [*totals, *((f"<{tag}>", float(tags[tag])) for tag in _COUNTED_TAGS)]


# A page's statements about itself


#: The most comparisons of characters with it.
_MAX_COMPARISONS = 200_000_000


@dataclass(frozen=True, slots=True)
class PageStatements:
    """The kinds that a page claims to be (counts by name), its titles' words, its stated body."""

    kinds: Mapping[str, float]
    titles: tuple[frozenset[str], ...]
    body: str

    def agreement(self, texts: Sequence[str], words: Sequence[Sequence[str]]) -> FeatureColumn:
        """Return how far texts, given with the first words of each, repeat the page's metadata.

        A row per text: the overlap with each title, then 1 or 0 for the stated body (-1: none).
        """
        rows = np.zeros((len(texts), 4), np.float32)
        all_titles = frozenset().union(*self.titles)
        # Searching for every text costs their number times the body's length.
        body = self.body if len(texts) * len(self.body) < _MAX_COMPARISONS else ""
        vocabulary = frozenset(body.split(" "))
        rows[:, 3] = [_begins_in(body, vocabulary, text[:60]) for text in texts] if body else -1
        for number, leading in enumerate(words):
            if not all_titles.isdisjoint(leading):
                leading_words = set(leading)
                for column, title in enumerate(self.titles):
                    if common := len(title & leading_words):
                        rows[number, column] = common / (len(leading_words) + len(title) - common)
        return rows


def _begins_in(body: str, vocabulary: frozenset[str], text: str) -> bool:
    """Return whether a text is in a body; the words between its first and its last are, too."""
    return vocabulary.issuperset(text.split(" ")[1:-1]) and text in body


_TYPE = re.compile(r'"@type"\s{0,9}:\s{0,9}\[?\s{0,9}"([A-Za-z]{1,40})"')
_BODY = re.compile(r'"(?:articleBody|text)"\s{0,9}:\s{0,9}"((?:[^"\\]++|\\.)*+)"')
#: schema.org types, by the kind of page they suggest.
_SCHEMA_TYPES = {
    "article": "Article NewsArticle BlogPosting Report ReportageNewsArticle OpinionNewsArticle "
    "ScholarlyArticle LiveBlogPosting AnalysisNewsArticle",
    "reference": "TechArticle APIReference HowTo SoftwareSourceCode",
    "discussion": "DiscussionForumPosting QAPage Question Answer Comment",
    "product": "Product Offer AggregateOffer ProductGroup",
    "list": "CollectionPage ItemList SearchResultsPage Blog",
    "service": "Service LocalBusiness ProfessionalService Organization AboutPage ContactPage "
    "FAQPage",
    "recipe": "Recipe",
    "video": "VideoObject",
}
_OPEN_GRAPH_TYPES = ("website", "article", "product")
#: The most characters of a stated body.
_MAX_BODY_CHARS = 1_000_000


def read_statements(page: Page) -> PageStatements:
    """Read what a page states in its metadata."""
    data = " ".join(page.linked_data)
    types = _TYPE.findall(data)
    kinds = {
        name: float(sum(map(frozenset(values.split()).__contains__, types)))
        for name, values in _SCHEMA_TYPES.items()
    }
    stated = next((m.get("content") or "" for m in page.elements.find("meta")
                   if m.get("property") == "og:type"), "")  # fmt: skip
    for name in _OPEN_GRAPH_TYPES:
        kinds[f"og {name}"] = float(stated.lower().startswith(name))
    meta = page.metadata
    heading = next((" ".join("".join(h.itertext()).split()) for h in page.elements.find("h1")), "")
    titles = tuple(map(frozenset, leading_words((meta.title, meta.lead, heading))))
    bodies = [_unescape(body[:_MAX_BODY_CHARS]) for body in _BODY.findall(data) if len(body) > 200]
    return PageStatements(kinds, titles, " ".join(" ".join(bodies)[:_MAX_BODY_CHARS].split()))


def _unescape(text: str) -> str:
    import html
    import json

    try:
        plain = json.loads(f'"{text}"', strict=False)
    except ValueError:
        plain = text
    return html.unescape(plain)
