"""The logic of the scripts alone: in a browser, on small pages, without a server."""

import base64
import gzip
import json
from pathlib import Path

import pytest

from tests.server.conftest import png

sync_api = pytest.importorskip("playwright.sync_api")
expect = sync_api.expect
pytestmark = pytest.mark.browser

STATIC = Path(__file__).parents[2] / "printer/server/static"
CAPTURE = (STATIC / "capture.js").read_text().rstrip().removesuffix(";")
SITE = "https://www.example.org"


@pytest.fixture(scope="module")
def context(browser):
    """A browser whose every request a test answers itself."""
    new_context = browser.new_context()
    new_context.set_default_timeout(20_000)
    yield new_context
    new_context.close()


@pytest.fixture
def visit(context):
    """Show a page of the site; other answers are by address, and all else is not found."""
    opened = []

    def open_(html, answers=None, path="/"):
        page = context.new_page()
        opened.append(page)
        page.requested = []
        known = {f"{SITE}{path.partition('#')[0]}": {"body": html, "content_type": "text/html"}}
        known |= answers or {}

        def answer(route):
            url = route.request.url
            page.requested.append(url)
            name = url.removeprefix(f"{SITE}/static/")
            if name != url and (STATIC / name).is_file():
                route.fulfill(path=STATIC / name)
            else:
                route.fulfill(**known.get(url, {"status": 404}))

        page.route("**/*", answer)
        page.goto(SITE + path)
        return page

    yield open_
    for page in opened:
        page.close()


def picture(side=200):
    return {"body": png(side), "content_type": "image/png"}


# The capture of a page


def test_a_capture_is_what_the_browser_displays(visit):
    page = visit(
        "<html lang=en><title>Quay</title><script>1</script><style>p{}</style>"
        "<script type='application/ld+json'>{\"a\": 1}</script><link rel=icon href=/x.ico>"
        "<body class=b><p>Out</p><div id=host><em>slotted</em></div><input value=secret>"
        "<!-- no --><template><p>never</p></template><dialog>Cookies?</dialog>",
        path="/story#part",
    )
    page.evaluate(
        "document.getElementById('host').attachShadow({mode: 'open'}).innerHTML ="
        "'<p>shadow</p><slot></slot><slot name=none>fallback</slot><style>i{}</style>'"
    )
    capture = page.evaluate(CAPTURE)
    assert capture["url"] == f"{SITE}/story"
    assert capture["html"].startswith('<!doctype html><html lang="en"><head>')
    assert '<script type="application/ld+json">{"a": 1}</script>' in capture["html"]
    assert "<p>shadow</p><span><em>slotted</em></span><span>fallback</span>" in capture["html"]
    for removed in ("<style", "secret", "never", "Cookies?", "rel=", "<!-- no"):
        assert removed not in capture["html"]
    assert (capture["pictures"], capture["missing"]) == ({}, 0)


def test_a_selection_replaces_the_page(visit):
    page = visit("<title>Quay</title><p>One</p><p>Two <img src=/a.png> three</p><p>Four</p>",
                 {f"{SITE}/a.png": picture()})  # fmt: skip
    page.evaluate("getSelection().setBaseAndExtent(document.querySelectorAll('p')[1], 0,"
                  " document.querySelectorAll('p')[1], 3)")  # fmt: skip
    capture = page.evaluate(CAPTURE)
    body = capture["html"].partition("<body>")[2]
    assert body.startswith("<article><h1>Quay</h1>Two <img")
    assert "One" not in body
    assert "Four" not in body
    assert list(capture["pictures"]) == [f"{SITE}/a.png"]


def test_a_drawing_becomes_a_picture(visit):
    page = visit("<canvas width=60 height=9></canvas><canvas width=9 height=9></canvas>")
    html = page.evaluate(CAPTURE)["html"]
    assert html.count("<canvas") == 0
    assert html.count('<img src="data:image/png;base64,') == 1
    assert 'width="60" height="9"' in html


