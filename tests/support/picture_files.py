"""Picture files for tests: valid ones, and parts of broken ones."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import Any

from PIL import Image


def encode_image(image: Image.Image, kind: str, **options: Any) -> bytes:
    """Return the file of a picture."""
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def png_chunk(kind: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
