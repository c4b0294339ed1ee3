"""The wire codec beside kio's: what a broker pays for a request (read it, build the answer, write the answer).

Both sides read the same bytes and write the same bytes; that is checked before anything is timed.
"""

import datetime
import io
import math
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kio.index import load_payload_module
from kio.schema.errors import ErrorCode
from kio.serial import entity_reader, entity_writer
from kio.static.constants import EntityType

from bench.measure import best_of_turns, microseconds, table
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.cluster import MetadataResponse
from ottla.protocol.messages.groups import (
    JoinGroupRequest,
    JoinGroupResponse,
    OffsetCommitRequest,
    OffsetCommitResponse,
)
from ottla.protocol.messages.produce_fetch import FetchRequest, FetchResponse, ProduceRequest, ProduceResponse

TOPIC_ID = Uuid(bytes(range(16)))
KIO_TOPIC_ID = uuid.UUID(bytes=TOPIC_ID)
NONE = ErrorCode.none
ZERO = datetime.timedelta(0)


@dataclass(slots=True)
class Work:
    """One row: a request to be read (if any), and an answer to be built and written."""

    name: str
    request: Message | None
    request_version: int
    build: Callable[[], Message]
    response_version: int
    kio_build: Callable[[Any], Any]  # gets kio's module of the response


def produce(partitions: int, size: int) -> Work:
    """A produce request of one topic."""
    data = [ProduceRequest.PartitionProduceData(index=index, records=bytes(size)) for index in range(partitions)]
    topic = ProduceRequest.TopicProduceData(name="orders", partition_data=data)
    request = ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=[topic])

    def build() -> Message:
        partition = ProduceResponse.PartitionProduceResponse.make
        answers = [partition(index=index, base_offset=1_234_567, log_start_offset=0) for index in range(partitions)]
        topics = [ProduceResponse.TopicProduceResponse.make(name="orders", partition_responses=answers)]
        return ProduceResponse.make(responses=topics)

    def kio_build(kio: Any) -> Any:
        answers = tuple(
            kio.PartitionProduceResponse(
                index=index,
                error_code=NONE,
                base_offset=1_234_567,
                log_start_offset=0,
                record_errors=(),
            )
            for index in range(partitions)
        )
        topics = (kio.TopicProduceResponse(name="orders", partition_responses=answers),)
        return kio.ProduceResponse(responses=topics, throttle_time=ZERO)

    return Work(f"Produce 1x{partitions}x{size // 1024} KB", request, 9, build, 9, kio_build)


def fetch(topics: int, partitions: int, size: int) -> Work:
    """A fetch of so many topics, answered with one batch a partition, or with nothing."""
    wanted = [
        FetchRequest.FetchPartition(partition=at, current_leader_epoch=1, fetch_offset=5, partition_max_bytes=1 << 20)
        for at in range(partitions)
    ]
    request = FetchRequest(
        max_wait_ms=500,
        min_bytes=1,
        session_id=7,
        session_epoch=1,
        topics=[FetchRequest.FetchTopic(topic_id=TOPIC_ID, partitions=wanted) for _ in range(topics)],
    )
    records = bytes(size)

    def build() -> Message:
        partition = FetchResponse.PartitionData.make
        responses = []
        for _ in range(topics):
            data = [
                partition(
                    partition_index=at, high_watermark=9, last_stable_offset=9, log_start_offset=0,
                    aborted_transactions=None, records=records,
                )
                for at in range(partitions)
            ]  # fmt: skip
            responses.append(FetchResponse.FetchableTopicResponse.make(topic_id=TOPIC_ID, partitions=data))
        return FetchResponse.make(session_id=7, responses=responses)

    def kio_build(kio: Any) -> Any:
        responses = []
        for _ in range(topics):
            data = tuple(
                kio.PartitionData(
                    partition_index=at, error_code=NONE, high_watermark=9, last_stable_offset=9, log_start_offset=0,
                    aborted_transactions=None, records=records,
                )
                for at in range(partitions)
            )  # fmt: skip
            responses.append(kio.FetchableTopicResponse(topic_id=KIO_TOPIC_ID, partitions=data))
        return kio.FetchResponse(throttle_time=ZERO, error_code=NONE, session_id=7, responses=tuple(responses))

    name = f"Fetch {topics}x{partitions} " + (f"x{size // 1024} KB" if size else "empty")
    return Work(name, request, 17, build, 17, kio_build)


def metadata(topics: int, partitions: int) -> Work:
    """An answer about so many topics: the largest message of an ordinary day."""

    def build() -> Message:
        partition = MetadataResponse.MetadataResponsePartition.make
        described = []
        for at in range(topics):
            parts = [
                partition(partition_index=p, leader_id=1, leader_epoch=3, replica_nodes=(1, 2, 3), isr_nodes=(1, 2, 3))
                for p in range(partitions)
            ]
            described.append(
                MetadataResponse.MetadataResponseTopic.make(name=f"topic-{at}", topic_id=TOPIC_ID, partitions=parts)
            )
        brokers = [MetadataResponse.MetadataResponseBroker.make(node_id=n, host="broker", port=9092) for n in (1, 2, 3)]
        return MetadataResponse.make(brokers=brokers, cluster_id="cluster", controller_id=1, topics=described)

    def kio_build(kio: Any) -> Any:
        described = []
        for at in range(topics):
            parts = tuple(
                kio.MetadataResponsePartition(
                    error_code=NONE, partition_index=p, leader_id=1, leader_epoch=3,
                    replica_nodes=(1, 2, 3), isr_nodes=(1, 2, 3), offline_replicas=(),
                )
                for p in range(partitions)
            )  # fmt: skip
            described.append(
                kio.MetadataResponseTopic(error_code=NONE, name=f"topic-{at}", topic_id=KIO_TOPIC_ID, partitions=parts)
            )
        brokers = tuple(kio.MetadataResponseBroker(node_id=n, host="broker", port=9092) for n in (1, 2, 3))
        return kio.MetadataResponse(
            throttle_time=ZERO, brokers=brokers, cluster_id="cluster", controller_id=1, topics=tuple(described)
        )

    return Work(f"Metadata {topics} topics x {partitions}", None, 12, build, 12, kio_build)


