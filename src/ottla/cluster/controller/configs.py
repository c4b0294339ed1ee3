"""Dynamic settings as the log has them: by resource, texts as they were set; and what follows from them.

The controller itself goes by few settings of others: a topic's `min.insync.replicas` and whether it elects uncleanly.
Those are looked up in the order of all dynamic settings: the topic's own, this node's, all brokers', the file's. Values
were valid when they were set; requests to set them are in `alter_configs`.

Always true: a resource without settings has no entry; a deleted topic has none.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from ottla.cluster.controller.finalised import Finalised
from ottla.config.describe import Entry, describe_topic
from ottla.config.layers import BrokerLayers
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.metadata_records import ClearElrRecord, ConfigRecord
from ottla.replicated.timeline import Journal, TimelineDict

TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
ALL_BROKERS = ""
MAX_KINDS: Final = 100  # of topics whose descriptions are kept
MIN_ISR = "min.insync.replicas"
UNCLEAN_ELECTION = "unclean.leader.election.enable"

Resource = tuple[int, str]


class _Described(NamedTuple):
    """Descriptions of topics, kept since each takes some milliseconds and most topics are set alike."""

    made_of: tuple[dict[str, str], dict[str, str]]  # the dynamic layers
    layers: BrokerLayers
    topics: dict[frozenset[tuple[str, str]], list[Entry]]  # by what a topic has of its own


class Configs:
    """The texts of all dynamic settings."""

    def __init__(self, journal: Journal, static: Mapping[str, str], levels: Finalised) -> None:
        self._journal, self.levels = journal, levels
        self.static: Mapping[str, str] = dict(static)
        self.node = BrokerLayers(static).config  # what this node's file says
        self.node_id = self.node.integer("node.id")
        self._described: _Described | None = None  # nothing that was decided: it can be made anew at any time
        self._texts: TimelineDict[Resource, TimelineDict[str, str]] = TimelineDict(journal)

    def of(self, resource: Resource) -> Mapping[str, str]:
        """The settings of a resource."""
        return self._texts.get(resource, {})

    def resources(self) -> Iterator[Resource]:
        """Everything that has settings."""
        return iter(self._texts)

    def min_isr(self, topic: str) -> int:
        """How many replicas have to be in sync for an acknowledged write."""
        text = self._text(topic, MIN_ISR)
        return self.node.integer(MIN_ISR) if text is None else int(text)

    def elects_uncleanly(self, topic: str) -> bool:
        """Whether somebody who is not in sync may lead when nobody else is left."""
        text = self._text(topic, UNCLEAN_ELECTION)
        return self.node.boolean(UNCLEAN_ELECTION) if text is None else text.strip().lower() == "true"

    def _text(self, topic: str, name: str) -> str | None:
        for resource in ((TOPIC, topic), (BROKER, str(self.node_id)), (BROKER, ALL_BROKERS)):
            texts = self._texts.get(resource)
            if texts is not None and name in texts:
                return texts[name]
        return None

    def described(self, topic_texts: Mapping[str, str]) -> list[Entry]:
        """All settings that a topic with these of its own would have."""
        cluster, broker = self.of((BROKER, ALL_BROKERS)), self.of((BROKER, str(self.node_id)))
        made_of = (dict(cluster), dict(broker))
        if self._described is None or self._described.made_of != made_of or len(self._described.topics) > MAX_KINDS:
            layers = BrokerLayers(self.static)
            layers.set_cluster(cluster)
            layers.set_broker(broker)
            self._described = _Described(made_of, layers, {})
        key = frozenset(topic_texts.items())
        entries = self._described.topics.get(key)
        if entries is None:
            entries = self._described.topics[key] = describe_topic(self._described.layers, topic_texts)
        return entries

    # Eligible leaders depend on min.insync.replicas, which must not differ from broker to broker (KIP-966)

    def elr_safety_records(self) -> list[Message]:
        """What has to be set before eligible leaders are kept: one minimum for all, and none of a broker's own."""
        records: list[Message] = []
        if MIN_ISR not in self.of((BROKER, ALL_BROKERS)):
            records.append(config_record((BROKER, ALL_BROKERS), MIN_ISR, str(self.node.integer(MIN_ISR))))
        for resource, texts in self._texts.items():
            if resource[0] == BROKER and resource[1] != ALL_BROKERS and MIN_ISR in texts:
                records.append(config_record(resource, MIN_ISR, None))
        return records

    # Replay

    def replay(self, record: ConfigRecord) -> None:
        """A setting has changed."""
        resource = (record.resource_type, record.resource_name)
        texts = self._texts.get(resource)
        if record.value is not None:
            if texts is None:
                texts = self._texts[resource] = TimelineDict(self._journal)
            texts[record.name] = record.value
        elif texts is not None:
            texts.pop(record.name, None)
            if not texts:
                del self._texts[resource]

    def forget_topic(self, name: str) -> None:
        """A topic is gone."""
        self._texts.pop((TOPIC, name), None)

    def check(self) -> None:
        """Assert that nothing is kept for resources without settings."""
        assert all(self._texts.values()), "a resource has no settings"


def config_record(resource: Resource, name: str, value: str | None) -> ConfigRecord:
    """The record that sets a setting, or resets it."""
    return ConfigRecord(resource_type=resource[0], resource_name=resource[1], name=name, value=value)


def clear_elr_record(resource: Resource, name: str) -> ClearElrRecord | None:
    """What a change of this setting has to bring with it: who was eligible under another minimum may not be now."""
    if name != MIN_ISR:
        return None
    if resource[0] == TOPIC:
        return ClearElrRecord(topic_name=resource[1])
    return ClearElrRecord(topic_name="") if resource == (BROKER, ALL_BROKERS) else None
