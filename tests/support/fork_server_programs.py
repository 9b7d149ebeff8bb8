"""Programs that tests run because a fork server needs a process with one thread."""

import os
import resource
import socket
import sys
import threading
import time
from pathlib import Path

from printer import processes
from printer.jobs import Attempt, JobRequest, print_workers
from tests.support import job_worker_process


def end_engine(ready):
    """Request a worker for an engine that ends before it is forked, and wait for all children."""

    def engine():
        engine_pid = os.getpid()

        def preload():
            processes._prctl(processes._PR_SET_PDEATHSIG, 0)
            Path(ready).touch()
            while os.getppid() == engine_pid:
                time.sleep(0.01)

        server = print_workers._ForkServer(preload)
        while not Path(ready).exists():
            time.sleep(0.01)
        engine_end, worker_end = socket.socketpair()
        with engine_end, worker_end:
            socket.send_fds(server._socket, [b"f"], [worker_end.fileno()])
            os._exit(0)

    processes.become_subreaper()
    print_workers.fork(engine)
    while True:  # until no child is left
        os.wait()


class LimitedForkServer(print_workers._ForkServer):
    """A fork server that can fork nothing for two seconds."""

    pool = None

    def __init__(self, preload):
        super().__init__(preload)
        self._limits = resource.getrlimit(resource.RLIMIT_NPROC)
        resource.prlimit(self.pid, resource.RLIMIT_NPROC, (1, self._limits[1]))
        threading.Timer(2, self.lift).start()

    def lift(self):
        print("no room so far:", all(not w.pid for w in self.pool._workers), flush=True)
        resource.prlimit(self.pid, resource.RLIMIT_NPROC, self._limits)


def wait_for_room():
    """Run a job while no process can be started, and print its outcome."""
    if os.getuid() == 0:
        os.setuid(61234)  # Root has no limit.
    print_workers._ForkServer = LimitedForkServer
    limits = print_workers.Limits(workers=1)
    pool = print_workers.WorkerPool(
        job_worker_process.handle, limits, job_worker_process.do_nothing
    )
    LimitedForkServer.pool = pool
    pool.start()
    attempt = Attempt("a", 1, JobRequest("http://labour.test/helper-dies"))
    print(pool.run(attempt, len, threading.Event()), flush=True)
    pool.close()


if __name__ == "__main__":
    program, *arguments = sys.argv[1:]
    {"end_engine": end_engine, "wait_for_room": wait_for_room}[program](*arguments)
