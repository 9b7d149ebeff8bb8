"""Job engines and their workers as processes that tests can kill."""

import json
from pathlib import Path

from printer.jobs.print_workers import WORKER_NAME
from printer.processes import child_pids
from tests.support.processes import name

ROOT = Path(__file__).parents[2]
PROGRAM = "tests.support.job_worker_process:main"


class WorkerProcess:
    """An engine as a process; ``kill`` is kill -9."""

    def __init__(self, warm, database, storage, log, **limits):
        self.log = log
        with log.open("ab") as errors:
            self.process = warm.start(PROGRAM, database, storage, json.dumps(limits), stderr=errors)

    def workers(self):
        """Return the ids of the processes that print."""
        below = [pid for engine in child_pids(self.process.pid) for pid in child_pids(engine)]
        return [pid for pid in below if name(pid) == WORKER_NAME]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)

    def output(self):
        return self.log.read_text()
