"""What waits for partitions is woken by them, or by time: one timer for all."""

from ottla.broker.data.delayed import LONGEST_MS, DelayedRequests
from ottla.broker.data.purgatory import Purgatory
from ottla.cluster.replication.partition import Partition, Settings
from ottla.protocol.codec.wire import Uuid
from ottla.world.api import World
from tests.unit.broker.handlers.circumstances import Answers
from tests.unit.broker.handlers.data_broker import simulate
from tests.unit.cluster.replication.replicas import Controller

SETTINGS = Settings(1, Controller([1]), lambda: 1, lambda topic: 1)


class Waiting:
    """Waits for anything at all."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log = name, log

    def attempt(self, key: Partition) -> bool:
        """It has come."""
        assert key.index == 0
        return True

    def complete(self) -> None:
        """Woken."""
        self.log.append(f"{self.name} woken")

    def expire(self) -> None:
        """Not woken."""
        self.log.append(f"{self.name} expired")


def test_what_happens_wakes_those_whom_it_concerns() -> None:
    """More in the log: who reads. A watermark, or another leader: who reads, writes and deletes."""

    async def main(world: World) -> None:
        partition = Partition(SETTINGS, "orders", 0, Uuid(bytes(16)))
        for happens, woken in (
            (DelayedRequests.end_moved, ["fetch"]),
            (DelayedRequests.watermark_moved, ["fetch", "produce", "delete"]),
            (DelayedRequests.role_changed, ["fetch", "produce", "delete"]),
        ):
            delayed, log = DelayedRequests(world), []  # type: ignore[var-annotated]
            for name, purgatory in (
                ("produce", delayed.produces),
                ("fetch", delayed.fetches),
                ("delete", delayed.deletions),
            ):
                delayed.park(purgatory, Waiting(name, log), [partition], 1_000, Answers())
            happens(delayed, partition)
            assert log == [f"{name} woken" for name in woken]
            delayed.stop()

    simulate(main)


def test_everybody_expires_in_time() -> None:
    """Whoever comes later with less time is not made to wait for who came before; stopping wakes nobody."""

    async def main(world: World) -> None:
        partition = Partition(SETTINGS, "orders", 0, Uuid(bytes(16)))
        delayed, log = DelayedRequests(world), []  # type: ignore[var-annotated]
        for wait_ms in (300, 100, 200, 0):
            delayed.park(delayed.fetches, Waiting(str(wait_ms), log), [partition], wait_ms, Answers())
        seen = []
        for _ in range(4):
            await world.clock.sleep(90)
            seen.append(len(log))
        assert seen == [1, 2, 3, 4]
        assert log == ["0 expired", "100 expired", "200 expired", "300 expired"]
        delayed.park(delayed.fetches, Waiting("late", log), [partition], 100, Answers())
        delayed.stop()
        await world.clock.sleep(500)
        assert len(log) == 4

    simulate(main)


def test_where_there_is_no_room_nobody_waits() -> None:
    """What the purgatory does not take in is answered with what there is."""

    async def main(world: World) -> None:
        partition = Partition(SETTINGS, "orders", 0, Uuid(bytes(16)))
        delayed, log = DelayedRequests(world), []  # type: ignore[var-annotated]
        full: Purgatory[Partition] = Purgatory(0, capacity=0)
        delayed.park(full, Waiting("it", log), [partition], 1_000, Answers())
        assert log == ["it expired"]
        delayed.stop()

    simulate(main)


def test_whoever_goes_is_forgotten() -> None:
    """A client that ends its connection is waited for no longer, and one that has ended it is not taken in."""

    async def main(world: World) -> None:
        partition = Partition(SETTINGS, "orders", 0, Uuid(bytes(16)))
        delayed, log, reply = DelayedRequests(world), [], Answers()  # type: ignore[var-annotated]
        delayed.park(delayed.fetches, Waiting("stays", log), [partition], 1_000, Answers())
        delayed.park(delayed.fetches, Waiting("goes", log), [partition], 1_000, reply)
        assert len(delayed.fetches) == 2
        reply.go()
        assert len(delayed.fetches) == 1
        delayed.park(delayed.fetches, Waiting("has gone", log), [partition], 1_000, reply)
        delayed.end_moved(partition)
        assert log == ["stays woken"]
        assert (len(delayed.fetches), delayed.fetches.watched) == (0, 0)
        await world.clock.sleep(2_000)
        assert log == ["stays woken"]

    simulate(main)


def test_nobody_waits_for_days() -> None:
    """Whatever a client says, it waits for some minutes at most."""

    async def main(world: World) -> None:
        partition = Partition(SETTINGS, "orders", 0, Uuid(bytes(16)))
        delayed, log = DelayedRequests(world), []  # type: ignore[var-annotated]
        delayed.park(delayed.fetches, Waiting("it", log), [partition], 2**31 - 1, Answers())
        await world.clock.sleep(LONGEST_MS - 1_000)
        assert not log
        await world.clock.sleep(2_000)
        assert log == ["it expired"]

    simulate(main)
