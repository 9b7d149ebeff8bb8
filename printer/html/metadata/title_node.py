"""Which text of a page is its title where that stands on the page (CUTER, Adam et al.)."""

from __future__ import annotations

from collections.abc import Sequence


def find_title_node(texts: Sequence[str], title: str) -> int | None:
    """Return the index of the last text that holds the title, or begins it and is most of it.

    ``texts`` are those before the article's starting paragraph.  One much longer than the title
    is running text that mentions it.
    """
    wanted = " ".join(title.split()).casefold()
    if not wanted:
        return None
    for index in range(len(texts) - 1, -1, -1):
        if len(texts[index]) > 3 * len(wanted):
            continue
        text = texts[index].casefold()
        if wanted in text or (wanted.startswith(text) and 2 * len(text) >= len(wanted)):
            return index
    return None
