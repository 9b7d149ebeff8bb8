"""What an article is about: its worth terms, key paragraphs and keywords.

What needs stemmers and stop lists is imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..article import Article
from ..options import ExtractOptions

if TYPE_CHECKING:
    from .keywords import DocumentProfile, KeywordOptions, build_profile
    from .tokenizer import Tokenizer

__all__ = ["DocumentProfile", "KeywordOptions", "Tokenizer", "build_profile", "summarize"]

_MODULES = {
    "KeywordOptions": "keywords",
    "DocumentProfile": "keywords",
    "Tokenizer": "tokenizer",
    "build_profile": "keywords",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        from importlib import import_module

        return getattr(import_module(f".{_MODULES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def summarize(article: Article, options: ExtractOptions) -> Article:
    """Return an article with the key paragraphs that are asked for, if they are."""
    if options.key_paragraphs <= 0:
        return article
    from .summary import summarize

    return summarize(article, options)
