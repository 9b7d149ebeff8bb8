"""The print button in a full Chromium with its pop-up blocker, and pictures that were not loaded."""

import re
import shutil
import time
from urllib.parse import unquote

import pytest

from tests.server.conftest import for_members, png
from tests.support.csp import STRICT, STRICT_BUT_PICTURES
from tests.support.effort import THOROUGH
from tests.support.story_page import story_page
from tests.support.web_server import Reply, WebServer

sync_api = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser

PRINT = re.compile(r"/prints/[0-9a-f]{20}(\?missing=\d+)?$")
ALONE = {"Cross-Origin-Opener-Policy": "same-origin"}
SECONDS = 40_000

#: Chromium is to start no process before it is needed.  Only its last such switch is read, so this
#: one repeats what Playwright turns off for tests like these.
NO_SPARE_PROCESSES = (
    "--disable-features=SpareRendererForSitePerProcess,HttpsUpgrades,PaintHolding,OptimizationHints,"
    "HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,ThirdPartyStoragePartitioning"
)


@pytest.fixture(scope="module")
def chromium():
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("the headless shell has no pop-up blocker, and there is no other Chromium")
    with sync_api.sync_playwright() as playwright:
        driven = playwright.chromium.launch(
            executable_path=program,
            ignore_default_args=["--disable-popup-blocking", "--headless"],
            args=["--headless=new", "--no-sandbox", NO_SPARE_PROCESSES],
            timeout=60_000,
        )
        yield driven
        driven.close()


@pytest.fixture(scope="module")
def signed_in(chromium, server):
    """The state of a browser that has been on the start page once, and the button's code."""
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(f"{server.url}/?token={server.token}")
        code = page.get_by_role("link", name="Print this").get_attribute("href")
        return context.storage_state(), code


@pytest.fixture
def context(chromium, signed_in):
    state, code = signed_in
    new_context = chromium.new_context(storage_state=state)
    new_context.set_default_timeout(SECONDS)
    new_context.button = code
    yield new_context
    new_context.close()


def click_bookmark(context, page):
    """Run the button as a click on a bookmark does: with a gesture, that is, for one tab."""
    session = context.new_cdp_session(page)
    code = unquote(context.button.removeprefix("javascript:"))
    session.send("Runtime.evaluate", {"expression": code, "userGesture": True})


def finished(server, context):
    """Wait for the tab with the print; return it and the job."""
    for _ in range(SECONDS // 200):
        for page in context.pages:
            if PRINT.search(page.url):
                return page, server.wait_finished(re.search(r"[0-9a-f]{20}", page.url)[0])
        context.pages[0].wait_for_timeout(200)
    raise AssertionError([page.url for page in context.pages])


def test_the_blocker_is_on(context, other_web):
    page = context.new_page()
    page.goto(other_web.add("/story", story_page()))
    session = context.new_cdp_session(page)
    twice = "window.open('about:blank'); window.open('about:blank') === null"
    answer = session.send("Runtime.evaluate", {"expression": twice, "userGesture": True})
    assert answer["result"]["value"] is True


def test_a_first_visit(serve, chromium, web):
    """Follow what the terminal and the first page say, to a printed page."""
    start = time.monotonic()
    started = serve()
    sign_in_url = re.search(r"to sign in, open (\S+)", started.log_text())[1]
    assert "press Ctrl+C to stop it" in started.log_text()
    context = chromium.new_context()
    page = context.new_page()
    page.goto(sign_in_url)
    steps = page.locator("ol li").all_inner_texts()
    assert [step.split()[0] for step in steps] == ["Show", "Drag", "Go"]
    button = page.get_by_role("link", name="Print this")
    button.click()
    page.get_by_text("Drag the button to your bookmarks bar instead").wait_for()
    context.button = button.get_attribute("href")
    page.goto(web.add("/first", story_page("A first visit")))
    click_bookmark(context, page)
    print_page, job = finished(started, context)
    assert job["title"] == "A first visit"
    print_page.get_by_role("button", name="Print", exact=True).wait_for()
    assert time.monotonic() - start < 60
    context.close()


#: A plain page is also that of a first visit.
HEADERS = {"strict": STRICT, "alone": ALONE, **({"plain": {}} if THOROUGH else {})}


@pytest.mark.parametrize("headers", HEADERS.values(), ids=HEADERS)
def test_one_click_prints_a_page(server, context, web, headers):
    page = context.new_page()
    page.goto(web.add("/story", story_page("One click"), headers=headers))
    assert page.evaluate("isSecureContext")
    click_bookmark(context, page)
    _, job = finished(server, context)
    assert job["title"] == "One click"
    assert len(context.pages) == 2


def test_an_isolated_page_asks_for_a_second_click(server, context, web):
    page = context.new_page()
    page.goto(web.add("/story", story_page("Two clicks"), headers={**STRICT, **ALONE}))
    click_bookmark(context, page)
    page.get_by_role("button", name="Click here to send this page").click()
    _, job = finished(server, context)
    assert job["title"] == "Two clicks"
    assert page.get_by_role("button", name="Click here to send this page").count() == 0


@pytest.fixture(scope="module")
def long_page():
    """A page for members, whose pictures are loaded when they come into view."""
    with WebServer("127.0.0.2") as web:
        page = story_page("Pictures below the fold")
        before, *paragraphs = page.split("<p>")
        attributes = (
            "src=/p0.png loading=lazy",
            "loading=lazy src=/small.png srcset='/small.png 200w, /p1.png 400w'",
            "data-src=/p2.png",
            "data-src=/p3.png src='data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='",
            "data-srcset='/small.png 200w, /p4.png 800w'",
        )
        page = before + "<br>" * 400
        for n, paragraph in enumerate(paragraphs):
            page += f"<p>{paragraph}"
            if n < len(attributes):
                page += f"<figure><img {attributes[n]} width=400 height=400><figcaption>The view of"
                page += f" the harbour in year {n}</figcaption></figure>"
        web.add("/plain", for_members(Reply(page)))
        web.add("/strict", for_members(Reply(page, headers=tuple(STRICT_BUT_PICTURES.items()))))
        page_without_picture = page.replace("/p2.png", "/gone.png")
        web.add("/gone", for_members(Reply(page_without_picture)))
        for n in range(5):
            web.add(f"/p{n}.png", for_members(Reply(png(400 + 20 * n), media_type="image/png")))
        web.add("/small.png", for_members(Reply(png(200), media_type="image/png")))
        yield web


@pytest.mark.parametrize("path", ["/strict", "/plain"] if THOROUGH else ["/strict"])
def test_pictures_below_the_fold_and_behind_a_login_come_along(server, context, long_page, path):
    context.add_cookies([{"name": "who", "value": "me", "url": long_page.url}])
    page = context.new_page()
    page.goto(long_page.url + path)
    assert page.evaluate("[...document.images].filter((i) => i.naturalWidth > 1).length") == 0
    click_bookmark(context, page)
    print_page, job = finished(server, context)
    assert job["result"]["pictures"] == 5, job["result"]["warnings"]
    assert "missing" not in print_page.url
    hits = [hit for hit in long_page.hits() if hit.path.endswith(".png")]
    assert all("who=me" in hit.headers["cookie"] for hit in hits), "the server fetched nothing"


def test_the_number_of_missing_pictures_is_reported(server, context, long_page):
    context.add_cookies([{"name": "who", "value": "me", "url": long_page.url}])
    page = context.new_page()
    page.goto(long_page.url + "/gone")
    click_bookmark(context, page)
    print_page, _ = finished(server, context)
    print_page.get_by_text("1 picture had not loaded. Scroll to the end of the page").wait_for()
