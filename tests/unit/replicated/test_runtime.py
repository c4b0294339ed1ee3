"""The runtime of replicated state, step by step."""

from typing import Any

import pytest

from ottla.errors import BatchTooLarge, DiskError, OttlaError, PeerError
from ottla.replicated import runtime as rt
from ottla.replicated.decision import Decision, TimerChange
from ottla.replicated.runtime import Answer, Committed, Elected, LoadSnapshot, Resigned, Runtime, Submit, Turn
from tests.unit.replicated.bank import Bank, Change, ListLog, OverdrawnError, replayed


class NotLeadingError(PeerError):
    """Ask another node."""


class StillLoadingError(PeerError):
    """Ask again."""


class Driver:
    """A runtime with a bank and a list, and what it has reported."""

    def __init__(self, *, follows: bool = False) -> None:
        self.bank, self.log = Bank(), ListLog()
        self.reported: list[str] = []
        self.runtime: Runtime[Change] = Runtime(
            self.bank,
            self.log,
            follows=follows,
            not_leading=lambda: NotLeadingError("not here"),
            loading=lambda: StillLoadingError("not yet"),
            report=lambda what, error: self.reported.append(f"{what}: {type(error).__name__}"),
        )

    def step(self, event: rt.Event, now_ms: int = 0) -> list[Answer]:
        """One event."""
        answers = self.runtime.step(event, now_ms)
        self.runtime.check()
        return answers

    def elect(self, epoch: int = 1) -> None:
        """Lead, and load what is there."""
        self.log.leadership_epoch = epoch
        self.step(Elected(epoch))
        while not self.runtime.is_leading:
            self.step(Turn())

    def commit(self, offset: int | None = None) -> list[Answer]:
        """Have the log commit up to an offset, or all."""
        self.log.committed_offset = self.log.end_offset if offset is None else offset
        return self.step(Committed())


def outcomes(answers: list[Answer]) -> list[tuple[Any, Any]]:
    """Token and response; an error by its class."""
    return [(each.token, type(each.outcome) if each.is_error else each.outcome) for each in answers]


def test_a_response_waits_for_its_commit() -> None:
    """What was decided is in the state at once, in the log after the turn, and answered when it is committed."""
    driver = Driver()
    driver.elect()
    assert driver.step(Submit(driver.bank.deposit("a", 5), "one")) == []
    assert dict(driver.bank.balances) == {"a": 5}
    assert driver.log.records == []
    assert driver.runtime.wants_turn
    assert driver.step(Turn()) == []
    assert driver.log.records == [Change("a", 5)]
    assert outcomes(driver.commit()) == [("one", 5)]
    assert len(driver.bank.journal) == 0
    assert not driver.runtime.wants_turn


def test_decisions_of_a_turn_are_one_append() -> None:
    """A decision sees those before it, and all of a turn go to the log together; answers keep their order."""
    driver = Driver()
    driver.elect()
    for number in range(5):
        driver.step(Submit(driver.bank.deposit("a", 1), number))
    driver.step(Submit(driver.bank.transfer("a", "b", 4), "transfer"))
    driver.step(Turn())
    assert driver.log.appends == 1
    assert outcomes(driver.commit(3)) == [(0, 1), (1, 2), (2, 3)]
    assert outcomes(driver.commit(6)) == [(3, 4), (4, 5)]  # of the transfer, one record is committed
    assert outcomes(driver.commit()) == [("transfer", 1)]


def test_a_full_batch_does_not_wait_for_the_turn() -> None:
    """No append has many more records than the bound."""
    driver = Driver()
    driver.elect()
    many = [Change("a", 1)] * rt.BATCH_RECORDS
    driver.step(Submit(lambda _: Decision(many, "many"), "many"))
    assert driver.log.end_offset == rt.BATCH_RECORDS


def test_a_refused_request_writes_nothing() -> None:
    """A decision that raises the peer's fault is answered with it at once."""
    driver = Driver()
    driver.elect()
    answers = driver.step(Submit(driver.bank.transfer("a", "b", 1), "t"))
    assert outcomes(answers) == [("t", OverdrawnError)]
    assert not driver.runtime.wants_turn


def test_a_fault_of_ours_costs_one_request() -> None:
    """A decision that raises anything else is reported, answered with an error, and changes nothing."""
    driver = Driver()
    driver.elect()

    def broken(_: int) -> Decision[Change, None]:
        raise KeyError("x")

    assert outcomes(driver.step(Submit(broken, "x"))) == [("x", OttlaError)]
    assert driver.reported == ["deciding: KeyError"]
    assert driver.step(Submit(driver.bank.deposit("a", 1), "y")) == []


