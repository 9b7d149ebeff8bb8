"""Raster pictures: decoding within limits and encoding for print.

No part of the original file reaches the PDF: every picture is encoded anew, photographs as JPEG
and pictures of few colors as PNG.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable
from io import BytesIO
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageCms, ImageFile, ImageOps, UnidentifiedImageError

from ..output import Picture


class UnusablePicture(Exception):
    """Raised for a picture that cannot be printed; the message is a predicate: 'is empty'."""


#: Returns the most pixels, wide and high, that print can use of a picture of such a size.
BoxFor: TypeAlias = Callable[[int, int], tuple[int, int]]

#: Held while decoding: one picture at a time bounds memory, and Pillow and ``warnings`` have global
#: state.
DECODE_LOCK = threading.Lock()


def prepare_raster(
    data: bytes, max_pixels: int, box: BoxFor, *, grayscale: bool = False
) -> Picture:
    """Return a picture prepared for print; raise :class:`UnusablePicture`.

    At most ``max_pixels`` are decoded; ``box`` returns the width and height that print can use.
    """
    with DECODE_LOCK:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", Image.DecompressionBombWarning)
                image = _decode(data, max_pixels, box)
                return _encode(image.convert("L") if grayscale else image)
        except UnusablePicture:
            raise
        except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
            raise UnusablePicture("has too many pixels") from error
        except UnidentifiedImageError as error:
            raise UnusablePicture(_not_a_picture(data)) from error
        except MemoryError as error:
            raise UnusablePicture("needs too much memory") from error
        except Exception as error:  # decoders raise anything
            reason = str(error)[:80] or type(error).__name__
            raise UnusablePicture(f"cannot be decoded: {reason}") from error


#: The decoders that may be used, whatever media type a server sends.
FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "AVIF", "BMP", "TIFF")
#: A picture with a shorter side in pixels is a spacer or a tracking pixel.
MIN_SIDE_PX = 8
#: Decoding takes time for each scan of a JPEG; encoders write fewer than 20.
MAX_SCANS = 100
_EXIF_ORIENTATION = 0x0112


def _decode(data: bytes, max_pixels: int, box: BoxFor) -> Image.Image:
    """Return the upright picture in RGB or gray on white, at most as large as print can use."""
    with Image.open(BytesIO(data), formats=FORMATS) as image:
        width, height = image.size
        if min(width, height) < MIN_SIDE_PX:
            raise UnusablePicture(f"is only {width} × {height} pixels")
        if width * height > max_pixels:
            raise UnusablePicture(f"has {width} × {height} pixels, more than {max_pixels:,}")
        if data.startswith(b"\xff\xd8") and _has_too_many_scans(data):
            raise UnusablePicture(f"is a JPEG of more than {MAX_SCANS} scans")
        if image.format == "JPEG":  # can be decoded at a smaller size
            image.draft(None, _size_limit(image, width, height, box))
        decoded = _load(image, data)
        limit = _size_limit(decoded, width, height, box)
        if decoded.width > limit[0] or decoded.height > limit[1]:
            decoded = _to_scalable_mode(decoded)
            decoded.thumbnail(limit, Image.Resampling.LANCZOS, reducing_gap=3.0)
        upright = ImageOps.exif_transpose(decoded)
        return _flatten(_to_scalable_mode(_to_srgb(upright)))


#: A marker of JPEG, not an escaped byte or a restart marker within a scan.
_JPEG_MARKER = re.compile(rb"\xff([^\x00\x01\xd0-\xd8\xff])", re.DOTALL)
_END_OF_IMAGE = b"\xd9"
_START_OF_SCAN = b"\xda"


def _has_too_many_scans(data: bytes) -> bool:
    scans = at = 0
    if data.count(b"\xff" + _START_OF_SCAN) <= MAX_SCANS:
        return False
    while (marker := _JPEG_MARKER.search(data, at)) and marker[1] != _END_OF_IMAGE:
        scans += marker[1] == _START_OF_SCAN
        if scans > MAX_SCANS:
            return True
        at = marker.end() + int.from_bytes(data[marker.end() : marker.end() + 2])
    return False


def _size_limit(image: Image.Image, width: int, height: int, box: BoxFor) -> tuple[int, int]:
    """Return the most pixels that print can use, by the file's own orientation."""
    if image.getexif().get(_EXIF_ORIENTATION, 1) in (5, 6, 7, 8):
        upright_width, upright_height = box(height, width)
        return upright_height, upright_width
    return box(width, height)


#: A truncated picture is printed if at least this share of it can be decoded.
MIN_DECODED_SHARE = 0.5


