import sys

import pytest

from printer.cli import app as commands


@pytest.fixture
def webprint(monkeypatch, capsys, tmp_path):
    """Run a command in this process; returns its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["webprint", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            commands.run()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return run
