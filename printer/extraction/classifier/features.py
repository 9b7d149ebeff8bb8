"""What the default extractor knows of each text segment: one row a segment, one column a feature.

Nothing here depends on a language: text is told by its kinds of characters, and what words and
class names mean comes as learned odds (:mod:`.cues`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...html.index import ElementFlag, PageIndex
from ...html.page import Page
from .. import characters as ch
from ..papers.max_subsequence import best_run
from ..reading import Column, FeatureContext, Ints, build_context
from ..statements import read_statements

#: The states that are features of their own.
_TOLD = (
    ElementFlag.LINK,
    ElementFlag.STRONG,
    ElementFlag.EMPHASIS,
    ElementFlag.BUTTON,
    ElementFlag.LABEL,
    ElementFlag.CODE,
    ElementFlag.PARAGRAPH,
    ElementFlag.HEADING,
    ElementFlag.ITEM,
    ElementFlag.CELL,
    ElementFlag.DEFINITION,
    ElementFlag.QUOTE,
    ElementFlag.FIGURE,
    ElementFlag.CAPTION,
    ElementFlag.FORM,
    ElementFlag.NAV,
    ElementFlag.ASIDE,
    ElementFlag.HEADER,
    ElementFlag.FOOTER,
    ElementFlag.MAIN,
    ElementFlag.ARTICLE,
    ElementFlag.SECTION,
    ElementFlag.DETAILS,
    ElementFlag.DIALOG,
    ElementFlag.TIME,
    ElementFlag.NOSCRIPT,
    ElementFlag.HIDDEN,
)
#: The states whose share of a page's text is a feature of the page.
_PAGE_TOLD = (
    ElementFlag.ARTICLE,
    ElementFlag.MAIN,
    ElementFlag.CELL,
    ElementFlag.CODE,
    ElementFlag.TIME,
    ElementFlag.HEADING,
    ElementFlag.ITEM,
    ElementFlag.FORM,
    ElementFlag.NOSCRIPT,
    ElementFlag.HIDDEN,
)
#: The states whose share of a segment's own characters is a feature.
_SHARES = (
    ElementFlag.STRONG,
    ElementFlag.EMPHASIS,
    ElementFlag.CODE,
    ElementFlag.TIME,
    ElementFlag.SMALL,
)
_OWN_TAGS = {
    tag: number
    for number, tag in enumerate(
        (
            "p", "li", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "div", "section", "article",
            "body", "dd", "dt", "blockquote", "pre", "figcaption", "button", "summary", "label",
            "main", "header", "footer", "nav", "aside", "form",
        ),
        1,
    )
}  # fmt: skip


def extract_features(page: Page, methods: Mapping[str, Sequence[float]]) -> FeatureContext:
    """Read a page that has at least one segment; ``methods`` are the papers' scores."""
    table, kinds, starts = ch.count_characters([segment.text for segment in page.segments])
    reading = build_context(page, table)
    _text(reading, table, kinds, starts)
    _states(reading, page.index)
    _containers(reading)
    _groups(reading)
    _place(reading)
    _neighbours(reading)
    _copies(reading)
    _page(reading, page)
    for name, scores in methods.items():
        reading.columns.add(name, np.array(scores))
    return reading


def _text(reading: FeatureContext, table: Column, kinds: NDArray[np.uint8], starts: Ints) -> None:
    add, chars = reading.columns.add, reading.chars
    ideographs = table[:, ch.IDEOGRAPH]
    letters = table[:, ch.UPPER] + table[:, ch.LETTER] + ideographs
    words = np.maximum(1, reading.word_counts)
    stops = table[:, ch.STOP]
    add("chars", np.log1p(chars))
    add("words", np.log1p(words))
    add("word length", letters / words)
    add("letters", letters / chars)
    add("upper", table[:, ch.UPPER] / np.maximum(1, letters))
    add("capitals", table[:, ch.CAPITALS] / words)
    add("digits", table[:, ch.DIGIT] / chars)
    add("stops", stops)
    add("words per stop", words / (stops + 1))
    add("commas", table[:, ch.COMMA])
    add("commas per word", table[:, ch.COMMA] / words)
    add("colons", table[:, ch.COLON])
    add("quotes", table[:, ch.QUOTE])
    add("marks", table[:, ch.MARK])
    add("marks per word", table[:, ch.MARK] / words)
    add("currency", table[:, ch.CURRENCY])
    add("other", table[:, ch.OTHER])
    add("first", kinds[starts])
    last = np.concatenate([starts[1:], [len(kinds)]]) - 2
    add("last", kinds[last])
    add("ends", (kinds[last] == ch.STOP) | (kinds[np.maximum(0, last - 1)] == ch.STOP))
    add("ideographs", ideographs / chars)


