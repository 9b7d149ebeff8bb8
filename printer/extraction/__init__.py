"""Extraction: the text segments of a page that are its article's."""

from .extract import EXTRACTORS, postprocess, select_segments

__all__ = ["EXTRACTORS", "postprocess", "select_segments"]
