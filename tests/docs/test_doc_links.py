"""Every link in the documentation leads to an existing file, and every file it names exists."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
CODE = ("printer", "tests", "benchmarks", "samples", "scripts")
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")])


def anchors(page):
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_its_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if not target.startswith(("http:", "https:")):
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            assert file.exists(), f"{target} in {page.name}"
            assert not anchor or anchor in anchors(file), f"{target} in {page.name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_modules_it_names_are_there(page):
    """By the end of their path, as a page on one package names the files in it."""
    paths = [
        f"/{file.relative_to(ROOT)}" for folder in CODE for file in (ROOT / folder).rglob("*.py")
    ]
    for name in re.findall(r"`([\w/-]+\.py)`", page.read_text()):
        assert any(path.endswith(f"/{name}") for path in paths), f"{name} in {page.name}"


def test_the_site_has_every_page():
    """mkdocs.yml names the pages of docs/, and no page that is not there."""
    named = set(re.findall(r": ([\w./-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    pages = {f"docs/{page.name}" for page in ROOT.glob("docs/*.md")}
    assert pages <= named
    assert not [name for name in named if not (ROOT / name).is_file()]


def test_the_site_loads_nothing_from_elsewhere():
    """Neither fonts nor the script that the plug-in ``offline`` takes from a public server."""
    settings = (ROOT / "mkdocs.yml").read_text()
    assert "  font: false\n" in settings
    assert "\nplugins: [search]\n" in settings


def test_the_site_has_the_targets_of_its_links(tmp_path):
    script = [sys.executable, ROOT / "scripts/site_source.py", tmp_path / "site"]
    subprocess.run(script, check=True)
    for name in (
        "README.md",
        "docs/themes.png",
        "printer/themes/loader.py",
        "benchmarks/RESULTS.md",
    ):
        assert (tmp_path / "site" / name).read_bytes() == (ROOT / name).read_bytes()


def test_messages_quoted_in_the_help_exist():
    """Those of the code, in the table of what is missing."""
    source = " ".join(
        re.sub(r'"\s+f?"', "", file.read_text()) for file in (ROOT / "printer").rglob("*.py")
    )
    page = (ROOT / "docs/troubleshooting.md").read_text()
    table = page.partition("## Exit code 13")[2].partition("\n## ")[0]
    messages = [message for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
                for message in re.findall(r"`(.*?)(?: \.\.\.)?`", row)]  # fmt: skip
    assert len(messages) >= 6
    for message in (*messages, "the response is larger than", "no installed font has"):
        assert message in source, message


def test_the_first_page_is_short_and_its_pictures_are_small():
    readme = (ROOT / "README.md").read_text()
    assert len(readme.splitlines()) <= 150
    pictures = re.findall(r"!\[[^]]+\]\((\S+)\)", readme)
    assert len(pictures) == 3
    for name in pictures:
        assert (ROOT / name).stat().st_size < 1_000_000, name
