"""What an article is about: its worth terms, keywords and key paragraphs, its relevance."""

from .keywords import DocumentProfile, KeywordOptions, build_profile, summarize
from .tokenizer import Tokenizer

__all__ = ["DocumentProfile", "KeywordOptions", "Tokenizer", "build_profile", "summarize"]
