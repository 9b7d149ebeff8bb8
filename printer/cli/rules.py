"""The commands for site rules: list, test, add and remove them."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import NoArticle, UsageError
from ..settings import LoadedSettings
from ..site_rules import store
from ..site_rules.apply import ACTIONS
from ..text import count_words
from . import output
from .console import Console
from .help import Commands
from .options import MESSAGES, BaseURL, PageArgument, make_printer, page_input, with_settings

if TYPE_CHECKING:
    from ..article import Article
    from ..options import SiteRule
    from ..selection import Explanation

_MAX_CHARS = 100

commands = Commands()
rules = Commands(help="List, test, add or remove rules for single sites.")
commands.add_typer(rules, name="rules")

Host = Annotated[
    str, typer.Argument(metavar="HOST", help="The site, such as example.org.", show_default=False)
]


@rules.callback(invoke_without_command=True)
def _default(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        _print_rules(store.rule_store())


@rules.command(name="list")
@with_settings("rules")
def list_rules(*, loaded: LoadedSettings) -> None:
    """List the rules and what is wrong with them."""
    _print_rules(store.rule_store(more=loaded.settings.rules))


def _print_rules(rule_store: store.RuleStore) -> None:
    site_rules = rule_store.all()
    for rule in site_rules:
        print(f"{rule.host}: {_counts(rule) or 'nothing'}  ({rule.name})")
        for selector in rule.drop if not rule.xpath else ():
            print(f"    drop {selector}")
    if not site_rules:
        print(f"No rules yet; they live in {store.user_folder()}")
    errors = [error for rule in site_rules for error in rule.faults]
    for error in errors:
        print(f"webprint: {error}", file=sys.stderr)
    if errors:
        raise typer.Exit(UsageError.exit_code)


def _counts(rule: SiteRule) -> str:
    counts = ((action, len(getattr(rule, action))) for action in ACTIONS)
    return ", ".join(f"{count} {action.replace('_', '-')}" for action, count in counts if count)


@rules.command(name="test")
@with_settings(
    "Article", "Fetching", *MESSAGES,
    without=("no_rules", "key_paragraphs", "key_paragraphs_as", "key_query"),
)  # fmt: skip
def compare(page: PageArgument, *, loaded: LoadedSettings, url: BaseURL = "") -> None:
    """Show what each rule for a page's site matches, and the article with and without them."""
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
        print(f"No rule is for {without_rules.article.url or 'a page without an address'}.")
        return
    for line in _comparison(explanation, without_rules.article, with_rules):
        print(line)


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
    lines.append(f"without the rules: {_size(without_rules)}")
    lines.append(f"with the rules:    {_size(with_rules)}")
    return lines


def _size(article: Article) -> str:
    words = count_words(article.text)
    counts = ((words, "word"), (len(article.figures), "picture"), (len(article.blocks), "block"))
    return ", ".join(output.count(number, noun) for number, noun in counts)


@rules.command()
def add(
    host: Host,
    drop: Annotated[
        list[str], typer.Option("--drop", metavar="SELECTOR", help="What to leave out; repeatable.")
    ],
) -> None:
    """Leave something out of all pages of a site."""
    print(store.add_selectors(store.user_folder(), host, "drop", drop))


@rules.command()
def remove(
    host: Host,
    selectors: Annotated[
        list[str] | None,
        typer.Argument(metavar="SELECTOR", help="The selectors to remove; all of them by default."),
    ] = None,
) -> None:
    """Delete your rules for a site, or single selectors of them."""
    if selectors:
        print(store.remove_selectors(store.user_folder(), host, selectors))
    elif not store.remove_rule(store.user_folder(), host):
        raise UsageError(
            f"there are no rules of yours for {host[:_MAX_CHARS]}",
            hint="webprint rules list shows them",
        )
