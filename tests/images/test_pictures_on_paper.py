"""A page with every kind of picture file, served over loopback, printed to a real PDF."""

from __future__ import annotations

import colorsys
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
import pikepdf
import pypdfium2
import pytest
from PIL import Image, ImageDraw

from printer import FetchOptions, Printer
from printer.options import ImageOptions, Options, PrintOptions
from printer.output import Result
from printer.render.weasy.figure_placement import MIN_SCALE
from printer.session import Session
from tests.support.picture_files import encode_image, png_chunk
from tests.support.web_server import Hit, Reply, WebServer, drip

DPI = 200
TEXT = (
    "Ada Fenwick, the mayor of Kestermouth, said on the quay that the ferry would be sold. The "
    "boat had crossed the river for forty years, and nobody in Kestermouth thought it would end. "
)
HUES = {
    name: index / 11
    for index, name in enumerate(
        ("photo", "turned", "cmyk", "avif", "webp", "animated", "cut", "member", "twin", "untyped",
         "clear")
    )
}  # fmt: skip


def photo(name: str, width: int, height: int) -> Image.Image:
    """Paint a photograph of one hue, bright at the top and dark below, with some grain."""
    red, green, blue = colorsys.hsv_to_rgb(HUES[name], 0.7, 1.0)
    light = np.linspace(240, 90, height)[:, None, None] * np.array([red, green, blue])
    grain = np.random.default_rng(len(name)).normal(0, 4, (height, width, 1))
    return Image.fromarray(np.clip(light + grain, 0, 255).astype(np.uint8))


def turned() -> bytes:
    """A photograph that lies on its side in its file, as phones write them."""
    exif = Image.Exif()
    exif[0x0112] = 6
    upright = photo("turned", 1200, 1600)
    return encode_image(upright.transpose(Image.Transpose.ROTATE_90), "JPEG", quality=92, exif=exif)


def clear() -> bytes:
    """Line art in a palette, on nothing."""
    image = Image.new("P", (600, 400), 0)
    red, green, blue = (int(255 * part) for part in colorsys.hsv_to_rgb(HUES["clear"], 0.7, 1.0))
    image.putpalette([0, 0, 0, red, green, blue])
    pen = ImageDraw.Draw(image)
    for place in range(20, 600, 60):
        pen.rectangle((place, 20, place + 30, 380), fill=1)
    return encode_image(image, "PNG", transparency=0)


def deep() -> bytes:
    """A grey ramp of 16 bits, with grain."""
    ramp = np.linspace(0, 60000, 900)[None, :].repeat(600, 0)
    grain = np.random.default_rng(5).normal(0, 900, ramp.shape)
    return encode_image(Image.fromarray(np.clip(ramp + grain, 0, 65535).astype(np.uint16)), "PNG")


def animated() -> bytes:
    first = photo("animated", 480, 320)
    more_images = [Image.new("RGB", (480, 320), (n, n, n)) for n in range(60)]
    return encode_image(first, "GIF", save_all=True, append_images=more_images, duration=40)


def png_bomb() -> bytes:
    """A few kilobytes that say they are 30,000 pixels square."""
    head = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    packed = zlib.compress(bytes(4_000_000), 9)
    chunks = png_chunk(b"IHDR", head) + png_chunk(b"IDAT", packed) + png_chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="480" height="300" onload="steal()">
