"""kcat: lists the cluster, produces from its standard input in every codec, consumes a partition."""

import json
import subprocess
from collections.abc import Callable

import pytest

from tests.integration.clients.records import CODECS, read_by_librdkafka
from tests.integration.peer.programs import program
from tests.integration.peer.server import NODE_ID, Server

WITHIN_S = 30
NewTopic = Callable[..., str]


def kcat(broker: Server, *arguments: str, text: str = "") -> str:
    """What it prints."""
    command = [program("kcat"), "-b", broker.address, *arguments]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=WITHIN_S)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_lists_the_cluster(broker: Server, new_topic: NewTopic) -> None:
    """`-L` shows the broker, and a topic's partitions with leaders, replicas and ISR."""
    topic = new_topic(partitions=3)
    found = json.loads(kcat(broker, "-L", "-J", "-t", topic))
    assert found["brokers"] == [{"id": NODE_ID, "name": broker.address}]
    (listed,) = found["topics"]
    assert listed["topic"] == topic
    for index, partition in enumerate(listed["partitions"]):
        assert partition == {
            "partition": index,
            "leader": NODE_ID,
            "replicas": [{"id": NODE_ID}],
            "isrs": [{"id": NODE_ID}],
        }


@pytest.mark.parametrize("codec", CODECS)
def test_what_it_produces_it_consumes(broker: Server, new_topic: NewTopic, codec: str) -> None:
    """Lines with keys and headers go in by `-P` and come out by `-C`, from any offset."""
    topic = new_topic()
    lines = [f"key {at}:{'value ' * at}" for at in range(50)]
    kcat(broker, "-P", "-t", topic, "-p", "0", "-z", codec, "-K:", "-H", "name=value", text="\n".join(lines) + "\n")
    found = read_by_librdkafka(broker.address, topic, 50)
    assert [f"{each.key!r}" for each in found] == [f"{line.split(':')[0].encode()!r}" for line in lines]
    assert {each.headers for each in found} == {(("name", b"value"),)}
    assert kcat(broker, "-C", "-t", topic, "-p", "0", "-o", "beginning", "-e", "-q", "-K:").splitlines() == lines
    late = kcat(broker, "-C", "-t", topic, "-p", "0", "-o", "48", "-e", "-q", "-f", "%o %k %h\n")
    assert late.splitlines() == ["48 key 48 name=value", "49 key 49 name=value"]


def test_it_asks_for_offsets(broker: Server, new_topic: NewTopic) -> None:
    """`-Q` finds the offset of a time, and the end behind all of them."""
    topic = new_topic()
    kcat(broker, "-P", "-t", topic, "-p", "0", text="a\nb\n")
    assert kcat(broker, "-Q", "-t", f"{topic}:0:0").split() == [topic, "[0]", "offset", "0"]
    assert kcat(broker, "-Q", "-t", f"{topic}:0:-1").split() == [topic, "[0]", "offset", "2"]
