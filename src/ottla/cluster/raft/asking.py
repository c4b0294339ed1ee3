"""What the quorum's machine sends: requests over channels, and their answers, or that there will be none.

Purposes have connections of their own: a vote does not wait behind a fetch that the leader holds back, nor a fetch
behind a piece of a snapshot. Each request is a task until it is answered, which is at the latest when its time is up.

Always true: every request is answered once to the machine, by `Responded` or `Unanswered`; after `close` nothing is.
"""

from collections.abc import Callable
from typing import Final

from ottla.cluster.raft.events import Event, Responded, Send, Unanswered
from ottla.cluster.raft.messages import response_partition, unsupported
from ottla.config.config import Config
from ottla.errors import OttlaError, UnsupportedVersion
from ottla.network.channel import ChannelSettings
from ottla.network.channels import Channels
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.connection import ApiVersionsRequest
from ottla.protocol.messages.produce_fetch import FetchRequest, FetchResponse_PartitionData
from ottla.protocol.messages.quorum import (
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchSnapshotRequest,
    VoteRequest,
)
from ottla.world.api import Address, Task, TlsSettings, World

CONNECT_BACKOFF_MAX_MS: Final = 200  # a replica that comes back is to hear of its leader within an election timeout
VOTES: Final = "vote"
PURPOSES: Final[dict[type[Message], str]] = {
    VoteRequest: VOTES,
    BeginQuorumEpochRequest: VOTES,
    EndQuorumEpochRequest: VOTES,
    FetchRequest: "fetch",
    FetchSnapshotRequest: "snapshot",
}
OTHERS: Final = "voters"


class Asking:
    """The requests of one replica that are under way."""

    __slots__ = ("_channels", "_heard", "_is_closed", "_post", "_request_timeout_ms", "_tasks", "_world")

    def __init__(
        self,
        world: World,
        channels: Channels,
        request_timeout_ms: int,
        post: Callable[[Event], None],
        heard: Callable[[int], None],
    ) -> None:
        """`post` takes the machine's events; `heard` the high watermark that a leader has told."""
        self._world, self._channels, self._request_timeout_ms = world, channels, request_timeout_ms
        self._post, self._heard = post, heard
        self._tasks: dict[int, Task[None]] = {}
        self._is_closed = False

    def send(self, send: Send) -> None:
        """Ask somebody."""
        name = type(send.request).__name__
        self._tasks[send.correlation_id] = self._world.spawn(self._ask(send), name)

    async def close(self) -> None:
        """Close the channels, and forget what is under way."""
        self._is_closed = True
        await self._channels.close()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        while not all(task.done() for task in tasks):  # what is cancelled ends within a few turns of the loop
            await self._world.clock.sleep(0)

    async def _ask(self, send: Send) -> None:
        request, node = send.request, send.node
        event: Event = Unanswered(send.correlation_id)
        try:
            channel = self._channels.to(Address(node.host, node.port), PURPOSES.get(type(request), OTHERS))
            if isinstance(request, ApiVersionsRequest):
                request.client_software_name = channel.settings.software_name
                request.client_software_version = channel.settings.software_version
            response: Message = await channel.request(request, timeout_ms=self._request_timeout_ms)
            event = Responded(send.correlation_id, response)
            partition = response_partition(response) if isinstance(request, FetchRequest) else None
            if isinstance(partition, FetchResponse_PartitionData) and partition.error_code == ErrorCode.NONE:
                self._heard(partition.high_watermark)
        except UnsupportedVersion:
            refusal = unsupported(request)
            event = event if refusal is None else Responded(send.correlation_id, refusal)
        except (OttlaError, TimeoutError):
            pass  # whoever does not answer is asked again in its time
        finally:
            del self._tasks[send.correlation_id]
        if not self._is_closed:
            self._post(event)


def quorum_channels(world: World, config: Config, tls: TlsSettings | None = None) -> Channels:
    """The channels of a node's quorum: they give up, and try again, about as quickly as the machine does."""
    request_timeout_ms = config.integer("controller.quorum.request.timeout.ms")
    backoff_ms = config.integer("controller.quorum.retry.backoff.ms")
    settings = ChannelSettings(
        client_id=f"raft-client-{config.integer('node.id')}",
        tls=tls,
        connect_timeout_ms=request_timeout_ms,
        request_timeout_ms=request_timeout_ms,
        backoff_ms=backoff_ms,
        backoff_max_ms=max(CONNECT_BACKOFF_MAX_MS, backoff_ms),
    )
    return Channels(world, settings)
