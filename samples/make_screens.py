"""Picture what webprint does: `python samples/make_screens.py` makes the screens in README.md.

docs/web-and-paper.png shows a sample page in Chromium beside its first printed pages.
docs/print-button.webp is a film of what happens when the print button is pressed on that page.
Every frame is a screen of Chromium; the pointer, the window's bars and the bookmark, which a
headless Chromium does not show, are drawn.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pypdfium2
from make_samples import HERE, served
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import sync_playwright

from printer import FetchOptions, print_pages

sys.path.insert(0, str(HERE.parent))
from tests.support.print_server import PrintServer

DOCS = HERE.parent / "docs"
PAGE = "news/page.html"
GROUND, EDGE = (230, 230, 225), (200, 200, 195)

#: The window's size, that of its bars, and that of the film.
WIDTH, HEIGHT, BAR, FILM = 1120, 700, 76, (840, 582)
FONT = ImageFont.truetype("DejaVuSans.ttf", 15)
BOOKMARK = (16, 42, 156, 70)
POINTER = ((0, 0), (0, 19), (5, 15), (8, 22), (12, 20), (9, 14), (15, 14))


def shot(page: Any) -> Image.Image:
    """Return what a tab shows."""
    return Image.open(BytesIO(page.screenshot())).convert("RGB")


def web_and_paper(screen: Image.Image, pdf: bytes) -> None:
    """Write the picture of a page beside its print."""
    high, space = 700, 25
    pages = [screen.resize((screen.width * high // screen.height, high), Image.Resampling.LANCZOS)]
    document = pypdfium2.PdfDocument(pdf)
    for number in range(2):
        page = document[number]
        drawn = page.render(scale=2 * high / page.get_height()).to_pil().convert("RGB")
        size = drawn.width * high // drawn.height, high
        pages.append(drawn.resize(size, Image.Resampling.LANCZOS))
    document.close()
    width = sum(page.width + space for page in pages) + space
    sheet = Image.new("RGB", (width, high + 2 * space), GROUND)
    left = space
    for page in pages:
        sheet.paste(EDGE, (left + 4, space + 4, left + page.width + 4, space + high + 4))
        sheet.paste(page, (left, space))
        left += page.width + space
    sheet.quantize(200).save(DOCS / "web-and-paper.png", optimize=True)


class Film:
    """Frames with their times."""

    def __init__(self) -> None:
        self.frames: list[Image.Image] = []
        self.times: list[int] = []

    def add(
        self, screen: Image.Image, title: str, milliseconds: int,
        pointer: tuple[int, int] | None = None, *, pressed: bool = False,
    ) -> None:  # fmt: skip
        """Add a screen, below the bars of a window."""
        frame = Image.new("RGB", (WIDTH, HEIGHT + BAR), (238, 238, 240))
        draw = ImageDraw.Draw(frame)
        draw.rounded_rectangle((16, 7, 340, 34), 8, fill="white")
        draw.text((28, 12), title if len(title) < 37 else f"{title[:36]}…", (40, 40, 40), FONT)
        fill = (255, 214, 130) if pressed else (255, 255, 255)
        draw.rounded_rectangle(BOOKMARK, 8, fill=fill, outline=(170, 170, 170))
        draw.text((BOOKMARK[0] + 12, BOOKMARK[1] + 5), "★ Print this", (40, 40, 40), FONT)
        frame.paste(screen, (0, BAR))
        if pointer:
            arrow = [(pointer[0] + x, pointer[1] + y) for x, y in POINTER]
            draw.polygon(arrow, fill="black", outline="white")
        self.frames.append(frame.resize(FILM, Image.Resampling.LANCZOS))
        self.times.append(milliseconds)

    def save(self, path: Path) -> None:
        """Write an animated WebP."""
        first, *rest = self.frames
        first.save(path, save_all=True, append_images=rest, duration=self.times, loop=0,
                   quality=72, method=6)  # fmt: skip


def film(root: str, server: PrintServer, browser: Any) -> None:
    """Press the print button on the sample, and remove its first picture."""
    film = Film()
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT})
    page = context.new_page()
    page.goto(f"{server.url}/?token={server.token}")
    button = page.get_by_role("link", name="Print this").get_attribute("href")
    page.goto(f"{root}/{PAGE}", wait_until="networkidle")
    title = page.title()
    film.add(shot(page), title, 1400, (620, 420))
    page.mouse.wheel(0, 500)
    page.wait_for_timeout(300)
    film.add(shot(page), title, 800, (620, 420))
    page.mouse.wheel(0, -500)
    page.wait_for_timeout(300)
    still = shot(page)
    for step, pressed in ((0.5, False), (1.0, False), (1.0, True)):
        x, y = round(620 - 520 * step), round(420 - 365 * step)
        film.add(still, title, 250 + 450 * pressed, (x, y), pressed=pressed)
    session = context.new_cdp_session(page)
    code = unquote(button.removeprefix("javascript:"))
    session.send("Runtime.evaluate", {"expression": code, "userGesture": True})
    tab = None
    for _ in range(400):
        page.wait_for_timeout(50)
        tab = next((page for page in context.pages if "/prints/" in page.url), None)
        if tab is not None:
            break
    if tab is None:
        raise SystemExit("the button opened no print")
    film.add(shot(tab), "webprint", 700)
    print_id = re.search(r"[0-9a-f]{20}", tab.url)[0]  # type: ignore[index]
    server.wait_finished(print_id)
    frame = tab.frame_locator("iframe").first
    frame.locator("p").first.wait_for(timeout=20_000)
    tab.wait_for_timeout(800)
    film.add(shot(tab), tab.title(), 2200)
    tab.locator("iframe").first.evaluate("frame => frame.scrollIntoView({block: 'start'})")
    figure = frame.locator("figure").first
    figure.scroll_into_view_if_needed()
    tab.wait_for_timeout(300)
    box = figure.bounding_box()
    at = (round(box["x"] + box["width"] / 2), round(min(box["y"] + 120, HEIGHT - 80)))
    film.add(shot(tab), tab.title(), 1200, (700, 500))
    tab.mouse.move(*at)
    tab.wait_for_timeout(300)
    film.add(shot(tab), tab.title(), 900, (at[0], at[1] + BAR))
    tab.mouse.click(*at)
    tab.wait_for_timeout(1500)
    film.add(shot(tab), tab.title(), 1600, (at[0], at[1] + BAR))
    tab.evaluate("scrollTo(0, 0)")
    tab.wait_for_timeout(1500)
    film.add(shot(tab), tab.title(), 2600)
    film.save(DOCS / "print-button.webp")
    context.close()


def main() -> int:
    program = shutil.which("chromium")
    if program is None:
        print("make_screens: needs Debian's chromium")
        return 1
    with (
        tempfile.TemporaryDirectory() as home,
        served() as root,
        sync_playwright() as playwright,
    ):
        server = PrintServer(Path(home), "--port", "0", "--workers", "1")
        browser = playwright.chromium.launch(
            executable_path=program, args=["--headless=new", "--no-sandbox"],
            ignore_default_args=["--headless"],
        )  # fmt: skip
        try:
            screen = browser.new_page(viewport={"width": 1000, "height": 1360})
            screen.goto(f"{root}/{PAGE}", wait_until="networkidle")
            fetch = FetchOptions(allow_private=True, cache=False)
            printed = print_pages(f"{root}/{PAGE}", fetch=fetch)
            web_and_paper(shot(screen), printed.pdf)
            film(root, server, browser)
        finally:
            browser.close()
            server.close()
    for name in ("web-and-paper.png", "print-button.webp"):
        print(f"docs/{name}  {(DOCS / name).stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
