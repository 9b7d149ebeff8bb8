"""Every test here runs in a process of its own: 10 s of the processor, 1 GB of memory.

Its arguments are pickled, so they are plain values: a page, a folder; servers are begun inside.
What it fails of comes back as text.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.support.fork_server import ForkServer, TestCall

WARM = pytest.StashKey[ForkServer]()


@pytest.fixture(scope="session")
def warm() -> Iterator[ForkServer]:
    """The process that forks."""
    with ForkServer() as held:
        yield held


@pytest.fixture(autouse=True)
def held(request: pytest.FixtureRequest, warm: ForkServer, own_home: object) -> None:
    """Have the test run there."""
    request.node.stash[WARM] = warm


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool:
    """Run the test in the warm process's child instead of here."""
    warm = pyfuncitem.stash[WARM]
    names = pyfuncitem._fixtureinfo.argnames
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    name = pyfuncitem.originalname
    ended = warm.run(TestCall(str(pyfuncitem.path), name, arguments, dict(os.environ)))
    pyfuncitem.user_properties += [("cpu", round(ended.cpu, 2)), ("peak", ended.peak)]
    if ended.failure:
        pytest.fail(
            f"{ended.failure}\n({ended.cpu:.1f} s, {ended.peak / 1e6:.0f} MB)", pytrace=False
        )
    return True
