"""Score text segments by each algorithm, select those of the article, and correct the selection.

The selection is corrected by passes in a fixed order: the first add what the classifier missed, the
others complete partly selected elements and drop boilerplate, duplicates and hidden text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from ..html.page import Page
from ..options import EXTRACTORS, ExtractOptions, check_known
from ..selection import LIST_KINDS, OFFER_KINDS, Verdict
from . import boilerplate, corrections, entries, missing_blocks
from .appearance import add_lines_between, add_similar, filter_by_layout
from .classifier.model import PAGE_KINDS, classify, load_default_model
from .leftovers import drop_empty_sections, drop_leftovers, replace_previews
from .papers import article_subtree, max_subsequence, summary_node, text_to_tag, useful_text
from .references import add_linked_notes, add_sources
from .selected_text import SelectedText
from .standfirst import drop_repeated_standfirst, find_standfirst

Scores: TypeAlias = tuple[float, ...]
#: The papers' methods: each returns a number per segment, above 0 for those that it selects.
PAPER_METHODS: Mapping[str, Callable[[Page], Scores]] = MappingProxyType({
    "article-subtree": article_subtree.score,
    "summary-node": summary_node.score,
    "text-to-tag": text_to_tag.score,
    "max-subsequence": max_subsequence.score,
    "useful-text": useful_text.score,
})  # fmt: skip


def score_segments(page: Page, names: Iterable[str] = PAPER_METHODS) -> dict[str, Scores]:
    """Score a page's segments by some of the papers' methods."""
    return {name: PAPER_METHODS[name](page) for name in names}


#: For each segment that a pass changed, what the passes did, in order.
Trace: TypeAlias = dict[int, list[str]]

_ARTICLE = frozenset({"article"})
_TEXT = frozenset({"article", "documentation"})
_PRODUCT = frozenset({"product"})
_ALL = frozenset(PAGE_KINDS)


class Pass(NamedTuple):
    """A correction of the selection.

    ``run`` edits the selection, or returns its new flags; ``kinds`` are the kinds of pages to which
    it applies.
    """

    name: str
    run: Callable[[SelectedText], Sequence[bool] | None]
    kinds: Set[str] = _ALL


ADDING_PASSES = (
    Pass("missing block", lambda s: missing_blocks.add_missing_blocks(s.page, s.keep, s.scores)),
    Pass("short section",
         lambda s: missing_blocks.add_short_sections(s.page, s.keep, s.scores), _ARTICLE),
    Pass("long stretch of text",
         lambda s: missing_blocks.add_long_stretches(s.page, s.keep, s.scores), _TEXT),
    Pass("missing end", lambda s: missing_blocks.add_missing_end(s.page, s.keep, s.scores), _TEXT),
    Pass("source", lambda s: add_sources(s.page, s.keep, s.scores), _TEXT),
    Pass("announced list", lambda s: entries.add_announced_lists(s.page, s.keep, s.scores),
         _TEXT),
    Pass("label of an item",
         lambda s: missing_blocks.add_item_labels(s.page, s.keep, s.scores, s.kind), _TEXT),
    Pass("section heading",
         lambda s: missing_blocks.add_section_headings(s.page, s.keep, s.scores), _TEXT),
    Pass("subheading",
         lambda s: missing_blocks.add_subheadings(s.page, s.keep, s.scores, s.kind)),
    Pass("similar line", lambda s: add_similar(s.page, s.keep, s.scores)),
    Pass("price of the product",
         lambda s: entries.add_product_price(s.segments, s.keep, s.kind), _PRODUCT | _ARTICLE),
    Pass("price of an entry", lambda s: entries.add_entry_prices(s.segments, s.keep), LIST_KINDS),
    Pass("name of an entry",
         lambda s: entries.add_names(s.page, s.keep, s.scores, is_list=s.kind in OFFER_KINDS)),
    Pass("time of a live report", lambda s: entries.add_live_times(s.page, s.keep), _ARTICLE),
    Pass("part of entries",
         lambda s: entries.complete_entries(s.page, s.keep, s.scores, is_list=s.kind in LIST_KINDS),
         _ALL - _ARTICLE),
    # Again, as names and parts of entries were added.
    Pass("price of an entry", lambda s: entries.add_entry_prices(s.segments, s.keep), LIST_KINDS),
    Pass("line between similar ones",
         lambda s: add_lines_between(s.page, s.keep, s.scores)),
)  # fmt: skip
DROPPING_PASSES = (
    Pass("partly selected element", corrections.complete_elements),
    Pass("table of contents", corrections.drop_contents, _TEXT),
    Pass("notice or promotional box", corrections.drop_boxes),
    Pass("hidden by its class", partial(corrections.drop_hidden, by_class=True),
         OFFER_KINDS),
    Pass("comments", corrections.drop_comments, _ARTICLE | {"listing"}),
    Pass("line above the text", boilerplate.drop_opening_lines),
    Pass("other story", boilerplate.drop_other_stories, (_ARTICLE | OFFER_KINDS) - {"listing"}),
    Pass("notice", boilerplate.drop_notices, (_ARTICLE | OFFER_KINDS) - {"service"}),
    Pass("call to action", boilerplate.drop_calls_to_action, _ARTICLE),
    Pass("related link", boilerplate.drop_related_links, _ARTICLE),
    Pass("teaser", boilerplate.drop_teasers, _ARTICLE),
    Pass("list of headlines", boilerplate.drop_headline_lists, _ARTICLE),
    Pass("above the title", boilerplate.drop_above_title, _ARTICLE),
    Pass("hidden", partial(corrections.drop_hidden, by_class=False), _ARTICLE),
    Pass("announcement", boilerplate.drop_announcements, _ARTICLE),
    Pass("line below the text", boilerplate.drop_closing_lines, _ARTICLE),
    # Again, as the lines that it announced may have been dropped.
    Pass("announcement", boilerplate.drop_announcements, _ARTICLE),
    Pass("copy for narrow screens", corrections.drop_responsive_duplicates),
    Pass("caption", corrections.resolve_captions),
    Pass("label", corrections.drop_labels),
    Pass("leftover of a dropped part", lambda s: drop_leftovers(s.page, s.keep, s.kind)),
    Pass("empty section", drop_empty_sections),
    Pass("fragment", lambda s: corrections.add_fragments(s.segments, s.keep)),
    Pass("linked note", lambda s: add_linked_notes(s.page, s.keep, s.kind)),
    Pass("layout", lambda s: filter_by_layout(s.page, s.keep, s.scores, s.kind)),
    Pass("preview", lambda s: replace_previews(s.page, s.keep)),
)  # fmt: skip
#: If the page was judged an article, also one that consists of entries.
STANDFIRST_PASSES = (
    Pass("repeated standfirst", lambda s: drop_repeated_standfirst(s.page, s.keep)),
)


def run_passes(passes: Iterable[Pass], selected: SelectedText, trace: Trace | None = None) -> None:
    """Run the passes that apply to the kind of page, and record their changes in ``trace``."""
    for step in passes:
        if selected.kind not in step.kinds:
            continue
        before = tuple(selected.keep) if trace is not None else ()
        flags = step.run(selected)
        if flags is not None:
            selected.keep = list(flags)
        if trace is not None:
            changes = zip(before, selected.keep, strict=True)
            for i, (was_selected, is_selected) in enumerate(changes):
                if was_selected != is_selected:
                    action = "added" if is_selected else "dropped"
                    trace.setdefault(i, []).append(f"{action}: {step.name}")


def correct_selection(page: Page, verdict: Verdict, trace: Trace | None = None) -> Verdict:
    """Correct the classifier's selection; each pass sees the corrections of those before it."""
    is_article, kind = verdict.kind == "article", verdict.kind
    if is_article and entries.is_listing(page, verdict.keep):
        kind = "listing"
    selected = SelectedText(page, verdict.keep, kind, verdict.scores["default"])
    run_passes(ADDING_PASSES, selected, trace)
    selected.before_drops = tuple(selected.keep)
    run_passes(DROPPING_PASSES, selected, trace)
    standfirst = frozenset[int]()
    if is_article:
        run_passes(STANDFIRST_PASSES, selected, trace)
        standfirst = find_standfirst(page, selected.keep, selected.scores)
    keep = tuple(flag or i in standfirst for i, flag in enumerate(selected.keep))
    return replace(verdict, keep=keep, kind=kind, standfirst=standfirst)


#: The confidence of the papers' methods, which do not compute one.
_UNKNOWN_CONFIDENCE = 0.5


def select_segments(page: Page, options: ExtractOptions, trace: Trace | None = None) -> Verdict:
    """Select the text segments of a page's article by the extractor that the options name.

    ``trace`` receives what corrected the selection of the default extractor.

    Raises:
        UsageError: No extractor has that name.
    """
    name = options.extractor
    check_known("extractor", name, EXTRACTORS)
    if name == "default":
        verdict = classify(page, score_segments(page), load_default_model())
        return correct_selection(page, verdict, trace) if verdict.keep else verdict
    scores = score_segments(page, (name,))
    keep = tuple(score > 0 for score in scores[name])
    return Verdict(keep, scores, confidence=_UNKNOWN_CONFIDENCE if any(keep) else 0.0)
