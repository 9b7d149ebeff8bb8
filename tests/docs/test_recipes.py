"""The recipes of the documents run as they stand, against a local server."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.feeds import moment, rss
from tests.support.story_page import story_page

ROOT = Path(__file__).parent.parent.parent
RECIPES = (ROOT / "docs" / "recipes.md").read_text()
BLOCKS = re.findall(r"```sh\n(.*?)```", RECIPES, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


@pytest.fixture
def run(web, tmp_path, monkeypatch):
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
    program = folder / "webprint"
    program.write_text(f"#!{sys.executable}\nfrom printer.cli import main\nmain()\n")
    program.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    (work / "saved.html").write_text(story_page())
    (work / "cookies.txt").write_text("# Netscape HTTP Cookie File\n")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def run(command, script):
        script = script.replace("https://example.org", web.url)
        ran = subprocess.run(
            [*command, script], cwd=work, capture_output=True, text=True, timeout=240
        )
        assert ran.returncode == 0, f"{script}\n{ran.stdout}\n{ran.stderr}"
        return work

    return run


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[0][:60])
def test_a_recipe_works(block, run):
    work = run(["bash", "-euc"], block)
    for name in re.findall(r"[\w/-]+\.(?:pdf|md|json|html)\b", block.replace("saved.html", "")):
        assert (work / name).stat().st_size > 1000, name


def test_the_recipe_without_a_name_makes_the_file_it_says(run):
    assert "`Harbour lights go dark.pdf`" in RECIPES
    work = run(["bash", "-euc"], "webprint https://example.org/story")
    assert (work / "Harbour lights go dark.pdf").is_file()


@pytest.mark.parametrize("code", PYTHON, ids=["library"])
def test_the_library_example_works(code, run):
    work = run([sys.executable, "-c"], code)
    assert (work / "story.pdf").read_bytes().startswith(b"%PDF")


def test_there_are_ten_recipes():
    assert len(BLOCKS) >= 10
