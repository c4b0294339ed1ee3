"""The families of settings by name, loaded when somebody asks for one.

A broker imports only the tables of brokers, topics and groups, and a producer only its own; whoever serves all of them
(the command `ottla settings`, DescribeConfigs) finds them here by the name of their family.
"""

from importlib import import_module

from ottla.config.setting import Table

# Family: where its table is, and what it is a family of.
FAMILIES = {
    "broker": ("ottla.config.tables.broker", "BROKER", "a broker or controller, in server.properties"),
    "topic": ("ottla.config.tables.topic", "TOPIC", "one topic"),
    "group": ("ottla.config.tables.group", "GROUP", "one group"),
    "client-metrics": ("ottla.config.tables.client_metrics", "CLIENT_METRICS", "one subscription to clients' metrics"),
    "producer": ("ottla.config.tables.client.producer", "PRODUCER", "a producer"),
    "consumer": ("ottla.config.tables.client.consumer", "CONSUMER", "a consumer or share consumer"),
    "admin": ("ottla.config.tables.client.admin", "ADMIN", "an admin client"),
    "broker-quota": ("ottla.config.tables.quotas", "BROKER_QUOTA", "a broker's throttles, set while it runs"),
    "client-quota": ("ottla.config.tables.quotas", "CLIENT_QUOTA", "the quota of a user or client"),
    "ip-quota": ("ottla.config.tables.quotas", "IP_QUOTA", "the quota of an address"),
    "user": ("ottla.config.tables.quotas", "USER", "a user: quota and SCRAM credentials"),
    "remote-log-metadata": (
        "ottla.config.tables.remote_log_metadata",
        "REMOTE_LOG_METADATA",
        "the list of remote segments, with the prefix rlmm.config.",
    ),
}


def family(name: str) -> Table:
    """All settings of a family, by name."""
    module, attribute, _ = FAMILIES[name]
    table: Table = getattr(import_module(module), attribute)
    return table
