"""What a handler knows of whoever asks, whom it answers, and the two doors that it goes through before it works.

`broker` and `controller` are the parts of this node that a handler may use: a request that came to a broker's listener
has the first, one that came to the controller's listener the second. A request that a broker has forwarded comes in as
the client that asked the broker, with `forwarded_by`.

`authorize` is where ACLs will decide and `charge` where quotas will count. Until they exist everybody may do
everything, as in a Kafka without an authorizer, and nobody is throttled; handlers ask all the same, so that nothing has
to be found later.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from ottla.errors import RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.security.operations import CLUSTER_NAME, OPERATIONS, Operation, ResourceType

if TYPE_CHECKING:
    from ottla.broker.parts import BrokerParts, ControllerParts


class Reply(Protocol):
    """Where an answer goes; exactly one of the first four is called, once. A request of the network is one."""

    def answer(self, response: Message) -> None:
        """This is the answer."""

    def answer_when_sent(self, make: Callable[[], Message]) -> None:
        """This makes it, when it can be sent: for answers that cost much memory."""

    def answer_nothing(self) -> None:
        """There is none: `acks=0`."""

    def refuse(self, why: str) -> None:
        """There can be none: the connection ends."""

    @property
    def is_wanted(self) -> bool:
        """Whether anybody is still there to be answered."""

    def if_gone(self, forget: Callable[[], object]) -> None:
        """Call this, and nothing that was given before, if whoever asks goes before there is an answer."""


class RequestContext:
    """One request's circumstances. Made for every request, so a plain object with slots: 0.4 us."""

    __slots__ = (
        "_broker", "_controller", "client_address", "client_id", "forwarded_by", "is_controller_listener", "listener",
        "principal", "reply", "security_protocol", "version",
    )  # fmt: skip

    def __init__(  # noqa: PLR0917 - made for every request, so by position
        self,
        reply: Reply,
        version: int,
        principal: str,
        listener: str,
        security_protocol: str,
        client_id: str | None,
        client_address: str,
        broker: "BrokerParts | None" = None,
        controller: "ControllerParts | None" = None,
        forwarded_by: str | None = None,
        is_controller_listener: bool = False,
    ) -> None:
        self._broker, self._controller, self.reply = broker, controller, reply
        self.version, self.principal, self.listener = version, principal, listener
        self.security_protocol, self.client_id, self.client_address = security_protocol, client_id, client_address
        self.forwarded_by, self.is_controller_listener = forwarded_by, is_controller_listener

    @property
    def broker(self) -> "BrokerParts":
        """The broker's parts: for handlers of broker listeners."""
        assert self._broker is not None, "a handler of a broker's listener serves the controller's"
        return self._broker

    @property
    def controller(self) -> "ControllerParts":
        """The controller's parts: for handlers of the controller's listener."""
        assert self._controller is not None, "a handler of the controller's listener serves a broker's"
        return self._controller

    @property
    def is_own(self) -> bool:
        """Whether it is this node's own request, which has come through no listener."""
        return not self.listener

    def forwarded(
        self, reply: Reply, *, version: int, principal: str, client_id: str | None, client_address: str
    ) -> "RequestContext":
        """The circumstances of a request that whoever asks here has forwarded."""
        return RequestContext(
            reply,
            version=version,
            principal=principal,
            listener=self.listener,
            security_protocol=self.security_protocol,
            client_id=client_id,
            client_address=client_address,
            broker=self._broker,
            controller=self._controller,
            forwarded_by=self.principal,
            is_controller_listener=self.is_controller_listener,
        )

    def authorize(self, operation: Operation, resource_type: ResourceType, name: str) -> bool:
        """Whether the principal may do this."""
        assert operation in OPERATIONS[resource_type], f"no {operation.name} on {resource_type.name} {name}"
        return True

    def demand(self, operation: Operation) -> None:
        """CLUSTER_AUTHORIZATION_FAILED unless the principal may do this to the cluster."""
        if not self.authorize(operation, ResourceType.CLUSTER, CLUSTER_NAME):
            raise RequestRefused(
                ErrorCode.CLUSTER_AUTHORIZATION_FAILED, f"{self.principal} may not {operation.name} on the cluster."
            )

    def authorized_operations(self, resource_type: ResourceType, name: str) -> frozenset[Operation]:
        """All that the principal may do to a resource."""
        return frozenset(each for each in OPERATIONS[resource_type] if self.authorize(each, resource_type, name))

    def charge(self, size_bytes: int) -> int:
        """Count what the request cost; the time in ms for which the client is asked to wait."""
        del size_bytes
        return 0
