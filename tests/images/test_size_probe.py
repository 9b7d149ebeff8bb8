"""Pictures without a stated size, measured by fetching the beginnings of their files."""

from __future__ import annotations

import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from printer.capture import Capture, PageSource
from printer.errors import TooLarge
from printer.fetch.client import HttpClient
from printer.html.page import read_page
from printer.images import select_pictures
from printer.images.prepare import run_in_threads
from printer.images.selection import PictureSelection
from printer.images.size_probe import SizeProbe, read_size
from printer.options import ExtractOptions, FetchOptions, ImageOptions
from printer.selection import Verdict
from tests.support.racing_threads import racing_threads
from tests.support.web_server import WebServer, drip

TEXT = (
    "Ada Fenwick, the mayor of Kestermouth, said on the quay that the ferry would be sold. The "
    "boat had crossed the river for forty years, and nobody in Kestermouth thought it would end. "
)


def encoded(width: int, height: int, kind: str) -> bytes:
    """Return a picture of noise, whose file cannot be small."""
    pixels = np.random.default_rng(width).integers(0, 255, (height, width, 3), dtype=np.uint8)
    file = BytesIO()
    Image.fromarray(pixels).save(file, kind)
    return file.getvalue()


KINDS = ("GIF", "JPEG", "PNG", "WEBP", "AVIF")


