"""A controller node registers with the active controller: where it listens, and what it supports (KIP-919).

It does so with each start, under a new incarnation, so that others (an admin that was given controllers, an upgrade of
a feature) know all controllers and not just the quorum's voters. Whether it is registered is told by the metadata: the
answer says only that it will be. So this is a subscriber of the metadata, and asks anew if that says otherwise; after a
failure with pauses that double from 100 ms to 2 minutes, as in Kafka.

Always true: one request is out at a time; none is sent at a metadata version that knows no such registration (before
3.7), nor after `stop`.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import MetadataImage
from ottla.cluster.metadata.parts.registrations import EndPoint
from ottla.errors import OttlaError
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import FEATURES, METADATA_VERSION, SINCE, supported_range
from ottla.protocol.messages.controller import (
    ControllerRegistrationRequest,
    ControllerRegistrationRequest_Feature,
    ControllerRegistrationRequest_Listener,
)
from ottla.world.api import Task, World

MIN_PAUSE_MS: Final = 100
MAX_PAUSE_MS: Final = 120_000
JITTER: Final = 0.02


class ControllerRegistration:
    """The registration of one controller node."""

    def __init__(
        self,
        world: World,
        node_id: int,
        incarnation_id: Uuid,
        end_points: Mapping[str, EndPoint],
        ask: Callable[[Message], Awaitable[Any]],
    ) -> None:
        self._world, self._ask = world, ask
        self._request = ControllerRegistrationRequest(
            controller_id=node_id,
            incarnation_id=incarnation_id,
            listeners=[
                ControllerRegistrationRequest_Listener(name, each.host, each.port, each.security_protocol)
                for name, each in end_points.items()
            ],
            features=[
                ControllerRegistrationRequest_Feature(name, *supported_range(name))
                for name in (METADATA_VERSION, *FEATURES)
            ],
        )
        self._seen: Uuid | None = None  # the incarnation that the metadata has of this node
        self._is_possible = self._is_acknowledged = self._is_stopped = False
        self._failures = 0
        self._asking: Task[None] | None = None

    def __call__(self, delta: MetadataDelta, image: MetadataImage) -> None:
        """What the metadata says of this controller."""
        del delta
        version = image.features.metadata_version
        self._is_possible = version is not None and version >= SINCE["controller registration"]
        registered = image.cluster.controllers.get(self._request.controller_id)
        seen = None if registered is None else registered.incarnation_id
        if seen != self._seen:  # it is done, or somebody else has registered as this node
            self._seen, self._is_acknowledged = seen, False
        if self._is_needed and self._asking is None:
            self._asking = self._world.spawn(self._register(), "register the controller")

    @property
    def is_registered(self) -> bool:
        """Whether the metadata knows this life of the node."""
        return self._seen == self._request.incarnation_id

    def stop(self) -> None:
        """Ask no more."""
        self._is_stopped = True
        if self._asking is not None:
            self._asking.cancel()

    @property
    def _is_needed(self) -> bool:
        is_done = self.is_registered or self._is_acknowledged
        return self._is_possible and not is_done and not self._is_stopped

    async def _register(self) -> None:
        try:
            while self._is_needed:
                if not await self._try():
                    await self._world.clock.sleep(self._pause_ms())
        finally:
            self._asking = None

    async def _try(self) -> bool:
        try:
            response = await self._ask(self._request)
        except OttlaError:
            return False
        if response.error_code != ErrorCode.NONE:
            return False
        self._failures, self._is_acknowledged = 0, True
        return True

    def _pause_ms(self) -> int:
        pause_ms = min(MIN_PAUSE_MS << min(self._failures, 20), MAX_PAUSE_MS)
        self._failures += 1
        return int(pause_ms * (1 - JITTER + 2 * JITTER * self._world.rng.random()))
