"""The quorum's directory goes between a real Kafka and ours: each goes on with what the other has written.

Kafka's tools read our log and our snapshots; Kafka's directory is led by our replica, and comes back with more in it.
"""

import json
import random
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import pytest

from ottla.cluster.metadata.following import MetadataFollower
from ottla.cluster.metadata.publisher import Publisher
from ottla.cluster.metadata.records import versioned
from ottla.cluster.raft.asking import quorum_channels
from ottla.cluster.raft.config import Identity, MetadataLogConfig, QuorumConfig, static_voters_of
from ottla.cluster.raft.shell import RaftShell
from ottla.cluster.raft.voters import Endpoint
from ottla.config.layers import read_node
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.features import LATEST
from ottla.protocol.messages.metadata_records import ConfigRecord
from ottla.storage.directories.meta_properties import parse_meta_properties
from ottla.world.real import RealWorld, run
from tests.integration.peer.jars import run_class
from tests.integration.peer.kafka import Kafka
from tests.integration.peer.server import CLUSTER_ID, NODE_ID
from tests.unit.cluster.metadata.histories import History, uuid

TOPIC: Final = 2
CLOSING_MS: Final = 5_000


class Ours:
    """Our replica of the quorum, alone on a directory."""

    def __init__(self, world: RealWorld, data: Path, directory_id: Uuid) -> None:
        self.world, self.data, self.directory_id = world, data, directory_id
        self.faults: list[object] = []
        self.shell: RaftShell
        self.follower: MetadataFollower

    async def start(self, node_id: int = NODE_ID, **quorum: str) -> "Ours":
        """Begin with what is there. Settings of the quorum are named by their ends."""
        config = read_node(
            {
                "node.id": str(node_id),
                "process.roles": "controller",
                "controller.listener.names": "CONTROLLER",
                "listeners": "CONTROLLER://localhost:9093",
                "controller.quorum.bootstrap.servers": "localhost:1",
            }
            | {f"controller.quorum.{name.replace('_', '.')}": value for name, value in quorum.items()}
        )
        endpoints = [Endpoint("CONTROLLER", "localhost", 9093)]
        self.shell = await RaftShell.open(
            self.world, str(self.data),
            identity=Identity.of(config, CLUSTER_ID, self.directory_id, endpoints),
            config=QuorumConfig.of(config), log_config=MetadataLogConfig.of(config), static=static_voters_of(config),
            channels=quorum_channels(self.world, config), failed=self.faults.append,
        )  # fmt: skip
        self.follower = MetadataFollower(
            self.world, self.shell, Publisher(), lambda what, error: self.faults.append(error),
            max_bytes_between_snapshots=2_000,
        )  # fmt: skip
        self.shell.add(self.follower)
        self.shell.start()
        return self

    async def leads(self) -> None:
        """Return when it does."""
        while not self.shell.is_leader:
            await self.world.clock.sleep(1)

    async def append(self, messages: list[Message]) -> int:
        """Write records, and wait until they are in the image; the offset behind them."""
        values = [versioned(message, LATEST).to_bytes() for message in messages]
        end_offset = self.shell.append(self.shell.epoch, self.shell.end_offset, values)
        await self.follower.reached(end_offset - 1)
        return end_offset

    async def snapshot(self) -> Path:
        """The newest snapshot, when one has been written behind the newest record."""
        while (latest := self.shell.log.latest_snapshot) is None or latest.offset < self.shell.end_offset:
            await self.world.clock.sleep(10)
        return Path(self.shell.log.snapshots.path(latest))

    async def stop(self) -> None:
        """Leave it in order."""
        await self.follower.stop()
        await self.shell.stop(CLOSING_MS)
        assert self.faults == []


def with_ours(
    data: Path,
    directory_id: Uuid,
    use: Callable[[Ours], Awaitable[None]],
    node_id: int = NODE_ID,
    *,
    is_stopped: bool = True,
    **quorum: str,
) -> None:
    """Our replica, for as long as it is used; it ends in order, or as a process does that is killed."""

    async def main(world: RealWorld) -> None:
        ours = await Ours(world, data, directory_id).start(node_id, **quorum)
        await use(ours)
        if is_stopped:
            await ours.stop()

    run(main)


def dumped(file: Path) -> list[str]:
    """What kafka-dump-log prints about a file of the metadata."""
    arguments = ("--cluster-metadata-decoder", "--files", str(file))
    return run_class("org.apache.kafka.tools.DumpLogSegments", *arguments).splitlines()


