"""Measure a capture: time beside bare Playwright, memory over a batch, pages lost to a kill.

The page has 200 kB, 2,600 text leaves, a style sheet and no scripts, which would only add waiting
time of their own.  Both sides use the same warm Chromium with a new context per page; the bare one
calls only ``goto`` and ``content()``.  They alternate, first without a pause and then with one, as
between the pages of a batch, in which ours opens its next tab.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import median

from playwright.sync_api import sync_playwright

from printer.fetch.browser.browser import Browser
from printer.fetch.browser.process import find_chromium
from printer.fetch.ssrf import Guard
from printer.options import FetchOptions
from tests.support.web_server import Hit, Reply, WebServer

from .protocol import Effort, Pairs, Row, by_turns, run_alone

LEAVES, SIZE = 2600, 200_000
STYLE = """body { margin: 0; font: 17px/1.5 sans-serif } header, footer { background: #eee }
nav a { display: inline-block; padding: 4px 8px } .row { display: flex; gap: 24px }
main { width: 700px; margin: 0 auto } aside { width: 280px; font-size: 14px }
p { margin: 0 0 1em } p a { color: #06c } .note { font-size: 80%; color: #555 }"""
TEXT = "the harbour light was seen again by people who had walked along the pier at dusk"
WORDS = TEXT.split()


def page() -> str:
    """Return a page of ``LEAVES`` text leaves and about ``SIZE`` bytes."""
    leaves, parts, number = 0, [], 0
    while leaves < LEAVES - 300:
        number += 1
        text = " ".join(WORDS[(number * 7 + index * 3) % len(WORDS)] for index in range(34))
        parts.append(
            f'<p class="p{number % 5}">{text} <a href="/a/{number}">link {number}</a> and '
            f"<em>stressed words</em> of it, then <b>more</b> {text[:60]}</p>"
        )
        leaves += 7
    links = "".join(f'<li><a href="/l/{index}">Line {index}</a></li>' for index in range(300))
    html = (
        f"<!DOCTYPE html><html lang=en><title>Light</title><style>{STYLE}</style><header><nav>"
        f"{links[: len(links) // 2]}</nav></header><div class=row><main><h1>Light</h1>"
        f"{''.join(parts)}</main><aside><ul>{links}</ul></aside></div><footer>End</footer>"
    )
    return html + f"<!--{'x' * max(0, SIZE - len(html))}-->"


def paired(url: str, guard: Guard, rounds: int, pause: float) -> Pairs:
    """Time a capture and bare ``goto`` and ``content()`` alternately, with a pause after each."""
    switches = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright, Browser(FetchOptions(timeout=30), guard) as browser:
        chromium = playwright.chromium.launch(executable_path=next(find_chromium()), args=switches)

        def load_bare() -> float:
            start = time.perf_counter()
            context = chromium.new_context()
            page = context.new_page()
            page.goto(url)
            page.content()
            context.close()
            seconds = time.perf_counter() - start
            time.sleep(pause)
            return seconds

        def capture() -> float:
            start = time.perf_counter()
            assert browser.capture(url).layout is not None
            seconds = time.perf_counter() - start
            time.sleep(pause)
            return seconds

        pairs = by_turns(capture, load_bare, rounds, warm_up=3)
        chromium.close()
    return pairs


def memory(browser: Browser, url: str, pages: int) -> list[int]:
    """Capture a page repeatedly; return the browser's memory after each capture."""
    levels = []
    for _ in range(pages):
        browser.capture(url)
        levels.append(browser.memory)
    return levels


def killed(web: WebServer, pages: int) -> int:
    """Capture four pages at a time, kill the browser meanwhile, and count the pages lost."""
    passed = threading.Event()

    def answer(hit: Hit) -> Reply:
        if hit.path == f"/kill/{pages // 2}":
            passed.set()
        time.sleep(0.2)
        return Reply(f"<p>page {hit.path}</p>")

    urls = [web.add(f"/kill/{number}", answer) for number in range(pages)]
    options = FetchOptions(timeout=30)
    with Browser(options, Guard([web.url]), pages=4) as browser, ThreadPoolExecutor(4) as pool:
        captures = pool.map(browser.capture, urls)
        passed.wait(60)
        running = browser._process
        assert running is not None
        os.killpg(running.group, signal.SIGKILL)
        return sum(f"page /kill/{n}<" not in c.body.decode() for n, c in enumerate(captures))


def rows(effort: Effort) -> Iterator[Row]:
    rounds = effort.of(30, 15, 3)
    with WebServer() as web:
        url = web.add("/page", page())
        guard = Guard([url])
        for pause in (0.0, 0.25):
            pairs = paired(url, guard, rounds, pause)
            figure = f"a page of 2,600 texts, {pause:g} s between"
            captured, bare = (1000 * median(times) for times in pairs)
            yield Row("capture with layout", figure, captured, "ms", rounds, pairs.ratio, "≤ 1.3")
            yield Row("bare goto and content()", figure, bare, "ms", rounds)
        with Browser(FetchOptions(timeout=30), guard) as browser:
            levels = memory(browser, url, effort.of(50, 30, 12))
        yield Row("capture with layout", "memory after 10 pages", levels[9] / 1e6, "MB", 10)
        yield Row("capture with layout", f"memory after {len(levels)} pages", levels[-1] / 1e6,
                  "MB", len(levels))  # fmt: skip
        grown = max(levels[9:]) / 1e6 - levels[9] / 1e6
        yield Row("capture with layout", "memory grown from then", grown, "MB", goal="≤ 150")
        yield Row("four at once, the browser killed", "pages lost of 24", killed(web, 24), n=24,
                  goal="≤ 0")  # fmt: skip


if __name__ == "__main__":
    run_alone(rows)
