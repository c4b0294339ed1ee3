"""What connections hold together, and who waits."""

from hypothesis import given
from hypothesis import strategies as st

from ottla.network.memory import FREE_BYTES, PATIENCE_MS, Memory

LIMIT = 10 * FREE_BYTES
LARGE = 6 * FREE_BYTES


class Sender:
    """Somebody who brings parts of a frame, and stops when told to."""

    def __init__(self, memory: "Memory[Sender]") -> None:
        self.memory, self.is_muted, self.holds = memory, False, 0

    def wait_for_memory(self) -> None:
        """Stop."""
        assert not self.is_muted
        self.is_muted = True

    def memory_is_there(self) -> None:
        """Go on."""
        assert self.is_muted
        self.is_muted = False

    def hold(self, size_bytes: int) -> None:
        """So much now."""
        self.holds = size_bytes
        self.memory.account(self, size_bytes)


def senders(count: int, limit: int = LIMIT) -> "tuple[Memory[Sender], list[Sender]]":
    """Some of them, before they have sent anything."""
    memory: Memory[Sender] = Memory(limit)
    return memory, [Sender(memory) for _ in range(count)]


def test_within_the_limit_nobody_waits() -> None:
    """As long as all hold no more than `queued.max.request.bytes`, all go on."""
    memory, (first, second) = senders(2)
    first.hold(LARGE)
    second.hold(LIMIT - LARGE)
    assert not first.is_muted
    assert not second.is_muted
    assert memory.held_bytes == LIMIT


def test_above_the_limit_all_but_the_first_wait() -> None:
    """Who brings more when too much is held waits, but not the one that has held longest: it can finish."""
    _, (first, second, third) = senders(3)
    first.hold(LARGE)
    second.hold(LARGE)
    first.hold(2 * LARGE)
    third.hold(LARGE)
    assert [each.is_muted for each in (first, second, third)] == [False, True, True]


def test_room_lets_everybody_go_on() -> None:
    """When what is held is within the limit again, all that waited go on."""
    memory, (first, second, third) = senders(3)
    first.hold(LARGE)
    second.hold(LARGE)
    third.hold(2 * FREE_BYTES)
    first.hold(0)
    assert [each.is_muted for each in (first, second, third)] == [False, False, False]
    assert memory.waiting == 0


def test_when_the_first_has_gone_the_next_goes_on() -> None:
    """There is always one that may go on, even while there is no room for the others."""
    _, (first, second, third) = senders(3)
    first.hold(2 * FREE_BYTES)
    second.hold(LIMIT)
    third.hold(LIMIT)
    assert [second.is_muted, third.is_muted] == [True, True]
    first.hold(0)
    assert [second.is_muted, third.is_muted] == [False, True]


def test_small_requests_never_wait() -> None:
    """A request that fits into 64 KiB goes on however much the others hold."""
    _, (first, second, small) = senders(3)
    first.hold(LIMIT)
    second.hold(LIMIT)
    small.hold(FREE_BYTES)
    assert second.is_muted
    assert not small.is_muted


def test_a_higher_limit_counts_at_once() -> None:
    """Who waits goes on when the limit is raised."""
    memory, (first, second) = senders(2)
    first.hold(LIMIT)
    second.hold(LARGE)
    assert second.is_muted
    memory.limit(LIMIT + LARGE)
    assert not second.is_muted


def test_whoever_stands_in_the_way_for_too_long_is_named() -> None:
    """The first in line that ends nothing for 30 s while others wait is to be closed, and nobody before that."""
    memory, (first, second) = senders(2)
    first.hold(LIMIT)
    assert memory.stalled(0) is None
    second.hold(LARGE)
    assert memory.stalled(1_000) is None
    assert memory.stalled(1_000 + PATIENCE_MS - 1) is None
    assert memory.stalled(1_000 + PATIENCE_MS) is first
    first.hold(0)
    assert memory.stalled(2_000 + PATIENCE_MS) is None


STEPS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 4 * FREE_BYTES), st.booleans()), max_size=80)


@given(STEPS)
def test_the_sum_is_right_and_somebody_may_always_go_on(steps: list[tuple[int, int, bool]]) -> None:
    """Whatever comes and goes: the sum is that of all, nobody waits while there is room, and never do all that hold
    much wait. What is held above the limit is at most one receipt of each sender that went on.
    """
    memory, all_ = senders(8, 5 * FREE_BYTES)
    for who, more, ends in steps:
        sender = all_[who]
        if ends:
            sender.hold(0)
        elif not sender.is_muted:
            sender.hold(sender.holds + more)
        assert memory.held_bytes == sum(each.holds for each in all_)
        waiting = [each for each in all_ if each.is_muted]
        assert memory.waiting == len(waiting)
        assert all(each.holds > FREE_BYTES for each in waiting)
        if memory.held_bytes <= memory.limit_bytes:
            assert not waiting
        elif large := [each for each in all_ if each.holds > FREE_BYTES]:
            assert len(waiting) < len(large)
