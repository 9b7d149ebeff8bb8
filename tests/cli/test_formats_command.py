"""Other formats on the command line: by file extension, by --format, with what they omit."""

from __future__ import annotations

import json
import re
import zipfile

import pytest

from printer.cli import output

PAGE = (
    "<!doctype html><html lang=en><title>A day at sea</title><article><h1>A day at sea</h1>"
    + "".join(
        f"<p>On day {n} the ferry left the harbour at dawn, and nobody on the quay was late.</p>"
        for n in range(9)
    )
    + "<script>alert(1)</script><p onclick='alert(1)'>Then the wind went round to the north, as "
    "the <a href='javascript:alert(1)'>harbour master</a> had said it would on the Sunday before."
    "</article></html>"
)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "saved.html"
    path.write_text(PAGE)
    return path


@pytest.mark.parametrize(
    ("name", "begins"),
    [("a.epub", b"PK"), ("a.md", b"# A day"), ("a.HTML", b"<!DOCTYPE html>"), ("a.json", b"{")],
)
def test_the_ending_says_the_format(webprint, saved, tmp_path, name, begins):
    code, _, err = webprint(saved, name)
    assert code == 0, err
    data = (tmp_path / name).read_bytes()
    assert data.startswith(begins)
    assert b"alert(1)" not in data
    assert "all 177 words" in err, err


def test_the_option_wins_over_the_ending(webprint, saved, tmp_path):
    code, out, err = webprint(saved, "-o", "a.txt", "--format", "markdown", "--json")
    assert code == 0, err
    assert (tmp_path / "a.txt").read_text().startswith("# A day at sea")
    result = json.loads(out)
    assert (result["format"], result["pages"], result["complete"]) == ("markdown", 0, True)


def test_a_file_named_after_the_title_has_the_ending(webprint, saved, tmp_path):
    assert webprint(saved, "--format", "epub", "--deterministic")[0] == 0
    first = (tmp_path / "A day at sea.epub").read_bytes()
    assert webprint(saved, "--format", "epub", "--deterministic", "-f")[0] == 0
    assert (tmp_path / "A day at sea.epub").read_bytes() == first


def test_several_pages_are_one_book(webprint, saved, tmp_path):
    other = tmp_path / "other.htm"
    other.write_text(PAGE.replace("A day at sea", "A day ashore"))
    code, _, err = webprint(saved, other, "--bundle", "week.epub", "--title", "Week 12")
    assert code == 0, err
    with zipfile.ZipFile(tmp_path / "week.epub") as book:
        assert book.namelist()[0] == "mimetype"
        assert {"book/chapter-1.xhtml", "book/chapter-2.xhtml"} <= set(book.namelist())
        assert b"A day ashore" in book.read("book/nav.xhtml")


def test_a_page_that_is_there_is_no_file_to_write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.html").touch()
    assert not output.is_output_file("page.html")
    assert output.is_output_file("new.html")
    assert output.is_output_file("a.EPUB")
    assert not output.is_output_file("a.txt")


def test_a_missing_picture_fails_strictly(webprint, saved, tmp_path):
    picture = "<img src='gone.jpg' width=600 height=400>"
    figure = f"<figure>{picture}<figcaption>The quay</figcaption></figure>"
    saved.write_text(PAGE.replace("<p>On day 4", figure + "<p>On day 4"))
    code, _, err = webprint(saved, "a.epub", "--strict")
    assert code == 15, err
    assert "only 0 of 1 pictures printed" in err
    assert (tmp_path / "a.epub").is_file()


def test_a_table_printed_as_a_list_loses_no_words(webprint, saved):
    row = "<tr>" + "".join(f"<td>cell {n}</td>" for n in range(30)) + "</tr>"
    saved.write_text(PAGE.replace("<p>On day 4", f"<table>{row * 3}</table><p>On day 4"))
    _, _, err = webprint(saved, "a.pdf")
    assert re.search(r"all [\d,]+ words, only 0 of 1 tables printed", err)


def test_a_sign_in_page_is_reported_and_fails_with_strict(webprint, saved, tmp_path):
    form = "<form><input name=mail><input type=password></form>"
    saved.write_text(f"<title>Sign in</title><h1>Sign in</h1><p>Welcome to the Tide.</p>{form}")
    code, out, err = webprint(saved, "a.md", "--json")
    assert code == 0, err
    result = json.loads(out)
    assert (result["obstacles"], result["complete"]) == (["sign-in"], False)
    assert "sign-in page" in err + str(result["warnings"])
    code, _, err = webprint(saved, "a.md", "--strict")
    assert code == 15, err
    assert "this looks like a sign-in page. Use the print button" in err


@pytest.mark.parametrize(
    ("words", "pdf"),
    [
        ("a.html", True), ("a.html b.pdf", True), ("a.html b.epub", False),
        ("a.html b.html", False),
        ("a.html -o b.md", False), ("a.html --format epub", False), ("a.html --format=json", False),
        ("a.html b.epub --format pdf", True), ("a b --bundle week.epub", False),
        ("a.html there.html", True), ("a.html --paper A5", True),
    ],
)  # fmt: skip
def test_only_for_a_pdf_is_a_renderer_forked(words, pdf, tmp_path, monkeypatch):
    from printer.cli import expects_pdf

    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.html").write_text("x")
    assert expects_pdf(words.split()) is pdf
