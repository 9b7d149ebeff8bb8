"""Extraction: select the text segments of a page that belong to its article."""

from ..options import EXTRACTORS
from .extract import postprocess, select_segments

__all__ = ["EXTRACTORS", "postprocess", "select_segments"]
