"""The scheduler: runs a workflow for each slot of a cron expression to make and deliver one issue.

    due_slot -> workflow, queued -> build -> remember -> for each destination: begin -> deliver

The result of each step is recorded: after a crash, a new process continues after the last recorded
step, with the same file.  An interrupted delivery may have arrived: for a folder, the scheduler
checks whether the file exists; other deliveries are not repeated.
"""

from __future__ import annotations

import hashlib
import secrets
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeAlias

from dbos import DBOS

from ..article import Article
from ..backoff import Backoff
from ..errors import ErrorRecord, JobsError, WebprintError
from ..files import dump_dataclass, load_dataclass
from ..jobs.engine import WorkflowExecutor, database_location, open_queue, open_result_storage
from ..jobs.queue import DIGEST, JobFailed, JobQueue
from ..jobs.storage import Storage
from ..settings import LoadedSettings, Settings
from ..worker_process import WorkerError, WorkerProcess
from .config import Destination, Digest
from .delivery import Delivery, DeliveryUncertain, deliver, has_arrived, target_path
from .runner import BuiltIssue, Deliver, build_in_worker, stories_database
from .selection import StoryHistory, StoryRecord

#: The longest sleep, in seconds, so that resuming from suspension is noticed.
MAX_SLEEP = 30.0
BUILD_TIMEOUT = 3600.0
#: The attempts to build an issue, and to deliver it to a place.
MAX_ATTEMPTS = 5
BACKOFF = Backoff(120.0)

#: The slots of a digest that are kept for `webprint jobs`.
_MAX_SLOTS = 50
#: The issues that may wait for an attempt at the same time.
_MAX_ISSUES = 50
_CHECK_INTERVAL = 0.5
_STOP_SECONDS = 5.0  # for the end of a delivery

#: An issue until it is delivered, and its file in the folder of its job.
_StoredIssue: TypeAlias = tuple[Delivery, tuple[StoryRecord, ...]]
_ISSUE_FILE = "0/issue.json"

_UNCERTAIN = "{}: its delivery was interrupted; as it may have arrived, it is not sent again"


class Steps:
    """Runs the steps of a workflow; after a restart, returns the results that DBOS recorded."""

    def run(self, name: str, function: Callable[[], Any]) -> Any:
        """Return the plain data of a function, from the record if it was already called."""
        return DBOS.run_step({"name": name}, function)

    def sleep(self, seconds: float) -> None:
        DBOS.sleep(seconds)


