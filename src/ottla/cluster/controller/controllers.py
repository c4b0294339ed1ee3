"""The controllers that have registered: where they listen, and what they can run at (KIP-919).

Every controller registers anew when it starts, with a new incarnation. Nobody is ever fenced here: whether a controller
is alive is raft's to know.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ottla.cluster.controller.brokers import EndPoint
from ottla.cluster.controller.finalised import Finalised
from ottla.errors import RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import METADATA_VERSION
from ottla.protocol.messages.controller import ControllerRegistrationRequest, ControllerRegistrationResponse
from ottla.protocol.messages.metadata_records import RegisterControllerRecord
from ottla.replicated.decision import Decision
from ottla.replicated.timeline import Journal, TimelineDict


@dataclass(frozen=True, slots=True)
class RegisteredController:
    """A controller's registration."""

    controller_id: int
    incarnation_id: Uuid
    end_points: tuple[EndPoint, ...]
    features: dict[str, tuple[int, int]]


class Controllers:
    """All registrations of controllers."""

    def __init__(self, journal: Journal, finalised: Finalised) -> None:
        self._finalised = finalised
        self.registrations: TimelineDict[int, RegisteredController] = TimelineDict(journal)

    def __iter__(self) -> Iterator[RegisteredController]:
        return iter(self.registrations.values())

    def register(
        self, request: ControllerRegistrationRequest, now_ms: int
    ) -> Decision[Message, ControllerRegistrationResponse]:
        """Take down where a controller is."""
        del now_ms
        if not self._finalised.has("controller registration"):
            raise RequestRefused(
                ErrorCode.UNSUPPORTED_VERSION,
                f"{METADATA_VERSION} {self._finalised.metadata_version.text} knows no registration of controllers.",
            )
        record = RegisterControllerRecord(
            controller_id=request.controller_id,
            incarnation_id=request.incarnation_id,
            end_points=[
                RegisterControllerRecord.ControllerEndpoint(each.name, each.host, each.port, each.security_protocol)
                for each in request.listeners
            ],
            features=[
                RegisterControllerRecord.ControllerFeature(
                    each.name, each.min_supported_version, each.max_supported_version
                )
                for each in request.features
            ],
        )
        return Decision([record], ControllerRegistrationResponse())

    def replay(self, record: RegisterControllerRecord) -> None:
        """A controller has registered."""
        self.registrations[record.controller_id] = RegisteredController(
            record.controller_id,
            record.incarnation_id,
            tuple(EndPoint(each.name, each.host, each.port, each.security_protocol) for each in record.end_points),
            {each.name: (each.min_supported_version, each.max_supported_version) for each in record.features},
        )