def _states(reading: FeatureContext, outline: PageIndex) -> None:
    add, states = reading.columns.add, reading.flags
    for state in _TOLD:
        add(f"in {state.name}", (states & int(state)) != 0)
    add("tag", np.array([_OWN_TAGS.get(tag, 0) for tag in reading.tags]))
    count = len(reading.blocks)
    owner, inside, long, _ = np.frombuffer(outline.text_runs, np.int64).reshape(-1, 4).T
    chars = long.astype(np.float32)
    for state in _SHARES:
        there = (inside & int(state)) != 0
        part = np.bincount(owner, there * chars, count)
        add(f"share {state.name}", part / reading.chars)
    linked = (inside & int(ElementFlag.LINK)) != 0
    add("links", np.bincount(owner, linked, count))
    add("runs", np.bincount(owner, minlength=count))
    add("link share", reading.link_chars / reading.chars)
    add("unlinked", np.log1p(reading.chars - reading.link_chars))


def _sums(values: Column) -> NDArray[np.float64]:
    """Return running sums, so that a range's sum is the difference of two."""
    return np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])


def _containers(reading: FeatureContext) -> None:
    add = reading.columns.add
    chars, links, paragraphs = (
        _sums(each) for each in (reading.chars, reading.link_chars, reading.paragraph_chars)
    )
    many = _sums((reading.paragraph_chars > 0).astype(np.float32))
    place = np.arange(len(reading.blocks))
    total, whole = chars[-1], max(1.0, paragraphs[-1])
    level = reading.blocks
    direct = np.bincount(reading.blocks, reading.paragraph_chars, len(reading.begins))
    parents = np.maximum(0, reading.parents)
    children = np.bincount(parents, direct, len(direct))
    for depth in range(6):
        low, high = (
            reading.begins[level],
            np.maximum(reading.ends[level], reading.begins[level] + 1),
        )
        high = np.minimum(high, len(place))
        text = np.maximum(1.0, chars[high] - chars[low])
        body = paragraphs[high] - paragraphs[low]
        add(f"box{depth} chars", np.log1p(text))
        add(f"box{depth} of page", text / total)
        add(f"box{depth} links", (links[high] - links[low]) / text)
        add(f"box{depth} size", high - low)
        add(f"box{depth} mean", text / (high - low))
        add(f"box{depth} paragraphs", many[high] - many[low])
        add(f"box{depth} body", body / text)
        add(f"box{depth} of body", body / whole)
        add(f"box{depth} place", (place - low) / (high - low))
        add(f"box{depth} direct", np.log1p(children[level]))
        level = reading.wider[level]
    parent = parents[reading.blocks]
    score = children[parent] + children[parents[parent]] / 2
    best = max(1.0, float((children + np.bincount(parents, children, len(children)) / 2).max()))
    add("parent score", score / best)
    add("grandparent score", children[parents[parent]] / max(1.0, float(children.max())))


def _groups(reading: FeatureContext) -> None:
    """Compare segments with those that look alike."""
    add = reading.columns.add
    for name, group in zip(("kin", "close kin"), reading.similar, strict=True):
        text = np.bincount(group, reading.chars)
        size = np.bincount(group)
        add(f"{name} of page", (text / text.sum())[group])
        add(f"{name} size", size[group])
        add(f"{name} mean", np.log1p(text / size)[group])
        add(f"{name} links", (np.bincount(group, reading.link_chars) / text)[group])
        add(f"{name} body", (np.bincount(group, reading.paragraph_chars) / text)[group])
    add("kin length", reading.chars / (text / size)[group])


def _decayed(values: Column, keep: float) -> Column:
    """Return for each place what came before it, each step back counting ``keep`` times less."""
    result, carried = [], 0.0
    for value in values.tolist():
        result.append(carried)
        carried = carried * keep + value
    return np.array(result, np.float32)


