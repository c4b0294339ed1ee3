"""A first node, seen by other people's tools: who it is, what it serves, which topics there are."""

import json
import re
import socket
import struct
import subprocess
from collections.abc import Iterator

import pytest

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.connection import ApiVersionsResponse
from tests.integration.nodes import NodeProcess, node_process
from tests.integration.peer.jars import run_class
from tests.integration.peer.programs import program

ANSWERED_WITHIN_S = 30


@pytest.fixture(scope="module")
def node() -> Iterator[NodeProcess]:
    """One node for all."""
    with node_process() as node:
        yield node


def kcat(node: NodeProcess, *arguments: str) -> str:
    """What kcat prints."""
    command = [program("kcat"), "-b", node.address(), "-L", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=ANSWERED_WITHIN_S).stdout


def test_java_lists_the_apis_of_the_node(node: NodeProcess) -> None:
    """`kafka-broker-api-versions` finds the node by Metadata, and the versions of both APIs usable."""
    printed = run_class("org.apache.kafka.tools.BrokerApiVersionsCommand", "--bootstrap-server", node.address())
    assert f"127.0.0.1:{node.ports['PLAINTEXT']} (id: 1 rack: rack-1 isFenced: false) -> (" in printed
    served = dict(re.findall(r"(\w+)\((?:\d+)\): (\d+ to \d+ \[usable: \d+\])", printed))
    assert served.items() >= {"Metadata": "0 to 13 [usable: 13]", "ApiVersions": "0 to 4 [usable: 4]"}.items()


def test_kcat_lists_the_cluster(node: NodeProcess) -> None:
    """`kcat -L` shows the broker and all topics with their partitions, leaders, replicas and ISR."""
    found = json.loads(kcat(node, "-J"))
    assert found["brokers"] == [{"id": 1, "name": node.address()}]
    assert found["controllerid"] == 1
    assert {topic["topic"]: len(topic["partitions"]) for topic in found["topics"]} == {"orders": 3, "payments": 1}
    for topic in found["topics"]:
        for index, partition in enumerate(topic["partitions"]):
            assert partition == {"partition": index, "leader": 1, "replicas": [{"id": 1}], "isrs": [{"id": 1}]}


def test_kcat_asks_for_one_topic(node: NodeProcess) -> None:
    """A topic that is not there is shown as unknown, and the others are not shown."""
    assert "Unknown topic or partition" in kcat(node, "-t", "nowhere")
    assert 'topic "payments" with 1 partitions' in kcat(node, "-t", "payments")
    assert "orders" not in kcat(node, "-t", "payments")


def exchange(node: NodeProcess, frame: bytes) -> bytes:
    """Send a frame; what comes back until the node closes, or one whole frame."""
    with socket.create_connection(("127.0.0.1", node.ports["PLAINTEXT"]), timeout=ANSWERED_WITHIN_S) as connection:
        connection.sendall(struct.pack(">i", len(frame)) + frame)
        data = b""
        while len(data) < 4 or len(data) < 4 + struct.unpack_from(">i", data)[0]:
            piece = connection.recv(65536)
            if not piece:
                break
            data += piece
        return data[4:]


def test_an_api_versions_request_of_the_future_is_answered(node: NodeProcess) -> None:
    """A version that is not known is answered in version 0 with the versions of ApiVersions (KIP-511)."""
    answer = exchange(node, struct.pack(">hhih", ApiKey.API_VERSIONS, 99, 7, -1) + b"\0\1\1\0")
    assert answer[:4] == struct.pack(">i", 7)
    response = ApiVersionsResponse.read(answer, 0, 4)
    assert response.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert [(each.api_key, each.min_version, each.max_version) for each in response.api_keys] == [(18, 0, 4)]


@pytest.mark.parametrize(
    "frame",
    [
        struct.pack(">hhih", ApiKey.SHARE_FETCH, 1, 1, -1) + b"\0",  # known, and not served yet
        struct.pack(">hhih", ApiKey.METADATA, 14, 1, -1) + b"\0",
        struct.pack(">hhih", 999, 0, 1, -1),
        struct.pack(">hhih", ApiKey.METADATA, 1, 1, -1) + b"\xff\xff\xff",
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
    ids=["not-served", "version", "unknown-api", "body", "empty", "http"],
)
def test_what_cannot_be_answered_is_disconnected(node: NodeProcess, frame: bytes) -> None:
    """Whoever asks what cannot be answered is disconnected without a word, and nobody else notices."""
    assert exchange(node, frame) == b""
    assert '"orders"' in kcat(node)


def test_bytes_behind_a_request_are_not_looked_at(node: NodeProcess) -> None:
    """A request with bytes too many is answered, as Kafka does: librdkafka 2.16.1 sends such a Metadata."""
    of_librdkafka = "0003000d00000003000772646b61666b610000000000010000"
    assert exchange(node, bytes.fromhex(of_librdkafka))[:4] == struct.pack(">i", 3)
