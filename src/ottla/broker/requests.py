"""The way of a request through a node: frame -> body -> handler -> answer.

What the network has cut out and whose header it has read arrives here on the loop, in order; the frame is dead when
`serve` returns. What cannot be answered ends the connection, as in Kafka: an API that the listener does not serve, a
body that is not the message, an error of ours.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from ottla.broker.context import RequestContext
from ottla.broker.handlers.controller_table import CONTROLLER_HANDLERS
from ottla.broker.handlers.table import HANDLERS, Served
from ottla.broker.parts import BrokerParts, ControllerParts
from ottla.broker.responding import refusal
from ottla.errors import OttlaError, PeerError
from ottla.network.limits import Reason
from ottla.network.request import Request
from ottla.protocol.codec.message import Message
from ottla.world.api import World


class Unstarted:
    """A handler's coroutine on its way to its task. A node that dies in between leaves it without a first step, and
    Python would say so of every one.
    """

    __slots__ = ("coroutine",)

    def __init__(self, coroutine: Coroutine[Any, Any, Message]) -> None:
        self.coroutine = coroutine

    def __del__(self) -> None:
        """Nobody awaits it any more; if it has ended this does nothing."""
        self.coroutine.close()


class RequestPath:
    """Serves the requests of one node."""

    def __init__(
        self,
        world: World,
        report: Callable[[str, BaseException], None],
        *,
        broker: BrokerParts | None = None,
        controller: ControllerParts | None = None,
    ) -> None:
        self._world, self._report = world, report
        self.broker, self.controller = broker, controller

    def serve(self, request: Request) -> None:
        """Answer a request, or refuse it. A body that cannot be read raises the peer's fault."""
        connection, header = request.connection, request.header
        settings, version = connection.listener.settings, header.request_api_version
        served = (CONTROLLER_HANDLERS if settings.is_control else HANDLERS).get(request.api)
        if served is None:
            request.refuse(f"{request.api.name} is not served on listener {settings.name}", Reason.UNSUPPORTED)
            return
        # What is left behind the body is not looked at, as in Kafka: librdkafka 2.16.1 sends bytes too many.
        body, _ = served.request.read_prefix(request.frame, version, request.body)
        context = RequestContext(  # by position, and without the request's properties: a third of the price
            request, version, connection.barrier.principal, settings.name, settings.security_protocol, header.client_id,
            connection.stream.peer.host, self.broker, self.controller, None, settings.is_control,
        )  # fmt: skip
        try:
            outcome = served.handle(context, body)
        except PeerError as error:
            outcome = refusal(served, body, error)
        if outcome is None:
            return
        if isinstance(outcome, Message):
            request.answer(outcome)
        else:
            self._world.spawn(self._answer_later(request, served, body, Unstarted(outcome)), request.api.name)

    async def _answer_later(self, request: Request, served: Served, body: Message, outcome: Unstarted) -> None:
        try:
            try:
                response = await outcome.coroutine
            except OttlaError as error:
                if served.failed is None:
                    request.refuse(str(error))
                    return
                response = refusal(served, body, error)
            if request.is_wanted:
                request.answer(response)
        except Exception as error:
            self._report(f"serving {request.api.name}", error)
            request.refuse("an error of ours", Reason.OURS)
