"""Run an engine whose workers do what an address says, as a separate process for tests.

    main DATABASE STORAGE LIMITS-AS-JSON

http://labour.test/nap/0.2 sleeps and stores a result; /crash, /eat, /helper-dies, /nonsense,
/hang, /profile and /family fail in their ways.
"""

import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from printer.errors import JobsError
from printer.jobs.storage import Storage

STORAGE = "LABOUR_STORAGE"


def handle(attempt, notify):
    _, action, *arguments = attempt.request.url.removeprefix("http://labour.test").split("/")
    notify(action)
    if action == "crash":
        os.abort()
    if action == "eat":
        blocks = [b"x" * 1_000_000 for _ in range(2000)]
        time.sleep(60 + len(blocks))
    if action == "helper-dies":
        return {"process_died": "the browser exited"}
    if action == "nonsense":
        return json.loads(arguments[0])
    if action == "hang":
        time.sleep(600)
    if action == "family":
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        Path(os.environ["FAMILY"]).write_text(str(child.pid))
        time.sleep(600)
    if action == "orphan":  # Leave a process that ends after this one.
        subprocess.run(["sh", "-c", "sleep 0.2 & sleep 0.01"])
    if action == "profile":  # Like a browser that is killed with its worker.
        (Path(os.environ["TMPDIR"]) / "profile").mkdir()
        time.sleep(600)
    if action == "nap":
        time.sleep(float(arguments[0]))
    data, name = attempt.request.url.encode() * 100, "article.pdf"
    if action == "parts":
        name = "parts.txt"
        data = attempt.request.parts["page"] + attempt.request.options["paper"].encode()
    try:
        storage = Storage(os.environ[STORAGE])
        storage.put(f"{attempt.result_folder}/{name}", data)
    except JobsError as error:
        return {"not_stored": str(error)}
    return {"done": {"title": action, "worker": os.getpid()}}


def do_nothing():
    pass


def say(line):
    print(line, file=sys.stderr, flush=True)


def run(database, place, limits):
    from printer.jobs.engine import PrintEngine
    from printer.jobs.print_workers import Limits

    PrintEngine(
        database, Storage(place), handle, Limits(**limits), log=say, preload=do_nothing
    ).run()


def main():
    from printer.jobs.print_workers import ManagedProcess, run_processes

    database, place, limits = sys.argv[1:]
    os.environ[STORAGE] = place
    run_processes(
        [ManagedProcess(partial(run, database, place, json.loads(limits)), "the engine")], say
    )
