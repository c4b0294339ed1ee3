"""The way to the active controller, wherever it is: for what a node asks itself, and for what clients ask of it.

    ask(request)               a registration, a heartbeat, another ISR: sent as it is
    forward(context, request)  a client's request: served as that client, in an envelope over the wire (KIP-590)

Who the controller is the quorum says. If it is this node, the request goes straight to the handlers of its controller
listener, without bytes; else over a channel of its own for each purpose, so that no heartbeat waits behind a client's
request. While there is no controller, or it says that it is none, or its connection breaks, the request is tried again
until its time is over (REQUEST_TIMED_OUT). So one may be carried out twice where an answer was lost, as in Kafka.

Always true: no more than MAX_UNDER_WAY requests wait here. An error that the controller gives is its answer, and comes
back as the API's response; an `OttlaError` is raised only where there is no answer.
"""

import ipaddress
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from ottla.broker.context import RequestContext
from ottla.broker.responding import Promise, refusal, respond
from ottla.errors import ConnectFailed, ConnectionLost, PeerError, RequestRefused, UnsupportedVersion
from ottla.network.channel import Channel
from ottla.network.channels import Channels
from ottla.network.handshake import ANONYMOUS
from ottla.network.link import api_of, response_reader
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.headers import read_response_header, write_request_header
from ottla.protocol.messages.controller import EnvelopeRequest, EnvelopeResponse
from ottla.protocol.messages.security import DefaultPrincipalData
from ottla.world.api import Address, World

if TYPE_CHECKING:
    from ottla.broker.handlers.table import Served
    from ottla.broker.parts import ControllerParts

MAX_UNDER_WAY: Final = 10_000
TIMEOUT_MS: Final = 60_000  # how long Kafka's brokers try to forward a request
TRY_TIMEOUT_MS: Final = 30_000  # of one of them: controller.socket.timeout.ms
MIN_PAUSE_MS, MAX_PAUSE_MS = 10, 100  # between two tries
PRINCIPAL_VERSION: Final = 0
UNKNOWN_ADDRESS: Final = bytes(4)
FORWARDING: Final = "forwarding"
PURPOSES: Final = {
    ApiKey.BROKER_REGISTRATION: "heartbeat",
    ApiKey.BROKER_HEARTBEAT: "heartbeat",
    ApiKey.ALTER_PARTITION: "alter-partition",
    ApiKey.ASSIGN_REPLICAS_TO_DIRS: "directory-assignments",
    ApiKey.CONTROLLER_REGISTRATION: "registration",
}


class NodeAddress(Protocol):
    """Where a node listens."""

    @property
    def host(self) -> str:
        """The host."""

    @property
    def port(self) -> int:
        """The port."""


class Leadership(Protocol):
    """Who leads the quorum, as far as this node knows."""

    @property
    def leader_id(self) -> int | None:
        """The leader, if there is one."""

    @property
    def leader_node(self) -> NodeAddress | None:
        """Where its controller listener is, if that is known."""


Here = Callable[[], Awaitable[Message]]
There = Callable[[Address, int], Awaitable[Message]]


