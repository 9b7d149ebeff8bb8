"""The sample pages, fetched over loopback: all of each article, and nothing else."""

import importlib.util
import re
from pathlib import Path

import pytest

from printer import FetchOptions, Printer, PrintOptions
from printer.options import Options
from printer.themes import loader
from tests.support.pdf_glyphs import find_overlaps

SAMPLES = Path(__file__).parent.parent.parent / "samples"
LOCAL = FetchOptions(cache=False, allow_private=True)
SLUGS = sorted(page.parent.name for page in SAMPLES.glob("*/page.html"))
PAGES = [
    pytest.param(slug, marks=[pytest.mark.browser] if slug == "script" else []) for slug in SLUGS
]


@pytest.fixture(scope="module")
def root():
    spec = importlib.util.spec_from_file_location("make_samples", SAMPLES / "make_samples.py")
    make_samples = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_samples)
    with make_samples.served() as url:
        yield url


@pytest.fixture(scope="module")
def reading(root):
    """Read each sample once."""
    readings = {}

    def read(slug):
        if slug not in readings:
            with Printer(Options(fetch=LOCAL)) as printer:
                readings[slug] = printer.read(f"{root}/{slug}/page.html")
        return readings[slug]

    return read


def lines(slug, name):
    path = SAMPLES / slug / name
    return path.read_text().splitlines() if path.is_file() else []


def bare(text):
    """Text without white space and note signs, in which layout leaves its marks."""
    return re.sub(r"\s+|\[?\d{1,2}\]?(?=\W|$)", "", text)


@pytest.mark.parametrize("slug", PAGES)
def test_all_of_the_article_is_there_in_order(slug, reading):
    article = reading(slug).article
    title, *expected = lines(slug, "expected.txt")
    assert article.title == title
    text = bare(article.text)
    missing = [line for line in expected if bare(line) not in text]
    assert missing == []
    places = [text.find(bare(line)) for line in expected if len(line) > 60]
    assert places == sorted(places)


@pytest.mark.parametrize("slug", PAGES)
def test_nothing_else_is_there(slug, reading):
    article = reading(slug).article
    printed = bare(" ".join((article.text, *(f.caption for f in article.figures))))
    phrases = [phrase for phrase in lines(slug, "forbidden.txt") if bare(phrase) in printed]
    assert phrases == []


@pytest.mark.parametrize("slug", PAGES)
def test_its_pictures_are_there_with_their_captions(slug, reading):
    figures = list(reading(slug).article.figures)
    for line in lines(slug, "figures.txt"):
        files, _, caption = line.partition("\t")
        names = set(files.removeprefix("?").split())
        match = [f for f in figures if _shows(f, names)]
        assert len(match) == 1, f"{files}: {len(match)} times"
        assert match[0].caption == caption
        figures.remove(match[0])
    assert [f.src for f in figures] == []


def _shows(figure, names):
    if names == {"svg"}:
        return bool(figure.svg)
    return any(source.endswith(name) for source in figure.sources for name in names)


@pytest.mark.parametrize("slug", PAGES)
def test_it_stands_on_its_pages_and_no_text_on_other_text(slug, reading):
    names = loader.theme_names()
    # Each in one theme, so that all themes are seen and none of them twice as often.
    name = names[SLUGS.index(slug) % len(names)]
    with Printer(Options(fetch=LOCAL, page=PrintOptions(theme=name))) as printer:
        result = printer.render([reading(slug)])
    missing = ["is cut off"] if slug == "oldweb" else []
    assert [w for w in result.warnings if not any(part in w for part in missing)] == []
    assert find_overlaps(result.data) == [], f"in the theme {name}"
    assert result.report.shortfall() == {} or slug == "oldweb", f"in the theme {name}"
