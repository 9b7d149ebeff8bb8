"""Themes as data: inheritance, search path, and forbidden values."""

import shutil
import subprocess
from dataclasses import replace
from itertools import cycle, product
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from printer.errors import UsageError
from printer.options import PrintOptions
from printer.themes import loader as themes
from printer.themes.options import apply_options, settable_names
from printer.themes.page import page_geometry
from tests.support import sample_articles as specimens
from tests.support.documents import render_html
from tests.support.effort import THOROUGH
from tests.support.pdf_glyphs import find_overlaps
from tests.support.sample_articles import SAMPLE_ARTICLE, SCRIPT_ARTICLES

SHORT_ARTICLE = replace(SAMPLE_ARTICLE, blocks=SAMPLE_ARTICLE.blocks[:2])


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A settings folder of the test's own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "webprint" / "themes"


def make(folder, toml, **files):
    folder.mkdir(parents=True)
    (folder / "theme.toml").write_text(toml)
    for name, text in files.items():
        path = {"css": "print.css"}.get(name, f"{name}.html.j2")
        (folder / path).write_text(text)
    return folder


def test_every_theme_loads_and_has_a_description():
    for theme in themes.all_themes():
        assert theme.description
        assert page_geometry(PrintOptions(theme=theme.name)).column_width > 30


def test_a_theme_inherits_missing_values(home):
    make(home / "wide", 'extends = "article"\n[page]\nmeasure = 90', css="p { color: navy }")
    wide, base = themes.load_theme("wide"), themes.load_theme("article")
    assert (wide.page.measure, wide.page.font_size) == (90, base.page.font_size)
    assert wide.fonts == base.fonts
    assert wide.css == f"{base.css}\np {{ color: navy }}"
    assert "wide" in themes.theme_names()


def test_a_users_theme_comes_before_a_built_in_one_and_may_extend_it(home):
    make(home / "article", 'extends = "article"\ndescription = "Mine"\n[page]\nfont_size = 10')
    theme = themes.load_theme("article")
    assert (theme.description, theme.page.font_size, theme.page.measure) == ("Mine", 10, 70)
    assert len(theme.folders) == 2


def test_a_path_is_a_theme_and_paths_in_it_are_relative_to_it(tmp_path):
    make(tmp_path / "base", 'extends = "article"\n[fonts]\nstyle = "sans"')
    make(tmp_path / "mine", 'extends = "../base"')
    theme = themes.load_theme(f"{tmp_path}/mine")
    assert (theme.name, theme.fonts.style, len(theme.folders)) == ("mine", "sans", 3)


def test_a_template_stands_in_for_one_and_reaches_the_other(home):
    block = '{% extends "article/blocks.html.j2" %}'
    make(home / "signed", 'extends = "article"', plain=f"{block}")
    theme = (
        '{% from "article/blocks.html.j2" import blocks, notes with context %}'
        "<html><p>{{ parts[0].article.title }}</p>{{ blocks(parts[0].article.blocks, parts[0]) }}"
    )
    make(home / "short", 'extends = "article"', article=theme)
    html = render_html([SAMPLE_ARTICLE], {}, PrintOptions(theme="short")).html
    assert html.startswith(f"<html><p>{SAMPLE_ARTICLE.title}</p>")
    assert "What was decided" in html


def test_templates_run_in_a_sandbox_and_escape(home, tmp_path):
    make(home / "escaping", "", article="{{ '<b>' }}")
    assert render_html([SAMPLE_ARTICLE], {}, PrintOptions(theme="escaping")).html == "&lt;b&gt;"
    make(home / "prying", "", article="{{ parts.__class__.__mro__ }}")
    make(home / "reading", "", article=f"{{% include '{tmp_path}/../secret' %}}")
    groups = "{% for g, _ in parts | groupby_run('__class__.of.__globals__') %}{{ g }}{% endfor %}"
    make(home / "grouping", "", article=groups)
    for name in ("prying", "reading", "grouping"):
        with pytest.raises(UsageError, match=name):
            render_html([SAMPLE_ARTICLE], {}, PrintOptions(theme=name))


