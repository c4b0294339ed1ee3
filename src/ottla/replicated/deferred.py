"""Answers that wait until their offset is committed.

What is always true: answers leave in the order of their offsets, and in the order of asking where these are equal; each
leaves once, with its response or with an error.
"""

from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Deferred(Generic[T]):
    """Waiting answers, by the last offset that must be committed before each."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, T]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, offset: int, answer: T) -> None:
        """Have an answer wait."""
        assert not self._waiting or offset >= self._waiting[-1][0], "answers wait in the order of the log"
        self._waiting.append((offset, answer))

    def committed(self, offset: int) -> Iterator[T]:
        """Everything through this offset is committed: the answers that need wait no longer."""
        while self._waiting and self._waiting[0][0] <= offset:
            yield self._waiting.popleft()[1]

    def take_above(self, offset: int) -> list[T]:
        """The answers that wait for what is above this offset, and will not come: for telling why."""
        taken: list[T] = []
        while self._waiting and self._waiting[-1][0] > offset:
            taken.append(self._waiting.pop()[1])
        taken.reverse()
        return taken
