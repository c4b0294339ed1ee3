"""Whether a client's settings fit together, and which follow from others.

A producer is idempotent unless somebody asks for what rules it out; a consumer commits by itself if it has a group.
What follows is returned as values beside the `Config`, which itself only says what was set.

Kafka's rules, case by case: `tests/unit/config/rules/test_rules.py`.
"""

from collections.abc import Mapping
from typing import NamedTuple

from ottla.config.config import Config
from ottla.config.tables.client.admin import ADMIN
from ottla.config.tables.client.consumer import CONSUMER
from ottla.config.tables.client.producer import PRODUCER
from ottla.config.values import INT_MAX, invalid
from ottla.errors import ConfigError

MAX_IN_FLIGHT_OF_IDEMPOTENCE = 5
ACKS_ALL = -1

# With the group protocol on the left, these are settled elsewhere or do not exist.
SETTINGS_OF_ANOTHER_PROTOCOL = {
    "classic": ("group.remote.assignor", "share.acknowledgement.mode", "share.acquire.mode"),
    "consumer": (
        "partition.assignment.strategy",
        "heartbeat.interval.ms",
        "session.timeout.ms",
        "share.acknowledgement.mode",
        "share.acquire.mode",
    ),
    "share": (
        "auto.offset.reset",
        "enable.auto.commit",
        "group.instance.id",
        "group.protocol",
        "group.remote.assignor",
        "heartbeat.interval.ms",
        "interceptor.classes",
        "isolation.level",
        "partition.assignment.strategy",
        "session.timeout.ms",
    ),
}
_INSTANCE_ID_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
MAX_INSTANCE_ID_LENGTH = 249


class ProducerRules(NamedTuple):
    """A producer's settings and what follows from them."""

    config: Config
    acks: int
    is_idempotent: bool
    reconnect_backoff_max_ms: int
    delivery_timeout_ms: int


class ConsumerRules(NamedTuple):
    """A consumer's settings and what follows from them."""

    config: Config
    group_protocol: str
    commits_by_itself: bool
    reconnect_backoff_max_ms: int


class AdminRules(NamedTuple):
    """An admin client's settings and what follows from them."""

    config: Config
    reconnect_backoff_max_ms: int


def check_producer(given: Mapping[str, object]) -> ProducerRules:
    """A producer's settings; a `ConfigError` unless they are valid and fit together."""
    config = Config(PRODUCER, given)
    _check_sasl(config)
    acks = ACKS_ALL if config.text("acks") == "all" else int(config.text("acks"))
    is_idempotent = _idempotence(config, acks)
    if "transactional.id" in config.given:
        if not is_idempotent:
            raise ConfigError("transactional.id needs enable.idempotence, which other settings rule out.")
        if config.boolean("transaction.two.phase.commit.enable") and "transaction.timeout.ms" in config.given:
            raise ConfigError(
                "transaction.timeout.ms cannot be set with transaction.two.phase.commit.enable: nothing times out then."
            )
    return ProducerRules(config, acks, is_idempotent, _reconnect_backoff_max_ms(config), _delivery_timeout_ms(config))


def _idempotence(config: Config, acks: int) -> bool:
    """Whether a producer is idempotent: what rules it out is an error if somebody asked for both."""
    if not config.boolean("enable.idempotence"):
        return False
    in_flight = config.integer("max.in.flight.requests.per.connection")
    if in_flight > MAX_IN_FLIGHT_OF_IDEMPOTENCE:
        raise ConfigError(
            f"max.in.flight.requests.per.connection has to be at most {MAX_IN_FLIGHT_OF_IDEMPOTENCE} with "
            f"enable.idempotence, and is {in_flight}."
        )
    asked_for = "enable.idempotence" in config.given
    if config.integer("retries") == 0:
        if asked_for:
            raise ConfigError("retries must not be 0 with enable.idempotence.")
        return False
    if acks != ACKS_ALL:
        if asked_for:
            raise ConfigError("acks has to be all with enable.idempotence.")
        return False
    return True


def _delivery_timeout_ms(config: Config) -> int:
    """At least the waiting and one request: an error if somebody set less, else raised."""
    timeout_ms = config.integer("delivery.timeout.ms")
    least_ms = min(config.integer("linger.ms") + config.integer("request.timeout.ms"), INT_MAX)
    if timeout_ms >= least_ms:
        return timeout_ms
    if "delivery.timeout.ms" in config.given:
        raise ConfigError("delivery.timeout.ms must not be less than linger.ms and request.timeout.ms together.")
    return least_ms


def check_consumer(given: Mapping[str, object]) -> ConsumerRules:
    """A consumer's settings; a `ConfigError` unless they are valid and fit together."""
    config = Config(CONSUMER, given)
    _check_sasl(config)
    protocol = config.text("group.protocol").lower()
    _check_protocol(config, protocol, f"with the group.protocol {protocol}")
    group_id = config.optional_text("group.id")
    if group_id is None and "enable.auto.commit" in config.given and config.boolean("enable.auto.commit"):
        raise ConfigError("enable.auto.commit needs a group.id.")
    instance_id = config.optional_text("group.instance.id")
    if instance_id is not None:
        _check_instance_id(instance_id)
    commits = config.boolean("enable.auto.commit") and group_id is not None
    return ConsumerRules(config, protocol, commits, _reconnect_backoff_max_ms(config))


def check_share_consumer(given: Mapping[str, object]) -> ConsumerRules:
    """A share consumer's settings; a `ConfigError` unless they are valid and a share group has use for them."""
    config = Config(CONSUMER, given)
    _check_sasl(config)
    _check_protocol(config, "share", "for a share consumer")
    return ConsumerRules(config, "share", False, _reconnect_backoff_max_ms(config))


def _check_protocol(config: Config, protocol: str, circumstance: str) -> None:
    for name in SETTINGS_OF_ANOTHER_PROTOCOL[protocol]:
        if name in config.given:
            raise ConfigError(f"{name} cannot be set {circumstance}.")


def _check_instance_id(text: str) -> None:
    if text in (".", "..") or len(text) > MAX_INSTANCE_ID_LENGTH or not _INSTANCE_ID_SIGNS.issuperset(text):
        raise invalid(
            "group.instance.id",
            text,
            f"at most {MAX_INSTANCE_ID_LENGTH} letters, digits, dots, dashes and underscores; neither . nor ..",
        )


def check_admin(given: Mapping[str, object]) -> AdminRules:
    """An admin client's settings; a `ConfigError` unless they are valid."""
    config = Config(ADMIN, given)
    _check_sasl(config)
    return AdminRules(config, _reconnect_backoff_max_ms(config))


def _check_sasl(config: Config) -> None:
    if config.text("security.protocol").upper().startswith("SASL_") and not config.optional_text("sasl.mechanism"):
        raise invalid("sasl.mechanism", None, "a security.protocol with SASL needs one")


def _reconnect_backoff_max_ms(config: Config) -> int:
    """Whoever sets only the first wait wants every wait to be that long."""
    if "reconnect.backoff.ms" in config.given and "reconnect.backoff.max.ms" not in config.given:
        return config.integer("reconnect.backoff.ms")
    return config.integer("reconnect.backoff.max.ms")