SETS = {
    "the widest if none is wide": ("/w4.png 400w, /w8.png 800w", "/w8.png"),
    "the narrowest that is wide enough": ("/h.png 4000w, /m.png 1700w, /l.png 800w", "/m.png"),
    "commas in addresses": ("/a,b/w=9.png 900w,/s.png 300w", "/a,b/w=9.png"),
    "densities": ("/one.png 1x, /two.png 2x", "/two.png"),
    "one address": ("/only.png", "/only.png"),
}


@pytest.mark.parametrize(("versions", "best"), SETS.values(), ids=SETS)
def test_the_version_for_print_is_taken_from_a_set(visit, versions, best):
    page = visit(f"<img data-srcset='{versions}'>", {SITE + best: picture()})
    capture = page.evaluate(CAPTURE)
    assert list(capture["pictures"]) == [SITE + best]
    assert capture["pictures"][SITE + best].startswith("data:image/png;base64,")
    assert f'<img src="{SITE}{best}">' in capture["html"]


GRAY = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
LAZY = {
    "beside a placeholder": (f"<img src='{GRAY}' data-src=/p.png>", "/p.png"),
    "an older name": ("<img data-original=/p.png>", "/p.png"),
    "the set of a source": ("<picture><source data-srcset='/p.png 900w'><img></picture>", "/p.png"),
    "below the fold": ("<div style='height: 9999px'></div><img loading=lazy src=/p.png>", "/p.png"),
    "of a host below the same domain": (
        "<img data-src='https://img.example.org/p.png'>", "https://img.example.org/p.png"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "address"), LAZY.values(), ids=LAZY)
def test_a_picture_that_was_not_loaded_is_fetched(visit, html, address):
    address = address if "//" in address else SITE + address
    reply = picture() | {"headers": {"Access-Control-Allow-Origin": SITE,
                                     "Access-Control-Allow-Credentials": "true"}}  # fmt: skip
    page = visit(html, {address: reply})
    page.evaluate(
        "document.addEventListener('webprint-progress', (e) => { window.told = e.detail; })"
    )
    capture = page.evaluate(CAPTURE)
    assert list(capture["pictures"]) == [address]
    assert capture["missing"] == 0
    assert "source" not in capture["html"]
    assert page.evaluate("window.told") == "1 of 1"


def test_pictures_of_other_sites_are_left_to_the_server(visit):
    page = visit("<img loading=lazy data-src=https://cdn.example.net/p.png>"
                 "<img data-src=https://example.com.evil.net/p.png>")  # fmt: skip
    capture = page.evaluate(CAPTURE)
    assert (capture["pictures"], capture["missing"]) == ({}, 0)
    assert 'data-src="https://cdn.example.net/p.png"' in capture["html"]
    assert not [url for url in page.requested if "example.net" in url or "evil" in url]


def test_pictures_that_cannot_be_fetched_are_counted(visit):
    more = "".join(f"<img data-src=/{n}.png>" for n in range(61))
    page = visit(f"{more}<img src=/broken.png>", {f"{SITE}/0.png": picture()})
    capture = page.evaluate(CAPTURE)
    assert list(capture["pictures"]) == [f"{SITE}/0.png"]
    assert capture["missing"] == 60  # 59 of those it tries, and one beyond the limit.


def test_a_page_that_breaks_the_capture_is_sent_without_scripts_and_form_values(visit):
    html = '<p>Quay</p><style>p {}</style><input type=hidden value="secret">'
    html += "<svg><script>1</script></svg><p>Pier</p>"
    page = visit(f"{html}<script>Element.prototype.cloneNode = () => {{ throw 1; }}</script>")
    capture = page.evaluate(CAPTURE)
    assert '<p>Quay</p><input type="hidden"><svg></svg><p>Pier</p></body>' in capture["html"]


# The page that receives a page

