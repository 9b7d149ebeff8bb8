"""The server as one ASGI application."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

from .. import __version__
from ..jobs.queue import JobQueue
from .auth import AccessKeys
from .errors import Problem, documented, handle_problems
from .routes.api import make_api
from .routes.delivery import Sender, add_sending, add_sending_pages
from .routes.pages import enter, make_pages, static_files
from .routes.reading_list import add_later
from .security import AllowedHosts, BodyLimitMiddleware, SecurityMiddleware
from .service import PrintService

#: A page as JSON or as a form needs more bytes than the page itself.
_OVERHEAD = 3

_TOGETHER = 10  # Bodies of the largest size that may be held at a time.


def make_app(prints: PrintService, access: AccessKeys, hosts: AllowedHosts) -> ASGIApp:
    """Return the server's application: the door, the limits, and behind them what it does."""
    app = FastAPI(
        title="webprint", version=__version__, docs_url=None, redoc_url=None,
        description="Give it a web page, get the article on paper.",
        openapi_url="/api/openapi.json", generate_unique_id_function=lambda route: route.name,
    )  # fmt: skip
    handle_problems(app)
    more, pages, sender = APIRouter(prefix="/api"), make_pages(prints, access), Sender(prints)
    add_sending(more, sender)
    add_sending_pages(pages, prints, sender)
    add_later(more, pages, prints)
    for routes in (make_api(prints), more, pages):
        app.include_router(routes)
    app.mount("/static", static_files())

    @app.get("/metrics", response_class=PlainTextResponse, responses=documented(401, 503))
    def numbers() -> Response:
        """Get numbers for Prometheus."""
        kind = "text/plain; version=0.0.4; charset=utf-8"
        return Response(metrics(prints.table), 200, None, kind)

    @app.get("/health", response_class=PlainTextResponse, openapi_extra={"security": []})
    def health() -> str:
        """Say that the server is there."""
        return "well\n"

    app.openapi = lambda: _described(app)  # type: ignore[method-assign]
    most = prints.settings.max_size * _OVERHEAD
    return SecurityMiddleware(
        BodyLimitMiddleware(app, most, most * _TOGETHER), access, hosts, enter
    )


def _described(app: FastAPI) -> dict[str, Any]:
    """Return the API's description, with the token and the form problems have."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        parts = schema.setdefault("components", {})
        parts.setdefault("schemas", {})["Problem"] = Problem.model_json_schema()
        for unused in ("HTTPValidationError", "ValidationError"):
            parts["schemas"].pop(unused, None)
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{"token": []}]
        app.openapi_schema = schema
    return app.openapi_schema


def metrics(table: JobQueue) -> str:
    """Return how many prints are in each state, and how long the oldest has waited."""
    lines = [
        "# HELP webprint_prints Prints that are known, by state.",
        "# TYPE webprint_prints gauge",
        *(f'webprint_prints{{state="{s}"}} {n}' for s, n in table.count_by_state().items()),
        "# HELP webprint_wait_seconds How long the print that is next has waited.",
        "# TYPE webprint_wait_seconds gauge",
        f"webprint_wait_seconds {_wait(table):.3f}",
        "# HELP webprint_print_seconds How long the last 100 finished prints took to make.",
        "# TYPE webprint_print_seconds summary",
    ]
    took = sorted(
        job.finished - job.started
        for job in table.list_recent(100, ("done",))
        if job.finished is not None and job.started is not None
    )
    if took:
        lines += [
            f'webprint_print_seconds{{quantile="{q}"}} {took[int(q * (len(took) - 1))]:.3f}'
            for q in (0.5, 0.95, 1.0)
        ]
    lines += [
        f"webprint_print_seconds_sum {sum(took):.3f}",
        f"webprint_print_seconds_count {len(took)}",
    ]
    return "\n".join(lines) + "\n"


def _wait(table: JobQueue) -> float:
    oldest = table.next_queued()
    return max(0.0, time.time() - oldest.created) if oldest else 0.0
