"""Signing in with a simulated user, and printing with the saved session."""

import asyncio
import base64
import json
import stat

import pytest

from printer.cli.config import save_login
from printer.errors import BlockedAddress, FetchError, UsageError
from printer.fetch.browser.browser import Browser
from printer.fetch.client import HttpClient
from printer.fetch.credentials import read_storage_state, write_storage_state
from printer.fetch.ssrf import Guard
from printer.options import FetchOptions
from printer.settings import Settings
from tests.support.web_server import Hit, Reply

STORY = "<article><h1>Members</h1>" + "<p>The tide came in over the flats.</p>" * 12 + "</article>"
FORM = """<title>Sign in</title><form action="/in" method=get><input name=who>
<button>Go</button></form>"""


@pytest.fixture
def members(web):
    """A site that asks for a name, then serves its story by cookie; one page reads its local storage."""

    def story(hit: Hit) -> Reply:
        if "session=ann" in hit.headers.get("cookie", ""):
            return Reply(STORY)
        return Reply("<p>Members only</p>", 403)

    def enter(hit: Hit) -> Reply:
        page = "<p>Welcome</p><script>localStorage.setItem('key', 'kept')</script>"
        cookies = (("Set-Cookie", "session=ann; HttpOnly; Max-Age=9000"), ("Set-Cookie", "b=2"))
        return Reply(page, headers=cookies)

    web.add("/login", FORM)
    web.add("/in", enter)
    web.add("/story", story)
    web.add("/kept", "<p id=k></p><script>k.textContent = localStorage.getItem('key')</script>")
    return web


async def ann(page):
    await page.fill("input", "ann")
    await page.click("button")
    await page.wait_for_selector("text=Welcome")


def sign_in(members, file, person=ann):
    settings = Settings(storage_state=str(file), timeout=60)
    save_login(members.url + "/login", settings, person, visible=False)


@pytest.mark.browser
def test_a_state_is_saved_for_its_owner_alone_and_prints(members, tmp_path):
    file = tmp_path / "state.json"
    sign_in(members, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]
    options = FetchOptions(timeout=60, storage_state=str(file), cache=False)
    with HttpClient(options, user_urls=[members.url]) as static:
        assert b"tide" in static.get_page(members.url + "/story").body
    with Browser(options, Guard([members.url])) as browser:
        assert b"tide" in browser.capture(members.url + "/story").body
        assert b">kept<" in browser.capture(members.url + "/kept").body
    plain = FetchOptions(timeout=60, cache=False)
    with HttpClient(plain, user_urls=[members.url]) as static, pytest.raises(FetchError):
        static.get_page(members.url + "/story")


@pytest.mark.browser
def test_signing_in_again_begins_where_it_ended(members, tmp_path):
    file = tmp_path / "state.json"
    sign_in(members, file)

    async def read_story(page):
        await page.goto(members.url + "/story")
        assert "tide" in await page.content()

    sign_in(members, file, read_story)
    assert "session" in {cookie["name"] for cookie in json.loads(file.read_text())["cookies"]}


@pytest.mark.browser
def test_a_page_that_is_closed_ends_it(members, tmp_path):
    from printer.fetch.browser.login import at_the_keyboard

    keyboard = at_the_keyboard(lambda: asyncio.run(asyncio.sleep(60)))

    async def closes(page):
        waiting = asyncio.create_task(keyboard(page))
        await asyncio.sleep(0)
        await page.close()
        await asyncio.wait_for(waiting, 10)

    sign_in(members, tmp_path / "state.json", closes)
    assert json.loads((tmp_path / "state.json").read_text())["cookies"] == []


FORGER = """<p>Welcome</p><script>
localStorage.setItem("own", "1");
localStorage.setItem("unreadable", "\\0");
JSON.stringify = () => '{"origin": "https://bank.test", "localStorage": [{"name": "a", "value": "b"}]}';
</script>"""


