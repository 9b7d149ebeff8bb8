"""What went wrong, as RFC 9457 says it: application/problem+json."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..errors import BadURL, JobsError, UsageError, WebprintError
from ..jobs.table import KeyReused, QueueFull

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


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return how problems of these statuses stand in the API's description."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {MEDIA_TYPE: {"schema": schema}},
        }
        for status in statuses
    }


def of_error(error: WebprintError) -> Response:
    """Return one of our errors as a response."""
    match error:
        case KeyReused():
            return problem(422, error.message, "Use a new key for a new request")
        case JobsError():
            wait = "30" if isinstance(error, QueueFull) else "5"
            return problem(503, error.message, error.hint, {"Retry-After": wait})
        case UsageError() | BadURL():
            return problem(422, error.message, error.hint)
        case _:
            return problem(500, error.message, error.hint)


def handle_problems(app: FastAPI) -> None:
    """Let every error of an app come as a problem."""

    @app.exception_handler(WebprintError)
    def _ours(_: Request, error: WebprintError) -> Response:
        return of_error(error)

    @app.exception_handler(HTTPException)
    def _http(_: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        return problem(error.status_code, str(error.detail), headers=headers)

    @app.exception_handler(RequestValidationError)
    def _invalid(_: Request, error: RequestValidationError) -> Response:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"] if part != "body")[:200]
        return problem(422, f"{where}: {fault['msg']}"[:400] if where else str(fault["msg"])[:400])

    @app.exception_handler(Exception)
    def _fault(_: Request, error: Exception) -> Response:
        return problem(500, f"a fault of the server itself: {type(error).__name__}")
