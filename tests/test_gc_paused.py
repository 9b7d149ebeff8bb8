"""Garbage collection is paused while a page is read, and only then."""

import gc

import pytest

from printer.html.page import gc_paused


def test_the_collector_rests_while_the_work_is_done() -> None:
    assert gc.isenabled()
    assert gc_paused(gc.isenabled)() is False
    assert gc.isenabled()


def test_the_collector_goes_on_after_work_that_fails() -> None:
    with pytest.raises(ZeroDivisionError):
        gc_paused(lambda: 1 / 0)()
    assert gc.isenabled()


def test_who_has_turned_the_collector_off_finds_it_off() -> None:
    gc.disable()
    try:
        gc_paused(len)("")
        assert not gc.isenabled()
    finally:
        gc.enable()
