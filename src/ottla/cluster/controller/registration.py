"""Brokers register and are unregistered.

A broker registers with every start, under a new incarnation id. Its epoch is the offset that the decision's first
record will have, so that it only grows; whoever speaks with an older one is told so. A
registration of a new incarnation takes the broker out of every ISR: what it had in memory is lost. If it did not shut
down cleanly (the epoch that it remembers from its last clean shutdown is not the registered one) it is no eligible
leader either (KIP-966).

Always true: who registers supports every finalised feature; while another incarnation serves, or is about to and was
heard of within a session, a broker id is taken (DUPLICATE_BROKER_REGISTRATION). One that has shut down, or does so, has
no session that would have to end first: Kafka 4.3 has it wait in vain.
"""

from collections.abc import Callable, Sequence
from typing import Final

from ottla.cluster.controller.brokers import Broker, Brokers
from ottla.cluster.controller.finalised import Finalised
from ottla.cluster.controller.partitions.elections import Draft, Elections
from ottla.cluster.controller.partitions.partition import is_reserved
from ottla.errors import RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import METADATA_VERSION
from ottla.protocol.messages.cluster import UnregisterBrokerRequest, UnregisterBrokerResponse
from ottla.protocol.messages.controller import BrokerRegistrationRequest, BrokerRegistrationResponse
from ottla.protocol.messages.metadata_records import (
    RegisterBrokerRecord,
    RegisterBrokerRecord_BrokerFeature,
    UnregisterBrokerRecord,
)
from ottla.protocol.uuids import uuid_text
from ottla.replicated.decision import Decision, TimerChange
from ottla.replicated.timeline import Journal

SESSION: Final = "session"