RELAY = """<p id=status data-invalid="Unreadable" data-nothing="Nothing" data-progress="Fetching"></p>
<form id=send><input name=key><input name=url><input name=html><input name=pictures>
<input name=later><input name=missing></form><script>HTMLFormElement.prototype.submit = function ()
{ window.sent = [...(window.sent || []), Object.fromEntries(new FormData(this))]; }</script>
<script type=module src=/static/relay.js></script>"""


def packed(page):
    return base64.b64encode(gzip.compress(json.dumps(page).encode())).decode()


def test_a_page_comes_in_the_fragment_of_an_address(visit):
    page = visit(
        RELAY, path="/send#" + packed({"key": "k", "url": SITE, "html": "<p>é</p>", "x": 1})
    )
    page.wait_for_function("window.sent")
    sent = {"key": "k", "url": SITE, "html": "<p>é</p>", "pictures": "", "later": "", "missing": ""}
    assert page.evaluate("window.sent") == [sent]
    assert page.evaluate("location.href") == f"{SITE}/send", "it is in no history"


@pytest.mark.parametrize(
    ("fragment", "message"),
    [("", "Nothing"), ("#!!!", "Unreadable"), ("#later,k,%E0", "Unreadable")],
)
def test_an_invalid_capture_is_reported(visit, fragment, message):
    page = visit(RELAY, path="/send" + fragment)
    expect(page.locator("#status")).to_have_text(message)
    assert page.evaluate("window.sent") is None


def test_an_address_for_the_reading_list_comes_in_the_fragment(visit):
    page = visit(RELAY, path="/send#later,k,https%3A%2F%2Fexample.net%2Fa%2Cb")
    sent = page.evaluate("window.sent")[0]
    assert (sent["url"], sent["key"], sent["later"]) == ("https://example.net/a,b", "k", "yes")


# The editor

EDITOR = """<h1></h1><p id=count data-working=Working data-failed="Old one:" data-gone=Gone
 data-unreachable=Unreachable></p><a data-result href=/pdf>Open</a>
<form id=edit data-api=/api/1 data-revision=1 data-options="paper columns"
 data-theme-fields='{"columns": "columns"}' data-assignments='["font=Inter"]'>
<input name=title value=Quay><input name=paper value=A4><input name=columns>
<button type=button id=undo></button><button type=button id=redo></button>
<button name=pictures value=remove>Pictures</button><input type=checkbox id=show-excluded>
<details id=list><input type=checkbox name=include value=p1 checked>
<input type=checkbox name=include value=p2 checked data-picture></details>
<iframe id=preview srcdoc="<h1 id=title>Quay</h1><div data-block=p1><p>One</p><button></button></div>
<div data-block=p2><p>Two</p><button></button></div>"></iframe></form>
<script>
  window.sent = []; window.answers = [];
  const real = window.setTimeout;
  window.setTimeout = (work) => real(work, 0);
  window.fetch = async (url, { body }) => {
    window.sent.push(JSON.parse(body));
    const answer = await (window.answers.shift() || { status: 200, body: { attempt: window.sent.length } });
    return { ok: answer.status < 400, status: answer.status, json: async () => answer.body };
  };
  window.EventSource = class extends EventTarget {
    constructor() {
      super();
      const done = { state: "done", title: "Quay", attempt: window.sent.length + 1,
                     result: { pages: 2, pictures: 1, bytes: 4000 } };
      real(() => this.dispatchEvent(new MessageEvent("print", { data: JSON.stringify(window.end || done) })), 0);
    }
    close() {}
  };
</script><script type=module src=/static/editor.js></script>"""


@pytest.fixture
def editor(visit):
    def open_():
        page = visit(EDITOR, path="/prints/1")
        ready(page)
        return page

    return open_


def ready(page):
    expect(page.locator("#edit")).to_have_attribute("aria-busy", "false")


def click_block(page, name):
    page.frame_locator("#preview").locator(f"[data-block={name}] p").click()


def excluded(page):
    return page.frame_locator("#preview").locator(".excluded").evaluate_all(
        "blocks => blocks.map((block) => block.dataset.block)")  # fmt: skip


