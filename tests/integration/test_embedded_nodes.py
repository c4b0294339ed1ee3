"""Nodes inside another program: it starts them, uses them, stops them, and nothing of them is left."""

import asyncio
import gc
import os
import threading
from pathlib import Path

from ottla.broker.node import Node
from ottla.network.channel import Channel, ChannelSettings
from ottla.protocol.messages.cluster import MetadataRequest
from ottla.protocol.messages.produce_fetch import (
    ProduceRequest,
    ProduceRequest_PartitionProduceData,
    ProduceRequest_TopicProduceData,
)
from ottla.protocol.messages.topics import CreateTopicsRequest
from ottla.protocol.messages.topics import CreateTopicsRequest_CreatableTopic as Topic
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.world.real.run import run
from ottla.world.real.world import RealWorld
from tests.integration.nodes import format_if_new

NODES = 3
ROUNDS = 20


def settings(directory: Path, number: int) -> dict[str, str]:
    """A cluster of one, on ports that are free."""
    return {
        "node.id": str(number),
        "process.roles": "broker,controller",
        "controller.quorum.bootstrap.servers": "127.0.0.1:9093",  # nobody has to be found: it is the only one
        "controller.listener.names": "CONTROLLER",
        "listeners": "PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0",
        "log.dirs": f"{directory}/{number}",
    }


async def use(world: RealWorld, node: Node, round_number: int) -> None:
    """Create a topic, and write a record to it."""
    channel = Channel(world, node.address("PLAINTEXT"), ChannelSettings())
    try:
        if round_number == 0:
            answer = await channel.request(CreateTopicsRequest([Topic("orders", 2, 1)], timeout_ms=30_000))
            assert [topic.error_code for topic in answer.topics] == [0]
        assert node.broker is not None
        assert await node.broker.metadata.until(lambda image: "orders" in image.topics.ids, 30_000)
        described = await channel.request(MetadataRequest(topics=[MetadataRequest.MetadataRequestTopic(name="orders")]))
        batch = BatchBuilder(BatchFields())
        batch.append(world.clock.wall_ms(), None, b"one")
        data = ProduceRequest_PartitionProduceData(0, memoryview(batch.build()))
        topic = ProduceRequest_TopicProduceData(topic_id=described.topics[0].topic_id, partition_data=[data])
        answer = await channel.request(ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=[topic]))
        (row,) = answer.responses[0].partition_responses
        assert (row.error_code, row.base_offset) == (0, round_number)
    finally:
        await channel.close()


def left_behind() -> dict[str, object]:
    """What a program would find of nodes that it has stopped."""
    gc.collect()
    return {
        "tasks": sorted(task.get_name() for task in asyncio.all_tasks()),
        # The pool is the world's, and grows as a broker's settings say.
        "threads": sorted(each.name for each in threading.enumerate() if each.name != "ottla-thread"),
        "descriptors": len(os.listdir("/proc/self/fd")),
    }


def test_three_nodes_on_one_loop_leave_nothing_behind(tmp_path: Path) -> None:
    """Three nodes that are started and stopped twenty times leave no task, thread, descriptor or port, and lose
    nothing: each life finds the records of those before.
    """
    reported: list[str] = []

    async def main(world: RealWorld) -> None:
        texts = [settings(tmp_path, number) for number in range(1, NODES + 1)]
        for each in texts:
            format_if_new(world, each)
        before: dict[str, object] = {}
        for round_number in range(ROUNDS):
            nodes = [Node(world, each, lambda what, error: reported.append(f"{what}: {error!r}")) for each in texts]
            for node in nodes:
                await node.start()
            ports = [node.address(name) for node in nodes for name in ("PLAINTEXT", "CONTROLLER")]
            for node in nodes:
                await use(world, node, round_number)
            for node in nodes:
                await node.stop()
            for address in ports:  # nobody listens there any more
                await (await world.network.listen(address, lambda stream: None)).close()
            before = before or left_behind()
            assert left_behind() == before, f"after round {round_number}"
        assert before["tasks"] == [task.get_name() for task in asyncio.all_tasks()]

    run(main)
    assert not reported
