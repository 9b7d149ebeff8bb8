"""The session that prints share."""

from printer.options import FetchOptions
from printer.session import Session
from tests.support.racing_threads import racing_threads


def test_no_warning_is_lost_between_threads() -> None:
    returned: list[str] = []
    with Session(FetchOptions(cache=False)) as session:
        lists = (session._warnings, session.client.warnings)

        def warn() -> None:
            for number in range(3000):
                for warnings in lists:
                    warnings.append(f"warning {number}")

        with racing_threads(warn) as threads:
            while any(thread.is_alive() for thread in threads):
                returned += session.take_warnings()
        returned += session.take_warnings()
    assert len(returned) == 4 * 2 * 3000, "warnings were lost or returned twice"