class Registration:
    """Requests to become known, and to be forgotten."""

    def __init__(
        self,
        journal: Journal,
        cluster_id: str,
        finalised: Finalised,
        brokers: Brokers,
        elections: Elections,
        *,
        is_alive: Callable[[Broker, int], bool],
    ) -> None:
        self._journal, self._cluster_id, self._is_alive = journal, cluster_id, is_alive
        self._finalised, self._brokers, self._elections = finalised, brokers, elections

    def register(
        self, request: BrokerRegistrationRequest, now_ms: int, *, is_own: bool = False
    ) -> Decision[Message, BrokerRegistrationResponse]:
        """Make a broker known, with a new epoch if it is a new incarnation.

        `is_own`: it is the broker of this very process. Its earlier life has ended, whatever its session says, or this
        process would not have its directories; so a node alone serves at once after a crash.
        """
        self._check_cluster(request)
        existing = self._brokers.get(request.broker_id)
        is_another = existing is not None and existing.incarnation_id != request.incarnation_id
        if existing is not None and is_another and not is_own and self._is_alive(existing, now_ms):
            raise RequestRefused(
                ErrorCode.DUPLICATE_BROKER_REGISTRATION,
                f"Another broker serves as {request.broker_id}. If that was this one before a restart, its session "
                "will end.",
            )
        self._check(request)
        record = RegisterBrokerRecord(
            broker_id=request.broker_id,
            incarnation_id=request.incarnation_id,
            broker_epoch=self._journal.next_offset,
            end_points=[
                RegisterBrokerRecord.BrokerEndpoint(each.name, each.host, each.port, each.security_protocol)
                for each in request.listeners
            ],
            features=self._features(request),
            rack=request.rack,
            log_dirs=request.log_dirs if self._finalised.has("directory assignment") else (),
        )
        if existing is not None and existing.incarnation_id == request.incarnation_id:
            record.broker_epoch, record.fenced = existing.epoch, existing.fenced
            record.in_controlled_shutdown = existing.in_controlled_shutdown
            record.cordoned_log_dirs = existing.cordoned_log_dirs
            return Decision([record], BrokerRegistrationResponse(broker_epoch=existing.epoch))
        draft = self._elections.draft()
        if not self._clean_up(draft, request, existing):
            # Brokers ask again until they are registered, so the rest is done then.
            return Decision(draft.records, BrokerRegistrationResponse(error_code=ErrorCode.REQUEST_TIMED_OUT))
        return Decision(
            [*draft.records, record],
            BrokerRegistrationResponse(broker_epoch=record.broker_epoch),
            [TimerChange((SESSION, request.broker_id))],
        )

    def unregister(self, request: UnregisterBrokerRequest, now_ms: int) -> Decision[Message, UnregisterBrokerResponse]:
        """Forget a broker; its replicas stay assigned to it, and in no ISR."""
        del now_ms
        broker_id = request.broker_id
        broker = self._brokers.get(broker_id)
        if broker is None:
            raise RequestRefused(ErrorCode.BROKER_ID_NOT_REGISTERED, f"No broker {broker_id} is registered.")
        draft = self._elections.draft()
        if not self._elections.broker_is_forgotten(draft, broker_id):
            message = f"Broker {broker_id} is in sync with more partitions than can be changed at once: ask again."
            return Decision(draft.records, UnregisterBrokerResponse(0, ErrorCode.REQUEST_TIMED_OUT, message))
        record = UnregisterBrokerRecord(broker_id=broker_id, broker_epoch=broker.epoch)
        return Decision([*draft.records, record], UnregisterBrokerResponse(), [TimerChange((SESSION, broker_id))])

    def _clean_up(self, draft: Draft, request: BrokerRegistrationRequest, existing: Broker | None) -> bool:
        """Take an earlier incarnation out of everything; False if that was too much for one decision."""
        is_clean = existing is not None and existing.epoch == request.previous_broker_epoch
        if is_clean or not self._finalised.has("eligible leader replicas"):
            return self._elections.broker_goes(draft, request.broker_id)
        return self._elections.broker_is_forgotten(draft, request.broker_id)

    # Checks

    def _check_cluster(self, request: BrokerRegistrationRequest) -> None:
        if request.cluster_id != self._cluster_id:
            raise RequestRefused(
                ErrorCode.INCONSISTENT_CLUSTER_ID,
                f"Broker {request.broker_id} is of the cluster {request.cluster_id!r}, and this is "
                f"{self._cluster_id!r}.",
            )

    def _check(self, request: BrokerRegistrationRequest) -> None:
        broker_id = request.broker_id
        if request.is_migrating_zk_broker:
            raise RequestRefused(ErrorCode.BROKER_ID_NOT_REGISTERED, f"Broker {broker_id} still runs with ZooKeeper.")
        if self._finalised.has("directory assignment"):
            self._check_directories(broker_id, request.log_dirs)

    def _check_directories(self, broker_id: int, directories: Sequence[Uuid]) -> None:
        if not directories:
            raise _invalid(broker_id, "names no log directory")
        if len(set(directories)) < len(directories):
            raise _invalid(broker_id, "names a log directory twice")
        for directory in directories:
            if is_reserved(directory):
                raise _invalid(broker_id, f"has a directory with the reserved id {uuid_text(directory)}")
            if (owner := self._brokers.owner_of(directory)) not in (None, broker_id):
                raise _invalid(broker_id, f"has the directory {uuid_text(directory)}, which is broker {owner}'s")

    def _features(self, request: BrokerRegistrationRequest) -> list[RegisterBrokerRecord_BrokerFeature]:
        """The ranges for the record, all of which have to hold the finalised levels."""
        ranges = {each.name: (each.min_supported_version, each.max_supported_version) for each in request.features}
        if METADATA_VERSION not in ranges:
            raise _invalid(request.broker_id, f"does not say at which {METADATA_VERSION} it can run")
        for feature in {**ranges, **self._finalised.all()}:
            self._finalised.check_range(f"Broker {request.broker_id}", feature, *ranges.get(feature, (0, 0)))
        return [RegisterBrokerRecord_BrokerFeature(name, *levels) for name, levels in ranges.items()]


def _invalid(broker_id: int, what: str) -> RequestRefused:
    return RequestRefused(ErrorCode.INVALID_REGISTRATION, f"Broker {broker_id} {what}.")
