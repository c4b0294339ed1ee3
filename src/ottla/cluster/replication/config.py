"""The settings of replication that a broker's partitions share.

They are a value of their own, so that tests and other programs can have partitions without a whole broker's settings; a
node makes it from those (`of`).
"""

from dataclasses import dataclass
from typing import Self

from ottla.config.config import Config


@dataclass(frozen=True, slots=True)
class ReplicationConfig:
    """The defaults are Kafka's."""

    lag_max_ms: int = 30_000  # replica.lag.time.max.ms

    @classmethod
    def of(cls, broker: Config) -> Self:
        """Those of a broker."""
        return cls(lag_max_ms=broker.integer("replica.lag.time.max.ms"))
