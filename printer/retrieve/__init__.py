"""What an article is about: its worth terms, key paragraphs and keywords."""

from .key_paragraphs import KeyOptions, Profile, profile
from .terms import Vocabulary

__all__ = ["KeyOptions", "Profile", "Vocabulary", "profile"]