def _place(reading: FeatureContext) -> None:
    add, count = reading.columns.add, len(reading.blocks)
    place = np.arange(count)
    chars, body = _sums(reading.chars), _sums(reading.paragraph_chars)
    add("place", place / count)
    add("from start", place)
    add("from end", count - place)
    add("text before", chars[:-1] / chars[-1])
    whole = max(1.0, body[-1])
    add("body before", body[:-1] / whole)
    add("body after", (whole - body[1:]) / whole)
    mine = reading.paragraph_chars / 100
    add("body flowing in", np.log1p(_decayed(mine, 0.8)))
    add("body flowing back", np.log1p(_decayed(mine[::-1], 0.8)[::-1]))
    long = np.flatnonzero(reading.paragraph_chars)
    before = np.searchsorted(long, place)
    last = np.where(before > 0, place - long[np.maximum(0, before - 1)] if len(long) else 999, 999)
    after = np.searchsorted(long, place, "right")
    following = long[np.minimum(after, len(long) - 1)] - place if len(long) else place * 0 + 999
    add("since paragraph", np.minimum(last, 99))
    add("until paragraph", np.where(after < len(long), np.minimum(following, 99), 99))
    heading = (reading.flags & int(ElementFlag.HEADING)) != 0
    title = next((i for i, tag in enumerate(reading.tags) if tag == "h1"), -1)
    add("after title", place - title if title >= 0 else place * 0 - 999)
    since = place - reading.last_headings
    add("since heading", np.minimum(since, 99))
    near = np.where(heading, place, count + 99)
    until = np.minimum.accumulate(near[::-1])[::-1] - place
    add("until heading", np.minimum(until, 99))
    titles = np.flatnonzero([tag == "h1" for tag in reading.tags])
    add("titles so far", np.searchsorted(titles, place, "right"))
    add("articles so far", np.searchsorted(reading.article_starts, place, "right"))
    values = np.where(reading.link_chars > reading.chars / 2, -np.maximum(10, reading.chars),
                      reading.chars - 30)  # fmt: skip
    start, after_run, _ = best_run(values.astype(np.float64))
    end = after_run - 1
    add("in run", (place >= start) & (place <= end))
    outside = np.maximum(start - place, 0) + np.maximum(place - end, 0)
    add("from run", np.sign(place - start) * np.minimum(outside, 99))
    add("of run", (place - start) / max(1, end - start))


def _neighbours(reading: FeatureContext) -> None:
    add, count = reading.columns.add, len(reading.blocks)
    share = reading.link_chars / reading.chars
    length = np.log1p(reading.chars)
    for step in (-3, -2, -1, 1, 2, 3):
        at = np.clip(np.arange(count) + step, 0, count - 1)
        add(f"chars {step:+d}", length[at])
        add(f"links {step:+d}", share[at])
        if abs(step) == 1:
            add(f"same box {step:+d}", reading.blocks[at] == reading.blocks)
            stops = reading.columns.values[reading.columns.names.index("ends")]
            add(f"ends {step:+d}", stops[at])
    chars, links, body = (
        _sums(reading.chars),
        _sums(reading.link_chars),
        _sums(reading.paragraph_chars),
    )
    for width in (4, 12):
        low = np.maximum(0, np.arange(count) - width)
        high = np.minimum(count, np.arange(count) + width + 1)
        text = chars[high] - chars[low]
        add(f"links within {width}", (links[high] - links[low]) / text)
        add(f"body within {width}", (body[high] - body[low]) / text)
        add(f"mean within {width}", text / (high - low))


def _copies(reading: FeatureContext) -> None:
    add = reading.columns.add
    seen: dict[str, int] = {}
    order = []
    for text in reading.texts:
        number = seen.get(text, 0)
        order.append(number)
        seen[text] = number + 1
    add("copy", np.array(order))
    add("copies", np.array([seen[text] for text in reading.texts]))


def _page(reading: FeatureContext, page: Page) -> None:
    statements = read_statements(page)
    add, count = reading.columns.add, len(reading.blocks)
    add("said", statements.agreement(reading.texts, reading.words))
    told = [*_totals(reading, page.index), *statements.kinds.items()]
    for name, value in told:
        add(f"page {name}", np.full(count, value))


def _totals(reading: FeatureContext, outline: PageIndex) -> Sequence[tuple[str, float]]:
    chars, links = float(reading.chars.sum()), float(reading.link_chars.sum())
    body = float(reading.paragraph_chars.sum())
    count = len(reading.blocks)
    totals = [
        ("chars", np.log1p(chars)),
        ("links", links / chars),
        ("body", np.log1p(body)),
        ("body share", body / chars),
        ("segments", float(count)),
        ("paragraphs", float((reading.paragraph_chars > 0).sum())),
        ("longest", np.log1p(float(reading.paragraph_chars.max()))),
        ("mean", chars / count),
    ]
    for state in _PAGE_TOLD:
        inside = (reading.flags & int(state)) != 0
        totals.append((f"in {state.name}", float((reading.chars * inside).sum()) / chars))
    counted = ("article", "h1", "h2", "p", "pre", "time", "table", "button")
    there = Counter(outline.tags)
    return [*totals, *((f"<{tag}>", float(there[tag])) for tag in counted)]
