"""Measure the cache of rejected pictures: a crawl of one generated site over loopback.

Every page has the template of a news site: sharing icons, the author's portrait, a spacer, and one
of a few rotating banners, all inside the article and without sizes; two pictures of the article
(one with a size); and an advertisement with an address of its own.  A look-up is made for each
picture about to be fetched; it hits if the picture was rejected before.  The article's pictures can
never hit, and advertisements only in a later run, as the authors of CUTER found too: in a first
crawl, 8 of its 10 look-ups per page can hit.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image

from printer.extraction import select_segments
from printer.fetch.client import HttpClient
from printer.html.page import read_page
from printer.images import select_pictures
from printer.images.size_probe import CACHED, SizeProbe
from printer.options import ExtractOptions, FetchOptions, ImageOptions
from tests.support.picture_files import encode_image
from tests.support.web_server import WebServer

from .protocol import Effort, Row, run_alone

#: The pictures of the template: their names, and their widths and heights.
TEMPLATE = {
    "mail.png": (24, 24), "link.png": (24, 24), "printer.png": (24, 24), "portrait.jpg": (96, 96),
    "spacer.gif": (1, 1), "rule.gif": (600, 3), "quote.png": (64, 48), "more.png": (90, 30),
}  # fmt: skip
BANNERS = 6
KINDS = {"gif": "GIF", "jpg": "JPEG", "png": "PNG"}
WORDS = (
    "harbour ferry council winter bridge market river letter morning station garden committee "  # noqa: SIM905
    "engine weather window journey promise company village supper question number summer".split()
)


def page(number: int) -> bytes:
    """Make a page of the site."""
    dice = random.Random(number)
    texts = [" ".join(dice.choices(WORDS, k=60)).capitalize() + "." for _ in range(8)]
    title = " ".join(dice.sample(WORDS, 5)).capitalize()
    icons = "".join(f'<img src="/t/{name}">' for name in ("mail.png", "link.png", "printer.png"))
    return f"""<!doctype html><html lang=en><title>{title}</title><body><main><article>
    <h1>{title}</h1><p class=share>{icons}</p>
    <p><img src="/t/portrait.jpg"> By our correspondent</p><p>{texts[0]}</p>
    <figure><img src="/p/{number}-a.jpg" width=640 height=400><figcaption>{title} in the morning,
    as it was seen from the station.</figcaption></figure><p>{texts[1]}</p><p>{texts[2]}</p>
    <p><img src="/t/rule.gif"></p><div><img src="/b/{number % BANNERS}.gif"></div><p>{texts[3]}</p>
    <figure><img src="/p/{number}-b.jpg"><figcaption>{title} in the evening, when all had gone
    home.</figcaption></figure><p>{texts[4]}</p><p><img src="/t/quote.png"> {texts[5]}</p>
    <div class=ad><img src="/ad/{number}.gif"></div><p>{texts[6]}</p><img src="/t/spacer.gif">
    <p><img src="/t/more.png"></p><p>{texts[7]}</p></article></main></body></html>""".encode()


@cache
def picture(width: int, height: int, kind: str) -> bytes:
    """Make a picture of some size."""
    pixels = np.random.default_rng(width * height).integers(0, 255, (height, width, 3))
    return encode_image(Image.fromarray(pixels.astype(np.uint8)), kind)


def pictures(pages: int) -> dict[str, bytes]:
    """Make the pictures of ``pages`` pages, by path."""
    sides = {f"/t/{name}": size for name, size in TEMPLATE.items()}
    sides |= {f"/b/{number}.gif": (728, 90) for number in range(BANNERS)}
    for number in range(pages):
        sides |= {f"/p/{number}-{letter}.jpg": (640, 400) for letter in "ab"}
        sides[f"/ad/{number}.gif"] = (468, 60)
    return {path: picture(*size, KINDS[path[-3:]]) for path, size in sides.items()}


@dataclass
class Crawl:
    """The result of a crawl."""

    hits: int = 0
    downloads: int = 0
    megabytes: float = 0.0


def crawl(root: str, pages: int, method: str, folder: Path | None) -> Crawl:
    """Read the pages of the site and select their pictures."""
    result = Crawl()
    options = ExtractOptions(image_method=method)
    with HttpClient(FetchOptions(cache=False), user_urls=[root]) as web:
        open_folder = None if folder is None else lambda: folder
        with SizeProbe(web.get_resource, ImageOptions(), open_folder) as downloads:
            for number in range(pages):
                capture = web.get_page(f"{root}/n/{number}")
                parsed = read_page(capture.body, capture.url)
                verdict = select_segments(parsed, ExtractOptions())
                selection = select_pictures(parsed, verdict, options, downloads.reject_by_size)
                result.hits += sum(picture.reason == CACHED for picture in selection.rejected)
                with downloads.reuse([capture.url]):
                    pass  # Fetch what a print would use.
    return result


def crawls(method: str, pages: int) -> Iterator[tuple[str, Crawl]]:
    """Crawl the site without the cache, with an empty one, and with that of the previous run."""
    files = pictures(pages)
    with tempfile.TemporaryDirectory() as folder, WebServer() as web:
        for path, body in files.items():
            web.add(path, body, media_type="image/png")
        for number in range(pages):
            web.add(f"/n/{number}", page(number))
        cache = Path(folder)
        for name, folder_in_use in (
            ("none", None),
            ("empty at first", cache),
            ("of the run before", cache),
        ):
            before = len(web.hits())
            result = crawl(web.url, pages, method, folder_in_use)
            fetched = [files[hit.path] for hit in web.hits()[before:] if hit.path in files]
            result.downloads, result.megabytes = len(fetched), sum(map(len, fetched)) / 1e6
            yield name, result


METHODS = ("cuter", "default")


def rows(effort: Effort) -> Iterator[Row]:
    pages = effort.of(100, 50, 10)
    for method in METHODS:
        for name, result in crawls(method, pages):
            subject = f"{method}, cache {name}"
            lookups = result.hits + result.downloads
            if name != "none":
                yield Row(subject, "hit rate", result.hits / lookups, n=lookups)
            yield Row(subject, "downloads", result.downloads, n=pages)
            yield Row(subject, "fetched", result.megabytes, "MB", n=pages)


if __name__ == "__main__":
    run_alone(rows)
