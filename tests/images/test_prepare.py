"""Real picture files through a real decoder: what is printed, and the messages."""

from __future__ import annotations

import base64
import threading
import time
import warnings
from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageCms

from printer.article import Figure
from printer.capture import Capture, PageSource
from printer.errors import HTTPStatusError
from printer.images.prepare import PreparedPictures, prepare_pictures
from printer.options import ImageOptions
from printer.output import Picture
from tests.support.picture_files import encode_image

HOST = "https://pictures.example.org/"


def photo(width: int = 800, height: int = 500) -> Image.Image:
    """Paint a picture of many colours, left half darker than the right, top redder."""
    y, x = np.mgrid[0:height, 0:width]
    noise = np.random.default_rng(7).normal(0, 5, (height, width, 3))
    colours = np.stack(
        [220 - 150 * y / height, 60 + 120 * x / width, 60 + 100 * x / width], axis=-1
    )
    return Image.fromarray(np.clip(colours + noise, 0, 255).astype(np.uint8))


class Server:
    """Gives out bytes by address, and remembers who asked."""

    def __init__(self, **files: bytes) -> None:
        self.files = {HOST + name: body for name, body in files.items()}
        self.requested: list[tuple[str, str]] = []

    def __call__(self, url: str, referer: str) -> Capture:
        self.requested.append((url, referer))
        if url not in self.files:
            raise HTTPStatusError("the server answered 404 Not Found", status=404, url=url)
        return Capture(self.files[url], PageSource(url, url))


def prepared(body: bytes, *, width: int = 0, **options: Any) -> PreparedPictures:
    room = {
        key: options.pop(key) for key in ("width_mm", "height_mm", "grayscale") if key in options
    }
    return prepare_pictures(
        [(Figure(HOST + "a", width=width), "")],
        Server(a=body),
        ImageOptions(**options),
        **{key.removesuffix("_mm"): value for key, value in room.items()},
    )


def picture(body: bytes, **options: Any) -> tuple[Picture, Image.Image]:
    result = prepared(body, **options)
    assert not result.warnings
    (only,) = result.pictures.values()
    image = Image.open(BytesIO(only.data))
    assert image.size == (only.width, only.height)
    return only, image


def warning(body: bytes, **options: Any) -> str:
    result = prepared(body, **options)
    assert not result.pictures
    (only,) = result.warnings
    assert "pictures.example.org/a" in only
    assert "\n" not in only
    return only


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "AVIF", "GIF", "BMP", "TIFF"])
def test_every_format_is_known_by_its_bytes(kind: str) -> None:
    prepared, image = picture(encode_image(photo(), kind))
    assert prepared.media_type == "image/jpeg"
    pixels = np.asarray(image.convert("RGB")).astype(int)
    assert pixels[:, :100].mean() < pixels[:, -100:].mean() - 30, (
        "left and right are not as they were"
    )
    assert pixels[:50, :, 0].mean() > pixels[-50:, :, 0].mean() + 80, (
        "top and bottom are not as they were"
    )


def test_a_picture_is_scaled_to_the_resolution_of_paper() -> None:
    body = encode_image(photo(3000, 2000), "JPEG")
    prepared, _ = picture(body, width_mm=127.0, height_mm=180.0)
    assert (prepared.width, prepared.height) == (1000, 667)
    prepared, _ = picture(body, width_mm=127.0, height_mm=50.8)
    assert (prepared.width, prepared.height) == (600, 400)
    prepared, _ = picture(body, width=96, dpi=300)
    assert (prepared.width, prepared.height) == (300, 200)
    prepared, _ = picture(encode_image(photo(200, 100), "JPEG"), dpi=600)
    assert (prepared.width, prepared.height) == (200, 100), "a picture is never enlarged"


def test_a_photograph_that_lies_on_its_side_is_turned() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    for kind in ("JPEG", "PNG", "WEBP"):
        prepared, image = picture(encode_image(photo(600, 300), kind, exif=exif))
        assert (prepared.width, prepared.height) == (300, 600)
        assert not image.getexif()
        pixels = np.asarray(image.convert("RGB")).astype(int)
        assert pixels[:, -40:, 0].mean() > pixels[:, :40, 0].mean() + 80, (
            "the top belongs on the right"
        )


def test_colours_survive_cmyk_sixteen_bits_and_palettes() -> None:
    red = Image.new("RGB", (60, 40), (200, 30, 30))
    for body in (
        encode_image(red.convert("CMYK"), "JPEG"),
        encode_image(red.convert("P"), "PNG"),
        encode_image(red, "TIFF"),
    ):
        _, image = picture(body)
        assert (
            np.abs(np.asarray(image.convert("RGB"))[20, 30].astype(int) - (200, 30, 30)).max() < 25
        )
    grey = (np.linspace(0, 1, 300)[None, :].repeat(50, 0) * 65535).astype(np.uint16)
    _, image = picture(encode_image(Image.fromarray(grey), "PNG"))
    row = np.asarray(image.convert("L"))[25].astype(int)
    assert row[0] < 3
    assert row[-1] > 252
    assert abs(row[150] - 128) < 4


