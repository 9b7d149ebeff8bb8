"""What the tests of jobs share."""

import time
from contextlib import contextmanager

from sqlalchemy import text

from printer.jobs.models import JobRequest


def job_request(what="story", **options):
    return JobRequest(f"http://labour.test/{what}", options)


def wait_until(true, seconds=90.0):
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "it did not become so in time"
        time.sleep(0.02)
    return found


@contextmanager
def closing_table(table):
    """Close a table's connections, when its test fails too."""
    try:
        yield table
    finally:
        table.disconnect()


def count_completions(table):
    """Count how often each job becomes done, by the database itself; return how to ask."""
    told = text("SELECT id FROM told ORDER BY id")
    with table._engine.begin() as connection:
        connection.execute(text("CREATE TABLE told (id TEXT)"))
        if table._engine.dialect.name == "sqlite":
            connection.execute(
                text(
                    "CREATE TRIGGER tell AFTER UPDATE OF state ON jobs WHEN NEW.state = 'done'"
                    " BEGIN INSERT INTO told VALUES (NEW.id); END"
                )
            )
        else:
            connection.execute(
                text(
                    "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS"
                    " 'BEGIN INSERT INTO told VALUES (NEW.id); RETURN NEW; END'"
                )
            )
            connection.execute(
                text(
                    "CREATE TRIGGER tell AFTER UPDATE OF state ON jobs FOR EACH ROW"
                    " WHEN (NEW.state = 'done') EXECUTE FUNCTION tell()"
                )
            )

    def ask():
        with table._engine.connect() as connection:
            return list(connection.execute(told).scalars())

    return ask
