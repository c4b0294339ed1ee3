"""What a metric is called: as an MBean, and for Prometheus."""

import pytest

from ottla.metrics.names import MAX_TAG_CHARS, Kind, attribute_name, family, labels, metric_name

MESSAGES_IN = metric_name("kafka.server", "BrokerTopicMetrics", "MessagesInPerSec", topic="orders")


def test_mbean() -> None:
    """A name is written as JMX writes the MBean, tags in the order they were given in."""
    assert MESSAGES_IN.mbean == "kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec,topic=orders"
    name = metric_name("kafka.log", "Log", "Size", topic="orders", partition=3)
    assert str(name) == "kafka.log:type=Log,name=Size,topic=orders,partition=3"
    name = attribute_name("kafka.server", "socket-server-metrics", "connection-count", listener="PLAINTEXT")
    assert name.mbean == "kafka.server:type=socket-server-metrics,listener=PLAINTEXT"
    assert str(name) == "kafka.server:type=socket-server-metrics,listener=PLAINTEXT:connection-count"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("orders", "orders"),
        ("a.b-c_d %", "a.b-c_d %"),
        ("a\tb", "a\tb"),
        ("a:b", '"a:b"'),
        ("a=b", '"a=b"'),
        ("a,b", '"a,b"'),
        ('q"x', '"q\\"x"'),
        ("w*", '"w\\*"'),
        ("e?", '"e\\?"'),
        ("b\\s", '"b\\\\s"'),
        ("n\nl", '"n\\nl"'),
        ("é", '"é"'),
    ],
)
def test_a_tag_that_jmx_quotes(value: str, written: str) -> None:
    """What may not stand bare in an MBean is quoted as Kafka 4.3's `Sanitizer.jmxSanitize` does it (run there)."""
    assert metric_name("g", "T", "N", client=value).mbean == f"g:type=T,name=N,client={written}"


def test_a_tag_without_a_value_is_left_out() -> None:
    """Kafka leaves tags without a value out of an MBean, and so do we."""
    assert metric_name("g", "T", "N", topic="", user="u") == metric_name("g", "T", "N", user="u")


def test_a_tag_is_bounded_and_can_be_sent() -> None:
    """Whatever a peer calls itself, a tag has at most 256 characters and is valid UTF-8."""
    (_, value), (_, broken) = metric_name("g", "T", "N", user="x" * 100_000, client="\ud800x").tags
    assert value == "x" * MAX_TAG_CHARS
    assert broken == "?x"


@pytest.mark.parametrize(
    ("group", "type_", "name", "kind", "expected"),
    [
        ("kafka.server", "BrokerTopicMetrics", "MessagesInPerSec", Kind.COUNTER, "brokertopicmetrics_messagesin_total"),
        ("kafka.server", "ReplicaManager", "IsrShrinksPerSec", Kind.COUNTER, "replicamanager_isrshrinks_total"),
        ("kafka.server", "ReplicaManager", "LeaderCount", Kind.GAUGE, "replicamanager_leadercount"),
        ("kafka.server", "T", "RatePerSecond", Kind.COUNTER, "t_rate_total"),
        ("kafka.server", "T", "APerSecBPerSec", Kind.COUNTER, "t_apersecb_total"),
        ("kafka.server", "T", "FooPerSec", Kind.GAUGE, "t_foopersec"),
        ("kafka.server", "T", "Idle", Kind.COUNTER, "t_idle_count"),
        ("kafka.server", "Fetch Session.Cache", "é-x", Kind.GAUGE, "fetch_session_cache_x"),
    ],
)
def test_prometheus_names(group: str, type_: str, name: str, kind: Kind, expected: str) -> None:
    """Names for Prometheus are those of the JMX exporter with its rules for Kafka."""
    assert family(metric_name(group, type_, name, topic="t"), kind) == f"kafka_server_{expected}"


def test_prometheus_names_of_other_groups() -> None:
    """Histograms, groups of several words, attributes, and names that begin with a digit."""
    assert (
        family(metric_name("kafka.network", "RequestMetrics", "TotalTimeMs"), Kind.SUMMARY)
        == "kafka_network_requestmetrics_totaltimems"
    )
    assert (
        family(metric_name("kafka.coordinator.group", "GroupMetadataManager", "NumOffsets"), Kind.GAUGE)
        == "kafka_coordinator_group_groupmetadatamanager_numoffsets"
    )
    total = attribute_name("kafka.server", "socket-server-metrics", "connection-creation-total")
    assert family(total, Kind.COUNTER) == "kafka_server_socket_server_metrics_connection_creation_total"
    assert family(metric_name("2fast", "T", "N"), Kind.GAUGE) == "_2fast_t_n"


def test_labels() -> None:
    """Tags become labels, sorted, their keys with underscores, their values escaped."""
    assert labels(MESSAGES_IN) == '{topic="orders"}'
    assert labels(metric_name("g", "T", "N")) == ""
    odd = {"client-id": 'a"b\\c\nd', "0x": "1", "networkProcessor": "0"}
    assert labels(metric_name("g", "T", "N", **odd)) == '{_0x="1",client_id="a\\"b\\\\c\\nd",networkProcessor="0"}'


@pytest.mark.parametrize("tags", [{"client-id": "a", "client_id": "b"}, {"quantile": "0.5"}])
def test_labels_that_prometheus_would_refuse(tags: dict[str, str]) -> None:
    """Two tags that would be one label are a fault of ours, and so is one that would hide the quantile."""
    with pytest.raises(AssertionError, match="g:type=T,name=N"):
        labels(metric_name("g", "T", "N", **tags))


def test_a_name_says_what_it_names() -> None:
    """A metric has a name or is an attribute; one without either cannot be made."""
    with pytest.raises(AssertionError):
        metric_name("g", "T", "")
    with pytest.raises(AssertionError):
        attribute_name("g", "T", "")