def test_only_differences_are_sent(editor):
    page = editor()
    click_block(page, "p1")
    assert excluded(page) == ["p1"], "it is shown at once"
    ready(page)
    page.locator("[name=paper]").fill("A5")
    page.locator("[name=paper]").blur()
    ready(page)
    page.locator("[name=columns]").fill("2")
    page.locator("[name=columns]").blur()
    ready(page)
    page.locator("[name=title]").fill("Harbour")
    page.locator("[name=title]").blur()
    ready(page)
    assert page.evaluate("window.sent") == [
        {"include": {"p1": False}, "options": {}},
        {"include": {}, "options": {"paper": "A5"}},
        {"include": {}, "options": {"set": ["font=Inter", "columns=2"]}},
        {"include": {}, "options": {}, "title": "Harbour"},
    ]
    expect(page.locator("#count")).to_have_text("2 pages, 1 picture, 4 kB")


def test_changes_during_a_change_follow_it_as_one(editor):
    page = editor()
    page.evaluate("window.answers = [new Promise((resolve) => { window.go = resolve; })]")
    click_block(page, "p1")
    page.wait_for_function("window.sent.length === 1")
    click_block(page, "p2")
    click_block(page, "p1")
    assert excluded(page) == ["p2"]
    page.evaluate("window.go({ status: 200, body: { attempt: 1 } })")
    ready(page)
    assert [change["include"] for change in page.evaluate("window.sent")] == [
        {"p1": False}, {"p1": True, "p2": False},
    ]  # fmt: skip


def test_undo_and_redo_go_back_and_forth(editor):
    page = editor()
    page.get_by_role("button", name="Pictures").click()
    click_block(page, "p1")
    assert excluded(page) == ["p1", "p2"]
    page.keyboard.press("Control+z")
    assert excluded(page) == ["p2"]
    page.keyboard.press("Control+z")
    assert excluded(page) == []
    expect(page.locator("#undo")).to_be_disabled()
    page.keyboard.press("Control+Shift+z")
    assert excluded(page) == ["p2"]
    click_block(page, "p1")
    expect(page.locator("#redo")).to_be_disabled()
    ready(page)


FAULTS = {
    "refused": ({"status": 422, "body": {"detail": "A4 what?"}}, "A4 what?"),
    "no answer": ("new Promise((_, no) => no(new TypeError('Failed to fetch')))", "Unreachable"),
}


@pytest.mark.parametrize(("answer", "message"), FAULTS.values(), ids=FAULTS)
def test_a_refused_change_is_reported_and_sent_with_the_next(editor, answer, message):
    page = editor()
    code = answer if isinstance(answer, str) else json.dumps(answer)
    page.evaluate(f"window.answers = [{code}]; 0")
    click_block(page, "p1")
    expect(page.locator("#count")).to_have_text(message)
    ready(page)
    expect(page.get_by_role("link", name="Open")).not_to_have_attribute("aria-disabled", "true")
    click_block(page, "p2")
    expect(page.locator("#count")).to_contain_text("2 pages")
    expect(page.locator("#count")).not_to_have_class("bad")
    assert page.evaluate("window.sent.at(-1).include") == {"p1": False, "p2": False}


def test_a_change_that_fails_later_is_reported(editor):
    page = editor()
    page.evaluate("window.end = { state: 'failed', error: { message: 'it is too large' } }")
    click_block(page, "p1")
    expect(page.locator("#count")).to_have_text("Old one: it is too large")
    ready(page)


def test_a_print_that_was_edited_elsewhere_is_loaded_again(editor):
    page = editor()
    other = EDITOR.replace("data-revision=1", "data-revision=2")
    page.route("**/prints/1", lambda route: route.fulfill(body=other, content_type="text/html"))
    page.evaluate("window.answers = [{ status: 409, body: {} }]; window.old = true; 0")
    click_block(page, "p1")
    page.wait_for_function("window.old === undefined")
    ready(page)
    assert page.evaluate("window.sent") == [], "it begins from what the server has"
    assert excluded(page) == []
