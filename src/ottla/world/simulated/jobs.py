"""A node's helper processes, without processes: the named function is called some drawn time later.

What is always true: what goes in and what comes out is plain and is copied, as it would be on its way to another
process, so that no two sides share a list. A process may die of a fault, and whoever waits gets `JobFailed`. A job
that nobody waits for any more is not begun.
"""

import asyncio
from collections.abc import Callable
from importlib import import_module
from random import Random
from typing import Any

from ottla.errors import JobFailed
from ottla.world.simulated.clock import MILLION
from ottla.world.simulated.loop import NodeDied, NodeLoop

MAX_DURATION_NS = 500 * MILLION
DEATH = "job-death"

PLAIN = (type(None), bool, int, float, str, bytes)


class SimulatedJobs:
    """A life's `Jobs`."""

    def __init__(self, loop: NodeLoop, rng: Random, struck: Callable[[str, str], None]) -> None:
        self._loop, self._rng, self._struck = loop, rng, struck
        self.death_rate = 0.0  # how often a helper process dies of a job

    async def run(self, function: str, *values: Any) -> Any:
        """What the function gives."""
        arguments = _copied(function, values)
        outcome: asyncio.Future[Any] = self._loop.create_future()
        due_ns = self._loop.monotonic_ns() + self._rng.randrange(MAX_DURATION_NS)
        timer = self._loop.call_at_ns(due_ns, self._make, function, arguments, outcome)
        try:
            return await outcome
        finally:
            timer.cancel()

    def _make(self, function: str, arguments: Any, outcome: "asyncio.Future[Any]") -> None:
        if self._rng.random() < self.death_rate:
            self._struck(DEATH, function)
            outcome.set_exception(JobFailed(f"{function}: the helper process died"))
            return
        try:
            value, _ = self._loop.elsewhere(lambda: _called(function, arguments))
        except JobFailed as error:
            outcome.set_exception(error)
        else:
            outcome.set_result(value)


def _called(function: str, arguments: Any) -> Any:
    module, _, name = function.partition(":")
    try:
        call = getattr(import_module(module), name)
        value = call(*arguments)
    except (NodeDied, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise JobFailed(f"{function} raised {type(error).__name__}: {error}") from error
    return _copied(function, value)


def _copied(function: str, value: Any) -> Any:
    """A copy of a plain value."""
    try:
        return _copy(function, value)
    except RecursionError as error:
        raise JobFailed(f"{function}: a value that holds itself is not plain") from error


def _copy(function: str, value: Any) -> Any:
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind in (tuple, list, set, frozenset):
        return kind([_copy(function, item) for item in value])
    if kind is dict:
        return {_copy(function, key): _copy(function, item) for key, item in value.items()}
    raise JobFailed(f"{function}: a {kind.__name__} is not a plain value")
