"""Pages from templates."""

from __future__ import annotations

from contextvars import ContextVar
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from ..render.markup import printable
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
    environment.filters["printable"] = lambda value: printable(str(value))
    return environment


def make_sentence(text: str) -> str:
    """Return a message as a sentence: with a capital, and a full stop unless it has an end."""
    text = f"{text[:1].upper()}{text[1:]}"
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def render_page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template as a response."""
    html = _environment().get_template(f"{name}.html.j2").render(values)
    return HTMLResponse(html.encode("utf-8", "replace"), status)


def render_xml(template: str, media_type: str, **values: Any) -> Response:
    """Render a template of XML as a response."""
    xml = _environment().get_template(f"{template}.xml.j2").render(values)
    return Response(xml.encode("utf-8", "replace"), media_type=media_type)
