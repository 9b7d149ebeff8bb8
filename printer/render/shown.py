"""Pictures as a template sees them: at which size, in a column or across all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ..article import Article, Figure, Paragraph, plain_text
from ..output import Picture
from ..themes.assets import asset_url
from ..themes.page import TALLEST, UNITS, PageGeometry

#: A picture goes across all columns when it takes at least this part of their width.
WIDE = 0.8

#: A paragraph before the first picture that is no longer, in characters, is its standfirst.
SHORT_LEAD = 260


@dataclass(frozen=True, slots=True)
class PicturePlacement:
    """A picture as a template sees it; ``width`` and ``height`` are CSS pixels, 0 for unknown.

    One that goes ``across`` spans all columns.
    """

    url: str
    width: int = 0
    height: int = 0
    across: bool = False


def standfirst(article: Article) -> Paragraph | None:
    """Return the short paragraph before the first picture, which says what is to come."""
    match article.blocks[:2]:
        case (Paragraph(spans=spans) as first, Figure()) if len(plain_text(spans)) <= SHORT_LEAD:
            return first
    return None


def prepared(
    pictures: Mapping[str, Picture], paper: PageGeometry, leads: frozenset[int], figure: Figure
) -> PicturePlacement | None:
    """Return the prepared picture of a figure at the size it is printed, None when it is missing.

    A picture keeps the size it has on screen (96 pixels to the inch) unless the page is smaller.
    Where there are columns, one of ``leads`` may go across them.
    """
    picture = pictures.get(figure.svg or figure.src)
    if picture is None:
        return None
    width = min(figure.width, picture.width) if figure.width > 0 else picture.width
    tallest = paper.text_height * TALLEST * picture.width / picture.height
    # One that would not fill the width leaves white beside it, and stays in its column.
    fills = min(tallest, width * UNITS["px"]) > max(
        1.3 * paper.column_width, WIDE * paper.text_width
    )
    across = paper.columns > 1 and id(figure) in leads and fills
    widest = min(paper.text_width if across else paper.column_width, tallest) * paper.pictures
    width = max(1, min(width, round(widest / UNITS["px"])))
    height = max(1, round(width * picture.height / picture.width))
    return PicturePlacement(asset_url(picture), width, height, across)


def picture_first(article: Article, shown: Callable[[Figure], PicturePlacement | None]) -> Article:
    """Put a picture that goes across the columns before a long first paragraph, not into it."""
    match article.blocks[:2]:
        case (Paragraph(spans=spans) as first, Figure() as second) if (
            len(plain_text(spans)) > SHORT_LEAD
        ):
            picture = shown(second)
            if picture is not None and picture.across:
                return replace(article, blocks=(second, first, *article.blocks[2:]))
    return article
