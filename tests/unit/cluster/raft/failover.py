"""How long a quorum is without a leader, in virtual time and at Kafka's default timeouts.

A leader that has led for a while, at another moment of its life with each seed, is killed, stops in order, or resigns;
what is measured ends when another one leads. The network takes up to 5 ms, a sync up to 10.
"""

from collections.abc import Callable
from typing import Final

from ottla.cluster.raft.events import Resign, Shutdown
from tests.unit.cluster.raft.driver import Cluster
from tests.unit.cluster.raft.replica import Replica
from tests.unit.cluster.raft.shape import ALL_AT_ONCE_BYTES, Shape

LEADS_MS, MOMENTS_MS = 2_000, 2_000  # for so long at least, and so much longer at most
NEVER_MS = 60_000


def _kill(cluster: Cluster, leader: Replica) -> None:
    leader.crash()


def _stop(cluster: Cluster, leader: Replica) -> None:
    cluster.step(leader, Shutdown(leader.local_ms(cluster.now_ms) + 5_000))


def _resign(cluster: Cluster, leader: Replica) -> None:
    assert leader.machine is not None
    cluster.step(leader, Resign(leader.machine.state.epoch))


WAYS: Final[dict[str, Callable[[Cluster, Replica], None]]] = {"killed": _kill, "stopped": _stop, "resigned": _resign}


def without_leader_ms(seed: int, way: str, voters: int) -> float:
    """From the end of one leader to the beginning of the next."""
    shape = Shape(
        voters=voters, observers=0, suffering_ms=0, loss=0, doubling=0, delay_ms=(0.2, 5), faults=(),
        fault_every_ms=1_000, append_every_ms=50, snapshots=False, kraft_version=seed % 2,
        fetch_max_bytes=(ALL_AT_ONCE_BYTES,),
    )  # fmt: skip
    cluster = Cluster(seed, shape)
    for replica in cluster.replicas.values():
        replica.pace.sync_ms = (1, 10)
        cluster.start(replica)
    cluster.give_records()
    cluster.run_until(NEVER_MS, lambda: bool(cluster.leaders()))
    cluster.run_until(cluster.now_ms + LEADS_MS + cluster.rng.random() * MOMENTS_MS)
    (leader,) = cluster.leaders()
    assert leader.machine is not None
    epoch, start_ms = leader.machine.state.epoch, cluster.now_ms
    WAYS[way](cluster, leader)
    cluster.run_until(
        start_ms + NEVER_MS,
        lambda: any(found.machine and found.machine.state.epoch > epoch for found in cluster.leaders()),
    )
    return cluster.now_ms - start_ms
