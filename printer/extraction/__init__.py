"""Extraction: select the text segments of a page that belong to its article."""

from .extract import EXTRACTORS, postprocess, select_segments

__all__ = ["EXTRACTORS", "postprocess", "select_segments"]
