"""Picture the themes: `python samples/make_themes.py [NAME]` writes docs/themes.png.

Each theme's first page of a sample (the news) stands beside the others, as high as they are; the
forms of the print server show them one by one.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pypdfium2
from make_samples import HERE, served
from PIL import Image

from printer import FetchOptions, Printer, PrintOptions
from printer.options import Options

THEMES = ("article", "newspaper", "compact", "large-print", "ereader", "manuscript")

#: The height of a page, the space around each, and the ground, in pixels and grey.
HEIGHT, SPACE, GROUND = 400, 14, (150, 150, 150)
#: The size of a page in a form.
CARD = (180, 254)
IN_ROW = 3


def first_page(pdf: bytes) -> Image.Image:
    """Draw the first page of a PDF."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        page = document[0]
        drawn = page.render(scale=2 * HEIGHT / page.get_height()).to_pil().convert("RGB")
    finally:
        document.close()
    return drawn.resize((drawn.width * HEIGHT // drawn.height, HEIGHT), Image.Resampling.LANCZOS)


def main() -> int:
    name = sys.argv[1] if len(sys.argv) > 1 else "news"
    options = Options(fetch=FetchOptions(allow_private=True, cache=False))
    pages = []
    with served() as root, Printer(options) as printer:
        reading = printer.read(f"{root}/{name}/page.html")
        for theme in THEMES:
            themed = printer.variant(replace(options, page=PrintOptions(theme=theme)))
            pages.append(first_page(themed.render([reading]).pdf))
    static = Path(HERE).parent / "printer" / "server" / "static"
    for theme, page in zip(THEMES, pages, strict=True):
        card = page.resize(CARD, Image.Resampling.LANCZOS)
        card.quantize(48).save(static / f"theme-{theme}.png", optimize=True)
    rows = [pages[at : at + IN_ROW] for at in range(0, len(pages), IN_ROW)]
    width = max(sum(page.width + SPACE for page in row) for row in rows) + SPACE
    sheet = Image.new("RGB", (width, (HEIGHT + SPACE) * len(rows) + SPACE), GROUND)
    for number, row in enumerate(rows):
        left = (width - sum(page.width + SPACE for page in row) + SPACE) // 2
        for page in row:
            sheet.paste(page, (left, SPACE + number * (HEIGHT + SPACE)))
            left += page.width + SPACE
    out = Path(HERE).parent / "docs" / "themes.png"
    sheet.quantize(128).save(out, optimize=True)
    print(f"{out.relative_to(HERE.parent)}  {out.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
