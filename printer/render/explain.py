"""An explanation as a page for people and as data for programs."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from ..errors import RenderError, UsageError
from ..selection import Explanation
from .templates import environment


def explanation_html(explanation: Explanation) -> str:
    """Return the explanation as an HTML page: segments coloured by what each method scored."""
    first = explanation.segments[0].scores if explanation.segments else {}
    return (
        environment()
        .get_template("report/explain.html.j2")
        .render(
            page=explanation,
            names=list(first),
            kept=sum(segment.keep for segment in explanation.segments),
            pictures_kept=sum(picture.selected for picture in explanation.pictures),
        )
    )


def explanation_data(explanation: Explanation) -> dict[str, Any]:
    """Return the explanation as plain data for JSON."""
    return {
        "url": explanation.url,
        "title": explanation.title,
        "kind": explanation.kind,
        "confidence": round(explanation.confidence, 3),
        "segments": [
            {
                "text": segment.text,
                "place": segment.path,
                "keep": segment.keep,
                "scores": {name: round(score, 4) for name, score in segment.scores.items()},
                **({"rule": segment.rule} if segment.rule else {}),
            }
            for segment in explanation.segments
        ],
        "pictures": [
            {
                "url": picture.url,
                "kind": picture.kind,
                "keep": picture.selected,
                "reason": picture.reason,
                "caption": picture.caption,
                "credit": picture.credit,
                "alt": picture.alt,
                "width": picture.width,
                "height": picture.height,
            }
            for picture in explanation.pictures
        ],
        "rules": list(explanation.rules),
    }


#: The colour of each kind of place (told apart without seeing colours too: by line and width).
_COLORS = {
    "kept": (0, 114, 60),
    "dropped": (200, 40, 30),
    "caption": (190, 120, 0),
    "picture": (20, 80, 200),
}
_WIDTHS = {"kept": 3, "dropped": 1, "caption": 2, "picture": 4}
_TINT = 28  # of 255
_LEGEND = 44


def draw_explanation(explanation: Explanation) -> bytes:
    """Return the page's screenshot with its places framed, and a legend on top, as PNG."""
    if not explanation.screenshot:
        raise UsageError("a browser takes pictures of web addresses, not of files")
    try:
        shot = Image.open(BytesIO(explanation.screenshot), formats=["PNG"]).convert("RGB")
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise RenderError(f"there is no picture of the page: {error}") from error
    tint = Image.new("RGBA", shot.size)
    draw = ImageDraw.Draw(tint)
    # The largest first, so that a box in another's midst is seen.
    marks = sorted(explanation.areas, key=lambda mark: -mark.rect.width * mark.rect.height)
    for rect, what in marks:
        box = _within(rect, shot.size)
        if box is not None:
            color = _COLORS[what]
            draw.rectangle(box, fill=(*color, _TINT), outline=(*color, 255), width=_WIDTHS[what])
    shot.paste(tint, mask=tint)
    page = Image.new("RGB", (shot.width, shot.height + _LEGEND), "white")
    page.paste(shot, (0, _LEGEND))
    _legend(page, explanation)
    buffer = BytesIO()
    page.save(buffer, "PNG", optimize=False, compress_level=6)
    return buffer.getvalue()


def _legend(page: Image.Image, explanation: Explanation) -> None:
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(18)
    left = 16
    for what, color in _COLORS.items():
        count = sum(mark.label == what for mark in explanation.areas)
        draw.rectangle((left, 12, left + 28, 32), outline=color, width=_WIDTHS[what])
        words = f"{what} ({count})"
        draw.text((left + 38, 11), words, fill=(30, 30, 30), font=font)
        left += 38 + int(draw.textlength(words, font=font)) + 32


def _within(
    rect: tuple[float, float, float, float], size: tuple[int, int]
) -> tuple[float, float, float, float] | None:
    """Return the part of a box that is on the picture."""
    left, top = max(rect[0] - 2, 0), max(rect[1] - 2, 0)
    right, bottom = min(rect[2] + 2, size[0] - 1), min(rect[3] + 2, size[1] - 1)
    return (left, top, right, bottom) if left < right and top < bottom else None