def test_a_colour_profile_is_followed() -> None:
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    _, image = picture(encode_image(photo(), "JPEG", icc_profile=lab))
    assert "icc_profile" not in image.info
    _, image = picture(encode_image(photo(), "JPEG", icc_profile=b"broken" * 50))
    assert image.size == (800, 500)


def test_transparency_is_white() -> None:
    clear = Image.new("RGBA", (80, 60), (0, 0, 0, 0))
    clear.paste((255, 0, 0, 255), (0, 0, 40, 60))
    for body in (
        encode_image(clear, "PNG"),
        encode_image(clear, "WEBP", lossless=True),
        encode_image(clear.convert("P"), "GIF", transparency=0),
    ):
        _, image = picture(body)
        assert image.convert("RGB").getpixel((70, 30)) == (255, 255, 255)


def test_line_art_stays_sharp_and_grey_stays_grey() -> None:
    lines = Image.new("RGB", (400, 300), "white")
    lines.paste((0, 0, 0), (50, 50, 60, 250))
    prepared, image = picture(encode_image(lines, "PNG"))
    assert prepared.media_type == "image/png"
    assert image.mode == "L"
    assert set(np.unique(np.asarray(image))) == {0, 255}


def test_without_colour_on_request() -> None:
    prepared, image = picture(encode_image(photo(), "JPEG"), grayscale=True)
    assert (prepared.media_type, image.mode) == ("image/jpeg", "L")
    prepared, image = picture(encode_image(photo().convert("L"), "PNG"))
    assert (prepared.media_type, image.mode) == ("image/jpeg", "L"), "a grey photograph is one too"
    red = Image.new("RGB", (60, 40), (255, 0, 0))
    _, image = picture(encode_image(red, "PNG"), grayscale=True)
    assert (image.mode, image.getpixel((5, 5))) == ("L", 76)


