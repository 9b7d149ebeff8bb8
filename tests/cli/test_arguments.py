"""Arguments of the command line: pages, lists of pages, and output files."""

import json
from datetime import date

import pytest

from printer.article import Article
from printer.cli.options import Target, split_output
from printer.errors import OutputError, UsageError
from tests.support.story_page import story_page


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saved.html").write_text(story_page())
    (tmp_path / "there").mkdir()


def parse(out="", bundle="", pages=1, format_option="auto", force=False):
    return Target.parse(out, bundle, pages=pages, format_option=format_option, force=force)


ARTICLE = Article(
    "Tide: high/low?", (), url="https://news.example.org/a", byline="Ann / Bob",
    published="2026-03-04T10:00:00Z", site="The ..Courier",
)  # fmt: skip


@pytest.mark.parametrize(
    ("out", "path"),
    [
        ("", "Tide high low.pdf"),
        ("a.pdf", "a.pdf"),
        ("there", "there/Tide high low.pdf"),
        ("new/", "new/Tide high low.pdf"),
        ("{title}.pdf", "Tide high low.pdf"),
        ("{host}/{date} {author}.pdf", "news.example.org/2026-03-04 Ann Bob.pdf"),
    ],
)
def test_an_output_is_a_file_a_folder_or_a_template(out, path):
    assert str(parse(out).path(ARTICLE, ".pdf")) == path


def test_values_in_a_file_name_lead_to_no_other_folder(tmp_path):
    evil = Article("../../etc/passwd", (), byline="/root", site="..", url="https://a.test/")
    path = parse("out/{site}/{author}/{title}.pdf").path(evil, ".pdf")
    assert (tmp_path / path).resolve().is_relative_to(tmp_path / "out")
    assert ".." not in path.parts
    assert len(path.parts) == 4


def test_an_article_without_a_date_has_todays_and_taken_names_are_numbered(tmp_path):
    plain = Article("A", ())
    name = f"{date.today().isoformat()} A"
    assert parse("{date} {title}.pdf").path(plain, ".pdf").stem == name
    (tmp_path / f"{name}.pdf").touch()
    assert parse("{date} {title}.pdf").write(b"", plain, ".pdf") == f"{name} 2.pdf"
    assert parse("{date} {title}.pdf", force=True).write(b"", plain, ".pdf") == f"{name}.pdf"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ({"out": "o.docx"}, "cannot write .docx files"),
        ({"out": "story"}, "Name story.pdf, or the folder story/"),
        ({"out": "a.pdf", "bundle": "b.pdf"}, "are two outputs"),
        ({"out": "a.pdf", "pages": 2}, "-o FOLDER, or --bundle FILE"),
        ({"out": "-", "pages": 2}, "-o FOLDER, or --bundle FILE"),
        ({"out": "a.epub", "format_option": "pdf"}, "conflicts with"),
        ({"out": "saved.html/"}, "is a file, not a folder"),
        ({"bundle": "there"}, "there is a folder"),
        ({"bundle": "{title}.pdf"}, "plain file name"),
        ({"out": "{titel}.pdf"}, "Did you mean title?"),
        ({"out": "{title!r}.pdf"}, "for file names"),
        ({"out": "{title.pdf"}, "an unmatched brace"),
    ],
)
def test_an_output_that_cannot_be_is_refused(call, says):
    with pytest.raises(UsageError) as caught:
        parse(**call)
    assert says in str(caught.value)


def test_a_missing_folder_is_reported_before_anything_is_read():
    with pytest.raises(OutputError, match="no such file or directory"):
        parse("missing/out.pdf")


def test_a_named_format_allows_any_ending_and_a_device_any_name():
    assert parse("a.txt", format_option="markdown").file == "a.txt"
    assert parse("/dev/null").file == "/dev/null"


@pytest.mark.parametrize(
    ("words", "pages", "out"),
    [
        (["https://a.test/x.pdf"], 1, ""),
        (["https://a.test/", "out.pdf"], 1, "out.pdf"),
        (["https://a.test/", "there"], 1, "there"),
        (["https://a.test/", "new/"], 1, "new/"),
        (["saved.html", "saved.html"], 2, ""),
        (["https://a.test/", "https://b.test/a/"], 2, ""),
        (["https://a.test/", "@list.pdf"], 2, ""),
    ],
)
def test_the_last_argument_may_be_the_output(words, pages, out):
    assert split_output(words, "") == (words[:pages], out)


@pytest.mark.parametrize(
    ("name", "is_output"), [("out.txt", True), ("there/OUT.TXT", True), ("b.test/a.txt", False)]
)
def test_the_output_may_have_another_extension_where_its_folder_exists(name, is_output):
    words, out = (["a.test"], name) if is_output else (["a.test", name], "")
    assert split_output(["a.test", name], "", extensions=(".txt",)) == (words, out)


def test_lists_of_pages(webprint, tmp_path):
    (tmp_path / "list.txt").write_text("# two\nsaved.html\n\nhttps://example.org/b\n")
    code, out, _ = webprint("saved.html", "@list.txt", "-i", "list.txt", "--dry-run", "--json")
    assert code == 0
    assert [json.loads(line)["url"] for line in out.splitlines()] == [
        "saved.html", *["saved.html", "https://example.org/b"] * 2,
    ]  # fmt: skip


def test_pages_are_printed_into_a_new_folder_and_by_a_template(webprint, tmp_path):
    assert webprint("saved.html", "-o", "new/a/", "--format", "markdown")[0] == 0
    assert (tmp_path / "new/a/Harbour lights go dark.md").is_file()
    assert webprint("saved.html", "{host}x/{title}!.md")[0] == 0
    assert (tmp_path / "unknownx/Harbour lights go dark!.md").is_file()


def test_every_page_is_a_line_of_json_with_the_same_facts(webprint, web, tmp_path):
    url, missing = web.add("/story", story_page()), f"{web.url}/gone"
    for more, expected in (((), "Harbour lights go dark.md"), (("--bundle", "b.md"), "b.md")):
        code, out, _ = webprint(missing, url, "--format", "markdown", "--json", *more)
        assert code == 6
        failed, done = map(json.loads, out.splitlines())
        assert failed == {
            "url": missing, "out": None, "warnings": [], "complete": False, "title": "",
            "error": failed["error"],
        }  # fmt: skip
        assert (failed["error"]["code"], failed["error"]["kind"]) == (6, "HTTPStatusError")
        assert (done["url"], done["out"], done["error"]) == (url, expected, None)
        assert (done["complete"], done["warnings"]) == (True, [])
    code, out, _ = webprint(missing, "--json")
    assert (code, json.loads(out)["url"]) == (6, missing)


def test_pythons_result_says_the_same(web, tmp_path):
    from printer import PrintOptions, print_pages

    url, missing = web.add("/story", story_page()), f"{web.url}/gone"
    result = print_pages([missing, url], page=PrintOptions(format="markdown"))
    assert [page.url for page in result.outcomes] == [missing, url]
    assert [page.complete for page in result.outcomes] == [False, True]
    assert result.outcomes[0].error is result.errors[0]
    assert not result.complete
    assert print_pages([url], page=PrintOptions(format="markdown")).complete


def test_landscape_turns_the_paper(webprint, tmp_path):
    import pikepdf

    assert webprint("saved.html", "a.pdf", "--landscape", "--paper", "A5")[0] == 0
    with pikepdf.open("a.pdf") as pdf:
        box = [float(x) for x in pdf.pages[0].mediabox]
    assert box[2:] == pytest.approx([595.3, 419.5], abs=0.5)
