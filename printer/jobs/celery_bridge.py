"""Workers called by Celery, over Redis or RabbitMQ, for the same job table.

    submit -> jobs table -> Sender: a call for each job that waits -> Celery -> Supervisor.turn

The table stays the truth: a call carries nothing, and says only that a job waits.  Whoever gets one
claims the oldest job, prints it held to the same limits as anywhere, and does nothing when none
waits.  So a call that is lost, comes twice or comes late changes nothing: the sender counts and
sends what is missing.
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

QUEUE = "webprint"
TASK = "webprint.print"
LOOK = 0.3  # Seconds between two looks at what waits.
MOST_SENT = 1000  # Calls sent between two looks.
_COMPLAIN = 30.0
#: Celery ends a call so many seconds after the print should have been ended by its own keeper.
_GRACE = 60
_SCHEMES = ("redis://", "rediss://", "amqp://", "amqps://")


def make_celery(broker: str, limits: Limits) -> Celery:
    """Return Celery as it is set up on both sides; raises :class:`MissingLibrary`."""
    if not broker.startswith(_SCHEMES):
        raise UsageError("--broker takes a redis:// or amqp:// address")
    try:
        from celery import Celery
    except ImportError as error:
        raise MissingLibrary(
            "--broker needs Celery", hint="pip install 'webprint[celery]'"
        ) from error
    app = Celery("webprint", broker=broker, set_as_current=False)
    longest = limits.seconds + _GRACE
    app.conf.update(
        task_default_queue=QUEUE,
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_time_limit=longest,
        worker_prefetch_multiplier=1,
        worker_max_memory_per_child=max(1, limits.memory // 1024),
        worker_max_tasks_per_child=limits.jobs_per_worker,
        worker_hijack_root_logger=False,
        worker_enable_remote_control=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options=_transport(broker, longest),
    )
    return app


def _transport(broker: str, longest: float) -> dict[str, Any]:
    if not broker.startswith("redis"):
        return {}
    # A call that takes longer than this is taken for lost and given to another.
    return {
        "visibility_timeout": 2 * longest + 600,
        "socket_timeout": 30,
        "socket_connect_timeout": 5,
    }


def run_celery_worker(
    broker: str,
    open_table: Callable[[], JobQueue],
    open_storage: Callable[[], Storage],
    labour: Handler,
    limits: Limits,
    say: Callable[[str], None],
) -> None:
    """Work as a Celery worker until told to stop.

    Table and storage are opened in each of its processes, which Celery forks.
    """
    app = make_celery(broker, limits)
    keepers: list[Supervisor] = []

    @app.task(name=TASK)  # type: ignore[untyped-decorator]
    def print_one() -> None:
        if not keepers:
            one = replace(limits, workers=1)
            keepers.append(Supervisor(open_table(), open_storage(), labour, one, log=say))
        keepers[0].run_one()

    app.Worker(
        pool_cls="prefork", concurrency=limits.workers, loglevel="WARNING", quiet=True,
        without_mingle=True, without_gossip=True, without_heartbeat=True,
    ).start()  # fmt: skip


@dataclass(slots=True)
class CallSender:
    """Sees to it that there is a call for each job that waits."""

    broker: str
    limits: Limits
    queue: JobQueue
    log: Callable[[str], None] = print
    _complained: float = field(default=-math.inf)

    def run(self) -> None:
        """Send calls until the process is ended; trouble is told and tried again."""
        from kombu.exceptions import KombuError

        app = make_celery(self.broker, self.limits)
        while True:
            connection = app.connection_for_write()
            faults = (*connection.connection_errors, *connection.channel_errors, KombuError)
            try:
                with connection:
                    self._send(app, connection)
            except JobsError as error:
                self._complain(str(error))
            except (*faults, OSError) as error:
                self._complain(f"the message broker cannot be reached: {_line(error)}")
            time.sleep(1.0)

    def _send(self, app: Celery, connection: Any) -> None:
        with connection.channel() as channel:
            queue = app.amqp.queues[QUEUE](channel)
            while True:
                called = queue.queue_declare().message_count
                for _ in range(min(self.queue.count_queued() - called, MOST_SENT)):
                    app.send_task(TASK, connection=connection, retry=False)
                time.sleep(LOOK)

    def _complain(self, line: str) -> None:
        now = time.monotonic()
        if now - self._complained >= _COMPLAIN:
            self._complained = now
            self.log(line)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
