"""The browser extension: its files, and its work in a real Chromium."""

import hashlib
import hmac
import inspect
import json
import os
import re
import shutil
import signal
import threading
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from printer.server.security import AccessKeys
from tests.support.jobs import wait_until
from tests.support.story_page import story_page
from tests.support.web_server import Reply

sync_api = pytest.importorskip("playwright.sync_api")

FOLDER = Path(__file__).parents[2] / "extension"
PRINT_URL = re.compile(r"/prints/[0-9a-f]{20}$")


def test_it_captures_a_page_as_the_bookmarklet_does():
    copied = FOLDER / "capture.js"
    shared = FOLDER.parent / "printer/server/static/capture.js"
    assert copied.read_bytes() == shared.read_bytes(), "copy the server's capture.js here"


def test_it_asks_for_no_more_than_it_needs():
    manifest = json.loads((FOLDER / "manifest.json").read_text())
    assert manifest["manifest_version"] == 3
    assert sorted(manifest["permissions"]) == ["activeTab", "contextMenus", "scripting", "storage"]
    assert not {"host_permissions", "optional_host_permissions", "content_scripts"} & set(manifest)
    named = {*manifest["icons"].values(), *manifest["action"]["default_icon"].values()}
    named |= {manifest["background"]["service_worker"], manifest["options_ui"]["page"]}
    for page in FOLDER.glob("*.html"):
        named |= set(re.findall(r'(?:src|href)="([^"]+)"', page.read_text()))
    assert named | {"capture.js", "manifest.json", "send.html"} == {
        path.name for path in FOLDER.iterdir()
    }


def test_its_key_orders_and_opens_nothing(server):
    key = hmac.new(server.token.encode(), b"order", hashlib.sha256).hexdigest()
    assert AccessKeys(server.token).key("order") == key
    with server.anonymous_client(Authorization=f"Bearer {key}") as client:
        assert client.get("/api/prints").status_code in (401, 429)
    with server.anonymous_client() as client:
        ask = {"url": "https://example.org/ordered"}
        button = client.post("/send", data={**ask, "key": AccessKeys(server.token).key("send")})
        assert button.status_code == 403, "pages can read the bookmarklet's key"
        for missing, query in (("2", "?missing=2"), ("0012345", "")):
            sent = client.post("/send", data={**ask, "key": key, "missing": missing})
            assert sent.status_code == 200
            assert re.search(r"/prints/[0-9a-f]{20}([^\s\"']*)", sent.text)[1] == query


PATIENCE = 40.0  # Seconds after which a Chromium that does not answer is ended.


@contextmanager
def watched(profile):
    """End the Chromium of a profile when it does not answer: what waits for it then fails.

    Playwright waits without limit for what is evaluated, and for the debugger's answers.
    """
    ended = threading.Event()

    def end():
        ended.set()
        end_chromium(profile)

    timer = threading.Timer(PATIENCE, end)
    timer.daemon = True
    timer.start()
    try:
        yield ended
    finally:
        timer.cancel()


def end_chromium(profile):
    for status in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if f"--user-data-dir={profile}".encode() in status.read_bytes().split(b"\0"):
                os.kill(int(status.parent.name), signal.SIGKILL)


def launched(playwright, program, profile):
    """Start a Chromium with the extension; return it, its options page being open."""
    context = playwright.chromium.launch_persistent_context(
        profile,
        executable_path=program,
        timeout=30_000,
        ignore_default_args=["--disable-extensions", "--headless"],
        args=[
            "--headless=new", "--no-sandbox", "--enable-unsafe-extension-debugging",
            f"--disable-extensions-except={FOLDER}", f"--load-extension={FOLDER}",
        ],
    )  # fmt: skip
    context.set_default_timeout(30_000)
    worker = context.service_workers or [context.wait_for_event("serviceworker", timeout=15_000)]
    context.extension = urlsplit(worker[0].url).netloc
    context.cdp = context.browser.new_browser_cdp_session()

    # Installed, it opens its options, which must not be taken for what a click opens.
    def opened():
        context.pages[0].wait_for_timeout(20)  # Playwright hears of pages while it waits.
        return [p for p in context.pages if p.url.endswith("/options.html")]

    wait_until(opened, 15)
    return context


