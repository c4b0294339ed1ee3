"""Settings of the broker's quotas: over which windows rates are measured, and who decides about limits.

The limits themselves are not static settings; they are set while the cluster runs, see `ottla.config.tables.quotas`.
A longer window lets bursts through, a shorter one throttles early.
"""

from ottla.config.setting import CLASS, INT, LOW, Setting
from ottla.config.validators import at_least

# fmt: off
QUOTAS_SETTINGS = (
    Setting("quota.window.num", INT, 11, LOW, valid=at_least(1),
            doc="Over how many windows the rates of clients are measured."),
    Setting("quota.window.size.seconds", INT, 1, LOW, valid=at_least(1),
            doc="How long each of those windows is."),
    Setting("replication.quota.window.num", INT, 11, LOW, valid=at_least(1),
            doc="Over how many windows the rate of throttled replication is measured."),
    Setting("replication.quota.window.size.seconds", INT, 1, LOW, valid=at_least(1),
            doc="How long each of those windows is."),
    Setting("alter.log.dirs.replication.quota.window.num", INT, 11, LOW, valid=at_least(1),
            doc="Over how many windows the rate of moving replicas between directories is measured."),
    Setting("alter.log.dirs.replication.quota.window.size.seconds", INT, 1, LOW, valid=at_least(1),
            doc="How long each of those windows is."),
    Setting("controller.quota.window.num", INT, 11, LOW, valid=at_least(1),
            doc="Over how many windows the rate of changes to topics is measured."),
    Setting("controller.quota.window.size.seconds", INT, 1, LOW, valid=at_least(1),
            doc="How long each of those windows is."),
    Setting("client.quota.callback.class", CLASS, None, LOW,
            doc="A class that decides about the limits of clients, in place of those that are set for users and "
                "client ids."),
)
