"""Lists of pages printed to a folder, interrupted and resumed."""

import json
import signal
import tempfile
import time
from collections import Counter

import pytest

from tests.support.story_page import story_page
from tests.support.web_server import Reply

#: Options that make it quick.
QUICK = (
    "--delay",
    "0",
    "--retry-delay",
    "0.1",
    "--workers",
    "1",
    "--no-cache",
    "--render",
    "never",
)


@pytest.fixture
def start(warm):
    """Start the command as a process; what is still running at the end is killed."""
    started = []

    def start(folder, listed, *options, **streams):
        (folder / "urls.txt").write_text("\n".join(listed))
        process = warm.start(
            "printer.cli:main", "batch", "urls.txt", "out", *QUICK, *options, cwd=folder, **streams
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def run(start):
    """Run the command; return its exit code and its messages."""

    def run(folder, listed, *options):
        with (folder / "out.jsonl").open("wb") as out, tempfile.TemporaryFile() as messages:
            code = start(folder, listed, *options, stdout=out, stderr=messages).wait(180)
            messages.seek(0)
            return code, messages.read().decode()

    return run


def pdfs(folder):
    return sorted(path.name for path in (folder / "out").glob("*.pdf"))


@pytest.mark.slow
def test_a_list_is_printed_and_failures_are_reported(web, tmp_path, run):
    moody = Counter()

    def sometimes(hit):
        moody[hit.path] += 1
        return Reply(story_page("After a while")) if moody[hit.path] > 3 else Reply("", 503)

    (tmp_path / "webprint.toml").write_text('format = "epub"\n')  # A batch prints PDFs.
    web.add("/one", story_page("A ferry / at dawn"))
    web.add("/two", story_page("A ferry / at dawn"))
    web.add("/moody", sometimes)
    form = "<form><input type=password></form>"
    web.add("/closed", f"<title>Log in</title><h1>Log in</h1><p>Welcome back.</p>{form}")
    listed = [
        "# my list", "", f"{web.url}/one", f"{web.url}/one?utm_source=x#top", f"{web.url}/two",
        f"{web.url}/none", f"{web.url}/moody", "ftp://example.org/", "what is this",
        f"{web.url}/closed",
    ]  # fmt: skip
    code, output = run(tmp_path, listed, "--json")
    assert code == 6, output
    lines = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    pages = {line["url"]: line for line in lines}
    assert pages[f"{web.url}/moody"]["out"] == "out/After a while.pdf"
    assert pages[f"{web.url}/moody"]["complete"]
    assert pages[f"{web.url}/none"]["error"]["status"] == 404
    assert pages["what is this"]["error"]["kind"] == "BadURL"
    assert len(pages) == 7
    assert pdfs(tmp_path) == ["A ferry at dawn 2.pdf", "A ferry at dawn.pdf", "After a while.pdf"]
    assert "1 failed: the server answered 404 Not Found" in output
    assert "1 failed: this looks like a sign-in page" in output
    assert "3 of 7 printed, 4 failed, 1 listed more than once" in output
    report = json.loads((tmp_path / "out/report.json").read_text())
    assert report["counts"] == {
        "listed": 8, "repeated": 1, "printed": 3, "failed": 4, "not printed": 0,
    }  # fmt: skip
    by_line = {page["line"]: page for page in report["pages"]}
    assert by_line[6]["error"]["code"] == 6
    assert by_line[6]["tries"] == 1  # a missing page is not requested again
    assert by_line[7]["state"] == "done"
    assert by_line[8]["error"]["kind"] == "BadURL"
    text = (tmp_path / "out/report.txt").read_text()
    assert f"line 6: {web.url}/none" in text
    # Begun again, only what failed is tried again.
    before = len(web.hits("/one"))
    web.add("/none", story_page("Here it is"))
    code, output = run(tmp_path, listed)
    assert code == 3, output
    assert "Here it is.pdf" in pdfs(tmp_path)
    assert len(web.hits("/one")) == before == 1
    assert run(tmp_path, listed[2:5], "--no-retry")[0] == 0


@pytest.mark.slow
def test_a_list_that_is_killed_is_finished_without_doing_anything_again(web, tmp_path, start, run):
    listed = [web.add(f"/story-{n}", story_page(f"Story {n}")) for n in range(4)]
    process = start(tmp_path, listed)
    until = time.monotonic() + 120
    while len(pdfs(tmp_path)) < 2 and process.poll() is None:
        assert time.monotonic() < until, "nothing was printed"
        time.sleep(0.005)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    done = {name: (tmp_path / "out" / name).read_bytes() for name in pdfs(tmp_path)}
    code, output = run(tmp_path, listed)
    assert code == 0, output
    assert pdfs(tmp_path) == sorted(f"Story {n}.pdf" for n in range(4))
    assert done.items() <= {n: (tmp_path / "out" / n).read_bytes() for n in pdfs(tmp_path)}.items()
    # What the worker had in its hands at each kill is printed again, and nothing else.
    assert len(web.hits()) <= 4 + 1


def test_a_folder_is_one_process_s_at_a_time(tmp_path, run):
    import fcntl

    state = tmp_path / "out/.webprint"
    state.mkdir(parents=True)
    with (state / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        code, output = run(tmp_path, ["https://example.org/"])
    assert code == 2
    assert "another process" in output