def test_an_animation_shows_its_first_frame() -> None:
    frames = [Image.new("RGB", (50, 50), colour) for colour in ("red", "blue")]
    for kind in ("GIF", "WEBP", "PNG"):
        _, image = picture(
            encode_image(frames[0], kind, save_all=True, append_images=frames[1:], duration=100)
        )
        assert image.convert("RGB").getpixel((25, 25))[0] > 200


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_the_readable_part_of_a_truncated_picture_is_printed(kind: str) -> None:
    body = encode_image(photo(), kind)
    prepared, image = picture(body[: len(body) * 3 // 4])
    assert 300 < prepared.height < 450
    last = np.asarray(image.convert("L"))[-1]
    assert len(np.unique(last)) > 3, "the blank part is printed too"
    assert "is cut off" in warning(body[: len(body) // 5])


def test_the_global_switch_of_pillow_is_left_as_it_was() -> None:
    from PIL import ImageFile

    before = ImageFile.LOAD_TRUNCATED_IMAGES
    body = encode_image(photo(), "JPEG")
    prepared(body[: len(body) * 3 // 4])
    assert before == ImageFile.LOAD_TRUNCATED_IMAGES


def jpeg_of_scans(count: int, **more: object) -> bytes:
    data = encode_image(photo().convert("L"), "JPEG", progressive=True, **more)
    scan = data[data.rindex(b"\xff\xda") : -2]
    return data[:-2] + scan * count + data[-2:]


def test_scans_of_a_jpeg_are_limited() -> None:
    assert "more than 100 scans" in warning(jpeg_of_scans(101))
    comment = b"\xff\xda" * 5_000  # looks like scans
    (picture,) = prepared(jpeg_of_scans(50, comment=comment)).pictures.values()
    assert picture


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "is empty"),
        (b"<!DOCTYPE html><title>Not found</title>", "is a web page"),
        (b"%PDF-1.7", "known picture format"),
        (encode_image(Image.new("L", (1, 1)), "GIF"), "only 1 × 1"),
        (encode_image(Image.new("1", (12_000, 9_000)), "PNG"), "too many pixels"),
        (encode_image(Image.new("1", (8_000, 8_000)), "PNG"), "more than 50,000,000"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "picture"),
    ],
)  # fmt: skip
def test_an_unprintable_picture_is_explained_in_one_line(body: bytes, words: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert words in warning(body)


def test_limits_of_bytes() -> None:
    body = encode_image(photo(), "JPEG")
    assert "larger than" in warning(body, max_bytes=1000)
    figures = [(Figure(f"{HOST}{n}"), "") for n in range(4)]
    server = Server(**{str(n): body for n in range(4)})
    result = prepare_pictures(figures, server, ImageOptions(total_bytes=len(body) * 2, workers=1))
    assert list(result.pictures) == [HOST + "0", HOST + "1"]
    assert all("over the size limit" in w for w in result.warnings)


def test_a_server_that_never_answers_costs_its_own_picture() -> None:
    body, stop = encode_image(photo(), "JPEG"), threading.Event()

    def get(url: str, referer: str) -> Capture:
        if url.endswith("slow"):
            stop.wait(60)
        return Capture(body, PageSource(url, url))

    start = time.monotonic()
    figures = [(Figure(HOST + "slow"), ""), (Figure(HOST + "fast"), "")]
    result = prepare_pictures(figures, get, ImageOptions(timeout=1.0))
    stop.set()
    assert time.monotonic() - start < 30
    assert list(result.pictures) == [HOST + "fast"]
    assert result.warnings == (
        "picture pictures.example.org/slow is left out: it took too long to fetch",
    )


def test_other_versions_are_tried_and_the_referer_is_sent() -> None:
    server = Server(
        good=encode_image(photo(), "JPEG"), tiny=encode_image(Image.new("L", (1, 1)), "GIF")
    )
    figure = Figure(HOST + "lost", sources=(HOST + "lost", HOST + "tiny", HOST + "good"))
    result = prepare_pictures([(figure, "https://page.example.org/")], server)
    assert list(result.pictures) == [HOST + "lost"]
    assert not result.warnings
    assert [url.removeprefix(HOST) for url, _ in server.requested] == ["lost", "tiny", "good"]
    assert {referer for _, referer in server.requested} == {"https://page.example.org/"}


def test_a_preview_inside_the_page_does_not_stand_for_a_lost_picture() -> None:
    preview = base64.b64encode(encode_image(photo(20, 15), "PNG")).decode()
    sources = (f"data:image/png;base64,{preview}", HOST + "lost")
    result = prepare_pictures([(Figure(HOST + "lost", sources=sources), "")], Server())
    assert not result.pictures
    assert "404 Not Found" in result.warnings[0]


def test_the_first_reason_is_reported() -> None:
    figure = Figure(HOST + "lost", sources=(HOST + "lost", HOST + "gone"))
    result = prepare_pictures([(figure, "")], Server())
    assert result.warnings == (
        "picture pictures.example.org/lost could not be fetched: the server answered 404 Not Found",
    )


def test_pictures_are_fetched_in_parallel_and_each_once() -> None:
    meeting, body = threading.Barrier(4, timeout=60), encode_image(photo(100, 80), "JPEG")
    requested = []

    def get(url: str, referer: str) -> Capture:
        requested.append(url)
        meeting.wait()
        return Capture(body, PageSource(url, url))

    figures = [(Figure(f"{HOST}{n % 4}"), "") for n in range(12)]
    result = prepare_pictures(figures, get, ImageOptions(workers=4))
    assert len(result.pictures) == 4
    assert sorted(requested) == [f"{HOST}{n}" for n in range(4)]
    assert list(result.pictures) == [f"{HOST}{n}" for n in range(4)], "the order is the article's"


def test_a_fault_in_the_fetcher_costs_its_own_picture() -> None:
    def get(url: str, referer: str) -> Capture:
        raise RuntimeError("a bug")

    result = prepare_pictures([(Figure(HOST + "a"), "")], get)
    assert result.warnings == ("picture pictures.example.org/a failed: RuntimeError: a bug",)


def test_pictures_inside_the_page() -> None:
    text = base64.b64encode(encode_image(photo(100, 80), "PNG")).decode()
    for address in (f"data:image/png;base64,{text}", f"DATA:;Base64,{text.rstrip('=')}"):
        server = Server()
        result = prepare_pictures([(Figure(address), "")], server)
        assert [p.width for p in result.pictures.values()] == [100], result.warnings
        assert not server.requested
    for address in (
        "data:image/png;base64,@@@",
        "data:nothing",
        "data:,x",
        "data:image/png;base64," + "A" * 4000,
    ):
        result = prepare_pictures(
            [(Figure(address, alt="A hill"), "")], Server(), ImageOptions(max_bytes=1000)
        )
        assert not result.pictures
        assert "(inside the page) (A hill)" in result.warnings[0]


def test_other_addresses_are_not_fetched() -> None:
    server = Server()
    for address in (
        "file:///etc/passwd",
        "ftp://example.org/a.jpg",
        "javascript:1",
        "",
        "relative.jpg",
    ):
        assert prepare_pictures([(Figure(address), "")], server).warnings
    assert not server.requested


@given(
    st.binary(max_size=300),
    st.sampled_from(
        [b"", b"GIF89a", b"\xff\xd8\xff\xe0", b"RIFF0000WEBP", b"BM", b"II*\0", b"<svg "]
    ),
)
def test_any_bytes_give_a_picture_or_a_line(body: bytes, start: bytes) -> None:
    result = prepared(start + body)
    assert len(result.pictures) + len(result.warnings) == 1


def mutated(body: bytes) -> Callable[[int], bytes]:
    """Return a function that spoils some bytes of a file, always the same for one seed."""

    def spoil(seed: int) -> bytes:
        rng = np.random.default_rng(seed)
        spoiled = bytearray(body)
        for place in rng.integers(0, len(body), 12):
            spoiled[place] = int(rng.integers(0, 256))
        return bytes(spoiled)

    return spoil


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "AVIF", "GIF", "TIFF", "BMP"])
def test_spoiled_files_never_raise(kind: str) -> None:
    spoil = mutated(encode_image(photo(120, 90), kind))
    for seed in range(25):
        result = prepared(spoil(seed))
        assert len(result.pictures) + len(result.warnings) == 1