class ControllerChannel:
    """Requests to the active controller. `here` are the parts of this node's own controller, if it has one."""

    def __init__(
        self,
        world: World,
        node_id: int,
        leadership: Leadership,
        channels: Channels,
        handlers: "Mapping[ApiKey, Served]",
        *,
        here: "ControllerParts | None" = None,
    ) -> None:
        self._world, self._node_id, self._leadership, self._channels = world, node_id, leadership, channels
        self._handlers, self._here = handlers, here
        self._under_way = 0

    async def ask(self, request: Message, *, timeout_ms: int | None = None) -> Any:
        """The controller's answer to a request of this node's own."""
        api = api_of(request)
        return await self._until_answered(
            TIMEOUT_MS if timeout_ms is None else timeout_ms,
            api,
            lambda: respond(
                self._world, self._handlers[api], request, lambda promise: self._own_context(promise, api.max_version)
            ),
            lambda address, left_ms: self._to(address, PURPOSES.get(api, "")).request(request, timeout_ms=left_ms),
        )

    async def forward(self, context: RequestContext, request: Message) -> Message:
        """The controller's answer to a client's request."""
        api = api_of(request)
        served = self._handlers[api]
        try:
            return await self._until_answered(
                TIMEOUT_MS,
                api,
                lambda: respond(self._world, served, request, lambda promise: self._context_of(context, promise)),
                lambda address, left_ms: self._forward_to(address, context, request, left_ms),
            )
        except UnsupportedVersion as error:
            # The controller has become another one. The client asks anew what can be asked when it comes back.
            context.reply.refuse(str(error))
            raise
        except PeerError as error:
            return refusal(served, request, error)

    def versions(self) -> Mapping[int, tuple[int, int]] | None:
        """What the active controller serves in which versions; None if nobody knows, or if it is this node."""
        leader_id, node = self._leadership.leader_id, self._leadership.leader_node
        if leader_id is None or node is None or leader_id == self._node_id:
            return None
        for purpose in (FORWARDING, "heartbeat"):
            answer = self._to(Address(node.host, node.port), purpose).api_versions
            if answer is not None:
                return {each.api_key: (each.min_version, each.max_version) for each in answer.api_keys}
        return None

    # Trying

    async def _until_answered(self, timeout_ms: int, api: ApiKey, here: Here, there: There) -> Message:
        if self._under_way >= MAX_UNDER_WAY:
            raise RequestRefused(ErrorCode.REQUEST_TIMED_OUT, f"{self._under_way} requests wait for the controller.")
        self._under_way += 1
        clock = self._world.clock
        deadline_ms, pause_ms = clock.monotonic_ms() + timeout_ms, MIN_PAUSE_MS
        try:
            while (left_ms := deadline_ms - clock.monotonic_ms()) > 0:
                response = await self._try(here, there, left_ms)
                if response is not None:
                    return response
                await clock.sleep(min(pause_ms, left_ms))
                pause_ms = min(2 * pause_ms, MAX_PAUSE_MS)
        finally:
            self._under_way -= 1
        raise RequestRefused(ErrorCode.REQUEST_TIMED_OUT, f"{api.name}: no controller has answered in time.")

    async def _try(self, here: Here, there: There, left_ms: int) -> Message | None:
        """The answer, or None if that is to be asked again."""
        leader_id, node = self._leadership.leader_id, self._leadership.leader_node
        try:
            if leader_id is None:
                return None
            if leader_id == self._node_id:
                response = await self._world.timeout(left_ms, here())
            elif node is not None:
                response = await there(Address(node.host, node.port), min(left_ms, TRY_TIMEOUT_MS))
            else:
                return None
        except (ConnectFailed, ConnectionLost, TimeoutError):
            return None
        except PeerError as error:
            if error.code == ErrorCode.NOT_CONTROLLER:
                return None
            raise
        return None if getattr(response, "error_code", 0) == ErrorCode.NOT_CONTROLLER else response

    # Here

    def _own_context(self, promise: Promise, version: int) -> RequestContext:
        return RequestContext(
            promise,
            version=version,
            principal=ANONYMOUS,
            listener="",
            security_protocol="PLAINTEXT",
            client_id=str(self._node_id),
            client_address="",
            controller=self._here,
            is_controller_listener=True,
        )

    def _context_of(self, client: RequestContext, promise: Promise) -> RequestContext:
        return RequestContext(
            promise,
            version=client.version,
            principal=client.principal,
            listener=client.listener,
            security_protocol=client.security_protocol,
            client_id=client.client_id,
            client_address=client.client_address,
            controller=self._here,
            forwarded_by=ANONYMOUS,
            is_controller_listener=True,
        )

    # There

    def _to(self, address: Address, purpose: str) -> Channel:
        return self._channels.to(address, f"controller {purpose}")

    async def _forward_to(self, address: Address, context: RequestContext, request: Message, left_ms: int) -> Message:
        api, version = api_of(request), context.version
        head = write_request_header(api, version, 0, context.client_id)
        envelope = EnvelopeRequest(
            head + request.to_bytes(version), principal_bytes(context.principal), address_bytes(context.client_address)
        )
        answer: EnvelopeResponse = await self._to(address, FORWARDING).request(envelope, timeout_ms=left_ms)
        if answer.error_code == ErrorCode.UNSUPPORTED_VERSION:
            raise UnsupportedVersion(f"the controller does not serve {api.name} in version {version}")
        if answer.error_code == ErrorCode.NOT_CONTROLLER:
            raise RequestRefused(ErrorCode.NOT_CONTROLLER, f"{address} is not the controller.")
        if answer.error_code != ErrorCode.NONE or answer.response_data is None:
            # It says something about the nodes, and nothing that the client could know what to do about.
            raise RequestRefused(ErrorCode.UNKNOWN_SERVER_ERROR, f"{address} has not opened the envelope.")
        _, position = read_response_header(answer.response_data, api, version)
        return response_reader(type(request))(answer.response_data, version, position)


def principal_bytes(principal: str) -> bytes:
    """Who asks, as it is written into an envelope."""
    kind, _, name = principal.partition(":")
    written = DefaultPrincipalData(type=kind, name=name, token_authenticated=False).to_bytes(PRINCIPAL_VERSION)
    return PRINCIPAL_VERSION.to_bytes(2) + written


def address_bytes(host: str) -> bytes:
    """Where a client comes from, as it is written into an envelope."""
    try:
        return ipaddress.ip_address(host).packed
    except ValueError:
        return UNKNOWN_ADDRESS


def forward(context: RequestContext, request: Message) -> Coroutine[Any, Any, Message]:
    """A broker's handler of requests that the controller decides on: it looks whether the client may ask for it."""
    return context.broker.controller.forward(context, request)
