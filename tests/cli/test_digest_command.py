"""The digests' commands, with a real layout."""

import json
import threading
from pathlib import Path
from types import SimpleNamespace

import pikepdf
import pytest

from printer.article import Article
from printer.capture import PageSource
from printer.cli import digest
from printer.digest.config import Source, load_digests
from printer.digest.selection import SelectedStory, StoryCandidate
from printer.files import lock_file
from printer.jobs.queue import JobQueue
from printer.output import ExtractedPage, PageResult, Result
from printer.settings import data_folder
from tests.support.feeds import moment, page, rss
from tests.support.jobs import closing_queue, wait_until


@pytest.fixture
def sites(web):
    """Two feeds with sections, of which one site is gone."""
    for title in ("Harbour lights", "Council votes", "Winter bread"):
        web.add("/" + title.split()[0], page(title))
    news = [
        ("Harbour lights", "/Harbour", moment(2, 1)),
        ("Council votes", "/Council", moment(1, 1)),
    ]
    web.add("/news.xml", rss("The Courier", news), media_type="application/rss+xml")
    web.add("/food.xml", rss("The Oven", [("Winter bread", "/Winter", moment(1, 1))]))
    link = '<link rel="alternate" type="application/rss+xml" href="/news.xml">'
    web.add("/", f"<html><head>{link}</head><p>Welcome")
    return web


def describe(sites, more=""):
    Path("webprint.toml").write_text(
        f'format = "epub"\npaper = "A5"\n\n[[digest]]\nname = "morning"\ntitle = "The Morning Paper"\n{more}\n'
        f'[[digest.source]]\nfeed = "{sites.url}/news.xml"\nsection = "News"\n\n'
        f'[[digest.source]]\nfeed = "{sites.url}/food.xml"\nsection = "Food"\n\n'
        f'[[digest.source]]\nfeed = "{sites.url}/gone.xml"\nname = "The Gone"\n'
    )


def outline(items):
    return [(str(item.title), outline(item.children)) for item in items]


def test_a_digest_is_printed_once(webprint, sites):
    describe(sites)
    code, out, err = webprint("digest", "run", "morning", "paper.pdf", "--json", "--render=never")
    assert code == 0
    assert "The Gone: the server answered 404" in err
    *lines, failed = map(json.loads, out.splitlines())
    assert [line["title"] for line in lines] == ["Harbour lights", "Council votes", "Winter bread"]
    assert [line["section"] for line in lines] == ["News", "News", "Food"]
    assert all(line["out"] == "paper.pdf" and line["complete"] for line in lines)
    assert (failed["url"], failed["error"]["status"]) == (f"{sites.url}/gone.xml", 404)
    with pikepdf.open("paper.pdf") as pdf, pdf.open_outline() as contents:
        assert outline(contents.root) == [
            ("News", [("Harbour lights", []), ("Council votes", [])]),
            ("Food", [("Winter bread", [])]),
            ("Not in this issue", []),
        ]
        assert pdf.docinfo["/Title"] == "The Morning Paper"
        assert len(str(pdf.docinfo["/Keywords"]).split(",")) > 3
        # The theme's page is A5, as the settings say.
        assert round(float(pdf.pages[0].mediabox[2]) / 72 * 25.4) == 148
    code, _, err = webprint("digest", "run", "morning", "--render=never")
    assert (code, err.splitlines()[-1]) == (0, "morning: nothing new")


def test_a_run_waits_for_another_of_the_same_digest(webprint, sites):
    describe(sites)
    webprint("digest", "run", "morning", "paper.epub", "--render=never")
    other_run = lock_file(data_folder() / "digest-morning.lock")
    threading.Timer(0.5, other_run.close).start()
    code, _, err = webprint("digest", "run", "morning", "again.epub", "--render=never")
    lines = err.splitlines()
    assert (code, lines[0]) == (0, "morning: waiting for another run of it to end")
    assert lines[-1] == "morning: nothing new"


def test_the_content_of_the_pages(webprint, sites):
    import pypdfium2

    describe(sites)
    webprint("digest", "run", "morning", "paper.pdf", "--render=never")
    with pypdfium2.PdfDocument("paper.pdf") as pdf:
        pages = [page.get_textpage().get_text_range() for page in pdf]
    assert "The Morning Paper" in pages[0]
    assert "3 articles" in pages[0]
    contents = " ".join(pages[1].split())
    print(contents)
    assert contents.index("News") < contents.index("Council votes") < contents.index("Food")
    assert "words" in contents
    first = int(contents.split("Harbour lights")[1].split(" The Courier")[0].strip(" ."))
    assert "Harbour lights" in pages[first - 1]
    assert "2 min" in pages[first - 1] or "1 min" in pages[first - 1]
    assert "The Gone" in pages[-1]


def test_check_says_why_and_remembers_nothing(webprint, sites):
    describe(sites, 'exclude = "council"')
    for _ in range(2):
        code, out, _ = webprint("digest", "check", "morning", "--render=never")
        assert code == 0
        assert "+ Harbour lights" in out
        assert "- Council votes: contains council" in out
        assert "! The Gone: " in out


def test_list_names_the_next_time(webprint, sites):
    describe(sites, 'schedule = "0 6 * * *"')
    _, out, _ = webprint("digest", "list")
    assert out.startswith("morning: The Morning Paper, 3 sources, next ")