@dataclass(slots=True)
class IssueWorkflow:
    """Makes and delivers the issues of digests, step by step.

    ``storage`` keeps an issue until it is delivered; ``on_delivered`` is called with its articles
    and the first place that has it.
    """

    digests: Mapping[str, Digest]
    history: StoryHistory
    storage: Storage
    settings: Settings
    build: Callable[[Digest, datetime], BuiltIssue | None]
    log: Callable[[str], None] = print
    deliver: Deliver = deliver
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    on_delivered: Callable[[Sequence[Article], str], None] = lambda _articles, _place: None
    #: Held while an issue is delivered, by one thread at a time.
    sending: threading.Lock = field(default_factory=threading.Lock)
    building: threading.Lock = field(default_factory=threading.Lock)
    _articles: dict[str, tuple[Article, ...]] = field(default_factory=dict)

    def run(self, job_id: str, name: str, steps: Steps) -> dict[str, Any]:
        """Make and deliver an issue, and return a report of it; raise :class:`JobFailed`."""
        for attempt in range(1, MAX_ATTEMPTS + 1):
            built = steps.run("build", partial(self._build, job_id, name))
            if "error" not in built or attempt == MAX_ATTEMPTS:
                break
            steps.sleep(BACKOFF.delay(attempt))
        if "error" in built:
            raise JobFailed(ErrorRecord.from_dict(built["error"]))
        if not built["articles"]:
            return dict(built)
        steps.run("remember", partial(self._remember, job_id, name))
        outcomes = self._deliver_everywhere(job_id, name, built["destinations"], steps)
        steps.run("finish", partial(self._finish, job_id, name, outcomes))
        refused = [outcome["error"] for outcome in outcomes if "error" in outcome]
        if refused:
            raise JobFailed(ErrorRecord.from_dict(refused[0]))
        return {
            **built,
            "delivered": [outcome["place"] for outcome in outcomes if "place" in outcome],
            "warnings": [*built["warnings"], *(o["doubt"] for o in outcomes if "doubt" in o)],
        }

    def _build(self, job_id: str, name: str) -> dict[str, Any]:
        digest = self.digests.get(name)
        if digest is None:
            return {"error": ErrorRecord(f"the digest {name!r} no longer exists").to_dict()}
        try:
            with self.building:
                built = self.build(digest, self.clock())
            if built is None:
                self.log(f"{name}: nothing new")
                return {"title": digest.heading, "articles": 0}
            data = dump_dataclass(_StoredIssue, (built.delivery, built.stories))
            self.storage.put(f"{job_id}/{_ISSUE_FILE}", data)
        except (WebprintError, WorkerError) as error:
            self.log(f"{name}: {error}")
            if isinstance(error, WebprintError):
                return {"error": ErrorRecord.of(error).to_dict()}
            ended = f"the process that built the digest ended: {error}"
            return {"error": ErrorRecord(ended).to_dict()}
        self._articles[job_id] = built.articles
        for warning in built.warnings:
            self.log(f"{name}: {warning}")
        delivery = built.delivery
        return {
            "title": delivery.title, "articles": len(built.stories),
            "pages": delivery.report["pages"], "format": delivery.format,
            "bytes": len(delivery.data), "warnings": list(built.warnings),
            "destinations": list(dict.fromkeys(map(_destination_key, digest.deliver))),
        }  # fmt: skip

    def _remember(self, job_id: str, name: str) -> None:
        if saved := self._load(job_id):
            delivery, stories = saved
            self.history.remember(name, stories, delivery.date.timestamp())

    def _load(self, job_id: str) -> _StoredIssue | None:
        """Return a stored issue; None if it was stored on a machine that is lost."""
        data = self.storage.get(f"{job_id}/{_ISSUE_FILE}")
        issue: _StoredIssue | None = load_dataclass(_StoredIssue, data) if data else None
        return issue

    def _deliver_everywhere(
        self, job_id: str, name: str, keys: Sequence[str], steps: Steps
    ) -> list[dict[str, Any]]:
        """Deliver an issue, with retries; return the outcome for each destination."""
        execution = secrets.token_hex(8)
        outcomes: dict[str, dict[str, Any]] = {}
        for attempt in range(1, MAX_ATTEMPTS + 1):
            for key in keys:
                if "error" in outcomes.get(key, {"error": ""}):
                    arguments = (job_id, name, key)
                    with self.sending:
                        start = steps.run("begin", partial(self._begin, *arguments, execution))
                        deliver = partial(self._deliver, *arguments, start, execution)
                        outcomes[key] = steps.run("deliver", deliver)
            if attempt == MAX_ATTEMPTS or not any(
                "error" in outcome for outcome in outcomes.values()
            ):
                break
            steps.sleep(BACKOFF.delay(attempt))
        return list(outcomes.values())

    def _begin(self, job_id: str, name: str, key: str, execution: str) -> dict[str, str]:
        """Return which execution delivers an issue, and to which file."""
        saved, destination = self._load(job_id), self._destination(name, key)
        target = ""
        with suppress(WebprintError):  # Reported when it is delivered.
            target = target_path(saved[0], destination) if saved and destination else ""
        return {"execution": execution, "target": target}

    def _deliver(
        self, job_id: str, name: str, key: str, start: Mapping[str, str], execution: str
    ) -> dict[str, Any]:
        """Deliver an issue once; return its place, an error, or that its arrival is uncertain."""
        saved, destination = self._load(job_id), self._destination(name, key)
        if destination is None:
            return {"gone": "the digest no longer has this destination"}
        if saved is None:
            reason = f"{destination.label}: the issue was stored on a machine that is lost"
            return {"error": ErrorRecord(reason).to_dict()}
        delivery = saved[0]
        try:
            if start["execution"] != execution:  # It was begun by a killed process.
                arrived = None
                with suppress(WebprintError):  # The folder cannot be checked now.
                    arrived = has_arrived(delivery, destination, start["target"])
                if arrived is None:
                    raise DeliveryUncertain(_UNCERTAIN.format(destination.label))
                if arrived:
                    return {"place": start["target"]}
            place = self.deliver(delivery, destination, self.settings)
        except DeliveryUncertain as error:
            self.log(f"{name}: {error}")
            return {"doubt": str(error)}
        except WebprintError as error:
            self.log(f"{name}: {error}")
            return {"error": ErrorRecord.of(error).to_dict()}
        self.log(f"{place}: {name}")
        return {"place": place}

    def _finish(self, job_id: str, name: str, outcomes: Sequence[Mapping[str, Any]]) -> None:
        """Delete the stored issue, and forget its stories if no delivery can have arrived."""
        places = [outcome["place"] for outcome in outcomes if "place" in outcome]
        saved = self._load(job_id)
        if saved and not places and not any("doubt" in outcome for outcome in outcomes):
            self.history.forget(name, saved[0].date.timestamp())
        articles = self._articles.pop(job_id, ())
        if places and articles:
            self.on_delivered(articles, places[0])
        with suppress(JobsError):  # Retention deletes it later.
            self.storage.delete(job_id)

    def _destination(self, name: str, key: str) -> Destination | None:
        destinations = self.digests[name].deliver if name in self.digests else ()
        return next((d for d in destinations if _destination_key(d) == key), None)


