"""``webprint doctor`` finds what is missing, and a print that fails for it points there."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from printer.cli import doctor
from printer.settings import Settings
from printer.themes.loader import all_themes
from printer.themes.options import debian_package, script_families
from tests.support.story_page import story_page

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def run(tmp_path):
    """Run webprint with other environment variables; returns its exit code, stdout and stderr."""

    def run(*arguments, **environment):
        ran = subprocess.run(
            [sys.executable, "-m", "printer", *arguments], cwd=tmp_path, capture_output=True,
            text=True, env={**os.environ, **environment}, check=False,
        )  # fmt: skip
        return ran.returncode, ran.stdout, ran.stderr

    return run


@pytest.fixture
def no_fonts(tmp_path):
    """The environment of a machine without fonts."""
    file = tmp_path / "fonts.conf"
    file.write_text(
        f'<?xml version="1.0"?><fontconfig><cachedir>{tmp_path}</cachedir></fontconfig>'
    )
    return {"FONTCONFIG_FILE": str(file)}


@pytest.mark.browser
def test_this_machine_prints(run):
    code, out, err = run("doctor", "--json")
    checks = {check["subject"]: check for check in map(json.loads, out.splitlines())}
    assert (code, err) == (0, "")
    assert list(checks) == [
        "webprint", "Pango", "theme fonts", "fonts", "layout", "Chromium", "cache", "database",
        "clock", "extras",
    ]  # fmt: skip
    assert all(checks[name]["state"] == "ok" for name in ("Pango", "layout", "cache", "clock"))
    assert "starts" in checks["Chromium"]["text"]


def test_without_fonts_both_say_so_in_one_line(run, tmp_path, no_fonts):
    (tmp_path / "page.html").write_text(story_page())
    code, _, err = run("page.html", "out.pdf", **no_fonts)
    assert (code, len(err.splitlines())) == (13, 1), err
    assert "no fonts are installed" in err
    assert "webprint doctor" in err
    code, out, err = run("doctor", PATH="", **no_fonts)
    assert (code, err) == (13, "")
    assert "problem  fonts      no fonts are installed" in out
    assert "apt-get install fonts-linuxlibertine" in out
    assert "doctor" not in out


@pytest.mark.browser
def test_a_print_without_chromium_points_to_doctor(run, web):
    shell = "<title>App</title><script>document.write('<p>Words.')</script>"
    code, _, err = run(web.add("/app", shell), "out.pdf", "--render", "always", PATH="", HOME="/")
    assert code == 13
    assert "webprint doctor" in err


def test_a_damaged_database_is_found(home_folder):
    folder = home_folder / ".local/share/webprint"
    folder.mkdir(parents=True)
    (folder / "jobs.sqlite").write_bytes(b"SQLite format 3\0" + b"\0" * 5000)
    (check,) = doctor.check_databases(Settings())
    assert check.state == "problem"
    assert "jobs.sqlite" in check.text


def test_a_database_server_that_is_away_is_found():
    database = "postgresql://nobody@127.0.0.1:1/webprint"
    check = next(iter(doctor.check_databases(Settings(database=database))))
    assert check.state == "problem"
    assert "refused" in check.text


def test_a_cache_that_cannot_be_written_is_found(home_folder):
    (home_folder / ".cache").write_text("a file where a folder should be")
    check = doctor.check_cache()
    assert check.state == "note"
    assert "XDG_CACHE_HOME" in check.fix


def test_a_clock_that_was_set_back_is_found(tmp_path):
    file = tmp_path / "jobs.sqlite"
    file.touch()
    assert doctor.check_clock([file]).state == "ok"
    os.utime(file, (4e9, 4e9))
    assert doctor.check_clock([file]).state == "problem"


def test_missing_extras_are_named(monkeypatch):
    monkeypatch.setattr(
        "printer.cli.options.find_spec", lambda name: None if name == "protego" else name
    )
    check = doctor.check_extras()
    assert (check.state, check.text) == ("note", "not installed: crawl")
    assert "[crawl,digest,server]'" in check.fix


def test_every_font_is_in_a_package_that_the_setup_and_the_image_install():
    families = {*script_families()}
    for theme in all_themes():
        for names in (theme.fonts.text, theme.fonts.headings, theme.fonts.bold, theme.fonts.code):
            families |= {*names}
    packages = {family: debian_package(family) for family in families}
    assert not [family for family, package in packages.items() if not package]
    for file in ("Dockerfile", "scripts/setup"):
        assert set(packages.values()) <= {*re.findall(r"[\w-]+", (ROOT / file).read_text())}, file
