"""Command-line options generated from a dataclass: arguments set its fields, others keep defaults."""

import pytest
import typer
from typer.testing import CliRunner

from printer.batch import BatchOptions
from printer.cli.options import with_settings
from printer.crawl import CrawlOptions
from printer.settings import LoadedSettings

EXPECTED = {
    "--query tides --max 3 --max-pages 4 --depth 0 --path-prefix /a --also a.test --also b.test "
    "--delay 0.5 --parallel 2 --no-sitemaps": CrawlOptions(
        query="tides", articles=3, pages=4, depth=0, path_prefix="/a",
        hosts=("a.test", "b.test"), delay=0.5, parallel=2, sitemaps=False,
    ),
    "": CrawlOptions(),
    "--delay 2 --tries 1 --rest 0 --resume": BatchOptions(
        delay=2.0, max_tries=1, retry_delay=0.0, resume=True
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
