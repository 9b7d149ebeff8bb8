"""The commands that write the article itself, and explain how it was found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from ..article import Article
from ..settings import LoadedSettings
from . import output
from .console import Console
from .help import Commands
from .options import (
    MESSAGES,
    AsJson,
    BaseURL,
    Out,
    PageArgument,
    make_printer,
    page_input,
    with_settings,
)

commands = Commands()


#: The formats in which an article can be written.
ArticleFormat: TypeAlias = Literal["json", "markdown", "text", "html"]


@commands.command()
@with_settings("Article", "Fetching", *MESSAGES)
def extract(
    page: PageArgument,
    *,
    loaded: LoadedSettings,
    to: Annotated[
        ArticleFormat,
        typer.Option(
            "--to", "-t", metavar="FORMAT", help="json (default), markdown, text or html."
        ),
    ] = "json",
    out: Out = output.STDOUT,
    url: BaseURL = "",
) -> None:
    """Write the article of a page as JSON, Markdown, text or HTML."""
    console = Console.from_settings(loaded.settings)
    printer = make_printer(loaded.settings, [page, url], console, probe_sizes=False)
    with printer, console.progress(1):
        article = printer.read(page_input(page, url, loaded.settings.max_size)).article
        warnings = (*article.warnings, *printer.session.take_warnings())
    for warning in warnings:
        console.warn(warning)
    output.write_out(_format(article, to).encode("utf-8", "replace"), out)


def _format(article: Article, to: ArticleFormat) -> str:
    from ..export import to_json
    from ..export.html import to_html
    from ..export.markdown import to_markdown

    match to:
        case "json":
            return to_json([article]).decode()
        case "markdown":
            return to_markdown(article)
        case "text":
            return f"{article.title}\n\n{article.text}\n"
        case "html":
            return to_html(article)


@commands.command()
@with_settings(
    "Article", "Fetching", *MESSAGES,
    without=("comments", "key_paragraphs", "key_paragraphs_as", "key_query", "follow"),
)  # fmt: skip
def explain(
    page: PageArgument,
    *,
    loaded: LoadedSettings,
    as_json: AsJson = False,
    picture: Annotated[
        str, typer.Option(help="Write a picture of the page with what was kept and dropped.")
    ] = "",
    out: Out = output.STDOUT,
    url: BaseURL = "",
) -> None:
    """Explain the extraction: each piece of text, and how every method scored it."""
    from ..render.explain import draw_explanation, explanation_data, explanation_html

    console = Console.from_settings(loaded.settings)
    with make_printer(loaded.settings, [page, url], console) as printer, console.progress(1):
        source = page_input(page, url, loaded.settings.max_size)
        explanation = printer.explain(source, screenshot=bool(picture))
    if picture:
        output.write(Path(picture), draw_explanation(explanation))
        return
    if as_json:
        text = json.dumps(explanation_data(explanation), ensure_ascii=False, indent=2) + "\n"
    else:
        text = explanation_html(explanation)
    output.write_out(text.encode("utf-8", "replace"), out)
