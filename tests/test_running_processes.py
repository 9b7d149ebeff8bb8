"""A process left running by a test fails the run."""

import subprocess
import sys
from pathlib import Path

# The process writes a line first: its environment cannot be read before its program was loaded.
LEAVE_ONE = """
import os, subprocess, sys
from pathlib import Path
from tests.support import running_processes
running_processes._PATIENCE = 0.1
folder = Path(sys.argv[1])
folder.mkdir()
try:
    with running_processes.watched(folder):
        if os.fork() == 0:  # This process starts another and ends before it.
            command = [sys.executable, "-c", "import time; print(flush=True); time.sleep(60)"]
            left = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
            os._exit(left.stdout.read(1) != b"\\n")
        assert os.wait()[1] == 0, "nothing was left"
except AssertionError as error:
    print(error, folder.exists())
"""


def test_a_process_that_is_left_is_named_and_ended(tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", LEAVE_ONE, str(tmp_path / "tmp")]
    ran = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1]
    )
    assert not ran.stderr
    assert "test_running_processes.py::test_a_process_that_is_left" in ran.stdout
    assert "time.sleep(60)" in ran.stdout
    assert ran.stdout.endswith("False\n"), "the temporary folder is still there"
