"""Whether a node's settings fit together: what is checked before it starts, and whenever some are to change.

Every rule is a small function that raises a `ConfigError` naming the settings concerned. The nodes that are refused are
those that Kafka refuses; tests/unit/config/rules/test_startup.py lists the differences. What needs more than the
settings (does a directory exist, does a host resolve, can a class be loaded) is not asked here.
"""

from ottla.config.config import Config
from ottla.config.formats import HOST_SIGNS, parse_voters
from ottla.config.rules.groups import check_group_bounds
from ottla.config.rules.listeners import NodeListeners, node_listeners, parse_pairs
from ottla.errors import ConfigError

MIN_DEDUPE_BYTES_PER_THREAD = 1 << 20
COMPRESSION_CODECS = range(5)
MS_PER_HOUR, MS_PER_MINUTE = 3_600_000, 60_000


def check_node(config: Config) -> None:
    """Raise a `ConfigError` unless these are the settings of a sound node."""
    _check_ids(config)
    listeners = node_listeners(config)
    _check_log(config)
    _check_replication(config)
    _check_quorum(config)
    _check_controller_listeners(config, listeners)
    if is_broker(config):
        _check_broker_listeners(listeners)
    _check_addresses(listeners)
    _check_early_start(config, listeners)
    _check_sasl(config, listeners)
    _check_connections(config)
    _check_internal_topics(config)
    check_group_bounds(config)


def is_broker(config: Config) -> bool:
    """Whether the node serves partitions."""
    return "broker" in config.words("process.roles")


def is_controller(config: Config) -> bool:
    """Whether the node is of the quorum."""
    return "controller" in config.words("process.roles")


def warnings_about_node(config: Config) -> tuple[str, ...]:
    """What is odd about a sound node."""
    out = []
    names = config.words("controller.listener.names")
    if not is_controller(config) and len(names) > 1:
        out.append(f"A broker uses the first of controller.listener.names only, which is {names[0]}.")
    if log_retention_ms(config) < 0 and config.integer("log.retention.bytes") < 0:
        out.append("Neither log.retention.ms nor log.retention.bytes has a bound: logs grow until the disk is full.")
    return tuple(out)


def _check_ids(config: Config) -> None:
    if config.integer("node.id") != config.integer("broker.id"):
        raise ConfigError("node.id and broker.id are two names of one thing, and have to be the same.")


def log_dirs(config: Config) -> tuple[str, ...]:
    """The directories of the partitions."""
    return config.words("log.dirs") or config.words("log.dir")


def log_retention_ms(config: Config) -> int:
    """How long records are kept where a topic does not say: the finest of three settings; -1 is for ever."""
    milliseconds = config.optional_integer("log.retention.ms")
    if milliseconds is None:
        minutes = config.optional_integer("log.retention.minutes")
        hours = config.integer("log.retention.hours")
        milliseconds = hours * MS_PER_HOUR if minutes is None else minutes * MS_PER_MINUTE
    return max(milliseconds, -1)


def _check_log(config: Config) -> None:
    if (roll_ms := config.optional_integer("log.roll.ms")) is not None and roll_ms < 1:
        raise ConfigError(f"log.roll.ms has to be at least 1, and is {roll_ms}.")
    if (jitter_ms := config.optional_integer("log.roll.jitter.ms")) is not None and jitter_ms < 0:
        raise ConfigError(f"log.roll.jitter.ms must not be negative, and is {jitter_ms}.")
    if log_retention_ms(config) == 0:
        raise ConfigError("log.retention.ms (or .minutes, or .hours) has to be at least 1; -1 keeps records for ever.")
    threads = config.integer("log.cleaner.threads")
    if threads < 1:
        raise ConfigError(f"log.cleaner.threads has to be at least 1, and is {threads}.")
    if config.integer("log.cleaner.dedupe.buffer.size") // threads <= MIN_DEDUPE_BYTES_PER_THREAD:
        raise ConfigError("log.cleaner.dedupe.buffer.size has to be more than 1 MiB for each of log.cleaner.threads.")
    directories = log_dirs(config)
    cordoned = config.words("cordoned.log.dirs")
    if "*" in cordoned and len(cordoned) > 1:
        raise ConfigError("cordoned.log.dirs is either * or a list of directories.")
    strange = [directory for directory in cordoned if directory != "*" and directory not in directories]
    if strange:
        raise ConfigError(f"cordoned.log.dirs has directories that log.dirs and log.dir lack: {', '.join(strange)}.")


def _check_replication(config: Config) -> None:
    wait_ms = config.integer("replica.fetch.wait.max.ms")
    if wait_ms > config.integer("replica.socket.timeout.ms"):
        raise ConfigError(
            "replica.socket.timeout.ms must not be shorter than replica.fetch.wait.max.ms: fetches would time out."
        )
    if wait_ms > config.integer("replica.lag.time.max.ms"):
        raise ConfigError(
            "replica.fetch.wait.max.ms must not be longer than replica.lag.time.max.ms: "
            "idle followers would fall out of sync."
        )


