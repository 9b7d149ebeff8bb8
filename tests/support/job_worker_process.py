"""A supervisor whose workers do what an address says; run by tests as a process of its own.

    python -m tests.support.job_worker_process DATABASE STORAGE LIMITS-AS-JSON [BROKER send|answer]

http://labour.test/nap/0.2 sleeps and stores a result; /crash, /eat, /helper-dies, /hang and /family
end badly.
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from printer.errors import JobsError
from printer.jobs.celery_bridge import CallSender, run_celery_worker
from printer.jobs.queue import JobQueue
from printer.jobs.storage import open_storage
from printer.jobs.supervisor import Limits, ManagedProcess, Supervisor


def handle(lease, notify):
    _, what, *more = lease.request.url.removeprefix("http://labour.test").split("/")
    notify(what)
    if what == "crash":
        os.abort()
    if what == "eat":
        held = [b"x" * 1_000_000 for _ in range(2000)]
        time.sleep(60 + len(held))
    if what == "helper-dies":
        return {"process_died": "the browser exited"}
    if what == "hang":
        time.sleep(600)
    if what == "family":
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        Path(os.environ["FAMILY"]).write_text(str(child.pid))
        time.sleep(600)
    if what == "nap":
        time.sleep(float(more[0]))
    try:
        storage = open_storage(sys.argv[2])
        storage.put(f"{lease.result_folder}/article.pdf", lease.request.url.encode() * 100)
    except JobsError as error:
        return {"not_stored": str(error)}
    return {"done": {"title": what, "worker": os.getpid()}}


def say(line):
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    database, place, told, *called = sys.argv[1:]
    limits = Limits(**json.loads(told))
    companions = ()
    if called and called[1] == "answer":
        tables, storages = partial(JobQueue, database), partial(open_storage, place)
        run_celery_worker(called[0], tables, storages, handle, limits, say)
        sys.exit()
    if called:
        companions = (ManagedProcess(CallSender(called[0], limits, JobQueue(database), say).run),)
        limits = replace(limits, workers=0)
    Supervisor(
        JobQueue(database), open_storage(place), handle, limits, processes=companions, log=say
    ).run()
