"""Garbage collection is paused while a page is read, and only then."""

import gc

import pytest

from printer.html.page import gc_paused


def test_the_collector_is_paused_during_the_call() -> None:
    assert gc.isenabled()
    assert gc_paused(gc.isenabled)() is False
    assert gc.isenabled()


def test_the_collector_resumes_after_a_call_that_fails() -> None:
    with pytest.raises(ZeroDivisionError):
        gc_paused(lambda: 1 / 0)()
    assert gc.isenabled()


def test_a_disabled_collector_stays_disabled() -> None:
    gc.disable()
    try:
        gc_paused(len)("")
        assert not gc.isenabled()
    finally:
        gc.enable()
