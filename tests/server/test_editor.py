"""The editor in a real Chromium: with a mouse, with keys alone, without JavaScript, and against
articles that mean harm."""

import io
import re
import tomllib
from urllib.parse import unquote

import pikepdf
import pytest
from PIL import Image

from tests.support.story_page import SENTENCE, story_page

sync_api = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser

expect = sync_api.expect
WAIT = 60_000
LETTER = "A letter from the harbour comes each morning."
COUNT = re.compile(r"^(\d+) pages?, ")


@pytest.fixture
def open_page(browser, server):
    """Open pages of the server in browsers that have been let in; what they complain of is kept."""
    opened = []

    def open_(path, **options):
        context = browser.new_context(**options)
        context.set_default_timeout(WAIT)
        name, _, value = server.cookie.partition("=")
        context.add_cookies([{"name": name, "value": value, "url": server.url}])
        opened.append(context)
        page = context.new_page()
        page.complaints = []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(server.url + path)
        return page

    yield open_
    for context in opened:
        context.close()


def picture():
    file = io.BytesIO()
    Image.linear_gradient("L").resize((300, 200)).save(file, "PNG")
    return file.getvalue()


def long_story(title="Harbour lights go dark", boats=9):
    """A story with a box of several pages that other pages of the site have too."""
    items = "".join(f"<li>Boat {n}. {SENTENCE}</li>" for n in range(boats))
    box = f"<section class='harbour-list'><p>{LETTER} {SENTENCE}</p><ul>{items}</ul></section>"
    return story_page(title, extra=f"{box}<figure><img src=/q.png width=300 height=200></figure>")


def printed(server, **order):
    answer = server.submit(**order)
    job = server.wait_finished(answer.json()["id"])
    assert job["state"] == "done", job
    return job


def pages(page):
    """Wait for the editor's number of pages, and return it."""
    expect(page.locator("#count")).to_have_text(COUNT, timeout=WAIT)
    return int(COUNT.match(page.locator("#count").text_content())[1])


def settled(page):
    expect(page.locator("#edit")).to_have_attribute("aria-busy", "false", timeout=WAIT)
    return pages(page)


def piece(page, text):
    return page.frame_locator("#preview").locator("[data-block]").filter(has_text=text).first


def pdf_of(server, job):
    data = server.client.get(f"/api/prints/{job['id']}/pdf").raise_for_status().content
    with pikepdf.open(io.BytesIO(data)) as pdf:
        return len(pdf.pages), float(pdf.pages[0].mediabox[2])


def test_the_page_of_another_format_runs_no_script_in_vain(server, open_page):
    job = printed(server, html=long_story(), options={"format": "epub"})
    page = open_page(f"/prints/{job['id']}")
    expect(page.get_by_role("link", name="Download")).to_be_visible()
    assert page.complaints == []


def test_undo_outlives_a_reload(server, open_page, web):
    web.add("/q.png", picture(), media_type="image/png")
    job = printed(server, url=web.add("/story", long_story()))
    page = open_page(f"/prints/{job['id']}")

    def has_boats():
        settled(page)
        return "Boat 7." in server.client.get(job["links"]["article"]).json()["text"]

    piece(page, "Boat 7.").click()
    assert not has_boats()
    page.reload()
    assert not has_boats()
    page.get_by_role("button", name="Undo").click()
    assert has_boats()
    piece(page, LETTER).click()
    page.reload()  # Before it was sent, or while it is.
    expect(piece(page, LETTER).locator("button")).to_have_attribute("aria-pressed", "false")
    settled(page)
    page.get_by_role("button", name="Undo").click()
    expect(piece(page, LETTER).locator("button")).to_have_attribute("aria-pressed", "true")
    assert has_boats()
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()

    piece(page, LETTER).click()
    settled(page)
    edit = {"include": {}, "title": "From elsewhere"}
    server.client.patch(f"/api/prints/{job['id']}/edit", json=edit).raise_for_status()
    server.wait_finished(job["id"])
    page.reload()  # What was edited elsewhere is not undone here.
    expect(page.get_by_label("Title")).to_have_value("From elsewhere")
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    # The browser reports a change that arrived twice, before and after the reload.
    assert [text for text in page.complaints if "409 (Conflict)" not in text] == []


