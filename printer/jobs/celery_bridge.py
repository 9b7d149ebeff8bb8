"""Workers called by Celery, over Redis or RabbitMQ, for the same job table.

    submit -> job table -> CallSender: one call per queued job -> Celery -> Supervisor.run_one

The job table remains the source of truth.  A call carries no data; its receiver runs the oldest
queued job, if any.  Lost, repeated and late calls are therefore harmless: the sender compares the
numbers of jobs and calls, and sends the missing calls.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import JobsError, MissingLibrary, UsageError
from .queue import JobQueue
from .storage import Storage
from .supervisor import Limits, Supervisor
from .worker_process import Handler

if TYPE_CHECKING:
    from celery import Celery

_QUEUE = "webprint"
_TASK = "webprint.print"
_POLL_INTERVAL = 0.3
_MAX_CALLS = 1000  # sent between two checks of the queue
_LOG_INTERVAL = 30.0
_GRACE_SECONDS = 60  # after the supervisor's time limit, when Celery stops a job
_SCHEMES = ("redis://", "rediss://", "amqp://", "amqps://")


def make_celery(broker: str, limits: Limits) -> Celery:
    """Return the Celery application of senders and workers.

    Raises:
        UsageError: ``broker`` is not a redis:// or amqp:// URL.
        MissingLibrary: Celery is not installed.
    """
    if not broker.startswith(_SCHEMES):
        raise UsageError("--broker takes a redis:// or amqp:// address")
    try:
        from celery import Celery
    except ImportError as error:
        raise MissingLibrary.of_extra("--broker needs Celery", "celery") from error
    time_limit = limits.seconds + _GRACE_SECONDS
    transport_options: dict[str, Any] = {}
    if broker.startswith("redis"):
        transport_options = {
            "visibility_timeout": 2 * time_limit + 600,  # then another worker gets the call
            "socket_timeout": 30,
            "socket_connect_timeout": 5,
        }
    app = Celery("webprint", broker=broker, set_as_current=False)
    app.conf.update(
        task_default_queue=_QUEUE,
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_time_limit=time_limit,
        worker_prefetch_multiplier=1,
        worker_max_memory_per_child=max(1, limits.memory // 1024),
        worker_max_tasks_per_child=limits.jobs_per_worker,
        worker_hijack_root_logger=False,
        worker_enable_remote_control=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options=transport_options,
    )
    return app


def run_celery_worker(
    broker: str,
    open_queue: Callable[[], JobQueue],
    open_storage: Callable[[], Storage],
    handler: Handler,
    limits: Limits,
    log: Callable[[str], None],
) -> None:
    """Run a Celery worker until it is stopped; its forked processes open queue and storage."""
    app = make_celery(broker, limits)
    supervisors: list[Supervisor] = []

    @app.task(name=_TASK)  # type: ignore[untyped-decorator]
    def print_one() -> None:
        if not supervisors:
            one = replace(limits, workers=1)
            supervisors.append(Supervisor(open_queue(), open_storage(), handler, one, log=log))
        supervisors[0].run_one()

    app.Worker(
        pool_cls="prefork", concurrency=limits.workers, loglevel="WARNING", quiet=True,
        without_mingle=True, without_gossip=True, without_heartbeat=True,
    ).start()  # fmt: skip


@dataclass(slots=True)
class CallSender:
    """Keeps as many calls in the broker as there are queued jobs."""

    broker: str
    limits: Limits
    queue: JobQueue
    log: Callable[[str], None] = print
    _last_log: float = field(default=-math.inf)

    def run(self) -> None:
        """Send calls until the process is killed; log errors and retry."""
        from kombu.exceptions import KombuError

        app = make_celery(self.broker, self.limits)
        while True:
            connection = app.connection_for_write()
            errors = (*connection.connection_errors, *connection.channel_errors, KombuError)
            try:
                with connection, connection.channel() as channel:
                    self._send(app, connection, app.amqp.queues[_QUEUE](channel))
            except JobsError as error:
                self._log(str(error))
            except (*errors, OSError) as error:
                reason = " ".join(str(error).split())[:200] or type(error).__name__
                self._log(f"the message broker cannot be reached: {reason}")
            time.sleep(1.0)

    def _send(self, app: Celery, connection: Any, calls: Any) -> None:
        while True:
            missing = self.queue.count_queued() - calls.queue_declare().message_count
            for _ in range(min(missing, _MAX_CALLS)):
                app.send_task(_TASK, connection=connection, retry=False)
            time.sleep(_POLL_INTERVAL)

    def _log(self, line: str) -> None:
        now = time.monotonic()
        if now - self._last_log >= _LOG_INTERVAL:
            self._last_log = now
            self.log(line)
