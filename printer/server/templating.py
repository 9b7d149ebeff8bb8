"""Pages from templates."""

from __future__ import annotations

from contextvars import ContextVar
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from ..errors import WebprintError
from .forms import in_words

#: The path under which a proxy shows the server to the client of this request.
PREFIX: ContextVar[str] = ContextVar("PREFIX", default="")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.globals["root"] = PREFIX.get
    environment.filters["sentence"] = make_sentence
    environment.filters["in_words"] = in_words
    return environment


def make_sentence(text: str) -> str:
    """Return a message as a sentence: with a capital, and a full stop unless it has an end."""
    text = f"{text[:1].upper()}{text[1:]}"
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def render_page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template as a response."""
    html = _environment().get_template(f"{name}.html.j2").render(values)
    return HTMLResponse(html.encode("utf-8", "replace"), status)


def error_page(error: WebprintError) -> Response:
    """Return the page for an error."""
    return render_page("error", 422, message=error.message, hint=error.hint)
