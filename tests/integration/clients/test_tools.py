"""Kafka's own tools: topics, settings, offsets, deletion, the cluster and its quorum, console clients."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.clients.records import read_by_librdkafka
from tests.integration.peer.agent import Agent, Ran
from tests.integration.peer.server import CLUSTER_ID, NODE_ID, Server

TOLD_WITHIN_S = 20
NewTopic = Callable[..., str]
Run = Callable[..., str]


@pytest.fixture
def run(agent: Agent, broker: Server) -> Run:
    """A tool that must end well, at this broker."""

    def call(name: str, *arguments: str, text: str = "") -> str:
        return agent.run(name, "--bootstrap-server", broker.address, *arguments, text=text)

    return call


@pytest.fixture
def attempt(agent: Agent, broker: Server) -> Callable[..., Ran]:
    """A tool that may fail."""
    return lambda name, *arguments: agent.tool(name, "--bootstrap-server", broker.address, *arguments)


def test_topics_from_birth_to_death(run: Run, attempt: Callable[..., Ran]) -> None:
    """`kafka-topics` creates, lists, describes, grows and deletes a topic."""
    assert "Created topic of-tools." in run(
        "kafka-topics", "--create", "--topic", "of-tools", "--partitions", "2", "--config", "retention.ms=5000"
    )
    again = attempt("kafka-topics", "--create", "--topic", "of-tools")
    assert again.status == 1
    assert "TopicExistsException" in again.out + again.err
    run("kafka-topics", "--create", "--if-not-exists", "--topic", "of-tools")
    assert "of-tools" in run("kafka-topics", "--list").split()
    described = run("kafka-topics", "--describe", "--topic", "of-tools")
    assert re.search(
        r"TopicId: \S{22}\s+PartitionCount: 2\s+ReplicationFactor: 1\s+Configs: .*retention.ms=5000", described
    )
    assert re.search(rf"Partition: 1\s+Leader: {NODE_ID}\s+Replicas: {NODE_ID}\s+Isr: {NODE_ID}", described)
    run("kafka-topics", "--alter", "--topic", "of-tools", "--partitions", "4")
    assert "PartitionCount: 4" in run("kafka-topics", "--describe", "--topic", "of-tools")
    fewer = attempt("kafka-topics", "--alter", "--topic", "of-tools", "--partitions", "3")
    assert fewer.status == 1
    assert "InvalidPartitionsException" in fewer.out + fewer.err
    run("kafka-topics", "--delete", "--topic", "of-tools")
    assert "of-tools" not in run("kafka-topics", "--list").split()
    assert attempt("kafka-topics", "--describe", "--topic", "of-tools").status == 1


def test_topics_that_are_refused(attempt: Callable[..., Ran]) -> None:
    """Names, replication factors and settings that cannot be are refused with Kafka's exceptions."""
    for name, arguments in (
        ("InvalidReplicationFactorException", ("--topic", "refused", "--replication-factor", "3")),
        ("ConfigException", ("--topic", "refused", "--config", "retention.ms=-7")),
        ("InvalidTopicException", ("--topic", "x" * 250)),
    ):
        ran = attempt("kafka-topics", "--create", *arguments)
        assert ran.status == 1, name
        assert name in ran.out + ran.err


def test_settings_of_a_topic(run: Run, new_topic: NewTopic) -> None:
    """`kafka-configs` adds, describes and deletes settings of a topic."""
    topic = new_topic()
    of = ("--entity-type", "topics", "--entity-name", topic)
    run("kafka-configs", *of, "--alter", "--add-config", "retention.ms=1234,cleanup.policy=[compact,delete]")
    described = run("kafka-configs", *of, "--describe")
    assert re.search(r"retention.ms=1234 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=1234", described)
    assert "cleanup.policy=compact,delete" in described
    run("kafka-configs", *of, "--alter", "--delete-config", "retention.ms")
    give_up = time.monotonic() + TOLD_WITHIN_S
    while "retention.ms" in (described := run("kafka-configs", *of, "--describe")):
        assert time.monotonic() < give_up, described
    every = run("kafka-configs", *of, "--describe", "--all")
    assert re.search(r"segment.bytes=1073741824 sensitive=false synonyms={", every)


def told_of(run: Run, wanted: str, *whom: str) -> None:
    """The dynamic settings of brokers are described as wanted, or soon: a broker learns of a change a little later."""
    give_up = time.monotonic() + TOLD_WITHIN_S
    while True:
        described = run("kafka-configs", *whom, "--describe")
        if wanted in described if wanted else "log.cleaner.threads" not in described:
            return
        assert time.monotonic() < give_up, described


def test_settings_of_brokers(run: Run, attempt: Callable[..., Ran]) -> None:
    """`kafka-configs` sets what is dynamic of one broker and of all, and refuses what is not."""
    one, every = (
        ("--entity-type", "brokers", "--entity-name", str(NODE_ID)),
        ("--entity-type", "brokers", "--entity-default"),
    )
    for whom, source in ((one, "DYNAMIC_BROKER_CONFIG"), (every, "DYNAMIC_DEFAULT_BROKER_CONFIG")):
        run("kafka-configs", *whom, "--alter", "--add-config", "log.cleaner.threads=2")
        told_of(run, f"log.cleaner.threads=2 sensitive=false synonyms={{{source}:", *whom)
        run("kafka-configs", *whom, "--alter", "--delete-config", "log.cleaner.threads")
        told_of(run, "", *whom)
    static = attempt("kafka-configs", *one, "--alter", "--add-config", "node.id=7")
    assert static.status == 1
    assert "InvalidRequestException" in static.out + static.err
    everything = run("kafka-configs", *one, "--describe", "--all")
    assert re.search(
        rf"\n\s+node.id={NODE_ID} sensitive=false synonyms={{STATIC_BROKER_CONFIG:node.id={NODE_ID}", everything
    )


