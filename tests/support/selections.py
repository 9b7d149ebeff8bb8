"""Corrected selections of short pages."""

from printer.extraction.extract import DROPPING_PASSES, run_passes
from printer.extraction.selected_text import SelectedText
from printer.html.page import read_page

TEXT = "The ferry leaves the harbour at dawn, and nobody on the quay is ever late for it, they say."


def corrected(page, keep, kind):
    """Return the selection after the passes that complete elements and drop boilerplate."""
    selected = SelectedText(page, keep, kind, [0.5] * len(keep))
    run_passes(DROPPING_PASSES, selected)
    return tuple(selected.keep)


def choice(html, selected, kind="article", head=""):
    """Return the texts that are kept, of those a choice by text began with."""
    page = read_page(f"<html><head>{head}</head><body>{html}</body></html>")
    keep = [any(part in s.text for part in selected) for s in page.segments]
    flags = corrected(page, keep, kind)
    return [s.text for s, flag in zip(page.segments, flags, strict=True) if flag]
