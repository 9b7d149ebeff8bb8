"""Pages from templates."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from ..errors import WebprintError


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader(__package__), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip


def render_page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template as a response."""
    return HTMLResponse(_environment().get_template(f"{name}.html.j2").render(values), status)


def error_page(error: WebprintError) -> Response:
    """Return the page for an error."""
    return render_page("error", 422, message=error.message, hint=error.hint)
