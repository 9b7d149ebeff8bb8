"""Pictures: selection, captions, and preparation of the files for print."""

from .methods import select_by_method, select_pictures
from .selection import (
    PictureSelection,
    drop_captions,
    find_alternatives,
    override_selection,
    picture_decisions,
    place_pictures,
)

__all__ = [
    "PictureSelection", "drop_captions", "find_alternatives", "override_selection",
    "picture_decisions", "place_pictures", "select_by_method", "select_pictures",
]  # fmt: skip
