"""Conversion of a PDF to grayscale.

Pictures are converted when they are prepared.  All other colors (of themes, user style sheets,
emoji and SVG) are converted here, in the finished PDF objects, so that none is missed.
"""

from __future__ import annotations

import re
import struct
import zlib
from io import BytesIO
from typing import Any

import pydyf
from PIL import Image

# Operators of content streams (ISO 32000-2, 8.6.8) that set a color or a color space.
_NUMBER = rb"-?(?:\d+\.?\d*|\.\d+)"
_RGB_OPERATOR = re.compile(rb"(%b) (%b) (%b) (rg|RG)" % (_NUMBER, _NUMBER, _NUMBER))
_SPACE_OPERATOR = re.compile(rb"/(\S+) (cs|CS)")
_COLOR_OPERATOR = re.compile(rb"((?:%b ){1,4})(scn|SCN)" % _NUMBER)


def convert_to_grayscale(pdf: Any) -> None:
    """Convert the colors of a PDF that is about to be written."""
    for item in pdf.objects:
        if isinstance(item, pydyf.Stream):
            if item.extra.get("Subtype") == "/Image":
                _convert_image(item)
            elif item.extra.get("Type") in (None, "/XObject", "/Pattern"):
                _convert_content(item)
        elif (
            isinstance(item, dict)
            and "ShadingType" in item
            and _convert_function(item["Function"])  # False for gradients of opacity.
        ):
            item["ColorSpace"] = "/DeviceGray"


def _convert_content(stream: Any) -> None:
    """Replace the operators that set colors in the content of a page, a group or a pattern."""
    spaces = {b"cs": b"", b"CS": b""}
    for index, operation in enumerate(stream.stream):
        if not isinstance(operation, bytes):
            continue
        if match := _RGB_OPERATOR.fullmatch(operation):
            values = [float(value) for value in match.groups()[:3]]
            stream.stream[index] = _gray_operation(values, stroke=match[4] == b"RG")
        elif match := _SPACE_OPERATOR.fullmatch(operation):
            spaces[match[2]] = match[1]
            if match[1] != b"Pattern":
                stream.stream[index] = b""
        elif match := _COLOR_OPERATOR.fullmatch(operation):
            stroke = match[2] == b"SCN"
            space = spaces[b"CS" if stroke else b"cs"]
            values = _to_rgb(space, [float(value) for value in match[1].split()])
            stream.stream[index] = _gray_operation(values, stroke=stroke)


def _gray_operation(rgb: list[float], *, stroke: bool) -> bytes:
    return b"%.4g %b" % (_luma(rgb), b"G" if stroke else b"g")


#: The luma of red, green and blue (ITU-R BT.601).
LUMA = (0.299, 0.587, 0.114)


def _luma(rgb: list[float]) -> float:
    weighted = zip(LUMA, rgb, strict=True)
    return sum(weight * min(max(value, 0.0), 1.0) for weight, value in weighted)


def _to_rgb(space: bytes, values: list[float]) -> list[float]:
    """Return a color as RGB, accurately enough for its luma."""
    if len(values) == 4:
        *inks, black = values
        return [(1 - ink) * (1 - black) for ink in inks]
    if space.startswith(b"lab") and len(values) == 3:
        root = (values[0] + 16) / 116
        linear = root**3 if root > 6 / 29 else (root - 4 / 29) * 3 * (6 / 29) ** 2
        srgb = 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
        return [srgb] * 3
    return values if len(values) == 3 else values[:1] * 3


def _convert_function(function: Any) -> bool:
    """Convert a function if it returns colors; return whether it does."""
    converted = False
    for name in ("C0", "C1"):
        values = [float(value) for value in function.get(name, ())]
        if len(values) in (3, 4):
            function[name] = pydyf.Array([_luma(_to_rgb(b"", values))])
            converted = True
    children = [_convert_function(child) for child in function.get("Functions", ())]
    return converted or any(children)


JPEG_QUALITY = 88


def _convert_image(stream: Any) -> None:
    """Convert an image; its soft mask stays."""
    extra = stream.extra
    if extra.get("ColorSpace") not in ("/DeviceRGB", "/DeviceCMYK"):
        return
    data = b"".join(getattr(part, "data", part) for part in stream.stream)
    is_jpeg = extra.get("Filter") == "/DCTDecode"
    file = BytesIO(data if is_jpeg else _to_png(data, extra["Width"], extra["Height"]))
    with Image.open(file, formats=["JPEG", "PNG"]) as image:
        gray = image.convert("L")
    for name in ("Decode", "DecodeParms"):
        extra.pop(name, None)
    extra["ColorSpace"] = "/DeviceGray"
    if is_jpeg:
        buffer = BytesIO()
        gray.save(buffer, "JPEG", quality=JPEG_QUALITY)
        stream.stream = [buffer.getvalue()]
    else:
        stream.stream = [zlib.compress(gray.tobytes(), 9)]


def _to_png(data: bytes, width: int, height: int) -> bytes:
    """Return image data, which has no header in a PDF, as a PNG file."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )
