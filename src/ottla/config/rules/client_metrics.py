"""Subscriptions to clients' metrics (KIP-714): whether one is valid, and which clients it is about.

`match` is a list of `label=expression`; the labels are those that a broker knows about a client. Whether an expression
can be understood is asked of whoever will match with it, since that is bounded work on users' patterns and no matter of
settings: `check_client_metrics` is handed the compiler.
"""

from collections.abc import Callable, Mapping

from ottla.config.config import Config
from ottla.config.tables.client_metrics import CLIENT_METRICS
from ottla.config.values import invalid
from ottla.errors import ConfigError

MIN_INTERVAL_MS, MAX_INTERVAL_MS = 100, 3_600_000
LABELS = (
    "client_id",
    "client_instance_id",
    "client_software_name",
    "client_software_version",
    "client_source_address",
    "client_source_port",
)


def check_client_metrics(texts: Mapping[str, str], is_expression: Callable[[str], bool]) -> Config:
    """A subscription as somebody wants to set it; a `ConfigError` unless it is known and valid."""
    for name in texts:
        if name not in CLIENT_METRICS:
            raise ConfigError(f"Unknown client metrics configuration: {name}")
    config = Config(CLIENT_METRICS, texts)
    interval_ms = config.integer("interval.ms")
    if not MIN_INTERVAL_MS <= interval_ms <= MAX_INTERVAL_MS:
        raise invalid("interval.ms", interval_ms, f"Value must be between {MIN_INTERVAL_MS} and {MAX_INTERVAL_MS}")
    for entry, (label, expression) in parse_matches(config.words("match")).items():
        if label not in LABELS or not expression or "=" in expression or not is_expression(expression):
            raise invalid("match", entry, f"label=expression is needed, with a label out of {', '.join(LABELS)}")
    return config


def parse_matches(entries: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Each entry of `match` with its label and its expression."""
    out = {}
    for entry in entries:
        label, _, expression = entry.partition("=")
        out[entry] = (label.strip(), expression.strip())
    return out
