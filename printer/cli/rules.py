"""The commands for rules of single sites: list, test, add and remove them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import NoArticle, UsageError
from ..settings import LoadedSettings
from ..site_rules import store
from ..site_rules.apply import ACTIONS
from .console import Console
from .options import printer_for, source_of, with_settings

if TYPE_CHECKING:
    from ..article import Article
    from ..options import SiteRule
    from ..pipeline import PageInput, Printer
    from ..selection import Explanation

_LONGEST = 100

rules = typer.Typer(
    help="List, test, add or remove rules for single sites.", no_args_is_help=False
)  # fmt: skip

Host = Annotated[
    str, typer.Argument(metavar="HOST", help="The site, as in example.org.", show_default=False)
]


@rules.callback(invoke_without_command=True)
def _default(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        _list(store.rule_store())


@rules.command("list")
@with_settings("Article")
def list_(*, loaded: LoadedSettings) -> None:
    """List the rules there are, and what is wrong with them."""
    _list(store.rule_store(more=loaded.settings.rules))


def _list(shelf: store.RuleStore) -> None:
    found = shelf.all()
    for rule in found:
        print(f"{rule.host}: {_counts(rule) or 'nothing'}  ({rule.name})")
        for selector in rule.drop if not rule.xpath else ():
            print(f"    drop {selector}")
    if not found:
        print(f"There are no rules. They stand in {store.user_folder()}")
    faults = [fault for rule in found for fault in rule.faults]
    for fault in faults:
        print(f"webprint: {fault}", file=sys.stderr)
    if faults:
        raise typer.Exit(UsageError.exit_code)


def _counts(rule: SiteRule) -> str:
    counts = ((part, len(getattr(rule, part))) for part in ACTIONS)
    return ", ".join(f"{count} {part.replace('_', '-')}" for part, count in counts if count)


@rules.command("test")
@with_settings("Article", "Fetching", "Run")
def compare(
    page: Annotated[
        str, typer.Argument(metavar="PAGE", help="An address or a local HTML file.",
                            show_default=False),
    ],
    *,
    loaded: LoadedSettings,
    url: Annotated[str, typer.Option("--url", help="The address a local file came from.")] = "",
) -> None:  # fmt: skip
    """Show what each rule for a page's site meets on it, and what the article is without."""
    console = Console.of(loaded.settings)
    printer = printer_for(loaded.settings, [page, url], console, probe_sizes=False)
    with printer, console.progress(1):
        source = source_of(page, url, loaded.settings.max_size)
        capture, bare = printer.variant(rules=False).load(source)
        told = printer.explain(capture)
        ruled = _article(printer, capture)
    if not told.rules:
        print(f"No rule is for {bare.article.url or 'a page without an address'}.")
        return
    for line in _report(told, bare.article, ruled):
        print(line)


def _article(printer: Printer, source: PageInput) -> Article | None:
    """Return the article of a page; None when the rules leave none."""
    try:
        return printer.read(source).article
    except NoArticle:
        return None


def _report(told: Explanation, bare: Article, ruled: Article | None) -> list[str]:
    lines = [f"{rule} on the page" for rule in told.rules]
    for segment in told.segments:
        if segment.rule:
            lines.append(f"{'  + ' if segment.keep else '  - '}{segment.text[:_LONGEST]}")
    if ruled is None:
        return [*lines, "With these rules nothing is left of the article."]
    for name in ("title", "byline", "published"):
        before, after = getattr(bare, name), getattr(ruled, name)
        if before != after:
            lines.append(f"{name}: {after or 'none'} instead of {before or 'none'}")
    lines.append(f"without the rules: {_size(bare)}")
    lines.append(f"with the rules:    {_size(ruled)}")
    return lines


def _size(article: Article) -> str:
    words = len(article.text.split())
    return f"{words} words, {len(article.figures)} pictures, {len(article.blocks)} blocks"


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
        typer.Argument(metavar="SELECTOR", help="Those to take out; all of the site's without."),
    ] = None,
) -> None:
    """Delete your rules for a site, or single selectors of them."""
    if selectors:
        print(store.remove_selectors(store.user_folder(), host, selectors))
    elif not store.remove_rule(store.user_folder(), host):
        raise UsageError(f"there are no rules of yours for {host[:_LONGEST]}")
