"""What the partitions of a topic go by: its own settings, and for the rest the broker's.

Reading forty settings takes most of a millisecond, and a broker has thousands of partitions whose topics are set alike.
So what follows from the same texts is made once and shared, which is also what keeps a partition small in memory.

Always true: what is told follows from the newest metadata and the settings that are in force now. At most `MAX_KINDS`
are kept.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from ottla.config.config import Config
from ottla.config.describe import topic_config
from ottla.storage.log_config import LogConfig

MAX_KINDS: Final = 1_000


class InForce(NamedTuple):
    """The settings of a topic, as the parts want them."""

    log: LogConfig
    min_isr: int


class TopicSettings:
    """The settings of all topics of a broker."""

    __slots__ = ("_config", "_kinds", "_texts_of", "_with")

    def __init__(self, config: Callable[[], Config], texts_of: Callable[[str], Mapping[str, str]]) -> None:
        """`config` answers what is in force for the broker, `texts_of` what a topic has of its own."""
        self._config, self._texts_of = config, texts_of
        self._with = config()
        self._kinds: dict[frozenset[tuple[str, str]], InForce] = {}

    def of(self, topic: str) -> InForce:
        """What a topic goes by."""
        config, texts = self._config(), self._texts_of(topic)
        if config is not self._with or len(self._kinds) > MAX_KINDS:
            self._with, self._kinds = config, {}
        key = frozenset(texts.items())
        known = self._kinds.get(key)
        if known is None:
            made = topic_config(config, texts)
            known = self._kinds[key] = InForce(LogConfig.of(made), made.integer("min.insync.replicas"))
        return known
