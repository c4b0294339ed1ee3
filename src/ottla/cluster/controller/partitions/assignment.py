"""Replicas for new partitions: chosen by placement, or given by hand and checked.

Whoever can be used is registered and has a directory that is not cordoned (KIP-1066). What comes out is a `Partition`
as it begins: in sync is who is active at this moment, and the first of them leads.

Always true: somebody active leads every new partition, else the request is refused.
"""

from collections.abc import Sequence

from ottla.cluster.controller.brokers import Brokers
from ottla.cluster.controller.partitions.partition import Partition
from ottla.cluster.controller.partitions.placement import Draw, Placement, Usable
from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode


class Assignment:
    """How new partitions get their replicas."""

    def __init__(self, brokers: Brokers, draw: Draw) -> None:
        self._brokers, self._draw = brokers, draw

    def chosen(self, partitions: int, replication_factor: int) -> list[Partition]:
        """So many new partitions, on brokers that placement chooses."""
        usable = [Usable(each.broker_id, each.rack, each.fenced) for each in self._brokers if each.takes_replicas]
        placed = Placement(usable, self._draw).place(partitions, replication_factor)
        begun = {replicas: self._begun(replicas, None) for replicas in dict.fromkeys(placed)}  # few differ
        return [begun[replicas] for replicas in placed]

    def given(self, partition_id: int, replicas: Sequence[int], replication_factor: int | None) -> Partition:
        """A new partition on the brokers that somebody named."""
        self.check(replicas, replication_factor)
        return self._begun(tuple(replicas), partition_id)

    def check(self, replicas: Sequence[int], replication_factor: int | None = None) -> None:
        """INVALID_REPLICA_ASSIGNMENT unless these brokers can be a partition's replicas."""
        if not replicas:
            raise invalid("The manual partition assignment includes an empty replica list.")
        if len(set(replicas)) < len(replicas):
            raise invalid(f"The manual partition assignment {list(replicas)} includes a broker twice.")
        for broker_id in replicas:
            broker = self._brokers.get(broker_id)
            if broker is None:
                raise invalid(f"The manual partition assignment includes broker {broker_id}, which is not registered.")
            if not broker.takes_replicas:
                raise invalid(
                    f"The manual partition assignment includes broker {broker_id}, whose directories are all cordoned."
                )
        if replication_factor is not None and len(replicas) != replication_factor:
            raise invalid(
                f"The manual partition assignment {list(replicas)} has {len(replicas)} replica(s), not "
                f"{replication_factor} as the other partitions have."
            )

    def _begun(self, replicas: tuple[int, ...], given_as: int | None) -> Partition:
        isr = tuple(replica for replica in replicas if self._brokers.is_active(replica))
        if not isr and given_as is not None:
            raise invalid(
                f"All brokers of the manual partition assignment for partition {given_as} are fenced or in "
                "controlled shutdown."
            )
        if not isr:
            raise RequestRefused(
                ErrorCode.INVALID_REPLICATION_FACTOR,
                f"Unable to replicate the partition {len(replicas)} time(s): all brokers are fenced or in controlled "
                "shutdown.",
            )
        directories = tuple(self._brokers.default_directory(replica) for replica in replicas)
        return Partition(replicas, isr, isr[0], directories)


def invalid(message: str) -> RequestRefused:
    """What is told to somebody whose assignment cannot be."""
    return RequestRefused(ErrorCode.INVALID_REPLICA_ASSIGNMENT, message)
