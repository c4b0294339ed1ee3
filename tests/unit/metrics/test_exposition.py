"""The text that Prometheus scrapes, line by line, and as prometheus_client's parser reads it."""

from math import inf, isnan, nan

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ottla.metrics.exposition import CONTENT_TYPE, LINES_A_CHUNK, number, render
from ottla.metrics.names import MetricName, attribute_name, metric_name
from ottla.metrics.registry import REFUSED, Metrics


def text_of(metrics: Metrics) -> str:
    """All chunks, without what `Metrics` says of itself."""
    metrics.remove(REFUSED)
    return "".join(render(metrics))


def samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """What the oracle reads."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def messages_in(**tags: str) -> MetricName:
    """Kafka's best-known metric."""
    return metric_name("kafka.server", "BrokerTopicMetrics", "MessagesInPerSec", **tags)


def test_counters_and_gauges() -> None:
    """A meter is a counter called `_total`, for all topics and for each; a gauge has its plain name."""
    metrics = Metrics()
    metrics.meter(messages_in()).count += 12
    metrics.gauge(metric_name("kafka.server", "ReplicaManager", "UnderReplicatedPartitions")).value = 3
    metrics.meter(messages_in(topic="orders")).count += 5
    metrics.computed_gauge(metric_name("kafka.server", "KafkaServer", "BrokerState"), lambda: 3)
    assert text_of(metrics) == (
        "# HELP kafka_server_brokertopicmetrics_messagesin_total"
        " kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec\n"
        "# TYPE kafka_server_brokertopicmetrics_messagesin_total counter\n"
        "kafka_server_brokertopicmetrics_messagesin_total 12\n"
        'kafka_server_brokertopicmetrics_messagesin_total{topic="orders"} 5\n'
        "# HELP kafka_server_replicamanager_underreplicatedpartitions"
        " kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions\n"
        "# TYPE kafka_server_replicamanager_underreplicatedpartitions gauge\n"
        "kafka_server_replicamanager_underreplicatedpartitions 3\n"
        "# HELP kafka_server_kafkaserver_brokerstate kafka.server:type=KafkaServer,name=BrokerState\n"
        "# TYPE kafka_server_kafkaserver_brokerstate gauge\n"
        "kafka_server_kafkaserver_brokerstate 3\n"
    )


def test_histograms_are_summaries() -> None:
    """A histogram is a summary: six quantiles, sum and count, with its labels on every line."""
    metrics = Metrics()
    histogram = metrics.histogram(metric_name("kafka.network", "RequestMetrics", "TotalTimeMs", request="Produce"))
    for value in range(1, 51):
        histogram.update(value)
    name = "kafka_network_requestmetrics_totaltimems"
    assert text_of(metrics) == (
        f"# HELP {name} kafka.network:type=RequestMetrics,name=TotalTimeMs\n"
        f"# TYPE {name} summary\n"
        f'{name}{{request="Produce",quantile="0.50"}} 25\n'
        f'{name}{{request="Produce",quantile="0.75"}} 38\n'
        f'{name}{{request="Produce",quantile="0.95"}} 48\n'
        f'{name}{{request="Produce",quantile="0.98"}} 49\n'
        f'{name}{{request="Produce",quantile="0.99"}} 50\n'
        f'{name}{{request="Produce",quantile="0.999"}} 50\n'
        f'{name}_sum{{request="Produce"}} 1275\n'
        f'{name}_count{{request="Produce"}} 50\n'
    )


def test_timers_are_summaries_too() -> None:
    """A timer without tags is a summary; without recent durations its quantiles are NaN."""
    metrics = Metrics()
    metrics.timer(metric_name("kafka.log", "LogFlushStats", "LogFlushRateAndTimeMs"))
    read = samples(text_of(metrics))
    name = "kafka_log_logflushstats_logflushrateandtimems"
    assert read[f"{name}_count", ()] == read[f"{name}_sum", ()] == 0
    assert isnan(read[name, (("quantile", "0.999"),)])


def test_the_oracle_reads_what_was_meant() -> None:
    """prometheus_client reads back every kind with its type, its comment, its labels and its value."""
    metrics = Metrics()
    metrics.meter(messages_in(topic="orders")).count += 2**60
    metrics.gauge(
        attribute_name("kafka.server", "socket-server-metrics", "connection-count", listener="IN", networkProcessor=0)
    ).value = 1.5
    metrics.histogram(metric_name("g", "T", "SizeInBytes")).update(7)
    read = {family.name: family for family in text_string_to_metric_families(text_of(metrics))}
    counter = read["kafka_server_brokertopicmetrics_messagesin"]
    assert counter.type == "counter"
    assert counter.documentation == "kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec"
    assert [(sample.labels, sample.value) for sample in counter.samples] == [({"topic": "orders"}, 2**60)]
    gauge = read["kafka_server_socket_server_metrics_connection_count"]
    assert gauge.type == "gauge"
    assert gauge.samples[0].labels == {"listener": "IN", "networkProcessor": "0"}
    assert gauge.samples[0].value == 1.5
    summary = read["g_t_sizeinbytes"]
    assert summary.type == "summary"
    assert {sample.name: sample.value for sample in summary.samples if not sample.labels} == {
        "g_t_sizeinbytes_sum": 7,
        "g_t_sizeinbytes_count": 1,
    }


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (-3, "-3"),
        (2**70, "1180591620717411303424"),
        (True, "1"),
        (0.1, "0.1"),
        (1e300, "1e+300"),
        (inf, "+Inf"),
        (-inf, "-Inf"),
        (nan, "NaN"),
    ],
)
def test_numbers(value: float, written: str) -> None:
    """Numbers are written so that Prometheus reads the same."""
    assert number(value) == written


def test_series_of_one_metric_stand_together() -> None:
    """However metrics were made, one comment and one type stand before all series of a metric."""
    metrics = Metrics()
    for topic in ("a", "b"):
        for name in ("InPerSec", "OutPerSec"):
            metrics.meter(metric_name("g", "T", name, topic=topic))
    lines = text_of(metrics).splitlines()
    assert [line for line in lines if not line.startswith("#")] == [
        'g_t_in_total{topic="a"} 0',
        'g_t_in_total{topic="b"} 0',
        'g_t_out_total{topic="a"} 0',
        'g_t_out_total{topic="b"} 0',
    ]
    assert sum(line.startswith("# TYPE") for line in lines) == 2


def test_text_comes_in_chunks() -> None:
    """Ten thousand series come in chunks of bounded size, and metrics may come and go between them."""
    metrics = Metrics()
    for number_ in range(10_000):
        metrics.counter(metric_name("g", "T", "InPerSec", topic=f"t{number_}"))
    chunks = render(metrics)
    text = next(chunks)
    metrics.remove_tagged("topic", "t9999")
    metrics.gauge(metric_name("g", "T", "New"))
    sizes = [text.count("\n")]
    for chunk in chunks:
        text += chunk
        sizes.append(chunk.count("\n"))
    assert len(sizes) == 11
    assert max(sizes) <= LINES_A_CHUNK + 8
    assert len(samples(text)) == 10_001


def test_content_type() -> None:
    """The answer says which format it is in, in the words that Prometheus expects."""
    assert CONTENT_TYPE == "text/plain; version=0.0.4; charset=utf-8"
