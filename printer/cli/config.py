"""The commands for settings, themes, site rules, and signing in on sites."""

from __future__ import annotations

import json
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import NoArticle, OutputError, UsageError
from ..files import changing
from ..settings import (
    LoadedSettings,
    Settings,
    check_layer,
    load_settings,
    read_settings_file,
    setting_fields,
    settings_files,
)
from ..site_rules import store
from ..site_rules.apply import ACTIONS
from ..text import count_words, did_you_mean, quantity
from . import output
from .help import Commands, complete
from .options import (
    MESSAGES,
    BaseURL,
    PageArgument,
    check_address,
    check_file,
    make_printer,
    page_input,
    with_settings,
)
from .output import Console

if TYPE_CHECKING:
    from ..article import Article
    from ..fetch.browser.login import Person
    from ..selection import Explanation

commands = Commands()


config = Commands(
    help="Show the settings in force and where each comes from, or change the settings file."
)
commands.add_typer(config, name="config")


_SETTING_NAMES = [name.replace("_", "-") for name in Settings.model_fields]

SettingName = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A setting.",
        autocompletion=lambda incomplete: complete(_SETTING_NAMES, incomplete),
    ),
]
HereOption = Annotated[
    bool, typer.Option("--here", help="Use webprint.toml in this folder, not your own.")
]


@config.callback(invoke_without_command=True)
def show_settings(context: typer.Context) -> None:
    """Show the settings in force and where each comes from, or change the settings file."""
    if context.invoked_subcommand:
        return
    loaded = load_settings({})
    width = max(map(len, Settings.model_fields))
    for name, _, notes in setting_fields():
        value = getattr(loaded.settings, name)
        text = "(set)" if value and "sensitive" in notes else json.dumps(value, ensure_ascii=False)
        print(f"{name.replace('_', '-'):{width}} = {text:24} # {loaded.origins[name]}")
    for path in settings_files():
        print(f"# {path}: {'read' if path.is_file() else 'not found'}")


@config.command()
def get(name: SettingName) -> None:
    """Show the value of a setting."""
    value = getattr(load_settings({}).settings, _setting_name(name))
    lines = value if isinstance(value, tuple) else [value]
    for line in lines:
        print(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False))


@config.command(name="set", context_settings={"ignore_unknown_options": True})
def set_value(
    name: SettingName,
    values: Annotated[
        list[str], typer.Argument(metavar="VALUE", help="The value; several for a list.")
    ],
    *,
    here: HereOption = False,
) -> None:
    """Set a value in your settings file."""
    import tomlkit

    from ..themes.page import page_geometry

    name = _setting_name(name)
    takes_list = isinstance(Settings.model_fields[name].default, tuple)
    if len(values) > 1 and not takes_list:
        raise UsageError(f"{name.replace('_', '-')} has one value", hint="Put it in quotes")
    path = settings_files()[1 if here else 0]
    changes: dict[str, Any] = {name: tuple(values) if takes_list else values[0]}
    check_layer("command line", changes)
    settings = Settings(**changes)
    in_theme = settings
    if name in ("paper", "set"):  # Those of a theme count if it is in force.
        in_theme = settings.model_copy(update={"theme": load_settings({}).settings.theme})
    in_theme.fetch_options()  # Both raise for a value that no print could use.
    page_geometry(in_theme.print_options())
    value = settings.model_dump(mode="json")[name]
    with changing(path, OutputError):
        text = read_settings_file(path)[0] if path.exists() else ""
        document = tomlkit.parse(text)
        keys = (key for key in document if key.replace("-", "_") == name)
        key = next(keys, name.replace("_", "-"))
        if key in document:
            document[key] = value
        else:  # Before the tables, where it is a setting.
            document = tomlkit.parse(tomlkit.dumps({key: value}) + tomlkit.dumps(document))
        output.write(path, tomlkit.dumps(document).encode())
    print(f"{path}: written")


