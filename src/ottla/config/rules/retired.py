"""Settings that Kafka once had, and what to do instead.

A node must not start on a misunderstanding. Where leaving a setting out would change what somebody relied on
(ZooKeeper, a key, an address), it is refused; where nothing is lost, it is ignored with a warning that names the
successor. Kafka ignores all of them alike.
"""

from ottla.errors import ConfigError

_CONTROLLERS = (
    "there is no ZooKeeper any more. Controllers keep the metadata: "
    "name them by controller.quorum.bootstrap.servers or controller.quorum.voters, and set process.roles and node.id"
)
_LISTENERS = "say it in listeners and advertised.listeners"
_METADATA_VERSION = "the feature metadata.version took its place, which `kafka-features` shows and upgrades"
_MESSAGE_FORMAT = "there is one message format, version 2"
_CREATED_AS_QUOTA = "quotas are set while the cluster runs, with `kafka-configs --entity-type`"

# Whoever relied on one of these would be surprised: the node does not start.
REFUSED = {
    "advertised.host.name": _LISTENERS,
    "advertised.port": _LISTENERS,
    "control.plane.listener.name": "controllers have listeners of their own: name them by controller.listener.names",
    "delegation.token.master.key": "it is called delegation.token.secret.key",
    "host.name": _LISTENERS,
    "port": _LISTENERS,
}
_REFUSED_PREFIX = "zookeeper."

# These do nothing, and nothing is lost by it.
IGNORED = {
    "auto.include.jmx.reporter": "list the reporters in metric.reporters",
    "broker.id.generation.enable": "give each node its own node.id",
    "eligible.leader.replicas.enable": "the feature eligible.leader.replicas.version took its place",
    "group.coordinator.new.enable": "the feature group.version took its place",
    "inter.broker.protocol.version": _METADATA_VERSION,
    "leader.imbalance.per.broker.percentage": "leadership moves back to preferred replicas whatever the percentage",
    "log.message.downconversion.enable": _MESSAGE_FORMAT,
    "log.message.format.version": _MESSAGE_FORMAT,
    "log.message.timestamp.difference.max.ms": (
        "it is two settings now, log.message.timestamp.before.max.ms and log.message.timestamp.after.max.ms"
    ),
    "offsets.commit.required.acks": "commits always wait for all replicas in sync",
    "password.encoder.secret": "dynamic passwords are kept as the other dynamic settings are",
    "password.encoder.old.secret": "dynamic passwords are kept as the other dynamic settings are",
    "quota.consumer.default": _CREATED_AS_QUOTA,
    "quota.producer.default": _CREATED_AS_QUOTA,
    "reserved.broker.max.id": "give each node its own node.id",
}

# Still there, and on their way out.
DEPRECATED = {
    "group.coordinator.rebalance.protocols": "is deprecated and goes away with Kafka 5.0: all protocols are served.",
    "log.cleaner.enable": "is deprecated: without the cleaner, compacted topics grow for ever.",
}


def refuse_retired(name: str) -> None:
    """Raise a `ConfigError` that says what took its place, if a broker's setting is one that must not be ignored."""
    advice = _CONTROLLERS if name.startswith(_REFUSED_PREFIX) else REFUSED.get(name)
    if advice is not None:
        raise ConfigError(f"{name} is gone: {advice}.")


def warning_of(name: str) -> str | None:
    """What to tell somebody who sets a broker's setting that is ignored or on its way out."""
    if name in IGNORED:
        return f"{name} is gone and ignored: {IGNORED[name]}."
    return f"{name} {DEPRECATED[name]}" if name in DEPRECATED else None