def offset_commit(partitions: int) -> Work:
    """A commit of so many partitions of one topic."""
    commits = [
        OffsetCommitRequest.OffsetCommitRequestPartition(
            partition_index=at, committed_offset=12_345, committed_metadata=""
        )
        for at in range(partitions)
    ]
    request = OffsetCommitRequest(
        group_id="group",
        generation_id_or_member_epoch=1,
        member_id="member",
        topics=[OffsetCommitRequest.OffsetCommitRequestTopic(name="orders", partitions=commits)],
    )

    def build() -> Message:
        partition = OffsetCommitResponse.OffsetCommitResponsePartition.make
        answers = [partition(partition_index=at) for at in range(partitions)]
        topic = OffsetCommitResponse.OffsetCommitResponseTopic.make(name="orders", partitions=answers)
        return OffsetCommitResponse.make(topics=[topic])

    def kio_build(kio: Any) -> Any:
        answers = tuple(
            kio.OffsetCommitResponsePartition(partition_index=at, error_code=NONE) for at in range(partitions)
        )
        topic = kio.OffsetCommitResponseTopic(name="orders", partitions=answers)
        return kio.OffsetCommitResponse(throttle_time=ZERO, topics=(topic,))

    return Work(f"OffsetCommit {partitions} partitions", request, 9, build, 9, kio_build)


def join_group(members: int) -> Work:
    """A member that leads a group of so many."""
    protocol = JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=bytes(50))
    request = JoinGroupRequest(
        group_id="group",
        session_timeout_ms=45_000,
        rebalance_timeout_ms=300_000,
        member_id="consumer-1-7c6d5b4a",
        protocol_type="consumer",
        protocols=[protocol],
    )

    def build() -> Message:
        member = JoinGroupResponse.JoinGroupResponseMember.make
        all_members = [member(member_id=f"consumer-{at}-7c6d5b4a", metadata=bytes(50)) for at in range(members)]
        return JoinGroupResponse.make(
            generation_id=3, protocol_type="consumer", protocol_name="range", leader="consumer-1-7c6d5b4a",
            member_id="consumer-1-7c6d5b4a", members=all_members,
        )  # fmt: skip

    def kio_build(kio: Any) -> Any:
        all_members = tuple(
            kio.JoinGroupResponseMember(member_id=f"consumer-{at}-7c6d5b4a", metadata=bytes(50))
            for at in range(members)
        )
        return kio.JoinGroupResponse(
            throttle_time=ZERO, error_code=NONE, generation_id=3, protocol_type="consumer", protocol_name="range",
            leader="consumer-1-7c6d5b4a", member_id="consumer-1-7c6d5b4a", members=all_members,
        )  # fmt: skip

    return Work(f"JoinGroup, leader of {members}", request, 9, build, 9, kio_build)


def compare(work: Work) -> tuple[float, float]:
    """Seconds of kio and of ours for one piece of work."""
    response = work.build()
    key = response.KEY
    assert key is not None
    kio_response = load_payload_module(key, work.response_version, EntityType.response)
    write = entity_writer(getattr(kio_response, type(response).__name__))
    request = b"" if work.request is None else work.request.to_bytes(work.request_version)
    received = memoryview(bytearray(request))  # as the network hands it over: a view into what was received
    read_kio = None
    if work.request is not None:
        kio_request = load_payload_module(key, work.request_version, EntityType.request)
        read_kio = entity_reader(getattr(kio_request, type(work.request).__name__))
    read = None if work.request is None else type(work.request).read

    def ours() -> list[Any]:
        if read is not None:
            read(received, work.request_version)
        return work.build().write(work.response_version)

    def kios() -> bytes:
        if read_kio is not None:
            read_kio(request, 0)
        out = io.BytesIO()
        write(out, work.kio_build(kio_response))
        return out.getvalue()

    assert b"".join(ours()) == kios(), f"{work.name}: the bytes differ"
    kio_seconds, our_seconds = best_of_turns(kios, ours)
    return kio_seconds, our_seconds


def run() -> None:
    """Print one row for each kind of work, and the geometric mean."""
    rows, ratios = [], []
    for work in (
        produce(1, 1024), produce(10, 16 * 1024), fetch(1, 1, 16 * 1024), fetch(10, 10, 0),
        metadata(100, 6), offset_commit(50), join_group(10),
    ):  # fmt: skip
        kio_seconds, our_seconds = compare(work)
        ratios.append(kio_seconds / our_seconds)
        rows.append([work.name, microseconds(kio_seconds), microseconds(our_seconds), f"{ratios[-1]:.2f}"])
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    rows.append(["geometric mean", "", "", f"{mean:.2f}"])
    table("Codec: read request + build response + write response", ["", "kio us", "ottla us", "times"], rows)


if __name__ == "__main__":
    run()
