"""Corrected selections of short pages."""

from printer.extraction.extract import CORRECTING_PASSES, run_passes
from printer.extraction.selected_text import SelectedText
from printer.html.page import read_page

TEXT = "The ferry leaves the harbour at dawn, and nobody on the quay is ever late for it, they say."


def run_pass(run, page, keep, scores=(), kind="article"):
    """Return the selection after one pass."""
    selected = SelectedText(page, keep, kind, scores)
    run(selected)
    return tuple(selected.keep)


def corrected(page, keep, kind):
    """Return the selection after the passes that complete elements and drop boilerplate."""
    selected = SelectedText(page, keep, kind, [0.5] * len(keep))
    run_passes(CORRECTING_PASSES, selected)
    return tuple(selected.keep)


def choice(html, selected, kind="article", head=""):
    """Select the lines that contain any of these texts, and return those left after the passes."""
    page = read_page(f"<html><head>{head}</head><body>{html}</body></html>")
    keep = [any(part in s.text for part in selected) for s in page.segments]
    flags = corrected(page, keep, kind)
    return [s.text for s, flag in zip(page.segments, flags, strict=True) if flag]
