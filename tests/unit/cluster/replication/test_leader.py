"""A leader: what the scripts do not show (epochs that are over, answers that come late, lives of brokers)."""

from ottla.cluster.replication.effects import NOTHING, Effects, ProposeIsr
from ottla.cluster.replication.isr import CommittedIsr, GrowingIsr
from ottla.cluster.replication.leader import Leader
from ottla.protocol.error_codes import ErrorCode
from tests.unit.cluster.replication.replicas import LAG_MAX_MS, Replicas


def proposed(effects: Effects) -> list[ProposeIsr]:
    """What the controller is asked for."""
    return [effect for effect in effects if isinstance(effect, ProposeIsr)]


def lagging() -> tuple[Replicas, Leader, ProposeIsr]:
    """A leader that has asked for an ISR without 2."""
    replicas = Replicas([1, 2])
    replicas.append("a")
    replicas.elapse(LAG_MAX_MS + 1)
    leader = replicas.leader
    assert leader is not None
    ((_, proposal),) = replicas.proposals
    return replicas, leader, proposal


def test_nothing_is_asked_while_an_answer_is_missing() -> None:
    """One proposal at a time, whatever happens meanwhile."""
    replicas, leader, _ = lagging()
    replicas.elapse(LAG_MAX_MS)
    replicas.fetch(2)
    assert len(replicas.proposals) == 1
    assert leader.isr.is_in_flight


def test_what_was_certainly_not_done_is_taken_back() -> None:
    """INELIGIBLE_REPLICA and OPERATION_NOT_ATTEMPTED: the old set is in force, and may be asked about anew."""
    for code in (ErrorCode.INELIGIBLE_REPLICA, ErrorCode.OPERATION_NOT_ATTEMPTED):
        _, leader, proposal = lagging()
        assert leader.refused(proposal.pending, code) == NOTHING
        assert leader.isr == CommittedIsr(frozenset({1, 2}))


def test_what_the_metadata_will_tell_is_waited_for() -> None:
    """A leader that is behind asks nothing more until it knows; what may pass is asked again."""
    for code in (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.INVALID_UPDATE_VERSION, ErrorCode.NEW_LEADER_ELECTED):
        _, leader, proposal = lagging()
        assert leader.refused(proposal.pending, code) == NOTHING
        assert leader.isr is proposal.pending
    _, leader, proposal = lagging()
    assert leader.refused(proposal.pending, ErrorCode.NOT_CONTROLLER) == (proposal,)


def test_an_answer_of_another_epoch_changes_nothing() -> None:
    """Nor does one that the metadata has overtaken."""
    replicas, leader, proposal = lagging()
    assert leader.altered(proposal.pending, (1,), leader.epoch - 1, 9, replicas.now_ms) == NOTHING
    assert leader.altered(proposal.pending, (1,), leader.epoch, -1, replicas.now_ms) == NOTHING
    assert leader.isr.is_in_flight
    replicas.elect(1, (1, 2))
    assert leader.altered(proposal.pending, (1,), leader.epoch, 9, replicas.now_ms) == NOTHING
    assert leader.isr == CommittedIsr(frozenset({1, 2}))


def test_when_the_isr_shrinks_what_waits_becomes_safe() -> None:
    """The leader's own log is what counts then."""
    replicas, leader, _ = lagging()
    assert leader.log.high_watermark == 0
    replicas.answer_proposals()
    assert leader.isr.isr == {1}
    assert leader.log.high_watermark == 1


def test_an_earlier_life_of_a_broker_cannot_join() -> None:
    """KIP-903: its fetches are refused once the metadata knows a later one, and the controller would refuse it too."""
    replicas, leader, _ = lagging()
    replicas.answer_proposals()
    assert not leader.is_fenced(2, 102)
    replicas.controller.epochs[2] = 300
    assert leader.is_fenced(2, 102)
    assert not leader.is_fenced(2, -1)
    assert proposed(leader.fetched(2, 1, 0, 102, replicas.now_ms)) == []
    (proposal,) = proposed(leader.fetched(2, 1, 0, 300, replicas.now_ms))
    assert isinstance(proposal.pending, GrowingIsr)
    assert proposal.members == ((1, 101), (2, 300))


def test_who_is_shutting_down_does_not_join() -> None:
    """It would leave at once."""
    replicas, leader, _ = lagging()
    replicas.answer_proposals()
    replicas.controller.leaving.add(2)
    assert proposed(leader.fetched(2, 1, 0, 102, replicas.now_ms)) == []


def test_the_low_watermark_is_that_of_living_replicas() -> None:
    """A dead replica does not keep DeleteRecords waiting."""
    replicas = Replicas([1, 2, 3])
    replicas.append("a")
    leader = replicas.leader
    assert leader is not None
    for follower_id, log_start_offset in ((2, 1), (3, 0)):
        leader.fetched(follower_id, 1, log_start_offset, 100 + follower_id, replicas.now_ms)
    leader.log.maybe_increment_log_start_offset(1)
    assert leader.low_watermark == 0
    replicas.crash(3)
    assert leader.low_watermark == 1
