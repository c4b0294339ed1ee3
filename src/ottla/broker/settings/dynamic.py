"""Settings that change while a broker runs: out of the metadata into the layers, and from there to the running parts.

It is the first subscriber of the metadata, so that whoever comes behind it goes by the new settings already. A part
that holds values of its own made of settings is added with a function that gets the new `Config` and takes over what it
needs: after every change of this broker's settings, whether that concerns it or not.

Always true: what the layers do not obey is a warning in the log and nothing else. A number of threads is changed by at
most a factor of two at a time, as in Kafka, which protects against a typing error.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Final

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import MetadataImage
from ottla.cluster.metadata.parts.configs import ConfigResource, ConfigResourceType
from ottla.config.config import Config
from ottla.config.layers import PREFIX_SETTINGS, BrokerLayers
from ottla.config.tables.broker import BROKER
from ottla.errors import ConfigError

logger = logging.getLogger(__name__)

THREADS: Final = (
    "background.threads",
    "log.cleaner.threads",
    "num.io.threads",
    "num.network.threads",
    "num.recovery.threads.per.data.dir",
    "num.replica.fetchers",
)
LARGEST_STEP: Final = 2

Reconfigure = Callable[[Config], None]


class DynamicSettings:
    """A broker's layers, kept up to date."""

    def __init__(self, layers: BrokerLayers, node_id: int) -> None:
        self.layers = layers
        self._cluster = ConfigResource(ConfigResourceType.BROKER, "")
        self._broker = ConfigResource(ConfigResourceType.BROKER, str(node_id))
        self._parts: list[Reconfigure] = []

    @property
    def config(self) -> Config:
        """What is in force."""
        return self.layers.config

    def add(self, reconfigure: Reconfigure, *, begins_with_them: bool = True) -> None:
        """Tell a part of every change from now on, and of the settings as they are unless it was made with them."""
        self._parts.append(reconfigure)
        if not begins_with_them:
            reconfigure(self.config)

    def __call__(self, delta: MetadataDelta, image: MetadataImage) -> None:
        """There is a new image."""
        changes = delta.configs.resources.changes
        before = self.layers.config
        for resource, replace in (
            (self._cluster, self.layers.set_cluster),
            (self._broker, self.layers.set_broker),
        ):
            if resource in changes:
                for warning in replace(image.configs.of(*resource)):
                    logger.warning("a dynamic setting is not obeyed", extra={"why": warning})
        if self.layers.config is not before:
            for reconfigure in self._parts:
                reconfigure(self.layers.config)

    def check(self, texts: Mapping[str, str], *, per_broker: bool) -> None:
        """Raise a `ConfigError` if one of the dynamic layers must not become this."""
        self.layers.check_change(texts, per_broker=per_broker)
        cluster, broker = (self.layers.cluster, texts) if per_broker else (texts, self.layers.broker)
        after = Config(BROKER, self.layers.overlaid(cluster, broker), prefix_settings=PREFIX_SETTINGS)
        for name in THREADS:
            now, then = self.config.integer(name), after.integer(name)
            if then > LARGEST_STEP * now or then < now // LARGEST_STEP or then < 1:
                raise ConfigError(
                    f"{name} is {now}, and can be made {LARGEST_STEP} times as large or small, not {then}."
                )
