"""Raster pictures: whatever was sent, decoded within limits and encoded again for paper.

Nothing of a stranger's file reaches the PDF as it was: every picture is decoded here and written
anew, as JPEG when it is a photograph, as PNG when it has few colours.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from PIL import Image, ImageCms, ImageFile, ImageOps, UnidentifiedImageError

from ..output import Picture

#: The decoders that may be reached, whatever a server calls the file.
FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "AVIF", "BMP", "TIFF")

#: A picture of at most this many colours is line art, a diagram or a screenshot.
LINE_ART_COLOURS = 4096

JPEG_QUALITY = 85

#: A picture of few colours that takes so many times the room as PNG is a photograph.
PNG_OVERHEAD = 2

#: A side below this many pixels is a spacer or a tracking pixel.
MIN_SIDE = 8

#: A cut-off picture is printed when at least this part of it came.
MIN_DECODED = 0.5

#: One picture is decoded at a time: it bounds memory, and guards what is global in Pillow and
#: ``warnings``.
DECODE_LOCK = threading.Lock()


class UnusablePicture(Exception):
    """A picture cannot be printed; the message says why, to follow 'it'."""


@dataclass(frozen=True, slots=True)
class PixelBox:
    """The most pixels a picture can use on paper."""

    width: int
    height: int


def prepare_raster(
    data: bytes, most_pixels: int, box: Callable[[int, int], PixelBox], *, grey: bool = False
) -> Picture:
    """Return a picture made ready for print, in grey on request; raises :class:`Unusable`.

    ``box`` tells from the picture's own size in pixels how many of them print can use.
    """
    with DECODE_LOCK:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", Image.DecompressionBombWarning)
                image = _decode(data, most_pixels, box)
                return _encode(image.convert("L") if grey else image)
        except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
            raise UnusablePicture("has too many pixels") from error
        except UnidentifiedImageError as error:
            raise UnusablePicture(_what(data)) from error
        except UnusablePicture:
            raise
        except MemoryError as error:
            raise UnusablePicture("needs too much memory") from error
        except Exception as error:  # decoders raise whatever a file provokes
            raise UnusablePicture(
                f"cannot be decoded: {str(error)[:80] or type(error).__name__}"
            ) from error


def _decode(data: bytes, most_pixels: int, box: Callable[[int, int], PixelBox]) -> Image.Image:
    """Return the upright picture in RGB or grey, on white, no larger than it is printed."""
    with Image.open(BytesIO(data), formats=FORMATS) as image:
        width, height = image.size
        if min(width, height) < MIN_SIDE:
            raise UnusablePicture(f"is only {width} × {height} pixels")
        if width * height > most_pixels:
            raise UnusablePicture(f"has {width} × {height} pixels, more than {most_pixels:,}")
        if image.format == "JPEG":  # may be decoded smaller at once, and knows how it is turned
            image.draft(None, _limit(image, width, height, box))
        whole = _load(image, data)
        limit = _limit(whole, width, height, box)
        if whole.width > limit[0] or whole.height > limit[1]:
            whole = _plain(whole)
            whole.thumbnail(limit, Image.Resampling.LANCZOS, reducing_gap=3.0)
        upright = ImageOps.exif_transpose(whole)
        return _on_white(_plain(_in_srgb(upright)))


def _limit(
    image: Image.Image, width: int, height: int, box: Callable[[int, int], PixelBox]
) -> tuple[int, int]:
    """Return the most pixels that print can use of a picture, as it lies in its file."""
    if image.getexif().get(0x0112, 1) in (5, 6, 7, 8):
        room = box(height, width)
        return room.height, room.width
    room = box(width, height)
    return room.width, room.height


def _load(image: Image.Image, data: bytes) -> Image.Image:
    """Decode the picture, what came of it when it was cut off."""
    before = ImageFile.LOAD_TRUNCATED_IMAGES
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        image.load()
        return image
    except (OSError, SyntaxError) as error:
        if not any(word in str(error) for word in ("truncated", "broken")):
            raise
        ImageFile.LOAD_TRUNCATED_IMAGES = True
        again = Image.open(BytesIO(data), formats=FORMATS)
        again.load()
        return _what_came(again)
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = before


def _what_came(image: Image.Image) -> Image.Image:
    """Return a cut-off picture without the blank rows at its end."""
    rows = np.asarray(image.convert("L"))
    changed = np.flatnonzero((rows != rows[-1]).any(axis=1))
    came = int(changed[-1]) + 1 if changed.size else 0
    if came < MIN_DECODED * image.height:
        raise UnusablePicture(f"is cut off: {came * 100 // image.height} % of it came")
    cut = image.crop((0, 0, image.width, came))
    cut.info = image.info
    return cut


def _plain(image: Image.Image) -> Image.Image:
    """Return the picture in a mode that can be scaled: L, LA, RGB, RGBA or CMYK."""
    if image.mode in ("L", "LA", "RGB", "RGBA", "CMYK"):
        has_key = image.mode in ("L", "RGB") and "transparency" in image.info
        return image.convert("RGBA") if has_key else image
    if image.mode.startswith("I") or image.mode == "F":
        return _eight_bits(image)
    if image.mode in ("P", "PA") and ("transparency" in image.info or image.mode == "PA"):
        return image.convert("RGBA")
    if image.mode == "1":
        return image.convert("L")
    return image.convert("RGB")


def _eight_bits(image: Image.Image) -> Image.Image:
    """Return 16-bit, 32-bit or floating grey in 8 bits."""
    values = np.asarray(image).astype(np.float64)
    values = np.nan_to_num(values, posinf=0.0, neginf=0.0)
    if image.mode.startswith("I;16") or (image.mode == "I" and 255 < values.max() <= 65535):
        values = values / 257
    elif values.max() > 255 or values.min() < 0 or values.max() <= 1:
        low, high = values.min(), values.max()
        values = (values - low) * (255 / (high - low)) if high > low else values * 0
    return Image.fromarray(np.clip(values + 0.5, 0, 255).astype(np.uint8), "L")


def _in_srgb(image: Image.Image) -> Image.Image:
    """Return the picture with its colours in sRGB, by its profile when it has a sound one."""
    profile = image.info.get("icc_profile")
    if image.mode in ("RGB", "CMYK") and isinstance(profile, bytes) and len(profile) < 4_000_000:
        try:
            converted = ImageCms.profileToProfile(
                image,
                ImageCms.ImageCmsProfile(BytesIO(profile)),
                ImageCms.createProfile("sRGB"),
                outputMode="RGB",
            )
        except (ImageCms.PyCMSError, OSError, ValueError):
            converted = None  # a broken profile: its colours are near enough without it
        if converted is not None:
            return converted
    return image.convert("RGB") if image.mode == "CMYK" else image


def _on_white(image: Image.Image) -> Image.Image:
    """Lay a transparent picture on white, as the paper will."""
    if image.mode not in ("LA", "RGBA"):
        return image
    paper = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(paper, image.convert("RGBA")).convert("RGB")


def _encode(image: Image.Image) -> Picture:
    """Encode as PNG what has few colours, as JPEG the rest; grey pictures stay grey.

    Every grey picture has few colours, and so has every GIF; a photograph among them is told by
    how badly it packs.
    """
    image.info = {}
    if image.getcolors(LINE_ART_COLOURS) is None:
        return _picture(image, _jpeg(image), "image/jpeg")
    if image.mode == "RGB" and _is_grey(image):
        image = image.convert("L")
    flat, photograph = _png(image), _jpeg(image)
    if len(photograph) * PNG_OVERHEAD < len(flat):
        return _picture(image, photograph, "image/jpeg")
    return _picture(image, flat, "image/png")


def _picture(image: Image.Image, data: bytes, media_type: str) -> Picture:
    return Picture(data, media_type, image.width, image.height)


def _jpeg(image: Image.Image) -> bytes:
    file = BytesIO()
    image.save(file, "JPEG", quality=JPEG_QUALITY, optimize=True)
    return file.getvalue()


def _png(image: Image.Image) -> bytes:
    file = BytesIO()
    image.save(file, "PNG", optimize=False, compress_level=6)
    return file.getvalue()


def _is_grey(image: Image.Image) -> bool:
    colours = image.getcolors(LINE_ART_COLOURS) or ()
    return all(isinstance(c, tuple) and c[0] == c[1] == c[2] for _, c in colours)


def _what(data: bytes) -> str:
    """Say what was sent in place of a picture."""
    start = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not data:
        return "is empty"
    if start.startswith((b"<!doctype", b"<html", b"<head", b"<body")):
        return "is a web page, not a picture"
    return "is of no kind of picture that is known"