def test_edit_undo_keep_as_a_rule_and_print_the_next_page(server, open_page, web):
    web.add("/q.png", picture(), media_type="image/png")
    job = printed(server, url=web.add("/story", long_story()))
    page = open_page(f"/prints/{job['id']}")
    before = pages(page)
    assert before == pdf_of(server, job)[0]
    piece(page, "Boat 7.").click()
    expect(piece(page, "Boat 7.").locator("button")).to_have_attribute("aria-pressed", "false")
    less = settled(page)
    assert less < before
    assert less == pdf_of(server, job)[0]
    page.get_by_role("button", name="Undo").click()
    assert settled(page) == before
    page.get_by_role("button", name="Redo").click()
    assert settled(page) == less
    piece(page, LETTER).click()
    settled(page)
    page.get_by_label("Title").fill("What the boats are called")
    page.get_by_label("Paper").select_option("A5")
    assert settled(page) >= less
    assert pdf_of(server, job)[1] == pytest.approx(419.5, abs=1)
    expect(page.get_by_role("heading", level=1)).to_have_text("What the boats are called")

    page.get_by_role("link", name="Save as a rule for 127.0.0.1").click()
    selector = page.get_by_label("Selector (CSS)")
    expect(selector).to_have_value(".harbour-list")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("127.0.0.1.toml")
    rule = server.home / ".config/webprint/rules/127.0.0.1.toml"
    try:
        assert tomllib.loads(rule.read_text()) == {"drop": [".harbour-list"]}
        other = printed(server, url=web.add("/other", long_story("Another day")))
        text = server.client.get(other["links"]["article"]).json()["text"]
        assert "It was day 3." in text
        assert LETTER not in text
        assert "Boat 7." not in text
        free = printed(server, url=f"{web.url}/other", options={"no_rules": True})
        assert LETTER in server.client.get(free["links"]["article"]).json()["text"]
    finally:
        rule.unlink()
    assert page.complaints == []


def test_pictures_can_be_removed_and_omissions_restored(server, open_page, web):
    web.add("/q.png", picture(), media_type="image/png")
    web.add("/map.png", picture(), media_type="image/png")
    more = (
        f"<aside class=more><p>What follows: {SENTENCE}</p><img src=/map.png width=300 height=200>"
    )
    job = printed(server, url=web.add("/story", story_page(
        extra="<figure><img src=/q.png width=300 height=200 alt='The quay'></figure>"
    ).replace("</body>", f"{more}</aside></body>")))  # fmt: skip
    assert not web.hits("/map.png"), "nothing is fetched for what is left out"
    page = open_page(f"/prints/{job['id']}")
    frame = page.frame_locator("#preview")
    frame.get_by_alt_text("The quay").click()
    settled(page)
    expect(page.locator("#count")).to_contain_text("0 pictures")
    expect(frame.get_by_text("What follows")).to_be_hidden()
    page.get_by_label("Show what is left out").check()
    frame.get_by_text("What follows").click()
    frame.locator("[data-block]:has(.missing)").click()
    settled(page)
    expect(page.locator("#count")).to_contain_text("1 picture,")
    expect(frame.locator("img[src$='pictures/1']")).to_be_visible()
    assert web.hits("/map.png")
    text = server.client.get(job["links"]["article"]).json()["text"]
    assert "What follows" in text


def test_a_person_edits_with_keys_alone(server, open_page):
    job = printed(server, url="https://example.org/keys", html=long_story())
    page = open_page(f"/prints/{job['id']}")
    before = pages(page)
    button = piece(page, "Boat 7.").locator("button")
    expect(button).to_have_attribute("aria-label", re.compile("^List: Boat 0"))
    page.get_by_label("Show what is left out").focus()
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("""() => {
            const inside = document.activeElement.contentDocument;
            return inside && inside.activeElement.matches('button')
              && inside.activeElement.parentElement.textContent.includes('Boat 7.');
        }"""):
            break
    else:
        pytest.fail("the keyboard does not reach the list")
    page.keyboard.press("Space")
    expect(button).to_have_attribute("aria-pressed", "false")
    less = settled(page)
    assert less < before
    page.keyboard.press("Control+z")
    expect(button).to_have_attribute("aria-pressed", "true")
    assert settled(page) == before
    page.keyboard.press("Control+Shift+z")
    assert settled(page) == less
    assert page.locator("#count").get_attribute("role") == "status", "a listener hears of it"


