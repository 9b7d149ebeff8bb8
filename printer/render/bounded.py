"""The environment that templates run in: sandboxed, and ended when they go on without end.

A theme may be a stranger's, so its templates see nothing but what they are given, and have so much
of the processor's time, which is looked at when loops turn, at calls, and at templates taken in.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from jinja2 import nodes, pass_context
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

#: Seconds of the processor's time; an article of 20,000 paragraphs takes one.
SECONDS = 30.0
#: The time is looked at once in so many turns and calls.
_SELDOM = 64

#: Bits of a number, signs of a text or members of a list that arithmetic may make.
_MOST_BITS, _LONGEST = 10_000, 10_000_000

_WATCHED = "watched"


class _Time:
    """What is left to the templates of one document, all of which one thread fills."""

    def __init__(self) -> None:
        self._ends = time.thread_time() + SECONDS
        self._steps = 0

    def step(self) -> None:
        """Go on; raises :class:`SecurityError` when the time is used up."""
        self._steps += 1
        if not self._steps % _SELDOM and time.thread_time() > self._ends:
            raise SecurityError("it goes on without end")


_time: ContextVar[_Time | None] = ContextVar("time", default=None)


@contextmanager
def bounded() -> Iterator[None]:
    """Give the templates that are rendered inside their time, all together."""
    before = _time.set(_Time())
    try:
        yield
    finally:
        _time.reset(before)


def _step() -> None:
    if left := _time.get():
        left.step()


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox whose templates have a time to keep to inside :func:`bounded`."""

    intercepted_binops = frozenset({"*", "**"})

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.filters[_WATCHED] = _watched

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Have every loop go through a filter that sees it turn."""
        template = super()._parse(source, name, filename)
        for loop in template.find_all(nodes.For):
            loop.iter = nodes.Filter(loop.iter, _WATCHED, [], [], None, None, lineno=loop.lineno)
            loop.iter.set_environment(self)
        return template

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 - as it is called
        """See a call: of a macro, of a loop that is its own inside, of anything else."""
        _step()
        return super().call(__context, __obj, *args, **kwargs)

    def join_path(self, template: str, parent: str) -> str:
        """See a template that another takes in."""
        _step()
        return super().join_path(template, parent)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Multiply what stays of a size."""
        if _is_too_much(operator, left, right):
            raise SecurityError("it makes a number or a text without end")
        return super().call_binop(context, operator, left, right)


@pass_context  # So that it is not called when the template is compiled.
def _watched(context: Context, turns: Iterable[Any]) -> Iterator[Any]:
    del context
    for turn in turns:
        _step()
        yield turn


def _is_too_much(operator: str, left: Any, right: Any) -> bool:
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length()
        made = bits * abs(right) if operator == "**" else bits + right.bit_length()
        return made > _MOST_BITS
    long, times = (left, right) if isinstance(right, int) else (right, left)
    return isinstance(long, Sized) and isinstance(times, int) and len(long) * times > _LONGEST
