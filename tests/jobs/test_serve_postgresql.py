"""The complete server with its jobs in PostgreSQL, killed while it prints."""

import os
import random
import signal
import time
from contextlib import closing

import pytest

from printer.jobs.queue import JobQueue
from printer.processes import child_pids
from tests.support.effort import THOROUGH
from tests.support.jobs import closing_queue, count_completions, wait_until
from tests.support.print_server import PrintServer
from tests.support.story_page import story_page


@pytest.mark.slow
def test_kill_9_of_the_server_loses_no_print_and_delivers_none_twice(
    fresh_postgres, tmp_path, warm
):
    dice = random.Random(11)
    options = ("--port", "0", "--render", "never", "--workers", "2", "--database", fresh_postgres)
    accepted = []
    with closing_queue(JobQueue(fresh_postgres)) as queue:
        completions = count_completions(queue)
        for round_ in range(2):
            with closing(PrintServer(tmp_path, *options, warm=warm)) as server:
                for n in range(4 if THOROUGH else 2):
                    url = f"https://example.org/{round_}/{n}"
                    accepted.append(server.submit(url=url, html=story_page("Kept")).json()["id"])
                time.sleep(dice.random())
                if round_ == 1:  # A worker first, or what speaks HTTP.
                    os.kill(dice.choice(list(child_pids(server.process.pid))), signal.SIGKILL)
                server.process.kill()
                server.process.wait()
        with closing(PrintServer(tmp_path, *options, warm=warm)) as server:
            wait_until(lambda: {queue.get(job).state for job in accepted} == {"done"})
            assert completions() == sorted(accepted)
            for job in accepted:
                pdf = server.client.get(f"/api/prints/{job}/pdf")
                assert pdf.content.startswith(b"%PDF")
