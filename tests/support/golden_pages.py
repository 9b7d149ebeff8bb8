"""Create a golden page, or accept the current article of one.

    python -m tests.support.golden_pages SLUG FILE [URL]     create a page in tests/pages/SLUG
    python -m tests.support.golden_pages --refresh SLUG...   accept the articles of these pages
    python -m tests.support.golden_pages --refresh           ... of all pages

Read the article (or the difference it prints) before you commit it.
"""

from __future__ import annotations

import argparse
import difflib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

from printer import extract

PAGES = Path(__file__).parents[1] / "pages"

#: Fields that follow from the blocks, or change with the model.
_DERIVED_FIELDS = frozenset({"confidence", "text", "paragraphs", "figures"})


def slugs() -> list[str]:
    """Return the names of the golden pages."""
    return sorted(source.parent.name for source in PAGES.glob("*/source.html"))


def actual(slug: str, url: str) -> dict[str, Any]:
    """Return the article extracted from a golden page, as plain data."""
    article = extract((PAGES / slug / "source.html").read_bytes(), url)
    return {key: value for key, value in article.to_dict().items() if key not in _DERIVED_FIELDS}


def expected(slug: str) -> dict[str, Any]:
    """Return the expected article of a golden page."""
    data: dict[str, Any] = json.loads((PAGES / slug / "expected.json").read_text())
    return data


def written(value: Any, indent: str = "") -> str:
    """Return JSON in the format of expected.json: whatever fits on one line is on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + len(indent) <= 100 or not isinstance(value, dict | list):
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        inside = [f"{json.dumps(key)}: {written(item, deeper)}" for key, item in value.items()]
        opened, closed = "{}"
    else:
        inside = [written(item, deeper) for item in value]
        opened, closed = "[]"
    lines = ",\n".join(deeper + line for line in inside)
    return f"{opened}\n{lines}\n{indent}{closed}"


def difference(slug: str, article: dict[str, Any]) -> str:
    """Return how an article differs from what is expected, as a unified diff; '' when equal."""
    before = written(expected(slug)).splitlines()
    after = written(article).splitlines()
    lines = difflib.unified_diff(before, after, f"{slug}: expected", f"{slug}: made", lineterm="")
    return "\n".join(lines)


def _write(slug: str, article: dict[str, Any]) -> None:
    (PAGES / slug / "expected.json").write_text(written(article) + "\n")
    print(PAGES / slug / "expected.json")


def _new(slug: str, source: Path, url: str) -> None:
    folder = PAGES / slug
    if folder.exists():
        sys.exit(f"{folder} is there already; --refresh {slug} accepts what it gives now")
    folder.mkdir(parents=True)
    shutil.copyfile(source, folder / "source.html")
    _write(slug, actual(slug, url))


def _refresh(names: list[str]) -> None:
    for slug in names:
        article = actual(slug, expected(slug)["url"])
        if change := difference(slug, article):
            print(change)
            _write(slug, article)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_Formatter)
    parser.add_argument("--refresh", action="store_true", help="accept what pages give now")
    parser.add_argument("words", nargs="*", metavar="SLUG FILE [URL]")
    options = parser.parse_args()
    words: list[str] = options.words
    if options.refresh:
        _refresh(words or slugs())
    elif len(words) in {2, 3}:
        url = words[2] if len(words) == 3 else f"https://{words[0]}.example.org/page"
        _new(words[0], Path(words[1]), url)
    else:
        parser.error("give SLUG and FILE, or --refresh")


_Formatter = argparse.RawDescriptionHelpFormatter

if __name__ == "__main__":
    main()
