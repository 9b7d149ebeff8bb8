"""The renderer of a print from the command line: when there is one, and that it has a limit."""

import pytest
from typer.main import get_command

from printer.cli import COMMANDS, print_arguments
from printer.cli.app import app
from printer.errors import RenderError
from tests.support.story_page import story_page


@pytest.mark.parametrize("command", [(), ("print",)])
def test_a_print_that_takes_too_long_is_ended(warm, tmp_path, command):
    (tmp_path / "a.html").write_text(story_page())
    call = (*command, "a.html", "out.pdf", "--print-timeout", "0.01")
    ended = warm.run(*call, cwd=tmp_path)
    assert ended.returncode == RenderError.exit_code
    assert "longer than 0.01 s" in ended.stderr
    assert not (tmp_path / "out.pdf").exists()


def test_the_arguments_of_a_print():
    assert print_arguments(["a.html", "search"]) == ["a.html", "search"]
    assert print_arguments(["print", "search", "a.pdf"]) == ["search", "a.pdf"]
    assert print_arguments([]) == print_arguments(["print"]) == []


def test_no_renderer_is_forked_if_nothing_is_printed():
    root = get_command(app)
    context = root.make_context("webprint", ["doctor"])
    parameters = [*root.get_params(context), *root.get_command(context, "print").params]
    options = [name for p in parameters if p.is_eager for name in (*p.opts, *p.secondary_opts)]
    assert {"--help", "-h", "-V", "--help-all"} <= set(options)
    for arguments in (*([name] for name in options), *(["print", name] for name in options)):
        assert print_arguments(arguments) == [], arguments
    for command in set(COMMANDS) - {"print"}:
        assert print_arguments([command, "a.html"]) == [], command
