"""Names that speak for other names: a listener's own settings, and settings of the broker that replace each other.

`listener.name.NAME.X` is the setting X for one listener, and for some, `listener.name.NAME.MECHANISM.X` for one SASL
mechanism of it. `log.retention.ms` is asked before `log.retention.minutes`, and that before `log.retention.hours`. Both
matter to whoever describes a setting, and to whoever sets a finer one while the broker runs: that puts the coarser
ones out of force.
"""

_LISTENER_PREFIX = "listener.name."

# Settings that may be given to one SASL mechanism of a listener.
MECHANISM_SETTINGS = (
    "connections.max.reauth.ms",
    "sasl.jaas.config",
    "sasl.login.callback.handler.class",
    "sasl.login.class",
    "sasl.server.callback.handler.class",
)

# Settings of a listener that the whole cluster may be given; all others are a broker's own matter.
CLUSTER_WIDE_LISTENER_SETTINGS = ("max.connection.creation.rate", "max.connections", "num.network.threads")

# The finest first; those that stand for the same thing in coarser units.
_UNIT_GROUPS = (
    ("log.roll.ms", "log.roll.hours"),
    ("log.roll.jitter.ms", "log.roll.jitter.hours"),
    ("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
)
_FLUSH_GROUP = ("log.flush.interval.ms", "log.flush.scheduler.interval.ms")
_GROUP_OF = {name: group for group in _UNIT_GROUPS for name in group} | {_FLUSH_GROUP[0]: _FLUSH_GROUP}


def listener_setting(name: str, listener: str, mechanism: str | None = None) -> str:
    """The name of a setting for one listener, or for one mechanism of it."""
    parts = (_LISTENER_PREFIX + listener.lower(), *([mechanism.lower()] if mechanism else ()), name)
    return ".".join(parts)


def base_name(name: str) -> str | None:
    """X of `listener.name.NAME.X` or `listener.name.NAME.MECHANISM.X`; None if the name has no such prefix."""
    if not name.startswith(_LISTENER_PREFIX):
        return None
    _, dot, rest = name.removeprefix(_LISTENER_PREFIX).partition(".")
    if not dot:
        return None
    return next((setting for setting in MECHANISM_SETTINGS if rest.endswith(setting)), rest)


def names_asked(name: str) -> tuple[str, ...]:
    """The names that are asked for a broker's setting, in order: its own, then those that speak for it."""
    base = base_name(name)
    return _GROUP_OF.get(name, (name,)) if base is None else (name, base)


def names_replaced(name: str) -> tuple[str, ...]:
    """The names that a dynamic value of this setting puts out of force, its own included."""
    return _GROUP_OF.get(name, (name,))
