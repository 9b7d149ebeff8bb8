"""The commands of the print server: serve, worker and jobs."""

from __future__ import annotations

import json
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from ..settings import LoadedSettings
from .options import AsData, require, with_settings

if TYPE_CHECKING:
    from ..jobs.models import Job
    from ..jobs.queue import JobQueue

_ID_LENGTH = 20


class Action(StrEnum):
    """What can be done with jobs."""

    list = "list"
    retry = "retry"
    cancel = "cancel"


def add_serving(app: typer.Typer) -> None:
    """Give the command line the server's commands."""
    app.command("serve")(serve)
    app.command("worker")(worker)
    app.command("jobs")(jobs)


@with_settings("Page", "Article", "Fetching", "Server")
def serve(*, loaded: LoadedSettings) -> None:
    """Run the print server: a start page, the bookmarklet, and an API."""
    require("server")
    from ..server import main

    main.serve(loaded.settings)


@with_settings("Page", "Article", "Fetching", "Server")
def worker(*, loaded: LoadedSettings) -> None:
    """Print what is asked of a server elsewhere that shares --database and --storage."""
    require("server")
    from ..jobs.factory import run_worker

    run_worker(loaded.settings)


@with_settings("Server")
def jobs(
    action: Annotated[Action, typer.Argument(help="list, retry or cancel.")] = Action.list,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="The jobs meant.", show_default=False)
    ] = None,
    *,
    loaded: LoadedSettings,
    as_json: AsData = False,
) -> None:
    """List the print server's jobs, try some again, or stop some."""
    require("server")
    from ..jobs.factory import open_queue

    table = open_queue(loaded.settings)
    try:
        if action is Action.list:
            found = table.list_recent(200) if not ids else [j for j in map(table.get, ids) if j]
            for job in found:
                print(_data(job) if as_json else _line(job))
        else:
            _act(table, action, ids or [])
    finally:
        table.disconnect()


def _act(table: JobQueue, action: Action, ids: list[str]) -> None:
    """Try jobs again, or stop them; raises for the first with which that cannot be done."""
    if not ids:
        raise UsageError(f"which jobs to {action.value}?", hint="Name them: see webprint jobs list")
    act = table.retry if action is Action.retry else table.cancel
    for each in ids:
        if not act(each):
            over = "failed or was cancelled" if action is Action.retry else "is not over"
            raise UsageError(f"there is no job {each[:_ID_LENGTH]} that {over}")


def _line(job: Job) -> str:
    when = datetime.fromtimestamp(job.created).strftime("%Y-%m-%d %H:%M")
    text = job.error.message if job.error else job.title
    return f"{job.id}  {job.state:9}  {when}  {job.url}" + (f"  {text}" if text else "")


def _data(job: Job) -> str:
    values = {name: getattr(job, name) for name in job.__dataclass_fields__}
    values["error"] = job.error.to_dict() if job.error else {}
    return json.dumps(values, ensure_ascii=False, default=dict)
