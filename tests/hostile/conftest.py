"""Run every test here in a new process: 10 s of processor time, 1 GB of memory.

The arguments of tests are pickled, so they are plain values: a page, a folder; servers are started
inside.  A failure comes back as text.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.support.fork_server import Call, ForkServer

SERVER = pytest.StashKey[ForkServer]()


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    """The process that forks."""
    with ForkServer() as server:
        yield server


@pytest.fixture(autouse=True)
def forked(request: pytest.FixtureRequest, fork_server: ForkServer, home_folder: object) -> None:
    """Run the test in a forked process."""
    request.node.stash[SERVER] = fork_server


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool:
    """Send the test to the fork server instead of running it here."""
    server = pyfuncitem.stash[SERVER]
    names = pyfuncitem._fixtureinfo.argnames
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    name = pyfuncitem.originalname
    outcome = server.run(Call(str(pyfuncitem.path), name, arguments, dict(os.environ)))
    pyfuncitem.user_properties += [("cpu", round(outcome.cpu, 2)), ("peak", outcome.peak)]
    if outcome.failure:
        used = f"({outcome.cpu:.1f} s, {outcome.peak / 1e6:.0f} MB)"
        pytest.fail(f"{outcome.failure}\n{used}", pytrace=False)
    return True