def _destination_key(destination: Destination) -> str:
    """Return a hash of a destination, as its address can contain a key."""
    address = (
        destination.webhook_url or destination.folder or destination.mail or destination.printer
    )
    text = f"{destination.kind} {address}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


@dataclass(slots=True)
class Scheduler:
    """Queues the slots of digests when they are due, and runs their workflows.

    Settings typed on the command line override the settings of a digest.
    """

    digests: Sequence[Digest]
    loaded: LoadedSettings
    log: Callable[[str], None] = print
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    on_delivered: Callable[[Sequence[Article], str], None] = lambda _articles, _place: None
    _stop: threading.Event = field(default_factory=threading.Event)
    _started: datetime | None = None

    def run(self, finished: Callable[[JobQueue], bool] = lambda _: False) -> None:
        """Serve slots until SIGTERM or SIGINT, or until ``finished`` returns true.

        It is the only scheduler of its process and, with SQLite, of the database.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stop.set())
        settings = self.loaded.settings
        queue = open_queue(settings)
        for digest in self.digests:
            slot = digest.next_slot(self.clock())
            self.log(f"{digest.name}: next {slot:%Y-%m-%d %H:%M %Z}" if slot else digest.name)
        with closing(StoryHistory(stories_database(settings))) as history:
            workflow = IssueWorkflow(
                {digest.name: digest for digest in self.digests},
                history,
                open_result_storage(settings),
                settings,
                self._build,
                self.log,
                clock=self.clock,
                on_delivered=self.on_delivered,
            )
            executor = WorkflowExecutor(queue, database_location(settings), DIGEST, self.log)

            def issue(name: str, _slot: float) -> dict[str, Any]:
                return workflow.run(str(DBOS.workflow_id), name, Steps())

            executor.start(issue, _MAX_ISSUES)
            last_tick = float("-inf")
            while not self._stop.wait(_CHECK_INTERVAL) and not finished(queue):
                executor.check()
                if time.monotonic() - last_tick >= MAX_SLEEP:
                    last_tick = time.monotonic()
                    try:
                        self.tick(queue)
                    except JobsError as error:
                        executor.log_throttled(str(error))
            executor.stop_dequeuing()
            workflow.sending.acquire(timeout=_STOP_SECONDS)  # No other delivery begins.
            executor.requeue_all()

    def tick(self, queue: JobQueue) -> None:
        """Queue the slots that are due, and delete the records of old ones."""
        now = self.clock()
        self._started = self._started or now
        for digest in self.digests:
            slots = queue.slots(digest.name)
            slot = digest.due_slot(now, max(slots, default=None), self._started)
            if slot is None:
                continue
            self.log(f"{digest.name}: making the issue of {slot:%Y-%m-%d %H:%M %Z}")
            queue.submit_digest(digest.name, slot.timestamp())
            for old in sorted(slots, reverse=True)[_MAX_SLOTS:]:
                queue.delete(slots[old])

    def _build(self, digest: Digest, now: datetime) -> BuiltIssue | None:
        # WeasyPrint does not release all memory, and a crash must not affect other digests.
        with WorkerProcess() as worker:
            built: BuiltIssue | None = worker.call(
                build_in_worker, self.loaded, digest, now, timeout=BUILD_TIMEOUT
            )
        return built
