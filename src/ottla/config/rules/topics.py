"""Whether a topic's settings fit together, and with the broker they are for.

Checked when a topic is created and when its settings are changed: then what it had before counts too, since tiered
storage cannot simply be turned off while segments are in the remote store.
"""

from collections.abc import Mapping

from ottla.config.config import Config
from ottla.config.describe import topic_config
from ottla.config.tables.topic import TOPIC
from ottla.config.values import invalid
from ottla.errors import ConfigError

AS_THE_WHOLE = -2  # local.retention.*: whatever retention.* says
WITHOUT_BOUND = -1


def check_topic(texts: Mapping[str, str], broker: Config, before: Mapping[str, str] | None = None) -> Config:
    """A topic's settings as somebody wants to set them; a `ConfigError` unless they are known, valid and in order."""
    for name in texts:
        if name not in TOPIC:
            raise ConfigError(f"Unknown topic config name: {name}")
    config = topic_config(broker, texts)
    least, most = config.integer("min.compaction.lag.ms"), config.integer("max.compaction.lag.ms")
    if least > most:
        raise ConfigError(f"min.compaction.lag.ms ({least}) must not be more than max.compaction.lag.ms ({most}).")
    if config.boolean("remote.storage.enable"):
        _check_tiered(config, broker)
    elif (before or {}).get("remote.storage.enable", "").lower() == "true":
        _check_turning_off(config)
    return config


def _check_turning_off(config: Config) -> None:
    if not config.boolean("remote.log.delete.on.disable"):
        raise ConfigError(
            "remote.storage.enable cannot be turned off while records are in the remote store: set "
            "remote.log.delete.on.disable too to delete them, or remote.log.copy.disable instead to keep them readable."
        )


def _check_tiered(config: Config, broker: Config) -> None:
    if not broker.boolean("remote.log.storage.system.enable"):
        raise ConfigError(
            "remote.storage.enable needs a broker with tiered storage, and remote.log.storage.system.enable is false."
        )
    if "compact" in config.words("cleanup.policy"):
        raise ConfigError("remote.storage.enable does not go together with the cleanup.policy compact.")
    for unit in ("bytes", "ms"):
        whole, local = config.integer(f"retention.{unit}"), config.integer(f"local.retention.{unit}")
        if local == AS_THE_WHOLE:
            continue
        if whole != WITHOUT_BOUND and (local == WITHOUT_BOUND or local > whole):
            raise invalid(
                f"local.retention.{unit}", local, f"It must not be more than retention.{unit}, which is {whole}"
            )
        if config.boolean("remote.log.copy.disable") and local != whole:
            raise ConfigError(
                f"remote.log.copy.disable asks local.retention.{unit} to be the same as retention.{unit}, or -2: "
                "nothing is copied any more that could be read from the remote store."
            )
