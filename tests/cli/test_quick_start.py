"""Printing a page does not load modules that it does not need."""

import os
import subprocess
import sys

import pytest
from typer.main import get_command

from printer.cli import COMMANDS
from printer.cli.app import app
from tests.support.story_page import story_page

#: Runs a command as ``main`` does, and prints at its end which of these modules were loaded.
LOADED = """
import os, sys
exit_process, main_process = os._exit, os.getpid()
def print_loaded(code):
    if os.getpid() == main_process:
        print(*(name for name in {names!r} if sys.modules.get(name)), flush=True)
    exit_process(code)
os._exit = print_loaded
from printer.cli import main
main()
"""

#: Other commands, what only the process that lays out pages needs, and what no print needs.
NEEDLESS = (
    "printer.cli.crawl",
    "printer.cli.digest",
    "printer.editing",
    "printer.fetch.cache",
    "printer.render.context",
    "jinja2",
    "redis",
    "rich",
    "sqlalchemy",
    "weasyprint",
)


def loaded(*arguments):
    code = LOADED.format(names=NEEDLESS)
    ran = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.split()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_loaded_by_its_name(name):
    assert get_command(app).get_command(None, name).name == name


def test_a_page_is_printed_without_modules_of_other_commands(web, tmp_path):
    out = tmp_path / "out.pdf"
    assert loaded(web.add("/story", story_page()), out, "--no-cache") == []
    assert out.read_bytes().startswith(b"%PDF")


def test_a_command_loads_its_own_module(tmp_path):
    assert loaded("digest", "--help")[-1:] == ["printer.cli.digest"]


@pytest.mark.parametrize(
    "code",
    [
        "import printer; assert 'printer.pipeline' not in sys.modules; printer.extract",
        "import printer.extraction; from printer import extract",
        "from printer import *",
        "import printer; [getattr(printer, name) for name in printer.__all__]",
    ],
)
def test_the_package_exports_its_public_names(code):
    code = f"import sys; {code}; import printer; assert callable(printer.extract)"
    code += "; assert type(printer) is type(sys)"
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)


def test_the_package_runs_as_the_command():
    command = [sys.executable, "-m", "printer", "--version"]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    assert ran.stdout == "webprint 0.2.0\n"


def test_the_package_gives_nothing_else():
    import printer

    with pytest.raises(AttributeError, match="'reprint'"):
        _ = printer.reprint
