"""What groups may be given: bounds that a broker sets, for itself and for every single group.

For a noun such as `session.timeout.ms` of the consumer groups there are up to three settings of the broker: the value
(`group.consumer.session.timeout.ms`), and its bounds (`group.consumer.min.session.timeout.ms`, `...max...`). A group's
own `consumer.session.timeout.ms` has to lie within the same bounds when somebody sets it. Bounds can be narrowed later;
then a group's value is taken for the nearest that is allowed (`within_bounds`).
"""

from collections.abc import Mapping

from ottla.config.config import Config
from ottla.config.setting import Setting
from ottla.config.tables.group import GROUP
from ottla.errors import ConfigError

PROTOCOLS = frozenset({"classic", "consumer", "share", "streams"})
CONSUMER_ASSIGNORS = ("uniform", "range")
SHARE_ASSIGNORS = ("simple",)

# Settings of a group that a broker bounds: what stands for the noun in the names of the bounds.
BOUNDED = {
    "consumer.session.timeout.ms": "session.timeout.ms",
    "consumer.heartbeat.interval.ms": "heartbeat.interval.ms",
    "consumer.assignment.interval.ms": "assignment.interval.ms",
    "share.session.timeout.ms": "session.timeout.ms",
    "share.heartbeat.interval.ms": "heartbeat.interval.ms",
    "share.assignment.interval.ms": "assignment.interval.ms",
    "share.delivery.count.limit": "delivery.count.limit",
    "share.partition.max.record.locks": "partition.max.record.locks",
    "share.record.lock.duration.ms": "record.lock.duration.ms",
    "streams.session.timeout.ms": "session.timeout.ms",
    "streams.heartbeat.interval.ms": "heartbeat.interval.ms",
    "streams.assignment.interval.ms": "assignment.interval.ms",
    "streams.num.standby.replicas": "standby.replicas",
}
KINDS_WITH_HEARTBEATS = ("consumer", "share", "streams")


def bounds(name: str, broker: Config) -> tuple[tuple[str, int] | None, tuple[str, int] | None]:
    """The lower and the upper bound of a group's setting, each as the broker's setting and its value."""
    kind = name.partition(".")[0]
    low, high = (f"group.{kind}.{end}.{BOUNDED[name]}" for end in ("min", "max"))
    return (
        (low, broker.integer(low)) if low in broker else None,
        (high, broker.integer(high)) if high in broker else None,
    )


def check_group_bounds(broker: Config) -> None:
    """Raise a `ConfigError` unless a broker's bounds are in order and its own values lie within them."""
    if "classic" not in broker.words("group.coordinator.rebalance.protocols"):
        raise ConfigError("group.coordinator.rebalance.protocols must not leave out classic.")
    for name in BOUNDED:
        low, high = bounds(name, broker)
        if low and high and low[1] > high[1]:
            raise ConfigError(f"{high[0]} must not be less than {low[0]}.")
        _check_within(f"group.{name}", broker.integer(f"group.{name}"), broker, name)
    for kind in KINDS_WITH_HEARTBEATS:
        _check_heartbeat(f"group.{kind}", broker)
    if broker.integer("group.share.max.share.sessions") < broker.integer("group.share.max.size"):
        raise ConfigError("group.share.max.share.sessions must not be less than group.share.max.size.")
    _check_assignors(broker, "group.consumer.assignors", CONSUMER_ASSIGNORS)
    _check_assignors(broker, "group.share.assignors", SHARE_ASSIGNORS)
    if len(broker.words("group.share.assignors")) != 1:
        raise ConfigError("group.share.assignors has to name exactly one.")


def _check_within(shown: str, value: int, broker: Config, name: str) -> None:
    low, high = bounds(name, broker)
    if low and value < low[1]:
        raise ConfigError(f"{shown} must not be less than {low[0]}, which is {low[1]}.")
    if high and value > high[1]:
        raise ConfigError(f"{shown} must not be more than {high[0]}, which is {high[1]}.")


def _check_heartbeat(prefix: str, config: Config) -> None:
    heartbeat, session = f"{prefix}.heartbeat.interval.ms", f"{prefix}.session.timeout.ms"
    if config.integer(heartbeat) >= config.integer(session):
        raise ConfigError(f"{heartbeat} has to be less than {session}: a member would be out before it can show up.")


def _check_assignors(broker: Config, setting: str, known: tuple[str, ...]) -> None:
    for assignor in broker.words(setting):
        if assignor not in known and "." not in assignor:  # with a dot it is the name of a class
            raise ConfigError(f"{setting} has {assignor}, which is neither a class nor one of {', '.join(known)}.")


def check_group(texts: Mapping[str, str], broker: Config) -> Config:
    """A group's settings as somebody wants to set them; a `ConfigError` unless they are known, valid and in bounds."""
    for name in texts:
        if name not in GROUP:
            raise ConfigError(f"Unknown group config name: {name}")
    config = Config(GROUP, {**{name: broker[f"group.{name}"] for name in BOUNDED}, **texts})
    for name in BOUNDED:
        if name in texts:
            _check_within(name, config.integer(name), broker, name)
    for kind in KINDS_WITH_HEARTBEATS:
        if f"{kind}.heartbeat.interval.ms" in texts or f"{kind}.session.timeout.ms" in texts:
            _check_heartbeat(kind, config)
    return config


def within_bounds(setting: Setting, value: int, broker: Config) -> int:
    """A group's value as the broker obeys it: the nearest that its bounds allow."""
    if setting.name not in BOUNDED:
        return value
    low, high = bounds(setting.name, broker)
    if low:
        value = max(value, low[1])
    return min(value, high[1]) if high else value
