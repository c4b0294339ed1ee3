"""Settings of a subscription to the metrics of clients (KIP-714): which metrics, of which clients, how often.

A subscription has a name and no default; a broker answers a client with all the subscriptions that match it.
"""

from ottla.config.setting import INT, LIST, MEDIUM, Setting, table
from ottla.config.validators import list_of

# fmt: off
CLIENT_METRICS_SETTINGS = (
    Setting("interval.ms", INT, 300_000, MEDIUM,
            doc="How often matching clients push their metrics: from 100 ms to an hour."),
    Setting("match", LIST, (), MEDIUM, valid=list_of(may_be_empty=True),
            doc="Which clients are meant, as a list of `label=expression`; a client has to match all of them. The "
                "labels are client_id, client_instance_id, client_software_name, client_software_version, "
                "client_source_address and client_source_port."),
    Setting("metrics", LIST, (), MEDIUM, valid=list_of(may_be_empty=True),
            doc="Which metrics are wanted, as a list of beginnings of names; `*` means all."),
)

CLIENT_METRICS = table(CLIENT_METRICS_SETTINGS)
