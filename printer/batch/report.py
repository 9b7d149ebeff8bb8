"""What came of a list: as data, and for people."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from .store import BatchItem

_TELL_OF = ("title", "pages", "pictures", "bytes", "warnings")


def to_json(items: Sequence[BatchItem], repeated: int) -> str:
    """Return the report as data."""
    counts = Counter(item.state for item in items)
    report = {
        "counts": {
            "listed": len(items) + repeated, "repeated": repeated,
            "printed": counts["done"], "failed": counts["failed"],
            "not printed": counts["waiting"] + counts["sent"],
        },
        "failures": dict(reasons(items)),
        "pages": [_page(item) for item in items],
    }  # fmt: skip
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"


def to_text(items: Sequence[BatchItem], repeated: int) -> str:
    """Return the report for people: the failures by their reasons, then each with its line."""
    lines = [summary(items, repeated), ""]
    failed: dict[str, list[BatchItem]] = {}
    for item in items:
        if item.state == "failed":
            failed.setdefault(_reason(item), []).append(item)
    for reason, count in reasons(items):
        lines.append(f"{count} failed: {reason}")
        lines += [f"    line {item.line}: {item.url}" for item in failed[reason]]
        hint = str(failed[reason][0].error.get("hint", ""))
        lines += [f"    {hint}", ""] if hint else [""]
    lines += [f"{item.name}: {_pages(item)}, {item.url}" for item in items if item.state == "done"]
    return "\n".join(lines) + "\n"


def _pages(item: BatchItem) -> str:
    pages = item.result.get("pages", 0)
    return f"{pages} page{'' if pages == 1 else 's'}"


def summary(items: Sequence[BatchItem], repeated: int) -> str:
    """Return the report in a line."""
    counts = Counter(item.state for item in items)
    parts = [
        f"{counts['done']} of {len(items)} printed",
        f"{counts['failed']} failed" * bool(counts["failed"]),
        f"{counts['waiting'] + counts['sent']} not printed yet"
        * bool(counts["waiting"] + counts["sent"]),
        f"{repeated} stand in the list more than once" * bool(repeated),
    ]
    return ", ".join(filter(None, parts))


def reasons(items: Sequence[BatchItem]) -> list[tuple[str, int]]:
    """Return why pages failed, the most frequent reason first."""
    return Counter(_reason(item) for item in items if item.state == "failed").most_common()


def _reason(item: BatchItem) -> str:
    return str(item.error.get("message", "")) or "no reason is known"


def _page(item: BatchItem) -> dict[str, Any]:
    page: dict[str, Any] = {"line": item.line, "url": item.url, "state": item.state}
    if item.state == "done":
        page |= {"file": item.name} | {key: item.result.get(key) for key in _TELL_OF}
    if item.error:
        page |= {"tries": item.tries, "error": dict(item.error)}
    return page