def test_errors_name_their_line(webprint, sites):
    describe(sites, "limit = 0")
    code, _, err = webprint("digest", "run", "morning")
    assert code == 2
    assert "webprint.toml, line 7: digest.limit" in err


def test_an_unknown_digest_is_named_with_the_known(webprint, sites):
    describe(sites)
    code, _, err = webprint("digest", "check", "evening")
    assert code == 2
    assert "There are morning" in err


def test_add_creates_a_digest_and_keeps_the_rest_of_the_file(webprint, sites):
    Path("webprint.toml").write_text('# Mine\npaper = "A5" # small\n')
    webprint("digest", "add", sites.url, "--digest", "daily", "--section", "News")
    webprint("digest", "add", f"{sites.url}/food.xml", "--digest", "daily")
    webprint("digest", "add", f"{sites.url}/food.xml", "--digest", "other")
    webprint("digest", "add", f"{sites.url}/news.xml", "--digest", "other")
    assert webprint("digest", "add", f"{sites.url}/news.xml", "--digest", "daily")[0] == 0
    assert Path("webprint.toml").read_text().startswith('# Mine\npaper = "A5" # small\n')
    daily, other = load_digests()
    news, food = f"{sites.url}/news.xml", f"{sites.url}/food.xml"
    assert [source.feed for source in daily.source] == [news, food]
    assert [source.feed for source in other.source] == [food, news]
    assert (daily.source[0].name, daily.source[0].section) == ("The Courier", "News")


def test_opml_goes_in_and_out(webprint, tmp_path):
    Path("in.opml").write_text(
        '<opml version="2.0"><body><outline text="News"><outline text="A &quot;b&quot;"'
        ' xmlUrl="https://example.org/a"/></outline><outline xmlUrl="https://example.org/b"/>'
        "</body></opml>"
    )
    assert webprint("digest", "import", "in.opml", "--digest", "daily")[0] == 0
    webprint("digest", "export", "daily", "-o", "out.opml")
    (daily,) = load_digests()
    assert [(s.feed, s.name, s.section) for s in daily.source] == [
        ("https://example.org/a", 'A "b"', "News"), ("https://example.org/b", "", ""),
    ]  # fmt: skip
    text = Path("out.opml").read_text()
    assert 'xmlUrl="https://example.org/a"' in text
    assert 'text="A &quot;b&quot;"' in text


def test_later_puts_on_the_reading_list_once(webprint):
    for place in ("added to", "already in"):
        code, _, err = webprint("later", "example.org/a", "--reading-list", "list.txt")
        assert (code, err) == (0, f"{place} list.txt: example.org/a\n")
    assert Path("list.txt").read_text() == "https://example.org/a\n"


@pytest.mark.slow
def test_a_killed_scheduler_continues_and_stops_on_request(
    webprint, sites, tmp_path, monkeypatch, warm
):
    monkeypatch.chdir(tmp_path)
    deliver = f'[[digest.deliver]]\nfolder = "{tmp_path}/papers"\n'
    describe(sites, f'schedule = "0 6 * * *"\ncatch-up = "1h"\n{deliver}')
    slot = 1767592800.0
    with closing_queue(JobQueue(str(data_folder() / "jobs.sqlite"))) as queue:
        job_id = queue.submit_digest("morning", slot)
        assert queue.submit_digest("morning", slot) == job_id
        program = ("printer.cli:main", "digest", "schedule", "--render=never")
        with Path("log").open("wb") as log:
            process = warm.start(*program, stderr=log)
            try:
                wait_until(lambda: Path("log").read_text().startswith("morning: next "))
                wait_until(lambda: queue.get(job_id).state == "running")
            finally:
                process.kill()
                process.wait()
            process = warm.start(*program, stderr=log)
            try:
                wait_until(lambda: queue.get(job_id).state == "done")
            finally:
                process.terminate()
            assert process.wait(60) == 0
        assert queue.get(job_id).result["articles"] == 3
    assert len(list(Path("papers").glob("*.pdf"))) == 1
    _, out, _ = webprint("jobs")
    assert "digest morning  The Morning Paper" in out


def test_a_digest_for_an_e_reader(webprint, sites):
    import zipfile

    describe(sites)
    code, _, err = webprint("digest", "run", "morning", "paper.epub", "--render=never")
    assert code == 0
    assert "paper.epub: 3 articles, EPUB" in err
    with zipfile.ZipFile("paper.epub") as book:
        pages = [book.read(name).decode() for name in book.namelist() if name.endswith("html")]
    assert any("News · The Courier · 1 min" in page for page in pages)
    assert any("The Gone: the server answered 404" in page for page in pages)


def test_a_redirected_story_has_the_result_of_its_own_page():
    requested, url = "https://feeds.test/redirect", "https://site.test/real"
    page = ExtractedPage(Article("A", (), url=url), PageSource(url, requested))
    candidate = StoryCandidate(
        url=requested, source=Source(feed="https://feeds.test/f"), source_index=0
    )
    issue = SimpleNamespace(
        stories=[SelectedStory(candidate, page, None)], digest=SimpleNamespace(name="morning"),
        sources=(), rejected=(),
    )  # fmt: skip
    result = Result(b"", 1, "A", outcomes=(PageResult(requested, "A", warnings=("cut",)),))
    (line,) = digest.json_lines(issue, result, ())
    assert (line["url"], line["warnings"], line["complete"]) == (url, ["cut"], False)
