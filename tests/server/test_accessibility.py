"""Every page of the server passes axe, light and dark, on a phone and on a desktop, and nothing on it
is wider than the screen."""

import pytest

from tests.support.effort import THOROUGH
from tests.support.story_page import story_page

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = pytest.mark.browser

SCREENS = {"phone, dark": (360, 740, "dark"), "desktop, light": (1200, 900, "light")}
if THOROUGH:
    SCREENS |= {"phone, light": (360, 740, "light"), "desktop, dark": (1200, 900, "dark")}

MISSING = f"/prints/{'0' * 20}"
STATUS = {MISSING: 404, "/sign-in": 401}


@pytest.fixture(scope="module")
def paths(server):
    done = server.submit(url="https://example.org/story", html=story_page("Harbour lights"))
    lost = server.submit(url=f"{server.url}/lost")
    states = [server.wait_finished(answer.json()["id"])["state"] for answer in (done, lost)]
    assert states == ["done", "failed"]
    server.client.post("/later/import", data={"text": "https://example.org/a A ferry"})
    rules = server.home / ".config/webprint/rules"
    rules.mkdir(parents=True)
    (rules / "example.org.toml").write_text('drop = [".ad", ".more"]\n')
    (rules / "example.net.toml.off").write_text('drop = "p["\n')
    done = done.json()["id"]
    yield [
        "/", "/print?url=https://example.org/story", f"/prints/{done}", f"/prints/{done}/deliver",
        f"/prints/{done}/rule", f"/prints/{done}/preview", f"/prints/{lost.json()['id']}",
        "/settings", "/history", "/history?q=harbour", "/history?q=nothing",
        "/later", "/rules", "/send", MISSING, "/sign-in",
    ]  # fmt: skip
    for file in rules.iterdir():
        file.unlink()


@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing(server, browser, paths, screen):
    width, height, scheme = SCREENS[screen]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    page.goto(f"{server.url}/?token={server.token}")
    for path in paths:
        if path == "/sign-in":
            context.clear_cookies()
        status = page.goto(server.url + path).status
        assert status == STATUS.get(path, 200), path
        for summary in page.locator("details:not([open]) > summary").all():
            if summary.is_visible():
                summary.click()
        violations = axe.Axe().run(page).response["violations"]
        assert [(path, v["id"], v["nodes"][0]["failureSummary"]) for v in violations] == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
    context.close()
