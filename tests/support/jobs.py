"""Helpers of the tests of jobs."""

import json
import secrets
import time
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import text

from printer.jobs import JobRequest
from printer.jobs.dbos_internals import register_queue
from printer.jobs.queue import PRINT, QUEUES, JobFailed, PlainSerializer


def job_request(path="story", **options):
    return JobRequest(f"http://labour.test/{path}", options)


def wait_until(condition, seconds=180.0):
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "it did not become so in time"
        time.sleep(0.02)
    return value


@dataclass(frozen=True)
class Claim:
    """The right of a worker to record the outcome of a job."""

    queue: object
    id: str
    attempt: int
    url: str
    owner: str

    def finish(self, result):
        return self._record("SUCCESS", output=json.dumps(result))

    def fail(self, record):
        return self._record("ERROR", error=PlainSerializer().serialize(JobFailed(record)))

    def _record(self, status, **outcome):
        database = self.queue._client._sys_db
        return database.update_workflow_outcome(self.id, status, owner_xid=self.owner, **outcome)


def claim(queue, engine="local"):
    """Take the next job as DBOS does; return None if there is none."""
    owner = secrets.token_hex(8)
    dbos_queue = register_queue(QUEUES[PRINT], concurrency=1)
    (*ids,), _ = queue._client._sys_db.start_queued_workflows(dbos_queue, engine, "1", None, owner_xid=owner)  # fmt: skip
    for job_id in ids:
        job = queue.get(job_id)
        return Claim(queue, job_id, job.attempt, job.url, owner)
    return None


@contextmanager
def closing_queue(queue):
    """Close the connections of a queue, even if its test fails."""
    try:
        yield queue
    finally:
        queue.disconnect()


def count_completions(queue):
    """Have the database record each completion of a job; return a function that lists them."""
    query = text("SELECT id FROM completions ORDER BY id")
    with queue.engine.begin() as connection:
        connection.execute(text("CREATE TABLE completions (id TEXT)"))
        if queue.engine.dialect.name == "sqlite":
            connection.execute(
                text(
                    "CREATE TRIGGER tell AFTER UPDATE OF status ON workflow_status"
                    " WHEN NEW.status = 'SUCCESS'"
                    " BEGIN INSERT INTO completions VALUES (NEW.workflow_uuid); END"
                )
            )
        else:
            connection.execute(
                text(
                    "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS"
                    " 'BEGIN INSERT INTO public.completions VALUES (NEW.workflow_uuid); RETURN NEW; END'"
                )
            )
            connection.execute(
                text(
                    "CREATE TRIGGER tell AFTER UPDATE OF status ON dbos.workflow_status"
                    " FOR EACH ROW WHEN (NEW.status = 'SUCCESS') EXECUTE FUNCTION tell()"
                )
            )

    def ask():
        with queue.engine.connect() as connection:
            return list(connection.execute(query).scalars())

    return ask
