"""Every setting of a broker or controller, by name: Kafka's 360, and after them Ottla's own."""

from ottla.config.setting import Setting, table
from ottla.config.tables.broker.groups import GROUPS_SETTINGS
from ottla.config.tables.broker.log import LOG_SETTINGS
from ottla.config.tables.broker.metrics import METRICS_SETTINGS
from ottla.config.tables.broker.network import NETWORK_SETTINGS
from ottla.config.tables.broker.node import NODE_SETTINGS
from ottla.config.tables.broker.quorum import QUORUM_SETTINGS
from ottla.config.tables.broker.quotas import QUOTAS_SETTINGS
from ottla.config.tables.broker.remote_log import REMOTE_LOG_SETTINGS
from ottla.config.tables.broker.replication import REPLICATION_SETTINGS
from ottla.config.tables.broker.security import SECURITY_SETTINGS
from ottla.config.tables.broker.share_groups import SHARE_GROUPS_SETTINGS
from ottla.config.tables.broker.transactions import TRANSACTIONS_SETTINGS
from ottla.config.tables.security.oauthbearer import OAUTHBEARER_SETTINGS
from ottla.config.tables.security.sasl import sasl_settings
from ottla.config.tables.security.tls import tls_settings

# Settings that Kafka does not have are static, and are named `ottla.*`; nothing has needed one yet.
OWN_SETTINGS: tuple[Setting, ...] = ()

BROKER = table(
    NODE_SETTINGS,
    NETWORK_SETTINGS,
    QUORUM_SETTINGS,
    LOG_SETTINGS,
    REPLICATION_SETTINGS,
    GROUPS_SETTINGS,
    SHARE_GROUPS_SETTINGS,
    TRANSACTIONS_SETTINGS,
    REMOTE_LOG_SETTINGS,
    QUOTAS_SETTINGS,
    METRICS_SETTINGS,
    SECURITY_SETTINGS,
    tls_settings(on_broker=True),
    sasl_settings(on_broker=True),
    OAUTHBEARER_SETTINGS,
    OWN_SETTINGS,
)
