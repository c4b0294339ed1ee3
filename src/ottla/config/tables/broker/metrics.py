"""Settings of the broker's metrics and of those that clients push to it.

Reporters are names of classes; where a name of Kafka's own class stands for something that Ottla has, it is taken for
that.
"""

from ottla.config.setting import CLUSTER_WIDE, INT, LIST, LONG, LOW, STRING, Setting
from ottla.config.validators import at_least, list_of

# fmt: off
METRICS_SETTINGS = (
    Setting("metric.reporters", LIST, ("org.apache.kafka.common.metrics.JmxReporter",), LOW,
            valid=list_of(may_be_empty=True), dynamic=CLUSTER_WIDE,
            doc="Classes that metrics are reported by."),
    Setting("metrics.num.samples", INT, 2, LOW, valid=at_least(1),
            doc="How many samples are kept to compute a metric from."),
    Setting("metrics.sample.window.ms", LONG, 30_000, LOW, valid=at_least(1),
            doc="How long a sample is collected."),
    Setting("metrics.recording.level", STRING, "INFO", LOW,
            doc="The finest level that is recorded: INFO, DEBUG or TRACE."),
    Setting("kafka.metrics.reporters", LIST, (), LOW, valid=list_of(may_be_empty=True),
            doc="Classes that report the older kind of Kafka's metrics; accepted for compatibility."),
    Setting("kafka.metrics.polling.interval.secs", INT, 10, LOW, valid=at_least(1),
            doc="How often these reporters are asked; accepted for compatibility."),
    Setting("telemetry.max.bytes", INT, 1_048_576, LOW, valid=at_least(1),
            doc="The largest push of metrics that is taken from a client, compressed and decompressed alike "
                "(KIP-714)."),
)
