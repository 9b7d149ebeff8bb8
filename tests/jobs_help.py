"""What the tests of jobs share."""

import time

from printer.jobs.job import Request


def ask(what="story", **options):
    return Request(f"http://labour.test/{what}", options)


def until(true, seconds=90.0):
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "it did not become so in time"
        time.sleep(0.02)
    return found
