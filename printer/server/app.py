"""The server as one ASGI application, and what uvicorn lacks: deadlines, and a limit of clients."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from typing import Any

import h11
from fastapi import FastAPI
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from .. import __version__
from ..jobs.queue import NO_ROOM, JobQueue
from .errors import Problem, add_error_handlers, document_problems
from .forms import PREFIX, render_text
from .routes import api, delivery, editor, pages, reading_list
from .security import Access, AllowedHosts, BodyLimitMiddleware, SecurityMiddleware
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
    app.state.service, app.state.access = service, access
    for router in (api.router, editor.api, delivery.api, reading_list.api):
        app.include_router(router, prefix="/api")
    for router in (pages.router, editor.pages, delivery.pages, reading_list.pages):
        app.include_router(router, include_in_schema=False)
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
    schema = app.openapi_schema
    if schema is None:
        schema = FastAPI.openapi(app)  # which the app keeps
        components = schema.setdefault("components", {})
        components.setdefault("schemas", {})["Problem"] = Problem.model_json_schema()
        for unused in ("HTTPValidationError", "ValidationError"):
            components["schemas"].pop(unused, None)
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{"token": []}]
    return schema


def _metrics(queue: JobQueue) -> str:
    counts, oldest = queue.count_by_state(), queue.next_queued()
    wait = max(0.0, time.time() - oldest.created) if oldest else 0.0
    seconds = sorted(
        job.finished - job.started
        for job in queue.list_recent(100, ("done",))
        if job.finished is not None and job.started is not None
    )
    places = {quantile: int(quantile * (len(seconds) - 1)) for quantile in (0.5, 0.95, 1.0)}
    quantiles = {quantile: seconds[place] for quantile, place in places.items()} if seconds else {}
    return render_text("metrics.txt", counts=counts, wait=wait, quantiles=quantiles)


#: Seconds in which the headers of a request must arrive, from its first byte or the connection's.
HEADER_SECONDS = 10.0
#: Seconds in which a client must read some of a response whose rest waits for it.
WRITE_SECONDS = 60.0
MAX_CONNECTIONS = 500

#: The maximum number of log lines per minute from the web server; any request can cause some.
MAX_LOG_LINES = 30

_PREFIX = re.compile(r"(?:/[A-Za-z0-9._~-]{1,60}){1,5}")


class DeadlineProtocol(H11Protocol):
    """Closes connections whose request does not arrive in time, even if single bytes do.

    It also closes connections whose client does not read the response.  If there are too many, a
    new connection replaces the one that has waited longest for a request, or else the oldest whose
    request is still arriving.
    """

    _deadline: asyncio.TimerHandle | None = None
    _write_deadline: asyncio.TimerHandle | None = None
    _connected_at = 0.0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._connected_at = self.loop.time()
        self._watch()
        if len(self.connections) >= MAX_CONNECTIONS:
            peers = [
                other
                for other in self.connections
                if isinstance(other, DeadlineProtocol) and other is not self
            ]
            waiting = [other for other in peers if other._deadline is not None]
            sending = [other for other in peers if other.conn.their_state is h11.SEND_BODY]
            if waiting:
                min(waiting, key=DeadlineProtocol._due).transport.abort()
            elif sending:
                min(sending, key=lambda other: other._connected_at).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._unwatch()
        self._stop_write_clock()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_write_clock()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_write_clock()

    def _start_write_clock(self) -> None:
        self._stop_write_clock()
        self._write_deadline = self.loop.call_later(WRITE_SECONDS, self.transport.abort)

    def _stop_write_clock(self) -> None:
        if self._write_deadline is not None:
            self._write_deadline.cancel()
            self._write_deadline = None

    def handle_events(self) -> None:
        super().handle_events()
        self._watch()

    def _watch(self) -> None:
        """Start or stop the clock, as the client is to send a request or has sent one."""
        if self.transport.is_closing():  # It is closed once the client has read the rest.
            self._unwatch()
            self._start_write_clock()
        elif self.conn.their_state is not h11.IDLE:
            self._unwatch()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

    def _unwatch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _due(self) -> float:
        return self._deadline.when() if self._deadline else float("inf")


class LogLimit(logging.Filter):
    """Drops log records beyond ``MAX_LOG_LINES`` a minute, and says later how many they were."""

    def __init__(self) -> None:
        super().__init__()
        self._count, self._end = 0, 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        if record.created >= self._end:
            dropped = self._count - MAX_LOG_LINES
            self._count, self._end = 0, record.created + 60
            if dropped > 0:
                text = f"{record.getMessage()} ({dropped} messages before it were not logged)"
                record.msg, record.args = text, ()
        self._count += 1
        return self._count <= MAX_LOG_LINES


class ProxyMiddleware(ProxyHeadersMiddleware):
    """Takes the client, the scheme and the path prefix from proxies that are trusted, no others."""

    def __init__(self, app: ASGIApp, trusted: list[str]) -> None:
        super().__init__(app, trusted)  # type: ignore[arg-type]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # type: ignore[override]
        headers = dict(scope.get("headers", ()))
        client = (scope.get("client") or ("",))[0]
        prefix = headers.get(b"x-forwarded-prefix", b"").decode("latin-1").rstrip("/")
        trusted = client in self.trusted_hosts and _PREFIX.fullmatch(prefix)
        PREFIX.set(prefix if trusted else "")
        await super().__call__(scope, receive, send)  # type: ignore[arg-type]
