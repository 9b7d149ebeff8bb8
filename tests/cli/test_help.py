"""Help, the version, and shell completion."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from printer.cli import COMMANDS
from printer.cli.app import app
from printer.cli.help import COMMON_OPTIONS
from printer.settings import setting_fields

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("call", [("--help",), ("-h",), ("help",), ("page.html", "--help"), ()])
def test_the_first_screen_is_one_screen(webprint, call):
    code, out, err = webprint(*call)
    assert (code, err) == (0 if call else 2, "")
    lines = out.rstrip("\n").splitlines()
    assert len(lines) <= 23
    assert max(map(len, lines)) < 80
    commands, options = out.index("COMMAND"), out.index("Print options")
    assert commands < options < out.index("Examples")
    for name in COMMANDS:
        assert name == "print" or re.search(rf"(^|  ){name} ", out, re.MULTILINE), name
    options_in_help = re.findall(r"--[a-z-]+", out[options : out.index("Examples")])
    assert [name.replace("_", "-") for name in COMMON_OPTIONS] == [
        flag[2:] for flag in options_in_help if flag != "--help-all"
    ]
    assert len(COMMON_OPTIONS) == 8


@pytest.mark.parametrize("call", [("--help-all",), ("a.html", "--help-all"), ("help", "print"),
                                  ("print", "--help")])  # fmt: skip
def test_all_options_are_one_call_away(webprint, call):
    code, out, _ = webprint(*call)
    assert code == 0
    for name, _, notes in setting_fields():
        if notes["panel"] in ("Page", "Article", "Fetching", "Run"):
            assert f"--{name.replace('_', '-')}" in out


def commands():
    """Yield the words of every command and subcommand."""
    group = get_command(app)
    for name in COMMANDS:
        command = group.get_command(None, name)
        yield (name,)
        for sub in getattr(command, "commands", ()):
            yield (name, sub)


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_the_help_of_a_command_shows_no_internals(webprint, words):
    code, out, err = webprint("help", *words)
    assert (code, err) == (0, "")
    assert f"Usage: webprint {' '.join(words)}" in out
    assert not re.search(r"<\w+|list\[|default by default|\[required\]|None|TEXT", out)
    assert "..." not in out.partition("\nCommands:")[2], "cut in the middle of a sentence"
    assert max(map(len, out.splitlines())) <= 80
    if words != ("print",):
        assert webprint(*words, "--help")[1].rstrip() == out.rstrip()


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("extract", "--strict --paper --library"),
        ("explain", "--comments --key-query --follow --strict"),
        ("login", "--render --paper --extractor"),
        ("jobs", "--port --workers"),
        ("batch", "--port --strict --title --format"),
        ("crawl", "--format --library"),
        ("worker", "--port --hostnames"),
        ("digest list", "--smtp"),
        ("digest add", "--smtp --paper"),
        ("later", "--smtp"),
        ("rules list", "--images"),
    ],
)
def test_a_command_has_no_option_that_does_nothing_for_it(webprint, words, options):
    out = webprint("help", *words.split())[1]
    for option in options.split():
        assert f"{option} " not in out


def test_version(webprint):
    for flag in ("--version", "-V"):
        code, out, _ = webprint(flag)
        assert (code, out) == (0, "webprint 0.2.0\n")


@pytest.fixture
def complete(webprint, monkeypatch):
    """Return what bash completes the last word of a line to."""

    def run(line):
        monkeypatch.setenv("_WEBPRINT_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        return webprint()[1].split()

    return run


@pytest.mark.parametrize(
    ("line", "completions"),
    [
        ("webprint ext", ["extract"]),
        ("webprint --land", ["--landscape"]),
        ("webprint https://example.org/a --land", ["--landscape"]),
        ("webprint https://example.org/a out.pdf --theme manu", ["manuscript"]),
        ("webprint --paper Le", ["Letter", "Legal"]),
        ("webprint a.html --paper kobo-e", ["kobo-elipsa"]),
        ("webprint extract a.html --extractor sum", ["summary-node"]),
        ("webprint a.html --image-method cu", ["cuter"]),
        ("webprint a.html --format ep", ["epub"]),
        ("webprint a.html --set font-s", ["font-size="]),
        ("webprint digest ex", ["export"]),
        ("webprint help the", ["themes"]),
        ("webprint a.html sav", []),  # The shell completes files by itself.
    ],
)
def test_options_and_values_are_completed_anywhere(complete, line, completions):
    assert complete(line) == completions


def test_names_of_digests_are_completed(complete, tmp_path):
    (tmp_path / "webprint.toml").write_text(
        '[[digest]]\nname = "morning"\n[[digest.source]]\nfeed = "https://example.org/f"\n'
    )
    for call in ("digest run mo", "digest check mo", "digest add https://a.test --digest mo"):
        assert complete(f"webprint {call}") == ["morning"]


def test_a_faulty_settings_file_does_not_disturb_the_line_that_is_typed(
    webprint, complete, tmp_path
):
    (tmp_path / "webprint.toml").write_text("[digest.morning]\n")
    assert complete("webprint digest run mo") == []
    assert webprint()[1:] == ("\n", "")
