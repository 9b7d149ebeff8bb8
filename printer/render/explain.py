"""Explanations of an extraction: an HTML report, and data for JSON."""

from __future__ import annotations

from typing import Any

from ..selection import Explanation
from .templates import environment


def explanation_html(explanation: Explanation) -> str:
    """Return an HTML report with segments colored by each method's scores."""
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
