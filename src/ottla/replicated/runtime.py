"""The runtime of replicated state: decide, replay, append, wait for the commit, answer. A machine.

      Unloaded ----Elected----> Loading ----all replayed----> Leading
         ^  (or Following)                                       |
         +-------------------------Resigned----------------------+

A leader's decision is replayed at once, under the offsets that its records will have, so that the next decision sees
it; the records of all decisions of a turn go to the log in one append; answers wait until their offset is committed. A
refused append takes the batch back by the journal, and its answers are the error. Whoever loses office takes back what
is not committed, and stands by (`follows`: replays what others commit, as controllers do) or forgets all (as a
coordinator does, since it may have thousands of them).

A log may write records of its own in between (a quorum its voters), which nobody else may while this node leads. Then
decisions that wait for their append are taken back and made again, under the offsets that their records will have.

What is always true: `decide` changed nothing (the journal would tell); what is answered with a response is committed;
state equals a replay of the log up to `next_offset`; a turn replays at most SLICE_RECORDS records that are there
already. A fault of ours in `decide` costs that request; one in `replay` costs the state, which is loaded anew. After
that, or after a refused append, `should_resign`: timers of what was taken back are lost, and another may do better.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

from ottla.errors import BatchTooLarge, OttlaError, PeerError
from ottla.replicated.decision import Decision, TimerChange
from ottla.replicated.deferred import Deferred
from ottla.replicated.log import ReplicatedLog
from ottla.replicated.timeline import NOTHING_REPLAYED, Journal
from ottla.timing_wheel import Entry, TimingWheel

R = TypeVar("R")
R_contra = TypeVar("R_contra", contravariant=True)

SLICE_RECORDS: Final = 500  # at 10 µs a record, the 5 ms that a turn may take
BATCH_RECORDS: Final = 10_000  # the largest decision that Kafka's controller makes


class StateMachine(Protocol[R_contra]):
    """State, and how a record changes it."""

    journal: Journal

    def replay(self, record: R_contra) -> None:
        """Change the state as the record says."""

    def reset(self) -> None:
        """Be empty again, with an empty journal."""

    def leads(self, now_ms: int) -> Sequence[TimerChange[Any]]:
        """Office begins with this state: the timers that it needs."""

    def check(self) -> None:
        """Assert what is always true."""


# Events


@dataclass(frozen=True, slots=True)
class Elected:
    """This node leads the log from now on."""

    epoch: int


@dataclass(frozen=True, slots=True)
class Resigned:
    """It leads no more."""


@dataclass(frozen=True, slots=True)
class Submit(Generic[R]):
    """Somebody wants a decision; `token` says whom to answer."""

    decide: Callable[[int], Decision[R, Any]]
    token: object


@dataclass(frozen=True, slots=True)
class LoadSnapshot(Generic[R]):
    """Begin with these records, which stand for everything below an offset."""

    records: Iterator[R]
    end_offset: int


@dataclass(frozen=True, slots=True)
class Committed:
    """The log's `committed_offset` has moved."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of the loop: append what was decided, replay a slice of what is there, make timers' decisions."""


Event = Elected | Resigned | Submit[Any] | LoadSnapshot[Any] | Committed | Turn


@dataclass(frozen=True, slots=True)
class Answer:
    """What to tell whoever asked: a response, or an error."""

    token: object
    outcome: Any
    is_error: bool = False


class Runtime(Generic[R]):
    """One state machine on one log."""

    def __init__(
        self,
        machine: StateMachine[R],
        log: ReplicatedLog[R],
        *,
        follows: bool,
        not_leading: Callable[[], PeerError],
        loading: Callable[[], PeerError],
        report: Callable[[str, Exception], None],
    ) -> None:
        self.machine, self.log, self.follows = machine, log, follows
        self.epoch: int | None = None  # in office, or on the way into it
        self.is_leading = False
        self.next_offset = 0  # the first one that is not replayed
        self._not_leading, self._loading, self._report = not_leading, loading, report
        self._snapshot: Iterator[R] | None = None
        self.should_resign = False
        self._batch: list[R] = []  # decided and replayed, not yet appended
        self._batch_offset = 0
        self._batched: list[Submit[R]] = []  # who has decided that, and looked at it
        self._deferred: Deferred[Answer] = Deferred()
        self._timers: TimingWheel[TimerChange[R]] = TimingWheel()
        self._entries: dict[Any, Entry[TimerChange[R]]] = {}
        self._answers: list[Answer] = []

    # The contract of a machine

    def step(self, event: Event, now_ms: int) -> list[Answer]:
        """Take one event; who is to be answered now."""
        match event:
            case Submit():
                self._decide(event.decide, event.token, now_ms)
            case Committed():
                self._commit()
            case Turn():
                self._turn(now_ms)
            case Elected():
                self._elected(event.epoch)
            case Resigned():
                self._resigned()
            case LoadSnapshot():
                self._reset()
                self._snapshot, self.next_offset = event.records, event.end_offset
        answers, self._answers = self._answers, []
        return answers

    def abandon(self, what: str, error: Exception) -> list[Answer]:
        """A step has failed, which is our fault: who can trust the state? It begins anew."""
        self._broken(what, error)
        answers, self._answers = self._answers, []
        return answers

    def deadline(self) -> int | None:
        """When a turn is due by itself."""
        return self._timers.deadline() if self.is_leading else None

    @property
    def wants_turn(self) -> bool:
        """Whether there is work for a turn right now."""
        is_on_the_way = self.epoch is not None and not self.is_leading
        return bool(self._batch) or is_on_the_way or self._snapshot is not None or self._behind() > 0

    def check(self) -> None:
        """Assert what is always true."""
        assert not self.is_leading or self.epoch is not None
        assert self.is_leading or not (self._batch or self._deferred), "only a leader has anything under way"
        assert not self._batch or self._batch_offset + len(self._batch) == self.next_offset
        self.machine.check()

    # Deciding

    def _decide(self, decide: Callable[[int], Decision[R, Any]], token: object, now_ms: int) -> None:
        if not self.is_leading:
            self._fail(token, self._not_leading() if self.epoch is None else self._loading())
            return
        if not self._batch:
            if self.log.leadership_epoch == self.epoch:
                self.next_offset = self.log.end_offset  # behind what the log has written of its own
            self._batch_offset = self.next_offset
        journal = self.machine.journal
        journal.next_offset = self.next_offset
        notes = len(journal)
        try:
            decision = decide(now_ms)
        except PeerError as error:
            self._fail(token, error)
            return
        except Exception as error:
            self._report("deciding", error)
            self._fail(token, OttlaError(f"an error of ours: {type(error).__name__}"))
            return
        assert len(journal) == notes, "a decision changes nothing"
        assert len(decision.records) <= BATCH_RECORDS, "a decision fits into one append"
        self._batch.extend(decision.records)
        for record in decision.records:
            if not self._replay(record):
                self._fail(token, self._loading())
                return
        self._deferred.add(self.next_offset - 1, Answer(token, decision.response))
        self._change_timers(decision.timers)
        if self._batch:
            self._batched.append(Submit(decide, token))
        if len(self._batch) >= BATCH_RECORDS:
            self._append(now_ms)
        elif not decision.records:
            self._commit()

    def _append(self, now_ms: int) -> None:
        """Give the batch to the log; if that refuses it, take it back."""
        if self._batch and self.log.leadership_epoch == self.epoch and self.log.end_offset != self._batch_offset:
            self._take_back()
            self._decide_again(now_ms, one_by_one=False)
        if not self._batch:
            return
        batch, self._batch = self._batch, []
        assert self.epoch is not None
        try:
            end_offset = self.log.append(self.epoch, self._batch_offset, batch)
        except BatchTooLarge as error:
            answers = self._take_back()
            if len(self._batched) > 1:
                self._decide_again(now_ms, one_by_one=True)
                return
            for answer in answers:
                self._fail(answer.token, error)
        except OttlaError as error:
            self._refused(error)
        else:
            assert end_offset == self.next_offset, f"the log ends at {end_offset}, we at {self.next_offset}"
        self._batched.clear()

    def _refused(self, error: OttlaError) -> None:
        """The log has not taken the batch, and not because of what is in it."""
        leads_still = self.log.leadership_epoch == self.epoch
        for answer in self._take_back():
            self._fail(answer.token, error if leads_still else self._not_leading())
        if leads_still:
            self._report("appending", error)
            self.should_resign = True

    def _take_back(self) -> list[Answer]:
        """Undo the batch; whom it concerns."""
        last_kept = self._batch_offset - 1
        self._batch.clear()
        self.machine.journal.revert_to(last_kept)
        self.next_offset = self._batch_offset
        return self._deferred.take_above(last_kept)

    def _decide_again(self, now_ms: int, *, one_by_one: bool) -> None:
        """Decisions that were taken back are made anew: for other offsets, or because together they were too large."""
        batched, self._batched = self._batched, []
        for submit in batched:
            self._decide(submit.decide, submit.token, now_ms)
            if one_by_one:
                self._append(now_ms)

    def _commit(self) -> None:
        if not self.is_leading:
            return  # what others commit is replayed in turns
        committed = min(self.log.committed_offset, self._batch_offset if self._batch else self.next_offset)
        self.machine.journal.forget_through(committed - 1)
        self._answers.extend(self._deferred.committed(committed - 1))

    # Turns

    def _turn(self, now_ms: int) -> None:
        if self.is_leading:
            for change in self._timers.advance(now_ms):
                self._entries.pop(change.key, None)
                assert change.decide is not None
                self._decide(change.decide, None, now_ms)
            self._append(now_ms)
            self._commit()
        elif self._snapshot is not None:
            self._load_snapshot()
        elif self._behind() > 0:
            self._load_slice()
        if self.epoch is not None and not self.is_leading and self._snapshot is None and self._behind() <= 0:
            self.is_leading = True
            self._change_timers(self.machine.leads(now_ms))

    def _behind(self) -> int:
        """How many records are there that have not been replayed, and should be."""
        if self.is_leading:
            return 0
        if self.epoch is not None:
            return self.log.end_offset - self.next_offset
        return self.log.committed_offset - self.next_offset if self.follows else 0

    def _load_slice(self) -> None:
        try:
            slice_ = self.log.read(self.next_offset, min(SLICE_RECORDS, self._behind()))
        except OttlaError as error:
            self._broken(f"reading the log at {self.next_offset}", error)
            return
        self.next_offset = slice_.first_offset
        for record in slice_.records:
            if not self._replay(record):
                return
        self.next_offset = slice_.next_offset
        self.machine.journal.forget_through(self.log.committed_offset - 1)

    def _load_snapshot(self) -> None:
        assert self._snapshot is not None
        journal, last_offset = self.machine.journal, self.next_offset - 1
        journal.open_at(last_offset)
        for _ in range(SLICE_RECORDS):
            try:
                record = next(self._snapshot, None)
            except OttlaError as error:
                self._broken("reading a snapshot", error)
                return
            if record is None:
                self._snapshot = None
                break
            if not self._survives(record, "a snapshot"):
                return
        journal.load_at(last_offset)

    def _replay(self, record: R) -> bool:
        """Replay one record at `next_offset`; False if that failed."""
        journal = self.machine.journal
        journal.begin(self.next_offset)
        if not self._survives(record, f"offset {self.next_offset}"):
            return False
        journal.end()
        self.next_offset += 1
        return True

    def _survives(self, record: R, where: str) -> bool:
        """Have the machine replay a record; if it cannot, which is our fault, everything is loaded anew."""
        try:
            self.machine.replay(record)
        except Exception as error:
            self._broken(f"replaying a record of {where}", error)
            return False
        return True

    def _broken(self, what: str, error: Exception) -> None:
        """State that cannot go on begins anew."""
        self._report(what, error)
        self._reset()
        self.should_resign = True

    # Office

    def _elected(self, epoch: int) -> None:
        assert self.epoch is None or epoch > self.epoch, f"epoch {epoch} after {self.epoch}"
        if self.is_leading:
            self._resigned()
        self.epoch, self.should_resign = epoch, False

    def _resigned(self) -> None:
        was_leading, self.is_leading, self.epoch = self.is_leading, False, None
        self.should_resign = False
        for answer in self._deferred.take_above(NOTHING_REPLAYED - 1):
            self._fail(answer.token, self._not_leading())
        self._clear_volatile()
        if not self.follows:
            self._reset()
        elif was_leading or self.next_offset > self.log.committed_offset:
            kept = min(self.log.committed_offset, self.next_offset)
            self.machine.journal.revert_to(kept - 1)
            self.next_offset = kept

    def _reset(self) -> None:
        """Forget the state; whoever is in office, or follows, loads it anew from the start of the log."""
        self.is_leading = False
        for answer in self._deferred.take_above(NOTHING_REPLAYED - 1):
            self._fail(answer.token, self._loading())
        self._clear_volatile()
        self.machine.reset()
        self._snapshot, self.next_offset = None, 0

    def _clear_volatile(self) -> None:
        self._batch.clear()
        self._batched.clear()
        for entry in self._entries.values():
            self._timers.cancel(entry)
        self._entries.clear()

    # Timers and answers

    def _change_timers(self, changes: Sequence[TimerChange[R]]) -> None:
        for change in changes:
            entry = self._entries.pop(change.key, None)
            if entry is not None:
                self._timers.cancel(entry)
            if change.decide is not None:
                self._entries[change.key] = self._timers.add(change.deadline_ms, change)

    def _fail(self, token: object, error: OttlaError) -> None:
        self._answers.append(Answer(token, error, is_error=True))
