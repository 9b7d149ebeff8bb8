"""Which pages a browser loads, and the messages about it."""

import json
import threading

import pytest

from printer.errors import NoArticle
from printer.fetch.browser.process import BrowserProcess
from tests.support.story_page import story_page
from tests.support.web_server import Hit, Reply

pytestmark = pytest.mark.browser

SHELL = """<!DOCTYPE html><title>App</title><div id=app></div><script>
document.getElementById("app").innerHTML = "<article><h1>From a script</h1>" +
  "<p>It was day when the boats came in, and the quay was full of people.</p>".repeat(9);
</script>"""


def test_a_clear_article_needs_no_browser(webprint, web):
    url = web.add("/story", story_page())
    code, _, err = webprint("extract", url, "-v", "-o", "out.json")
    assert code == 0
    assert "found without a browser" in err
    assert len(web.hits("/story")) == 1


def test_a_page_without_its_text_is_loaded_in_a_browser_with_the_reason(webprint, web):
    url = web.add("/app", SHELL)
    code, out, err = webprint("extract", url, "-v", "--to", "text")
    assert code == 0
    assert "quay was full" in out
    assert "in a browser, as there is no article without one" in err


def test_a_page_without_its_text_is_explained_as_it_is_printed(webprint, web):
    url = web.add("/app", SHELL)
    code, out, _ = webprint("explain", url, "--json")
    assert code == 0
    selected = [s["text"] for s in json.loads(out)["segments"] if s["keep"]]
    assert any("quay was full" in text for text in selected)


def test_a_page_without_an_article_is_explained(webprint, web):
    url = web.add("/empty", "<title>x</title><script>1</script>")
    code, out, err = webprint("explain", url, "--json")
    assert code == 0
    assert json.loads(out)["segments"] == []
    assert "in a browser did not help" in err


def test_a_page_that_is_not_clear_is_loaded_and_prints_when_that_fails(
    webprint, web, monkeypatch, tmp_path
):
    monkeypatch.setattr("printer.pipeline.MIN_CONFIDENCE", 2.0)
    url = web.add("/story", story_page())
    code, out, err = webprint("extract", url, "-v", "--to", "text")
    assert code == 0
    assert "not clear without one" in err
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    code, again, err = webprint("extract", url, "--to", "text")
    assert code == 0
    assert again == out
    assert "warning: the page was not loaded in a browser: no Chromium" in err


def test_a_browser_that_does_not_help_is_reported(webprint, web):
    url = web.add("/empty", "<title>x</title><script>1</script>")
    code, _, err = webprint("extract", url)
    assert code == NoArticle.exit_code
    assert "in a browser did not help" in err


def test_a_wall_of_consent_and_a_banner_are_not_the_article(webprint, web):
    privacy = "<p>We and our partners store and use what your device tells of you.</p>" * 12
    page = f"""<!DOCTYPE html><style>body {{ margin: 0; overflow: hidden; height: 100% }}
        main {{ width: 600px; margin: 0 auto }}
        #wall {{ position: fixed; inset: 0; background: #fff; z-index: 9; overflow: auto }}
        #app {{ position: sticky; top: 0 }}</style>
        <div id=app><p>Read this in our app, which is free and better than this page.</p></div>
        <div id=wall><article><h2>Your privacy</h2>{privacy}<button>Accept all</button></article>
        </div>{story_page()}"""
    url = web.add("/walled", page)
    code, out, _ = webprint("extract", url, "--render", "always", "--to", "text")
    assert code == 0
    assert "It was day 5." in out
    assert "partners" not in out
    assert "our app" not in out


def test_several_pages_are_loaded_at_once_in_one_browser_and_printed_in_order(
    webprint, web, tmp_path, monkeypatch
):
    meeting = threading.Barrier(3, timeout=60)

    def answer(hit: Hit) -> Reply:
        meeting.wait()  # None is answered before all three have asked.
        return Reply(story_page(f"Story {hit.path[1:]}"))

    started = []
    start = BrowserProcess.start
    monkeypatch.setattr(
        BrowserProcess, "start", lambda *a, **k: started.append(1) or start(*a, **k)
    )
    urls = [web.add(f"/{name}", answer) for name in ("one", "two", "three")]
    missing = web.url + "/gone"
    code, out, err = webprint(urls[0], missing, *urls[1:], "--render", "always", "--json")
    assert code != 0
    assert "404" in err
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["title"] for line in lines] == ["Story one", "", "Story two", "Story three"]
    assert [line["url"] for line in lines] == [urls[0], missing, *urls[1:]]
    assert [line["complete"] for line in lines] == [True, False, True, True]
    assert (lines[1]["out"], lines[1]["error"]["status"]) == (None, 404)
    assert sorted(path.name for path in tmp_path.glob("*.pdf")) == [
        "Story one.pdf", "Story three.pdf", "Story two.pdf",
    ]  # fmt: skip
    assert len(started) == 1