def test_a_decision_that_changes_state_is_caught() -> None:
    """Changing the state while deciding is our fault, told at once."""
    driver = Driver()
    driver.elect()

    def changes(_: int) -> Decision[Change, None]:
        driver.bank.balances["a"] = 1
        return Decision([], None)

    assert outcomes(driver.step(Submit(changes, "x"))) == [("x", OttlaError)]
    assert driver.reported == ["deciding: AssertionError"]
    assert dict(driver.bank.balances) == {}


def test_a_read_tells_only_what_is_kept() -> None:
    """A decision without records is answered when everything that it saw is committed."""
    driver = Driver()
    driver.elect()
    assert outcomes(driver.step(Submit(driver.bank.read(), "empty"))) == [("empty", {})]
    driver.step(Submit(driver.bank.deposit("a", 5), "one"))
    assert driver.step(Submit(driver.bank.read(), "two")) == []
    driver.step(Turn())
    assert outcomes(driver.commit()) == [("one", 5), ("two", {"a": 5})]
    assert outcomes(driver.step(Submit(driver.bank.read(), "three"))) == [("three", {"a": 5})]


def test_a_refused_append_is_taken_back() -> None:
    """State, offsets and answers are as if the batch had never been; what came before stays."""
    driver = Driver()
    driver.elect()
    driver.step(Submit(driver.bank.deposit("a", 5), "one"))
    driver.step(Turn())
    driver.step(Submit(driver.bank.transfer("a", "b", 5), "two"))
    driver.step(Submit(driver.bank.read(), "three"))
    driver.log.refuses = True
    assert outcomes(driver.step(Turn())) == [("two", DiskError), ("three", DiskError)]
    assert dict(driver.bank.balances) == {"a": 5}
    driver.log.refuses = False
    driver.step(Submit(driver.bank.deposit("a", 1), "four"))
    driver.step(Turn())
    assert outcomes(driver.commit()) == [("one", 5), ("four", 6)]


def test_who_loses_office_takes_back_what_is_not_committed() -> None:
    """A controller that is deposed keeps what is committed, and stands by for what the next one commits."""
    driver = Driver(follows=True)
    driver.elect()
    for number in range(4):
        driver.step(Submit(driver.bank.deposit("a", 1), number))
    driver.step(Turn())
    assert outcomes(driver.commit(2)) == [(0, 1), (1, 2)]
    driver.step(Submit(driver.bank.deposit("a", 1), 4))
    assert outcomes(driver.step(Resigned())) == [(2, NotLeadingError), (3, NotLeadingError), (4, NotLeadingError)]
    assert dict(driver.bank.balances) == {"a": 2}
    driver.log.leadership_epoch = None
    driver.log.records[2:] = [Change("b", 7), Change("c", 1)]
    driver.log.committed_offset = 3
    driver.step(Turn())
    assert dict(driver.bank.balances) == {"a": 2, "b": 7}
    driver.elect(3)
    assert dict(driver.bank.balances) == {"a": 2, "b": 7, "c": 1}


def test_a_coordinator_that_loses_office_forgets() -> None:
    """Without `follows` nothing is kept, and everything is loaded again when office returns."""
    driver = Driver()
    driver.elect()
    driver.step(Submit(driver.bank.deposit("a", 1), 0))
    driver.step(Turn())
    driver.commit()
    driver.step(Resigned())
    assert dict(driver.bank.balances) == {}
    assert not driver.runtime.wants_turn
    assert outcomes(driver.step(Submit(driver.bank.read(), "r"))) == [("r", NotLeadingError)]
    driver.elect(2)
    assert dict(driver.bank.balances) == {"a": 1}


def test_loading_goes_in_slices() -> None:
    """A long log is replayed a slice a turn; who asks meanwhile is told to ask again."""
    driver = Driver()
    driver.log.records = [Change("a", 1)] * (rt.SLICE_RECORDS * 2 + 1)
    driver.log.leadership_epoch = 1
    driver.step(Elected(1))
    for turn in range(1, 4):
        assert outcomes(driver.step(Submit(driver.bank.read(), "r"))) == [("r", StillLoadingError)]
        driver.step(Turn())
        assert driver.bank.balances["a"] == min(turn * rt.SLICE_RECORDS, len(driver.log.records))
    assert driver.runtime.is_leading


