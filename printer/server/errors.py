"""What went wrong, as RFC 9457 says it: application/problem+json."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..errors import BadURL, JobsError, OutputError, UsageError, WebprintError
from ..jobs.queue import KeyReused, QueueFull
from .templating import page

MEDIA_TYPE = "application/problem+json"


class Problem(BaseModel):
    """What went wrong, and what to do about it."""

    type: str = Field("about:blank", description="Always about:blank: the status says it.")
    title: str = Field(description="The status in words.")
    status: int
    detail: str = Field("", description="What is wrong with this very request.")
    hint: str = Field("", description="What to do about it.")


def problem(
    status: int, detail: str, hint: str = "", headers: dict[str, str] | None = None
) -> Response:
    """Return a problem as a response."""
    body = Problem(
        type="about:blank", title=HTTPStatus(status).phrase, status=status, detail=detail, hint=hint
    )
    return JSONResponse(body.model_dump(), status, headers, media_type=MEDIA_TYPE)


def wants_page(headers: Headers) -> bool:
    """Say whether a person's browser asks, which shows a page rather than data."""
    return "text/html" in headers.get("accept", "")


def told(
    headers: Headers, status: int, detail: str, hint: str = "", more: dict[str, str] | None = None
) -> Response:
    """Return a problem as whoever asks can read it: a page for people, data for programs."""
    if not wants_page(headers):
        return problem(status, detail, hint, more)
    answer = page("trouble", status, message=detail, hint=hint)
    answer.headers.update(more or {})
    return answer


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return how problems of these statuses stand in the API's description.

    Who comes without the token too often is slowed down.
    """
    statuses = (*statuses, 429) if 401 in statuses else statuses
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {MEDIA_TYPE: {"schema": schema}},
        }
        for status in statuses
    }


def of_error(error: WebprintError) -> tuple[int, str, str, dict[str, str]]:
    """Return how one of our errors is told: status, detail, hint, headers."""
    match error:
        case KeyReused():
            return 422, error.message, "Use a new key for a new request", {}
        case JobsError():
            wait = "30" if isinstance(error, QueueFull) else "5"
            return 503, error.message, error.hint, {"Retry-After": wait}
        case OutputError():
            return 502, error.message, error.hint, {}
        case UsageError() | BadURL():
            return 422, error.message, error.hint, {}
        case _:
            return 500, error.message, error.hint, {}


def handle_problems(app: FastAPI) -> None:
    """Let every error of an app come as a problem."""

    @app.exception_handler(WebprintError)
    def _ours(request: Request, error: WebprintError) -> Response:
        return told(request.headers, *of_error(error))

    @app.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = _methods(app, request) or headers.get("Allow", "")
        return told(request.headers, error.status_code, str(error.detail), "", headers)

    @app.exception_handler(RequestValidationError)
    def _invalid(request: Request, error: RequestValidationError) -> Response:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"] if part != "body")[:200]
        detail = f"{where}: {fault['msg']}" if where else str(fault["msg"])
        return told(request.headers, 422, detail[:400], _hint(request, fault["type"], where))

    @app.exception_handler(Exception)
    def _fault(request: Request, error: Exception) -> Response:
        return told(request.headers, 500, f"a fault of the server itself: {type(error).__name__}")


def _hint(request: Request, kind: str, where: str) -> str:
    """Say what to do about a request of which a part cannot be used."""
    if not where and not request.headers.get("content-type", "").startswith("application/json"):
        return "Send the body with the header 'Content-Type: application/json'"
    if kind == "extra_forbidden" and where.startswith("options."):
        return "No print asks for that; /api/openapi.json lists the options that one may ask for"
    return ""


def _methods(app: FastAPI, request: Request) -> str:
    """Return what may be done at an address of the API, by all of its routes."""
    for path, operations in app.openapi()["paths"].items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), request.url.path):
            return ", ".join(sorted(operations)).upper()
    return ""