@pytest.mark.parametrize("kind", KINDS)
def test_the_head_of_a_file_states_its_size(kind: str) -> None:
    data = encoded(321, 123, kind)
    assert read_size(data) == (321, 123)
    if kind not in ("AVIF", "WEBP"):  # whose decoders want the file whole
        assert read_size(data[: len(data) // 2]) == (321, 123), "the head alone is read"


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (b'<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"/>', (24, 24)),
        (b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 300"/>', (640, 300)),
        (b"<svg", None),
        (b"<!doctype html><title>Not found</title>", None),
        (b"", None),
        (b"GIF89a", None),
    ],
)
def test_a_drawing_states_its_size_and_other_files_none(
    data: bytes, size: tuple[int, int] | None
) -> None:
    assert read_size(data) == size


def test_a_bomb_is_left_to_printing() -> None:
    file = BytesIO()
    Image.new("1", (20_000, 20_000)).save(file, "PNG")
    assert read_size(file.getvalue()) is None


@pytest.fixture
def fetch(web: WebServer) -> Iterator[HttpClient]:
    with HttpClient(
        FetchOptions(cache=False, retries=0, timeout=3.0), user_urls=[web.url]
    ) as fetcher:
        yield fetcher


def chosen(
    web: WebServer, fetch: HttpClient, folder: Path | None, *pictures: str, method: str = "cuter",
    images: str = "article", timeout: float = 20.0,
) -> tuple[PictureSelection, SizeProbe]:  # fmt: skip
    body = "".join(f"<p>{TEXT}</p>{picture}" for picture in pictures)
    page = read_page(
        f"<html><body><main><article><h1>The ferry</h1>{body}<p>{TEXT}</p></article></main>",
        web.url + "/story.html",
    )
    verdict = Verdict(tuple("mayor of Kestermouth" in segment.text for segment in page.segments))
    downloads = SizeProbe(
        fetch.get_resource, ImageOptions(timeout=timeout), (lambda: folder) if folder else None
    )
    options = ExtractOptions(image_method=method, images=images)  # type: ignore[arg-type]
    with downloads:
        return select_pictures(page, verdict, options, downloads.reject_by_size), downloads


def paths(choice: PictureSelection) -> list[str]:
    return [picture.candidate.element.get("src", "") for picture in choice.selected]


def reasons(choice: PictureSelection) -> dict[str, str]:
    return {picture.candidate.element.get("src", ""): picture.reason for picture in choice.rejected}


def test_cuter_accepts_and_rejects_by_the_file(
    web: WebServer, fetch: HttpClient, tmp_path: Path
) -> None:
    for kind in KINDS:
        web.add(f"/{kind}", encoded(320, 240, kind), media_type=f"image/{kind.lower()}")
    web.add("/icon.png", encoded(48, 48, "PNG"), media_type="image/png")
    web.add("/banner.gif", encoded(728, 160, "GIF"), media_type="image/gif")
    flat = BytesIO()
    Image.new("RGB", (400, 300), "red").save(flat, "PNG")
    web.add("/flat.png", flat.getvalue(), media_type="image/png")
    images = [f'<img src="/{name}">' for name in (*KINDS, "icon.png", "banner.gif", "flat.png")]
    declared = '<img src="/declared.jpg" width="300" height="200">'
    half = '<img src="/missing.jpg" width="300">'
    choice, _ = chosen(web, fetch, tmp_path, *images, declared, half)
    assert paths(choice) == [*(f"/{kind}" for kind in KINDS), "/declared.jpg", "/missing.jpg"]
    assert reasons(choice) == {
        "/icon.png": "too small (48 x 48 pixels)",
        "/banner.gif": "shaped like a banner (728 x 160 pixels)",
        "/flat.png": f"too small a file ({len(flat.getvalue())} bytes)",
    }
    assert not web.hits("/declared.jpg"), "what attributes decide is not fetched"
    assert {hit.headers["referer"] for hit in web.hits("/JPEG")} == {web.url + "/story.html"}

    again, _ = chosen(web, fetch, tmp_path, *images)
    assert reasons(again) == dict.fromkeys(reasons(choice), "rejected for its size before")
    assert len(web.hits("/icon.png")) == 1, "a rejected address is not fetched again"
    assert len(web.hits("/JPEG")) == 2


def test_without_a_cache_nothing_is_remembered(web: WebServer, fetch: HttpClient) -> None:
    web.add("/icon.png", encoded(48, 48, "PNG"), media_type="image/png")
    for count in (1, 2):
        choice, downloads = chosen(web, fetch, None, '<img src="/icon.png">')
        assert not choice.selected
        assert len(web.hits("/icon.png")) == count
        assert downloads.cache is None


def test_the_default_drops_measured_icons_and_keeps_a_small_drawing(
    web: WebServer, fetch: HttpClient, tmp_path: Path
) -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 300"><path d="M0 0h9"/></svg>'
    web.add("/plot.svg", svg, media_type="image/svg+xml")
    web.add("/photo.jpg", encoded(500, 300, "JPEG"), media_type="image/jpeg")
    web.add("/quay.jpg", encoded(40, 40, "JPEG"), media_type="image/jpeg")
    figures = [
        f'<figure><img src="{name}"><figcaption>The quay at Kestermouth.</figcaption></figure>'
        for name in ("/plot.svg", "/photo.jpg", "/quay.jpg")
    ]
    choice, _ = chosen(web, fetch, tmp_path, *figures, method="default")
    assert paths(choice) == ["/plot.svg", "/photo.jpg"]
    assert reasons(choice) == {"/quay.jpg": "too small (40 x 40 pixels)"}


def test_measured_pictures_are_not_fetched_again_for_print(
    web: WebServer, fetch: HttpClient
) -> None:
    url = web.add("/photo.jpg", encoded(500, 300, "JPEG"), media_type="image/jpeg")
    _, downloads = chosen(web, fetch, None, '<img src="/photo.jpg">', '<img src="/gone.jpg">')
    with downloads.reuse([]) as get:
        assert get(url, "").body
        with pytest.raises(Exception, match="404"):
            get(web.url + "/gone.jpg", "")
    assert len(web.hits("/photo.jpg")) == len(web.hits("/gone.jpg")) == 1


def test_a_slow_picture_costs_its_own_measure(web: WebServer, fetch: HttpClient) -> None:
    web.add("/slow.jpg", drip(b"x" * 1000, pause=0.2), media_type="image/jpeg")
    web.add("/icon.png", encoded(48, 48, "PNG"), media_type="image/png")
    choice, downloads = chosen(
        web, fetch, None, '<img src="/slow.jpg">', '<img src="/icon.png">', timeout=1.0
    )
    assert paths(choice) == ["/slow.jpg"]
    with downloads.reuse([]) as get, pytest.raises(Exception, match="too long"):
        get(web.url + "/slow.jpg", "")


def test_all_takes_every_picture_but_icons_and_lead_the_first(
    web: WebServer, fetch: HttpClient
) -> None:
    for name in ("a", "b"):
        web.add(f"/{name}.jpg", encoded(500, 300, "JPEG"), media_type="image/jpeg")
    web.add("/tiny.gif", encoded(1, 1, "GIF"), media_type="image/gif")
    pictures = (
        '<img src="/tiny.gif">',
        '<div class="ad-slot">Advertisement <img src="/a.jpg"></div>',
        '<img src="/icon.png" width="16" height="16">',
        '<figure><img src="/b.jpg"><figcaption>The quay at Kestermouth.</figcaption></figure>',
    )
    choice, _ = chosen(web, fetch, None, *pictures, method="default", images="all")
    assert paths(choice) == ["/a.jpg", "/b.jpg"]
    assert set(reasons(choice)) == {"/tiny.gif", "/icon.png"}
    choice, _ = chosen(web, fetch, None, *pictures, method="default", images="lead")
    assert paths(choice) == ["/b.jpg"]
    choice, _ = chosen(web, fetch, None, *pictures, images="none")
    assert not choice.selected
    assert reasons(choice)["/b.jpg"] == "pictures are switched off"


def test_all_pictures_of_a_page_together_are_bounded(web: WebServer) -> None:
    data = encoded(400, 300, "PNG")
    for number in range(6):
        web.add(f"/{number}.png", data, media_type="image/png")
    images = "".join(f"<p>{TEXT}</p><img src=/{number}.png>" for number in range(6))
    page = read_page(f"<article>{images}<p>{TEXT}</p></article>", web.url)
    verdict = Verdict(tuple("mayor of Kestermouth" in segment.text for segment in page.segments))
    options = ImageOptions(total_bytes=2 * len(data), workers=1)
    with HttpClient(FetchOptions(cache=False), user_urls=[web.url]) as fetch:
        downloads = SizeProbe(fetch.get_resource, options)
        by_cuter = ExtractOptions(image_method="cuter")
        choice = select_pictures(page, verdict, by_cuter, downloads.reject_by_size)
        assert len(choice.selected) == 6, "what cannot be measured stays"
        assert len(web.hits()) == 3
        with downloads.reuse([]) as get:
            assert get(f"{web.url}/0.png", "").body == data
            with pytest.raises(TooLarge):
                get(f"{web.url}/5.png", "")


def test_no_download_begins_after_the_deadline() -> None:
    started: list[int] = []

    def work(task: int) -> None:
        started.append(task)
        time.sleep(0.8)

    run_in_threads(work, range(20), 2, time.monotonic() + 0.5)
    time.sleep(1.0)
    assert started
    assert set(started) <= {0, 1}, "more downloads began when the time was over"


def test_a_picture_kept_by_several_threads_at_once_counts_once(fetch: HttpClient) -> None:
    probe = SizeProbe(fetch.get_resource, ImageOptions())
    url = "https://example.org/a.jpg"
    download = Capture(b"picture", PageSource(url, url))

    def keep() -> None:
        for _ in range(3000):
            probe._keep(url, "https://example.org/", download)

    with racing_threads(keep):
        pass
    assert probe._size == len(download.body), "the buffer counts a picture more than once"
