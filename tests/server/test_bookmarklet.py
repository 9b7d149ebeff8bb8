"""The print button in a real Chromium, on difficult pages of other origins."""

import re
from urllib.parse import unquote

import pytest

from tests.support.certificates import make_certificate
from tests.support.csp import STRICT
from tests.support.story_page import SENTENCE, story_page
from tests.support.web_server import Reply, WebServer

sync_api = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def signed_in(browser, server):
    """The state of a browser that has been on the start page once, and the code of its buttons."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{server.url}/?token={server.token}")
        codes = [
            page.get_by_role("link", name=name).get_attribute("href")
            for name in ("Print this", "Read later")
        ]
        return context.storage_state(), *codes


@pytest.fixture
def context(browser, signed_in):
    state, button, later = signed_in
    new_context = browser.new_context(ignore_https_errors=True, storage_state=state)
    new_context.button, new_context.later = button, later
    yield new_context
    new_context.close()


@pytest.fixture(scope="module")
def secure(tmp_path_factory):
    """A web server with a certificate that nobody signed."""
    tls = make_certificate(tmp_path_factory.mktemp("certificate"), "localhost")
    with WebServer(wrap=lambda sock: tls.wrap_socket(sock, server_side=True)) as web:
        yield web


def press(context, page):
    """Run the bookmarklet on a page, as a click on a bookmark does; return the page it opens.

    Chromium runs bookmarks past a page's policy, and so does the debugger.
    """
    with context.expect_page() as opened:
        page.evaluate(unquote(context.button.removeprefix("javascript:")))
    print_page = opened.value
    print_page.wait_for_url(re.compile(r"/prints/[0-9a-f]{20}$"), timeout=20_000)
    return print_page


def printed(server, print_page):
    """Wait for the print a page shows; return what its article is."""
    print_id = print_page.url.rpartition("/")[2]
    job = server.wait_finished(print_id)
    assert job["state"] == "done", job
    article = server.client.get(f"/api/prints/{print_id}/article").json()
    return article["title"], article["text"], job


def test_a_plain_page(server, context, other_web):
    page = context.new_page()
    page.goto(other_web.add("/story", story_page()))
    print_page = press(context, page)
    title, text, job = printed(server, print_page)
    assert title == "Harbour lights go dark"
    assert SENTENCE.strip() in text
    assert job["url"] == f"{other_web.url}/story"
    print_page.get_by_role("button", name="Print").wait_for(timeout=10_000)


def test_a_page_behind_a_login(server, context, other_web):
    def members(hit):
        cookie = hit.headers.get("cookie", "")
        return Reply(story_page("For members")) if "who=me" in cookie else Reply("Log in", 403)

    url = other_web.add("/members", members)
    context.add_cookies([{"name": "who", "value": "me", "url": url}])
    page = context.new_page()
    page.goto(url)
    title, _, _ = printed(server, press(context, page))
    assert title == "For members"
    methods = [hit.method for hit in other_web.hits("/members")]
    assert methods == ["GET", "HEAD"], "the server asked for nothing, the button for the header"


@pytest.mark.parametrize("more", [{}, {"Cross-Origin-Opener-Policy": "same-origin"}])
def test_the_second_bookmark_puts_an_address_on_the_reading_list(server, context, other_web, more):
    headers = tuple({**STRICT, **more}.items())
    url = other_web.add(f"/later{len(more)}", Reply("<h1>Long</h1>", headers=headers))
    page = context.new_page()
    page.goto(url + "?a=1,2&b=%20#part")
    with context.expect_page() as opened:
        page.evaluate(unquote(context.later.removeprefix("javascript:")))
    opened.value.get_by_text("Added to your reading list").wait_for()
    assert "#" not in opened.value.url
    assert f"{url}?a=1,2&b=%20#part" in server.client.get("/api/later").json()


def as_member(context, members, path):
    context.add_cookies([{"name": "who", "value": "me", "url": members.url}])
    page = context.new_page()
    page.goto(members.url + path)
    return page


@pytest.mark.parametrize("path", ["/members", "/strict"], ids=["plain", "with a strict policy"])
def test_pictures_behind_a_login_come_from_the_browser(server, context, members, path):
    page = as_member(context, members, path)
    _, _, job = printed(server, press(context, page))
    assert job["result"]["pictures"] == 2, job["result"]["warnings"]
    assert job["result"]["warnings"] == []
    picture_hits = [hit for hit in members.hits() if hit.path.endswith(".png")]
    assert all("who=me" in hit.headers["cookie"] for hit in picture_hits), (
        "the server fetched nothing"
    )


def test_a_wider_version_is_sent_for_print(server, context, members):
    page = as_member(context, members, "/members")
    print_page = press(context, page)
    printed(server, print_page)
    article = server.client.get(f"/api/prints/{print_page.url.rpartition('/')[2]}/article").json()
    sources = [block["src"] for block in article["blocks"] if block.get("src")]
    assert sources == [f"{members.url}/a.png", f"{members.url}/wide.png"]


def test_a_picture_in_a_selection_is_sent(server, context, members):
    page = as_member(context, members, "/members")
    page.evaluate(
        "() => { const p = document.querySelectorAll('article p');"
        "const f = document.querySelector('figure');"
        "getSelection().setBaseAndExtent(p[4], 0, f, f.childNodes.length); }"
    )
    _, _, job = printed(server, press(context, page))
    assert job["result"]["pictures"] == 1, job["result"]["warnings"]


def test_a_page_that_forbids_forms_scripts_and_connections(server, context, other_web):
    page = context.new_page()
    page.goto(other_web.add("/strict", story_page("Under strict rules"), headers=STRICT))
    assert printed(server, press(context, page))[0] == "Under strict rules"


def test_a_secure_page_and_a_server_that_is_not(server, context, secure):
    page = context.new_page()
    page.goto(secure.add("/story", story_page("Over a secure line"), headers=STRICT))
    assert printed(server, press(context, page))[0] == "Over a secure line"


def test_a_page_that_isolates_itself_from_its_windows(server, context, secure):
    headers = {**STRICT, "Cross-Origin-Opener-Policy": "same-origin"}
    page = context.new_page()
    page.goto(secure.add("/alone", story_page("All alone" + "!" * 3), headers=headers))
    page.evaluate(unquote(context.button.removeprefix("javascript:")))
    with context.expect_page() as opened:
        page.get_by_role("button", name="Click here to send this page").click()
    print_page = opened.value
    print_page.wait_for_url(re.compile(r"/prints/[0-9a-f]{20}$"), timeout=20_000)
    assert printed(server, print_page)[0] == "All alone!!!"


def test_no_script_of_the_page_gets_at_a_print(server, context, other_web):
    """The page can read the key in the button, and with it it may send and nothing else."""
    key = re.search(r'key = "([0-9a-f]{64})"', unquote(context.button))[1]
    with server.anonymous_client(Authorization=f"Bearer {key}") as client:
        assert client.get("/api/prints").status_code in (401, 429)
    with server.anonymous_client(Cookie=f"webprint={key}") as client:
        assert client.get("/api/prints").status_code in (401, 429)
        sent = client.post("/send", data={"key": "0" * 64, "html": story_page()})
        assert sent.status_code == 403


def test_a_link_elsewhere_asks_before_it_prints(server, context, other_web):
    address = other_web.add("/story", story_page())
    link = f"{server.url}/print?url={address}"
    page = context.new_page()
    page.goto(other_web.add("/links", f"<a href='{link}'>Print it</a>"))
    before = len(server.client.get("/api/prints", params={"limit": 200}).json())
    page.get_by_role("link").click()
    page.get_by_role("heading", name="Print this page?").wait_for()
    assert len(server.client.get("/api/prints", params={"limit": 200}).json()) == before
    assert page.get_by_label("Address of the page").input_value() == address
    page.get_by_label("Address of the page").press("Enter")
    page.wait_for_url(re.compile(r"/prints/[0-9a-f]{20}$"))
    assert printed(server, page)[0] == "Harbour lights go dark"


def test_a_person_prints_with_the_keyboard_alone(server, context, web):
    page = context.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(server.url)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type(web.add("/story", story_page()))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/prints/[0-9a-f]{20}$"))
    page.get_by_role("link", name="Download").wait_for(timeout=20_000)
    assert complaints == []


def test_the_way_in(server, browser):
    fresh = browser.new_context()
    page = fresh.new_page()
    assert page.goto(server.url).status == 401
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button").click()
    page.get_by_role("alert").wait_for()
    page.get_by_label("Token").fill(server.token)
    page.get_by_role("button").click()
    page.get_by_role("heading", name="The print button").wait_for()
    assert "token" not in page.url
    (cookie,) = fresh.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert cookie["value"] != server.token
    fresh.close()