def _check_quorum(config: Config) -> None:
    voters = parse_voters(config.words("controller.quorum.voters"))
    if not voters and not config.words("controller.quorum.bootstrap.servers"):
        raise ConfigError(
            "process.roles needs a quorum: set controller.quorum.bootstrap.servers, or controller.quorum.voters."
        )
    node_id = config.integer("node.id")
    if not is_controller(config):
        if node_id in voters:
            raise ConfigError(
                f"process.roles says that node {node_id} is no controller, and controller.quorum.voters has it."
            )
        if config.boolean("controller.quorum.auto.join.enable"):
            raise ConfigError("controller.quorum.auto.join.enable is for nodes with the controller in process.roles.")
    elif voters and node_id not in voters:
        raise ConfigError(
            f"process.roles says that node {node_id} is a controller, and controller.quorum.voters lacks it."
        )


def _check_controller_listeners(config: Config, listeners: NodeListeners) -> None:
    names = listeners.controller_names
    if not is_controller(config):
        if listeners.controllers:
            raise ConfigError(
                "controller.listener.names must have no name out of listeners, as this node is no controller."
            )
        for name in names:
            if name.upper() not in listeners.protocols:
                raise ConfigError(
                    f"controller.listener.names has {name}, and listener.security.protocol.map does not say "
                    "how safe it is."
                )
        return
    if not is_broker(config):
        if len(listeners.advertised_controllers) != len(listeners.all):
            raise ConfigError(
                "listeners must have those of controller.listener.names and no other, as process.roles is controller."
            )
        if "inter.broker.listener.name" in config.given and listeners.inter_broker_name in names:
            raise ConfigError("inter.broker.listener.name must not be one of controller.listener.names.")
    missing = [name for name in names if name not in listeners.names]
    if missing:
        raise ConfigError(f"controller.listener.names has names that listeners lacks: {', '.join(missing)}.")


def _check_broker_listeners(listeners: NodeListeners) -> None:
    told = [listener.name for listener in listeners.advertised_to_clients]
    if not told:
        raise ConfigError("A broker needs a listener in listeners that is not one of controller.listener.names.")
    if listeners.inter_broker_name not in told:
        raise ConfigError(
            f"inter.broker.listener.name is {listeners.inter_broker_name}, which is not one of the listeners in "
            f"advertised.listeners: {', '.join(told)}."
        )
    strange = [name for name in told if name not in listeners.names]
    if strange:
        raise ConfigError(f"advertised.listeners has listeners that listeners lacks: {', '.join(strange)}.")


def _check_addresses(listeners: NodeListeners) -> None:
    for listener in (*listeners.advertised_to_clients, *listeners.advertised_controllers):
        if listener.host == "0.0.0.0":  # noqa: S104 - refusing it
            raise ConfigError(
                f"advertised.listeners tells others to connect to 0.0.0.0 for {listener.name}, which is no address."
            )


def _check_early_start(config: Config, listeners: NodeListeners) -> None:
    for name in config.words("early.start.listeners"):
        if name not in listeners.names:
            raise ConfigError(f"early.start.listeners has {name}, which is not one of listeners.")


def _check_sasl(config: Config, listeners: NodeListeners) -> None:
    name = listeners.inter_broker_name
    if not listeners.protocols.get(name, "").startswith("SASL_"):
        return
    mechanism = config.text("sasl.mechanism.inter.broker.protocol")
    enabled = config.for_listener("sasl.enabled.mechanisms", name)
    if not isinstance(enabled, tuple) or mechanism not in enabled:
        raise ConfigError(f"sasl.mechanism.inter.broker.protocol is {mechanism}, which sasl.enabled.mechanisms lacks.")


def connection_overrides(config: Config) -> dict[str, int]:
    """`max.connections.per.ip.overrides`: how many connections single hosts may have."""
    name = "max.connections.per.ip.overrides"
    out = {}
    for host, count in parse_pairs(name, config.text(name).split(",")).items():
        if not HOST_SIGNS.issuperset(host):
            raise ConfigError(f"{name} has {host}, which is neither a host nor an address.")
        try:
            out[host] = int(count)
        except ValueError:
            raise ConfigError(f"{name} allows {host} a number of connections that is none: {count}.") from None
    return out


def _check_connections(config: Config) -> None:
    parked = config.integer("queued.max.request.bytes")
    if 0 < parked < config.integer("socket.request.max.bytes"):
        raise ConfigError("queued.max.request.bytes must not be smaller than socket.request.max.bytes.")
    overrides = connection_overrides(config)
    if config.integer("max.connections.per.ip") == 0 and not overrides:
        raise ConfigError("max.connections.per.ip is 0, and max.connections.per.ip.overrides lets nobody in either.")
    delay_ms = config.integer("connection.failed.authentication.delay.ms")
    idle_ms = config.integer("connections.max.idle.ms")
    if 0 <= idle_ms <= delay_ms:
        raise ConfigError(
            f"connection.failed.authentication.delay.ms ({delay_ms}) has to be shorter than connections.max.idle.ms "
            f"({idle_ms}): the connection would be closed before its answer."
        )


def _check_internal_topics(config: Config) -> None:
    for name in ("offsets.topic.compression.codec", "share.coordinator.state.topic.compression.codec"):
        if config.integer(name) not in COMPRESSION_CODECS:
            raise ConfigError(f"{name} is {config.integer(name)}, and the codecs are numbered 0 to 4.")
