"""Requests that wait end once: by what they watch, or by their time; see tests/property for any order of events."""

from dataclasses import dataclass, field

from ottla.broker.data.purgatory import Purgatory


@dataclass
class Waiting:
    """An operation that waits for some of its keys."""

    name: str
    needs: set[str]
    log: list[str] = field(default_factory=list)

    def attempt(self, key: str) -> bool:
        """One of its keys was touched."""
        self.needs.discard(key)
        return not self.needs

    def complete(self) -> None:
        """It is done."""
        self.log.append(f"{self.name} done")

    def expire(self) -> None:
        """Its time is over."""
        self.log.append(f"{self.name} expired")


def test_an_operation_is_done_when_all_it_waits_for_has_happened() -> None:
    """It is looked at for its own keys alone, and is watched by nobody afterwards."""
    purgatory: Purgatory[str] = Purgatory(0)
    waiting = Waiting("a", {"x", "y"})
    assert purgatory.park(waiting, ["x", "y"], 100) is not None
    assert (purgatory.check("z"), purgatory.check("x"), waiting.log) == (0, 0, [])
    assert (purgatory.check("y"), waiting.log) == (1, ["a done"])
    assert (len(purgatory), purgatory.watched, purgatory.deadline()) == (0, 0, None)
    assert purgatory.advance(1_000) == 0


def test_an_operation_expires_at_its_time() -> None:
    """Not earlier, once, and what it watches does not find it any more."""
    purgatory: Purgatory[str] = Purgatory(0)
    waiting = Waiting("a", {"x"})
    purgatory.park(waiting, ["x"], 100)
    assert (purgatory.deadline(), purgatory.advance(99), waiting.log) == (100, 0, [])
    assert (purgatory.advance(100), waiting.log) == (1, ["a expired"])
    assert (purgatory.check("x"), purgatory.watched) == (0, 0)


def test_there_is_room_for_so_many() -> None:
    """What comes beyond the capacity is not taken in, until there is room again."""
    purgatory: Purgatory[str] = Purgatory(0, capacity=2)
    parked = [purgatory.park(Waiting(str(number), {"x"}), ["x"], 100) for number in range(3)]
    assert parked[2] is None
    assert parked[0] is not None
    assert purgatory.withdraw(parked[0])
    assert not purgatory.withdraw(parked[0])
    assert purgatory.park(Waiting("4", {"x"}), ["x"], 100) is not None


def test_whoever_is_answered_may_wait_again() -> None:
    """An operation that parks another for the same key, when it is done, does not have it looked at at once."""
    purgatory: Purgatory[str] = Purgatory(0)
    following = Waiting("second", {"x"})

    class First(Waiting):
        def complete(self) -> None:
            super().complete()
            purgatory.park(following, ["x"], 100)

    first = First("first", {"x"})
    purgatory.park(first, ["x"], 100)
    assert purgatory.check("x") == 1
    assert (first.log, following.log, len(purgatory)) == (["first done"], [], 1)
    assert purgatory.check("x") == 1
