"""The session that prints share."""

import sys
import threading

from printer.options import FetchOptions
from printer.session import Session


def test_no_warning_is_lost_between_threads() -> None:
    returned: list[str] = []
    with Session(FetchOptions(cache=False)) as session:
        lists = (session._warnings, session.client.warnings)

        def warn() -> None:
            for number in range(3000):
                for warnings in lists:
                    warnings.append(f"warning {number}")

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            threads = [threading.Thread(target=warn) for _ in range(4)]
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                returned += session.take_warnings()
        finally:
            sys.setswitchinterval(interval)
        returned += session.take_warnings()
    assert len(returned) == 4 * 2 * 3000, "warnings were lost or returned twice"
