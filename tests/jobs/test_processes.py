"""Processes that end are started again, and those that cannot start are not tried in a loop."""

import itertools
import re
import subprocess
import sys

PROGRAM = """
import os, sys, time
from printer.errors import JobsError
from printer.jobs.print_workers import ManagedProcess, run_processes

def run():
    print("start", time.monotonic(), flush=True)
    if sys.argv[1] == "dies":
        os.kill(os.getpid(), 9)
    raise JobsError("the store is away", hint="Look for it")

run_processes([ManagedProcess(run, "the process")], lambda line: print(line, flush=True))
"""


def starts(fault, count):
    """Return the times between starts, and what the processes wrote to stderr."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, fault],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        times = []
        while len(times) < count:
            line = process.stdout.readline()
            if match := re.match(r"start (.*)", line):
                times.append(float(match[1]))
            else:
                assert line == "the process ended and is started again\n"
        process.terminate()
        errors = process.stderr.read()
    return [later - earlier for earlier, later in itertools.pairwise(times)], errors


def test_one_that_gives_up_says_why_in_a_line_and_waits_longer_each_time():
    (first, second), errors = starts("gives up", 3)
    assert first >= 0.5
    assert second >= 1.0
    assert {*errors.splitlines()} == {"webprint: the store is away. Look for it"}


def test_one_that_was_killed_is_started_soon():
    pauses, errors = starts("dies", 4)
    assert min(pauses) < 1.0
    assert not errors
