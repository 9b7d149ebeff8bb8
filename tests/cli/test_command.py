"""The command line as users run it, in a new process where that matters."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pikepdf
import pypdfium2
import pytest

from printer.errors import (
    BadURL,
    BlockedAddress,
    FetchError,
    FetchTimeout,
    HTTPStatusError,
    NoArticle,
    NotHTML,
    OutputError,
    RenderError,
    TooLarge,
    UsageError,
)
from tests.support.story_page import SENTENCE, story_page
from tests.support.web_server import Reply


def start(*arguments, **options):
    code = "from printer.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Where the tests run in the background, their children would ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        **options,
    )


def text_of(pdf):
    document = pypdfium2.PdfDocument(pdf)
    try:
        return " ".join(page.get_textpage().get_text_bounded() for page in document)
    finally:
        document.close()


def test_a_page_is_printed_to_the_file_named(webprint, web, tmp_path):
    code, out, err = webprint(web.add("/story", story_page()), "out.pdf")
    assert (code, out) == (0, "")
    assert err.startswith("out.pdf: 1 page, 0 pictures, ")
    text = text_of(tmp_path / "out.pdf")
    assert "The ferry leaves the harbour" in text
    assert "It was day 5." in text
    assert "Home" not in text


def test_without_a_name_the_file_is_named_after_the_title(webprint, web, tmp_path):
    url = web.add("/story", story_page())
    for expected in ("Harbour lights go dark.pdf", "Harbour lights go dark 2.pdf"):
        assert webprint(url)[0] == 0
        assert (tmp_path / expected).is_file()
    assert webprint(url, "--force")[0] == 0
    assert len(list(tmp_path.iterdir())) == 2


def test_a_local_file_and_options_before_the_page(webprint, tmp_path):
    (tmp_path / "saved.html").write_text(story_page())
    assert webprint("--paper", "A5", "--margin=10mm", "saved.html", "a5.pdf")[0] == 0
    with pikepdf.open(tmp_path / "a5.pdf") as pdf:
        box = [float(x) for x in pdf.pages[0].mediabox]
    assert box[2:] == pytest.approx([419.5, 595.3], abs=0.5)


def test_standard_input_to_standard_output(tmp_path):
    process = start("-", "--url", "https://example.org/a", "-o", "-", cwd=tmp_path)
    out, err = process.communicate(story_page().encode(), timeout=180)
    assert process.returncode == 0, err.decode()
    assert out.startswith(b"%PDF")
    assert "The ferry leaves" in text_of(out)
    assert list(tmp_path.iterdir()) == []


def test_several_pages_make_several_files_and_a_failed_one_stops_no_others(webprint, web, tmp_path):
    urls = [web.add(f"/{n}", story_page(f"Story {n}")) for n in (1, 2)]
    missing = f"{web.url}/missing"
    code, _, err = webprint(urls[0], missing, urls[1], "-o", tmp_path)
    assert code == HTTPStatusError.exit_code
    assert (tmp_path / "Story 1.pdf").is_file()
    assert (tmp_path / "Story 2.pdf").is_file()
    assert "404" in err


def test_a_bundle_is_one_file(webprint, web, tmp_path):
    urls = [web.add(f"/{n}", story_page(f"Story number {n}")) for n in (1, 2)]
    code, _, err = webprint(*urls, f"{web.url}/missing", "--bundle", "both.pdf")
    assert code == HTTPStatusError.exit_code
    assert "404" in err
    text = text_of(tmp_path / "both.pdf")
    assert "Story number 1" in text
    assert "Story number 2" in text


def test_a_bundle_that_fails_as_a_whole_is_one_error(webprint, web):
    urls = [web.add(f"/{n}", story_page(f"Story number {n}")) for n in (1, 2)]
    code, out, err = webprint(*urls, "--json", "--bundle", "/dev/full", "--format", "pdf")
    assert code == OutputError.exit_code
    assert len(err.splitlines()) == 1
    assert [json.loads(line)["url"] for line in out.splitlines()] == urls


def test_extract_writes_json(webprint, web):
    code, out, err = webprint("extract", web.add("/story", story_page()))
    assert (code, err) == (0, "")
    article = json.loads(out)
    assert article["title"] == "Harbour lights go dark"
    assert len(article["paragraphs"]) == 6
    assert article["language"] == "en"


def test_extract_shows_warnings_although_the_page_fails(webprint, web, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    code, _, err = webprint("extract", f"{web.url}/missing")
    assert code == HTTPStatusError.exit_code
    assert "warning: " in err
    assert "cache" in err


@pytest.mark.parametrize(
    ("form", "begins"), [("markdown", "# Harbour lights"), ("text", "Harbour lights")]
)
def test_extract_writes_other_forms(webprint, tmp_path, form, begins):
    (tmp_path / "saved.html").write_text(story_page())
    code, out, _ = webprint("extract", "saved.html", "--to", form)
    assert code == 0
    assert out.lower().startswith(begins.lower())
    assert "It was day 5." in out
    assert webprint("extract", "saved.html", "--to", form, "-o", "copy")[0] == 0
    assert (tmp_path / "copy").read_text() == out


@pytest.mark.browser
def test_a_page_of_scripts_is_loaded_in_a_browser(webprint, web, tmp_path):
    script = f"document.body.innerHTML = `{story_page().partition('<body>')[2]}`"
    shell = f"<title>Shell</title><body><div id=app></div><script>{script}</script>"
    code, _, err = webprint(web.add("/app", shell), "out.pdf", "--verbose")
    assert code == 0, err
    assert "loading the page in a browser" in err
    assert "It was day 5." in text_of(tmp_path / "out.pdf")


def test_an_article_over_several_pages_is_one(webprint, web, tmp_path):
    def part(number):
        link = f'<a rel="next" href="/s?page={number + 1}">Next</a>' if number < 3 else ""
        return Reply(story_page("One long story", f"<p>Part {number} says: {SENTENCE}</p>{link}"))

    web.add("/s", lambda hit: part(int(hit.query.partition("=")[2] or 1)))
    assert webprint(f"{web.url}/s", "all.pdf")[0] == 0
    text = text_of(tmp_path / "all.pdf")
    assert all(f"Part {number} says" in text for number in (1, 2, 3))
    assert webprint(f"{web.url}/s", "one.pdf", "--no-follow")[0] == 0
    assert "Part 2 says" not in text_of(tmp_path / "one.pdf")


def fails(webprint, *arguments):
    code, out, err = webprint(*arguments)
    assert out == ""
    assert "Traceback" not in err
    assert err.count("\n") == 1, err
    assert err.startswith("webprint: ")
    return code, err


class TestFailures:
    """Each failure is one line with the next step, and has its own exit code."""

    @pytest.mark.parametrize("option", ["--papper", "--paper=B99", "--render=maybe", "--timeout=x"])
    def test_a_wrong_option(self, webprint, tmp_path, option):
        (tmp_path / "a.html").write_text(story_page())
        assert fails(webprint, "a.html", option)[0] == UsageError.exit_code

    @pytest.mark.parametrize(
        "url", ["htp://example.org", "javascript:alert(1)", "http://", "nofile"]
    )
    def test_a_bad_address(self, webprint, url):
        assert fails(webprint, url)[0] == BadURL.exit_code

    @pytest.mark.parametrize("name", ["savd.html", "out.pdf"])
    def test_a_file_that_is_not_there(self, webprint, name):
        code, err = fails(webprint, name)
        assert code == BadURL.exit_code
        assert f"there is no file {name!r}" in err

    def test_a_file_of_a_kind_that_is_not_written(self, webprint, web):
        code, err = fails(webprint, web.add("/a", story_page()), "out.docx")
        assert code == UsageError.exit_code
        assert ".epub" in err
        assert not web.hits("/a")

    def test_a_wrong_call_of_a_command_names_its_own_help(self, webprint):
        assert "See webprint extract --help" in fails(webprint, "extract")[1]
        assert "See webprint --help" in fails(webprint, "--papper", "a.html")[1]
        assert "Value error" not in fails(webprint, "a.html", "--format", "docx")[1]

    def test_nobody_there(self, webprint, web):
        web.close()
        code, err = fails(webprint, web.url)
        assert code == FetchError.exit_code
        assert "refused" in err

    def test_too_slow(self, webprint, web):
        url = web.add("/slow", lambda: iter(lambda: time.sleep(0.1) or b" ", None))
        assert fails(webprint, url, "--timeout", "1")[0] == FetchTimeout.exit_code

    @pytest.mark.parametrize("status", [403, 404, 410, 451])
    def test_an_error_status(self, webprint, web, status):
        code, err = fails(webprint, web.add("/x", "no", status=status))
        assert code == HTTPStatusError.exit_code
        assert str(status) in err

    def test_a_redirect_to_a_private_address(self, webprint, web, other_web):
        target = other_web.add("/secret", story_page())
        code, err = fails(webprint, web.redirect("/r", target))
        assert code == BlockedAddress.exit_code
        assert "--allow-private" in err
        assert other_web.hits() == []

    def test_too_large(self, webprint, web):
        url = web.add("/large", "x" * 50_000)
        assert fails(webprint, url, "--max-size", "20000")[0] == TooLarge.exit_code

    def test_a_pdf(self, webprint, web):
        code, err = fails(webprint, web.add("/p", b"%PDF-1.7 ...", media_type="application/pdf"))
        assert code == NotHTML.exit_code
        assert "PDF" in err

    def test_no_article(self, webprint, web):
        url = web.add("/empty", "<title>Nothing</title><body></body>")
        code, err = fails(webprint, url, "--render", "never")
        assert code == NoArticle.exit_code
        assert "leave out --render never" in err

    def test_no_way_to_make_the_pdf(self, webprint, tmp_path, monkeypatch):
        from weasyprint import Document

        def broken(*_, **__):
            raise ZeroDivisionError("a fault in the typesetter")

        monkeypatch.setattr(Document, "write_pdf", broken)
        (tmp_path / "a.html").write_text(story_page())
        (tmp_path / "out.pdf").write_bytes(b"old")
        assert fails(webprint, "a.html", "out.pdf")[0] == RenderError.exit_code
        assert (tmp_path / "out.pdf").read_bytes() == b"old"

    def test_nowhere_to_write(self, webprint, tmp_path):
        (tmp_path / "a.html").write_text(story_page())
        code, err = fails(webprint, "a.html", "missing/out.pdf")
        assert code == OutputError.exit_code
        assert "no folder" in err

    def test_an_internal_error(self, webprint, tmp_path, monkeypatch):
        def broken(*_, **__):
            raise ZeroDivisionError

        monkeypatch.setattr("printer.pipeline.read_page", broken)
        (tmp_path / "a.html").write_text(story_page())
        code, err = fails(webprint, "a.html")
        assert code == 1
        assert "report" in err

    def test_only_debug_shows_the_traceback(self, webprint):
        assert "Traceback" in webprint("nofile", "--debug")[2]
        assert "Traceback" not in webprint("nofile", "--verbose")[2]


def test_an_interrupted_run_leaves_the_old_file(web, tmp_path):
    out = tmp_path / "out.pdf"
    out.write_bytes(b"old")
    url = web.add("/slow", lambda: iter(lambda: time.sleep(0.1) or b" ", None))
    process = start(url, out, env={**os.environ, "WEBPRINT_CACHE": "false"})
    deadline = time.monotonic() + 120
    while not web.hits("/slow") and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert err == b"webprint: interrupted; no incomplete file was left\n"
    assert out.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [out]


def test_nothing_slow_is_imported_before_interrupts_are_handled():
    root = Path(__file__).parent.parent.parent
    code = "import sys, printer.cli; print({'typing', 're', 'pathlib'} & sys.modules.keys())"
    command = [sys.executable, "-S", "-E", "-c", code]  # as site may import some of them
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


def test_a_closed_pipe_is_no_traceback(tmp_path):
    (tmp_path / "a.html").write_text(story_page())
    process = start(tmp_path / "a.html", "-o", "-")
    process.stdout.close()
    process.stdin.close()
    err = process.stderr.read().decode()
    assert process.wait(180) == OutputError.exit_code
    assert "Traceback" not in err
    process.stderr.close()


@pytest.mark.parametrize(
    "arguments", ["a.html -o -", "extract a.html", "a.html b.pdf --json", "config"]
)
@pytest.mark.parametrize("stdout", [">/dev/full", ">&-"])
def test_a_full_or_closed_stdout_is_an_error_in_one_line(tmp_path, arguments, stdout):
    (tmp_path / "a.html").write_text(story_page())
    command = f"{sys.executable} -m printer {arguments} {stdout}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.returncode == OutputError.exit_code
    assert done.stderr.splitlines()[-1].startswith("webprint: the output cannot be written: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("streams", ["2>&-", "2>/dev/full", "<&- >&- 2>&-"])
def test_a_print_needs_no_streams(tmp_path, streams):
    (tmp_path / "a.html").write_text(story_page())
    command = f"{sys.executable} -m printer a.html b.pdf {streams}"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True, env=environment)
    assert (tmp_path / "b.pdf").read_bytes().startswith(b"%PDF")


def test_quiet_says_nothing(webprint, tmp_path):
    (tmp_path / "a.html").write_text(story_page())
    assert webprint("a.html", "out.pdf", "--quiet") == (0, "", "")


@pytest.mark.parametrize("words", [(), ("digest",)])
def test_without_a_word_there_is_help_and_nothing_else(webprint, words):
    code, out, err = webprint(*words)
    assert (code, err) == (UsageError.exit_code, "")
    assert "Usage" in out


def test_version(webprint):
    code, out, _ = webprint("--version")
    assert code == 0
    assert out.startswith("webprint 0.")


def test_config_shows_where_each_setting_comes_from(webprint, tmp_path, monkeypatch):
    (tmp_path / "webprint.toml").write_text('paper = "A5"')
    monkeypatch.setenv("WEBPRINT_DPI", "150")
    monkeypatch.setenv("WEBPRINT_HEADER", "Cookie: secret")
    code, out, _ = webprint("config")
    assert code == 0
    lines = {line.split(" ")[0]: line for line in out.splitlines()}
    assert lines["paper"].endswith('"A5"                     # webprint.toml')
    assert lines["dpi"].endswith("# environment")
    assert lines["theme"].endswith("# default")
    assert "secret" not in out


def test_a_terminal_is_not_sent_a_pdf(webprint, tmp_path, monkeypatch):
    (tmp_path / "a.html").write_text(story_page())
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    code, _, err = webprint("a.html", "-o", "-", "--quiet")
    assert code == UsageError.exit_code
    assert "Redirect" in err


def test_the_ending_of_the_file_names_the_form_of_an_extract(webprint, tmp_path):
    (tmp_path / "saved.html").write_text(story_page())
    assert webprint("extract", "saved.html", "-o", "story.md")[0] == 0
    assert (tmp_path / "story.md").read_text().startswith("# ")
    assert webprint("extract", "saved.html", "last.md") == (0, "", "")
    assert (tmp_path / "last.md").read_text() == (tmp_path / "story.md").read_text()
    assert webprint("extract", "saved.html", "last.markdown")[0] == 0
    assert (tmp_path / "last.markdown").read_text() == (tmp_path / "story.md").read_text()
    assert webprint("extract", "saved.html", "-o", "story")[0] == 0
    assert json.loads((tmp_path / "story").read_text())["title"]
    for _ in range(2):
        assert webprint("extract", "saved.html", "last.txt") == (0, "", "")
    assert (tmp_path / "last.txt").read_text().startswith("Harbour lights")


def test_config_set_checks_a_paper_with_the_theme_in_force(webprint, tmp_path):
    assert webprint("config", "set", "--here", "paper", "kobo")[0] == 2
    assert webprint("config", "set", "--here", "theme", "ereader")[0] == 0
    assert webprint("config", "set", "--here", "paper", "kobo")[0] == 0


def test_several_pages_are_extracted_to_one_list_or_a_folder(webprint, web, tmp_path):
    for name in ("One", "Two"):
        (tmp_path / f"{name}.html").write_text(story_page(name))
    code, out, _ = webprint("extract", "One.html", "Two.html")
    assert code == 0
    assert [article["title"] for article in json.loads(out)] == ["One", "Two"]
    code, out, _ = webprint("extract", "One.html", "Two.html", "--to", "markdown")
    assert out.index("# One") < out.index("\n---\n") < out.index("# Two")
    code, out, err = webprint("extract", "One.html", f"{web.url}/gone", "--to", "text", "-o", "d/")
    assert (code, out) == (HTTPStatusError.exit_code, "")
    assert "404" in err
    assert (tmp_path / "d/One.txt").read_text().startswith("One")


@pytest.mark.parametrize("delay", [0.0, 0.2])
def test_an_interrupt_while_modules_are_loaded_is_one_line(tmp_path, delay):
    (tmp_path / "a.html").write_text(story_page())
    process = start("a.html", "out.pdf", cwd=tmp_path)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not children.read_text():  # the renderer, forked before most modules are loaded
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert not (tmp_path / "out.pdf").exists()


def test_password_and_size_errors_name_their_options(webprint, web):
    url = web.add("/x", "no", status=401, headers={"WWW-Authenticate": 'Basic realm="x"'})
    assert "--user NAME:PASSWORD" in fails(webprint, url)[1]
    url = web.add("/large", "x" * 50_000)
    code, err = fails(webprint, url, "--max-size", "20kB")
    assert code == TooLarge.exit_code
    assert "--max-size" in err


def test_a_very_long_article_is_announced(webprint, tmp_path, monkeypatch):
    monkeypatch.setattr("printer.cli.print.LONG_ARTICLE", 50)
    paragraphs = f"<p>{'The ferry left the quay at noon with all the island on board. ' * 8}</p>"
    (tmp_path / "a.html").write_text(f"<article><h1>The ferry</h1>{paragraphs * 20}</article>")
    first, *_, last = webprint("a.html", "out.pdf")[2].splitlines()
    assert "--print-timeout" not in first
    announced, printed = (int(re.search(r"(\d+) pages", line)[1]) for line in (first, last))
    assert abs(announced - printed) <= 1
    monkeypatch.setattr("printer.cli.print.LETTERS_PER_SECOND", 100)
    assert "minutes; --print-timeout " in webprint("a.html", "out.pdf")[2]
    assert "may take" not in webprint("a.html", "out.md")[2]
