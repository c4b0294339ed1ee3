"""DescribeLogDirs: this broker's log directories, how large each partition in them is, and how far it lags (KIP-113).

Versions: 1-5
 3: an error for the whole (KIP-784); 4: sizes of the volumes (KIP-827); 5: cordoned directories (KIP-1066)

A directory that is offline is KAFKA_STORAGE_ERROR; one without any of the topics asked for is told without topics. A
partition that is not here is left out. The lag of a log is to the high watermark, that of one that is being moved to
the log whose place it will take.
"""

from collections.abc import Iterable
from typing import Final

from ottla.broker.context import RequestContext
from ottla.broker.settings.running_parts import cordoned_directories
from ottla.errors import DiskError
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.topics import DescribeLogDirsRequest, DescribeLogDirsResponse
from ottla.protocol.messages.topics import DescribeLogDirsResponse_DescribeLogDirsPartition as PartitionAnswer
from ottla.protocol.messages.topics import DescribeLogDirsResponse_DescribeLogDirsResult as Result
from ottla.protocol.messages.topics import DescribeLogDirsResponse_DescribeLogDirsTopic as TopicAnswer
from ottla.security.operations import CLUSTER_NAME, Operation, ResourceType
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.manager.log_table import HostedLog
from ottla.storage.manager.manager import LogManager

SIZES_SINCE: Final = 4


async def describe_log_dirs(context: RequestContext, request: DescribeLogDirsRequest) -> DescribeLogDirsResponse:
    """The answer, directory by directory."""
    if not context.authorize(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME):
        return DescribeLogDirsResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    logs = context.broker.data.replicas.logs
    wanted = None if request.topics is None else {each.topic: frozenset(each.partitions) for each in request.topics}
    cordoned = cordoned_directories(context.broker.config, logs.directories)
    results = []
    for directory in logs.directories:
        result = Result(log_dir=directory.path, is_cordoned=directory in cordoned)
        if not directory.is_online:
            result.error_code = ErrorCode.KAFKA_STORAGE_ERROR
        else:
            hosted = logs.table.in_directory(directory)
            result.topics = _topics(logs, (each for each in hosted if _is_wanted(wanted, each)))
            if context.version >= SIZES_SINCE:
                await _measure(context, directory, result)
        results.append(result)
    return DescribeLogDirsResponse(results=results)


async def _measure(context: RequestContext, directory: LogDirectory, result: Result) -> None:
    """How large the volume is, and how much of it is free."""
    try:
        total, usable = await context.broker.world.threads.run(directory.volume_bytes)
    except DiskError:
        result.error_code, result.topics = ErrorCode.KAFKA_STORAGE_ERROR, ()
    else:
        result.total_bytes, result.usable_bytes = total, usable


def _is_wanted(wanted: dict[str, frozenset[int]] | None, hosted: HostedLog) -> bool:
    topic, partition = hosted.topic_partition
    return wanted is None or partition in wanted.get(topic, ())


def _topics(logs: LogManager, hosted_logs: Iterable[HostedLog]) -> list[TopicAnswer]:
    topics: dict[str, list[PartitionAnswer]] = {}
    for hosted in sorted(hosted_logs, key=lambda each: each.topic_partition):
        log = hosted.log
        lag = max(log.high_watermark - log.log_end_offset, 0)
        if hosted.is_future:
            current = logs.get(hosted.topic_partition)
            lag = 0 if current is None else current.log_end_offset - log.log_end_offset
        answer = PartitionAnswer(hosted.topic_partition.partition, log.size_bytes, lag, hosted.is_future)
        topics.setdefault(hosted.topic_partition.topic, []).append(answer)
    return [TopicAnswer(name, partitions) for name, partitions in topics.items()]
