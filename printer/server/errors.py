"""Errors as responses: problem details (RFC 9457) for programs, pages for people."""

from __future__ import annotations

import logging
import re
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ..errors import BadURL, JobsError, OutputError, UsageError, WebprintError
from ..jobs.queue import KeyReused, QueueFull
from .forms import render_page

_MEDIA_TYPE = "application/problem+json"

_log = logging.getLogger("uvicorn.error")  # limited by app.LogLimit


class Problem(BaseModel):
    """What went wrong, and what to do about it."""

    type: str = Field("about:blank", description="Always about:blank; see the status.")
    title: str = Field(description="The status in words.")
    status: int
    detail: str = Field("", description="What is wrong with this request.")
    hint: str = Field("", description="What to do about it.")


def problem_response(
    status: int, detail: str, hint: str = "", headers: dict[str, str] | None = None
) -> Response:
    title = HTTPStatus(status).phrase
    body = Problem(type="about:blank", title=title, status=status, detail=detail, hint=hint)
    return JSONResponse(body.model_dump(), status, headers, media_type=_MEDIA_TYPE)


def wants_html(headers: Headers) -> bool:
    """Return whether the client is a browser that wants a page."""
    return "text/html" in headers.get("accept", "")


def error_response(
    headers: Headers,
    status: int,
    detail: str,
    hint: str = "",
    extra_headers: dict[str, str] | None = None,
) -> Response:
    """Return a problem in the format that the request headers ask for."""
    if not wants_html(headers):
        return problem_response(status, detail, hint, extra_headers)
    answer = render_page("error", status, message=detail, hint=hint)
    answer.headers.update(extra_headers or {})
    return answer


def document_problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the error responses of some statuses, for the API's description.

    Requests without the token are rate-limited, so 401 implies 429.
    """
    statuses = (*statuses, 429) if 401 in statuses else statuses
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {_MEDIA_TYPE: {"schema": schema}},
        }
        for status in statuses
    }


def _status_of(error: WebprintError) -> tuple[int, str, dict[str, str]]:
    match error:
        case KeyReused():
            return 422, "Use a new key for a new request", {}
        case JobsError():
            return 503, error.hint, {"Retry-After": "30" if isinstance(error, QueueFull) else "5"}
        case OutputError():
            return 502, error.hint, {}
        case UsageError() | BadURL():
            return 422, error.hint, {}
        case _:
            return 500, error.hint, {}


def add_error_handlers(app: FastAPI) -> None:
    """Make an app return every error as a problem."""

    @app.exception_handler(WebprintError)
    def _webprint(request: Request, error: WebprintError) -> Response:
        status, hint, headers = _status_of(error)
        return error_response(request.headers, status, error.message, hint, headers)

    @app.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = _allowed_methods(app, request) or headers.get("Allow", "")
        return error_response(request.headers, error.status_code, str(error.detail), "", headers)

    @app.exception_handler(RequestValidationError)
    def _invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        location = ".".join(str(part) for part in first["loc"] if part != "body")[:200]
        detail = f"{location}: {first['msg']}" if location else str(first["msg"])
        is_json = request.headers.get("content-type", "").startswith("application/json")
        hint = ""
        if not location and not is_json:
            hint = "Send the body with the header 'Content-Type: application/json'"
        elif first["type"] == "extra_forbidden" and location.startswith("options."):
            hint = "A print has no such option; /api/openapi.json lists them"
        return error_response(request.headers, 422, detail[:400], hint)

    @app.exception_handler(ClientDisconnect)
    def _disconnected(request: Request, _error: ClientDisconnect) -> Response:
        _log.warning("A client disconnected while sending to %r", request.url.path[:80])
        return Response(status_code=400)  # Nobody reads it.

    @app.exception_handler(Exception)
    def _internal(request: Request, error: Exception) -> Response:
        return error_response(
            request.headers, 500, f"internal error ({type(error).__name__}); see the server's log"
        )


def _allowed_methods(app: FastAPI, request: Request) -> str:
    for path, operations in app.openapi()["paths"].items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), request.url.path):
            return ", ".join(sorted(operations)).upper()
    return ""