#: Playwright's message about a browser that has ended.
GONE = "has been closed"


class Driven:
    """A Chromium with the extension, its options set; another one when it does not answer."""

    def __init__(self, playwright, program, server, new_profile):
        self._playwright, self._program = playwright, program
        self._address, self._new_profile = f"{server.url}/?token={server.token}", new_profile
        self._context = self._profile = None

    def run(self, test):
        """Call with the browser; again, with another, when it did not answer or crashed."""
        for tries in reversed(range(3)):
            self._profile = self._profile or self._new_profile()
            with watched(self._profile) as ended:
                try:
                    self._context = self._context or self._started()
                    test(self._context)
                    return
                except (sync_api.Error, AssertionError) as error:
                    lost = ended.is_set() or self._context is None or GONE in str(error)
                    if not tries or not lost:
                        raise
            end_chromium(self._profile)
            self._context = self._profile = None

    def _started(self):
        context = launched(self._playwright, self._program, self._profile)
        page = context.new_page()
        page.goto(self._address)
        set_options(context, page, self._address)
        page.close()
        return context

    def close(self):
        if self._context:
            with watched(self._profile), suppress(sync_api.Error):
                self._context.close()


@pytest.fixture(scope="module")
def driven(server, tmp_path_factory):
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("the headless shell loads no extensions, and there is no other Chromium")
    with sync_api.sync_playwright() as playwright:
        driven = Driven(playwright, program, server, lambda: tmp_path_factory.mktemp("profile"))
        with closing(driven):
            yield driven


