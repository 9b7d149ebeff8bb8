"""The delays between attempts."""

import pytest

from printer.backoff import Backoff


@pytest.mark.parametrize(("failures", "seconds"), [(1, 2.0), (2, 4.0), (3, 8.0), (4, 10.0)])
def test_delays_double_up_to_the_maximum(failures: int, seconds: float) -> None:
    assert Backoff(2.0, maximum=10.0).delay(failures) == seconds


def test_a_server_may_ask_for_more_up_to_the_maximum() -> None:
    backoff = Backoff(2.0, maximum=100.0)
    assert backoff.delay(1, at_least=30.0) == 30.0
    assert backoff.delay(1, at_least=1e9) == 100.0
    assert backoff.delay(3, at_least=1.0) == 8.0


def test_jitter_shortens_a_delay_by_its_share_at_most() -> None:
    delays = {Backoff(8.0, jitter=0.5).delay(1) for _ in range(50)}
    assert 4.0 <= min(delays) < max(delays) <= 8.0


def test_delays_stay_at_the_maximum_however_many_attempts_failed() -> None:
    assert Backoff(1.0, 60.0).delay(100_000) == 60.0
