"""The server as one ASGI application."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from .. import __version__
from ..jobs.queue import NO_ROOM, JobQueue
from .auth import Access
from .errors import Problem, add_error_handlers, document_problems
from .routes import api, delivery, editor, history, opds, pages, reading_list, settings
from .security import AllowedHosts, BodyLimitMiddleware, SecurityMiddleware
from .service import PrintService

#: The ratio of the largest request body to the largest page, as JSON and forms add to the size.
_BODY_OVERHEAD = 3

_MAX_LARGE_BODIES = 10
_MAX_RUNNING = 20  # looked at by the health check


def create_app(service: PrintService, access: Access, hosts: AllowedHosts) -> ASGIApp:
    """Return the application behind its security middleware."""
    app = FastAPI(
        title="webprint", version=__version__, docs_url=None, redoc_url=None,
        description="Print the articles of web pages.",
        openapi_url="/api/openapi.json", generate_unique_id_function=lambda route: route.name,
    )  # fmt: skip
    add_error_handlers(app)
    api_router = APIRouter(prefix="/api")
    api.add_routes(api_router, service)
    editor.add_api_routes(api_router, service)
    delivery.add_api_routes(api_router, service)
    reading_list.add_api_routes(api_router, service)
    page_router = APIRouter(include_in_schema=False)
    pages.add_routes(page_router, service, access)
    editor.add_page_routes(page_router, service)
    delivery.add_page_routes(page_router, service)
    reading_list.add_page_routes(page_router, service)
    settings.add_page_routes(page_router, service, access)
    opds.add_routes(page_router, service)
    history.add_page_routes(page_router, service, pages.STATES)
    for router in (api_router, page_router):
        app.include_router(router)
    app.mount("/static", StaticFiles(packages=[(__package__ or "", "static")]))

    @app.get("/metrics", response_class=PlainTextResponse, responses=document_problems(401, 503))
    def get_metrics() -> Response:
        """Get metrics for Prometheus."""
        media_type = "text/plain; version=0.0.4; charset=utf-8"
        return Response(_metrics(service.queue), media_type=media_type)

    @app.get("/health", response_class=PlainTextResponse, openapi_extra={"security": []})
    def get_health() -> str:
        """Check that the server answers, and whether prints wait for room."""
        running = service.queue.list_recent(_MAX_RUNNING, ("running",))
        if any(job.step == NO_ROOM for job in running):
            return "prints wait: the storage is full or cannot be reached\n"
        return "ok\n"

    app.openapi = lambda: _describe(app)  # type: ignore[method-assign]
    max_bytes = service.settings.max_size * _BODY_OVERHEAD
    limited = BodyLimitMiddleware(app, max_bytes, max_bytes * _MAX_LARGE_BODIES)
    return SecurityMiddleware(limited, access, hosts, pages.sign_in)


def _describe(app: FastAPI) -> dict[str, Any]:
    """Return the API's description, including the token and the schema of problems."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        components = schema.setdefault("components", {})
        components.setdefault("schemas", {})["Problem"] = Problem.model_json_schema()
        for unused in ("HTTPValidationError", "ValidationError"):
            components["schemas"].pop(unused, None)
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{"token": []}]
        app.openapi_schema = schema
    return app.openapi_schema


def _metrics(queue: JobQueue) -> str:
    """Return the metrics in Prometheus's text format."""
    counts, oldest = queue.count_by_state(), queue.next_queued()
    wait = max(0.0, time.time() - oldest.created) if oldest else 0.0
    seconds = sorted(
        job.finished - job.started
        for job in queue.list_recent(100, ("done",))
        if job.finished is not None and job.started is not None
    )
    lines = [
        "# HELP webprint_prints Prints by state.",
        "# TYPE webprint_prints gauge",
        *(f'webprint_prints{{state="{state}"}} {count}' for state, count in counts.items()),
        "# HELP webprint_wait_seconds How long the next print has been queued.",
        "# TYPE webprint_wait_seconds gauge",
        f"webprint_wait_seconds {wait:.3f}",
        "# HELP webprint_print_seconds How long the last 100 finished prints took.",
        "# TYPE webprint_print_seconds summary",
    ]
    for quantile in (0.5, 0.95, 1.0) if seconds else ():
        value = seconds[int(quantile * (len(seconds) - 1))]
        lines.append(f'webprint_print_seconds{{quantile="{quantile}"}} {value:.3f}')
    lines.append(f"webprint_print_seconds_sum {sum(seconds):.3f}")
    lines.append(f"webprint_print_seconds_count {len(seconds)}")
    return "\n".join(lines) + "\n"
