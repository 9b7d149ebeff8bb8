"""A benchmark that measures everything."""

from benchmarks.protocol import Row


def rows(effort):
    yield Row("webprint", "pages lost", 0, goal="≤ 0")
    yield Row("webprint", "time", effort.of(3.0, 2.0, 1.0), "s", n=7, ratio=0.4, goal="≤ 0.5")
    yield Row("percollate", "time", note="not measured: not installed")