def in_chromium(test):
    """Give a test the browser as its first argument."""
    names = list(inspect.signature(test).parameters)[1:]

    def run(driven, **fixtures):
        driven.run(lambda chromium: test(chromium, **fixtures))

    known = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names]
    first = inspect.Parameter("driven", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    run.__signature__ = inspect.Signature([first, *known])
    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return pytest.mark.browser(run)


def set_options(context, page, address):
    page.goto(f"chrome-extension://{context.extension}/options.html")
    page.get_by_label("Address").fill(address)
    page.get_by_label("Token").focus()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()


def press(context, page):
    """Click the toolbar's button on a page; return the tab that it opens."""
    page.bring_to_front()
    tabs = context.cdp.send("Target.getTargets", {"filter": [{"type": "tab"}]})
    (tab,) = (t["targetId"] for t in tabs["targetInfos"] if t["url"] == page.url)
    with context.expect_page() as opened:
        context.cdp.send("Extensions.triggerAction", {"id": context.extension, "targetId": tab})
    return opened.value


def printed(server, print_page):
    print_page.wait_for_url(PRINT_URL, timeout=20_000)
    print_id = print_page.url.rpartition("/")[2]
    job = server.wait_finished(print_id)
    assert job["state"] == "done", job
    return server.client.get(f"/api/prints/{print_id}/article").json(), job


@in_chromium
def test_its_options_keep_no_token(chromium, server):
    page = chromium.new_page()
    page.goto(f"chrome-extension://{chromium.extension}/options.html")
    stored = page.evaluate("chrome.storage.local.get(null)")
    page.close()
    assert stored == {"server": server.url, "key": AccessKeys(server.token).key("order")}


@in_chromium
def test_its_options_keep_the_key_for_another_address(chromium, server):
    page = chromium.new_page()
    page.goto(f"chrome-extension://{chromium.extension}/options.html")
    page.get_by_label("Token").fill(server.token)
    for address in ("http://127.0.0.1:1", server.url):
        page.get_by_label("Address").fill(address)
        page.get_by_role("button", name="Save").click()
        page.get_by_text(f"Pages are sent to {address}.").wait_for(timeout=5_000)
    stored = page.evaluate("chrome.storage.local.get(null)")
    page.close()
    assert stored == {"server": server.url, "key": AccessKeys(server.token).key("order")}


@in_chromium
def test_its_button_prints_a_page_behind_a_login_with_its_pictures(chromium, server, members):
    chromium.add_cookies([{"name": "who", "value": "me", "url": members.url}])
    page = chromium.new_page()
    page.goto(f"{members.url}/strict")
    print_page = press(chromium, page)
    article, job = printed(server, print_page)
    assert article["title"] == "For members"
    assert job["result"]["pictures"] == 2, job["result"]["warnings"]
    pictures = [hit for hit in members.hits() if hit.path.endswith(".png")]
    assert all("who=me" in hit.headers.get("cookie", "") for hit in pictures)
    for opened in (page, print_page):
        opened.close()


@in_chromium
def test_it_sends_shadow_trees_and_only_the_selection(chromium, server, other_web):
    script = (
        "<script>const host = document.createElement('div');"
        "document.querySelector('article').children[3].before(host);"
        "host.attachShadow({mode: 'open'}).innerHTML ="
        "'<p>In a shadow, and long enough to be a paragraph of its own.</p>';</script>"
    )
    page = chromium.new_page()
    page.goto(
        other_web.add("/app", story_page("With shadows").replace("</body>", script + "</body>"))
    )
    first = press(chromium, page)
    assert "In a shadow" in printed(server, first)[0]["text"]
    page.evaluate(
        "() => { const p = document.querySelectorAll('article p');"
        "getSelection().setBaseAndExtent(p[1], 0, p[2], p[2].childNodes.length); }"
    )
    second = press(chromium, page)
    text = printed(server, second)[0]["text"]
    assert "It was day 1." in text
    assert "It was day 3." not in text
    for opened in (page, first, second):
        opened.close()


@in_chromium
def test_a_page_it_may_not_read_is_reported(chromium):
    page = chromium.new_page()
    page.goto("chrome://version/")
    print_page = press(chromium, page)
    print_page.get_by_text("cannot read this page").wait_for()
    for opened in (page, print_page):
        opened.close()


@in_chromium
def test_its_menu_prints_or_lists_where_a_link_leads(chromium, server, other_web):
    """Check that the entries exist; choose one by the event that Chromium sends to the extension."""
    page = chromium.new_page()
    address = other_web.add("/linked", Reply(story_page("Linked")))
    page.goto(other_web.add("/links", f"<a href='{address}'>Read on</a>"))
    woken = press(chromium, page)  # Its worker sleeps when it has had nothing to do for a while.
    woken.wait_for_url(PRINT_URL, timeout=20_000)
    worker = chromium.service_workers[-1]
    choose = "([chosen, url]) => chrome.tabs.query({url: []}).then(([tab]) =>" \
        " chrome.contextMenus.onClicked.dispatch(chosen, tab))"  # fmt: skip
    with chromium.expect_page() as opened:
        worker.evaluate(choose, [{"menuItemId": "link", "linkUrl": address}, page.url])
    print_page = opened.value
    print_page.wait_for_url(PRINT_URL, timeout=20_000)
    print_id = print_page.url.rpartition("/")[2]
    job = wait_until(lambda: server.client.get(f"/api/prints/{print_id}").json())
    assert job["url"] == address
    with chromium.expect_page() as opened:
        worker.evaluate(choose, [{"menuItemId": "later-link", "linkUrl": address}, page.url])
    listed = opened.value
    listed.get_by_text("Added to your reading list").wait_for()
    assert address in server.client.get("/api/later").json()
    for tab in (page, woken, print_page, listed):
        tab.close()


@in_chromium
def test_without_a_server_it_asks_for_one(chromium, other_web):
    page = chromium.new_page()
    page.goto(f"chrome-extension://{chromium.extension}/options.html")
    stored = page.evaluate(
        "async () => { const kept = await chrome.storage.local.get(null);"
        " await chrome.storage.local.clear(); return kept; }"
    )
    page.goto(other_web.add("/story", story_page()))
    print_page = press(chromium, page)
    print_page.get_by_text("No server is set up yet").wait_for()
    query = parse_qs(urlsplit(print_page.url).query)
    assert list(query) == ["tab"]
    print_page.get_by_role("link", name="Set it up").click()
    print_page.get_by_role("heading", name="Your print server").wait_for()
    print_page.evaluate("kept => chrome.storage.local.set(kept)", stored)
    for opened in (page, print_page):
        opened.close()
