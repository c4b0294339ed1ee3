"""What waits for partitions is woken by them, or by time: one timer for all."""

from ottla.broker.delayed import DelayedRequests
from ottla.broker.purgatory import Purgatory
from ottla.cluster.replication.partition import Partition, Settings
from ottla.protocol.codec.wire import Uuid
from ottla.world.api import World
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
                delayed.park(purgatory, Waiting(name, log), [partition], 1_000)
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
            delayed.park(delayed.fetches, Waiting(str(wait_ms), log), [partition], wait_ms)
        seen = []
        for _ in range(4):
            await world.clock.sleep(90)
            seen.append(len(log))
        assert seen == [1, 2, 3, 4]
        assert log == ["0 expired", "100 expired", "200 expired", "300 expired"]
        delayed.park(delayed.fetches, Waiting("late", log), [partition], 100)
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
        delayed.park(full, Waiting("it", log), [partition], 1_000)
        assert log == ["it expired"]
        delayed.stop()

    simulate(main)
