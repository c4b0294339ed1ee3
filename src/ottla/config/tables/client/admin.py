"""Settings of the admin client: whom to ask, and how long.

It can talk to brokers, or to the controllers alone (KIP-919), which is what helps when no broker is up.
"""

from ottla.config.setting import BOOLEAN, HIGH, INT, LIST, LONG, LOW, MEDIUM, STRING, Setting, table
from ottla.config.tables.client.connection import CONNECTION_SETTINGS
from ottla.config.tables.security.oauthbearer import OAUTHBEARER_CLIENT_SETTINGS, OAUTHBEARER_SETTINGS
from ottla.config.tables.security.sasl import sasl_settings
from ottla.config.tables.security.tls import tls_settings
from ottla.config.validators import at_least, between, list_of
from ottla.config.values import INT_MAX

# fmt: off
ADMIN_SETTINGS = (
    Setting("bootstrap.servers", LIST, (), HIGH, valid=list_of(may_be_empty=True),
            doc="Brokers to ask first, as a list of `host:port`. Either this or `bootstrap.controllers` is needed."),
    Setting("bootstrap.controllers", LIST, (), HIGH, valid=list_of(may_be_empty=True),
            doc="Controllers to ask, as a list of `host:port`, instead of brokers."),
    Setting("client.id", STRING, "", MEDIUM,
            doc="A name that brokers write into their logs, and that quotas may be set for."),
    Setting("connections.max.idle.ms", LONG, 300_000, MEDIUM,
            doc="After how long a silent connection is closed."),
    Setting("default.api.timeout.ms", INT, 60_000, MEDIUM, valid=at_least(0),
            doc="How long a call may take that is not given a time of its own."),
    Setting("enable.metrics.push", BOOLEAN, False, LOW,
            doc="Whether the client sends its metrics to brokers that ask for them (KIP-714)."),
    Setting("receive.buffer.bytes", INT, 65_536, MEDIUM, valid=at_least(-1),
            doc="SO_RCVBUF of the client's sockets; -1 leaves it to the operating system."),
    Setting("retries", INT, INT_MAX, LOW, valid=between(0, INT_MAX),
            doc="How often a request is repeated. Best left alone, in favour of the time of the call."),
)

ADMIN = table(
    ADMIN_SETTINGS,
    CONNECTION_SETTINGS,
    tls_settings(on_broker=False),
    sasl_settings(on_broker=False),
    OAUTHBEARER_SETTINGS,
    OAUTHBEARER_CLIENT_SETTINGS,
)
