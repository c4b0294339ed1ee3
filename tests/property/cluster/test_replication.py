"""Replicas of one partition under any order of events: what is safe stays, and nobody is in sync by mistake.

The events are those that happen to a partition: writes, fetches whose answers come late or never, followers that fall
behind, crashes, clean elections, answers of the controller. The machines are the real ones; see `replicas.py`.
"""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ottla.cluster.replication.leader import Leader
from tests.unit.cluster.replication.replicas import LAG_MAX_MS, Replicas

IDS = [1, 2, 3]
ids = st.sampled_from(IDS)


class Replication(RuleBasedStateMachine):
    """One partition on three brokers."""

    def __init__(self) -> None:
        super().__init__()
        self.replicas = Replicas(IDS)
        self.count = 0
        self.safe: list[tuple[int, str]] = []  # what any leader's watermark has ever covered
        self.watermarks: dict[tuple[int, int], int] = {}  # by broker and leader epoch

    @rule()
    def append(self) -> None:
        """A client writes."""
        self.count += 1
        self.replicas.append(f"r{self.count}")

    @rule(who=ids, limit=st.integers(0, 3))
    def fetch(self, who: int, limit: int) -> None:
        """A follower asks."""
        self.replicas.fetch(who, limit)

    @rule(who=ids)
    def deliver(self, who: int) -> None:
        """An answer comes."""
        self.replicas.deliver(who)

    @rule(who=ids)
    def lose(self, who: int) -> None:
        """An answer does not come."""
        self.replicas.answers.pop(who, None)

    @rule(duration_ms=st.sampled_from([1, LAG_MAX_MS // 2, LAG_MAX_MS + 1]))
    def elapse(self, duration_ms: int) -> None:
        """Time passes."""
        self.replicas.elapse(duration_ms)

    @rule()
    def decide(self) -> None:
        """The controller decides, and nobody knows it yet."""
        self.replicas.decide_proposals()

    @rule()
    def controller(self) -> None:
        """The controller answers."""
        self.replicas.answer_proposals()

    @rule(who=ids)
    @precondition(lambda self: len(self.replicas.down) < len(IDS) - 1)
    def crash(self, who: int) -> None:
        """A broker dies, and the controller takes it out of the ISR, unless it is the last one in there."""
        if who in self.replicas.down:
            return
        self.replicas.crash(who)
        self._elect()

    @rule()
    @precondition(lambda self: self.replicas.down)
    def start(self) -> None:
        """One comes back."""
        self.replicas.start(min(self.replicas.down))
        self._elect()

    @rule(who=ids)
    def copy(self, who: int) -> None:
        """A follower gets all that there is, and says so."""
        for _ in range(3):
            self.replicas.fetch(who)
            self.replicas.deliver(who)

    @rule(who=ids)
    def prefer(self, who: int) -> None:
        """The controller has another one lead, who is in sync."""
        registration = self.replicas.controller.registration
        if who in registration.isr and who not in self.replicas.down:
            self.replicas.elect(who)

    def _elect(self) -> None:
        """A clean election: among those in sync who are alive; else nobody leads, and the last ISR is waited for."""
        now = self.replicas.controller.registration
        alive = tuple(each for each in now.isr if each not in self.replicas.down)
        if alive:
            leader_id = now.leader_id if now.leader_id in alive else alive[0]
            self.replicas.elect(leader_id, alive)
        else:
            self.replicas.elect(-1)

    @invariant()
    def everybody_is_sound(self) -> None:
        """The machines' own invariants; an ISR always has its leader."""
        self.replicas.check()

    @invariant()
    def what_is_safe_stays(self) -> None:
        """Whatever a leader has called safe is at the same place in the log of every leader after it."""
        leader = self.replicas.leader
        if leader is None:
            return
        log = self.replicas.logs[leader.node_id]
        covered = log.records[: log.high_watermark]
        common = min(len(covered), len(self.safe))
        assert covered[:common] == self.safe[:common], "what was safe is another record now"
        assert log.records[: len(self.safe)] == self.safe, "what was safe is lost"
        if len(covered) > len(self.safe):
            self.safe = covered

    @invariant()
    def the_watermark_rises(self) -> None:
        """The watermark of a leader never falls, and every live member of the ISR has what lies below it."""
        leader = self.replicas.leader
        if leader is None:
            return
        log = self.replicas.logs[leader.node_id]
        key = leader.node_id, leader.epoch
        assert log.high_watermark >= self.watermarks.get(key, 0)
        self.watermarks[key] = log.high_watermark
        for member in self.replicas.controller.registration.isr:
            assert self.replicas.logs[member].records[: log.high_watermark] == log.records[: log.high_watermark]

    @invariant()
    def the_controller_and_the_leader_agree(self) -> None:
        """What the controller has for the ISR is never more than the leader reckons with."""
        leader = self.replicas.leader
        if isinstance(leader, Leader) and leader.epoch == self.replicas.controller.registration.leader_epoch:
            assert set(self.replicas.controller.registration.isr) <= leader.isr.maximal


TestReplication = Replication.TestCase
TestReplication.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)
