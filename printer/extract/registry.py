"""The papers' methods by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from ..dom.page import Page
from ..errors import UsageError
from . import article_subtree, joint_para, max_subsequence, text_to_tag, useful_text
from .positions import Positions, positions

Scores: TypeAlias = tuple[float, ...]
Scorer: TypeAlias = Callable[[Page, Positions], Scores]

#: Every method: a number per segment, above 0 meaning that the method keeps it.
METHODS: Mapping[str, Scorer] = MappingProxyType(
    {
        "article-subtree": lambda page, tree: article_subtree.score(page, tree=tree),
        "summary-node": lambda page, tree: joint_para.score(page, tree=tree),
        "text-to-tag": lambda page, tree: text_to_tag.score(page, tree=tree),
        "max-subsequence": lambda page, tree: max_subsequence.score(page, tree=tree),
        "useful-text": lambda page, tree: useful_text.score(page, tree=tree),
    }
)


def score_all(page: Page, names: Iterable[str] = METHODS) -> dict[str, Scores]:
    """Score a page's segments by the methods named, walking its tree once."""
    names = tuple(names)
    for name in names:
        if name not in METHODS:
            known = ", ".join(METHODS)
            raise UsageError(f"no extractor is called {name!r}", hint=f"Known are {known}")
    tree = positions(page)
    return {name: METHODS[name](page, tree) for name in names}
