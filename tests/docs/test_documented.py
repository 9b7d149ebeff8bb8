"""The documents describe every option, setting, theme and exit code."""

import re
from pathlib import Path

import pytest

from printer import errors
from printer.cli.app import app
from printer.settings import Settings, setting_fields

ROOT = Path(__file__).parent.parent.parent
DOCS = {
    name: (ROOT / "docs" / f"{name}.md").read_text() for name in ("options", "exit-codes", "themes")
}


def rows(page):
    """Return the first cells of a page's tables."""
    lines = [line for line in DOCS[page].splitlines() if line.startswith("|")]
    return [line.split("|")[1].strip() for line in lines if not line.startswith("|--")]


def test_every_setting_is_described():
    documented = {cell.split("`")[1] for cell in rows("options") if cell.startswith("`--")}
    assert {"--" + name.replace("_", "-") for name in Settings.model_fields} <= documented


def test_every_option_of_every_command_is_described():
    from typer.main import get_command

    cells = " ".join(rows("options"))
    group = get_command(app)
    commands = (group.get_command(None, name) for name in group.list_commands(None))
    for command in (group, *commands):
        for parameter in command.params:
            for option in (*parameter.opts, *parameter.secondary_opts):
                if option.startswith("-"):
                    assert f"`{option}`" in cells, f"{option} of {command.name}"


def test_documented_defaults_are_right():
    for name, field, notes in setting_fields():
        if isinstance(field.default, str | float | int) and not isinstance(field.default, bool):
            line = next(
                li for li in DOCS["options"].splitlines() if f"| `--{name.replace('_', '-')}`" in li
            )
            is_float = isinstance(field.default, float)
            default = notes.get("shown") or f"{field.default:{'g' if is_float else ''}}"
            assert not default or f"`{default}`" in line, line


def test_every_theme_is_described():
    from printer.themes.loader import BUILTIN_FOLDERS

    files = [file for folder in BUILTIN_FOLDERS for file in folder.glob("*/theme.toml")]
    built_in = {file.parent.name for file in files}
    described = {cell.strip("`") for cell in rows("themes")[1 : len(built_in) + 1]}
    assert described == built_in


def tree(error):
    """Return the errors that users can meet; errors internal to a stage have no code."""
    if error.__module__ == errors.__name__:
        yield error
    for child in error.__subclasses__():
        yield from tree(child)


@pytest.mark.parametrize("error", list(tree(errors.WebprintError)), ids=lambda e: e.__name__)
def test_every_exit_code_is_listed(error):
    assert str(error.exit_code) in rows("exit-codes")
    assert re.search(rf"{error.__name__} +{error.exit_code}\b", errors.__doc__)


def test_exit_codes_differ():
    codes = [error.exit_code for error in tree(errors.WebprintError)]
    assert len(codes) == len(set(codes))
