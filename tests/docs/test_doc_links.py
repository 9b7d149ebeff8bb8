"""Every link of the documentation leads to a file that is there, and every file it names is."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
CODE = ("printer", "tests", "benchmarks", "samples", "scripts")
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")])


def anchors(page):
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).strip().replace(" ", "-") for each in headings}


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
    there = [f"/{file.relative_to(ROOT)}" for each in CODE for file in (ROOT / each).rglob("*.py")]
    for name in re.findall(r"`([\w/-]+\.py)`", page.read_text()):
        assert any(path.endswith(f"/{name}") for path in there), f"{name} in {page.name}"
