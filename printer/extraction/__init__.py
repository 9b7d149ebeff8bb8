"""Extraction: select the text segments of a page that belong to its article."""

from ..options import EXTRACTORS
from .extract import correct_selection, select_segments

__all__ = ["EXTRACTORS", "correct_selection", "select_segments"]
