"""All commands of the command line, besides that which prints pages."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..pipeline import ExtractedPage
from ..settings import LoadedSettings, Settings, setting_fields, settings_files
from . import output, search
from .batch import batch
from .config import login
from .console import Console
from .crawl import crawl
from .digest import add_digests
from .options import AsData, Out, printer_for, source_of, with_settings
from .print import BaseURL, app, run
from .rules import rules
from .server import add_serving

__all__ = ["app", "run"]


class Form(StrEnum):
    """The forms an article can be written in."""

    json = "json"
    markdown = "markdown"
    text = "text"
    html = "html"


Page = Annotated[
    str,
    typer.Argument(
        metavar="PAGE",
        help="An address, a local HTML file, or - for standard input.",
        show_default=False,
    ),
]


@app.command()
@with_settings("Article", "Fetching", "Run")
def extract(
    page: Page,
    *,
    loaded: LoadedSettings,
    to: Annotated[Form, typer.Option("--to", "-t", help="What to write.")] = Form.json,
    out: Out = output.STDOUT,
    url: BaseURL = "",
) -> None:
    """Print the article itself: as JSON, Markdown, text or HTML."""
    console = Console.of(loaded.settings)
    printer = printer_for(loaded.settings, [page, url], console, probe_sizes=False)
    with printer, console.progress(1):
        reading = printer.read(source_of(page, url, loaded.settings.max_size))
    for warning in reading.article.warnings:
        console.warn(warning)
    output.deliver(_written(reading, to).encode("utf-8", "replace"), out)


@app.command("explain")
@with_settings("Article", "Fetching", "Run")
def explain_(
    page: Page,
    *,
    loaded: LoadedSettings,
    as_json: AsData = False,
    picture: Annotated[
        str, typer.Option(help="Write a picture of the page, with what was made of each place.")
    ] = "",
    out: Out = output.STDOUT,
    url: BaseURL = "",
) -> None:
    """Show why the article is what it is: each piece of text and what every method thought."""
    from ..render.explain import explanation_data, explanation_html

    console = Console.of(loaded.settings)
    with printer_for(loaded.settings, [page, url], console) as printer, console.progress(1):
        source = source_of(page, url, loaded.settings.max_size)
        explanation = printer.explain(source, screenshot=bool(picture))
    if picture:
        from ..render.explain import draw_explanation

        output.write(Path(picture), draw_explanation(explanation))
        return
    if as_json:
        text = json.dumps(explanation_data(explanation), ensure_ascii=False, indent=2) + "\n"
    else:
        text = explanation_html(explanation)
    output.deliver(text.encode("utf-8", "replace"), out)


@app.command("config")
@with_settings("Page", "Article", "Fetching", "Run")
def config_(*, loaded: LoadedSettings) -> None:
    """Show the settings in force and where each comes from."""
    width = max(map(len, Settings.model_fields))
    for name, _, notes in setting_fields():
        value = getattr(loaded.settings, name)
        shown = "(set)" if value and "sensitive" in notes else json.dumps(value, ensure_ascii=False)
        key = name.replace("_", "-")
        print(f"{key:{width}} = {shown:24} # {loaded.origins[name]}")
    for path in settings_files():
        print(f"# {path}: {'read' if path.is_file() else 'not there'}")


app.command()(login)
app.command()(crawl)
app.command()(batch)
app.add_typer(rules, name="rules")


@app.command()
def themes() -> None:
    """List the themes there are, and what can be changed in each."""
    from .config import lines

    for line in lines():
        print(line)


add_serving(app)
add_digests(app)
app.command()(search.search)


def _written(reading: ExtractedPage, form: Form) -> str:
    from ..export import to_json
    from ..export.html import to_html
    from ..export.markdown import to_markdown

    article = reading.article
    match form:
        case Form.json:
            return to_json([article]).decode()
        case Form.markdown:
            return to_markdown(article)
        case Form.text:
            return f"{article.title}\n\n{article.text}\n"
        case Form.html:
            return to_html(article)
