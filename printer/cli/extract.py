"""The commands that write the article itself, and explain how it was found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from ..article import Article
from ..errors import UsageError, WebprintError
from ..pipeline import prefetch
from ..settings import LoadedSettings
from ..text import file_name
from . import output
from .arguments import check_file, check_pages, list_pages
from .console import Console
from .help import Commands
from .options import (
    MESSAGES,
    AsJson,
    BaseURL,
    Lists,
    Out,
    PageArgument,
    make_printer,
    page_input,
    with_settings,
)

commands = Commands()


#: The formats in which an article can be written.
ArticleFormat: TypeAlias = Literal["json", "markdown", "text", "html"]
_ENDINGS: dict[ArticleFormat, str] = {
    "json": ".json", "markdown": ".md", "text": ".txt", "html": ".html",
}  # fmt: skip


@commands.command()
@with_settings("Article", "Fetching", *MESSAGES)
def extract(
    pages: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PAGE",
            help="An address, a local HTML file, @FILE with an address per line, or - for stdin.",
        ),
    ] = None,
    *,
    loaded: LoadedSettings,
    to: Annotated[
        ArticleFormat,
        typer.Option("--to", "-t", metavar="FORMAT", help="json (default), markdown, text, html."),
    ] = "json",
    out: Annotated[
        str, typer.Option("--out", "-o", help="A file, or a folder for a file each, not stdout.")
    ] = output.STDOUT,
    lists: Lists = None,
    url: BaseURL = "",
) -> None:
    """Write the articles of pages as JSON, Markdown, text or HTML.

    Several articles in one file are a list in JSON, or follow one another.
    """
    names = list_pages(pages or [], lists or (), "webprint extract")
    check_pages(names, url)
    folder = Path(out) if out.endswith("/") or Path(out).is_dir() else None
    if folder is None:
        check_file(out)
    if to == "html" and len(names) > 1 and folder is None:
        raise UsageError("several pages as HTML need a folder", hint="Add -o FOLDER/")
    settings = loaded.settings
    console = Console.from_settings(settings)
    printer = make_printer(settings, [*names, url], console, probe_sizes=False)
    articles: list[Article] = []
    errors: list[WebprintError] = []
    sources = [page_input(name, url, settings.max_size) for name in names]
    with printer, console.progress(len(names)):
        concurrency = min(printer.session.concurrency, len(names))
        for _, outcome in prefetch(printer.read, sources, concurrency):
            console.advance()
            if isinstance(outcome, WebprintError):
                console.error(outcome)
                errors.append(outcome)
                continue
            articles.append(outcome.article)
            for warning in (*outcome.article.warnings, *printer.session.take_warnings()):
                console.warn(warning)
            if folder:
                output.make_folder(folder)
                path = output.free_path(folder, file_name(outcome.article.title), _ENDINGS[to])
                output.write(path, _format([outcome.article], to).encode("utf-8", "replace"))
                console.info(f"{path}: written")
    if articles and not folder:
        output.write_out(_format(articles, to).encode("utf-8", "replace"), out)
    if errors:
        raise typer.Exit(errors[0].exit_code)


def _format(articles: Sequence[Article], to: ArticleFormat) -> str:
    from ..export import to_json
    from ..export.html import to_html
    from ..export.markdown import to_markdown

    match to:
        case "json":
            return to_json(articles).decode()
        case "markdown":
            return "\n---\n\n".join(map(to_markdown, articles))
        case "text":
            return "\n".join(f"{article.title}\n\n{article.text}\n" for article in articles)
        case "html":
            return to_html(articles[0])


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
        str,
        typer.Option(metavar="FILE", help="Write a picture of the page, kept and dropped parts."),
    ] = "",
    out: Out = output.STDOUT,
    url: BaseURL = "",
) -> None:
    """Explain the extraction: each piece of text, and how every method scored it."""
    check_pages([page], url)
    check_file(picture or out)
    if picture and (as_json or "://" not in page):
        raise UsageError(
            "--picture needs a web address and takes the place of --json"
            if as_json
            else "a browser takes pictures of web addresses, not of files",
            hint="Leave out --json" if as_json else "Leave out --picture",
        )
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
