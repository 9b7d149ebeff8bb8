"""Picture the pages of the print server: `python samples/make_server_pages.py` fills docs/server/.

A server of its own prints sample pages.  Each of its pages is then shown in Chromium, light and
dark, on a desktop and on a phone, and the four screens become one picture.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from make_samples import HERE, served
from PIL import Image
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(HERE.parent))
from tests.support.print_server import PrintServer

FOLDER = HERE.parent / "docs/server"
#: The width and the greatest height of a desktop and a phone, and their share of it in the picture.
SCREENS = {"desktop": (1200, 1500, 0.5), "phone": (360, 1500, 0.5)}
COLOURS, GAP, GROUND = 160, 20, (128, 128, 125)
SAMPLES = ("essay", "recipe", "science", "news")
READING_LIST = """https://example.org/harbour The harbour at night
https://example.org/letters Letters from the coast
https://example.org/bread What bread wants
https://example.org/bread What bread wants
not an address"""
IMPORTED = """https://example.net/tides Tide tables explained
https://example.net/lamps Who lit the lamps
https://example.org/bread What bread wants
not an address"""


def prepare(server: PrintServer, root: str) -> dict[str, str]:
    """Give the server something to show; return the addresses of its pages, by name."""
    ids = {}
    for name in SAMPLES:
        url = f"{root}/{name}/page.html"
        ids[name] = server.submit(
            url=url, options={"paper": "A5"} if name == "recipe" else {}
        ).json()["id"]
    lost = server.submit(url=f"{root}/nothing.html").json()["id"]
    for print_id in (*ids.values(), lost):
        server.wait_finished(print_id)
    server.client.post("/later/import", data={"text": READING_LIST}).raise_for_status()
    news = ids["news"]
    article = server.client.get(f"/api/prints/{news}/edit").json()["blocks"]
    extra = [block["id"] for block in article if block["label"].startswith("Picture")]
    body = {"include": {extra[0]: False}}
    server.client.patch(f"/api/prints/{news}/edit", json=body).raise_for_status()
    server.wait_finished(news)
    rules = server.home / ".config/webprint/rules"
    rules.mkdir(parents=True)
    (rules / "example.org.toml").write_text('drop = [".related", "#newsletter"]\nkeep = [".map"]\n')
    (rules / "example.net.toml.off").write_text('drop = ["aside"]\n')
    (server.home / "webprint.toml").write_text(
        '[[send]]\nname = "my reader"\nmail = "reader@example.org"\n[[send]]\nprinter = "office"\n'
        '[[send]]\nfolder = "~/Papers"\n'
    )
    return {
        "start": "/", "confirm": "/print?url=https://example.org/harbour",
        "print": f"/prints/{news}", "failed": f"/prints/{lost}",
        "send": f"/prints/{news}/deliver", "rule": f"/prints/{news}/rule", "history": "/history",
        "search": "/history?q=harbour", "reading-list": "/later", "import": "/later",
        "rules": "/rules",
        "settings": "/settings", "receiving": "/send", "error": f"/prints/{'0' * 20}",
        "sign-in": "/history",
    }  # fmt: skip


def shoot(page: Any, name: str, height: int) -> Image.Image:
    """Return the whole of a page, down to a height."""
    if name == "start":
        for summary in page.locator("summary").all():
            if summary.is_visible() and "phone" not in summary.inner_text():
                summary.click()
    if name == "import":
        page.locator("summary").click()
        page.get_by_label("Addresses").fill(IMPORTED)
        page.get_by_role("button", name="Import").click()
    page.wait_for_load_state("networkidle")
    if name == "print":
        page.frame_locator("#preview").locator("p").first.wait_for()
    data = page.screenshot(full_page=True)
    image = Image.open(BytesIO(data)).convert("RGB")
    return image.crop((0, 0, image.width, min(image.height, height)))


def screens(
    browser: Any, server: PrintServer, paths: dict[str, str]
) -> dict[str, list[Image.Image]]:
    """Return the screens of every page: for each device, light and dark."""
    images: dict[str, list[Image.Image]] = {name: [] for name in paths}
    for width, height, _ in SCREENS.values():
        for scheme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": width, "height": 800}, color_scheme=scheme
            )
            page = context.new_page()
            page.goto(f"{server.url}/?token={server.token}")
            for name, path in paths.items():
                if name == "sign-in":
                    context.clear_cookies()
                page.goto(server.url + path)
                images[name].append(shoot(page, name, height))
                if name == "import":
                    added = [line.split()[0] for line in IMPORTED.splitlines()[:2]]
                    changes = {"page_url": added, "remove": "yes"}
                    server.client.post("/later/change", data=changes)
            context.close()
    return images


def sheet(images: list[Image.Image]) -> Image.Image:
    """Return the screens of a page side by side."""
    shares = [share for _, _, share in SCREENS.values() for _ in range(2)]
    small = []
    for image, share in zip(images, shares, strict=True):
        size = round(image.width * share), round(image.height * share)
        small.append(image.resize(size, Image.Resampling.LANCZOS))
    width = sum(image.width + GAP for image in small) + GAP
    joined = Image.new("RGB", (width, max(image.height for image in small) + 2 * GAP), GROUND)
    left = GAP
    for image in small:
        joined.paste(image, (left, GAP))
        left += image.width + GAP
    return joined


def main() -> int:
    parser = argparse.ArgumentParser(description="Picture the pages of the print server.")
    parser.add_argument("--full", type=Path, metavar="FOLDER", help="write each screen here, too")
    full = parser.parse_args().full
    program = shutil.which("chromium")
    if program is None:
        print("make_server_pages: needs Debian's chromium")
        return 1
    with tempfile.TemporaryDirectory() as home, served() as root, sync_playwright() as playwright:
        server = PrintServer(Path(home), "--port", "0", "--workers", "1", "--render", "never")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            pages = screens(browser, server, prepare(server, root))
        finally:
            browser.close()
            server.close()
    FOLDER.mkdir(exist_ok=True)
    total = 0
    for name, images in pages.items():
        path = FOLDER / f"{name}.png"
        # The default method loses the few colours that differ from the rest: the buttons'.
        joined = sheet(images).quantize(
            COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
        )
        joined.save(path, optimize=True)
        total += path.stat().st_size
        print(f"docs/server/{path.name}  {path.stat().st_size:,} bytes")
        for n, image in enumerate(images if full else []):
            image.save(full / f"{name}-{n}.png")
    print(f"together {total:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
