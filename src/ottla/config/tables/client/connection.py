"""Settings that producer, consumer and admin client share: addresses, timeouts, back-off, metadata, metrics.

Where the three differ, in a default or an importance, the setting is in each of their own tables instead. Back-off
doubles with each failure and varies at random by a fifth.
"""

from ottla.config.setting import INT, LIST, LONG, LOW, MEDIUM, STRING, Setting
from ottla.config.validators import at_least, list_of, one_of, one_of_ignoring_case

# fmt: off
CONNECTION_SETTINGS = (
    Setting("client.dns.lookup", STRING, "use_all_dns_ips", MEDIUM,
            valid=one_of("use_all_dns_ips", "resolve_canonical_bootstrap_servers_only"),
            doc="What is done with a host name that has several addresses: `use_all_dns_ips` tries one after the "
                "other, `resolve_canonical_bootstrap_servers_only` also makes a name of each bootstrap address "
                "first, as Kerberos may need."),
    Setting("config.providers", LIST, (), LOW, valid=list_of(may_be_empty=True),
            doc="Names of providers that look values up elsewhere, such as a file of secrets; each is set up by "
                "`config.providers.NAME.class` and `config.providers.NAME.param.*`."),
    Setting("metadata.max.age.ms", LONG, 300_000, LOW, valid=at_least(0),
            doc="After how long metadata is fetched anew even if nothing went wrong, so that new brokers and "
                "partitions are noticed."),
    Setting("metadata.recovery.strategy", STRING, "rebootstrap", LOW,
            valid=one_of_ignoring_case("REBOOTSTRAP", "NONE"),
            doc="What to do when none of the known brokers can be reached: begin again with `bootstrap.servers` "
                "(`rebootstrap`), or fail (`none`)."),
    Setting("metadata.recovery.rebootstrap.trigger.ms", LONG, 300_000, LOW, valid=at_least(0),
            doc="How long metadata may be impossible to fetch before the client begins again with "
                "`bootstrap.servers`."),
    Setting("metric.reporters", LIST, ("org.apache.kafka.common.metrics.JmxReporter",), LOW,
            valid=list_of(may_be_empty=True),
            doc="Classes that metrics are reported by."),
    Setting("metrics.num.samples", INT, 2, LOW, valid=at_least(1),
            doc="How many samples are kept to compute a metric from."),
    Setting("metrics.recording.level", STRING, "INFO", LOW, valid=one_of("INFO", "DEBUG", "TRACE"),
            doc="The finest level that is recorded."),
    Setting("metrics.sample.window.ms", LONG, 30_000, LOW, valid=at_least(0),
            doc="How long a sample is collected."),
    Setting("reconnect.backoff.ms", LONG, 50, LOW, valid=at_least(0),
            doc="How long to wait before a connection to the same broker is tried again."),
    Setting("reconnect.backoff.max.ms", LONG, 1_000, LOW, valid=at_least(0),
            doc="The longest that is waited before a connection to the same broker is tried again."),
    Setting("request.timeout.ms", INT, 30_000, MEDIUM, valid=at_least(0),
            doc="How long to wait for the answer to a request before it counts as failed and may be repeated."),
    Setting("retry.backoff.ms", LONG, 100, LOW, valid=at_least(0),
            doc="How long to wait before a failed request is repeated."),
    Setting("retry.backoff.max.ms", LONG, 1_000, LOW, valid=at_least(0),
            doc="The longest that is waited before a failed request is repeated."),
    Setting("security.protocol", STRING, "PLAINTEXT", MEDIUM,
            valid=one_of_ignoring_case("SASL_SSL", "PLAINTEXT", "SSL", "SASL_PLAINTEXT"),
            doc="How to talk to brokers: in the clear or by TLS, with or without a SASL login."),
    Setting("sasl.mechanism", STRING, "GSSAPI", MEDIUM,
            doc="The SASL mechanism to log in by."),
    Setting("send.buffer.bytes", INT, 131_072, MEDIUM, valid=at_least(-1),
            doc="SO_SNDBUF of the client's sockets; -1 leaves it to the operating system."),
    Setting("socket.connection.setup.timeout.ms", LONG, 10_000, MEDIUM,
            doc="How long a connection may take to be established before the next address is tried."),
    Setting("socket.connection.setup.timeout.max.ms", LONG, 30_000, MEDIUM,
            doc="The longest that is ever waited for a connection to be established."),
)
