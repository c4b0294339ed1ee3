"""The parts of a node that handlers work with: one value for broker listeners, one for the controller's.

Handlers hold no state; what they need of the node they find here, by name. A node makes these when it is built.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from ottla.broker.auto_topics import AutoTopics
from ottla.broker.context import RequestContext
from ottla.broker.features import FinalisedFeatures
from ottla.broker.metadata_cache import MetadataCache
from ottla.config.config import Config
from ottla.protocol.codec.message import Message
from ottla.world.api import World


class ControllerAccess(Protocol):
    """The way to the active controller, wherever it is."""

    async def ask(self, request: Message, *, timeout_ms: int | None = None) -> Any:
        """The controller's response to a request of this node's own."""

    async def forward(self, context: RequestContext, request: Message) -> Message:
        """Its response to a client's request, as that client and in its version."""


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

    @property
    def features(self) -> FinalisedFeatures:
        """What the cluster has agreed on, as far as this broker has applied it."""
        return self.metadata.features


@dataclass(slots=True)
class ControllerParts:
    """What a controller is made of, as far as requests need it."""

    world: World
    config: Config
    node_id: int
    cluster_id: str
    features: FinalisedFeatures
