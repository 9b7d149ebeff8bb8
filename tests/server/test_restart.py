"""The server and its workers are killed and stopped while they print."""

import os
import random
import signal
import threading
import time
from functools import partial
from pathlib import Path

import httpx2
import pytest

from printer.jobs.queue import JobQueue
from printer.processes import child_pids
from tests.support.effort import THOROUGH
from tests.support.jobs import closing_queue, wait_until
from tests.support.story_page import story_page
from tests.support.web_server import Reply

HTML = story_page("Kept")


def jobs(server):
    prints = server.client.get("/api/prints", params={"limit": 200}).raise_for_status().json()
    return {job["id"]: job["state"] for job in prints}


def waited_for_processor(pid):
    """Return the seconds in which a process could run and did not."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9


def gone(server, pid):
    return pid not in set(child_pids(server.process.pid))


@pytest.mark.slow
def test_kill_9_at_any_moment_loses_no_accepted_print(serve):
    dice = random.Random(3)
    server = serve("--workers", "2")
    accepted = []
    for round_ in range(3 if THOROUGH else 2):
        for n in range(3):
            answer = server.submit(url=f"https://example.org/{round_}/{n}", html=HTML)
            accepted.append(answer.json()["id"])
        time.sleep(dice.random() * 2)
        victims = [server.process.pid, *child_pids(server.process.pid)]
        victim = dice.choice(victims) if round_ else server.process.pid
        os.kill(victim, signal.SIGKILL)
        if victim == server.process.pid:
            server.process.wait()
            server = serve("--workers", "2")
        else:  # Until it is gone, an order on a connection that it held may be lost.
            wait_until(partial(gone, server, victim))
    wait_until(lambda: set(jobs(server).values()) == {"done"})
    assert sorted(jobs(server)) == sorted(accepted)
    for print_id in accepted:
        assert server.client.get(f"/api/prints/{print_id}/pdf").content.startswith(b"%PDF")


def test_the_web_process_is_started_again_and_callers_wait(serve):
    server = serve("--workers", "1")
    assert server.client.get("/health").text == "ok\n"
    web = min(child_pids(server.process.pid))  # The first that was started.
    os.kill(web, signal.SIGKILL)
    with httpx2.Client(trust_env=False, timeout=60) as client:
        assert client.get(f"{server.url}/health").text == "ok\n"
    assert "started again" in server.log_text()


def test_a_running_print_is_taken_up_within_three_seconds_of_the_next_start(serve, web):
    server, released = serve("--workers", "1"), threading.Event()
    url = web.add("/", lambda _: Reply(HTML if released.wait(30) else ""))
    print_id = server.submit(url=url).json()["id"]
    with closing_queue(JobQueue(str(server.home / ".local/share/webprint/jobs.sqlite"))) as queue:
        wait_until(web.hits)
        server.process.kill()
        server.process.wait()
        began = time.monotonic()
        again = serve("--workers", "1", warm=None)
        wait_until(lambda: queue.get(print_id).attempt == 2)
        seconds = time.monotonic() - began
    # On a busy machine, both the server and the process that it starts wait for a processor.
    pid = again.process.pid
    waited = waited_for_processor(pid) + max(map(waited_for_processor, child_pids(pid)))
    released.set()
    assert seconds - waited < 3
    assert again.wait_finished(print_id)["state"] == "done"


def test_a_second_server_on_the_same_jobs_is_refused(serve, warm):
    server = serve("--workers", "1")
    ran = warm.run("serve", "--port", "0", env={"HOME": str(server.home)})
    assert ran.returncode == 14
    assert "another webprint process is using" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_a_stopping_server_leaves_no_process_and_loses_no_job(serve):
    server = serve("--workers", "1")
    ids = [server.submit(url=f"https://a.test/{n}", html=HTML).json()["id"] for n in range(3)]
    below = list(child_pids(server.process.pid))
    server.process.terminate()
    assert server.process.wait(60) == 0
    assert "Traceback" not in server.log_text(), server.log_text()
    for pid in below:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    again = serve("--workers", "1")
    assert {again.wait_finished(print_id)["state"] for print_id in ids} == {"done"}


def test_a_port_in_use_is_reported(serve, tmp_path, warm):
    server = serve()
    other = tmp_path / "other"
    other.mkdir()
    ran = warm.run("serve", "--port", server.port, env={**os.environ, "HOME": str(other)})
    assert ran.returncode == 14
    assert "already in use" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