def test_kafkas_tools_read_what_our_replica_writes(tmp_path: Path) -> None:
    """kafka-dump-log finds every record of our log, and kafka-metadata-shell our image in the snapshot of it."""
    messages = History(random.Random(3)).messages(200)
    snapshots: list[Path] = []

    async def use(ours: Ours) -> None:
        await ours.leads()
        for at in range(0, len(messages), 20):
            await ours.append(messages[at : at + 20])
        while not snapshots:
            if (latest := ours.shell.log.latest_snapshot) is not None:
                snapshots.append(Path(ours.shell.log.snapshots.path(latest)))
            await ours.world.clock.sleep(10)

    with_ours(tmp_path, uuid(5), use, voters=f"{NODE_ID}@localhost:9093")
    directory = tmp_path / "__cluster_metadata-0"
    lines = dumped(directory / "00000000000000000000.log")
    assert "LeaderChange" in "\n".join(lines)
    assert all("isvalid: true" in line for line in lines if line.startswith("baseOffset:"))
    payloads = [json.loads(found[1]) for line in lines if (found := re.search(r"payload: (\{.*\})$", line))]
    kinds = [type(message).__name__.removesuffix("Record").lower() for message in messages]
    assert [each["type"].removesuffix("_RECORD").replace("_", "").lower() for each in payloads] == kinds
    assert "SnapshotFooter" in dumped(snapshots[0])[-1]
    shown = run_class("org.apache.kafka.shell.MetadataShell", "--snapshot", str(snapshots[0]), "ls", "/image")
    assert "topics" in shown


@pytest.mark.parametrize("is_stopped", [True, False], ids=["stopped", "killed"])
def test_the_quorum_goes_from_kafka_to_us_and_back(tmp_path: Path, *, is_stopped: bool) -> None:
    """Our replica leads on Kafka's directory: it knows Kafka's topics; Kafka then goes on with our records."""
    with Kafka(tmp_path) as kafka:
        kafka.start()
        kafka.create_topics({"theirs": {"retention.ms": "12345"}})
        (kafka.stop if is_stopped else kafka.kill)()
        properties = kafka.data / "meta.properties"
        directory_id = parse_meta_properties(str(properties), properties.read_bytes()).directory_id
        assert directory_id is not None

        async def use(ours: Ours) -> None:
            await ours.leads()
            await ours.follower.caught_up()
            assert ours.shell.kraft_version == 1
            assert list(ours.shell.voters.ids) == [NODE_ID]
            image = ours.follower.image
            assert image.topics.named("theirs") is not None
            assert dict(image.configs.of(TOPIC, "theirs")) == {"retention.ms": "12345"}
            await ours.append([ConfigRecord(TOPIC, "theirs", "retention.ms", "54321")] * 100)
            await ours.snapshot()

        with_ours(kafka.data, directory_id, use, is_stopped=is_stopped)
        kafka.start()
        shown = run_class(
            "kafka.admin.ConfigCommand",
            "--bootstrap-server", kafka.address, "--describe", "--topic", "theirs",
        )  # fmt: skip
        assert "retention.ms=54321" in shown
        kafka.create_topics({"more": {}})
        kafka.stop()


def test_our_replica_watches_kafkas_quorum(tmp_path: Path) -> None:
    """As a broker does: it finds the leader by a bootstrap server, takes its snapshot and its log, and follows."""
    (tmp_path / "ours").mkdir()
    # So small that Kafka soon has a snapshot, without which nothing of FetchSnapshot would be seen.
    with Kafka(tmp_path, metadata_log_max_record_bytes_between_snapshots="2000") as kafka:
        kafka.start()
        kafka.create_topics({f"topic-{number}": {"retention.ms": "12345"} for number in range(50)})
        server = re.search(r"bootstrap\.servers=(\S+)", (tmp_path / "server.properties").read_text())
        assert server is not None

        async def use(ours: Ours) -> None:
            await ours.follower.caught_up()
            assert (ours.shell.leader_id, ours.shell.is_leader) == (NODE_ID, False)
            assert list(ours.shell.voters.ids) == [NODE_ID]
            assert ours.shell.log.start_offset > 0, "it began with a snapshot of Kafka's"
            assert ours.follower.image.topics.named("topic-49") is not None
            await ours.world.threads.run(kafka.create_topics, {"more": {}})
            while ours.follower.image.topics.named("more") is None:
                await ours.world.clock.sleep(10)

        with_ours(tmp_path / "ours", uuid(77), use, node_id=9, bootstrap_servers=server[1])
        kafka.stop()
