"""The commands of the print server: serve, worker and jobs."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..errors import UsageError
from ..settings import LoadedSettings
from .help import Commands
from .options import AsJson, require, with_settings
from .output import print_json, print_line

if TYPE_CHECKING:
    from ..jobs import Job
    from ..jobs.queue import JobQueue

_MAX_ID_CHARS = 20

commands = Commands()


@commands.command()
@with_settings("Page", "Article", "Fetching", "Server", without=("print_timeout",))
def serve(*, loaded: LoadedSettings) -> None:
    """Run the print server: a start page, the bookmarklet and an API."""
    require("server")
    from ..server import main

    main.serve(loaded.settings)


@commands.command()
@with_settings(
    "Page", "Article", "Fetching", "Server",
    without=("print_timeout", "host", "port", "hostnames", "trusted_proxies"),
)  # fmt: skip
def worker(*, loaded: LoadedSettings) -> None:
    """Print for a server on another machine, with the same --database and --storage."""
    require("server")
    from ..jobs.engine import run_worker

    run_worker(loaded.settings)


@commands.command()
@with_settings("database")
def jobs(
    action: Annotated[
        Literal["list", "retry", "cancel"],
        typer.Argument(metavar="ACTION", help="list, retry or cancel."),
    ] = "list",
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="The ids of jobs.", show_default=False)
    ] = None,
    *,
    loaded: LoadedSettings,
    as_json: AsJson = False,
) -> None:
    """List, retry or cancel the jobs of the print server and of scheduled digests."""
    require("server")
    from ..jobs.engine import open_queue
    from ..jobs.queue import KINDS

    queue = open_queue(loaded.settings)
    try:
        if action == "list":
            listed = (
                [_find_job(queue, i) for i in ids] if ids else queue.list_recent(200, kinds=KINDS)
            )
            for job in listed:
                if as_json:
                    print_json(asdict(job) | {"error": job.error.to_dict() if job.error else {}})
                else:
                    print_line(_job_line(job))
            if not listed and not as_json:
                print("no jobs", file=sys.stderr)
        else:
            _change_jobs(queue, action, ids or [])
    finally:
        queue.disconnect()


@commands.command()
def token(
    *,
    new: Annotated[
        bool,
        typer.Option(
            "--new",
            help="Replace the token; all browsers are signed out, and print buttons stop working.",
        ),
    ] = False,
) -> None:
    """Show the print server's token, or replace it; a running server uses it at once."""
    require("server")
    from ..server.security import load_keys, replace_token, token_path

    keys = replace_token(token_path()) if new else load_keys(token_path())
    print(keys.token)


def _find_job(queue: JobQueue, job_id: str) -> Job:
    if (job := queue.get(job_id)) is None:
        raise UsageError(
            f"there is no job {job_id[:_MAX_ID_CHARS]}", hint="webprint jobs list shows their ids"
        )
    return job


def _change_jobs(queue: JobQueue, action: Literal["retry", "cancel"], ids: list[str]) -> None:
    """Retry or cancel jobs; raise for the first that is in the wrong state."""
    if not ids:
        raise UsageError(f"which jobs to {action}?", hint="webprint jobs list shows their ids")
    change = queue.retry if action == "retry" else queue.cancel
    for job_id in ids:
        if not change(job_id):
            state = "failed or was cancelled" if action == "retry" else "has not ended"
            raise UsageError(
                f"there is no job {job_id[:_MAX_ID_CHARS]} that {state}",
                hint="webprint jobs list shows their ids",
            )


def _job_line(job: Job) -> str:
    created = datetime.fromtimestamp(job.created).strftime("%Y-%m-%d %H:%M")
    text = job.error.message if job.error else job.title
    return f"{job.id}  {job.state:9}  {created}  {job.url}" + (f"  {text}" if text else "")