@pytest.mark.browser
@pytest.mark.parametrize("closes", [True, False])
def test_a_page_saves_no_state_of_another_site_and_does_not_break_the_file(
    members, tmp_path, closes
):
    async def stays(page):
        await page.wait_for_selector("text=Welcome")
        await asyncio.sleep(1.0)
        if closes:
            await page.context.browser.close()

    members.add("/login", FORGER)
    sign_in(members, tmp_path / "state.json", stays)
    state = read_storage_state(str(tmp_path / "state.json"))
    assert {entry["origin"] for entry in state.origins} <= {members.url}
    if not closes:
        assert state.origins[0]["localStorage"] == [{"name": "own", "value": "1"}]


def test_pages_cannot_store_so_much_that_the_state_is_unreadable(tmp_path):
    origins = [
        {"origin": f"https://a{n}.test", "localStorage": [{"name": "a", "value": "\1" * size}]}
        for n, size in enumerate([2_000_000, 2_000_000, 10, 2_000_000])
    ]
    write_storage_state(str(tmp_path / "state.json"), {"cookies": [], "origins": origins})
    state = read_storage_state(str(tmp_path / "state.json"))
    assert "https://a2.test" in {entry["origin"] for entry in state.origins}


@pytest.mark.browser
def test_signing_in_reaches_nothing_private_that_was_not_named(members, other_web, tmp_path):
    members.redirect("/away", other_web.add("/secret", "<p>swordfish</p>"))
    settings = Settings(storage_state=str(tmp_path / "s.json"), timeout=60)
    with pytest.raises(BlockedAddress):
        save_login(members.url + "/away", settings, ann, visible=False)
    assert not other_web.hits()
    assert not (tmp_path / "s.json").exists()


def test_login_needs_a_file_and_a_browser_that_shows_itself(webprint, monkeypatch, tmp_path):
    code, _, err = webprint("login", "https://example.org/")
    assert code == UsageError.exit_code
    assert "--storage-state" in err
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    code, _, err = webprint("login", "https://example.org/", "--storage-state", "s.json")
    assert code == 13
    assert "--cookies" in err


@pytest.mark.parametrize("option", ["--header=A: b", "--user=me:secret"])
def test_login_refuses_options_that_it_cannot_use(webprint, option):
    code, _, err = webprint("login", "https://example.org/", "--storage-state", "s.json", option)
    assert code == UsageError.exit_code
    assert option.partition("=")[0] in err


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"cookies": [1]}',
        '{"cookies": [{"name": "a"}]}',
        '{"origins": [{"origin": "file:///"}]}',
        "[" * 9000,
    ],
)
def test_invalid_storage_states_are_refused(content, tmp_path):
    file = tmp_path / "state.json"
    file.write_text(content)
    with pytest.raises(UsageError, match="saved state"):
        HttpClient(FetchOptions(storage_state=str(file)))
    with pytest.raises(UsageError, match="cannot be read"):
        HttpClient(FetchOptions(storage_state=str(tmp_path / "none")))


@pytest.mark.browser
def test_a_name_and_password_go_to_the_named_site_alone(web, other_web):
    token = base64.b64encode(b"ann:hunter2").decode()

    def story(hit: Hit) -> Reply:
        right = hit.headers.get("authorization") == f"Basic {token}"
        return Reply(STORY + f'<img src="{other_web.url}/p.png">', 200 if right else 401)

    url = web.add("/story", story)
    options = FetchOptions(timeout=60, user="ann:hunter2", allow_private=True, cache=False)
    with HttpClient(options, user_urls=[url]) as static:
        assert b"tide" in static.get_page(url).body
    with Browser(options, Guard([url], allow_private=True)) as browser:
        assert b"tide" in browser.capture(url).body
    assert other_web.hits()
    assert not [hit for hit in other_web.hits() if "authorization" in hit.headers]
    assert "hunter2" not in repr(options)


@pytest.mark.parametrize("user", ["ann", ":secret"])
def test_a_user_without_name_or_password_is_refused(user):
    with pytest.raises(UsageError, match="NAME:PASSWORD"):
        HttpClient(FetchOptions(user=user))
