"""The parts of a node that handlers work with: one value for broker listeners, one for the controller's.

Handlers hold no state; what they need of the node they find here, by name. A node makes these when it is built.
"""

from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ottla.broker.context import RequestContext
from ottla.broker.data.path import DataPath
from ottla.broker.data.producer_ids import ProducerIds
from ottla.broker.metadata.auto_topics import AutoTopics
from ottla.broker.metadata.cache import MetadataCache
from ottla.broker.metadata.features import FinalisedFeatures
from ottla.broker.settings.dynamic import DynamicSettings
from ottla.cluster.controller.office import Office
from ottla.config.config import Config
from ottla.config.layers import BrokerLayers
from ottla.errors import RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.replicated.decision import Decide
from ottla.world.api import World


class ControllerAccess(Protocol):
    """The way to the active controller, wherever it is."""

    async def ask(self, request: Message, *, timeout_ms: int | None = None) -> Any:
        """The controller's response to a request of this node's own."""

    async def forward(self, context: RequestContext, request: Message) -> Message:
        """Its response to a client's request, as that client and in its version."""

    def versions(self) -> Mapping[int, tuple[int, int]] | None:
        """What it serves in which versions, by the key of the API; None if that sets no limit, or nobody knows."""


@dataclass(slots=True)
class BrokerParts:
    """What a broker is made of, as far as requests need it."""

    world: World
    config: Config
    node_id: int
    cluster_id: str
    metadata: MetadataCache
    controller: ControllerAccess
    auto_topics: AutoTopics
    its_data: DataPath | None = None  # None: a node that has no logs yet
    its_settings: DynamicSettings | None = None
    its_producer_ids: ProducerIds | None = None

    @property
    def data(self) -> DataPath:
        """What serves records."""
        assert self.its_data is not None, "a broker without partitions"
        return self.its_data

    @property
    def settings(self) -> DynamicSettings:
        """Where its settings come from."""
        assert self.its_settings is not None, "a broker whose settings never change"
        return self.its_settings

    @property
    def layers(self) -> BrokerLayers:
        """Its settings, layer by layer."""
        return self.settings.layers

    @property
    def producer_ids(self) -> ProducerIds:
        """The producer ids that it may hand out."""
        assert self.its_producer_ids is not None, "a broker without producer ids"
        return self.its_producer_ids

    def reconfigured(self, config: Config) -> None:
        """Its settings have changed."""
        self.config = config

    @property
    def features(self) -> FinalisedFeatures:
        """What the cluster has agreed on, as far as this broker has applied it."""
        return self.metadata.features


class QuorumMember(Protocol):
    """The quorum as one of its nodes knows it."""

    @property
    def leader_id(self) -> int | None:
        """Who leads it: the active controller."""

    @property
    def kraft_version(self) -> int:
        """The kraft.version in force."""

    async def upgrade_kraft_version(self, version: int, *, validate_only: bool = False) -> tuple[ErrorCode, str]:
        """Have another one; why not, or that it is in the log."""

    def handle(self, request: Message) -> Coroutine[Any, Any, Message]:
        """Serve one of the quorum's own requests."""


@dataclass(slots=True)
class ControllerParts:
    """What a controller is made of, as far as requests need it."""

    world: World
    config: Config
    node_id: int
    cluster_id: str
    features: FinalisedFeatures
    its_office: Office | None = None  # None: a node that has no quorum yet
    its_quorum: QuorumMember | None = None

    @property
    def office(self) -> Office:
        """Where decisions are made."""
        assert self.its_office is not None, "a controller without an office"
        return self.its_office

    @property
    def quorum(self) -> QuorumMember:
        """The quorum that it is part of."""
        assert self.its_quorum is not None, "a controller without a quorum"
        return self.its_quorum

    async def decide(self, decide: Decide[Message, Any], timeout_ms: int) -> Any:
        """A decision's response when it is committed; REQUEST_TIMED_OUT if that takes longer than somebody waits."""
        try:
            if timeout_ms > 0:
                return await self.world.timeout(timeout_ms, self.office.submit(decide))
        except TimeoutError:
            pass
        self.office.counts.timed_out += 1
        raise RequestRefused(ErrorCode.REQUEST_TIMED_OUT, f"This was not done within {timeout_ms} ms.")
