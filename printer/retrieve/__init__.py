"""What an article is about: its worth terms, key paragraphs and keywords."""

from .key_paragraphs import KeyOptions, Profile, profile
from .relevance import Candidate, relevance
from .terms import Vocabulary

__all__ = ["Candidate", "KeyOptions", "Profile", "Vocabulary", "profile", "relevance"]
