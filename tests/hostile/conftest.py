"""Run every test here in a new process: 10 s of processor time, 1 GB of memory.

The arguments of tests are pickled, so they are plain values: a page, a folder; servers are started
inside.  A failure comes back as text.
"""

from __future__ import annotations

import pytest

from tests.support.limited_tests import run_limited
from tests.support.warm_programs import WarmPrograms

WARM = pytest.StashKey[WarmPrograms]()


@pytest.fixture(autouse=True)
def forked(request: pytest.FixtureRequest, warm: WarmPrograms, home_folder: object) -> None:
    """Run the test in a forked process."""
    request.node.stash[WARM] = warm


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool:
    """Run the test in a forked process instead of here."""
    names = pyfuncitem._fixtureinfo.argnames
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    warm, test = pyfuncitem.stash[WARM], pyfuncitem.originalname
    if failure := run_limited(warm, pyfuncitem.path, test, arguments):
        pytest.fail(failure, pytrace=False)
    return True
