"""What is not kept: results that are old, and what attempts left that came to nothing."""

from __future__ import annotations

from .models import FINISHED
from .queue import JobQueue
from .storage import Storage


def apply_retention(table: JobQueue, storage: Storage, keep: float) -> None:
    """Forget jobs that have been over for ``keep`` seconds, and delete what no job refers to."""
    while gone := table.delete_older_than(keep):
        for job in gone:
            storage.delete(job)
    # The storage is asked first: what is put there afterwards belongs to a job that is known by
    # the time the table is asked.
    found = storage.names()
    known = table.attempts()
    for job in found:
        if job not in known:
            storage.delete(job)
            continue
        state, attempt = known[job]
        if state in FINISHED:
            for name in storage.names(job):
                if name not in ("0", str(attempt)):  # What revisions are made from is in 0.
                    storage.delete(f"{job}/{name}")
