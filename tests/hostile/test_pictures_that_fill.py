"""Pictures and fonts that fill the memory, never end, or have a false type."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from tests.support.hostile_pages import (
    batched,
    check_pdf,
    hostile_page,
    print_page,
    result_or_error,
)
from tests.support.picture_files import encode_image, png_chunk
from tests.support.web_server import WebServer


def png(width: int, height: int, *chunks: bytes, data: bytes = b"") -> bytes:
    head = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    data = data or zlib.compress(bytes(10**6), 9)
    return (
        b"\x89PNG\r\n\x1a\n"
        + head
        + b"".join(chunks)
        + png_chunk(b"IDAT", data)
        + png_chunk(b"IEND", b"")
    )


@cache
def bomb() -> bytes:
    return zlib.compress(bytes(200_000_000), 1)


def sound(kind: str = "PNG", **more: object) -> bytes:
    image = Image.new("RGB", (700, 500), "navy")
    ImageDraw.Draw(image).ellipse((50, 50, 600, 400), fill="orange")
    return encode_image(image, kind, **more)


def spoiled(data: bytes, at: int, size: int = 400) -> bytes:
    return data[:at] + b"\xff" * size + data[at + size :]


def many_scans(count: int) -> bytes:
    """Return a JPEG whose last scan is repeated."""
    data = encode_image(Image.new("L", (6_000, 4_000)), "JPEG", progressive=True)
    scan = data[data.rindex(b"\xff\xda") : -2]
    return data[:-2] + scan * count + data[-2:]


def gif(frames: int) -> bytes:
    head = b"GIF89a" + struct.pack("<HHBBB", 700, 500, 0x80, 0, 0) + bytes(6)
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 700, 500, 0) + b"\x02\x02\x4c\x01\x00"
    return head + frame * frames + b";"


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" width="600" height="400">%b</svg>'

PICTURES: dict[str, Callable[[], bytes]] = {
    "60,000 by 60,000": lambda: png(60_000, 60_000),
    "two billion wide": lambda: png(2**31 - 1, 1),
    "no width": lambda: png(0, 0),
    "a text that is a bomb": lambda: png(
        700, 500, png_chunk(b"zTXt", b"a\0\0" + bomb())
    ),
    "a profile that is a bomb": lambda: png(
        700, 500, png_chunk(b"iCCP", b"a\0\0" + bomb())
    ),
    "data that is a bomb": lambda: png(7, 5, data=bomb()),
    "50,000 texts": lambda: png(700, 500, *[png_chunk(b"tEXt", b"a\0" + b"b" * 100)] * 50_000),
    "100,000 frames": lambda: gif(100_000),
    "a JPEG of 65,500 by 65,500": lambda: sound("JPEG").replace(
        struct.pack(">HH", 500, 700), struct.pack(">HH", 65_500, 65_500), 1
    ),
    "a JPEG of many scans": lambda: many_scans(9_000),
    "a JPEG that breaks": lambda: spoiled(sound("JPEG"), 3_000),
    "a WebP that breaks": lambda: spoiled(sound("WEBP"), 300, 200),
    "EXIF without end": lambda: sound("JPEG", exif=b"Exif\0\0MM\0*\0\0\0\x08\xff\xff" + bytes(60_000)),
    "a TIFF of tags": lambda: b"MM\0*\0\0\0\x08\xff\xff" + b"\x01\0\0\x04\xff\xff\xff\xff\0\0\0\x08" * 65_535,
    "PostScript": lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 600 400\n(/etc/passwd) run\n",
    "an icon of icons": lambda: b"\0\0\1\0\xff\xff" + b"\0\0\0\0\1\0\x20\0\xff\xff\xff\x7f\x16\0\0\0" * 65_535,
    "a page": lambda: hostile_page("<script>alert(1)</script>").encode(),
    "a PDF": lambda: b"%PDF-1.7\n/OpenAction << /S /JavaScript >>" + bytes(1000),
    "an archive": lambda: b"PK\3\4" + bytes(10**6),
    "nothing": lambda: b"",
    "zeros": lambda: bytes(10**7),
    "a drawing packed as a bomb": lambda: zlib.compress(SVG % (b" " * 10**8), 1, 31),
    "a drawing of itself": lambda: SVG % (b'<g id="a"><use x:href="#a"/></g><use href="#a"/>'),
    "a drawing of drawings": lambda: SVG % (
        b'<g id="a0"><rect width="9" height="9"/></g>'
        + b"".join(b'<g id="a%d">%b</g>' % (n, b'<use href="#a%d"/>' % (n - 1) * 10) for n in range(1, 12))
        + b'<use href="#a11"/>'
    ),
    "patterns of patterns": lambda: SVG % (
        b"".join(
            b'<pattern id="p%d" width="1" height="1"><rect width="9" height="9" fill="url(#p%d)"/></pattern>'
            % (n, (n + 1) % 20) for n in range(20)
        ) + b'<rect width="600" height="400" fill="url(#p0)"/>'
    ),
    "a path without end": lambda: SVG % (b'<path d="M0 0%b" stroke="red"/>' % (b"L9 9A1 1 0 0 0 5 5" * 30_000)),
    "dashes without end": lambda: SVG % b'<path d="M0 0H600" stroke="red" stroke-width="9" stroke-dasharray="0.000001"/>',
    "numbers that are none": lambda: SVG % b'<rect width="1e999" height="nan" x="-inf"/><g transform="scale(1e300)"><circle r="1e300"/></g>',
    "text of 5 MB": lambda: SVG % (b"<text y='20'>%b</text>" % (b"word " * 10**6)),
    "filters of filters": lambda: SVG % (b'<filter id="f">%b</filter><rect width="600" height="400" filter="url(#f)"/>' % (b'<feGaussianBlur stdDeviation="9999"/><feTurbulence numOctaves="9999"/>' * 5_000)),
    "elements nested deep": lambda: SVG % (b"<g>" * 100_000),
    "entities": lambda: b'<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">' + b"".join(b'<!ENTITY a%d "%b">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 15)) + b"]>" + SVG % b"<text>&a14;</text>",
}  # fmt: skip


@pytest.mark.parametrize("attacks", batched(PICTURES, 4), ids=", ".join)
def test_pictures_cost_themselves_at_most(attacks: tuple[str, ...]) -> None:
    with WebServer() as web:
        names = [f"/{number}.png" for number in range(len(attacks))]
        for name, attack in zip(names, attacks, strict=True):
            body = PICTURES[attack]()
            web.add(name, body, media_type="image/svg+xml" if b"<svg" in body else "image/png")
        web.add("/sound.png", sound(), media_type="image/png")
        figures = "".join(
            f"<figure><img src={name} width=700 height=500></figure>"
            for name in (*names, "/sound.png")
        )
        url = web.add("/story", hostile_page(figures))
        result = result_or_error(lambda: print_page(url, named=(url,)))
        assert "herons" in check_pdf(result)
        assert result.pictures >= 1, "the sound picture is printed"


FONTS: dict[str, Callable[[], bytes]] = {
    "nothing": lambda: b"",
    "zeros": lambda: bytes(10**6),
    "a head alone": lambda: b"\0\1\0\0\xff\xff" + bytes(60_000),
    "tables beyond the end": lambda: b"OTTO\0\x09" + bytes(6)
    + b"".join(name + b"\xff" * 12 for name in (b"CFF ", b"GSUB", b"cmap", b"glyf", b"head", b"hhea", b"hmtx", b"loca", b"maxp")),
    "a packed bomb": lambda: b"wOFF\0\1\0\0" + struct.pack(">IHHI", 2**31, 1, 0, 2**31) + bytes(24)
    + b"glyf" + struct.pack(">IIII", 64, 10**6, 2**31, 0) + zlib.compress(bytes(10**8), 9),
    "a picture": sound,
}  # fmt: skip


@pytest.mark.parametrize("attack", FONTS)
def test_a_font_of_a_theme(attack: str, tmp_path: Path) -> None:
    (tmp_path / "theme.toml").write_text('extends = "article"\n')
    for ending in ("ttf", "woff"):
        (tmp_path / f"x.{ending}").write_bytes(FONTS[attack]())
    (tmp_path / "print.css").write_text(
        "@font-face { font-family: S; src: url(x.ttf), url(x.woff) } body, p { font-family: S }"
    )
    assert "herons" in check_pdf(print_page(hostile_page(), theme=f"{tmp_path}/"))
