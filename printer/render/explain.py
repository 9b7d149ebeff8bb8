"""Explanations of an extraction: an HTML report, data for JSON, an annotated screenshot."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from ..errors import RenderError, UsageError
from ..selection import Explanation
from .templates import environment


def explanation_html(explanation: Explanation) -> str:
    """Return an HTML report with segments coloured by each method's scores."""
    first = explanation.segments[0].scores if explanation.segments else {}
    return (
        environment()
        .get_template("report/explain.html.j2")
        .render(
            page=explanation,
            names=list(first),
            segments_kept=sum(segment.keep for segment in explanation.segments),
            pictures_kept=sum(picture.selected for picture in explanation.pictures),
        )
    )


def explanation_data(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as data for JSON."""
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


#: Colours and line widths of areas; the widths distinguish them without colours.
_COLORS = {
    "kept": (0, 114, 60),
    "dropped": (200, 40, 30),
    "caption": (190, 120, 0),
    "picture": (20, 80, 200),
}
_WIDTHS = {"kept": 3, "dropped": 1, "caption": 2, "picture": 4}
_TINT = 28  # of 255
_LEGEND_HEIGHT = 44


def draw_explanation(explanation: Explanation) -> bytes:
    """Return a PNG of the page's screenshot with its areas framed, below a legend."""
    if not explanation.screenshot:
        raise UsageError("a browser takes pictures of web addresses, not of files")
    try:
        screenshot = Image.open(BytesIO(explanation.screenshot), formats=["PNG"]).convert("RGB")
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise RenderError(f"there is no picture of the page: {error}") from error
    tint = Image.new("RGBA", screenshot.size)
    draw = ImageDraw.Draw(tint)
    # The largest first, so that boxes inside others stay visible.
    areas = sorted(explanation.areas, key=lambda area: -area.rect.width * area.rect.height)
    for rect, label in areas:
        left, top = max(rect[0] - 2, 0), max(rect[1] - 2, 0)
        right, bottom = min(rect[2] + 2, tint.width - 1), min(rect[3] + 2, tint.height - 1)
        if left < right and top < bottom:
            color, width = _COLORS[label], _WIDTHS[label]
            box = (left, top, right, bottom)
            draw.rectangle(box, fill=(*color, _TINT), outline=(*color, 255), width=width)
    screenshot.paste(tint, mask=tint)
    image = Image.new("RGB", (screenshot.width, screenshot.height + _LEGEND_HEIGHT), "white")
    image.paste(screenshot, (0, _LEGEND_HEIGHT))
    _draw_legend(image, explanation)
    buffer = BytesIO()
    image.save(buffer, "PNG", optimize=False, compress_level=6)
    return buffer.getvalue()


def _draw_legend(image: Image.Image, explanation: Explanation) -> None:
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(18)
    left = 16
    for label, color in _COLORS.items():
        count = sum(area.label == label for area in explanation.areas)
        draw.rectangle((left, 12, left + 28, 32), outline=color, width=_WIDTHS[label])
        text = f"{label} ({count})"
        draw.text((left + 38, 11), text, fill=(30, 30, 30), font=font)
        left += 38 + int(draw.textlength(text, font=font)) + 32
