"""Numbers for Prometheus, in its text format."""

from __future__ import annotations

import time

from ..jobs.queue import JobQueue


def metrics(table: JobQueue) -> str:
    """Return how many prints are in each state, and how long the oldest has waited."""
    lines = [
        "# HELP webprint_prints Prints that are known, by state.",
        "# TYPE webprint_prints gauge",
        *(f'webprint_prints{{state="{s}"}} {n}' for s, n in table.count_by_state().items()),
        "# HELP webprint_wait_seconds How long the print that is next has waited.",
        "# TYPE webprint_wait_seconds gauge",
        f"webprint_wait_seconds {_wait(table):.3f}",
        "# HELP webprint_print_seconds How long the last 100 finished prints took to make.",
        "# TYPE webprint_print_seconds summary",
    ]
    took = sorted(
        job.finished - job.started
        for job in table.list_recent(100, ("done",))
        if job.finished is not None and job.started is not None
    )
    if took:
        lines += [
            f'webprint_print_seconds{{quantile="{q}"}} {took[int(q * (len(took) - 1))]:.3f}'
            for q in (0.5, 0.95, 1.0)
        ]
    lines += [
        f"webprint_print_seconds_sum {sum(took):.3f}",
        f"webprint_print_seconds_count {len(took)}",
    ]
    return "\n".join(lines) + "\n"


def _wait(table: JobQueue) -> float:
    oldest = table.next_queued()
    return max(0.0, time.time() - oldest.created) if oldest else 0.0
