"""The brokers that have registered, and how each of them stands: fenced, serving, or on its way out.

    registered -> FENCED <-> UNFENCED -> CONTROLLED_SHUTDOWN -> FENCED -> (registers anew, or is unregistered)

A broker is active when it is neither fenced nor shutting down: only then may it lead or come into an ISR. State changes
by registration, registration change, fencing and unregistration records alone; who has been heard of when is no state
but a timer (see `heartbeats`).

Always true: a broker's epoch is that of its newest registration, and grows from one to the next; a directory id belongs
to one broker.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from ottla.cluster.controller.partitions.partition import LOST, MIGRATING, UNASSIGNED
from ottla.errors import RequestRefused
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.metadata_records import (
    BrokerRegistrationChangeRecord,
    FenceBrokerRecord,
    RegisterBrokerRecord,
    UnfenceBrokerRecord,
    UnregisterBrokerRecord,
)
from ottla.replicated.timeline import Journal, TimelineDict

FENCED_CHANGE, UNFENCED_CHANGE = 1, -1  # of BrokerRegistrationChangeRecord.fenced
SHUTTING_DOWN_CHANGE = 1


class EndPoint(NamedTuple):
    """Where a node listens."""

    name: str
    host: str
    port: int
    security_protocol: int


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker's registration."""

    broker_id: int
    epoch: int
    incarnation_id: Uuid
    end_points: tuple[EndPoint, ...]
    features: dict[str, tuple[int, int]]  # lowest and highest level that it can run at
    rack: str | None
    fenced: bool
    in_controlled_shutdown: bool
    log_dirs: tuple[Uuid, ...]
    cordoned_log_dirs: tuple[Uuid, ...] | None
    registered_offset: int  # of the registration's record: who has read it knows of itself
    shutdown_offset: int = -1  # of the record by which it began to shut down

    @property
    def is_active(self) -> bool:
        """Whether it may lead, and come into an ISR."""
        return not self.fenced and not self.in_controlled_shutdown

    @property
    def takes_replicas(self) -> bool:
        """Whether it has a directory that is not cordoned (KIP-1066)."""
        return not self.cordoned_log_dirs or not set(self.log_dirs).issubset(self.cordoned_log_dirs)

    def has_online(self, directory: Uuid) -> bool:
        """Whether a replica in this directory can be read; before 3.7 nobody knows, and it is taken for so."""
        if directory in (UNASSIGNED, MIGRATING) or (directory != LOST and not self.log_dirs):
            return True
        return directory in self.log_dirs

    @property
    def default_directory(self) -> Uuid:
        """What is written for a new replica: its directory, if there is no choice."""
        if not self.log_dirs:
            return MIGRATING
        return self.log_dirs[0] if len(self.log_dirs) == 1 else UNASSIGNED


class Brokers:
    """All registrations."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.registrations: TimelineDict[int, Broker] = TimelineDict(journal)

    def __iter__(self) -> Iterator[Broker]:
        return iter(self.registrations.values())

    def get(self, broker_id: int) -> Broker | None:
        """A broker's registration."""
        return self.registrations.get(broker_id)

    def is_active(self, broker_id: int) -> bool:
        """Whether a broker may lead."""
        broker = self.registrations.get(broker_id)
        return broker is not None and broker.is_active

    def default_directory(self, broker_id: int) -> Uuid:
        """What is written for a new replica on a broker."""
        broker = self.registrations.get(broker_id)
        return UNASSIGNED if broker is None else broker.default_directory

    def owner_of(self, directory: Uuid) -> int | None:
        """Whose directory this is."""
        return next((broker.broker_id for broker in self if directory in broker.log_dirs), None)

    def of_epoch(self, broker_id: int, epoch: int) -> Broker:
        """A broker that speaks with this epoch; STALE_BROKER_EPOCH if it is no longer, or never was, that one."""
        broker = self.registrations.get(broker_id)
        if broker is None:
            raise RequestRefused(ErrorCode.STALE_BROKER_EPOCH, f"No broker {broker_id} is registered.")
        if broker.epoch != epoch:
            raise RequestRefused(
                ErrorCode.STALE_BROKER_EPOCH, f"Broker {broker_id} has the epoch {broker.epoch}, not {epoch}."
            )
        return broker

    # Replay

    def replay_registration(self, record: RegisterBrokerRecord) -> None:
        """A broker has registered, or amended its registration."""
        self.registrations[record.broker_id] = Broker(
            broker_id=record.broker_id,
            epoch=record.broker_epoch,
            incarnation_id=record.incarnation_id,
            end_points=tuple(
                EndPoint(each.name, each.host, each.port, each.security_protocol) for each in record.end_points
            ),
            features={each.name: (each.min_supported_version, each.max_supported_version) for each in record.features},
            rack=record.rack,
            fenced=record.fenced,
            in_controlled_shutdown=record.in_controlled_shutdown,
            log_dirs=tuple(record.log_dirs),
            cordoned_log_dirs=None if record.cordoned_log_dirs is None else tuple(record.cordoned_log_dirs),
            registered_offset=self._journal.offset,
            shutdown_offset=self._journal.offset if record.in_controlled_shutdown else -1,
        )

    def replay_unregistration(self, record: UnregisterBrokerRecord) -> None:
        """A broker is forgotten."""
        del self.registrations[record.broker_id]

    def replay_change(self, record: BrokerRegistrationChangeRecord) -> None:
        """Something about a registration has changed."""
        broker = self.registrations[record.broker_id]
        if record.fenced:
            broker = replace(broker, fenced=record.fenced == FENCED_CHANGE)
        if record.in_controlled_shutdown == SHUTTING_DOWN_CHANGE:
            broker = replace(broker, in_controlled_shutdown=True, shutdown_offset=self._journal.offset)
        if record.log_dirs:
            broker = replace(broker, log_dirs=tuple(record.log_dirs))
        if record.cordoned_log_dirs is not None:
            broker = replace(broker, cordoned_log_dirs=tuple(record.cordoned_log_dirs))
        self.registrations[record.broker_id] = broker

    def replay_fencing(self, record: FenceBrokerRecord) -> None:
        """A broker is fenced, as clusters before 3.3-IV2 wrote it."""
        self.registrations[record.id] = replace(self.registrations[record.id], fenced=True)

    def replay_unfencing(self, record: UnfenceBrokerRecord) -> None:
        """It is fenced no longer."""
        self.registrations[record.id] = replace(self.registrations[record.id], fenced=False)

    def check(self) -> None:
        """Assert that a directory belongs to one broker."""
        directories = [directory for broker in self for directory in broker.log_dirs]
        assert len(directories) == len(set(directories)), "a directory id is registered twice"