def _load(image: Image.Image, data: bytes) -> Image.Image:
    """Decode a picture, or the part that is left of a truncated one."""
    original_setting = ImageFile.LOAD_TRUNCATED_IMAGES
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        image.load()
        return image
    except (OSError, SyntaxError) as error:
        if not any(word in str(error) for word in ("truncated", "broken")):
            raise
        ImageFile.LOAD_TRUNCATED_IMAGES = True
        truncated = Image.open(BytesIO(data), formats=FORMATS)
        truncated.load()
        return _crop_blank_rows(truncated)
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = original_setting


def _crop_blank_rows(image: Image.Image) -> Image.Image:
    """Return a truncated picture without the blank rows at its end."""
    rows = np.asarray(image.convert("L"))
    changed = np.flatnonzero((rows != rows[-1]).any(axis=1))
    height = int(changed[-1]) + 1 if changed.size else 0
    if height < MIN_DECODED_SHARE * image.height:
        raise UnusablePicture(f"is cut off: only {height * 100 // image.height}% is there")
    cropped = image.crop((0, 0, image.width, height))
    cropped.info = image.info
    return cropped


def _to_scalable_mode(image: Image.Image) -> Image.Image:
    """Return the picture in a mode that can be scaled: L, LA, RGB, RGBA or CMYK."""
    if image.mode in ("L", "LA", "RGB", "RGBA", "CMYK"):
        has_key = image.mode in ("L", "RGB") and "transparency" in image.info
        return image.convert("RGBA") if has_key else image
    if image.mode.startswith("I") or image.mode == "F":
        return _to_eight_bits(image)
    if image.mode in ("P", "PA") and ("transparency" in image.info or image.mode == "PA"):
        return image.convert("RGBA")
    return image.convert("L" if image.mode == "1" else "RGB")


def _to_eight_bits(image: Image.Image) -> Image.Image:
    """Return 16-bit, 32-bit or floating-point gray in 8 bits."""
    values = np.asarray(image).astype(np.float64)
    values = np.nan_to_num(values, posinf=0.0, neginf=0.0)
    if image.mode.startswith("I;16") or (image.mode == "I" and 255 < values.max() <= 65535):
        values = values / 257
    elif values.max() > 255 or values.min() < 0 or values.max() <= 1:
        minimum, maximum = values.min(), values.max()
        values = (
            (values - minimum) * (255 / (maximum - minimum)) if maximum > minimum else values * 0
        )
    return Image.fromarray(np.clip(values + 0.5, 0, 255).astype(np.uint8), "L")


_MAX_PROFILE_BYTES = 4_000_000


def _to_srgb(image: Image.Image) -> Image.Image:
    """Return the picture in sRGB, converted by its color profile if that is valid."""
    profile = image.info.get("icc_profile")
    has_profile = isinstance(profile, bytes) and len(profile) < _MAX_PROFILE_BYTES
    if has_profile and image.mode in ("RGB", "CMYK"):
        try:
            converted = ImageCms.profileToProfile(
                image,
                ImageCms.ImageCmsProfile(BytesIO(profile or b"")),
                ImageCms.createProfile("sRGB"),
                outputMode="RGB",
            )
        except (ImageCms.PyCMSError, OSError, ValueError):
            converted = None  # without a broken profile the colors are close enough
        if converted is not None:
            return converted
    return image.convert("RGB") if image.mode == "CMYK" else image


def _flatten(image: Image.Image) -> Image.Image:
    if image.mode not in ("LA", "RGBA"):
        return image
    paper = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(paper, image.convert("RGBA")).convert("RGB")


#: A picture with at most this many colors is line art, a diagram or a screenshot, unless its PNG
#: is more than ``PNG_OVERHEAD`` times as large as its JPEG.
LINE_ART_COLORS = 4096
PNG_OVERHEAD = 2
JPEG_QUALITY = 85


def _encode(image: Image.Image) -> Picture:
    """Encode a picture as PNG if it has few colors and is not a photograph, else as JPEG."""
    image.info = {}
    colors = image.getcolors(LINE_ART_COLORS)
    if colors is None:
        return _jpeg(image)
    if image.mode == "RGB" and all(
        isinstance(c, tuple) and c[0] == c[1] == c[2] for _, c in colors
    ):
        image = image.convert("L")
    png, jpeg = _save(image, "png", optimize=False, compress_level=6), _jpeg(image)
    return jpeg if len(jpeg.data) * PNG_OVERHEAD < len(png.data) else png


def _jpeg(image: Image.Image) -> Picture:
    return _save(image, "jpeg", quality=JPEG_QUALITY, optimize=True)


def _save(image: Image.Image, format_: str, **options: int) -> Picture:
    file = BytesIO()
    image.save(file, format_, **options)
    return Picture(file.getvalue(), f"image/{format_}", image.width, image.height)


def _not_a_picture(data: bytes) -> str:
    """Describe the data that was sent instead of a picture."""
    start = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not data:
        return "is empty"
    if start.startswith((b"<!doctype", b"<html", b"<head", b"<body")):
        return "is a web page, not a picture"
    return "is not in a known picture format"
