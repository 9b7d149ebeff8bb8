"""A benchmark that never ends, nor does the process it starts."""

import subprocess

from benchmarks.protocol import Row


def rows(effort):
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as sleeper:
        yield Row("sleeper", "pid", sleeper.pid)
        sleeper.wait()