@pytest.mark.parametrize(
    ("toml", "fault"),
    [
        ("[page", "not valid TOML"), ("[page]\nfontsize = 3", "page.fontsize"), ("[page]\nfont_size = 300", "page.font_size"),
        ("[page]\nchapters = 'left'", "page.chapters"), ("[fonts]\ntext = ['a\";}']", "fonts.text"), ("colour = 1", "colour"),
        ('extends = "nosuch"', "nosuch"), ('extends = "faulty"', "faulty"), ("page = 3", "page"),
        ("[variables.x]\nkind = 'length'\nvalue = 'wide'", "variables.x"), ("[variables.'a b']\nkind='switch'\nvalue=true", "variables"),
        ("[papers.x]\nsize = 3", "papers.x.size"),
    ],
)  # fmt: skip
def test_a_faulty_theme_names_its_file_and_its_fault(home, toml, fault):
    make(home / "faulty", toml)
    with pytest.raises(UsageError) as caught:
        themes.load_theme("faulty")
    assert fault in str(caught.value)
    assert len(str(caught.value)) < 400


def test_an_unknown_key_names_the_nearest_there_is(tmp_path):
    folder = make(tmp_path / "t", 'extends = "article"\n[page]\nmesure = 85\n')
    with pytest.raises(UsageError, match="Did you mean measure"):
        themes.load_theme(str(folder))


def test_themes_that_extend_each_other_are_refused(tmp_path):
    make(tmp_path / "a", 'extends = "../b"')
    make(tmp_path / "b", 'extends = "../a"')
    with pytest.raises(UsageError, match="extends itself"):
        themes.load_theme(f"{tmp_path}/a")


@pytest.mark.parametrize("name", ["../article", "/etc", "nosuch", "article/", "./article", "."])
def test_invalid_themes_are_refused(name):
    with pytest.raises(UsageError):
        themes.load_theme(name)


def test_set_changes_the_font_the_page_and_the_themes_own_values(home):
    toml = '[variables.rule]\nkind = "color"\nvalue = "grey"\n[variables.wide]\nkind = "switch"\nvalue = false'
    make(home / "mine", 'extends = "article"\n' + toml)
    options = PrintOptions(
        theme="mine", theme_options=("font=Noto Serif, Inter", "columns=2", "rule=#abc", "wide=on")
    )
    html = render_html([SAMPLE_ARTICLE], {}, options).html
    assert '--book: "Noto Serif", "Inter", "Linux Libertine O"' in html
    assert "--rule: #abc" in html
    assert 'data-wide="on"' in html
    assert page_geometry(options).columns == 2
    assert {"font", "rule", "wide", "columns", "font-size"} <= set(
        settable_names(apply_options(options).theme)
    )


@pytest.mark.parametrize(
    "value",
    ["font", "font=", 'font=a";}', "colour=red", "columns=9", "columns=x", "leading=1;}", "chapters=left", "=", "font=url(x)"],
)  # fmt: skip
def test_invalid_settings_are_refused(value):
    with pytest.raises(UsageError) as caught:
        page_geometry(PrintOptions(theme_options=(value,)))
    assert "--set" in str(caught.value) or "has no option" in str(caught.value)


def test_a_style_sheet_comes_last_and_cannot_leave_its_element(printed):
    css = "h1 { color: red } </style><script>"
    html = render_html([SAMPLE_ARTICLE], {}, PrintOptions(css=css)).html
    assert "h1 { color: red } <\\/style>" in html
    assert html.index("h1 { color: red }") > html.index("--line:")


THEMES = ["article", "compact", "ereader", "large-print", "manuscript", "newspaper"]


@pytest.mark.parametrize("theme", THEMES)
def test_every_theme_prints_every_kind_of_block(printed, theme):
    paper = printed(SAMPLE_ARTICLE, pictures=specimens.pictures(), theme=theme)
    words = "".join(paper.text.split())
    for text in (SAMPLE_ARTICLE.title, "What was decided", "Minutes of the vestry", "with a beast", "184.10", "The toll tower"):  # fmt: skip
        assert "".join(text.split()) in words, f"{text!r} is not on paper"
    for number in range(paper.pages):
        page = paper.picture_of(number)
        assert (page[:, :6] > 250).all(), f"ink at the left edge of page {number + 1}"
        assert (page[:, -6:] > 250).all(), f"ink at the right edge of page {number + 1}"
    assert find_overlaps(paper.data) == []


