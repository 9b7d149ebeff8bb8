"""A greyscale print has no colour left, from any source."""

from __future__ import annotations

import re
from io import BytesIO

import pikepdf
import pypdfium2
import pytest
from PIL import Image

from printer.options import PrintOptions
from printer.output import Picture
from printer.render.weasy.engine import render_pdf
from tests.support import sample_articles as specimens
from tests.support.documents import render_html
from tests.support.sample_articles import SAMPLE_ARTICLE

#: Colours of every space that CSS knows, a gradient and one that can be seen through.
COLOURED = """
h1 { color: #c00 } h2 { color: lab(50% 60 20); border-bottom: 3pt solid rgb(0 128 0 / .5) }
p { color: device-cmyk(.1 .9 .2 .3) } li { color: oklch(60% .2 30) }
body { background: linear-gradient(to right, #fdd, rgba(0, 0, 255, .3)) }
blockquote { background: repeating-linear-gradient(45deg, gold, teal 12px) }
"""

#: WeasyPrint leaves the profile's file to the garbage collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*sRGB2014:pytest.PytestUnraisableExceptionWarning", "ignore:.*sRGB2014:ResourceWarning"
)

_SETS_RGB = re.compile(rb"^(\S+) (\S+) (\S+) (?:rg|RG)$", re.MULTILINE)


def printed(variant: str) -> bytes:
    pictures = specimens.pictures()
    first = next(iter(pictures))
    for place, (format_, mode) in enumerate((("JPEG", "RGB"), ("PNG", "RGBA"), ("JPEG", "CMYK"))):
        buffer = BytesIO()
        Image.new(mode, (60, 40), (200, 30, 60, 128)[: len(mode)]).save(buffer, format_)
        key = list(pictures)[place] if place < len(pictures) else first
        media = f"image/{format_.lower()}"
        pictures[key] = Picture(buffer.getvalue(), media, 60, 40)
    options = PrintOptions(grayscale=True, css=COLOURED, pdf=variant)
    return render_pdf(render_html([SAMPLE_ARTICLE], pictures, options)).pdf


@pytest.mark.parametrize("variant", ["ua-1", "a-3u"])
def test_nothing_in_a_grey_print_has_a_colour(variant: str) -> None:
    data = printed(variant)
    pictures = 0
    with pikepdf.open(BytesIO(data)) as pdf:
        for pdf_object in pdf.objects:
            if isinstance(pdf_object, pikepdf.Stream) and pdf_object.get("/Subtype") == "/Image":
                pictures += 1
                assert pdf_object.ColorSpace == "/DeviceGray"
            elif isinstance(pdf_object, pikepdf.Dictionary) and "/ShadingType" in pdf_object:
                assert pdf_object.ColorSpace == "/DeviceGray"
        for page in pdf.pages:
            assert _SETS_RGB.findall(page.Contents.read_bytes()) == []
    assert pictures >= 3
    document = pypdfium2.PdfDocument(data)
    try:
        for page in document:
            pixels = page.render(scale=0.7).to_numpy()[..., :3].astype(int)
            spread = (pixels.max(axis=2) - pixels.min(axis=2)).max()
            assert spread <= 2, f"a colour is left: channels differ by {spread}"
    finally:
        document.close()


def test_a_print_in_colour_keeps_it() -> None:
    data = render_pdf(
        render_html([SAMPLE_ARTICLE], specimens.pictures(), PrintOptions(css=COLOURED))
    ).pdf
    document = pypdfium2.PdfDocument(data)
    try:
        pixels = document[0].render(scale=0.5).to_numpy()[..., :3].astype(int)
        assert (pixels.max(axis=2) - pixels.min(axis=2)).max() > 60
    finally:
        document.close()
