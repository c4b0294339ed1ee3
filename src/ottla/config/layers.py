"""A broker's settings in their four layers, and which of them is in force.

    per broker      set while it runs, for this broker
    cluster-wide    set while it runs, for all brokers
    static          server.properties
    default         the table

The upper layers win; deleting a value brings back the one below. What is in force is a `Config` made of all layers. A
finer setting (`log.retention.ms`) that is set dynamically puts the static coarser ones out of force.

A dynamic layer may hold what this broker must not obey, since it came out of the metadata log and others wrote it: a
read-only setting, an invalid value, another broker's matter. That is left out, with a warning, and never an error. The
same rules, as errors, are what a request to change settings is checked by (`check_change`). If the layers together are
no sound node, what was in force stays in force.
"""

from collections.abc import Mapping

from ottla.config.config import Config
from ottla.config.prefixes import CLUSTER_WIDE_LISTENER_SETTINGS, base_name, names_replaced
from ottla.config.rules.retired import refuse_retired, warning_of
from ottla.config.rules.startup import check_node
from ottla.config.setting import PER_BROKER, READ_ONLY, Setting, table
from ottla.config.tables.broker import BROKER
from ottla.config.tables.quotas import BROKER_QUOTA
from ottla.errors import ConfigError

# What may be dynamic: all of the broker's settings that may, and those that are nothing but dynamic.
DYNAMIC = table(setting for setting in (*BROKER.values(), *BROKER_QUOTA.values()) if setting.dynamic is not READ_ONLY)

# Keys and certificates are changed for one listener at a time, by its prefix.
BY_LISTENER_ONLY = frozenset(
    name for name in BROKER if name.startswith(("ssl.keystore.", "ssl.truststore.")) or name == "ssl.key.password"
)


# Settings whose values are beginnings of names that a broker hands to plugins.
PREFIX_SETTINGS = ("remote.log.metadata.manager.impl.prefix", "remote.log.storage.manager.impl.prefix")


def _notice(name: str) -> str | None:
    refuse_retired(name)
    return warning_of(name)


def read_node(static: Mapping[str, str]) -> Config:
    """The settings of a node as its file has them, checked one by one and against each other."""
    config = Config(BROKER, _with_ids(static), notice=_notice, prefix_settings=PREFIX_SETTINGS)
    check_node(config)
    return config


def _with_ids(static: Mapping[str, str]) -> dict[str, str]:
    """The same, with `node.id` and `broker.id` speaking for each other."""
    out = dict(static)
    for name, other in (("node.id", "broker.id"), ("broker.id", "node.id")):
        if name in out:
            out.setdefault(other, out[name])
    return out


class BrokerLayers:
    """The four layers of one broker, and the configuration that is in force."""

    def __init__(self, static: Mapping[str, str]) -> None:
        self.static = _with_ids(static)
        self.cluster: dict[str, str] = {}
        self.broker: dict[str, str] = {}
        self.config = read_node(static)
        self.in_force = dict(self.static)

    def set_cluster(self, texts: Mapping[str, str]) -> tuple[str, ...]:
        """Replace the cluster-wide layer; returns warnings about what is left out."""
        self.cluster, warnings = _obeyed(texts, per_broker=False)
        return (*warnings, *self._renew())

    def set_broker(self, texts: Mapping[str, str]) -> tuple[str, ...]:
        """Replace this broker's layer; returns warnings about what is left out."""
        self.broker, warnings = _obeyed(texts, per_broker=True)
        return (*warnings, *self._renew())

    def _renew(self) -> tuple[str, ...]:
        texts = self.overlaid(self.cluster, self.broker)
        try:
            config = Config(BROKER, texts, prefix_settings=PREFIX_SETTINGS)
            check_node(config)
        except ConfigError as error:
            return (f"The dynamic settings are not obeyed, what was in force stays so: {error}",)
        self.config, self.in_force = config, texts
        return ()

    def overlaid(self, cluster: Mapping[str, str], broker: Mapping[str, str]) -> dict[str, str]:
        """The static texts with dynamic ones over them."""
        texts = dict(self.static)
        for layer in (cluster, broker):
            for name, text in layer.items():
                for replaced in names_replaced(name):
                    texts.pop(replaced, None)
                texts[name] = text
        return texts

    def check_change(self, texts: Mapping[str, str], *, per_broker: bool) -> None:
        """Raise a `ConfigError` if a dynamic layer must not become this, as somebody asks for."""
        for names, reason in _forbidden(texts, per_broker=per_broker):
            if names:
                raise ConfigError(f"{reason}: {', '.join(names)}.")
        for name, text in texts.items():
            if (setting := _setting_of(name)) is not None:
                setting.parse(text)
        cluster, broker = (self.cluster, texts) if per_broker else (texts, self.broker)
        check_node(Config(BROKER, self.overlaid(cluster, broker)))

    def __repr__(self) -> str:
        return (
            f"BrokerLayers({len(self.static)} static, {len(self.cluster)} cluster-wide, {len(self.broker)} per broker)"
        )


def _setting_of(name: str) -> Setting | None:
    """The row of a dynamic setting; a listener's may be any that listeners have."""
    return DYNAMIC.get(name) or DYNAMIC.get(base_name(name) or "")


def _forbidden(texts: Mapping[str, str], *, per_broker: bool) -> list[tuple[list[str], str]]:
    """Names that a dynamic layer must not have, each list with the reason."""
    names = sorted(texts)
    forbidden = [
        (
            [name for name in names if name in BROKER and BROKER[name].dynamic is READ_ONLY],
            "Cannot be changed while a broker runs",
        ),
        (
            [name for name in names if name in BY_LISTENER_ONLY],
            "Can be changed while a broker runs for one listener only, by the prefix listener.name.NAME",
        ),
    ]
    if not per_broker:
        forbidden.append(([name for name in names if is_per_broker(name)], "Can be set for one broker only"))
    return forbidden


def is_per_broker(name: str) -> bool:
    """Whether a dynamic setting is a broker's own matter, and not the cluster's."""
    base = base_name(name)
    if base is None:
        return name in BROKER and BROKER[name].dynamic is PER_BROKER
    return base not in CLUSTER_WIDE_LISTENER_SETTINGS


def _obeyed(texts: Mapping[str, str], *, per_broker: bool) -> tuple[dict[str, str], list[str]]:
    """What of a dynamic layer a broker obeys, and warnings about the rest."""
    warnings = []
    left_out = set()
    for name in sorted(texts):
        try:
            setting = _setting_of(name)
            if setting is not None:
                setting.parse(texts[name])
        except ConfigError as error:
            left_out.add(name)
            warnings.append(f"{name} is left out: {error}")
    for names, reason in _forbidden(texts, per_broker=per_broker):
        left_out.update(names)
        warnings.extend(f"{name} is left out. {reason}." for name in names)
    return {name: text for name, text in texts.items() if name not in left_out}, warnings
