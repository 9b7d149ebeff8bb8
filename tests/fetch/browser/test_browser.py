"""Captures with the real Chromium, the real proxy and a real server."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from printer.errors import (
    BadURL,
    BlockedAddress,
    FetchError,
    FetchTimeout,
    HTTPStatusError,
    NotHTML,
    TooLarge,
    UsageError,
)
from printer.fetch.browser.browser import Browser
from printer.fetch.ssrf import Guard
from printer.html.page import strip_markers
from printer.options import FetchOptions
from tests.support.web_server import Hit, Reply, WebServer, drip

pytestmark = pytest.mark.browser

OPTIONS = FetchOptions(timeout=60)


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[Browser, WebServer, WebServer]]:
    """One browser for many tests, a server it may reach and one it may not."""
    with WebServer() as web, WebServer() as inside:
        named = [web.url, f"http://page.test:{web.port}"]
        guard = Guard(named, resolve=lambda host: ["127.0.0.1"] if host == "page.test" else [host])
        with Browser(OPTIONS, guard) as browser:
            yield browser, web, inside


@pytest.fixture
def browser(shared: tuple[Browser, WebServer, WebServer]) -> Browser:
    shared[0].options = OPTIONS
    return shared[0]


@pytest.fixture
def site(shared: tuple[Browser, WebServer, WebServer]) -> WebServer:
    return shared[1]


@pytest.fixture
def inside(shared: tuple[Browser, WebServer, WebServer]) -> WebServer:
    return shared[2]


def page(script: str, body: str = "<main></main>") -> str:
    return f"<!DOCTYPE html><title>T</title>{body}<script>{script}</script>"


def text(browser: Browser, url: str) -> str:
    capture = browser.capture(url)
    assert capture.layout is not None
    return strip_markers(capture.body.decode(), capture.layout)


def test_text_rendered_by_scripts_is_captured(browser: Browser, site: WebServer) -> None:
    site.add("/story.json", '{"text": "Žluťoučký kůň"}', media_type="application/json")
    script = """fetch("/story.json").then((r) => r.json()).then((d) => setTimeout(() => {
        document.querySelector("main").innerHTML = "<p>" + d.text + "</p>"; }, 200));"""
    url = site.add("/app", page(script, "<main></main><noscript>Turn scripts on</noscript>"))
    capture = browser.capture(url + "#top")
    assert capture.layout is not None
    html = strip_markers(capture.body.decode("utf-8"), capture.layout)
    assert "<p>Žluťoučký kůň</p>" in html
    assert "Turn scripts on" not in html
    assert "<script" not in html
    assert capture.source.method == "browser"
    assert capture.source.charset == "utf-8"
    assert capture.source.media_type == "text/html"
    assert capture.url == capture.source.requested_url == url + "#top"
    assert capture.source.headers["content-type"] == "text/html; charset=utf-8"


def test_data_for_readers_stays(browser: Browser, site: WebServer) -> None:
    data = '<script type="application/ld+json">{"headline": "H"}</script>'
    assert data in text(browser, site.add("/data", page("", data)))


def test_shadow_trees_are_laid_out_as_rendered(browser: Browser, site: WebServer) -> None:
    script = """customElements.define("a-card", class extends HTMLElement {
        connectedCallback() { this.attachShadow({mode: "open"}).innerHTML =
            "<h2>From the shadow</h2><slot></slot><slot name=end>by default</slot>"; } });"""
    body = "<a-card><p>From the page</p><i slot=none>never shown</i></a-card>"
    html = text(browser, site.add("/card", page(script, body)))
    assert html.index("From the shadow") < html.index("From the page") < html.index("by default")
    assert "never shown" not in html
    assert html.count("From the page") == 1


def test_a_page_cannot_reach_into_the_reading(browser: Browser, site: WebServer) -> None:
    script = """for (const p of [Element.prototype, Document.prototype, Node.prototype])
        for (const n of ["outerHTML", "importNode", "childNodes", "appendChild"])
            Object.defineProperty(p, n, {get() { return () => { throw 1 }; }, configurable: true});
        JSON.stringify = () => "{}"; document.createElement = null;"""
    assert "<p>Words</p>" in text(browser, site.add("/evil", page(script, "<p>Words</p>")))


@pytest.mark.parametrize("height", [9_000, 400_000])  # the time to scroll does not suffice
def test_content_that_loads_on_scrolling_is_loaded(
    browser: Browser, site: WebServer, height: int
) -> None:
    script = """new IntersectionObserver((seen) => { if (seen.some((s) => s.isIntersecting))
        fetch("/late").then((r) => r.text()).then((t) => {
            document.getElementById("end").textContent = t; });
        }).observe(document.getElementById("end"));"""

    def late(hit: Hit) -> Reply:
        time.sleep(0.6)
        return Reply("came when it was seen", media_type="text/plain")

    site.add("/late", late)
    body = f'<div style="height: {height}px"></div><p id="end"></p>'
    assert "came when it was seen" in text(browser, site.add("/lazy", page(script, body)))


def test_redirects_of_every_kind_are_followed(browser: Browser, site: WebServer) -> None:
    site.add("/end", page("", "<p>The end</p>"))
    site.add("/script", page("location = '/end'"))
    site.add("/meta", '<meta http-equiv="refresh" content="0; url=/script">')
    url = site.redirect("/start", "/meta")
    capture = browser.capture(url)
    assert b"The end" in capture.body
    assert capture.url == site.url + "/end"
    assert capture.source.requested_url == url


def test_dialogs_popups_and_downloads_do_not_hold_it_up(browser: Browser, site: WebServer) -> None:
    site.add("/file.bin", b"x" * 99, media_type="application/octet-stream")
    script = """alert(1); confirm(2); prompt(3); open("/end"); open("about:blank");
        onbeforeunload = (e) => { e.preventDefault(); return "stay"; };
        const a = document.createElement("a"); a.href = "/file.bin"; a.download = "x"; a.click();
        print(); document.querySelector("main").textContent = "went on";"""
    start = time.monotonic()
    assert "went on" in text(browser, site.add("/noise", page(script)))
    assert time.monotonic() - start < OPTIONS.timeout


def test_service_workers_are_refused(browser: Browser, site: WebServer) -> None:
    site.add("/sw.js", "onfetch = () => 0", media_type="text/javascript")
    script = """const say = (t) => { document.querySelector("main").textContent = t; };
        const count = () => navigator.serviceWorker.getRegistrations()
            .then((all) => say(all.length + " registered"));
        navigator.serviceWorker.register("/sw.js").then(count, count);"""
    assert "0 registered" in text(browser, site.add("/worker", page(script)))
    assert not site.hits("/sw.js")


@pytest.mark.parametrize("status", [404, 403, 500])
def test_an_error_status_is_reported(browser: Browser, site: WebServer, status: int) -> None:
    url = site.add(f"/{status}", "<p>no</p>", status=status)
    with pytest.raises(HTTPStatusError, match=str(status)) as caught:
        browser.capture(url)
    assert caught.value.status == status


@pytest.mark.parametrize(
    ("media_type", "body", "description"),
    [
        ("application/pdf", b"%PDF-1.7", "a PDF"),
        ("image/png", b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        ("text/plain", b"words", "plain text"),
        ("application/json", b"{}", "JSON data"),
        ("application/zip", b"PK\x03\x04", "a ZIP archive"),
    ],
)
def test_other_media_types_are_named(
    browser: Browser, site: WebServer, media_type: str, body: bytes, description: str
) -> None:
    url = site.add("/other", body, media_type=media_type)
    with pytest.raises(NotHTML, match=description):
        browser.capture(url)


def test_nothing_private_is_reached_in_any_way(
    browser: Browser, site: WebServer, inside: WebServer
) -> None:
    """Redirects, frames, pictures, fetch, beacons, sockets, preloads, workers: none arrive."""
    inside.add("/secret", "swordfish", headers={"Access-Control-Allow-Origin": "*"})
    secret = inside.url + "/secret"
    by_name = secret.replace("127.0.0.1", "localhost")
    site.redirect("/bounce", secret)
    site.add("/w.js", f"fetch({secret!r}, {{mode: 'no-cors'}})", media_type="text/javascript")
    script = f"""
        for (const u of [{secret!r}, {by_name!r}, "/bounce"]) {{
            fetch(u).then((r) => r.text()).then((t) => document.body.append(t), () => 0);
            fetch(u, {{mode: "no-cors"}}).catch(() => 0);
            navigator.sendBeacon(u, "x"); new Image().src = u; new EventSource(u);
            const x = new XMLHttpRequest(); x.open("GET", u); x.send();
        }}
        new WebSocket({secret.replace("http", "ws")!r});
        new Worker("/w.js");
        try {{ new WebTransport({secret.replace("http", "https")!r}); }} catch {{}}"""
    body = f"""<main></main><iframe src="{secret}"></iframe><iframe src="/bounce"></iframe>
        <img src="{secret}"><object data="{secret}"></object><video src="{secret}"></video>
        <link rel="stylesheet" href="{secret}"><link rel="preload" as="fetch" href="{secret}">
        <link rel="prefetch" href="{secret}"><link rel="preconnect" href="{inside.url}">
        <link rel="dns-prefetch" href="{inside.url}"><img src="/bounce"><a ping="{secret}">a</a>"""
    html = text(browser, site.add("/hostile", page(script, body)))
    assert "swordfish" not in html
    assert not inside.hits()


def test_the_page_itself_may_not_lead_inside(
    browser: Browser, site: WebServer, inside: WebServer
) -> None:
    inside.add("/secret", "<p>swordfish</p>")
    by_status = site.redirect("/away", inside.url + "/secret")
    by_script = site.add("/away.js", page(f"location = '{inside.url}/secret'"))
    for url in (by_status, by_script, inside.url + "/secret"):
        with pytest.raises(BlockedAddress, match="--allow-private") as caught:
            browser.capture(url)
        assert inside.url in caught.value.url
    assert not inside.hits()


@pytest.mark.parametrize("target", ["file:///etc/passwd", "data:text/html,x", "chrome://version"])
def test_the_page_may_not_leave_the_web(browser: Browser, site: WebServer, target: str) -> None:
    capture = browser.capture(site.add("/leave", page(f"location = '{target}'", "<p>Here</p>")))
    assert b"Here" in capture.body
    assert b"root:" not in capture.body
    with pytest.raises(BadURL, match="not a web address"):
        browser.capture(site.redirect("/sent", target))


def test_webrtc_sends_nothing_past_the_proxy(browser: Browser, site: WebServer) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        udp.settimeout(0.2)
        port = udp.getsockname()[1]
        script = f"""const c = new RTCPeerConnection({{iceServers:
            [{{urls: "stun:127.0.0.1:{port}"}}, {{urls: "stun:page.test:{port}"}}]}});
            c.createDataChannel("x"); c.createOffer().then((o) => c.setLocalDescription(o));
            document.querySelector("main").textContent = "tried";"""
        assert "tried" in text(browser, site.add("/rtc", page(script)))
        with pytest.raises(TimeoutError):
            udp.recv(100)


def test_names_are_resolved_by_the_guard_alone(browser: Browser, site: WebServer) -> None:
    url = site.add("/named", page("", "<p>By name</p>"))
    assert "By name" in text(browser, url.replace("127.0.0.1", "page.test"))
    assert site.hits("/named")[0].headers["host"] == f"page.test:{site.port}"


def test_a_page_that_loads_without_end_is_read_as_it_stands(
    browser: Browser, site: WebServer
) -> None:
    site.add("/slow.png", drip(bytes(100_000), pause=0.05), media_type="image/png")
    url = site.add("/loads", page("", '<p>Words</p><img src="/slow.png">'))
    browser.options = FetchOptions(timeout=8)
    assert b"Words" in browser.capture(url).body


def test_a_page_that_hangs_ends_at_the_limit_and_the_next_one_works(
    browser: Browser, site: WebServer
) -> None:
    hanging = site.add("/hang", page("while (true) {}"))
    fine = site.add("/fine", page("", "<p>Fine</p>"))
    browser.options = FetchOptions(timeout=2)
    with pytest.raises(FetchTimeout, match="within 2 seconds"):
        browser.capture(hanging)
    browser.options = OPTIONS
    assert b"Fine" in browser.capture(fine).body


def test_a_server_that_does_not_answer_ends_at_the_limit(browser: Browser, site: WebServer) -> None:
    release = threading.Event()
    url = site.raw("/silent", lambda sock: bool(release.wait(60)))
    browser.options = FetchOptions(timeout=1)
    with pytest.raises(FetchTimeout):
        browser.capture(url)
    release.set()


def test_a_page_that_grows_without_end_is_too_large(site: WebServer) -> None:
    script = 'document.querySelector("main").textContent = "x".repeat(3e6);'
    url = site.add("/grows", page(script))
    with Browser(FetchOptions(timeout=20, max_bytes=1_000_000), Guard([url])) as browser:
        with pytest.raises(TooLarge, match="1 MB"):
            browser.capture(url)
        loads = "for (let i = 0; i < 40; i++) fetch('/big?' + i, {cache: 'no-store'})"
        site.add("/big", bytes(900_000), media_type="image/png")
        with pytest.raises(TooLarge, match="loads more than 10 MB"):
            browser.capture(site.add("/loader", page(loads)))


def test_a_very_deep_page_is_read_or_refused(browser: Browser, site: WebServer) -> None:
    script = """let at = document.querySelector("main");
        for (let i = 0; i < 20000; i++) at = at.appendChild(document.createElement("div"));
        at.textContent = "bottom";"""
    url = site.add("/deep", page(script))
    try:
        assert "bottom" in text(browser, url)
    except FetchError as error:
        assert "\n" not in str(error)  # noqa: PT017
    assert "T" in text(browser, site.add("/after", page("")))


def test_cookies_and_headers_go_where_they_belong(
    site: WebServer, other_web: WebServer, tmp_path: Path
) -> None:
    jar = tmp_path / "cookies.txt"
    jar.write_text(
        "# Netscape HTTP Cookie File\n"
        "127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\tabc\n"
        "#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t4102444800\tquiet\tdef\n"
    )
    other_picture = other_web.add("/there.png", b"1", media_type="image/png")
    site.redirect("/bounce.png", other_picture)
    site.add("/here.png", b"1", media_type="image/png")
    body = f'<img src="/here.png"><img src="{other_picture}"><img src="/bounce.png"><p>Words</p>'
    site.add("/given", page("", body))
    url = site.redirect("/first", "/given")
    options = FetchOptions(
        timeout=20,
        cookies=str(jar),
        headers=(("X-Key", "hunter2"), ("Accept-Language", "cs")),
        user_agent="reader/3",
        allow_private=True,
    )
    with Browser(options, Guard([url], allow_private=True)) as browser:
        assert b"Words" in browser.capture(url).body
    for path in ("/first", "/given", "/here.png", "/bounce.png"):
        hit = site.hits(path)[-1]
        assert hit.headers["x-key"] == "hunter2", path
        assert hit.headers["accept-language"] == "cs"
        assert hit.headers["user-agent"] == "reader/3"
        assert set(hit.headers["cookie"].split("; ")) == {"session=abc", "quiet=def"}
    assert len(other_web.hits()) >= 2
    for hit in other_web.hits():
        assert "hunter2" not in str(hit)
        assert "cookie" not in hit.headers


def test_captures_do_not_know_of_each_other(browser: Browser, site: WebServer) -> None:
    script = """document.querySelector("main").textContent = document.cookie || "nobody";
        document.cookie = "who=me";"""
    url = site.add("/who", page(script))
    assert "nobody" in text(browser, url)
    assert "nobody" in text(browser, url)


def test_the_browser_says_who_it_is(browser: Browser, site: WebServer) -> None:
    browser.capture(site.add("/agent", page("")))
    agent = site.hits("/agent")[0].headers["user-agent"]
    assert "Chrome/" in agent
    assert " webprint/" in agent


def test_a_refused_connection_is_one_line(browser: Browser) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    with Browser(OPTIONS, Guard([url])) as new_browser, pytest.raises(FetchError) as caught:
        new_browser.capture(url)
    assert "refused the connection" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_cookie_the_browser_does_not_take_is_a_usage_error(
    site: WebServer, tmp_path: Path
) -> None:
    jar = tmp_path / "cookies.txt"
    jar.write_text("# Netscape HTTP Cookie File\n\tFALSE\t/\tFALSE\t0\tsession\tabc\n")
    options = FetchOptions(timeout=20, cookies=str(jar))
    with Browser(options, Guard([site.url])) as browser, pytest.raises(UsageError):
        browser.capture(site.add("/x", page("")))


def test_retries_are_not_needed_for_a_page_that_changes_while_it_is_read(
    browser: Browser, site: WebServer
) -> None:
    def answer(hit: Hit) -> Reply:
        again = "location.reload()" if len(site.hits("/again")) < 4 else ""
        return Reply(page(f"setTimeout(() => {{ {again} }}, 30)", "<p>Settled</p>"))

    assert "Settled" in text(browser, site.add("/again", answer))
