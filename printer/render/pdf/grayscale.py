"""A PDF without colour: what is drawn, shaded and pictured, whoever asked for the colour.

The pictures of a page are made grey when they are prepared.  What is left has colours of a
theme, of a person's style sheet, of emoji and of drawings inside the layout; those are taken away
here, from the finished objects before they are written, so that none is forgotten.
"""

from __future__ import annotations

import re
import struct
import zlib
from io import BytesIO
from typing import Any

import pydyf
from PIL import Image

#: How light red, green and blue are, as parts of white.
LUMA = (0.299, 0.587, 0.114)

_NUMBER = rb"-?(?:\d+\.?\d*|\.\d+)"
_RGB = re.compile(rb"(%b) (%b) (%b) (rg|RG)" % (_NUMBER, _NUMBER, _NUMBER))
_SPACE = re.compile(rb"/(\S+) (cs|CS)")
_SPECIAL = re.compile(rb"((?:%b ){1,4})(scn|SCN)" % _NUMBER)

JPEG_QUALITY = 88


def convert_to_grayscale(pdf: Any) -> None:
    """Make all of a PDF that is about to be written grey."""
    for each in pdf.objects:
        if isinstance(each, pydyf.Stream):
            if each.extra.get("Subtype") == "/Image":
                _grey_picture(each)
            elif each.extra.get("Type") in (None, "/XObject", "/Pattern"):
                _grey_drawing(each)
        elif isinstance(each, dict) and "ShadingType" in each:
            _grey_shading(each)


def _grey_drawing(stream: Any) -> None:
    """Replace what sets a colour among the operations of a page, a group or a pattern."""
    spaces = {b"cs": b"", b"CS": b""}
    for place, operation in enumerate(stream.stream):
        if not isinstance(operation, bytes):
            continue
        if match := _RGB.fullmatch(operation):
            stream.stream[place] = _level([float(part) for part in match.groups()[:3]], match[4])
        elif match := _SPACE.fullmatch(operation):
            spaces[match[2]] = match[1]
            if match[1] != b"Pattern":
                stream.stream[place] = b""
        elif match := _SPECIAL.fullmatch(operation):
            stroke = match[2] == b"SCN"
            values = _rgb(spaces[b"CS" if stroke else b"cs"], [float(v) for v in match[1].split()])
            stream.stream[place] = _level(values, b"RG" if stroke else b"rg")


def _level(rgb: list[float], operator: bytes) -> bytes:
    return b"%.4g %b" % (_luma(rgb), b"G" if operator == b"RG" else b"g")


def _luma(rgb: list[float]) -> float:
    return sum(part * min(max(value, 0.0), 1.0) for part, value in zip(LUMA, rgb, strict=True))


def _rgb(space: bytes, values: list[float]) -> list[float]:
    """Return a colour of another space as red, green and blue, near enough to tell how light."""
    if len(values) == 4:
        *inks, black = values
        return [(1 - ink) * (1 - black) for ink in inks]
    if space.startswith(b"lab") and len(values) == 3:
        root = (values[0] + 16) / 116
        linear = root**3 if root > 6 / 29 else (root - 4 / 29) * 3 * (6 / 29) ** 2
        shown = 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
        return [shown] * 3
    return values if len(values) == 3 else values[:1] * 3


def _grey_shading(shading: Any) -> None:
    """Replace the colours a gradient runs between; one that says how much is seen has none."""
    if _grey_function(shading["Function"]):
        shading["ColorSpace"] = "/DeviceGray"


def _grey_function(function: Any) -> bool:
    """Make a function of colours one of greys; say whether it was one of colours."""
    found = False
    for name in ("C0", "C1"):
        values = [float(value) for value in function.get(name, ())]
        if len(values) in (3, 4):
            function[name] = pydyf.Array([_luma(_rgb(b"", values))])
            found = True
    inner = [_grey_function(each) for each in function.get("Functions", ())]
    return found or any(inner)


def _grey_picture(stream: Any) -> None:
    """Make a picture grey; its mask, which says where it can be seen through, stays."""
    extra = stream.extra
    if extra.get("ColorSpace") not in ("/DeviceRGB", "/DeviceCMYK"):
        return
    data = b"".join(getattr(part, "data", part) for part in stream.stream)
    photo = extra.get("Filter") == "/DCTDecode"
    source = BytesIO(data if photo else _png(data, extra["Width"], extra["Height"]))
    with Image.open(source, formats=["JPEG", "PNG"]) as opened:
        grey = opened.convert("L")
    for name in ("Decode", "DecodeParms"):
        extra.pop(name, None)
    extra["ColorSpace"] = "/DeviceGray"
    if photo:
        buffer = BytesIO()
        grey.save(buffer, "JPEG", quality=JPEG_QUALITY)
        stream.stream = [buffer.getvalue()]
    else:
        stream.stream = [zlib.compress(grey.tobytes(), 9)]


def _png(data: bytes, width: int, height: int) -> bytes:
    """Return the file of a picture whose data stands in the PDF as in one: PNG's, without heads."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )
