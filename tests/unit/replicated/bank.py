"""A small replicated state, and a log in a list, for driving the runtime.

The state is accounts with balances. A deposit is one record; a transfer is two records in one decision, refused when
the balance is too low. The log can be told to refuse, to commit, and to lose what is not committed.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ottla.errors import BatchTooLarge, DiskError, PeerError
from ottla.replicated.decision import Decision, TimerChange
from ottla.replicated.log import LogSlice
from ottla.replicated.timeline import Journal, TimelineDict


class Change(NamedTuple):
    """An account's balance changes by so much."""

    account: str
    amount: int
    token: int = 0  # of whoever asked for it


class OverdrawnError(PeerError):
    """A transfer of more than there is."""


class Bank:
    """The state machine."""

    def __init__(self) -> None:
        self.journal = Journal()
        self.balances: TimelineDict[str, int] = TimelineDict(self.journal)
        self.timers: Sequence[TimerChange[Change]] = ()

    def replay(self, record: Change) -> None:
        """Change a balance."""
        if record.account == "poison":
            raise ZeroDivisionError
        self.balances[record.account] = self.balances.get(record.account, 0) + record.amount

    def reset(self) -> None:
        """Be empty."""
        self.__init__()  # type: ignore[misc]

    def leads(self, now_ms: int) -> Sequence[TimerChange[Change]]:
        """The timers that a test wants."""
        del now_ms
        return self.timers

    def check(self) -> None:
        """Nobody owes anything."""
        assert all(balance >= 0 for balance in self.balances.values())

    # Decisions

    def deposit(self, account: str, amount: int) -> Callable[[int], Decision[Change, int]]:
        """Answers the new balance."""
        return lambda _: Decision([Change(account, amount)], self.balances.get(account, 0) + amount)

    def transfer(self, source: str, target: str, amount: int) -> Callable[[int], Decision[Change, int]]:
        """Answers what is left."""

        def decide(_: int) -> Decision[Change, int]:
            left = self.balances.get(source, 0) - amount
            if left < 0:
                raise OverdrawnError(f"{source} has {left + amount}, not {amount}")
            return Decision([Change(source, -amount), Change(target, amount)], left)

        return decide

    def read(self) -> Callable[[int], Decision[Change, dict[str, int]]]:
        """Answers all balances."""
        return lambda _: Decision([], dict(self.balances))


def replayed(records: Sequence[Change | None]) -> dict[str, int]:
    """The balances after these records."""
    balances: dict[str, int] = {}
    for record in filter(None, records):
        balances[record.account] = balances.get(record.account, 0) + record.amount
    return balances


class ListLog:
    """A log in a list. None stands for a record of the log's own, which nobody is shown."""

    start_offset = 0

    def __init__(self) -> None:
        self.records: list[Change | None] = []
        self.committed_offset = 0
        self.leadership_epoch: int | None = None
        self.refuses = False
        self.max_records: int | None = None  # of an append
        self.appends = 0

    @property
    def end_offset(self) -> int:
        """Behind the last record."""
        return len(self.records)

    def append(self, epoch: int, expected_offset: int, records: Sequence[Change]) -> int:
        """Append all, unless told to refuse."""
        assert (epoch, expected_offset) == (self.leadership_epoch, len(self.records))
        if self.refuses:
            raise DiskError("the disk is full", path="log")
        if self.max_records is not None and len(records) > self.max_records:
            raise BatchTooLarge(f"{len(records)} records")
        self.appends += 1
        self.records.extend(records)
        return len(self.records)

    def read(self, offset: int, max_records: int) -> LogSlice[Any]:
        """A slice, which ends before the next record of the log's own."""
        end = min(offset + max_records, len(self.records))
        while offset < end and self.records[offset] is None:
            offset += 1
        found: list[Change] = []
        while offset + len(found) < end and (record := self.records[offset + len(found)]) is not None:
            found.append(record)
        return LogSlice(offset, found, offset + len(found))