<script>steal()</script><image href="/secret.png" width="9" height="9"/>
<rect width="480" height="300" fill="#ffe0e0"/><circle cx="240" cy="150" r="90" fill="#3060c0"/>
<text x="20" y="40" fill="#208020">Tide</text></svg>"""


@dataclass
class Site:
    """A page and what is on it; ``printed`` are its pictures as they should come out."""

    url: str
    web: WebServer
    printed: dict[str, Image.Image]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with WebServer() as web:
        yield Site(web.url + "/story", web, serve(web))


def figure(name: str, about: str, attributes: str = "") -> str:
    return (
        f'<figure><img src="/{name}" alt="Alt of {about}" {attributes}><figcaption>The '
        f'caption of {about}, taken last week.<span class="credit">Photo: Lens {about}</span>'
        "</figcaption></figure>"
    )


def serve(web: WebServer) -> dict[str, Image.Image]:
    """Serve the page and its pictures; return those that should be printed, upright."""
    twin = encode_image(photo("twin", 900, 600), "JPEG", quality=92)
    cmyk = photo("cmyk", 1000, 700)
    cut = encode_image(photo("cut", 1200, 800), "JPEG", quality=92)
    files: dict[str, tuple[bytes, str]] = {
        "photo.jpg": (encode_image(photo("photo", 3000, 2000), "JPEG", quality=92), "image/jpeg"),
        "turned.jpg": (turned(), "image/jpeg"),
        "cmyk.jpg": (encode_image(cmyk.convert("CMYK"), "JPEG", quality=92), "image/jpeg"),
        "deep.png": (deep(), "image/png"),
        "clear.png": (clear(), "image/png"),
        "animated.gif": (animated(), "image/gif"),
        "avif.avif": (encode_image(photo("avif", 1200, 800), "AVIF"), "image/avif"),
        "webp.webp": (encode_image(photo("webp", 1200, 800), "WEBP"), "image/webp"),
        "tide.svg": (SVG.encode(), "image/svg+xml"),
        "cut.jpg": (cut[: len(cut) * 3 // 4], "image/jpeg"),
        "twin-1.jpg": (twin, "image/jpeg"),
        "twin-2.jpg": (twin, "image/jpeg"),
        "untyped.jpg": (encode_image(photo("untyped", 900, 600), "JPEG"), "text/html"),
        "icon.png": (encode_image(photo("photo", 40, 40), "PNG"), "image/png"),
        "strip.gif": (encode_image(photo("photo", 728, 90), "GIF"), "image/gif"),
        "dot.gif": (encode_image(Image.new("L", (1, 1)), "GIF"), "image/gif"),
        "huge.png": (encode_image(Image.new("1", (8000, 8000)), "PNG"), "image/png"),
        "bomb.png": (png_bomb(), "image/png"),
    }
    for name, (data, kind) in files.items():
        web.add(f"/{name}", data, media_type=kind)
    web.add("/endless.jpg", endless, media_type="image/jpeg")
    web.add("/slow.jpg", drip(twin, pause=0.2), media_type="image/jpeg")
    member = encode_image(photo("member", 900, 600), "JPEG")

    def members_only(hit: Hit) -> Reply:
        known = hit.headers.get("referer", "").endswith("/story")
        known = known and "pass=yes" in hit.headers.get("cookie", "")
        return Reply(member, media_type="image/jpeg") if known else Reply("no", 403)

    web.add("/member.jpg", members_only)
    names = [*(name for name in files if name not in ("icon.png", "strip.gif", "dot.gif")),
             "endless.jpg", "slow.jpg", "member.jpg", "lost.jpg"]  # fmt: skip
    body = "".join(f"<p>{TEXT}</p>{figure(name, name)}" for name in names)
    body += "".join(f"<p>{TEXT}<img src=/{n}></p>" for n in ("icon.png", "strip.gif", "dot.gif"))
    page = (
        "<!doctype html><html lang=en><title>The ferry</title><body><article>"
        f"<h1>The ferry</h1>{body}<p>{TEXT}</p></article>"
    )
    web.add("/story", page, headers={"Set-Cookie": "pass=yes; Path=/"})
    return {
        "photo.jpg": photo("photo", 3000, 2000),
        "avif.avif": photo("avif", 1200, 800),
        "webp.webp": photo("webp", 1200, 800),
        "turned.jpg": photo("turned", 1200, 1600),
        "cmyk.jpg": cmyk,
        "animated.gif": photo("animated", 480, 320),
        "cut.jpg": photo("cut", 1200, 800),
        "member.jpg": photo("member", 900, 600),
        "twin-1.jpg": photo("twin", 900, 600),
        "untyped.jpg": photo("untyped", 900, 600),
    }  # fmt: skip


def endless() -> Iterator[bytes]:
    while True:
        yield bytes(100_000)


#: Names of the pictures that leave a frame with their words.
MISSING = ("huge.png", "bomb.png", "endless.jpg", "slow.jpg", "lost.jpg")


def print_(site: Site, **page_options: Any) -> Result:
    fetch = FetchOptions(timeout=4.0, max_bytes=5_000_000, retries=0, cache=False)
    pictures = ImageOptions(dpi=DPI, timeout=60.0)
    session = Session(fetch, pictures, user_urls=(site.url,))
    page = PrintOptions(**page_options)
    with Printer(Options(fetch=fetch, images=pictures, page=page), session) as printer:
        return printer.print_pages([site.url])


@pytest.fixture(scope="module")
def result(site: Site) -> Result:
    return print_(site)


@pytest.fixture(scope="module")
def pdf(result: Result) -> Iterator[pikepdf.Pdf]:
    with pikepdf.open(BytesIO(result.pdf)) as opened:
        yield opened


def embedded(pdf: pikepdf.Pdf) -> list[pikepdf.PdfImage]:
    """Return every raster picture in a PDF, each once."""
    images = (
        pdf_object for pdf_object in pdf.objects
        if isinstance(pdf_object, pikepdf.Stream) and pdf_object.get("/Subtype") == "/Image"
    )  # fmt: skip
    return [pikepdf.PdfImage(image) for image in images]


def hue(image: Image.Image) -> str:
    """Name the picture by its hue; '' for a grey one."""
    pixels = np.asarray(image.convert("RGB")).astype(float)
    # What is white is paper.
    colour = pixels[pixels.min(axis=2) < 250].mean(axis=0) / 255
    found, saturation, _ = colorsys.rgb_to_hsv(*colour)
    if saturation < 0.2:
        return ""
    return min(HUES, key=lambda name: min(abs(HUES[name] - found), 1 - abs(HUES[name] - found)))


def test_exactly_the_right_pictures_are_in_the_pdf(pdf: pikepdf.Pdf, result: Result) -> None:
    found = sorted(hue(image.as_pil_image()) for image in embedded(pdf))
    assert found == sorted(["", *HUES]), "each once, the twins together, and the grey one"
    # Twins and the drawing besides: two figures share a picture, and SVG is no raster.
    assert (result.pictures, result.missing_pictures) == (14, len(MISSING))


def test_dropped_and_missing_pictures_are_reported(result: Result) -> None:
    dropped = {
        decision.url.rpartition("/")[2]: decision.reason
        for decision in result.picture_decisions
        if not decision.selected
    }
    assert set(dropped) == {"icon.png", "strip.gif", "dot.gif"}
    assert all(dropped.values())
    for name in MISSING:
        (line,) = [warning for warning in result.warnings if name in warning]
        assert len(line) < 200
    assert len(result.warnings) == len(MISSING)


def placed(data: bytes) -> list[tuple[tuple[int, int], tuple[float, float]]]:
    """Return the pixels of every raster picture on paper, and its size there in inches."""
    document = pypdfium2.PdfDocument(data)
    found = []
    try:
        for page in document:
            for page_object in page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE]):
                left, bottom, right, top = page_object.get_bounds()
                found.append(
                    (page_object.get_px_size(), ((right - left) / 72, (top - bottom) / 72))
                )
    finally:
        document.close()
    return found


def test_every_picture_has_the_resolution_of_its_place(result: Result) -> None:
    placements = placed(result.pdf)
    assert len(placements) == 13, "twelve rasters, one of them twice"
    widest = max(across for _, (across, _) in placements)
    for (width, height), (across, down) in placements:
        assert width / height == pytest.approx(across / down, rel=0.02), "not distorted"
        assert width <= DPI * widest * 1.02
        # One that is made smaller to fill its page, after all was prepared, keeps its pixels.
        assert width / across <= DPI * 1.02 / MIN_SCALE, f"{width} pixels on {across:.2f} inches"
        # What has fewer pixels than its place is printed with all it has, at its size on screen.
        assert width / across >= 95
    # Those that were not made smaller with the others of their page.
    exact = [width for (width, _), (across, _) in placements if abs(width / across - DPI) < 3]
    assert len(exact) >= 2, "photographs of more pixels than paper can show"


def test_pictures_stand_upright_and_in_their_colours(pdf: pikepdf.Pdf) -> None:
    for embedded_image in embedded(pdf):
        image = embedded_image.as_pil_image().convert("RGB")
        name = hue(image)
        if name in ("", "clear"):
            continue
        pixels = np.asarray(image).astype(int).max(axis=2)
        assert pixels[:10].mean() > pixels[-10:].mean() + 40, f"{name}: top and bottom"
        assert (image.height > image.width) is (name == "turned"), name


def needed(site: Site, result: Result) -> int:
    """Return the bytes that the printed photographs need: encoded alone at their size on paper.

    That is each one's own pixels scaled to ``DPI`` at the width it is printed, as a JPEG of
    quality 85.  Line art and the drawing, some kilobytes, are not counted.
    """
    boxes = [size for size, _ in placed(result.pdf)]
    total = 0
    for image in site.printed.values():
        shape = image.width / image.height
        size = min(
            (box for box in boxes if box[0] <= image.width),
            key=lambda box: abs(box[0] / box[1] - shape) * 10_000 - box[0],
        )
        total += len(encode_image(image.resize(size, Image.Resampling.LANCZOS), "JPEG", quality=85))
    return total


def test_the_file_is_no_larger_than_its_pictures_need(site: Site, result: Result) -> None:
    size, need = len(result.pdf), needed(site, result)
    assert size < 1.2 * need, f"{size} bytes for pictures of {need}"


def figures_of(pdf: pikepdf.Pdf) -> list[str]:
    """Return the alternative texts of the figures in the tagged PDF, in reading order."""
    stack, found = [pdf.Root.StructTreeRoot.K], []
    while stack:
        node = stack.pop()
        if isinstance(node, pikepdf.Array):
            stack.extend(reversed(list(node)))
        elif isinstance(node, pikepdf.Dictionary) and "/S" in node:
            if node.S == "/Figure" and "/Alt" in node:
                found.append(str(node.Alt))
            if "/K" in node:
                stack.append(node.K)
    return found


def text_of(result: Result) -> str:
    document = pypdfium2.PdfDocument(result.pdf)
    try:
        pages = [page.get_textpage().get_text_bounded() for page in document]
    finally:
        document.close()
    return " ".join("\n".join(pages).replace("\ufffe\r\n", "").replace("\ufffe", "").split())


def test_captions_credits_and_alternative_texts(
    site: Site, result: Result, pdf: pikepdf.Pdf
) -> None:
    text = text_of(result)
    alts = figures_of(pdf)
    for name in (*site.printed, "deep.png", "clear.png", "tide.svg", "twin-2.jpg", *MISSING):
        assert text.count(f"The caption of {name}, taken last week.") == 1, name
        assert text.count(f"Photo: Lens {name}") == 1, name
        printed = name not in MISSING
        assert (f"Alt of {name}" in alts) is printed, name
        assert f"Alt of {name}" not in text, "a picture says it"


def test_nothing_dangerous_of_the_drawing_is_printed(result: Result, site: Site) -> None:
    assert not site.web.hits("/secret.png")
    assert b"steal" not in result.pdf
    with pikepdf.open(BytesIO(result.pdf)) as pdf:
        streams = [
            pdf_object for pdf_object in pdf.objects if isinstance(pdf_object, pikepdf.Stream)
        ]
        assert not any("/JS" in stream or "/JavaScript" in stream for stream in streams)


def test_every_picture_is_fetched_once(site: Site, result: Result) -> None:
    for name in site.printed:
        assert len(site.web.hits(f"/{name}")) == 1, name


def test_without_colour(site: Site) -> None:
    printed = print_(site, grayscale=True)
    with pikepdf.open(BytesIO(printed.pdf)) as pdf:
        spaces = {str(image.obj.get("/ColorSpace")) for image in embedded(pdf)}
    assert spaces == {"/DeviceGray"}
    assert printed.pictures == 14
    document = pypdfium2.PdfDocument(printed.pdf)
    try:
        for page in document:
            pixels = page.render(scale=1.0).to_numpy()[..., :3].astype(int)
            boxes = [
                page_object.get_bounds() for page_object in page.get_objects(max_depth=9)
                if page_object.type in (pypdfium2.raw.FPDF_PAGEOBJ_IMAGE, pypdfium2.raw.FPDF_PAGEOBJ_PATH)
            ]  # fmt: skip
            for left, bottom, right, top in boxes:
                high = pixels.shape[0]
                part = pixels[int(high - top) : int(high - bottom), int(left) : int(right)]
                assert part.size == 0 or np.ptp(part, axis=2).max() < 12
    finally:
        document.close()