SCRIPTS = ("ar", "ja", "hi")


@pytest.mark.parametrize(
    ("theme", "script"),
    list(product(THEMES, SCRIPTS)) if THOROUGH else list(zip(THEMES, cycle(SCRIPTS), strict=False)),
)
def test_every_theme_sets_other_scripts(printed, theme, script):
    paper = printed(SCRIPT_ARTICLES[script], pictures=specimens.pictures(), theme=theme)
    assert "".join(SCRIPT_ARTICLES[script].title.split()) in "".join(paper.text.split())
    assert find_overlaps(paper.data) == []


@pytest.mark.parametrize(
    ("device", "size"), [("kobo", (107, 142.2)), ("Remarkable-2", (157.8, 210.4)), ("", (90.8, 122.6))]
)  # fmt: skip
def test_a_device_is_a_paper_of_the_ereader_theme(device, size):
    page = page_geometry(PrintOptions(theme="ereader", paper=device))
    assert (page.width, page.height) == pytest.approx(size)
    with pytest.raises(UsageError):
        page_geometry(PrintOptions(paper="kobo"))


def test_newspaper_columns_stand_beside_each_other_under_the_headline(printed):
    paper = printed(SAMPLE_ARTICLE, pictures=specimens.pictures(), theme="newspaper")
    document = pypdfium2.PdfDocument(paper.data)
    page = document[0].get_textpage()
    text = page.get_text_range()
    _, _, right, _ = page.get_charbox(text.index("he river Lenne"))
    lefts = [page.get_charbox(place)[0] for place in range(0, len(text), 7)]
    second = document[1].get_textpage()
    across = second.get_charbox(second.get_text_range().index("What the bridge cost"))[0]
    initial = page.get_charbox(text.index("he river Lenne") - 2 if "T\r\nhe" in text else 0)
    width = document[0].get_width()
    document.close()
    assert right < width / 3
    for column in range(3):
        assert any(column * width / 3 < left < (column + 0.7) * width / 3 for left in lefts)
    assert across < width / 2, "a table that is too wide for a column goes across them"
    assert initial[3] - initial[1] > 8, "the first letter is not large"


FACE = "@font-face { font-family: Mine; src: url(%s) } h1 { font-family: Mine } "
MARK = "@page { @bottom-right { content: url('marks/mark.png') } }"


def font_file():
    listed = subprocess.run(
        ["fc-match", "-f", "%{file}", "DejaVu Sans:style=Bold"], capture_output=True, check=True
    )
    return Path(listed.stdout.decode())


def families(paper):
    return {
        str(font.BaseFont).partition("+")[2]
        for page in paper.pdf.pages
        for font in page.Resources.get("/Font", {}).values()
    }


def test_a_themes_own_font_and_picture_are_used(home, printed):
    make(home / "mine", 'extends = "article"', css=FACE % "fonts/face.ttf" + MARK)
    (home / "mine" / "fonts").mkdir()
    shutil.copy(font_file(), home / "mine" / "fonts" / "face.ttf")
    (home / "mine" / "marks").mkdir()
    Image.new("RGB", (40, 40), "teal").save(home / "mine" / "marks" / "mark.png")
    paper = printed(SHORT_ARTICLE, theme=str(home / "mine"))
    assert any(name.startswith("Mine") for name in families(paper))
    assert sum("/XObject" in page.Resources for page in paper.pdf.pages) == paper.pages
    after = printed(SHORT_ARTICLE, css="h1 { font-family: Mine }")
    assert not any(name.startswith("Mine") for name in families(after)), "a font is left over"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../face.ttf", "src"),
        ("{outside}", "src"),
        ("file://{outside}", "Mine"),
        ("link.ttf", "src"),
    ],
)
def test_files_outside_a_theme_s_folder_are_refused(home, printed, tmp_path, name, message):
    outside = tmp_path / "face.ttf"
    shutil.copy(font_file(), outside)
    theme = make(home / "mine", 'extends = "article"', css=FACE % name.format(outside=outside))
    shutil.copy(font_file(), home / "face.ttf")
    (theme / "link.ttf").symlink_to(outside)
    paper = printed(SHORT_ARTICLE, theme=str(theme), expect=(message,))
    assert not any(name.startswith("Mine") for name in families(paper))