def test_without_javascript_a_form_does_it(server, open_page):
    job = printed(server, url="https://example.org/plain", html=long_story())
    page = open_page(f"/prints/{job['id']}", java_script_enabled=False)
    before = pages(page)
    page.get_by_label(re.compile("List: Boat 0")).uncheck()
    page.get_by_label("Title").fill("Set by a form")
    page.get_by_label("Text size").select_option("9pt")
    page.get_by_role("button", name="Apply").click()
    job = server.wait_finished(job["id"])
    assert job["state"] == "done"
    assert job["title"] == "Set by a form"
    assert job["result"]["pages"] < before
    page.goto(f"{server.url}/prints/{job['id']}")
    expect(page.get_by_label(re.compile("List: Boat 0"))).not_to_be_checked()
    page.get_by_role("link", name="Save as a rule").click()
    expect(page.get_by_label("Selector (CSS)")).to_have_value(".harbour-list > ul")
    page.get_by_role("button", name="Save", exact=True).click()
    rule = server.home / ".config/webprint/rules/example.org.toml"
    assert tomllib.loads(rule.read_text()) == {"drop": [".harbour-list > ul"]}
    rule.unlink()


HOSTILE = """<script>parent.harmed = 1; fetch('{web}/script')</script>
<p onclick="parent.harmed = 2" onmouseover="parent.harmed = 3">{words}
<a href="javascript:parent.harmed=4">a link</a> <a href="{web}/link" target=_top>another</a></p>
<p>&lt;script&gt;parent.harmed = 5&lt;/script&gt;
&lt;img src=x onerror=parent.harmed=6&gt; {words}</p>
<form action="{web}/form"><p>{words} <input name=a><button>Send</button></p></form>
<iframe src="{web}/frame"></iframe><style>body {{ background: url({web}/style) }}</style>
<figure><img src="{web}/drawing.svg" width=300 height=200
alt='"><script>parent.harmed=7</script>'></figure>
<svg width=300 height=200 onload="parent.harmed = 8"><script>parent.harmed = 9</script>
<image href="{web}/inner.png" width=9 height=9 /><rect width=200 height=100 /></svg>
<p style="background:url({web}/inline)">{words} <img src="{web}/q.png" width=300 height=200
onerror="parent.harmed = 10" onload="parent.harmed = 11"></p>
<meta http-equiv=refresh content="0;url={web}/refresh"><base href="{web}/base/">"""

DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"
onload="parent.harmed=12">
<script>parent.harmed = 13; fetch("WEB/svg")</script>
<image href="WEB/svg.png" width="9" height="9"/>
<rect width="200" height="100"/></svg>"""


def test_a_hostile_article_does_nothing_in_the_preview(server, open_page, web):
    web.add("/q.png", picture(), media_type="image/png")
    web.add("/drawing.svg", DRAWING.replace("WEB", web.url), media_type="image/svg+xml")
    extra = HOSTILE.format(web=web.url, words=SENTENCE)
    title = "<img src=x onerror=parent.harmed=14>"
    html = story_page("TITLE", extra=extra).replace("TITLE", title.replace("<", "&lt;"))
    job = printed(server, url=web.add("/story", html))
    before = len(web.hits())
    page = open_page(f"/prints/{job['id']}")
    requested = []
    page.context.on("request", lambda request: requested.append(request.url))
    frame = page.frame_locator("#preview")
    frame.locator("[data-block]:not(.excluded)").first.wait_for()
    page.get_by_label("Show what is left out").check()
    for link in frame.get_by_text("another").all():
        link.click()
    settled(page)
    page.goto(f"{server.url}/prints/{job['id']}/preview")  # Not in the frame, it is held as well.
    page.locator("[data-block]:not(.excluded)").first.wait_for()
    assert page.locator("script, form, iframe, object, style, [onclick], [onload]").count() == 0
    assert page.locator("a").count() == 0
    assert page.locator("[src]:not(img)").count() == 0
    assert page.url == f"{server.url}/prints/{job['id']}/preview"
    page.goto(f"{server.url}/prints/{job['id']}")
    frame.locator("[data-block]:not(.excluded)").first.wait_for()
    assert page.evaluate("window.harmed") is None
    assert all(url.startswith(server.url) for url in requested)
    assert len(web.hits()) == before, [hit.path for hit in web.hits()[before:]]
    assert "<img" in page.get_by_role("heading", level=1).text_content()


def test_no_script_runs_in_the_preview_even_if_one_is_present(server, open_page):
    job = printed(server, url="https://example.org/held", html=story_page())
    page = open_page(f"/prints/{job['id']}")
    page.frame_locator("#preview").locator("[data-block]:not(.excluded)").first.wait_for()
    page.evaluate("""() => {
        const inside = document.getElementById('preview').contentDocument;
        const script = inside.createElement('script');
        script.textContent = 'parent.harmed = 1';
        inside.body.append(script);
        const image = inside.createElement('img');
        image.src = 'https://example.org/x.png';
        image.setAttribute('onerror', 'parent.harmed = 2');
        inside.body.append(image);
        const form = inside.createElement('form');
        form.action = '/prints';
        form.method = 'post';
        inside.body.append(form);
        form.submit();
        const link = inside.createElement('a');
        link.href = 'https://example.org/away';
        link.target = '_top';
        inside.body.append(link);
        link.click();
    }""")
    page.get_by_label("Show what is left out").check()
    settled_url = page.url
    assert page.evaluate("window.harmed") is None
    assert settled_url == f"{server.url}/prints/{job['id']}"
    assert any("sandbox" in text or "Content Security Policy" in text for text in page.complaints)


def test_the_headers_of_the_preview_and_of_its_pictures(server, web):
    web.add("/q.png", picture(), media_type="image/png")
    job = printed(server, url=web.add("/story", long_story()))
    preview = server.client.get(f"/prints/{job['id']}/preview")
    policy = preview.headers["content-security-policy"]
    host = server.url.removeprefix("http://")
    assert "sandbox allow-same-origin;" in policy
    assert "default-src 'none'" in policy
    assert f"img-src {host}/prints/{job['id']}/pictures/;" in policy
    assert "script-src" not in policy
    picture_response = server.client.get(f"/prints/{job['id']}/pictures/0")
    assert picture_response.headers["content-type"].startswith("image/")
    assert picture_response.headers["content-security-policy"].startswith("sandbox;")
    assert server.client.get(f"/prints/{job['id']}/pictures/1").status_code == 404
    for path in ("preview", "pictures/0", "rule"):
        with server.anonymous_client() as client:
            assert client.get(f"/prints/{job['id']}/{path}").status_code in (401, 429)
        assert server.client.get(f"/prints/{'0' * 20}/{path}").status_code == 404


def test_only_our_own_pages_edit(server):
    with server.anonymous_client() as client:
        client.get(f"/?token={server.token}", headers={"Accept": "text/html"})
        for headers in ({}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
            for path in (f"/prints/{'0' * 20}/edit", f"/prints/{'0' * 20}/rule", "/settings"):
                assert client.post(path, headers=headers, data={"a": "b"}).status_code == 403


def test_settings_are_for_the_button_and_the_start_page(server, open_page):
    page = open_page("/settings")
    page.get_by_label("Paper", exact=True).select_option("A5")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    try:
        expect(page.get_by_label("Paper", exact=True)).to_have_value("A5")
        page.goto(server.url)
        page.get_by_text("Paper, theme, pictures").click()
        expect(page.get_by_label("Paper", exact=True)).to_have_value("A5")
        key = re.search(r'key = "([0-9a-f]{64})"', unquote(page.locator("#code").input_value()))[1]
        with server.anonymous_client() as client:
            sent = {"key": key, "url": "https://example.org/sent", "html": story_page("Sent to A5")}
            answer = client.post("/send", data=sent)
        print_id = re.search(r"/prints/([0-9a-f]{20})", answer.text)[1]
        assert pdf_of(server, server.wait_finished(print_id))[1] == pytest.approx(419.5, abs=1)
    finally:
        (server.home / ".local/share/webprint/defaults.json").unlink()


def test_a_change_that_fails_keeps_the_last_pdf_and_says_why(server, open_page):
    job = printed(server, url="https://example.org/kept", html=long_story())
    page = open_page(f"/prints/{job['id']}")
    before = settled(page)
    stored = server.home / f".local/share/webprint/prints/{job['id']}/0/base.zip"
    data = stored.read_bytes()
    stored.unlink()
    piece(page, "Boat 7.").click()
    count = page.locator("#count")
    expect(count).to_contain_text("This change failed. The PDF is still the previous version")
    expect(count).to_contain_text("is gone")
    expect(page.get_by_role("link", name="Open", exact=True)).not_to_have_attribute(
        "aria-disabled", "true"
    )
    assert pdf_of(server, job)[0] == before
    assert server.client.get(f"/prints/{job['id']}/pages/1").status_code == 200
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("the last change failed")
    expect(page.get_by_role("link", name="Download")).to_be_visible()
    assert "Boat 7." in server.client.get(job["links"]["article"]).json()["text"]
    stored.write_bytes(data)
    server.client.post(f"/prints/{job['id']}/retry")
    server.wait_finished(job["id"])
    assert "Boat 7." not in server.client.get(job["links"]["article"]).json()["text"]


def test_events_are_followed_although_the_server_is_busy(server, open_page):
    job = printed(server, url="https://example.org/busy", html=long_story())
    page = open_page(f"/prints/{job['id']}")
    settled(page)
    refused = []

    def refuse_twice(route):
        if len(refused) < 2:
            refused.append(route.request.url)
            route.fulfill(status=503, body="busy")
        else:
            route.continue_()

    page.route("**/events", refuse_twice)
    page.get_by_label("Title").fill("Busy harbour")
    page.get_by_label("Title").blur()
    expect(page.get_by_role("heading", level=1)).to_have_text("Busy harbour", timeout=WAIT)
    assert len(refused) == 2


def test_the_follower_of_events_gives_up_at_last(server, open_page):
    page = open_page("/settings")
    outcome = page.evaluate("""async () => {
        const { followPrint, retryDelay } = await import("/static/events.js");
        const made = [];
        class Source extends EventTarget {
            constructor() { super(); made.push(this); this.readyState = Source.CLOSED; }
            close() { this.closed = true; }
        }
        Source.CLOSED = 2;
        const calls = [];
        const real = window.setTimeout;
        window.setTimeout = (work) => work();
        followPrint("/x", { onPrint: (p) => calls.push(p.state), onGone() {}, onLost: () => calls.push("lost") }, Source);
        made[0].dispatchEvent(new MessageEvent("print", { data: '{"state": "running"}' }));
        for (let n = 0; n < 9; n++) made.at(-1).dispatchEvent(new Event("error"));
        window.setTimeout = real;
        return [made.length, calls, [0, 3, 99].map(retryDelay)];
    }""")
    assert outcome == [9, ["running", "lost"], [500, 4000, 15000]]


def test_all_pages_pictures_columns_and_their_size(server, open_page, web):
    web.add("/q.png", picture(), media_type="image/png")
    job = printed(server, url=web.add("/story", long_story()))
    assert job["result"]["pictures"] == 1
    page = open_page(f"/prints/{job['id']}")
    before = settled(page)
    page.get_by_text("All pages").click()
    assert page.locator("#sheets img").count() == before
    assert server.client.get(f"/prints/{job['id']}/pages/{before}").content[:4] == b"\x89PNG"
    for wrong in (0, before + 1, "x"):
        status = server.client.get(f"/prints/{job['id']}/pages/{wrong}").status_code
        assert status in (404, 422)
    page.get_by_label("Columns").select_option("2")
    settled(page)
    page.get_by_label("Picture size").select_option("0.5")
    settled(page)
    assert server.client.get(f"/api/prints/{job['id']}").json()["options"]["set"] == [
        "columns=2", "pictures=0.5",
    ]  # fmt: skip
    page.get_by_label("Page margins").select_option("8mm")
    less = settled(page)
    assert less < before
    assert page.locator("#sheets img").count() == less
    page.get_by_role("button", name="Remove all pictures").click()
    settled(page)
    done = server.client.get(f"/api/prints/{job['id']}").json()
    assert done["result"]["pictures"] == 0
    page.get_by_role("button", name="Undo").click()
    settled(page)
    assert server.client.get(f"/api/prints/{job['id']}").json()["result"]["pictures"] == 1
    assert page.complaints == []


def test_a_change_to_ten_pages_is_displayed_at_once(server, open_page, record_property):
    job = printed(server, url="https://example.org/long", html=long_story(boats=200))
    page = open_page(f"/prints/{job['id']}")
    assert settled(page) >= 10
    page.wait_for_function(
        "document.getElementById('preview').contentDocument.querySelector('.live')"
    )
    took = page.evaluate("""() => {
        const block = document.getElementById("preview").contentDocument.querySelectorAll("[data-block]")[3];
        const begun = performance.now();
        block.querySelector("p, button").click();
        if (!block.matches(".excluded")) throw new Error("it is not shown");
        return performance.now() - begun;
    }""")
    record_property("milliseconds", took)
    assert took < 200
    settled(page)


def test_pictures_are_removed_without_javascript(server, open_page, web):
    web.add("/q.png", picture(), media_type="image/png")
    job = printed(server, url=web.add("/story", long_story()))
    page = open_page(f"/prints/{job['id']}", java_script_enabled=False)
    page.get_by_role("button", name="Remove all pictures").click()
    assert server.wait_finished(job["id"])["result"]["pictures"] == 0
