"""The recipes in the documents run unchanged, against a local server."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.feeds import moment, rss
from tests.support.story_page import story_page

ROOT = Path(__file__).parent.parent.parent
RECIPES = (ROOT / "docs" / "recipes.md").read_text()
THEME = (ROOT / "docs" / "make-a-theme.md").read_text()


def blocks(language, text):
    """Return the code blocks of a page."""
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


BLOCKS = [
    block
    for text in ((ROOT / "README.md").read_text(), RECIPES, THEME)
    for block in blocks("sh", text)
]
PYTHON = blocks("python", (ROOT / "docs" / "library.md").read_text())


@pytest.fixture
def run(web, tmp_path, monkeypatch, warm):
    """Run a script with webprint on the PATH and example.org on this machine."""
    for path, title in (
        ("/story", "Harbour lights go dark"),
        ("/recipe", "Bread"),
        ("/members", "In"),
    ):
        web.add(path, story_page(title))
    web.add("/news.xml", rss("News", [("Harbour lights go dark", "/story", moment(1, 6))]))
    web.add("/blog", '<link rel=alternate type="application/rss+xml" href=/news.xml><p>Hello')
    folder = tmp_path / "bin"
    folder.mkdir()
    warm.write_command(folder / "webprint")
    work = tmp_path / "work"
    work.mkdir()
    (work / "saved.html").write_text(story_page())
    for block in blocks("toml", THEME) + blocks("css", THEME):
        path = work / re.search(r"mine/[\w.]+", block)[0]
        path.parent.mkdir(exist_ok=True)
        path.write_text(block)
    (work / "cookies.txt").write_text("# Netscape HTTP Cookie File\n")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def run(script):
        script = script.replace("https://example.org", web.url)
        ran = subprocess.run(
            ["bash", "-euc", script], cwd=work, capture_output=True, text=True, timeout=240
        )
        assert ran.returncode == 0, f"{script}\n{ran.stdout}\n{ran.stderr}"
        return work

    return run


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(block, marks=[pytest.mark.browser] if "--render always" in block else [])
        for block in BLOCKS
    ],
    ids=[block.splitlines()[0][:60] for block in BLOCKS],
)
def test_a_recipe_works(block, run):
    work = run(block)
    for name in re.findall(r"[\w/-]+\.(?:pdf|md|json|html)\b", block.replace("saved.html", "")):
        assert next(work.rglob(name)).stat().st_size > 1000, name


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[0][:60])
def test_no_recipe_overwrites_the_settings(block):
    """Another recipe, or the reader, may have written them."""
    assert not re.search(r"[^>]> ?webprint\.toml", block)


def test_the_recipe_without_a_name_makes_the_file_it_says(run):
    assert "`Harbour lights go dark.pdf`" in RECIPES
    work = run("webprint https://example.org/story")
    assert (work / "Harbour lights go dark.pdf").is_file()


@pytest.mark.usefixtures("run")
def test_the_library_page_works(web, warm, tmp_path):
    """One program after the other, in one folder."""
    work, program = tmp_path / "work", tmp_path / "program.py"
    for code in PYTHON:
        program.write_text(code.replace("https://example.org", web.url))
        started = warm.start("tests.support.warm_programs:run_file", program, cwd=work)
        assert started.wait(240) == 0, code
    for name in ("story", "newspaper", "async"):
        assert (work / f"{name}.pdf").read_bytes().startswith(b"%PDF"), name


def test_the_first_program_of_the_library_page_is_short():
    assert len([line for line in PYTHON[0].splitlines() if line.strip()]) <= 12


def test_there_are_ten_recipes():
    assert len(BLOCKS) >= 10
