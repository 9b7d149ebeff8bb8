"""The job handler: pages through the real pipeline, results into storage."""

import io
import json

import pikepdf
import pytest

from printer.editing import Edit
from printer.errors import BadURL, UsageError
from printer.jobs import (
    EDIT_PART,
    PAGE_PART,
    REQUEST_OPTIONS,
    Attempt,
    JobRequest,
    engine,
    merge_options,
    request_options,
    snapshot_key,
    validate_request,
)
from printer.jobs.handler import JobHandler
from printer.jobs.storage import Storage
from printer.settings import Settings, setting_fields
from tests.support.story_page import story_page

SETTINGS = Settings(render="never", cache=False)


def do(request, place, private=True, steps=None):
    handler = JobHandler(SETTINGS, str(place), private)
    return handler(Attempt("abc", 1, request), (steps if steps is not None else []).append)


def test_a_page_is_fetched_and_printed(web, tmp_path):
    steps = []
    url = web.add("/story", story_page())
    outcome = do(JobRequest(url, {"paper": "A5"}), tmp_path, steps=steps)
    assert outcome["done"]["title"] == "Harbour lights go dark"
    assert steps == ["fetch", "extract", "pictures", "print", "store"]
    storage = Storage(str(tmp_path))
    with pikepdf.open(io.BytesIO(storage.get("abc/1/article.pdf"))) as pdf:
        assert len(pdf.pages) == outcome["done"]["pages"]
        assert float(pdf.pages[0].mediabox[2]) == pytest.approx(148 / 25.4 * 72, abs=1)
    assert json.loads(storage.get("abc/1/article.json"))["title"] == "Harbour lights go dark"


def test_a_page_that_was_sent_is_printed_without_a_look_at_the_web(web, tmp_path):
    page = story_page("As I saw it").encode()
    outcome = do(JobRequest(f"{web.url}/members", {}, {PAGE_PART: page}), tmp_path)
    assert outcome["done"]["title"] == "As I saw it"
    assert web.hits() == []


def test_a_page_that_fails_says_why(web, tmp_path):
    outcome = do(JobRequest(f"{web.url}/nothing"), tmp_path)
    assert outcome["failed"]["kind"] == "HTTPStatusError"
    assert outcome["failed"]["code"] == 6


def test_private_addresses_are_refused_to_remote_users(web, tmp_path):
    outcome = do(JobRequest(web.add("/story", story_page())), tmp_path, private=False)
    assert outcome["failed"]["kind"] == "BlockedAddress"
    page = story_page(extra=f"<figure><img src='{web.url}/a.png' width=600 height=400></figure>")
    outcome = do(
        JobRequest(f"{web.url}/x", {}, {PAGE_PART: page.encode()}), tmp_path, private=False
    )
    assert outcome["done"]["pictures"] == 0
    assert web.hits() == []


def test_a_page_that_was_sent_names_no_private_address(web, tmp_path):
    """A page on which the print button is pressed knows its key, and may lie about its address."""
    web.add("/reboot.png", b"")
    page = story_page(
        extra=f"<figure><img src='{web.url}/reboot.png' width=600 height=400></figure>"
    )
    outcome = do(JobRequest(f"{web.url}/", {}, {PAGE_PART: page.encode()}), tmp_path)
    assert outcome["done"]["pictures"] == 0
    assert web.hits() == []


def test_no_file_is_read(tmp_path):
    secret = tmp_path / "secret.html"
    secret.write_text(story_page("Secret"))
    for url in (secret.as_uri(), str(secret), "ftp://example.org/", "http://", "javascript:1"):
        assert do(JobRequest(url), tmp_path)["failed"]["kind"] == "BadURL", url
        sent = JobRequest(url, {}, {PAGE_PART: story_page().encode()})
        assert do(sent, tmp_path)["failed"]["kind"] == "BadURL", url
    page = story_page(
        extra=f"<figure><img src='{(tmp_path / 'a.png').as_uri()}' width=600></figure>"
    )
    outcome = do(JobRequest("https://example.org/", {}, {PAGE_PART: page.encode()}), tmp_path)
    assert outcome["done"]["pictures"] == 0


def test_a_storage_that_cannot_be_written_puts_the_job_back(tmp_path):
    (tmp_path / "abc").write_text("in the way")
    outcome = do(
        JobRequest("https://example.org/", {}, {PAGE_PART: story_page().encode()}), tmp_path
    )
    assert "cannot be stored" in outcome["not_stored"]


def test_what_cannot_be_decoded_is_a_failure_and_not_a_full_storage(tmp_path):
    Storage(str(tmp_path)).put(snapshot_key("abc"), b"damaged")
    outcome = do(JobRequest("https://example.org/", {}, {EDIT_PART: Edit().dump()}), tmp_path)
    assert outcome["failed"]["message"] == "the saved print cannot be read for editing"


def test_the_settings_of_a_request_go_over_those_of_the_server():
    base = Settings(paper="A5", font_size="12pt", cookies="/home/me/cookies.txt")
    chosen = merge_options(base, {"paper": "Letter", "images": "none"})
    assert (chosen.paper, chosen.font_size, chosen.images) == ("Letter", "12pt", "none")
    assert chosen.cookies == base.cookies


@pytest.mark.parametrize("name", sorted(set(Settings.model_fields) - set(request_options())))
def test_server_settings_cannot_be_set_by_requests(name):
    value = getattr(Settings(), name)
    with pytest.raises(UsageError, match="not an option"):
        merge_options(Settings(), {name: value})


def test_every_setting_of_a_page_is_open_to_requests_or_known_to_be_closed():
    """Decide for a new one: open is what names no file and reaches nothing else."""
    closed = {"set", "css", "dpi", "ner", "print_timeout", "deterministic", "rules"}
    panels = {name: notes["panel"] for name, _, notes in setting_fields()}
    chosen = {name for name in panels if panels[name] in ("Page", "Article")}
    assert chosen <= REQUEST_OPTIONS | closed
    assert set(panels) >= REQUEST_OPTIONS
    fetching = {name for name in REQUEST_OPTIONS if panels[name] not in ("Page", "Article")}
    assert fetching == {"render", "follow"}


@pytest.mark.parametrize("theme", ["../templates/article", "/etc", "./article", "~/x", "nothing"])
def test_a_theme_is_named_not_found_by_path(theme):
    with pytest.raises(UsageError, match="no such theme"):
        merge_options(Settings(), {"theme": theme})


@pytest.mark.parametrize(
    "options", [{"paper": 5}, {"images": "perhaps"}, {"paper": "A" * 300}, {"x" * 500: 1}]
)
def test_impossible_options_are_reported_briefly(options):
    with pytest.raises(UsageError) as raised:
        validate_request(JobRequest("https://example.org/", options), Settings())
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize("url", ["https://example.org/\ud800", "https://a b/", "https://[", "x"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(BadURL):
        validate_request(JobRequest(url), Settings())


def test_default_places(home_folder):
    queue = engine.open_queue(Settings())
    assert queue.count_by_state()["queued"] == 0
    queue.disconnect()
    folder = home_folder / ".local/share/webprint"
    assert (folder / "jobs.sqlite").exists()
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / "jobs.sqlite").stat().st_mode & 0o077 == 0
    assert engine.storage_location(Settings()) == str(folder / "prints")
