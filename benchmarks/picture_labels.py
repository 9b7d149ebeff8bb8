"""Pages of the corpus whose pictures and captions were labelled by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from printer.extraction import select_segments
from printer.html.page import Page, read_page
from printer.options import ExtractOptions
from printer.selection import Verdict

from . import corpus


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """A page and its answer: addresses and caption of each picture, and addresses to ignore."""

    name: str
    page: Page
    verdict: Verdict
    pictures: tuple[tuple[frozenset[str], str], ...]
    open: frozenset[str]


def key(url: str) -> str:
    """Return an address in the form used for comparison."""
    return re.sub(r"^https?:", "", url).replace("&amp;", "&").rstrip("/")


def labelled(folder: Path) -> Iterator[Labelled]:
    """Yield the labelled pages, with their text as selected by the default extractor."""
    corpus.CORPUS = folder
    samples = {sample.key: sample for sample in corpus.samples("wcxb", "traf")}
    with (folder / "images.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            name = f"{record['set']}/{record['id']}"
            page = read_page(samples[name].html, samples[name].url)
            yield Labelled(
                name,
                page,
                select_segments(page, ExtractOptions()),
                tuple(
                    (frozenset(map(key, each["urls"])), each["caption"] or "")
                    for each in record["images"]
                ),
                frozenset(key(url) for urls in record["ignore"] for url in urls),
            )
