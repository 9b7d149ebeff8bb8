"""Command-line options generated from a dataclass: arguments set its fields, others keep defaults."""

from pathlib import Path

import pytest
import typer
from typer import Context
from typer.main import get_group
from typer.testing import CliRunner

from printer.cli import options
from printer.cli.app import app
from printer.cli.options import with_settings
from printer.crawl.models import CrawlOptions
from printer.options import BatchOptions
from printer.settings import LoadedSettings

EXPECTED = {
    "--query tides --max 3 --max-pages 4 --depth 0 --path-prefix /a --also a.test --also b.test "
    "--delay 0.5 --parallel 2 --no-sitemaps": CrawlOptions(
        query="tides", articles=3, pages=4, depth=0, path_prefix="/a",
        hosts=("a.test", "b.test"), delay=0.5, parallel=2, sitemaps=False,
    ),
    "": CrawlOptions(),
    "--delay 2 --max-tries 1 --retry-delay 0 --no-retry": BatchOptions(
        delay=2.0, max_tries=1, retry_delay=0.0, no_retry=True
    ),
    " ": BatchOptions(),
}  # fmt: skip


@pytest.mark.parametrize("words", EXPECTED)
def test_options_are_parsed(words: str) -> None:
    expected = EXPECTED[words]
    parsed: list[object] = []

    def command(*, loaded: LoadedSettings, options: object) -> None:
        parsed.extend([options, loaded.settings.verbose])

    command.__annotations__["options"] = type(expected)
    app = typer.Typer()
    app.command()(with_settings("Run")(command))
    ran = CliRunner().invoke(app, [*words.split(), "--verbose"], catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    assert parsed == [expected, True]


def test_a_number_out_of_bounds_is_refused() -> None:
    def command(*, loaded: LoadedSettings, options: CrawlOptions) -> None:
        raise AssertionError(loaded, options)

    app = typer.Typer()
    app.command()(with_settings("Run")(command))
    ran = CliRunner().invoke(app, ["--parallel", "65"])
    assert ran.exit_code == 2
    assert "--parallel" in ran.output


def commands(group, *words):
    """Yield each command with its words, as in ``digest run``."""
    context = Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if getattr(command, "commands", None):
            yield from commands(command, *words, name)
        else:
            yield (*words, name), command


#: The commands that lay out pages in one format, and what each must be given.
LAY_OUT_ONE_FORMAT = {
    words: [parameter.name for parameter in command.params if parameter.required]
    for words, command in commands(get_group(app))
    if {"paper", "format"} & {parameter.name for parameter in command.params} == {"paper"}
}


def test_there_are_commands_of_one_format() -> None:
    assert {words[0] for words in LAY_OUT_ONE_FORMAT} == {"batch", "crawl", "digest"}


@pytest.mark.parametrize("words", LAY_OUT_ONE_FORMAT, ids=" ".join)
def test_a_command_without_an_option_ignores_the_setting(words, monkeypatch, tmp_path) -> None:
    class Stopped(Exception):
        pass

    def stop(loaded: LoadedSettings) -> None:
        raise Stopped(loaded.settings.format, loaded.settings.paper)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(options, "check_settings", stop)
    Path("webprint.toml").write_text('format = "epub"\npaper = "A5"\n')
    ran = CliRunner().invoke(app, [*words, *LAY_OUT_ONE_FORMAT[words]])
    assert isinstance(ran.exception, Stopped), ran.output
    assert ran.exception.args == ("auto", "A5")
