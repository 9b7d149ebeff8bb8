"""Pages made from their templates."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from ..errors import WebprintError


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader(__package__, "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip


def page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page made from its template."""
    return HTMLResponse(_environment().get_template(f"{name}.html.j2").render(values), status)


def no_print() -> Response:
    """Return the page for a print that is not there."""
    return page("trouble", 404, message="There is no such print", hint="")


def trouble(error: WebprintError) -> Response:
    """Return a page that says what went wrong."""
    return page("trouble", 422, message=error.message, hint=error.hint)
