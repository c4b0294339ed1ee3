"""The parts of a node that handlers work with: one value for broker listeners, one for the controller's.

Handlers hold no state; what they need of the node they find here, by name. A node makes these when it is built.
"""

from dataclasses import dataclass

from ottla.broker.cluster_view import ClusterView
from ottla.config.config import Config
from ottla.world.api import World


@dataclass(slots=True)
class BrokerParts:
    """What a broker is made of, as far as requests need it."""

    world: World
    config: Config
    node_id: int
    cluster_id: str
    view: ClusterView


@dataclass(slots=True)
class ControllerParts:
    """What a controller is made of, as far as requests need it."""

    world: World
    config: Config
    node_id: int
    cluster_id: str
