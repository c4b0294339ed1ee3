"""How a setting is described: its value, where that comes from, and every other place that would have had a say.

This is what DescribeConfigs answers. An entry's synonyms are all the places that the setting is, or could have been,
taken from, the one in force first. A setting that is nowhere set but through a coarser one (`log.retention.ms` when
only the hours are set) has none, as in Kafka. The value of anything secret, or of a name that nobody knows, is null.
"""

import enum
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from ottla.config.config import Config
from ottla.config.layers import DYNAMIC, BrokerLayers
from ottla.config.prefixes import base_name, names_asked
from ottla.config.setting import Setting
from ottla.config.tables.client_metrics import CLIENT_METRICS
from ottla.config.tables.group import GROUP
from ottla.config.tables.quotas import BROKER_QUOTA
from ottla.config.tables.topic import TOPIC
from ottla.config.values import Value


class Source(enum.IntEnum):
    """Where a value comes from; the numbers are those of DescribeConfigs."""

    UNKNOWN = 0
    DYNAMIC_TOPIC_CONFIG = 1
    DYNAMIC_BROKER_CONFIG = 2
    DYNAMIC_DEFAULT_BROKER_CONFIG = 3
    STATIC_BROKER_CONFIG = 4
    DEFAULT_CONFIG = 5
    DYNAMIC_BROKER_LOGGER_CONFIG = 6
    DYNAMIC_CLIENT_METRICS_CONFIG = 7
    DYNAMIC_GROUP_CONFIG = 8


class Origin(NamedTuple):
    """One place that a setting is or could have been taken from."""

    name: str
    value: str | None
    source: Source


class Entry(NamedTuple):
    """A setting, described."""

    name: str
    value: str | None
    source: Source
    is_read_only: bool
    is_sensitive: bool
    type: int
    synonyms: tuple[Origin, ...]
    documentation: str | None


Wanted = Collection[str] | None


def describe_broker(layers: BrokerLayers, wanted: Wanted = None) -> list[Entry]:
    """All settings of a broker, or those that are wanted."""
    names = {name for name, setting in layers.config.table.items() if not setting.internal} | layers.in_force.keys()
    return [_broker_entry(layers, name) for name in _chosen(names, wanted)]


def describe_cluster(layers: BrokerLayers, wanted: Wanted = None) -> list[Entry]:
    """What is set for all brokers of the cluster, and nothing else."""
    out = []
    for name in _chosen(layers.cluster, wanted):
        source = Source.DYNAMIC_DEFAULT_BROKER_CONFIG
        setting = _broker_setting(layers, name)
        synonyms = tuple(origin for origin in broker_origins(layers, name) if origin.source is source)
        out.append(_entry(name, layers.cluster[name], setting, synonyms, is_read_only=name not in DYNAMIC))
    return out


def describe_topic(layers: BrokerLayers, texts: Mapping[str, str], wanted: Wanted = None) -> list[Entry]:
    """All settings of a topic that has these of its own."""
    config = topic_config(layers.config, texts)
    out = []
    for name in _chosen(_shown(TOPIC.values(), texts), wanted):
        setting = TOPIC.get(name)
        value = _text(setting, config, name, texts)
        synonyms = broker_origins(layers, setting.synonyms[0].name) if setting and setting.synonyms else ()
        if name in texts:
            synonyms = (_origin(name, value, setting, Source.DYNAMIC_TOPIC_CONFIG), *synonyms)
        out.append(_entry(name, value, setting, synonyms))
    return out


def describe_group(layers: BrokerLayers, texts: Mapping[str, str], wanted: Wanted = None) -> list[Entry]:
    """All settings of a group that has these of its own."""
    config = group_config(layers.config, texts)
    out = []
    for name in _chosen(_shown(GROUP.values(), texts), wanted):
        setting = GROUP.get(name)
        value = _text(setting, config, name, texts)
        synonyms: tuple[Origin, ...] = ()
        if setting is not None and setting.synonyms:
            synonyms = broker_origins(layers, setting.synonyms[0].name)
        elif setting is not None:
            synonyms = (Origin(name, setting.text(setting.default_value), Source.DEFAULT_CONFIG),)
        if name in texts:
            synonyms = (_origin(name, value, setting, Source.DYNAMIC_GROUP_CONFIG), *synonyms)
        out.append(_entry(name, value, setting, synonyms))
    return out