def test_offsets_and_deletion(run: Run, broker: Server, new_topic: NewTopic, tmp_path: Path) -> None:
    """`kafka-get-offsets` tells ends and starts, `kafka-delete-records` moves the start."""
    topic = new_topic(partitions=2)
    producer = ("--topic", topic, "--property", "parse.key=true", "--property", "key.separator=:")
    run("kafka-console-producer", *producer, text="".join(f"{at}:value {at}\n" for at in range(20)))
    ends = dict(re.findall(rf"{topic}:(\d):(\d+)", run("kafka-get-offsets", "--topic", topic)))
    assert sum(map(int, ends.values())) == 20
    assert run("kafka-get-offsets", "--topic", topic, "--time", "-2").split() == [f"{topic}:0:0", f"{topic}:1:0"]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"partitions": [{"topic": topic, "partition": 0, "offset": 1}], "version": 1}))
    assert re.search(
        rf"partition: {topic}-0\s+low_watermark: 1", run("kafka-delete-records", "--offset-json-file", str(plan))
    )
    starts = run("kafka-get-offsets", "--topic", topic, "--time", "earliest")
    assert starts.split() == [f"{topic}:0:1", f"{topic}:1:0"]
    newest = run("kafka-get-offsets", "--topic", topic, "--time", "max-timestamp")
    for partition, offset in re.findall(rf"{topic}:(\d):(\d+)", newest):
        assert 0 <= int(offset) < int(ends[partition])


def test_the_cluster(agent: Agent, broker: Server) -> None:
    """`kafka-cluster` tells the cluster's id and its endpoints."""
    assert f"Cluster ID: {CLUSTER_ID}" in agent.run("kafka-cluster", "cluster-id", "--bootstrap-server", broker.address)
    endpoints = agent.run("kafka-cluster", "list-endpoints", "--bootstrap-server", broker.address)
    assert re.search(rf"{NODE_ID}\s+127.0.0.1\s+{broker.port}\s+null\s+", endpoints)


def test_versions_of_apis(run: Run, broker: Server) -> None:
    """`kafka-broker-api-versions` finds the broker, and every version that it serves usable."""
    printed = run("kafka-broker-api-versions")
    assert f"{broker.address} (id: {NODE_ID} rack: null isFenced: false) -> (" in printed
    served = dict(re.findall(r"(\w+)\(\d+\): (\d+ to \d+|\d+) \[usable: (?:\d+)\]", printed))
    assert served["Produce"] == "0 to 13"
    assert served["Fetch"] == "4 to 18"
    assert served["Metadata"] == "0 to 13"
    assert "UNSUPPORTED" not in served


def test_the_quorum(agent: Agent, broker: Server) -> None:
    """`kafka-metadata-quorum` describes a quorum of one, by a broker and by the controller itself."""
    controller = f"127.0.0.1:{broker.controller_port}"
    for where in (("--bootstrap-server", broker.address), ("--bootstrap-controller", controller)):
        status = agent.run("kafka-metadata-quorum", *where, "describe", "--status")
        said = dict(line.split(":", 1) for line in status.strip().splitlines())
        assert said["ClusterId"].strip() == CLUSTER_ID
        assert said["LeaderId"].strip() == str(NODE_ID)
        assert int(said["HighWatermark"]) > 0
        assert said["MaxFollowerLag"].strip() == "0"
        (voter,) = json.loads(said["CurrentVoters"])
        assert voter["id"] == NODE_ID
        replication = agent.run("kafka-metadata-quorum", *where, "describe", "--replication").splitlines()
        assert replication[1].split()[0] == str(NODE_ID)
        assert replication[1].split()[-1] == "Leader"


def test_console_clients(run: Run, broker: Server, new_topic: NewTopic) -> None:
    """What is typed into `kafka-console-producer` is printed by `kafka-console-consumer --partition`."""
    topic = new_topic()
    settings = ("--property", "parse.key=true", "--property", "parse.headers=true")
    typed = "h1:v1,h2:v2\tkey\tvalue\nh1:v1\tother\tgröße\n"
    run("kafka-console-producer", "--topic", topic, *settings, text=typed)
    arguments = ("--topic", topic, "--partition", "0", "--offset", "0", "--max-messages", "2", "--timeout-ms", "20000")
    printed = run(
        "kafka-console-consumer",
        *arguments,
        *(word for name in ("key", "offset", "headers") for word in ("--formatter-property", f"print.{name}=true")),
    )
    assert printed.splitlines() == ["Offset:0\th1:v1,h2:v2\tkey\tvalue", "Offset:1\th1:v1\tother\tgröße"]
    last = run("kafka-console-consumer", *arguments[:4], "--offset", "1", "--max-messages", "1")
    assert last.splitlines() == ["größe"]


def test_the_tool_that_measures(agent: Agent, broker: Server, new_topic: NewTopic) -> None:
    """`kafka-producer-perf-test` gets every record acknowledged."""
    topic = new_topic()
    printed = agent.run(
        "kafka-producer-perf-test",
        *("--topic", topic, "--num-records", "5000", "--record-size", "100", "--throughput", "-1"),
        *("--bootstrap-server", broker.address, "--command-property", "acks=all", "linger.ms=5"),
    )
    assert printed.strip().splitlines()[-1].startswith("5000 records sent")
    assert len(read_by_librdkafka(broker.address, topic, 5000)) == 5000
