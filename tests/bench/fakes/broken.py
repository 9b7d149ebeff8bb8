"""A benchmark that fails after its first figure."""

from benchmarks.protocol import Row


def rows(effort):
    yield Row("webprint", "time", 1.5, "s")
    raise RuntimeError("the meadow is under water")