def describe_client_metrics(texts: Mapping[str, str], wanted: Wanted = None) -> list[Entry]:
    """All settings of a subscription to the metrics of clients."""
    config = Config(CLIENT_METRICS, texts)
    out = []
    for name in _chosen(_shown(CLIENT_METRICS.values(), texts), wanted):
        setting = CLIENT_METRICS.get(name)
        value = _text(setting, config, name, texts)
        source = Source.DYNAMIC_CLIENT_METRICS_CONFIG
        synonyms = (_origin(name, value, setting, source),) if name in texts else ()
        out.append(_entry(name, value, setting, synonyms))
    return out


def topic_config(broker: Config, texts: Mapping[str, str]) -> Config:
    """A topic's settings: its own, and for the rest what the broker's say."""
    return Config(TOPIC, {**_spoken_for(TOPIC.values(), broker), **texts})


def group_config(broker: Config, texts: Mapping[str, str]) -> Config:
    """A group's settings: its own, and for the rest what the broker's say."""
    return Config(GROUP, {**_spoken_for(GROUP.values(), broker), **texts})


def _spoken_for(settings: Iterable[Setting], broker: Config) -> dict[str, Value]:
    """The values that a broker's settings give to a topic or group, in its units."""
    out: dict[str, Value] = {}
    for setting in settings:
        for synonym in setting.synonyms:
            value = broker[synonym.name]
            if value is not None:
                out[setting.name] = value * synonym.unit if isinstance(value, int) and synonym.unit > 1 else value
                break
    if isinstance(retention_ms := out.get("retention.ms"), int) and retention_ms < 0:
        out["retention.ms"] = -1  # a broker says "for ever" by any number below zero
    return out


def broker_origins(layers: BrokerLayers, name: str) -> tuple[Origin, ...]:
    """The places that a broker's setting is or could have been taken from, the one in force first."""
    setting = _broker_setting(layers, name)
    asked = names_asked(name)
    origins = [
        _origin(other, layer[other], setting, source)
        for layer, source in (
            (layers.broker, Source.DYNAMIC_BROKER_CONFIG),
            (layers.cluster, Source.DYNAMIC_DEFAULT_BROKER_CONFIG),
            (layers.static, Source.STATIC_BROKER_CONFIG),
        )
        for other in asked
        if other in layer
    ]
    for other in asked:
        row = layers.config.table.get(other)
        if row is not None and not row.is_required and row.default_value is not None:
            origins.append(_origin(other, row.text(row.default_value), setting, Source.DEFAULT_CONFIG))
    # A listener's setting must not describe the one that it is special to, nor hours a setting in ms.
    while origins and origins[0].name != name:
        del origins[0]
    return tuple(origins)


def _broker_setting(layers: BrokerLayers, name: str) -> Setting | None:
    return layers.config.setting_of(name) or BROKER_QUOTA.get(name) or BROKER_QUOTA.get(base_name(name) or "")


def _broker_entry(layers: BrokerLayers, name: str) -> Entry:
    setting = _broker_setting(layers, name)
    if name in layers.config:
        assert setting is not None
        value = setting.text(layers.config[name])
    else:
        value = layers.in_force[name]
    return _entry(name, value, setting, broker_origins(layers, name), is_read_only=name not in DYNAMIC)


def _entry(
    name: str,
    value: str | None,
    setting: Setting | None,
    synonyms: tuple[Origin, ...],
    *,
    is_read_only: bool = False,
) -> Entry:
    is_sensitive = setting is None or setting.is_sensitive
    return Entry(
        name=name,
        value=None if is_sensitive else value,
        source=synonyms[0].source if synonyms else Source.DEFAULT_CONFIG,
        is_read_only=is_read_only,
        is_sensitive=is_sensitive,
        type=0 if setting is None else setting.type.value,
        synonyms=synonyms,
        documentation=None if setting is None else setting.doc,
    )


def _origin(name: str, value: str | None, setting: Setting | None, source: Source) -> Origin:
    return Origin(name, None if setting is None or setting.is_sensitive else value, source)


def _chosen(names: Collection[str], wanted: Wanted) -> list[str]:
    return sorted(name for name in names if wanted is None or name in wanted)


def _shown(settings: Iterable[Setting], texts: Mapping[str, str]) -> set[str]:
    """Settings that are described: all but internal ones, which have to be set to be seen."""
    return {setting.name for setting in settings if not setting.internal} | texts.keys()


def _text(setting: Setting | None, config: Config, name: str, texts: Mapping[str, str]) -> str | None:
    return texts[name] if setting is None else setting.text(config[name])
