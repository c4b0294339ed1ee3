"""The runtime under any course of events, against a plain list of records."""

from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ottla.replicated.decision import Decision
from ottla.replicated.runtime import Answer, Committed, Elected, Event, Resigned, Submit, Turn
from tests.unit.replicated.bank import Change, replayed
from tests.unit.replicated.test_runtime import Driver

ACCOUNTS = st.sampled_from("abc")
AMOUNTS = st.integers(0, 5)


class AnyCourse(RuleBasedStateMachine):
    """Requests, turns, commits, refused appends, elections and losses of what is not committed."""

    follows = False

    def __init__(self) -> None:
        super().__init__()
        self.driver = Driver(follows=self.follows)
        self.epoch = self.asked = 0
        self.waiting: dict[int, int] = {}  # token -> how many records it writes
        self.answered: set[int] = set()

    def step(self, event: Event) -> list[Answer]:
        """One event; every answer is for somebody who waits, and right."""
        answers = self.driver.step(event)
        for answer in answers:
            assert isinstance(answer.token, int)
            assert answer.token not in self.answered, "answered twice"
            self.answered.add(answer.token)
            if not answer.is_error:
                self.is_right(answer.token, answer.outcome)
        return answers

    def is_right(self, token: int, response: Any) -> None:
        """All its records are committed; what was read is a state that was committed."""
        committed = self.driver.log.records[: self.driver.log.committed_offset]
        if records := self.waiting[token]:
            assert sum(record is not None and record.token == token for record in committed) == records
        else:
            assert any(replayed(committed[:length]) == response for length in range(len(committed), -1, -1))

    @rule(source=ACCOUNTS, to=ACCOUNTS, amount=AMOUNTS, kind=st.sampled_from(["deposit", "transfer", "read"]))
    def ask(self, source: str, to: str, amount: int, kind: str) -> None:
        """Somebody asks for something."""
        bank, self.asked = self.driver.bank, self.asked + 1
        decides: dict[str, Callable[[int], Decision[Change, Any]]] = {
            "deposit": bank.deposit(source, amount),
            "transfer": bank.transfer(source, to, amount),
            "read": bank.read(),
        }
        token, decide = self.asked, decides[kind]
        self.waiting[token] = {"deposit": 1, "transfer": 2, "read": 0}[kind]

        def marked(now_ms: int) -> Decision[Change, Any]:
            decision = decide(now_ms)
            return Decision([record._replace(token=token) for record in decision.records], decision.response)

        self.step(Submit(marked, token))

    @rule(refuses=st.booleans())
    def turn(self, refuses: bool) -> None:
        """A turn, in which the log may refuse."""
        self.driver.log.refuses = refuses
        self.step(Turn())
        self.driver.log.refuses = False

    @precondition(lambda self: self.driver.log.leadership_epoch is not None)
    @rule(count=st.integers(1, 3))
    def log_writes_its_own(self, count: int) -> None:
        """The quorum has written about itself, where decisions that wait for their append should have been."""
        self.driver.log.records.extend([None] * count)

    @rule(most=st.none() | st.integers(1, 3))
    def limit(self, most: int | None) -> None:
        """The log takes no more than so many records at once."""
        self.driver.log.max_records = most

    @rule(part=st.floats(0, 1))
    def commit(self, part: float) -> None:
        """A part of what is in the log is committed."""
        log = self.driver.log
        log.committed_offset += int((log.end_offset - log.committed_offset) * part)
        self.step(Committed())

    @precondition(lambda self: self.driver.log.leadership_epoch is None)
    @rule()
    def elect(self) -> None:
        """This node is elected."""
        self.epoch += 1
        self.driver.log.leadership_epoch = self.epoch
        self.step(Elected(self.epoch))

    @precondition(lambda self: self.driver.log.leadership_epoch is not None)
    @rule(part=st.floats(0, 1))
    def resign(self, part: float) -> None:
        """It leads no more, and a part of what is not committed is lost."""
        log = self.driver.log
        self.step(Resigned())
        log.leadership_epoch = None
        kept = log.committed_offset + int((log.end_offset - log.committed_offset) * part)
        del log.records[kept:]

    @invariant()
    def the_state_is_a_replay(self) -> None:
        """A leader's state is the log's records and the batch that waits; another's is a committed prefix, or empty."""
        runtime, log = self.driver.runtime, self.driver.log
        records = [*log.records, *runtime._batch] if runtime.is_leading else log.records[: runtime.next_offset]
        assert dict(self.driver.bank.balances) == replayed(records)
        assert runtime.next_offset <= len(records)

    def teardown(self) -> None:
        """At the end, with a leader and everything committed, everybody has an answer, once."""
        if self.driver.log.leadership_epoch is None:
            self.elect()
        for _ in range(3):
            self.turn(refuses=False)
        self.commit(1.0)
        assert self.answered == set(range(1, self.asked + 1))


class AnyCourseOfAController(AnyCourse):
    """The same for one that stands by."""

    follows = True


TestCoordinator = AnyCourse.TestCase
TestController = AnyCourseOfAController.TestCase
TestCoordinator.settings = TestController.settings = settings(max_examples=60, stateful_step_count=40)
