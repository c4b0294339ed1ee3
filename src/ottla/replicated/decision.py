"""A decision: what is to be written, and what will be answered once it is kept.

`decide(request, now_ms) -> Decision` looks at the state and changes nothing; `replay(record)` changes the state and
decides nothing. A decision without records is a read: its response tells of everything that was written before it, so
it is answered when all of that is committed, and never tells what may yet be taken back.

A request that is turned down is a decision without records too, or a `PeerError`; either way it is answered.

Timers are volatile: they are no records, and a machine says anew which ones it needs when it has been loaded.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

R = TypeVar("R")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class TimerChange(Generic[R]):
    """Arrange a decision for later, in place of the one with the same key; or, without a decision, call it off."""

    key: Hashable
    deadline_ms: int = 0
    decide: "Callable[[int], Decision[R, Any]] | None" = None


@dataclass(frozen=True, slots=True)
class Decision(Generic[R, A]):
    """Records to write in this order, and the response when they are committed."""

    records: Sequence[R]
    response: A
    timers: Sequence[TimerChange[R]] = ()


Decide = Callable[[int], Decision[R, A]]
