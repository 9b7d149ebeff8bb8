"""Pages of the corpus whose pictures and captions are known.

Those of 80 pages were labeled by hand; those of today's news pages come with the set ``fundus``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from printer.extraction import select_segments
from printer.html.page import Page, read_page
from printer.images.srcset import picture_key
from printer.options import ExtractOptions
from printer.selection import Verdict

from . import corpus


@dataclass(frozen=True, slots=True, eq=False)
class Labeled:
    """A page and its answer: addresses and caption of each picture, and addresses to ignore."""

    name: str
    site: str
    page: Page
    verdict: Verdict
    pictures: tuple[tuple[frozenset[str], str], ...]
    open: frozenset[str] = frozenset()

    def keys(self, urls: tuple[str, ...]) -> set[str]:
        """Return the addresses of a picture in the form in which the answer has them."""
        return {self.key(url) for url in urls}

    def key(self, url: str) -> str:
        """Return an address in the form used for comparison.

        The answers of ``fundus`` name other sizes of a picture than the page does.
        """
        if self.name.startswith("fundus/"):
            return picture_key(url)
        return re.sub(r"^https?:", "", url).replace("&amp;", "&").rstrip("/")


def labeled() -> Iterator[Labeled]:
    """Yield the pages labeled by hand, with their text as selected by the default extractor."""
    samples = {sample.key: sample for sample in corpus.samples("wcxb", "traf")}
    with (corpus.CORPUS / "images.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            sample = samples[f"{record['set']}/{record['id']}"]
            open_urls = [url for urls in record["ignore"] for url in urls]
            yield _answer(sample, record["images"], open_urls)


def labeled_news() -> Iterator[Labeled]:
    """Yield the news pages whose pictures are known."""
    truth = corpus.CORPUS / "fundus" / "truth.jsonl"
    if not truth.is_file():
        return
    with truth.open(encoding="utf-8") as lines:
        records = {record["id"]: record for record in map(json.loads, lines)}
    for sample in corpus.samples("fundus"):
        if "pictures" in records[sample.id]:
            yield _answer(sample, records[sample.id]["pictures"], [])


def _answer(
    sample: corpus.Sample, pictures: list[dict[str, object]], open_urls: list[str]
) -> Labeled:
    page = read_page(sample.html, sample.url)
    verdict = select_segments(page, ExtractOptions())
    answer = Labeled(sample.key, sample.site, page, verdict, ())
    return replace(
        answer,
        pictures=tuple(
            (frozenset(map(answer.key, picture["urls"])), str(picture["caption"] or ""))  # type: ignore[call-overload]
            for picture in pictures
        ),
        open=frozenset(map(answer.key, open_urls)),
    )