@config.command()
def init(*, here: HereOption = False) -> None:
    """Write a settings file to start from, which explains every setting."""
    path = settings_files()[1 if here else 0]
    lines = ["# Settings of webprint.  Remove the # before a line to change its value."]
    for name, field, _ in setting_fields():
        default = list(field.default) if isinstance(field.default, tuple) else field.default
        lines += [f"\n# {field.description}", f"# {name.replace('_', '-')} = {json.dumps(default)}"]
    with changing(path, OutputError):
        if path.exists():
            hint = "Change it with: webprint config set NAME VALUE"
            raise UsageError(f"{path} exists", hint=hint)
        output.write(path, ("\n".join(lines) + "\n").encode())
    print(f"{path}: written")


def _setting_name(text: str) -> str:
    name = text.removeprefix("--").replace("-", "_")
    if name not in Settings.model_fields:
        hint = did_you_mean(text.replace("_", "-"), _SETTING_NAMES) or "webprint config lists them"
        raise UsageError(f"there is no setting {text[:60]!r}", hint=hint)
    return name


@commands.command()
def themes() -> None:
    """List the themes, their papers and their options."""
    from ..themes.loader import ThemePage, all_themes, format_value
    from ..themes.options import FONT

    for theme in all_themes():
        print(f"{theme.name:14} {theme.description}")
        for name, device in theme.papers.items():
            print(f"{'':14} --paper {name:22} {device.description or device.size}")
        for name, variable in theme.variables.items():
            values = "|".join(variable.choices) or ("on|off" if variable.kind == "switch" else "")
            option = f"{name}={values or variable.kind.upper()}"
            text = f"{variable.description} ({format_value(variable.value)})".strip()
            print(f"{'':14} --set {option:20} {text}")
    names = " ".join(name.replace("_", "-") for name in ThemePage.model_fields)
    print(f"\nAll themes take --set {FONT}=... and the values of a page: {names}")


@commands.command()
@with_settings(
    "storage_state", "timeout", "user_agent", "cookies", "allow_private", *MESSAGES,
)  # fmt: skip
def login(
    page: Annotated[
        str, typer.Argument(metavar="URL", help="The page to sign in to.", show_default=False)
    ],
    *,
    loaded: LoadedSettings,
) -> None:
    """Sign in to a page in a browser window, and save the browser's state.

    The state is saved in the file of --storage-state, which only you can read. To print, pass the
    same option.
    """
    from ..fetch.browser.login import at_the_keyboard

    wait = sys.stdin.readline if sys.stdin.isatty() else threading.Event().wait
    save_login(page, loaded.settings, at_the_keyboard(wait))


def save_login(page: str, settings: Settings, person: Person, *, visible: bool = True) -> None:
    """Open a browser, with the saved state if any, for a user to sign in; save its state."""
    from ..fetch.browser.login import sign_in
    from ..fetch.credentials import read_storage_state, write_storage_state
    from ..fetch.ssrf import Guard

    file = settings.storage_state
    if not file:
        raise UsageError("login needs a file for the state", hint="Add --storage-state FILE")
    check_address(page)
    check_file(file)
    options = settings.fetch_options()
    if Path(file).exists():
        read_storage_state(file)
    else:
        options = replace(options, storage_state="")
    console = Console.from_settings(settings)
    console.info("A browser opens: sign in there, then close the page or press Enter here.")
    guard = Guard([page], allow_private=settings.allow_private)
    write_storage_state(file, sign_in(page, options, guard, person, visible=visible))
    console.info(f"{file}: saved; whoever has this file is signed in as you")


_MAX_CHARS = 100

rules = Commands(help="List, test, add or remove site rules.")
commands.add_typer(rules, name="rules")

Host = Annotated[
    str, typer.Argument(metavar="HOST", help="The site, such as example.org.", show_default=False)
]