def test_loading_begins_with_a_snapshot() -> None:
    """A snapshot stands for what is below its end; the log's tail follows, and the state is the same as without."""
    records = [Change("a", 1)] * (rt.SLICE_RECORDS + 1) + [Change("b", 2)]
    driver = Driver(follows=True)
    driver.log.records = list(records)
    driver.log.committed_offset = len(records)
    snapshot = replayed(records[:-1])
    driver.step(LoadSnapshot(iter([Change(*entry) for entry in snapshot.items()]), len(records) - 1))
    while driver.runtime.wants_turn:
        driver.step(Turn())
    assert dict(driver.bank.balances) == replayed(records)
    assert len(driver.bank.journal) == 0


def test_a_record_that_cannot_be_replayed_costs_the_state() -> None:
    """A fault of ours in a replay is reported, whoever waits is told, and all is loaded anew."""
    driver = Driver()
    driver.elect()
    driver.step(Submit(driver.bank.deposit("a", 1), "one"))
    answers = driver.step(Submit(lambda _: Decision([Change("poison", 0)], None), "two"))
    assert outcomes(answers) == [("one", StillLoadingError), ("two", StillLoadingError)]
    assert driver.reported == ["replaying a record of offset 1: ZeroDivisionError"]
    while not driver.runtime.is_leading:
        driver.step(Turn())
    assert dict(driver.bank.balances) == {}


def test_a_timer_is_a_decision() -> None:
    """A timer's decision is made when it is due, unless it was called off or replaced by one with its key."""
    driver = Driver()
    driver.bank.timers = [TimerChange("start", 5, driver.bank.deposit("start", 1))]
    driver.elect()

    def arranges(changes: list[TimerChange[Change]]) -> rt.Event:
        return Submit(lambda _: Decision([], None, changes), "t")

    deposits = [driver.bank.deposit("a", amount) for amount in (1, 2, 4)]
    first, second, third = (TimerChange("key", 10, each) for each in deposits)
    driver.step(arranges([first, TimerChange("other", 12, deposits[0])]))
    driver.step(arranges([second, TimerChange("other")]))
    assert driver.runtime.deadline() == 5
    driver.step(Turn(), 9)
    assert driver.log.records == [Change("start", 1)]
    driver.step(Turn(), 10)
    assert driver.log.records[1:] == [Change("a", 2)]
    driver.step(arranges([third]))
    driver.step(Resigned())
    assert driver.runtime.deadline() is None
    driver.elect(2)
    driver.step(Turn(), 1_000)
    assert driver.log.records[2:] == [], "timers are volatile"


def test_epochs_only_grow() -> None:
    """An election in an older epoch is our fault."""
    driver = Driver()
    driver.elect(3)
    with pytest.raises(AssertionError, match="epoch 2 after 3"):
        driver.step(Elected(2))


def test_decisions_are_made_again_behind_what_the_log_writes_of_its_own() -> None:
    """A quorum that writes its voters between a decision and its append costs nobody anything."""
    driver = Driver()
    driver.elect()
    driver.step(Submit(driver.bank.deposit("a", 5), "one"))
    driver.log.records.append(None)
    driver.step(Submit(driver.bank.transfer("a", "b", 2), "two"))
    driver.step(Turn())
    assert [record and record.account for record in driver.log.records] == [None, "a", "a", "b"]
    assert outcomes(driver.commit()) == [("one", 5), ("two", 3)]
    driver.log.records.append(None)
    driver.step(Submit(driver.bank.deposit("b", 1), "three"))
    driver.step(Turn())
    assert outcomes(driver.commit()) == [("three", 3)]
    assert not driver.reported


def test_a_decision_that_is_too_large_for_the_log_costs_only_itself() -> None:
    """Where a batch is too large each decision is appended by itself, and only who asked for too much is told so."""
    driver = Driver()
    driver.elect()
    driver.log.max_records = 1
    driver.step(Submit(driver.bank.deposit("a", 5), "one"))
    driver.step(Submit(driver.bank.transfer("a", "b", 2), "two"))
    driver.step(Submit(driver.bank.deposit("b", 1), "three"))
    assert outcomes(driver.step(Turn())) == [("two", BatchTooLarge)]
    assert outcomes(driver.commit()) == [("one", 5), ("three", 1)]
    assert dict(driver.bank.balances) == {"a": 5, "b": 1}
    assert not driver.runtime.should_resign


def test_whoever_leads_a_log_that_refuses_should_resign() -> None:
    """Timers of decisions that were taken back are lost, so the office cannot just go on."""
    driver = Driver()
    driver.elect()
    driver.log.refuses = True
    driver.step(Submit(driver.bank.deposit("a", 5), "one"))
    assert outcomes(driver.step(Turn())) == [("one", DiskError)]
    assert driver.runtime.should_resign
    driver.step(Resigned())
    assert not driver.runtime.should_resign
