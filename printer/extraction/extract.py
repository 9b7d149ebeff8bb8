"""Score text segments by each algorithm, select those of the article, and correct the selection.

The selection is corrected by passes in a fixed order: the first add what the classifier missed, the
others complete partly selected elements, drop boilerplate, duplicates and hidden text, and add what
the rest refers to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace
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
from .standfirst import drop_repeated_standfirst, find_standfirst, find_tagline

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

    ``kinds`` are the kinds of pages to which it applies.  ``drops_notices`` is true if it drops
    what sites add to articles, such as requests to subscribe, so that the article loses nothing.
    """

    name: str
    run: Callable[[SelectedText], None]
    kinds: Set[str] = _ALL
    drops_notices: bool = False


ADDING_PASSES = (
    Pass("missing block", missing_blocks.add_missing_blocks),
    Pass("short section", missing_blocks.add_short_sections, _ARTICLE),
    Pass("long stretch of text", missing_blocks.add_long_stretches, _TEXT),
    Pass("missing end", missing_blocks.add_missing_end, _TEXT),
    # After the missing end, which continues the text above such a list.
    Pass("questions and answers", missing_blocks.add_question_lists),
    Pass("fact box", missing_blocks.add_fact_boxes, _ARTICLE),
    Pass("source", add_sources, _TEXT | OFFER_KINDS),
    Pass("list above the text", entries.add_opening_list, _TEXT),
    Pass("announced list", entries.add_announced_lists, _TEXT),
    Pass("label of an item", missing_blocks.add_item_labels, _TEXT),
    Pass("section heading", missing_blocks.add_section_headings, _TEXT),
    Pass("subheading", missing_blocks.add_subheadings),
    Pass("similar line", add_similar),
    Pass("price of the product", entries.add_product_price, _PRODUCT | _ARTICLE),
    Pass("price of an entry", entries.add_entry_prices, LIST_KINDS),
    Pass("name of an entry", entries.add_names),
    Pass("time of a live report", entries.add_live_times, _ARTICLE),
    Pass("part of entries", entries.complete_entries, _ALL - _ARTICLE),
    # Again, as names and parts of entries were added.
    Pass("price of an entry", entries.add_entry_prices, LIST_KINDS),
    Pass("line between similar ones", add_lines_between),
    Pass("part of a recipe", entries.add_recipe_parts),
    Pass("ingredient or step", entries.add_declared_steps),
)
CORRECTING_PASSES = (
    Pass("partly selected element", corrections.complete_elements),
    Pass("table of contents", corrections.drop_contents, _TEXT),
    Pass("notice or promotional box", corrections.drop_boxes, drops_notices=True),
    Pass("hidden by its class", corrections.drop_hidden_by_class, OFFER_KINDS),
    Pass("not printed by the page", corrections.drop_unprinted),
    Pass("sidebar", corrections.drop_sidebars),
    Pass("comments", corrections.drop_comments, _ARTICLE | {"listing"}),
    Pass("line above the text", boilerplate.drop_opening_lines),
    Pass("other story", boilerplate.drop_other_stories, (_ARTICLE | OFFER_KINDS) - {"listing"}),
    Pass(
        "notice",
        boilerplate.drop_notices,
        (_ARTICLE | OFFER_KINDS) - {"service"},
        drops_notices=True,
    ),
    Pass("call to action", boilerplate.drop_calls_to_action, _ARTICLE, drops_notices=True),
    Pass("related link", boilerplate.drop_related_links, _ARTICLE, drops_notices=True),
    Pass("teaser", boilerplate.drop_teasers, _ARTICLE),
    Pass("list of headlines", boilerplate.drop_headline_lists, _ARTICLE),
    Pass("above the title", boilerplate.drop_above_title, _ARTICLE),
    Pass("hidden", corrections.drop_not_displayed, _ARTICLE),
    Pass("announcement", boilerplate.drop_announcements, _ARTICLE),
    Pass("line below the text", boilerplate.drop_closing_lines, _ARTICLE, drops_notices=True),
    # Again, as the lines that it announced may have been dropped.
    Pass("announcement", boilerplate.drop_announcements, _ARTICLE),
    Pass("copy for narrow screens", corrections.drop_responsive_duplicates),
    Pass("caption", corrections.resolve_captions),
    Pass("label", corrections.drop_labels),
    Pass("leftover of a dropped part", drop_leftovers),
    Pass("empty section", drop_empty_sections),
    Pass("fragment", corrections.add_fragments),
    Pass("linked note", add_linked_notes),
    Pass("layout", filter_by_layout),
    Pass("preview", replace_previews),
)


def run_passes(
    passes: Iterable[Pass], selected: SelectedText, trace: Trace | None = None
) -> frozenset[int]:
    """Run the passes that apply to the kind of page, and record their changes in ``trace``.

    Return the indexes of the segments dropped as notices.
    """
    notices: set[int] = set()
    for step in passes:
        if selected.kind not in step.kinds:
            continue
        before = tuple(selected.keep)
        step.run(selected)
        if trace is None and not step.drops_notices:
            continue
        for i, (was_selected, is_selected) in enumerate(zip(before, selected.keep, strict=True)):
            if was_selected == is_selected:
                continue
            if trace is not None:
                action = "added" if is_selected else "dropped"
                trace.setdefault(i, []).append(f"{action}: {step.name}")
            if step.drops_notices and not is_selected:
                notices.add(i)
    return frozenset(notices)


def correct_selection(page: Page, verdict: Verdict, trace: Trace | None = None) -> Verdict:
    """Correct the classifier's selection; each pass sees the corrections of those before it."""
    selected = SelectedText(page, verdict.keep, verdict.kind, verdict.scores["default"])
    if verdict.kind == "article" and entries.is_listing(selected):
        selected.kind = "listing"
    run_passes(ADDING_PASSES, selected, trace)
    selected.end_additions()
    notices = run_passes(CORRECTING_PASSES, selected, trace)
    standfirst = frozenset[int]()
    if verdict.kind == "article":
        run_passes([Pass("repeated standfirst", drop_repeated_standfirst)], selected, trace)
        standfirst = find_standfirst(selected)
    elif verdict.kind in OFFER_KINDS:
        standfirst = find_tagline(selected)
    selected.add(standfirst)
    return replace(
        verdict,
        keep=tuple(selected.keep),
        kind=selected.kind,
        standfirst=standfirst,
        notices=notices,
    )


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
