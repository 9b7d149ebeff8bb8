"""The API conforms to its description for any request: tested by Schemathesis."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.effort import THOROUGH

CONFIG = """
# A description cannot say all of what may be asked for: which papers a theme knows, which options
# exclude each other.
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "404", "409", "422", "429", "503"]
"""


@pytest.mark.slow
def test_schemathesis_finds_nothing(server, tmp_path):
    program = Path(sys.executable).with_name("schemathesis")
    if not program.exists():
        pytest.skip("Schemathesis is not installed")
    (tmp_path / "schemathesis.toml").write_text(CONFIG)
    ran = subprocess.run(
        [
            program, "run", f"{server.url}/api/openapi.json", "--checks", "all", "--no-color",
            "-H", f"Authorization: Bearer {server.token}", "--max-examples", "3", "--seed", "9",
            "--phases", f"examples,coverage{',fuzzing,stateful' if THOROUGH else ''}",
            "--generation-database", "none",
            "--request-timeout", "60", "--suppress-health-check", "all",
        ],
        capture_output=True, text=True, cwd=tmp_path, timeout=300,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-6000:] + ran.stderr[-2000:]
    paths = server.client.get("/api/openapi.json").json()["paths"]
    operations = sum(len(path) for path in paths.values())
    assert re.search(rf"Tested: +{operations}\n", ran.stdout), "all that the API can do was tried"
    assert "Traceback" not in server.log_text()


def test_errors_are_pages_for_browsers_and_data_for_programs(server):
    nothing = f"/api/prints/{'0' * 20}/pdf"
    as_data = server.client.get(nothing)
    assert as_data.headers["content-type"] == "application/problem+json"
    assert as_data.json()["detail"] == "there is no such print"
    as_page = server.client.get(nothing, headers={"Accept": "text/html,*/*;q=0.8"})
    assert as_page.status_code == 404
    assert as_page.headers["content-type"].startswith("text/html")
    assert "There is no such print." in as_page.text
    assert "Back to the start" in as_page.text
    renamed = {"Accept": "text/html", "Host": "evil.test"}
    assert "does not answer to the name" in server.client.get("/", headers=renamed).text


def test_a_refused_method_names_all_that_are_allowed(server):
    answer = server.client.put(f"/api/prints/{'0' * 20}")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "DELETE, GET"
