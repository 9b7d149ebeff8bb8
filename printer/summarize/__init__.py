"""Summarize articles: worth terms, keywords, key paragraphs and relevance to a query."""

from .keywords import DocumentProfile, KeywordOptions, build_profile, summarize
from .tokenizer import Tokenizer

__all__ = ["DocumentProfile", "KeywordOptions", "Tokenizer", "build_profile", "summarize"]