@rules.callback(invoke_without_command=True)
def show_rules(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        _print_rules(store.rule_store())


@rules.command(name="list")
@with_settings("rules")
def list_rules(*, loaded: LoadedSettings) -> None:
    """List the rules and their errors."""
    _print_rules(store.rule_store(more=loaded.settings.rules))


def _print_rules(rule_store: store.RuleStore) -> None:
    site_rules = rule_store.all()
    for rule in site_rules:
        counts = ((action.replace("_", "-"), len(getattr(rule, action))) for action in ACTIONS)
        parts = ", ".join(f"{number} {action}" for action, number in counts if number)
        output.print_line(f"{rule.host}: {parts or 'nothing'}  ({rule.name})")
        for selector in rule.drop if not rule.xpath else ():
            output.print_line(f"    drop {selector}")
    if not site_rules:
        print(f"No rules yet; they are stored in {store.user_folder()}")
    errors = [error for rule in site_rules for error in rule.faults]
    for error in errors:
        Console().info(f"webprint: {error}")
    if errors:
        raise typer.Exit(UsageError.exit_code)


@rules.command(name="test")
@with_settings(
    "Article", "Fetching", *MESSAGES,
    without=("no_rules", "key_paragraphs", "key_paragraphs_as", "key_query"),
)  # fmt: skip
def compare(page: PageArgument, *, loaded: LoadedSettings, url: BaseURL = "") -> None:
    """Show what the rules for a page's site match. Show the article with and without them."""
    console = Console.from_settings(loaded.settings)
    printer = make_printer(loaded.settings, [page, url], console, probe_sizes=False)
    with printer, console.progress(1):
        source = page_input(page, url, loaded.settings.max_size)
        capture, without_rules = printer.variant(rules=False).load(source)
        explanation = printer.explain(capture)
        with_rules: Article | None = None
        with suppress(NoArticle):
            with_rules = printer.read(capture).article
    if not explanation.rules:
        name = without_rules.article.url or "a page without an address"
        output.print_line(f"There is no rule for {name}.")
        return
    for line in _comparison(explanation, without_rules.article, with_rules):
        output.print_line(line)


def _comparison(
    explanation: Explanation, without_rules: Article, with_rules: Article | None
) -> list[str]:
    lines = [f"{rule} on the page" for rule in explanation.rules]
    for segment in explanation.segments:
        if segment.rule:
            lines.append(f"  {'+' if segment.keep else '-'} {segment.text[:_MAX_CHARS]}")
    if with_rules is None:
        return [*lines, "With these rules nothing is left of the article."]
    for name in ("title", "byline", "published"):
        before, after = getattr(without_rules, name), getattr(with_rules, name)
        if before != after:
            lines.append(f"{name}: {after or 'none'} instead of {before or 'none'}")
    lines.append(f"without the rules: {_article_size(without_rules)}")
    lines.append(f"with the rules:    {_article_size(with_rules)}")
    return lines


def _article_size(article: Article) -> str:
    words = count_words(article.text)
    counts = ((words, "word"), (len(article.figures), "picture"), (len(article.blocks), "block"))
    return ", ".join(quantity(number, noun) for number, noun in counts)


@rules.command()
def add(
    host: Host,
    drop: Annotated[
        list[str], typer.Option("--drop", metavar="SELECTOR", help="What to leave out; repeatable.")
    ],
) -> None:
    """Leave parts out of all pages of a site."""
    print(store.add_selectors(store.user_folder(), host, "drop", drop))


@rules.command()
def remove(
    host: Host,
    selectors: Annotated[
        list[str] | None,
        typer.Argument(metavar="SELECTOR", help="The selectors to remove; all of them by default."),
    ] = None,
) -> None:
    """Delete your rules for a site, or single selectors."""
    if selectors:
        print(store.remove_selectors(store.user_folder(), host, selectors))
    elif not store.remove_rule(store.user_folder(), host):
        raise UsageError(
            f"you have no rules for {host[:_MAX_CHARS]}", hint="webprint rules list shows them"
        )
